//! Memory: flags, what a pointer points to, dma-bufs, ranges.

use super::abi_struct;

/// `HsaMemFlags`: bits of an allocation.
#[repr(transparent)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemFlags(pub u32);

macro_rules! bits {
    ($($name:ident = $bit:literal, $doc:literal;)*) => {
        impl MemFlags {
            $( #[doc = $doc] pub fn $name(self) -> bool { self.0 >> $bit & 1 != 0 } )*
        }
    };
}

bits! {
    non_paged = 0, "Memory of the GPU, or of the kernel on the host.";
    read_only = 3, "GPUs do not write it.";
    host_access = 6, "The host reaches it.";
    no_substitute = 7, "No other place will do.";
    scratch = 9, "Scratch.";
    execute_access = 12, "It holds instructions.";
    coarse_grain = 13, "Coherent at the end of kernels only.";
    aql_queue_memory = 14, "A ring that is to be seen twice.";
    fixed_address = 15, "At just the address that is given.";
    no_numa_bind = 16, "From any NUMA node.";
    uncached = 17, "Not cached by the GPU.";
    no_address = 18, "Memory without address (from 5.7 on).";
    only_address = 19, "Address without memory (from 5.7 on).";
    extended_coherent = 20, "Coherent beyond one GPU (from 6.0 on).";
    gtt_access = 21, "Memory of the host that the GPU's firmware reaches (from 6.1 on).";
    contiguous = 22, "In one piece (from 6.2 on).";
}

impl MemFlags {
    /// Bytes of the page size asked for: `HSA_PAGE_SIZE` in bits 5:4.
    pub fn page_bytes(self) -> u64 {
        [4 << 10, 64 << 10, 2 << 20, 1 << 30][(self.0 >> 4 & 3) as usize]
    }

    /// Flags made of bits.
    pub fn of(bits: &[(u32, bool)]) -> MemFlags {
        MemFlags(bits.iter().fold(0, |all, (bit, on)| all | u32::from(*on) << bit))
    }
}

abi_struct! {
    /// What an imported dma-buf is.
    pub struct GraphicsResourceInfo = "HsaGraphicsResourceInfo", 32 bytes {
        0 => memory_address: u64 = "For mapping it to GPUs.";
        8 => size_in_bytes: u64 = "Bytes.";
        16 => metadata: u64 = "Address of the exporter's metadata, which stays as long as the memory.";
        24 => metadata_size_in_bytes: u32 = "Bytes of it.";
        28 => reserved: u32 = "Zero; from 6.2 on the exporter's node.";
    }
}

abi_struct! {
    /// What a pointer points to.
    pub struct PointerInfo = "HsaPointerInfo", 68 bytes {
        0 => r#type: u32 = "`HSA_POINTER_TYPE`.";
        4 => node: u32 = "Where the memory lies.";
        8 => mem_flags: u32 = "As allocated.";
        12 => cpu_address: u64 = "First address for the host.";
        20 => gpu_address: u64 = "First address for GPUs.";
        28 => size_in_bytes: u64 = "Bytes.";
        36 => n_registered_nodes: u32 = "How many nodes it is registered to.";
        40 => n_mapped_nodes: u32 = "How many nodes it is mapped to.";
        44 => registered_nodes: u64 = "Address of their numbers.";
        52 => mapped_nodes: u64 = "Address of their numbers.";
        60 => user_data: u64 = "What the caller attached.";
    }
}

abi_struct! {
    /// A piece of memory.
    pub struct MemoryRange = "HsaMemoryRange", 16 bytes {
        0 => memory_address: u64 = "Where.";
        8 => size_in_bytes: u64 = "Bytes.";
    }
}

abi_struct! {
    /// An attribute of a range of shared virtual memory.
    pub struct SvmAttribute = "HSA_SVM_ATTRIBUTE", 8 bytes {
        0 => r#type: u32 = "`HSA_SVM_ATTR_TYPE`.";
        4 => value: u32 = "Its value.";
    }
}

abi_struct! {
    /// How a GPU's memory is tiled.
    pub struct GpuTileConfig = "HsaGpuTileConfig", 64 bytes {
        0 => tile_config: u64 = "in: address of words";
        8 => macro_tile_config: u64 = "in: address of words";
        16 => num_tile_configs: u32 = "in: room; out: how many";
        20 => num_macro_tile_configs: u32 = "in: room; out: how many";
        24 => gb_addr_config: u32 = "Register `GB_ADDR_CONFIG`.";
        28 => num_banks: u32 = "Banks.";
        32 => num_ranks: u32 = "Ranks.";
        36 => reserved: [u32; 7] = "Zero.";
    }
}

/// `HsaSharedMemoryHandle`: eight words.
pub type SharedMemoryHandle = [u32; 8];

/// `HSA_POINTER_TYPE`.
pub mod pointer_type {
    /// Nothing that we know.
    pub const UNKNOWN: u32 = 0;
    /// Allocated.
    pub const ALLOCATED: u32 = 1;
    /// The program's own, registered.
    pub const REGISTERED_USER: u32 = 2;
    /// A dma-buf.
    pub const REGISTERED_GRAPHICS: u32 = 3;
    /// Of another process.
    pub const REGISTERED_SHARED: u32 = 4;
}
