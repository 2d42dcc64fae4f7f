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
pub mod graphics;
pub mod half;
pub mod int16;
pub mod int32;
pub mod int64;
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

use crate::{Flow, Group, Inst, Refusal, Trap, TrapKind, Wave};

/// Stops the wave: an instruction needs what is not there.
#[cold]
pub fn refuse(w: &mut Wave, i: &Inst, why: Refusal) -> Flow {
    let kind = TrapKind::NotImplemented { mnemonic: format!("{}: {why}", i.op.name), words: i.words };
    let pc = i.pc(w);
    w.stop(Trap { kind, pc, lane: None })
}

/// The body of instructions that a generation has and this engine does not run: the wave stops and says which, and why.
pub fn not_implemented(w: &mut Wave, _: &mut Group<'_>, i: &Inst) -> Flow {
    match i.op.traits.refused {
        Some(why) => refuse(w, i, why),
        None => {
            let kind = TrapKind::NotImplemented { mnemonic: i.op.name.to_owned(), words: i.words };
            let pc = i.pc(w);
            w.stop(Trap { kind, pc, lane: None })
        }
    }
}

/// `refused_ops! { Refusal; /// What it would do. NAME "mnemonic" [TRAITS]: Dst <- (Src, Src); … }`: ops that decode and
/// print, and stop the wave.
#[macro_export]
#[doc(hidden)]
macro_rules! refused_ops {
    ($why:ident; $($(#[$doc:meta])* $name:ident $text:literal $([$traits:ident])? $(: $D:ident <- ($($T:ident),*))?;)*) => {$(
        $(#[$doc])*
        #[doc = "Not run: stops the wave."]
        pub static $name: $crate::Op = $crate::Op {
            name: $text,
            dst: $crate::refused_ops!(@dst $($D)?),
            src: &[$($($crate::Ty::$T),*)?],
            traits: $crate::Traits { refused: Some($crate::Refusal::$why), ..$crate::lane_ops!(@traits $($traits)?) },
            general: $crate::ops::not_implemented,
            fast: None,
            fast_modified: None,
        };
    )*};
    (@dst) => { $crate::Ty::None };
    (@dst $D:ident) => { $crate::Ty::$D };
}
