//! The host's view of memory: copies in and out, and atomics for what a device writes too.

#![allow(unsafe_code, reason = "hands out atomics that live in device memory")]

use std::os::fd::{FromRawFd as _, OwnedFd, RawFd};
use std::ptr;
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64};

use super::{Memory, MemoryKind};
use crate::{Error, Result};

/// A file descriptor that the kernel has just made for us.
pub(crate) fn owned_fd(fd: RawFd) -> OwnedFd {
    // SAFETY: the callers pass what an ioctl returned as a new descriptor, which nobody else knows yet.
    unsafe { OwnedFd::from_raw_fd(fd) }
}

impl Memory {
    /// Copies bytes in.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> Result<()> {
        self.check(offset, bytes.len() as u64, 1)?;
        // SAFETY: in bounds, readable and writable by the host (`check`), and mapped as long as `self` lives: the block
        // is given back by `drop` and `Thunk::free` only, and both consume `self`. A program that lets a device write
        // to the same bytes without synchronisation gets torn ones, as on hardware; no reference exists to them.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), (self.host_va + offset) as *mut u8, bytes.len()) };
        Ok(())
    }

    /// Copies bytes out.
    pub fn read(&self, offset: u64, bytes: &mut [u8]) -> Result<()> {
        self.check(offset, bytes.len() as u64, 1)?;
        // SAFETY: as in `write`.
        unsafe {
            ptr::copy_nonoverlapping((self.host_va + offset) as *const u8, bytes.as_mut_ptr(), bytes.len())
        };
        Ok(())
    }

    /// A 64-bit word that the device may write too.
    pub fn atomic_u64(&self, offset: u64) -> Result<&AtomicU64> {
        self.check(offset, 8, 8)?;
        // SAFETY: as in `write`, and aligned; the lifetime is that of `self`.
        Ok(unsafe { AtomicU64::from_ptr((self.host_va + offset) as *mut u64) })
    }

    /// A 64-bit signed word that the device may write too.
    pub fn atomic_i64(&self, offset: u64) -> Result<&AtomicI64> {
        self.check(offset, 8, 8)?;
        // SAFETY: as in `atomic_u64`.
        Ok(unsafe { AtomicI64::from_ptr((self.host_va + offset) as *mut i64) })
    }

    /// A 32-bit word that the device may write too.
    pub fn atomic_u32(&self, offset: u64) -> Result<&AtomicU32> {
        self.check(offset, 4, 4)?;
        // SAFETY: as in `atomic_u64`.
        Ok(unsafe { AtomicU32::from_ptr((self.host_va + offset) as *mut u32) })
    }

    /// The address as a pointer, if the host can reach the memory.
    pub fn host_ptr(&self) -> Option<*mut u8> {
        self.host.then_some(self.host_va as *mut u8)
    }

    fn check(&self, offset: u64, len: u64, alignment: u64) -> Result<()> {
        let problem = if !self.host {
            "the host has no access to it"
        } else if self.kind == MemoryKind::Mmio && alignment == 1 {
            "registers are not for copying"
        } else if offset.checked_add(len).is_none_or(|end| end > self.size) {
            "outside of it"
        } else if !offset.is_multiple_of(alignment) {
            "not aligned"
        } else {
            return Ok(());
        };
        Err(Error::Access { va: self.va, size: self.size, offset, len, problem })
    }
}
