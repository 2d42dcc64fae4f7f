//! The memory of a queue: the ring, and the `amd_queue_t` that kernels and the packet processor read.

use std::{
    mem::offset_of,
    sync::atomic::{AtomicU32, AtomicU64, Ordering},
};

use hsa_sys::{AmdQueue, HsaQueue, PACKET_BYTES, QueueFeature, QueueProperties, SignalHandle};
use thunk_rs::NodeId;

use super::{QueueKind, ring::RingMemory};
use crate::{Agent, memory::Block};

/// A queue's ring and its `amd_queue_t`, with the indices that whoever writes packets reads and changes
/// (`hsa_queue_load_read_index_…` and its kin).
pub struct QueueMemory {
    pub(super) control: Block,
    pub(super) ring: Block,
    pub(super) packets: u32,
}

impl QueueMemory {
    pub(super) fn u32_field(&self, offset: usize) -> &AtomicU32 {
        self.control.u32_at(offset)
    }
    pub(super) fn u64_field(&self, offset: usize) -> &AtomicU64 {
        self.control.u64_at(offset)
    }
    pub(super) fn write_index(&self) -> &AtomicU64 {
        self.u64_field(offset_of!(AmdQueue, write_dispatch_id))
    }
    pub(super) fn read_index(&self) -> &AtomicU64 {
        self.u64_field(offset_of!(AmdQueue, read_dispatch_id))
    }
    pub(super) fn word(&self, slot: u32, word: usize) -> &AtomicU32 {
        self.ring.u32_at(slot as usize * PACKET_BYTES + word * 4)
    }
}

impl RingMemory for QueueMemory {
    fn add_write_index(&self, count: u64, order: Ordering) -> u64 {
        self.write_index().fetch_add(count, order)
    }
    fn load_read_index(&self, order: Ordering) -> u64 {
        self.read_index().load(order)
    }
    fn load_word(&self, slot: u32, word: usize, order: Ordering) -> u32 {
        self.word(slot, word).load(order)
    }
    fn store_word(&self, slot: u32, word: usize, value: u32, order: Ordering) {
        self.word(slot, word).store(value, order);
    }
    fn size(&self) -> u32 {
        self.packets
    }
}

/// What `amd_queue_t` holds when the queue is created.
pub(super) fn descriptor(
    agent: &Agent,
    kind: QueueKind,
    memory: &QueueMemory,
    id: u64,
    inactive: SignalHandle,
    doorbell: SignalHandle,
) -> AmdQueue {
    let properties = agent.properties();
    let apertures = agent.runtime().core.thunk.apertures(NodeId(agent.node_id()));
    let (lds, scratch) = apertures.map_or((0, 0), |a| (a.lds.start, a.scratch.start));
    AmdQueue {
        hsa_queue: HsaQueue {
            kind: kind.queue_type(),
            features: QueueFeature::KERNEL_DISPATCH,
            base_address: memory.ring.va(),
            doorbell_signal: doorbell,
            size: memory.packets,
            reserved1: 0,
            id,
        },
        group_segment_aperture_base_hi: (lds >> 32) as u32,
        private_segment_aperture_base_hi: (scratch >> 32) as u32,
        max_cu_id: properties.compute_units.saturating_sub(1),
        max_wave_id: properties.max_waves_per_cu.saturating_sub(1),
        read_dispatch_id_field_base_byte_offset: offset_of!(AmdQueue, read_dispatch_id) as u32,
        queue_properties: QueueProperties::IS_PTR64.bits(),
        queue_inactive_signal: inactive,
        scratch_max_use_index: u64::MAX,
        ..Default::default()
    }
}
