//! Memory by address: for callers that know addresses instead of owners, as those of libhsakmt do (`fmm.c`).
//!
//! A [`MemoryTable`] owns memory and scratch, finds them by an address of host or GPU, counts registrations and mappings,
//! and answers what a pointer points to. It is a value like any other; there may be several.

use std::collections::BTreeMap;

use super::{AllocRequest, Memory, MemoryKind, Origin, PAGE, Scratch, SharedHandle};
use crate::topology::NodeId;
use crate::{Error, Thunk};

/// What can go wrong with an address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// No memory of the table is there.
    #[error("no memory of this table is at {0:#x}")]
    NotFound(u64),
    /// It is there, but was not registered.
    #[error("the memory at {0:#x} was not registered")]
    NotRegistered(u64),
    /// It is registered to other nodes already.
    #[error("the memory at {0:#x} is registered to other nodes")]
    OtherNodes(u64),
    /// A node that it is not registered to.
    #[error("the memory at {0:#x} is not registered to node {1}")]
    NotForNode(u64, NodeId),
    /// A GPU still has it.
    #[error("the memory at {0:#x} is mapped to a GPU")]
    Mapped(u64),
    /// The GPU has scratch already.
    #[error("node {0} has scratch already")]
    ScratchTaken(NodeId),
    /// The thunk or the kernel refused.
    #[error(transparent)]
    Thunk(#[from] Error),
}

type Result<T> = std::result::Result<T, TableError>;

/// Memory and what the caller said of it.
#[derive(Debug)]
pub struct Entry {
    memory: Memory,
    /// Address and size as registered, of the program's own memory.
    user: Option<(u64, u64)>,
    registrations: u32,
    mappings: u32,
    location: NodeId,
    caller_flags: u32,
    user_data: u64,
    metadata: Vec<u8>,
    registered: Vec<u32>,
    mapped: Vec<u32>,
}

impl Entry {
    fn new(memory: Memory, location: NodeId, caller_flags: u32) -> Entry {
        Entry {
            memory,
            user: None,
            registrations: 0,
            mappings: 0,
            location,
            caller_flags,
            user_data: 0,
            metadata: Vec::new(),
            registered: Vec::new(),
            mapped: Vec::new(),
        }
    }

    /// The memory itself.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// First address for GPUs, of the program's own memory that of its first byte.
    pub fn gpu_address(&self) -> u64 {
        self.memory.va() + self.user.map_or(0, |(address, _)| address % PAGE)
    }

    /// First address for the host, if it has one.
    pub fn host_address(&self) -> Option<u64> {
        match self.memory.origin() {
            Origin::User => self.user.map(|(address, _)| address),
            Origin::Allocated => Some(self.memory.host_va()),
            Origin::Shared | Origin::Dmabuf => None,
        }
    }

    /// Bytes: of the program's own memory as many as were registered.
    pub fn size(&self) -> u64 {
        self.user.map_or(self.memory.size(), |(_, size)| size)
    }

    /// Where it lies.
    pub fn location(&self) -> NodeId {
        self.location
    }

    /// The flags that the caller gave.
    pub fn caller_flags(&self) -> u32 {
        self.caller_flags
    }

    /// What the caller attached to it.
    pub fn user_data(&self) -> u64 {
        self.user_data
    }

    /// What an exporter said of it.
    pub fn metadata(&self) -> &[u8] {
        &self.metadata
    }

    /// The nodes that it is registered to, by number; none means all GPUs. Stays in place until registered anew.
    pub fn registered_nodes(&self) -> &[u32] {
        &self.registered
    }

    /// The nodes that it is mapped to, by number. Stays in place until mapped anew.
    pub fn mapped_nodes(&self) -> &[u32] {
        &self.mapped
    }

    fn note_mappings(&mut self) {
        let now: Vec<u32> = self.memory.mapped_to().iter().map(|node| node.0).collect();
        if now != self.mapped {
            self.mapped = now;
        }
    }
}

/// Memory by address.
#[derive(Debug)]
pub struct MemoryTable {
    thunk: Thunk,
    entries: BTreeMap<u64, Entry>,
    /// The program's own memory, by address and size, and where GPUs see it.
    users: BTreeMap<(u64, u64), u64>,
    scratch: Vec<Scratch>,
}

impl MemoryTable {
    /// An empty table.
    pub fn new(thunk: Thunk) -> MemoryTable {
        MemoryTable { thunk, entries: BTreeMap::new(), users: BTreeMap::new(), scratch: Vec::new() }
    }

    /// Allocates. `location` and `flags` are kept for who asks later.
    pub fn allocate(&mut self, request: &AllocRequest, location: NodeId, flags: u32) -> Result<u64> {
        let memory = self.thunk.allocate(request)?;
        Ok(self.insert(Entry::new(memory, location, flags)))
    }

    /// Takes memory into the table; it is mapped where it is mapped.
    pub fn adopt(&mut self, memory: Memory, location: NodeId, flags: u32) -> u64 {
        let mut entry = Entry::new(memory, location, flags);
        entry.note_mappings();
        entry.mappings = u32::from(!entry.mapped.is_empty());
        self.insert(entry)
    }

    fn insert(&mut self, entry: Entry) -> u64 {
        let va = entry.memory.va();
        if let Some(user) = entry.user {
            self.users.insert(user, va);
        }
        self.entries.insert(va, entry);
        va
    }

    /// Reserves scratch; a GPU has one.
    pub fn allocate_scratch(&mut self, node: NodeId, size: u64, fixed: Option<u64>) -> Result<u64> {
        if self.scratch.iter().any(|scratch| scratch.node() == node) {
            return Err(TableError::ScratchTaken(node));
        }
        let scratch = self.thunk.reserve_scratch(node, size, fixed)?;
        let va = scratch.va();
        self.scratch.push(scratch);
        Ok(va)
    }

    /// Frees memory that begins at `address`, or the scratch that it lies in.
    pub fn free(&mut self, address: u64) -> Result<()> {
        if let Some(at) = self.scratch.iter().position(|scratch| scratch.contains(address)) {
            self.scratch.remove(at);
            return Ok(());
        }
        let va = self.find(address, 0).ok_or(TableError::NotFound(address))?;
        let entry = self.entry_mut(va)?;
        if entry.registrations > 1 {
            entry.registrations -= 1;
            return Ok(());
        }
        if !entry.mapped.is_empty() {
            return Err(TableError::Mapped(address));
        }
        self.remove(va)
    }

    fn remove(&mut self, va: u64) -> Result<()> {
        let Some(entry) = self.entries.remove(&va) else { return Ok(()) };
        if let Some(user) = entry.user {
            self.users.remove(&user);
        }
        Ok(self.thunk.free(entry.memory)?)
    }

    /// Registers: memory of the table to nodes, or memory of the program, to all GPUs if `nodes` is empty.
    pub fn register(&mut self, address: u64, size: u64, nodes: &[NodeId], kind: MemoryKind) -> Result<()> {
        let va = match self.find(address, size) {
            Some(va) => {
                let entry = self.entry_mut(va)?;
                if entry.user.is_some() {
                    entry.registrations += 1;
                }
                va
            }
            None => {
                let memory = self.thunk.register_userptr_apart(address, size, kind)?;
                let location = memory.node();
                let mut entry = Entry::new(memory, location, 0);
                entry.user = Some((address, size));
                entry.registrations = 1;
                self.insert(entry)
            }
        };
        let entry = self.entry_mut(va)?;
        let wanted: Vec<u32> = nodes.iter().map(|node| node.0).collect();
        if !entry.registered.is_empty() {
            let same = entry.registered == wanted;
            return if same { Ok(()) } else { Err(TableError::OtherNodes(address)) };
        }
        if !wanted.is_empty() {
            entry.registered = wanted;
        }
        Ok(())
    }

    /// Takes a registration back. What was not allocated here goes with its last.
    pub fn deregister(&mut self, address: u64) -> Result<()> {
        let va = self.find(address, 0).ok_or(TableError::NotRegistered(address))?;
        let entry = self.entry_mut(va)?;
        if entry.memory.origin() != Origin::Allocated {
            if entry.registrations > 1 {
                entry.registrations -= 1;
                return Ok(());
            }
            return self.remove(va);
        }
        if entry.registered.is_empty() {
            return Err(TableError::NotRegistered(address));
        }
        entry.registered = Vec::new();
        Ok(())
    }

    /// Maps to the nodes that it is registered to, or to all GPUs. Returns where GPUs see the program's own memory.
    pub fn map(&mut self, address: u64, size: u64) -> Result<Option<u64>> {
        if let Some(scratch) = self.scratch.iter().find(|scratch| scratch.contains(address)) {
            scratch.map(address, size)?;
            return Ok(None);
        }
        let va = self.find(address, size).ok_or(TableError::NotFound(address))?;
        self.map_entry(va, address, None)
    }

    /// Maps to just these nodes. The program's own memory goes to all that it is registered to.
    pub fn map_to(&mut self, address: u64, size: u64, nodes: &[NodeId]) -> Result<Option<u64>> {
        let va = self.find(address, size).ok_or(TableError::NotFound(address))?;
        let gpus = self.gpus();
        let entry = self.entry_mut(va)?;
        if entry.user.is_some() {
            return self.map_entry(va, address, None);
        }
        for node in nodes {
            let allowed = if entry.registered.is_empty() {
                gpus.contains(node)
            } else {
                entry.registered.contains(&node.0)
            };
            if !allowed {
                return Err(TableError::NotForNode(address, *node));
            }
        }
        let others: Vec<NodeId> =
            entry.mapped.iter().map(|node| NodeId(*node)).filter(|node| !nodes.contains(node)).collect();
        let unmapped = entry.memory.unmap(&others);
        entry.note_mappings();
        unmapped?;
        self.map_entry(va, address, Some(nodes))
    }

    fn map_entry(&mut self, va: u64, address: u64, nodes: Option<&[NodeId]>) -> Result<Option<u64>> {
        let everywhere = self.gpus();
        let entry = self.entry_mut(va)?;
        let alternate = entry.user.map(|_| entry.memory.va() + address % PAGE);
        if entry.user.is_some() && entry.mappings > 0 {
            entry.mappings += 1;
            return Ok(alternate);
        }
        let registered: Vec<NodeId> = entry.registered.iter().map(|node| NodeId(*node)).collect();
        let to = nodes.unwrap_or(if registered.is_empty() { &everywhere } else { &registered });
        let result = entry.memory.map(to);
        entry.note_mappings();
        result?;
        entry.mappings = 1;
        Ok(alternate)
    }

    /// Unmaps from all GPUs; the program's own memory as often as it was mapped.
    pub fn unmap(&mut self, address: u64) -> Result<()> {
        if let Some(scratch) = self.scratch.iter().find(|scratch| scratch.contains(address)) {
            return Ok(scratch.unmap(address)?);
        }
        let va = self.find(address, 0).ok_or(TableError::NotFound(address))?;
        let entry = self.entry_mut(va)?;
        if entry.user.is_some() && entry.mappings > 1 {
            entry.mappings -= 1;
            return Ok(());
        }
        let result = entry.memory.unmap(&entry.memory.mapped_to());
        entry.note_mappings();
        entry.mappings = 0;
        Ok(result?)
    }

    /// Opens memory of another process, for these nodes or all GPUs.
    pub fn open_shared(&mut self, shared: &SharedHandle, nodes: &[NodeId]) -> Result<u64> {
        let memory = self.thunk.open_shared(shared)?;
        let (location, flags) = (memory.node(), memory.raw_flags());
        let mut entry = Entry::new(memory, location, flags);
        entry.registered = nodes.iter().map(|node| node.0).collect();
        Ok(self.insert(entry))
    }

    /// Takes in a dma-buf, for these nodes or all GPUs. Returns its address and size.
    pub fn import_dmabuf(&mut self, dmabuf: i32, nodes: &[NodeId]) -> Result<u64> {
        let info = self.thunk.dmabuf_info(dmabuf)?;
        let memory = self.thunk.import_dmabuf(dmabuf, &info)?;
        let location = memory.node();
        let mut entry = Entry::new(memory, location, 0);
        entry.metadata = info.metadata;
        entry.registered = nodes.iter().map(|node| node.0).collect();
        Ok(self.insert(entry))
    }

    /// Attaches a value to memory that begins at `address`.
    pub fn set_user_data(&mut self, address: u64, data: u64) -> Result<()> {
        let va = self.find(address, 0).ok_or(TableError::NotFound(address))?;
        self.entry_mut(va)?.user_data = data;
        Ok(())
    }

    /// The memory that begins at `address`.
    pub fn at(&self, address: u64) -> Option<&Entry> {
        self.find(address, 0).and_then(|va| self.entries.get(&va))
    }

    /// The memory that `address` lies in: of the program's, or of the table's.
    pub fn containing(&self, address: u64) -> Option<&Entry> {
        let within = |(start, size): (u64, u64)| address >= start && address - start < size;
        let user = self.users.range(..=(address, u64::MAX)).rev().find(|(key, _)| within(**key));
        if let Some((_, va)) = user {
            return self.entries.get(va);
        }
        let (_, entry) = self.entries.range(..=address).next_back()?;
        within((entry.memory.va(), entry.memory.size())).then_some(entry)
    }

    /// How much is in it.
    pub fn len(&self) -> usize {
        self.entries.len() + self.scratch.len()
    }

    /// Is nothing in it?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn gpus(&self) -> Vec<NodeId> {
        self.thunk.topology().gpus().map(|node| node.id).collect()
    }

    fn entry_mut(&mut self, va: u64) -> Result<&mut Entry> {
        self.entries.get_mut(&va).ok_or(TableError::NotFound(va))
    }

    /// The GPU's address of what begins at `address`. Memory of the program first, which must have just this size; a
    /// size of 0 will do if only one memory begins there.
    fn find(&self, address: u64, size: u64) -> Option<u64> {
        let user = if size != 0 {
            self.users.get(&(address, size)).copied()
        } else {
            let mut all = self.users.range((address, 0)..=(address, u64::MAX));
            match (all.next(), all.next()) {
                (Some((_, va)), None) => Some(*va),
                _ => None,
            }
        };
        user.or_else(|| {
            let entry = self.entries.get(&(address & !(PAGE - 1)))?;
            let fits = match entry.user {
                Some((user, bytes)) => user % PAGE == address % PAGE && (size == 0 || size == bytes),
                None => true,
            };
            fits.then(|| entry.memory.va())
        })
    }
}
