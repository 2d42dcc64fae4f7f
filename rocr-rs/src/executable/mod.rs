//! Executables (`hsa.h` section 2.9): code objects loaded into an agent's memory, and their symbols.

mod freeze;
mod load;
mod relocation;
mod symbol;

use std::{collections::BTreeMap, fmt, sync::Arc};

use parking_lot::Mutex;
pub use symbol::{KernelSymbol, Variable};

use crate::{Agent, Error, Runtime, memory::Block};

/// A set of loaded code objects. Its memory goes when the executable and all its symbols are dropped.
pub struct Executable {
    runtime: Arc<Runtime>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    frozen: bool,
    loaded: Vec<LoadedCodeObject>,
    /// By node of the agent and name.
    kernels: BTreeMap<(u32, String), KernelSymbol>,
    variables: BTreeMap<(u32, String), Variable>,
}

impl Executable {
    /// An empty executable.
    pub fn new(runtime: &Arc<Runtime>) -> Self {
        Self { runtime: runtime.clone(), state: Mutex::default() }
    }

    /// The runtime.
    pub fn runtime(&self) -> &Arc<Runtime> {
        &self.runtime
    }

    /// Loads a code object (ELF) for `agent`: checks the target, copies the segments, relocates, registers symbols.
    /// Nothing of it stays when it fails.
    pub fn load(&self, agent: &Agent, code: &[u8]) -> Result<LoadedCodeObject, Error> {
        let mut state = self.state.lock();
        state.check_not_frozen("loading a code object")?;
        let loaded = load::load(&state, agent, code)?;
        state.loaded.push(loaded.code.clone());
        let node = agent.node_id();
        state.kernels.extend(loaded.kernels.into_iter().map(|k| ((node, k.name().to_owned()), k)));
        state.variables.extend(loaded.variables.into_iter().map(|v| ((node, v.name.clone()), v)));
        Ok(loaded.code)
    }

    /// Defines a variable that code objects loaded later refer to.
    pub fn define_variable(&self, agent: &Agent, name: &str, va: u64, bytes: u64) -> Result<(), Error> {
        self.define_variable_for(std::slice::from_ref(agent), name, va, bytes)
    }

    /// As [`define_variable`](Self::define_variable), for all of `agents` or, when one of them knows the name, for none.
    pub fn define_variable_for(
        &self,
        agents: &[Agent],
        name: &str,
        va: u64,
        bytes: u64,
    ) -> Result<(), Error> {
        let mut state = self.state.lock();
        state.check_not_frozen("defining a variable")?;
        let key = |agent: &Agent| (agent.node_id(), name.to_owned());
        if agents.iter().any(|agent| state.variables.contains_key(&key(agent))) {
            return Err(Error::DuplicateSymbol { name: name.to_owned() });
        }
        for agent in agents {
            let variable =
                Variable { name: name.to_owned(), va, size: bytes, agent: agent.clone(), external: true };
            state.variables.insert(key(agent), variable);
        }
        Ok(())
    }

    /// The code objects, in load order.
    pub fn loaded_code_objects(&self) -> Vec<LoadedCodeObject> {
        self.state.lock().loaded.clone()
    }
}

impl fmt::Debug for Executable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state.lock();
        f.debug_struct("Executable")
            .field("frozen", &state.frozen)
            .field("loaded", &state.loaded)
            .field("kernels", &state.kernels.keys().map(|(_, name)| name).collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

/// A code object in an agent's memory. Cloning is cheap.
#[derive(Clone)]
pub struct LoadedCodeObject {
    inner: Arc<Loaded>,
}

struct Loaded {
    agent: Agent,
    block: Block,
    version: u32,
    target: String,
    load_base: u64,
    load_size: u64,
    load_delta: u64,
    printf: Vec<String>,
}

impl Drop for Loaded {
    fn drop(&mut self) {
        self.agent.runtime().core.allocations.remove(self.block.va());
    }
}

impl LoadedCodeObject {
    /// The agent.
    pub fn agent(&self) -> &Agent {
        &self.inner.agent
    }
    /// Code object version, 2 to 6.
    pub fn version(&self) -> u32 {
        self.inner.version
    }
    /// Target ID that the code was compiled for.
    pub fn target(&self) -> &str {
        &self.inner.target
    }
    /// First address in the agent's memory.
    pub fn load_base(&self) -> u64 {
        self.inner.load_base
    }
    /// Bytes in the agent's memory.
    pub fn load_size(&self) -> u64 {
        self.inner.load_size
    }
    /// Load address minus link address.
    pub fn load_delta(&self) -> u64 {
        self.inner.load_delta
    }
    /// `printf` formats, as the metadata has them.
    pub fn printf_formats(&self) -> &[String] {
        &self.inner.printf
    }
}

impl fmt::Debug for LoadedCodeObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Loaded { version, target, load_base, load_size, .. } = &*self.inner;
        write!(f, "LoadedCodeObject(v{version} for {target} at {load_base:#x}, {load_size:#x} bytes)")
    }
}
