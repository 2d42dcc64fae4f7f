//! User-mode AQL queues (`hsa.h` section 2.5 and 2.6): creation, submission, end.

mod error;
mod host;
mod inactive;
mod index;
mod intercept;
mod memory;
mod packet;
mod ring;
mod scratch;

use std::{
    fmt,
    mem::offset_of,
    sync::{Arc, OnceLock, atomic::Ordering},
};

pub use error::{QueueError, QueueErrorKind};
pub use host::HostQueue;
use hsa_sys::{
    AmdQueue, AmdSignal, QueueHandle, QueueProperties, QueueType, SHARED_SIGNAL_ID, SharedSignal,
    SignalHandle,
};
pub use intercept::{InterceptQueue, Interceptor};
pub use memory::QueueMemory;
use memory::descriptor;
pub use packet::Packet;
use parking_lot::{Mutex, RwLock};
use ring::WORDS;
use thunk_rs::{NodeId, QueueRequest};
use zerocopy::IntoBytes;

use crate::{
    Agent, AgentKind, Error, Signal, SignalKind,
    memory::{Block, Own},
    signal::pool::Slot,
};

/// Smallest and largest ring, in packets.
const PACKETS: std::ops::RangeInclusive<u32> = 64..=0x2_0000;
/// Bytes of a packet.
const PACKET_BYTES: usize = hsa_sys::PACKET_BYTES;

/// Entries of the global wave sync that a cooperative queue asks for; the driver gives all.
const WAVE_SYNC_ENTRIES: u32 = 1;

/// How many producers a queue has: [`QueueKind::Multi`] is safe with any number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum QueueKind {
    /// Any number of producers.
    Multi,
    /// One producer at a time.
    Single,
    /// Any number; kernels may synchronise over the whole grid. The driver gives one queue of a process and GPU what they meet
    /// at: another cannot be made while it has it.
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

/// A queue. Dropping it destroys it; packets that are not consumed are lost.
pub struct Queue {
    // First, so that the hardware is done with the memory below before it goes.
    hardware: RwLock<thunk_rs::Queue>,
    _own: Own,
    memory: QueueMemory,
    agent: Agent,
    kind: QueueKind,
    id: u64,
    doorbell: Slot,
    /// Takes the packet processor's reason to stop.
    inactive: Signal,
    /// Takes the driver's reason to stop the queue.
    exception: Signal,
    handlers: Mutex<Vec<u64>>,
    scratch: Mutex<Option<Block>>,
    cu_mask: Mutex<Option<Vec<u32>>>,
    failure: OnceLock<QueueError>,
    on_error: Box<dyn Fn(&QueueError) + Send + Sync>,
}

impl Queue {
    /// A queue of `packets` packets (a power of two from 64 to 131072) on a GPU agent. `on_error` is called once, on
    /// a thread of the runtime, when the queue stops at a packet or its agent fails.
    pub fn create(
        agent: &Agent,
        packets: u32,
        kind: QueueKind,
        on_error: impl Fn(&QueueError) + Send + Sync + 'static,
    ) -> Result<Arc<Self>, Error> {
        let refuse = |why: String| Error::QueueCreation { agent: agent.name().to_owned(), packets, why };
        if !PACKETS.contains(&packets) || !packets.is_power_of_two() {
            return Err(refuse("the size must be a power of two from 64 to 131072".into()));
        }
        if agent.kind() != AgentKind::Gpu {
            return Err(refuse("the host has no packet processor".into()));
        }
        let runtime = agent.runtime();
        let core = &runtime.core;
        let memory = QueueMemory {
            control: core.allocate_shared(size_of::<AmdQueue>(), "queue")?,
            ring: core.allocate_shared(packets as usize * PACKET_BYTES, "ring")?,
            packets,
        };
        memory.clear();
        let inactive = Signal::with_core(core, 0, SignalKind::Interrupt)?;
        let exception = Signal::with_core(core, 0, SignalKind::Interrupt)?;
        let doorbell = core.signals.take(core)?;
        let id = core.next_queue.fetch_add(1, Ordering::Relaxed);
        let bell = SignalHandle(doorbell.va());
        let descriptor = descriptor(agent, kind, &memory, id, inactive.handle(), bell);
        memory.control.write_bytes(0, descriptor.as_bytes());

        let control = memory.control.va();
        let request = QueueRequest {
            error_payload_va: exception.handle().0 + offset_of!(AmdSignal, value) as u64,
            error_event_id: exception.event().map_or(0, thunk_rs::Event::id),
            ..QueueRequest::aql(
                NodeId(agent.node_id()),
                memory.ring.va(),
                memory.ring.bytes() as u64,
                control + offset_of!(AmdQueue, read_dispatch_id) as u64,
                control + offset_of!(AmdQueue, write_dispatch_id) as u64,
            )
        };
        let hardware = core.thunk.create_queue(&request).and_then(|mut hardware| {
            if kind == QueueKind::Cooperative {
                hardware.allocate_gws(WAVE_SYNC_ENTRIES)?;
            }
            Ok(hardware)
        });
        let hardware = hardware.map_err(|error| {
            core.signals.put(doorbell.clone());
            refuse(error.to_string())
        })?;
        let shared = SharedSignal {
            amd_signal: AmdSignal {
                kind: hsa_sys::SignalKind::DOORBELL,
                value: hardware.doorbell_va() as i64,
                queue_ptr: control,
                ..Default::default()
            },
            id: SHARED_SIGNAL_ID,
            ..Default::default()
        };
        doorbell.slab.write_bytes(doorbell.offset, shared.as_bytes());
        tracing::info!(
            target: "story",
            step = "queue.created",
            id,
            driver_id = hardware.id(),
            ring = memory.ring.va(),
            packets,
            doorbell = hardware.doorbell_va(),
        );
        let queue = Arc::new(Self {
            _own: Own::new(&core.own_bytes[agent.index], hardware.vram_bytes()),
            hardware: RwLock::new(hardware),
            memory,
            agent: agent.clone(),
            kind,
            id,
            doorbell,
            inactive,
            exception,
            handlers: Mutex::default(),
            scratch: Mutex::default(),
            cu_mask: Mutex::default(),
            failure: OnceLock::new(),
            on_error: Box::new(on_error),
        });
        if !core.environment.cu_mask_skip_init && core.cu_mask(agent.index).is_some() {
            queue.set_cu_mask(&[])?;
        }
        queue.watch();
        runtime.register_queue(&queue);
        Ok(queue)
    }

    /// The agent.
    pub fn agent(&self) -> &Agent {
        &self.agent
    }

    /// The queue's number, unique in the runtime.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Address of its `amd_queue_t`, as kernels and hidden arguments take it.
    pub fn handle(&self) -> QueueHandle {
        self.memory.handle()
    }

    /// Packets of the ring.
    pub fn size(&self) -> u32 {
        self.memory.packets
    }

    /// Appends a packet and rings the doorbell; returns its index. Waits while the ring is full. Any number of
    /// threads may submit. A kernel that needs more scratch memory than the queue has gets it before it runs.
    pub fn submit(&self, packet: impl Into<Packet>) -> Result<u64, Error> {
        let packet: Packet = packet.into();
        if let Some(error) = self.failure.get() {
            return Err(Error::QueueInactive(Box::new(error.clone())));
        }
        let index = ring::publish(&self.memory, &packet.0, || self.failure.get().is_some())
            .map_err(|ring::Stopped| Error::QueueInactive(Box::new(self.error_or_unknown())))?;
        packet.tell(self.id, index);
        self.agent.runtime().core.flush_host_writes(self.agent.index);
        self.hardware.read().ring(index);
        Ok(index)
    }

    /// First packet that is not consumed.
    pub fn read_index(&self) -> u64 {
        self.memory.read_index().load(Ordering::Acquire)
    }

    /// Next packet to be reserved.
    pub fn write_index(&self) -> u64 {
        self.memory.write_index().load(Ordering::Acquire)
    }

    /// The error that stopped the queue.
    pub fn error(&self) -> Option<QueueError> {
        self.failure.get().cloned()
    }

    /// Puts the queue out of service: submissions fail from now on. The error handler is not called.
    pub fn inactivate(&self) {
        let error = self.describe(QueueErrorKind::Inactivated, Default::default(), 0);
        if self.failure.set(error).is_ok() {
            self.take_off_hardware();
        }
    }

    /// Gives back what work-groups of a cooperative queue meet at, so that another queue can have it. Kernels that meet must
    /// not run here any more.
    pub fn release_wave_sync(&self) -> Result<(), Error> {
        if self.kind != QueueKind::Cooperative {
            return Ok(());
        }
        let released = self.hardware.write().allocate_gws(0);
        released.map(drop).map_err(|source| Error::Driver { what: "give the global wave sync back", source })
    }

    /// Whether completion signals get time stamps.
    pub fn set_profiling(&self, on: bool) {
        let properties = self.memory.u32_field(offset_of!(AmdQueue, queue_properties));
        let bit = QueueProperties::ENABLE_PROFILING.bits();
        if on {
            properties.fetch_or(bit, Ordering::SeqCst);
        } else {
            properties.fetch_and(!bit, Ordering::SeqCst);
        }
    }

    /// Bytes of scratch memory that a work-item of this queue can have now.
    pub fn scratch_lane_bytes(&self) -> u32 {
        self.memory.u32_field(offset_of!(AmdQueue, scratch_wave64_lane_byte_size)).load(Ordering::Relaxed)
    }

    fn error_or_unknown(&self) -> QueueError {
        self.error().unwrap_or_else(|| self.describe(QueueErrorKind::Unknown, Default::default(), 0))
    }

    /// The packet at an index as it stands.
    fn peek(&self, index: u64) -> [u32; WORDS] {
        ring::peek(&self.memory, index)
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        for handler in self.handlers.get_mut().drain(..) {
            self.agent.runtime().internal().remove(handler);
        }
        self.agent.runtime().core.signals.put(self.doorbell.clone());
    }
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue")
            .field("id", &self.id)
            .field("agent", &self.agent)
            .field("read", &self.read_index())
            .field("write", &self.write_index())
            .field("error", &self.failure.get())
            .finish_non_exhaustive()
    }
}
