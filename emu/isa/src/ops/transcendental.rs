//! Reciprocals, roots, exponentials, logarithms, sines. Vega ISA, "VOP1".
//!
//! The hardware promises 1 ulp; these come closer, so that a kernel's own refinement steps work as there. 32-bit forms
//! take denormals for zero and give zero for them (LLVM scales around that). Everything is plain arithmetic on 64-bit
//! floats without calls, so that loops over lanes become vector code and all machines give the same bits.

use super::float32::flush32;
use super::float64::ldexp64;
use crate::lane_ops;

/// `1 / x`.
#[inline(always)]
fn rcp(x: f32) -> f32 {
    flush32(1.0 / flush32(x))
}

/// `1 / sqrt(x)`.
#[inline(always)]
fn rsq(x: f32) -> f32 {
    (1.0 / f64::from(flush32(x)).sqrt()) as f32
}

/// `2^x` as a 64-bit float, for `x` in -1000..1000.
#[inline(always)]
fn exp2_core(x: f64) -> f64 {
    // Adding 1.5 * 2^52 rounds to an integer, which the low bits of the sum then hold.
    let magic = 6_755_399_441_055_744.0;
    let shifted = x + magic;
    let f = x - (shifted - magic);
    // The polynomial of degree 6 that is nearest to 2^f for |f| <= 1/2: its relative error is 1.9e-9, 0.03 ulp.
    let mut p = 1.534_581_216_136_163e-4;
    for c in [
        1.339_993_117_723_974e-3,
        9.618_488_956_331_182e-3,
        5.550_328_777_105_325e-2,
        2.402_264_689_064_552e-1,
        6.931_472_057_371_958e-1,
        1.000_000_000_554_165,
    ] {
        p = p * f + c;
    }
    let power = shifted.to_bits().wrapping_add(1023) << 52;
    p * f64::from_bits(power)
}

/// `2^x`.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    let clamped = if x > 200.0 {
        200.0
    } else if x > -200.0 {
        x
    } else {
        -200.0
    };
    let y = exp2_core(f64::from(clamped)) as f32;
    if x.is_nan() { f32::from_bits(x.to_bits() | 0x0040_0000) } else { y }
}

/// Base-2 logarithm.
#[inline(always)]
pub fn log(x: f32) -> f32 {
    let bits = x.to_bits();
    // x = m * 2^k with m between the roots of 1/2 and 2.
    let k = bits.wrapping_sub(0x3f35_04f3) as i32 >> 23;
    let m = f64::from(f32::from_bits(bits.wrapping_sub((k as u32) << 23)));
    // log2(m) = 2/ln(2) * atanh(s), and the polynomial is nearest to that divided by s: its relative error is 4e-12.
    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    let mut p = 3.407_301_074_055_33e-1;
    for c in
        [4.116_727_187_144_3e-1, 5.770_835_849_764_047e-1, 9.617_966_733_416_82e-1, 2.885_390_081_790_086]
    {
        p = p * z + c;
    }
    let y = (f64::from(k) + p * s) as f32;
    if x.is_nan() {
        f32::from_bits(bits | 0x0040_0000)
    } else if x == 0.0 {
        f32::NEG_INFINITY
    } else if x < 0.0 {
        f32::from_bits(0x7fc0_0000)
    } else if x.is_infinite() {
        x
    } else {
        y
    }
}

/// Sine of a quarter turn at most.
#[inline(always)]
fn sin_core(turns: f64) -> f64 {
    let x = turns * core::f64::consts::TAU;
    let z = x * x;
    let mut p = -7.647_163_731_819_816e-13;
    for c in [
        1.605_904_383_682_161_3e-10,
        -2.505_210_838_544_172e-8,
        2.755_731_922_398_589e-6,
        -1.984_126_984_126_984e-4,
        8.333_333_333_333_333e-3,
        -1.666_666_666_666_666_6e-1,
        1.0,
    ] {
        p = p * z + c;
    }
    p * x
}

/// The part of a turn that `x` is beyond the nearest whole number of turns: -1/2..1/2.
#[inline(always)]
fn part_of_turn(x: f32) -> f64 {
    f64::from(x - x.round_ties_even())
}

/// Sine of `x` turns. Beyond 256 turns the hardware gives 0.
#[inline(always)]
pub fn sin(x: f32) -> f32 {
    let r = part_of_turn(x);
    let half = 0.5f64.copysign(r);
    let y = sin_core(if r.abs() > 0.25 { half - r } else { r }) as f32;
    let y = if x.abs() > 256.0 { 0.0 } else { y };
    if x.is_finite() { y } else { special_angle(x) }
}

/// Cosine of `x` turns. Beyond 256 turns the hardware gives 1.
#[inline(always)]
pub fn cos(x: f32) -> f32 {
    let y = sin_core(0.25 - part_of_turn(x).abs()) as f32;
    let y = if x.abs() > 256.0 { 1.0 } else { y };
    if x.is_finite() { y } else { special_angle(x) }
}

#[inline(always)]
fn special_angle(x: f32) -> f32 {
    f32::from_bits(if x.is_nan() { x.to_bits() | 0x0040_0000 } else { 0x7fc0_0000 })
}

/// `x`, but no finite value above 64: so that what overflows in 16 bits does not overflow in 32, which is another thing.
#[inline(always)]
fn bounded(x: f32) -> f32 {
    if x > 64.0 && x < f32::INFINITY { 64.0 } else { x }
}

lane_ops! {
    /// `D = 2^S0`.
    V_EXP_F32 "v_exp_f32": A32 <- (a: F32) = flush32(exp(flush32(a)));
    /// `D = log2(S0)`.
    V_LOG_F32 "v_log_f32": A32 <- (a: F32) = flush32(log(flush32(a)));
    /// `D = 2^S0`.
    V_EXP_LEGACY_F32 "v_exp_legacy_f32": A32 <- (a: F32) = flush32(exp(flush32(a)));
    /// `D = log2(S0)`.
    V_LOG_LEGACY_F32 "v_log_legacy_f32": A32 <- (a: F32) = flush32(log(flush32(a)));
    /// `D = 1 / S0`.
    V_RCP_F32 "v_rcp_f32": A32 <- (a: F32) = rcp(a);
    /// `D = 1 / S0`, raising only the integer division exception.
    V_RCP_IFLAG_F32 "v_rcp_iflag_f32": A32 <- (a: F32) = rcp(a);
    /// `D = 1 / sqrt(S0)`.
    V_RSQ_F32 "v_rsq_f32": A32 <- (a: F32) = rsq(a);
    /// `D = sqrt(S0)`.
    V_SQRT_F32 "v_sqrt_f32": A32 <- (a: F32) = flush32(a).sqrt();
    /// `D = sin(S0 turns)`.
    V_SIN_F32 "v_sin_f32": A32 <- (a: F32) = flush32(sin(flush32(a)));
    /// `D = cos(S0 turns)`.
    V_COS_F32 "v_cos_f32": A32 <- (a: F32) = flush32(cos(flush32(a)));
    /// `D = 1 / S0`. The hardware is good for 29 bits or so; this is exact.
    V_RCP_F64 "v_rcp_f64": A64 <- (a: F64) = 1.0 / a;
    /// `D = 1 / sqrt(S0)`.
    V_RSQ_F64 "v_rsq_f64": A64 <- (a: F64) = 1.0 / a.sqrt();
    /// `D = sqrt(S0)`.
    V_SQRT_F64 "v_sqrt_f64": A64 <- (a: F64) = a.sqrt();
    /// `D = 2^S0`.
    V_EXP_F16 "v_exp_f16": A16 <- (a: F16) = exp(bounded(a));
    /// `D = log2(S0)`.
    V_LOG_F16 "v_log_f16": A16 <- (a: F16) = log(a);
    /// `D = 1 / S0`.
    V_RCP_F16 "v_rcp_f16": A16 <- (a: F16) = 1.0 / a;
    /// `D = 1 / sqrt(S0)`.
    V_RSQ_F16 "v_rsq_f16": A16 <- (a: F16) = rsq(a);
    /// `D = sqrt(S0)`.
    V_SQRT_F16 "v_sqrt_f16": A16 <- (a: F16) = a.sqrt();
    /// `D = sin(S0 turns)`.
    V_SIN_F16 "v_sin_f16": A16 <- (a: F16) = sin(a);
    /// `D = cos(S0 turns)`.
    V_COS_F16 "v_cos_f16": A16 <- (a: F16) = cos(a);
}

/// The fraction bits of 2/π, highest first.
static TWO_OVER_PI: [u64; 20] = [
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_6bab,
    0xf0cf_bc20_9af4_361d,
];

/// Segment `segment` of 53 bits of 2/π for an angle with the exponent of `a`.
pub fn preop(a: f64, segment: u32) -> f64 {
    let exponent = (a.to_bits() >> 52 & 0x7ff) as u32;
    let shift = (segment & 31) * 53 + exponent.saturating_sub(1077);
    let (word, bit) = ((shift / 64) as usize, shift % 64);
    // The manual knows 1201 bits; beyond them there is nothing.
    let at = |k: usize| -> u64 {
        let first = 64 * k as u32;
        let bits = TWO_OVER_PI.get(k).copied().unwrap_or(0);
        let known = 1201u32.saturating_sub(first);
        if known >= 64 {
            bits
        } else if known == 0 {
            0
        } else {
            bits & !0 << (64 - known)
        }
    };
    let pair = u128::from(at(word)) << 64 | u128::from(at(word + 1));
    let bits = (pair << bit >> 75) as u64;
    let scale = -53 - shift as i32 + if exponent >= 1968 { 128 } else { 0 };
    ldexp64(bits as f64, scale)
}
