//! Memory that the program has from this library, by address: what a pointer is, and how far it reaches.

use crate::error::Result;
use crate::pool::Pool;
use hip_sys::hipError_t;
use parking_lot::RwLock;
use rocr_rs::{Access, Memory, SharedMemory};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How memory was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `hipMalloc` and its kin.
    Device,
    /// Memory of a device that host and device may use at the same time (`hipExtMallocWithFlags`).
    FineGrained,
    /// `hipHostMalloc`.
    Host,
    /// `hipMallocManaged`, or a `__managed__` variable.
    Managed,
    /// `hipHostRegister`.
    Registered,
    /// `hipIpcOpenMemHandle`.
    Attached,
    /// `hipMemMap`: the mapping is the HSA runtime's.
    Mapped,
}

/// One piece of memory.
#[derive(Debug)]
pub struct Allocation {
    /// First address, as devices have it.
    pub base: u64,
    /// First address, as the host has it.
    pub host: u64,
    /// Bytes that were asked for.
    pub size: usize,
    /// How it was asked for.
    pub kind: Kind,
    /// Ordinal of the device that was current.
    pub device: usize,
    /// The flags of the call.
    pub flags: u32,
    /// A number that no other allocation has.
    pub id: u64,
    memory: Option<Memory>,
    /// The pool that it is counted in.
    pool: Option<Arc<Pool>>,
}

impl Drop for Allocation {
    fn drop(&mut self) {
        if let Some(pool) = &self.pool {
            pool.got(self.size);
        }
    }
}

impl Allocation {
    /// A handle for another process; none of memory that is not ours to give.
    pub fn share(&self) -> Option<std::result::Result<SharedMemory, rocr_rs::Error>> {
        self.memory.as_ref().map(Memory::share)
    }

    /// Whether it is memory of a device.
    pub fn is_on_device(&self) -> bool {
        matches!(self.kind, Kind::Device | Kind::FineGrained | Kind::Attached | Kind::Mapped)
    }

    /// Whether it came from a memory pool (`hipMallocAsync` and its kin).
    pub fn is_pooled(&self) -> bool {
        self.pool.is_some()
    }

    /// The memory itself, if it came from `hipMalloc`.
    pub fn into_recyclable(mut self) -> Option<Memory> {
        if self.kind == Kind::Device { self.memory.take() } else { None }
    }
}

/// All of it.
#[derive(Debug, Default)]
pub struct Allocations {
    by_host: RwLock<BTreeMap<u64, Arc<Allocation>>>,
    /// Addresses that the program reserved (`hipMemAddressReserve`), and how many.
    reserved: RwLock<BTreeMap<u64, u64>>,
    next_id: AtomicU64,
}

impl Allocations {
    /// Enters memory. `host` is its address for the host where that is another than `memory.va()`.
    pub fn add(
        &self,
        memory: Memory,
        host: Option<u64>,
        size: usize,
        kind: Kind,
        device: usize,
        flags: u32,
    ) -> Arc<Allocation> {
        let base = memory.va();
        self.enter(Allocation {
            base,
            host: host.unwrap_or(base),
            size,
            kind,
            device,
            flags,
            id: 0,
            memory: Some(memory),
            pool: None,
        })
    }

    /// Enters memory that is counted in a pool.
    pub fn add_pooled(&self, memory: Memory, size: usize, pool: &Arc<Pool>) -> Arc<Allocation> {
        pool.gave(size);
        let base = memory.va();
        self.enter(Allocation {
            base,
            host: base,
            size,
            kind: Kind::Device,
            device: pool.device,
            flags: 0,
            id: 0,
            memory: Some(memory),
            pool: Some(pool.clone()),
        })
    }

    /// Enters memory that the program has mapped.
    pub fn add_mapped(&self, base: u64, size: usize, device: usize) -> Arc<Allocation> {
        let (kind, flags, id) = (Kind::Mapped, 0, 0);
        self.enter(Allocation { base, host: base, size, kind, device, flags, id, memory: None, pool: None })
    }

    fn enter(&self, mut allocation: Allocation) -> Arc<Allocation> {
        allocation.id = self.next_id.fetch_add(1, Ordering::Relaxed) + 1;
        let allocation = Arc::new(allocation);
        self.by_host.write().insert(allocation.host, allocation.clone());
        allocation
    }

    /// Notes reserved addresses, where there is memory only where some is mapped.
    pub fn reserve(&self, base: u64, size: u64) {
        self.reserved.write().insert(base, size);
    }

    /// Forgets reserved addresses.
    pub fn unreserve(&self, base: u64) {
        self.reserved.write().remove(&base);
    }

    fn is_reserved(&self, address: u64) -> bool {
        let reserved = self.reserved.read();
        reserved.range(..=address).next_back().is_some_and(|(base, size)| address - base < *size)
    }

    /// What of a kind begins at `begin..end`.
    pub fn within(&self, begin: u64, end: u64, kind: Kind) -> Vec<Arc<Allocation>> {
        let map = self.by_host.read();
        let range = map.range(begin..end).map(|(_, allocation)| allocation);
        range.filter(|allocation| allocation.kind == kind).cloned().collect()
    }

    /// Takes memory out, by its first address.
    pub fn remove(&self, address: u64) -> Option<Arc<Allocation>> {
        self.by_host.write().remove(&address)
    }

    /// The memory that `address` lies in.
    pub fn find(&self, address: u64) -> Option<Arc<Allocation>> {
        let map = self.by_host.read();
        let (base, allocation) = map.range(..=address).next_back()?;
        (address - base < allocation.size.max(1) as u64).then(|| allocation.clone())
    }

    /// The memory that begins at `address`.
    pub fn at(&self, address: u64) -> Option<Arc<Allocation>> {
        self.by_host.read().get(&address).cloned()
    }

    /// Refuses an access that begins in memory of ours and ends beyond it, or that meets no memory at all.
    pub fn check(&self, address: u64, size: usize) -> Result {
        let refuse = |what: &str| {
            crate::error::report(format_args!("{size:#x} bytes at {address:#x} {what}"));
            Err(hipError_t::INVALID_VALUE)
        };
        match self.find(address) {
            Some(allocation) if allocation.kind == Kind::Mapped => {
                if self.is_open(address, size) {
                    return Ok(());
                }
                refuse("are not all mapped and open to a device: hipMemMap, hipMemSetAccess")
            }
            Some(allocation) if size as u64 > allocation.size as u64 - (address - allocation.host) => {
                Err(hipError_t::INVALID_VALUE)
            }
            Some(_) => Ok(()),
            None if self.is_reserved(address) => {
                refuse("are reserved, and nothing is mapped there: hipMemMap")
            }
            None if crate::ffi::is_mapped(address, size) => Ok(()),
            None => refuse("are neither an allocation of a device nor mapped host memory"),
        }
    }

    /// Whether mapped memory may be used: one mapping or several without a gap, where the host has access because a device
    /// has.
    fn is_open(&self, address: u64, size: usize) -> bool {
        let Some(hip) = crate::state::hip_if_open() else { return false };
        let Some(end) = address.checked_add(size as u64) else { return false };
        let host = hip.runtime.cpu_agent();
        let mut at = address;
        while at < end {
            let piece = self.find(at).filter(|piece| piece.kind == Kind::Mapped);
            match piece {
                Some(piece) if hip.runtime.access(at, &host) == Some(Access::ReadWrite) => {
                    at = piece.host + piece.size as u64;
                }
                _ => return false,
            }
        }
        true
    }
}
