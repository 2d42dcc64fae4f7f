//! Debugging: the four deprecated calls, and what took their place in version 1.13.

abi_struct! {
    /// Deprecated.
    pub struct DbgRegisterArgs = "kfd_ioctl_dbg_register_args", 8 bytes {
        0 => gpu_id: u32 = "in";
        4 => pad: u32 = "zero";
    }
}

abi_struct! {
    /// Deprecated.
    pub struct DbgUnregisterArgs = "kfd_ioctl_dbg_unregister_args", 8 bytes {
        0 => gpu_id: u32 = "in";
        4 => pad: u32 = "zero";
    }
}

abi_struct! {
    /// Deprecated.
    pub struct DbgAddressWatchArgs = "kfd_ioctl_dbg_address_watch_args", 16 bytes {
        0 => content_ptr: u64 = "in";
        8 => gpu_id: u32 = "in";
        12 => buf_size_in_bytes: u32 = "in";
    }
}

abi_struct! {
    /// Deprecated.
    pub struct DbgWaveControlArgs = "kfd_ioctl_dbg_wave_control_args", 16 bytes {
        0 => content_ptr: u64 = "in";
        8 => gpu_id: u32 = "in";
        12 => buf_size_in_bytes: u32 = "in";
    }
}

bitflags::bitflags! {
    /// `KFD_RUNTIME_ENABLE_MODE_*_MASK`
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct RuntimeMode: u32 {
        /// Enable; without it, disable.
        const ENABLE = 1 << 0;
        /// The trap handler saves what a debugger needs.
        const TTMP_SAVE = 1 << 1;
    }
}

abi_struct! {
    /// Says that a runtime is there, for a debugger to find (1.13).
    pub struct RuntimeEnableArgs = "kfd_ioctl_runtime_enable_args", 16 bytes {
        0 => r_debug: u64 = "in: address of the loader's `r_debug`";
        8 => mode_mask: u32 = "in: [`RuntimeMode`]";
        12 => capabilities_mask: u32 = "out";
    }
}

abi_struct! {
    /// What a debugger does (1.13). The union of 24 bytes is left as words.
    pub struct DbgTrapArgs = "kfd_ioctl_dbg_trap_args", 32 bytes {
        0 => pid: u32 = "in: process under the debugger";
        4 => op: u32 = "in: `enum kfd_dbg_trap_operations`";
        8 => args: [u64; 3] = "in, out: by operation";
    }
}
