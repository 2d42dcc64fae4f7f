//! Virtual memory (`hsa_amd_vmem_…`): addresses are reserved, memory without an address is allocated, and the program says
//! which of it lies where, and who may do what with it.
//!
//! Memory is KFD's, its mappings are made on render nodes: a buffer for each GPU that has access, and one of the GPU whose
//! memory it is for the host's sake.

use std::collections::BTreeMap;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::sync::Arc;

use parking_lot::Mutex;
use thunk_rs::kfd_sys::{Prot, memory::AllocFlags, render::PageFlags};
use thunk_rs::{AddressRange, AllocRequest, Buffer, GpuAccess, MemoryKind, NodeId};

use super::{MemoryInfo, MemoryPool, PoolKind};
use crate::core::Core;
use crate::{Agent, AgentKind, Error, MemoryOrigin, Runtime};

const PAGE: u64 = 4096;

/// What an agent may do with mapped memory (`hsa_access_permission_t`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Access {
    /// Nothing.
    #[default]
    None,
    /// Read.
    ReadOnly,
    /// Write.
    WriteOnly,
    /// Both.
    ReadWrite,
}

impl Access {
    fn pages(self) -> PageFlags {
        match self {
            Access::None => PageFlags::empty(),
            Access::ReadOnly => PageFlags::READABLE,
            Access::WriteOnly => PageFlags::WRITEABLE,
            Access::ReadWrite => PageFlags::READABLE | PageFlags::WRITEABLE,
        }
    }

    fn prot(self) -> Prot {
        match self {
            Access::None => Prot::empty(),
            Access::ReadOnly => Prot::READ,
            Access::WriteOnly => Prot::WRITE,
            Access::ReadWrite => Prot::READ | Prot::WRITE,
        }
    }
}

/// Memory without an address. It stays allocated while it is mapped anywhere.
pub struct MemoryHandle {
    source: Source,
    /// The agent whose pool it is from, by index.
    agent: usize,
    /// The GPU that has it, for the host's sake.
    node: NodeId,
    kind: PoolKind,
    pinned: bool,
    bytes: u64,
    /// Its pages as the GPUs have them.
    buffers: Mutex<BTreeMap<NodeId, Arc<Buffer>>>,
}

enum Source {
    Allocated(thunk_rs::Memory),
    Imported(Arc<Buffer>),
}

fn driver(what: &'static str) -> impl Fn(thunk_rs::Error) -> Error {
    move |source| Error::Driver { what, source }
}

fn invalid(what: &'static str, why: impl Into<String>) -> Error {
    Error::InvalidArgument { what, why: why.into() }
}

impl MemoryHandle {
    /// Bytes.
    pub fn size(&self) -> u64 {
        self.bytes
    }

    /// Whether it was asked for as pinned.
    pub fn is_pinned(&self) -> bool {
        self.pinned
    }

    /// The pool that it is from.
    pub fn pool(&self, runtime: &Arc<Runtime>) -> MemoryPool {
        runtime.agent(self.agent).pool(self.kind)
    }

    /// A descriptor by which other processes, and other drivers, take it in.
    pub fn export(&self) -> Result<OwnedFd, Error> {
        match &self.source {
            Source::Allocated(memory) => memory.export_dmabuf(),
            Source::Imported(buffer) => buffer.export_dmabuf(),
        }
        .map_err(driver("export memory"))
    }

    /// Its pages, as that GPU has them.
    fn buffer(&self, core: &Core, node: NodeId) -> Result<Arc<Buffer>, Error> {
        let mut buffers = self.buffers.lock();
        if let Some(buffer) = buffers.get(&node) {
            return Ok(buffer.clone());
        }
        let dmabuf = self.export()?;
        let buffer = core.thunk.import_buffer(node, dmabuf.as_fd()).map_err(driver("import memory"))?;
        Ok(buffers.entry(node).or_insert(Arc::new(buffer)).clone())
    }
}

/// Memory at an address.
struct Mapped {
    handle: Arc<MemoryHandle>,
    bytes: u64,
    /// Where in the handle's memory it begins.
    offset: u64,
    /// Agents by index that have some; hosts are one.
    access: BTreeMap<usize, Access>,
}

struct Reserved {
    range: AddressRange,
    mappings: usize,
}

/// What is mapped where; dropped in this order.
#[derive(Default)]
pub(crate) struct VirtualMemory {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    mapped: BTreeMap<u64, Mapped>,
    reserved: BTreeMap<u64, Reserved>,
}

impl State {
    /// The reservation that all of a range lies in, by its first address.
    fn reservation(&mut self, va: u64, bytes: u64) -> Result<&mut Reserved, Error> {
        let end = va.checked_add(bytes);
        let found = self.reserved.range_mut(..=va).next_back().map(|(_, reserved)| reserved);
        found
            .filter(|reserved| end.is_some_and(|end| end <= reserved.range.va() + reserved.range.size()))
            .ok_or_else(|| {
                invalid("range of addresses", format!("{bytes:#x} bytes at {va:#x} are not reserved"))
            })
    }

    /// Begins and ends of mappings that make up a range without a gap.
    fn covering(&self, va: u64, bytes: u64) -> Result<Vec<u64>, Error> {
        let (mut at, mut found) = (va, Vec::new());
        while at < va + bytes {
            let mapped = self.mapped.get(&at).ok_or(Error::UnknownAddress { va: at })?;
            found.push(at);
            at += mapped.bytes;
        }
        Ok(found)
    }

    fn set_access(&mut self, core: &Core, va: u64, agent: usize, wanted: Access) -> Result<(), Error> {
        let host = core.agents[agent].kind == AgentKind::Cpu;
        // Hosts see one memory.
        let agent = if host { 0 } else { agent };
        let Some(mapped) = self.mapped.get_mut(&va) else { return Err(Error::UnknownAddress { va }) };
        let (handle, bytes, offset) = (mapped.handle.clone(), mapped.bytes, mapped.offset);
        let before = mapped.access.get(&agent).copied();
        if before.unwrap_or_default() == wanted {
            return Ok(());
        }
        let node = if host { handle.node } else { NodeId(core.agents[agent].node_id) };
        let buffer = handle.buffer(core, node)?;
        let range = &self.reservation(va, bytes)?.range;
        let within = va - range.va();
        let given = driver("give access");
        // A host's mapping is replaced by the next; a GPU's has to go first.
        if before.is_some() && (!host || wanted == Access::None) {
            let taken = if host {
                range.unmap_host(within, bytes)
            } else {
                range.unmap(within, bytes, &buffer, offset)
            };
            taken.map_err(&given)?;
            self.forget_access(va, agent);
        }
        if wanted == Access::None {
            return Ok(());
        }
        let range = &self.reservation(va, bytes)?.range;
        let mapped = if host {
            range.map_host(within, bytes, &buffer, offset, wanted.prot())
        } else {
            range.map(within, bytes, &buffer, offset, wanted.pages())
        };
        mapped.map_err(&given)?;
        if let Some(mapped) = self.mapped.get_mut(&va) {
            mapped.access.insert(agent, wanted);
        }
        Ok(())
    }

    fn forget_access(&mut self, va: u64, agent: usize) {
        if let Some(mapped) = self.mapped.get_mut(&va) {
            mapped.access.remove(&agent);
        }
    }
}

impl VirtualMemory {
    /// What is known of an address: the whole reservation is told, and the owner of what is mapped there.
    pub(crate) fn info(&self, runtime: &Arc<Runtime>, va: u64) -> Option<MemoryInfo> {
        let state = self.state.lock();
        let (base, reserved) = state.reserved.range(..=va).next_back()?;
        if va - base >= reserved.range.size() {
            return None;
        }
        let mapped = state.mapped.range(..=va).next_back().filter(|(at, mapped)| va - **at < mapped.bytes);
        let mapped = mapped.map(|(_, mapped)| mapped);
        let core = &runtime.core;
        let access = mapped.iter().flat_map(|mapped| mapped.access.keys().copied());
        let (hosts, gpus): (Vec<usize>, Vec<usize>) =
            access.partition(|agent| core.agents[*agent].kind == AgentKind::Cpu);
        Some(MemoryInfo {
            base: *base,
            size: reserved.range.size() as usize,
            owner: runtime.agent(mapped.map_or(0, |mapped| mapped.handle.agent)),
            origin: MemoryOrigin::Reserved,
            system: mapped.is_some_and(|mapped| core.agents[mapped.handle.agent].kind == AgentKind::Cpu),
            host_access: !hosts.is_empty(),
            gpu_nodes: gpus.into_iter().map(|agent| core.agents[agent].node_id).collect(),
        })
    }
}

impl Runtime {
    /// Whether the driver has what virtual memory takes (KFD interface 1.15).
    pub fn has_virtual_memory(&self) -> bool {
        self.core.gpus().next().is_some() && self.core.thunk.version() >= (1, 15)
    }

    /// Reserves addresses, at `wanted` if they are free there, else elsewhere: the first of them. `alignment` 0 is a page's.
    pub fn reserve_addresses(&self, bytes: u64, alignment: u64, wanted: Option<u64>) -> Result<u64, Error> {
        if !self.has_virtual_memory() {
            return Err(invalid("virtual memory", "needs KFD interface 1.15"));
        }
        let reserved = self.core.thunk.reserve_addresses(bytes, alignment.max(PAGE), wanted);
        let range = reserved.map_err(driver("reserve addresses"))?;
        let va = range.va();
        self.core.virtual_memory.state.lock().reserved.insert(va, Reserved { range, mappings: 0 });
        Ok(va)
    }

    /// Gives reserved addresses back, all of a reservation, with nothing mapped there.
    pub fn release_addresses(&self, va: u64, bytes: u64) -> Result<(), Error> {
        let mut state = self.core.virtual_memory.state.lock();
        let reserved = state.reserved.get(&va).ok_or(Error::UnknownAddress { va })?;
        if reserved.range.size() != bytes {
            let size = reserved.range.size();
            return Err(invalid("bytes of a reservation", format!("{bytes:#x}; it has {size:#x}")));
        }
        if reserved.mappings != 0 {
            return Err(Error::InUse { what: "reserved addresses", why: "memory is mapped there" });
        }
        state.reserved.remove(&va);
        Ok(())
    }

    /// Allocates memory without an address; whole pages.
    pub fn create_memory(
        &self,
        pool: &MemoryPool,
        bytes: u64,
        pinned: bool,
    ) -> Result<Arc<MemoryHandle>, Error> {
        if !self.has_virtual_memory() {
            return Err(invalid("virtual memory", "needs KFD interface 1.15"));
        }
        if bytes == 0 || !bytes.is_multiple_of(PAGE) {
            return Err(invalid("bytes of memory", format!("{bytes:#x} are no whole pages")));
        }
        let agent = pool.agent();
        let (memory, node) = if pool.is_system() {
            (MemoryKind::Gtt, self.core.first_gpu())
        } else if pool.kind() == PoolKind::FineGrained {
            (MemoryKind::VramFine, NodeId(agent.node_id()))
        } else {
            (MemoryKind::Vram, NodeId(agent.node_id()))
        };
        let mut request = AllocRequest::new(memory, node, bytes).executable().access(GpuAccess::None);
        if !pool.is_system() {
            // Its own address is nobody's: the host maps it where the program says, if it can reach it at all.
            let public = agent.properties().host_visible_memory;
            request = request.device_only();
            request.raw_flags =
                Some(request.flags() | if public { AllocFlags::PUBLIC } else { AllocFlags::empty() });
        }
        let allocated = self.core.thunk.allocate(&request).map_err(|source| Error::Allocation {
            agent: agent.name().to_owned(),
            kind: "virtual",
            bytes,
            source,
        })?;
        Ok(Arc::new(MemoryHandle {
            source: Source::Allocated(allocated),
            agent: agent.index,
            node,
            kind: pool.kind(),
            pinned,
            bytes,
            buffers: Mutex::default(),
        }))
    }

    /// Takes in memory that [`MemoryHandle::export`] gave out, here or in another process.
    pub fn import_memory(&self, dmabuf: BorrowedFd<'_>) -> Result<Arc<MemoryHandle>, Error> {
        use std::os::fd::AsRawFd as _;
        let thunk = &self.core.thunk;
        let info = thunk.dmabuf_info(dmabuf.as_raw_fd()).map_err(driver("look at a dma-buf"))?;
        let foreign = || invalid("dma-buf", "it is of no GPU of this runtime");
        let node = thunk.node_of_dmabuf(&info).ok_or_else(foreign)?;
        let agent = self.core.index_of_node(node.0).ok_or_else(foreign)?;
        let buffer = Arc::new(thunk.import_buffer(node, dmabuf).map_err(driver("import memory"))?);
        Ok(Arc::new(MemoryHandle {
            source: Source::Imported(buffer.clone()),
            agent,
            node,
            kind: PoolKind::CoarseGrained,
            pinned: false,
            bytes: buffer.size(),
            buffers: Mutex::new(BTreeMap::from([(node, buffer)])),
        }))
    }

    /// Puts `bytes` of memory, from `offset` on, at reserved addresses. Nobody has access yet.
    pub fn map_memory(
        &self,
        va: u64,
        bytes: u64,
        offset: u64,
        handle: &Arc<MemoryHandle>,
    ) -> Result<(), Error> {
        let mut state = self.core.virtual_memory.state.lock();
        if bytes == 0 || ![va, bytes, offset].iter().all(|number| number.is_multiple_of(PAGE)) {
            return Err(invalid("mapping", format!("{bytes:#x} bytes at {va:#x} are no whole pages")));
        }
        if offset.checked_add(bytes).is_none_or(|end| end > handle.bytes) {
            return Err(invalid("mapping", format!("{bytes:#x} bytes, of memory of {:#x}", handle.bytes)));
        }
        state.reservation(va, bytes)?;
        let before = state.mapped.range(..va + bytes).next_back();
        if before.is_some_and(|(at, mapped)| at + mapped.bytes > va) {
            return Err(invalid("mapping", format!("memory is mapped at {va:#x} already")));
        }
        state.reservation(va, bytes)?.mappings += 1;
        let mapped = Mapped { handle: handle.clone(), bytes, offset, access: BTreeMap::new() };
        state.mapped.insert(va, mapped);
        Ok(())
    }

    /// Takes memory away from where [`Runtime::map_memory`] put it, all of it.
    pub fn unmap_memory(&self, va: u64, bytes: u64) -> Result<(), Error> {
        let mut state = self.core.virtual_memory.state.lock();
        let mapped = state.mapped.get(&va).ok_or(Error::UnknownAddress { va })?;
        if mapped.bytes != bytes {
            return Err(invalid("bytes of a mapping", format!("{bytes:#x}; it has {:#x}", mapped.bytes)));
        }
        let (handle, offset) = (mapped.handle.clone(), mapped.offset);
        let agents: Vec<_> = mapped.access.keys().copied().collect();
        let taken = driver("take access away");
        for agent in agents {
            let range = &state.reservation(va, bytes)?.range;
            let within = va - range.va();
            if self.core.agents[agent].kind == AgentKind::Cpu {
                range.unmap_host(within, bytes).map_err(&taken)?;
            } else {
                let node = NodeId(self.core.agents[agent].node_id);
                let buffer = handle.buffer(&self.core, node)?;
                range.unmap(within, bytes, &buffer, offset).map_err(&taken)?;
            }
            state.forget_access(va, agent);
        }
        state.mapped.remove(&va);
        state.reservation(va, bytes)?.mappings -= 1;
        Ok(())
    }

    /// Says what agents may do with memory at `va..va + bytes`, which one mapping or several without a gap make up.
    pub fn set_access(&self, va: u64, bytes: u64, access: &[(Agent, Access)]) -> Result<(), Error> {
        let mut state = self.core.virtual_memory.state.lock();
        state.reservation(va, bytes)?;
        for at in state.covering(va, bytes)? {
            for (agent, access) in access {
                state.set_access(&self.core, at, agent.index, *access)?;
            }
        }
        Ok(())
    }

    /// As [`Runtime::set_access`], for the mapping that `va` lies in and those that follow without a gap.
    pub fn set_access_from(&self, va: u64, access: &[(Agent, Access)]) -> Result<(), Error> {
        let (at, bytes) = {
            let state = self.core.virtual_memory.state.lock();
            let first = state.mapped.range(..=va).next_back().filter(|(at, mapped)| va - **at < mapped.bytes);
            let begin = first.map(|(at, _)| *at).ok_or(Error::UnknownAddress { va })?;
            let mut end = begin;
            while let Some(mapped) = state.mapped.get(&end) {
                end += mapped.bytes;
            }
            let reserved = state.reserved.range(..=begin).next_back();
            let limit = reserved.map_or(end, |(base, reserved)| base + reserved.range.size());
            (begin, end.min(limit) - begin)
        };
        self.set_access(at, bytes, access)
    }

    /// What an agent may do with what is mapped at an address; `None` when nothing is.
    pub fn access(&self, va: u64, agent: &Agent) -> Option<Access> {
        let state = self.core.virtual_memory.state.lock();
        let (at, mapped) = state.mapped.range(..=va).next_back()?;
        let index = if agent.kind() == AgentKind::Cpu { 0 } else { agent.index };
        (va - at < mapped.bytes).then(|| mapped.access.get(&index).copied().unwrap_or_default())
    }

    /// The memory that is mapped, from its begin or from within, at exactly this address.
    pub fn mapped_memory(&self, va: u64) -> Option<Arc<MemoryHandle>> {
        Some(self.core.virtual_memory.state.lock().mapped.get(&va)?.handle.clone())
    }
}

impl std::fmt::Debug for MemoryHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MemoryHandle({:#x} bytes, {:?}, {:?})", self.bytes, self.kind, self.node)
    }
}
