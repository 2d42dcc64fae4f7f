//! Queues: create, change, destroy, CU masks, wave state, global wave sync.

abi_value! {
    /// What a queue carries: `KFD_IOC_QUEUE_TYPE_*`.
    pub struct QueueType {
        COMPUTE = 0, "PM4 packets to the compute engine.";
        SDMA = 1, "SDMA packets to any PCIe-optimised engine.";
        COMPUTE_AQL = 2, "AQL packets to the compute engine.";
        SDMA_XGMI = 3, "SDMA packets to an XGMI-optimised engine.";
        SDMA_BY_ENG_ID = 4, "SDMA packets to the engine named in the call (1.17).";
    }
}

/// `KFD_MAX_QUEUE_PERCENTAGE`
pub const MAX_QUEUE_PERCENTAGE: u32 = 100;
/// `KFD_MAX_QUEUE_PRIORITY`
pub const MAX_QUEUE_PRIORITY: u32 = 15;
/// `KFD_MIN_QUEUE_RING_SIZE`
pub const MIN_QUEUE_RING_SIZE: u32 = 1024;

abi_struct! {
    /// Creates a queue. Up to version 1.16; [`CreateQueueArgs117`] is longer.
    pub struct CreateQueueArgs = "kfd_ioctl_create_queue_args", 88 bytes {
        0 => ring_base_address: u64 = "in: address of the ring";
        8 => write_pointer_address: u64 = "in: address of the write index";
        16 => read_pointer_address: u64 = "in: address of the read index";
        24 => doorbell_offset: u64 = "out: where to `mmap` the doorbell; below the slice's size: its place in the slice";
        32 => ring_size: u32 = "in: bytes, a power of two, at least [`MIN_QUEUE_RING_SIZE`]";
        36 => gpu_id: u32 = "in";
        40 => queue_type: QueueType = "in";
        44 => queue_percentage: u32 = "in: 0 to 100; bits 15:8 choose the XCC of a PM4 queue";
        48 => queue_priority: u32 = "in: 0 to 15";
        52 => queue_id: u32 = "out";
        56 => eop_buffer_address: u64 = "in: end-of-pipe buffer";
        64 => eop_buffer_size: u64 = "in: bytes";
        72 => ctx_save_restore_address: u64 = "in: area for saved waves, of all XCCs";
        80 => ctx_save_restore_size: u32 = "in: bytes of one XCC, control stack included";
        84 => ctl_stack_size: u32 = "in: bytes of the control stack";
    }
}

abi_struct! {
    /// [`CreateQueueArgs`] as from version 1.17 on. The ioctl's number is the same.
    pub struct CreateQueueArgs117 = "kfd_ioctl_create_queue_args", 96 bytes {
        0 => base: CreateQueueArgs = "what older versions have";
        88 => sdma_engine_id: u32 = "in: for `SDMA_BY_ENG_ID`";
        92 => metadata_ring_size: u32 = "in: from 1.22 on; padding before";
    }
}

abi_struct! {
    /// Destroys a queue.
    pub struct DestroyQueueArgs = "kfd_ioctl_destroy_queue_args", 8 bytes {
        0 => queue_id: u32 = "in";
        4 => pad: u32 = "zero";
    }
}

abi_struct! {
    /// Changes ring, share and priority of a queue. Up to version 1.21; [`UpdateQueueArgs122`] is longer.
    pub struct UpdateQueueArgs = "kfd_ioctl_update_queue_args", 24 bytes {
        0 => ring_base_address: u64 = "in";
        8 => queue_id: u32 = "in";
        12 => ring_size: u32 = "in: bytes";
        16 => queue_percentage: u32 = "in: 0 takes the queue off the hardware";
        20 => queue_priority: u32 = "in: 0 to 15";
    }
}

abi_struct! {
    /// [`UpdateQueueArgs`] as from version 1.22 on. The ioctl's number is the same.
    pub struct UpdateQueueArgs122 = "kfd_ioctl_update_queue_args", 40 bytes {
        0 => base: UpdateQueueArgs = "what older versions have";
        24 => dispatch_record_buffer_addr: u64 = "in: address of the ring for records of dispatches; 0 for none";
        32 => dispatch_record_buffer_size: u32 = "in: records in it";
        36 => pad: u32 = "zero";
    }
}

abi_struct! {
    /// Restricts a queue to some compute units.
    pub struct SetCuMaskArgs = "kfd_ioctl_set_cu_mask_args", 16 bytes {
        0 => queue_id: u32 = "in";
        4 => num_cu_mask: u32 = "in: bits in the mask, a multiple of 32";
        8 => cu_mask_ptr: u64 = "in: address of the words";
    }
}

abi_struct! {
    /// Reads the saved state of a queue that is off the hardware.
    pub struct GetQueueWaveStateArgs = "kfd_ioctl_get_queue_wave_state_args", 24 bytes {
        0 => ctl_stack_address: u64 = "in: where to copy the control stack";
        8 => ctl_stack_used_size: u32 = "out: bytes";
        12 => save_area_used_size: u32 = "out: bytes";
        16 => queue_id: u32 = "in";
        20 => pad: u32 = "zero";
    }
}

abi_struct! {
    /// Gives a queue the global wave sync resource.
    pub struct AllocQueueGwsArgs = "kfd_ioctl_alloc_queue_gws_args", 16 bytes {
        0 => queue_id: u32 = "in";
        4 => num_gws: u32 = "in: 0 gives it back";
        8 => first_gws: u32 = "out";
        12 => pad: u32 = "zero";
    }
}
