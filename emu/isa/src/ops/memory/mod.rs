//! Memory instructions: addresses of lanes, and what happens at them.
//!
//! A [`Space`] says where each lane's access goes; loads, stores and atomics are written once, over spaces. Each has two
//! bodies: the general one takes lane after lane and names the first that faults; the fast one looks at the addresses of
//! all lanes first ([`Shape`]) and moves whole registers where they are consecutive or equal.
//!
//! The bounds: an access outside the LDS of the work-group, or outside the wave's scratch, stops the wave, though
//! hardware reads zero and drops the write: code that does it is wrong. Buffers are range-checked as hardware does it,
//! for code may count on that.

pub mod address;
pub mod atomic;
pub mod buffer;
pub mod flat;
pub mod global;
pub mod gws;
pub mod image;
pub mod lds;
pub mod lds_lane;
pub mod lds_src2;
pub mod lds_transpose;
pub mod pixel;
pub mod scratch;
pub mod smem;
mod transfer;
pub mod typed;

pub use address::Shape;
pub use transfer::{Element, fast_load, fast_store, general_load, general_store, load_to_lds};

use crate::mem::MemFault;
use crate::{Flow, Group, Inst, Row, Trap, TrapKind, Wave};

/// Where a lane's access goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Memory at this address.
    Memory(u64),
    /// LDS at this offset.
    Lds(u32),
    /// Scratch: the lane's dword 0 is at `base`, the following ones 256 bytes apart.
    Scratch {
        /// Address of the lane's first dword.
        base: u64,
        /// Byte offset in the lane's scratch.
        offset: u32,
    },
    /// Beyond a range-checked buffer: reads zero, drops writes.
    Nowhere,
}

impl Place {
    /// The place `bytes` further.
    pub fn plus(self, bytes: u32) -> Place {
        match self {
            Place::Memory(va) => Place::Memory(va.wrapping_add(u64::from(bytes))),
            Place::Lds(at) => Place::Lds(at.wrapping_add(bytes)),
            Place::Scratch { base, offset } => Place::Scratch { base, offset: offset.wrapping_add(bytes) },
            Place::Nowhere => Place::Nowhere,
        }
    }

    /// Address of a byte of scratch.
    fn swizzled(base: u64, offset: u32) -> u64 {
        base.wrapping_add(u64::from(offset / 4) * 256 + u64::from(offset % 4))
    }

    /// Reads an element, extended to a dword.
    pub fn load<E: Element>(self, g: &mut Group<'_>) -> Result<u32, TrapKind> {
        match self {
            Place::Memory(va) => Ok(g.mem.load::<E>(va).map_err(kind_of)?.extend()),
            Place::Lds(at) => {
                let at = at as usize;
                match at.checked_add(E::BYTES).and_then(|end| g.lds.get(at..end)) {
                    Some(bytes) => Ok(E::from_slice(bytes).extend()),
                    None => Err(beyond_lds(g, at as u64)),
                }
            }
            Place::Scratch { base, offset } => {
                let mut bytes = [0; 4];
                for (k, byte) in bytes[..E::BYTES].iter_mut().enumerate() {
                    let va = Place::swizzled(base, offset.wrapping_add(k as u32));
                    *byte = g.mem.load::<u8>(va).map_err(kind_of)?;
                }
                Ok(E::from_slice(&bytes).extend())
            }
            Place::Nowhere => Ok(0),
        }
    }

    /// Writes an element.
    pub fn store<E: Element>(self, g: &mut Group<'_>, value: E) -> Result<(), TrapKind> {
        match self {
            Place::Memory(va) => g.mem.store::<E>(va, value).map_err(kind_of),
            Place::Lds(at) => {
                let at = at as usize;
                match at.checked_add(E::BYTES).and_then(|end| g.lds.get_mut(at..end)) {
                    Some(bytes) => {
                        bytes.copy_from_slice(&value.extend().to_le_bytes()[..E::BYTES]);
                        Ok(())
                    }
                    None => Err(beyond_lds(g, at as u64)),
                }
            }
            Place::Scratch { base, offset } => {
                for (k, byte) in value.extend().to_le_bytes()[..E::BYTES].iter().enumerate() {
                    let va = Place::swizzled(base, offset.wrapping_add(k as u32));
                    g.mem.store(va, *byte).map_err(kind_of)?;
                }
                Ok(())
            }
            Place::Nowhere => Ok(()),
        }
    }
}

/// How the instructions of a format find their addresses.
pub trait Space: 'static {
    /// Where `bytes` bytes, `at` bytes behind the start of lane `l`'s access, are.
    fn place(w: &Wave, g: &Group<'_>, i: &Inst, l: usize, at: u32, bytes: u32) -> Result<Place, TrapKind>;

    /// The addresses of all active lanes, which access `width` bytes each, in one piece of knowledge.
    /// `scratch` is room for a row of addresses.
    fn shape<'a>(
        w: &'a Wave,
        g: &Group<'_>,
        i: &Inst,
        exec: u64,
        width: u32,
        scratch: &'a mut Row,
    ) -> Shape<'a>;
}

/// The address that all active lanes access, if it is one.
#[inline(always)]
pub fn shape_uniform<S: Space>(w: &Wave, g: &Group<'_>, i: &Inst, exec: u64, width: u32) -> Option<u64> {
    match S::shape(w, g, i, exec, width, &mut Row([0; 64])) {
        Shape::Uniform(va) => Some(va),
        _ => None,
    }
}

fn kind_of(f: MemFault) -> TrapKind {
    TrapKind::MemoryFault { va: f.va, access: f.access }
}

/// What an access beyond the work-group's LDS is.
pub fn beyond_lds(g: &Group<'_>, offset: u64) -> TrapKind {
    TrapKind::OutOfAperture { segment: "LDS", offset, size: g.lds.len() as u64 }
}

/// Stops the wave with a memory fault.
#[cold]
pub fn fault(w: &mut Wave, i: &Inst, f: MemFault, lane: Option<usize>) -> Flow {
    let pc = i.pc(w);
    w.stop(Trap { kind: kind_of(f), pc, lane: lane.map(|l| l as u8) })
}

/// Stops the wave with what went wrong in a lane.
#[cold]
pub fn place_fault(w: &mut Wave, i: &Inst, kind: TrapKind, l: usize) -> Flow {
    let pc = i.pc(w);
    w.stop(Trap { kind, pc, lane: Some(l as u8) })
}

/// One op with its bodies. `moves` says how many bytes, `fast` is compiled for AVX2.
macro_rules! memory_op {
    ($(#[$doc:meta])* $name:ident $text:expr, $dst:ident $([$traits:ident])? $(<- ($($src:ident),*))? $(moves ($moves:expr))?, $general:expr $(, $fast:expr)?) => {
        $(#[$doc])*
        pub static $name: $crate::Op = $crate::Op {
            name: $text,
            dst: $crate::Ty::$dst,
            src: &[$($($crate::Ty::$src),*)?],
            traits: $crate::Traits { $(moves: $moves,)? ..$crate::lane_ops!(@traits $($traits)?) },
            general: $general,
            fast: $crate::ops::memory::memory_op!(@fast $($fast)?),
            fast_modified: None,
        };
    };
    (@fast) => { None };
    (@fast $fast:expr) => {{
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c")]
            fn fast(w: &mut $crate::Wave, g: &mut $crate::Group<'_>, i: &$crate::Inst) -> $crate::Flow {
                ($fast)(w, g, i)
            }
            Some($crate::Fast::avx2(fast))
        }
        #[cfg(not(target_arch = "x86_64"))]
        None
    }};
}
pub(crate) use memory_op;

/// The loads and stores of a space. Its name goes before `_load_dword` and such.
macro_rules! load_store_ops {
    ($S:ty, $prefix:literal) => {
        $crate::ops::memory::load_store_ops! { @loads $S, $prefix;
            LOAD_UBYTE "_load_ubyte" "Loads a byte, zero-extended." B32 u8 1;
            LOAD_SBYTE "_load_sbyte" "Loads a byte, sign-extended." B32 i8 1;
            LOAD_USHORT "_load_ushort" "Loads 16 bits, zero-extended." B32 u16 1;
            LOAD_SSHORT "_load_sshort" "Loads 16 bits, sign-extended." B32 i16 1;
            LOAD_DWORD "_load_dword" "Loads a dword." B32 u32 1;
            LOAD_DWORDX2 "_load_dwordx2" "Loads two dwords." B64 u32 2;
            LOAD_DWORDX3 "_load_dwordx3" "Loads three dwords." B96 u32 3;
            LOAD_DWORDX4 "_load_dwordx4" "Loads four dwords." B128 u32 4;
        }
        $crate::ops::memory::load_store_ops! { @halves $S, $prefix;
            LOAD_UBYTE_D16 "_load_ubyte_d16" "Loads a byte, zero-extended, into the low half." u8 LOW;
            LOAD_UBYTE_D16_HI "_load_ubyte_d16_hi" "Loads a byte, zero-extended, into the high half." u8 HIGH;
            LOAD_SBYTE_D16 "_load_sbyte_d16" "Loads a byte, sign-extended, into the low half." i8 LOW;
            LOAD_SBYTE_D16_HI "_load_sbyte_d16_hi" "Loads a byte, sign-extended, into the high half." i8 HIGH;
            LOAD_SHORT_D16 "_load_short_d16" "Loads 16 bits into the low half." u16 LOW;
            LOAD_SHORT_D16_HI "_load_short_d16_hi" "Loads 16 bits into the high half." u16 HIGH;
        }
        $crate::ops::memory::load_store_ops! { @stores $S, $prefix;
            STORE_BYTE "_store_byte" "Stores the low byte." B32 u8 1 WHOLE;
            STORE_BYTE_D16_HI "_store_byte_d16_hi" "Stores the low byte of the high half." B32 u8 1 HIGH;
            STORE_SHORT "_store_short" "Stores the low half." B32 u16 1 WHOLE;
            STORE_SHORT_D16_HI "_store_short_d16_hi" "Stores the high half." B32 u16 1 HIGH;
            STORE_DWORD "_store_dword" "Stores a dword." B32 u32 1 WHOLE;
            STORE_DWORDX2 "_store_dwordx2" "Stores two dwords." B64 u32 2 WHOLE;
            STORE_DWORDX3 "_store_dwordx3" "Stores three dwords." B96 u32 3 WHOLE;
            STORE_DWORDX4 "_store_dwordx4" "Stores four dwords." B128 u32 4 WHOLE;
        }
    };
    (@loads $S:ty, $prefix:literal; $($name:ident $text:literal $doc:literal $dst:ident $E:ident $N:literal;)*) => {$(
        $crate::ops::memory::memory_op! {
            #[doc = $doc]
            $name concat!($prefix, $text), $dst moves ($crate::Moves::reads(size_of::<$E>() * $N)),
            |w, g, i| $crate::ops::memory::general_load::<$S, $E, $N, { $crate::ops::memory::WHOLE }>(w, g, i),
            |w, g, i| $crate::ops::memory::fast_load::<$S, $E, $N>(w, g, i)
        }
    )*};
    (@halves $S:ty, $prefix:literal; $($name:ident $text:literal $doc:literal $E:ident $part:ident;)*) => {$(
        $crate::ops::memory::memory_op! {
            #[doc = $doc]
            $name concat!($prefix, $text), B32 moves ($crate::Moves::reads(size_of::<$E>())),
            |w, g, i| $crate::ops::memory::general_load::<$S, $E, 1, { $crate::ops::memory::$part }>(w, g, i)
        }
    )*};
    (@stores $S:ty, $prefix:literal; $($name:ident $text:literal $doc:literal $T:ident $E:ident $N:literal $part:ident;)*) => {$(
        $crate::ops::memory::memory_op! {
            #[doc = $doc]
            $name concat!($prefix, $text), None <- ($T) moves ($crate::Moves::writes(size_of::<$E>() * $N)),
            |w, g, i| $crate::ops::memory::general_store::<$S, $E, $N, { $crate::ops::memory::$part }>(w, g, i),
            |w, g, i| $crate::ops::memory::fast_store::<$S, $E, $N, { $crate::ops::memory::$part }>(w, g, i)
        }
    )*};
}
pub(crate) use load_store_ops;

/// The atomics of a space. Its name goes before `_atomic_add` and such.
macro_rules! atomic_ops {
    ($S:ty, $prefix:literal) => {
        $crate::ops::memory::atomic_ops! { @list $S, $prefix;
            ATOMIC_SWAP "_atomic_swap" B32 B32 Swap32; ATOMIC_CMPSWAP "_atomic_cmpswap" B32 B64 CmpSwap32;
            ATOMIC_ADD "_atomic_add" B32 B32 Add32; ATOMIC_SUB "_atomic_sub" B32 B32 Sub32;
            ATOMIC_SMIN "_atomic_smin" B32 B32 Smin32; ATOMIC_UMIN "_atomic_umin" B32 B32 Umin32;
            ATOMIC_SMAX "_atomic_smax" B32 B32 Smax32; ATOMIC_UMAX "_atomic_umax" B32 B32 Umax32;
            ATOMIC_AND "_atomic_and" B32 B32 And32; ATOMIC_OR "_atomic_or" B32 B32 Or32; ATOMIC_XOR "_atomic_xor" B32 B32 Xor32;
            ATOMIC_INC "_atomic_inc" B32 B32 Inc32; ATOMIC_DEC "_atomic_dec" B32 B32 Dec32;
            ATOMIC_ADD_F32 "_atomic_add_f32" B32 B32 AddF32; ATOMIC_PK_ADD_F16 "_atomic_pk_add_f16" B32 B32 PkAddF16;
            ATOMIC_ADD_F64 "_atomic_add_f64" B64 B64 AddF64;
            ATOMIC_MIN_F64 "_atomic_min_f64" B64 B64 MinF64; ATOMIC_MAX_F64 "_atomic_max_f64" B64 B64 MaxF64;
            ATOMIC_PK_ADD_BF16 "_atomic_pk_add_bf16" B32 B32 PkAddBf16;
            ATOMIC_SWAP_X2 "_atomic_swap_x2" B64 B64 Swap64; ATOMIC_CMPSWAP_X2 "_atomic_cmpswap_x2" B64 B128 CmpSwap64;
            ATOMIC_ADD_X2 "_atomic_add_x2" B64 B64 Add64; ATOMIC_SUB_X2 "_atomic_sub_x2" B64 B64 Sub64;
            ATOMIC_SMIN_X2 "_atomic_smin_x2" B64 B64 Smin64; ATOMIC_UMIN_X2 "_atomic_umin_x2" B64 B64 Umin64;
            ATOMIC_SMAX_X2 "_atomic_smax_x2" B64 B64 Smax64; ATOMIC_UMAX_X2 "_atomic_umax_x2" B64 B64 Umax64;
            ATOMIC_AND_X2 "_atomic_and_x2" B64 B64 And64; ATOMIC_OR_X2 "_atomic_or_x2" B64 B64 Or64;
            ATOMIC_XOR_X2 "_atomic_xor_x2" B64 B64 Xor64;
            ATOMIC_INC_X2 "_atomic_inc_x2" B64 B64 Inc64; ATOMIC_DEC_X2 "_atomic_dec_x2" B64 B64 Dec64;
        }
    };
    (@list $S:ty, $prefix:literal; $($name:ident $text:literal $dst:ident $T:ident $R:ident;)*) => {$(
        $crate::ops::memory::memory_op! {
            #[doc = concat!("Atomic operation [`atomic::", stringify!($R), "`](crate::ops::memory::atomic::", stringify!($R), ").")]
            $name concat!($prefix, $text), $dst [ATOMIC] <- ($T) moves ($crate::Moves::modifies($crate::Ty::$dst.bytes())),
            |w, g, i| $crate::ops::memory::atomic::general::<$S, $crate::ops::memory::atomic::$R>(w, g, i),
            |w, g, i| $crate::ops::memory::atomic::fast::<$S, $crate::ops::memory::atomic::$R>(w, g, i)
        }
    )*};
}
pub(crate) use atomic_ops;

/// A load fills, or a store takes, a whole register.
pub const WHOLE: u8 = 0;
/// A load fills the low half.
pub const LOW: u8 = 1;
/// A load fills, or a store takes, the high half.
pub const HIGH: u8 = 2;
