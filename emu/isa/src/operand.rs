//! Operands: where a source is read and a result goes, in one numbering for all generations.
//!
//! The numbering is that of the 9-bit source field of gfx9 (Vega ISA, "Scalar operands"), with accumulation registers
//! behind the vector registers. Decoders of other generations translate into it.

use crate::Ty;

/// A register, a constant or a special value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Operand(pub u16);

#[allow(missing_docs, reason = "the names are the manuals' operand names")]
impl Operand {
    pub const FLAT_SCRATCH_LO: Operand = Operand(102);
    pub const FLAT_SCRATCH_HI: Operand = Operand(103);
    pub const XNACK_MASK_LO: Operand = Operand(104);
    pub const XNACK_MASK_HI: Operand = Operand(105);
    pub const VCC_LO: Operand = Operand(106);
    pub const VCC_HI: Operand = Operand(107);
    pub const TTMP0: Operand = Operand(108);
    pub const M0: Operand = Operand(124);
    pub const EXEC_LO: Operand = Operand(126);
    pub const EXEC_HI: Operand = Operand(127);
    /// Inline constant zero; `ZERO + n` is the integer `n` up to 64, then -1 … -16.
    pub const ZERO: Operand = Operand(128);
    pub const SHARED_BASE: Operand = Operand(235);
    pub const SHARED_LIMIT: Operand = Operand(236);
    pub const PRIVATE_BASE: Operand = Operand(237);
    pub const PRIVATE_LIMIT: Operand = Operand(238);
    pub const POPS_EXITING_WAVE_ID: Operand = Operand(239);
    /// 0.5, the first of the inline floating-point constants; 0.5 -0.5 1 -1 2 -2 4 -4 1/(2π).
    pub const HALF: Operand = Operand(240);
    pub const INV_2PI: Operand = Operand(248);
    pub const SDWA: Operand = Operand(249);
    pub const DPP: Operand = Operand(250);
    pub const VCCZ: Operand = Operand(251);
    pub const EXECZ: Operand = Operand(252);
    pub const SCC: Operand = Operand(253);
    pub const LDS_DIRECT: Operand = Operand(254);
    pub const LITERAL: Operand = Operand(255);
    pub const V0: Operand = Operand(256);
    pub const A0: Operand = Operand(512);
    /// No operand. Not to be read or written.
    pub const NONE: Operand = Operand(0xffff);

    /// A scalar register or special by its number.
    pub const fn sgpr(n: u32) -> Operand {
        Operand(n as u16 & 0x7f)
    }

    /// A vector register.
    pub const fn vgpr(n: u32) -> Operand {
        Operand(256 + (n as u16 & 0xff))
    }

    /// An accumulation register.
    pub const fn agpr(n: u32) -> Operand {
        Operand(512 + (n as u16 & 0xff))
    }

    /// Whether this is a vector or accumulation register: one value a lane.
    #[inline(always)]
    pub const fn is_vector(self) -> bool {
        self.0 >= 256 && self.0 < 768
    }

    /// Whether there is no operand.
    pub const fn is_none(self) -> bool {
        self.0 == Operand::NONE.0
    }

    /// Row of the wave's register file; any operand gives one inside the file.
    #[inline(always)]
    pub const fn row(self) -> usize {
        (self.0 as usize).wrapping_sub(256) & 511
    }

    /// Index into the scalar file, constants included; any operand gives one inside it.
    #[inline(always)]
    pub const fn scalar(self) -> usize {
        self.0 as usize & 255
    }

    /// The register `n` further.
    #[inline(always)]
    pub const fn plus(self, n: u16) -> Operand {
        Operand(self.0.wrapping_add(n))
    }

    /// Whether this is a constant: its value does not depend on the wave, only on the operand's type.
    #[inline(always)]
    pub const fn is_constant(self) -> bool {
        (self.0 >= 128 && self.0 <= 208) || (self.0 >= 240 && self.0 <= 248) || self.0 == 255
    }

    /// The value of a constant where a 64-bit operand is wanted. A literal is extended by the operand's type: the high
    /// half of a float, a signed integer, or bits with zeros above.
    pub const fn constant64(self, ty: Ty, literal: u32) -> u64 {
        match self.0 {
            128..=192 => (self.0 - 128) as u64,
            193..=208 => (192i64 - self.0 as i64) as u64,
            240..=248 => FLOATS64[self.0 as usize - 240],
            255 => match ty {
                Ty::F64 => (literal as u64) << 32,
                Ty::I64 => literal as i32 as i64 as u64,
                _ => literal as u64,
            },
            _ => 0,
        }
    }

    /// The value of a constant where a 32-bit operand is wanted.
    pub const fn constant32(self, literal: u32) -> u32 {
        match self.0 {
            240..=248 => FLOATS32[self.0 as usize - 240],
            255 => literal,
            _ => self.constant64(Ty::B64, 0) as u32,
        }
    }

    /// The value of a constant where a 16-bit operand is wanted.
    pub const fn constant16(self, literal: u32) -> u16 {
        match self.0 {
            240..=248 => FLOATS16[self.0 as usize - 240],
            255 => literal as u16,
            _ => self.constant64(Ty::B64, 0) as u16,
        }
    }
}

/// 0.5 -0.5 1 -1 2 -2 4 -4 1/(2π) as the hardware has them.
const FLOATS32: [u32; 9] = [
    0x3f00_0000,
    0xbf00_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x4000_0000,
    0xc000_0000,
    0x4080_0000,
    0xc080_0000,
    0x3e22_f983,
];
const FLOATS16: [u16; 9] = [0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118];
const FLOATS64: [u64; 9] = [
    0x3fe0_0000_0000_0000,
    0xbfe0_0000_0000_0000,
    0x3ff0_0000_0000_0000,
    0xbff0_0000_0000_0000,
    0x4000_0000_0000_0000,
    0xc000_0000_0000_0000,
    0x4010_0000_0000_0000,
    0xc010_0000_0000_0000,
    0x3fc4_5f30_6dc9_c882,
];
