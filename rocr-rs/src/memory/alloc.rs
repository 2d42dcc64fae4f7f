//! Allocations: [`Block`] is memory of the driver with the accesses this crate needs, [`Memory`] is what a program
//! holds.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering},
    },
};

use thunk_rs::{AllocRequest, GpuAccess, MemoryKind, NodeId};

use super::PoolKind;
use crate::{Agent, AgentKind, Error, Runtime, core::Core};

/// Bytes of [`Core::allocate_shareable`].
const SHAREABLE: u64 = 4096;

/// Memory of the driver; freed on drop. Offsets come from this crate alone: one that is out of range is a bug here,
/// and panics.
pub(crate) struct Block {
    pub(super) memory: thunk_rs::Memory,
    /// Counts it as the runtime's own, where it is.
    pub(super) own: Option<Own>,
}

/// Bytes of an agent that the runtime keeps for itself, counted while this is there.
pub(crate) struct Own {
    count: Arc<AtomicU64>,
    bytes: u64,
}

impl Own {
    pub(crate) fn new(count: &Arc<AtomicU64>, bytes: u64) -> Self {
        count.fetch_add(bytes, Ordering::Relaxed);
        Self { count: count.clone(), bytes }
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        self.count.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl Block {
    pub(crate) fn va(&self) -> u64 {
        self.memory.va()
    }
    pub(crate) fn bytes(&self) -> usize {
        self.memory.size() as usize
    }
    /// The GPUs that have access.
    pub(crate) fn gpu_nodes(&self) -> Vec<u32> {
        self.memory.mapped_to().into_iter().map(|node| node.0).collect()
    }
    pub(crate) fn host_access(&self) -> bool {
        self.memory.host_access()
    }
    /// The aligned word at `offset`, which the device may write too.
    pub(crate) fn u32_at(&self, offset: usize) -> &AtomicU32 {
        self.memory.atomic_u32(offset as u64).expect("offset of this crate")
    }
    /// As [`u32_at`](Self::u32_at), 64 bits.
    pub(crate) fn u64_at(&self, offset: usize) -> &AtomicU64 {
        self.memory.atomic_u64(offset as u64).expect("offset of this crate")
    }
    /// As [`u32_at`](Self::u32_at), 64 bits with sign.
    pub(crate) fn i64_at(&self, offset: usize) -> &AtomicI64 {
        self.memory.atomic_i64(offset as u64).expect("offset of this crate")
    }
    /// Copies `data` in.
    pub(crate) fn write_bytes(&self, offset: usize, data: &[u8]) {
        self.memory.write(offset as u64, data).expect("range of this crate");
    }
}

impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Block({:#x}, {:#x} bytes)", self.va(), self.bytes())
    }
}

impl Core {
    /// System memory that the host and all GPUs share, coherent at any time.
    pub(crate) fn allocate_shared(&self, bytes: usize, what: &'static str) -> Result<Block, Error> {
        let request = AllocRequest::new(MemoryKind::SystemFine, self.first_gpu(), bytes as u64).executable();
        self.allocate(&request, "host", what)
    }

    /// A page that the host and all GPUs share, coherent at any time, and that can be given to other processes.
    pub(crate) fn allocate_shareable(&self) -> Result<Block, Error> {
        let request = AllocRequest::new(MemoryKind::Gtt, self.first_gpu(), SHAREABLE).access(GpuAccess::All);
        self.allocate(&request, "host", "shareable")
    }

    /// Memory of a GPU for code.
    pub(crate) fn allocate_code(&self, agent: &Agent, bytes: usize) -> Result<Block, Error> {
        let request = AllocRequest::new(MemoryKind::Vram, NodeId(agent.node_id()), bytes as u64).executable();
        self.allocate_own(&request, agent, "code")
    }

    /// Memory of a GPU that the host does not look at.
    pub(crate) fn allocate_scratch(&self, agent: &Agent, bytes: u64) -> Result<Block, Error> {
        let request = AllocRequest::new(MemoryKind::Vram, NodeId(agent.node_id()), bytes).device_only();
        self.allocate_own(&request, agent, "scratch")
    }

    /// Memory of a GPU that no program asked for.
    fn allocate_own(
        &self,
        request: &AllocRequest,
        agent: &Agent,
        kind: &'static str,
    ) -> Result<Block, Error> {
        let mut block = self.allocate(request, agent.name(), kind)?;
        block.own = Some(Own::new(&self.own_bytes[agent.index], block.memory.size()));
        Ok(block)
    }

    /// Memory of a pool.
    pub(crate) fn allocate_pool(&self, agent: &Agent, kind: PoolKind, bytes: usize) -> Result<Block, Error> {
        let gpu = agent.kind() == AgentKind::Gpu;
        let (memory, what) = match kind {
            PoolKind::CoarseGrained if gpu => (MemoryKind::Vram, "coarse-grained"),
            PoolKind::FineGrained if gpu => (MemoryKind::VramFine, "fine-grained"),
            PoolKind::CoarseGrained => (MemoryKind::SystemCoarse, "coarse-grained system"),
            PoolKind::FineGrained => (MemoryKind::SystemFine, "fine-grained system"),
            PoolKind::Kernarg => (MemoryKind::SystemFine, "kernarg"),
        };
        // Programs may write code themselves, and call it: ROCr's pools are executable too.
        let request = AllocRequest::new(memory, NodeId(agent.node_id()), bytes as u64).executable();
        self.allocate(&request, agent.name(), what)
    }

    fn allocate(&self, request: &AllocRequest, agent: &str, kind: &'static str) -> Result<Block, Error> {
        let memory = self.thunk.allocate(request).map_err(|source| Error::Allocation {
            agent: agent.to_owned(),
            kind,
            bytes: request.size,
            source,
        })?;
        Ok(Block { memory, own: None })
    }
}

/// Memory that was allocated or locked; freed on drop.
pub struct Memory {
    runtime: Arc<Runtime>,
    /// `None` only after `into_va`.
    block: Option<Block>,
    va: u64,
    bytes: usize,
}

impl Memory {
    pub(crate) fn new(runtime: Arc<Runtime>, block: Block, bytes: usize) -> Self {
        Self { runtime, va: block.va(), bytes, block: Some(block) }
    }

    /// Address, the same for host and agents.
    pub fn va(&self) -> u64 {
        self.va
    }

    /// Address as a host pointer.
    pub fn as_ptr(&self) -> *mut u8 {
        self.va as *mut u8
    }

    /// Bytes that were asked for.
    pub fn size(&self) -> usize {
        self.bytes
    }

    /// Counts it as memory that no program asked for ([`Agent::runtime_memory`]).
    pub fn of_runtime(mut self) -> Self {
        let core = &self.runtime.core;
        if let Some(block) = &mut self.block
            && let Some(agent) = core.index_of_node(block.memory.node().0)
        {
            block.own = Some(Own::new(&core.own_bytes[agent], block.memory.size()));
        }
        self
    }

    /// Gives GPU agents access. The host has it always.
    pub fn allow_access(&self, agents: &[Agent]) -> Result<(), Error> {
        let nodes: Vec<NodeId> = agents
            .iter()
            .filter(|agent| agent.kind() == AgentKind::Gpu)
            .map(|agent| NodeId(agent.node_id()))
            .collect();
        self.memory()?.map(&nodes).map_err(|source| Error::Driver { what: "give access", source })?;
        self.runtime.core.allocations.note_access(self.block()?);
        Ok(())
    }

    /// Lets go of the memory: it stays allocated until [`Runtime::free`] is given the address.
    pub fn into_va(mut self) -> u64 {
        let va = self.va;
        if let Some(block) = self.block.take() {
            // Without a row nothing could free it by address; it is freed now. Every `Memory` has one.
            drop(self.runtime.core.allocations.keep(block));
        }
        va
    }

    /// Takes the block out: it is memory of the runtime's own from now on, which nobody finds by address.
    pub(crate) fn into_block(mut self) -> Result<Block, Error> {
        self.runtime.core.allocations.remove(self.va);
        self.block.take().ok_or(Error::UnknownAddress { va: self.va })
    }

    /// Copies `bytes` into the memory at `offset`.
    pub fn write(&self, offset: usize, bytes: &[u8]) -> Result<(), Error> {
        self.memory()?
            .write(offset as u64, bytes)
            .map_err(|source| Error::Driver { what: "write memory", source })
    }

    /// Copies from the memory at `offset`.
    pub fn read(&self, offset: usize, bytes: &mut [u8]) -> Result<(), Error> {
        self.memory()?
            .read(offset as u64, bytes)
            .map_err(|source| Error::Driver { what: "read memory", source })
    }

    /// An aligned 64-bit word at `offset`, which agents may write too.
    pub fn atomic_u64(&self, offset: usize) -> Result<&AtomicU64, Error> {
        self.memory()?
            .atomic_u64(offset as u64)
            .map_err(|source| Error::Driver { what: "look at memory", source })
    }

    /// An aligned 32-bit word at `offset`, which agents may write too.
    pub fn atomic_u32(&self, offset: usize) -> Result<&AtomicU32, Error> {
        self.memory()?
            .atomic_u32(offset as u64)
            .map_err(|source| Error::Driver { what: "look at memory", source })
    }

    fn memory(&self) -> Result<&thunk_rs::Memory, Error> {
        Ok(&self.block()?.memory)
    }

    pub(super) fn block(&self) -> Result<&Block, Error> {
        self.block.as_ref().ok_or(Error::UnknownAddress { va: self.va })
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if self.block.is_some() {
            self.runtime.core.allocations.remove(self.va);
        }
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Memory({:#x}, {:#x} bytes)", self.va, self.bytes)
    }
}

impl Runtime {
    /// Frees memory that [`Memory::into_va`] let go.
    pub fn free(&self, va: u64) -> Result<(), Error> {
        let block = self.core.allocations.take(va).ok_or(Error::UnknownAddress { va })?;
        let Block { memory, .. } = block;
        self.core.thunk.free(memory).map_err(|source| Error::Driver { what: "free memory", source })
    }
}
