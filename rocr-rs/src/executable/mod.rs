//! Executables (`hsa.h` section 2.9): code objects loaded into an agent's memory, and their symbols.

use std::sync::Arc;

use crate::pending::Kernel as KernelMetadata;
use hsa_sys::KernelDispatchPacket;

use crate::{Agent, Error, Runtime};

/// A set of loaded code objects. Its memory goes when the executable and all its symbols are dropped.
pub struct Executable {}

impl Executable {
    /// An empty executable.
    pub fn new(runtime: &Arc<Runtime>) -> Self {
        let _ = runtime;
        Self {}
    }
    /// Loads a code object (ELF) for `agent`: checks the target, copies the segments, relocates, registers symbols.
    pub fn load(&self, agent: &Agent, code: &[u8]) -> Result<LoadedCodeObject, Error> {
        let _ = (agent, code);
        Err(Error::CodeObject(String::new()))
    }
    /// Defines a variable that code objects loaded later refer to.
    pub fn define_variable(&self, agent: &Agent, name: &str, va: u64, bytes: u64) -> Result<(), Error> {
        let _ = (agent, name, va, bytes);
        Ok(())
    }
    /// Ends loading.
    pub fn freeze(&self) -> Result<(), Error> {
        Ok(())
    }
    /// Whether loading has ended.
    pub fn is_frozen(&self) -> bool {
        false
    }
    /// A kernel by name, with or without `.kd`; of the first agent that has it.
    pub fn kernel(&self, name: &str) -> Result<KernelSymbol, Error> {
        Err(Error::SymbolNotFound { kind: "kernel", name: name.to_owned() })
    }
    /// A kernel by name on one agent.
    pub fn kernel_on(&self, agent: &Agent, name: &str) -> Result<KernelSymbol, Error> {
        let _ = agent;
        Err(Error::SymbolNotFound { kind: "kernel", name: name.to_owned() })
    }
    /// All kernels.
    pub fn kernels(&self) -> Vec<KernelSymbol> {
        Vec::new()
    }
    /// A variable's address and size by name; of the first agent that has it.
    pub fn variable(&self, name: &str) -> Result<(u64, u64), Error> {
        Err(Error::SymbolNotFound { kind: "variable", name: name.to_owned() })
    }
    /// All variables.
    pub fn variables(&self) -> Vec<Variable> {
        Vec::new()
    }
    /// The code objects, in load order.
    pub fn loaded_code_objects(&self) -> Vec<LoadedCodeObject> {
        Vec::new()
    }
    /// The kernel whose descriptor or code `va` lies in: for messages.
    pub fn kernel_at(&self, va: u64) -> Option<KernelSymbol> {
        let _ = va;
        None
    }
}

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
}

/// A code object in an agent's memory. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct LoadedCodeObject {
    agent: Agent,
}

impl LoadedCodeObject {
    /// The agent.
    pub fn agent(&self) -> &Agent {
        &self.agent
    }
    /// Code object version, 2 to 6.
    pub fn version(&self) -> u32 {
        0
    }
    /// First address in the agent's memory.
    pub fn load_base(&self) -> u64 {
        0
    }
    /// Bytes in the agent's memory.
    pub fn load_size(&self) -> u64 {
        0
    }
    /// Load address minus link address.
    pub fn load_delta(&self) -> u64 {
        0
    }
    /// `printf` formats, as the metadata has them.
    pub fn printf_formats(&self) -> &[String] {
        &[]
    }
}

/// A kernel that can be run. Cloning is cheap; keeps its code in memory.
#[derive(Debug, Clone)]
pub struct KernelSymbol {
    code: LoadedCodeObject,
}

impl KernelSymbol {
    /// Name without `.kd`.
    pub fn name(&self) -> &str {
        ""
    }
    /// The agent it runs on.
    pub fn agent(&self) -> &Agent {
        &self.code.agent
    }
    /// The code object it is in.
    pub fn code_object(&self) -> &LoadedCodeObject {
        &self.code
    }
    /// Address of the kernel descriptor: what a dispatch packet takes.
    pub fn kernel_object(&self) -> u64 {
        0
    }
    /// Bytes of arguments, hidden ones too.
    pub fn kernarg_segment_size(&self) -> u32 {
        0
    }
    /// Alignment of the arguments.
    pub fn kernarg_segment_align(&self) -> u32 {
        16
    }
    /// Static LDS bytes.
    pub fn group_segment_size(&self) -> u32 {
        0
    }
    /// Scratch bytes of a work-item, without what dynamic calls need.
    pub fn private_segment_size(&self) -> u32 {
        0
    }
    /// Whether calls through pointers or recursion need more scratch than `private_segment_size`.
    pub fn uses_dynamic_stack(&self) -> bool {
        false
    }
    /// Lanes of a wave.
    pub fn wavefront_size(&self) -> u32 {
        64
    }
    /// Metadata: arguments, register counts, limits.
    pub fn metadata(&self) -> &KernelMetadata {
        unreachable!()
    }
    /// A packet that runs the kernel: system-scope fences, static LDS and scratch filled in, no completion signal.
    pub fn dispatch(&self, grid: [u32; 3], workgroup: [u16; 3], kernarg: u64) -> KernelDispatchPacket {
        let _ = (grid, workgroup, kernarg);
        KernelDispatchPacket::default()
    }
}
