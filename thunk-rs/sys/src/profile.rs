//! Counters and samples, of AMD's out-of-tree driver only; copies between processes and files; secondary contexts.

abi_value! {
    /// `enum kfd_ioctl_spm_op`
    pub struct SpmOp {
        ACQUIRE = 0, "Take the stream for this process.";
        RELEASE = 1, "Give it back.";
        SET_DEST_BUF = 2, "Choose where it goes, and learn how much came.";
    }
}

abi_struct! {
    /// The stream of performance counters.
    pub struct SpmArgs = "kfd_ioctl_spm_args", 32 bytes {
        0 => dest_buf: u64 = "in: address of room; 0 stops";
        8 => buf_size: u32 = "in: bytes";
        12 => op: SpmOp = "in";
        16 => timeout: u32 = "in: milliseconds; out: what is left";
        20 => gpu_id: u32 = "in";
        24 => bytes_copied: u32 = "out: bytes in the room before this one";
        28 => has_data_loss: u32 = "out: 1 if some were lost";
    }
}

abi_struct! {
    /// The head of what the stream writes.
    pub struct SpmBufferHeader = "kfd_ioctl_spm_buffer_header", 32 bytes {
        0 => version: u32 = "minor in bits 23:0, major above";
        4 => bytes_copied: u32 = "bytes";
        8 => has_data_loss: u32 = "1 if some were lost";
        12 => reserved: [u32; 5] = "zero";
    }
}

abi_value! {
    /// `enum kfd_ioctl_pc_sample_op`
    pub struct PcSampleOp {
        QUERY_CAPABILITIES = 0, "Ask what can be sampled.";
        CREATE = 1, "Begin a session.";
        DESTROY = 2, "End it.";
        START = 3, "Begin to sample.";
        STOP = 4, "End that.";
    }
}

abi_struct! {
    /// A way to sample the program counter.
    pub struct PcSampleInfo = "kfd_pc_sample_info", 40 bytes {
        0 => interval: u64 = "in: by type";
        8 => interval_min: u64 = "out";
        16 => interval_max: u64 = "out";
        24 => flags: u64 = "out: bit 0 for powers of two only";
        32 => method: u32 = "1 by a trap of the host, 2 at random";
        36 => r#type: u32 = "of the interval: 0 microseconds, 1 cycles, 2 instructions";
    }
}

abi_struct! {
    /// Sampling of the program counter.
    pub struct PcSampleArgs = "kfd_ioctl_pc_sample_args", 32 bytes {
        0 => sample_info_ptr: u64 = "in: address of [`PcSampleInfo`]s";
        8 => num_sample_info: u32 = "in: room; out: how many there are";
        12 => op: PcSampleOp = "in";
        16 => gpu_id: u32 = "in";
        20 => trace_id: u32 = "out of CREATE, in of others";
        24 => flags: u32 = "in: bit 0 asks for all, not for what is chosen";
        28 => reserved: u32 = "zero";
    }
}

abi_struct! {
    /// Settings of a GPU for profiling: a member of the union in [`ProfilerArgs`].
    pub struct PmcSettings = "kfd_ioctl_pmc_settings", 12 bytes {
        0 => gpu_id: u32 = "in";
        4 => lock: u32 = "in: 1 to have the GPU alone";
        8 => perfcount_enable: u32 = "in: 1 to count in all queues";
    }
}

abi_struct! {
    /// Profiling: counters (0), samples (1), version (2).
    pub struct ProfilerArgs = "kfd_ioctl_profiler_args", 40 bytes {
        0 => op: u32 = "in";
        4 => pad: u32 = "padding that C hides";
        8 => args: [u64; 4] = "a union by operation: [`PmcSettings`], [`PcSampleArgs`], a version";
    }
}

abi_struct! {
    /// A piece of memory of [`CrossMemoryCopyArgs`].
    pub struct MemoryRange = "kfd_memory_range", 16 bytes {
        0 => va_addr: u64 = "where";
        8 => size: u64 = "bytes";
    }
}

abi_struct! {
    /// Copies memory from or to another process. Gone from newer drivers.
    pub struct CrossMemoryCopyArgs = "kfd_ioctl_cross_memory_copy_args", 48 bytes {
        0 => pid: u32 = "in: the other process";
        4 => flags: u32 = "in: bit 0 to write there, else from there";
        8 => src_mem_range_array: u64 = "in: address of [`MemoryRange`]s";
        16 => src_mem_array_size: u64 = "in: how many";
        24 => dst_mem_range_array: u64 = "in: address of [`MemoryRange`]s";
        32 => dst_mem_array_size: u64 = "in: how many";
        40 => bytes_copied: u64 = "out";
    }
}

abi_struct! {
    /// Reads a file into memory of a GPU, or writes it from there.
    pub struct AisInArgs = "kfd_ais_in_args", 40 bytes {
        0 => handle: u64 = "in";
        8 => handle_offset: u64 = "in: within it";
        16 => file_offset: i64 = "in: within the file";
        24 => size: u64 = "in: bytes";
        32 => op: u32 = "in: 1 read, 2 write";
        36 => fd: i32 = "in: the file";
    }
}

abi_struct! {
    /// How that went.
    pub struct AisOutArgs = "kfd_ais_out_args", 16 bytes {
        0 => size_copied: u64 = "bytes";
        8 => status: i32 = "0, or an error below it";
        12 => pad: i32 = "zero";
    }
}

abi_struct! {
    /// The union of [`AisInArgs`] and [`AisOutArgs`].
    pub struct AisArgs = "kfd_ioctl_ais_args", 40 bytes {
        0 => args: [u64; 5] = "in, then out";
    }
}

abi_struct! {
    /// Makes a secondary context. Upstream, since 1.19, its ioctl takes no argument.
    pub struct CreateProcessArgs = "kfd_ioctl_create_process_args", 8 bytes {
        0 => flags: u32 = "zero";
        4 => pad: u32 = "zero";
    }
}

abi_struct! {
    /// The debugger's call before 1.13 (number 0x82).
    pub struct DbgTrapDeprecatedArgs = "kfd_ioctl_dbg_trap_args_deprecated", 40 bytes {
        0 => exception_mask: u64 = "by operation";
        8 => ptr: u64 = "by operation";
        16 => pid: u32 = "in: process under the debugger";
        20 => op: u32 = "in";
        24 => data: [u32; 4] = "by operation";
    }
}
