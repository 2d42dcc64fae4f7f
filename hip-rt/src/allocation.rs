//! Memory that the program has from this library, by address: what a pointer is, and how far it reaches.

use crate::error::Result;
use hip_sys::hipError_t;
use parking_lot::RwLock;
use rocr_rs::Memory;
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
    memory: Memory,
}

impl Allocation {
    /// Whether it is memory of a device.
    pub fn is_on_device(&self) -> bool {
        matches!(self.kind, Kind::Device | Kind::FineGrained)
    }

    /// The memory itself, if it came from `hipMalloc`.
    pub fn into_recyclable(self) -> Option<Memory> {
        (self.kind == Kind::Device).then_some(self.memory)
    }
}

/// All of it.
#[derive(Debug, Default)]
pub struct Allocations {
    by_host: RwLock<BTreeMap<u64, Arc<Allocation>>>,
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
        let allocation = Arc::new(Allocation {
            base: memory.va(),
            host: host.unwrap_or(memory.va()),
            size,
            kind,
            device,
            flags,
            id: self.next_id.fetch_add(1, Ordering::Relaxed) + 1,
            memory,
        });
        self.by_host.write().insert(allocation.host, allocation.clone());
        allocation
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
        match self.find(address) {
            Some(allocation) if size as u64 > allocation.size as u64 - (address - allocation.host) => {
                Err(hipError_t::INVALID_VALUE)
            }
            Some(_) => Ok(()),
            None if crate::ffi::is_mapped(address, size) => Ok(()),
            None => {
                crate::error::report(format_args!(
                    "{size:#x} bytes at {address:#x} are neither an allocation of a device nor mapped host memory"
                ));
                Err(hipError_t::INVALID_VALUE)
            }
        }
    }
}
