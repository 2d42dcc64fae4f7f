//! The steps of a division: scale, refine, fix up. Vega ISA, "VOP3A", "VOP3B".
//!
//! `v_div_fmas` scales by 2^64 (2^128 for 64-bit) up where its third source, the quotient, is 2 or more, and down
//! otherwise, as the RDNA manuals spell out.

use super::float32::ldexp32;
use super::float64::ldexp64;
use super::transcendental::preop;
use crate::exact::{Exact, Target};
use crate::lanes::{
    F32, F64, Lane, element, high_row, low_row, mask_lanes, put_carry, ruled32, ruled64, unusual, value_bits,
    wave_store, widened,
};
use crate::{Flow, Inst, Lanes, Row, Wave, lane_ops, wave_ops, wave_source};

/// What the steps need to know of a float format.
trait Format: Lane {
    fn is_zero(x: Self::Rep) -> bool;
    fn is_denormal(x: Self::Rep) -> bool;
    fn same(a: Self::Rep, b: Self::Rep) -> bool;
    fn quotient(a: Self::Rep, b: Self::Rep) -> Self::Rep;
    fn mul_add(a: Self::Rep, b: Self::Rep, c: Self::Rep) -> Self::Rep;
    /// `(a * b + c) * 2^n`, rounded once.
    fn mul_add_scaled(a: Self::Rep, b: Self::Rep, c: Self::Rep, n: i32) -> Self::Rep;
    fn ldexp(x: Self::Rep, n: i32) -> Self::Rep;
    fn exponent(x: Self::Rep) -> i32;
    /// As a 64-bit float.
    fn wide(x: Self::Rep) -> f64;
    /// The quotient `q` of `n / d` with its special cases put right. `vanishes`: exponents far apart make it zero.
    fn fixup(q: Self::Rep, d: Self::Rep, n: Self::Rep, vanishes: bool) -> Self::Rep;
    const ONE: Self::Rep;
    /// What 0 / 0 gives.
    const INVALID: Self::Rep;
    /// Scaling steps.
    const SCALE: i32;
    /// Exponents of numerator and denominator that differ by this or more make the quotient overflow soon.
    const FAR: i32;
    /// A numerator with this exponent or less is scaled up.
    const TINY: i32;
    /// Exponent of 1.
    const BIAS: i32;
}

macro_rules! formats {
    ($($T:ident $t:ty, $bits:ty, $sign:literal: $ruled:ident, $wide:expr, $scaled:ident, $ldexp:ident, $exponent_shift:literal, $mask:literal, $quiet:literal, $invalid:literal, $scale:literal, $far:literal, $tiny:literal, $bias:literal, $vanishes:literal;)*) => {$(
        impl Format for $T {
            #[inline(always)]
            fn is_zero(x: $t) -> bool { x == 0.0 }
            #[inline(always)]
            fn is_denormal(x: $t) -> bool { x.is_subnormal() }
            #[inline(always)]
            fn same(a: $t, b: $t) -> bool { a == b }
            #[inline(always)]
            fn quotient(a: $t, b: $t) -> $t { a / b }
            #[inline(always)]
            fn mul_add(a: $t, b: $t, c: $t) -> $t { $ruled(a.mul_add(b, c), [a, b, c]) }
            #[inline(always)]
            fn mul_add_scaled(a: $t, b: $t, c: $t, n: i32) -> $t {
                $ruled($scaled(a, b, c, n), [a, b, c])
            }
            #[inline(always)]
            fn ldexp(x: $t, n: i32) -> $t { $ldexp(x, n) }
            #[inline(always)]
            fn wide(x: $t) -> f64 { $wide(x) }
            #[inline(always)]
            fn exponent(x: $t) -> i32 { (x.to_bits() >> $exponent_shift & $mask) as i32 }
            // One choice after the other, the strongest last, on bits: that makes vector code without branches.
            #[inline(always)]
            fn fixup(q: $t, d: $t, n: $t, vanishes: bool) -> $t {
                const INFINITY: $bits = <$t>::INFINITY.to_bits();
                let (q, d, n) = (q.abs().to_bits(), d.to_bits(), n.to_bits());
                let (abs_d, abs_n) = (d & !$sign, n & !$sign);
                let far = ((abs_n >> $exponent_shift) as i32) - ((abs_d >> $exponent_shift) as i32) < -$vanishes;
                // The refinement of a quotient that overflows ends in infinity minus infinity.
                let mut r = if q > INFINITY { INFINITY } else { q };
                r = if vanishes & far { 0 } else { r };
                r = if abs_d == INFINITY { 0 } else { r };
                r = if abs_n == 0 { 0 } else { r };
                r = if abs_n == INFINITY { INFINITY } else { r };
                r = if abs_d == 0 { INFINITY } else { r };
                r |= (d ^ n) & $sign;
                r = if abs_d | abs_n == 0 { $invalid } else { r };
                let both = if abs_d == INFINITY { $invalid } else { r };
                r = if abs_n == INFINITY { both } else { r };
                r = if abs_d > INFINITY { d | $quiet } else { r };
                r = if abs_n > INFINITY { n | $quiet } else { r };
                <$t>::from_bits(r)
            }
            const ONE: $t = 1.0;
            const INVALID: $t = <$t>::from_bits($invalid);
            const SCALE: i32 = $scale;
            const FAR: i32 = $far;
            const TINY: i32 = $tiny;
            const BIAS: i32 = $bias;
        }
    )*};
}

formats! {
    F32 f32, u32, 0x8000_0000: ruled32, widened, scaled32, ldexp32, 23, 0xff, 0x0040_0000, 0xffc0_0000, 64, 96, 23, 127, 150;
    F64 f64, u64, 0x8000_0000_0000_0000: ruled64, f64::from, scaled64, ldexp64, 52, 0x7ff, 0x0008_0000_0000_0000, 0xfff8_0000_0000_0000, 128, 768, 53, 1023, 1075;
}

/// `(a * b + c) * 2^n` by way of 64 bits: the product is exact there, and the sum is rounded to odd, which the rounding
/// to 32 bits does not notice.
#[inline(always)]
fn scaled32(a: f32, b: f32, c: f32, n: i32) -> f32 {
    let (product, c) = (f64::from(a) * f64::from(b), f64::from(c));
    let sum = product + c;
    let part = sum - product;
    let error = (product - (sum - part)) + (c - part);
    let sum = if sum.to_bits() & 1 == 0 { toward(sum, error) } else { sum };
    (sum * f64::from_bits(((n + 1023) as u64) << 52)) as f32
}

/// `(a * b + c) * 2^n`. Where the scaled value is below the normal range, also if it comes out as the least normal
/// number, it would be rounded twice; that matters if the second rounding sees a tie that the first one made.
#[inline(always)]
fn scaled64(a: f64, b: f64, c: f64, n: i32) -> f64 {
    let sum = a.mul_add(b, c);
    let once = ldexp64(sum, n);
    let left = (sum - ldexp64(once, -n)).abs();
    let tie = once.abs() <= f64::MIN_POSITIVE && left == ldexp64(1.0, -1075 - n);
    if !tie {
        return once;
    }
    // What the fused operation rounded away, exact but for its last bits.
    let product = a * b;
    let product_low = a.mul_add(b, -product);
    let (x, x_low) = two_sum(c, product_low);
    let (y, y_low) = two_sum(product, x);
    ldexp64(toward(sum, (y - sum) + y_low + x_low), n)
}

/// `a + b` and what was rounded away.
#[inline(always)]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

/// The number next to `x` on the side where `error` points; `x` itself if that is zero or NaN.
#[inline(always)]
fn toward(x: f64, error: f64) -> f64 {
    let bits = x.to_bits();
    let away = (error > 0.0) == (x > 0.0);
    let next = if away { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
    f64::from_bits(if error.abs() > 0.0 { next } else { bits })
}

wave_ops! {
    /// `S0`, which is the denominator `S1` or the numerator `S2`, scaled so that the division neither overflows nor
    /// loses bits; the mask says where `v_div_fmas_f32` must scale back.
    V_DIV_SCALE_F32 "v_div_scale_f32" [CARRY_OUT]: F32 <- (F32, F32, F32) =
        |w, i| div_scale::<F32, FAST>(w, i, |x| sign_bits(x));
    /// As `v_div_scale_f32`, 64-bit.
    V_DIV_SCALE_F64 "v_div_scale_f64" [CARRY_OUT]: F64 <- (F64, F64, F64) =
        |w, i| div_scale::<F64, FAST>(w, i, |x| sign_bits(x));
    /// `D = S0 * S1 + S2`, scaled back in the lanes of `VCC`.
    V_DIV_FMAS_F32 "v_div_fmas_f32": F32 <- (F32, F32, F32) = |w, i| div_fmas::<F32, FAST>(w, i);
    /// As `v_div_fmas_f32`, 64-bit.
    V_DIV_FMAS_F64 "v_div_fmas_f64": F64 <- (F64, F64, F64) = |w, i| div_fmas::<F64, FAST>(w, i);
}

lane_ops! {
    /// The quotient `S0` of `S2 / S1` with its special cases put right.
    V_DIV_FIXUP_F32 "v_div_fixup_f32": F32 <- (q: F32, d: F32, n: F32) = <F32 as Format>::fixup(q, d, n, true);
    /// The quotient `S0` of `S2 / S1` with its special cases put right.
    V_DIV_FIXUP_F64 "v_div_fixup_f64": F64 <- (q: F64, d: F64, n: F64) = <F64 as Format>::fixup(q, d, n, true);
    /// The quotient `S0` of `S2 / S1` with its special cases put right.
    V_DIV_FIXUP_F16 "v_div_fixup_f16" [KEEPS_HIGH]: F16 <- (q: F16, d: F16, n: F16) = <F32 as Format>::fixup(q, d, n, false);
    /// The quotient `S0` of `S2 / S1` with its special cases put right; the high half becomes zero.
    V_DIV_FIXUP_LEGACY_F16 "v_div_fixup_legacy_f16": F16 <- (q: F16, d: F16, n: F16) = <F32 as Format>::fixup(q, d, n, false);
    /// Segment `S1` of 53 bits of 2/π, from where the bits matter for an angle as large as `S0`.
    V_TRIG_PREOP_F64 "v_trig_preop_f64": F64 <- (a: F64, segment: U32) = preop(a, segment);
}

#[inline(always)]
fn scale<T: Format>(s0: T::Rep, d: T::Rep, n: T::Rep) -> (T::Rep, bool) {
    let is_d = T::same(s0, d);
    let is_n = T::same(s0, n);
    let up = T::ldexp(s0, T::SCALE);
    let down = T::ldexp(s0, -T::SCALE);
    let inverse_denormal = T::is_denormal(T::quotient(T::ONE, d));
    // Rounded to zero it is as much in need of scaling: half the least denormal must come out as a tie.
    let quotient = T::quotient(n, d);
    let vanishes = T::is_zero(quotient) && T::exponent(d) <= 2 * T::BIAS;
    let quotient_denormal = T::is_denormal(quotient) || vanishes;
    if T::is_zero(n) || T::is_zero(d) {
        (T::INVALID, false)
    } else if T::exponent(n) - T::exponent(d) >= T::FAR {
        (if is_d { up } else { s0 }, true)
    } else if T::is_denormal(d) {
        (up, false)
    } else if inverse_denormal && quotient_denormal {
        // The manuals scale the denominator up here, which would overflow: down is what makes the quotient right.
        (if is_d { down } else { s0 }, true)
    } else if inverse_denormal {
        (down, false)
    } else if quotient_denormal {
        (if is_n { up } else { s0 }, true)
    } else if T::exponent(n) <= T::TINY {
        (up, false)
    } else {
        (s0, false)
    }
}

/// Whether the scaling of a division by `d` leaves it as it is: no exponent is near an end, and the two are not far
/// apart. (Not everything that [`scale`] leaves is found: that the quotient is no denormal is known of its exponent.)
#[inline(always)]
fn is_ordinary<T: Format>(d: T::Rep, n: T::Rep) -> bool {
    let (d, n) = (T::exponent(d), T::exponent(n));
    (d >= 1) & (d < 2 * T::BIAS - 1) & (n > T::TINY) & (n - d < T::FAR) & (n - d >= 2 - T::BIAS)
}

#[inline(always)]
fn div_scale<T: Format, const FAST: bool>(w: &mut Wave, i: &Inst, sign_bits: impl Fn(&Lanes) -> u64) -> Flow {
    let (lo, hi, mask) = {
        let w = &*w;
        wave_source!(FAST, T, w, i, 0, a_lo, a_hi);
        wave_source!(FAST, T, w, i, 1, b_lo, b_hi);
        wave_source!(FAST, T, w, i, 2, c_lo, c_hi);
        let s0 = |l: usize| element::<T>(i, 0, a_lo[l], a_hi[l]);
        let divided = |l: usize| (element::<T>(i, 1, b_lo[l], b_hi[l]), element::<T>(i, 2, c_lo[l], c_hi[l]));
        let special: Lanes = core::array::from_fn(|l| {
            let (d, n) = divided(l);
            0u32.wrapping_sub(u32::from(!is_ordinary::<T>(d, n)))
        });
        // Divisions near the ends of the range are rare, and their rules make slow code.
        if sign_bits(&special) & w.exec() == 0 {
            let lane = |l: usize| T::to_bits(s0(l));
            (low_row(lane), high_row::<T>(lane), 0)
        } else {
            let scaled = |l: usize| {
                let (d, n) = divided(l);
                scale::<T>(s0(l), d, n)
            };
            let lane = |l: usize| T::to_bits(scaled(l).0);
            let mask = (0..64).fold(0, |mask, l| mask | u64::from(scaled(l).1) << l);
            (low_row(lane), high_row::<T>(lane), mask)
        }
    };
    wave_store::<T, FAST>(w, i, lo, hi);
    put_carry(w, i, mask)
}

#[inline(always)]
fn div_fmas<T: Format, const FAST: bool>(w: &mut Wave, i: &Inst) -> Flow {
    if let Some(target) = unusual(w.mode, T::TY).filter(|_| !FAST) {
        return div_fmas_rounded::<T>(w, i, target);
    }
    let (lo, hi) = {
        let w = &*w;
        wave_source!(FAST, T, w, i, 0, a_lo, a_hi);
        wave_source!(FAST, T, w, i, 1, b_lo, b_hi);
        wave_source!(FAST, T, w, i, 2, c_lo, c_hi);
        let sources = |l: usize| {
            (
                element::<T>(i, 0, a_lo[l], a_hi[l]),
                element::<T>(i, 1, b_lo[l], b_hi[l]),
                element::<T>(i, 2, c_lo[l], c_hi[l]),
            )
        };
        if w.vcc() & w.exec() == 0 {
            let lane = |l: usize| {
                let (a, b, c) = sources(l);
                T::to_bits(T::mul_add(a, b, c))
            };
            (low_row(lane), high_row::<T>(lane))
        } else {
            let back = mask_lanes(w.vcc());
            let lane = |l: usize| {
                let (a, b, c) = sources(l);
                let by = if T::exponent(c) > T::BIAS { T::SCALE } else { -T::SCALE };
                T::to_bits(if back[l] != 0 { T::mul_add_scaled(a, b, c, by) } else { T::mul_add(a, b, c) })
            };
            (low_row(lane), high_row::<T>(lane))
        }
    };
    wave_store::<T, FAST>(w, i, lo, hi);
    Flow::Next
}

/// As [`div_fmas`], in a mode that rounds otherwise than the host.
#[cold]
#[inline(never)]
fn div_fmas_rounded<T: Format>(w: &mut Wave, i: &Inst, target: Target) -> Flow {
    let (mut lo, mut hi) = (Row([0; 64]), Row([0; 64]));
    {
        let w = &*w;
        let back = mask_lanes(w.vcc());
        wave_source!(false, T, w, i, 0, a_lo, a_hi);
        wave_source!(false, T, w, i, 1, b_lo, b_hi);
        wave_source!(false, T, w, i, 2, c_lo, c_hi);
        for l in 0..64 {
            let x = [(a_lo[l], a_hi[l]), (b_lo[l], b_hi[l]), (c_lo[l], c_hi[l])];
            let x: [T::Rep; 3] = core::array::from_fn(|k| element::<T>(i, k, x[k].0, x[k].1));
            let by = if T::exponent(x[2]) > T::BIAS { T::SCALE } else { -T::SCALE };
            let x = x.map(T::wide);
            let [a, b, c] = x.map(|x| Exact::float(x, target));
            let sum = a.mul_add(b, c);
            (lo.0[l], hi.0[l]) = value_bits(&x, T::TY, if back[l] != 0 { sum.scale(by) } else { sum });
        }
    }
    wave_store::<T, false>(w, i, lo, hi);
    Flow::Next
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs of exponents of 32-bit floats, near the ends and apart as far as rules begin or end.
    fn edges() -> impl Iterator<Item = (f32, f32)> {
        let mantissas = [0, 1, 0x40_0000, 0x7f_ffff];
        let value = move |e: u32, m: usize| f32::from_bits(e << 23 | mantissas[m]);
        (0..256u32).flat_map(move |d| {
            (0..256u32).flat_map(move |n| (0..16).map(move |m| (value(d, m / 4), value(n, m % 4))))
        })
    }

    #[test]
    fn ordinary_divisions_need_no_scaling() {
        let mut ordinary = 0;
        for (d, n) in edges().filter(|(d, n)| is_ordinary::<F32>(*d, *n)) {
            for s0 in [d, n] {
                let (x, scaled) = scale::<F32>(s0, d, n);
                assert_eq!((x.to_bits(), scaled), (s0.to_bits(), false), "{d:e} {n:e}");
            }
            ordinary += 1;
        }
        assert!(ordinary > 16 * 30_000, "most pairs are ordinary: {ordinary}");
        for (d, n) in [(0.0, 1.0), (1.0, 0.0), (1e-310, 1.0), (1.0, 1e-310), (1e308, 1.0), (1e300, 1e-300)] {
            assert!(!is_ordinary::<F64>(d, n), "{d:e} {n:e}");
        }
        assert!(is_ordinary::<F64>(3.0, 1e-200));
    }
}
