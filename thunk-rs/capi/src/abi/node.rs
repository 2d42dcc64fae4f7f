//! Topology: versions, nodes, their memory, caches and links.

use super::abi_struct;

abi_struct! {
    /// Version of KFD's interface.
    pub struct VersionInfo = "HsaVersionInfo", 8 bytes {
        0 => kernel_interface_major_version: u32 = "Major.";
        4 => kernel_interface_minor_version: u32 = "Minor.";
    }
}

abi_struct! {
    /// The machine as a whole.
    pub struct SystemProperties = "HsaSystemProperties", 16 bytes {
        0 => num_nodes: u32 = "Nodes.";
        4 => platform_oem: u32 = "Letters of the maker, as a number.";
        8 => platform_id: u32 = "Letters of the platform, as a number.";
        12 => platform_rev: u32 = "Revision.";
    }
}

/// Characters of a name.
pub const NAME_SIZE: usize = 64;

abi_struct! {
    /// A node.
    pub struct NodeProperties = "HsaNodeProperties", 356 bytes {
        0 => num_cpu_cores: u32 = "Processor cores of the host.";
        4 => num_f_compute_cores: u32 = "SIMD units of the GPU.";
        8 => num_memory_banks: u32 = "Memory banks, those that the thunk adds included.";
        12 => num_caches: u32 = "Caches.";
        16 => num_io_links: u32 = "Links.";
        20 => c_compute_id_lo: u32 = "First processor core.";
        24 => f_compute_id_lo: u32 = "First SIMD unit.";
        28 => capability: u32 = "`HSA_CAPABILITY`.";
        32 => max_waves_per_simd: u32 = "Waves that a SIMD unit holds.";
        36 => lds_size_in_kb: u32 = "LDS of a compute unit, KiB.";
        40 => gds_size_in_kb: u32 = "Global data share, KiB.";
        44 => wave_front_size: u32 = "Lanes of a wave.";
        48 => num_shader_banks: u32 = "Shader arrays.";
        52 => num_arrays: u32 = "Shader arrays of an engine.";
        56 => num_cu_per_array: u32 = "Compute units of a shader array.";
        60 => num_simd_per_cu: u32 = "SIMD units of a compute unit.";
        64 => max_slots_scratch_cu: u32 = "Waves of a compute unit that can have scratch.";
        68 => engine_id: u32 = "Firmware of the compute engine (10 bits), gfx major (6), minor (8), stepping (8).";
        72 => vendor_id: u16 = "PCI vendor.";
        74 => device_id: u16 = "PCI device.";
        76 => location_id: u32 = "PCI bus << 8 | device << 3 | function.";
        80 => local_mem_size: u64 = "Not used any more.";
        88 => max_engine_clock_mhz_f_compute: u32 = "MHz of the GPU.";
        92 => max_engine_clock_mhz_c_compute: u32 = "MHz of the host.";
        96 => drm_render_minor: i32 = "Number in `/dev/dri/renderD*`.";
        100 => marketing_name: [u16; NAME_SIZE] = "What it is sold as.";
        228 => amd_name: [u8; NAME_SIZE] = "What the chip is called.";
        292 => u_code_engine_versions: u32 = "Firmware of the SDMA engines (10 bits).";
        296 => debug_properties: u64 = "What the debugger can do.";
        304 => hive_id: u64 = "XGMI hive; 0 if in none.";
        312 => num_sdma_engines: u32 = "SDMA engines for PCIe.";
        316 => num_sdma_xgmi_engines: u32 = "SDMA engines for XGMI.";
        320 => num_sdma_queues_per_engine: u8 = "Queues of an SDMA engine.";
        321 => num_cp_queues: u8 = "Compute queues.";
        322 => num_gws: u8 = "Global wave sync entries.";
        323 => integrated: u8 = "1 for an integrated GPU (from 6.0 on; zero before).";
        324 => domain: u32 = "PCI domain.";
        328 => unique_id: u64 = "Serial number.";
        336 => vgpr_size_per_cu: u32 = "Vector registers of a compute unit, bytes.";
        340 => sgpr_size_per_cu: u32 = "Scalar registers of a compute unit, bytes.";
        344 => num_xcc: u32 = "Accelerator complexes (from 5.6 on; reserved before).";
        348 => kfd_gpu_id: u32 = "KFD's number of the GPU (from 5.7 on; reserved before).";
        352 => family_id: u32 = "Family of the chip (from 6.0 on; reserved before).";
    }
}

abi_struct! {
    /// A memory bank.
    pub struct MemoryProperties = "HsaMemoryProperties", 32 bytes {
        0 => heap_type: u32 = "`HSA_HEAPTYPE`.";
        4 => size_in_bytes: u64 = "Bytes.";
        12 => flags: u32 = "Bit 0: hot-pluggable, bit 1: non-volatile.";
        16 => width: u32 = "Of the bus, in bits.";
        20 => memory_clock_max: u32 = "MHz.";
        24 => virtual_base_address: u64 = "First address, of windows in the address space.";
    }
}

/// Processors in a sibling map.
pub const SIBLINGS: usize = 256;

abi_struct! {
    /// A cache.
    pub struct CacheProperties = "HsaCacheProperties", 1056 bytes {
        0 => processor_id_low: u32 = "First of the processors that share it.";
        4 => cache_level: u32 = "1, 2, 3.";
        8 => cache_size: u32 = "KiB of a GPU's, bytes of the host's.";
        12 => cache_line_size: u32 = "Bytes.";
        16 => cache_lines_per_tag: u32 = "Lines.";
        20 => cache_associativity: u32 = "Ways.";
        24 => cache_latency: u32 = "Nanoseconds.";
        28 => cache_type: u32 = "Bit 0: data, 1: instructions, 2: of the host, 3: of the GPU.";
        32 => sibling_map: [u32; SIBLINGS] = "A 1 for each processor that shares it.";
    }
}

abi_struct! {
    /// A link, in one direction.
    pub struct IoLinkProperties = "HsaIoLinkProperties", 48 bytes {
        0 => io_link_type: u32 = "`HSA_IOLINKTYPE`.";
        4 => version_major: u32 = "Of the link's protocol.";
        8 => version_minor: u32 = "Of the link's protocol.";
        12 => node_from: u32 = "Where it starts.";
        16 => node_to: u32 = "Where it ends.";
        20 => weight: u32 = "Distance.";
        24 => minimum_latency: u32 = "Nanoseconds.";
        28 => maximum_latency: u32 = "Nanoseconds.";
        32 => minimum_bandwidth: u32 = "MB/s.";
        36 => maximum_bandwidth: u32 = "MB/s.";
        40 => rec_transfer_size: u32 = "Bytes.";
        44 => flags: u32 = "`HSA_LINKPROPERTY`.";
    }
}

/// `HSA_HEAPTYPE`, those that the thunk adds.
pub mod heap {
    /// Local data share.
    pub const GPU_LDS: u32 = 4;
    /// Scratch.
    pub const GPU_SCRATCH: u32 = 5;
    /// What memory can be mapped into.
    pub const DEVICE_SVM: u32 = 6;
    /// The page with the HDP flush registers.
    pub const MMIO_REMAP: u32 = 7;
}
