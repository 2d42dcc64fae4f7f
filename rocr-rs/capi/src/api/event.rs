//! Events of the system: memory faults (`hsa_amd_register_system_event_handler`).

use hsa_sys::{MemoryFaultReason, Status};
use rocr_rs::{FaultKind, FaultReason};

use crate::abi::MemoryFaultEvent;
use crate::ffi::{Address, In, Result};
use crate::state::session;

/// `HSA_AMD_GPU_MEMORY_FAULT_EVENT`
const MEMORY_FAULT: u32 = 0;

const REASONS: &[(FaultReason, MemoryFaultReason)] = &[
    (FaultReason::NOT_PRESENT, MemoryFaultReason::PAGE_NOT_PRESENT),
    (FaultReason::READ_ONLY, MemoryFaultReason::READ_ONLY),
    (FaultReason::NO_EXECUTE, MemoryFaultReason::NX),
    (FaultReason::IMPRECISE, MemoryFaultReason::IMPRECISE),
    (FaultReason::MEMORY_ERROR, MemoryFaultReason::DRAMECC),
];

/// Calls `handler` with each memory fault of an agent; its queues have then been told as well.
pub fn register(handler: Option<extern "C" fn(In<MemoryFaultEvent>, Address) -> Status>, data: Address) -> Result {
    let session = session()?;
    let Some(handler) = handler else { return Ok(()) };
    let weak = std::sync::Arc::downgrade(&session);
    session.runtime.on_fault(move |fault| {
        let FaultKind::Memory { va, reason } = fault.kind else { return };
        let bits = REASONS.iter().filter(|(ours, _)| reason.contains(*ours)).fold(0, |bits, (_, c)| bits | c.0);
        let agent = weak.upgrade().map(|session| session.handle(&fault.agent)).unwrap_or_default();
        let event = MemoryFaultEvent { kind: MEMORY_FAULT, agent, va, reason: bits };
        handler(In::new(&event), data);
    });
    Ok(())
}
