//! Memory that leaves or enters the process (`hsa_amd_ipc_memory_…`, `hsa_amd_portable_…`, `hsa_amd_interop_…`).
//!
//! Between processes memory goes by a handle of 32 bytes, which is libhsakmt's: the two sides may be of different
//! libraries. The handle's ioctls are of AMD's out-of-tree driver. Where only the kernel's own driver is, a dma-buf goes
//! the same way, by a socket of the program.

use std::os::fd::{AsRawFd as _, BorrowedFd, OwnedFd};
use std::sync::Arc;

use thunk_rs::{NodeId, SharedHandle};

use super::{Block, Memory};
use crate::{Agent, AgentKind, Error, MemoryOrigin, Runtime};

const PAGE: u64 = 4096;
/// In word 6 of the vendor's handles: the memory is a part of what the handle means, and so many pages from its begin.
const PART: u32 = 0x8000_0000;
const PART_PAGES: u32 = 0x1ff;

/// A handle by which another process can attach memory (`hsa_amd_ipc_memory_t`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedMemory {
    /// What the header says only the size of.
    pub words: [u32; 8],
}

impl SharedMemory {
    /// The whole memory's handle, and where in it the part begins.
    fn split(&self) -> (SharedHandle, u64) {
        let mut words = self.words;
        if words[6] & PART == 0 {
            return (SharedHandle::from_words(words), 0);
        }
        let offset = u64::from(words[6] & PART_PAGES) * PAGE;
        words[6] &= !(PART | PART_PAGES);
        (SharedHandle::from_words(words), offset)
    }
}

fn driver(what: &'static str) -> impl Fn(thunk_rs::Error) -> Error {
    move |source| Error::Driver { what, source }
}

/// A handle for a block's memory.
pub(crate) fn share(block: &Block) -> Result<SharedMemory, Error> {
    let shared = block.memory.share(0).map_err(driver("share memory"))?;
    let too_large = || Error::InvalidArgument {
        what: "memory to share",
        why: format!("{:#x} bytes are more than a handle can tell", shared.size),
    };
    Ok(SharedMemory { words: shared.to_words().ok_or_else(too_large)? })
}

impl Memory {
    /// A handle by which another process can attach this memory.
    pub fn share(&self) -> Result<SharedMemory, Error> {
        share(self.block()?)
    }
}

impl Runtime {
    /// As [`Memory::share`], for memory that [`Memory::into_va`] let go. `va` is its first address.
    pub fn share_memory(&self, va: u64) -> Result<SharedMemory, Error> {
        self.core
            .allocations
            .with_kept(va, |base, _, block| if base == va { Some(share(block)) } else { None })
            .flatten()
            .ok_or(Error::UnknownAddress { va })?
    }

    /// Attaches memory of another process, for the GPUs among `agents`, or for all when there are none. The address need
    /// not be the one there. Of a handle that means a part of memory, the part's address and offset come back with it.
    pub fn attach(self: &Arc<Self>, shared: &SharedMemory, agents: &[Agent]) -> Result<(Memory, u64), Error> {
        let (handle, offset) = shared.split();
        let memory = self.core.thunk.open_shared(&handle).map_err(driver("attach memory"))?;
        if offset >= memory.size() {
            return Err(Error::InvalidArgument {
                what: "handle of memory",
                why: format!("its part begins at {offset:#x}, beyond {:#x} bytes", memory.size()),
            });
        }
        Ok((self.imported(memory, MemoryOrigin::Shared, agents)?, offset))
    }

    /// Whether the driver makes dma-bufs (KFD interface 1.12).
    pub fn exports_dmabufs(&self) -> bool {
        self.core.gpus().next().is_some() && self.core.thunk.version() >= (1, 12)
    }

    /// Makes a dma-buf of the memory that `va..va + bytes` lies in: its descriptor, and the offset of `va`.
    pub fn export_dmabuf(&self, va: u64, bytes: usize) -> Result<(OwnedFd, u64), Error> {
        let export = |base: u64, size: usize, block: &Block| {
            let offset = va - base;
            if offset.checked_add(bytes as u64).is_none_or(|end| end > size as u64) {
                return Err(Error::UnknownAddress { va });
            }
            Ok((block.memory.export_dmabuf().map_err(driver("export a dma-buf"))?, offset))
        };
        self.core.allocations.with_kept(va, export).ok_or(Error::UnknownAddress { va })?
    }

    /// Takes in the memory of a dma-buf, for the GPUs among `agents`, or for all when there are none, and what its exporter
    /// says of it. The host does not reach it: dma-bufs are mapped by themselves.
    pub fn import_dmabuf(
        self: &Arc<Self>,
        dmabuf: BorrowedFd<'_>,
        agents: &[Agent],
    ) -> Result<(Memory, Vec<u8>), Error> {
        let thunk = &self.core.thunk;
        let info = thunk.dmabuf_info(dmabuf.as_raw_fd()).map_err(driver("look at a dma-buf"))?;
        let memory = thunk.import_dmabuf(dmabuf.as_raw_fd(), &info).map_err(driver("import a dma-buf"))?;
        Ok((self.imported(memory, MemoryOrigin::Dmabuf, agents)?, info.metadata))
    }

    fn imported(
        self: &Arc<Self>,
        memory: thunk_rs::Memory,
        origin: MemoryOrigin,
        agents: &[Agent],
    ) -> Result<Memory, Error> {
        let gpu = |agent: &&Agent| agent.kind() == AgentKind::Gpu;
        let mut nodes: Vec<NodeId> = agents.iter().filter(gpu).map(|agent| NodeId(agent.node_id())).collect();
        if agents.is_empty() {
            nodes = self.core.gpus().map(|(_, agent)| NodeId(agent.node_id)).collect();
        }
        memory.map(&nodes).map_err(driver("give access"))?;
        let (node, bytes) = (memory.node().0, memory.size() as usize);
        let block = Block { memory, own: None };
        self.core.allocations.insert(&block, node, origin, false);
        Ok(Memory::new(self.clone(), block, bytes))
    }
}
