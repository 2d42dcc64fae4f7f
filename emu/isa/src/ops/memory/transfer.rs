//! Loads and stores over any [`Space`]: the general bodies, lane after lane, and the fast ones, whole registers.

#![allow(clippy::needless_range_loop, reason = "loops over lanes that become vector code")]

use super::{HIGH, LOW, Place, Shape, Space, WHOLE, lds, place_fault};
use crate::lanes::write_row;
use crate::mem::Plain;
use crate::{Flow, Group, Inst, Row, Wave};

/// What a load or store moves for a lane: a byte, a half, a dword.
pub trait Element: Plain {
    /// Width.
    const BYTES: usize = size_of::<Self>();
    /// As a dword.
    fn extend(self) -> u32;
    /// From the low part of a dword.
    fn truncate(x: u32) -> Self;
    /// From at least [`Element::BYTES`] bytes; missing ones are zero.
    #[inline(always)]
    fn from_slice(bytes: &[u8]) -> Self {
        let mut x = 0;
        for (k, byte) in bytes.iter().take(Self::BYTES).enumerate() {
            x |= u32::from(*byte) << (8 * k);
        }
        Self::truncate(x)
    }
}

macro_rules! elements {
    ($($T:ident: $x:ident => $extend:expr;)*) => {$(
        impl Element for $T {
            #[inline(always)]
            fn extend(self) -> u32 { let $x = self; $extend }
            #[inline(always)]
            fn truncate(x: u32) -> $T { x as $T }
        }
    )*};
}

elements! {
    u8: x => u32::from(x);
    i8: x => i32::from(x) as u32;
    u16: x => u32::from(x);
    i16: x => i32::from(x) as u32;
    u32: x => x;
}

/// Loads `N` elements a lane. `PART`: [`WHOLE`] registers, or a half of one.
pub fn general_load<S: Space, E: Element, const N: usize, const PART: u8>(
    w: &mut Wave,
    g: &mut Group<'_>,
    i: &Inst,
) -> Flow {
    const { assert!(N <= MOST, "more elements than a lane can move") };
    load_lanes::<S, E>(w, g, i, N, PART)
}

/// Most elements that a lane moves at a time.
const MOST: usize = 4;

/// Not generic over their number and part: that would be as many copies for what is seldom run.
#[inline(never)]
fn load_lanes<S: Space, E: Element>(
    w: &mut Wave,
    g: &mut Group<'_>,
    i: &Inst,
    count: usize,
    part: u8,
) -> Flow {
    let exec = w.exec();
    // Addresses may be in the registers that are loaded: all lanes are read before any is written.
    let mut rows = [const { Row([0; 64]) }; MOST];
    let out = &mut rows[..count];
    if let Err(flow) = read_lanes::<S, E>(w, g, i, exec, out) {
        return flow;
    }
    if i.mem.lds {
        return to_lds(w, g, i, exec, out);
    }
    for (k, row) in out.iter_mut().enumerate() {
        write_part(&mut w.v[i.dst.plus(k as u16).row()], row, part, exec);
    }
    Flow::Next
}

/// Reads an element a row for each active lane; with a fault, what the wave does then.
fn read_lanes<S: Space, E: Element>(
    w: &mut Wave,
    g: &mut Group<'_>,
    i: &Inst,
    exec: u64,
    rows: &mut [Row],
) -> Result<(), Flow> {
    for l in (0..64).filter(|l| exec >> l & 1 != 0) {
        for (k, row) in rows.iter_mut().enumerate() {
            let at = 4 * k as u32;
            match S::place(w, g, i, l, at, E::BYTES as u32).and_then(|p| p.load::<E>(g)) {
                Ok(x) => row.0[l] = x,
                Err(kind) => return Err(place_fault(w, i, kind, l)),
            }
        }
    }
    Ok(())
}

/// `dst = row` in the lanes of `exec`, or the half of it that `part` names.
#[inline(always)]
pub(super) fn write_part(dst: &mut Row, row: &mut Row, part: u8, exec: u64) {
    let both = row.0.iter_mut().zip(&dst.0);
    match part {
        LOW => both.for_each(|(x, old)| *x = *x & 0xffff | old & 0xffff_0000),
        HIGH => both.for_each(|(x, old)| *x = *x << 16 | old & 0xffff),
        _ => {}
    }
    write_row(&mut dst.0, &row.0, exec);
}

/// `*_load_lds_*`: loads `N` elements a lane into LDS.
pub fn load_to_lds<S: Space, E: Element, const N: usize>(w: &mut Wave, g: &mut Group<'_>, i: &Inst) -> Flow {
    let exec = w.exec();
    let mut rows = [const { Row([0; 64]) }; N];
    match read_lanes::<S, E>(w, g, i, exec, &mut rows) {
        Ok(()) => to_lds(w, g, i, exec, &rows),
        Err(flow) => flow,
    }
}

/// A load of dwords into LDS: lane `l` to the offset in `M0`, plus the instruction's, plus as many bytes as `l` lanes
/// load. (`M0` gives 16 bits, or 18 where the LDS is greater than 64 KiB.)
pub fn to_lds(w: &mut Wave, g: &mut Group<'_>, i: &Inst, exec: u64, rows: &[Row]) -> Flow {
    let mask = if g.lds.len() > 1 << 16 { 0x3_ffff } else { 0xffff };
    let base = (w.m0() & mask).wrapping_add(i.mem.offset as u32);
    for l in (0..64).filter(|l| exec >> l & 1 != 0) {
        for (k, row) in rows.iter().enumerate() {
            let place = Place::Lds(base.wrapping_add(4 * (l * rows.len() + k) as u32));
            if let Err(kind) = place.store(g, row.0[l]) {
                return place_fault(w, i, kind, l);
            }
        }
    }
    Flow::Next
}

/// Stores `N` elements a lane. `PART`: from the low end, or the high half, of a register.
pub fn general_store<S: Space, E: Element, const N: usize, const PART: u8>(
    w: &mut Wave,
    g: &mut Group<'_>,
    i: &Inst,
) -> Flow {
    store_lanes::<S, E>(w, g, i, N, PART)
}

#[inline(never)]
fn store_lanes<S: Space, E: Element>(
    w: &mut Wave,
    g: &mut Group<'_>,
    i: &Inst,
    count: usize,
    part: u8,
) -> Flow {
    let exec = w.exec();
    for l in (0..64).filter(|l| exec >> l & 1 != 0) {
        for k in 0..count {
            let x = w.v[i.mem.data.plus(k as u16).row()].0[l];
            let x = E::truncate(if part == HIGH { x >> 16 } else { x });
            let stored = S::place(w, g, i, l, 4 * k as u32, E::BYTES as u32).and_then(|p| p.store::<E>(g, x));
            if let Err(kind) = stored {
                return place_fault(w, i, kind, l);
            }
        }
    }
    Flow::Next
}

/// As [`general_load`], by whole registers where the addresses allow it; what they do not is left to that.
#[inline(always)]
pub fn fast_load<S: Space, E: Element, const N: usize>(w: &mut Wave, g: &mut Group<'_>, i: &Inst) -> Flow {
    let exec = w.exec();
    if exec == 0 {
        return Flow::Next;
    }
    let width = (E::BYTES * N) as u32;
    let mut room = Row([0; 64]);
    let mut out = [const { Row([0; 64]) }; N];
    let (first, last) =
        (exec.trailing_zeros() as usize & 63, 63usize.saturating_sub(exec.leading_zeros() as usize));
    let done = match S::shape(w, g, i, exec, width, &mut room) {
        Shape::Consecutive(va) if N == 1 && E::BYTES == 4 && exec == !0 => {
            g.mem.load_row(va, &mut out[0].0).ok()
        }
        Shape::Consecutive(va) => g.mem.load_consecutive::<E, N>(va, first, last).map(|lanes| {
            for (k, row) in out.iter_mut().enumerate() {
                for l in 0..64 {
                    row.0[l] = lanes[l][k].extend();
                }
            }
        }),
        Shape::Uniform(va) => g.mem.load_array::<E, N>(va).map(|x| {
            for k in 0..N {
                out[k] = Row([x[k].extend(); 64]);
            }
        }),
        Shape::Rows(va) => {
            let mut done = Some(());
            for (k, row) in out.iter_mut().enumerate() {
                if g.mem.load_row(va.wrapping_add(256 * k as u64), &mut row.0).is_err() {
                    done = None;
                }
            }
            done
        }
        Shape::Scattered { base, lo, hi, step } => {
            g.mem.gather::<E, N>(base, lo, hi, step, exec, |l, k, x| out[k].0[l] = x.extend())
        }
        Shape::Lds { lo, offset } => {
            lds::read_rows::<E, N, 1>(&g.lds, lo, [offset], exec, core::array::from_mut(&mut out)).ok()
        }
        Shape::Other => None,
    };
    if done.is_none() {
        return general_load::<S, E, N, WHOLE>(w, g, i);
    }
    for (k, row) in out.iter().enumerate() {
        write_row(&mut w.v[i.dst.plus(k as u16).row()].0, &row.0, exec);
    }
    Flow::Next
}

/// As [`general_store`], by whole registers where the addresses allow it; what they do not is left to that.
#[inline(always)]
pub fn fast_store<S: Space, E: Element, const N: usize, const PART: u8>(
    w: &mut Wave,
    g: &mut Group<'_>,
    i: &Inst,
) -> Flow {
    let exec = w.exec();
    if exec == 0 {
        return Flow::Next;
    }
    let width = (E::BYTES * N) as u32;
    let mut room = Row([0; 64]);
    let (first, last) =
        (exec.trailing_zeros() as usize & 63, 63usize.saturating_sub(exec.leading_zeros() as usize));
    let rows: [&Row; N] = core::array::from_fn(|k| &w.v[i.mem.data.plus(k as u16).row()]);
    let value = |l: usize, k: usize| {
        let x = rows[k].0[l];
        E::truncate(if PART == HIGH { x >> 16 } else { x })
    };
    // Active lanes without a gap make one piece.
    let run = exec >> first;
    let gapless = run & run.wrapping_add(1) == 0;
    let done = match S::shape(w, g, i, exec, width, &mut room) {
        Shape::Consecutive(va) if gapless && N == 1 && E::BYTES == 4 => {
            if exec == !0 {
                g.mem.store_row(va, &rows[0].0).ok()
            } else {
                g.mem.store_dwords(va.wrapping_add(4 * first as u64), &rows[0].0[first..=last])
            }
        }
        Shape::Consecutive(va) if gapless => {
            let mut lanes = [[E::default(); N]; 64];
            for l in 0..64 {
                for k in 0..N {
                    lanes[l][k] = value(l, k);
                }
            }
            g.mem.store_consecutive::<E, N>(va, first, last, &lanes)
        }
        // The last lane wins.
        Shape::Uniform(va) => g.mem.store_array::<E, N>(va, core::array::from_fn(|k| value(last, k))),
        Shape::Rows(va) if gapless => {
            let mut done = Some(());
            for (k, row) in rows.iter().enumerate() {
                let va = va.wrapping_add(256 * k as u64);
                // Rows are of dwords alone.
                let stored = if exec == !0 {
                    g.mem.store_row(va, &row.0).ok()
                } else {
                    g.mem.store_dwords(va.wrapping_add(4 * first as u64), &row.0[first..=last])
                };
                done = done.and(stored);
            }
            done
        }
        Shape::Scattered { base, lo, hi, step } => g.mem.scatter::<E, N>(base, lo, hi, step, exec, value),
        Shape::Lds { lo, offset } => {
            lds::write_rows::<E, N, PART>(&mut g.lds, lo, offset, exec, rows).then_some(())
        }
        _ => None,
    };
    if done.is_none() {
        return general_store::<S, E, N, PART>(w, g, i);
    }
    Flow::Next
}
