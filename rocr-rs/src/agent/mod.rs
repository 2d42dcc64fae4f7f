//! Agents: the host and the GPUs (`hsa.h` section 2.2).

mod info;

use std::{fmt, sync::Arc};

use crate::pending::TargetId;
pub use info::{AgentKind, AgentProperties, PciLocation};

use crate::{Error, MemoryPool, PoolKind, Runtime};

/// An agent of a runtime. Cloning is cheap.
#[derive(Clone)]
pub struct Agent {
    runtime: Arc<Runtime>,
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
        String::new()
    }
    /// Everything the topology says.
    pub fn properties(&self) -> &AgentProperties {
        unreachable!()
    }
    /// A memory pool. A GPU agent's `Kernarg` pool is system memory that the GPU reaches.
    pub fn pool(&self, kind: PoolKind) -> MemoryPool {
        let _ = kind;
        unreachable!()
    }
    /// Free and total bytes of the agent's own memory.
    pub fn available_memory(&self) -> Result<(u64, u64), Error> {
        unreachable!()
    }
    /// Converts ticks of the GPU's clock into the runtime's clock ([`Runtime::timestamp`]).
    pub fn to_system_time(&self, gpu_ticks: u64) -> u64 {
        gpu_ticks
    }
}

impl PartialEq for Agent {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.runtime, &other.runtime) && self.node_id() == other.node_id()
    }
}
impl Eq for Agent {}
impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Agent({}, node {})", self.name(), self.node_id())
    }
}
