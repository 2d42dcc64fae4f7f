//! Memory that leaves the process: dma-buf, and the handles of AMD's out-of-tree driver.

abi_struct! {
    /// Asks what a dma-buf of amdgpu holds.
    pub struct GetDmabufInfoArgs = "kfd_ioctl_get_dmabuf_info_args", 32 bytes {
        0 => size: u64 = "out: bytes";
        8 => metadata_ptr: u64 = "in: room for the exporter's metadata";
        16 => metadata_size: u32 = "in: room; out: bytes";
        20 => gpu_id: u32 = "out: whose";
        24 => flags: u32 = "out: [`AllocFlags`](crate::memory::AllocFlags)";
        28 => dmabuf_fd: u32 = "in";
    }
}

abi_struct! {
    /// Takes in a dma-buf as memory at a GPU address.
    pub struct ImportDmabufArgs = "kfd_ioctl_import_dmabuf_args", 24 bytes {
        0 => va_addr: u64 = "in: GPU virtual address";
        8 => handle: u64 = "out";
        16 => gpu_id: u32 = "in";
        20 => dmabuf_fd: u32 = "in";
    }
}

abi_struct! {
    /// Gives memory out as a dma-buf (1.12).
    pub struct ExportDmabufArgs = "kfd_ioctl_export_dmabuf_args", 16 bytes {
        0 => handle: u64 = "in";
        8 => flags: u32 = "in: `O_CLOEXEC` and the like";
        12 => dmabuf_fd: u32 = "out";
    }
}

abi_struct! {
    /// Takes in memory by the handle that another process made. Out-of-tree driver only.
    pub struct IpcImportHandleArgs = "kfd_ioctl_ipc_import_handle_args", 48 bytes {
        0 => handle: u64 = "out";
        8 => va_addr: u64 = "in: GPU virtual address";
        16 => mmap_offset: u64 = "out: offset for `mmap` of the render node";
        24 => share_handle: [u32; 4] = "in";
        40 => gpu_id: u32 = "in";
        44 => flags: u32 = "out";
    }
}

abi_struct! {
    /// Makes a handle for another process. Out-of-tree driver only.
    pub struct IpcExportHandleArgs = "kfd_ioctl_ipc_export_handle_args", 32 bytes {
        0 => handle: u64 = "in";
        8 => share_handle: [u32; 4] = "out";
        24 => gpu_id: u32 = "in";
        28 => flags: u32 = "in";
    }
}
