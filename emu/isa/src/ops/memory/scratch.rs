//! Scratch, the memory of one lane: consecutive dwords of a lane are 256 bytes apart, so that a wave's accesses to the
//! same offset lie together. Vega ISA, "Flat memory instructions", "Scratch"; MI300 ISA for `sve`.

use super::{Place, Shape, Space, address, load_store_ops};
use crate::{Group, Inst, Operand, Row, TrapKind, Wave};

/// Addresses of `scratch_*`: offset in the lane's scratch from a register, a scalar, or both.
pub struct Scratch;

/// Where the wave's scratch starts: set by the hardware, or by the code in `FLAT_SCRATCH`.
#[inline(always)]
pub fn base(w: &Wave) -> u64 {
    if w.generation.has_architected_flat_scratch { w.flat_scratch } else { w.pair(Operand::FLAT_SCRATCH_LO) }
}

/// The place of an offset in a lane's scratch.
pub fn place(w: &Wave, l: usize, offset: u32, bytes: u32) -> Result<Place, TrapKind> {
    let size = u64::from(w.scratch_lane_bytes);
    if u64::from(offset) + u64::from(bytes) > size {
        return Err(TrapKind::OutOfAperture { segment: "scratch", offset: u64::from(offset), size });
    }
    Ok(Place::Scratch { base: base(w).wrapping_add(4 * l as u64), offset })
}

/// The shape of accesses at `offset` plus each lane's `lo`, in swizzled memory at `base` of `size` bytes a lane.
#[inline(always)]
pub fn shape<'a>(
    base: u64,
    size: u32,
    offset: u32,
    lo: Option<&Row>,
    exec: u64,
    width: u32,
    room: &'a mut Row,
) -> Shape<'a> {
    let align = width.min(4) - 1;
    let fits = |at: u32| at <= size && width <= size - at;
    let first = lo.map_or(0, |lo| lo.0[exec.trailing_zeros() as usize & 63]);
    if lo.is_none_or(|lo| address::is_uniform(&lo.0, exec)) {
        let at = offset.wrapping_add(first);
        if !fits(at) || at & align != 0 {
            return Shape::Other;
        }
        let va = base.wrapping_add(u64::from(at / 4) * 256 + u64::from(at % 4));
        if width >= 4 {
            return Shape::Rows(va);
        }
        *room = Row(core::array::from_fn(|l| 4 * l as u32));
        return Shape::Scattered { base: va, lo: &room.0, hi: None, step: 256 };
    }
    let Some(lo) = lo else { return Shape::Other };
    for l in 0..64 {
        room.0[l] = lo.0[l].wrapping_add(offset);
    }
    if !fits(address::greatest(&room.0, exec)) || address::any_bits(&room.0, exec) & align != 0 {
        return Shape::Other;
    }
    if size > 1 << 24 {
        return Shape::Other;
    }
    for l in 0..64 {
        let at = room.0[l];
        room.0[l] = (at / 4).wrapping_mul(256).wrapping_add(at % 4).wrapping_add(4 * l as u32);
    }
    Shape::Scattered { base, lo: &room.0, hi: None, step: 256 }
}

/// The scalar part of the offset, and the register with the other part.
#[inline(always)]
fn parts(w: &Wave, i: &Inst) -> (u32, bool) {
    let saddr = if i.mem.saddr.is_none() { 0 } else { w.scalar32(i.mem.saddr, 0) };
    // Without `sve` in the encoding it is one or the other.
    let vector = if w.generation.has_architected_flat_scratch { i.mem.sve } else { i.mem.saddr.is_none() };
    (saddr.wrapping_add(i.mem.offset as u32), vector)
}

impl Space for Scratch {
    fn place(w: &Wave, _: &Group<'_>, i: &Inst, l: usize, at: u32, bytes: u32) -> Result<Place, TrapKind> {
        let (mut offset, vector) = parts(w, i);
        if vector {
            offset = offset.wrapping_add(w.v[i.mem.addr.row()].0[l]);
        }
        place(w, l, offset.wrapping_add(at), bytes)
    }

    #[inline(always)]
    fn shape<'a>(
        w: &'a Wave,
        _: &Group<'_>,
        i: &Inst,
        exec: u64,
        width: u32,
        room: &'a mut Row,
    ) -> Shape<'a> {
        let (offset, vector) = parts(w, i);
        let lo = vector.then(|| &w.v[i.mem.addr.row()]);
        shape(base(w), w.scratch_lane_bytes, offset, lo, exec, width, room)
    }
}

load_store_ops! { Scratch, "scratch" }

macro_rules! lds_loads {
    ($($name:ident $text:literal $doc:literal $E:ident;)*) => {$(
        super::memory_op! {
            #[doc = $doc]
            $name $text, None moves (crate::Moves::reads(size_of::<$E>()).to_lds()),
            |w, g, i| super::load_to_lds::<Scratch, $E, 1>(w, g, i)
        }
    )*};
}

lds_loads! {
    LOAD_LDS_UBYTE "scratch_load_lds_ubyte" "Loads a byte, zero-extended, into LDS." u8;
    LOAD_LDS_SBYTE "scratch_load_lds_sbyte" "Loads a byte, sign-extended, into LDS." i8;
    LOAD_LDS_USHORT "scratch_load_lds_ushort" "Loads 16 bits, zero-extended, into LDS." u16;
    LOAD_LDS_SSHORT "scratch_load_lds_sshort" "Loads 16 bits, sign-extended, into LDS." i16;
    LOAD_LDS_DWORD "scratch_load_lds_dword" "Loads a dword into LDS." u32;
}
