//! Locking host memory (`hsa_amd_memory_lock`): GPUs see it at the host's address, or at one of their own.
//!
//! The driver takes a page once, but programs lock what they like: buffers that share a page, the same one twice, parts
//! of pool memory. So pages are locked in pieces that the locks over them share.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Weak},
};

use parking_lot::Mutex;
use thunk_rs::{MemoryKind, NodeId};

use super::{Block, pointer_info::Entry};
use crate::{Error, MemoryOrigin, Runtime, core::Core};

const PAGE: u64 = 4096;

/// Pages that are locked as one.
struct Piece {
    block: Block,
    core: Arc<Core>,
}

impl Piece {
    fn range(&self) -> (u64, u64) {
        (self.block.va(), self.block.va() + self.block.bytes() as u64)
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        self.core.allocations.remove(self.block.va());
    }
}

impl fmt::Debug for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.block.fmt(f)
    }
}

/// All pieces, by first address.
#[derive(Debug, Default)]
pub(crate) struct Locks {
    pieces: Mutex<BTreeMap<u64, Weak<Piece>>>,
}

/// Locked host memory; unlocked on drop, but for pages that others have locked too.
pub struct LockedMemory {
    va: u64,
    agent_va: u64,
    bytes: usize,
    pieces: Vec<Arc<Piece>>,
    core: Arc<Core>,
}

impl Drop for LockedMemory {
    fn drop(&mut self) {
        // Under the lock of the table, lest who locks the same pages meanwhile takes them for locked still.
        let _table = self.core.locks.pieces.lock();
        self.pieces.clear();
    }
}

impl LockedMemory {
    /// Address for the host.
    pub fn va(&self) -> u64 {
        self.va
    }

    /// Address for agents: of [`Runtime::lock`] the same.
    pub fn agent_va(&self) -> u64 {
        self.agent_va
    }

    /// Bytes that were asked for.
    pub fn size(&self) -> usize {
        self.bytes
    }
}

impl fmt::Debug for LockedMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LockedMemory({:#x}, {:#x} bytes, {} pieces)", self.va, self.bytes, self.pieces.len())
    }
}

impl Runtime {
    /// Makes host memory `va..va + bytes` accessible to all GPU agents, at the same address. It must stay where it is
    /// while the result lives. What is locked or allocated by the runtime already stays as it is.
    pub fn lock(self: &Arc<Self>, va: u64, bytes: usize) -> Result<LockedMemory, Error> {
        let wrong = |why: &str| Error::InvalidArgument { what: "range to lock", why: why.to_owned() };
        let end = va
            .checked_add(bytes as u64)
            .and_then(|end| end.checked_next_multiple_of(PAGE))
            .filter(|_| va != 0 && bytes != 0)
            .ok_or_else(|| wrong("it is empty, or beyond the address space"))?;
        let mut at = va & !(PAGE - 1);
        let mut table = self.core.locks.pieces.lock();
        table.retain(|_, piece| piece.strong_count() != 0);
        let mut pieces = Vec::new();
        while at < end {
            let before = table.range(..=at).next_back().and_then(|(_, piece)| piece.upgrade());
            if let Some(piece) = before.filter(|piece| at < piece.range().1) {
                at = piece.range().1;
                pieces.push(piece);
                continue;
            }
            let mine = |base, bytes: usize| base + (bytes as u64).next_multiple_of(PAGE);
            if let Some(past) = self.core.allocations.with(at, |base, entry| mine(base, entry.bytes)) {
                at = past;
                continue;
            }
            let next_piece = table.range(at..).next().map_or(u64::MAX, |(base, _)| *base);
            let next_own = self.core.allocations.neighbours(at).1.map_or(u64::MAX, |(base, _)| base);
            let stop = end.min(next_piece).min(next_own);
            let memory = self
                .core
                .thunk
                .register_userptr(at, stop - at, MemoryKind::SystemFine)
                .map_err(|source| Error::Driver { what: "lock host memory", source })?;
            let piece = Arc::new(Piece { block: Block { memory, own: None }, core: self.core.clone() });
            self.core.allocations.insert(&piece.block, self.core.cpu().node_id, MemoryOrigin::Locked, true);
            table.insert(at, Arc::downgrade(&piece));
            pieces.push(piece);
            at = stop;
        }
        Ok(LockedMemory { va, agent_va: va, bytes, pieces, core: self.core.clone() })
    }

    /// Makes host memory accessible to all GPU agents at an address of their own, which kernels take and the host cannot
    /// use: [`LockedMemory::agent_va`]. Memory that the runtime allocated has its address already, and keeps it.
    pub fn lock_apart(self: &Arc<Self>, va: u64, bytes: usize) -> Result<LockedMemory, Error> {
        let own = |_, entry: &Entry| entry.origin != MemoryOrigin::Locked;
        if va == 0 || bytes == 0 || self.core.allocations.with(va, own) == Some(true) {
            return self.lock(va, bytes);
        }
        let driver = |source| Error::Driver { what: "lock host memory", source };
        let memory = self
            .core
            .thunk
            .register_userptr_apart(va, bytes as u64, MemoryKind::SystemFine)
            .map_err(driver)?;
        let gpus: Vec<_> = self.core.gpus().map(|(_, gpu)| NodeId(gpu.node_id)).collect();
        memory.map(&gpus).map_err(driver)?;
        let agent_va = memory.va() + (va & (PAGE - 1));
        let piece = Arc::new(Piece { block: Block { memory, own: None }, core: self.core.clone() });
        self.core.allocations.insert(&piece.block, self.core.cpu().node_id, MemoryOrigin::Locked, true);
        Ok(LockedMemory { va, agent_va, bytes, pieces: vec![piece], core: self.core.clone() })
    }
}
