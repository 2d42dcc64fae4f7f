//! Memory of a GPU: allocate, map, unmap, free.

bitflags::bitflags! {
    /// `KFD_IOC_ALLOC_MEM_FLAGS_*`: one of the five types, and attributes.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct AllocFlags: u32 {
        /// Type: memory of the GPU.
        const VRAM = 1 << 0;
        /// Type: memory of the host, owned by the kernel.
        const GTT = 1 << 1;
        /// Type: pages of the caller, at the address in `mmap_offset`.
        const USERPTR = 1 << 2;
        /// Type: the doorbell slice.
        const DOORBELL = 1 << 3;
        /// Type: the page with the HDP flush registers.
        const MMIO_REMAP = 1 << 4;
        /// In one piece, if possible (1.16).
        const CONTIGUOUS_BEST_EFFORT = 1 << 23;
        /// Coherent beyond what hardware keeps within one GPU (1.17).
        const EXT_COHERENT = 1 << 24;
        /// Not cached by the GPU.
        const UNCACHED = 1 << 25;
        /// Fine grained.
        const COHERENT = 1 << 26;
        /// A ring that is to be seen twice, back to back.
        const AQL_QUEUE_MEM = 1 << 27;
        /// Fail rather than use another type.
        const NO_SUBSTITUTE = 1 << 28;
        /// VRAM that the host can reach.
        const PUBLIC = 1 << 29;
        /// Holds instructions.
        const EXECUTABLE = 1 << 30;
        /// The GPU may write.
        const WRITABLE = 1 << 31;

        /// The five types.
        const TYPES = 0x1f;
    }
}

abi_struct! {
    /// Allocates memory at a GPU address that the caller chose. It is not mapped yet.
    pub struct AllocMemoryOfGpuArgs = "kfd_ioctl_alloc_memory_of_gpu_args", 40 bytes {
        0 => va_addr: u64 = "in: GPU virtual address";
        8 => size: u64 = "in: bytes";
        16 => handle: u64 = "out";
        24 => mmap_offset: u64 = "in: host address (user pointer); out: offset for `mmap` of the render node or of KFD";
        32 => gpu_id: u32 = "in";
        36 => flags: u32 = "in: [`AllocFlags`]";
    }
}

impl AllocMemoryOfGpuArgs {
    /// `flags`, those without a name included.
    pub fn alloc_flags(&self) -> AllocFlags {
        AllocFlags::from_bits_retain(self.flags)
    }
}

abi_struct! {
    /// Frees memory; it must not be mapped to any GPU.
    pub struct FreeMemoryOfGpuArgs = "kfd_ioctl_free_memory_of_gpu_args", 8 bytes {
        0 => handle: u64 = "in";
    }
}

abi_struct! {
    /// Maps memory to GPUs. May stop half way; `n_success` says where, and where to go on.
    pub struct MapMemoryToGpuArgs = "kfd_ioctl_map_memory_to_gpu_args", 24 bytes {
        0 => handle: u64 = "in";
        8 => device_ids_array_ptr: u64 = "in: address of GPU IDs, u32 each";
        16 => n_devices: u32 = "in: how many";
        20 => n_success: u32 = "in: how many to skip; out: how many are done";
    }
}

abi_struct! {
    /// Unmaps memory from GPUs. May stop half way; `n_success` says where, and where to go on.
    pub struct UnmapMemoryFromGpuArgs = "kfd_ioctl_unmap_memory_from_gpu_args", 24 bytes {
        0 => handle: u64 = "in";
        8 => device_ids_array_ptr: u64 = "in: address of GPU IDs, u32 each";
        16 => n_devices: u32 = "in: how many";
        20 => n_success: u32 = "in: how many to skip; out: how many are done";
    }
}

abi_struct! {
    /// Asks how much VRAM is free.
    pub struct GetAvailableMemoryArgs = "kfd_ioctl_get_available_memory_args", 16 bytes {
        0 => available: u64 = "out: bytes";
        8 => gpu_id: u32 = "in";
        12 => pad: u32 = "zero";
    }
}
