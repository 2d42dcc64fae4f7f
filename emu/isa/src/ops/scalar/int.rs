//! Scalar integer arithmetic. Vega ISA, "Integer arithmetic instructions".

use super::simm;
use crate::scalar_ops;

scalar_ops! {
    /// `D = S0 + S1`, `SCC` = unsigned carry out.
    S_ADD_U32 "s_add_u32": U32 <- (a: U32, b: U32) [scc] = a.overflowing_add(b);
    /// `D = S0 - S1`, `SCC` = borrow.
    S_SUB_U32 "s_sub_u32": U32 <- (a: U32, b: U32) [scc] = a.overflowing_sub(b);
    /// `D = S0 + S1`, `SCC` = signed overflow.
    S_ADD_I32 "s_add_i32": I32 <- (a: I32, b: I32) [scc] = a.overflowing_add(b);
    /// `D = S0 - S1`, `SCC` = signed overflow.
    S_SUB_I32 "s_sub_i32": I32 <- (a: I32, b: I32) [scc] = a.overflowing_sub(b);
    /// `D = S0 + S1 + SCC`, `SCC` = carry out.
    S_ADDC_U32 "s_addc_u32": U32 <- |w, _i| (a: U32, b: U32) [scc] = {
        let sum = u64::from(a) + u64::from(b) + u64::from(w.scc);
        (sum as u32, sum >> 32 != 0)
    };
    /// `D = S0 - S1 - SCC`, `SCC` = borrow.
    S_SUBB_U32 "s_subb_u32": U32 <- |w, _i| (a: U32, b: U32) [scc] = {
        let less = u64::from(b) + u64::from(w.scc);
        (a.wrapping_sub(less as u32), less > u64::from(a))
    };
    /// The lesser; `SCC` = it is `S0`.
    S_MIN_I32 "s_min_i32": I32 <- (a: I32, b: I32) [scc] = (a.min(b), a < b);
    /// The lesser; `SCC` = it is `S0`.
    S_MIN_U32 "s_min_u32": U32 <- (a: U32, b: U32) [scc] = (a.min(b), a < b);
    /// The greater; `SCC` = it is `S0`.
    S_MAX_I32 "s_max_i32": I32 <- (a: I32, b: I32) [scc] = (a.max(b), a >= b);
    /// The greater; `SCC` = it is `S0`.
    S_MAX_U32 "s_max_u32": U32 <- (a: U32, b: U32) [scc] = (a.max(b), a >= b);
    /// `D = S0 * S1`, low half.
    S_MUL_I32 "s_mul_i32": I32 <- (a: I32, b: I32) = a.wrapping_mul(b);
    /// High half of the unsigned product.
    S_MUL_HI_U32 "s_mul_hi_u32": U32 <- (a: U32, b: U32) = ((u64::from(a) * u64::from(b)) >> 32) as u32;
    /// High half of the signed product.
    S_MUL_HI_I32 "s_mul_hi_i32": I32 <- (a: I32, b: I32) = ((i64::from(a) * i64::from(b)) >> 32) as i32;
    /// `D = |S0 - S1|`, the difference wrapping; `SCC` = not zero.
    S_ABSDIFF_I32 "s_absdiff_i32": I32 <- (a: I32, b: I32) [scc] = {
        let d = a.wrapping_sub(b).wrapping_abs();
        (d, d != 0)
    };
    /// `D = |S0|`, `SCC` = not zero.
    S_ABS_I32 "s_abs_i32": I32 <- (a: I32) [scc] = (a.wrapping_abs(), a != 0);
    /// `D = (S0 << 1) + S1`, `SCC` = unsigned overflow.
    S_LSHL1_ADD_U32 "s_lshl1_add_u32": U32 <- (a: U32, b: U32) [scc] = shift_add(a, 1, b);
    /// `D = (S0 << 2) + S1`, `SCC` = unsigned overflow.
    S_LSHL2_ADD_U32 "s_lshl2_add_u32": U32 <- (a: U32, b: U32) [scc] = shift_add(a, 2, b);
    /// `D = (S0 << 3) + S1`, `SCC` = unsigned overflow.
    S_LSHL3_ADD_U32 "s_lshl3_add_u32": U32 <- (a: U32, b: U32) [scc] = shift_add(a, 3, b);
    /// `D = (S0 << 4) + S1`, `SCC` = unsigned overflow.
    S_LSHL4_ADD_U32 "s_lshl4_add_u32": U32 <- (a: U32, b: U32) [scc] = shift_add(a, 4, b);
    /// The low byte, sign-extended.
    S_SEXT_I32_I8 "s_sext_i32_i8": I32 <- (a: I32) = i32::from(a as i8);
    /// The low half, sign-extended.
    S_SEXT_I32_I16 "s_sext_i32_i16": I32 <- (a: I32) = i32::from(a as i16);
    /// `D = D + simm16`, `SCC` = signed overflow.
    S_ADDK_I32 "s_addk_i32": I32 <- |_w, i| (a: I32) [scc] = a.overflowing_add(simm(i));
    /// `D = D * simm16`.
    S_MULK_I32 "s_mulk_i32": I32 <- |_w, i| (a: I32) = a.wrapping_mul(simm(i));
}

fn shift_add(a: u32, shift: u32, b: u32) -> (u32, bool) {
    let sum = (u64::from(a) << shift) + u64::from(b);
    (sum as u32, sum >> 32 != 0)
}
