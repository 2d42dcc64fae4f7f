//! Structs of `hsa_ext_amd.h` and `hsa_ven_amd_loader.h` that only this library reads or writes. Each has
//! its size asserted.

use hsa_sys::{AgentHandle, ExecutableHandle};

/// `hsa_dim3_t`
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Dim3 {
    /// First dimension.
    pub x: u32,
    /// Second.
    pub y: u32,
    /// Third.
    pub z: u32,
}

/// `hsa_pitched_ptr_t`
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct PitchedPtr {
    /// First byte.
    pub base: u64,
    /// Bytes from row to row.
    pub pitch: u64,
    /// Bytes from layer to layer.
    pub slice: u64,
}

/// `hsa_amd_hdp_flush_t`
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct HdpFlush {
    /// Register for memory.
    pub memory: u64,
    /// Register for registers.
    pub registers: u64,
}

/// `hsa_amd_memory_pool_link_info_t`
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct LinkInfo {
    /// Nanoseconds.
    pub min_latency: u32,
    /// Nanoseconds.
    pub max_latency: u32,
    /// MB/s.
    pub min_bandwidth: u32,
    /// MB/s.
    pub max_bandwidth: u32,
    /// Atomics of 32 bits pass.
    pub atomics_32: bool,
    /// Atomics of 64 bits pass.
    pub atomics_64: bool,
    /// Both sides see one memory.
    pub coherent: bool,
    /// Zero.
    pub reserved: u8,
    /// `hsa_amd_link_info_type_t`
    pub kind: u32,
    /// Weight.
    pub numa_distance: u32,
}

/// `hsa_amd_pointer_info_t` of 5.2.3; newer ones go on.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct PointerInfo {
    /// Bytes of this struct.
    pub size: u32,
    /// `hsa_amd_pointer_type_t`
    pub kind: u32,
    /// First address for agents.
    pub agent_base: u64,
    /// First address for the host.
    pub host_base: u64,
    /// Bytes.
    pub bytes: u64,
    /// What the program said.
    pub user_data: u64,
    /// Whose memory.
    pub owner: AgentHandle,
    /// `hsa_amd_memory_pool_global_flag_t`
    pub global_flags: u32,
}

/// `hsa_amd_gpu_memory_fault_info_t` in `hsa_amd_event_t`
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct MemoryFaultEvent {
    /// `hsa_amd_event_type_t`: 0.
    pub kind: u32,
    /// The agent.
    pub agent: AgentHandle,
    /// The address.
    pub va: u64,
    /// `hsa_amd_memory_fault_reason_t`
    pub reason: u32,
}

/// `hsa_ext_image_format_t`
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CImageFormat {
    /// `hsa_ext_image_channel_type_t`
    pub channel: u32,
    /// `hsa_ext_image_channel_order_t`
    pub order: u32,
}

/// `hsa_ext_image_descriptor_t`
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CImageDescriptor {
    /// `hsa_ext_image_geometry_t`
    pub geometry: u32,
    /// Elements of a row.
    pub width: u64,
    /// Rows.
    pub height: u64,
    /// Layers of three dimensions.
    pub depth: u64,
    /// Layers of an array.
    pub layers: u64,
    /// Of an element.
    pub format: CImageFormat,
}

/// `hsa_ext_image_data_info_t`
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CImageInfo {
    /// Bytes.
    pub size: u64,
    /// What the address is a multiple of.
    pub alignment: u64,
}

/// `hsa_ext_image_region_t`
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CImageRegion {
    /// First element.
    pub offset: Dim3,
    /// Elements in each direction.
    pub range: Dim3,
}

/// `hsa_ext_sampler_descriptor_t`
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CSampler {
    /// `hsa_ext_sampler_coordinate_mode_t`
    pub coordinates: u32,
    /// `hsa_ext_sampler_filter_mode_t`
    pub filter: u32,
    /// `hsa_ext_sampler_addressing_mode_t`
    pub addressing: u32,
}

/// `hsa_ext_sampler_descriptor_v2_t`
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CSamplerV2 {
    /// `hsa_ext_sampler_coordinate_mode_t`
    pub coordinates: u32,
    /// `hsa_ext_sampler_filter_mode_t`
    pub filter: u32,
    /// `hsa_ext_sampler_addressing_mode_t`, for each dimension.
    pub addressing: [u32; 3],
}

/// `hsa_amd_memory_access_desc_t`
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct AccessDescription {
    /// `hsa_access_permission_t`
    pub permissions: u32,
    /// For whom.
    pub agent: AgentHandle,
}

/// `hsa_amd_svm_attribute_pair_t`
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct SvmAttribute {
    /// `hsa_amd_svm_attribute_t`
    pub attribute: u64,
    /// Its value.
    pub value: u64,
}

/// `hsa_ven_amd_loader_segment_descriptor_t`
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct SegmentDescriptor {
    /// The agent.
    pub agent: AgentHandle,
    /// The executable.
    pub executable: ExecutableHandle,
    /// `hsa_ven_amd_loader_code_object_storage_type_t`
    pub storage: u32,
    /// First byte of the code object in memory.
    pub storage_base: u64,
    /// Its bytes.
    pub storage_size: u64,
    /// Offset of the segment in it.
    pub storage_offset: u64,
    /// First address of the loaded segment.
    pub base: u64,
    /// Its bytes.
    pub bytes: u64,
}

const _: () = {
    assert!(size_of::<Dim3>() == 12);
    assert!(size_of::<PitchedPtr>() == 24);
    assert!(size_of::<HdpFlush>() == 16);
    assert!(size_of::<LinkInfo>() == 28);
    assert!(size_of::<PointerInfo>() == 56);
    assert!(size_of::<MemoryFaultEvent>() == 32);
    assert!(size_of::<CImageDescriptor>() == 48 && size_of::<CImageInfo>() == 16);
    assert!(size_of::<CImageRegion>() == 24 && size_of::<CSampler>() == 12 && size_of::<CSamplerV2>() == 20);
    assert!(size_of::<AccessDescription>() == 16 && size_of::<SvmAttribute>() == 16);
    assert!(size_of::<SegmentDescriptor>() == 64);
};
