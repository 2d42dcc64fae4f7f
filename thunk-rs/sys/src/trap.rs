//! The debugger's structs (1.13): members of the union in [`DbgTrapArgs`](crate::debug::DbgTrapArgs), and what its
//! operations read and write in the caller's memory.

abi_struct! {
    /// Begins to debug.
    pub struct EnableArgs = "kfd_ioctl_dbg_trap_enable_args", 24 bytes {
        0 => exception_mask: u64 = "in: exceptions to be told of";
        8 => rinfo_ptr: u64 = "in: address of room for a [`RuntimeInfo`]";
        16 => rinfo_size: u32 = "in: bytes of it; out: bytes that the kernel knows";
        20 => dbg_fd: u32 = "in: file descriptor that becomes readable with an exception";
    }
}

abi_struct! {
    /// Raises an exception as if the runtime had.
    pub struct SendRuntimeEventArgs = "kfd_ioctl_dbg_trap_send_runtime_event_args", 16 bytes {
        0 => exception_mask: u64 = "in";
        8 => gpu_id: u32 = "in: of exceptions of a device or a queue";
        12 => queue_id: u32 = "in: of exceptions of a queue";
    }
}

abi_struct! {
    /// Chooses the exceptions to be told of.
    pub struct SetExceptionsEnabledArgs = "kfd_ioctl_dbg_trap_set_exceptions_enabled_args", 8 bytes {
        0 => exception_mask: u64 = "in";
    }
}

abi_struct! {
    /// Chooses the traps of waves to come.
    pub struct SetWaveLaunchOverrideArgs = "kfd_ioctl_dbg_trap_set_wave_launch_override_args", 16 bytes {
        0 => override_mode: u32 = "in: 0 adds, 1 replaces";
        4 => enable_mask: u32 = "in: traps; out: those before";
        8 => support_request_mask: u32 = "in: traps meant; out: traps that there are";
        12 => pad: u32 = "zero";
    }
}

abi_struct! {
    /// Chooses how waves to come begin.
    pub struct SetWaveLaunchModeArgs = "kfd_ioctl_dbg_trap_set_wave_launch_mode_args", 8 bytes {
        0 => launch_mode: u32 = "in: 0 as usual, 1 halted, 3 in single steps";
        4 => pad: u32 = "zero";
    }
}

abi_struct! {
    /// Takes queues off the hardware.
    pub struct SuspendQueuesArgs = "kfd_ioctl_dbg_trap_suspend_queues_args", 24 bytes {
        0 => exception_mask: u64 = "in: exceptions to clear";
        8 => queue_array_ptr: u64 = "in: address of queue IDs, u32 each; out: bits 30 and 31 for errors";
        16 => num_queues: u32 = "in";
        20 => grace_period: u32 = "in: how long waves may go on, in ticks of 100 MHz";
    }
}

abi_struct! {
    /// Puts queues back.
    pub struct ResumeQueuesArgs = "kfd_ioctl_dbg_trap_resume_queues_args", 16 bytes {
        0 => queue_array_ptr: u64 = "in: address of queue IDs, u32 each; out: bits 30 and 31 for errors";
        8 => num_queues: u32 = "in";
        12 => pad: u32 = "zero";
    }
}

abi_struct! {
    /// Watches an address.
    pub struct SetNodeAddressWatchArgs = "kfd_ioctl_dbg_trap_set_node_address_watch_args", 24 bytes {
        0 => address: u64 = "in";
        8 => mode: u32 = "in: 0 reads, 1 others, 2 atomics, 3 all";
        12 => mask: u32 = "in: bits of the address that count";
        16 => gpu_id: u32 = "in";
        20 => id: u32 = "out: number of the watch";
    }
}

abi_struct! {
    /// Ends a watch.
    pub struct ClearNodeAddressWatchArgs = "kfd_ioctl_dbg_trap_clear_node_address_watch_args", 8 bytes {
        0 => gpu_id: u32 = "in";
        4 => id: u32 = "in";
    }
}

abi_struct! {
    /// Further settings of waves.
    pub struct SetFlagsArgs = "kfd_ioctl_dbg_trap_set_flags_args", 8 bytes {
        0 => flags: u32 = "in: bit 0 waits for each memory operation; out: those before";
        4 => pad: u32 = "zero";
    }
}

abi_struct! {
    /// Asks which queue or GPU has an exception.
    pub struct QueryDebugEventArgs = "kfd_ioctl_dbg_trap_query_debug_event_args", 16 bytes {
        0 => exception_mask: u64 = "in: exceptions to clear; out: those that it has";
        8 => gpu_id: u32 = "out";
        12 => queue_id: u32 = "out";
    }
}

abi_struct! {
    /// Asks what an exception says.
    pub struct QueryExceptionInfoArgs = "kfd_ioctl_dbg_trap_query_exception_info_args", 24 bytes {
        0 => info_ptr: u64 = "in: address of room";
        8 => info_size: u32 = "in: bytes of it; out: bytes that there are";
        12 => source_id: u32 = "in: GPU or queue";
        16 => exception_code: u32 = "in";
        20 => clear_exception: u32 = "in: 1 to clear it";
    }
}

abi_struct! {
    /// Asks for the queues.
    pub struct QueueSnapshotArgs = "kfd_ioctl_dbg_trap_queue_snapshot_args", 24 bytes {
        0 => exception_mask: u64 = "in: exceptions to clear";
        8 => snapshot_buf_ptr: u64 = "in: address of room for [`QueueSnapshotEntry`]s";
        16 => num_queues: u32 = "in: room; out: how many there are";
        20 => entry_size: u32 = "in: bytes of an entry; out: bytes that were written of each";
    }
}

abi_struct! {
    /// Asks for the GPUs.
    pub struct DeviceSnapshotArgs = "kfd_ioctl_dbg_trap_device_snapshot_args", 24 bytes {
        0 => exception_mask: u64 = "in: exceptions to clear";
        8 => snapshot_buf_ptr: u64 = "in: address of room for [`DeviceInfoEntry`]s";
        16 => num_devices: u32 = "in: room; out: how many there are";
        20 => entry_size: u32 = "in: bytes of an entry; out: bytes that were written of each";
    }
}

abi_struct! {
    /// A queue.
    pub struct QueueSnapshotEntry = "kfd_queue_snapshot_entry", 64 bytes {
        0 => exception_status: u64 = "exceptions that it has";
        8 => ring_base_address: u64 = "ring";
        16 => write_pointer_address: u64 = "write index";
        24 => read_pointer_address: u64 = "read index";
        32 => ctx_save_restore_address: u64 = "area for saved waves";
        40 => queue_id: u32 = "number";
        44 => gpu_id: u32 = "GPU";
        48 => ring_size: u32 = "bytes";
        52 => queue_type: u32 = "[`QueueType`](crate::queue::QueueType)";
        56 => ctx_save_restore_area_size: u32 = "bytes";
        60 => reserved: u32 = "zero";
    }
}

abi_struct! {
    /// A GPU.
    pub struct DeviceInfoEntry = "kfd_dbg_device_info_entry", 120 bytes {
        0 => exception_status: u64 = "exceptions that it has";
        8 => lds_base: u64 = "first address of the LDS window";
        16 => lds_limit: u64 = "last";
        24 => scratch_base: u64 = "first address of the scratch window";
        32 => scratch_limit: u64 = "last";
        40 => gpuvm_base: u64 = "first address that can be mapped";
        48 => gpuvm_limit: u64 = "last";
        56 => gpu_id: u32 = "number";
        60 => location_id: u32 = "PCI bus, device, function";
        64 => vendor_id: u32 = "PCI vendor";
        68 => device_id: u32 = "PCI device";
        72 => revision_id: u32 = "PCI revision";
        76 => subsystem_vendor_id: u32 = "PCI subsystem vendor";
        80 => subsystem_device_id: u32 = "PCI subsystem device";
        84 => fw_version: u32 = "firmware of the compute engine";
        88 => gfx_target_version: u32 = "major * 10000 + minor * 100 + stepping";
        92 => simd_count: u32 = "SIMD units";
        96 => max_waves_per_simd: u32 = "waves that one holds";
        100 => array_count: u32 = "shader arrays";
        104 => simd_arrays_per_engine: u32 = "of a shader engine";
        108 => num_xcc: u32 = "accelerator complexes";
        112 => capability: u32 = "`capability` of the topology";
        116 => debug_prop: u32 = "`debug_prop` of the topology";
    }
}

abi_struct! {
    /// [`DeviceInfoEntry`] as the headers of version 1.23 have it. The call says how long an entry is.
    pub struct DeviceInfoEntry123 = "kfd_dbg_device_info_entry", 128 bytes {
        0 => base: DeviceInfoEntry = "what older versions have";
        120 => capability2: u32 = "`capability2` of the topology";
        124 => pad: u32 = "zero";
    }
}

abi_struct! {
    /// What the kernel knows of the runtime.
    pub struct RuntimeInfo = "kfd_runtime_info", 16 bytes {
        0 => r_debug: u64 = "address of the loader's `r_debug`";
        8 => runtime_state: u32 = "0 disabled, 1 enabled, 2 busy, 3 error";
        12 => ttmp_setup: u32 = "1 if the trap handler keeps the debugger's registers";
    }
}

abi_struct! {
    /// The head of a queue's save area.
    pub struct ContextSaveAreaHeader = "kfd_context_save_area_header", 40 bytes {
        0 => wave_state: [u32; 4] = "out: offset and size of the control stack, offset and size of the waves";
        16 => debug_offset: u32 = "in: where the debugger's part begins";
        20 => debug_size: u32 = "in: its bytes";
        24 => err_payload_addr: u64 = "in: address of 64 bits for exceptions";
        32 => err_event_id: u32 = "in: event that is set after that";
        36 => reserved1: u32 = "zero";
    }
}

/// Codes of exceptions, `enum kfd_dbg_trap_exception_code`; a mask has bit `code - 1`.
#[allow(missing_docs, reason = "the names are those of the header")]
pub mod exception {
    pub const QUEUE_WAVE_ABORT: u32 = 1;
    pub const QUEUE_WAVE_TRAP: u32 = 2;
    pub const QUEUE_WAVE_MATH_ERROR: u32 = 3;
    pub const QUEUE_WAVE_ILLEGAL_INSTRUCTION: u32 = 4;
    pub const QUEUE_WAVE_MEMORY_VIOLATION: u32 = 5;
    pub const QUEUE_WAVE_APERTURE_VIOLATION: u32 = 6;
    pub const QUEUE_PACKET_DISPATCH_DIM_INVALID: u32 = 16;
    pub const QUEUE_PACKET_DISPATCH_GROUP_SEGMENT_SIZE_INVALID: u32 = 17;
    pub const QUEUE_PACKET_DISPATCH_CODE_INVALID: u32 = 18;
    pub const QUEUE_PACKET_RESERVED: u32 = 19;
    pub const QUEUE_PACKET_UNSUPPORTED: u32 = 20;
    pub const QUEUE_PACKET_DISPATCH_WORK_GROUP_SIZE_INVALID: u32 = 21;
    pub const QUEUE_PACKET_DISPATCH_REGISTER_INVALID: u32 = 22;
    pub const QUEUE_PACKET_VENDOR_UNSUPPORTED: u32 = 23;
    pub const QUEUE_PREEMPTION_ERROR: u32 = 30;
    pub const QUEUE_NEW: u32 = 31;
    pub const DEVICE_QUEUE_DELETE: u32 = 32;
    pub const DEVICE_MEMORY_VIOLATION: u32 = 33;
    pub const DEVICE_RAS_ERROR: u32 = 34;
    pub const DEVICE_FATAL_HALT: u32 = 35;
    pub const DEVICE_NEW: u32 = 36;
    pub const PROCESS_RUNTIME: u32 = 48;
    pub const PROCESS_DEVICE_REMOVE: u32 = 49;

    /// The mask of a code.
    pub const fn mask(code: u32) -> u64 {
        1 << (code - 1)
    }
}

/// `KFD_DBG_QUEUE_ERROR_MASK`: a queue could not be suspended or resumed.
pub const QUEUE_ERROR: u32 = 1 << 30;
/// `KFD_DBG_QUEUE_INVALID_MASK`: there is no such queue.
pub const QUEUE_INVALID: u32 = 1 << 31;
