//! Memory that leaves or enters the process (libhsakmt's `memory.c`, `fmm.c`).

use kfd_sys::profile::{CrossMemoryCopyArgs, MemoryRange as KfdRange};
use kfd_sys::{Errno, KfdExt as _};
use std::os::fd::IntoRawFd as _;
use thunk_rs::{NodeId, Origin, SharedHandle};

use crate::abi::memory::{GraphicsResourceInfo, MemoryRange, SharedMemoryHandle};
use crate::abi::status::{Result, Status};
use crate::ffi::Ptr;
use crate::state::library;

/// Most bytes that a handle can tell: 32 bits of pages.
const MOST: u64 = 1 << (32 + 12);

pub fn share(address: u64, size: u64, handle: Ptr<SharedMemoryHandle>) -> Result<()> {
    let mut library = library();
    let opened = library.opened()?;
    if handle.is_null() || size >= MOST {
        return Err(Status::INVALID_PARAMETER);
    }
    let entry = opened.memory.at(address).filter(|entry| entry.memory().origin() != Origin::User);
    let entry = entry.ok_or(Status::INVALID_PARAMETER)?;
    let shared = entry.memory().share(entry.caller_flags()).map_err(|_| Status::ERROR)?;
    let told = SharedHandle { size, ..shared };
    handle.set(told.to_words().ok_or(Status::INVALID_PARAMETER)?)
}

pub fn open(handle: Ptr<SharedMemoryHandle>, address: Ptr<u64>, size: Ptr<u64>) -> Result<()> {
    open_to_nodes(handle, address, size, 0, Ptr::at(0))
}

pub fn open_to_nodes(
    handle: Ptr<SharedMemoryHandle>,
    address: Ptr<u64>,
    size: Ptr<u64>,
    count: u64,
    nodes: Ptr<u32>,
) -> Result<()> {
    let mut library = library();
    let opened = library.opened()?;
    // Before there is something that nobody would give back.
    if handle.is_null() || address.is_null() || size.is_null() {
        return Err(Status::INVALID_PARAMETER);
    }
    let (opened, ids) = if nodes.is_null() {
        (opened, Vec::new())
    } else {
        let (opened, snapshot) = library.both()?;
        (opened, snapshot.ids(nodes, count)?)
    };
    let shared = SharedHandle::from_words(handle.get()?);
    let va = opened.memory.open_shared(&shared, &ids).map_err(|_| Status::ERROR)?;
    address.set(va)?;
    size.set(shared.size)
}

pub fn import_graphics(
    dmabuf: u64,
    info: Ptr<GraphicsResourceInfo>,
    count: u64,
    nodes: Ptr<u32>,
) -> Result<()> {
    import(dmabuf, info, |library| {
        let (_, snapshot) = library.both()?;
        snapshot.ids(nodes, count)
    })
}

/// As [`import_graphics`]; the flags ask for an address or for none, and only the first is there.
pub fn import_graphics_ext(
    dmabuf: u64,
    info: Ptr<GraphicsResourceInfo>,
    count: u64,
    nodes: Ptr<u32>,
    flags: u32,
) -> Result<()> {
    const REQUIRES_VADDR: u32 = 1;
    if flags & REQUIRES_VADDR == 0 {
        library().opened()?;
        return Err(Status::NOT_SUPPORTED);
    }
    import_graphics(dmabuf, info, count, nodes)
}

fn import(
    dmabuf: u64,
    info: Ptr<GraphicsResourceInfo>,
    ids: impl FnOnce(&mut crate::state::Library) -> Result<Vec<NodeId>>,
) -> Result<()> {
    let mut library = library();
    library.opened()?;
    let ids = ids(&mut library)?;
    if info.is_null() {
        return Err(Status::INVALID_PARAMETER);
    }
    let opened = library.opened()?;
    let va = opened.memory.import_dmabuf(dmabuf as i32, &ids).map_err(|_| Status::ERROR)?;
    let entry = opened.memory.at(va).ok_or(Status::ERROR)?;
    info.set(GraphicsResourceInfo {
        memory_address: va,
        size_in_bytes: entry.size(),
        metadata: entry.metadata().as_ptr() as u64,
        metadata_size_in_bytes: entry.metadata().len() as u32,
        reserved: 0,
    })
}

pub fn export_dmabuf(address: u64, size: u64, fd: Ptr<i32>, offset: Ptr<u64>) -> Result<()> {
    let mut library = library();
    let opened = library.opened()?;
    if opened.thunk.version().1 < 12 {
        return Err(Status::NOT_SUPPORTED);
    }
    let entry = opened.memory.containing(address).ok_or(Status::INVALID_PARAMETER)?;
    let within = address - entry.gpu_address().min(address);
    if size > entry.size().saturating_sub(within) || fd.is_null() || offset.is_null() {
        return Err(Status::INVALID_PARAMETER);
    }
    let exported = entry.memory().export_dmabuf().map_err(|error| match error.errno() {
        Some(Errno::EINVAL) => Status::INVALID_PARAMETER,
        Some(Errno::ENOMEM) => Status::NO_MEMORY,
        _ => Status::ERROR,
    })?;
    fd.set(exported.into_raw_fd())?;
    offset.set(within)
}

/// Copies from (`write` false) or to another process: of AMD's out-of-tree driver.
pub fn copy(
    pid: u32,
    local: (Ptr<MemoryRange>, u64),
    remote: (Ptr<MemoryRange>, u64),
    copied: Ptr<u64>,
    write: bool,
) -> Result<()> {
    if write {
        copied.set_if_wanted(0);
    }
    if local.0.is_null() || remote.0.is_null() || local.1 == 0 || remote.1 == 0 {
        return Err(Status::ERROR);
    }
    let kfd = std::sync::Arc::clone(library().opened().map_err(|_| Status::ERROR)?.thunk.kfd());
    // The two libraries have the same struct.
    const _: () = assert!(size_of::<KfdRange>() == size_of::<MemoryRange>());
    let (from, to) = if write { (local, remote) } else { (remote, local) };
    let mut args = CrossMemoryCopyArgs {
        pid,
        flags: u32::from(write),
        src_mem_range_array: from.0.address(),
        src_mem_array_size: from.1,
        dst_mem_range_array: to.0.address(),
        dst_mem_array_size: to.1,
        bytes_copied: 0,
    };
    let result = kfd.call(&mut args);
    copied.set_if_wanted(args.bytes_copied);
    result.map_err(|_| Status::ERROR)
}

pub fn read_process(
    pid: u32,
    local: Ptr<MemoryRange>,
    local_count: u64,
    remote: Ptr<MemoryRange>,
    remote_count: u64,
    copied: Ptr<u64>,
) -> Result<()> {
    copy(pid, (local, local_count), (remote, remote_count), copied, false)
}

pub fn write_process(
    pid: u32,
    local: Ptr<MemoryRange>,
    local_count: u64,
    remote: Ptr<MemoryRange>,
    remote_count: u64,
    copied: Ptr<u64>,
) -> Result<()> {
    copy(pid, (local, local_count), (remote, remote_count), copied, true)
}
