//! Hardware registers: `s_getreg_b32`, `s_setreg_b32`. Vega ISA, "Hardware registers"; IDs as LLVM's `hwreg()` has them.
//!
//! `simm16` is ID in bits 5:0, first bit in 10:6, width less one in 15:11.

use crate::{Flow, Group, Inst, Mode, Op, Traits, Ty, Wave};

const MODE: u32 = 1;
const STATUS: u32 = 2;
const SH_MEM_BASES: u32 = 15;

/// `D` = bits of a hardware register.
pub static S_GETREG_B32: Op = Op {
    name: "s_getreg_b32",
    dst: Ty::B32,
    src: &[],
    traits: Traits::REGISTER,
    general: |w, g, i| {
        let (shift, mask) = bits(i.imm);
        let x = read(w, g, i.imm & 63) >> shift & mask;
        w.set_scalar(i.dst, x);
        Flow::Next
    },
    fast: None,
    fast_modified: None,
};

/// Bits of a hardware register = `D`. What the mode is decides how the next instructions run: the block ends.
pub static S_SETREG_B32: Op = Op {
    name: "s_setreg_b32",
    dst: Ty::None,
    src: &[Ty::B32],
    traits: Traits::REGISTER_ENDS_BLOCK,
    general: |w, _, i| {
        let x = w.scalar32(i.src[0], 0);
        write(w, i, x)
    },
    fast: None,
    fast_modified: None,
};

/// Bits of a hardware register = a literal constant.
pub static S_SETREG_IMM32_B32: Op = Op {
    name: "s_setreg_imm32_b32",
    dst: Ty::None,
    src: &[],
    traits: Traits { literal_source: Some(0), ..Traits::REGISTER_ENDS_BLOCK },
    general: |w, _, i| write(w, i, i.literal),
    fast: None,
    fast_modified: None,
};

/// Shift and mask of the field.
fn bits(simm: u32) -> (u32, u32) {
    (simm >> 6 & 31, u32::MAX >> (31 - (simm >> 11 & 31)))
}

fn read(w: &Wave, g: &Group<'_>, id: u32) -> u32 {
    match id {
        MODE => w.mode.0,
        // SCC in bit 0, EXECZ in bit 9, VCCZ in bit 10, "valid" in bit 16.
        STATUS => u32::from(w.scc) | u32::from(w.exec() == 0) << 9 | u32::from(w.vcc() == 0) << 10 | 1 << 16,
        // The high 16 bits of both aperture addresses: private below, shared above.
        SH_MEM_BASES => g.private_aperture_hi >> 16 | g.shared_aperture_hi & 0xffff_0000,
        _ => g.io.hardware_register(id),
    }
}

/// Only `MODE` may be written from user code; the rest keeps its value.
fn write(w: &mut Wave, i: &Inst, value: u32) -> Flow {
    if i.imm & 63 == MODE {
        let (shift, mask) = bits(i.imm);
        w.mode = Mode(w.mode.0 & !(mask << shift) | (value & mask) << shift);
    }
    Flow::Next
}
