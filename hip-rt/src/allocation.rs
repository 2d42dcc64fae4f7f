//! Memory that the program has from this library, by address: what a pointer is, and how far it reaches.

use crate::advice::Advised;
use crate::error::Result;
use crate::pool::Pool;
use hip_sys::hipError_t;
use parking_lot::{Mutex, RwLock};
use rocr_rs::{Access, LockedMemory, Memory, SharedMemory};
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
    /// First address, the same for host and devices.
    pub base: u64,
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
    held: Held,
    /// None while there is no advice.
    advised: Mutex<Option<Box<Advised>>>,
}

/// What keeps it there.
#[derive(Debug)]
enum Held {
    Memory(Memory),
    /// Counted in a pool.
    Pooled(Memory, Arc<Pool>),
    Locked(#[expect(dead_code, reason = "its drop unlocks")] LockedMemory),
    /// The program has mapped it, and unmaps it.
    Nothing,
}

impl Drop for Allocation {
    fn drop(&mut self) {
        if let Held::Pooled(_, pool) = &self.held {
            pool.got(self.size);
        }
    }
}

impl Allocation {
    /// A handle for another process; none of memory that is not ours to give.
    pub fn share(&self) -> Option<std::result::Result<SharedMemory, rocr_rs::Error>> {
        match &self.held {
            Held::Memory(memory) | Held::Pooled(memory, _) => Some(memory.share()),
            Held::Locked(_) | Held::Nothing => None,
        }
    }

    /// Reads or changes the advice on its pages.
    pub fn advised(&self, with: impl FnOnce(&mut Advised)) {
        with(self.advised.lock().get_or_insert_default());
    }

    /// Whether it is memory of a device.
    pub fn is_on_device(&self) -> bool {
        matches!(self.kind, Kind::Device | Kind::FineGrained | Kind::Attached | Kind::Mapped)
    }

    /// Whether it came from a memory pool (`hipMallocAsync` and its kin).
    pub fn is_pooled(&self) -> bool {
        matches!(self.held, Held::Pooled(..))
    }

    /// The memory itself, if it came from `hipMalloc`.
    pub fn into_recyclable(mut self) -> Option<Memory> {
        if self.kind != Kind::Device {
            return None;
        }
        match std::mem::replace(&mut self.held, Held::Nothing) {
            Held::Memory(memory) => Some(memory),
            Held::Pooled(memory, pool) => {
                pool.got(self.size);
                Some(memory)
            }
            Held::Locked(_) | Held::Nothing => None,
        }
    }
}

/// All of it.
#[derive(Debug, Default)]
pub struct Allocations {
    by_address: RwLock<BTreeMap<u64, Arc<Allocation>>>,
    /// Addresses that the program reserved (`hipMemAddressReserve`), and how many.
    reserved: RwLock<BTreeMap<u64, u64>>,
    /// Variables of code that was loaded, and their bytes.
    variables: RwLock<BTreeMap<u64, u64>>,
    next_id: AtomicU64,
}

impl Allocations {
    /// Enters memory.
    pub fn add(&self, memory: Memory, size: usize, kind: Kind, device: usize, flags: u32) -> Arc<Allocation> {
        self.enter(memory.va(), size, kind, device, flags, Held::Memory(memory))
    }

    /// Enters memory that is counted in a pool.
    pub fn add_pooled(&self, memory: Memory, size: usize, pool: &Arc<Pool>) -> Arc<Allocation> {
        pool.gave(size);
        let (base, device) = (memory.va(), pool.device);
        self.enter(base, size, Kind::Device, device, 0, Held::Pooled(memory, pool.clone()))
    }

    /// Enters memory of the host that the program has registered.
    pub fn add_registered(&self, locked: LockedMemory, device: usize, flags: u32) -> Arc<Allocation> {
        let (base, size) = (locked.va(), locked.size());
        self.enter(base, size, Kind::Registered, device, flags, Held::Locked(locked))
    }

    /// Enters memory that the program has mapped.
    pub fn add_mapped(&self, base: u64, size: usize, device: usize) -> Arc<Allocation> {
        self.enter(base, size, Kind::Mapped, device, 0, Held::Nothing)
    }

    fn enter(
        &self,
        base: u64,
        size: usize,
        kind: Kind,
        device: usize,
        flags: u32,
        held: Held,
    ) -> Arc<Allocation> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed) + 1;
        let allocation =
            Arc::new(Allocation { base, size, kind, device, flags, id, held, advised: Mutex::new(None) });
        self.by_address.write().insert(base, allocation.clone());
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
        lies_in(&self.reserved, address)
    }

    /// Notes a variable of loaded code, which copies and fills may name.
    pub fn note_variable(&self, base: u64, size: u64) {
        self.variables.write().insert(base, size);
    }

    /// Whether devices know the address: memory of ours, or a variable of theirs.
    pub fn knows(&self, address: u64) -> bool {
        self.find(address).is_some() || lies_in(&self.variables, address)
    }

    /// What of a kind begins at `begin..end`.
    pub fn within(&self, begin: u64, end: u64, kind: Kind) -> Vec<Arc<Allocation>> {
        let map = self.by_address.read();
        let range = map.range(begin..end).map(|(_, allocation)| allocation);
        range.filter(|allocation| allocation.kind == kind).cloned().collect()
    }

    /// Takes memory out, by its first address.
    pub fn remove(&self, address: u64) -> Option<Arc<Allocation>> {
        self.by_address.write().remove(&address)
    }

    /// The memory that `address` lies in.
    pub fn find(&self, address: u64) -> Option<Arc<Allocation>> {
        let map = self.by_address.read();
        let (base, allocation) = map.range(..=address).next_back()?;
        (address - base < allocation.size.max(1) as u64).then(|| allocation.clone())
    }

    /// The memory that begins at `address`.
    pub fn at(&self, address: u64) -> Option<Arc<Allocation>> {
        self.by_address.read().get(&address).cloned()
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
            Some(allocation) if size as u64 > allocation.size as u64 - (address - allocation.base) => {
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

    /// Refuses an access to anything but memory of ours.
    pub fn check_own(&self, address: u64, size: usize) -> Result {
        self.check(address, size)?;
        if self.knows(address) {
            return Ok(());
        }
        crate::error::report(format_args!(
            "{size:#x} bytes at {address:#x} are memory of the host alone: hipHostMalloc, hipHostRegister"
        ));
        Err(hipError_t::INVALID_VALUE)
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
                    at = piece.base + piece.size as u64;
                }
                _ => return false,
            }
        }
        true
    }
}

fn lies_in(ranges: &RwLock<BTreeMap<u64, u64>>, address: u64) -> bool {
    ranges.read().range(..=address).next_back().is_some_and(|(base, size)| address - base < *size)
}
