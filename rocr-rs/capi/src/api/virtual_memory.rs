//! Virtual memory (`hsa_amd_vmem_…` of `hsa_ext_amd.h`, of ROCm 6 and later).

use std::os::fd::{AsFd as _, IntoRawFd as _};
use std::sync::Arc;

use hsa_sys::{AgentHandle, MemoryPoolHandle, Status};
use rocr_rs::{Access, Agent, AgentKind, Error, MemoryHandle};

use super::pool::{self, Kind};
use crate::abi::AccessDescription;
use crate::ffi::{self, Address, In, Out, Result};
use crate::state::{Session, session};

/// Memory that the program has a handle of.
pub struct Held {
    memory: Arc<MemoryHandle>,
    /// How often it has to be released.
    holds: u32,
}

/// `hsa_amd_memory_type_t`
const NOT_PINNED: u32 = 0;
const PINNED: u32 = 1;

/// `hsa_access_permission_t`
const ACCESSES: [Access; 4] = [Access::None, Access::ReadOnly, Access::WriteOnly, Access::ReadWrite];

/// What the driver refuses has no code of its own in these calls.
fn status(error: &Error) -> Status {
    match error {
        Error::Driver { .. } => Status::ERROR,
        other => other.status(),
    }
}

fn held(session: &Session, handle: u64) -> Option<Arc<MemoryHandle>> {
    session.held_memory.lock().get(&handle).map(|held| held.memory.clone())
}

/// A handle of memory for the program: the one that it has already, held once more, or a new one.
fn hold(session: &Session, memory: Arc<MemoryHandle>) -> u64 {
    let mut table = session.held_memory.lock();
    let known = table.iter_mut().find(|(_, held)| Arc::ptr_eq(&held.memory, &memory));
    if let Some((handle, held)) = known {
        held.holds = held.holds.saturating_add(1);
        return *handle;
    }
    let handle = table.last_key_value().map_or(HANDLES, |(last, _)| last + STEP);
    table.insert(handle, Held { memory, holds: 1 });
    handle
}

/// Handles count up from here, as no address of memory does.
const HANDLES: u64 = 0x564d_0000_0000;
const STEP: u64 = 16;

pub fn reserve(out: Out<u64>, bytes: usize, wanted: Address, flags: u64) -> Result {
    reserve_aligned(out, bytes, wanted, 0, flags)
}

pub fn reserve_aligned(out: Out<u64>, bytes: usize, wanted: Address, alignment: u64, _flags: u64) -> Result {
    let session = session()?;
    out.check()?;
    let aligned = alignment == 0 || alignment.is_power_of_two();
    if bytes == 0 || !aligned || !session.runtime.has_virtual_memory() {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let wanted = Some(wanted).filter(|va| *va != 0);
    let reserved = session.runtime.reserve_addresses(bytes as u64, alignment, wanted);
    out.set(reserved.map_err(|error| error.status())?)
}

pub fn free(va: Address, bytes: usize) -> Result {
    let session = session()?;
    if va == 0 || bytes == 0 {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    session.runtime.release_addresses(va, bytes as u64).map_err(|error| status(&error))
}

pub fn create(pool: MemoryPoolHandle, bytes: usize, kind: u32, _flags: u64, out: Out<u64>) -> Result {
    let session = session()?;
    out.check()?;
    if bytes == 0 || ![NOT_PINNED, PINNED].contains(&kind) || !session.runtime.has_virtual_memory() {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let found = pool::pool(&session, pool).map_err(|_| Status::ERROR_INVALID_ARGUMENT)?;
    let (agent, Kind::Global(of)) = found else { return Err(Status::ERROR_INVALID_ALLOCATION) };
    if bytes as u64 > pool::max_allocation(&session, &agent, Kind::Global(of)) {
        return Err(Status::ERROR_INVALID_ALLOCATION);
    }
    let made = session.runtime.create_memory(&agent.pool(of), bytes as u64, kind == PINNED);
    out.set(hold(&session, made.map_err(|error| error.status())?))
}

pub fn release(handle: u64) -> Result {
    let session = session()?;
    let mut table = session.held_memory.lock();
    let held = table.get_mut(&handle).ok_or(Status::ERROR_INVALID_ALLOCATION)?;
    held.holds -= 1;
    if held.holds == 0 {
        table.remove(&handle);
    }
    Ok(())
}

pub fn map(va: Address, bytes: usize, offset: usize, handle: u64, _flags: u64) -> Result {
    let session = session()?;
    let memory = held(&session, handle).filter(|_| va != 0 && bytes != 0);
    let memory = memory.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
    let mapped = session.runtime.map_memory(va, bytes as u64, offset as u64, &memory);
    mapped.map_err(|error| status(&error))
}

pub fn unmap(va: Address, bytes: usize) -> Result {
    let session = session()?;
    if va == 0 || bytes == 0 {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    session.runtime.unmap_memory(va, bytes as u64).map_err(|error| status(&error))
}

pub fn set_access(va: Address, bytes: usize, wanted: In<AccessDescription>, count: usize) -> Result {
    let session = session()?;
    if va == 0 || bytes == 0 || count == 0 {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let one = |wanted: AccessDescription| {
        let agent = session.agent(wanted.agent)?.clone();
        let access = ACCESSES.get(wanted.permissions as usize).ok_or(Status::ERROR_INVALID_ARGUMENT)?;
        Ok((agent, *access))
    };
    let wanted: Vec<_> = wanted.array(count)?.into_iter().map(one).collect::<Result<_>>()?;
    session.runtime.set_access(va, bytes as u64, &wanted).map_err(|error| status(&error))
}

/// `hsa_amd_agents_allow_access` of mapped memory: all of it, for reading and writing.
pub fn allow(session: &Session, va: Address, agents: Vec<Agent>) -> Result {
    let wanted: Vec<_> = agents.into_iter().map(|agent| (agent, Access::ReadWrite)).collect();
    session.runtime.set_access_from(va, &wanted).map_err(|error| status(&error))
}

pub fn access(va: Address, out: Out<u32>, agent: AgentHandle) -> Result {
    let session = session()?;
    out.check()?;
    if va == 0 {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    out.set(0)?;
    let first = session.agents.first().ok_or(Status::ERROR)?;
    session.runtime.access(va, first).ok_or(Status::ERROR_INVALID_ALLOCATION)?;
    let agent = session.agent(agent)?;
    if agent.kind() != AgentKind::Gpu {
        return Err(Status::ERROR_INVALID_AGENT);
    }
    let access = session.runtime.access(va, agent).ok_or(Status::ERROR_INVALID_ALLOCATION)?;
    out.set(ACCESSES.iter().position(|of| *of == access).unwrap_or(0) as u32)
}

pub fn export(out: Out<i32>, handle: u64, _flags: u64) -> Result {
    let session = session()?;
    out.set(-1)?;
    let memory = held(&session, handle).ok_or(Status::ERROR_INVALID_ALLOCATION)?;
    let descriptor = memory.export().map_err(|_| Status::ERROR_OUT_OF_RESOURCES)?;
    out.set(descriptor.into_raw_fd())
}

pub fn import(dmabuf: i32, out: Out<u64>) -> Result {
    let session = session()?;
    out.check()?;
    if dmabuf < 0 {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let copy = ffi::duplicate(dmabuf).ok_or(Status::ERROR_INCOMPATIBLE_ARGUMENTS)?;
    let imported = session.runtime.import_memory(copy.as_fd()).map_err(|error| match error {
        Error::InvalidArgument { .. } => Status::ERROR_INVALID_ALLOCATION,
        _ => Status::ERROR_INCOMPATIBLE_ARGUMENTS,
    })?;
    out.set(hold(&session, imported))
}

pub fn retain(out: Out<u64>, va: Address) -> Result {
    let session = session()?;
    out.check()?;
    if va == 0 {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let memory = session.runtime.mapped_memory(va).ok_or(Status::ERROR_INVALID_ALLOCATION)?;
    out.set(hold(&session, memory))
}

pub fn properties(handle: u64, pool: Out<MemoryPoolHandle>, kind: Out<u32>) -> Result {
    let session = session()?;
    pool.check()?;
    kind.check()?;
    let memory = held(&session, handle).ok_or(Status::ERROR_INVALID_ALLOCATION)?;
    let of = memory.pool(&session.runtime);
    let handle = pool::handle(&session, of.agent(), Kind::Global(of.kind()));
    pool.set(handle.ok_or(Status::ERROR_INVALID_ALLOCATION)?)?;
    kind.set(if memory.is_pinned() { PINNED } else { NOT_PINNED })
}
