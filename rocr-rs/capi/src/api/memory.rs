//! Memory: allocate, free, give access, lock, look up (`hsa_ext_amd.h`, `hsa.h` section 2.7).

use hsa_sys::{AgentHandle, MemoryPoolHandle, PointerType, RegionHandle, Status};
use rocr_rs::{Agent, AgentKind, MemoryOrigin, PoolKind};

use super::pool::{self, Kind};
use super::{share, virtual_memory};
use crate::abi::PointerInfo;
use crate::ffi::{Address, In, Out, Result};
use crate::state::{Session, session};

/// Someone who wants to know when memory is freed.
pub struct Deallocation {
    base: u64,
    callback: extern "C" fn(Address, Address),
    data: Address,
}

/// Bytes of a page.
const PAGE: usize = 4096;

/// Memory of a pool, until `free` is given its address.
fn allocate(session: &Session, agent: &Agent, kind: Kind, bytes: usize) -> Result<u64> {
    let Kind::Global(of) = kind else { return Err(Status::ERROR_INVALID_ALLOCATION) };
    let bytes = bytes.checked_next_multiple_of(PAGE).ok_or(Status::ERROR_INVALID_ALLOCATION)?;
    if bytes as u64 > pool::max_allocation(session, agent, kind) {
        return Err(Status::ERROR_INVALID_ALLOCATION);
    }
    let memory = agent.pool(of).allocate(bytes).map_err(|error| error.status())?;
    Ok(memory.into_va())
}

/// `hsa_amd_memory_pool_allocate`. Flags of newer releases ask for what all memory here is: executable, contiguous or not.
pub fn allocate_from_pool(handle: MemoryPoolHandle, bytes: usize, _flags: u32, out: Out<u64>) -> Result {
    let session = session()?;
    if bytes == 0 {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    out.check()?;
    let (agent, kind) = pool::pool(&session, handle)?;
    out.set(allocate(&session, &agent, kind, bytes)?)
}

pub fn allocate_from_region(handle: RegionHandle, bytes: usize, out: Out<u64>) -> Result {
    let session = session()?;
    if bytes == 0 {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    out.check()?;
    let (agent, kind) = pool::region(&session, handle)?;
    out.set(allocate(&session, &agent, kind, bytes)?)
}

pub fn free(va: Address) -> Result {
    let session = session()?;
    if va == 0 {
        return Ok(());
    }
    // What came from outside goes by the call that is for it.
    let origin = session.runtime.memory_info(va).map(|info| info.origin);
    if matches!(origin, Some(MemoryOrigin::Shared | MemoryOrigin::Dmabuf)) {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    forget(&session, va);
    session.runtime.free(va).map_err(|error| error.status())
}

/// Tells who wants to know that memory is freed, and forgets what programs said of it.
pub fn forget(session: &Session, va: u64) {
    let mut told = Vec::new();
    session.deallocations.lock().retain(|row| {
        let other = row.base != va;
        if !other {
            told.push((row.callback, row.data));
        }
        other
    });
    for (callback, data) in told {
        callback(va, data);
    }
    session.user_data.lock().remove(&va);
}

/// The agents of an array.
pub fn agents(session: &Session, count: usize, agents: In<AgentHandle>) -> Result<Vec<Agent>> {
    agents.array(count)?.into_iter().map(|handle| session.agent(handle).cloned()).collect()
}

/// `hsa_amd_agents_allow_access`: the owner and the host keep theirs.
pub fn allow_access(count: u32, handles: In<AgentHandle>, _flags: In<u32>, va: Address) -> Result {
    let session = session()?;
    if count == 0 || handles.is_null() || va == 0 {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let mut agents = agents(&session, count as usize, handles)?;
    let Some(info) = session.runtime.memory_info(va) else { return Err(Status::ERROR) };
    if info.origin == MemoryOrigin::Reserved {
        return virtual_memory::allow(&session, va, agents);
    }
    if !info.system && !agents.contains(&info.owner) {
        agents.push(info.owner);
    }
    match session.runtime.allow_access(va, &agents) {
        Ok(()) => Ok(()),
        // Locked memory and code: all agents have it.
        Err(rocr_rs::Error::UnknownAddress { .. }) => Ok(()),
        Err(error) => Err(error.status()),
    }
}

/// `hsa_amd_memory_lock`: all agents get access, which may be more than were asked for.
pub fn lock(
    host: Address,
    bytes: usize,
    handles: In<AgentHandle>,
    count: i32,
    agent_pointer: Out<u64>,
) -> Result {
    agent_pointer.set_if_wanted(0);
    let session = session()?;
    let count = usize::try_from(count).map_err(|_| Status::ERROR_INVALID_ARGUMENT)?;
    if bytes == 0 || host == 0 || agent_pointer.is_null() || handles.is_null() != (count == 0) {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    agents(&session, count, handles)?;
    let lock = || session.runtime.lock_apart(host, bytes).map_err(|error| error.status());
    agent_pointer.set(session.locks.add(host, bytes as u64, lock)?)
}

pub fn lock_to_pool(
    host: Address,
    bytes: usize,
    handles: In<AgentHandle>,
    count: i32,
    handle: MemoryPoolHandle,
    flags: u32,
    agent_pointer: Out<u64>,
) -> Result {
    let session = session()?;
    let wrong = host == 0 || bytes == 0 || agent_pointer.is_null() || flags != 0;
    if wrong || handles.is_null() != (count == 0) {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let (owner, _) = pool::pool(&session, handle)?;
    if owner.kind() == AgentKind::Gpu {
        return Err(Status::ERROR_INVALID_MEMORY_POOL);
    }
    lock(host, bytes, handles, count, agent_pointer)
}

pub fn unlock(host: Address) -> Result {
    let session = session()?;
    if host == 0 {
        return Ok(());
    }
    if session.locks.remove(host) { Ok(()) } else { Err(Status::ERROR) }
}

/// `hsa_memory_register`: of the full profile, where nothing has to be done for it.
pub fn register(address: Address, bytes: usize) -> Result {
    session()?;
    if bytes == 0 && address != 0 { Err(Status::ERROR_INVALID_ARGUMENT) } else { Ok(()) }
}

pub fn deregister(_address: Address, _bytes: usize) -> Result {
    session().map(drop)
}

/// `hsa_memory_assign_agent`: memory belongs to no single agent here.
pub fn assign(address: Address, agent: AgentHandle, access: u32) -> Result {
    session()?.agent(agent)?;
    if address == 0 || !(1..=3).contains(&access) { Err(Status::ERROR_INVALID_ARGUMENT) } else { Ok(()) }
}

/// `hsa_amd_pointer_info`
pub fn info(
    address: Address,
    out: Out<PointerInfo>,
    allocate: Option<extern "C" fn(usize) -> Out<AgentHandle>>,
    count: Out<u32>,
    accessible: Out<Out<AgentHandle>>,
) -> Result {
    let session = session()?;
    out.check()?;
    if address == 0 {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let room = (out.as_in::<u32>().get()? as usize).min(size_of::<PointerInfo>());
    if room == 0 {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let mut answer = PointerInfo {
        size: room as u32,
        kind: PointerType::UNKNOWN.0,
        agent_base: 0,
        host_base: 0,
        bytes: 0,
        user_data: 0,
        owner: AgentHandle::NULL,
        global_flags: 0,
    };
    let mut agents: Vec<AgentHandle> = Vec::new();
    let locked = session.locks.at(address);
    let part =
        locked.map(|range| (range.agent, range.bytes)).or_else(|| share::attached_at(&session, address));
    if let Some(info) = session.runtime.memory_info(locked.map_or(address, |range| range.agent)) {
        let kind = match info.origin {
            MemoryOrigin::Pool(_) | MemoryOrigin::Code => PointerType::HSA,
            MemoryOrigin::Locked => PointerType::LOCKED,
            MemoryOrigin::Shared => PointerType::IPC,
            MemoryOrigin::Dmabuf => PointerType::GRAPHICS,
            MemoryOrigin::Reserved => PointerType::RESERVED_ADDR,
        };
        let (base, bytes) = part.unwrap_or((info.base, info.size as u64));
        answer = PointerInfo {
            kind: kind.0,
            agent_base: base,
            host_base: match locked {
                Some(range) => range.host,
                None if info.host_access => base,
                None => 0,
            },
            bytes,
            user_data: session.user_data.lock().get(&info.base).copied().unwrap_or(0),
            owner: session.handle(&info.owner),
            global_flags: match info.origin {
                MemoryOrigin::Pool(kind) => pool::flags_of(kind),
                _ => pool::flags_of(PoolKind::CoarseGrained),
            },
            ..answer
        };
        if info.system && info.origin != MemoryOrigin::Locked {
            let hosts = session.agents.iter().filter(|agent| agent.kind() == AgentKind::Cpu);
            agents.extend(hosts.map(|host| session.handle(host)));
        }
        let gpus = info.gpu_nodes.iter().map(|node| session.handle_of_node(*node));
        agents.extend(gpus.filter(|agent| !agent.is_null()));
    }
    out.set_part(answer, room)?;
    if let Some(allocate) = allocate
        && !count.is_null()
        && !accessible.is_null()
    {
        let list = allocate(agents.len().max(1) * size_of::<AgentHandle>());
        if list.is_null() {
            return Err(Status::ERROR_OUT_OF_RESOURCES);
        }
        list.set_all(&agents)?;
        accessible.set(list)?;
        count.set(agents.len() as u32)?;
    }
    Ok(())
}

pub fn set_user_data(address: Address, data: Address) -> Result {
    let session = session()?;
    let known = session.locks.at(address).map_or(address, |range| range.agent);
    let info = session.runtime.memory_info(known).ok_or(Status::ERROR_INVALID_ARGUMENT)?;
    session.user_data.lock().insert(info.base, data);
    Ok(())
}

pub fn on_deallocation(
    address: Address,
    callback: Option<extern "C" fn(Address, Address)>,
    data: Address,
) -> Result {
    let session = session()?;
    let callback = callback.filter(|_| address != 0).ok_or(Status::ERROR_INVALID_ARGUMENT)?;
    let info = session.runtime.memory_info(address).ok_or(Status::ERROR_INVALID_ALLOCATION)?;
    session.deallocations.lock().push(Deallocation { base: info.base, callback, data });
    Ok(())
}

pub fn remove_on_deallocation(address: Address, callback: Option<extern "C" fn(Address, Address)>) -> Result {
    let session = session()?;
    let callback = callback.filter(|_| address != 0).ok_or(Status::ERROR_INVALID_ARGUMENT)?;
    let info = session.runtime.memory_info(address).ok_or(Status::ERROR_INVALID_ALLOCATION)?;
    let mut rows = session.deallocations.lock();
    let found = rows
        .iter()
        .position(|row| row.base == info.base && std::ptr::fn_addr_eq(row.callback, callback))
        .ok_or(Status::ERROR_INVALID_ARGUMENT)?;
    rows.remove(found);
    Ok(())
}

/// `hsa_amd_memory_pool_can_migrate`: memory stays where it was allocated.
pub fn can_migrate(from: MemoryPoolHandle, to: MemoryPoolHandle, result: Out<bool>) -> Result {
    let session = session()?;
    pool::pool(&session, from)?;
    pool::pool(&session, to)?;
    result.set(false)?;
    Err(Status::ERROR_OUT_OF_RESOURCES)
}

pub fn migrate(address: Address, handle: MemoryPoolHandle, flags: u32) -> Result {
    let session = session()?;
    if address == 0 || flags != 0 {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    pool::pool(&session, handle)?;
    Err(Status::ERROR_OUT_OF_RESOURCES)
}
