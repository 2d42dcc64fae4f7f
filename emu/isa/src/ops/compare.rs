//! Compares: a condition of each lane, as a mask.

use crate::compare_ops;

compare_ops! {
    /// `D = S0 < S1`.
    V_CMP_LT_F32 "v_cmp_lt_f32": Mask <- (a: F32, b: F32) = a < b;
}
