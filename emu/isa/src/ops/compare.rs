//! Compares: a condition of each lane, as a mask; the `v_cmpx` forms set `EXEC` to it as well.
//!
//! Vega ISA, "VOPC". For floats the relations that begin with `n` are the negations, true for NaN: `nlt` is `!(a < b)`;
//! `lg` is less or greater, `o` ordered, `u` unordered.

use crate::compare_ops;

#[rustfmt::skip]
#[allow(clippy::neg_cmp_op_on_partial_ord, reason = "the negations are meant: they hold for NaN")]
#[allow(clippy::double_comparisons, reason = "less or greater is not the same as not equal")]
mod half {
    use super::compare_ops;

compare_ops! {
    /// Never.
    V_CMP_F_F16 / V_CMPX_F_F16 "v_cmp_f_f16" / "v_cmpx_f_f16": Mask <- (a: F16, b: F16) = { let _ = (a, b); false };
    /// `D = S0 < S1`.
    V_CMP_LT_F16 / V_CMPX_LT_F16 "v_cmp_lt_f16" / "v_cmpx_lt_f16": Mask <- (a: F16, b: F16) = a < b;
    /// `D = S0 == S1`.
    V_CMP_EQ_F16 / V_CMPX_EQ_F16 "v_cmp_eq_f16" / "v_cmpx_eq_f16": Mask <- (a: F16, b: F16) = a == b;
    /// `D = S0 <= S1`.
    V_CMP_LE_F16 / V_CMPX_LE_F16 "v_cmp_le_f16" / "v_cmpx_le_f16": Mask <- (a: F16, b: F16) = a <= b;
    /// `D = S0 > S1`.
    V_CMP_GT_F16 / V_CMPX_GT_F16 "v_cmp_gt_f16" / "v_cmpx_gt_f16": Mask <- (a: F16, b: F16) = a > b;
    /// `D = S0 < S1 or S0 > S1`.
    V_CMP_LG_F16 / V_CMPX_LG_F16 "v_cmp_lg_f16" / "v_cmpx_lg_f16": Mask <- (a: F16, b: F16) = a < b || a > b;
    /// `D = S0 >= S1`.
    V_CMP_GE_F16 / V_CMPX_GE_F16 "v_cmp_ge_f16" / "v_cmpx_ge_f16": Mask <- (a: F16, b: F16) = a >= b;
    /// Neither is NaN.
    V_CMP_O_F16 / V_CMPX_O_F16 "v_cmp_o_f16" / "v_cmpx_o_f16": Mask <- (a: F16, b: F16) = !a.is_nan() && !b.is_nan();
    /// One is NaN.
    V_CMP_U_F16 / V_CMPX_U_F16 "v_cmp_u_f16" / "v_cmpx_u_f16": Mask <- (a: F16, b: F16) = a.is_nan() || b.is_nan();
    /// `D = !(S0 >= S1)`.
    V_CMP_NGE_F16 / V_CMPX_NGE_F16 "v_cmp_nge_f16" / "v_cmpx_nge_f16": Mask <- (a: F16, b: F16) = !(a >= b);
    /// `D = !(S0 < S1 or S0 > S1)`.
    V_CMP_NLG_F16 / V_CMPX_NLG_F16 "v_cmp_nlg_f16" / "v_cmpx_nlg_f16": Mask <- (a: F16, b: F16) = !(a < b || a > b);
    /// `D = !(S0 > S1)`.
    V_CMP_NGT_F16 / V_CMPX_NGT_F16 "v_cmp_ngt_f16" / "v_cmpx_ngt_f16": Mask <- (a: F16, b: F16) = !(a > b);
    /// `D = !(S0 <= S1)`.
    V_CMP_NLE_F16 / V_CMPX_NLE_F16 "v_cmp_nle_f16" / "v_cmpx_nle_f16": Mask <- (a: F16, b: F16) = !(a <= b);
    /// `D = !(S0 == S1)`.
    V_CMP_NEQ_F16 / V_CMPX_NEQ_F16 "v_cmp_neq_f16" / "v_cmpx_neq_f16": Mask <- (a: F16, b: F16) = a != b;
    /// `D = !(S0 < S1)`.
    V_CMP_NLT_F16 / V_CMPX_NLT_F16 "v_cmp_nlt_f16" / "v_cmpx_nlt_f16": Mask <- (a: F16, b: F16) = !(a < b);
    /// Always.
    V_CMP_TRU_F16 / V_CMPX_TRU_F16 "v_cmp_tru_f16" / "v_cmpx_tru_f16": Mask <- (a: F16, b: F16) = { let _ = (a, b); true };
}
}
pub use half::*;

#[rustfmt::skip]
#[allow(clippy::neg_cmp_op_on_partial_ord, reason = "the negations are meant: they hold for NaN")]
#[allow(clippy::double_comparisons, reason = "less or greater is not the same as not equal")]
mod single {
    use super::compare_ops;

compare_ops! {
    /// Never.
    V_CMP_F_F32 / V_CMPX_F_F32 "v_cmp_f_f32" / "v_cmpx_f_f32": Mask <- (a: F32, b: F32) = { let _ = (a, b); false };
    /// `D = S0 < S1`.
    V_CMP_LT_F32 / V_CMPX_LT_F32 "v_cmp_lt_f32" / "v_cmpx_lt_f32": Mask <- (a: F32, b: F32) = a < b;
    /// `D = S0 == S1`.
    V_CMP_EQ_F32 / V_CMPX_EQ_F32 "v_cmp_eq_f32" / "v_cmpx_eq_f32": Mask <- (a: F32, b: F32) = a == b;
    /// `D = S0 <= S1`.
    V_CMP_LE_F32 / V_CMPX_LE_F32 "v_cmp_le_f32" / "v_cmpx_le_f32": Mask <- (a: F32, b: F32) = a <= b;
    /// `D = S0 > S1`.
    V_CMP_GT_F32 / V_CMPX_GT_F32 "v_cmp_gt_f32" / "v_cmpx_gt_f32": Mask <- (a: F32, b: F32) = a > b;
    /// `D = S0 < S1 or S0 > S1`.
    V_CMP_LG_F32 / V_CMPX_LG_F32 "v_cmp_lg_f32" / "v_cmpx_lg_f32": Mask <- (a: F32, b: F32) = a < b || a > b;
    /// `D = S0 >= S1`.
    V_CMP_GE_F32 / V_CMPX_GE_F32 "v_cmp_ge_f32" / "v_cmpx_ge_f32": Mask <- (a: F32, b: F32) = a >= b;
    /// Neither is NaN.
    V_CMP_O_F32 / V_CMPX_O_F32 "v_cmp_o_f32" / "v_cmpx_o_f32": Mask <- (a: F32, b: F32) = !a.is_nan() && !b.is_nan();
    /// One is NaN.
    V_CMP_U_F32 / V_CMPX_U_F32 "v_cmp_u_f32" / "v_cmpx_u_f32": Mask <- (a: F32, b: F32) = a.is_nan() || b.is_nan();
    /// `D = !(S0 >= S1)`.
    V_CMP_NGE_F32 / V_CMPX_NGE_F32 "v_cmp_nge_f32" / "v_cmpx_nge_f32": Mask <- (a: F32, b: F32) = !(a >= b);
    /// `D = !(S0 < S1 or S0 > S1)`.
    V_CMP_NLG_F32 / V_CMPX_NLG_F32 "v_cmp_nlg_f32" / "v_cmpx_nlg_f32": Mask <- (a: F32, b: F32) = !(a < b || a > b);
    /// `D = !(S0 > S1)`.
    V_CMP_NGT_F32 / V_CMPX_NGT_F32 "v_cmp_ngt_f32" / "v_cmpx_ngt_f32": Mask <- (a: F32, b: F32) = !(a > b);
    /// `D = !(S0 <= S1)`.
    V_CMP_NLE_F32 / V_CMPX_NLE_F32 "v_cmp_nle_f32" / "v_cmpx_nle_f32": Mask <- (a: F32, b: F32) = !(a <= b);
    /// `D = !(S0 == S1)`.
    V_CMP_NEQ_F32 / V_CMPX_NEQ_F32 "v_cmp_neq_f32" / "v_cmpx_neq_f32": Mask <- (a: F32, b: F32) = a != b;
    /// `D = !(S0 < S1)`.
    V_CMP_NLT_F32 / V_CMPX_NLT_F32 "v_cmp_nlt_f32" / "v_cmpx_nlt_f32": Mask <- (a: F32, b: F32) = !(a < b);
    /// Always.
    V_CMP_TRU_F32 / V_CMPX_TRU_F32 "v_cmp_tru_f32" / "v_cmpx_tru_f32": Mask <- (a: F32, b: F32) = { let _ = (a, b); true };
}
}
pub use single::*;

#[rustfmt::skip]
#[allow(clippy::neg_cmp_op_on_partial_ord, reason = "the negations are meant: they hold for NaN")]
#[allow(clippy::double_comparisons, reason = "less or greater is not the same as not equal")]
mod double {
    use super::compare_ops;

compare_ops! {
    /// Never.
    V_CMP_F_F64 / V_CMPX_F_F64 "v_cmp_f_f64" / "v_cmpx_f_f64": Mask <- (a: F64, b: F64) = { let _ = (a, b); false };
    /// `D = S0 < S1`.
    V_CMP_LT_F64 / V_CMPX_LT_F64 "v_cmp_lt_f64" / "v_cmpx_lt_f64": Mask <- (a: F64, b: F64) = a < b;
    /// `D = S0 == S1`.
    V_CMP_EQ_F64 / V_CMPX_EQ_F64 "v_cmp_eq_f64" / "v_cmpx_eq_f64": Mask <- (a: F64, b: F64) = a == b;
    /// `D = S0 <= S1`.
    V_CMP_LE_F64 / V_CMPX_LE_F64 "v_cmp_le_f64" / "v_cmpx_le_f64": Mask <- (a: F64, b: F64) = a <= b;
    /// `D = S0 > S1`.
    V_CMP_GT_F64 / V_CMPX_GT_F64 "v_cmp_gt_f64" / "v_cmpx_gt_f64": Mask <- (a: F64, b: F64) = a > b;
    /// `D = S0 < S1 or S0 > S1`.
    V_CMP_LG_F64 / V_CMPX_LG_F64 "v_cmp_lg_f64" / "v_cmpx_lg_f64": Mask <- (a: F64, b: F64) = a < b || a > b;
    /// `D = S0 >= S1`.
    V_CMP_GE_F64 / V_CMPX_GE_F64 "v_cmp_ge_f64" / "v_cmpx_ge_f64": Mask <- (a: F64, b: F64) = a >= b;
    /// Neither is NaN.
    V_CMP_O_F64 / V_CMPX_O_F64 "v_cmp_o_f64" / "v_cmpx_o_f64": Mask <- (a: F64, b: F64) = !a.is_nan() && !b.is_nan();
    /// One is NaN.
    V_CMP_U_F64 / V_CMPX_U_F64 "v_cmp_u_f64" / "v_cmpx_u_f64": Mask <- (a: F64, b: F64) = a.is_nan() || b.is_nan();
    /// `D = !(S0 >= S1)`.
    V_CMP_NGE_F64 / V_CMPX_NGE_F64 "v_cmp_nge_f64" / "v_cmpx_nge_f64": Mask <- (a: F64, b: F64) = !(a >= b);
    /// `D = !(S0 < S1 or S0 > S1)`.
    V_CMP_NLG_F64 / V_CMPX_NLG_F64 "v_cmp_nlg_f64" / "v_cmpx_nlg_f64": Mask <- (a: F64, b: F64) = !(a < b || a > b);
    /// `D = !(S0 > S1)`.
    V_CMP_NGT_F64 / V_CMPX_NGT_F64 "v_cmp_ngt_f64" / "v_cmpx_ngt_f64": Mask <- (a: F64, b: F64) = !(a > b);
    /// `D = !(S0 <= S1)`.
    V_CMP_NLE_F64 / V_CMPX_NLE_F64 "v_cmp_nle_f64" / "v_cmpx_nle_f64": Mask <- (a: F64, b: F64) = !(a <= b);
    /// `D = !(S0 == S1)`.
    V_CMP_NEQ_F64 / V_CMPX_NEQ_F64 "v_cmp_neq_f64" / "v_cmpx_neq_f64": Mask <- (a: F64, b: F64) = a != b;
    /// `D = !(S0 < S1)`.
    V_CMP_NLT_F64 / V_CMPX_NLT_F64 "v_cmp_nlt_f64" / "v_cmpx_nlt_f64": Mask <- (a: F64, b: F64) = !(a < b);
    /// Always.
    V_CMP_TRU_F64 / V_CMPX_TRU_F64 "v_cmp_tru_f64" / "v_cmpx_tru_f64": Mask <- (a: F64, b: F64) = { let _ = (a, b); true };
}
}
pub use double::*;

#[rustfmt::skip]
compare_ops! {
    /// Never.
    V_CMP_F_I16 / V_CMPX_F_I16 "v_cmp_f_i16" / "v_cmpx_f_i16": Mask <- (a: I16, b: I16) = { let _ = (a, b); false };
    /// `D = S0 < S1`.
    V_CMP_LT_I16 / V_CMPX_LT_I16 "v_cmp_lt_i16" / "v_cmpx_lt_i16": Mask <- (a: I16, b: I16) = a < b;
    /// `D = S0 == S1`.
    V_CMP_EQ_I16 / V_CMPX_EQ_I16 "v_cmp_eq_i16" / "v_cmpx_eq_i16": Mask <- (a: I16, b: I16) = a == b;
    /// `D = S0 <= S1`.
    V_CMP_LE_I16 / V_CMPX_LE_I16 "v_cmp_le_i16" / "v_cmpx_le_i16": Mask <- (a: I16, b: I16) = a <= b;
    /// `D = S0 > S1`.
    V_CMP_GT_I16 / V_CMPX_GT_I16 "v_cmp_gt_i16" / "v_cmpx_gt_i16": Mask <- (a: I16, b: I16) = a > b;
    /// `D = S0 != S1`.
    V_CMP_NE_I16 / V_CMPX_NE_I16 "v_cmp_ne_i16" / "v_cmpx_ne_i16": Mask <- (a: I16, b: I16) = a != b;
    /// `D = S0 >= S1`.
    V_CMP_GE_I16 / V_CMPX_GE_I16 "v_cmp_ge_i16" / "v_cmpx_ge_i16": Mask <- (a: I16, b: I16) = a >= b;
    /// Always.
    V_CMP_T_I16 / V_CMPX_T_I16 "v_cmp_t_i16" / "v_cmpx_t_i16": Mask <- (a: I16, b: I16) = { let _ = (a, b); true };
    /// Never.
    V_CMP_F_U16 / V_CMPX_F_U16 "v_cmp_f_u16" / "v_cmpx_f_u16": Mask <- (a: U16, b: U16) = { let _ = (a, b); false };
    /// `D = S0 < S1`.
    V_CMP_LT_U16 / V_CMPX_LT_U16 "v_cmp_lt_u16" / "v_cmpx_lt_u16": Mask <- (a: U16, b: U16) = a < b;
    /// `D = S0 == S1`.
    V_CMP_EQ_U16 / V_CMPX_EQ_U16 "v_cmp_eq_u16" / "v_cmpx_eq_u16": Mask <- (a: U16, b: U16) = a == b;
    /// `D = S0 <= S1`.
    V_CMP_LE_U16 / V_CMPX_LE_U16 "v_cmp_le_u16" / "v_cmpx_le_u16": Mask <- (a: U16, b: U16) = a <= b;
    /// `D = S0 > S1`.
    V_CMP_GT_U16 / V_CMPX_GT_U16 "v_cmp_gt_u16" / "v_cmpx_gt_u16": Mask <- (a: U16, b: U16) = a > b;
    /// `D = S0 != S1`.
    V_CMP_NE_U16 / V_CMPX_NE_U16 "v_cmp_ne_u16" / "v_cmpx_ne_u16": Mask <- (a: U16, b: U16) = a != b;
    /// `D = S0 >= S1`.
    V_CMP_GE_U16 / V_CMPX_GE_U16 "v_cmp_ge_u16" / "v_cmpx_ge_u16": Mask <- (a: U16, b: U16) = a >= b;
    /// Always.
    V_CMP_T_U16 / V_CMPX_T_U16 "v_cmp_t_u16" / "v_cmpx_t_u16": Mask <- (a: U16, b: U16) = { let _ = (a, b); true };
    /// Never.
    V_CMP_F_I32 / V_CMPX_F_I32 "v_cmp_f_i32" / "v_cmpx_f_i32": Mask <- (a: I32, b: I32) = { let _ = (a, b); false };
    /// `D = S0 < S1`.
    V_CMP_LT_I32 / V_CMPX_LT_I32 "v_cmp_lt_i32" / "v_cmpx_lt_i32": Mask <- (a: I32, b: I32) = a < b;
    /// `D = S0 == S1`.
    V_CMP_EQ_I32 / V_CMPX_EQ_I32 "v_cmp_eq_i32" / "v_cmpx_eq_i32": Mask <- (a: I32, b: I32) = a == b;
    /// `D = S0 <= S1`.
    V_CMP_LE_I32 / V_CMPX_LE_I32 "v_cmp_le_i32" / "v_cmpx_le_i32": Mask <- (a: I32, b: I32) = a <= b;
    /// `D = S0 > S1`.
    V_CMP_GT_I32 / V_CMPX_GT_I32 "v_cmp_gt_i32" / "v_cmpx_gt_i32": Mask <- (a: I32, b: I32) = a > b;
    /// `D = S0 != S1`.
    V_CMP_NE_I32 / V_CMPX_NE_I32 "v_cmp_ne_i32" / "v_cmpx_ne_i32": Mask <- (a: I32, b: I32) = a != b;
    /// `D = S0 >= S1`.
    V_CMP_GE_I32 / V_CMPX_GE_I32 "v_cmp_ge_i32" / "v_cmpx_ge_i32": Mask <- (a: I32, b: I32) = a >= b;
    /// Always.
    V_CMP_T_I32 / V_CMPX_T_I32 "v_cmp_t_i32" / "v_cmpx_t_i32": Mask <- (a: I32, b: I32) = { let _ = (a, b); true };
    /// Never.
    V_CMP_F_U32 / V_CMPX_F_U32 "v_cmp_f_u32" / "v_cmpx_f_u32": Mask <- (a: U32, b: U32) = { let _ = (a, b); false };
    /// `D = S0 < S1`.
    V_CMP_LT_U32 / V_CMPX_LT_U32 "v_cmp_lt_u32" / "v_cmpx_lt_u32": Mask <- (a: U32, b: U32) = a < b;
    /// `D = S0 == S1`.
    V_CMP_EQ_U32 / V_CMPX_EQ_U32 "v_cmp_eq_u32" / "v_cmpx_eq_u32": Mask <- (a: U32, b: U32) = a == b;
    /// `D = S0 <= S1`.
    V_CMP_LE_U32 / V_CMPX_LE_U32 "v_cmp_le_u32" / "v_cmpx_le_u32": Mask <- (a: U32, b: U32) = a <= b;
    /// `D = S0 > S1`.
    V_CMP_GT_U32 / V_CMPX_GT_U32 "v_cmp_gt_u32" / "v_cmpx_gt_u32": Mask <- (a: U32, b: U32) = a > b;
    /// `D = S0 != S1`.
    V_CMP_NE_U32 / V_CMPX_NE_U32 "v_cmp_ne_u32" / "v_cmpx_ne_u32": Mask <- (a: U32, b: U32) = a != b;
    /// `D = S0 >= S1`.
    V_CMP_GE_U32 / V_CMPX_GE_U32 "v_cmp_ge_u32" / "v_cmpx_ge_u32": Mask <- (a: U32, b: U32) = a >= b;
    /// Always.
    V_CMP_T_U32 / V_CMPX_T_U32 "v_cmp_t_u32" / "v_cmpx_t_u32": Mask <- (a: U32, b: U32) = { let _ = (a, b); true };
    /// Never.
    V_CMP_F_I64 / V_CMPX_F_I64 "v_cmp_f_i64" / "v_cmpx_f_i64": Mask <- (a: I64, b: I64) = { let _ = (a, b); false };
    /// `D = S0 < S1`.
    V_CMP_LT_I64 / V_CMPX_LT_I64 "v_cmp_lt_i64" / "v_cmpx_lt_i64": Mask <- (a: I64, b: I64) = a < b;
    /// `D = S0 == S1`.
    V_CMP_EQ_I64 / V_CMPX_EQ_I64 "v_cmp_eq_i64" / "v_cmpx_eq_i64": Mask <- (a: I64, b: I64) = a == b;
    /// `D = S0 <= S1`.
    V_CMP_LE_I64 / V_CMPX_LE_I64 "v_cmp_le_i64" / "v_cmpx_le_i64": Mask <- (a: I64, b: I64) = a <= b;
    /// `D = S0 > S1`.
    V_CMP_GT_I64 / V_CMPX_GT_I64 "v_cmp_gt_i64" / "v_cmpx_gt_i64": Mask <- (a: I64, b: I64) = a > b;
    /// `D = S0 != S1`.
    V_CMP_NE_I64 / V_CMPX_NE_I64 "v_cmp_ne_i64" / "v_cmpx_ne_i64": Mask <- (a: I64, b: I64) = a != b;
    /// `D = S0 >= S1`.
    V_CMP_GE_I64 / V_CMPX_GE_I64 "v_cmp_ge_i64" / "v_cmpx_ge_i64": Mask <- (a: I64, b: I64) = a >= b;
    /// Always.
    V_CMP_T_I64 / V_CMPX_T_I64 "v_cmp_t_i64" / "v_cmpx_t_i64": Mask <- (a: I64, b: I64) = { let _ = (a, b); true };
    /// Never.
    V_CMP_F_U64 / V_CMPX_F_U64 "v_cmp_f_u64" / "v_cmpx_f_u64": Mask <- (a: U64, b: U64) = { let _ = (a, b); false };
    /// `D = S0 < S1`.
    V_CMP_LT_U64 / V_CMPX_LT_U64 "v_cmp_lt_u64" / "v_cmpx_lt_u64": Mask <- (a: U64, b: U64) = a < b;
    /// `D = S0 == S1`.
    V_CMP_EQ_U64 / V_CMPX_EQ_U64 "v_cmp_eq_u64" / "v_cmpx_eq_u64": Mask <- (a: U64, b: U64) = a == b;
    /// `D = S0 <= S1`.
    V_CMP_LE_U64 / V_CMPX_LE_U64 "v_cmp_le_u64" / "v_cmpx_le_u64": Mask <- (a: U64, b: U64) = a <= b;
    /// `D = S0 > S1`.
    V_CMP_GT_U64 / V_CMPX_GT_U64 "v_cmp_gt_u64" / "v_cmpx_gt_u64": Mask <- (a: U64, b: U64) = a > b;
    /// `D = S0 != S1`.
    V_CMP_NE_U64 / V_CMPX_NE_U64 "v_cmp_ne_u64" / "v_cmpx_ne_u64": Mask <- (a: U64, b: U64) = a != b;
    /// `D = S0 >= S1`.
    V_CMP_GE_U64 / V_CMPX_GE_U64 "v_cmp_ge_u64" / "v_cmpx_ge_u64": Mask <- (a: U64, b: U64) = a >= b;
    /// Always.
    V_CMP_T_U64 / V_CMPX_T_U64 "v_cmp_t_u64" / "v_cmpx_t_u64": Mask <- (a: U64, b: U64) = { let _ = (a, b); true };
}

// Which of ten classes the value is in; `S1` has a bit for each: signalling and quiet NaN, then -infinity, -normal,
// -denormal, -0, +0, +denormal, +normal, +infinity.
compare_ops! {
    /// The class of a 32-bit float is among those of `S1`.
    V_CMP_CLASS_F32 / V_CMPX_CLASS_F32 "v_cmp_class_f32" / "v_cmpx_class_f32": Mask <- (a: F32, set: U32) =
        class(a.is_nan(), a.to_bits() & 0x0040_0000 != 0, a.is_sign_negative(), a.is_infinite(), a.is_subnormal(), a == 0.0) & set != 0;
    /// The class of a 64-bit float is among those of `S1`.
    V_CMP_CLASS_F64 / V_CMPX_CLASS_F64 "v_cmp_class_f64" / "v_cmpx_class_f64": Mask <- (a: F64, set: U32) =
        class(a.is_nan(), a.to_bits() & 1 << 51 != 0, a.is_sign_negative(), a.is_infinite(), a.is_subnormal(), a == 0.0) & set != 0;
    /// The class of a 16-bit float is among those of `S1`.
    V_CMP_CLASS_F16 / V_CMPX_CLASS_F16 "v_cmp_class_f16" / "v_cmpx_class_f16": Mask <- (a: F16, set: U32) =
        class(a.is_nan(), a.to_bits() & 0x0040_0000 != 0, a.is_sign_negative(), a.is_infinite(), a.abs() < 6.103_515_6e-5, a == 0.0) & set != 0;
}

/// The bit of a value's class.
#[inline(always)]
fn class(nan: bool, quiet: bool, negative: bool, infinite: bool, denormal: bool, zero: bool) -> u32 {
    let magnitude = if infinite {
        0
    } else if zero {
        3
    } else if denormal {
        2
    } else {
        1
    };
    let number = if negative { 2 + magnitude } else { 9 - magnitude };
    let nan_bit = if quiet { 2 } else { 1 };
    if nan { nan_bit } else { 1 << number }
}
