//! 16-bit floats to 32-bit ones and back, without branches, so that loops over lanes become vector code.
//!
//! IEEE 754 binary16, as the hardware has it.

/// The value of the half in the low 16 bits. Payloads of NaNs are kept.
#[inline(always)]
pub fn to_f32(h: u32) -> f32 {
    let sign = (h & 0x8000) << 16;
    let magnitude = h & 0x7fff;
    let normal = (magnitude << 13) + (112 << 23);
    // Denormals are small integers in units of 2^-24. (No 32-bit denormal takes part: those are slow on many processors.)
    let denormal = (magnitude as f32 * f32::from_bits((127 - 24) << 23)).to_bits();
    let special = magnitude << 13 | 0x7f80_0000;
    let finite = if magnitude < 0x400 { denormal } else { normal };
    let bits = if magnitude >= 0x7c00 { special } else { finite };
    f32::from_bits(bits | sign)
}

/// The half nearest to `x`, ties to even; NaNs become quiet.
#[inline(always)]
pub fn from_f32(x: f32) -> u32 {
    let bits = x.to_bits();
    let sign = bits >> 16 & 0x8000;
    let abs = bits & 0x7fff_ffff;
    // Below 2^-14: adding 0.5 puts the last bit of a half's denormal at the last bit of the sum.
    let denormal = (f32::from_bits(abs) + 0.5).to_bits().wrapping_sub(0x3f00_0000);
    let normal = abs.wrapping_add(0xc800_0fff).wrapping_add(abs >> 13 & 1) >> 13;
    let nan = 0x7e00 | abs >> 13 & 0x3ff;
    let finite = if abs < 0x3880_0000 { denormal } else { normal };
    let large = if abs > 0x7f80_0000 { nan } else { 0x7c00 };
    // From 65520 on the nearest value would be 65536: infinity.
    sign | if abs >= 0x477f_f000 { large } else { finite }
}

/// The half that `x` is cut to: rounding towards zero, and no finite value becomes infinite.
#[inline(always)]
pub fn from_f32_toward_zero(x: f32) -> u32 {
    let bits = x.to_bits();
    let sign = bits >> 16 & 0x8000;
    let abs = bits & 0x7fff_ffff;
    let denormal = (f32::from_bits(abs) * 16_777_216.0) as i32 as u32;
    let normal = abs.wrapping_add(0xc800_0000) >> 13;
    let nan = 0x7e00 | abs >> 13 & 0x3ff;
    let finite = if abs < 0x3880_0000 { denormal } else { normal };
    let large = if abs > 0x7f80_0000 {
        nan
    } else if abs == 0x7f80_0000 {
        0x7c00
    } else {
        0x7bff
    };
    sign | if abs >= 0x4780_0000 { large } else { finite }
}

/// Zero with the sign of `x` where `x` is a denormal half.
#[inline(always)]
pub fn flush(x: f32) -> f32 {
    if x.abs() < 6.103_515_6e-5 { 0f32.copysign(x) } else { x }
}

/// `a * b + c` of halves, so that the rounding to a half that follows is the only one.
///
/// The product of two halves is exact in 32 bits; the sum is rounded to odd, which a second rounding to fewer than
/// 23 bits does not notice.
#[inline(always)]
pub fn mul_add(a: f32, b: f32, c: f32) -> f32 {
    let product = a * b;
    let sum = product + c;
    let part = sum - product;
    let error = (product - (sum - part)) + (c - part);
    let bits = sum.to_bits();
    let away = (error > 0.0) == (sum > 0.0);
    let odd = if away { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
    // An error that is NaN comes from infinities.
    let inexact = error.abs() > 0.0;
    f32::from_bits(if inexact && bits & 1 == 0 { odd } else { bits })
}
