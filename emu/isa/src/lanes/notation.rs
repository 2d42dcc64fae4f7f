//! The macros that make [`crate::Op`]s: of functions of a lane, of bodies of whole waves, of predicates.

/// The fast bodies of one expression: the same code, compiled for each set of processor features.
#[macro_export]
#[doc(hidden)]
macro_rules! fast_bodies_of {
    (|$w:ident, $g:ident, $i:ident| $body:expr) => {{
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c")]
            #[allow(
                clippy::redundant_closure,
                reason = "a function with target features is no `Fn`, a closure is"
            )]
            fn avx2($w: &mut $crate::Wave, $g: &mut $crate::Group<'_>, $i: &$crate::Inst) -> $crate::Flow {
                $body
            }
            #[target_feature(
                enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c,avx512f,avx512bw,avx512dq,avx512vl"
            )]
            #[allow(
                clippy::redundant_closure,
                reason = "a function with target features is no `Fn`, a closure is"
            )]
            fn avx512($w: &mut $crate::Wave, $g: &mut $crate::Group<'_>, $i: &$crate::Inst) -> $crate::Flow {
                $body
            }
            Some($crate::Fast { avx2, avx512 })
        }
        #[cfg(not(target_arch = "x86_64"))]
        None
    }};
}

/// Makes ops from bodies of whole waves: `= |w, i| expression` that gives a `Flow`. The expression is compiled twice:
/// with the constant `FAST` false for `general`, and true for the fast bodies, which then see neither SDWA nor DPP but
/// any modifier. `sign_bits(&lanes)` is the way to a lane mask in either.
#[macro_export]
#[doc(hidden)]
macro_rules! wave_ops {
    ($($(#[$doc:meta])* $name:ident $text:literal $([$traits:ident])?: $D:ident <- ($($T:ident),*) = |$w:ident, $i:ident| $body:expr;)*) => {$(
        $(#[$doc])*
        pub static $name: $crate::Op = {
            const BOTH: Option<$crate::Fast> = $crate::wave_ops!(@fast $w, $i, $body);
            $crate::Op {
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
                fast: BOTH,
                fast_modified: BOTH,
            }
        };
    )*};
    (@fast $w:ident, $i:ident, $body:expr) => {
        $crate::fast_bodies_of!(|$w, _g, $i| {
            #[cfg(target_arch = "x86_64")]
            #[allow(dead_code, reason = "not every body makes a mask")]
            #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c")]
            #[inline]
            fn sign_bits(lanes: &$crate::Lanes) -> u64 { $crate::simd::sign_mask(lanes) }
            #[allow(dead_code, reason = "not every body asks")]
            const FAST: bool = true;
            $body
        })
    };
}

/// Makes one op from a function of a lane. See `ops/float32.rs` for the notation. `, clamp value` says what an integer
/// operation gives with `clamp`; `, rounded value` says it of [`crate::exact::Exact`] numbers, for modes in which the host
/// would round otherwise. What has no such value is exact, or does not heed the rounding mode.
#[macro_export]
#[doc(hidden)]
macro_rules! lane_ops {
    ($($(#[$doc:meta])* $name:ident $text:literal $([$traits:ident])?: $D:ident <- ($($arg:ident: $T:ident),+) = $body:expr $(, clamp $clamped:expr)? $(, rounded $rounded:expr)?;)*) => {$(
        $(#[$doc])*
        pub static $name: $crate::Op = $crate::Op {
            name: $text,
            dst: <$crate::lanes::$D as $crate::lanes::Lane>::TY,
            src: &[$(<$crate::lanes::$T as $crate::lanes::Lane>::TY),+],
            traits: $crate::lane_ops!(@traits $($traits)?),
            general: {
                fn general(w: &mut $crate::Wave, _: &mut $crate::Group<'_>, i: &$crate::Inst) -> $crate::Flow {
                    $crate::lane_ops!(@clamp w, i, $D, ($($arg: $T),+), [$($clamped)?]);
                    $crate::lane_ops!(@rounded w, i, $D, ($($arg),+), [$($rounded)?]);
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
    (@rounded $w:ident, $i:ident, $D:ident, ($($arg:ident),+), []) => {};
    (@rounded $w:ident, $i:ident, $D:ident, ($($arg:ident),+), [$rounded:expr]) => {
        if let Some(target) = $crate::lanes::unusual($w.mode, <$crate::lanes::$D as $crate::lanes::Lane>::TY) {
            return $crate::lanes::rounded($w, $i, target, &|[$($arg,)+ ..]| $rounded);
        }
    };
    (@traits) => { $crate::Traits::NONE };
    (@traits $traits:ident) => { $crate::Traits::$traits };
    (@fast $mods:literal, $D:ident, ($($arg:ident: $T:ident),+), $body:expr) => {
        $crate::fast_bodies_of!(|w, _g, i| {
            $crate::lane_ops!(@call fast1 fast2 fast3, ($($T)+),
                [$crate::lanes::$D, $($crate::lanes::$T,)+ $mods] (w, i, |$($arg),+| $body))
        })
    };
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

/// Makes ops from predicates of a lane: the result is a lane mask. `NAME / NAMEX "text" / "textx"` makes the form that
/// sets `EXEC` as well, of the same bodies.
#[macro_export]
#[doc(hidden)]
macro_rules! compare_ops {
    ($($(#[$doc:meta])* $name:ident / $namex:ident $text:literal / $textx:literal: Mask <- ($($arg:ident: $T:ident),+) = $body:expr;)*) => {$(
        $(#[$doc])*
        pub static $name: $crate::Op = $crate::Op {
            name: $text,
            dst: $crate::Ty::Mask,
            src: &[$(<$crate::lanes::$T as $crate::lanes::Lane>::TY),+],
            traits: $crate::Traits::NONE,
            general: {
                fn general(w: &mut $crate::Wave, _: &mut $crate::Group<'_>, i: &$crate::Inst) -> $crate::Flow {
                    let mask = $crate::lane_ops!(@call general_compare1 general_compare2 general_compare3, ($($T)+),
                        [$($crate::lanes::$T),+] (w, i, |$($arg),+| $body));
                    $crate::lanes::put_mask(w, i, mask)
                }
                general
            },
            fast: $crate::compare_ops!(@fast false, ($($arg: $T),+), $body),
            fast_modified: if false $(|| <$crate::lanes::$T as $crate::lanes::Lane>::TY.is_float())+ {
                $crate::compare_ops!(@fast true, ($($arg: $T),+), $body)
            } else {
                None
            },
        };
        $(#[$doc])*
        #[doc = ""]
        #[doc = "`EXEC` becomes the result as well."]
        pub static $namex: $crate::Op = $crate::Op {
            name: $textx,
            dst: $name.dst,
            src: $name.src,
            traits: $crate::Traits::SETS_EXEC,
            general: $name.general,
            fast: $name.fast,
            fast_modified: $name.fast_modified,
        };
    )*};
    (@fast $mods:literal, ($($arg:ident: $T:ident),+), $body:expr) => {
        $crate::fast_bodies_of!(|w, _g, i| {
            let row = $crate::lane_ops!(@call fast_compare1 fast_compare2 fast_compare3, ($($T)+),
                [$($crate::lanes::$T,)+ $mods] (w, i, |$($arg),+| $body));
            let mask = $crate::simd::sign_mask(&row.0);
            $crate::lanes::put_mask(w, i, mask)
        })
    };
}
