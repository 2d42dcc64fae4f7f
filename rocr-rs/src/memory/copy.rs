//! Copies and fills between host and GPU memory: everything is host visible, so the host does them.

#![allow(unsafe_code, reason = "reads and writes memory by address")]

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
    if let [byte] = pattern {
        // SAFETY: the caller vouches for the range.
        unsafe { std::ptr::write_bytes(dst as *mut u8, *byte, count) };
        return;
    }
    for i in 0..count {
        // SAFETY: the caller vouches for the range; a slice of our own does not overlap it.
        unsafe {
            std::ptr::copy_nonoverlapping(
                pattern.as_ptr(),
                (dst as *mut u8).add(i * pattern.len()),
                pattern.len(),
            )
        }
    }
}
