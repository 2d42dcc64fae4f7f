//! Packed arithmetic: two 16-bit values in a dword, two 32-bit floats in a register pair. Vega ISA, "VOP3P"; MI200 ISA
//! for 32-bit floats.
//!
//! `op_sel` and `op_sel_hi` choose the half of each source that goes into the low and the high result; `neg` negates
//! sources for the low result, and the field of the absolute-value bits does for the high one.

use super::float32::{mad, mad32};
use super::half;
use super::int16::{imad, umad};
use super::minmax::{max32, maximum, min32, minimum};
use crate::exact::{Exact, Target};
use crate::lanes::{F16, F32, I16, Lane, U16, ruled32, unusual, value_bits, widened, write_row};
use crate::{Flow, Inst, Lanes, Mode, Mods, Operand, Row, Ty, Wave, wave_ops};

/// A packed 16-bit source of a scalar register or a constant. Constants are 16-bit in float operations and leave the
/// high half zero; they are 32-bit in integer operations.
#[inline(always)]
fn scalar16<T: Lane>(w: &Wave, o: Operand, literal: u32) -> u32 {
    if T::TY.is_float() && (Operand::HALF.0..=Operand::INV_2PI.0).contains(&o.0) {
        u32::from(o.constant16(literal))
    } else {
        w.scalar32(o, literal)
    }
}

macro_rules! packed_source {
    ($T:ty, $w:ident, $i:ident, $k:expr, $row:ident) => {
        let o = $i.src[$k];
        let own: Row;
        let $row: &Lanes = if o.is_vector() {
            &$w.v[o.row()].0
        } else {
            own = Row([scalar16::<$T>($w, o, $i.literal); 64]);
            &own.0
        };
    };
}

/// How far source `k` is shifted for the low and for the high result.
#[inline(always)]
fn shifts(mods: Mods, k: usize) -> (u32, u32) {
    (u32::from(mods.op_sel >> k & 1) * 16, u32::from(mods.op_sel_hi >> k & 1) * 16)
}

/// One half of source `k`, with negation by the bits `neg`, and denormals flushed where the mode is not plain.
#[inline(always)]
fn part<T: Lane, const FAST: bool>(mode: Mode, x: u32, shift: u32, neg: bool) -> T::Rep {
    let x = T::modify(T::from_bits(x >> shift & 0xffff, 0), false, neg);
    if FAST { x } else { T::flush_input(x, mode) }
}

macro_rules! packed_bodies {
    ($($name:ident $general:ident: $($row:ident $k:literal),+;)*) => {$(
        #[inline(always)]
        fn $name<T: Lane, const FAST: bool>(w: &mut Wave, i: &Inst, f: impl Fn($(packed_bodies!(@rep $row)),+) -> T::Rep) -> Flow {
            if !FAST {
                return $general::<T>(w, i, &f);
            }
            let (low, high) = packed_bodies!(@lanes T true, w, i, f, $($row $k),+);
            put_packed(w, i, low, high)
        }

        /// As the fast body, for any mode; compiled once for all operations.
        #[inline(never)]
        fn $general<T: Lane>(w: &mut Wave, i: &Inst, f: &dyn Fn($(packed_bodies!(@rep $row)),+) -> T::Rep) -> Flow {
            let (low, high) = packed_bodies!(@lanes T false, w, i, f, $($row $k),+);
            put_packed(w, i, low, high)
        }
    )*};
    (@rep $row:ident) => { T::Rep };
    (@lanes $T:ident $fast:literal, $w:ident, $i:ident, $f:ident, $($row:ident $k:literal),+) => {{
        let w = &*$w;
        $(packed_source!($T, w, $i, $k, $row);)+
        // One loop a half: shifts and signs are the same for all lanes.
        let (mods, mode) = ($i.mods, w.mode);
        let mut low = Row(core::array::from_fn(|l| {
            let x = $f($(part::<$T, $fast>(mode, $row[l], shifts(mods, $k).0, mods.neg >> $k & 1 != 0)),+);
            $T::to_bits(x).0
        }));
        let mut high = Row(core::array::from_fn(|l| {
            let x = $f($(part::<$T, $fast>(mode, $row[l], shifts(mods, $k).1, mods.abs >> $k & 1 != 0)),+);
            $T::to_bits(x).0
        }));
        if $T::TY.is_float() && (!$fast || mods.clamp) {
            for x in low.0.iter_mut().chain(&mut high.0) {
                *x = $T::to_bits($T::finish($T::from_bits(*x, 0), 0, mods.clamp, mode)).0;
            }
        }
        (low, high)
    }};
}

/// Writes two results of 16 bits to each active lane.
#[inline(always)]
fn put_packed(w: &mut Wave, i: &Inst, mut low: Row, high: Row) -> Flow {
    for (x, high) in low.0.iter_mut().zip(&high.0) {
        *x |= high << 16;
    }
    let exec = w.exec();
    write_row(&mut w.v[i.dst.row()].0, &low.0, exec);
    Flow::Next
}

packed_bodies! {
    pk2 pk2_general: a 0, b 1;
    pk3 pk3_general: a 0, b 1, c 2;
}

/// One dword of a pair: of a register, or spread from a scalar.
macro_rules! pair_source {
    ($w:ident, $i:ident, $k:expr, $high:expr, $row:ident) => {
        let o = $i.src[$k];
        let own: Row;
        let $row: &Lanes = if o.is_vector() {
            &$w.v[o.plus(u16::from($high)).row()].0
        } else {
            own = Row([scalar_pair($w, o, $high, $i.literal); 64]);
            &own.0
        };
    };
}

/// Packed operations in modes that round otherwise than the host: 16-bit floats in halves, 32-bit ones in pairs.
#[cold]
#[inline(never)]
fn packed_rounded(w: &mut Wave, i: &Inst, target: Target, f: &dyn Fn([Exact; 3]) -> Exact) -> Flow {
    let count = i.op.src.len();
    let (mods, mode, wide) = (i.mods, w.mode, i.op.dst == Ty::P32);
    // The dwords that the low and the high result take, of each source.
    let rows: [[Row; 2]; 3] = core::array::from_fn(|k| {
        if k >= count {
            return [Row([0; 64]), Row([0; 64])];
        }
        let w = &*w;
        if wide {
            pair_source!(w, i, k, mods.op_sel >> k & 1 != 0, lo);
            pair_source!(w, i, k, mods.op_sel_hi >> k & 1 != 0, hi);
            return [Row(*lo), Row(*hi)];
        }
        packed_source!(F16, w, i, k, row);
        [Row(*row), Row(*row)]
    });
    let mut out = [Row([0; 64]), Row([0; 64])];
    for (half, out) in out.iter_mut().enumerate() {
        let negated = [mods.neg, mods.abs][half];
        for l in 0..64 {
            let x: [f64; 3] = core::array::from_fn(|k| {
                let (x, neg) = (rows[k][half].0[l], negated >> k & 1 != 0);
                let shift = [shifts(mods, k).0, shifts(mods, k).1][half];
                widened(if wide {
                    single::<false>(w, x, neg)
                } else {
                    part::<F16, false>(mode, x, shift, neg)
                })
            });
            let (x, _) = value_bits(&x[..count], i.op.dst, f(x.map(|x| Exact::float(x, target))));
            out.0[l] = if wide {
                F32::to_bits(F32::finish(f32::from_bits(x), 0, mods.clamp, mode)).0
            } else {
                F16::to_bits(F16::finish(half::to_f32(x), 0, mods.clamp, mode)).0
            };
        }
    }
    let [low, high] = out;
    if wide { put_pair(w, i, &low, &high) } else { put_packed(w, i, low, high) }
}

/// Runs the second body in a mode that rounds otherwise than the host, and the first one in others.
macro_rules! rounding {
    ($w:ident, $i:ident, $body:expr, |$($x:ident),+| $exact:expr) => {
        match unusual($w.mode, $i.op.dst) {
            Some(target) if !FAST => packed_rounded($w, $i, target, &|[$($x,)+ ..]| $exact),
            _ => $body,
        }
    };
}

/// With `clamp`, an integer operation saturates.
macro_rules! saturating {
    ($body:ident, $T:ident, $w:ident, $i:ident, $plain:expr, $clamped:expr) => {
        if $i.mods.clamp { $body::<$T, FAST>($w, $i, $clamped) } else { $body::<$T, FAST>($w, $i, $plain) }
    };
}

wave_ops! {
    /// `D = S0 * S1 + S2`, signed.
    V_PK_MAD_I16 "v_pk_mad_i16": P16 <- (P16, P16, P16) =
        |w, i| saturating!(pk3, I16, w, i, |a, b, c| a.wrapping_mul(b).wrapping_add(c), imad);
    /// Low half of `S0 * S1`.
    V_PK_MUL_LO_U16 "v_pk_mul_lo_u16": P16 <- (P16, P16) = |w, i| pk2::<U16, FAST>(w, i, |a, b| a.wrapping_mul(b));
    /// `D = S0 + S1`, signed.
    V_PK_ADD_I16 "v_pk_add_i16": P16 <- (P16, P16) =
        |w, i| saturating!(pk2, I16, w, i, |a, b| a.wrapping_add(b), |a, b| a.saturating_add(b));
    /// `D = S0 - S1`, signed.
    V_PK_SUB_I16 "v_pk_sub_i16": P16 <- (P16, P16) =
        |w, i| saturating!(pk2, I16, w, i, |a, b| a.wrapping_sub(b), |a, b| a.saturating_sub(b));
    /// `D = S1 << S0[3:0]`.
    V_PK_LSHLREV_B16 "v_pk_lshlrev_b16": P16 <- (P16, P16) = |w, i| pk2::<U16, FAST>(w, i, |n, x| x << (n & 15));
    /// `D = S1 >> S0[3:0]`, unsigned.
    V_PK_LSHRREV_B16 "v_pk_lshrrev_b16": P16 <- (P16, P16) = |w, i| pk2::<U16, FAST>(w, i, |n, x| x >> (n & 15));
    /// `D = S1 >> S0[3:0]`, signed.
    V_PK_ASHRREV_I16 "v_pk_ashrrev_i16": P16 <- (P16, P16) = |w, i| pk2::<I16, FAST>(w, i, |n, x| x >> (n & 15));
    /// The greater, signed.
    V_PK_MAX_I16 "v_pk_max_i16": P16 <- (P16, P16) = |w, i| pk2::<I16, FAST>(w, i, |a, b| a.max(b));
    /// The lesser, signed.
    V_PK_MIN_I16 "v_pk_min_i16": P16 <- (P16, P16) = |w, i| pk2::<I16, FAST>(w, i, |a, b| a.min(b));
    /// `D = S0 * S1 + S2`, unsigned.
    V_PK_MAD_U16 "v_pk_mad_u16": P16 <- (P16, P16, P16) =
        |w, i| saturating!(pk3, U16, w, i, |a, b, c| a.wrapping_mul(b).wrapping_add(c), umad);
    /// `D = S0 + S1`, unsigned.
    V_PK_ADD_U16 "v_pk_add_u16": P16 <- (P16, P16) =
        |w, i| saturating!(pk2, U16, w, i, |a, b| a.wrapping_add(b), |a, b| a.saturating_add(b));
    /// `D = S0 - S1`, unsigned.
    V_PK_SUB_U16 "v_pk_sub_u16": P16 <- (P16, P16) =
        |w, i| saturating!(pk2, U16, w, i, |a, b| a.wrapping_sub(b), |a, b| a.saturating_sub(b));
    /// The greater, unsigned.
    V_PK_MAX_U16 "v_pk_max_u16": P16 <- (P16, P16) = |w, i| pk2::<U16, FAST>(w, i, |a, b| a.max(b));
    /// The lesser, unsigned.
    V_PK_MIN_U16 "v_pk_min_u16": P16 <- (P16, P16) = |w, i| pk2::<U16, FAST>(w, i, |a, b| a.min(b));
    /// `D = S0 * S1 + S2`, rounded once.
    V_PK_FMA_F16 "v_pk_fma_f16": P16 <- (P16, P16, P16) =
        |w, i| rounding!(w, i, pk3::<F16, FAST>(w, i, |a, b, c| ruled32(half::mul_add(a, b, c), [a, b, c])), |a, b, c| a.mul_add(b, c));
    /// `D = S0 * S1 + D`, rounded once.
    V_PK_FMAC_F16 "v_pk_fmac_f16" [TIED_SHORT_ONLY]: P16 <- (P16, P16, P16) =
        |w, i| rounding!(w, i, pk3::<F16, FAST>(w, i, |a, b, c| ruled32(half::mul_add(a, b, c), [a, b, c])), |a, b, c| a.mul_add(b, c));
    /// `D = S0 + S1`.
    V_PK_ADD_F16 "v_pk_add_f16": P16 <- (P16, P16) =
        |w, i| rounding!(w, i, pk2::<F16, FAST>(w, i, |a, b| ruled32(a + b, [a, b])), |a, b| a + b);
    /// `D = S0 * S1`.
    V_PK_MUL_F16 "v_pk_mul_f16": P16 <- (P16, P16) =
        |w, i| rounding!(w, i, pk2::<F16, FAST>(w, i, |a, b| ruled32(a * b, [a, b])), |a, b| a * b);
    /// The lesser.
    V_PK_MIN_F16 "v_pk_min_f16": P16 <- (P16, P16) = |w, i| pk2::<F16, FAST>(w, i, min32);
    /// The greater.
    V_PK_MAX_F16 "v_pk_max_f16": P16 <- (P16, P16) = |w, i| pk2::<F16, FAST>(w, i, max32);
    /// `D = S0 * S1 + S2` of two 32-bit floats, rounded once.
    V_PK_FMA_F32 "v_pk_fma_f32": P32 <- (P32, P32, P32) =
        |w, i| rounding!(w, i, pair3::<FAST>(w, i, |a, b, c| a.mul_add(b, c)), |a, b, c| a.mul_add(b, c));
    /// `D = S0 * S1` of two 32-bit floats.
    V_PK_MUL_F32 "v_pk_mul_f32": P32 <- (P32, P32) = |w, i| rounding!(w, i, pair2::<FAST>(w, i, |a, b| a * b), |a, b| a * b);
    /// `D = S0 + S1` of two 32-bit floats.
    V_PK_ADD_F32 "v_pk_add_f32": P32 <- (P32, P32) = |w, i| rounding!(w, i, pair2::<FAST>(w, i, |a, b| a + b), |a, b| a + b);
    /// Two dwords: one of `S0`, one of `S1`, as `op_sel` chooses.
    V_PK_MOV_B32 "v_pk_mov_b32": B64 <- (B64, B64) = |w, i| pair_mov(w, i);
    /// `D = S0 * S1 + S2`, where each source is a 32-bit float or a half of a dword.
    V_FMA_MIX_F32 "v_fma_mix_f32": F32 <- (F32, F32, F32) = |w, i| mix::<FAST>(w, i, Part::Whole, (f32::mul_add, Exact::mul_add));
    /// As `v_fma_mix_f32`, rounded to a 16-bit float in the low half.
    V_FMA_MIXLO_F16 "v_fma_mixlo_f16": F16 <- (F32, F32, F32) = |w, i| mix::<FAST>(w, i, Part::Low, (f32::mul_add, Exact::mul_add));
    /// As `v_fma_mix_f32`, rounded to a 16-bit float in the high half.
    V_FMA_MIXHI_F16 "v_fma_mixhi_f16": F16 <- (F32, F32, F32) = |w, i| mix::<FAST>(w, i, Part::High, (f32::mul_add, Exact::mul_add));
    /// As `v_fma_mix_f32`, rounded after each step and without 32-bit denormals.
    V_MAD_MIX_F32 "v_mad_mix_f32": F32 <- (F32, F32, F32) = |w, i| mix::<FAST>(w, i, Part::Whole, (mad32, mad));
    /// As `v_mad_mix_f32`, rounded to a 16-bit float in the low half.
    V_MAD_MIXLO_F16 "v_mad_mixlo_f16": F16 <- (F32, F32, F32) = |w, i| mix::<FAST>(w, i, Part::Low, (mad32, mad));
    /// As `v_mad_mix_f32`, rounded to a 16-bit float in the high half.
    V_MAD_MIXHI_F16 "v_mad_mixhi_f16": F16 <- (F32, F32, F32) = |w, i| mix::<FAST>(w, i, Part::High, (mad32, mad));
}

/// A constant is a 32-bit one in the low dword; the high dword is its sign.
#[inline(always)]
fn scalar_pair(w: &Wave, o: Operand, high: bool, literal: u32) -> u32 {
    if o.is_constant() {
        if high { (o.constant64(Ty::B64, literal) >> 32) as u32 } else { o.constant32(literal) }
    } else {
        (w.scalar64(o, Ty::B64, literal) >> if high { 32 } else { 0 }) as u32
    }
}

macro_rules! pair_bodies {
    ($($name:ident: $($lo:ident $hi:ident $k:literal),+;)*) => {$(
        #[inline(always)]
        fn $name<const FAST: bool>(w: &mut Wave, i: &Inst, f: impl Fn($(pair_bodies!(@rep $lo)),+) -> f32) -> Flow {
            let (lo, hi) = {
                let w = &*w;
                $(
                    pair_source!(w, i, $k, i.mods.op_sel >> $k & 1 != 0, $lo);
                    pair_source!(w, i, $k, i.mods.op_sel_hi >> $k & 1 != 0, $hi);
                )+
                let mut lo = Row(core::array::from_fn(|l| {
                    f($(single::<FAST>(w, $lo[l], i.mods.neg >> $k & 1 != 0)),+).to_bits()
                }));
                let mut hi = Row(core::array::from_fn(|l| {
                    f($(single::<FAST>(w, $hi[l], i.mods.abs >> $k & 1 != 0)),+).to_bits()
                }));
                let mut any = 0;
                for (lo, hi) in lo.0.iter().zip(&hi.0) {
                    any |= u32::from(F32::is_nan(*lo, 0) | F32::is_nan(*hi, 0));
                }
                if any != 0 {
                    for l in 0..64 {
                        let from_lo = [$(single::<FAST>(w, $lo[l], i.mods.neg >> $k & 1 != 0)),+];
                        let from_hi = [$(single::<FAST>(w, $hi[l], i.mods.abs >> $k & 1 != 0)),+];
                        lo.0[l] = ruled32(f32::from_bits(lo.0[l]), from_lo).to_bits();
                        hi.0[l] = ruled32(f32::from_bits(hi.0[l]), from_hi).to_bits();
                    }
                }
                if !FAST || i.mods.clamp {
                    for x in lo.0.iter_mut().chain(&mut hi.0) {
                        *x = F32::finish(f32::from_bits(*x), 0, i.mods.clamp, w.mode).to_bits();
                    }
                }
                (lo, hi)
            };
            put_pair(w, i, &lo, &hi)
        }
    )*};
    (@rep $lo:ident) => { f32 };
}

pair_bodies! {
    pair2: a_lo a_hi 0, b_lo b_hi 1;
    pair3: a_lo a_hi 0, b_lo b_hi 1, c_lo c_hi 2;
}

#[inline(always)]
fn single<const FAST: bool>(w: &Wave, x: u32, neg: bool) -> f32 {
    let x = F32::modify(f32::from_bits(x), false, neg);
    if FAST { x } else { F32::flush_input(x, w.mode) }
}

#[inline(always)]
fn put_pair(w: &mut Wave, i: &Inst, lo: &Row, hi: &Row) -> Flow {
    let exec = w.exec();
    write_row(&mut w.v[i.dst.row()].0, &lo.0, exec);
    write_row(&mut w.v[i.dst.plus(1).row()].0, &hi.0, exec);
    Flow::Next
}

#[inline(always)]
fn pair_mov(w: &mut Wave, i: &Inst) -> Flow {
    let (lo, hi) = {
        let w = &*w;
        pair_source!(w, i, 0, i.mods.op_sel & 1 != 0, a);
        pair_source!(w, i, 1, i.mods.op_sel & 2 != 0, b);
        (Row(*a), Row(*b))
    };
    put_pair(w, i, &lo, &hi)
}

/// Which part of the destination `mix` writes.
#[derive(Clone, Copy)]
enum Part {
    Whole,
    Low,
    High,
}

/// Source `k` of the mixed forms: with its `op_sel_hi` bit a half, by `op_sel`, otherwise a 32-bit float. The
/// absolute-value bits are just that here.
#[inline(always)]
fn mixed<const FAST: bool>(w: &Wave, i: &Inst, k: usize, x: u32) -> f32 {
    let is_half = i.mods.op_sel_hi >> k & 1 != 0;
    let shift = u32::from(i.mods.op_sel >> k & 1) * 16;
    let x = if is_half { half::to_f32(x >> shift & 0xffff) } else { f32::from_bits(x) };
    let x = F32::modify(x, i.mods.abs >> k & 1 != 0, i.mods.neg >> k & 1 != 0);
    if FAST {
        x
    } else if is_half {
        F16::flush_input(x, w.mode)
    } else {
        F32::flush_input(x, w.mode)
    }
}

#[inline(always)]
fn mix<const FAST: bool>(
    w: &mut Wave,
    i: &Inst,
    part: Part,
    multiply_add: (impl Fn(f32, f32, f32) -> f32, fn(Exact, Exact, Exact) -> Exact),
) -> Flow {
    if FAST {
        mix_lanes::<true>(w, i, part, multiply_add.0, |x| x)
    } else {
        mix_general(w, i, part, &multiply_add.0, multiply_add.1)
    }
}

/// For any mode; compiled once for all operations.
#[inline(never)]
fn mix_general(
    w: &mut Wave,
    i: &Inst,
    part: Part,
    multiply_add: &dyn Fn(f32, f32, f32) -> f32,
    exact: fn(Exact, Exact, Exact) -> Exact,
) -> Flow {
    let (single, half) = (unusual(w.mode, Ty::F32), unusual(w.mode, Ty::F16));
    let round = |x: f32, target: Option<Target>| match target {
        Some(target) if !x.is_nan() => Exact::float(f64::from(x), target).round() as f32,
        _ => x,
    };
    let product = |a: f32, b: f32, c: f32| match single {
        Some(target) => {
            let [a, b, c] = [a, b, c].map(|x| Exact::float(widened(x), target));
            exact(a, b, c).round() as f32
        }
        None => multiply_add(a, b, c),
    };
    mix_lanes::<false>(w, i, part, product, |x| round(x, half))
}

#[inline(always)]
fn mix_lanes<const FAST: bool>(
    w: &mut Wave,
    i: &Inst,
    part: Part,
    multiply_add: impl Fn(f32, f32, f32) -> f32,
    to_half: impl Fn(f32) -> f32,
) -> Flow {
    let mut out = Row([0; 64]);
    {
        let w = &*w;
        let scalar = |k: usize| {
            let o = i.src[k];
            if i.mods.op_sel_hi >> k & 1 != 0 {
                scalar16::<F16>(w, o, i.literal)
            } else {
                w.scalar32(o, i.literal)
            }
        };
        let row = |k: usize| {
            let o = i.src[k];
            if o.is_vector() { w.v[o.row()].clone() } else { Row([scalar(k); 64]) }
        };
        let (a, b, c) = (row(0), row(1), row(2));
        let old = &w.v[i.dst.row()].0;
        for (l, &old) in old.iter().enumerate() {
            let (a, b, c) = (
                mixed::<FAST>(w, i, 0, a.0[l]),
                mixed::<FAST>(w, i, 1, b.0[l]),
                mixed::<FAST>(w, i, 2, c.0[l]),
            );
            let r = ruled32(multiply_add(a, b, c), [a, b, c]);
            out.0[l] = match part {
                Part::Whole => F32::finish(r, 0, i.mods.clamp, w.mode).to_bits(),
                Part::Low => {
                    old & 0xffff_0000 | half::from_f32(F16::finish(to_half(r), 0, i.mods.clamp, w.mode))
                }
                Part::High => {
                    old & 0xffff | half::from_f32(F16::finish(to_half(r), 0, i.mods.clamp, w.mode)) << 16
                }
            };
        }
    }
    let exec = w.exec();
    write_row(&mut w.v[i.dst.row()].0, &out.0, exec);
    Flow::Next
}

wave_ops! {
    /// The least of three in either half; NaN where a source is one.
    V_PK_MINIMUM3_F16 "v_pk_minimum3_f16": P16 <- (P16, P16, P16) =
        |w, i| pk3::<F16, FAST>(w, i, |a, b, c| ruled32(minimum(minimum(a, b), c), [a, b, c]));
    /// The greatest of three in either half; NaN where a source is one.
    V_PK_MAXIMUM3_F16 "v_pk_maximum3_f16": P16 <- (P16, P16, P16) =
        |w, i| pk3::<F16, FAST>(w, i, |a, b, c| ruled32(maximum(maximum(a, b), c), [a, b, c]));
}
