//! Global memory: loads and stores at 64-bit addresses.

use crate::{Flow, Group, Inst, Op, Traits, Trap, TrapKind, Ty, Wave};

/// Loads a dword a lane.
pub static GLOBAL_LOAD_DWORD: Op = Op {
    name: "global_load_dword",
    dst: Ty::B32,
    src: &[],
    traits: Traits::NONE,
    general: load_dword,
    fast: None,
    fast_modified: None,
};

/// The address of lane `l`: a register pair, or a scalar base with a 32-bit register offset; plus the immediate.
fn address(w: &Wave, i: &Inst, l: usize) -> u64 {
    let lo = u64::from(w.v[i.mem.addr.row()].0[l]);
    let base = if i.mem.saddr.is_none() {
        lo | u64::from(w.v[i.mem.addr.plus(1).row()].0[l]) << 32
    } else {
        w.pair(i.mem.saddr).wrapping_add(lo)
    };
    base.wrapping_add_signed(i64::from(i.mem.offset))
}

fn load_dword(w: &mut Wave, g: &mut Group<'_>, i: &Inst) -> Flow {
    let exec = w.exec();
    for l in (0..64).filter(|l| exec >> l & 1 != 0) {
        match g.mem.load::<u32>(address(w, i, l)) {
            Ok(x) => w.v[i.dst.row()].0[l] = x,
            Err(f) => {
                let kind = TrapKind::MemoryFault { va: f.va, access: f.access };
                return w.stop(Trap { kind, pc: i.pc(w), lane: Some(l as u8) });
            }
        }
    }
    Flow::Next
}
