//! The address space: apertures, whose page table, cache policy, scratch, trap handler, XNACK.

abi_struct! {
    /// The windows of one GPU's address space.
    pub struct ProcessDeviceApertures = "kfd_process_device_apertures", 56 bytes {
        0 => lds_base: u64 = "first address of the LDS window";
        8 => lds_limit: u64 = "last address of it";
        16 => scratch_base: u64 = "first address of the scratch window";
        24 => scratch_limit: u64 = "last address of it";
        32 => gpuvm_base: u64 = "first address of what can be mapped";
        40 => gpuvm_limit: u64 = "last address of it";
        48 => gpu_id: u32 = "whose";
        52 => pad: u32 = "zero";
    }
}

/// `NUM_OF_SUPPORTED_GPUS` of the old call.
pub const OLD_APERTURES: usize = 7;

abi_struct! {
    /// Reads the apertures of up to seven GPUs: the old call.
    pub struct GetProcessAperturesArgs = "kfd_ioctl_get_process_apertures_args", 400 bytes {
        0 => process_apertures: [ProcessDeviceApertures; OLD_APERTURES] = "out";
        392 => num_of_nodes: u32 = "out: how many are filled";
        396 => pad: u32 = "zero";
    }
}

abi_struct! {
    /// Reads the apertures of all GPUs.
    pub struct GetProcessAperturesNewArgs = "kfd_ioctl_get_process_apertures_new_args", 16 bytes {
        0 => kfd_process_device_apertures_ptr: u64 = "in: address of [`ProcessDeviceApertures`]";
        8 => num_of_nodes: u32 = "in: room; out: how many are filled (or, with no room, how many there are)";
        12 => pad: u32 = "zero";
    }
}

abi_struct! {
    /// Lets KFD use the page table of an open render node.
    pub struct AcquireVmArgs = "kfd_ioctl_acquire_vm_args", 8 bytes {
        0 => drm_fd: u32 = "in: file descriptor of `/dev/dri/renderD*`";
        4 => gpu_id: u32 = "in";
    }
}

abi_value! {
    /// `KFD_IOC_CACHE_POLICY_*`
    pub struct CachePolicy {
        COHERENT = 0, "Kept coherent with the host.";
        NONCOHERENT = 1, "May be cached.";
    }
}

abi_struct! {
    /// Chooses how memory is cached by default.
    pub struct SetMemoryPolicyArgs = "kfd_ioctl_set_memory_policy_args", 32 bytes {
        0 => alternate_aperture_base: u64 = "in: range with the other policy";
        8 => alternate_aperture_size: u64 = "in: bytes";
        16 => gpu_id: u32 = "in";
        20 => default_policy: CachePolicy = "in: outside the range";
        24 => alternate_policy: CachePolicy = "in: inside";
        28 => misc_process_flag: u32 = "in: from 1.18 on; `pad` before";
    }
}

abi_struct! {
    /// Says where the scratch window lies in the address space (gfx8 and older use it).
    pub struct SetScratchBackingVaArgs = "kfd_ioctl_set_scratch_backing_va_args", 16 bytes {
        0 => va_addr: u64 = "in: address >> 16";
        8 => gpu_id: u32 = "in";
        12 => pad: u32 = "zero";
    }
}

abi_struct! {
    /// Installs the second-level trap handler.
    pub struct SetTrapHandlerArgs = "kfd_ioctl_set_trap_handler_args", 24 bytes {
        0 => tba_addr: u64 = "in: its code";
        8 => tma_addr: u64 = "in: its data";
        16 => gpu_id: u32 = "in";
        20 => pad: u32 = "zero";
    }
}

abi_struct! {
    /// Chooses or asks whether page faults can be retried.
    pub struct SetXnackModeArgs = "kfd_ioctl_set_xnack_mode_args", 4 bytes {
        0 => xnack_enabled: i32 = "in: 0 or 1, negative asks; out: as it is";
    }
}
