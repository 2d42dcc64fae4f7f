//! Memory: pools, allocations, what is known of an address, copies (`hsa_ext_amd.h`, memory pools).

mod copy;

pub use copy::{copy, fill};

use crate::{Agent, Error};

/// The kinds of pool an agent has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PoolKind {
    /// Coherent at kernel boundaries. On a GPU: its own memory, host visible.
    CoarseGrained,
    /// Coherent while kernels run.
    FineGrained,
    /// System memory for kernel arguments.
    Kernarg,
}

/// A memory pool of an agent.
#[derive(Debug, Clone)]
pub struct MemoryPool {
    agent: Agent,
    kind: PoolKind,
}

impl MemoryPool {
    /// The agent whose pool this is.
    pub fn agent(&self) -> &Agent {
        &self.agent
    }
    /// The kind of memory.
    pub fn kind(&self) -> PoolKind {
        self.kind
    }
    /// Bytes in all.
    pub fn size(&self) -> u64 {
        0
    }
    /// Allocates `bytes` bytes, aligned to a page when large and to 256 bytes at least. The host and the pool's agent
    /// (for system memory: all GPU agents) have access.
    pub fn allocate(&self, bytes: usize) -> Result<Memory, Error> {
        let _ = bytes;
        unreachable!()
    }
}

/// Memory that was allocated or locked; freed on drop.
#[derive(Debug)]
pub struct Memory {
    va: u64,
    bytes: usize,
}

impl Memory {
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
    /// Gives agents access.
    pub fn allow_access(&self, agents: &[Agent]) -> Result<(), Error> {
        let _ = agents;
        Ok(())
    }
    /// Lets go of the memory: it stays allocated until [`Runtime::free`](crate::Runtime::free) is given the address.
    pub fn into_va(self) -> u64 {
        self.va
    }
    /// Copies `bytes` into the memory at `offset`.
    pub fn write(&self, offset: usize, bytes: &[u8]) -> Result<(), Error> {
        let _ = (offset, bytes);
        Ok(())
    }
    /// Copies from the memory at `offset`.
    pub fn read(&self, offset: usize, bytes: &mut [u8]) -> Result<(), Error> {
        let _ = (offset, bytes);
        Ok(())
    }
}

/// Where memory comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemoryOrigin {
    /// A pool of an agent.
    Pool(PoolKind),
    /// Host memory that was locked.
    Locked,
    /// A loaded code object.
    Code,
}

/// What is known of an allocation.
#[derive(Debug, Clone)]
pub struct MemoryInfo {
    /// First address.
    pub base: u64,
    /// Bytes.
    pub size: usize,
    /// The agent whose memory it is.
    pub owner: Agent,
    /// Where it comes from.
    pub origin: MemoryOrigin,
    /// Whether it is the host's memory.
    pub system: bool,
    /// Whether the host may access it.
    pub host_access: bool,
}
