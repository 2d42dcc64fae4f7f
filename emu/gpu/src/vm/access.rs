//! Checked access to GPU memory by the command processor: every address goes through the page table.
//!
//! Memory that a GPU sees is shared with the program at all times, so there are no references to it: words go through
//! atomics, bulk data through volatile bytes and words.

#![allow(unsafe_code, reason = "reads and writes memory behind checked GPU addresses")]

use std::sync::atomic::{AtomicI64, AtomicU16, AtomicU32, AtomicU64, Ordering};

use kfd_sys::event::{MemoryExceptionData, MemoryExceptionFailure};

use super::guard::{self, HostFault};
use super::{Mapping, PAGE, PageTable};

/// Why an access was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// Nothing is mapped there.
    NotPresent,
    /// Mapped without the right to write.
    ReadOnly,
    /// Mapped without the right to execute.
    NoExecute,
    /// Not aligned to the size of the access.
    Misaligned,
}

/// A refused access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("GPU memory fault at {va:#x}: {kind:?}")]
pub struct Fault {
    /// The address.
    pub va: u64,
    /// The reason.
    pub kind: FaultKind,
}

impl Fault {
    /// The fault in the form of a memory event.
    pub fn event_data(self, gpu_id: u32) -> MemoryExceptionData {
        MemoryExceptionData {
            failure: MemoryExceptionFailure {
                not_present: matches!(self.kind, FaultKind::NotPresent | FaultKind::Misaligned).into(),
                read_only: (self.kind == FaultKind::ReadOnly).into(),
                no_execute: (self.kind == FaultKind::NoExecute).into(),
                imprecise: 0,
            },
            va: self.va & !(PAGE - 1),
            gpu_id,
            ..Default::default()
        }
    }
}

fn pointer<T>(host: u64) -> *mut T {
    std::ptr::with_exposed_provenance_mut(host as usize)
}

macro_rules! load {
    ($name:ident, $atomic:ty, $int:ty) => {
        /// Loads one aligned word (acquire).
        pub fn $name(&self, va: u64) -> Result<$int, Fault> {
            self.word(va, size_of::<$int>() as u64, false, |host| {
                // SAFETY: `word` has checked that the bytes are mapped and aligned; the table holds the memory.
                unsafe { <$atomic>::from_ptr(pointer(host)) }.load(Ordering::Acquire)
            })
        }
    };
}

macro_rules! store {
    ($name:ident, $atomic:ty, $int:ty) => {
        /// Stores one aligned word (release).
        pub fn $name(&self, va: u64, value: $int) -> Result<(), Fault> {
            self.word(va, size_of::<$int>() as u64, true, |host| {
                // SAFETY: `word` has checked that the bytes are mapped, writable and aligned; the table holds the memory.
                unsafe { <$atomic>::from_ptr(pointer(host)) }.store(value, Ordering::Release);
            })
        }
    };
}

impl PageTable {
    fn checked(&self, va: u64, write: bool) -> Result<&Mapping, Fault> {
        let map = self.find(va).ok_or(Fault { va, kind: FaultKind::NotPresent })?;
        if write && !map.rights.write {
            return Err(Fault { va, kind: FaultKind::ReadOnly });
        }
        Ok(map)
    }

    /// Does `access` on an aligned word, by its host address.
    fn word<T>(&self, va: u64, size: u64, write: bool, access: impl FnOnce(u64) -> T) -> Result<T, Fault> {
        if !va.is_multiple_of(size) {
            return Err(Fault { va, kind: FaultKind::Misaligned });
        }
        // Mappings are whole pages, so that an aligned word never leaves one.
        let map = self.checked(va, write)?;
        let host = map.host + (va - map.va);
        self.on_host(map.is_user(), || access(host))
    }

    /// Does what touches host memory. That of user pointers may be gone, and is gone for the GPU then too.
    fn on_host<T>(&self, user: bool, access: impl FnOnce() -> T) -> Result<T, Fault> {
        if !user {
            return Ok(access());
        }
        guard::arm();
        guard::catch(access).map_err(|fault| self.fault_of(fault))
    }

    /// The GPU's fault that a host fault is. An address that no user pointer has is told as it is.
    pub fn fault_of(&self, fault: HostFault) -> Fault {
        let kind = if fault.write && fault.denied { FaultKind::ReadOnly } else { FaultKind::NotPresent };
        Fault { va: self.user_va(fault.addr).unwrap_or(fault.addr), kind }
    }

    load!(load_u32, AtomicU32, u32);
    load!(load_u64, AtomicU64, u64);
    store!(store_u16, AtomicU16, u16);
    store!(store_u32, AtomicU32, u32);
    store!(store_u64, AtomicU64, u64);

    /// Replaces an aligned word by what `change` makes of it.
    pub fn update_u32(&self, va: u64, mut change: impl FnMut(u32) -> u32) -> Result<(), Fault> {
        self.word(va, 4, true, |host| {
            // SAFETY: `word` has checked that the bytes are mapped, writable and aligned; the table holds the memory.
            let word = unsafe { AtomicU32::from_ptr(pointer(host)) };
            // Never refused: the closure always gives a value.
            let _ = word.fetch_update(Ordering::AcqRel, Ordering::Acquire, |old| Some(change(old)));
        })
    }

    /// The same for 64 bits.
    pub fn update_u64(&self, va: u64, mut change: impl FnMut(u64) -> u64) -> Result<(), Fault> {
        self.word(va, 8, true, |host| {
            // SAFETY: as for 32 bits.
            let word = unsafe { AtomicU64::from_ptr(pointer(host)) };
            let _ = word.fetch_update(Ordering::AcqRel, Ordering::Acquire, |old| Some(change(old)));
        })
    }

    /// Subtracts from an aligned 64-bit word and returns what it was (acquire and release).
    pub fn fetch_sub_i64(&self, va: u64, value: i64) -> Result<i64, Fault> {
        self.word(va, 8, true, |host| {
            // SAFETY: `word` has checked that the bytes are mapped, writable and aligned; the table holds the memory.
            unsafe { AtomicI64::from_ptr(pointer(host)) }.fetch_sub(value, Ordering::AcqRel)
        })
    }

    /// Copies bytes out of GPU memory; the range may go over several mappings.
    pub fn read(&self, va: u64, out: &mut [u8]) -> Result<(), Fault> {
        self.pieces(va, out.len(), false, |host, user, range| {
            self.on_host(user, || {
                for (at, byte) in out[range].iter_mut().enumerate() {
                    // SAFETY: `pieces` hands out mapped addresses only; the table holds the memory.
                    *byte = unsafe { pointer::<u8>(host + at as u64).read_volatile() };
                }
            })
        })
    }

    /// Copies `len` bytes within GPU memory; both ranges may go over several mappings.
    pub fn copy(&self, dst: u64, src: u64, len: usize) -> Result<(), Fault> {
        self.pieces(src, len, false, |from, from_user, range| {
            self.pieces(dst.wrapping_add(range.start as u64), range.len(), true, |to, to_user, part| {
                self.on_host(from_user || to_user, || {
                    // SAFETY: `pieces` hands out mapped addresses only; the table holds the memory. Others may write it
                    // meanwhile, as with the hardware: the copy is made by the C library, which makes no assumption.
                    unsafe { libc::memmove(pointer(to), pointer(from + part.start as u64), part.len()) };
                })
            })
        })
    }

    /// Fills `len` bytes with a pattern of four, the first of which goes to `va`.
    pub fn fill(&self, va: u64, len: usize, pattern: [u8; 4]) -> Result<(), Fault> {
        let uniform = pattern.iter().all(|byte| *byte == pattern[0]);
        self.pieces(va, len, true, |to, user, part| {
            self.on_host(user, || {
                if uniform {
                    // SAFETY: as for copies.
                    unsafe { libc::memset(pointer(to), pattern[0].into(), part.len()) };
                    return;
                }
                for (at, place) in part.enumerate() {
                    // SAFETY: as for copies.
                    unsafe { pointer::<u8>(to + at as u64).write_volatile(pattern[place % 4]) };
                }
            })
        })
    }

    /// Calls `piece` for each part of a range that one mapping has, with its host address, whether it is a user pointer's
    /// and its place in the range. The first fault ends it.
    fn pieces(
        &self,
        va: u64,
        len: usize,
        write: bool,
        mut piece: impl FnMut(u64, bool, std::ops::Range<usize>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let mut done = 0;
        while done < len {
            let here = va.checked_add(done as u64).ok_or(Fault { va, kind: FaultKind::NotPresent })?;
            let map = self.checked(here, write)?;
            let inside = here - map.va;
            let room = usize::try_from(map.len - inside).unwrap_or(usize::MAX);
            let end = done + room.min(len - done);
            piece(map.host + inside, map.is_user(), done..end)?;
            done = end;
        }
        Ok(())
    }
}

impl super::MemoryObject {
    /// Address of the 64-bit word with that index, if the device owns the object's memory and the word lies in it.
    fn owned_word(&self, index: usize) -> Option<*mut u64> {
        let owned = !matches!(self.backing, super::Backing::User(_));
        let offset = (index as u64).checked_mul(8)?;
        (owned && offset.checked_add(8)? <= self.size).then(|| pointer(self.host() + offset))
    }

    /// Loads a 64-bit word by its index. `None` for user pointers and beyond the end.
    pub fn load_slot(&self, index: usize) -> Option<u64> {
        let word = self.owned_word(index)?;
        // SAFETY: `owned_word` gives words of the device's own mapping only, aligned; it lives as long as the object.
        Some(unsafe { AtomicU64::from_ptr(word) }.load(Ordering::Acquire))
    }

    /// Stores a 64-bit word by its index. Nothing happens for user pointers and beyond the end.
    pub fn store_slot(&self, index: usize, value: u64) {
        if let Some(word) = self.owned_word(index) {
            // SAFETY: as for the load.
            unsafe { AtomicU64::from_ptr(word) }.store(value, Ordering::Release);
        }
    }
}
