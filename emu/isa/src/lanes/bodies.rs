//! Bodies: the loop over lanes, once for any machine with all modifiers, once for vector code.

use super::registers::{finish_rows, keep_high};
use super::{Lane, fetch, nan_of, put, put_rows, scalar_bits, write_row};
use crate::{Flow, Inst, Lanes, Row, Wave};

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
            let (a, b) = scalar_bits($w, o, <$T as Lane>::TY, $i.literal);
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
    // Output scaling does not count in a plain mode, which keeps denormal results.
    if MODS && i.mods.clamp {
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

/// The first register of a result: made whole, so that it is not filled with zeros first.
#[inline(always)]
pub fn low_row(lane: impl Fn(usize) -> (u32, u32)) -> Row {
    Row(core::array::from_fn(|l| lane(l).0))
}

/// The second register of a result, if it has one.
#[inline(always)]
pub fn high_row<D: Lane>(lane: impl Fn(usize) -> (u32, u32)) -> Row {
    Row(core::array::from_fn(|l| if D::WIDE { lane(l).1 } else { 0 }))
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

/// The value of a lane of a fast body's result, with the rule of NaNs; the sources are rows and whether they count.
#[inline(always)]
fn mended<D: Lane, const MODS: bool, const N: usize>(
    i: &Inst,
    sources: [(&Lanes, &Lanes, bool); N],
    l: usize,
    (lo, hi): (u32, u32),
) -> (u32, u32) {
    if !D::is_nan(lo, hi) {
        return (lo, hi);
    }
    nan_of::<D, N>(core::array::from_fn(|k| {
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
    }))
}

/// A result with its NaNs put right. The row goes by value: one whose address was given away once might be any
/// register's to the compiler, and nothing would become vector code.
#[cold]
#[inline(never)]
fn rule_nans<D: Lane, const MODS: bool, const N: usize>(
    i: &Inst,
    sources: [(&Lanes, &Lanes, bool); N],
    mut lo: Row,
) -> Row {
    for (l, lo) in lo.0.iter_mut().enumerate() {
        *lo = mended::<D, MODS, N>(i, sources, l, (*lo, 0)).0;
    }
    lo
}

/// As [`rule_nans`], of a register pair.
#[cold]
#[inline(never)]
fn rule_wide_nans<D: Lane, const MODS: bool, const N: usize>(
    i: &Inst,
    sources: [(&Lanes, &Lanes, bool); N],
    mut lo: Row,
    mut hi: Row,
) -> (Row, Row) {
    for (l, (lo, hi)) in lo.0.iter_mut().zip(&mut hi.0).enumerate() {
        (*lo, *hi) = mended::<D, MODS, N>(i, sources, l, (*lo, *hi));
    }
    (lo, hi)
}

macro_rules! fast_bodies {
    ($($(#[$doc:meta])* $name:ident, $compare:ident, $general:ident, $general_compare:ident: $($T:ident $lo:ident $hi:ident $k:literal),*;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name<D: Lane, $($T: Lane,)* const MODS: bool>(w: &mut Wave, i: &Inst, f: impl Fn($($T::Rep),*) -> D::Rep) -> Flow {
            if D::WIDE {
                let (mut lo, mut hi) = (Row([0; 64]), Row([0; 64]));
                {
                    let w = &*w;
                    $(fast_source!($T, w, i, $k, $lo, $hi);)*
                    for l in 0..64 {
                        (lo.0[l], hi.0[l]) = D::to_bits(f($(source::<$T, MODS>(i, $k, $lo[l], $hi[l])),*));
                    }
                    if D::NAN_RULE && any_nan::<D>(&lo, &hi) {
                        let sources = [$(($lo, $hi, same_format::<D, $T>())),*];
                        (lo, hi) = rule_wide_nans::<D, MODS, _>(i, sources, lo, hi);
                    }
                }
                fast_store::<D, MODS>(w, i, lo, hi);
            } else {
                let mut lo;
                {
                    let w = &*w;
                    $(fast_source!($T, w, i, $k, $lo, $hi);)*
                    lo = low_row(|l| D::to_bits(f($(source::<$T, MODS>(i, $k, $lo[l], $hi[l])),*)));
                    if D::NAN_RULE && any_nan::<D>(&lo, &Row([0; 64])) {
                        let sources = [$(($lo, $hi, same_format::<D, $T>())),*];
                        lo = rule_nans::<D, MODS, _>(i, sources, lo);
                    }
                }
                fast_store::<D, MODS>(w, i, lo, Row([0; 64]));
            }
            Flow::Next
        }

        $(#[$doc])*
        /// The result is a condition: all ones or zero in each lane.
        #[inline(always)]
        pub fn $compare<$($T: Lane,)* const MODS: bool>(w: &Wave, i: &Inst, f: impl Fn($($T::Rep),*) -> bool) -> Row {
            $(fast_source!($T, w, i, $k, $lo, $hi);)*
            let lane = |l: usize| f($(source::<$T, MODS>(i, $k, $lo[l], $hi[l])),*);
            Row(core::array::from_fn(|l| 0u32.wrapping_sub(u32::from(lane(l)))))
        }

        $(#[$doc])*
        /// With all modifiers, on any machine.
        #[inline(always)]
        pub fn $general<D: Lane, $($T: Lane),*>(w: &mut Wave, i: &Inst, f: impl Fn($($T::Rep),*) -> D::Rep) -> Flow {
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
                let (a, b) = $crate::lanes::scalar_bits($w, o, <$T as $crate::lanes::Lane>::TY, $i.literal);
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
