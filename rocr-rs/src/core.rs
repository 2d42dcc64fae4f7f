//! What every object of a runtime shares: the driver, the agents' properties, tables and pools. It owns no threads and
//! refers to no object above it, so holding it makes no cycle.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicU64, Ordering},
};

use thunk_rs::{NodeId, Thunk};

use crate::{
    AgentKind, AgentProperties, Error,
    environment::{CuMasks, Environment},
    memory::{Allocations, Locks, VirtualMemory},
    signal::pool::{EventPool, SignalPool},
};

pub(crate) struct Core {
    pub(crate) thunk: Thunk,
    pub(crate) device_name: String,
    /// Hosts first, then GPUs, each in topology order.
    pub(crate) agents: Vec<AgentProperties>,
    pub(crate) allocations: Allocations,
    pub(crate) locks: Locks,
    pub(crate) virtual_memory: VirtualMemory,
    pub(crate) signals: SignalPool,
    pub(crate) events: EventPool,
    pub(crate) clocks: Vec<crate::agent::ClockBase>,
    pub(crate) next_queue: AtomicU64,
    pub(crate) environment: Environment,
    /// What `HSA_CU_MASK` says, by GPU.
    pub(crate) cu_masks: CuMasks,
    /// By agent: the page with the registers that flush the host data path, where there is one.
    hdp: Vec<OnceLock<Option<thunk_rs::Memory>>>,
    /// By agent: bytes of its memory that hold the runtime's code and scratch.
    pub(crate) own_bytes: Vec<Arc<AtomicU64>>,
}

impl Core {
    pub(crate) fn new(thunk: Thunk, environment: &Environment) -> Result<Self, Error> {
        let agents = environment.visible(crate::agent::discover(&thunk, environment)?);
        let clocks = agents.iter().map(|agent| crate::agent::ClockBase::read(&thunk, agent)).collect();
        Ok(Self {
            hdp: agents.iter().map(|_| OnceLock::new()).collect(),
            own_bytes: agents.iter().map(|_| Arc::default()).collect(),
            device_name: thunk.device_name(),
            thunk,
            agents,
            allocations: Allocations::default(),
            locks: Locks::default(),
            virtual_memory: VirtualMemory::default(),
            signals: SignalPool::default(),
            events: EventPool::default(),
            clocks,
            next_queue: AtomicU64::new(0),
            environment: environment.clone(),
            cu_masks: CuMasks::parse(&environment.cu_mask),
        })
    }

    /// The host. Discovery has made sure that there is one.
    pub(crate) fn cpu(&self) -> &AgentProperties {
        &self.agents[0]
    }

    pub(crate) fn gpus(&self) -> impl Iterator<Item = (usize, &AgentProperties)> {
        self.agents.iter().enumerate().filter(|(_, agent)| agent.kind == AgentKind::Gpu)
    }

    /// The compute units of an agent that `HSA_CU_MASK` allows, if it says anything of it.
    pub(crate) fn cu_mask(&self, agent: usize) -> Option<&[u32]> {
        let gpu = agent.checked_sub(self.agents.len() - self.gpus().count())?;
        self.cu_masks.of(u32::try_from(gpu).ok()?)
    }

    /// Any GPU's node, for memory that all share.
    pub(crate) fn first_gpu(&self) -> NodeId {
        NodeId(self.gpus().next().map_or(self.cpu().node_id, |(_, agent)| agent.node_id))
    }

    /// Makes what the host wrote to a GPU's memory visible to that GPU: writes through PCIe wait in its host data path.
    pub(crate) fn flush_host_writes(&self, agent: usize) {
        if let Some(Ok(register)) = self.hdp_flush_page(agent).map(|page| page.atomic_u32(0)) {
            register.store(1, Ordering::SeqCst);
        }
    }

    /// The page with a GPU's registers for that.
    pub(crate) fn hdp_flush_page(&self, agent: usize) -> Option<&thunk_rs::Memory> {
        let page = self.hdp.get(agent)?;
        page.get_or_init(|| self.thunk.hdp_flush_page(NodeId(self.agents[agent].node_id)).ok()).as_ref()
    }

    pub(crate) fn index_of_node(&self, node: u32) -> Option<usize> {
        self.agents.iter().position(|agent| agent.node_id == node)
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        // Memory that a program never freed: give it back while the driver is still there.
        drop(self.allocations.take_all());
    }
}
