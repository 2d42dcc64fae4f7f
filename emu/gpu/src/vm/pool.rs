//! A pool of device memory: one sparse memory file, mapped once for the device and range by range for the program.
//!
//! Stands for VRAM and for GTT. `mmap` offsets on the render node are offsets into this file. A range that is given
//! back is punched out, so its pages return to the host and read as zero when they are given out again.
//!
//! Another process may hold a range too: it opens the file anew and takes a read lock on the range, which the host's
//! kernel keeps until the last copy of that open file is closed, however the process ends. A range that was given out to
//! others and is still locked when its owner gives it back stays in use until the lock is gone.

#![allow(unsafe_code, reason = "maps memory files into the process")]

use std::collections::BTreeMap;
use std::fmt;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kfd_sys::Errno;
use nix::fcntl::{FcntlArg, fcntl};
use parking_lot::Mutex;

use super::PAGE;

/// Ranges of this size and more are aligned to it, so that the host may use huge pages.
const LARGE: u64 = 2 << 20;

/// The memory file and what of it is free.
pub struct Pool {
    file: OwnedFd,
    /// Address of the file's first byte, were all of it mapped.
    base: u64,
    /// Offset of the part that is mapped, and its bytes.
    start: u64,
    size: u64,
    /// The file is of another process: what is given back here is still in use there.
    foreign: bool,
    state: Mutex<State>,
}

struct State {
    /// Free ranges: offset → bytes. Neighbours are always joined.
    free: BTreeMap<u64, u64>,
    /// Ranges that were given back and that other processes still have: offset, bytes. They count as used.
    lingering: Vec<(u64, u64)>,
    used: u64,
    limit: u64,
}

impl State {
    /// Puts a range among the free ones, joined with its neighbours.
    fn give_back(&mut self, offset: u64, bytes: u64) {
        self.used -= bytes;
        let (mut start, mut end) = (offset, offset + bytes);
        if let Some((&below, &length)) = self.free.range(..offset).next_back()
            && below + length == start
        {
            start = below;
        }
        if let Some(&length) = self.free.get(&end) {
            self.free.remove(&end);
            end += length;
        }
        self.free.insert(start, end - start);
    }
}

/// A lock of a part of a file, for `fcntl`.
fn lock_of(kind: i32, offset: u64, bytes: u64) -> libc::flock {
    libc::flock {
        l_type: kind as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: offset as libc::off_t,
        l_len: bytes as libc::off_t,
        l_pid: 0,
    }
}

fn last_error() -> Errno {
    Errno(std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO))
}

/// Bytes of a pool under the process's limits of address space and file size (`ulimit -v`, `-f`). There are two pools,
/// and the program maps what it takes of them a second time: a quarter of the address space each leaves it half.
fn within(size: u64, address_space: u64, file: u64) -> u64 {
    size.min(address_space / 4).min(file) & !(PAGE - 1)
}

fn resource_limit(which: libc::__rlimit_resource_t) -> u64 {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: writes our own struct. A limit that cannot be read stays infinite.
    unsafe { libc::getrlimit(which, &mut limit) };
    limit.rlim_cur
}

/// Maps a part of a memory file for the device.
fn map_file(file: &OwnedFd, offset: u64, length: usize) -> Result<*mut libc::c_void, Errno> {
    // SAFETY: a new mapping at an address of the kernel's choice covers nothing that exists.
    let at = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            length,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED | libc::MAP_NORESERVE,
            file.as_raw_fd(),
            offset as libc::off_t,
        )
    };
    if at == libc::MAP_FAILED { Err(last_error()) } else { Ok(at) }
}

impl Pool {
    /// A pool of `size` bytes, or as many as the process may have, of which at most `limit` are given out at a time.
    pub fn new(name: &std::ffi::CStr, size: u64, limit: u64) -> Result<Arc<Pool>, Errno> {
        let size = within(size, resource_limit(libc::RLIMIT_AS), resource_limit(libc::RLIMIT_FSIZE));
        if size == 0 {
            return Err(Errno::ENOMEM);
        }
        let length = usize::try_from(size).map_err(|_| Errno::ENOMEM)?;
        let end = libc::off_t::try_from(size).map_err(|_| Errno::ENOMEM)?;
        // SAFETY: the name is a C string; the call makes a new descriptor and touches nothing else.
        let fd = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) };
        if fd < 0 {
            return Err(last_error());
        }
        // SAFETY: `fd` was just made and nobody else owns it.
        let file = unsafe { OwnedFd::from_raw_fd(fd) };
        // SAFETY: only changes the length of our own file.
        if unsafe { libc::ftruncate(file.as_raw_fd(), end) } != 0 {
            return Err(last_error());
        }
        let base = map_file(&file, 0, length)?;
        // SAFETY: advice on our own mapping. Failure does not matter.
        unsafe {
            libc::madvise(base, length, libc::MADV_DONTDUMP);
            libc::madvise(base, length, libc::MADV_HUGEPAGE);
        }
        let free = BTreeMap::from([(0, size)]);
        let state = State { free, lingering: Vec::new(), used: 0, limit: limit.min(size) };
        let base = base.expose_provenance() as u64;
        Ok(Arc::new(Pool { file, base, start: 0, size, foreign: false, state: Mutex::new(state) }))
    }

    /// Takes a part of another process's pool, so that it stays what it is until the file is closed. The file must have
    /// been opened for this alone: the lock is of the open file.
    pub fn hold(file: &OwnedFd, offset: u64, bytes: u64) -> Result<(), Errno> {
        let lock = lock_of(libc::F_RDLCK, offset, bytes);
        fcntl(file, FcntlArg::F_OFD_SETLK(&lock)).map(drop).map_err(|error| Errno(error as i32))
    }

    /// Does anybody else have a hold on any part of that file?
    pub fn is_locked(file: &OwnedFd) -> bool {
        let mut lock = lock_of(libc::F_WRLCK, 0, 0);
        let asked = fcntl(file, FcntlArg::F_OFD_GETLK(&mut lock));
        asked.is_err() || i32::from(lock.l_type) != libc::F_UNLCK
    }

    /// A part of another process's pool, by its memory file, on which it has a hold.
    pub fn adopt(file: OwnedFd, offset: u64, bytes: u64) -> Result<Extent, Errno> {
        let end = offset.checked_add(bytes).ok_or(Errno::EINVAL)?;
        let file = std::fs::File::from(file);
        if bytes == 0 || file.metadata().map_or(0, |meta| meta.len()) < end {
            return Err(Errno::EINVAL);
        }
        let file = OwnedFd::from(file);
        let length = usize::try_from(bytes).map_err(|_| Errno::ENOMEM)?;
        let at = map_file(&file, offset, length)?.expose_provenance() as u64;
        let state = State { free: BTreeMap::new(), lingering: Vec::new(), used: bytes, limit: bytes };
        let (base, state) = (at.wrapping_sub(offset), Mutex::new(state));
        let pool = Arc::new(Pool { file, base, start: offset, size: bytes, foreign: true, state });
        Ok(Extent { pool, offset, bytes, shared: AtomicBool::new(false) })
    }

    /// Bytes that can still be given out.
    pub fn available(&self) -> u64 {
        let mut state = self.state.lock();
        self.reap(&mut state);
        state.limit - state.used
    }

    /// Bytes that are in use, here or by others.
    pub fn used(&self) -> u64 {
        let mut state = self.state.lock();
        self.reap(&mut state);
        state.used
    }

    /// Does another process have a hold on a part of that range? If the host cannot tell, it counts as held.
    fn is_held(&self, offset: u64, bytes: u64) -> bool {
        let mut lock = lock_of(libc::F_WRLCK, offset, bytes);
        let asked = fcntl(&self.file, FcntlArg::F_OFD_GETLK(&mut lock));
        asked.is_err() || i32::from(lock.l_type) != libc::F_UNLCK
    }

    /// Frees what lingered and is nobody's now.
    fn reap(&self, state: &mut State) {
        let lingering = std::mem::take(&mut state.lingering);
        for (offset, bytes) in lingering {
            if self.is_held(offset, bytes) {
                state.lingering.push((offset, bytes));
            } else {
                self.clear(offset, bytes);
                state.give_back(offset, bytes);
            }
        }
    }

    /// Drops the pages of a range: it reads as zero from then on.
    fn clear(&self, offset: u64, bytes: u64) {
        // SAFETY: drops pages of our own file; mappings of them read zeroes from then on.
        let punched = unsafe {
            libc::fallocate(
                self.file.as_raw_fd(),
                libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE,
                offset as libc::off_t,
                bytes as libc::off_t,
            )
        };
        if punched != 0 {
            let at = std::ptr::with_exposed_provenance_mut::<u8>(self.base.wrapping_add(offset) as usize);
            // SAFETY: the range lies in our own mapping, and nobody has it any more.
            unsafe { std::ptr::write_bytes(at, 0, bytes as usize) };
        }
    }

    /// Takes `bytes` (rounded up to pages) out of the pool.
    pub fn allocate(self: &Arc<Pool>, bytes: u64) -> Result<Extent, Errno> {
        let bytes = bytes.checked_next_multiple_of(PAGE).ok_or(Errno::ENOMEM)?;
        let align = if bytes >= LARGE { LARGE } else { PAGE };
        let mut state = self.state.lock();
        self.reap(&mut state);
        if bytes == 0 || bytes > state.limit - state.used {
            return Err(Errno::ENOMEM);
        }
        let found = state.free.iter().find_map(|(&offset, &length)| {
            let start = offset.checked_next_multiple_of(align)?;
            let skipped = start - offset;
            (skipped.checked_add(bytes)? <= length).then_some((offset, length, start))
        });
        let (offset, length, start) = found.ok_or(Errno::ENOMEM)?;
        state.free.remove(&offset);
        if start > offset {
            state.free.insert(offset, start - offset);
        }
        let after = offset + length - (start + bytes);
        if after > 0 {
            state.free.insert(start + bytes, after);
        }
        state.used += bytes;
        Ok(Extent { pool: Arc::clone(self), offset: start, bytes, shared: AtomicBool::new(false) })
    }

    fn release(&self, offset: u64, bytes: u64, shared: bool) {
        if self.foreign {
            return;
        }
        if shared && self.is_held(offset, bytes) {
            self.state.lock().lingering.push((offset, bytes));
            return;
        }
        self.clear(offset, bytes);
        self.state.lock().give_back(offset, bytes);
    }

    /// A second descriptor of the memory file.
    pub fn duplicate(&self) -> Result<OwnedFd, Errno> {
        self.file.try_clone().map_err(|error| Errno(error.raw_os_error().unwrap_or(libc::EIO)))
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let at = self.base.wrapping_add(self.start) as usize;
        // SAFETY: the mapping that was made with the pool; every extent holds the pool, so none is left.
        unsafe { libc::munmap(std::ptr::with_exposed_provenance_mut(at), self.size as usize) };
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pool({:#x} bytes)", self.size)
    }
}

/// A range of a pool, given back when dropped.
#[derive(Debug)]
pub struct Extent {
    pool: Arc<Pool>,
    offset: u64,
    bytes: u64,
    /// Other processes were told of it.
    shared: AtomicBool,
}

impl Extent {
    /// Says that other processes are told of this range: it is used again only when none of them holds it.
    pub fn share(&self) {
        self.shared.store(true, Ordering::Release);
    }

    /// Offset in the memory file.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Bytes, a multiple of the page size.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Descriptor of the memory file.
    pub fn file(&self) -> i32 {
        self.pool.file.as_raw_fd()
    }

    /// Address of the device's own mapping of this range.
    pub fn host(&self) -> u64 {
        self.pool.base.wrapping_add(self.offset)
    }

    /// Maps `length` bytes from `skip` on at `addr` for the program.
    ///
    /// # Safety
    /// As `mmap(2)` with `MAP_FIXED`: whatever was mapped at `addr..addr + length` is gone.
    pub unsafe fn map_fixed(&self, addr: u64, length: u64, prot: i32, skip: u64) -> Result<(), Errno> {
        if length == 0 || skip.checked_add(length).is_none_or(|end| end > self.bytes) {
            return Err(Errno::EINVAL);
        }
        // SAFETY: the caller answers for the address range; the offset lies inside this extent.
        let got = unsafe {
            libc::mmap(
                std::ptr::with_exposed_provenance_mut(addr as usize),
                length as usize,
                prot,
                libc::MAP_SHARED | libc::MAP_FIXED,
                self.pool.file.as_raw_fd(),
                (self.offset + skip) as libc::off_t,
            )
        };
        if got == libc::MAP_FAILED { Err(last_error()) } else { Ok(()) }
    }
}

impl Drop for Extent {
    fn drop(&mut self) {
        self.pool.release(self.offset, self.bytes, *self.shared.get_mut());
    }
}

/// Is every page of that host range mapped, and its ends writable if they must be?
pub fn host_range_exists(addr: u64, bytes: u64, writable: bool) -> bool {
    const CHUNK: u64 = 64 << 20;
    let mut residency = vec![0u8; (bytes.min(CHUNK) / PAGE) as usize];
    let mut at = addr;
    let Some(end) = addr.checked_add(bytes) else { return false };
    while at < end {
        let length = (end - at).min(CHUNK);
        let pointer = std::ptr::with_exposed_provenance_mut(at as usize);
        // SAFETY: asks about address space, whatever is there; `residency` has a byte for each page of `length`.
        if unsafe { libc::mincore(pointer, length as usize, residency.as_mut_ptr()) } != 0 {
            return false;
        }
        at += length;
    }
    !writable || [addr, end - PAGE].into_iter().all(page_is_writable)
}

fn page_is_writable(addr: u64) -> bool {
    #[repr(align(4096))]
    struct OwnPage([u8; PAGE as usize]);
    let populate = |addr: u64| {
        let pointer = std::ptr::with_exposed_provenance_mut(addr as usize);
        // SAFETY: faults a page in as a write of its own value would, and reports instead of trapping.
        unsafe { libc::madvise(pointer, PAGE as usize, libc::MADV_POPULATE_WRITE) == 0 }
    };
    if populate(addr) {
        return true;
    }
    // Kernels before 5.14 do not know this advice, and refuse it with the same number as a page that cannot be
    // written: a page that surely can tells which it was.
    let mut own = OwnPage([0; PAGE as usize]);
    !populate(std::ptr::from_mut(&mut own.0).expose_provenance() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_keeps_to_the_limits_of_the_process() {
        assert_eq!(within(64 << 30, libc::RLIM_INFINITY, libc::RLIM_INFINITY), 64 << 30);
        assert_eq!(within(64 << 30, 4 << 30, libc::RLIM_INFINITY), 1 << 30);
        assert_eq!(within(64 << 30, libc::RLIM_INFINITY, 10_000), 8192);
        assert_eq!(within(4095, libc::RLIM_INFINITY, libc::RLIM_INFINITY), 0);
    }
}
