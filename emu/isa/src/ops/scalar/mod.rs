//! Scalar instructions: one value a wave.

pub mod control;
pub mod int;

/// Makes scalar ops. A body gives the value, or with `scc` the value and the new condition code.
#[macro_export]
#[doc(hidden)]
macro_rules! scalar_ops {
    ($($(#[$doc:meta])* $name:ident $text:literal: $D:ident <- ($($arg:ident: $T:ident),*) $([$scc:ident])? = $body:expr;)*) => {$(
        $(#[$doc])*
        pub static $name: $crate::Op = $crate::Op {
            name: $text,
            dst: <$crate::lanes::$D as $crate::lanes::Lane>::TY,
            src: &[$(<$crate::lanes::$T as $crate::lanes::Lane>::TY),*],
            traits: $crate::Traits::NONE,
            general: {
                fn general(w: &mut $crate::Wave, _: &mut $crate::Group<'_>, i: &$crate::Inst) -> $crate::Flow {
                    use $crate::lanes::Lane;
                    let mut k = 0;
                    $(
                        let (lo, hi) = $crate::lanes::scalar_bits::<$crate::lanes::$T>(w, i.src[k], i.literal);
                        let $arg = <$crate::lanes::$T as Lane>::from_bits(lo, hi);
                        k += 1;
                    )*
                    let _ = k;
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
    (@put , $w:ident, $i:ident, $D:ident, $result:ident) => {
        $crate::ops::scalar::put::<$crate::lanes::$D>($w, $i, $result)
    };
    (@put scc, $w:ident, $i:ident, $D:ident, $result:ident) => {{
        $w.scc = $result.1;
        $crate::ops::scalar::put::<$crate::lanes::$D>($w, $i, $result.0)
    }};
}

/// Writes a scalar result.
#[inline(always)]
pub fn put<D: crate::lanes::Lane>(w: &mut crate::Wave, i: &crate::Inst, x: D::Rep) {
    let (lo, hi) = D::to_bits(x);
    w.set_scalar(i.dst, lo);
    if D::WIDE {
        w.set_scalar(i.dst.plus(1), hi);
    }
}
