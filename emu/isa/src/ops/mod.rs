//! What instructions do, filed by meaning. Numbers and encodings are in `gens/`.

pub mod accvgpr;
pub mod bits;
pub mod carry;
pub mod compare;
pub mod convert;
pub mod convert_small;
pub mod div;
pub mod dot;
pub mod dpp;
pub mod float16;
pub mod float32;
pub mod float64;
pub mod half;
pub mod int16;
pub mod int32;
pub mod int64;
pub mod interp;
pub mod lane;
pub mod matrix;
pub mod memory;
pub mod minmax;
pub mod packed;
pub mod sad;
pub mod scalar;
pub mod scaled_convert;
pub mod sdwa;
pub mod select;
pub mod shift;
pub mod transcendental;

use crate::{Flow, Group, Inst, Trap, TrapKind, Wave};

/// The body of instructions that a generation has and this engine does not run: the wave stops and says which.
pub fn not_implemented(w: &mut Wave, _: &mut Group<'_>, i: &Inst) -> Flow {
    let kind = TrapKind::NotImplemented { mnemonic: i.op.name.to_owned(), words: i.words };
    w.stop(Trap { kind, pc: i.pc(w), lane: None })
}

/// `unimplemented_ops! { /// What it would do. NAME "mnemonic" [TRAITS]: Dst <- (Src, Src); … }`: ops that decode and
/// print, and stop the wave.
#[macro_export]
#[doc(hidden)]
macro_rules! unimplemented_ops {
    ($($(#[$doc:meta])* $name:ident $text:literal $([$traits:ident])? $(: $D:ident <- ($($T:ident),*))?;)*) => {$(
        $(#[$doc])*
        #[doc = "Not implemented: stops the wave."]
        pub static $name: $crate::Op = $crate::Op {
            name: $text,
            dst: $crate::unimplemented_ops!(@dst $($D)?),
            src: &[$($($crate::Ty::$T),*)?],
            traits: $crate::lane_ops!(@traits $($traits)?),
            general: $crate::ops::not_implemented,
            fast: None,
            fast_modified: None,
        };
    )*};
    (@dst) => { $crate::Ty::None };
    (@dst $D:ident) => { $crate::Ty::$D };
}
