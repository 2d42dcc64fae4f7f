//! Times of kernels and copies, coherency (`hsa_ext_amd.h`).

use std::sync::atomic::Ordering;

use hsa_sys::{AgentHandle, DispatchTime, SignalHandle, Status};
use rocr_rs::AgentKind;

use super::signal;
use crate::ffi::{Out, Result};
use crate::state::session;

pub fn dispatch_time(agent: AgentHandle, handle: SignalHandle, time: Out<DispatchTime>) -> Result {
    let session = session()?;
    time.check()?;
    let agent = session.agent(agent)?;
    let signal = signal::find(handle)?;
    if agent.kind() != AgentKind::Gpu {
        return Err(Status::ERROR_INVALID_AGENT);
    }
    time.set(signal.dispatch_time(agent))
}

pub fn time_copies(on: bool) -> Result {
    session()?.time_copies.store(on, Ordering::Relaxed);
    Ok(())
}

pub fn copy_time(handle: SignalHandle, time: Out<DispatchTime>) -> Result {
    session()?;
    time.check()?;
    let copied = signal::find(handle)?.copy_time();
    // Nothing was timed for this signal.
    if copied == DispatchTime::default() {
        return Err(Status::ERROR);
    }
    time.set(copied)
}

pub fn to_system_time(agent: AgentHandle, ticks: u64, system: Out<u64>) -> Result {
    let session = session()?;
    system.check()?;
    let agent = session.agent(agent)?;
    if agent.kind() != AgentKind::Gpu {
        return Err(Status::ERROR_INVALID_AGENT);
    }
    system.set(agent.to_system_time(ticks))
}

/// `hsa_amd_coherency_type_t`: asked of APUs; memory is as coherent as its pool says in any case.
pub fn set_coherency(handle: AgentHandle, kind: u32) -> Result {
    let session = session()?;
    let agent = session.agent(handle)?;
    if agent.kind() != AgentKind::Gpu {
        return Err(Status::ERROR_INVALID_AGENT);
    }
    let bit = 1 << (agent.node_id() % 64);
    match kind {
        0 => session.coherency.fetch_and(!bit, Ordering::Relaxed),
        1 => session.coherency.fetch_or(bit, Ordering::Relaxed),
        _ => return Err(Status::ERROR_INVALID_ARGUMENT),
    };
    Ok(())
}

pub fn coherency(handle: AgentHandle, kind: Out<u32>) -> Result {
    let session = session()?;
    kind.check()?;
    let agent = session.agent(handle)?;
    if agent.kind() != AgentKind::Gpu {
        return Err(Status::ERROR_INVALID_AGENT);
    }
    kind.set((session.coherency.load(Ordering::Relaxed) >> (agent.node_id() % 64)) as u32 & 1)
}
