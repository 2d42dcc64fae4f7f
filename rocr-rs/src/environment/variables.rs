//! The list of variables: of the vendor's `flag.h` from 5.2.3 to 7.0, and of its thunk what concerns this layer.

/// Each variable with what it does here; what begins with "No effect" goes on with why.
#[rustfmt::skip]
pub const VARIABLES: &[(&str, &str)] = &[
    ("ROCR_VISIBLE_DEVICES", "GPUs by index or UUID, comma-separated: the program sees these, in this order; the list ends at the first that does not exist or was named before."),
    ("HSA_OVERRIDE_GFX_VERSION", "`major.minor.stepping`, as in `9.0.10`: every GPU passes for that one, and runs its code if it can; anything else fails `hsa_init`."),
    ("HSA_XNACK", "`0` or `1`: asks the driver for retry of memory accesses off or on, which the agents' ISA names show; the driver may refuse."),
    ("HSA_ENABLE_INTERRUPT", "`0`: the program's signals have no events, and whoever waits for them polls. The runtime's own queues go on using events."),
    ("HSA_ENABLE_SDMA", "`1`: SDMA engines copy wherever memory of a GPU is concerned. `0`: the host copies, and what it does not reach is an error. Otherwise whichever is sooner."),
    ("HSA_MAX_QUEUES", "Most queues that an agent reports, at most 128; it does not limit how many can be made."),
    ("HSA_CU_MASK", "`GPUs:units[;GPUs:units…]`, as in `0,2-3:0-15,32;1:0xff`: the compute units that queues may use. It ends at the first part that is malformed."),
    ("HSA_CU_MASK_SKIP_INIT", "`1`: `HSA_CU_MASK` limits only what queues ask for with `hsa_amd_queue_cu_set_mask`, not new queues."),
    ("HSA_ENABLE_VM_FAULT_MESSAGE", "`0`: memory faults are not told on stderr."),
    ("HSA_ENABLE_QUEUE_FAULT_MESSAGE", "`0`: errors of queues that have no callback are not told on stderr."),
    ("HSA_RUNNING_UNDER_VALGRIND", "`1`: tools stay loaded after `hsa_shut_down`."),
    ("HSA_TOOLS_LIB", "Shared libraries, separated by spaces, that may change the C functions; see `hsa_api_trace.h`."),
    ("HSA_TOOLS_REPORT_LOAD_FAILURE", "`0`: nothing is said of tools that cannot be loaded."),
    ("HSA_ENABLE_DEBUG", "No effect: the trap handler gives debuggers what it can in any case."),
    ("HSA_CHECK_FLAT_SCRATCH", "No effect: flat scratch is set up by the packet processor from the queue's scratch memory, and there is nothing to check."),
    ("HSA_SCRATCH_MEM", "No effect: each queue takes the scratch memory that its kernels need, when they need it."),
    ("HSA_SCRATCH_SINGLE_LIMIT", "No effect: no dispatch's scratch memory is given back after one use."),
    ("HSA_SCRATCH_SINGLE_LIMIT_ASYNC", "No effect: as `HSA_SCRATCH_SINGLE_LIMIT`."),
    ("HSA_ENABLE_SCRATCH_ASYNC_RECLAIM", "No effect: a queue keeps its scratch memory until it needs more or ends."),
    ("HSA_ENABLE_SCRATCH_ALT", "No effect: queues have one scratch memory."),
    ("HSA_NO_SCRATCH_RECLAIM", "No effect: scratch memory is never reclaimed, which is what `1` asks for."),
    ("HSA_NO_SCRATCH_THREAD_LIMITER", "No effect: where memory is short the number of waves is cut rather than the dispatch refused."),
    ("HSA_TOOLS_DISABLE_REGISTER", "No effect: rocprofiler-register is not looked for."),
    ("HSA_TOOLS_REPORT_REGISTER_FAILURE", "No effect: as `HSA_TOOLS_DISABLE_REGISTER`."),
    ("HSA_TOOLS_ROCPROFILER_V1_TOOLS", "No effect: `HSA_TOOLS_LIB` counts in any case."),
    ("HSA_DISABLE_FRAGMENT_ALLOCATOR", "No effect: each allocation is one of the driver's, and small ones are not carved out of larger ones, which is what `1` asks for."),
    ("HSA_ENABLE_SDMA_HDP_FLUSH", "No effect: host writes are flushed before a queue's doorbell rings."),
    ("HSA_ENABLE_PEER_SDMA", "No effect: copies between GPUs go the way of all others."),
    ("HSA_ENABLE_SDMA_GANG", "No effect: no copy is spread over engines."),
    ("HSA_ENABLE_SDMA_COPY_SIZE_OVERRIDE", "No effect: copies are split as their packets demand."),
    ("HSA_ENABLE_SDMA_RECOMMENDED_ENG", "No effect: the driver chooses the engine."),
    ("HSA_SDMA_WAIT_IDLE", "No effect: a debugging aid of the vendor's copy queues."),
    ("HSA_FORCE_SDMA_SIZE", "No effect: a limit of the vendor's copy queues."),
    ("HSA_CO_DMACOPY_SIZE", "No effect: a limit of the vendor's copies by kernels."),
    ("HSA_REV_COPY_DIR", "No effect: a debugging aid of the vendor's copies between GPUs."),
    ("HSA_FORCE_FINE_GRAIN_PCIE", "No effect: GPUs have a pool of fine-grained memory where the driver has one."),
    ("HSA_DISABLE_IMAGE", "No effect: it keeps the vendor's image library from being loaded; images here need none."),
    ("HSA_IMAGE_PRINT_SRD", "No effect: a debugging aid of the vendor's image library."),
    ("HSA_IMAGE_ENABLE_3D_SWIZZLE_DEBUG", "No effect: all images are linear."),
    ("HSA_DISABLE_PC_SAMPLING", "No effect: there is no sampling of program counters."),
    ("HSA_PCS_MAX_DEVICE_BUFFER_SIZE", "No effect: as `HSA_DISABLE_PC_SAMPLING`."),
    ("HSA_LOADER_ENABLE_MMAP_URI", "No effect: a code object in memory has a `memory://` URI, also where that memory is a mapped file."),
    ("HSA_IGNORE_SRAMECC_MISREPORT", "No effect: drivers that misreport ECC (KFD before 1.4) are too old for this runtime."),
    ("HSA_ENABLE_SRAMECC", "No effect: what the driver reports counts."),
    ("HSA_COOP_CU_COUNT", "No effect: all compute units take part in cooperative launches."),
    ("HSA_DISCOVER_COPY_AGENTS", "No effect: the agents of a copy are those that the call names."),
    ("HSA_SVM_PROFILE", "No effect: there is no log of migrations."),
    ("HSA_ENABLE_MWAITX", "No effect: waiters sleep in the driver."),
    ("HSA_ENABLE_IPC_MODE_LEGACY", "No effect: there is one way to share memory between processes."),
    ("HSA_OVERRIDE_CPU_AFFINITY_DEBUG", "No effect: the runtime's threads run where the program's do."),
    ("HSA_ALLOCATE_QUEUE_DEV_MEM", "No effect: rings are in memory that host and GPU share."),
    ("HSA_WAIT_ANY_DEBUG", "No effect: waits for any of many signals sleep on all of them."),
    ("HSA_SIGNAL_WAIT_ABORT_TIMEOUT", "No effect: this library does not end the program."),
    ("HSA_ASYNCEVENTS_THREAD_PRIORITY", "No effect: the threads that call handlers have the program's priority."),
    ("HSA_ENABLE_DTIF", "No effect: a simulator of the vendor's that is not public; `ROCRS_DEVICE` chooses the device here."),
];

#[cfg(test)]
mod tests {
    use super::VARIABLES;

    #[test]
    fn the_document_has_the_same_list() {
        let document = include_str!("../../../docs/hsa/environment.md");
        let rows: Vec<(&str, &str)> = document
            .lines()
            .filter_map(|line| line.strip_prefix("| `")?.strip_suffix(" |")?.split_once("` | "))
            .collect();
        assert_eq!(rows, VARIABLES);
    }
}
