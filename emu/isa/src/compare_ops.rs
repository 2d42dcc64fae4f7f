//! `compare_ops!`: how a predicate of one lane becomes an instruction that writes a lane mask. Its parts are in
//! [`crate::lanes`].

/// Makes ops from predicates of a lane: the result is a lane mask. `NAME / NAMEX "text" / "textx"` makes the form that
/// sets `EXEC` as well.
#[macro_export]
#[doc(hidden)]
macro_rules! compare_ops {
    ($($(#[$doc:meta])* $name:ident / $namex:ident $text:literal / $textx:literal: Mask <- ($($arg:ident: $T:ident),+) = $body:expr;)*) => {$(
        $crate::compare_ops!(@op $(#[$doc])* $name $text put_mask, ($($arg: $T),+) = $body);
        $crate::compare_ops!(@op $(#[$doc])* #[doc = ""] #[doc = "`EXEC` becomes the result as well."] $namex $textx put_mask_and_exec, ($($arg: $T),+) = $body);
    )*};
    (@op $(#[$doc:meta])* $name:ident $text:literal $put:ident, ($($arg:ident: $T:ident),+) = $body:expr) => {
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
                    $crate::lanes::$put(w, i, mask)
                }
                general
            },
            fast: $crate::compare_ops!(@fast false, $put, ($($arg: $T),+), $body),
            fast_modified: if false $(|| <$crate::lanes::$T as $crate::lanes::Lane>::TY.is_float())+ {
                $crate::compare_ops!(@fast true, $put, ($($arg: $T),+), $body)
            } else {
                None
            },
        };
    };
    (@fast $mods:literal, $put:ident, ($($arg:ident: $T:ident),+), $body:expr) => {{
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c")]
            fn fast(w: &mut $crate::Wave, _: &mut $crate::Group<'_>, i: &$crate::Inst) -> $crate::Flow {
                let row = $crate::lane_ops!(@call fast_compare1 fast_compare2 fast_compare3, ($($T)+),
                    [$($crate::lanes::$T,)+ $mods] (w, i, |$($arg),+| $body));
                let mask = $crate::simd::sign_mask(&row.0);
                $crate::lanes::$put(w, i, mask)
            }
            Some(fast as $crate::FastExec)
        }
        #[cfg(not(target_arch = "x86_64"))]
        None
    }};
}
