//! Scalar compares: the result is `SCC`. Vega ISA, "Conditional instructions".

use super::simm;
use crate::condition_ops;

condition_ops! {
    /// `SCC = S0 == S1`.
    S_CMP_EQ_I32 "s_cmp_eq_i32": (a: I32, b: I32) = a == b;
    /// `SCC = S0 != S1`.
    S_CMP_LG_I32 "s_cmp_lg_i32": (a: I32, b: I32) = a != b;
    /// `SCC = S0 > S1`.
    S_CMP_GT_I32 "s_cmp_gt_i32": (a: I32, b: I32) = a > b;
    /// `SCC = S0 >= S1`.
    S_CMP_GE_I32 "s_cmp_ge_i32": (a: I32, b: I32) = a >= b;
    /// `SCC = S0 < S1`.
    S_CMP_LT_I32 "s_cmp_lt_i32": (a: I32, b: I32) = a < b;
    /// `SCC = S0 <= S1`.
    S_CMP_LE_I32 "s_cmp_le_i32": (a: I32, b: I32) = a <= b;
    /// `SCC = S0 == S1`.
    S_CMP_EQ_U32 "s_cmp_eq_u32": (a: U32, b: U32) = a == b;
    /// `SCC = S0 != S1`.
    S_CMP_LG_U32 "s_cmp_lg_u32": (a: U32, b: U32) = a != b;
    /// `SCC = S0 > S1`.
    S_CMP_GT_U32 "s_cmp_gt_u32": (a: U32, b: U32) = a > b;
    /// `SCC = S0 >= S1`.
    S_CMP_GE_U32 "s_cmp_ge_u32": (a: U32, b: U32) = a >= b;
    /// `SCC = S0 < S1`.
    S_CMP_LT_U32 "s_cmp_lt_u32": (a: U32, b: U32) = a < b;
    /// `SCC = S0 <= S1`.
    S_CMP_LE_U32 "s_cmp_le_u32": (a: U32, b: U32) = a <= b;
    /// `SCC = S0 == S1`.
    S_CMP_EQ_U64 "s_cmp_eq_u64": (a: U64, b: U64) = a == b;
    /// `SCC = S0 != S1`.
    S_CMP_LG_U64 "s_cmp_lg_u64": (a: U64, b: U64) = a != b;
    /// `SCC` = bit `S1` of `S0` is clear.
    S_BITCMP0_B32 "s_bitcmp0_b32": (a: B32, b: U32) = a >> (b & 31) & 1 == 0;
    /// `SCC` = bit `S1` of `S0` is set.
    S_BITCMP1_B32 "s_bitcmp1_b32": (a: B32, b: U32) = a >> (b & 31) & 1 != 0;
    /// `SCC` = bit `S1` of `S0` is clear.
    S_BITCMP0_B64 "s_bitcmp0_b64": (a: B64, b: U32) = a >> (b & 63) & 1 == 0;
    /// `SCC` = bit `S1` of `S0` is set.
    S_BITCMP1_B64 "s_bitcmp1_b64": (a: B64, b: U32) = a >> (b & 63) & 1 != 0;
    /// `SCC = D == simm16`.
    S_CMPK_EQ_I32 "s_cmpk_eq_i32": |i| (a: I32) = a == simm(i);
    /// `SCC = D != simm16`.
    S_CMPK_LG_I32 "s_cmpk_lg_i32": |i| (a: I32) = a != simm(i);
    /// `SCC = D > simm16`.
    S_CMPK_GT_I32 "s_cmpk_gt_i32": |i| (a: I32) = a > simm(i);
    /// `SCC = D >= simm16`.
    S_CMPK_GE_I32 "s_cmpk_ge_i32": |i| (a: I32) = a >= simm(i);
    /// `SCC = D < simm16`.
    S_CMPK_LT_I32 "s_cmpk_lt_i32": |i| (a: I32) = a < simm(i);
    /// `SCC = D <= simm16`.
    S_CMPK_LE_I32 "s_cmpk_le_i32": |i| (a: I32) = a <= simm(i);
    /// `SCC = D == simm16`, zero-extended.
    S_CMPK_EQ_U32 "s_cmpk_eq_u32": |i| (a: U32) = a == i.imm;
    /// `SCC = D != simm16`, zero-extended.
    S_CMPK_LG_U32 "s_cmpk_lg_u32": |i| (a: U32) = a != i.imm;
    /// `SCC = D > simm16`, zero-extended.
    S_CMPK_GT_U32 "s_cmpk_gt_u32": |i| (a: U32) = a > i.imm;
    /// `SCC = D >= simm16`, zero-extended.
    S_CMPK_GE_U32 "s_cmpk_ge_u32": |i| (a: U32) = a >= i.imm;
    /// `SCC = D < simm16`, zero-extended.
    S_CMPK_LT_U32 "s_cmpk_lt_u32": |i| (a: U32) = a < i.imm;
    /// `SCC = D <= simm16`, zero-extended.
    S_CMPK_LE_U32 "s_cmpk_le_u32": |i| (a: U32) = a <= i.imm;
}
