//! The processor features that the fast paths are compiled for, and the few operations that want an intrinsic.

#![allow(unsafe_code, reason = "vector loads from an array by pointer")]

use crate::{Lanes, Row};

/// What a processor has for whole waves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Nothing that is asked for: every instruction runs its general body.
    Portable,
    /// AVX2, FMA, F16C, BMI1 and 2, LZCNT, POPCNT: eight lanes at a time.
    Avx2,
    /// Those and AVX-512 F, BW, DQ, VL: sixteen lanes at a time.
    Avx512,
}

/// The level of this processor.
#[cfg(target_arch = "x86_64")]
pub fn level() -> Level {
    let avx2 = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("f16c");
    let avx512 = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl");
    match (avx2, avx512) {
        (true, true) => Level::Avx512,
        (true, false) => Level::Avx2,
        _ => Level::Portable,
    }
}

/// The level of this processor.
#[cfg(not(target_arch = "x86_64"))]
pub fn level() -> Level {
    Level::Portable
}

/// Whether this processor runs fast bodies at all.
pub fn available() -> bool {
    level() >= Level::Avx2
}

/// The sign bit of each lane, lane 0 lowest.
///
/// # Safety
/// The processor must have AVX2: [`available`] tells.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
pub fn sign_mask(lanes: &Lanes) -> u64 {
    use core::arch::x86_64::{__m256, _mm256_loadu_ps, _mm256_movemask_ps};
    let mut mask = 0;
    for (k, chunk) in lanes.chunks_exact(8).enumerate() {
        // SAFETY: a chunk is 32 readable bytes; the load needs no alignment.
        let v: __m256 = unsafe { _mm256_loadu_ps(chunk.as_ptr().cast()) };
        mask |= u64::from(_mm256_movemask_ps(v) as u32) << (8 * k);
    }
    mask
}

/// The sign bit of each lane, lane 0 lowest, on any machine.
#[inline(always)]
pub fn sign_mask_portable(lanes: &Lanes) -> u64 {
    lanes.iter().enumerate().fold(0, |mask, (l, &x)| mask | u64::from(x >> 31) << l)
}

/// Sets registers to zero.
pub fn clear(rows: &mut [Row]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe { clear_wide(rows) };
    }
    rows.iter_mut().for_each(|row| row.0.fill(0));
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn clear_wide(rows: &mut [Row]) {
    rows.iter_mut().for_each(|row| row.0.fill(0));
}
