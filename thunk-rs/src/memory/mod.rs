//! Memory: allocate, map, unmap, free. GPU and host see it at the same address.
//! libhsakmt's `memory.c` and `fmm.c`, without its tables of addresses: every allocation owns its own range.

mod access;
mod block;
mod buffer;
mod request;
mod scratch;
mod share;
pub mod table;
mod userptr;
mod va;

use std::sync::Arc;

use kfd_sys::memory::{AllocFlags, GetAvailableMemoryArgs};
use kfd_sys::{DeviceFile, Prot};
use parking_lot::Mutex;

pub(crate) use access::owned_fd;
pub(crate) use block::Block;
pub use buffer::{AddressRange, Buffer};
pub use request::{AllocRequest, GpuAccess, MemoryKind, Numa};
pub use scratch::Scratch;
pub use share::{DmabufInfo, SharedHandle};
pub(crate) use va::Reservation;

use crate::context::{Context, Gpu};
use crate::topology::NodeId;
use crate::{Error, Result, Thunk};

pub(crate) const PAGE: u64 = 4096;
/// Allocations of this size and more are aligned to it, so that page tables can use large pages.
const LARGE_PAGE: u64 = 2 << 20;

/// How memory came to be ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Origin {
    /// It was allocated here.
    Allocated,
    /// It is the program's, and was registered.
    User,
    /// It is of another process, and came by a handle.
    Shared,
    /// It came as a dma-buf.
    Dmabuf,
}

/// Memory that GPUs can reach. Dropping it unmaps and frees it.
pub struct Memory {
    context: Arc<Context>,
    kind: MemoryKind,
    node: NodeId,
    host: bool,
    /// `None` only while it is being freed.
    block: Mutex<Option<Block>>,
    va: u64,
    host_va: u64,
    size: u64,
    handle: u64,
    origin: Origin,
    flags: u32,
}

impl Thunk {
    /// Allocates memory and maps it to the GPUs that the request names.
    pub fn allocate(&self, request: &AllocRequest) -> Result<Memory> {
        if request.size == 0 {
            return Err(Error::request("allocate", "size is 0"));
        }
        if request.alignment != 0 && !request.alignment.is_power_of_two() {
            let problem = format!("alignment {} is not a power of two", request.alignment);
            return Err(Error::request("allocate", problem));
        }
        let size = request
            .size
            .checked_next_multiple_of(PAGE)
            .ok_or_else(|| Error::request("allocate", format!("size {:#x}", request.size)))?;
        let natural = if size >= LARGE_PAGE { LARGE_PAGE } else { PAGE };
        let alignment = request.alignment.max(natural);

        let context = &self.context;
        let gpu = self.owner(request)?;
        let flags = request.flags();
        let minor = gpu.render_minor;
        let host = request.host_access || request.kind.is_system();
        let whole = if request.seen_twice { size.checked_mul(2) } else { Some(size) };
        let whole = whole.ok_or_else(|| Error::request("allocate", format!("size {size:#x}, twice")))?;
        let va = match request.fixed_address {
            None => Reservation::reserve(whole, alignment)?,
            Some(va) if va.is_multiple_of(PAGE) && va != 0 => Reservation::reserve_at(va, whole)?,
            Some(va) => return Err(Error::request("allocate", format!("address {va:#x}"))),
        };
        let block = if flags.contains(AllocFlags::USERPTR) {
            va.fill_anonymous(size)?;
            if let Some(numa) = request.numa {
                va.bind_to_numa(size, numa)?;
            }
            va.prefer_large_pages();
            let host_va = va.va();
            Block::create(context, gpu, va, flags, host_va, |_, _, _| Ok(()))?
        } else {
            Block::create(context, gpu, va, flags, 0, |va, kfd, offset| {
                let (file, prot) = (DeviceFile::Render(minor), Prot::READ | Prot::WRITE);
                let times = if request.seen_twice { 2 } else { 1 };
                (0..if host { times } else { 0 })
                    .try_for_each(|copy| va.map_device_at(kfd, file, prot, offset, copy * size, size))
            })?
        };
        let memory =
            self.own(block, request.kind, gpu.node, host).with_origin(Origin::Allocated, flags.bits());
        match &request.access {
            GpuAccess::None => {}
            GpuAccess::Owner => memory.map(&[gpu.node])?,
            GpuAccess::All => memory.map(&context.gpus.iter().map(|gpu| gpu.node).collect::<Vec<_>>())?,
            GpuAccess::Nodes(nodes) => memory.map(nodes)?,
        }
        Ok(memory)
    }

    /// Frees memory; as dropping it, but says what went wrong.
    pub fn free(&self, memory: Memory) -> Result<()> {
        memory.close()
    }

    /// The page with a GPU's HDP flush registers: offset 0 flushes what the host wrote to VRAM, offset 4 what it wrote
    /// to registers.
    pub fn hdp_flush_page(&self, node: NodeId) -> Result<Memory> {
        let gpu = self.context.gpu(node)?;
        let flags =
            AllocFlags::MMIO_REMAP | AllocFlags::COHERENT | AllocFlags::NO_SUBSTITUTE | AllocFlags::WRITABLE;
        let va = Reservation::reserve(PAGE, PAGE)?;
        let block = Block::create(&self.context, gpu, va, flags, 0, |va, kfd, offset| {
            va.map_device(kfd, DeviceFile::Kfd, Prot::READ | Prot::WRITE, offset)
        })?;
        let memory = self.own(block, MemoryKind::Mmio, node, true);
        memory.map(&[node])?;
        Ok(memory)
    }

    /// Bytes of VRAM that are free.
    pub fn available_memory(&self, node: NodeId) -> Result<u64> {
        let gpu_id = self.context.gpu(node)?.gpu_id;
        let mut args = GetAvailableMemoryArgs { gpu_id, ..Default::default() };
        self.context.call(&mut args, |a| format!("gpu {gpu_id}: {} bytes", a.available))?;
        Ok(args.available)
    }

    /// The GPU that an allocation is made on: the node itself, or the first GPU when the node is the host.
    fn owner(&self, request: &AllocRequest) -> Result<&Gpu> {
        match self.context.gpu(request.node) {
            Ok(gpu) => Ok(gpu),
            Err(error) if request.kind.is_system() => self.context.gpus.first().ok_or(error),
            Err(error) => Err(error),
        }
    }

    fn own(&self, block: Block, kind: MemoryKind, node: NodeId, host: bool) -> Memory {
        Memory {
            origin: Origin::Allocated,
            flags: 0,
            host_va: block.va(),
            context: Arc::clone(&self.context),
            kind,
            node,
            host,
            va: block.va(),
            size: block.size(),
            handle: block.handle(),
            block: Mutex::new(Some(block)),
        }
    }
}

impl Memory {
    /// Address, for GPU and host.
    pub fn va(&self) -> u64 {
        self.va
    }

    /// Address for the host: that for GPUs, unless it is the program's memory registered apart.
    pub fn host_va(&self) -> u64 {
        self.host_va
    }

    /// How it came to be ours.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// KFD's flags of it; of memory of another process what the exporter said.
    pub fn raw_flags(&self) -> u32 {
        self.flags
    }

    fn with_origin(mut self, origin: Origin, flags: u32) -> Memory {
        (self.origin, self.flags) = (origin, flags);
        self
    }

    /// Bytes, rounded up to pages.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// KFD's handle.
    pub fn handle(&self) -> u64 {
        self.handle
    }

    /// What it is.
    pub fn kind(&self) -> MemoryKind {
        self.kind
    }

    /// The GPU that it was allocated on.
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// Can the host reach it?
    pub fn host_access(&self) -> bool {
        self.host
    }

    /// The GPUs that it is mapped to.
    pub fn mapped_to(&self) -> Vec<NodeId> {
        let block = self.block.lock();
        let ids = block.as_ref().map_or(&[][..], |block| block.mapped());
        ids.iter().filter_map(|id| self.context.node_of_gpu_id(*id)).collect()
    }

    /// Maps it to more GPUs; those that have it already are left alone.
    pub fn map(&self, nodes: &[NodeId]) -> Result<()> {
        let gpu_ids = self.gpu_ids(nodes)?;
        match self.block.lock().as_mut() {
            Some(block) => block.map_to(&self.context, &gpu_ids),
            None => Ok(()),
        }
    }

    /// Unmaps it from GPUs; those that do not have it are left alone.
    pub fn unmap(&self, nodes: &[NodeId]) -> Result<()> {
        let gpu_ids = self.gpu_ids(nodes)?;
        match self.block.lock().as_mut() {
            Some(block) => block.unmap_from(&*self.context.kfd, &gpu_ids),
            None => Ok(()),
        }
    }

    fn gpu_ids(&self, nodes: &[NodeId]) -> Result<Vec<u32>> {
        nodes.iter().map(|node| Ok(self.context.gpu(*node)?.gpu_id)).collect()
    }

    fn close(&self) -> Result<()> {
        match self.block.lock().take() {
            Some(block) => block.release(&*self.context.kfd),
            None => Ok(()),
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Err(error) = self.close() {
            tracing::warn!(target: "thunk", %error, "memory {:#x} was not freed", self.va);
        }
    }
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Memory({:?}, {:#x}..{:#x})", self.kind, self.va, self.va + self.size)
    }
}
