//! Scalar instructions: one value a wave. Vega ISA, chapter 5, and chapter 12 for each instruction.
//!
//! The notation of `scalar_ops!`: result type, sources with types, value. `[scc]` makes the body give the new condition
//! code too. `|w, i|` in front of the sources names the wave and the instruction, for bodies that need them.

pub mod bits;
pub mod compare;
pub mod control;
pub mod exec_mask;
pub mod fork;
pub mod hwreg;
pub mod int;
pub mod moves;

/// Makes scalar ops. A body gives the value, or with `scc` the value and the new condition code.
#[macro_export]
#[doc(hidden)]
macro_rules! scalar_ops {
    ($($(#[$doc:meta])* $name:ident $text:literal: $D:ident <- $(|$w:ident, $i:ident|)? ($($arg:ident: $T:ident),*) $([$scc:ident])? = $body:expr;)*) => {$(
        $(#[$doc])*
        pub static $name: $crate::Op = $crate::Op {
            name: $text,
            dst: <$crate::lanes::$D as $crate::lanes::Lane>::TY,
            src: &[$(<$crate::lanes::$T as $crate::lanes::Lane>::TY),*],
            traits: $crate::Traits::NONE,
            general: {
                fn general(w: &mut $crate::Wave, _: &mut $crate::Group<'_>, i: &$crate::Inst) -> $crate::Flow {
                    $crate::scalar_ops!(@sources w, i, $($arg: $T),*);
                    $(let ($w, $i) = (&mut *w, i);)?
                    let result = $body;
                    $crate::scalar_ops!(@put $($scc)?, w, i, $D, result);
                    $crate::Flow::Next
                }
                general
            },
            fast: None,
            fast_modified: None,
        };
    )*};
    (@sources $w:ident, $i:ident, $($arg:ident: $T:ident),*) => {
        #[allow(unused_mut, reason = "not every instruction has sources")]
        let mut k = 0;
        $(
            let (lo, hi) = $crate::ops::scalar::source::<$crate::lanes::$T>($w, $i, k);
            let $arg = <$crate::lanes::$T as $crate::lanes::Lane>::from_bits(lo, hi);
            k += 1;
        )*
        let _ = k;
    };
    (@put , $w:ident, $i:ident, $D:ident, $result:ident) => {
        $crate::ops::scalar::put::<$crate::lanes::$D>($w, $i, $result)
    };
    (@put scc, $w:ident, $i:ident, $D:ident, $result:ident) => {{
        $w.scc = $result.1;
        $crate::ops::scalar::put::<$crate::lanes::$D>($w, $i, $result.0)
    }};
}

/// Makes scalar ops whose only result is the condition code.
#[macro_export]
#[doc(hidden)]
macro_rules! condition_ops {
    ($($(#[$doc:meta])* $name:ident $text:literal: $(|$i:ident|)? ($($arg:ident: $T:ident),*) = $body:expr;)*) => {$(
        $(#[$doc])*
        pub static $name: $crate::Op = $crate::Op {
            name: $text,
            dst: $crate::Ty::None,
            src: &[$(<$crate::lanes::$T as $crate::lanes::Lane>::TY),*],
            traits: $crate::Traits::NONE,
            general: {
                fn general(w: &mut $crate::Wave, _: &mut $crate::Group<'_>, i: &$crate::Inst) -> $crate::Flow {
                    $crate::scalar_ops!(@sources w, i, $($arg: $T),*);
                    $(let $i = i;)?
                    w.scc = $body;
                    $crate::Flow::Next
                }
                general
            },
            fast: None,
            fast_modified: None,
        };
    )*};
}

use crate::lanes::Lane;
use crate::{Inst, Wave};

/// Source `k` as `(low, high)`.
#[inline(always)]
pub fn source<T: Lane>(w: &Wave, i: &Inst, k: usize) -> (u32, u32) {
    crate::lanes::scalar_bits(w, i.src[k], T::TY, i.literal)
}

/// Writes a scalar result.
#[inline(always)]
pub fn put<D: Lane>(w: &mut Wave, i: &Inst, x: D::Rep) {
    let (lo, hi) = D::to_bits(x);
    w.set_scalar(i.dst, lo);
    if D::WIDE {
        w.set_scalar(i.dst.plus(1), hi);
    }
}

/// `simm16`, sign-extended.
#[inline(always)]
pub fn simm(i: &Inst) -> i32 {
    i32::from(i.imm as i16)
}
