//! The runtime object: the agents, what is known of memory, the event threads (`hsa_init`, `hsa_shut_down`).

use std::{
    fmt,
    sync::{Arc, OnceLock, Weak},
};

use hsa_sys::SignalCondition;
use parking_lot::Mutex;
use thunk_rs::{DeviceChoice, NodeId, Thunk};

use crate::{
    Agent, EnginePolicy, Environment, Error, MemoryInfo, Queue, Signal, core::Core, fault::Faults,
    sdma::Engines, signal::async_handler::AsyncThread,
};

/// How to choose the device.
#[derive(Debug, Clone, Default)]
pub struct OpenOptions {
    /// `auto`, `kfd`, `emu[:CHIP,…]`; `None` reads `ROCRS_DEVICE`.
    pub device: Option<String>,
    /// Target IDs that the program has code for, best first: a device that can choose what to be takes the first it can.
    pub targets_hint: Vec<String>,
    /// The variables of the vendor's runtime; by default none is set.
    pub environment: Environment,
}

/// One open device with all that belongs to it.
pub struct Runtime {
    pub(crate) core: Arc<Core>,
    pub(crate) faults: Arc<Faults>,
    pub(crate) queues: Arc<Mutex<Vec<Weak<Queue>>>>,
    /// SDMA engines by agent.
    pub(crate) engines: Vec<Engines>,
    pub(crate) engine_policy: Mutex<EnginePolicy>,
    /// Bytes a microsecond that the host reads of an agent's memory, once that is known.
    pub(crate) host_speed: Vec<OnceLock<u64>>,
    /// Set once `new` is done; dropped before `core`.
    internal: OnceLock<AsyncThread>,
    handlers: OnceLock<AsyncThread>,
    copies: OnceLock<AsyncThread>,
}

impl Runtime {
    /// Opens the device that `options` or `ROCRS_DEVICE` choose.
    pub fn open(options: &OpenOptions) -> Result<Arc<Self>, Error> {
        let driver = |source| Error::Driver { what: "open the device", source };
        let device = options.device.as_deref().map(str::parse::<DeviceChoice>).transpose().map_err(driver)?;
        let thunk = Thunk::open(&thunk_rs::OpenOptions {
            device,
            targets_hint: options.targets_hint.clone(),
            ..Default::default()
        });
        Self::with_environment(thunk.map_err(driver)?, &options.environment)
    }

    /// A runtime on an open device.
    pub fn new(thunk: Thunk) -> Result<Arc<Self>, Error> {
        Self::with_environment(thunk, &Environment::default())
    }

    /// A runtime on an open device, with what the variables of the vendor's runtime say.
    pub fn with_environment(thunk: Thunk, environment: &Environment) -> Result<Arc<Self>, Error> {
        let core = Arc::new(Core::new(thunk, environment)?);
        let engines = core.agents.iter().map(|agent| Engines::new(agent.gfx_version.0, agent.sdma_engines));
        let runtime = Arc::new(Self {
            engines: engines.collect(),
            engine_policy: Mutex::new(environment.engines),
            host_speed: core.agents.iter().map(|_| OnceLock::new()).collect(),
            core,
            faults: Arc::default(),
            queues: Arc::default(),
            internal: OnceLock::new(),
            handlers: OnceLock::new(),
            copies: OnceLock::new(),
        });
        if runtime.core.gpus().next().is_some() {
            let watch = crate::fault::watch(&runtime)?;
            let thread = AsyncThread::start(&runtime.core, "rocr-events", Some(watch))?;
            // Nobody else has the runtime yet.
            let _ = runtime.internal.set(thread);
        }
        Ok(runtime)
    }

    /// What the environment said when the runtime was opened.
    pub fn environment(&self) -> &Environment {
        &self.core.environment
    }

    /// A word for messages: `/dev/kfd`, `emulated gfx90a`.
    pub fn device_name(&self) -> &str {
        &self.core.device_name
    }

    /// All agents: hosts first, then GPUs, each in topology order.
    pub fn agents(self: &Arc<Self>) -> Vec<Agent> {
        (0..self.core.agents.len()).map(|index| self.agent(index)).collect()
    }

    /// The GPU agents, in topology order.
    pub fn gpu_agents(self: &Arc<Self>) -> Vec<Agent> {
        self.core.gpus().map(|(index, _)| self.agent(index)).collect()
    }

    /// The host's agent (of the first NUMA node).
    pub fn cpu_agent(self: &Arc<Self>) -> Agent {
        self.agent(0)
    }

    pub(crate) fn agent(self: &Arc<Self>, index: usize) -> Agent {
        Agent { runtime: self.clone(), index }
    }

    /// What is known of the allocation that `va` lies in.
    pub fn memory_info(self: &Arc<Self>, va: u64) -> Option<MemoryInfo> {
        let found = self.core.allocations.with(va, |base, entry| {
            let info = MemoryInfo {
                base,
                size: entry.bytes,
                owner: self.cpu_agent(),
                origin: entry.origin,
                system: entry.system,
                host_access: entry.host_access,
                gpu_nodes: match &entry.kept {
                    Some(block) => block.gpu_nodes(),
                    None => entry.gpus.clone(),
                },
            };
            (info, entry.node)
        });
        let Some((mut info, node)) = found else { return self.core.virtual_memory.info(self, va) };
        info.owner.index = self.core.index_of_node(node)?;
        Some(info)
    }

    /// Gives memory that [`Memory::into_va`](crate::Memory::into_va) let go to these agents and to no other GPU
    /// (`hsa_amd_agents_allow_access`). The host has access always.
    pub fn allow_access(&self, va: u64, agents: &[Agent]) -> Result<(), Error> {
        let nodes: Vec<NodeId> = agents
            .iter()
            .filter(|agent| agent.kind() == crate::AgentKind::Gpu)
            .map(|agent| NodeId(agent.node_id()))
            .collect();
        self.core
            .allocations
            .map_kept(va, &nodes)
            .ok_or(Error::UnknownAddress { va })?
            .map_err(|source| Error::Driver { what: "give access", source })
    }

    /// Calls `handler` with the signal's value once `condition` holds, from a thread of the runtime; again and again
    /// as long as it returns `true` (`hsa_amd_signal_async_handler`). Handlers may not wait for each other.
    pub fn on_signal(
        self: &Arc<Self>,
        signal: &Signal,
        condition: SignalCondition,
        value: i64,
        handler: impl FnMut(i64) -> bool + Send + 'static,
    ) -> Result<(), Error> {
        let thread = self.started(&self.handlers, "rocr-handlers")?;
        thread.add(signal.clone(), condition, value, Box::new(handler));
        Ok(())
    }

    /// The thread that does what waits for signals: not the one of the program's handlers, which may wait for it.
    pub(crate) fn copies(&self) -> Result<&AsyncThread, Error> {
        self.started(&self.copies, "rocr-copies")
    }

    /// A thread that starts when it is first needed.
    fn started<'a>(&self, thread: &'a OnceLock<AsyncThread>, name: &str) -> Result<&'a AsyncThread, Error> {
        if let Some(thread) = thread.get() {
            return Ok(thread);
        }
        // When two threads came at once, the one that lost stops again.
        let started = AsyncThread::start(&self.core, name, None)?;
        Ok(thread.get_or_init(|| started))
    }

    /// The system clock that dispatch times are in, in ticks.
    pub fn timestamp(&self) -> u64 {
        self.core.thunk.clock_counters(NodeId(self.core.cpu().node_id)).map_or(0, |clocks| clocks.system)
    }

    /// Ticks a second of [`timestamp`](Self::timestamp).
    pub fn timestamp_frequency(&self) -> u64 {
        self.core.cpu().clock_frequency
    }

    /// The thread that serves queues and faults. There is one when there is a GPU, and only GPUs have queues.
    pub(crate) fn internal(&self) -> &AsyncThread {
        self.internal.get().expect("a runtime with a GPU has its event thread")
    }

    pub(crate) fn register_queue(&self, queue: &Arc<Queue>) {
        let mut queues = self.queues.lock();
        queues.retain(|queue| queue.strong_count() != 0);
        queues.push(Arc::downgrade(queue));
    }
}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Runtime({}, {} agents)", self.core.device_name, self.core.agents.len())
    }
}
