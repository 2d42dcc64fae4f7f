//! Read-modify-write operations, one list for global, flat, buffer, scalar and LDS atomics.
//! Vega ISA, "Memory atomics"; MI200 and MI300 ISA for the floating-point ones.

use super::{Place, Space, fault, place_fault, shape_uniform};
use crate::lanes::{ruled32, ruled64};
use crate::mem::{MemFault, MemView};
use crate::ops::half;
use crate::{Flow, Group, Inst, Wave};

/// What an atomic works on: a dword, or two.
pub trait Word: Copy + 'static {
    /// Width.
    const DWORDS: usize;
    /// From its dwords.
    fn join(lo: u32, hi: u32) -> Self;
    /// Its dwords.
    fn split(self) -> (u32, u32);
    /// Replaces the value at `va` in one atomic step; the old one.
    fn update(mem: &mut MemView<'_>, va: u64, f: impl FnMut(Self) -> Self) -> Result<Self, MemFault>;
    /// Wrapping addition.
    fn add(self, other: Self) -> Self;
    /// Wrapping subtraction.
    fn sub(self, other: Self) -> Self;
}

impl Word for u32 {
    const DWORDS: usize = 1;
    #[inline(always)]
    fn join(lo: u32, _: u32) -> u32 {
        lo
    }
    #[inline(always)]
    fn split(self) -> (u32, u32) {
        (self, 0)
    }
    #[inline(always)]
    fn update(mem: &mut MemView<'_>, va: u64, f: impl FnMut(u32) -> u32) -> Result<u32, MemFault> {
        mem.atomic32(va, f)
    }
    #[inline(always)]
    fn add(self, other: u32) -> u32 {
        self.wrapping_add(other)
    }
    #[inline(always)]
    fn sub(self, other: u32) -> u32 {
        self.wrapping_sub(other)
    }
}

impl Word for u64 {
    const DWORDS: usize = 2;
    #[inline(always)]
    fn join(lo: u32, hi: u32) -> u64 {
        u64::from(lo) | u64::from(hi) << 32
    }
    #[inline(always)]
    fn split(self) -> (u32, u32) {
        (self as u32, (self >> 32) as u32)
    }
    #[inline(always)]
    fn update(mem: &mut MemView<'_>, va: u64, f: impl FnMut(u64) -> u64) -> Result<u64, MemFault> {
        mem.atomic64(va, f)
    }
    #[inline(always)]
    fn add(self, other: u64) -> u64 {
        self.wrapping_add(other)
    }
    #[inline(always)]
    fn sub(self, other: u64) -> u64 {
        self.wrapping_sub(other)
    }
}

/// A read-modify-write operation.
pub trait Rmw: 'static {
    /// What it works on.
    type T: Word;
    /// Whether it takes a value to compare with, behind the data.
    const COMPARES: bool = false;
    /// Whether it is an operation of floats that not all memory takes ([`MemView::takes_float_atomics`]).
    const FLOAT: bool = false;
    /// 1 adds, -1 subtracts: operations of several lanes on one address make one.
    const SUM: i8 = 0;
    /// The new value.
    fn apply(old: Self::T, data: Self::T, compare: Self::T) -> Self::T;
}

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident: $T:ident ($old:ident, $data:ident $(, $compare:ident)?) $([$sum:literal])? $({$float:literal})? = $body:expr;)*) => {$(
        $(#[$doc])*
        pub struct $name;
        impl Rmw for $name {
            type T = $T;
            $(const COMPARES: bool = { stringify!($compare); true };)?
            $(const SUM: i8 = $sum;)?
            $(const FLOAT: bool = $float;)?
            #[inline(always)]
            fn apply($old: $T, $data: $T, compare: $T) -> $T {
                let _ = compare;
                $(let $compare = compare;)?
                $body
            }
        }
    )*};
}

macro_rules! integer_operations {
    ($($T:ident $S:ident: $swap:ident $cmp:ident $add:ident $sub:ident $rsub:ident $smin:ident $umin:ident $smax:ident $umax:ident
        $and:ident $or:ident $xor:ident $inc:ident $dec:ident $mskor:ident;)*) => {$(
        operations! {
            /// The data replace the old value.
            $swap: $T (_old, data) = data;
            /// The data replace the old value if that equals the compare value.
            $cmp: $T (old, data, compare) = if old == compare { data } else { old };
            /// Addition.
            $add: $T (old, data) [1] = old.wrapping_add(data);
            /// Subtraction of the data.
            $sub: $T (old, data) [-1] = old.wrapping_sub(data);
            /// Subtraction from the data.
            $rsub: $T (old, data) = data.wrapping_sub(old);
            /// Signed minimum.
            $smin: $T (old, data) = (old as $S).min(data as $S) as $T;
            /// Unsigned minimum.
            $umin: $T (old, data) = old.min(data);
            /// Signed maximum.
            $smax: $T (old, data) = (old as $S).max(data as $S) as $T;
            /// Unsigned maximum.
            $umax: $T (old, data) = old.max(data);
            /// Bitwise and.
            $and: $T (old, data) = old & data;
            /// Bitwise or.
            $or: $T (old, data) = old | data;
            /// Bitwise exclusive or.
            $xor: $T (old, data) = old ^ data;
            /// One more, back to zero from the data's value on.
            $inc: $T (old, data) = if old >= data { 0 } else { old + 1 };
            /// One less; from zero, or from above the data's value, to the data's value.
            $dec: $T (old, data) = if old == 0 || old > data { data } else { old - 1 };
            /// Clears the bits of the data, sets those of the second value.
            $mskor: $T (old, data, second) = old & !data | second;
        }
    )*};
}

integer_operations! {
    u32 i32: Swap32 CmpSwap32 Add32 Sub32 Rsub32 Smin32 Umin32 Smax32 Umax32 And32 Or32 Xor32 Inc32 Dec32 MskOr32;
    u64 i64: Swap64 CmpSwap64 Add64 Sub64 Rsub64 Smin64 Umin64 Smax64 Umax64 And64 Or64 Xor64 Inc64 Dec64 MskOr64;
}

operations! {
    /// 32-bit float addition.
    AddF32: u32 (old, data) {true} = sum32(f32::from_bits(old), f32::from_bits(data)).to_bits();
    /// 64-bit float addition.
    AddF64: u64 (old, data) {true} = sum64(f64::from_bits(old), f64::from_bits(data)).to_bits();
    /// 32-bit float minimum: the data if they are less.
    MinF32: u32 (old, data) {true} = if f32::from_bits(data) < f32::from_bits(old) { data } else { old };
    /// 32-bit float maximum: the data if they are greater.
    MaxF32: u32 (old, data) {true} = if f32::from_bits(data) > f32::from_bits(old) { data } else { old };
    /// 64-bit float minimum: the data if they are less.
    MinF64: u64 (old, data) {true} = if f64::from_bits(data) < f64::from_bits(old) { data } else { old };
    /// 64-bit float maximum: the data if they are greater.
    MaxF64: u64 (old, data) {true} = if f64::from_bits(data) > f64::from_bits(old) { data } else { old };
    /// Compare and swap, compared as 32-bit floats.
    CmpSwapF32: u32 (old, data, compare) = if f32::from_bits(old) == f32::from_bits(compare) { data } else { old };
    /// Compare and swap, compared as 64-bit floats.
    CmpSwapF64: u64 (old, data, compare) = if f64::from_bits(old) == f64::from_bits(compare) { data } else { old };
    /// Addition of two 16-bit floats.
    PkAddF16: u32 (old, data) {true} = packed(old, data, |a, b| half::from_f32(sum32(half::to_f32(a.into()), half::to_f32(b.into()))) as u16);
    /// Addition of two bfloats.
    PkAddBf16: u32 (old, data) {true} = packed(old, data, |a, b| bfloat_from(bfloat_to(a) + bfloat_to(b)));
    /// Subtracts the data if they fit in, else adds the second value.
    Wrap32: u32 (old, data, second) = if old >= data { old - data } else { old.wrapping_add(second) };
}

/// A sum with the NaN that `v_add_f32` gives, whatever the host's addition makes of it.
fn sum32(a: f32, b: f32) -> f32 {
    ruled32(a + b, [a, b])
}

fn sum64(a: f64, b: f64) -> f64 {
    ruled64(a + b, [a, b])
}

fn packed(a: u32, b: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
    u32::from(f(a as u16, b as u16)) | u32::from(f((a >> 16) as u16, (b >> 16) as u16)) << 16
}

fn bfloat_to(x: u16) -> f32 {
    f32::from_bits(u32::from(x) << 16)
}

fn bfloat_from(x: f32) -> u16 {
    let bits = x.to_bits();
    if x.is_nan() {
        return (bits >> 16) as u16 | 0x40;
    }
    ((bits + 0x7fff + (bits >> 16 & 1)) >> 16) as u16
}

/// The operands of a lane: data, and the value behind them.
#[inline(always)]
fn operands<R: Rmw>(w: &Wave, i: &Inst, l: usize) -> (R::T, R::T) {
    let at = |n: u16| w.v[i.mem.data.plus(n).row()].0[l];
    let data = R::T::join(at(0), if R::T::DWORDS == 2 { at(1) } else { 0 });
    let compare = match (R::COMPARES, R::T::DWORDS) {
        (false, _) => data,
        (true, 1) => R::T::join(at(1), 0),
        (true, _) => R::T::join(at(2), at(3)),
    };
    (data, compare)
}

#[inline(always)]
fn put_old<R: Rmw>(w: &mut Wave, i: &Inst, l: usize, old: R::T) {
    let (lo, hi) = old.split();
    w.v[i.dst.row()].0[l] = lo;
    if R::T::DWORDS == 2 {
        w.v[i.dst.plus(1).row()].0[l] = hi;
    }
}

/// A vector atomic, lane after lane; the old values are wanted with `glc`.
#[inline(never)]
pub fn general<S: Space, R: Rmw>(w: &mut Wave, g: &mut Group<'_>, i: &Inst) -> Flow {
    let exec = w.exec();
    let bytes = 4 * R::T::DWORDS as u32;
    for l in (0..64).filter(|l| exec >> l & 1 != 0) {
        let (data, compare) = operands::<R>(w, i, l);
        let f = |old| R::apply(old, data, compare);
        let old = match S::place(w, g, i, l, 0, bytes) {
            Ok(Place::Memory(va)) => {
                let reached = !R::FLOAT || g.mem.takes_float_atomics(va, u64::from(bytes)) != Ok(false);
                match if reached { R::T::update(&mut g.mem, va, f) } else { Ok(R::T::join(0, 0)) } {
                    Ok(old) => old,
                    Err(e) => return fault(w, i, e, Some(l)),
                }
            }
            Ok(Place::Nowhere) => R::T::join(0, 0),
            // LDS and scratch are the group's, or the lane's, own: no other thread sees them.
            Ok(place) => {
                let both = (place.load::<u32>(g), place.plus(4).load::<u32>(g));
                let old = match (both, R::T::DWORDS) {
                    ((Ok(lo), _), 1) => R::T::join(lo, 0),
                    ((Ok(lo), Ok(hi)), _) => R::T::join(lo, hi),
                    ((Err(kind), _) | (_, Err(kind)), _) => return place_fault(w, i, kind, l),
                };
                let (lo, hi) = f(old).split();
                let mut stored = place.store(g, lo);
                if R::T::DWORDS == 2 {
                    stored = stored.and_then(|()| place.plus(4).store(g, hi));
                }
                if let Err(kind) = stored {
                    return place_fault(w, i, kind, l);
                }
                old
            }
            Err(kind) => return place_fault(w, i, kind, l),
        };
        if i.mem.glc {
            put_old::<R>(w, i, l, old);
        }
    }
    Flow::Next
}

/// Additions of all lanes to one address are one addition; each lane's old value follows from the lanes before it.
#[inline(always)]
pub fn fast<S: Space, R: Rmw>(w: &mut Wave, g: &mut Group<'_>, i: &Inst) -> Flow {
    let exec = w.exec();
    if R::SUM == 0 || exec.count_ones() < 2 {
        return general::<S, R>(w, g, i);
    }
    let Some(va) = shape_uniform::<S>(w, g, i, exec, 4 * R::T::DWORDS as u32) else {
        return general::<S, R>(w, g, i);
    };
    let mut sum = R::T::join(0, 0);
    for l in (0..64).filter(|l| exec >> l & 1 != 0) {
        sum = sum.add(operands::<R>(w, i, l).0);
    }
    let old = match R::T::update(&mut g.mem, va, |old| R::apply(old, sum, sum)) {
        Ok(old) => old,
        Err(_) => return general::<S, R>(w, g, i),
    };
    if i.mem.glc {
        let mut now = old;
        for l in (0..64).filter(|l| exec >> l & 1 != 0) {
            let data = operands::<R>(w, i, l).0;
            put_old::<R>(w, i, l, now);
            now = if R::SUM > 0 { now.add(data) } else { now.sub(data) };
        }
    }
    Flow::Next
}
