//! Forks: both sides of a branch run one after the other, each with its lanes. Vega ISA, "Conditional forking and
//! joining". What is still to run lies in scalar registers, at four times the depth that `MODE.CSP` holds.

use super::simm;
use crate::{Flow, Group, Inst, Op, Operand, Traits, Ty, Wave};

/// Lanes of the mask `S0` go to the address `S1`, the others on: the smaller side first.
pub static S_CBRANCH_G_FORK: Op = Op {
    name: "s_cbranch_g_fork",
    dst: Ty::None,
    src: &[Ty::B64, Ty::B64],
    traits: Traits::JUMP,
    general: |w, _: &mut Group<'_>, i| {
        let target = w.scalar64(i.src[1], Ty::B64, i.literal) & !3;
        fork(w, i, target)
    },
    fast: None,
    fast_modified: None,
};

/// As [`S_CBRANCH_G_FORK`]; the address is `PC + 4 + 4 * simm16`.
pub static S_CBRANCH_I_FORK: Op = Op {
    name: "s_cbranch_i_fork",
    dst: Ty::None,
    src: &[Ty::B64],
    traits: Traits::BRANCH,
    general: |w, _: &mut Group<'_>, i| {
        let target = i.next_pc(w).wrapping_add_signed(i64::from(simm(i)) * 4);
        fork(w, i, target)
    },
    fast: None,
    fast_modified: None,
};

/// Where a fork ends; `S0` is the depth before it. The first to come here goes back for the other side; the
/// second goes on, with its lanes alone.
pub static S_CBRANCH_JOIN: Op = Op {
    name: "s_cbranch_join",
    dst: Ty::None,
    src: &[Ty::B32],
    traits: Traits::JUMP,
    general: |w, _: &mut Group<'_>, i| {
        let depth = w.mode.fork_depth();
        if w.scalar32(i.src[0], i.literal) == depth {
            return Flow::Next;
        }
        let depth = depth.wrapping_sub(1) & 7;
        w.mode = w.mode.with_fork_depth(depth);
        let slot = Operand::sgpr(4 * depth);
        w.set_exec(w.pair(slot));
        w.pc = w.pair(slot.plus(2));
        Flow::Jump
    },
    fast: None,
    fast_modified: None,
};

fn fork(w: &mut Wave, i: &Inst, target: u64) -> Flow {
    let (exec, mask) = (w.exec(), w.scalar64(i.src[0], Ty::B64, i.literal));
    let (pass, fail) = (mask & exec, !mask & exec);
    let next = i.next_pc(w);
    if pass == exec {
        w.pc = target;
    } else if fail == exec {
        w.pc = next;
    } else {
        let fails_first = fail.count_ones() < pass.count_ones();
        let (now, later) =
            if fails_first { ((next, fail), (target, pass)) } else { ((target, pass), (next, fail)) };
        let depth = w.mode.fork_depth();
        let slot = Operand::sgpr(4 * depth);
        w.set_pair(slot, later.1);
        w.set_pair(slot.plus(2), later.0);
        w.mode = w.mode.with_fork_depth(depth + 1);
        w.pc = now.0;
        w.set_exec(now.1);
    }
    Flow::Jump
}
