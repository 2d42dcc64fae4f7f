//! Memory pools: what stream-ordered allocations come from. A pool keeps count of what it has given; the memory itself is
//! the device's.

use crate::error::Result;
use hip_sys::{hipError_t, hipMemPoolAttr};
use parking_lot::{Mutex, RwLock};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a pool has given and may keep.
#[derive(Debug, Default, Clone, Copy)]
struct Counts {
    used: u64,
    used_high: u64,
    reserved_high: u64,
    threshold: u64,
    /// `hipMemPoolReuse…`, by the attribute's number less one.
    reuse: [u32; 3],
}

/// A pool.
#[derive(Debug)]
pub struct Pool {
    /// Its handle.
    pub handle: usize,
    /// The ordinal of the device that its memory is on.
    pub device: usize,
    /// The device's own, which stays.
    pub is_default: bool,
    counts: Mutex<Counts>,
}

impl Pool {
    fn new(handle: usize, device: usize, is_default: bool) -> Arc<Pool> {
        let counts = Counts { reuse: [1; 3], ..Counts::default() };
        Arc::new(Pool { handle, device, is_default, counts: Mutex::new(counts) })
    }

    /// Notes an allocation.
    pub fn gave(&self, bytes: usize) {
        let mut counts = self.counts.lock();
        counts.used += bytes as u64;
        counts.used_high = counts.used_high.max(counts.used);
        counts.reserved_high = counts.reserved_high.max(counts.used);
    }

    /// Notes that one came back.
    pub fn got(&self, bytes: usize) {
        let mut counts = self.counts.lock();
        counts.used = counts.used.saturating_sub(bytes as u64);
    }

    /// An attribute; those of reuse have 4 bytes, the others 8.
    pub fn attribute(&self, attribute: hipMemPoolAttr) -> Result<(u64, usize)> {
        use hipMemPoolAttr as A;
        let counts = self.counts.lock();
        Ok(match attribute {
            A(which @ 1..=3) => (u64::from(counts.reuse[which as usize - 1]), 4),
            A::RELEASE_THRESHOLD => (counts.threshold, 8),
            // What is free belongs to the device again.
            A::RESERVED_MEM_CURRENT | A::USED_MEM_CURRENT => (counts.used, 8),
            A::RESERVED_MEM_HIGH => (counts.reserved_high, 8),
            A::USED_MEM_HIGH => (counts.used_high, 8),
            _ => return Err(hipError_t::INVALID_VALUE),
        })
    }

    /// Sets an attribute; `read` reads that many bytes.
    pub fn set_attribute(&self, attribute: hipMemPoolAttr, read: impl Fn(usize) -> Result<u64>) -> Result {
        use hipMemPoolAttr as A;
        match attribute {
            A(which @ 1..=3) => {
                let value = read(4)?;
                self.counts.lock().reuse[which as usize - 1] = u32::from(value != 0);
            }
            A::RELEASE_THRESHOLD => {
                let value = read(8)?;
                self.counts.lock().threshold = value;
            }
            // The marks of the highest can be taken back to now.
            A::RESERVED_MEM_HIGH | A::USED_MEM_HIGH => {
                if read(8)? != 0 {
                    return Err(hipError_t::INVALID_VALUE);
                }
                let mut counts = self.counts.lock();
                let used = counts.used;
                *(if attribute == A::USED_MEM_HIGH {
                    &mut counts.used_high
                } else {
                    &mut counts.reserved_high
                }) = used;
            }
            _ => return Err(hipError_t::INVALID_VALUE),
        }
        Ok(())
    }
}

/// A device's own pool, and the one that its allocations come from.
type Own = (Arc<Pool>, Arc<Pool>);

/// The pools that the program knows, by handle; handles are never used again.
#[derive(Debug, Default)]
pub struct Pools {
    held: RwLock<BTreeMap<usize, Arc<Pool>>>,
    /// By device: its own pool, and the one that allocations come from.
    of_device: RwLock<BTreeMap<usize, Own>>,
    next: AtomicUsize,
}

impl Pools {
    fn fresh(&self) -> usize {
        (self.next.fetch_add(1, Ordering::Relaxed) + 1) << 4
    }

    /// A pool of the program's.
    pub fn create(&self, device: usize) -> Arc<Pool> {
        let pool = Pool::new(self.fresh(), device, false);
        self.held.write().insert(pool.handle, pool.clone());
        pool
    }

    /// The pool of a handle.
    pub fn get(&self, handle: usize) -> Result<Arc<Pool>> {
        self.held.read().get(&handle).cloned().ok_or(hipError_t::INVALID_VALUE)
    }

    /// Takes a pool from the program; what it gave stays until it is freed.
    pub fn destroy(&self, handle: usize) -> Result {
        if self.get(handle)?.is_default {
            return Err(hipError_t::INVALID_VALUE);
        }
        self.held.write().remove(&handle);
        for (own, current) in self.of_device.write().values_mut() {
            if current.handle == handle {
                *current = own.clone();
            }
        }
        Ok(())
    }

    /// A device's own pool, and the one that its allocations come from.
    pub fn of_device(&self, device: usize) -> Own {
        if let Some(pools) = self.of_device.read().get(&device) {
            return pools.clone();
        }
        let mut devices = self.of_device.write();
        let pools = devices.entry(device).or_insert_with(|| {
            let own = Pool::new(self.fresh(), device, true);
            self.held.write().insert(own.handle, own.clone());
            (own.clone(), own)
        });
        pools.clone()
    }

    /// Lets a device's allocations come from a pool.
    pub fn set_current(&self, device: usize, pool: Arc<Pool>) {
        let (own, _) = self.of_device(device);
        self.of_device.write().insert(device, (own, pool));
    }
}
