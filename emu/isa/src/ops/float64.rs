//! 64-bit float arithmetic. Vega ISA, "VOP1", "VOP3A"; MI200 ISA for `v_fmac_f64`.

use crate::lane_ops;

/// `x * 2^n`, rounded once.
#[inline(always)]
pub fn ldexp64(x: f64, n: i32) -> f64 {
    // Two steps bring any exponent into the range of one factor. The steps down leave 53 bits of room, so that only
    // the last product rounds.
    let up = f64::from_bits(0x7fe0_0000_0000_0000);
    let down = f64::from_bits((1023 - 969) << 52);
    let (mut x, mut n) = (x, n.clamp(-3000, 3000));
    for _ in 0..2 {
        let (factor, taken) = if n > 1023 {
            (up, 1023)
        } else if n < -1022 {
            (down, -969)
        } else {
            (1.0, 0)
        };
        x *= factor;
        n -= taken;
    }
    x * f64::from_bits(((n.clamp(-1022, 1023) + 1023) as u64) << 52)
}

/// Fraction and exponent: `x = fraction * 2^exponent` with 0.5 ≤ |fraction| < 1.
#[inline(always)]
pub fn frexp64(x: f64) -> (f64, i32) {
    let abs = x.to_bits() & !(1 << 63);
    let denormal = abs < 1 << 52;
    let bits = if denormal { (x * f64::from_bits((1023 + 54) << 52)).to_bits() } else { x.to_bits() };
    let exponent = (bits >> 52 & 0x7ff) as i32 - 1022 - if denormal { 54 } else { 0 };
    let fraction = f64::from_bits(bits & 0x800f_ffff_ffff_ffff | 0x3fe0_0000_0000_0000);
    let special = abs == 0 || abs >= 0x7ff << 52;
    (if special { quiet64(x) } else { fraction }, if special { 0 } else { exponent })
}

/// `x`, and where it is a signalling NaN the quiet one.
#[inline(always)]
pub fn quiet64(x: f64) -> f64 {
    f64::from_bits(x.to_bits() | if x.is_nan() { 1 << 51 } else { 0 })
}

/// `x - floor(x)`, below 1.
#[inline(always)]
pub fn fract64(x: f64) -> f64 {
    let y = x - x.floor();
    if y >= 1.0 { f64::from_bits(0x3fef_ffff_ffff_ffff) } else { y }
}

lane_ops! {
    /// `D = S0 + S1`.
    V_ADD_F64 "v_add_f64": A64 <- (a: F64, b: F64) = a + b, rounded a + b;
    /// `D = S0 * S1`.
    V_MUL_F64 "v_mul_f64": A64 <- (a: F64, b: F64) = a * b, rounded a * b;
    /// `D = S0 * S1 + S2`, rounded once.
    V_FMA_F64 "v_fma_f64": A64 <- (a: F64, b: F64, c: F64) = a.mul_add(b, c), rounded a.mul_add(b, c);
    /// `D = S0 * S1 + D`, rounded once.
    V_FMAC_F64 "v_fmac_f64" [TIED]: A64 <- (a: F64, b: F64, c: F64) = a.mul_add(b, c), rounded a.mul_add(b, c);
    /// `D = S0 * 2^S1`.
    V_LDEXP_F64 "v_ldexp_f64": A64 <- (a: F64, n: I32) = ldexp64(a, n), rounded a.scale(n.value() as i32);
    /// `D = trunc(S0)`.
    V_TRUNC_F64 "v_trunc_f64": A64 <- (a: F64) = a.trunc();
    /// `D = ceil(S0)`.
    V_CEIL_F64 "v_ceil_f64": A64 <- (a: F64) = a.ceil();
    /// `D = S0` rounded to an integer, ties to even.
    V_RNDNE_F64 "v_rndne_f64": A64 <- (a: F64) = a.round_ties_even();
    /// `D = floor(S0)`.
    V_FLOOR_F64 "v_floor_f64": A64 <- (a: F64) = a.floor();
    /// `D = S0 - floor(S0)`, always below 1.
    V_FRACT_F64 "v_fract_f64": A64 <- (a: F64) = fract64(a), rounded (a - a.floor()).step().below_one();
    /// Exponent of `S0`, whose fraction lies in 0.5..1; 0 for zero, infinity and NaN.
    V_FREXP_EXP_I32_F64 "v_frexp_exp_i32_f64": I32 <- (a: F64) = frexp64(a).1;
    /// Fraction of `S0` in 0.5..1; zero, infinity and NaN as they are.
    V_FREXP_MANT_F64 "v_frexp_mant_f64": A64 <- (a: F64) = frexp64(a).0;
}
