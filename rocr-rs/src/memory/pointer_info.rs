//! What is known of an address (`hsa_amd_pointer_info`): the table of all allocations by their first address.

use std::collections::BTreeMap;

use parking_lot::RwLock;

use super::{Block, PoolKind};
use crate::Agent;

/// Where memory comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemoryOrigin {
    /// A pool of an agent.
    Pool(PoolKind),
    /// Host memory that was locked.
    Locked,
    /// A loaded code object.
    Code,
    /// Memory of another process, attached by a handle.
    Shared,
    /// Memory that came as a dma-buf.
    Dmabuf,
    /// Reserved addresses, with or without memory.
    Reserved,
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
    /// The nodes of the GPUs that may access it.
    pub gpu_nodes: Vec<u32>,
}

/// First address and bytes.
pub(crate) type Extent = (u64, usize);

/// One row of the table.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) bytes: usize,
    pub(crate) node: u32,
    pub(crate) origin: MemoryOrigin,
    pub(crate) system: bool,
    pub(crate) host_access: bool,
    /// The nodes of the GPUs that had access when that was last said; a kept block knows by itself.
    pub(crate) gpus: Vec<u32>,
    /// Memory that its owner let go of, until it is freed by address.
    pub(crate) kept: Option<Block>,
}

/// All allocations of a runtime.
#[derive(Debug, Default)]
pub(crate) struct Allocations {
    table: RwLock<BTreeMap<u64, Entry>>,
}

impl Allocations {
    pub(crate) fn insert(&self, block: &Block, node: u32, origin: MemoryOrigin, system: bool) {
        let entry = Entry {
            bytes: block.bytes(),
            node,
            origin,
            system,
            host_access: block.host_access(),
            gpus: block.gpu_nodes(),
            kept: None,
        };
        self.table.write().insert(block.va(), entry);
    }

    pub(crate) fn remove(&self, va: u64) {
        self.table.write().remove(&va);
    }

    /// Notes which GPUs have access to a block.
    pub(crate) fn note_access(&self, block: &Block) {
        if let Some(entry) = self.table.write().get_mut(&block.va()) {
            entry.gpus = block.gpu_nodes();
        }
    }

    /// Keeps a block in its row; gives it back when there is no such row.
    pub(crate) fn keep(&self, block: Block) -> Option<Block> {
        match self.table.write().get_mut(&block.va()) {
            Some(entry) => entry.kept.replace(block),
            None => Some(block),
        }
    }

    /// Takes a kept block out, and its row.
    pub(crate) fn take(&self, va: u64) -> Option<Block> {
        let mut table = self.table.write();
        table.get(&va)?.kept.as_ref()?;
        table.remove(&va)?.kept
    }

    /// Takes every kept block out, at the end.
    pub(crate) fn take_all(&self) -> Vec<Block> {
        std::mem::take(&mut *self.table.write()).into_values().filter_map(|entry| entry.kept).collect()
    }

    /// Maps the kept block that `va` lies in to these GPUs and to no other; `None` when there is none.
    pub(crate) fn map_kept(&self, va: u64, nodes: &[thunk_rs::NodeId]) -> Option<thunk_rs::Result<()>> {
        let table = self.table.read();
        let (base, entry) = table.range(..=va).next_back()?;
        let block = entry.kept.as_ref().filter(|_| va - base < entry.bytes as u64)?;
        let gone: Vec<_> =
            block.memory.mapped_to().into_iter().filter(|node| !nodes.contains(node)).collect();
        Some(block.memory.map(nodes).and_then(|()| block.memory.unmap(&gone)))
    }

    /// Calls `look` with the first address, the bytes and the kept block that `va` lies in; `None` when there is none.
    pub(crate) fn with_kept<T>(&self, va: u64, look: impl FnOnce(u64, usize, &Block) -> T) -> Option<T> {
        self.with(va, |base, entry| Some(look(base, entry.bytes, entry.kept.as_ref()?))).flatten()
    }

    /// Calls `look` with the first address and the row of the allocation that `va` lies in.
    pub(crate) fn with<T>(&self, va: u64, look: impl FnOnce(u64, &Entry) -> T) -> Option<T> {
        let table = self.table.read();
        let (base, entry) = table.range(..=va).next_back()?;
        (va - base < entry.bytes as u64).then(|| look(*base, entry))
    }

    /// The allocation that ends last before `va`, and the one that starts first after it: base and bytes.
    pub(crate) fn neighbours(&self, va: u64) -> (Option<Extent>, Option<Extent>) {
        let table = self.table.read();
        let row = |(base, entry): (&u64, &Entry)| (*base, entry.bytes);
        (table.range(..=va).next_back().map(row), table.range(va..).next().map(row))
    }
}
