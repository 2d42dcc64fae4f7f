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

/// `KFD_RUNTIME_ENABLE_CAPS_SUPPORTS_CORE_DUMP_MASK`: a bit of `capabilities_mask`.
pub const RUNTIME_CAPS_CORE_DUMP: u32 = 0x8000_0000;

abi_struct! {
    /// What a debugger does (1.13). The union of 24 bytes holds the struct of the operation: [`DbgTrapArgs::of`],
    /// [`DbgTrapArgs::member`]; they are in [`trap`](crate::trap).
    pub struct DbgTrapArgs = "kfd_ioctl_dbg_trap_args", 32 bytes {
        0 => pid: u32 = "in: process under the debugger";
        4 => op: TrapOp = "in";
        8 => args: [u64; 3] = "in, out: by operation";
    }
}

abi_value! {
    /// `enum kfd_dbg_trap_operations`
    pub struct TrapOp {
        ENABLE = 0, "Begin to debug.";
        DISABLE = 1, "End it.";
        SEND_RUNTIME_EVENT = 2, "Raise an exception as if the runtime had.";
        SET_EXCEPTIONS_ENABLED = 3, "Choose the exceptions to be told of.";
        SET_WAVE_LAUNCH_OVERRIDE = 4, "Choose the traps of waves to come.";
        SET_WAVE_LAUNCH_MODE = 5, "Choose how waves to come begin.";
        SUSPEND_QUEUES = 6, "Take queues off the hardware, waves saved.";
        RESUME_QUEUES = 7, "Put them back.";
        SET_NODE_ADDRESS_WATCH = 8, "Watch an address.";
        CLEAR_NODE_ADDRESS_WATCH = 9, "End that.";
        SET_FLAGS = 10, "Choose further settings of waves.";
        QUERY_DEBUG_EVENT = 11, "Ask which queue or GPU has an exception.";
        QUERY_EXCEPTION_INFO = 12, "Ask what an exception says.";
        GET_QUEUE_SNAPSHOT = 13, "Ask for the queues.";
        GET_DEVICE_SNAPSHOT = 14, "Ask for the GPUs.";
    }
}

impl DbgTrapArgs {
    /// The argument of an operation.
    pub fn of<A: crate::Arg>(pid: u32, op: TrapOp, member: &A) -> DbgTrapArgs {
        let mut args = DbgTrapArgs { pid, op, args: [0; 3] };
        args.set_member(member);
        args
    }

    /// The struct of the operation.
    pub fn member<A: crate::Arg>(&self) -> A {
        use zerocopy::IntoBytes as _;
        crate::read_arg(self.args.as_bytes())
    }

    /// Puts the struct of the operation in.
    pub fn set_member<A: crate::Arg>(&mut self, member: &A) {
        use zerocopy::IntoBytes as _;
        crate::write_arg(member, self.args.as_mut_bytes());
    }
}
