//! Agents: the host and the GPUs (`hsa.h` section 2.2).

mod discover;
mod info;

use std::{
    fmt,
    sync::{Arc, atomic::Ordering},
};

use amd_codeobj::TargetId;
pub(crate) use discover::{ClockBase, discover};
pub use info::{AgentKind, AgentProperties, CacheProperties, PciLocation};
use thunk_rs::{NodeId, kfd_sys::WaveReport, topology::IoLink};

use crate::{Error, MemoryPool, PoolKind, Runtime};

/// An agent of a runtime. Cloning is cheap.
#[derive(Clone)]
pub struct Agent {
    pub(crate) runtime: Arc<Runtime>,
    pub(crate) index: usize,
}

impl Agent {
    /// The runtime that the agent belongs to.
    pub fn runtime(&self) -> &Arc<Runtime> {
        &self.runtime
    }

    /// Host or GPU.
    pub fn kind(&self) -> AgentKind {
        self.properties().kind
    }

    /// KFD topology node.
    pub fn node_id(&self) -> u32 {
        self.properties().node_id
    }

    /// `gfx90a`, or the processor's name.
    pub fn name(&self) -> &str {
        &self.properties().name
    }

    /// The target ID with the state of each feature; `None` for the host.
    pub fn target_id(&self) -> Option<&TargetId> {
        self.properties().target_id.as_ref()
    }

    /// `amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-`; empty for the host.
    pub fn isa_name(&self) -> String {
        self.target_id().map(|id| format!("amdgcn-amd-amdhsa--{id}")).unwrap_or_default()
    }

    /// Everything the topology says.
    pub fn properties(&self) -> &AgentProperties {
        &self.runtime.core.agents[self.index]
    }

    /// A memory pool. A GPU agent's `Kernarg` pool is system memory that the GPU reaches.
    pub fn pool(&self, kind: PoolKind) -> MemoryPool {
        MemoryPool { agent: self.clone(), kind }
    }

    /// The driver's node of it.
    pub fn node(&self) -> NodeId {
        NodeId(self.node_id())
    }

    /// The links from this agent to another, as the topology has them; empty when there is none.
    pub fn links_to(&self, other: &Agent) -> Vec<IoLink> {
        let node = self.runtime.core.thunk.topology().node(NodeId(self.node_id()));
        node.into_iter()
            .flat_map(|node| node.links())
            .filter(|link| link.node_to == other.node_id())
            .cloned()
            .collect()
    }

    /// Address of the page with the GPU's registers that flush the host data path: offset 0 for memory, 4 for registers
    /// (`HSA_AMD_AGENT_INFO_HDP_FLUSH`); `None` where there is no such page.
    pub fn hdp_flush_page(&self) -> Option<u64> {
        self.runtime.core.hdp_flush_page(self.index).map(thunk_rs::Memory::va)
    }

    /// Free and total bytes of the agent's own memory.
    pub fn available_memory(&self) -> Result<(u64, u64), Error> {
        let total = self.properties().memory_bytes;
        if self.kind() == AgentKind::Cpu {
            return Ok((total, total));
        }
        let free = self
            .runtime
            .core
            .thunk
            .available_memory(NodeId(self.node_id()))
            .map_err(|source| Error::Driver { what: "ask for free memory", source })?;
        Ok((free, total))
    }

    /// Bytes of the agent's own memory that no program asked for: code that was loaded, scratch, what
    /// queues need, and what [`Memory::of_runtime`](crate::Memory::of_runtime) names.
    pub fn runtime_memory(&self) -> u64 {
        self.runtime.core.own_bytes[self.index].load(Ordering::Relaxed)
    }

    /// What the driver knows of the wave that last stopped a queue; taken by the call.
    pub(crate) fn take_wave_report(&self) -> Option<WaveReport> {
        self.runtime.core.thunk.take_wave_report(NodeId(self.node_id()))
    }

    /// Converts ticks of the GPU's clock into the runtime's clock ([`Runtime::timestamp`]).
    pub fn to_system_time(&self, gpu_ticks: u64) -> u64 {
        let core = &self.runtime.core;
        core.clocks[self.index].to_system(&core.thunk, self.properties(), gpu_ticks)
    }
}

impl PartialEq for Agent {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.runtime, &other.runtime) && self.index == other.index
    }
}

impl Eq for Agent {}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Agent({}, node {})", self.name(), self.node_id())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{AgentKind, AgentProperties};

    /// A GPU agent's properties with what scratch sizes depend on.
    pub(crate) fn properties(name: &str, compute_units: u32, engines: u32, xccs: u32) -> AgentProperties {
        let (major, minor, stepping) = amd_codeobj::Isa::by_name(name).expect("a known chip").version;
        AgentProperties {
            kind: AgentKind::Gpu,
            name: name.to_owned(),
            gfx_version: (major.into(), minor.into(), stepping.into()),
            compute_units,
            shader_engines: engines,
            xcc_count: xccs,
            max_scratch_slots_per_cu: 32,
            ..AgentProperties::none()
        }
    }
}
