//! Scalar moves: plain, conditional, by `M0`. Vega ISA, "Scalar moves".

use super::simm;
use crate::{Operand, scalar_ops};

scalar_ops! {
    /// `D = S0`.
    S_MOV_B32 "s_mov_b32": B32 <- (a: B32) = a;
    /// `D = S0`.
    S_MOV_B64 "s_mov_b64": B64 <- (a: B64) = a;
    /// `if SCC { D = S0 }`.
    S_CMOV_B32 "s_cmov_b32": B32 <- |w, i| (a: B32) = if w.scc { a } else { w.scalar32(i.dst, 0) };
    /// `if SCC { D = S0 }`.
    S_CMOV_B64 "s_cmov_b64": B64 <- |w, i| (a: B64) = if w.scc { a } else { w.pair(i.dst) };
    /// `D = if SCC { S0 } else { S1 }`.
    S_CSELECT_B32 "s_cselect_b32": B32 <- |w, _i| (a: B32, b: B32) = if w.scc { a } else { b };
    /// `D = if SCC { S0 } else { S1 }`.
    S_CSELECT_B64 "s_cselect_b64": B64 <- |w, _i| (a: B64, b: B64) = if w.scc { a } else { b };
    /// `D = simm16`, sign-extended.
    S_MOVK_I32 "s_movk_i32": I32 <- |_w, i| () = simm(i);
    /// `if SCC { D = simm16 }`.
    S_CMOVK_I32 "s_cmovk_i32": I32 <- |w, i| (a: I32) = if w.scc { simm(i) } else { a };
    /// `D = SGPR[S0 + M0]`.
    S_MOVRELS_B32 "s_movrels_b32": B32 <- |w, i| (_a: B32) = w.s[indexed(i.src[0], w.m0()).scalar()];
    /// `D = SGPR[S0 + M0]`, a pair.
    S_MOVRELS_B64 "s_movrels_b64": B64 <- |w, i| (_a: B64) = w.pair(indexed(i.src[0], w.m0()));
}

/// `SGPR[D + M0] = S0`.
pub static S_MOVRELD_B32: crate::Op = crate::Op {
    name: "s_movreld_b32",
    dst: crate::Ty::B32,
    src: &[crate::Ty::B32],
    traits: crate::Traits::NONE,
    general: |w, _, i| {
        let x = w.scalar32(i.src[0], i.literal);
        w.set_scalar(indexed(i.dst, w.m0()), x);
        crate::Flow::Next
    },
    fast: None,
    fast_modified: None,
};

/// `SGPR[D + M0] = S0`, a pair.
pub static S_MOVRELD_B64: crate::Op = crate::Op {
    name: "s_movreld_b64",
    dst: crate::Ty::B64,
    src: &[crate::Ty::B64],
    traits: crate::Traits::NONE,
    general: |w, _, i| {
        let (lo, hi) = super::source::<crate::lanes::B64>(w, i, 0);
        w.set_pair(indexed(i.dst, w.m0()), u64::from(lo) | u64::from(hi) << 32);
        crate::Flow::Next
    },
    fast: None,
    fast_modified: None,
};

/// The register `index` behind `o`; beyond the scalar registers a constant zero, which reads as such and drops writes.
fn indexed(o: Operand, index: u32) -> Operand {
    match u32::from(o.0).checked_add(index) {
        Some(n @ 0..=127) => Operand::sgpr(n),
        _ => Operand::ZERO,
    }
}
