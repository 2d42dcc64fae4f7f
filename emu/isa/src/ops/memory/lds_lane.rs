//! Exchange between lanes through the LDS hardware; no LDS memory is touched. Vega ISA, "DS_PERMUTE_B32",
//! "DS_BPERMUTE_B32", "DS_SWIZZLE_B32".

use super::memory_op;
use crate::lanes::write_row;
use crate::{Flow, Group, Inst, Lanes, Row, Wave};

/// The lane that an address names.
#[inline(always)]
fn lane(address: u32, i: &Inst) -> usize {
    (address.wrapping_add(i.mem.offset as u32) / 4 % 64) as usize
}

/// A copy with zero in lanes that are not active.
#[inline(always)]
fn active(row: &Lanes, exec: u64) -> Row {
    let mut out = Row([0; 64]);
    write_row(&mut out.0, row, exec);
    out
}

/// Each lane sends its data to the lane that its address names; the highest sender wins, who gets nothing reads zero.
#[inline(always)]
fn permute(w: &mut Wave, _: &mut Group<'_>, i: &Inst) -> Flow {
    let exec = w.exec();
    let (address, data) = (&w.v[i.mem.addr.row()].0, &w.v[i.mem.data.row()].0);
    let mut out = Row([0; 64]);
    for l in (0..64).filter(|l| exec >> l & 1 != 0) {
        out.0[lane(address[l], i)] = data[l];
    }
    write_row(&mut w.v[i.dst.row()].0, &out.0, exec);
    Flow::Next
}

/// Each lane takes the data of the lane that its address names; a lane that is not active gives zero.
#[inline(always)]
fn bpermute(w: &mut Wave, _: &mut Group<'_>, i: &Inst) -> Flow {
    let exec = w.exec();
    let address = &w.v[i.mem.addr.row()].0;
    let data = active(&w.v[i.mem.data.row()].0, exec);
    let mut out = Row([0; 64]);
    for (out, address) in out.0.iter_mut().zip(address) {
        *out = data.0[lane(*address, i)];
    }
    write_row(&mut w.v[i.dst.row()].0, &out.0, exec);
    Flow::Next
}

/// The lane that lane `l` reads: `offset` holds a permutation of quads, a mask of bits, or a rotation.
fn swizzle_source(offset: u32, l: usize) -> Option<usize> {
    let pos = l as u32 & 31;
    let source = match offset {
        // FFT order: not here.
        0xe000.. => return None,
        // Rotation by a count under a mask, left or right.
        0xc000..0xe000 => {
            let (mask, count) = (offset & 31, offset >> 5 & 31);
            let turned = if offset >> 10 & 1 == 0 { pos + count } else { pos + 32 - count };
            pos & mask | turned & !mask & 31
        }
        0x8000..0xc000 => pos & !3 | offset >> (2 * (pos & 3)) & 3,
        _ => (pos & offset & 31 | offset >> 5 & 31) ^ (offset >> 10 & 31),
    };
    Some(l & 32 | source as usize & 31)
}

#[inline(always)]
fn swizzle(w: &mut Wave, g: &mut Group<'_>, i: &Inst) -> Flow {
    let exec = w.exec();
    let data = active(&w.v[i.mem.addr.row()].0, exec);
    let mut out = Row([0; 64]);
    for l in 0..64 {
        match swizzle_source(i.mem.offset as u32, l) {
            Some(source) => out.0[l] = data.0[source],
            None => return crate::ops::not_implemented(w, g, i),
        }
    }
    write_row(&mut w.v[i.dst.row()].0, &out.0, exec);
    Flow::Next
}

memory_op! {
    /// Data to another lane: `D[S0 / 4] = S1`.
    DS_PERMUTE_B32 "ds_permute_b32", B32 <- (B32), |w, g, i| permute(w, g, i), |w, g, i| permute(w, g, i)
}
memory_op! {
    /// Data from another lane: `D = S1[S0 / 4]`.
    DS_BPERMUTE_B32 "ds_bpermute_b32", B32 <- (B32), |w, g, i| bpermute(w, g, i), |w, g, i| bpermute(w, g, i)
}
memory_op! {
    /// Data from another lane, in a pattern given by the offset.
    DS_SWIZZLE_B32 "ds_swizzle_b32", B32 [SWIZZLE], |w, g, i| swizzle(w, g, i), |w, g, i| swizzle(w, g, i)
}
