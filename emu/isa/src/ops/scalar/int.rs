//! Scalar integer arithmetic. The notation: result type, sources with types, value; `[scc]` adds the condition code.

use crate::scalar_ops;

scalar_ops! {
    /// `D = S0 + S1`, `SCC` = unsigned carry out.
    S_ADD_U32 "s_add_u32": U32 <- (a: U32, b: U32) [scc] = a.overflowing_add(b);
    /// `D = S0`.
    S_MOV_B32 "s_mov_b32": B32 <- (a: B32) = a;
}
