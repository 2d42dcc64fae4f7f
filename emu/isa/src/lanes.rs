//! Whole-wave operations: how a function of one lane becomes an instruction.
//!
//! `lane_ops!` makes an [`crate::Op`] from a line that reads like the manual. Three bodies come out of it: `general`
//! honours every modifier on any machine, `fast` and `fast_modified` are compiled for [`crate::simd::FEATURES`] and
//! laid out so that the loop over lanes is vector code.

use crate::ops::{dpp, half, sdwa};
use crate::{Extension, Flow, Inst, Lanes, Mode, Operand, Row, Ty, Wave};

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
        let x = scale_and_clamp(x, omod, clamp, mode);
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
        let mut x = match omod & 3 {
            0 => x,
            1 => x * 2.0,
            2 => x * 4.0,
            _ => x * 0.5,
        };
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
    #[inline(always)]
    fn finish(x: f32, omod: u8, clamp: bool, mode: Mode) -> f32 {
        let mut x = half::to_f32(half::from_f32(scale_and_clamp(x, omod, clamp, mode)));
        if mode.fp16_ovfl() && x.is_infinite() {
            x = 65504f32.copysign(x);
        }
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

#[inline(always)]
fn scale_and_clamp(x: f32, omod: u8, clamp: bool, mode: Mode) -> f32 {
    let x = match omod & 3 {
        0 => x,
        1 => x * 2.0,
        2 => x * 4.0,
        _ => x * 0.5,
    };
    if !clamp || x.is_nan() && !mode.dx10_clamp() {
        return x;
    }
    // NaN becomes 0 with DX10_CLAMP and stays NaN without; -0 becomes 0.
    if x > 0.0 { if x < 1.0 { x } else { 1.0 } } else { 0.0 }
}

/// One dword of a scalar source, or a constant, as an operand of type `T` reads it: `(low, high)`.
#[inline(always)]
pub fn scalar_bits<T: Lane>(w: &Wave, o: Operand, literal: u32) -> (u32, u32) {
    if T::WIDE {
        let x = w.scalar64(o, T::TY.is_float(), literal);
        (x as u32, (x >> 32) as u32)
    } else if T::TY.is_16_bit() && o.is_constant() {
        (u32::from(o.constant16(literal)), 0)
    } else {
        (w.scalar32(o, literal), 0)
    }
}

/// `dst = row` in the lanes of `exec`.
#[inline(always)]
pub fn write_row(dst: &mut Lanes, row: &Lanes, exec: u64) {
    if exec == !0 {
        *dst = *row;
        return;
    }
    for half in 0..2 {
        let mask = (exec >> (32 * half)) as u32;
        for l in 0..32 {
            let keep = (mask >> l & 1).wrapping_sub(1);
            let k = 32 * half + l;
            dst[k] = (row[k] & !keep) | (dst[k] & keep);
        }
    }
}

/// Source `k` of any kind, with SDWA, DPP and source modifiers applied, and denormals flushed by the mode.
#[inline(never)]
pub fn fetch<T: Lane>(w: &Wave, i: &Inst, k: usize) -> [T::Rep; 64] {
    let (lo, hi) = source_rows(w, i, k, T::TY);
    let (abs, neg) = (i.mods.abs >> k & 1 != 0, i.mods.neg >> k & 1 != 0);
    core::array::from_fn(|l| T::flush_input(T::modify(T::from_bits(lo.0[l], hi.0[l]), abs, neg), w.mode))
}

/// The registers behind source `k`, with SDWA and DPP applied.
pub fn source_rows(w: &Wave, i: &Inst, k: usize, ty: Ty) -> (Row, Row) {
    let o = i.src[k];
    let wide = ty.dwords() == 2;
    let (lo, hi) = if o.is_vector() {
        (w.v[o.row()].clone(), if wide { w.v[o.plus(1).row()].clone() } else { Row([0; 64]) })
    } else {
        let (lo, hi) = if wide {
            let x = w.scalar64(o, ty.is_float(), i.literal);
            (x as u32, (x >> 32) as u32)
        } else if ty.is_16_bit() && o.is_constant() {
            (u32::from(o.constant16(i.literal)), 0)
        } else {
            (w.scalar32(o, i.literal), 0)
        };
        (Row([lo; 64]), Row([hi; 64]))
    };
    match i.ext {
        Extension::None if ty.is_16_bit() && ty != Ty::P16 && i.mods.op_sel >> k & 1 != 0 => {
            (Row(lo.0.map(|x| x >> 16)), hi)
        }
        Extension::None => (lo, hi),
        Extension::Sdwa { src_sel, sext, .. } if k < 2 => {
            (sdwa::select(lo, src_sel[k], sext >> k & 1 != 0), hi)
        }
        Extension::Dpp { ctrl, .. } if k == 0 => {
            let exec = w.exec();
            (dpp::permute(&lo, ctrl, exec), if wide { dpp::permute(&hi, ctrl, exec) } else { hi })
        }
        _ => (lo, hi),
    }
}

/// The lanes that an instruction writes: `EXEC`, less what DPP leaves out.
pub fn written_lanes(w: &Wave, i: &Inst) -> u64 {
    match i.ext {
        Extension::Dpp { ctrl, bound_ctrl, bank_mask, row_mask } => {
            w.exec() & dpp::written(ctrl, bound_ctrl, bank_mask, row_mask, w.exec())
        }
        _ => w.exec(),
    }
}

/// Output modifiers and the mode's say over a result that is rounded to its format.
#[inline(always)]
fn finish_rows<T: Lane>(lo: &mut Row, hi: &mut Row, omod: u8, clamp: bool, mode: Mode) {
    if !T::TY.is_float() {
        return;
    }
    for (lo, hi) in lo.0.iter_mut().zip(&mut hi.0) {
        (*lo, *hi) = T::to_bits(T::finish(T::from_bits(*lo, *hi), omod, clamp, mode));
    }
}

/// Writes a result through output modifiers, SDWA and the lane mask.
#[inline(never)]
pub fn put<T: Lane>(w: &mut Wave, i: &Inst, r: &[T::Rep; 64]) {
    let (omod, clamp, mode) = (i.mods.omod, i.mods.clamp, w.mode);
    let (mut lo, mut hi) = (Row([0; 64]), Row([0; 64]));
    for (l, &x) in r.iter().enumerate() {
        (lo.0[l], hi.0[l]) = T::to_bits(x);
    }
    finish_rows::<T>(&mut lo, &mut hi, omod, clamp, mode);
    put_rows(w, i, lo, hi, T::TY);
}

/// Writes result registers through SDWA, `op_sel` and the lane mask.
pub fn put_rows(w: &mut Wave, i: &Inst, mut lo: Row, hi: Row, ty: Ty) {
    let lanes = written_lanes(w, i);
    let row = i.dst.row();
    match i.ext {
        Extension::Sdwa { dst_sel, dst_unused, .. } => {
            lo = sdwa::merge(&w.v[row], lo, dst_sel, dst_unused);
        }
        _ if ty.is_16_bit() && ty != Ty::P16 && i.mods.op_sel & 8 != 0 => {
            for (x, old) in lo.0.iter_mut().zip(&w.v[row].0) {
                *x = *x << 16 | old & 0xffff;
            }
        }
        _ if i.op.traits.keeps_high => keep_high(&mut lo, &w.v[row]),
        _ => {}
    }
    write_row(&mut w.v[row].0, &lo.0, lanes);
    if ty.dwords() == 2 {
        write_row(&mut w.v[i.dst.plus(1).row()].0, &hi.0, lanes);
    }
}

/// A 16-bit result beside the destination's old high half.
#[inline(always)]
fn keep_high(lo: &mut Row, old: &Row) {
    for (x, old) in lo.0.iter_mut().zip(&old.0) {
        *x = *x & 0xffff | old & 0xffff_0000;
    }
}

/// Declares a source of a fast body: `lo` and `hi` are its rows, the register's own or a splat made on the stack.
macro_rules! fast_source {
    ($T:ty, $w:ident, $i:ident, $k:expr, $lo:ident, $hi:ident) => {
        let (splat_lo, splat_hi): ($crate::Row, $crate::Row);
        let o = $i.src[$k];
        let ($lo, $hi): (&$crate::Lanes, &$crate::Lanes);
        if o.is_vector() {
            $lo = &$w.v[o.row()].0;
            $hi = if <$T as Lane>::WIDE { &$w.v[o.plus(1).row()].0 } else { $lo };
        } else {
            let (a, b) = scalar_bits::<$T>($w, o, $i.literal);
            splat_lo = $crate::Row([a; 64]);
            $lo = &splat_lo.0;
            $hi = if <$T as Lane>::WIDE {
                splat_hi = $crate::Row([b; 64]);
                &splat_hi.0
            } else {
                $lo
            };
        }
    };
}

#[inline(always)]
fn source<T: Lane, const MODS: bool>(i: &Inst, k: usize, lo: u32, hi: u32) -> T::Rep {
    let x = T::from_bits(lo, hi);
    if MODS { T::modify(x, i.mods.abs >> k & 1 != 0, i.mods.neg >> k & 1 != 0) } else { x }
}

/// Writes a fast body's result: output modifiers with `MODS`, then the active lanes.
#[inline(always)]
pub fn fast_store<D: Lane, const MODS: bool>(w: &mut Wave, i: &Inst, mut lo: Row, mut hi: Row) {
    if MODS && (i.mods.omod != 0 || i.mods.clamp) {
        finish_rows::<D>(&mut lo, &mut hi, i.mods.omod, i.mods.clamp, w.mode);
    }
    let exec = w.exec();
    if D::TY.is_16_bit() && i.op.traits.keeps_high {
        keep_high(&mut lo, &w.v[i.dst.row()]);
    }
    write_row(&mut w.v[i.dst.row()].0, &lo.0, exec);
    if D::WIDE {
        write_row(&mut w.v[i.dst.plus(1).row()].0, &hi.0, exec);
    }
}

/// Whether arithmetic on floats of this type rounds to nearest even.
pub fn rounds_to_nearest(mode: Mode, ty: Ty) -> bool {
    let round = if matches!(ty, Ty::F32 | Ty::P32) { mode.round32() } else { mode.round16_64() };
    round == 0
}

/// Stops the wave: arithmetic in another rounding mode is not implemented.
#[cold]
#[inline(never)]
pub fn refuse_rounding(w: &mut Wave, i: &Inst) -> Flow {
    let mnemonic = format!("{} in a rounding mode other than to nearest", i.op.name);
    let kind = crate::TrapKind::NotImplemented { mnemonic, words: i.words };
    let pc = i.pc(w);
    w.stop(crate::Trap { kind, pc, lane: None })
}

#[inline(always)]
fn any_nan<D: Lane>(lo: &Row, hi: &Row) -> bool {
    let mut any = 0;
    for (&lo, &hi) in lo.0.iter().zip(&hi.0) {
        any |= u32::from(D::is_nan(lo, hi));
    }
    any != 0
}

const fn same_format<D: Lane, T: Lane>() -> bool {
    D::TY.dwords() == T::TY.dwords() && D::TY.is_16_bit() == T::TY.is_16_bit() && T::TY.is_float()
}

/// Puts right the NaNs of a fast body's result; the sources are rows and whether they count.
#[cold]
#[inline(never)]
fn rule_nans<D: Lane, const MODS: bool, const N: usize>(
    i: &Inst,
    sources: [(&Lanes, &Lanes, bool); N],
    lo: &mut Row,
    hi: &mut Row,
) {
    for l in 0..64 {
        if !D::is_nan(lo.0[l], hi.0[l]) {
            continue;
        }
        (lo.0[l], hi.0[l]) = nan_of::<D, N>(core::array::from_fn(|k| {
            let (lo, hi, counts) = sources[k];
            if !counts {
                return (0, 0);
            }
            let (mut lo, mut hi) = (lo[l], hi[l]);
            if MODS {
                let top = if D::WIDE { &mut hi } else { &mut lo };
                let sign = if D::TY.is_16_bit() { 0x8000 } else { 1 << 31 };
                *top &= if i.mods.abs >> k & 1 != 0 { !sign } else { !0 };
                *top ^= if i.mods.neg >> k & 1 != 0 { sign } else { 0 };
            }
            (lo, hi)
        }));
    }
}

macro_rules! fast_bodies {
    ($($(#[$doc:meta])* $name:ident, $compare:ident, $general:ident, $general_compare:ident: $($T:ident $lo:ident $hi:ident $k:literal),*;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name<D: Lane, $($T: Lane,)* const MODS: bool>(w: &mut Wave, i: &Inst, f: impl Fn($($T::Rep),*) -> D::Rep) -> Flow {
            let (mut out_lo, mut out_hi) = (Row([0; 64]), Row([0; 64]));
            {
                let w = &*w;
                $(fast_source!($T, w, i, $k, $lo, $hi);)*
                for l in 0..64 {
                    (out_lo.0[l], out_hi.0[l]) = D::to_bits(f($(source::<$T, MODS>(i, $k, $lo[l], $hi[l])),*));
                }
                if D::NAN_RULE && any_nan::<D>(&out_lo, &out_hi) {
                    rule_nans::<D, MODS, _>(i, [$(($lo, $hi, same_format::<D, $T>())),*], &mut out_lo, &mut out_hi);
                }
            }
            fast_store::<D, MODS>(w, i, out_lo, out_hi);
            Flow::Next
        }

        $(#[$doc])*
        /// The result is a condition: all ones or zero in each lane.
        #[inline(always)]
        pub fn $compare<$($T: Lane,)* const MODS: bool>(w: &Wave, i: &Inst, f: impl Fn($($T::Rep),*) -> bool) -> Row {
            let mut out = Row([0; 64]);
            $(fast_source!($T, w, i, $k, $lo, $hi);)*
            for l in 0..64 {
                out.0[l] = 0u32.wrapping_sub(u32::from(f($(source::<$T, MODS>(i, $k, $lo[l], $hi[l])),*)));
            }
            out
        }

        $(#[$doc])*
        /// With all modifiers, on any machine.
        #[inline(always)]
        pub fn $general<D: Lane, $($T: Lane),*>(w: &mut Wave, i: &Inst, f: impl Fn($($T::Rep),*) -> D::Rep) -> Flow {
            if D::NAN_RULE && !rounds_to_nearest(w.mode, D::TY) {
                return refuse_rounding(w, i);
            }
            $(let $lo = fetch::<$T>(w, i, $k);)*
            let mut r = core::array::from_fn(|l| f($($lo[l]),*));
            if D::NAN_RULE {
                for l in 0..64 {
                    let (lo, hi) = D::to_bits(r[l]);
                    if D::is_nan(lo, hi) {
                        let sources = [$((same_format::<D, $T>(), $T::to_bits($lo[l]))),*];
                        let (lo, hi) = nan_of::<D, _>(sources.map(|(same, bits)| if same { bits } else { (0, 0) }));
                        r[l] = D::from_bits(lo, hi);
                    }
                }
            }
            put::<D>(w, i, &r);
            Flow::Next
        }

        $(#[$doc])*
        /// With all modifiers, on any machine; the result is a condition, one bit a lane.
        #[inline(always)]
        pub fn $general_compare<$($T: Lane),*>(w: &Wave, i: &Inst, f: impl Fn($($T::Rep),*) -> bool) -> u64 {
            $(let $lo = fetch::<$T>(w, i, $k);)*
            (0..64).fold(0, |mask, l| mask | u64::from(f($($lo[l]),*)) << l)
        }
    )*};
}

fast_bodies! {
    /// One source.
    fast1, fast_compare1, general1, general_compare1: A a_lo a_hi 0;
    /// Two sources.
    fast2, fast_compare2, general2, general_compare2: A a_lo a_hi 0, B b_lo b_hi 1;
    /// Three sources.
    fast3, fast_compare3, general3, general_compare3: A a_lo a_hi 0, B b_lo b_hi 1, C c_lo c_hi 2;
}

/// Writes a compare's result: the active lanes' bits, zero elsewhere, to an SGPR pair (or `VCC`).
#[inline(always)]
pub fn put_mask(w: &mut Wave, i: &Inst, mask: u64) -> Flow {
    let mask = mask & w.exec();
    w.set_pair(i.dst, mask);
    Flow::Next
}

/// The rows of one source in a body that is written once for both uses. `FAST`: registers are borrowed, constants
/// spread; otherwise SDWA and DPP are applied.
#[macro_export]
#[doc(hidden)]
macro_rules! wave_source {
    ($fast:expr, $T:ty, $w:ident, $i:ident, $k:expr, $lo:ident, $hi:ident) => {
        let (own_lo, own_hi): ($crate::Row, $crate::Row);
        let ($lo, $hi): (&$crate::Lanes, &$crate::Lanes);
        let o = $i.src[$k];
        if $fast && o.is_vector() {
            $lo = &$w.v[o.row()].0;
            $hi = if <$T as $crate::lanes::Lane>::WIDE { &$w.v[o.plus(1).row()].0 } else { $lo };
        } else {
            (own_lo, own_hi) = if $fast {
                let (a, b) = $crate::lanes::scalar_bits::<$T>($w, o, $i.literal);
                ($crate::Row([a; 64]), $crate::Row([b; 64]))
            } else {
                $crate::lanes::source_rows($w, $i, $k, <$T as $crate::lanes::Lane>::TY)
            };
            $lo = &own_lo.0;
            $hi = &own_hi.0;
        }
    };
}

/// One lane of source `k`, with source modifiers.
#[inline(always)]
pub fn element<T: Lane>(i: &Inst, k: usize, lo: u32, hi: u32) -> T::Rep {
    source::<T, true>(i, k, lo, hi)
}

/// Writes the result of a body that is written once for both uses.
#[inline(always)]
pub fn wave_store<D: Lane, const FAST: bool>(w: &mut Wave, i: &Inst, mut lo: Row, mut hi: Row) {
    if FAST {
        fast_store::<D, true>(w, i, lo, hi);
    } else {
        finish_rows::<D>(&mut lo, &mut hi, i.mods.omod, i.mods.clamp, w.mode);
        put_rows(w, i, lo, hi, D::TY);
    }
}

/// Bit `l` of `mask` in lane `l`: 0 or 1.
#[inline(always)]
pub fn mask_lanes(mask: u64) -> Lanes {
    let mut out = [0; 64];
    for half in 0..2 {
        let bits = (mask >> (32 * half)) as u32;
        for l in 0..32 {
            out[32 * half + l] = bits >> l & 1;
        }
    }
    out
}

/// Makes ops from bodies of whole waves: `= |w, i| expression` that gives a `Flow`. The expression is compiled twice:
/// with the constant `FAST` false for `general`, and true for the fast bodies, which then see neither SDWA nor DPP but
/// any modifier. `sign_bits(&lanes)` is the way to a lane mask in either.
#[macro_export]
#[doc(hidden)]
macro_rules! wave_ops {
    ($($(#[$doc:meta])* $name:ident $text:literal $([$traits:ident])?: $D:ident <- ($($T:ident),*) = |$w:ident, $i:ident| $body:expr;)*) => {$(
        $(#[$doc])*
        pub static $name: $crate::Op = $crate::Op {
            name: $text,
            dst: $crate::Ty::$D,
            src: &[$($crate::Ty::$T),*],
            traits: $crate::lane_ops!(@traits $($traits)?),
            general: {
                #[allow(clippy::redundant_closure, reason = "a function with target features is no `Fn`, a closure is")]
                fn general($w: &mut $crate::Wave, _: &mut $crate::Group<'_>, $i: &$crate::Inst) -> $crate::Flow {
                    #[allow(dead_code, reason = "not every body makes a mask")]
                    fn sign_bits(lanes: &$crate::Lanes) -> u64 { $crate::simd::sign_mask_portable(lanes) }
                    #[allow(dead_code, reason = "not every body asks")]
                    const FAST: bool = false;
                    $body
                }
                general
            },
            fast: $crate::wave_ops!(@fast $w, $i, $body),
            fast_modified: $crate::wave_ops!(@fast $w, $i, $body),
        };
    )*};
    (@fast $w:ident, $i:ident, $body:expr) => {{
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c")]
            #[allow(clippy::redundant_closure, reason = "a function with target features is no `Fn`, a closure is")]
            fn fast($w: &mut $crate::Wave, _: &mut $crate::Group<'_>, $i: &$crate::Inst) -> $crate::Flow {
                #[allow(dead_code, reason = "not every body makes a mask")]
                #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c")]
                #[inline]
                fn sign_bits(lanes: &$crate::Lanes) -> u64 { $crate::simd::sign_mask(lanes) }
                #[allow(dead_code, reason = "not every body asks")]
                const FAST: bool = true;
                $body
            }
            Some(fast as $crate::FastExec)
        }
        #[cfg(not(target_arch = "x86_64"))]
        None
    }};
}

/// Makes one op from a function of a lane. See `ops/float32.rs` for the notation.
#[macro_export]
#[doc(hidden)]
macro_rules! lane_ops {
    ($($(#[$doc:meta])* $name:ident $text:literal $([$traits:ident])?: $D:ident <- ($($arg:ident: $T:ident),+) = $body:expr $(, clamp $clamped:expr)?;)*) => {$(
        $(#[$doc])*
        pub static $name: $crate::Op = $crate::Op {
            name: $text,
            dst: <$crate::lanes::$D as $crate::lanes::Lane>::TY,
            src: &[$(<$crate::lanes::$T as $crate::lanes::Lane>::TY),+],
            traits: $crate::lane_ops!(@traits $($traits)?),
            general: {
                fn general(w: &mut $crate::Wave, _: &mut $crate::Group<'_>, i: &$crate::Inst) -> $crate::Flow {
                    $crate::lane_ops!(@clamp w, i, $D, ($($arg: $T),+), [$($clamped)?]);
                    $crate::lane_ops!(@call general1 general2 general3, ($($T)+),
                        [$crate::lanes::$D, $($crate::lanes::$T),+] (w, i, |$($arg),+| $body))
                }
                general
            },
            fast: $crate::lane_ops!(@fast false, $D, ($($arg: $T),+), $body),
            fast_modified: if <$crate::lanes::$D as $crate::lanes::Lane>::TY.is_float()
                $(|| <$crate::lanes::$T as $crate::lanes::Lane>::TY.is_float())+
            {
                $crate::lane_ops!(@fast true, $D, ($($arg: $T),+), $body)
            } else {
                None
            },
        };
    )*};
    (@clamp $w:ident, $i:ident, $D:ident, ($($arg:ident: $T:ident),+), []) => {};
    (@clamp $w:ident, $i:ident, $D:ident, ($($arg:ident: $T:ident),+), [$clamped:expr]) => {
        if $i.mods.clamp {
            return $crate::lane_ops!(@call general1 general2 general3, ($($T)+),
                [$crate::lanes::$D, $($crate::lanes::$T),+] ($w, $i, |$($arg),+| $clamped));
        }
    };
    (@traits) => { $crate::Traits::NONE };
    (@traits $traits:ident) => { $crate::Traits::$traits };
    (@fast $mods:literal, $D:ident, ($($arg:ident: $T:ident),+), $body:expr) => {{
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c")]
            fn fast(w: &mut $crate::Wave, _: &mut $crate::Group<'_>, i: &$crate::Inst) -> $crate::Flow {
                $crate::lane_ops!(@call fast1 fast2 fast3, ($($T)+),
                    [$crate::lanes::$D, $($crate::lanes::$T,)+ $mods] (w, i, |$($arg),+| $body))
            }
            Some(fast as $crate::FastExec)
        }
        #[cfg(not(target_arch = "x86_64"))]
        None
    }};
    (@call $one:ident $two:ident $three:ident, ($a:ident), [$($G:tt)*] ($($x:tt)*)) => {
        $crate::lanes::$one::<$($G)*>($($x)*)
    };
    (@call $one:ident $two:ident $three:ident, ($a:ident $b:ident), [$($G:tt)*] ($($x:tt)*)) => {
        $crate::lanes::$two::<$($G)*>($($x)*)
    };
    (@call $one:ident $two:ident $three:ident, ($a:ident $b:ident $c:ident), [$($G:tt)*] ($($x:tt)*)) => {
        $crate::lanes::$three::<$($G)*>($($x)*)
    };
}

/// Writes the mask beside a result: carries, to the second destination.
#[inline(always)]
pub fn put_carry(w: &mut Wave, i: &Inst, mask: u64) -> Flow {
    let mask = mask & written_lanes(w, i);
    w.set_pair(i.sdst, mask);
    Flow::Next
}

/// As [`put_mask`], and the result becomes `EXEC`.
#[inline(always)]
pub fn put_mask_and_exec(w: &mut Wave, i: &Inst, mask: u64) -> Flow {
    let mask = mask & w.exec();
    w.set_pair(i.dst, mask);
    w.set_exec(mask);
    Flow::Next
}
