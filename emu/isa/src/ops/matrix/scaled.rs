//! Matrix instructions of CDNA4 on 8-bit, 6-bit and 4-bit floats, with or without scales of blocks of 32 elements.
//!
//! A scaled instruction is two: `v_mfma_ld_scale_b32` brings the exponents, the product behind it takes them where its
//! `abid` field has bit 0 set. CDNA4 ISA, "Matrix arithmetic instructions"; OCP Microscaling Formats.

use super::shape::{Blgp, Elem, mfma};
use super::tile::{Plan, Scratch};
use crate::{Flow, Inst, Row, Wave, wave_ops};

super::matrix_ops! {
    V_MFMA_F32_16X16X128_F8F6F4 "v_mfma_f32_16x16x128_f8f6f4" =
        mfma(16, 16, 128, 1, Elem::Any8, Elem::Any8).blgp(Blgp::Format);
    V_MFMA_F32_32X32X64_F8F6F4 "v_mfma_f32_32x32x64_f8f6f4" =
        mfma(32, 32, 64, 1, Elem::Any8, Elem::Any8).blgp(Blgp::Format);
}

wave_ops! {
    /// Takes one exponent a lane from `S0` for `A` and from `S1` for `B`, for the product behind it; `op_sel` and
    /// `op_sel_hi` choose the byte.
    V_MFMA_LD_SCALE_B32 "v_mfma_ld_scale_b32": None <- (B32, B32) = |w, i| load_scale(w, i);
}

fn load_scale(w: &mut Wave, i: &Inst) -> Flow {
    let mut scratch = w.matrix.take().unwrap_or_default();
    for (k, scale) in scratch.scale.iter_mut().enumerate() {
        let o = i.src[k];
        let byte = (i.mods.op_sel >> k & 1) + 2 * (i.mods.op_sel_hi >> k & 1);
        *scale = if o.is_vector() {
            w.v[o.row()].0.map(|x| (x >> (8 * byte)) as u8)
        } else {
            // Constants and scalar registers give their exponent as 32-bit floats.
            [(w.scalar32(o, i.literal) >> 23) as u8; 64]
        };
    }
    w.matrix = Some(scratch);
    Flow::Next
}

/// Elements that share a scale.
const BLOCK: usize = 32;

/// `2^(x - 127)`; NaN for 255.
fn power(x: u8) -> f64 {
    if x == 255 { f64::NAN } else { f64::from_bits((u64::from(x) + 1023 - 127) << 52) }
}

/// `d += a * b` with scales: the products of a block are added up, scaled, and added to the sum.
#[inline(always)]
pub fn multiply(d: &mut [Row], t: &Scratch, plan: &Plan<'_>) {
    let shape = plan.shape;
    let n = shape.n;
    for (r, row) in d.iter_mut().enumerate() {
        for (s, sums) in row.0.chunks_exact_mut(n).enumerate() {
            let (i, _) = shape.place(r, s);
            for (block, terms) in plan.terms.chunks_exact(BLOCK).enumerate() {
                let mut part = [0f32; 32];
                for term in terms {
                    let x = f32::from_bits(t.a.0[term.a as usize + i]);
                    let b = &t.b.0[term.b as usize..][..n];
                    for (part, &y) in part[..n].iter_mut().zip(b) {
                        *part = x.mul_add(f32::from_bits(y), *part);
                    }
                }
                let scale = power(t.scale[0][block * shape.m + i]);
                for (j, sum) in sums.iter_mut().enumerate() {
                    let scale = scale * power(t.scale[1][block * n + j]);
                    let x = f64::from(f32::from_bits(*sum)) + f64::from(part[j]) * scale;
                    *sum = if x.is_nan() { 0x7fc0_0000 } else { (x as f32).to_bits() };
                }
            }
        }
    }
}
