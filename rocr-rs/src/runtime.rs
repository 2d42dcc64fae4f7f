//! The runtime object: the agents, the memory that is known, the event threads (`hsa_init`, `hsa_shut_down`).

use std::{fmt, sync::Arc};

use crate::{Agent, Error, Memory, MemoryInfo, Signal, SignalCondition};

/// How to choose the device.
#[derive(Debug, Clone, Default)]
pub struct OpenOptions {
    /// `auto`, `kfd`, `emu[:CHIP,…]`; `None` reads `ROCRS_DEVICE`.
    pub device: Option<String>,
    /// Target IDs that the program has code for, best first: a device that can choose what to be takes the first it can.
    pub targets_hint: Vec<String>,
}

bitflags::bitflags! {
    /// Why an access faulted.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub struct FaultReason: u32 {
        /// No page there for this agent.
        const NOT_PRESENT = 1;
        /// A write to a read-only page.
        const READ_ONLY = 2;
        /// An instruction fetch from a page that is not executable.
        const NO_EXECUTE = 4;
        /// The address is not exact.
        const IMPRECISE = 8;
    }
}

/// What kind of fault an agent had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// A memory access was refused.
    Memory {
        /// The address, of the page at least.
        va: u64,
        /// Why.
        reason: FaultReason,
    },
    /// The agent was reset, or is about to be.
    Hardware {
        /// Whole device or one queue.
        reset_type: u32,
        /// What made it necessary.
        reset_cause: u32,
        /// Whether its memory is gone.
        memory_lost: bool,
    },
}

/// An agent's fault. The agent's queues do not go on after it.
#[derive(Debug, Clone)]
pub struct Fault {
    /// The agent.
    pub agent: Agent,
    /// What happened.
    pub kind: FaultKind,
    /// What the runtime knows of the address: the nearest allocation.
    pub detail: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}", self.kind, self.detail)
    }
}

/// Names a registered handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HandlerId(u64);

/// One open device with all that belongs to it.
pub struct Runtime {}

impl Runtime {
    /// Opens the device that `options` or `ROCRS_DEVICE` choose.
    pub fn open(options: &OpenOptions) -> Result<Arc<Self>, Error> {
        let _ = options;
        Err(Error::Driver { what: "open", why: String::new() })
    }
    /// A word for messages: `/dev/kfd`, `emulated gfx90a`.
    pub fn device_name(&self) -> &str {
        ""
    }
    /// The GPU agents, in topology order.
    pub fn gpu_agents(self: &Arc<Self>) -> Vec<Agent> {
        Vec::new()
    }
    /// The host's agent.
    pub fn cpu_agent(self: &Arc<Self>) -> Agent {
        unreachable!()
    }
    /// What is known of the allocation that `va` lies in.
    pub fn memory_info(self: &Arc<Self>, va: u64) -> Option<MemoryInfo> {
        let _ = va;
        None
    }
    /// Frees memory that [`Memory::into_va`] let go.
    pub fn free(&self, va: u64) -> Result<(), Error> {
        Err(Error::UnknownAddress { va })
    }
    /// Makes host memory `va..va + bytes` accessible to all GPU agents (`hsa_amd_memory_lock`).
    pub fn lock_host_memory(self: &Arc<Self>, va: u64, bytes: usize) -> Result<Memory, Error> {
        let _ = (va, bytes);
        Err(Error::UnknownAddress { va })
    }
    /// Registers a handler of agents' faults. It runs on the runtime's event thread, after the agent's queues were
    /// put out of service.
    pub fn on_fault(&self, handler: impl Fn(&Fault) + Send + Sync + 'static) -> HandlerId {
        let _ = handler;
        HandlerId(0)
    }
    /// Removes a handler.
    pub fn remove_fault_handler(&self, id: HandlerId) {
        let _ = id;
    }
    /// Calls `handler` with the signal's value once `condition` holds, from a thread of the runtime; again and again
    /// as long as it returns `true` (`hsa_amd_signal_async_handler`). Handlers may not wait for each other.
    pub fn on_signal(
        self: &Arc<Self>,
        signal: &Signal,
        condition: SignalCondition,
        value: i64,
        handler: impl FnMut(i64) -> bool + Send + 'static,
    ) -> Result<(), Error> {
        let _ = (signal, condition, value, handler);
        Ok(())
    }
    /// The system clock that dispatch times are in, in ticks.
    pub fn timestamp(&self) -> u64 {
        0
    }
    /// Ticks a second of [`timestamp`](Self::timestamp).
    pub fn timestamp_frequency(&self) -> u64 {
        1_000_000_000
    }
}
