//! What a compiled program tells before `main` (`__hipRegister…`): pointers are noted, nothing is read behind them.
//! Indexing, choosing and loading happen when a kernel or variable is first used on a device.

mod fatbin;
mod function;
mod image;
mod managed;
mod variable;

pub use fatbin::FatBinary;
pub use function::Function;
pub use image::{Place, locate};
pub use managed::Managed;
pub use variable::Variable;

use crate::error::{Result, report};
use crate::state::{self, state};
use hip_sys::hipError_t;
use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Everything that is registered.
pub struct Registry {
    inner: RwLock<Inner>,
}

struct Inner {
    binaries: BTreeMap<usize, Arc<FatBinary>>,
    functions: BTreeMap<usize, Arc<Function>>,
    variables: BTreeMap<usize, Arc<Variable>>,
    unregistered: bool,
}

impl Registry {
    /// Nothing.
    pub const fn new() -> Self {
        Self {
            inner: RwLock::new(Inner {
                binaries: BTreeMap::new(),
                functions: BTreeMap::new(),
                variables: BTreeMap::new(),
                unregistered: false,
            }),
        }
    }

    /// Notes a fat binary; the handle is its key.
    pub fn add_binary(&self, binary: FatBinary) -> usize {
        let binary = Arc::new(binary);
        let handle = Arc::as_ptr(&binary).addr();
        self.inner.write().binaries.insert(handle, binary);
        handle
    }

    /// The fat binary of a handle.
    pub fn binary(&self, handle: usize) -> Option<Arc<FatBinary>> {
        self.inner.read().binaries.get(&handle).cloned()
    }

    /// All fat binaries.
    pub fn binaries(&self) -> Vec<Arc<FatBinary>> {
        self.inner.read().binaries.values().cloned().collect()
    }

    /// Forgets a fat binary with its functions and variables. Returns it, and whether this is the first to go.
    pub fn remove_binary(&self, handle: usize) -> (Option<Arc<FatBinary>>, bool) {
        let mut inner = self.inner.write();
        let first = !std::mem::replace(&mut inner.unregistered, true);
        let binary = inner.binaries.remove(&handle);
        if let Some(binary) = &binary {
            inner.functions.retain(|_, function| !Arc::ptr_eq(function.binary(), binary));
            inner.variables.retain(|_, variable| !Arc::ptr_eq(variable.binary(), binary));
        }
        (binary, first)
    }

    /// Notes a kernel. Templates come from several translation units: the first stays.
    pub fn add_function(&self, host: usize, function: Function) {
        self.inner.write().functions.entry(host).or_insert_with(|| Arc::new(function));
    }

    /// The kernel that the program knows by this address.
    pub fn function(&self, host: usize) -> Result<Arc<Function>> {
        self.inner.read().functions.get(&host).cloned().ok_or(hipError_t::INVALID_DEVICE_FUNCTION)
    }

    /// Notes a variable.
    pub fn add_variable(&self, shadow: usize, variable: Variable) {
        let mut inner = self.inner.write();
        match inner.variables.get(&shadow) {
            None => {
                inner.variables.insert(shadow, Arc::new(variable));
            }
            Some(first) if first.name() == variable.name() => {}
            Some(first) => report(format_args!(
                "the variable at {shadow:#x} is registered as `{}` and as `{}`: the first stays",
                first.name(),
                variable.name()
            )),
        }
    }

    /// The variable that the program knows by this address.
    pub fn variable(&self, shadow: usize) -> Result<Arc<Variable>> {
        self.inner.read().variables.get(&shadow).cloned().ok_or(hipError_t::INVALID_SYMBOL)
    }
}

/// The target IDs that the program has code for: a look at tables only. For an emulator that can choose what to be.
pub fn targets_of_program() -> Vec<String> {
    let mut targets: Vec<String> = Vec::new();
    for binary in state().registry.binaries() {
        for target in binary.targets() {
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
    }
    targets
}

/// Unregisters a fat binary. Before the first one goes, all work of the program ends, so that nothing that it printed
/// is lost.
pub fn unregister(handle: usize) {
    let (binary, first) = state().registry.remove_binary(handle);
    if let Some(hip) = state::hip_if_open() {
        for device in &hip.devices {
            if first {
                let _ = device.synchronize();
            } else {
                device.drain();
            }
        }
        if first {
            hip.listener.drain();
            crate::explain::finish();
        }
    }
    drop(binary);
}
