//! Events of the system: memory faults (`hsa_amd_register_system_event_handler`).

use std::sync::Arc;

use hsa_sys::{MemoryFaultReason, Status};
use rocr_rs::{Fault, FaultKind, FaultReason};

use crate::abi::MemoryFaultEvent;
use crate::ffi::{Address, In, Result};
use crate::state::{Session, session, tell};

/// `HSA_AMD_GPU_MEMORY_FAULT_EVENT`
const MEMORY_FAULT: u32 = 0;

const REASONS: &[(FaultReason, MemoryFaultReason)] = &[
    (FaultReason::NOT_PRESENT, MemoryFaultReason::PAGE_NOT_PRESENT),
    (FaultReason::READ_ONLY, MemoryFaultReason::READ_ONLY),
    (FaultReason::NO_EXECUTE, MemoryFaultReason::NX),
    (FaultReason::IMPRECISE, MemoryFaultReason::IMPRECISE),
    (FaultReason::MEMORY_ERROR, MemoryFaultReason::DRAMECC),
];

/// What people look for in logs, by reason.
const TEXTS: &[(FaultReason, &str)] = &[
    (FaultReason::NOT_PRESENT, "Page not present or supervisor privilege."),
    (FaultReason::READ_ONLY, "Write access to a read-only page."),
    (FaultReason::NO_EXECUTE, "Execute access to a page marked NX."),
    (FaultReason::MEMORY_ERROR, "Memory error."),
];

/// A program's handler of events.
pub type OnEvent = extern "C" fn(In<MemoryFaultEvent>, Address) -> Status;

/// Tells the program's handlers of memory faults, or stderr when it has none, and then the queues that stopped. The
/// vendor's library ends the process when there is no handler; here a queue's error callback has the choice.
pub fn tell_of_faults(session: &Arc<Session>) {
    let weak = Arc::downgrade(session);
    session.runtime.on_fault(move |fault| {
        if let Some(session) = weak.upgrade() {
            match fault.kind {
                FaultKind::Memory { va, reason } => tell_of(&session, fault, va, reason),
                FaultKind::Hardware { .. } => tell(fault),
            }
        }
        super::queue::tell_stopped();
    });
}

fn tell_of(session: &Session, fault: &Fault, va: u64, reason: FaultReason) {
    let handlers = session.fault_handlers.lock().clone();
    if handlers.is_empty() {
        if session.runtime.environment().tell_faults {
            let reasons: Vec<&str> =
                TEXTS.iter().filter(|(bit, _)| reason.contains(*bit)).map(|(_, text)| *text).collect();
            tell(format_args!(
                "memory access fault by GPU node-{} on address {va:#x}. Reason: {}",
                fault.agent.node_id(),
                reasons.join(" "),
            ));
            tell(fault);
        }
        return;
    }
    let bits = REASONS.iter().filter(|(ours, _)| reason.contains(*ours)).fold(0, |bits, (_, c)| bits | c.0);
    let agent = session.handle(&fault.agent);
    let event = MemoryFaultEvent { kind: MEMORY_FAULT, agent, va, reason: bits };
    for (handler, data) in handlers {
        handler(In::new(&event), data);
    }
}

/// Calls `handler` with each memory fault of an agent, before its queues are told.
pub fn register(handler: Option<OnEvent>, data: Address) -> Result {
    let session = session()?;
    let Some(handler) = handler else { return Ok(()) };
    session.fault_handlers.lock().push((handler, data));
    Ok(())
}
