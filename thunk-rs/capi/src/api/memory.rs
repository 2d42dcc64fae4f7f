//! Memory: allocate, register, map, ask (libhsakmt's `memory.c`, `fmm.c`).

use kfd_sys::memory::AllocFlags;
use thunk_rs::{AllocRequest, GpuAccess, MemoryKind, Node, NodeId, Numa, Origin};
use zerocopy::FromZeros as _;

use crate::abi::memory::{GpuTileConfig, MemFlags, PointerInfo, pointer_type};
use crate::abi::status::{Result, Status};
use crate::ffi::Ptr;
use crate::state::{Options, library};

const PAGE: u64 = 4096;

pub fn set_policy(number: u32, _default: u32, _alternate: u32, _address: u64, _size: u64) -> Result<()> {
    let mut library = library();
    let (_, snapshot) = library.both()?;
    snapshot.node(number)?;
    // For the APUs of gfx7; that of the others is set when the library opens.
    Err(Status::NOT_IMPLEMENTED)
}

pub fn allocate(number: u32, size: u64, flags: MemFlags, address: Ptr<u64>) -> Result<()> {
    allocate_aligned(number, size, 0, flags, address)
}

pub fn allocate_aligned(
    number: u32,
    size: u64,
    alignment: u64,
    flags: MemFlags,
    address: Ptr<u64>,
) -> Result<()> {
    let mut library = library();
    let (opened, snapshot) = library.both()?;
    let node = snapshot.node(number)?;
    let whole = size != 0 && size.is_multiple_of(flags.page_bytes());
    let aligned = alignment == 0 || (alignment.is_power_of_two() && alignment >= PAGE);
    if address.is_null() || !whole || !aligned {
        return Err(Status::INVALID_PARAMETER);
    }
    let fixed = if flags.fixed_address() { Some(address.get()?) } else { None };
    if fixed == Some(0) {
        return Err(Status::INVALID_PARAMETER);
    }
    address.set(0)?;
    if flags.no_address() || flags.only_address() {
        return Err(Status::NOT_SUPPORTED);
    }
    if flags.scratch() {
        let va = opened.memory.allocate_scratch(node.id, size, fixed).map_err(|_| Status::NO_MEMORY)?;
        return address.set(va);
    }
    // Of a GPU, too, memory that may be paged is memory of the host.
    let of_host = !node.is_gpu() || !flags.non_paged();
    let mut request = request(node, size, flags, of_host, opened.options);
    request.fixed_address = fixed;
    request.alignment = alignment;
    let failed = if of_host { Status::ERROR } else { Status::NO_MEMORY };
    let va = opened.memory.allocate(&request, node.id, flags.0).map_err(|_| failed)?;
    address.set(va)
}

/// What the vendor's library asks KFD for.
fn request(node: &Node, size: u64, flags: MemFlags, of_host: bool, options: Options) -> AllocRequest {
    let as_userptr = of_host && !flags.non_paged() && options.paged_is_userptr;
    let kind = match (of_host, as_userptr) {
        (false, _) => MemoryKind::Vram,
        (true, true) => MemoryKind::SystemFine,
        (true, false) => MemoryKind::Gtt,
    };
    let mut raw = AllocFlags::NO_SUBSTITUTE
        | AllocFlags::EXECUTABLE
        | match kind {
            MemoryKind::Vram => AllocFlags::VRAM,
            MemoryKind::Gtt => AllocFlags::GTT,
            _ => AllocFlags::USERPTR,
        };
    raw.set(AllocFlags::PUBLIC, !of_host && flags.host_access());
    raw.set(AllocFlags::WRITABLE, !flags.read_only());
    raw.set(AllocFlags::COHERENT, !flags.coarse_grain() || options.disable_cache);
    raw.set(AllocFlags::UNCACHED, flags.uncached() || flags.aql_queue_memory() || options.disable_cache);
    raw.set(AllocFlags::AQL_QUEUE_MEM, flags.aql_queue_memory());
    raw.set(AllocFlags::EXT_COHERENT, flags.extended_coherent());
    raw.set(AllocFlags::CONTIGUOUS_BEST_EFFORT, !of_host && flags.contiguous());
    let mut request = AllocRequest::new(kind, node.id, size).access(GpuAccess::None);
    request.raw_flags = Some(raw);
    request.host_access = flags.host_access();
    request.seen_twice = flags.aql_queue_memory();
    if as_userptr && !flags.no_numa_bind() {
        request.numa = Some(Numa { node: node.id.0, strict: flags.no_substitute() });
    }
    request
}

pub fn free(address: u64, _size: u64) -> Result<()> {
    let mut library = library();
    let opened = library.opened()?;
    if address == 0 {
        return Err(Status::ERROR);
    }
    let told = opened.memory_at(address);
    match opened.memory.free(address) {
        Err(thunk_rs::TableError::NotFound(_)) => Err(Status::MEMORY_NOT_REGISTERED),
        other => {
            opened.forget_arrays(told);
            Ok(other?)
        }
    }
}

pub fn available(number: u32, bytes: Ptr<u64>) -> Result<()> {
    let mut library = library();
    let (opened, snapshot) = library.both()?;
    let free = opened.thunk.available_memory(snapshot.id(number)?).map_err(|_| Status::ERROR)?;
    bytes.set(free)
}

fn register_to(address: u64, size: u64, nodes: &[NodeId], coarse: bool) -> Result<()> {
    let kind = if coarse { MemoryKind::SystemCoarse } else { MemoryKind::SystemFine };
    Ok(library().opened()?.memory.register(address, size, nodes, kind)?)
}

pub fn register(address: u64, size: u64) -> Result<()> {
    register_to(address, size, &[], true)
}

pub fn register_to_nodes(address: u64, size: u64, count: u64, nodes: Ptr<u32>) -> Result<()> {
    let ids = library().both()?.1.ids(nodes, count)?;
    register_to(address, size, &ids, true)
}

pub fn register_with_flags(address: u64, size: u64, flags: MemFlags) -> Result<()> {
    library().opened()?;
    if !flags.host_access() || flags.non_paged() {
        return Err(Status::NOT_SUPPORTED);
    }
    register_to(address, size, &[], flags.coarse_grain())
}

pub fn deregister(address: u64) -> Result<()> {
    let mut library = library();
    let opened = library.opened()?;
    let told = opened.memory_at(address);
    opened.memory.deregister(address)?;
    opened.forget_arrays(told);
    Ok(())
}

pub fn map(address: u64, size: u64, alternate: Ptr<u64>) -> Result<()> {
    let mut library = library();
    let opened = library.opened()?;
    if address == 0 {
        return Err(Status::ERROR);
    }
    alternate.set_if_wanted(0);
    if let Some(va) = opened.memory.map(address, size).map_err(|_| Status::ERROR)? {
        alternate.set_if_wanted(va);
    }
    Ok(())
}

pub fn map_to_nodes(
    address: u64,
    size: u64,
    alternate: Ptr<u64>,
    _flags: u32,
    count: u64,
    nodes: Ptr<u32>,
) -> Result<()> {
    if address == 0 {
        return Err(Status::ERROR);
    }
    let mut library = library();
    let (opened, snapshot) = library.both()?;
    let ids = snapshot.ids(nodes, count)?;
    if let Some(va) = opened.memory.map_to(address, size, &ids).map_err(|_| Status::ERROR)? {
        alternate.set_if_wanted(va);
    }
    Ok(())
}

pub fn unmap(address: u64) -> Result<()> {
    let mut library = library();
    let opened = library.opened()?;
    if address == 0 {
        return Ok(());
    }
    opened.memory.unmap(address).map_err(|_| Status::ERROR)
}

pub fn unmap_graphic(_number: u32, address: u64, _size: u64) -> Result<()> {
    unmap(address)
}

pub fn tile_config(number: u32, config: Ptr<GpuTileConfig>) -> Result<()> {
    let mut library = library();
    let (opened, snapshot) = library.both()?;
    let id = snapshot.id(number)?;
    let mut out = config.get()?;
    let (tiles, macro_tiles) = (out.num_tile_configs as usize, out.num_macro_tile_configs as usize);
    let told = opened.thunk.tile_config(id, tiles, macro_tiles).map_err(|_| Status::ERROR)?;
    Ptr::<u32>::at(out.tile_config).set_array(&told.tiles)?;
    Ptr::<u32>::at(out.macro_tile_config).set_array(&told.macro_tiles)?;
    out.num_tile_configs = told.tiles.len() as u32;
    out.num_macro_tile_configs = told.macro_tiles.len() as u32;
    (out.gb_addr_config, out.num_banks, out.num_ranks) = (told.gb_addr_config, told.banks, told.ranks);
    config.set(out)
}

pub fn pointer_info(pointer: u64, info: Ptr<PointerInfo>) -> Result<()> {
    if info.is_null() {
        return Err(Status::INVALID_PARAMETER);
    }
    let mut out = PointerInfo::new_zeroed();
    out.r#type = pointer_type::UNKNOWN;
    info.set(out)?;
    let mut library = library();
    let (opened, snapshot) = library.both().map_err(|_| Status::ERROR)?;
    let entry = opened.memory.containing(pointer).ok_or(Status::ERROR)?;
    out.r#type = match entry.memory().origin() {
        Origin::Allocated => pointer_type::ALLOCATED,
        Origin::User => pointer_type::REGISTERED_USER,
        Origin::Shared => pointer_type::REGISTERED_SHARED,
        Origin::Dmabuf => pointer_type::REGISTERED_GRAPHICS,
    };
    out.node = snapshot.number(entry.location())?;
    out.mem_flags = match entry.memory().origin() {
        Origin::User | Origin::Dmabuf => flags_of_kfds(entry.memory()).0,
        _ => entry.caller_flags(),
    };
    out.cpu_address = entry.host_address().unwrap_or(0);
    out.gpu_address = entry.gpu_address();
    out.size_in_bytes = entry.size();
    out.user_data = entry.user_data();
    let registered = snapshot.numbers(entry.registered_nodes());
    let mapped = snapshot.numbers(entry.mapped_nodes());
    let va = entry.memory().va();
    (out.n_registered_nodes, out.n_mapped_nodes) = (registered.len() as u32, mapped.len() as u32);
    out.registered_nodes = opened.array((va, 0), registered);
    out.mapped_nodes = opened.array((va, 1), mapped);
    info.set(out)
}

/// The caller's flags that KFD's would follow from, of memory for which the caller gave none.
fn flags_of_kfds(memory: &thunk_rs::Memory) -> MemFlags {
    let flags = AllocFlags::from_bits_retain(memory.raw_flags());
    let coarse = memory.origin() == Origin::Dmabuf || !flags.contains(AllocFlags::COHERENT);
    MemFlags::of(&[
        (3, !flags.contains(AllocFlags::WRITABLE)),
        (13, coarse),
        (6, flags.contains(AllocFlags::PUBLIC)),
    ])
}

pub fn set_user_data(pointer: u64, data: u64) -> Result<()> {
    let mut library = library();
    let opened = library.opened().map_err(|_| Status::ERROR)?;
    opened.memory.set_user_data(pointer, data).map_err(|_| Status::ERROR)
}
