//! What `hsa_agent_get_info` and `hipGetDeviceProperties` want to know of an agent.

use amd_codeobj::TargetId;

/// Host or GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AgentKind {
    /// The host's processors.
    Cpu,
    /// A GPU.
    Gpu,
}

/// Where a device sits on the PCI bus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct PciLocation {
    /// Domain (segment).
    pub domain: u32,
    /// Bus.
    pub bus: u8,
    /// Device.
    pub device: u8,
    /// Function.
    pub function: u8,
}

/// A cache of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct CacheProperties {
    /// 1, 2, 3.
    pub level: u8,
    /// Bytes.
    pub bytes: u32,
}

/// The properties of an agent. Numbers that do not apply are 0.
#[derive(Debug, Clone)]
pub struct AgentProperties {
    /// Host or GPU.
    pub kind: AgentKind,
    /// KFD topology node.
    pub node_id: u32,
    /// KFD's number for the GPU.
    pub gpu_id: u32,
    /// `gfx90a`, or the processor's name.
    pub name: String,
    /// Marketing name, where libdrm has a list of them; else what the driver calls the chip.
    pub product_name: String,
    /// `AMD`, `CPU`.
    pub vendor_name: String,
    /// Target ID with feature states.
    pub target_id: Option<TargetId>,
    /// Major, minor, stepping of the architecture: 9, 0, 10 for gfx90a.
    pub gfx_version: (u32, u32, u32),
    /// `GPU-` and 16 hexadecimal digits.
    pub uuid: String,
    /// Number that KFD calls `unique_id`.
    pub unique_id: u64,
    /// PCI device ID.
    pub device_id: u32,
    /// PCI vendor ID.
    pub vendor_id: u32,
    /// Revision of the chip.
    pub asic_revision: u32,
    /// PCI address.
    pub pci: PciLocation,
    /// Compute units (host: cores).
    pub compute_units: u32,
    /// SIMDs of a compute unit.
    pub simds_per_cu: u32,
    /// Waves that a compute unit holds.
    pub max_waves_per_cu: u32,
    /// Waves of a compute unit that may use scratch memory at a time.
    pub max_scratch_slots_per_cu: u32,
    /// Lanes of a wave.
    pub wavefront_size: u32,
    /// Largest work-group.
    pub max_workgroup_size: u32,
    /// LDS bytes of a work-group.
    pub lds_bytes: u32,
    /// Shader engines.
    pub shader_engines: u32,
    /// Shader arrays of an engine.
    pub arrays_per_engine: u32,
    /// XCCs (partitions that share one agent).
    pub xcc_count: u32,
    /// Engine clock.
    pub max_clock_mhz: u32,
    /// Memory clock.
    pub memory_clock_mhz: u32,
    /// Bits of the memory bus.
    pub memory_bus_bits: u32,
    /// Bytes of the agent's memory.
    pub memory_bytes: u64,
    /// Whether the host reaches all of the agent's memory.
    pub host_visible_memory: bool,
    /// Bytes of cache levels 1 to 4.
    pub cache_bytes: [u32; 4],
    /// Bytes of a cache line of the last level.
    pub cacheline_bytes: u32,
    /// Data caches, each as often as the topology lists it for its first processor.
    pub caches: Vec<CacheProperties>,
    /// Address ranges that can be watched.
    pub watch_points: u32,
    /// SDMA engines.
    pub sdma_engines: u32,
    /// Whether work-groups of a grid can meet in hardware ([`QueueKind::Cooperative`](crate::QueueKind::Cooperative)).
    pub has_global_wave_sync: bool,
    /// Compute queues.
    pub max_queues: u32,
    /// Whether the device does 64-bit atomics on host memory.
    pub host_atomics: bool,
    /// Whether page faults are retried.
    pub xnack: bool,
    /// Whether ranges of ordinary memory can be shared (KFD's SVM calls).
    pub svm: bool,
    /// Whether the host reaches memory of the device coherently, without moving it.
    pub coherent_host_access: bool,
    /// GPU clock ticks a second.
    pub clock_frequency: u64,
}

impl AgentProperties {
    /// All zero and empty.
    pub(crate) fn none() -> Self {
        Self {
            kind: AgentKind::Cpu,
            node_id: 0,
            gpu_id: 0,
            name: String::new(),
            product_name: String::new(),
            vendor_name: String::new(),
            target_id: None,
            gfx_version: (0, 0, 0),
            uuid: String::new(),
            unique_id: 0,
            device_id: 0,
            vendor_id: 0,
            asic_revision: 0,
            pci: PciLocation::default(),
            compute_units: 0,
            simds_per_cu: 0,
            max_waves_per_cu: 0,
            max_scratch_slots_per_cu: 0,
            wavefront_size: 0,
            max_workgroup_size: 0,
            lds_bytes: 0,
            shader_engines: 0,
            arrays_per_engine: 0,
            xcc_count: 0,
            max_clock_mhz: 0,
            memory_clock_mhz: 0,
            memory_bus_bits: 0,
            memory_bytes: 0,
            host_visible_memory: false,
            cache_bytes: [0; 4],
            cacheline_bytes: 0,
            caches: Vec::new(),
            watch_points: 1,
            sdma_engines: 0,
            has_global_wave_sync: false,
            max_queues: 0,
            host_atomics: false,
            xnack: false,
            svm: false,
            coherent_host_access: false,
            clock_frequency: 0,
        }
    }
}
