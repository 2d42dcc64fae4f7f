//! Copies and fills (`hsa_memory_copy`, `hsa_amd_memory_async_copy` and its kin).

use std::sync::atomic::Ordering;

use hsa_sys::{AgentHandle, SignalHandle, Status};
use rocr_rs::{AgentKind, EngineChoice, Rows, Signal, Transfer};

use super::signal;
use crate::abi::{Dim3, PitchedPtr};
use crate::ffi::{self, Address, In, Out, Result};
use crate::state::{Session, session};

pub fn copy(to: Address, from: Address, bytes: usize) -> Result {
    let session = session()?;
    if to == 0 || from == 0 {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let transfer = Transfer::Copy { dst: to, src: from, bytes: bytes as u64 };
    now(&session, transfer)
}

pub fn fill(to: Address, value: u32, words: usize) -> Result {
    let session = session()?;
    if to == 0 || !to.is_multiple_of(4) {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let transfer = Transfer::Fill { dst: to, value, words: words as u64 };
    now(&session, transfer)
}

/// Does a transfer on the host.
pub fn on_host(transfer: Transfer) {
    match transfer {
        Transfer::Copy { dst, src, bytes } => ffi::copy(dst, src, bytes as usize),
        Transfer::Fill { dst, value, words } => ffi::fill(dst, value, words as usize),
        Transfer::Rows { dst, src, width, rows, layers } => {
            for layer in 0..layers {
                for row in 0..rows {
                    ffi::copy(dst.at(row, layer), src.at(row, layer), width as usize);
                }
            }
        }
    }
}

/// The transfer by the host's addresses: the runtime locks for an engine what it needs itself.
pub fn by_host(session: &Session, mut transfer: Transfer) -> Transfer {
    let host_of = |address: &mut u64| *address = session.locks.host_of(*address);
    match &mut transfer {
        Transfer::Copy { dst, src, .. } => [dst, src].into_iter().for_each(host_of),
        Transfer::Rows { dst, src, .. } => [&mut dst.base, &mut src.base].into_iter().for_each(host_of),
        Transfer::Fill { dst, .. } => host_of(dst),
    }
    transfer
}

/// Does a transfer, and waits for it.
pub fn now(session: &Session, transfer: Transfer) -> Result {
    let transfer = by_host(session, transfer);
    session.runtime.transfer_now(transfer, move || on_host(transfer)).map_err(|error| error.status())
}

/// Does a transfer once the dependencies are 0, and then completes the signal.
fn after(
    session: &Session,
    count: u32,
    dependencies: In<SignalHandle>,
    completion: SignalHandle,
    transfer: Transfer,
    choice: EngineChoice,
) -> Result {
    let dependencies = signals(count, dependencies)?;
    let completion = if completion.is_null() { None } else { Some(signal::find(completion)?) };
    let timed = session.time_copies.load(Ordering::Relaxed);
    let transfer = by_host(session, transfer);
    session
        .runtime
        .transfer(transfer, choice, dependencies, completion, timed, move || on_host(transfer))
        .map_err(|error| error.status())
}

/// The signals of an array; null handles name none.
pub fn signals(count: u32, handles: In<SignalHandle>) -> Result<Vec<Signal>> {
    let handles = handles.array(count as usize)?;
    handles.into_iter().filter(|handle| !handle.is_null()).map(signal::find).collect()
}

pub fn asynchronous(
    to: Address,
    to_agent: AgentHandle,
    from: Address,
    from_agent: AgentHandle,
    bytes: usize,
    count: u32,
    dependencies: In<SignalHandle>,
    completion: SignalHandle,
) -> Result {
    let session = session()?;
    if to == 0 || from == 0 || (count == 0) != dependencies.is_null() {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    session.agent(to_agent)?;
    session.agent(from_agent)?;
    let transfer = Transfer::Copy { dst: to, src: from, bytes: bytes as u64 };
    after(&session, count, dependencies, completion, transfer, EngineChoice::Any)
}

/// `hsa_amd_memory_async_copy_on_engine`: `HSA_AMD_SDMA_ENGINE_…` is one bit. Within a GPU an engine is used only if it must
/// be.
pub fn on_engine(
    to: Address,
    to_agent: AgentHandle,
    from: Address,
    from_agent: AgentHandle,
    bytes: usize,
    count: u32,
    dependencies: In<SignalHandle>,
    completion: SignalHandle,
    engine: u32,
    force: bool,
) -> Result {
    let session = session()?;
    if to == 0 || from == 0 || (count == 0) != dependencies.is_null() || !engine.is_power_of_two() {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let (to_agent, from_agent) = (session.agent(to_agent)?, session.agent(from_agent)?);
    let of = if from_agent.kind() == AgentKind::Gpu { from_agent } else { to_agent };
    let engine = engine.trailing_zeros();
    if of.kind() != AgentKind::Gpu || engine >= session.runtime.engine_count(of) {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let choice = if to_agent == from_agent && !force {
        EngineChoice::Any
    } else {
        EngineChoice::Named { node: of.node_id(), engine }
    };
    let transfer = Transfer::Copy { dst: to, src: from, bytes: bytes as u64 };
    after(&session, count, dependencies, completion, transfer, choice)
}

/// `hsa_amd_memory_copy_engine_status`: the mask of engines that have nothing to do.
pub fn engine_status(to_agent: AgentHandle, from_agent: AgentHandle, mask: Out<u32>) -> Result {
    let session = session()?;
    mask.check()?;
    let (to, from) = (session.agent(to_agent)?, session.agent(from_agent)?);
    if to == from {
        return Err(Status::ERROR_INVALID_AGENT);
    }
    let of = [from, to].into_iter().find(|agent| agent.kind() == AgentKind::Gpu);
    let idle = session.runtime.idle_engines(of.ok_or(Status::ERROR_INVALID_AGENT)?);
    mask.set(idle)?;
    if idle == 0 { Err(Status::ERROR_OUT_OF_RESOURCES) } else { Ok(()) }
}

/// `hsa_amd_memory_get_preferred_copy_engine`: all do equally well; those there are.
pub fn preferred_engines(to_agent: AgentHandle, from_agent: AgentHandle, mask: Out<u32>) -> Result {
    let session = session()?;
    mask.check()?;
    let (to, from) = (session.agent(to_agent)?, session.agent(from_agent)?);
    let gpu = [to, from].into_iter().find(|agent| agent.kind() == AgentKind::Gpu);
    let engines = gpu.map_or(0, |gpu| session.runtime.engine_count(gpu));
    mask.set((1 << engines) - 1)
}

/// The rows of a box. The address of the last one is checked for overflow, and no other is greater.
fn rows(base: &PitchedPtr, offset: &Dim3, range: &Dim3) -> Result<Rows> {
    let row = |y: u64, z: u64| {
        z.checked_mul(base.slice)
            .and_then(|at| at.checked_add(y.checked_mul(base.pitch)?))
            .and_then(|at| at.checked_add(offset.x.into())?.checked_add(base.base))
            .ok_or(Status::ERROR_INVALID_ARGUMENT)
    };
    let (y, z) = (u64::from(offset.y), u64::from(offset.z));
    row(y + u64::from(range.y) - 1, z + u64::from(range.z) - 1)?;
    Ok(Rows { base: row(y, z)?, pitch: base.pitch, slice: base.slice })
}

/// `hsa_amd_memory_async_copy_rect`
pub fn rectangle(
    to: In<PitchedPtr>,
    to_offset: In<Dim3>,
    from: In<PitchedPtr>,
    from_offset: In<Dim3>,
    range: In<Dim3>,
    agent: AgentHandle,
    direction: u32,
    count: u32,
    dependencies: In<SignalHandle>,
    completion: SignalHandle,
) -> Result {
    // Host to device, back, and between devices; from host to host it is not for.
    const DIRECTIONS: std::ops::Range<u32> = 1..4;
    let session = session()?;
    let (to, from) = (to.get()?, from.get()?);
    let (to_offset, from_offset, range) = (to_offset.get()?, from_offset.get()?, range.get()?);
    if !DIRECTIONS.contains(&direction)
        || to.base == 0
        || from.base == 0
        || (count == 0) != dependencies.is_null()
    {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    // The manual wants a GPU, whose SDMA engine would do it.
    if session.agent(agent)?.kind() == AgentKind::Cpu {
        return Err(Status::ERROR_INVALID_AGENT);
    }
    let [x, y, z] = [range.x, range.y, range.z].map(u64::from);
    if x == 0 || y == 0 || z == 0 {
        let nothing = Transfer::Copy { dst: to.base, src: from.base, bytes: 0 };
        return after(&session, count, dependencies, completion, nothing, EngineChoice::Any);
    }
    let (dst, src) = (rows(&to, &to_offset, &range)?, rows(&from, &from_offset, &range)?);
    let transfer = Transfer::Rows { dst, src, width: x, rows: y, layers: z };
    after(&session, count, dependencies, completion, transfer, EngineChoice::Any)
}
