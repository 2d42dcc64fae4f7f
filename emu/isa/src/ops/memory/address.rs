//! What the addresses of a wave's lanes have in common, found by loops that are vector code.

use crate::{Lanes, Row};

/// The addresses of the active lanes, for elements of a width given beforehand.
#[derive(Clone, Copy)]
pub enum Shape<'a> {
    /// Lane `l` at `va + width * l`, where `va` may lie before the mapping if lane 0 is not active.
    Consecutive(u64),
    /// All lanes at one address.
    Uniform(u64),
    /// Swizzled memory: dword `k` of lane `l` at `va + 256 * k + 4 * l`.
    Rows(u64),
    /// Lane `l` at `base` plus its own part; its dwords are `step` bytes apart.
    Scattered {
        /// What all have in common.
        base: u64,
        /// Low half of each lane's part.
        lo: &'a Lanes,
        /// High half of each lane's part, if it has one.
        hi: Option<&'a Lanes>,
        /// Distance of a lane's dwords.
        step: u64,
    },
    /// LDS: lane `l` at `lo + offset`, 32 bits.
    Lds {
        /// Each lane's part.
        lo: &'a Lanes,
        /// What all have in common.
        offset: u32,
    },
    /// Nothing to say: one lane after the other.
    Other,
}

/// All ones for lane `l` if it is active.
#[inline(always)]
fn mask(exec: u64, l: usize) -> u32 {
    0u32.wrapping_sub((exec >> l) as u32 & 1)
}

/// Whether `f` of each active lane is zero.
#[inline(always)]
fn all_zero(exec: u64, f: impl Fn(usize) -> u32) -> bool {
    let mut any = 0;
    if exec == !0 {
        for l in 0..64 {
            any |= f(l);
        }
    } else {
        for half in 0..2 {
            let exec = exec >> (32 * half);
            for l in 0..32 {
                any |= f(32 * half + l) & mask(exec & 0xffff_ffff, l);
            }
        }
    }
    any == 0
}

/// Whether all active lanes hold the same value.
#[inline(always)]
pub fn is_uniform(lanes: &Lanes, exec: u64) -> bool {
    let first = lanes[exec.trailing_zeros() as usize & 63];
    all_zero(exec, |l| lanes[l] ^ first)
}

/// Whether an active lane holds one of two values.
#[inline(always)]
pub fn holds(lanes: &Lanes, exec: u64, a: u32, b: u32) -> bool {
    !all_zero(exec, |l| u32::from(lanes[l] == a || lanes[l] == b))
}

/// The greatest value of the active lanes, taken unsigned.
#[inline(always)]
pub fn greatest(lanes: &Lanes, exec: u64) -> u32 {
    let mut max = 0;
    if exec == !0 {
        for x in lanes {
            max = max.max(*x);
        }
    } else {
        for (l, x) in lanes.iter().enumerate() {
            max = max.max(x & mask(exec, l));
        }
    }
    max
}

/// The bits that are set in any active lane.
#[inline(always)]
pub fn any_bits(lanes: &Lanes, exec: u64) -> u32 {
    let mut any = 0;
    for (l, x) in lanes.iter().enumerate() {
        any |= x & mask(exec, l);
    }
    any
}

/// How the 32-bit parts of the active lanes lie: `(all equal, lane l at that of lane 0 plus width * l)`.
#[inline(always)]
pub fn pattern(lo: &Lanes, exec: u64, width: u32) -> (bool, bool) {
    let first = exec.trailing_zeros() & 63;
    let last = 63usize.saturating_sub(exec.leading_zeros() as usize);
    let a = lo[first as usize];
    if lo[last] == a && last != first as usize {
        return (all_zero(exec, |l| lo[l] ^ a), false);
    }
    let a0 = a.wrapping_sub(width.wrapping_mul(first));
    let span = width.wrapping_mul(last as u32 - first);
    // The 32-bit part must not wrap: the address would go on in another place.
    let consecutive = a.checked_add(span) == Some(lo[last])
        && all_zero(exec, |l| lo[l].wrapping_sub(a0) ^ width.wrapping_mul(l as u32));
    (first as usize == last, consecutive)
}

/// How the 32-bit parts of lanes lie within each eight of them. Rows of work-items in two dimensions lie so, though the
/// wave as a whole does not.
pub struct Eights {
    /// The part of each eight's first lane, in all its lanes.
    pub first: Row,
    /// The greatest part, taken unsigned.
    pub greatest: u32,
    /// The lanes of each eight have the same part.
    pub equal: bool,
    /// They follow each other, `width` apart.
    pub consecutive: bool,
}

/// [`Eights`] of all 64 lanes.
#[inline(always)]
pub fn eights(at: &Lanes, width: u32) -> Eights {
    // Plain loops over plain rows: anything closer to the question becomes shuffles.
    let mut first = Row([0; 64]);
    for (c, eight) in first.0.chunks_exact_mut(8).enumerate() {
        eight.fill(at[8 * c]);
    }
    let (mut greatest, mut uneven, mut apart) = (0, 0, 0);
    for (l, (at, first)) in at.iter().zip(&first.0).enumerate() {
        greatest = greatest.max(*at);
        uneven |= at ^ first;
        apart |= at.wrapping_sub(*first) ^ (l as u32 % 8).wrapping_mul(width);
        // A part that wraps goes on in another place.
        apart |= u32::from(at < first);
    }
    Eights { first, greatest, equal: uneven == 0, consecutive: apart == 0 }
}

/// The shape of addresses `base + lo`, or `base + (hi, lo)`. At least one lane is active.
#[inline(always)]
pub fn shape<'a>(base: u64, lo: &'a Lanes, hi: Option<&'a Lanes>, exec: u64, width: u32) -> Shape<'a> {
    let first = exec.trailing_zeros() as usize & 63;
    let mut base = base;
    if let Some(hi) = hi {
        if !is_uniform(hi, exec) {
            return Shape::Scattered { base, lo, hi: Some(hi), step: 4 };
        }
        base = base.wrapping_add(u64::from(hi[first]) << 32);
    }
    let at = base.wrapping_add(u64::from(lo[first]));
    match pattern(lo, exec, width) {
        (true, _) => Shape::Uniform(at),
        (_, true) => Shape::Consecutive(at.wrapping_sub(u64::from(width) * first as u64)),
        _ => Shape::Scattered { base, lo, hi: None, step: 4 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eights_that_wrap_do_not_follow_each_other() {
        let from = |start: u32| core::array::from_fn(|l| start.wrapping_add(4 * l as u32));
        for (start, consecutive) in [(0, true), (0x1000, true), (0xffff_ff00, true), (0xffff_fff0, false)] {
            let eights = eights(&from(start), 4);
            assert_eq!(eights.consecutive, consecutive, "{start:#x}");
            assert!(!eights.equal);
        }
        // Between two eights the parts may wrap: each eight is an access of its own.
        assert!(eights(&from(0xffff_ffe0), 4).consecutive);
    }
}
