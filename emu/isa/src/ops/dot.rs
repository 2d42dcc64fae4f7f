//! Dot products: the lanes' small vectors multiplied element by element, and added up. MI200 ISA, "VOP2", "VOP3P".

use super::float32::flush32;
use super::half;
use crate::exact::Exact;
use crate::lanes::{F16, F32, Lane, U32, ruled32, unusual, wave_store, widened};
use crate::{Flow, Inst, Row, Ty, Wave, lane_ops, wave_ops, wave_source};

/// Sum of `a[k] * b[k]` over signed elements of `bits` bits.
#[inline(always)]
fn signed(a: u32, b: u32, bits: u32) -> i32 {
    let at = |x: u32, k: u32| (x << (32 - bits - k)) as i32 >> (32 - bits);
    let mut sum = 0i32;
    let mut k = 0;
    while k < 32 {
        sum = sum.wrapping_add(at(a, k).wrapping_mul(at(b, k)));
        k += bits;
    }
    sum
}

/// Sum of `a[k] * b[k]` over unsigned elements of `bits` bits.
#[inline(always)]
fn unsigned(a: u32, b: u32, bits: u32) -> u32 {
    let at = |x: u32, k: u32| x << (32 - bits - k) >> (32 - bits);
    let mut sum = 0u32;
    let mut k = 0;
    while k < 32 {
        sum = sum.wrapping_add(at(a, k).wrapping_mul(at(b, k)));
        k += bits;
    }
    sum
}

/// Two products of 16 bits do not fit 32 bits: the clamped sums are made in 64.
#[inline(always)]
fn signed16_clamped(a: u32, b: u32, c: i32) -> i32 {
    let product = |a: u32, b: u32| i64::from(a as i16) * i64::from(b as i16);
    let sum = product(a, b) + product(a >> 16, b >> 16) + i64::from(c);
    sum.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}

#[inline(always)]
fn unsigned16_clamped(a: u32, b: u32, c: u32) -> u32 {
    let product = |a: u32, b: u32| u64::from(a as u16) * u64::from(b as u16);
    let sum = product(a, b) + product(a >> 16, b >> 16) + u64::from(c);
    sum.min(0xffff_ffff) as u32
}

lane_ops! {
    /// Four signed 8-bit products, plus `S2`.
    V_DOT4_I32_I8 "v_dot4_i32_i8": I32 <- (a: B32, b: B32, c: I32) =
        signed(a, b, 8).wrapping_add(c), clamp signed(a, b, 8).saturating_add(c);
    /// Four unsigned 8-bit products, plus `S2`.
    V_DOT4_U32_U8 "v_dot4_u32_u8": U32 <- (a: B32, b: B32, c: U32) =
        unsigned(a, b, 8).wrapping_add(c), clamp unsigned(a, b, 8).saturating_add(c);
    /// Eight signed 4-bit products, plus `S2`.
    V_DOT8_I32_I4 "v_dot8_i32_i4": I32 <- (a: B32, b: B32, c: I32) =
        signed(a, b, 4).wrapping_add(c), clamp signed(a, b, 4).saturating_add(c);
    /// Eight unsigned 4-bit products, plus `S2`.
    V_DOT8_U32_U4 "v_dot8_u32_u4": U32 <- (a: B32, b: B32, c: U32) =
        unsigned(a, b, 4).wrapping_add(c), clamp unsigned(a, b, 4).saturating_add(c);
    /// Two signed 16-bit products, plus `D`.
    V_DOT2C_I32_I16 "v_dot2c_i32_i16" [TIED]: I32 <- (a: B32, b: B32, c: I32) =
        signed(a, b, 16).wrapping_add(c), clamp signed16_clamped(a, b, c);
    /// Four signed 8-bit products, plus `D`.
    V_DOT4C_I32_I8 "v_dot4c_i32_i8" [TIED]: I32 <- (a: B32, b: B32, c: I32) =
        signed(a, b, 8).wrapping_add(c), clamp signed(a, b, 8).saturating_add(c);
    /// Eight signed 4-bit products, plus `D`.
    V_DOT8C_I32_I4 "v_dot8c_i32_i4" [TIED]: I32 <- (a: B32, b: B32, c: I32) =
        signed(a, b, 4).wrapping_add(c), clamp signed(a, b, 4).saturating_add(c);
}

wave_ops! {
    /// Two signed 16-bit products, plus `S2`; `op_sel` chooses the halves.
    V_DOT2_I32_I16 "v_dot2_i32_i16": I32 <- (B32, B32, I32) = |w, i| {
        let clamp = i.mods.clamp;
        dot2_int::<FAST>(w, i, |a, b, c| {
            let c = c as i32;
            (if clamp { signed16_clamped(a, b, c) } else { signed(a, b, 16).wrapping_add(c) }) as u32
        })
    };
    /// Two unsigned 16-bit products, plus `S2`; `op_sel` chooses the halves.
    V_DOT2_U32_U16 "v_dot2_u32_u16": U32 <- (B32, B32, U32) = |w, i| {
        let clamp = i.mods.clamp;
        dot2_int::<FAST>(w, i, |a, b, c| {
            if clamp { unsigned16_clamped(a, b, c) } else { unsigned(a, b, 16).wrapping_add(c) }
        })
    };
    /// Two products of 16-bit floats, added to `S2` one after the other.
    V_DOT2_F32_F16 "v_dot2_f32_f16": F32 <- (P16, P16, F32) = |w, i| dot2::<FAST>(w, i, i.mods.op_sel, i.mods.op_sel_hi);
    /// Two products of 16-bit floats, added to `D` one after the other.
    V_DOT2C_F32_F16 "v_dot2c_f32_f16" [TIED]: F32 <- (P16, P16, F32) = |w, i| dot2::<FAST>(w, i, 0, 3);
}

/// Two products and a sum in one lane, where the mode may round otherwise than the host.
fn rounded_sum(w: &Wave, x: [f32; 5], plain: f32, sum: fn(Exact, Exact, Exact) -> Exact) -> f32 {
    match unusual(w.mode, Ty::F32) {
        Some(target) if !plain.is_nan() => {
            let [a0, b0, a1, b1, c] = x.map(|x| Exact::float(widened(x), target));
            sum((a0 * b0).step(), (a1 * b1).step(), c).round() as f32
        }
        _ => plain,
    }
}

/// Denormals of 32 bits are zero whatever the mode says (as LLVM has it of these instructions), those of 16 bits where
/// the generation does so.
#[inline(always)]
fn dot2<const FAST: bool>(w: &mut Wave, i: &Inst, sel_lo: u8, sel_hi: u8) -> Flow {
    let flushes = w.generation.flushes_half_products;
    let mut out = Row([0; 64]);
    {
        let w = &*w;
        wave_source!(FAST, crate::lanes::P16, w, i, 0, a, _a);
        wave_source!(FAST, crate::lanes::P16, w, i, 1, b, _b);
        wave_source!(FAST, F32, w, i, 2, c, _c);
        // VOP3P negates halves by `neg` and `abs`; the short form has no modifiers.
        let part = |x: u32, sel: u8, neg: u8, k: usize| {
            let x = half::to_f32(x >> (16 * u32::from(sel >> k & 1)) & 0xffff);
            let x = if flushes { half::flush(x) } else { x };
            F16::modify(x, false, neg >> k & 1 != 0)
        };
        for l in 0..64 {
            let (a0, b0) = (part(a[l], sel_lo, i.mods.neg, 0), part(b[l], sel_lo, i.mods.neg, 1));
            let (a1, b1) = (part(a[l], sel_hi, i.mods.abs, 0), part(b[l], sel_hi, i.mods.abs, 1));
            let c = flush32(F32::modify(f32::from_bits(c[l]), false, i.mods.neg >> 2 & 1 != 0));
            let mut x = ruled32(c + a0 * b0 + a1 * b1, [a0, b0, a1, b1, c]);
            if !FAST {
                x = rounded_sum(w, [a0, b0, a1, b1, c], x, |p, q, c| (c + p).step() + q);
            }
            out.0[l] = flush32(x).to_bits();
        }
    }
    wave_store::<F32, FAST>(w, i, out, Row([0; 64]));
    Flow::Next
}

#[inline(always)]
fn dot2_int<const FAST: bool>(w: &mut Wave, i: &Inst, f: impl Fn(u32, u32, u32) -> u32) -> Flow {
    let mut out = Row([0; 64]);
    {
        let w = &*w;
        wave_source!(FAST, U32, w, i, 0, a, _a);
        wave_source!(FAST, U32, w, i, 1, b, _b);
        wave_source!(FAST, U32, w, i, 2, c, _c);
        let (lo, hi) = (i.mods.op_sel, i.mods.op_sel_hi);
        let chosen = |x: u32, k: u32| {
            let half = |sel: u8| x >> (16 * u32::from(sel >> k & 1)) & 0xffff;
            half(lo) | half(hi) << 16
        };
        for l in 0..64 {
            out.0[l] = f(chosen(a[l], 0), chosen(b[l], 1), c[l]);
        }
    }
    wave_store::<U32, FAST>(w, i, out, Row([0; 64]));
    Flow::Next
}

wave_ops! {
    /// Two products of BF16, added up, plus `S2`.
    V_DOT2_F32_BF16 "v_dot2_f32_bf16": F32 <- (P16, P16, F32) =
        |w, i| dot2_bf16::<FAST>(w, i, (i.mods.op_sel, i.mods.op_sel_hi), |p, q, c| p + q + c, |p, q, c| (p + q).step() + c);
    /// Two products of BF16, added to `D` one after the other.
    V_DOT2C_F32_BF16 "v_dot2c_f32_bf16" [TIED]: F32 <- (P16, P16, F32) =
        |w, i| dot2_bf16::<FAST>(w, i, (0, 3), |p, q, c| c + p + q, |p, q, c| (c + p).step() + q);
}

#[inline(always)]
fn dot2_bf16<const FAST: bool>(
    w: &mut Wave,
    i: &Inst,
    sel: (u8, u8),
    sum: impl Fn(f32, f32, f32) -> f32,
    exact: fn(Exact, Exact, Exact) -> Exact,
) -> Flow {
    let mut out = Row([0; 64]);
    {
        let w = &*w;
        wave_source!(FAST, crate::lanes::P16, w, i, 0, a, _a);
        wave_source!(FAST, crate::lanes::P16, w, i, 1, b, _b);
        wave_source!(FAST, F32, w, i, 2, c, _c);
        let part = |x: u32, sel: u8, neg: u8, k: usize| {
            let x = f32::from_bits(x >> (16 * u32::from(sel >> k & 1)) << 16);
            F32::modify(x, false, neg >> k & 1 != 0)
        };
        for l in 0..64 {
            let (a0, b0) = (part(a[l], sel.0, i.mods.neg, 0), part(b[l], sel.0, i.mods.neg, 1));
            let (a1, b1) = (part(a[l], sel.1, i.mods.abs, 0), part(b[l], sel.1, i.mods.abs, 1));
            let c = F32::modify(f32::from_bits(c[l]), false, i.mods.neg >> 2 & 1 != 0);
            let mut x = ruled32(sum(a0 * b0, a1 * b1, c), [a0, b0, a1, b1, c]);
            if !FAST {
                x = rounded_sum(w, [a0, b0, a1, b1, c], x, exact);
            }
            out.0[l] = x.to_bits();
        }
    }
    wave_store::<F32, FAST>(w, i, out, Row([0; 64]));
    Flow::Next
}
