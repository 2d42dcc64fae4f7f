//! Conversions between number formats. Vega ISA, "VOP1", "VOP3A".
//!
//! To integers: rounded to zero unless the name says otherwise, NaN becomes 0, what is out of range the nearest end.

use super::float32::quiet32;
use super::float64::quiet64;
use super::half;
use crate::lane_ops;

#[inline(always)]
fn byte(x: u32, k: u32) -> f32 {
    (x >> (8 * k) & 0xff) as f32
}

/// -1..1 as a signed 16-bit fraction.
#[inline(always)]
fn snorm(x: f32) -> u32 {
    // NaN stays NaN here and is made 0 by the conversion.
    let x = x.clamp(-1.0, 1.0);
    (x * 32767.0).round_ties_even() as i32 as u32 & 0xffff
}

/// 0..1 as an unsigned 16-bit fraction.
#[inline(always)]
fn unorm(x: f32) -> u32 {
    let x = x.clamp(0.0, 1.0);
    (x * 65535.0).round_ties_even() as i32 as u32 & 0xffff
}

/// `x` rounded to zero and kept in `low..=high`; 0 for NaN. Adding 1.5 * 2^52 leaves the integer in the low bits:
/// unlike `as`, that becomes vector code.
#[inline(always)]
fn to_int(x: f64, low: f64, high: f64) -> u32 {
    let x = x.trunc();
    let x = if x > low { x } else { low };
    let x = if x < high { x } else { high };
    (x + 6_755_399_441_055_744.0).to_bits() as u32
}

#[inline(always)]
fn to_i32(x: f64) -> i32 {
    let y = to_int(x, -2_147_483_648.0, 2_147_483_647.0) as i32;
    if x.is_nan() { 0 } else { y }
}

/// NaN fails the comparison with the lower end, 0, and becomes it.
#[inline(always)]
fn to_u32(x: f64) -> u32 {
    to_int(x, 0.0, 4_294_967_295.0)
}

/// As an unsigned byte, rounded to nearest even.
#[inline(always)]
fn float_to_byte(x: f32) -> u32 {
    (x.round_ties_even() as i32).clamp(0, 255) as u32
}

lane_ops! {
    /// Signed integer of a 64-bit float.
    V_CVT_I32_F64 "v_cvt_i32_f64": I32 <- (a: F64) = to_i32(a);
    /// Unsigned integer of a 64-bit float.
    V_CVT_U32_F64 "v_cvt_u32_f64": U32 <- (a: F64) = to_u32(a);
    /// 64-bit float of a signed integer.
    V_CVT_F64_I32 "v_cvt_f64_i32": F64 <- (a: I32) = f64::from(a);
    /// 64-bit float of an unsigned integer.
    V_CVT_F64_U32 "v_cvt_f64_u32": F64 <- (a: U32) = f64::from(a);
    /// 32-bit float of a signed integer.
    V_CVT_F32_I32 "v_cvt_f32_i32": F32 <- (a: I32) = a as f32, rounded a;
    /// 32-bit float of an unsigned integer.
    V_CVT_F32_U32 "v_cvt_f32_u32": F32 <- (a: U32) = a as f32, rounded a;
    /// Unsigned integer of a 32-bit float.
    V_CVT_U32_F32 "v_cvt_u32_f32": U32 <- (a: F32) = to_u32(f64::from(a));
    /// Signed integer of a 32-bit float.
    V_CVT_I32_F32 "v_cvt_i32_f32": I32 <- (a: F32) = to_i32(f64::from(a));
    /// Signed integer nearest to `S0`, half rounded up.
    V_CVT_RPI_I32_F32 "v_cvt_rpi_i32_f32": I32 <- (a: F32) = to_i32(f64::from((a + 0.5).floor()));
    /// Signed integer below `S0`.
    V_CVT_FLR_I32_F32 "v_cvt_flr_i32_f32": I32 <- (a: F32) = to_i32(f64::from(a.floor()));
    /// 32-bit float of the low 4 bits as a signed number of sixteenths.
    V_CVT_OFF_F32_I4 "v_cvt_off_f32_i4": F32 <- (a: U32) = ((a << 28) as i32 >> 28) as f32 * 0.0625;
    /// 32-bit float of a 64-bit float.
    V_CVT_F32_F64 "v_cvt_f32_f64": F32 <- (a: F64) = quiet64(a) as f32, rounded a;
    /// 64-bit float of a 32-bit float.
    V_CVT_F64_F32 "v_cvt_f64_f32": F64 <- (a: F32) = f64::from(quiet32(a));
    /// 32-bit float of byte 0.
    V_CVT_F32_UBYTE0 "v_cvt_f32_ubyte0": F32 <- (a: U32) = byte(a, 0);
    /// 32-bit float of byte 1.
    V_CVT_F32_UBYTE1 "v_cvt_f32_ubyte1": F32 <- (a: U32) = byte(a, 1);
    /// 32-bit float of byte 2.
    V_CVT_F32_UBYTE2 "v_cvt_f32_ubyte2": F32 <- (a: U32) = byte(a, 2);
    /// 32-bit float of byte 3.
    V_CVT_F32_UBYTE3 "v_cvt_f32_ubyte3": F32 <- (a: U32) = byte(a, 3);
    /// 16-bit float of a 32-bit float.
    V_CVT_F16_F32 "v_cvt_f16_f32": F16 <- (a: F32) = a, rounded a;
    /// 16-bit float of an unsigned 16-bit integer.
    V_CVT_F16_U16 "v_cvt_f16_u16": F16 <- (a: U16) = f32::from(a), rounded a;
    /// 16-bit float of a signed 16-bit integer.
    V_CVT_F16_I16 "v_cvt_f16_i16": F16 <- (a: I16) = f32::from(a), rounded a;
    /// Unsigned 16-bit integer of a 16-bit float.
    V_CVT_U16_F16 "v_cvt_u16_f16": U16 <- (a: F16) = (a as i32).clamp(0, 0xffff) as u16;
    /// Signed 16-bit integer of a 16-bit float.
    V_CVT_I16_F16 "v_cvt_i16_f16": I16 <- (a: F16) = (a as i32).clamp(-0x8000, 0x7fff) as i16;
    /// Signed 16-bit fraction of a 16-bit float.
    V_CVT_NORM_I16_F16 "v_cvt_norm_i16_f16": I16 <- (a: F16) = snorm(a) as i16;
    /// Unsigned 16-bit fraction of a 16-bit float.
    V_CVT_NORM_U16_F16 "v_cvt_norm_u16_f16": U16 <- (a: F16) = unorm(a) as u16;
    /// Two signed 16-bit fractions of 32-bit floats.
    V_CVT_PKNORM_I16_F32 "v_cvt_pknorm_i16_f32": B32 <- (a: F32, b: F32) = snorm(a) | snorm(b) << 16;
    /// Two unsigned 16-bit fractions of 32-bit floats.
    V_CVT_PKNORM_U16_F32 "v_cvt_pknorm_u16_f32": B32 <- (a: F32, b: F32) = unorm(a) | unorm(b) << 16;
    /// Two signed 16-bit fractions of 16-bit floats.
    V_CVT_PKNORM_I16_F16 "v_cvt_pknorm_i16_f16": B32 <- (a: F16, b: F16) = snorm(a) | snorm(b) << 16;
    /// Two unsigned 16-bit fractions of 16-bit floats.
    V_CVT_PKNORM_U16_F16 "v_cvt_pknorm_u16_f16": B32 <- (a: F16, b: F16) = unorm(a) | unorm(b) << 16;
    /// Two 16-bit floats of 32-bit floats, rounded to zero.
    V_CVT_PKRTZ_F16_F32 "v_cvt_pkrtz_f16_f32": B32 <- (a: F32, b: F32) =
        half::from_f32_toward_zero(a) | half::from_f32_toward_zero(b) << 16;
    /// Two unsigned 16-bit integers, saturated.
    V_CVT_PK_U16_U32 "v_cvt_pk_u16_u32": B32 <- (a: U32, b: U32) = a.min(0xffff) | b.min(0xffff) << 16;
    /// Two signed 16-bit integers, saturated.
    V_CVT_PK_I16_I32 "v_cvt_pk_i16_i32": B32 <- (a: I32, b: I32) =
        a.clamp(-0x8000, 0x7fff) as u32 & 0xffff | (b.clamp(-0x8000, 0x7fff) as u32) << 16;
    /// `S2` with byte `S1[1:0]` replaced by the unsigned byte of `S0`.
    V_CVT_PK_U8_F32 "v_cvt_pk_u8_f32": U32 <- (a: F32, at: U32, old: U32) = {
        let shift = 8 * (at & 3);
        old & !(0xff << shift) | float_to_byte(a) << shift
    };
    /// `D` with byte `S1[1:0]` replaced by the unsigned byte of `S0`.
    V_CVT_PKACCUM_U8_F32 "v_cvt_pkaccum_u8_f32" [TIED]: U32 <- (a: F32, at: U32, old: U32) = {
        let shift = 8 * (at & 3);
        old & !(0xff << shift) | float_to_byte(a) << shift
    };
    /// Two unsigned bytes of two signed 16-bit integers, saturated, in the low half.
    V_SAT_PK_U8_I16 "v_sat_pk_u8_i16": U32 <- (a: U32) = {
        let saturate = |x: u32| (x as u16 as i16).clamp(0, 255) as u32;
        saturate(a) | saturate(a >> 16) << 8
    };
    /// Two 16-bit floats side by side.
    V_PACK_B32_F16 "v_pack_b32_f16": B32 <- (a: F16, b: F16) = half::from_f32(a) | half::from_f32(b) << 16;
}
