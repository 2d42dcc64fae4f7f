//! Memory as a wave sees it: addresses are translated through windows of contiguous mapped memory.
//!
//! No reference to this memory is ever made: other waves, the host and devices write it at the same time. All access
//! is by value through raw pointers; atomics are host atomics on the same words.

#![allow(
    unsafe_code,
    reason = "a window is host memory that others write too; it is reached by raw pointers alone"
)]

use core::fmt;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::Lanes;
use crate::ops::memory::address::eights;

/// What an instruction does to an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// A load.
    Read,
    /// A store.
    Write,
    /// A read-modify-write.
    Atomic,
    /// An instruction fetch.
    Execute,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Access::Read => "read",
            Access::Write => "write",
            Access::Atomic => "atomic",
            Access::Execute => "instruction fetch",
        })
    }
}

/// An access that no mapping allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemFault {
    /// The first byte concerned.
    pub va: u64,
    /// What was tried.
    pub access: Access,
}

/// A contiguous range of GPU addresses and the host memory behind it.
#[derive(Debug, Clone, Copy)]
pub struct Window {
    base: u64,
    len: u64,
    host: *mut u8,
    writable: bool,
    executable: bool,
    float_atomics: bool,
}

impl Window {
    /// A window of `len` bytes at GPU address `base`, backed by the host memory at `host`.
    ///
    /// # Safety
    /// `host..host + len` must stay mapped readable (and writable, if `writable`) for as long as the window, or a
    /// [`MemView`] that has seen it, is in use.
    pub unsafe fn new(base: u64, len: u64, host: *mut u8, writable: bool, executable: bool) -> Window {
        Window { base, len, host, writable, executable, float_atomics: true }
    }

    /// The same, of memory that float atomics do not reach: they leave it as it is and give 0.
    #[must_use]
    pub fn without_float_atomics(self) -> Window {
        Window { float_atomics: false, ..self }
    }

    const EMPTY: Window = Window {
        base: 0,
        len: 0,
        host: core::ptr::null_mut(),
        writable: false,
        executable: false,
        float_atomics: true,
    };

    #[inline(always)]
    fn at(&self, va: u64, len: u64, access: Access) -> Option<*mut u8> {
        let offset = va.wrapping_sub(self.base);
        // Two comparisons without overflow: offset may be anything, len is small.
        if offset >= self.len || len > self.len - offset || !self.allows(access) {
            return None;
        }
        Some(self.host.wrapping_add(offset as usize))
    }

    #[inline(always)]
    fn allows(&self, access: Access) -> bool {
        match access {
            Access::Read => true,
            Access::Write | Access::Atomic => self.writable,
            Access::Execute => self.executable,
        }
    }
}

/// Translates GPU addresses: a GPU page table.
pub trait AddressSpace: Sync {
    /// The largest contiguous mapped range around `va`, or `None` if `va` is not mapped.
    fn window(&self, va: u64) -> Option<Window>;
}

/// Values that memory can hold as they are.
///
/// # Safety
/// Any bits are a valid value, and none are padding.
pub unsafe trait Plain: Copy + Default + 'static {}
// SAFETY: an integer, or integers one after the other.
unsafe impl Plain for u8 {}
// SAFETY: an integer, or integers one after the other.
unsafe impl Plain for i8 {}
// SAFETY: an integer, or integers one after the other.
unsafe impl Plain for u16 {}
// SAFETY: an integer, or integers one after the other.
unsafe impl Plain for i16 {}
// SAFETY: an integer, or integers one after the other.
unsafe impl Plain for u32 {}
// SAFETY: an integer, or integers one after the other.
unsafe impl Plain for u64 {}
// SAFETY: an integer, or integers one after the other.
unsafe impl<const N: usize> Plain for [u32; N] where [u32; N]: Default {}

/// Windows that every access looks at; the others are looked at before the address space is asked.
const QUICK: usize = 3;

/// One worker's view of an address space, with the windows that it used last.
#[derive(Clone)]
pub struct MemView<'a> {
    space: &'a dyn AddressSpace,
    recent: [Window; 6],
    next: usize,
}

impl<'a> MemView<'a> {
    /// A view with nothing cached. Lives as long as the snapshot of the address space behind it.
    pub fn new(space: &'a dyn AddressSpace) -> MemView<'a> {
        MemView { space, recent: [Window::EMPTY; 6], next: 0 }
    }

    /// Takes over the windows that another view of the same address space has found.
    pub fn adopt(&mut self, other: &MemView<'_>) {
        if core::ptr::addr_eq(self.space, other.space) {
            (self.recent, self.next) = (other.recent, other.next);
        }
    }

    /// Host address of `len` bytes at `va`.
    #[inline(always)]
    fn resolve(&mut self, va: u64, len: u64, access: Access) -> Result<*mut u8, MemFault> {
        // Three at once: code goes back and forth between its arguments, an array that it reads and one that it writes.
        for window in &self.recent[..QUICK] {
            if let Some(p) = window.at(va, len, access) {
                return Ok(p);
            }
        }
        self.resolve_slow(va, len, access)
    }

    #[inline(never)]
    fn resolve_slow(&mut self, va: u64, len: u64, access: Access) -> Result<*mut u8, MemFault> {
        for k in QUICK..self.recent.len() {
            if let Some(p) = self.recent[k].at(va, len, access) {
                self.promote(k);
                return Ok(p);
            }
        }
        let fault = MemFault { va, access };
        let window = self.space.window(va).ok_or(fault)?;
        let p = window.at(va, len, access).ok_or_else(|| {
            // The start may be fine and the end not: name the first byte that is not.
            let inside = window.len - va.wrapping_sub(window.base);
            MemFault { va: if window.allows(access) { va.wrapping_add(inside) } else { va }, access }
        })?;
        // The places behind the first ones are filled in turn.
        let place = QUICK + self.next;
        self.next = (self.next + 1) % (self.recent.len() - QUICK);
        self.recent[place] = window;
        self.promote(place);
        Ok(p)
    }

    /// Puts a window first; the first ones move back by one, and the last of them goes where the window was.
    fn promote(&mut self, k: usize) {
        self.recent.swap(QUICK - 1, k);
        self.recent[..QUICK].rotate_right(1);
    }

    /// Whether `len` bytes at `va` may be accessed so.
    pub fn check(&mut self, va: u64, len: u64, access: Access) -> Result<(), MemFault> {
        self.resolve(va, len, access).map(|_| ())
    }

    /// Whether float atomics reach `len` bytes at `va`.
    pub fn takes_float_atomics(&mut self, va: u64, len: u64) -> Result<bool, MemFault> {
        self.resolve(va, len, Access::Atomic)?;
        // Found it is among the windows that are looked at first.
        let window = self.recent[..QUICK].iter().find(|window| window.at(va, len, Access::Atomic).is_some());
        Ok(window.is_none_or(|window| window.float_atomics))
    }

    /// Loads a value; no alignment needed.
    #[inline(always)]
    pub fn load<T: Plain>(&mut self, va: u64) -> Result<T, MemFault> {
        let p = self.resolve(va, size_of::<T>() as u64, Access::Read)?;
        // SAFETY: `resolve` vouches for size_of::<T>() readable bytes, and any bits are a valid T.
        Ok(unsafe { p.cast::<T>().read_unaligned() })
    }

    /// Stores a value; no alignment needed.
    #[inline(always)]
    pub fn store<T: Plain>(&mut self, va: u64, value: T) -> Result<(), MemFault> {
        let p = self.resolve(va, size_of::<T>() as u64, Access::Write)?;
        // SAFETY: `resolve` vouches for size_of::<T>() writable bytes.
        unsafe { p.cast::<T>().write_unaligned(value) };
        Ok(())
    }

    /// Fetches two instruction words; the second is zero where the mapping ends behind the first.
    pub fn fetch(&mut self, va: u64) -> Result<[u32; 2], MemFault> {
        let p = self.resolve(va, 4, Access::Execute)?;
        // SAFETY: `resolve` vouches for 4 readable bytes.
        let first = unsafe { p.cast::<u32>().read_unaligned() };
        let second = match self.resolve(va.wrapping_add(4), 4, Access::Execute) {
            // SAFETY: as above.
            Ok(p) => unsafe { p.cast::<u32>().read_unaligned() },
            Err(_) => 0,
        };
        Ok([first, second])
    }

    /// Loads bytes.
    pub fn load_bytes(&mut self, va: u64, out: &mut [u8]) -> Result<(), MemFault> {
        let p = self.resolve(va, out.len() as u64, Access::Read)?;
        // SAFETY: `resolve` vouches for the source; `out` is ours alone and does not overlap device memory that we
        // made references to, for there are none.
        unsafe { core::ptr::copy(p, out.as_mut_ptr(), out.len()) };
        Ok(())
    }

    /// Loads 64 consecutive dwords, lane 0 at `va`.
    #[inline(always)]
    pub fn load_row(&mut self, va: u64, out: &mut Lanes) -> Result<(), MemFault> {
        let p = self.resolve(va, 256, Access::Read)?;
        // SAFETY: `resolve` vouches for 256 readable bytes; `out` is a register, not device memory.
        unsafe { core::ptr::copy_nonoverlapping(p, out.as_mut_ptr().cast::<u8>(), 256) };
        Ok(())
    }

    /// Stores 64 consecutive dwords, lane 0 at `va`.
    #[inline(always)]
    pub fn store_row(&mut self, va: u64, row: &Lanes) -> Result<(), MemFault> {
        let p = self.resolve(va, 256, Access::Write)?;
        // SAFETY: `resolve` vouches for 256 writable bytes; `row` is a register, not device memory.
        unsafe { core::ptr::copy_nonoverlapping(row.as_ptr().cast::<u8>(), p, 256) };
        Ok(())
    }

    /// Loads `N` values.
    #[inline(always)]
    pub fn load_array<E: Plain, const N: usize>(&mut self, va: u64) -> Option<[E; N]> {
        let p = self.resolve(va, size_of::<[E; N]>() as u64, Access::Read).ok()?;
        // SAFETY: `resolve` vouches for the bytes of [E; N], and any bits are valid values.
        Some(unsafe { p.cast::<[E; N]>().read_unaligned() })
    }

    /// Stores `N` values.
    #[inline(always)]
    pub fn store_array<E: Plain, const N: usize>(&mut self, va: u64, x: [E; N]) -> Option<()> {
        let p = self.resolve(va, size_of::<[E; N]>() as u64, Access::Write).ok()?;
        // SAFETY: `resolve` vouches for the bytes of [E; N].
        unsafe { p.cast::<[E; N]>().write_unaligned(x) };
        Some(())
    }

    /// Loads `N` values a lane, lane `l` at `va + l * size_of::<[E; N]>()`, of lanes `first` to `last`; others are zero.
    #[inline(always)]
    pub fn load_consecutive<E: Plain, const N: usize>(
        &mut self,
        va: u64,
        first: usize,
        last: usize,
    ) -> Option<[[E; N]; 64]> {
        let size = size_of::<[E; N]>();
        if first == 0 && last == 63 {
            let p = self.resolve(va, 64 * size as u64, Access::Read).ok()?;
            // SAFETY: `resolve` vouches for the bytes of all 64 lanes, and any bits are valid values.
            return Some(unsafe { p.cast::<[[E; N]; 64]>().read_unaligned() });
        }
        let mut out = [[E::default(); N]; 64];
        let lanes = out.get_mut(first..=last)?;
        let bytes = size_of_val(lanes);
        let p = self.resolve(va.wrapping_add((first * size) as u64), bytes as u64, Access::Read).ok()?;
        // SAFETY: `resolve` vouches for `bytes` readable bytes; `lanes` is ours, has that size, and is not device memory.
        unsafe { core::ptr::copy_nonoverlapping(p, lanes.as_mut_ptr().cast::<u8>(), bytes) };
        Some(out)
    }

    /// Stores `N` values a lane, lane `l` at `va + l * size_of::<[E; N]>()`, of lanes `first` to `last`.
    #[inline(always)]
    pub fn store_consecutive<E: Plain, const N: usize>(
        &mut self,
        va: u64,
        first: usize,
        last: usize,
        x: &[[E; N]; 64],
    ) -> Option<()> {
        let size = size_of::<[E; N]>();
        if first == 0 && last == 63 {
            let p = self.resolve(va, 64 * size as u64, Access::Write).ok()?;
            // SAFETY: `resolve` vouches for the bytes of all 64 lanes.
            unsafe { p.cast::<[[E; N]; 64]>().write_unaligned(*x) };
            return Some(());
        }
        let lanes = x.get(first..=last)?;
        let bytes = size_of_val(lanes);
        let p = self.resolve(va.wrapping_add((first * size) as u64), bytes as u64, Access::Write).ok()?;
        // SAFETY: `resolve` vouches for `bytes` writable bytes; `lanes` has that size and is not device memory.
        unsafe { core::ptr::copy_nonoverlapping(lanes.as_ptr().cast::<u8>(), p, bytes) };
        Some(())
    }

    /// Stores consecutive dwords.
    #[inline(always)]
    pub fn store_dwords(&mut self, va: u64, x: &[u32]) -> Option<()> {
        let bytes = size_of_val(x);
        let p = self.resolve(va, bytes as u64, Access::Write).ok()?;
        // SAFETY: `resolve` vouches for `bytes` writable bytes; `x` is a register, not device memory.
        unsafe { core::ptr::copy_nonoverlapping(x.as_ptr().cast::<u8>(), p, bytes) };
        Some(())
    }

    /// The lanes' addresses less the lowest, and the host memory there, if one window holds them all. Lanes that are not
    /// active go where the first active one goes.
    #[inline(always)]
    fn span(
        &mut self,
        base: u64,
        lo: &Lanes,
        hi: Option<&Lanes>,
        bytes: u64,
        exec: u64,
        access: Access,
    ) -> Option<(*mut u8, Lanes)> {
        let first = exec.trailing_zeros() as usize & 63;
        let mut at = *lo;
        let mut base = base;
        if let Some(hi) = hi {
            // As distances from the first lane's address, if those are short.
            let origin = u64::from(lo[first]) | u64::from(hi[first]) << 32;
            let origin = origin.wrapping_sub(1 << 31);
            let mut far = 0;
            for l in 0..64 {
                let d = (u64::from(lo[l]) | u64::from(hi[l]) << 32).wrapping_sub(origin);
                far |= (d >> 32) & 0u64.wrapping_sub(exec >> l & 1);
                at[l] = d as u32;
            }
            if far != 0 {
                return None;
            }
            base = base.wrapping_add(origin);
        }
        if exec != !0 {
            let substitute = at[first];
            for (l, at) in at.iter_mut().enumerate() {
                let mask = 0u32.wrapping_sub((exec >> l) as u32 & 1);
                *at = *at & mask | substitute & !mask;
            }
        }
        let (mut min, mut max) = (at[0], at[0]);
        for &at in &at {
            min = min.min(at);
            max = max.max(at);
        }
        let p = self.resolve(base.wrapping_add(u64::from(min)), u64::from(max - min) + bytes, access).ok()?;
        for at in &mut at {
            *at -= min;
        }
        Some((p, at))
    }

    /// Loads `N` values a lane, `step` bytes apart, each lane at an address of its own, and gives them to
    /// `put(lane, n, value)`, with any value for lanes not active. `None`, with nothing loaded, if no one window holds
    /// the addresses of all active lanes.
    #[inline(always)]
    pub fn gather<E: Plain, const N: usize>(
        &mut self,
        base: u64,
        lo: &Lanes,
        hi: Option<&Lanes>,
        step: u64,
        exec: u64,
        mut put: impl FnMut(usize, usize, E),
    ) -> Option<()> {
        let bytes = step * (N as u64 - 1) + size_of::<E>() as u64;
        let (p, at) = self.span(base, lo, hi, bytes, exec, Access::Read)?;
        if N == 1 && size_of::<E>() == 4 {
            let eights = eights(&at, 4);
            if eights.consecutive || eights.equal {
                for c in 0..8 {
                    let p = p.wrapping_add(at[8 * c] as usize);
                    let x = if eights.consecutive {
                        // SAFETY: `span` vouches for the bytes of all lanes, and these eight follow each other.
                        unsafe { p.cast::<[E; 8]>().read_unaligned() }
                    } else {
                        // SAFETY: `span` vouches for the bytes of all lanes.
                        [unsafe { p.cast::<E>().read_unaligned() }; 8]
                    };
                    for (l, x) in x.into_iter().enumerate() {
                        put(8 * c + l, 0, x);
                    }
                }
                return Some(());
            }
        }
        for (l, at) in at.iter().enumerate() {
            for k in 0..N {
                let p = p.wrapping_add(*at as usize + step as usize * k);
                // SAFETY: `span` vouches for all bytes from the lowest address to `bytes` behind the highest.
                put(l, k, unsafe { p.cast::<E>().read_unaligned() });
            }
        }
        Some(())
    }

    /// Stores `N` values `get(lane, n)` a lane, `step` bytes apart, each active lane at an address of its own. `None`,
    /// with nothing stored, if no one window holds the addresses of all active lanes.
    #[inline(always)]
    pub fn scatter<E: Plain, const N: usize>(
        &mut self,
        base: u64,
        lo: &Lanes,
        hi: Option<&Lanes>,
        step: u64,
        exec: u64,
        get: impl Fn(usize, usize) -> E,
    ) -> Option<()> {
        let bytes = step * (N as u64 - 1) + size_of::<E>() as u64;
        let (p, at) = self.span(base, lo, hi, bytes, exec, Access::Write)?;
        if N == 1 && size_of::<E>() == 4 && exec == !0 && eights(&at, 4).consecutive {
            for c in 0..8 {
                let x: [E; 8] = core::array::from_fn(|l| get(8 * c + l, 0));
                // SAFETY: `span` vouches for the bytes of all lanes, and these eight follow each other.
                unsafe { p.wrapping_add(at[8 * c] as usize).cast::<[E; 8]>().write_unaligned(x) };
            }
            return Some(());
        }
        for (l, at) in at.iter().enumerate() {
            if exec >> l & 1 == 0 {
                continue;
            }
            for k in 0..N {
                let p = p.wrapping_add(*at as usize + step as usize * k);
                // SAFETY: `span` vouches for all bytes from the lowest address to `bytes` behind the highest.
                unsafe { p.cast::<E>().write_unaligned(get(l, k)) };
            }
        }
        Some(())
    }

    /// Replaces a dword by `f` of it in one atomic step; returns the old value. An unaligned address is a fault.
    pub fn atomic32(&mut self, va: u64, mut f: impl FnMut(u32) -> u32) -> Result<u32, MemFault> {
        let p = self.resolve(va, 4, Access::Atomic)?;
        if !(p as usize).is_multiple_of(4) {
            return Err(MemFault { va, access: Access::Atomic });
        }
        // SAFETY: aligned, mapped, and the reference is to an atomic that lives for this call only.
        let cell = unsafe { AtomicU32::from_ptr(p.cast()) };
        let mut old = cell.load(Ordering::Relaxed);
        loop {
            match cell.compare_exchange_weak(old, f(old), Ordering::SeqCst, Ordering::Relaxed) {
                Ok(old) => return Ok(old),
                Err(now) => old = now,
            }
        }
    }

    /// As [`MemView::atomic32`], of two dwords.
    pub fn atomic64(&mut self, va: u64, mut f: impl FnMut(u64) -> u64) -> Result<u64, MemFault> {
        let p = self.resolve(va, 8, Access::Atomic)?;
        if !(p as usize).is_multiple_of(8) {
            return Err(MemFault { va, access: Access::Atomic });
        }
        // SAFETY: aligned, mapped, and the reference is to an atomic that lives for this call only.
        let cell = unsafe { AtomicU64::from_ptr(p.cast()) };
        let mut old = cell.load(Ordering::Relaxed);
        loop {
            match cell.compare_exchange_weak(old, f(old), Ordering::SeqCst, Ordering::Relaxed) {
                Ok(old) => return Ok(old),
                Err(now) => old = now,
            }
        }
    }

    /// Makes what other threads wrote before their release visible: `buffer_wbinvl1`, `s_dcache_inv`, `s_waitcnt`.
    #[inline(always)]
    pub fn fence() {
        core::sync::atomic::fence(Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use core::sync::atomic::AtomicUsize;

    use super::*;

    /// Pages of 4096 bytes, each a window of its own; counts how often it is asked.
    struct Pages {
        bytes: Vec<u8>,
        asked: AtomicUsize,
    }

    impl AddressSpace for Pages {
        fn window(&self, va: u64) -> Option<Window> {
            self.asked.fetch_add(1, Ordering::Relaxed);
            let base = va & !0xfff;
            let page = self.bytes.get(base as usize..)?.get(..0x1000)?;
            // SAFETY: the page lives as long as the view of it, and is only read.
            Some(unsafe { Window::new(base, 0x1000, page.as_ptr().cast_mut(), false, false) })
        }
    }

    #[test]
    fn as_many_windows_as_there_is_room_for_are_looked_up_once() {
        let pages = Pages { bytes: vec![7; 6 << 12], asked: AtomicUsize::new(0) };
        let mut view = MemView::new(&pages);
        for va in (0..6 << 12).step_by(0x1000).cycle().take(18) {
            assert_eq!(view.load::<u8>(va), Ok(7));
        }
        assert_eq!(pages.asked.load(Ordering::Relaxed), 6);
    }
}
