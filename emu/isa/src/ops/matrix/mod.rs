//! Matrix instructions: MFMA and SMFMAC. MI100, MI200, MI300 and CDNA4 ISA, "Matrix arithmetic instructions".
//!
//! An op is a row: its name and its [`shape::Shape`]. One body runs them all ([`tile`]), on a kernel for the
//! processor at hand ([`kernel`]).

pub mod cdna1;
pub mod cdna3;
pub mod formats;
pub mod kernel;
pub mod scaled;
pub mod shape;
pub mod sparse;
pub mod tile;

/// `matrix_ops! { NAME "mnemonic" = shape; … }`.
macro_rules! matrix_ops {
    ($($name:ident $text:literal = $shape:expr;)*) => {$(
        #[doc = concat!("`", $text, "`.")]
        pub static $name: $crate::Op = {
            const SHAPE: $crate::ops::matrix::shape::Shape = $shape;
            const SOURCES: [$crate::Ty; 3] = SHAPE.sources();
            fn general(w: &mut $crate::Wave, _: &mut $crate::Group<'_>, i: &$crate::Inst) -> $crate::Flow {
                $crate::ops::matrix::kernel::run(w, i, &SHAPE)
            }
            $crate::Op {
                name: $text,
                dst: SHAPE.sum_ty(),
                src: &SOURCES,
                traits: $crate::Traits { formats: SHAPE.names_formats(), ..$crate::Traits::MATRIX },
                general,
                fast: None,
                fast_modified: None,
            }
        };
    )*};
}
pub(crate) use matrix_ops;
