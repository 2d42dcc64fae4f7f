//! Events of the system: memory faults (`hsa_amd_register_system_event_handler`).

use std::sync::Arc;
use std::sync::atomic::Ordering;

use hsa_sys::{MemoryFaultReason, Status};
use rocr_rs::{FaultKind, FaultReason};

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

/// Tells of memory faults on stderr as long as the program does not want to know of them itself, and then its queues. The
/// vendor's library ends the process; here a queue's error callback has the choice.
pub fn tell_of_faults(session: &Arc<Session>) {
    let weak = Arc::downgrade(session);
    session.runtime.on_fault(move |fault| {
        let told = weak.upgrade().is_none_or(|session| {
            !session.runtime.environment().tell_faults || session.handles_faults.load(Ordering::Relaxed)
        });
        match fault.kind {
            _ if told => {}
            FaultKind::Memory { va, reason } => {
                let reasons: Vec<&str> =
                    TEXTS.iter().filter(|(bit, _)| reason.contains(*bit)).map(|(_, text)| *text).collect();
                tell(format_args!(
                    "memory access fault by GPU node-{} on address {va:#x}. Reason: {}",
                    fault.agent.node_id(),
                    reasons.join(" "),
                ));
                tell(fault);
            }
            FaultKind::Hardware { .. } => tell(fault),
        }
        super::queue::tell_stopped();
    });
}

/// Calls `handler` with each memory fault of an agent; its queues have then been told as well.
pub fn register(
    handler: Option<extern "C" fn(In<MemoryFaultEvent>, Address) -> Status>,
    data: Address,
) -> Result {
    let session = session()?;
    let Some(handler) = handler else { return Ok(()) };
    session.handles_faults.store(true, Ordering::Relaxed);
    let weak = Arc::downgrade(&session);
    session.runtime.on_fault(move |fault| {
        let FaultKind::Memory { va, reason } = fault.kind else { return };
        let bits =
            REASONS.iter().filter(|(ours, _)| reason.contains(*ours)).fold(0, |bits, (_, c)| bits | c.0);
        let agent = weak.upgrade().map(|session| session.handle(&fault.agent)).unwrap_or_default();
        let event = MemoryFaultEvent { kind: MEMORY_FAULT, agent, va, reason: bits };
        handler(In::new(&event), data);
    });
    Ok(())
}
