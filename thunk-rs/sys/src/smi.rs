//! The stream of system-management events.

abi_value! {
    /// Events of the stream: `enum kfd_smi_event`.
    pub struct SmiEvent {
        NONE = 0, "Not used.";
        VMFAULT = 1, "Memory access fault.";
        THERMAL_THROTTLE = 2, "Clocks lowered for heat.";
        GPU_PRE_RESET = 3, "A reset begins.";
        GPU_POST_RESET = 4, "A reset is over.";
        MIGRATE_START = 5, "Pages begin to move.";
        MIGRATE_END = 6, "Pages have moved.";
        PAGE_FAULT_START = 7, "A retried page fault begins.";
        PAGE_FAULT_END = 8, "A retried page fault is served.";
        QUEUE_EVICTION = 9, "Queues go off the hardware.";
        QUEUE_RESTORE = 10, "Queues come back.";
        UNMAP_FROM_GPU = 11, "A range is unmapped.";
        ALL_PROCESS = 64, "A flag: of all processes; needs rights.";
    }
}

/// `KFD_SMI_EVENT_MSG_SIZE`
pub const SMI_EVENT_MSG_SIZE: usize = 96;

abi_struct! {
    /// Opens the stream of one GPU.
    pub struct SmiEventsArgs = "kfd_ioctl_smi_events_args", 8 bytes {
        0 => gpuid: u32 = "in";
        4 => anon_fd: u32 = "out: file descriptor to write the mask to and to read from";
    }
}
