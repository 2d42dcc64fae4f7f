//! Indices, doorbell and attributes of a queue, for those who write packets themselves (`hsa.h` section 2.6,
//! `hsa_queue_load_read_index_…` and its kin; `hsa_amd_queue_set_priority`, `hsa_amd_queue_cu_set_mask`).

use std::sync::atomic::Ordering;

use hsa_sys::{QueueHandle, SignalHandle};
use thunk_rs::QueuePriority;

use super::{Queue, QueueMemory, ring::RingMemory};
use crate::{Error, signal::orders};

impl Queue {
    /// Address of the ring: packet `index` is at `index % size`.
    pub fn ring_va(&self) -> u64 {
        self.memory.ring.va()
    }

    /// The signal whose store rings the queue: [`ring_doorbell`](Self::ring_doorbell) for hosts, a store for kernels.
    pub fn doorbell_signal(&self) -> SignalHandle {
        SignalHandle(self.doorbell.va())
    }

    /// Tells the packet processor of a packet that was written: what a store to the doorbell signal does.
    pub fn ring_doorbell(&self, index: u64) {
        self.agent.runtime().core.flush_host_writes(self.agent.index);
        self.hardware.read().ring(index);
    }

    /// Its ring and indices.
    pub fn memory(&self) -> &QueueMemory {
        &self.memory
    }

    /// Among the other queues of the agent.
    pub fn set_priority(&self, priority: QueuePriority) -> Result<(), Error> {
        let mut hardware = self.hardware.write();
        let (percentage, _) = hardware.share();
        hardware
            .update(percentage, priority)
            .map_err(|source| Error::Driver { what: "set the priority of a queue", source })
    }

    /// Restricts the queue to the compute units whose bit is set, an empty mask to none in particular; whether all of
    /// them may be used, which `HSA_CU_MASK` decides. Bits beyond the last compute unit do not count.
    pub fn set_cu_mask(&self, mask: &[u32]) -> Result<bool, Error> {
        let units = self.agent.properties().compute_units;
        let words = units.div_ceil(32) as usize;
        let mut wanted = if mask.is_empty() { vec![u32::MAX; words] } else { mask.to_vec() };
        let mut whole = true;
        if let Some(allowed) = self.agent.runtime().core.cu_mask(self.agent.index) {
            for (at, word) in wanted.iter_mut().enumerate() {
                let allowed = allowed.get(at).copied().unwrap_or(0);
                whole &= *word & !allowed == 0;
                *word &= allowed;
            }
        }
        wanted.truncate(words);
        if let (Some(last), true) = (wanted.get_mut(words.wrapping_sub(1)), !units.is_multiple_of(32)) {
            *last &= (1 << (units % 32)) - 1;
        }
        self.hardware
            .write()
            .set_cu_mask(&wanted)
            .map_err(|source| Error::Driver { what: "restrict a queue to compute units", source })?;
        *self.cu_mask.lock() = Some(wanted);
        Ok(whole)
    }

    /// The compute units that [`set_cu_mask`](Self::set_cu_mask) chose; `None`: all.
    pub fn cu_mask(&self) -> Option<Vec<u32>> {
        self.cu_mask.lock().clone()
    }

    /// Whether completion signals get time stamps.
    pub fn is_profiling(&self) -> bool {
        let properties = self.memory.u32_field(std::mem::offset_of!(hsa_sys::AmdQueue, queue_properties));
        properties.load(Ordering::Relaxed) & hsa_sys::QueueProperties::ENABLE_PROFILING.bits() != 0
    }
}

impl QueueMemory {
    /// Address of the `amd_queue_t`.
    pub fn handle(&self) -> QueueHandle {
        QueueHandle(self.control.va())
    }

    /// First packet that is not consumed.
    pub fn load_read_index(&self, order: Ordering) -> u64 {
        self.read_index().load(orders::load(order))
    }

    /// Sets the read index: for queues that the host serves.
    pub fn store_read_index(&self, value: u64, order: Ordering) {
        self.read_index().store(value, orders::store(order));
    }

    /// Next packet to be reserved.
    pub fn load_write_index(&self, order: Ordering) -> u64 {
        self.write_index().load(orders::load(order))
    }

    /// Sets the write index: for queues of a single producer.
    pub fn store_write_index(&self, value: u64, order: Ordering) {
        self.write_index().store(value, orders::store(order));
    }

    /// Reserves `count` packets; returns the index of the first. They may be written once the read
    /// index is less than the ring is long behind.
    pub fn add_write_index(&self, count: u64, order: Ordering) -> u64 {
        RingMemory::add_write_index(self, count, order)
    }

    /// Sets the write index if it is `expected`; returns the one from before.
    pub fn cas_write_index(&self, expected: u64, value: u64, order: Ordering) -> u64 {
        self.write_index()
            .compare_exchange(expected, value, order, orders::load(order))
            .unwrap_or_else(|seen| seen)
    }
}
