//! LDS: the work-group's memory. Reads, writes, atomics. Vega ISA, "Data share operations".
//!
//! Nothing but this group's waves sees it, and they run on one thread: an atomic is a read and a write.
//! An access beyond the group's allocation stops the wave (hardware reads zero and drops the write).

use super::atomic::{self, Rmw, Word};
use super::transfer::{Element, write_part};
use super::{HIGH, LOW, Place, WHOLE, address, beyond_lds, memory_op, place_fault};
use crate::lanes::{mask_lanes, write_row};
use crate::{Flow, Group, Inst, Lanes, Moves, Row, Ty, Wave, refused_ops};

/// Reads `N` consecutive elements a lane at `lo` plus each of `K` offsets. With an active lane out of range, the offset
/// that takes it there.
#[inline(always)]
pub(super) fn read_rows<E: Element, const N: usize, const K: usize>(
    lds: &[u8],
    lo: &Lanes,
    offsets: [u32; K],
    exec: u64,
    out: &mut [[Row; N]; K],
) -> Result<(), u32> {
    let size = E::BYTES * N;
    let own: Row;
    let at = if exec == !0 {
        lo
    } else {
        // Lanes that are not active read where the first active one does.
        let substitute = lo[exec.trailing_zeros() as usize & 63];
        let active = mask_lanes(exec);
        own = Row(core::array::from_fn(|l| if active[l] != 0 { lo[l] } else { substitute }));
        &own.0
    };
    let eights = address::eights(at, size as u32);
    for (offset, out) in offsets.into_iter().zip(out) {
        let end = u64::from(eights.greatest) + u64::from(offset) + size as u64;
        if end > lds.len() as u64 || !(eights.equal || eights.consecutive) {
            read_lanes::<E, N>(lds, at, offset, out).ok_or(offset)?;
            continue;
        }
        for c in 0..8 {
            let start = (eights.first.0[8 * c] + offset) as usize;
            if eights.equal {
                // Tiles: the lanes of a row of work-items share an element.
                for (k, row) in out.iter_mut().enumerate() {
                    row.0[8 * c..8 * c + 8].fill(element::<E>(&lds[start..start + size], k));
                }
            } else if N == 1 && E::BYTES == 4 {
                // Tiles: the lanes of a row of work-items have an element each, one after the other.
                // All are read before any is written: one load and one store.
                let mut eight = [0; 8];
                for (x, dword) in eight.iter_mut().zip(lds[start..start + 32].as_chunks::<4>().0) {
                    *x = u32::from_le_bytes(*dword);
                }
                out[0].0[8 * c..8 * c + 8].copy_from_slice(&eight);
            } else {
                let bytes = &lds[start..start + 8 * size];
                for (k, row) in out.iter_mut().enumerate() {
                    for (l, x) in row.0[8 * c..8 * c + 8].iter_mut().enumerate() {
                        *x = element::<E>(&bytes[l * size..(l + 1) * size], k);
                    }
                }
            }
        }
    }
    Ok(())
}

/// Element `k` of a lane's bytes.
#[inline(always)]
fn element<E: Element>(bytes: &[u8], k: usize) -> u32 {
    E::from_slice(&bytes[k * E::BYTES..(k + 1) * E::BYTES]).extend()
}

/// As [`read_rows`], lane after lane. The sum of address and offset wraps: the address may be a negative number.
#[inline(always)]
fn read_lanes<E: Element, const N: usize>(
    lds: &[u8],
    at: &Lanes,
    offset: u32,
    out: &mut [Row; N],
) -> Option<()> {
    let size = E::BYTES * N;
    for (l, at) in at.iter().enumerate() {
        let at = at.wrapping_add(offset) as usize;
        let bytes = lds.get(at..at + size)?;
        for (k, row) in out.iter_mut().enumerate() {
            row.0[l] = element::<E>(bytes, k);
        }
    }
    Some(())
}

/// Writes `N` consecutive elements a lane at `lo + offset`; `false` if an active lane is out of range.
#[inline(always)]
pub(super) fn write_rows<E: Element, const N: usize, const PART: u8>(
    lds: &mut [u8],
    lo: &Lanes,
    offset: u32,
    exec: u64,
    rows: [&Row; N],
) -> bool {
    let size = E::BYTES * N;
    if N == 1 && E::BYTES == 4 && exec == !0 {
        let eights = address::eights(lo, 4);
        let end = u64::from(eights.greatest) + u64::from(offset) + 4;
        if eights.consecutive && end <= lds.len() as u64 {
            for c in 0..8 {
                let start = (eights.first.0[8 * c] + offset) as usize;
                let mut eight = [[0; 4]; 8];
                for (dword, x) in eight.iter_mut().zip(&rows[0].0[8 * c..8 * c + 8]) {
                    *dword = x.to_le_bytes();
                }
                lds[start..start + 32].copy_from_slice(eight.as_flattened());
            }
            return true;
        }
    }
    for l in (0..64).filter(|l| exec >> l & 1 != 0) {
        let at = lo[l].wrapping_add(offset) as usize;
        let Some(bytes) = lds.get_mut(at..at.saturating_add(size)) else { return false };
        for (k, row) in rows.iter().enumerate() {
            let x = if PART == HIGH { row.0[l] >> 16 } else { row.0[l] };
            bytes[k * E::BYTES..(k + 1) * E::BYTES].copy_from_slice(&x.to_le_bytes()[..E::BYTES]);
        }
    }
    true
}

/// Stops the wave at the first lane whose access of `size` bytes at `offset` is out of range.
#[cold]
fn out_of_range(w: &mut Wave, g: &mut Group<'_>, i: &Inst, offset: u32, size: usize) -> Flow {
    let exec = w.exec();
    let at = |l: usize| w.v[i.mem.addr.row()].0[l].wrapping_add(offset) as usize;
    let outside = |l: &usize| exec >> l & 1 != 0 && at(*l) + size > g.lds.len();
    let l = (0..64).find(outside).unwrap_or(0);
    let kind = beyond_lds(g, at(l) as u64);
    place_fault(w, i, kind, l)
}

/// `ds_read_b32` and its kin.
#[inline(always)]
fn read<E: Element, const N: usize, const PART: u8>(w: &mut Wave, g: &mut Group<'_>, i: &Inst) -> Flow {
    let (exec, offset) = (w.exec(), i.mem.offset as u32);
    if exec == 0 {
        return Flow::Next;
    }
    let mut out = [[const { Row([0; 64]) }; N]];
    if let Err(offset) = read_rows::<E, N, 1>(&g.lds, &w.v[i.mem.addr.row()].0, [offset], exec, &mut out) {
        return out_of_range(w, g, i, offset, E::BYTES * N);
    }
    for (k, row) in out[0].iter_mut().enumerate() {
        write_part(&mut w.v[i.dst.plus(k as u16).row()], row, PART, exec);
    }
    Flow::Next
}

/// `ds_read2_b32` and its kin: two accesses of `N` dwords, their offsets counted in units of `SCALE` dwords.
#[inline(always)]
fn read2<const N: usize, const SCALE: u32>(w: &mut Wave, g: &mut Group<'_>, i: &Inst) -> Flow {
    let exec = w.exec();
    if exec == 0 {
        return Flow::Next;
    }
    let offsets = [offset0::<SCALE>(i), u32::from(i.mem.offset1) * 4 * SCALE];
    let mut out = [const { [const { Row([0; 64]) }; N] }; 2];
    if let Err(offset) = read_rows::<u32, N, 2>(&g.lds, &w.v[i.mem.addr.row()].0, offsets, exec, &mut out) {
        return out_of_range(w, g, i, offset, 4 * N);
    }
    for (k, row) in out.iter().flatten().enumerate() {
        write_row(&mut w.v[i.dst.plus(k as u16).row()].0, &row.0, exec);
    }
    Flow::Next
}

/// The first of two offsets, in bytes.
#[inline(always)]
fn offset0<const SCALE: u32>(i: &Inst) -> u32 {
    (i.mem.offset as u32 & 0xff) * 4 * SCALE
}

/// `ds_write_b32` and its kin.
#[inline(always)]
fn write<E: Element, const N: usize, const PART: u8>(w: &mut Wave, g: &mut Group<'_>, i: &Inst) -> Flow {
    let (exec, offset) = (w.exec(), i.mem.offset as u32);
    if exec == 0 {
        return Flow::Next;
    }
    let rows = core::array::from_fn(|k| &w.v[i.mem.data.plus(k as u16).row()]);
    if !write_rows::<E, N, PART>(&mut g.lds, &w.v[i.mem.addr.row()].0, offset, exec, rows) {
        return out_of_range(w, g, i, offset, E::BYTES * N);
    }
    Flow::Next
}

/// `ds_write2_b32` and its kin.
#[inline(always)]
fn write2<const N: usize, const SCALE: u32>(w: &mut Wave, g: &mut Group<'_>, i: &Inst) -> Flow {
    let exec = w.exec();
    if exec == 0 {
        return Flow::Next;
    }
    let halves = [(offset0::<SCALE>(i), i.mem.data), (u32::from(i.mem.offset1) * 4 * SCALE, i.mem.data1)];
    for (offset, data) in halves {
        let rows = core::array::from_fn(|k| &w.v[data.plus(k as u16).row()]);
        if !write_rows::<u32, N, WHOLE>(&mut g.lds, &w.v[i.mem.addr.row()].0, offset, exec, rows) {
            return out_of_range(w, g, i, offset, 4 * N);
        }
    }
    Flow::Next
}

pub(super) fn load_word<T: Word>(lds: &[u8], at: usize) -> Option<T> {
    let bytes = lds.get(at..at.checked_add(4 * T::DWORDS)?)?;
    let lo = u32::from_slice(bytes);
    Some(T::join(lo, if T::DWORDS == 2 { u32::from_slice(&bytes[4..]) } else { 0 }))
}

pub(super) fn store_word<T: Word>(lds: &mut [u8], at: usize, x: T) {
    let (lo, hi) = x.split();
    if let Some(bytes) = lds.get_mut(at..at + 4 * T::DWORDS) {
        bytes[..4].copy_from_slice(&lo.to_le_bytes());
        if T::DWORDS == 2 {
            bytes[4..].copy_from_slice(&hi.to_le_bytes());
        }
    }
}

/// An atomic. `RTN`: the old value is wanted. `SWAPPED`: compare value, or mask, comes before the data.
#[inline(always)]
fn update<R: Rmw, const RTN: bool, const SWAPPED: bool>(w: &mut Wave, g: &mut Group<'_>, i: &Inst) -> Flow {
    let (exec, offset) = (w.exec(), i.mem.offset as u32);
    let wide = R::T::DWORDS == 2;
    let word = |w: &Wave, o: crate::Operand, l: usize| {
        R::T::join(w.v[o.row()].0[l], if wide { w.v[o.plus(1).row()].0[l] } else { 0 })
    };
    let (mut lo, mut hi) = (Row([0; 64]), Row([0; 64]));
    let mut left = exec;
    while left != 0 {
        let l = left.trailing_zeros() as usize & 63;
        left &= left - 1;
        let at = w.v[i.mem.addr.row()].0[l].wrapping_add(offset) as usize;
        let Some(old) = load_word::<R::T>(&g.lds, at) else {
            return out_of_range(w, g, i, offset, 4 * R::T::DWORDS);
        };
        let (mut data, mut second) = (word(w, i.mem.data, l), word(w, i.mem.data1, l));
        if SWAPPED {
            core::mem::swap(&mut data, &mut second);
        }
        store_word(&mut g.lds, at, R::apply(old, data, second));
        (lo.0[l], hi.0[l]) = old.split();
    }
    if RTN {
        write_row(&mut w.v[i.dst.row()].0, &lo.0, exec);
        if wide {
            write_row(&mut w.v[i.dst.plus(1).row()].0, &hi.0, exec);
        }
    }
    Flow::Next
}

/// `ds_wrxchg2_rtn_b32` and its kin: swaps at two offsets.
fn exchange2<T: Word, const SCALE: u32>(w: &mut Wave, g: &mut Group<'_>, i: &Inst) -> Flow {
    let exec = w.exec();
    let n = T::DWORDS as u16;
    let offsets = [offset0::<SCALE>(i), u32::from(i.mem.offset1) * 4 * SCALE];
    let mut out = [const { Row([0; 64]) }; 4];
    for l in (0..64).filter(|l| exec >> l & 1 != 0) {
        for (k, (offset, data)) in offsets.into_iter().zip([i.mem.data, i.mem.data1]).enumerate() {
            let at = w.v[i.mem.addr.row()].0[l].wrapping_add(offset) as usize;
            let Some(old) = load_word::<T>(&g.lds, at) else {
                return out_of_range(w, g, i, offset, 4 * T::DWORDS);
            };
            store_word(&mut g.lds, at, T::join(w.v[data.row()].0[l], w.v[data.plus(1).row()].0[l]));
            let (lo, hi) = old.split();
            out[k * T::DWORDS].0[l] = lo;
            if n == 2 {
                out[2 * k + 1].0[l] = hi;
            }
        }
    }
    for (k, row) in out.iter().enumerate().take(2 * T::DWORDS) {
        write_row(&mut w.v[i.dst.plus(k as u16).row()].0, &row.0, exec);
    }
    Flow::Next
}

/// `ds_condxchg32_rtn_b64`: two dwords, each replaced by 31 bits of data if bit 31 of the data is set.
fn conditional_exchange(w: &mut Wave, g: &mut Group<'_>, i: &Inst) -> Flow {
    let exec = w.exec();
    // Data may stand in the registers that are written: all lanes are done first.
    let mut out = [const { Row([0; 64]) }; 2];
    for l in (0..64).filter(|l| exec >> l & 1 != 0) {
        let at = (w.v[i.mem.addr.row()].0[l].wrapping_add(i.mem.offset as u32) & 0xfff8) as usize;
        let data = [0, 1].map(|k| w.v[i.mem.data.plus(k).row()].0[l]);
        let Some(old) = load_word::<u64>(&g.lds, at) else {
            let kind = beyond_lds(g, at as u64);
            return place_fault(w, i, kind, l);
        };
        for (k, (old, data)) in [old as u32, (old >> 32) as u32].into_iter().zip(data).enumerate() {
            if data >> 31 != 0 {
                store_word(&mut g.lds, at + 4 * k, data & 0x7fff_ffff);
            }
            out[k].0[l] = old;
        }
    }
    for (k, row) in out.iter().enumerate() {
        write_row(&mut w.v[i.dst.plus(k as u16).row()].0, &row.0, exec);
    }
    Flow::Next
}

/// `ds_append`, `ds_consume`: one addition for the wave, of the number of its active lanes.
fn count<const SIGN: i8>(w: &mut Wave, g: &mut Group<'_>, i: &Inst) -> Flow {
    let exec = w.exec();
    let at = (w.m0() & 0xffff) as usize + i.mem.offset as usize;
    let Some(old) = load_word::<u32>(&g.lds, at) else {
        let kind = beyond_lds(g, at as u64);
        return place_fault(w, i, kind, exec.trailing_zeros() as usize & 63);
    };
    let n = exec.count_ones();
    store_word(&mut g.lds, at, if SIGN > 0 { old.wrapping_add(n) } else { old.wrapping_sub(n) });
    write_row(&mut w.v[i.dst.row()].0, &[old; 64], exec);
    Flow::Next
}

/// The offset of `ds_read_addtid_b32`: from `M0`, plus four for each lane.
fn add_tid(w: &Wave, i: &Inst, l: usize) -> Place {
    Place::Lds((w.m0() & 0xffff).wrapping_add(i.mem.offset as u32).wrapping_add(4 * l as u32))
}

fn read_add_tid(w: &mut Wave, g: &mut Group<'_>, i: &Inst) -> Flow {
    let exec = w.exec();
    for l in (0..64).filter(|l| exec >> l & 1 != 0) {
        match add_tid(w, i, l).load::<u32>(g) {
            Ok(x) => w.v[i.dst.row()].0[l] = x,
            Err(kind) => return place_fault(w, i, kind, l),
        }
    }
    Flow::Next
}

fn write_add_tid(w: &mut Wave, g: &mut Group<'_>, i: &Inst) -> Flow {
    let exec = w.exec();
    for l in (0..64).filter(|l| exec >> l & 1 != 0) {
        let x = w.v[i.mem.data.row()].0[l];
        if let Err(kind) = add_tid(w, i, l).store(g, x) {
            return place_fault(w, i, kind, l);
        }
    }
    Flow::Next
}

/// Ops whose general body, compiled for SIMD features, is the fast one too. First stands what all of them do to memory:
/// `modifies`, `writes` or `reads` what their operands hold, or so many bytes.
macro_rules! lds_ops {
    ($how:tt; $($name:ident $text:literal $doc:literal $dst:ident $([$traits:ident])? <- ($($src:ident),*) = $body:expr;)*) => {$(
        memory_op! {
            #[doc = $doc]
            $name $text, $dst $([$traits])? <- ($($src),*) moves (lds_ops!(@moves $how $dst $($src)*)),
            |w, g, i| $body(w, g, i), |w, g, i| $body(w, g, i)
        }
    )*};
    (@moves modifies None $src:ident $($second:ident)?) => { Moves::modifies(Ty::$src.bytes()) };
    (@moves modifies $dst:ident $($src:ident)*) => { Moves::modifies(Ty::$dst.bytes()) };
    (@moves writes None $($src:ident)*) => { Moves::writes(0 $(+ Ty::$src.bytes())*) };
    (@moves reads $dst:ident) => { Moves::reads(Ty::$dst.bytes()) };
    (@moves ($how:ident $bytes:literal) $($ty:ident)*) => { Moves::$how($bytes) };
    (@moves (count) $($ty:ident)*) => { Moves::modifies(4).once() };
    (@moves () $($ty:ident)*) => { Moves::NOTHING };
}

fn nop(_: &mut Wave, _: &mut Group<'_>, _: &Inst) -> Flow {
    Flow::Next
}

lds_ops! { modifies;
    DS_ADD_U32 "ds_add_u32" "Atomic [`atomic::Add32`]." None <- (B32) = update::<atomic::Add32, false, false>;
    DS_ADD_RTN_U32 "ds_add_rtn_u32" "Atomic [`atomic::Add32`], gives the old value." B32 <- (B32) = update::<atomic::Add32, true, false>;
    DS_ADD_U64 "ds_add_u64" "Atomic [`atomic::Add64`]." None <- (B64) = update::<atomic::Add64, false, false>;
    DS_ADD_RTN_U64 "ds_add_rtn_u64" "Atomic [`atomic::Add64`], gives the old value." B64 <- (B64) = update::<atomic::Add64, true, false>;
    DS_SUB_U32 "ds_sub_u32" "Atomic [`atomic::Sub32`]." None <- (B32) = update::<atomic::Sub32, false, false>;
    DS_SUB_RTN_U32 "ds_sub_rtn_u32" "Atomic [`atomic::Sub32`], gives the old value." B32 <- (B32) = update::<atomic::Sub32, true, false>;
    DS_SUB_U64 "ds_sub_u64" "Atomic [`atomic::Sub64`]." None <- (B64) = update::<atomic::Sub64, false, false>;
    DS_SUB_RTN_U64 "ds_sub_rtn_u64" "Atomic [`atomic::Sub64`], gives the old value." B64 <- (B64) = update::<atomic::Sub64, true, false>;
    DS_RSUB_U32 "ds_rsub_u32" "Atomic [`atomic::Rsub32`]." None <- (B32) = update::<atomic::Rsub32, false, false>;
    DS_RSUB_RTN_U32 "ds_rsub_rtn_u32" "Atomic [`atomic::Rsub32`], gives the old value." B32 <- (B32) = update::<atomic::Rsub32, true, false>;
    DS_RSUB_U64 "ds_rsub_u64" "Atomic [`atomic::Rsub64`]." None <- (B64) = update::<atomic::Rsub64, false, false>;
    DS_RSUB_RTN_U64 "ds_rsub_rtn_u64" "Atomic [`atomic::Rsub64`], gives the old value." B64 <- (B64) = update::<atomic::Rsub64, true, false>;
    DS_INC_U32 "ds_inc_u32" "Atomic [`atomic::Inc32`]." None <- (B32) = update::<atomic::Inc32, false, false>;
    DS_INC_RTN_U32 "ds_inc_rtn_u32" "Atomic [`atomic::Inc32`], gives the old value." B32 <- (B32) = update::<atomic::Inc32, true, false>;
    DS_INC_U64 "ds_inc_u64" "Atomic [`atomic::Inc64`]." None <- (B64) = update::<atomic::Inc64, false, false>;
    DS_INC_RTN_U64 "ds_inc_rtn_u64" "Atomic [`atomic::Inc64`], gives the old value." B64 <- (B64) = update::<atomic::Inc64, true, false>;
    DS_DEC_U32 "ds_dec_u32" "Atomic [`atomic::Dec32`]." None <- (B32) = update::<atomic::Dec32, false, false>;
    DS_DEC_RTN_U32 "ds_dec_rtn_u32" "Atomic [`atomic::Dec32`], gives the old value." B32 <- (B32) = update::<atomic::Dec32, true, false>;
    DS_DEC_U64 "ds_dec_u64" "Atomic [`atomic::Dec64`]." None <- (B64) = update::<atomic::Dec64, false, false>;
    DS_DEC_RTN_U64 "ds_dec_rtn_u64" "Atomic [`atomic::Dec64`], gives the old value." B64 <- (B64) = update::<atomic::Dec64, true, false>;
    DS_MIN_I32 "ds_min_i32" "Atomic [`atomic::Smin32`]." None <- (B32) = update::<atomic::Smin32, false, false>;
    DS_MIN_RTN_I32 "ds_min_rtn_i32" "Atomic [`atomic::Smin32`], gives the old value." B32 <- (B32) = update::<atomic::Smin32, true, false>;
    DS_MIN_I64 "ds_min_i64" "Atomic [`atomic::Smin64`]." None <- (B64) = update::<atomic::Smin64, false, false>;
    DS_MIN_RTN_I64 "ds_min_rtn_i64" "Atomic [`atomic::Smin64`], gives the old value." B64 <- (B64) = update::<atomic::Smin64, true, false>;
    DS_MAX_I32 "ds_max_i32" "Atomic [`atomic::Smax32`]." None <- (B32) = update::<atomic::Smax32, false, false>;
    DS_MAX_RTN_I32 "ds_max_rtn_i32" "Atomic [`atomic::Smax32`], gives the old value." B32 <- (B32) = update::<atomic::Smax32, true, false>;
    DS_MAX_I64 "ds_max_i64" "Atomic [`atomic::Smax64`]." None <- (B64) = update::<atomic::Smax64, false, false>;
    DS_MAX_RTN_I64 "ds_max_rtn_i64" "Atomic [`atomic::Smax64`], gives the old value." B64 <- (B64) = update::<atomic::Smax64, true, false>;
    DS_MIN_U32 "ds_min_u32" "Atomic [`atomic::Umin32`]." None <- (B32) = update::<atomic::Umin32, false, false>;
    DS_MIN_RTN_U32 "ds_min_rtn_u32" "Atomic [`atomic::Umin32`], gives the old value." B32 <- (B32) = update::<atomic::Umin32, true, false>;
    DS_MIN_U64 "ds_min_u64" "Atomic [`atomic::Umin64`]." None <- (B64) = update::<atomic::Umin64, false, false>;
    DS_MIN_RTN_U64 "ds_min_rtn_u64" "Atomic [`atomic::Umin64`], gives the old value." B64 <- (B64) = update::<atomic::Umin64, true, false>;
    DS_MAX_U32 "ds_max_u32" "Atomic [`atomic::Umax32`]." None <- (B32) = update::<atomic::Umax32, false, false>;
    DS_MAX_RTN_U32 "ds_max_rtn_u32" "Atomic [`atomic::Umax32`], gives the old value." B32 <- (B32) = update::<atomic::Umax32, true, false>;
    DS_MAX_U64 "ds_max_u64" "Atomic [`atomic::Umax64`]." None <- (B64) = update::<atomic::Umax64, false, false>;
    DS_MAX_RTN_U64 "ds_max_rtn_u64" "Atomic [`atomic::Umax64`], gives the old value." B64 <- (B64) = update::<atomic::Umax64, true, false>;
    DS_AND_B32 "ds_and_b32" "Atomic [`atomic::And32`]." None <- (B32) = update::<atomic::And32, false, false>;
    DS_AND_RTN_B32 "ds_and_rtn_b32" "Atomic [`atomic::And32`], gives the old value." B32 <- (B32) = update::<atomic::And32, true, false>;
    DS_AND_B64 "ds_and_b64" "Atomic [`atomic::And64`]." None <- (B64) = update::<atomic::And64, false, false>;
    DS_AND_RTN_B64 "ds_and_rtn_b64" "Atomic [`atomic::And64`], gives the old value." B64 <- (B64) = update::<atomic::And64, true, false>;
    DS_OR_B32 "ds_or_b32" "Atomic [`atomic::Or32`]." None <- (B32) = update::<atomic::Or32, false, false>;
    DS_OR_RTN_B32 "ds_or_rtn_b32" "Atomic [`atomic::Or32`], gives the old value." B32 <- (B32) = update::<atomic::Or32, true, false>;
    DS_OR_B64 "ds_or_b64" "Atomic [`atomic::Or64`]." None <- (B64) = update::<atomic::Or64, false, false>;
    DS_OR_RTN_B64 "ds_or_rtn_b64" "Atomic [`atomic::Or64`], gives the old value." B64 <- (B64) = update::<atomic::Or64, true, false>;
    DS_XOR_B32 "ds_xor_b32" "Atomic [`atomic::Xor32`]." None <- (B32) = update::<atomic::Xor32, false, false>;
    DS_XOR_RTN_B32 "ds_xor_rtn_b32" "Atomic [`atomic::Xor32`], gives the old value." B32 <- (B32) = update::<atomic::Xor32, true, false>;
    DS_XOR_B64 "ds_xor_b64" "Atomic [`atomic::Xor64`]." None <- (B64) = update::<atomic::Xor64, false, false>;
    DS_XOR_RTN_B64 "ds_xor_rtn_b64" "Atomic [`atomic::Xor64`], gives the old value." B64 <- (B64) = update::<atomic::Xor64, true, false>;
    DS_MSKOR_B32 "ds_mskor_b32" "Clears the bits of the first operand, sets those of the second." None <- (B32, B32) = update::<atomic::MskOr32, false, false>;
    DS_CMPST_B32 "ds_cmpst_b32" "Stores the second operand if memory equals the first." None <- (B32, B32) = update::<atomic::CmpSwap32, false, true>;
    DS_CMPST_F32 "ds_cmpst_f32" "Stores the second operand if memory equals the first, as floats." None <- (B32, B32) = update::<atomic::CmpSwapF32, false, true>;
    DS_MIN_F32 "ds_min_f32" "Atomic [`atomic::MinF32`]." None <- (B32) = update::<atomic::MinF32, false, false>;
    DS_MAX_F32 "ds_max_f32" "Atomic [`atomic::MaxF32`]." None <- (B32) = update::<atomic::MaxF32, false, false>;
    DS_MSKOR_B64 "ds_mskor_b64" "Clears the bits of the first operand, sets those of the second." None <- (B64, B64) = update::<atomic::MskOr64, false, false>;
    DS_CMPST_B64 "ds_cmpst_b64" "Stores the second operand if memory equals the first." None <- (B64, B64) = update::<atomic::CmpSwap64, false, true>;
    DS_CMPST_F64 "ds_cmpst_f64" "Stores the second operand if memory equals the first, as floats." None <- (B64, B64) = update::<atomic::CmpSwapF64, false, true>;
    DS_MIN_F64 "ds_min_f64" "Atomic [`atomic::MinF64`]." None <- (B64) = update::<atomic::MinF64, false, false>;
    DS_MAX_F64 "ds_max_f64" "Atomic [`atomic::MaxF64`]." None <- (B64) = update::<atomic::MaxF64, false, false>;
    DS_MSKOR_RTN_B32 "ds_mskor_rtn_b32" "Clears the bits of the first operand, sets those of the second, gives the old value." B32 <- (B32, B32) = update::<atomic::MskOr32, true, false>;
    DS_CMPST_RTN_B32 "ds_cmpst_rtn_b32" "Stores the second operand if memory equals the first, gives the old value." B32 <- (B32, B32) = update::<atomic::CmpSwap32, true, true>;
    DS_CMPST_RTN_F32 "ds_cmpst_rtn_f32" "Stores the second operand if memory equals the first, as floats, gives the old value." B32 <- (B32, B32) = update::<atomic::CmpSwapF32, true, true>;
    DS_MIN_RTN_F32 "ds_min_rtn_f32" "Atomic [`atomic::MinF32`], gives the old value." B32 <- (B32) = update::<atomic::MinF32, true, false>;
    DS_MAX_RTN_F32 "ds_max_rtn_f32" "Atomic [`atomic::MaxF32`], gives the old value." B32 <- (B32) = update::<atomic::MaxF32, true, false>;
    DS_MSKOR_RTN_B64 "ds_mskor_rtn_b64" "Clears the bits of the first operand, sets those of the second, gives the old value." B64 <- (B64, B64) = update::<atomic::MskOr64, true, false>;
    DS_CMPST_RTN_B64 "ds_cmpst_rtn_b64" "Stores the second operand if memory equals the first, gives the old value." B64 <- (B64, B64) = update::<atomic::CmpSwap64, true, true>;
    DS_CMPST_RTN_F64 "ds_cmpst_rtn_f64" "Stores the second operand if memory equals the first, as floats, gives the old value." B64 <- (B64, B64) = update::<atomic::CmpSwapF64, true, true>;
    DS_MIN_RTN_F64 "ds_min_rtn_f64" "Atomic [`atomic::MinF64`], gives the old value." B64 <- (B64) = update::<atomic::MinF64, true, false>;
    DS_MAX_RTN_F64 "ds_max_rtn_f64" "Atomic [`atomic::MaxF64`], gives the old value." B64 <- (B64) = update::<atomic::MaxF64, true, false>;
    DS_ADD_F32 "ds_add_f32" "Atomic [`atomic::AddF32`]." None <- (B32) = update::<atomic::AddF32, false, false>;
    DS_ADD_RTN_F32 "ds_add_rtn_f32" "Atomic [`atomic::AddF32`], gives the old value." B32 <- (B32) = update::<atomic::AddF32, true, false>;
    DS_ADD_F64 "ds_add_f64" "Atomic [`atomic::AddF64`]." None <- (B64) = update::<atomic::AddF64, false, false>;
    DS_ADD_RTN_F64 "ds_add_rtn_f64" "Atomic [`atomic::AddF64`], gives the old value." B64 <- (B64) = update::<atomic::AddF64, true, false>;
    DS_WRXCHG_RTN_B32 "ds_wrxchg_rtn_b32" "Swap." B32 <- (B32) = update::<atomic::Swap32, true, false>;
    DS_WRXCHG_RTN_B64 "ds_wrxchg_rtn_b64" "Swap." B64 <- (B64) = update::<atomic::Swap64, true, false>;
    DS_WRAP_RTN_B32 "ds_wrap_rtn_b32" "Atomic [`atomic::Wrap32`], gives the old value." B32 <- (B32, B32) = update::<atomic::Wrap32, true, false>;
    DS_WRXCHG2_RTN_B32 "ds_wrxchg2_rtn_b32" "Swaps at two offsets." B64 [TWO_OFFSETS] <- (B32, B32) = exchange2::<u32, 1>;
    DS_WRXCHG2ST64_RTN_B32 "ds_wrxchg2st64_rtn_b32" "Swaps at two offsets, in units of 64 dwords." B64 [TWO_OFFSETS] <- (B32, B32) = exchange2::<u32, 64>;
    DS_WRXCHG2_RTN_B64 "ds_wrxchg2_rtn_b64" "Swaps at two offsets." B128 [TWO_OFFSETS] <- (B64, B64) = exchange2::<u64, 2>;
    DS_WRXCHG2ST64_RTN_B64 "ds_wrxchg2st64_rtn_b64" "Swaps at two offsets, in units of 64 pairs." B128 [TWO_OFFSETS] <- (B64, B64) = exchange2::<u64, 128>;
    DS_CONDXCHG32_RTN_B64 "ds_condxchg32_rtn_b64" "Two conditional swaps." B64 <- (B64) = conditional_exchange;
    DS_PK_ADD_F16 "ds_pk_add_f16" "Atomic [`atomic::PkAddF16`]." None <- (B32) = update::<atomic::PkAddF16, false, false>;
    DS_PK_ADD_BF16 "ds_pk_add_bf16" "Atomic [`atomic::PkAddBf16`]." None <- (B32) = update::<atomic::PkAddBf16, false, false>;
    DS_PK_ADD_RTN_F16 "ds_pk_add_rtn_f16" "Atomic [`atomic::PkAddF16`], gives the old value." B32 <- (B32) = update::<atomic::PkAddF16, true, false>;
    DS_PK_ADD_RTN_BF16 "ds_pk_add_rtn_bf16" "Atomic [`atomic::PkAddBf16`], gives the old value." B32 <- (B32) = update::<atomic::PkAddBf16, true, false>;
}

lds_ops! { writes;
    DS_WRITE_B32 "ds_write_b32" "Writes a dword." None <- (B32) = write::<u32, 1, WHOLE>;
    DS_WRITE2_B32 "ds_write2_b32" "Writes two dwords at two offsets." None [TWO_OFFSETS] <- (B32, B32) = write2::<1, 1>;
    DS_WRITE2ST64_B32 "ds_write2st64_b32" "Writes two dwords at two offsets in units of 64 dwords." None [TWO_OFFSETS] <- (B32, B32) = write2::<1, 64>;
    DS_WRITE_B64 "ds_write_b64" "Writes two dwords." None <- (B64) = write::<u32, 2, WHOLE>;
    DS_WRITE2_B64 "ds_write2_b64" "Writes two pairs at two offsets." None [TWO_OFFSETS] <- (B64, B64) = write2::<2, 2>;
    DS_WRITE2ST64_B64 "ds_write2st64_b64" "Writes two pairs at two offsets in units of 64 pairs." None [TWO_OFFSETS] <- (B64, B64) = write2::<2, 128>;
    DS_WRITE_B96 "ds_write_b96" "Writes three dwords." None <- (B96) = write::<u32, 3, WHOLE>;
    DS_WRITE_B128 "ds_write_b128" "Writes four dwords." None <- (B128) = write::<u32, 4, WHOLE>;
    DS_WRITE_ADDTID_B32 "ds_write_addtid_b32" "Writes a dword at `M0` plus four for each lane." None [NO_ADDRESS] <- (B32) = write_add_tid;
}

lds_ops! { (writes 1);
    DS_WRITE_B8 "ds_write_b8" "Writes a byte." None <- (B32) = write::<u8, 1, WHOLE>;
    DS_WRITE_B8_D16_HI "ds_write_b8_d16_hi" "Writes the low byte of the high half." None <- (B32) = write::<u8, 1, HIGH>;
}

lds_ops! { (writes 2);
    DS_WRITE_B16 "ds_write_b16" "Writes 16 bits." None <- (B32) = write::<u16, 1, WHOLE>;
    DS_WRITE_B16_D16_HI "ds_write_b16_d16_hi" "Writes the high half." None <- (B32) = write::<u16, 1, HIGH>;
}

lds_ops! { reads;
    DS_READ_B32 "ds_read_b32" "Reads a dword." B32 <- () = read::<u32, 1, WHOLE>;
    DS_READ2_B32 "ds_read2_b32" "Reads two dwords at two offsets." B64 [TWO_OFFSETS] <- () = read2::<1, 1>;
    DS_READ2ST64_B32 "ds_read2st64_b32" "Reads two dwords at two offsets in units of 64 dwords." B64 [TWO_OFFSETS] <- () = read2::<1, 64>;
    DS_READ_B64 "ds_read_b64" "Reads two dwords." B64 <- () = read::<u32, 2, WHOLE>;
    DS_READ2_B64 "ds_read2_b64" "Reads two pairs at two offsets." B128 [TWO_OFFSETS] <- () = read2::<2, 2>;
    DS_READ2ST64_B64 "ds_read2st64_b64" "Reads two pairs at two offsets in units of 64 pairs." B128 [TWO_OFFSETS] <- () = read2::<2, 128>;
    DS_READ_B96 "ds_read_b96" "Reads three dwords." B96 <- () = read::<u32, 3, WHOLE>;
    DS_READ_B128 "ds_read_b128" "Reads four dwords." B128 <- () = read::<u32, 4, WHOLE>;
    DS_READ_ADDTID_B32 "ds_read_addtid_b32" "Reads a dword at `M0` plus four for each lane." B32 [NO_ADDRESS] <- () = read_add_tid;
}

lds_ops! { (reads 1);
    DS_READ_I8 "ds_read_i8" "Reads a byte, sign-extended." B32 <- () = read::<i8, 1, WHOLE>;
    DS_READ_U8 "ds_read_u8" "Reads a byte, zero-extended." B32 <- () = read::<u8, 1, WHOLE>;
    DS_READ_U8_D16 "ds_read_u8_d16" "Reads a byte, zero-extended, into the low half." B32 <- () = read::<u8, 1, LOW>;
    DS_READ_U8_D16_HI "ds_read_u8_d16_hi" "Reads a byte, zero-extended, into the high half." B32 <- () = read::<u8, 1, HIGH>;
    DS_READ_I8_D16 "ds_read_i8_d16" "Reads a byte, sign-extended, into the low half." B32 <- () = read::<i8, 1, LOW>;
    DS_READ_I8_D16_HI "ds_read_i8_d16_hi" "Reads a byte, sign-extended, into the high half." B32 <- () = read::<i8, 1, HIGH>;
}

lds_ops! { (reads 2);
    DS_READ_I16 "ds_read_i16" "Reads 16 bits, sign-extended." B32 <- () = read::<i16, 1, WHOLE>;
    DS_READ_U16 "ds_read_u16" "Reads 16 bits, zero-extended." B32 <- () = read::<u16, 1, WHOLE>;
    DS_READ_U16_D16 "ds_read_u16_d16" "Reads 16 bits into the low half." B32 <- () = read::<u16, 1, LOW>;
    DS_READ_U16_D16_HI "ds_read_u16_d16_hi" "Reads 16 bits into the high half." B32 <- () = read::<u16, 1, HIGH>;
}

lds_ops! { (count);
    DS_CONSUME "ds_consume" "Subtracts the number of active lanes from a counter; gives its old value." B32 [NO_ADDRESS] <- () = count::<-1>;
    DS_APPEND "ds_append" "Adds the number of active lanes to a counter; gives its old value." B32 [NO_ADDRESS] <- () = count::<1>;
}

lds_ops! { ();
    DS_NOP "ds_nop" "Nothing." None [NO_ADDRESS] <- () = nop;
}

refused_ops! { GlobalShare;
    /// Ordered counter of the global data share.
    DS_ORDERED_COUNT "ds_ordered_count" [GDS]: B32 <- ();
}
