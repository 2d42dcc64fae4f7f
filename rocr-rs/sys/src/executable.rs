//! Executables and their symbols (`hsa.h` section 2.9).

use crate::abi::abi_value;

abi_value! {
    /// `hsa_executable_state_t`
    pub struct ExecutableState(u32) {
        /// Code objects can be loaded and variables defined.
        UNFROZEN = 0,
        /// Symbols can be asked for, and kernels run.
        FROZEN = 1,
    }
}

abi_value! {
    /// `hsa_symbol_kind_t`
    pub struct SymbolKind(u32) {
        /// A variable.
        VARIABLE = 0,
        /// A kernel: its address is that of the kernel descriptor.
        KERNEL = 1,
        /// A function that is called by address.
        INDIRECT_FUNCTION = 2,
    }
}

abi_value! {
    /// `hsa_symbol_linkage_t`
    pub struct SymbolLinkage(u32) {
        /// Seen in its code object only.
        MODULE = 0,
        /// Seen in the whole executable.
        PROGRAM = 1,
    }
}

abi_value! {
    /// `hsa_variable_allocation_t`
    pub struct VariableAllocation(u32) {
        /// One for each agent.
        AGENT = 0,
        /// One for all agents.
        PROGRAM = 1,
    }
}

abi_value! {
    /// `hsa_variable_segment_t`
    pub struct VariableSegment(u32) {
        /// Global memory.
        GLOBAL = 0,
        /// Constant memory.
        READONLY = 1,
    }
}
