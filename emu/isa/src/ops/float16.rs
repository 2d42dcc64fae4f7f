//! 16-bit float arithmetic. A lane computes in 32 bits; the result is rounded once.
//!
//! Vega ISA, "VOP1", "VOP2", "VOP3A". Results leave zero in the high half, but for the instructions that gfx9 brought
//! or changed, which keep what was there (as LLVM's `zeroesHigh16BitsOfDest` lists them).

use super::float32::{fract32, frexp32, ldexp32, quiet32};
use super::half;
use crate::lane_ops;

/// `a * b` rounded to a half, then `+ c`.
#[inline(always)]
fn mad16(a: f32, b: f32, c: f32) -> f32 {
    half::to_f32(half::from_f32(a * b)) + c
}

#[inline(always)]
fn fma16(a: f32, b: f32, c: f32) -> f32 {
    half::mul_add(a, b, c)
}

/// `x - floor(x)`, below 1 as a half.
#[inline(always)]
fn fract16(x: f32) -> f32 {
    let y = fract32(x);
    if y > 0.999_511_7 { 0.999_511_7 } else { y }
}

lane_ops! {
    /// `D = S0 + S1`.
    V_ADD_F16 "v_add_f16": A16 <- (a: F16, b: F16) = a + b, rounded a + b;
    /// `D = S0 - S1`.
    V_SUB_F16 "v_sub_f16": A16 <- (a: F16, b: F16) = a - b, rounded a - b;
    /// `D = S1 - S0`.
    V_SUBREV_F16 "v_subrev_f16": A16 <- (a: F16, b: F16) = b - a, rounded b - a;
    /// `D = S0 * S1`.
    V_MUL_F16 "v_mul_f16": A16 <- (a: F16, b: F16) = a * b, rounded a * b;
    /// `D = S0 * S1 + D`, rounded after each step.
    V_MAC_F16 "v_mac_f16" [TIED_KEEPS_HIGH]: A16 <- (a: F16, b: F16, c: F16) = mad16(a, b, c), rounded (a * b).step() + c;
    /// `D = S0 * K + S1`, rounded after each step.
    V_MADMK_F16 "v_madmk_f16" [LITERAL_1_KEEPS_HIGH]: A16 <- (a: F16, k: F16, c: F16) = mad16(a, k, c), rounded (a * k).step() + c;
    /// `D = S0 * S1 + K`, rounded after each step.
    V_MADAK_F16 "v_madak_f16" [LITERAL_2_KEEPS_HIGH]: A16 <- (a: F16, b: F16, k: F16) = mad16(a, b, k), rounded (a * b).step() + k;
    /// `D = S0 * S1 + S2`, rounded after each step.
    V_MAD_F16 "v_mad_f16" [KEEPS_HIGH]: A16 <- (a: F16, b: F16, c: F16) = mad16(a, b, c), rounded (a * b).step() + c;
    /// `D = S0 * S1 + S2`, rounded after each step; the high half becomes zero.
    V_MAD_LEGACY_F16 "v_mad_legacy_f16": A16 <- (a: F16, b: F16, c: F16) = mad16(a, b, c), rounded (a * b).step() + c;
    /// `D = S0 * S1 + S2`, rounded once.
    V_FMA_F16 "v_fma_f16" [KEEPS_HIGH]: A16 <- (a: F16, b: F16, c: F16) = fma16(a, b, c), rounded a.mul_add(b, c);
    /// `D = S0 * S1 + S2`, rounded once; the high half becomes zero.
    V_FMA_LEGACY_F16 "v_fma_legacy_f16": A16 <- (a: F16, b: F16, c: F16) = fma16(a, b, c), rounded a.mul_add(b, c);
    /// `D = S0 * 2^S1`.
    V_LDEXP_F16 "v_ldexp_f16": A16 <- (a: F16, n: I16) = ldexp32(a, i32::from(n)), rounded a.scale(n.value() as i32);
    /// `D = trunc(S0)`.
    V_TRUNC_F16 "v_trunc_f16": A16 <- (a: F16) = a.trunc();
    /// `D = ceil(S0)`.
    V_CEIL_F16 "v_ceil_f16": A16 <- (a: F16) = a.ceil();
    /// `D = S0` rounded to an integer, ties to even.
    V_RNDNE_F16 "v_rndne_f16": A16 <- (a: F16) = a.round_ties_even();
    /// `D = floor(S0)`.
    V_FLOOR_F16 "v_floor_f16": A16 <- (a: F16) = a.floor();
    /// `D = S0 - floor(S0)`, always below 1.
    V_FRACT_F16 "v_fract_f16": A16 <- (a: F16) = fract16(a), rounded (a - a.floor()).step().below_one();
    /// Exponent of `S0`, whose fraction lies in 0.5..1; 0 for zero, infinity and NaN.
    V_FREXP_EXP_I16_F16 "v_frexp_exp_i16_f16": I16 <- (a: F16) = frexp32(a).1 as i16;
    /// Fraction of `S0` in 0.5..1; zero, infinity and NaN as they are.
    V_FREXP_MANT_F16 "v_frexp_mant_f16": A16 <- (a: F16) = frexp32(a).0;
    /// `D = S0` as a 32-bit float.
    V_CVT_F32_F16 "v_cvt_f32_f16": F32 <- (a: F16) = quiet32(a);
}
