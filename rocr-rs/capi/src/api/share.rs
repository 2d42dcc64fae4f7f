//! Memory and signals of other processes, dma-bufs (`hsa_ext_amd.h`: `…_ipc_…`, `…_interop_…`, `…_portable_…`).

use hsa_sys::{AgentHandle, SignalHandle, Status};
use rocr_rs::{Agent, AgentKind, MemoryOrigin, SharedMemory, Signal};

use super::{memory, signal};
use crate::ffi::{self, Address, In, Out, Result};
use crate::state::{Session, session};

/// `hsa_amd_ipc_memory_t`, `hsa_amd_ipc_signal_t`
pub type Handle = [u32; 8];

/// A handle tells a number of pages in 32 bits.
const MOST_BYTES: usize = 0x7ff_ffff_f000;
const PAGE: usize = 4096;

pub fn create(address: Address, bytes: usize, out: Out<Handle>) -> Result {
    let session = session()?;
    out.check()?;
    if address == 0 || bytes > MOST_BYTES {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let wrong = Status::ERROR_INVALID_ARGUMENT;
    let info = session.runtime.memory_info(address).ok_or(wrong)?;
    // The whole of an allocation is shared: programs give its size as they asked for it, or in pages.
    if info.base != address || bytes.checked_next_multiple_of(PAGE) != Some(info.size) {
        return Err(wrong);
    }
    let shared = session.runtime.share_memory(address).map_err(|_| wrong)?;
    out.set(shared.words)
}

/// Memory of another process, as the program knows it: a part of an allocation, perhaps.
pub struct Attached {
    /// First address of the allocation.
    base: u64,
    /// Bytes that the program asked for, as far as they are there.
    bytes: u64,
}

/// The attached part that an address lies in: first address and bytes.
pub fn attached_at(session: &Session, address: u64) -> Option<(u64, u64)> {
    let attached = session.attached.lock();
    let (first, part) = attached.range(..=address).next_back()?;
    (address - first < part.bytes).then_some((*first, part.bytes))
}

/// What an argument means that is null for no agents.
fn agents(session: &Session, count: u32, handles: In<AgentHandle>) -> Result<Vec<Agent>> {
    memory::agents(session, count as usize, handles)
}

pub fn attach(
    handle: In<Handle>,
    bytes: usize,
    count: u32,
    handles: In<AgentHandle>,
    out: Out<u64>,
) -> Result {
    let session = session()?;
    out.check()?;
    let agents = agents(&session, count, handles)?;
    let shared = SharedMemory { words: handle.get()? };
    let attached = session.runtime.attach(&shared, &agents);
    let (memory, offset) = attached.map_err(|_| Status::ERROR_INVALID_ARGUMENT)?;
    let bytes = (bytes as u64).min(memory.size() as u64 - offset);
    let base = memory.into_va();
    session.attached.lock().insert(base + offset, Attached { base, bytes });
    out.set(base + offset)
}

pub fn detach(address: Address) -> Result {
    let session = session()?;
    let attached = session.attached.lock().remove(&address);
    let Attached { base, .. } = attached.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
    memory::forget(&session, base);
    session.runtime.free(base).map_err(|_| Status::ERROR_INVALID_ARGUMENT)
}

pub fn create_signal(handle: SignalHandle, out: Out<Handle>) -> Result {
    session()?;
    out.check()?;
    let shared = signal::find(handle)?.share().map_err(|_| Status::ERROR_INVALID_ARGUMENT)?;
    out.set(shared.words)
}

pub fn attach_signal(handle: In<Handle>, out: Out<SignalHandle>) -> Result {
    let session = session()?;
    out.check()?;
    let shared = SharedMemory { words: handle.get()? };
    let attached = Signal::attach(&session.runtime, &shared).map_err(|_| Status::ERROR_INVALID_ARGUMENT)?;
    signal::add(attached, out)
}

/// `hsa_amd_interop_map_buffer`. The metadata stays in place until the buffer is unmapped.
pub fn map_buffer(
    count: u32,
    handles: In<AgentHandle>,
    dmabuf: i32,
    flags: u32,
    size: Out<usize>,
    address: Out<u64>,
    metadata_size: Out<usize>,
    metadata: Out<u64>,
) -> Result {
    let session = session()?;
    if handles.is_null() || flags != 0 || count == 0 {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    size.check()?;
    address.check()?;
    let agents = agents(&session, count, handles)?;
    // The descriptor stays the program's: a copy lives as long as the call.
    let copy = ffi::duplicate(dmabuf).ok_or(Status::ERROR)?;
    let imported = session.runtime.import_dmabuf(std::os::fd::AsFd::as_fd(&copy), &agents);
    let (memory, said) = imported.map_err(|_| Status::ERROR)?;
    let (bytes, va) = (memory.size(), memory.into_va());
    let said = said.into_boxed_slice();
    metadata_size.set_if_wanted(said.len());
    metadata.set_if_wanted(if said.is_empty() { 0 } else { said.as_ptr().expose_provenance() as u64 });
    session.metadata.lock().insert(va, said);
    size.set(bytes)?;
    address.set(va)
}

/// `hsa_amd_interop_unmap_buffer`, which has succeeded whatever it was given in all releases.
pub fn unmap_buffer(address: Address) -> Result {
    let session = session()?;
    if session.metadata.lock().remove(&address).is_some() {
        memory::forget(&session, address);
        session.runtime.free(address).map_err(|error| error.status())?;
    }
    Ok(())
}

pub fn export(address: Address, bytes: usize, fd: Out<i32>, offset: Out<u64>) -> Result {
    export_for(address, bytes, fd, offset, 0)
}

/// `hsa_amd_portable_export_dmabuf_v2`. `HSA_AMD_DMABUF_MAPPING_TYPE_PCIE` is for devices on the bus, which reach what the
/// host can reach.
pub fn export_for(address: Address, bytes: usize, fd: Out<i32>, offset: Out<u64>, flags: u64) -> Result {
    const ON_THE_BUS: u64 = 1;
    let session = session()?;
    fd.check()?;
    offset.check()?;
    if address == 0 || bytes == 0 || flags & !ON_THE_BUS != 0 {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let info = session.runtime.memory_info(address).ok_or(Status::ERROR_INVALID_ALLOCATION)?;
    if (address - info.base).checked_add(bytes as u64).is_none_or(|end| end > info.size as u64) {
        return Err(Status::ERROR_INVALID_ALLOCATION);
    }
    if info.owner.kind() != AgentKind::Gpu || matches!(info.origin, MemoryOrigin::Locked) {
        return Err(Status::ERROR_INVALID_AGENT);
    }
    if flags & ON_THE_BUS != 0 && !info.host_access {
        return Err(Status::ERROR_INVALID_AGENT);
    }
    let exported = session.runtime.export_dmabuf(address, bytes);
    let (descriptor, at) = exported.map_err(|error| match error {
        rocr_rs::Error::UnknownAddress { .. } => Status::ERROR_INVALID_ALLOCATION,
        _ => Status::ERROR_OUT_OF_RESOURCES,
    })?;
    offset.set(at)?;
    fd.set(std::os::fd::IntoRawFd::into_raw_fd(descriptor))
}

pub fn close(dmabuf: i32) -> Result {
    if ffi::close(dmabuf) { Ok(()) } else { Err(Status::ERROR_RESOURCE_FREE) }
}
