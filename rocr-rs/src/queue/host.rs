//! Queues that the host serves (`hsa_soft_queue_create`): a ring and its indices, and a doorbell that is a signal of the
//! program. What the packets mean is between those who write and those who read them.

use std::sync::{Arc, atomic::Ordering};

use hsa_sys::{
    AmdQueue, HsaQueue, PacketType, QueueFeature, QueueHandle, QueueProperties, QueueType, SignalHandle,
};
use zerocopy::IntoBytes;

use super::{PACKET_BYTES, QueueMemory};
use crate::{Error, MemoryPool};

/// Most packets of a ring.
const MOST: u32 = 1 << 20;

/// A queue without a packet processor.
pub struct HostQueue {
    memory: QueueMemory,
}

impl HostQueue {
    /// A queue of `packets` packets (a power of two up to 2^20) whose ring lies in `pool`.
    pub fn create(
        pool: &MemoryPool,
        packets: u32,
        kind: QueueType,
        features: QueueFeature,
        doorbell: SignalHandle,
    ) -> Result<Arc<Self>, Error> {
        let agent = pool.agent();
        let refuse = |why: String| Error::QueueCreation { agent: agent.name().to_owned(), packets, why };
        if !packets.is_power_of_two() || packets > MOST {
            return Err(refuse("the size must be a power of two up to 1048576".into()));
        }
        let core = &agent.runtime().core;
        let ring = core.allocate_pool(agent, pool.kind(), packets as usize * PACKET_BYTES)?;
        if !ring.host_access() {
            return Err(refuse("the host cannot reach that pool".into()));
        }
        let memory =
            QueueMemory { control: core.allocate_shared(size_of::<AmdQueue>(), "queue")?, ring, packets };
        memory.clear();
        let descriptor = AmdQueue {
            hsa_queue: HsaQueue {
                kind,
                features,
                base_address: memory.ring.va(),
                doorbell_signal: doorbell,
                size: packets,
                reserved1: 0,
                id: core.next_queue.fetch_add(1, Ordering::Relaxed),
            },
            queue_properties: QueueProperties::IS_PTR64.bits(),
            ..Default::default()
        };
        memory.control.write_bytes(0, descriptor.as_bytes());
        Ok(Arc::new(Self { memory }))
    }

    /// Its ring and indices.
    pub fn memory(&self) -> &QueueMemory {
        &self.memory
    }

    /// Address of its `amd_queue_t`.
    pub fn handle(&self) -> QueueHandle {
        self.memory.handle()
    }
}

impl QueueMemory {
    /// Marks all packets as not there yet.
    pub(super) fn clear(&self) {
        for slot in 0..self.packets {
            self.word(slot, 0).store(u32::from(PacketType::INVALID.0), Ordering::Relaxed);
        }
    }
}
