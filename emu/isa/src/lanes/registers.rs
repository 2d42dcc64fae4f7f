//! Registers as sources and destinations of whole waves: SDWA, DPP, `op_sel`, the lane mask, and masks as results.

use super::Lane;
use crate::ops::{dpp, sdwa};
use crate::{Extension, Flow, Inst, Lanes, Mode, Operand, Row, Ty, Wave};

/// One dword of a scalar source, or a constant, as an operand of type `ty` reads it: `(low, high)`.
#[inline(always)]
pub fn scalar_bits(w: &Wave, o: Operand, ty: Ty, literal: u32) -> (u32, u32) {
    if ty.dwords() == 2 {
        let x = w.scalar64(o, ty, literal);
        (x as u32, (x >> 32) as u32)
    } else if ty.is_16_bit() && o.is_constant() {
        (u32::from(o.constant16(literal)), 0)
    } else {
        (w.scalar32(o, literal), 0)
    }
}

/// `dst = row` in the lanes of `exec`.
#[inline(always)]
pub fn write_row(dst: &mut Lanes, row: &Lanes, exec: u64) {
    if exec == !0 {
        *dst = *row;
        return;
    }
    for half in 0..2 {
        let mask = (exec >> (32 * half)) as u32;
        for l in 0..32 {
            let keep = (mask >> l & 1).wrapping_sub(1);
            let k = 32 * half + l;
            dst[k] = (row[k] & !keep) | (dst[k] & keep);
        }
    }
}

/// Source `k` of any kind, with SDWA, DPP and source modifiers applied, and denormals flushed by the mode.
#[inline(never)]
pub fn fetch<T: Lane>(w: &Wave, i: &Inst, k: usize) -> [T::Rep; 64] {
    let (lo, hi) = source_rows(w, i, k, T::TY);
    let (abs, neg) = (i.mods.abs >> k & 1 != 0, i.mods.neg >> k & 1 != 0);
    core::array::from_fn(|l| T::flush_input(T::modify(T::from_bits(lo.0[l], hi.0[l]), abs, neg), w.mode))
}

/// The registers behind source `k`, with SDWA and DPP applied.
pub fn source_rows(w: &Wave, i: &Inst, k: usize, ty: Ty) -> (Row, Row) {
    let o = i.src[k];
    let wide = ty.dwords() == 2;
    let (lo, hi) = if o.is_vector() {
        (w.v[o.row()].clone(), if wide { w.v[o.plus(1).row()].clone() } else { Row([0; 64]) })
    } else {
        let (lo, hi) = scalar_bits(w, o, ty, i.literal);
        (Row([lo; 64]), Row([hi; 64]))
    };
    match i.ext {
        Extension::None if ty.is_16_bit() && ty != Ty::P16 && i.mods.op_sel >> k & 1 != 0 => {
            (Row(lo.0.map(|x| x >> 16)), hi)
        }
        Extension::None => (lo, hi),
        Extension::Sdwa { src_sel, sext, .. } if k < 2 => {
            (sdwa::select(lo, src_sel[k], sext >> k & 1 != 0), hi)
        }
        Extension::Dpp { ctrl, .. } if k == 0 => {
            let exec = w.exec();
            (dpp::permute(&lo, ctrl, exec), if wide { dpp::permute(&hi, ctrl, exec) } else { hi })
        }
        _ => (lo, hi),
    }
}

/// The lanes that an instruction writes: `EXEC`, less what DPP leaves out.
pub fn written_lanes(w: &Wave, i: &Inst) -> u64 {
    match i.ext {
        Extension::Dpp { ctrl, bound_ctrl, bank_mask, row_mask } => {
            w.exec() & dpp::written(ctrl, bound_ctrl, bank_mask, row_mask, w.exec())
        }
        _ => w.exec(),
    }
}

/// Output modifiers and the mode's say over a result that is rounded to its format.
#[inline(always)]
pub(super) fn finish_rows<T: Lane>(lo: &mut Row, hi: &mut Row, omod: u8, clamp: bool, mode: Mode) {
    if !T::TY.is_float() {
        return;
    }
    for (lo, hi) in lo.0.iter_mut().zip(&mut hi.0) {
        (*lo, *hi) = T::to_bits(T::finish(T::from_bits(*lo, *hi), omod, clamp, mode));
    }
}

/// Writes a result through output modifiers, SDWA and the lane mask.
#[inline(never)]
pub fn put<T: Lane>(w: &mut Wave, i: &Inst, r: &[T::Rep; 64]) {
    let (omod, clamp, mode) = (i.mods.omod, i.mods.clamp, w.mode);
    let (mut lo, mut hi) = (Row([0; 64]), Row([0; 64]));
    for (l, &x) in r.iter().enumerate() {
        (lo.0[l], hi.0[l]) = T::to_bits(T::limit(x, mode));
    }
    finish_rows::<T>(&mut lo, &mut hi, omod, clamp, mode);
    put_rows(w, i, lo, hi, T::TY);
}

/// Writes result registers through SDWA, `op_sel` and the lane mask.
pub fn put_rows(w: &mut Wave, i: &Inst, mut lo: Row, hi: Row, ty: Ty) {
    let lanes = written_lanes(w, i);
    let row = i.dst.row();
    match i.ext {
        Extension::Sdwa { dst_sel, dst_unused, .. } => {
            lo = sdwa::merge(&w.v[row], lo, dst_sel, dst_unused);
        }
        _ if ty.is_16_bit() && ty != Ty::P16 && i.mods.op_sel & 8 != 0 => {
            for (x, old) in lo.0.iter_mut().zip(&w.v[row].0) {
                *x = *x << 16 | old & 0xffff;
            }
        }
        _ if i.op.traits.keeps_high => keep_high(&mut lo, &w.v[row]),
        _ => {}
    }
    write_row(&mut w.v[row].0, &lo.0, lanes);
    if ty.dwords() == 2 {
        write_row(&mut w.v[i.dst.plus(1).row()].0, &hi.0, lanes);
    }
}

/// A 16-bit result beside the destination's old high half.
#[inline(always)]
pub(super) fn keep_high(lo: &mut Row, old: &Row) {
    for (x, old) in lo.0.iter_mut().zip(&old.0) {
        *x = *x & 0xffff | old & 0xffff_0000;
    }
}

/// Bit `l` of `mask` in lane `l`: 0 or 1.
#[inline(always)]
pub fn mask_lanes(mask: u64) -> Lanes {
    let mut out = [0; 64];
    for half in 0..2 {
        let bits = (mask >> (32 * half)) as u32;
        for l in 0..32 {
            out[32 * half + l] = bits >> l & 1;
        }
    }
    out
}

/// Writes a compare's result: the active lanes' bits, zero elsewhere, to an SGPR pair (or `VCC`); to `EXEC` as well where
/// the instruction says so.
#[inline(always)]
pub fn put_mask(w: &mut Wave, i: &Inst, mask: u64) -> Flow {
    let mask = mask & w.exec();
    w.set_pair(i.dst, mask);
    if i.op.traits.sets_exec {
        w.set_exec(mask);
    }
    Flow::Next
}

/// Writes the mask beside a result: carries, to the second destination.
#[inline(always)]
pub fn put_carry(w: &mut Wave, i: &Inst, mask: u64) -> Flow {
    let mask = mask & written_lanes(w, i);
    w.set_pair(i.sdst, mask);
    Flow::Next
}
