//! Agents and the system as `hsa_agent_get_info` and `hsa_system_get_info` describe them (`hsa.h` section 2.2,
//! `hsa_ext_amd.h`).

use crate::abi::abi_value;

abi_value! {
    /// `hsa_device_type_t`
    pub struct DeviceType(u32) {
        /// Host processor.
        CPU = 0,
        /// Graphics processor.
        GPU = 1,
        /// Signal processor.
        DSP = 2,
    }
}

abi_value! {
    /// `hsa_agent_feature_t`, a mask.
    pub struct AgentFeature(u32) {
        /// Runs kernel dispatch packets.
        KERNEL_DISPATCH = 1,
        /// Runs agent dispatch packets.
        AGENT_DISPATCH = 2,
    }
}

abi_value! {
    /// `hsa_system_info_t`
    pub struct SystemInfo(u32) {
        /// Major version of the HSA runtime.
        VERSION_MAJOR = 0,
        /// Minor version of the HSA runtime.
        VERSION_MINOR = 1,
        /// Current time, in ticks.
        TIMESTAMP = 2,
        /// Ticks a second.
        TIMESTAMP_FREQUENCY = 3,
        /// Longest wait of a signal, in ticks.
        SIGNAL_MAX_WAIT = 4,
        /// Byte order.
        ENDIANNESS = 5,
        /// Small or large machine model.
        MACHINE_MODEL = 6,
        /// Bit mask of extensions.
        EXTENSIONS = 7,
    }
}

abi_value! {
    /// `hsa_agent_info_t`
    pub struct AgentInfo(u32) {
        /// Name, 63 characters.
        NAME = 0,
        /// Vendor, 63 characters.
        VENDOR_NAME = 1,
        /// Mask of [`AgentFeature`].
        FEATURE = 2,
        /// Small or large machine model.
        MACHINE_MODEL = 3,
        /// Base or full profile.
        PROFILE = 4,
        /// Rounding of floating-point code that does not say.
        DEFAULT_FLOAT_ROUNDING_MODE = 5,
        /// Lanes of a wave.
        WAVEFRONT_SIZE = 6,
        /// Largest work-group by dimension.
        WORKGROUP_MAX_DIM = 7,
        /// Largest work-group.
        WORKGROUP_MAX_SIZE = 8,
        /// Largest grid by dimension.
        GRID_MAX_DIM = 9,
        /// Largest grid.
        GRID_MAX_SIZE = 10,
        /// Fbarriers of a work-group.
        FBARRIER_MAX_SIZE = 11,
        /// Queues at one time.
        QUEUES_MAX = 12,
        /// Packets of the smallest queue.
        QUEUE_MIN_SIZE = 13,
        /// Packets of the largest queue.
        QUEUE_MAX_SIZE = 14,
        /// Multi or single producer.
        QUEUE_TYPE = 15,
        /// NUMA node.
        NODE = 16,
        /// [`DeviceType`].
        DEVICE = 17,
        /// Bytes of the four cache levels.
        CACHE_SIZE = 18,
        /// The agent's ISA.
        ISA = 19,
        /// Mask of extensions.
        EXTENSIONS = 20,
        /// Major version of the HSA runtime.
        VERSION_MAJOR = 21,
        /// Minor version of the HSA runtime.
        VERSION_MINOR = 22,
        /// Whether 16-bit floating point is as fast as 32-bit.
        FAST_F16_OPERATION = 24,
    }
}

abi_value! {
    /// `hsa_amd_agent_info_t`: what AMD adds to [`AgentInfo`].
    pub struct AmdAgentInfo(u32) {
        /// PCI device ID.
        CHIP_ID = 0xa000,
        /// Bytes of a cache line.
        CACHELINE_SIZE = 0xa001,
        /// Compute units.
        COMPUTE_UNIT_COUNT = 0xa002,
        /// MHz.
        MAX_CLOCK_FREQUENCY = 0xa003,
        /// KFD topology node.
        DRIVER_NODE_ID = 0xa004,
        /// Address watch points.
        MAX_ADDRESS_WATCH_POINTS = 0xa005,
        /// PCI bus, device, function.
        BDFID = 0xa006,
        /// Bits of the memory bus.
        MEMORY_WIDTH = 0xa007,
        /// MHz of the memory clock.
        MEMORY_MAX_FREQUENCY = 0xa008,
        /// Marketing name.
        PRODUCT_NAME = 0xa009,
        /// Waves of a compute unit.
        MAX_WAVES_PER_CU = 0xa00a,
        /// SIMDs of a compute unit.
        NUM_SIMDS_PER_CU = 0xa00b,
        /// Shader engines.
        NUM_SHADER_ENGINES = 0xa00c,
        /// Shader arrays of an engine.
        NUM_SHADER_ARRAYS_PER_SE = 0xa00d,
        /// HDP flush registers.
        HDP_FLUSH = 0xa00e,
        /// PCI domain.
        DOMAIN = 0xa00f,
        /// Whether cooperative queues exist.
        COOPERATIVE_QUEUES = 0xa010,
        /// `GPU-` and 16 hexadecimal digits.
        UUID = 0xa011,
        /// Revision of the chip.
        ASIC_REVISION = 0xa012,
        /// Whether the host reaches SVM memory where it lies.
        SVM_DIRECT_HOST_ACCESS = 0xa013,
        /// Compute units for cooperative work.
        COOPERATIVE_COMPUTE_UNIT_COUNT = 0xa014,
    }
}
