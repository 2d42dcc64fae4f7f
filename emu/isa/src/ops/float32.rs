//! 32-bit float arithmetic. The notation: result type, sources with types, value of one lane.
//!
//! Vega ISA, "VOP2", "VOP3A". What comes behind `rounded` is the same value of exact numbers, for rounding modes other
//! than to nearest even. `v_mac_f32` and `v_mad_f32` round twice and flush denormals whatever `MODE` says.

use crate::exact::Exact;
use crate::lane_ops;

/// Zero with the sign of `x` where `x` is a denormal.
#[inline(always)]
pub fn flush32(x: f32) -> f32 {
    let bits = x.to_bits();
    f32::from_bits(if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits })
}

/// `a * b + c`, rounded after each step, without denormals.
#[inline(always)]
pub fn mad32(a: f32, b: f32, c: f32) -> f32 {
    flush32(flush32(flush32(a) * flush32(b)) + flush32(c))
}

/// `a * b`, where zero wins.
#[inline(always)]
pub fn mul_legacy32(a: f32, b: f32) -> f32 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}

/// [`mul_legacy32`] of exact numbers.
fn mul_legacy(a: Exact, b: Exact) -> Exact {
    if a.is_zero() || b.is_zero() { Exact::float(0.0, a.target()) } else { a * b }
}

/// [`mad32`] of exact numbers.
pub fn mad(a: Exact, b: Exact, c: Exact) -> Exact {
    ((a.flush() * b.flush()).step().flush() + c.flush()).step().flush()
}

/// `x * 2^n`, rounded once.
#[inline(always)]
pub fn ldexp32(x: f32, n: i32) -> f32 {
    let n = n.clamp(-400, 400);
    let power = f64::from_bits(((n + 1023) as u64) << 52);
    (f64::from(x) * power) as f32
}

/// Fraction and exponent: `x = fraction * 2^exponent` with 0.5 ≤ |fraction| < 1.
#[inline(always)]
pub fn frexp32(x: f32) -> (f32, i32) {
    let abs = x.to_bits() & 0x7fff_ffff;
    let denormal = abs < 0x0080_0000;
    let bits = if denormal { (x * 16_777_216.0).to_bits() } else { x.to_bits() };
    let exponent = (bits >> 23 & 0xff) as i32 - 126 - if denormal { 24 } else { 0 };
    let fraction = f32::from_bits(bits & 0x807f_ffff | 0x3f00_0000);
    let special = abs == 0 || abs >= 0x7f80_0000;
    (if special { quiet32(x) } else { fraction }, if special { 0 } else { exponent })
}

/// `x`, and where it is a signalling NaN the quiet one.
#[inline(always)]
pub fn quiet32(x: f32) -> f32 {
    f32::from_bits(x.to_bits() | if x.is_nan() { 0x0040_0000 } else { 0 })
}

/// `x - floor(x)`, below 1.
#[inline(always)]
pub fn fract32(x: f32) -> f32 {
    let y = x - x.floor();
    if y >= 1.0 { f32::from_bits(0x3f7f_ffff) } else { y }
}

lane_ops! {
    /// `D = S0 + S1`.
    V_ADD_F32 "v_add_f32": A32 <- (a: F32, b: F32) = a + b, rounded a + b;
    /// `D = S0 - S1`.
    V_SUB_F32 "v_sub_f32": A32 <- (a: F32, b: F32) = a - b, rounded a - b;
    /// `D = S1 - S0`.
    V_SUBREV_F32 "v_subrev_f32": A32 <- (a: F32, b: F32) = b - a, rounded b - a;
    /// `D = S0 * S1`.
    V_MUL_F32 "v_mul_f32": A32 <- (a: F32, b: F32) = a * b, rounded a * b;
    /// `D = S0 * S1`, and zero wins: `0.0 * x` is `0.0` whatever `x` is ("DX9 rules").
    V_MUL_LEGACY_F32 "v_mul_legacy_f32": A32 <- (a: F32, b: F32) = mul_legacy32(a, b), rounded mul_legacy(a, b);
    /// `D = S0 * S1 + S2`, rounded once.
    V_FMA_F32 "v_fma_f32": A32 <- (a: F32, b: F32, c: F32) = a.mul_add(b, c), rounded a.mul_add(b, c);
    /// `D = S0 * S1 + D`, rounded once.
    V_FMAC_F32 "v_fmac_f32" [TIED]: A32 <- (a: F32, b: F32, c: F32) = a.mul_add(b, c), rounded a.mul_add(b, c);
    /// `D = S0 * K + S1`, rounded once.
    V_FMAMK_F32 "v_fmamk_f32" [LITERAL_1]: A32 <- (a: F32, k: F32, c: F32) = a.mul_add(k, c), rounded a.mul_add(k, c);
    /// `D = S0 * S1 + K`, rounded once.
    V_FMAAK_F32 "v_fmaak_f32" [LITERAL_2]: A32 <- (a: F32, b: F32, k: F32) = a.mul_add(b, k), rounded a.mul_add(b, k);
    /// `D = S0 * S1 + S2`, rounded after each step.
    V_MAD_F32 "v_mad_f32": A32 <- (a: F32, b: F32, c: F32) = mad32(a, b, c), rounded mad(a, b, c);
    /// `D = S0 * S1 + D`, rounded after each step.
    V_MAC_F32 "v_mac_f32" [TIED]: A32 <- (a: F32, b: F32, c: F32) = mad32(a, b, c), rounded mad(a, b, c);
    /// `D = S0 * K + S1`, rounded after each step.
    V_MADMK_F32 "v_madmk_f32" [LITERAL_1]: A32 <- (a: F32, k: F32, c: F32) = mad32(a, k, c), rounded mad(a, k, c);
    /// `D = S0 * S1 + K`, rounded after each step.
    V_MADAK_F32 "v_madak_f32" [LITERAL_2]: A32 <- (a: F32, b: F32, k: F32) = mad32(a, b, k), rounded mad(a, b, k);
    /// `D = S0 * S1 + S2`, rounded after each step, and zero wins in the product.
    V_MAD_LEGACY_F32 "v_mad_legacy_f32": A32 <- (a: F32, b: F32, c: F32) =
        flush32(flush32(mul_legacy32(flush32(a), flush32(b))) + flush32(c)), rounded (mul_legacy(a.flush(), b.flush()).step().flush() + c.flush()).step().flush();
    /// `D = S0 * 2^S1`.
    V_LDEXP_F32 "v_ldexp_f32": A32 <- (a: F32, n: I32) = ldexp32(a, n), rounded a.scale(n.value() as i32);
    /// `D = trunc(S0)`.
    V_TRUNC_F32 "v_trunc_f32": A32 <- (a: F32) = a.trunc();
    /// `D = ceil(S0)`.
    V_CEIL_F32 "v_ceil_f32": A32 <- (a: F32) = a.ceil();
    /// `D = S0` rounded to an integer, ties to even.
    V_RNDNE_F32 "v_rndne_f32": A32 <- (a: F32) = a.round_ties_even();
    /// `D = floor(S0)`.
    V_FLOOR_F32 "v_floor_f32": A32 <- (a: F32) = a.floor();
    /// `D = S0 - floor(S0)`, always below 1.
    V_FRACT_F32 "v_fract_f32": A32 <- (a: F32) = fract32(a), rounded (a - a.floor()).step().below_one();
    /// Exponent of `S0`, whose fraction lies in 0.5..1; 0 for zero, infinity and NaN.
    V_FREXP_EXP_I32_F32 "v_frexp_exp_i32_f32": I32 <- (a: F32) = frexp32(a).1;
    /// Fraction of `S0` in 0.5..1; zero, infinity and NaN as they are.
    V_FREXP_MANT_F32 "v_frexp_mant_f32": A32 <- (a: F32) = frexp32(a).0;
    /// Face of a cube map that the direction `S0 S1 S2` meets.
    V_CUBEID_F32 "v_cubeid_f32": A32 <- (x: F32, y: F32, z: F32) = cube(x, y, z)[0];
    /// First coordinate on that face, times the major axis.
    V_CUBESC_F32 "v_cubesc_f32": A32 <- (x: F32, y: F32, z: F32) = cube(x, y, z)[1];
    /// Second coordinate on that face, times the major axis.
    V_CUBETC_F32 "v_cubetc_f32": A32 <- (x: F32, y: F32, z: F32) = cube(x, y, z)[2];
    /// Twice the major axis.
    V_CUBEMA_F32 "v_cubema_f32": A32 <- (x: F32, y: F32, z: F32) = cube(x, y, z)[3];
}

/// Face, coordinates and twice the major axis of a direction in a cube map.
#[inline(always)]
fn cube(x: f32, y: f32, z: f32) -> [f32; 4] {
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    if az >= ax && az >= ay {
        if z < 0.0 { [5.0, -x, -y, z * 2.0] } else { [4.0, x, -y, z * 2.0] }
    } else if ay >= ax {
        if y < 0.0 { [3.0, x, -z, y * 2.0] } else { [2.0, x, z, y * 2.0] }
    } else if x < 0.0 {
        [1.0, z, -y, x * 2.0]
    } else {
        [0.0, -z, -y, x * 2.0]
    }
}
