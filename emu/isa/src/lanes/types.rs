//! Types that a lane computes with, and the rules of their formats: modifiers, denormals, NaNs.
//!
//! Vega ISA, "Floating point support" and "Input and output modifiers".

use crate::ops::half;
use crate::{Mode, Ty};

/// A type that a lane computes with.
pub trait Lane: 'static {
    /// The Rust value.
    type Rep: Copy;
    /// The operand type.
    const TY: Ty;
    /// Whether it takes a register pair.
    const WIDE: bool = Self::TY.dwords() == 2;
    /// As a result: where it is NaN, it is the first source that is NaN, made quiet, or the positive quiet NaN. What the
    /// host's arithmetic gives depends on the machine and on how the compiler orders operands.
    const NAN_RULE: bool = false;
    /// The positive quiet NaN.
    const DEFAULT_NAN: (u32, u32) = (0, 0);
    /// Whether the bits are a NaN.
    #[inline(always)]
    fn is_nan(lo: u32, hi: u32) -> bool {
        let _ = (lo, hi);
        false
    }
    /// The quiet NaN of a NaN.
    #[inline(always)]
    fn quiet(x: Self::Rep) -> (u32, u32) {
        Self::to_bits(x)
    }
    /// From a register, or a pair.
    fn from_bits(lo: u32, hi: u32) -> Self::Rep;
    /// To a register, or a pair.
    fn to_bits(x: Self::Rep) -> (u32, u32);
    /// Source modifiers: absolute value first, then negation.
    #[inline(always)]
    fn modify(x: Self::Rep, abs: bool, neg: bool) -> Self::Rep {
        let _ = (abs, neg);
        x
    }
    /// A source whose denormals the mode flushes.
    #[inline(always)]
    fn flush_input(x: Self::Rep, mode: Mode) -> Self::Rep {
        let _ = mode;
        x
    }
    /// A result before it is rounded, kept from overflowing where the mode says so.
    #[inline(always)]
    fn limit(x: Self::Rep, mode: Mode) -> Self::Rep {
        let _ = mode;
        x
    }
    /// Output modifiers: scale, clamp, then flush of denormals by the mode.
    #[inline(always)]
    fn finish(x: Self::Rep, omod: u8, clamp: bool, mode: Mode) -> Self::Rep {
        let _ = (omod, clamp, mode);
        x
    }
}

macro_rules! integer_lanes {
    ($($(#[$doc:meta])* $name:ident: $rep:ty, $lo:ident, $hi:ident => $from:expr, $x:ident => $to:expr;)*) => {$(
        $(#[$doc])*
        pub struct $name;
        impl Lane for $name {
            type Rep = $rep;
            const TY: Ty = Ty::$name;
            #[inline(always)]
            fn from_bits($lo: u32, $hi: u32) -> $rep { let _ = $hi; $from }
            #[inline(always)]
            fn to_bits($x: $rep) -> (u32, u32) { $to }
        }
    )*};
}

integer_lanes! {
    /// Any 32 bits.
    B32: u32, lo, hi => lo, x => (x, 0);
    /// Unsigned 32-bit.
    U32: u32, lo, hi => lo, x => (x, 0);
    /// Signed 32-bit.
    I32: i32, lo, hi => lo as i32, x => (x as u32, 0);
    /// Unsigned 16-bit, in the low half; a result's high half is zero.
    U16: u16, lo, hi => lo as u16, x => (u32::from(x), 0);
    /// Signed 16-bit, in the low half; a result's high half is zero.
    I16: i16, lo, hi => lo as i16, x => (u32::from(x as u16), 0);
    /// Two 16-bit values.
    P16: u32, lo, hi => lo, x => (x, 0);
    /// Any 64 bits.
    B64: u64, lo, hi => u64::from(lo) | u64::from(hi) << 32, x => (x as u32, (x >> 32) as u32);
    /// Unsigned 64-bit.
    U64: u64, lo, hi => u64::from(lo) | u64::from(hi) << 32, x => (x as u32, (x >> 32) as u32);
    /// Signed 64-bit.
    I64: i64, lo, hi => (u64::from(lo) | u64::from(hi) << 32) as i64, x => (x as u32, (x >> 32) as u32);
}

/// 32-bit float.
pub struct F32;
impl Lane for F32 {
    type Rep = f32;
    const TY: Ty = Ty::F32;
    const DEFAULT_NAN: (u32, u32) = (0x7fc0_0000, 0);
    #[inline(always)]
    fn is_nan(lo: u32, _: u32) -> bool {
        lo & 0x7fff_ffff > 0x7f80_0000
    }
    #[inline(always)]
    fn quiet(x: f32) -> (u32, u32) {
        (x.to_bits() | 0x0040_0000, 0)
    }
    #[inline(always)]
    fn from_bits(lo: u32, _: u32) -> f32 {
        f32::from_bits(lo)
    }
    #[inline(always)]
    fn to_bits(x: f32) -> (u32, u32) {
        (x.to_bits(), 0)
    }
    #[inline(always)]
    fn modify(x: f32, abs: bool, neg: bool) -> f32 {
        let bits = x.to_bits() & if abs { 0x7fff_ffff } else { !0 };
        f32::from_bits(bits ^ if neg { 0x8000_0000 } else { 0 })
    }
    #[inline(always)]
    fn flush_input(x: f32, mode: Mode) -> f32 {
        if mode.denorm32() & 1 == 0 && x.is_subnormal() { 0f32.copysign(x) } else { x }
    }
    #[inline(always)]
    fn finish(x: f32, omod: u8, clamp: bool, mode: Mode) -> f32 {
        let x = scale_and_clamp(x, omod, clamp, mode.denorm32(), mode);
        if mode.denorm32() & 2 == 0 && x.is_subnormal() { 0f32.copysign(x) } else { x }
    }
}

/// 64-bit float.
pub struct F64;
impl Lane for F64 {
    type Rep = f64;
    const TY: Ty = Ty::F64;
    const DEFAULT_NAN: (u32, u32) = (0, 0x7ff8_0000);
    #[inline(always)]
    fn is_nan(lo: u32, hi: u32) -> bool {
        f64::is_nan(F64::from_bits(lo, hi))
    }
    #[inline(always)]
    fn quiet(x: f64) -> (u32, u32) {
        let (lo, hi) = F64::to_bits(x);
        (lo, hi | 0x0008_0000)
    }
    #[inline(always)]
    fn from_bits(lo: u32, hi: u32) -> f64 {
        f64::from_bits(u64::from(lo) | u64::from(hi) << 32)
    }
    #[inline(always)]
    fn to_bits(x: f64) -> (u32, u32) {
        let x = x.to_bits();
        (x as u32, (x >> 32) as u32)
    }
    #[inline(always)]
    fn modify(x: f64, abs: bool, neg: bool) -> f64 {
        let bits = x.to_bits() & if abs { !(1 << 63) } else { !0 };
        f64::from_bits(bits ^ if neg { 1 << 63 } else { 0 })
    }
    #[inline(always)]
    fn flush_input(x: f64, mode: Mode) -> f64 {
        if mode.denorm16_64() & 1 == 0 && x.is_subnormal() { 0f64.copysign(x) } else { x }
    }
    #[inline(always)]
    fn finish(x: f64, omod: u8, clamp: bool, mode: Mode) -> f64 {
        let by = scale(omod, mode.denorm16_64(), mode);
        let mut x = if by == 1.0 { x } else { x * f64::from(by) + 0.0 };
        if clamp && (!x.is_nan() || mode.dx10_clamp()) {
            x = if x > 0.0 { if x < 1.0 { x } else { 1.0 } } else { 0.0 };
        }
        if mode.denorm16_64() & 2 == 0 && x.is_subnormal() { 0f64.copysign(x) } else { x }
    }
}

/// 16-bit float, in the low half; a lane computes with it as a 32-bit float, which holds it exactly, and the result
/// is rounded to nearest even.
pub struct F16;
impl Lane for F16 {
    type Rep = f32;
    const TY: Ty = Ty::F16;
    const DEFAULT_NAN: (u32, u32) = (0x7e00, 0);
    #[inline(always)]
    fn is_nan(lo: u32, _: u32) -> bool {
        lo & 0x7fff > 0x7c00
    }
    #[inline(always)]
    fn from_bits(lo: u32, _: u32) -> f32 {
        half::to_f32(lo)
    }
    #[inline(always)]
    fn to_bits(x: f32) -> (u32, u32) {
        (half::from_f32(x), 0)
    }
    #[inline(always)]
    fn modify(x: f32, abs: bool, neg: bool) -> f32 {
        F32::modify(x, abs, neg)
    }
    #[inline(always)]
    fn flush_input(x: f32, mode: Mode) -> f32 {
        if mode.denorm16_64() & 1 == 0 { half::flush(x) } else { x }
    }
    /// Infinities that are no overflow are kept.
    #[inline(always)]
    fn limit(x: f32, mode: Mode) -> f32 {
        if mode.fp16_ovfl() && x.is_finite() { x.clamp(-65504.0, 65504.0) } else { x }
    }
    #[inline(always)]
    fn finish(x: f32, omod: u8, clamp: bool, mode: Mode) -> f32 {
        let scaled = scale_and_clamp(x, omod, clamp, mode.denorm16_64(), mode);
        let x = half::to_f32(half::from_f32(F16::limit(scaled, mode)));
        if mode.denorm16_64() & 2 == 0 { half::flush(x) } else { x }
    }
}

macro_rules! arithmetic_lanes {
    ($($(#[$doc:meta])* $name:ident: $base:ident;)*) => {$(
        $(#[$doc])*
        pub struct $name;
        impl Lane for $name {
            type Rep = <$base as Lane>::Rep;
            const TY: Ty = $base::TY;
            const NAN_RULE: bool = true;
            const DEFAULT_NAN: (u32, u32) = $base::DEFAULT_NAN;
            #[inline(always)]
            fn is_nan(lo: u32, hi: u32) -> bool { $base::is_nan(lo, hi) }
            #[inline(always)]
            fn quiet(x: Self::Rep) -> (u32, u32) { $base::quiet(x) }
            #[inline(always)]
            fn from_bits(lo: u32, hi: u32) -> Self::Rep { $base::from_bits(lo, hi) }
            #[inline(always)]
            fn to_bits(x: Self::Rep) -> (u32, u32) { $base::to_bits(x) }
            #[inline(always)]
            fn limit(x: Self::Rep, mode: Mode) -> Self::Rep { $base::limit(x, mode) }
            #[inline(always)]
            fn finish(x: Self::Rep, omod: u8, clamp: bool, mode: Mode) -> Self::Rep {
                $base::finish(x, omod, clamp, mode)
            }
        }
    )*};
}

arithmetic_lanes! {
    /// 16-bit float, as the result of arithmetic: see [`Lane::NAN_RULE`].
    A16: F16;
    /// 32-bit float, as the result of arithmetic: see [`Lane::NAN_RULE`].
    A32: F32;
    /// 64-bit float, as the result of arithmetic: see [`Lane::NAN_RULE`].
    A64: F64;
}

/// The bits of a result that is NaN by [`Lane::NAN_RULE`], from its sources' bits.
#[inline(always)]
pub fn nan_of<D: Lane, const N: usize>(sources: [(u32, u32); N]) -> (u32, u32) {
    for (lo, hi) in sources {
        if D::is_nan(lo, hi) {
            return D::quiet(D::from_bits(lo, hi));
        }
    }
    D::DEFAULT_NAN
}

/// `r`, with a NaN that the rule of [`Lane::NAN_RULE`] gives.
#[inline(always)]
pub fn ruled32<const N: usize>(r: f32, sources: [f32; N]) -> f32 {
    let mut bits = if r.is_nan() { 0x7fc0_0000 } else { r.to_bits() };
    for x in sources.into_iter().rev() {
        bits = if r.is_nan() && x.is_nan() { x.to_bits() | 0x0040_0000 } else { bits };
    }
    f32::from_bits(bits)
}

/// As [`ruled32`], 64-bit.
#[inline(always)]
pub fn ruled64<const N: usize>(r: f64, sources: [f64; N]) -> f64 {
    let mut bits = if r.is_nan() { 0x7ff8_0000_0000_0000 } else { r.to_bits() };
    for x in sources.into_iter().rev() {
        bits = if r.is_nan() && x.is_nan() { x.to_bits() | 1 << 51 } else { bits };
    }
    f64::from_bits(bits)
}

/// What output modifiers multiply by. They do not count where denormal results are kept (bit 1 of `denorm`), nor in IEEE
/// mode; where they do, a negative zero becomes positive.
#[inline(always)]
fn scale(omod: u8, denorm: u32, mode: Mode) -> f32 {
    if denorm & 2 != 0 || mode.ieee() {
        return 1.0;
    }
    match omod & 3 {
        0 => 1.0,
        1 => 2.0,
        2 => 4.0,
        _ => 0.5,
    }
}

#[inline(always)]
fn scale_and_clamp(x: f32, omod: u8, clamp: bool, denorm: u32, mode: Mode) -> f32 {
    let by = scale(omod, denorm, mode);
    let x = if by == 1.0 { x } else { x * by + 0.0 };
    if !clamp || x.is_nan() && !mode.dx10_clamp() {
        return x;
    }
    // NaN becomes 0 with DX10_CLAMP and stays NaN without; -0 becomes 0.
    if x > 0.0 { if x < 1.0 { x } else { 1.0 } } else { 0.0 }
}
