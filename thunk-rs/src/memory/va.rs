//! Ranges of host address space, which are ranges of GPU address space too.

#![allow(unsafe_code, reason = "maps, unmaps and copies memory at addresses that it owns")]

use std::ptr;

use kfd_sys::{DeviceFile, Errno, Kfd, Prot};

use crate::{Error, Result};

/// A range of address space that nobody else uses. Dropping it gives it back.
#[derive(Debug)]
pub(crate) struct Reservation {
    va: u64,
    len: u64,
    /// False: the range is the caller's, and stays.
    ours: bool,
}

impl Reservation {
    /// Address space without memory behind it. `len` is a multiple of the page size, `alignment` a power of two.
    pub(crate) fn reserve(len: u64, alignment: u64) -> Result<Reservation> {
        map_anonymous(len, alignment, libc::PROT_NONE, libc::MAP_NORESERVE)
    }

    /// Address space at `va`, if nobody has it.
    pub(crate) fn reserve_at(va: u64, len: u64) -> Result<Reservation> {
        let taken = |errno| Error::HostMemory { what: "reserve", len, errno };
        let size = usize::try_from(len).map_err(|_| taken(Errno::ENOMEM))?;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
        // SAFETY: a new private mapping, which the kernel refuses where anything is mapped.
        let at = unsafe { libc::mmap(va as *mut libc::c_void, size, libc::PROT_NONE, flags, -1, 0) };
        if at == libc::MAP_FAILED {
            return Err(taken(last_errno()));
        }
        let range = Reservation { va: at as u64, len, ours: true };
        // Kernels that do not know the flag take the address as a hint.
        if range.va == va { Ok(range) } else { Err(taken(Errno::EEXIST)) }
    }

    /// Puts fresh zeroed memory where the first `len` bytes of address space are.
    pub(crate) fn fill_anonymous(&self, len: u64) -> Result<()> {
        let at = self.pointer(0, len)?;
        if !self.ours {
            return Err(Error::request("mmap", "the range is not ours"));
        }
        let prot = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
        // SAFETY: a part of the range, which was reserved by us, and nothing in it is referred to.
        let mapped = unsafe { libc::mmap(at.cast(), len as usize, prot, flags, -1, 0) };
        if mapped == libc::MAP_FAILED {
            return Err(Error::HostMemory { what: "map", len, errno: last_errno() });
        }
        // A child that wrote to its copy would move the parent's pages away from under the GPU.
        self.advise(libc::MADV_DONTFORK);
        Ok(())
    }

    /// Says which NUMA node the pages of the first `len` bytes shall come from. Where the machine has one node only, or
    /// forbids the call (as containers do), they come from wherever they come from.
    pub(crate) fn bind_to_numa(&self, len: u64, numa: super::Numa) -> Result<()> {
        // Of `<linux/mempolicy.h>`.
        const PREFERRED: usize = 1;
        const BIND: usize = 2;
        const STATIC_NODES: usize = 1 << 15;
        if numa.node >= u64::BITS || !std::path::Path::new("/sys/devices/system/node/node1").exists() {
            return Ok(());
        }
        let mask = 1u64 << numa.node;
        let mode = STATIC_NODES | if numa.strict { BIND } else { PREFERRED };
        let len = len.min(self.len) as usize;
        // SAFETY: sets a policy for our own range; the mask is one word, whose bits are counted with one to spare.
        let result = unsafe {
            libc::syscall(
                libc::SYS_mbind,
                self.va as usize,
                len,
                mode,
                &raw const mask,
                u64::BITS as usize + 1,
                0usize,
            )
        };
        let errno = last_errno();
        if result == 0 || errno == Errno::EPERM || !numa.strict {
            return Ok(());
        }
        Err(Error::HostMemory { what: "bind to a NUMA node", len: len as u64, errno })
    }

    /// Fresh zeroed memory, as user pointers are made of: not inherited by children.
    pub(crate) fn anonymous(len: u64, alignment: u64) -> Result<Reservation> {
        let range = map_anonymous(len, alignment, libc::PROT_READ | libc::PROT_WRITE, libc::MAP_NORESERVE)?;
        // A child that wrote to its copy would move the parent's pages away from under the GPU.
        range.advise(libc::MADV_DONTFORK);
        Ok(range)
    }

    /// Takes large pages where possible: for what is going to be used as a whole.
    pub(crate) fn prefer_large_pages(&self) {
        if self.len >= super::LARGE_PAGE {
            self.advise(libc::MADV_HUGEPAGE);
        }
    }

    /// Memory that is there already and belongs to the caller.
    pub(crate) fn borrowed(va: u64, len: u64) -> Reservation {
        Reservation { va, len, ours: false }
    }

    pub(crate) fn va(&self) -> u64 {
        self.va
    }

    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Puts a device's memory where the range is.
    pub(crate) fn map_device(&self, kfd: &dyn Kfd, file: DeviceFile, prot: Prot, offset: u64) -> Result<()> {
        self.map_device_at(kfd, file, prot, offset, 0, self.len)
    }

    /// Puts a device's memory where a part of the range is.
    pub(crate) fn map_device_at(
        &self,
        kfd: &dyn Kfd,
        file: DeviceFile,
        prot: Prot,
        offset: u64,
        within: u64,
        len: u64,
    ) -> Result<()> {
        let at = self.pointer(within, len)? as u64;
        if !self.ours {
            return Err(Error::request("mmap", "the range is not ours"));
        }
        // SAFETY: the range was reserved by us for this, and nothing that lies in it is referred to yet.
        unsafe { kfd.mmap(file, at, len, prot, offset) }.map_err(|errno| Error::HostMemory {
            what: "map",
            len,
            errno,
        })
    }

    /// Takes a device's memory out of a part of the range, which is address space without memory again.
    pub(crate) fn unmap_device_at(&self, within: u64, len: u64) -> Result<()> {
        let at = self.pointer(within, len)?;
        if !self.ours {
            return Err(Error::request("mmap", "the range is not ours"));
        }
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
        // SAFETY: a part of the range, which was reserved by us; who unmaps has no use for what lies there.
        let mapped = unsafe { libc::mmap(at.cast(), len as usize, libc::PROT_NONE, flags, -1, 0) };
        if mapped == libc::MAP_FAILED {
            return Err(Error::HostMemory { what: "unmap", len, errno: last_errno() });
        }
        Ok(())
    }

    /// Copies into the range, which must be memory already, not only address space.
    pub(crate) fn write(&self, offset: u64, bytes: &[u8]) -> Result<()> {
        let to = self.pointer(offset, bytes.len() as u64)?;
        // SAFETY: in bounds, and the range is mapped as long as `self`; no reference exists to its bytes.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) };
        Ok(())
    }

    fn pointer(&self, offset: u64, len: u64) -> Result<*mut u8> {
        match offset.checked_add(len) {
            Some(end) if end <= self.len => Ok((self.va + offset) as *mut u8),
            _ => Err(Error::Access { va: self.va, size: self.len, offset, len, problem: "outside of it" }),
        }
    }

    /// Gives the range back, and says if that failed.
    pub(crate) fn release(mut self) -> Result<()> {
        self.unmap()
    }

    /// Keeps the range for ever: something may still use it.
    pub(crate) fn leak(self) {
        std::mem::forget(self);
    }

    fn advise(&self, advice: i32) {
        // SAFETY: advises about our own fresh range. It is advice: if the kernel does not take it, all still works.
        unsafe { libc::madvise(self.va as *mut libc::c_void, self.len as usize, advice) };
    }

    fn unmap(&mut self) -> Result<()> {
        if !std::mem::take(&mut self.ours) {
            return Ok(());
        }
        // SAFETY: the range is ours, and who released it has no use for what lies there.
        match unsafe { libc::munmap(self.va as *mut libc::c_void, self.len as usize) } {
            0 => Ok(()),
            _ => Err(Error::HostMemory { what: "unmap", len: self.len, errno: last_errno() }),
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let _ = self.unmap();
    }
}

fn map_anonymous(len: u64, alignment: u64, prot: i32, flags: i32) -> Result<Reservation> {
    let too_much = Error::HostMemory { what: "reserve", len, errno: Errno::ENOMEM };
    let slack = alignment.saturating_sub(super::PAGE);
    let whole = len
        .checked_add(slack)
        .and_then(|whole| usize::try_from(whole).ok())
        .filter(|whole| *whole <= isize::MAX as usize)
        .ok_or(too_much)?;
    // SAFETY: a new private mapping at an address of the kernel's choice touches nothing that exists.
    let at = unsafe {
        libc::mmap(ptr::null_mut(), whole, prot, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | flags, -1, 0)
    };
    if at == libc::MAP_FAILED {
        return Err(Error::HostMemory { what: "reserve", len, errno: last_errno() });
    }
    // Cut what sticks out on both sides of the aligned part.
    let start = at as u64;
    let va = start.next_multiple_of(alignment.max(super::PAGE));
    let (head, tail) = (va - start, start + whole as u64 - (va + len));
    for (from, bytes) in [(start, head), (va + len, tail)] {
        if bytes != 0 {
            // SAFETY: a part of the mapping just made, outside of what is kept.
            unsafe { libc::munmap(from as *mut libc::c_void, bytes as usize) };
        }
    }
    Ok(Reservation { va, len, ours: true })
}

fn last_errno() -> Errno {
    Errno(std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_aligned_and_given_back() {
        for alignment in [4096, 1 << 16, 1 << 21, 1 << 30] {
            let range = Reservation::reserve(12288, alignment).unwrap();
            assert_eq!(range.va() % alignment, 0);
            range.release().unwrap();
        }
        assert!(Reservation::reserve(u64::MAX - 4095, 4096).is_err());
    }

    #[test]
    fn copies_stay_inside() {
        let range = Reservation::anonymous(4096, 4096).unwrap();
        range.write(4090, b"sixsix").unwrap();
        assert!(range.write(4091, b"sixsix").is_err());
        assert!(range.write(u64::MAX, b"x").is_err());
    }
}
