//! Buffers: memory through a descriptor ("V#") of base, stride, size and swizzle. Vega ISA, "Vector memory buffer
//! instructions".
//!
//! The wave's scratch is a buffer too on generations without architected scratch: swizzled, with the lane's number added
//! to the index, so that consecutive dwords of a lane are 256 bytes apart.

use super::{Place, Shape, Space, address, atomic_ops, load_store_ops, memory_op, place_fault, scratch};
use crate::{Flow, Group, Inst, MemView, Moves, Row, TrapKind, Wave};

/// A buffer descriptor of gfx9.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resource {
    base: u64,
    stride: u32,
    records: u32,
    swizzle: bool,
    add_tid: bool,
    index_stride: u32,
}

impl Resource {
    /// From its four words.
    #[inline(always)]
    pub fn new([a, b, c, d]: [u32; 4]) -> Resource {
        Resource {
            base: u64::from(a) | u64::from(b & 0xffff) << 32,
            stride: b >> 16 & 0x3fff,
            records: c,
            swizzle: b >> 31 != 0,
            add_tid: d >> 23 & 1 != 0,
            index_stride: 8 << (d >> 21 & 3),
        }
    }

    #[inline(always)]
    fn of(w: &Wave, i: &Inst) -> Resource {
        Resource::new(core::array::from_fn(|n| w.s[i.mem.saddr.plus(n as u16).scalar()]))
    }

    /// Whether it is scratch, and not memory that lanes share.
    pub(crate) fn is_scratch(w: &Wave, i: &Inst) -> bool {
        let r = Resource::of(w, i);
        r.swizzle && r.add_tid
    }

    /// Byte offset of `bytes` bytes of element `index`, `offset` bytes into it; `None` out of range.
    fn locate(&self, index: u64, offset: u32, scalar: u32, bytes: u32, indexed: bool) -> Option<u64> {
        let (offset, stride, step) =
            (u64::from(offset), u64::from(self.stride), u64::from(self.index_stride));
        let at = if self.swizzle {
            (index / step * stride + offset / 4 * 4) * step + index % step * 4 + offset % 4
        } else {
            offset + stride * index
        };
        let inside = if self.stride != 0 && indexed {
            index < u64::from(self.records) && (!self.swizzle || offset + u64::from(bytes) <= stride)
        } else {
            at + u64::from(scalar) + u64::from(bytes) <= u64::from(self.records)
        };
        inside.then(|| at + u64::from(scalar))
    }
}

/// Addresses of `buffer_*`.
pub struct Buffer;

impl Space for Buffer {
    fn place(w: &Wave, _: &Group<'_>, i: &Inst, l: usize, at: u32, bytes: u32) -> Result<Place, TrapKind> {
        let r = Resource::of(w, i);
        let scalar = w.scalar32(i.mem.soffset, 0);
        let mut index = if i.mem.idxen { u64::from(w.v[i.mem.addr.row()].0[l]) } else { 0 };
        if r.add_tid {
            index += l as u64;
        }
        let mut offset = i.mem.offset as u32;
        if i.mem.offen {
            // With both, the index comes first.
            offset = offset.wrapping_add(w.v[i.mem.addr.plus(u16::from(i.mem.idxen)).row()].0[l]);
        }
        let indexed = i.mem.idxen || (r.add_tid && !r.swizzle);
        let offset = offset.wrapping_add(at);
        // Swizzled elements are dwords: what crosses one is in several pieces. Scratch of that form knows how.
        if r.swizzle && offset % 4 + bytes > 4 {
            let lane = index * 4;
            let inside = u64::from(offset / 4 + 2) * 256 + u64::from(scalar) <= u64::from(r.records);
            if i.mem.idxen || r.index_stride != 64 || !inside {
                return Ok(Place::Nowhere);
            }
            let base = r.base.wrapping_add(u64::from(scalar)).wrapping_add(lane);
            return Ok(Place::Scratch { base, offset });
        }
        Ok(match r.locate(index, offset, scalar, bytes, indexed) {
            Some(at) => Place::Memory(r.base.wrapping_add(at)),
            None => Place::Nowhere,
        })
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
        if i.mem.idxen {
            return Shape::Other;
        }
        let r = Resource::of(w, i);
        let scalar = w.scalar32(i.mem.soffset, 0);
        let Some(left) = r.records.checked_sub(scalar) else { return Shape::Other };
        let base = r.base.wrapping_add(u64::from(scalar));
        let offset = i.mem.offset as u32;
        let lo = i.mem.offen.then(|| &w.v[i.mem.addr.row()]);
        match (r.swizzle, r.add_tid) {
            // Scratch: whole rows that are inside.
            (true, true) if r.index_stride == 64 => {
                scratch::shape(base, left / 256 * 4, offset, lo, exec, width, room)
            }
            (false, false) => {
                let greatest = match lo {
                    Some(lo) => address::greatest(&lo.0, exec),
                    None => 0,
                };
                if u64::from(greatest) + u64::from(offset) + u64::from(width) > u64::from(left) {
                    return Shape::Other;
                }
                match lo {
                    Some(lo) => {
                        address::shape(base.wrapping_add(u64::from(offset)), &lo.0, None, exec, width)
                    }
                    None => Shape::Uniform(base.wrapping_add(u64::from(offset))),
                }
            }
            _ => Shape::Other,
        }
    }
}

load_store_ops! { Buffer, "buffer" }
atomic_ops! { Buffer, "buffer" }

fn fence(_: &mut Wave, _: &mut Group<'_>, _: &Inst) -> Flow {
    MemView::fence();
    Flow::Next
}

memory_op! {
    /// Writes the first-level cache back and forgets it.
    WBINVL1 "buffer_wbinvl1", None [NO_ADDRESS], fence
}
memory_op! {
    /// Writes volatile lines of the first-level cache back and forgets them.
    WBINVL1_VOL "buffer_wbinvl1_vol", None [NO_ADDRESS], fence
}
memory_op! {
    /// Writes the second-level cache back.
    WBL2 "buffer_wbl2", None [NO_ADDRESS], fence
}
memory_op! {
    /// Forgets the second-level cache.
    INVL2 "buffer_invl2", None [NO_ADDRESS], fence
}
memory_op! {
    /// Forgets cached data, as far as the scope bits say.
    INV "buffer_inv", None [NO_ADDRESS], fence
}

memory_op! {
    /// Stores a dword a lane from LDS, where it lies as a load to LDS puts it.
    STORE_LDS_DWORD "buffer_store_lds_dword", None [NO_ADDRESS] <- (B32) moves (Moves::writes(4)), store_from_lds
}

fn store_from_lds(w: &mut Wave, g: &mut Group<'_>, i: &Inst) -> Flow {
    // There are no registers for addresses.
    let mut inst = i.clone();
    (inst.mem.idxen, inst.mem.offen) = (false, false);
    let (exec, base) = (w.exec(), (w.m0() & 0xffff).wrapping_add(i.mem.offset as u32));
    for l in (0..64).filter(|l| exec >> l & 1 != 0) {
        let moved = Place::Lds(base.wrapping_add(4 * l as u32))
            .load::<u32>(g)
            .and_then(|x| Buffer::place(w, g, &inst, l, 0, 4)?.store(g, x));
        if let Err(kind) = moved {
            return place_fault(w, i, kind, l);
        }
    }
    Flow::Next
}
