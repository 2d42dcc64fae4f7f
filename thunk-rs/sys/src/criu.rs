//! Checkpoint and restore.

abi_value! {
    /// `enum kfd_criu_op`
    pub struct CriuOp {
        PROCESS_INFO = 0, "Stop the queues and say how much there is.";
        CHECKPOINT = 1, "Read it.";
        UNPAUSE = 2, "Go on.";
        RESTORE = 3, "Build it again.";
        RESUME = 4, "Go on, after a restore.";
    }
}

abi_struct! {
    /// Checkpoint and restore.
    pub struct CriuArgs = "kfd_ioctl_criu_args", 56 bytes {
        0 => devices: u64 = "in: address of [`CriuDeviceBucket`]s";
        8 => bos: u64 = "in: address of [`CriuBoBucket`]s";
        16 => priv_data: u64 = "in: address of KFD's own data";
        24 => priv_data_size: u64 = "in or out: bytes";
        32 => num_devices: u32 = "in or out";
        36 => num_bos: u32 = "in or out";
        40 => num_objects: u32 = "in or out: queues, events, ranges";
        44 => pid: u32 = "in: resume; out: process info";
        48 => op: CriuOp = "in";
        52 => pad: u32 = "padding that C hides";
    }
}

abi_struct! {
    /// A GPU in a checkpoint.
    pub struct CriuDeviceBucket = "kfd_criu_device_bucket", 16 bytes {
        0 => user_gpu_id: u32 = "as the process knows it";
        4 => actual_gpu_id: u32 = "as this machine knows it";
        8 => drm_fd: u32 = "render node";
        12 => pad: u32 = "zero";
    }
}

abi_struct! {
    /// A buffer in a checkpoint.
    pub struct CriuBoBucket = "kfd_criu_bo_bucket", 48 bytes {
        0 => addr: u64 = "GPU virtual address";
        8 => size: u64 = "bytes";
        16 => offset: u64 = "for `mmap`";
        24 => restored_offset: u64 = "for `mmap`, after a restore";
        32 => gpu_id: u32 = "as the process knows it";
        36 => alloc_flags: u32 = "[`AllocFlags`](crate::memory::AllocFlags)";
        40 => dmabuf_fd: u32 = "for the contents";
        44 => pad: u32 = "zero";
    }
}
