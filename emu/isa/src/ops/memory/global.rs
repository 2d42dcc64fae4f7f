//! Global memory: 64-bit addresses in registers, or a scalar base with a 32-bit register offset.

use super::{Place, Shape, Space, address, atomic_ops, load_store_ops};
use crate::{Group, Inst, Row, TrapKind, Wave};

/// Addresses of `global_*`.
pub struct Global;

impl Space for Global {
    #[inline(always)]
    fn place(w: &Wave, _: &Group<'_>, i: &Inst, l: usize, at: u32, _: u32) -> Result<Place, TrapKind> {
        let lo = u64::from(w.v[i.mem.addr.row()].0[l]);
        let base = if i.mem.saddr.is_none() {
            lo | u64::from(w.v[i.mem.addr.plus(1).row()].0[l]) << 32
        } else {
            w.pair(i.mem.saddr).wrapping_add(lo)
        };
        let va = base.wrapping_add_signed(i64::from(i.mem.offset)).wrapping_add(u64::from(at));
        Ok(Place::Memory(va))
    }

    #[inline(always)]
    fn shape<'a>(w: &'a Wave, _: &Group<'_>, i: &Inst, exec: u64, width: u32, _: &'a mut Row) -> Shape<'a> {
        let lo = &w.v[i.mem.addr.row()].0;
        let offset = i64::from(i.mem.offset) as u64;
        if i.mem.saddr.is_none() {
            address::shape(offset, lo, Some(&w.v[i.mem.addr.plus(1).row()].0), exec, width)
        } else {
            address::shape(w.pair(i.mem.saddr).wrapping_add(offset), lo, None, exec, width)
        }
    }
}

load_store_ops! { Global, "global" }
atomic_ops! { Global, "global" }

macro_rules! lds_loads {
    ($($name:ident $text:literal $doc:literal $E:ident $n:literal;)*) => {$(
        super::memory_op! {
            #[doc = $doc]
            $name $text, None moves (crate::Moves::reads(size_of::<$E>() * $n).to_lds()),
            |w, g, i| super::load_to_lds::<Global, $E, $n>(w, g, i)
        }
    )*};
}

lds_loads! {
    LOAD_LDS_UBYTE "global_load_lds_ubyte" "Loads a byte, zero-extended, into LDS." u8 1;
    LOAD_LDS_SBYTE "global_load_lds_sbyte" "Loads a byte, sign-extended, into LDS." i8 1;
    LOAD_LDS_USHORT "global_load_lds_ushort" "Loads 16 bits, zero-extended, into LDS." u16 1;
    LOAD_LDS_SSHORT "global_load_lds_sshort" "Loads 16 bits, sign-extended, into LDS." i16 1;
    LOAD_LDS_DWORD "global_load_lds_dword" "Loads a dword into LDS." u32 1;
    LOAD_LDS_DWORDX3 "global_load_lds_dwordx3" "Loads three dwords into LDS." u32 3;
    LOAD_LDS_DWORDX4 "global_load_lds_dwordx4" "Loads four dwords into LDS." u32 4;
}
