//! Regions, memory pools, pointer information and fault reasons (`hsa.h` section 2.7, `hsa_ext_amd.h`).

use crate::abi::abi_value;

abi_value! {
    /// `hsa_region_segment_t` and, with the same values, `hsa_amd_segment_t`.
    pub struct RegionSegment(u32) {
        /// Memory that any agent can be given access to.
        GLOBAL = 0,
        /// Constant memory.
        READONLY = 1,
        /// Memory of a work-item.
        PRIVATE = 2,
        /// Memory of a work-group (LDS).
        GROUP = 3,
    }
}

abi_value! {
    /// `hsa_amd_memory_pool_global_flag_t`, a mask.
    pub struct MemoryPoolGlobalFlag(u32) {
        /// Fit for kernel arguments.
        KERNARG_INIT = 1,
        /// Coherent while kernels run.
        FINE_GRAINED = 2,
        /// Coherent at kernel boundaries.
        COARSE_GRAINED = 4,
    }
}

abi_value! {
    /// `hsa_amd_pointer_type_t`
    pub struct PointerType(u32) {
        /// Not known to the runtime.
        UNKNOWN = 0,
        /// Allocated from a pool.
        HSA = 1,
        /// Host memory that was locked.
        LOCKED = 2,
        /// Graphics memory that was mapped.
        GRAPHICS = 3,
        /// Memory of another process.
        IPC = 4,
        /// Addresses that were reserved, with or without memory.
        RESERVED_ADDR = 5,
    }
}

abi_value! {
    /// `hsa_amd_memory_fault_reason_t`, a mask.
    pub struct MemoryFaultReason(u32) {
        /// The page is not mapped, or only for the host.
        PAGE_NOT_PRESENT = 1,
        /// A write to a read-only page.
        READ_ONLY = 2,
        /// An instruction fetch from a page that is not executable.
        NX = 4,
        /// Only the host may access the page.
        HOST_ONLY = 8,
        /// DRAM error.
        DRAMECC = 16,
        /// The address is not exact.
        IMPRECISE = 32,
        /// SRAM error.
        SRAMECC = 64,
        /// The agent was reset after a hang.
        HANG = 0x8000_0000,
    }
}
