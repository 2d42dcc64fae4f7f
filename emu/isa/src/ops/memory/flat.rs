//! Flat memory: the high half of an address says whether it is LDS, scratch or global memory.
//! Vega ISA, "Flat memory instructions".

use super::{Place, Shape, Space, address, atomic_ops, load_store_ops, scratch};
use crate::{Group, Inst, Row, TrapKind, Wave};

/// Addresses of `flat_*`.
pub struct Flat;

impl Space for Flat {
    #[inline(always)]
    fn place(w: &Wave, g: &Group<'_>, i: &Inst, l: usize, at: u32, bytes: u32) -> Result<Place, TrapKind> {
        let (lo, hi) = (w.v[i.mem.addr.row()].0[l], w.v[i.mem.addr.plus(1).row()].0[l]);
        let offset = (i.mem.offset as u32).wrapping_add(at);
        if hi == g.shared_aperture_hi {
            return Ok(Place::Lds(lo.wrapping_add(offset)));
        }
        if hi == g.private_aperture_hi {
            return scratch::place(w, l, lo.wrapping_add(offset), bytes);
        }
        let va = (u64::from(lo) | u64::from(hi) << 32).wrapping_add(u64::from(offset));
        Ok(Place::Memory(va))
    }

    #[inline(always)]
    fn shape<'a>(
        w: &'a Wave,
        g: &Group<'_>,
        i: &Inst,
        exec: u64,
        width: u32,
        room: &'a mut Row,
    ) -> Shape<'a> {
        let (lo, hi) = (&w.v[i.mem.addr.row()], &w.v[i.mem.addr.plus(1).row()].0);
        if !address::holds(hi, exec, g.shared_aperture_hi, g.private_aperture_hi) {
            return address::shape(u64::from(i.mem.offset as u32), &lo.0, Some(hi), exec, width);
        }
        let first = hi[exec.trailing_zeros() as usize & 63];
        if !address::is_uniform(hi, exec) {
            return Shape::Other;
        }
        if first == g.shared_aperture_hi {
            return Shape::Lds { lo: &lo.0, offset: i.mem.offset as u32 };
        }
        let base = scratch::base(w);
        scratch::shape(base, w.scratch_lane_bytes, i.mem.offset as u32, Some(lo), exec, width, room)
    }
}

load_store_ops! { Flat, "flat" }
atomic_ops! { Flat, "flat" }
