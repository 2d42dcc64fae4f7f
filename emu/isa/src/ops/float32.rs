//! 32-bit float arithmetic. The notation: result type, sources with types, value of one lane.

use crate::lane_ops;

lane_ops! {
    /// `D = S0 + S1`.
    V_ADD_F32 "v_add_f32": F32 <- (a: F32, b: F32) = a + b;
    /// `D = S0 * S1 + S2`, rounded once.
    V_FMA_F32 "v_fma_f32": F32 <- (a: F32, b: F32, c: F32) = a.mul_add(b, c);
    /// `D = S0 * S1 + D`, rounded once.
    V_FMAC_F32 "v_fmac_f32" [TIED]: F32 <- (a: F32, b: F32, c: F32) = a.mul_add(b, c);
}
