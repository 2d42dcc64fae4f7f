//! Kernels and variables of an executable, and how they are found by name and by address.

use std::{fmt, sync::Arc};

use amd_codeobj::{Kernel as KernelMetadata, KernelDescriptor};
use hsa_sys::{FenceScope, Header, KernelDispatchPacket, PacketType};

use super::{Executable, LoadedCodeObject};
use crate::{Agent, Error};

/// A variable with its address.
#[derive(Debug, Clone)]
pub struct Variable {
    /// Symbol name.
    pub name: String,
    /// Address.
    pub va: u64,
    /// Bytes.
    pub size: u64,
    /// Agent whose memory it is in.
    pub agent: Agent,
    /// Whether it was defined from outside, and not by a code object.
    pub external: bool,
}

/// A kernel that can be run. Cloning is cheap; keeps its code in memory.
#[derive(Clone)]
pub struct KernelSymbol {
    pub(super) inner: Arc<Kernel>,
}

pub(super) struct Kernel {
    pub(super) code: LoadedCodeObject,
    pub(super) kernel_object: u64,
    pub(super) entry: u64,
    pub(super) descriptor: KernelDescriptor,
    pub(super) metadata: KernelMetadata,
}

impl KernelSymbol {
    /// Name without `.kd`.
    pub fn name(&self) -> &str {
        let symbol = &self.inner.metadata.symbol;
        symbol.strip_suffix(".kd").unwrap_or(symbol)
    }
    /// The agent it runs on.
    pub fn agent(&self) -> &Agent {
        self.inner.code.agent()
    }
    /// The code object it is in.
    pub fn code_object(&self) -> &LoadedCodeObject {
        &self.inner.code
    }
    /// Address of the kernel descriptor: what a dispatch packet takes.
    pub fn kernel_object(&self) -> u64 {
        self.inner.kernel_object
    }
    /// Address of the first instruction.
    pub fn entry(&self) -> u64 {
        self.inner.entry
    }
    /// Bytes of arguments, hidden ones too.
    pub fn kernarg_segment_size(&self) -> u32 {
        self.inner.metadata.kernarg_segment_size
    }
    /// Alignment of the arguments.
    pub fn kernarg_segment_align(&self) -> u32 {
        self.inner.metadata.kernarg_segment_align.max(16)
    }
    /// Static LDS bytes.
    pub fn group_segment_size(&self) -> u32 {
        self.inner.descriptor.group_segment_fixed_size
    }
    /// Scratch bytes of a work-item, without what dynamic calls need.
    pub fn private_segment_size(&self) -> u32 {
        self.inner.descriptor.private_segment_fixed_size
    }
    /// Whether calls through pointers or recursion need more scratch than `private_segment_size`.
    pub fn uses_dynamic_stack(&self) -> bool {
        self.inner.metadata.uses_dynamic_stack || self.inner.descriptor.properties.uses_dynamic_stack()
    }
    /// Lanes of a wave.
    pub fn wavefront_size(&self) -> u32 {
        self.inner.metadata.wavefront_size
    }
    /// The kernel descriptor.
    pub fn descriptor(&self) -> &KernelDescriptor {
        &self.inner.descriptor
    }
    /// Metadata: arguments, register counts, limits.
    pub fn metadata(&self) -> &KernelMetadata {
        &self.inner.metadata
    }
    /// A packet that runs the kernel: after all earlier packets, with system-scope fences, static LDS and scratch
    /// filled in, without a completion signal.
    pub fn dispatch(&self, grid: [u32; 3], workgroup: [u16; 3], kernarg: u64) -> KernelDispatchPacket {
        KernelDispatchPacket {
            header: Header::new(PacketType::KERNEL_DISPATCH, true, FenceScope::SYSTEM, FenceScope::SYSTEM),
            setup: 3,
            workgroup_size_x: workgroup[0],
            workgroup_size_y: workgroup[1],
            workgroup_size_z: workgroup[2],
            grid_size_x: grid[0],
            grid_size_y: grid[1],
            grid_size_z: grid[2],
            private_segment_size: self.private_segment_size(),
            group_segment_size: self.group_segment_size(),
            kernel_object: self.kernel_object(),
            kernarg_address: kernarg,
            ..Default::default()
        }
    }
}

impl fmt::Debug for KernelSymbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KernelSymbol({} at {:#x} in {:?})", self.name(), self.kernel_object(), self.code_object())
    }
}

impl Executable {
    /// A kernel by name, with or without `.kd`; of the first agent that has it.
    pub fn kernel(&self, name: &str) -> Result<KernelSymbol, Error> {
        self.find_kernel(None, name)
    }

    /// A kernel by name on one agent.
    pub fn kernel_on(&self, agent: &Agent, name: &str) -> Result<KernelSymbol, Error> {
        self.find_kernel(Some(agent.node_id()), name)
    }

    /// All kernels.
    pub fn kernels(&self) -> Vec<KernelSymbol> {
        self.state.lock().kernels.values().cloned().collect()
    }

    /// A variable's address and size by name; of the first agent that has it.
    pub fn variable(&self, name: &str) -> Result<(u64, u64), Error> {
        self.find_variable(None, name)
    }

    /// A variable's address and size by name on one agent.
    pub fn variable_on(&self, agent: &Agent, name: &str) -> Result<(u64, u64), Error> {
        self.find_variable(Some(agent.node_id()), name)
    }

    /// All variables, those that were defined from outside too.
    pub fn variables(&self) -> Vec<Variable> {
        self.state.lock().variables.values().cloned().collect()
    }

    /// The kernel that an address of code or of a descriptor belongs to: the last one that starts at or before it in
    /// its code object. For messages.
    pub fn kernel_at(&self, va: u64) -> Option<KernelSymbol> {
        let state = self.state.lock();
        let inside = |k: &&KernelSymbol| {
            let code = k.code_object();
            (code.load_base()..code.load_base() + code.load_size()).contains(&va)
        };
        let exact = state.kernels.values().find(|k| k.kernel_object() == va);
        exact
            .or_else(|| {
                state.kernels.values().filter(inside).filter(|k| k.entry() <= va).max_by_key(|k| k.entry())
            })
            .cloned()
    }

    fn find_kernel(&self, node: Option<u32>, name: &str) -> Result<KernelSymbol, Error> {
        let state = self.state.lock();
        if !state.frozen {
            return Err(Error::ExecutableState {
                state: "not frozen",
                why: "kernels are found after freeze",
            });
        }
        let name = name.strip_suffix(".kd").unwrap_or(name);
        let found = match node {
            Some(node) => state.kernels.get(&(node, name.to_owned())),
            None => state.kernels.iter().find(|((_, n), _)| n == name).map(|(_, kernel)| kernel),
        };
        found.cloned().ok_or_else(|| Error::SymbolNotFound { kind: "kernel", name: name.to_owned() })
    }

    fn find_variable(&self, node: Option<u32>, name: &str) -> Result<(u64, u64), Error> {
        let state = self.state.lock();
        let found = match node {
            Some(node) => state.variables.get(&(node, name.to_owned())),
            None => state.variables.iter().find(|((_, n), _)| n == name).map(|(_, variable)| variable),
        };
        found
            .map(|variable| (variable.va, variable.size))
            .ok_or_else(|| Error::SymbolNotFound { kind: "variable", name: name.to_owned() })
    }
}
