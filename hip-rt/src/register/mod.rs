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
use std::sync::atomic::{AtomicBool, Ordering};

/// Everything that is registered.
pub struct Registry {
    inner: RwLock<Inner>,
    /// Whether an address that is no kernel was told of.
    told: AtomicBool,
}

struct Inner {
    binaries: BTreeMap<usize, Arc<FatBinary>>,
    functions: BTreeMap<usize, Arc<Function>>,
    variables: BTreeMap<usize, Arc<Variable>>,
}

impl Registry {
    /// Nothing.
    pub const fn new() -> Self {
        Self {
            inner: RwLock::new(Inner {
                binaries: BTreeMap::new(),
                functions: BTreeMap::new(),
                variables: BTreeMap::new(),
            }),
            told: AtomicBool::new(false),
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

    /// Forgets a fat binary with its functions and variables, and returns it.
    pub fn remove_binary(&self, handle: usize) -> Option<Arc<FatBinary>> {
        let mut inner = self.inner.write();
        let binary = inner.binaries.remove(&handle);
        if let Some(binary) = &binary {
            inner.functions.retain(|_, function| !Arc::ptr_eq(function.binary(), binary));
            inner.variables.retain(|_, variable| !Arc::ptr_eq(variable.binary(), binary));
        }
        binary
    }

    /// Notes a kernel. Templates come from several translation units: the first stays.
    pub fn add_function(&self, host: usize, function: Function) {
        self.inner.write().functions.entry(host).or_insert_with(|| Arc::new(function));
    }

    /// The kernel that the program knows by this address.
    pub fn function(&self, host: usize) -> Result<Arc<Function>> {
        let found = self.inner.read().functions.get(&host).cloned();
        if found.is_none() && !self.told.swap(true, Ordering::Relaxed) {
            report(format_args!(
                "{host:#x} is no kernel that the program has registered: hipErrorInvalidDeviceFunction; constructors of \
                 static objects may run before their file's kernels are registered, and destructors after"
            ));
        }
        found.ok_or(hipError_t::INVALID_DEVICE_FUNCTION)
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

/// Unregisters a fat binary: its library is closed, or the program ends.
///
/// In a program that goes on nothing is waited for: what runs keeps its code, and the loader, which calls this, holds a
/// lock that threads need to start. In one that ends, destructors may have launched more since `exit` began.
pub fn unregister(handle: usize) {
    let binary = state().registry.remove_binary(handle);
    if state().is_ending() {
        end_of_work();
    }
    drop(binary);
}

/// Waits for all work of the program, and serves what it printed last.
pub fn end_of_work() {
    let Some(hip) = state::hip_if_open() else { return };
    for device in &hip.devices {
        let _ = device.synchronize();
    }
    hip.listener.drain();
}
