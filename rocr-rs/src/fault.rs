//! Faults of agents: memory accesses that were refused, resets (`hsa_amd_register_system_event_handler`).
//!
//! The vendor's runtime ends the process when nobody has registered a handler. This one never does: the agent's queues
//! go out of service with an error, handlers are told, and whoever waits finds out from the queue.

use std::{
    fmt,
    sync::{
        Arc, Weak,
        atomic::{AtomicU64, Ordering},
    },
};

use hsa_sys::QueueInactive;
use parking_lot::Mutex;
use thunk_rs::{
    HwException, MemoryFault, WaitOutcome,
    kfd_sys::{WaveReport, event::EventType},
};

use crate::{Agent, Error, QueueErrorKind, Runtime, signal::async_handler::Watch};

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
        /// A memory error, not a wrong access.
        const MEMORY_ERROR = 16;
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
    /// What the runtime knows of the address: the allocation it lies in, or the nearest ones.
    pub detail: String,
    /// The wave that did it, where the driver can tell.
    pub wave: Option<WaveReport>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            FaultKind::Memory { va, reason } => {
                let about = if reason.contains(FaultReason::IMPRECISE) { "about " } else { "" };
                write!(f, "memory fault by {:?} at {about}{va:#x}", self.agent)?;
                for (bit, words) in [
                    (FaultReason::NOT_PRESENT, "no page there for this agent"),
                    (FaultReason::READ_ONLY, "write to a read-only page"),
                    (FaultReason::NO_EXECUTE, "instruction fetch from a page without code"),
                    (FaultReason::MEMORY_ERROR, "memory error"),
                ] {
                    if reason.contains(bit) {
                        write!(f, ": {words}")?;
                    }
                }
            }
            FaultKind::Hardware { reset_type, reset_cause, memory_lost } => {
                write!(f, "{:?} was reset (type {reset_type}, cause {reset_cause})", self.agent)?;
                if memory_lost {
                    f.write_str(", its memory is lost")?;
                }
            }
        }
        if !self.detail.is_empty() {
            write!(f, "; {}", self.detail)?;
        }
        match &self.wave {
            Some(wave) => write!(f, "; {wave}"),
            None => Ok(()),
        }
    }
}

/// Names a registered handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HandlerId(u64);

type Handler = Arc<dyn Fn(&Fault) + Send + Sync>;

/// The registered handlers.
#[derive(Default)]
pub(crate) struct Faults {
    handlers: Mutex<Vec<(HandlerId, Handler)>>,
    next: AtomicU64,
}

impl Runtime {
    /// Registers a handler of agents' faults. It runs on the runtime's event thread, after the agent's queues were
    /// put out of service.
    pub fn on_fault(&self, handler: impl Fn(&Fault) + Send + Sync + 'static) -> HandlerId {
        let id = HandlerId(self.faults.next.fetch_add(1, Ordering::Relaxed));
        self.faults.handlers.lock().push((id, Arc::new(handler)));
        id
    }

    /// Removes a handler.
    pub fn remove_fault_handler(&self, id: HandlerId) {
        self.faults.handlers.lock().retain(|(other, _)| *other != id);
    }

    fn faulted(self: &Arc<Self>, node: Option<u32>, kind: FaultKind, queue_error: QueueErrorKind) {
        let index = node.and_then(|node| self.core.index_of_node(node));
        let index = index.or_else(|| self.core.gpus().next().map(|(index, _)| index));
        let Some(index) = index else { return };
        let agent = self.agent(index);
        let detail = match kind {
            FaultKind::Memory { va, .. } => self.describe(va),
            FaultKind::Hardware { .. } => String::new(),
        };
        let wave = agent.take_wave_report();
        let fault = Fault { agent, kind, detail, wave };
        // Not under the lock: handlers may create and drop queues.
        let queues: Vec<_> = self.queues.lock().iter().filter_map(Weak::upgrade).collect();
        for queue in queues.iter().filter(|queue| *queue.agent() == fault.agent) {
            queue.fail(queue_error, QueueInactive::empty(), 0);
        }
        self.engines[index].fail();
        let handlers: Vec<Handler> =
            self.faults.handlers.lock().iter().map(|(_, handler)| handler.clone()).collect();
        if handlers.is_empty() {
            tracing::error!(%fault, "an agent failed");
        }
        for handler in handlers {
            handler(&fault);
        }
    }

    /// An address in words.
    fn describe(&self, va: u64) -> String {
        let inside = self.core.allocations.with(va, |base, entry| {
            format!(
                "{:#x} bytes into the {:#x} bytes at {base:#x} ({:?})",
                va - base,
                entry.bytes,
                entry.origin
            )
        });
        if let Some(inside) = inside {
            return inside;
        }
        match self.core.allocations.neighbours(va) {
            (Some((base, bytes)), _) if va - base < (bytes as u64).saturating_add(1 << 30) => {
                format!(
                    "{:#x} bytes past the end of the {bytes:#x} bytes at {base:#x}",
                    // The table may have changed since it was asked first.
                    (va - base).saturating_sub(bytes as u64)
                )
            }
            (_, Some((base, bytes))) if base - va < 1 << 30 => {
                format!("{:#x} bytes before the {bytes:#x} bytes at {base:#x}", base - va)
            }
            _ => "no allocation is near".to_owned(),
        }
    }
}

/// The driver's events of faults, and what is done about them.
pub(crate) fn watch(runtime: &Arc<Runtime>) -> Result<Watch, Error> {
    let thunk = &runtime.core.thunk;
    let driver = |source| Error::Driver { what: "event for faults", source };
    let mut events = vec![thunk.create_event(EventType::MEMORY, true).map_err(driver)?];
    // Drivers that do not tell of resets still run everything else.
    events.extend(thunk.create_event(EventType::HW_EXCEPTION, true).ok());
    let runtime = Arc::downgrade(runtime);
    Ok(Watch { events, on_wake: Box::new(move |outcome| on_wake(&runtime, outcome)) })
}

fn on_wake(runtime: &Weak<Runtime>, outcome: &WaitOutcome) {
    if !outcome.complete || (outcome.memory_faults.is_empty() && outcome.hw_exceptions.is_empty()) {
        return;
    }
    let Some(runtime) = runtime.upgrade() else { return };
    for fault in &outcome.memory_faults {
        let kind = FaultKind::Memory { va: fault.va, reason: reason(fault) };
        runtime.faulted(fault.node.map(|node| node.0), kind, QueueErrorKind::MemoryFault);
    }
    for exception in &outcome.hw_exceptions {
        let HwException { node, reset_type, reset_cause, memory_lost, .. } = *exception;
        let kind = FaultKind::Hardware { reset_type: reset_type.0, reset_cause: reset_cause.0, memory_lost };
        runtime.faulted(node.map(|node| node.0), kind, QueueErrorKind::DeviceLost);
    }
}

fn reason(fault: &MemoryFault) -> FaultReason {
    let mut reason = FaultReason::empty();
    reason.set(FaultReason::NOT_PRESENT, fault.not_present);
    reason.set(FaultReason::READ_ONLY, fault.read_only);
    reason.set(FaultReason::NO_EXECUTE, fault.no_execute);
    reason.set(FaultReason::IMPRECISE, fault.imprecise);
    reason.set(FaultReason::MEMORY_ERROR, fault.error != thunk_rs::kfd_sys::event::MemoryError::NO_RAS);
    reason
}
