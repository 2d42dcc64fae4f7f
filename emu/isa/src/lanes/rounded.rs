//! Bodies for modes that round otherwise than the host: what an instruction computes, rounded when it is known.

use super::{F16, F32, F64, I16, I32, Lane, U16, U32};
use super::{fetch, put_rows};
use crate::exact::{Exact, Target};
use crate::{Flow, Inst, Mode, Row, Ty, Wave};

/// What results of a type are rounded to, where the host's arithmetic rounds otherwise.
#[inline]
pub fn unusual(mode: Mode, ty: Ty) -> Option<Target> {
    Target::of(ty, mode).filter(|target| target.is_unusual())
}

/// A value rounded to a type, as its bits.
pub fn bits_of(x: f64, ty: Ty) -> (u32, u32) {
    match ty {
        Ty::F16 | Ty::P16 => F16::to_bits(x as f32),
        Ty::F64 => F64::to_bits(x),
        _ => F32::to_bits(x as f32),
    }
}

/// The quiet NaN of a result whose sources are these: that of the first that is NaN, cut to the result's type.
pub fn nan_bits(sources: &[f64], ty: Ty) -> (u32, u32) {
    let nan = sources.iter().find(|x| x.is_nan()).map_or(0x7ff8 << 48, |x| x.to_bits() | 1 << 51);
    let (sign, fraction) = (nan >> 63, nan & ((1 << 52) - 1));
    match ty {
        Ty::F16 | Ty::P16 => ((sign << 15 | 0x7c00 | fraction >> 42) as u32, 0),
        Ty::F64 => (nan as u32, (nan >> 32) as u32),
        _ => ((sign << 31 | 0x7f80_0000 | fraction >> 29) as u32, 0),
    }
}

/// A 32-bit float as a 64-bit one; the payload of a NaN is kept, signalling or not.
pub fn widened(x: f32) -> f64 {
    let bits = x.to_bits();
    if !x.is_nan() {
        return f64::from(x);
    }
    f64::from_bits(u64::from(bits >> 31) << 63 | 0x7ff << 52 | u64::from(bits & 0x7f_ffff) << 29)
}

/// A source of any type, in lane `l`: a float, or an integer that is one exactly.
fn sources(w: &Wave, i: &Inst, k: usize) -> [f64; 64] {
    match i.op.src[k] {
        Ty::F16 => fetch::<F16>(w, i, k).map(widened),
        Ty::F32 => fetch::<F32>(w, i, k).map(widened),
        Ty::F64 => fetch::<F64>(w, i, k),
        Ty::I16 => fetch::<I16>(w, i, k).map(f64::from),
        Ty::U16 => fetch::<U16>(w, i, k).map(f64::from),
        Ty::I32 => fetch::<I32>(w, i, k).map(f64::from),
        _ => fetch::<U32>(w, i, k).map(f64::from),
    }
}

/// Runs an instruction that computes `f` in each lane.
#[cold]
#[inline(never)]
pub fn rounded(w: &mut Wave, i: &Inst, target: Target, f: &dyn Fn([Exact; 3]) -> Exact) -> Flow {
    let count = i.op.src.len().min(3);
    let rows: [[f64; 64]; 3] = core::array::from_fn(|k| if k < count { sources(w, i, k) } else { [0.0; 64] });
    let (mut lo, mut hi) = (Row([0; 64]), Row([0; 64]));
    for (l, (lo, hi)) in lo.0.iter_mut().zip(&mut hi.0).enumerate() {
        let x = rows.map(|row| row[l]);
        (*lo, *hi) = value_bits(&x[..count], i.op.dst, f(x.map(|x| Exact::float(x, target))));
    }
    let (omod, clamp, mode) = (i.mods.omod, i.mods.clamp, w.mode);
    match i.op.dst {
        Ty::F16 => super::registers::finish_rows::<F16>(&mut lo, &mut hi, omod, clamp, mode),
        Ty::F64 => super::registers::finish_rows::<F64>(&mut lo, &mut hi, omod, clamp, mode),
        _ => super::registers::finish_rows::<F32>(&mut lo, &mut hi, omod, clamp, mode),
    }
    put_rows(w, i, lo, hi, i.op.dst);
    Flow::Next
}

/// The bits of a result, rounded.
pub fn value_bits(sources: &[f64], ty: Ty, x: Exact) -> (u32, u32) {
    if x.is_nan() { nan_bits(sources, ty) } else { bits_of(x.round(), ty) }
}
