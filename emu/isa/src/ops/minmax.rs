//! Minimum, maximum, median. Vega ISA, "VOP2", "VOP3A".
//!
//! Floats: a number wins over NaN, -0 is below +0, and a signalling NaN makes the result a quiet one (the rule of
//! `MODE.IEEE`, which compute kernels set).

use super::float32::quiet32;
use super::float64::quiet64;
use crate::lane_ops;

#[inline(always)]
fn signalling32(x: f32) -> bool {
    (x.to_bits() & 0x7fff_ffff).wrapping_sub(0x7f80_0001) < 0x003f_ffff
}

#[inline(always)]
fn signalling64(x: f64) -> bool {
    (x.to_bits() & !(1 << 63)).wrapping_sub(0x7ff0_0000_0000_0001) < 0x0007_ffff_ffff_ffff
}

macro_rules! float_min_max {
    ($($min:ident $max:ident $min3:ident $max3:ident $med3:ident: $t:ty, $signalling:ident, $quiet:ident;)*) => {$(
        /// The lesser.
        #[inline(always)]
        pub fn $min(a: $t, b: $t) -> $t {
            let equal = <$t>::from_bits(a.to_bits() | b.to_bits());
            let r = if a == b { equal } else if a < b || b.is_nan() { a } else { b };
            if $signalling(a) { $quiet(a) } else if $signalling(b) { $quiet(b) } else { r }
        }
        /// The greater.
        #[inline(always)]
        pub fn $max(a: $t, b: $t) -> $t {
            let equal = <$t>::from_bits(a.to_bits() & b.to_bits());
            let r = if a == b { equal } else if a > b || b.is_nan() { a } else { b };
            if $signalling(a) { $quiet(a) } else if $signalling(b) { $quiet(b) } else { r }
        }
        /// The least of three.
        #[inline(always)]
        pub fn $min3(a: $t, b: $t, c: $t) -> $t {
            $min($min(a, b), c)
        }
        /// The greatest of three.
        #[inline(always)]
        pub fn $max3(a: $t, b: $t, c: $t) -> $t {
            $max($max(a, b), c)
        }
        /// The middle one of three; with a NaN the least.
        #[inline(always)]
        pub fn $med3(a: $t, b: $t, c: $t) -> $t {
            let greatest = $max3(a, b, c);
            let r = if greatest == a { $max(b, c) } else if greatest == b { $max(a, c) } else { $max(a, b) };
            if a.is_nan() || b.is_nan() || c.is_nan() { $min3(a, b, c) } else { r }
        }
    )*};
}

float_min_max! {
    min32 max32 min3_32 max3_32 med3_32: f32, signalling32, quiet32;
    min64 max64 min3_64 max3_64 med3_64: f64, signalling64, quiet64;
}

/// The middle one of three.
#[inline(always)]
fn median<T: Ord>(a: T, b: T, c: T) -> T {
    if a < b {
        if b < c {
            b
        } else if a < c {
            c
        } else {
            a
        }
    } else if a < c {
        a
    } else if b < c {
        c
    } else {
        b
    }
}

lane_ops! {
    /// The lesser.
    V_MIN_F32 "v_min_f32": F32 <- (a: F32, b: F32) = min32(a, b);
    /// The greater.
    V_MAX_F32 "v_max_f32": F32 <- (a: F32, b: F32) = max32(a, b);
    /// The least of three.
    V_MIN3_F32 "v_min3_f32": F32 <- (a: F32, b: F32, c: F32) = min3_32(a, b, c);
    /// The greatest of three.
    V_MAX3_F32 "v_max3_f32": F32 <- (a: F32, b: F32, c: F32) = max3_32(a, b, c);
    /// The middle one of three.
    V_MED3_F32 "v_med3_f32": F32 <- (a: F32, b: F32, c: F32) = med3_32(a, b, c);
    /// The lesser.
    V_MIN_F64 "v_min_f64": F64 <- (a: F64, b: F64) = min64(a, b);
    /// The greater.
    V_MAX_F64 "v_max_f64": F64 <- (a: F64, b: F64) = max64(a, b);
    /// The lesser.
    V_MIN_F16 "v_min_f16": F16 <- (a: F16, b: F16) = min32(a, b);
    /// The greater.
    V_MAX_F16 "v_max_f16": F16 <- (a: F16, b: F16) = max32(a, b);
    /// The least of three.
    V_MIN3_F16 "v_min3_f16" [KEEPS_HIGH]: F16 <- (a: F16, b: F16, c: F16) = min3_32(a, b, c);
    /// The greatest of three.
    V_MAX3_F16 "v_max3_f16" [KEEPS_HIGH]: F16 <- (a: F16, b: F16, c: F16) = max3_32(a, b, c);
    /// The middle one of three.
    V_MED3_F16 "v_med3_f16" [KEEPS_HIGH]: F16 <- (a: F16, b: F16, c: F16) = med3_32(a, b, c);
    /// The lesser, signed.
    V_MIN_I32 "v_min_i32": I32 <- (a: I32, b: I32) = a.min(b);
    /// The greater, signed.
    V_MAX_I32 "v_max_i32": I32 <- (a: I32, b: I32) = a.max(b);
    /// The lesser, unsigned.
    V_MIN_U32 "v_min_u32": U32 <- (a: U32, b: U32) = a.min(b);
    /// The greater, unsigned.
    V_MAX_U32 "v_max_u32": U32 <- (a: U32, b: U32) = a.max(b);
    /// The least of three, signed.
    V_MIN3_I32 "v_min3_i32": I32 <- (a: I32, b: I32, c: I32) = a.min(b).min(c);
    /// The greatest of three, signed.
    V_MAX3_I32 "v_max3_i32": I32 <- (a: I32, b: I32, c: I32) = a.max(b).max(c);
    /// The middle one of three, signed.
    V_MED3_I32 "v_med3_i32": I32 <- (a: I32, b: I32, c: I32) = median(a, b, c);
    /// The least of three, unsigned.
    V_MIN3_U32 "v_min3_u32": U32 <- (a: U32, b: U32, c: U32) = a.min(b).min(c);
    /// The greatest of three, unsigned.
    V_MAX3_U32 "v_max3_u32": U32 <- (a: U32, b: U32, c: U32) = a.max(b).max(c);
    /// The middle one of three, unsigned.
    V_MED3_U32 "v_med3_u32": U32 <- (a: U32, b: U32, c: U32) = median(a, b, c);
    /// The lesser, signed.
    V_MIN_I16 "v_min_i16": I16 <- (a: I16, b: I16) = a.min(b);
    /// The greater, signed.
    V_MAX_I16 "v_max_i16": I16 <- (a: I16, b: I16) = a.max(b);
    /// The lesser, unsigned.
    V_MIN_U16 "v_min_u16": U16 <- (a: U16, b: U16) = a.min(b);
    /// The greater, unsigned.
    V_MAX_U16 "v_max_u16": U16 <- (a: U16, b: U16) = a.max(b);
    /// The least of three, signed.
    V_MIN3_I16 "v_min3_i16" [KEEPS_HIGH]: I16 <- (a: I16, b: I16, c: I16) = a.min(b).min(c);
    /// The greatest of three, signed.
    V_MAX3_I16 "v_max3_i16" [KEEPS_HIGH]: I16 <- (a: I16, b: I16, c: I16) = a.max(b).max(c);
    /// The middle one of three, signed.
    V_MED3_I16 "v_med3_i16" [KEEPS_HIGH]: I16 <- (a: I16, b: I16, c: I16) = median(a, b, c);
    /// The least of three, unsigned.
    V_MIN3_U16 "v_min3_u16" [KEEPS_HIGH]: U16 <- (a: U16, b: U16, c: U16) = a.min(b).min(c);
    /// The greatest of three, unsigned.
    V_MAX3_U16 "v_max3_u16" [KEEPS_HIGH]: U16 <- (a: U16, b: U16, c: U16) = a.max(b).max(c);
    /// The middle one of three, unsigned.
    V_MED3_U16 "v_med3_u16" [KEEPS_HIGH]: U16 <- (a: U16, b: U16, c: U16) = median(a, b, c);
}
/// The lesser; NaN if either is.
#[inline(always)]
pub fn minimum(a: f32, b: f32) -> f32 {
    let equal = f32::from_bits(a.to_bits() | b.to_bits());
    let r = if a == b {
        equal
    } else if a < b {
        a
    } else {
        b
    };
    if a.is_nan() | b.is_nan() { f32::NAN } else { r }
}

/// The greater; NaN if either is.
#[inline(always)]
pub fn maximum(a: f32, b: f32) -> f32 {
    let equal = f32::from_bits(a.to_bits() & b.to_bits());
    let r = if a == b {
        equal
    } else if a > b {
        a
    } else {
        b
    };
    if a.is_nan() | b.is_nan() { f32::NAN } else { r }
}

lane_ops! {
    /// The least of three; NaN where a source is one.
    V_MINIMUM3_F32 "v_minimum3_f32": A32 <- (a: F32, b: F32, c: F32) = minimum(minimum(a, b), c);
    /// The greatest of three; NaN where a source is one.
    V_MAXIMUM3_F32 "v_maximum3_f32": A32 <- (a: F32, b: F32, c: F32) = maximum(maximum(a, b), c);
}
