//! The kernels of matrix instructions: vector code where the processor has it, and the same sums for any machine.

#![allow(
    unsafe_code,
    reason = "vector loads from tiles by pointer; calls of bodies compiled for SIMD features"
)]

use super::shape::{Elem, Order, Shape};
use super::tile::{Machine, Plan, Tile, body};
use crate::ops::half;
use crate::{Flow, Inst, Lanes, Row, Wave};

/// Executes a matrix instruction by the best means that the processor has.
pub fn run(w: &mut Wave, i: &Inst, shape: &Shape) -> Flow {
    #[cfg(target_arch = "x86_64")]
    if crate::simd::available() {
        // SAFETY: the features are there.
        return unsafe { avx2::run(w, i, shape) };
    }
    run_portable(w, i, shape)
}

/// Executes a matrix instruction on any machine.
pub fn run_portable(w: &mut Wave, i: &Inst, shape: &Shape) -> Flow {
    body::<Portable>(w, i, shape)
}

struct Portable;

impl Machine for Portable {
    fn halves(source: &Lanes, lo: &mut Lanes, hi: &mut Lanes) {
        for l in 0..64 {
            lo[l] = half::to_f32(source[l] & 0xffff).to_bits();
            hi[l] = half::to_f32(source[l] >> 16).to_bits();
        }
    }

    fn floats(d: &mut [Row], a: &Tile, b: &Tile, plan: &Plan<'_>) {
        floats(d, a, b, plan);
    }

    fn integers(d: &mut [Row], a: &Tile, b: &Tile, plan: &Plan<'_>) {
        integers(d, a, b, plan);
    }

    fn sparse(d: &mut [Row], a: &Tile, b: &Tile, plan: &Plan<'_>, index: &Lanes) {
        sparse(d, a, b, plan, index);
    }
}

/// The rows of sums with the places of their factors: `f(sums, offset into A, offset into B)`.
#[inline(always)]
fn each_row(d: &mut [Row], plan: &Plan<'_>, mut f: impl FnMut(&mut [u32], usize, usize)) {
    let shape = plan.shape;
    // A pair of rows is one register of 32-bit sums here: doubles do not come this way.
    for (r, row) in d.iter_mut().enumerate() {
        for (s, sums) in row.0.chunks_exact_mut(shape.n).enumerate() {
            let (i, block) = shape.place(r, s);
            f(sums, plan.block_of_a(block) * shape.m + i, block * shape.n);
        }
    }
}

#[inline(always)]
fn floats(d: &mut [Row], a: &Tile, b: &Tile, plan: &Plan<'_>) {
    let flush = |x: f32| if plan.flush && x.is_subnormal() { 0f32.copysign(x) } else { x };
    let group = match plan.shape.order {
        Order::Chain => 1,
        Order::Pairs => 2,
        Order::Quads => 4,
    };
    each_row(d, plan, |sums, at_a, at_b| {
        for (j, sum) in sums.iter_mut().enumerate() {
            let factors = |k: usize| {
                let term = plan.terms[k];
                let b = b.0[term.b as usize + at_b + j];
                (f32::from_bits(a.0[term.a as usize + at_a]), f32::from_bits(b))
            };
            let product = |k: usize| {
                let (x, y) = factors(k);
                flush(x * y)
            };
            let mut x = f32::from_bits(*sum);
            for k in (0..plan.terms.len()).step_by(group) {
                x = match group {
                    1 => {
                        let (a, b) = factors(k);
                        a.mul_add(b, x)
                    }
                    2 => flush(x + flush(product(k) + product(k + 1))),
                    _ => {
                        let (lo, hi) = (product(k) + product(k + 1), product(k + 2) + product(k + 3));
                        flush(x + flush(flush(lo) + flush(hi)))
                    }
                };
            }
            *sum = if x.is_nan() { 0x7fc0_0000 } else { x.to_bits() };
        }
    });
}

#[inline(always)]
fn integers(d: &mut [Row], a: &Tile, b: &Tile, plan: &Plan<'_>) {
    each_row(d, plan, |sums, at_a, at_b| {
        for term in plan.terms {
            let x = a.0[term.a as usize + at_a];
            let b = &b.0[term.b as usize + at_b..][..sums.len()];
            for (sum, &y) in sums.iter_mut().zip(b) {
                *sum = sum.wrapping_add(pair_product(x, y));
            }
        }
    });
}

/// Products of two pairs of 16-bit integers, added up.
#[inline(always)]
fn pair_product(x: u32, y: u32) -> u32 {
    let lo = i32::from(x as i16) * i32::from(y as i16);
    let hi = i32::from((x >> 16) as i16) * i32::from((y >> 16) as i16);
    lo.wrapping_add(hi) as u32
}

/// The offset into `B` that stored element `t` of the row of `A` at `lane` is multiplied with.
#[inline(always)]
fn chosen(plan: &Plan<'_>, index: &Lanes, t: usize, row: usize) -> (usize, usize) {
    let shape = plan.shape;
    let per_lane = shape.a_per_lane();
    let (e, lane) = (t % per_lane, t / per_lane * shape.m + row);
    // With `cbsz` the first set of indices serves; otherwise `abid` says which.
    let set = if plan.cbsz == 0 { 2 * per_lane * plan.abid as usize } else { 0 };
    let k = t / 2 * 4 + (index[lane] >> (set + 2 * e) & 3) as usize;
    (64 * e + lane, plan.terms[k].b as usize)
}

#[inline(always)]
fn sparse(d: &mut [Row], a: &Tile, b: &Tile, plan: &Plan<'_>, index: &Lanes) {
    let shape = plan.shape;
    for (r, row) in d.iter_mut().enumerate() {
        for (s, sums) in row.0.chunks_exact_mut(shape.n).enumerate() {
            let (i, _) = shape.place(r, s);
            for t in 0..shape.k / 2 {
                let (at_a, at_b) = chosen(plan, index, t, i);
                let x = a.0[at_a];
                let b = &b.0[at_b..][..sums.len()];
                if shape.a == Elem::I8 {
                    for (sum, &y) in sums.iter_mut().zip(b) {
                        *sum = sum.wrapping_add(x.wrapping_mul(y));
                    }
                } else {
                    let x = f32::from_bits(x);
                    for (sum, &y) in sums.iter_mut().zip(b) {
                        *sum = x.mul_add(f32::from_bits(y), f32::from_bits(*sum)).to_bits();
                    }
                }
            }
            if shape.a != Elem::I8 {
                for sum in sums {
                    *sum = if f32::from_bits(*sum).is_nan() { 0x7fc0_0000 } else { *sum };
                }
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use core::arch::x86_64::{
        __m256, _CMP_NLT_UQ, _CMP_UNORD_Q, _mm256_add_epi32, _mm256_add_ps, _mm256_and_ps, _mm256_andnot_ps,
        _mm256_blendv_ps, _mm256_broadcast_ss, _mm256_castps_si256, _mm256_castsi256_ps,
        _mm256_castsi256_si128, _mm256_cmp_ps, _mm256_cvtph_ps, _mm256_extracti128_si256, _mm256_fmadd_ps,
        _mm256_loadu_ps, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_mul_ps, _mm256_or_ps,
        _mm256_permute4x64_epi64, _mm256_set1_epi32, _mm256_set1_ps, _mm256_setr_epi8, _mm256_setzero_ps,
        _mm256_shuffle_epi8, _mm256_storeu_ps,
    };

    use super::{
        Elem, Flow, Inst, Lanes, Machine, Order, Plan, Row, Shape, Tile, Wave, body, floats, integers, sparse,
    };
    use crate::ops::matrix::tile::{ELEMENTS, Term};

    const LAST: usize = 64 * ELEMENTS - 1;

    pub struct Avx2;

    /// [`super::run`] with vector code.
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c")]
    pub fn run(w: &mut Wave, i: &Inst, shape: &Shape) -> Flow {
        body::<Avx2>(w, i, shape)
    }

    impl Machine for Avx2 {
        #[inline(always)]
        fn halves(source: &Lanes, lo: &mut Lanes, hi: &mut Lanes) {
            // SAFETY: `Avx2` is used by `run` alone, which has the features.
            unsafe { halves(source, lo, hi) }
        }

        #[inline(always)]
        fn floats(d: &mut [Row], a: &Tile, b: &Tile, plan: &Plan<'_>) {
            let shape = plan.shape;
            // SAFETY: as above; the rows are as wide as the kernel's.
            unsafe {
                match (shape.n, shape.order, shape.a == Elem::F16, plan.flush) {
                    (32, Order::Chain, ..) => rows::<4, 2, CHAIN>(d, a, b, plan),
                    (16, Order::Chain, ..) => rows::<2, 4, CHAIN>(d, a, b, plan),
                    (32, Order::Quads, true, _) => rows::<4, 2, FUSED_QUADS>(d, a, b, plan),
                    (16, Order::Quads, true, _) => rows::<2, 4, FUSED_QUADS>(d, a, b, plan),
                    (32, Order::Quads, _, false) => rows::<4, 2, QUADS>(d, a, b, plan),
                    (16, Order::Quads, _, false) => rows::<2, 4, QUADS>(d, a, b, plan),
                    (32, Order::Quads, _, true) => rows::<4, 2, FLUSHED_QUADS>(d, a, b, plan),
                    (16, Order::Quads, _, true) => rows::<2, 4, FLUSHED_QUADS>(d, a, b, plan),
                    (32, Order::Pairs, _, false) => rows::<4, 2, PAIRS>(d, a, b, plan),
                    (16, Order::Pairs, _, false) => rows::<2, 4, PAIRS>(d, a, b, plan),
                    (32, Order::Pairs, _, true) => rows::<4, 2, FLUSHED_PAIRS>(d, a, b, plan),
                    (16, Order::Pairs, _, true) => rows::<2, 4, FLUSHED_PAIRS>(d, a, b, plan),
                    _ => scalar_floats(d, a, b, plan),
                }
            }
        }

        #[inline(always)]
        fn integers(d: &mut [Row], a: &Tile, b: &Tile, plan: &Plan<'_>) {
            // SAFETY: as above.
            unsafe {
                match plan.shape.n {
                    32 => rows::<4, 2, INTEGERS>(d, a, b, plan),
                    16 => rows::<2, 4, INTEGERS>(d, a, b, plan),
                    _ => scalar_integers(d, a, b, plan),
                }
            }
        }

        #[inline(always)]
        fn sparse(d: &mut [Row], a: &Tile, b: &Tile, plan: &Plan<'_>, index: &Lanes) {
            // SAFETY: as above.
            unsafe { sparse_rows(d, a, b, plan, index) }
        }
    }

    #[target_feature(enable = "avx2,fma,f16c")]
    fn scalar_floats(d: &mut [Row], a: &Tile, b: &Tile, plan: &Plan<'_>) {
        floats(d, a, b, plan);
    }

    #[target_feature(enable = "avx2,fma,f16c")]
    fn scalar_integers(d: &mut [Row], a: &Tile, b: &Tile, plan: &Plan<'_>) {
        integers(d, a, b, plan);
    }

    #[target_feature(enable = "avx2,fma,f16c")]
    fn sparse_rows(d: &mut [Row], a: &Tile, b: &Tile, plan: &Plan<'_>, index: &Lanes) {
        sparse(d, a, b, plan, index);
    }

    #[target_feature(enable = "avx2,fma,f16c")]
    #[inline]
    fn halves(source: &Lanes, lo: &mut Lanes, hi: &mut Lanes) {
        let low_halves = _mm256_setr_epi8(
            0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15, 0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10,
            11, 14, 15,
        );
        for k in (0..64).step_by(8) {
            // SAFETY: eight dwords from `k` on lie inside the rows; no load or store needs alignment.
            unsafe {
                let x = _mm256_loadu_si256(source.as_ptr().add(k).cast());
                let x = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_shuffle_epi8(x, low_halves));
                _mm256_storeu_ps(lo.as_mut_ptr().add(k).cast(), _mm256_cvtph_ps(_mm256_castsi256_si128(x)));
                _mm256_storeu_ps(
                    hi.as_mut_ptr().add(k).cast(),
                    _mm256_cvtph_ps(_mm256_extracti128_si256::<1>(x)),
                );
            }
        }
    }

    /// One product after the other.
    const CHAIN: u8 = 0;
    /// Pairs of integers.
    const INTEGERS: u8 = 1;
    /// Four products as a tree, where a product is exact.
    const FUSED_QUADS: u8 = 2;
    /// Four products as a tree.
    const QUADS: u8 = 3;
    /// The same without denormals.
    const FLUSHED_QUADS: u8 = 4;
    /// Two products at a time.
    const PAIRS: u8 = 5;
    /// The same without denormals.
    const FLUSHED_PAIRS: u8 = 6;

    const fn group(kind: u8) -> usize {
        match kind {
            CHAIN | INTEGERS => 1,
            PAIRS | FLUSHED_PAIRS => 2,
            _ => 4,
        }
    }

    /// Denormals become zero.
    #[target_feature(enable = "avx2,fma,f16c")]
    #[inline]
    fn flush(x: __m256) -> __m256 {
        let sign = _mm256_set1_ps(-0.0);
        let normal =
            _mm256_cmp_ps::<_CMP_NLT_UQ>(_mm256_andnot_ps(sign, x), _mm256_set1_ps(f32::MIN_POSITIVE));
        _mm256_and_ps(x, _mm256_or_ps(normal, sign))
    }

    /// Sums of `R` rows that lie in neighbouring registers at once, each `8 * V` wide.
    #[target_feature(enable = "avx2,fma,f16c")]
    fn rows<const V: usize, const R: usize, const KIND: u8>(
        d: &mut [Row],
        a: &Tile,
        b: &Tile,
        plan: &Plan<'_>,
    ) {
        let shape = plan.shape;
        assert!(shape.n == 8 * V && d.len().is_multiple_of(R));
        let group = group(KIND);
        assert!(plan.terms.len().is_multiple_of(group));
        let far = |f: fn(&Term) -> u16| plan.terms.iter().map(|t| usize::from(f(t))).max().unwrap_or(0);
        assert!(
            far(|t| t.a) + shape.m * shape.blocks <= LAST + 1
                && far(|t| t.b) + shape.n * shape.blocks <= LAST + 1
        );
        for r in (0..d.len()).step_by(R) {
            for s in 0..8 / V {
                let (i, block) = shape.place(r, s);
                let at_a = plan.block_of_a(block) * shape.m + i;
                let at_b = block * shape.n;
                assert!(at_a + R <= shape.m * shape.blocks && at_b < shape.n * shape.blocks);
                // SAFETY: rows and blocks lie inside the group of lanes of a term, and those inside the tiles: see the
                // assertions above. Sums lie inside a register of `d`.
                unsafe {
                    let a = a.0.as_ptr().cast::<f32>().add(at_a);
                    let b = b.0.as_ptr().cast::<f32>().add(at_b);
                    let d = d.as_mut_ptr().add(r).cast::<f32>().add(s * 8 * V);
                    let mut sums = [[_mm256_setzero_ps(); V]; R];
                    for (q, sums) in sums.iter_mut().enumerate() {
                        for (v, sum) in sums.iter_mut().enumerate() {
                            *sum = _mm256_loadu_ps(d.add(64 * q + 8 * v));
                        }
                    }
                    for terms in plan.terms.chunks_exact(group) {
                        add_products::<V, R, KIND>(&mut sums, terms, a, b);
                    }
                    for (q, sums) in sums.iter().enumerate() {
                        for (v, &x) in sums.iter().enumerate() {
                            let nan = _mm256_cmp_ps::<_CMP_UNORD_Q>(x, x);
                            let quiet = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc0_0000));
                            let x = if KIND == INTEGERS { x } else { _mm256_blendv_ps(x, quiet, nan) };
                            _mm256_storeu_ps(d.add(64 * q + 8 * v), x);
                        }
                    }
                }
            }
        }
    }

    /// # Safety
    /// The offsets of `terms` must lead to readable memory from `a` and `b`, for `R` rows and `8 * V` columns.
    #[target_feature(enable = "avx2,fma,f16c")]
    #[inline]
    unsafe fn add_products<const V: usize, const R: usize, const KIND: u8>(
        sums: &mut [[__m256; V]; R],
        terms: &[Term],
        a: *const f32,
        b: *const f32,
    ) {
        // SAFETY: by contract.
        let x = |k: usize, q: usize| unsafe { _mm256_broadcast_ss(&*a.add(usize::from(terms[k].a) + q)) };
        // SAFETY: by contract.
        let y = |k: usize, v: usize| unsafe { _mm256_loadu_ps(b.add(usize::from(terms[k].b) + 8 * v)) };
        match KIND {
            CHAIN | INTEGERS => {
                let columns: [__m256; V] = core::array::from_fn(|v| y(0, v));
                for (q, sums) in sums.iter_mut().enumerate() {
                    let x = x(0, q);
                    for (sum, y) in sums.iter_mut().zip(columns) {
                        *sum = if KIND == CHAIN {
                            _mm256_fmadd_ps(x, y, *sum)
                        } else {
                            let product = _mm256_madd_epi16(_mm256_castps_si256(x), _mm256_castps_si256(y));
                            _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(*sum), product))
                        };
                    }
                }
            }
            _ => {
                let flush =
                    |x: __m256| if matches!(KIND, FLUSHED_QUADS | FLUSHED_PAIRS) { flush(x) } else { x };
                for (q, sums) in sums.iter_mut().enumerate() {
                    let x: [__m256; 4] = core::array::from_fn(|k| x(k % group(KIND), q));
                    for (v, sum) in sums.iter_mut().enumerate() {
                        let pair = |k: usize| {
                            let first = flush(_mm256_mul_ps(x[k], y(k, v)));
                            if KIND == FUSED_QUADS {
                                // The first product is exact: as if both were rounded before they are added.
                                _mm256_fmadd_ps(x[k + 1], y(k + 1, v), first)
                            } else {
                                flush(_mm256_add_ps(first, flush(_mm256_mul_ps(x[k + 1], y(k + 1, v)))))
                            }
                        };
                        let part =
                            if group(KIND) == 2 { pair(0) } else { flush(_mm256_add_ps(pair(0), pair(2))) };
                        *sum = flush(_mm256_add_ps(*sum, part));
                    }
                }
            }
        }
    }
}
