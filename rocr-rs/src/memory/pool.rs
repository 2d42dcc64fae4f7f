//! Memory pools: the kinds of memory an agent has.

use super::Memory;
use crate::{Agent, AgentKind, Error, MemoryOrigin};

/// The kinds of pool an agent has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PoolKind {
    /// Coherent at kernel boundaries. On a GPU: its own memory, host visible.
    CoarseGrained,
    /// Coherent while kernels run.
    FineGrained,
    /// System memory for kernel arguments: fine-grained, and a GPU agent's too lies with the host.
    Kernarg,
}

/// A memory pool of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryPool {
    pub(crate) agent: Agent,
    pub(crate) kind: PoolKind,
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

    /// Whether the memory lies with the host.
    pub fn is_system(&self) -> bool {
        self.kind == PoolKind::Kernarg || self.agent.kind() == AgentKind::Cpu
    }

    /// Bytes in all.
    pub fn size(&self) -> u64 {
        if self.is_system() {
            self.agent.runtime().core.cpu().memory_bytes
        } else {
            self.agent.properties().memory_bytes
        }
    }

    /// Allocates `bytes` bytes, at the start of a page. The host and the pool's agent (for system memory: all GPU
    /// agents) have access. The contents are zero.
    pub fn allocate(&self, bytes: usize) -> Result<Memory, Error> {
        let runtime = self.agent.runtime();
        let block = runtime.core.allocate_pool(&self.agent, self.kind, bytes)?;
        let origin = MemoryOrigin::Pool(self.kind);
        runtime.core.allocations.insert(&block, self.agent.node_id(), origin, self.is_system());
        Ok(Memory::new(runtime.clone(), block, bytes))
    }
}
