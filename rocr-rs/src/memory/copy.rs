//! Copies and fills that the host does.

#![allow(unsafe_code, reason = "reads and writes memory by address")]

use super::alloc::Block;

/// Copies `bytes` bytes from `src` to `dst`; they may overlap.
///
/// # Safety
/// Both ranges must be mapped for the host, and nothing else may write them meanwhile.
pub unsafe fn copy(dst: u64, src: u64, bytes: usize) {
    // SAFETY: the caller vouches for both ranges.
    unsafe { std::ptr::copy(src as *const u8, dst as *mut u8, bytes) }
}

/// Fills `dst` with `count` copies of `pattern`.
///
/// # Safety
/// `dst..dst + count * pattern.len()` must be mapped for the host, and nothing else may write it meanwhile.
pub unsafe fn fill(dst: u64, pattern: &[u8], count: usize) {
    let first = pattern.first().copied().unwrap_or(0);
    let bytes = pattern.len().saturating_mul(count);
    let dst = dst as *mut u8;
    if pattern.iter().all(|byte| *byte == first) {
        // SAFETY: the caller vouches for the range.
        return unsafe { std::ptr::write_bytes(dst, first, bytes) };
    }
    if bytes == 0 {
        return;
    }
    // SAFETY: the caller vouches for the range; the pattern is a slice of the host's own.
    unsafe { std::ptr::copy_nonoverlapping(pattern.as_ptr(), dst, pattern.len()) };
    let mut done = pattern.len();
    while done < bytes {
        let next = done.min(bytes - done);
        // SAFETY: source and destination are two parts of the caller's range: `next <= done`, so they do not overlap.
        unsafe { std::ptr::copy_nonoverlapping(dst, dst.add(done), next) };
        done += next;
    }
}

impl Block {
    /// Zeroes `bytes` bytes at `offset`; a range outside the block is a bug of this crate and panics.
    pub(crate) fn zero(&self, offset: usize, bytes: usize) {
        let inside = offset.checked_add(bytes).is_some_and(|end| end <= self.bytes());
        assert!(inside && self.host_access(), "range of this crate");
        // SAFETY: the range lies in memory that is mapped for the host as long as `self` lives, and whose owner has
        // not handed it to a device yet.
        unsafe { fill(self.va() + offset as u64, &[0], bytes) }
    }
}
