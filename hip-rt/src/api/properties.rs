//! Device properties and attributes: one table of facts about an agent, poured into the two layouts and the attributes.

use crate::device::Device;
use crate::error::Result;
use crate::ffi::{In, Out};
use crate::state;
use hip_sys::{
    Major, hipDeviceArch_t, hipDeviceAttribute_t, hipDeviceProp_tR0000, hipDeviceProp_tR0600, hipError_t,
    hipUUID,
};
use std::ffi::c_int;

/// What all three forms are filled from.
struct Facts {
    name: String,
    arch_name: String,
    gcn_arch: c_int,
    memory: usize,
    lds: usize,
    major: c_int,
    minor: c_int,
    compute_units: c_int,
    xccs: c_int,
    wave: c_int,
    max_threads: c_int,
    threads_per_cu: c_int,
    registers: c_int,
    clock_khz: c_int,
    memory_clock_khz: c_int,
    bus_bits: c_int,
    l2_bytes: c_int,
    pci: [c_int; 3],
    integrated: c_int,
    large_bar: c_int,
    revision: c_int,
    atomics: c_int,
    meets: c_int,
    images: c_int,
    /// The page with the registers that flush the host data path.
    hdp: Option<u64>,
}

impl Facts {
    /// A word of that page; null where there is none.
    fn hdp(&self, word: u64) -> *mut u32 {
        self.hdp.map_or(std::ptr::null_mut(), |page| {
            std::ptr::with_exposed_provenance_mut((page + word * 4) as usize)
        })
    }
}

const MAX_GRID: [i32; 3] = [i32::MAX, 65536, 65536];
const TEXTURE_1D: i32 = 16384;
/// The most elements of one byte in linear memory that a texture has.
pub const MAX_TEXTURE_1D_LINEAR: i32 = TEXTURE_1D;
const TEXTURE_2D: [i32; 2] = [16384, 16384];
const TEXTURE_3D: [i32; 3] = [16384, 16384, 8192];
const PITCH: usize = i32::MAX as usize;
const TEXTURE_ALIGN: usize = 256;

/// The name that a device has for people.
pub fn product_name(device: &Device) -> String {
    let properties = device.agent.properties();
    if properties.product_name.is_empty() { properties.name.clone() } else { properties.product_name.clone() }
}

/// HIP's UUID is the text of the unique ID.
pub fn uuid(device: &Device) -> hipUUID {
    let text = format!("{:016x}", device.agent.properties().unique_id);
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&text.as_bytes()[..16]);
    hipUUID { bytes }
}

fn facts(device: &Device) -> Facts {
    let properties = device.agent.properties();
    let (major, minor, stepping) = properties.gfx_version;
    let isa = device.agent.isa_name();
    let khz = |mhz: u32| mhz.saturating_mul(1000) as c_int;
    Facts {
        hdp: device.agent.hdp_flush_page(),
        name: product_name(device),
        arch_name: isa.rsplit_once("--").map_or(isa.as_str(), |(_, target)| target).to_owned(),
        gcn_arch: (major * 100 + minor * 10 + stepping) as c_int,
        memory: properties.memory_bytes as usize,
        lds: device.lds_bytes() as usize,
        major: major as c_int,
        minor: minor as c_int,
        compute_units: properties.compute_units as c_int,
        xccs: properties.xcc_count.max(1) as c_int,
        wave: properties.wavefront_size as c_int,
        max_threads: device.max_workgroup() as c_int,
        threads_per_cu: properties.max_waves_per_cu.saturating_mul(properties.wavefront_size) as c_int,
        registers: 65536,
        clock_khz: khz(properties.max_clock_mhz),
        memory_clock_khz: khz(properties.memory_clock_mhz),
        bus_bits: properties.memory_bus_bits as c_int,
        l2_bytes: properties.cache_bytes[1] as c_int,
        pci: [
            properties.pci.domain as c_int,
            c_int::from(properties.pci.bus),
            c_int::from(properties.pci.device),
        ],
        integrated: c_int::from(properties.memory_bytes == 0),
        large_bar: c_int::from(properties.host_visible_memory),
        revision: properties.asic_revision as c_int,
        atomics: c_int::from(properties.host_atomics),
        meets: c_int::from(properties.has_global_wave_sync),
        images: c_int::from(device.agent.has_images()),
    }
}

fn text<const N: usize>(text: &str) -> [u8; N] {
    let mut bytes = [0; N];
    for (to, from) in bytes.iter_mut().zip(text.bytes().take(N - 1)) {
        *to = from;
    }
    bytes
}

/// Everything but surfaces and dynamic parallelism.
fn architecture() -> hipDeviceArch_t {
    use hipDeviceArch_t as A;
    let all = (A::DYNAMIC_PARALLELISM << 1) - 1;
    hipDeviceArch_t(
        all & !A::DYNAMIC_PARALLELISM & !A::SURFACE_FUNCS & !A::SYNC_THREADS_EXT & !A::FUNNEL_SHIFT,
    )
}

fn block_dims(facts: &Facts) -> [i32; 3] {
    [facts.max_threads; 3]
}

pub fn r0000(properties: Out<hipDeviceProp_tR0000>, device: c_int) -> Result {
    let facts = facts(state::hip()?.device_of(device)?);
    properties.set(hipDeviceProp_tR0000 {
        name: text(&facts.name),
        totalGlobalMem: facts.memory,
        sharedMemPerBlock: facts.lds,
        regsPerBlock: facts.registers,
        warpSize: facts.wave,
        maxThreadsPerBlock: facts.max_threads,
        maxThreadsDim: block_dims(&facts),
        maxGridSize: MAX_GRID,
        clockRate: facts.clock_khz,
        memoryClockRate: facts.memory_clock_khz,
        memoryBusWidth: facts.bus_bits,
        totalConstMem: i32::MAX as usize,
        major: facts.major,
        minor: facts.minor,
        multiProcessorCount: facts.compute_units,
        l2CacheSize: facts.l2_bytes,
        maxThreadsPerMultiProcessor: facts.threads_per_cu,
        computeMode: 0,
        clockInstructionRate: 100_000,
        arch: architecture(),
        concurrentKernels: 1,
        pciDomainID: facts.pci[0],
        pciBusID: facts.pci[1],
        pciDeviceID: facts.pci[2],
        maxSharedMemoryPerMultiProcessor: facts.lds,
        isMultiGpuBoard: 0,
        canMapHostMemory: 1,
        gcnArch: facts.gcn_arch,
        gcnArchName: text(&facts.arch_name),
        integrated: facts.integrated,
        cooperativeLaunch: facts.meets,
        cooperativeMultiDeviceLaunch: facts.meets,
        maxTexture1DLinear: TEXTURE_1D,
        maxTexture1D: TEXTURE_1D,
        maxTexture2D: TEXTURE_2D,
        maxTexture3D: TEXTURE_3D,
        hdpMemFlushCntl: facts.hdp(0),
        hdpRegFlushCntl: facts.hdp(1),
        memPitch: PITCH,
        textureAlignment: TEXTURE_ALIGN,
        texturePitchAlignment: TEXTURE_ALIGN,
        kernelExecTimeoutEnabled: 0,
        ECCEnabled: 0,
        tccDriver: 0,
        cooperativeMultiDeviceUnmatchedFunc: facts.meets,
        cooperativeMultiDeviceUnmatchedGridDim: facts.meets,
        cooperativeMultiDeviceUnmatchedBlockDim: facts.meets,
        cooperativeMultiDeviceUnmatchedSharedMem: facts.meets,
        isLargeBar: facts.large_bar,
        asicRevision: facts.revision,
        managedMemory: 1,
        directManagedMemAccessFromHost: 1,
        concurrentManagedAccess: 1,
        pageableMemoryAccess: 0,
        pageableMemoryAccessUsesHostPageTables: 0,
    })
}

pub fn r0600(properties: Out<hipDeviceProp_tR0600>, device: c_int) -> Result {
    let device = state::hip()?.device_of(device)?;
    let facts = facts(device);
    properties.set(hipDeviceProp_tR0600 {
        name: text(&facts.name),
        uuid: uuid(device),
        luid: [0; 8],
        luidDeviceNodeMask: 0,
        totalGlobalMem: facts.memory,
        sharedMemPerBlock: facts.lds,
        regsPerBlock: facts.registers,
        warpSize: facts.wave,
        memPitch: PITCH,
        maxThreadsPerBlock: facts.max_threads,
        maxThreadsDim: block_dims(&facts),
        maxGridSize: MAX_GRID,
        clockRate: facts.clock_khz,
        totalConstMem: i32::MAX as usize,
        major: facts.major,
        minor: facts.minor,
        textureAlignment: TEXTURE_ALIGN,
        texturePitchAlignment: TEXTURE_ALIGN,
        deviceOverlap: 1,
        multiProcessorCount: facts.compute_units,
        kernelExecTimeoutEnabled: 0,
        integrated: facts.integrated,
        canMapHostMemory: 1,
        computeMode: 0,
        maxTexture1D: TEXTURE_1D,
        maxTexture1DMipmap: 0,
        maxTexture1DLinear: TEXTURE_1D,
        maxTexture2D: TEXTURE_2D,
        maxTexture2DMipmap: [0; 2],
        maxTexture2DLinear: [0; 3],
        maxTexture2DGather: [0; 2],
        maxTexture3D: TEXTURE_3D,
        maxTexture3DAlt: [0; 3],
        maxTextureCubemap: 0,
        maxTexture1DLayered: [0; 2],
        maxTexture2DLayered: [0; 3],
        maxTextureCubemapLayered: [0; 2],
        maxSurface1D: 0,
        maxSurface2D: [0; 2],
        maxSurface3D: [0; 3],
        maxSurface1DLayered: [0; 2],
        maxSurface2DLayered: [0; 3],
        maxSurfaceCubemap: 0,
        maxSurfaceCubemapLayered: [0; 2],
        surfaceAlignment: 0,
        concurrentKernels: 1,
        ECCEnabled: 0,
        pciBusID: facts.pci[1],
        pciDeviceID: facts.pci[2],
        pciDomainID: facts.pci[0],
        tccDriver: 0,
        asyncEngineCount: 1,
        unifiedAddressing: 1,
        memoryClockRate: facts.memory_clock_khz,
        memoryBusWidth: facts.bus_bits,
        l2CacheSize: facts.l2_bytes,
        persistingL2CacheMaxSize: 0,
        maxThreadsPerMultiProcessor: facts.threads_per_cu,
        streamPrioritiesSupported: 1,
        globalL1CacheSupported: 1,
        localL1CacheSupported: 1,
        sharedMemPerMultiprocessor: facts.lds,
        regsPerMultiprocessor: facts.registers,
        managedMemory: 1,
        isMultiGpuBoard: 0,
        multiGpuBoardGroupID: 0,
        hostNativeAtomicSupported: facts.atomics,
        singleToDoublePrecisionPerfRatio: 1,
        pageableMemoryAccess: 0,
        concurrentManagedAccess: 1,
        computePreemptionSupported: 0,
        canUseHostPointerForRegisteredMem: 1,
        cooperativeLaunch: facts.meets,
        cooperativeMultiDeviceLaunch: facts.meets,
        sharedMemPerBlockOptin: facts.lds,
        pageableMemoryAccessUsesHostPageTables: 0,
        directManagedMemAccessFromHost: 1,
        maxBlocksPerMultiProcessor: 32,
        accessPolicyMaxWindowSize: 0,
        reservedSharedMemPerBlock: 0,
        hostRegisterSupported: 1,
        sparseHipArraySupported: 0,
        hostRegisterReadOnlySupported: 0,
        timelineSemaphoreInteropSupported: 0,
        memoryPoolsSupported: 0,
        gpuDirectRDMASupported: 0,
        gpuDirectRDMAFlushWritesOptions: 0,
        gpuDirectRDMAWritesOrdering: 0,
        memoryPoolSupportedHandleTypes: 0,
        deferredMappingHipArraySupported: 0,
        ipcEventSupported: 0,
        clusterLaunch: 0,
        unifiedFunctionPointers: 0,
        reserved: [0; 63],
        hipReserved: [0; 32],
        gcnArchName: text(&facts.arch_name),
        maxSharedMemoryPerMultiProcessor: facts.lds,
        clockInstructionRate: 100_000,
        arch: architecture(),
        hdpMemFlushCntl: facts.hdp(0),
        hdpRegFlushCntl: facts.hdp(1),
        cooperativeMultiDeviceUnmatchedFunc: facts.meets,
        cooperativeMultiDeviceUnmatchedGridDim: facts.meets,
        cooperativeMultiDeviceUnmatchedBlockDim: facts.meets,
        cooperativeMultiDeviceUnmatchedSharedMem: facts.meets,
        isLargeBar: facts.large_bar,
        asicRevision: facts.revision,
    })
}

pub fn attribute(value: Out<c_int>, attribute: hipDeviceAttribute_t, device: c_int) -> Result {
    if value.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    let facts = facts(state::hip()?.device_of(device)?);
    if state::major() > Major::Five && matches!(attribute, A::ARCH | A::GCN_ARCH) {
        return Err(hipError_t::INVALID_VALUE);
    }
    // Two attributes are addresses: the caller's place holds a pointer, whatever the prototype says.
    match attribute {
        A::HDP_MEM_FLUSH_CNTL => return value.cast::<*mut u32>().set(facts.hdp(0)),
        A::HDP_REG_FLUSH_CNTL => return value.cast::<*mut u32>().set(facts.hdp(1)),
        _ => {}
    }
    let row = ATTRIBUTES.iter().find(|(of, _)| *of == attribute);
    let (_, answer) = row.ok_or(hipError_t::INVALID_VALUE)?;
    value.set(answer(&facts))
}

type A = hipDeviceAttribute_t;
type Answer = fn(&Facts) -> c_int;

/// Whether the driver has what `hipMemAddressReserve` and its kin take.
fn has_virtual_memory() -> c_int {
    state::hip_if_open().map_or(0, |hip| c_int::from(hip.runtime.has_virtual_memory()))
}

/// Memory sizes do not fit the call's `int`: the most that fits is what they become.
fn clamped(bytes: usize) -> c_int {
    c_int::try_from(bytes).unwrap_or(c_int::MAX)
}

#[rustfmt::skip]
const ATTRIBUTES: &[(A, Answer)] = &[
    (A::ECC_ENABLED, |_| 0),
    (A::ACCESS_POLICY_MAX_WINDOW_SIZE, |_| 0),
    (A::ASYNC_ENGINE_COUNT, |_| 1),
    (A::CAN_MAP_HOST_MEMORY, |_| 1),
    (A::CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, |_| 1),
    (A::CLOCK_RATE, |facts| facts.clock_khz),
    (A::COMPUTE_MODE, |_| 0),
    (A::COMPUTE_PREEMPTION_SUPPORTED, |_| 0),
    (A::CONCURRENT_KERNELS, |_| 1),
    (A::CONCURRENT_MANAGED_ACCESS, |_| 1),
    (A::COOPERATIVE_LAUNCH, |facts| facts.meets),
    (A::COOPERATIVE_MULTI_DEVICE_LAUNCH, |facts| facts.meets),
    (A::DEVICE_OVERLAP, |_| 1),
    (A::DIRECT_MANAGED_MEM_ACCESS_FROM_HOST, |_| 1),
    (A::GLOBAL_L1_CACHE_SUPPORTED, |_| 1),
    (A::HOST_NATIVE_ATOMIC_SUPPORTED, |facts| facts.atomics),
    (A::INTEGRATED, |facts| facts.integrated),
    (A::IS_MULTI_GPU_BOARD, |_| 0),
    (A::KERNEL_EXEC_TIMEOUT, |_| 0),
    (A::L2_CACHE_SIZE, |facts| facts.l2_bytes),
    (A::LOCAL_L1_CACHE_SUPPORTED, |_| 1),
    (A::COMPUTE_CAPABILITY_MAJOR, |facts| facts.major),
    (A::COMPUTE_CAPABILITY_MINOR, |facts| facts.minor),
    (A::MANAGED_MEMORY, |_| 1),
    (A::MAX_BLOCKS_PER_MULTI_PROCESSOR, |_| 32),
    (A::MAX_BLOCK_DIM_X, |facts| facts.max_threads),
    (A::MAX_BLOCK_DIM_Y, |facts| facts.max_threads),
    (A::MAX_BLOCK_DIM_Z, |facts| facts.max_threads),
    (A::MAX_GRID_DIM_X, |_| MAX_GRID[0]),
    (A::MAX_GRID_DIM_Y, |_| MAX_GRID[1]),
    (A::MAX_GRID_DIM_Z, |_| MAX_GRID[2]),
    (A::MAX_TEXTURE_1D_WIDTH, |_| TEXTURE_1D),
    (A::MAX_TEXTURE_1D_LINEAR, |_| TEXTURE_1D),
    (A::MAX_TEXTURE_2D_WIDTH, |_| TEXTURE_2D[0]),
    (A::MAX_TEXTURE_2D_HEIGHT, |_| TEXTURE_2D[1]),
    (A::MAX_TEXTURE_3D_WIDTH, |_| TEXTURE_3D[0]),
    (A::MAX_TEXTURE_3D_HEIGHT, |_| TEXTURE_3D[1]),
    (A::MAX_TEXTURE_3D_DEPTH, |_| TEXTURE_3D[2]),
    (A::MAX_THREADS_DIM, |facts| facts.max_threads),
    (A::MAX_THREADS_PER_BLOCK, |facts| facts.max_threads),
    (A::MAX_THREADS_PER_MULTI_PROCESSOR, |facts| facts.threads_per_cu),
    (A::MAX_PITCH, |_| clamped(PITCH)),
    (A::MEMORY_BUS_WIDTH, |facts| facts.bus_bits),
    (A::MEMORY_CLOCK_RATE, |facts| facts.memory_clock_khz),
    (A::MULTI_GPU_BOARD_GROUP_ID, |_| 0),
    (A::MULTIPROCESSOR_COUNT, |facts| facts.compute_units),
    (A::PAGEABLE_MEMORY_ACCESS, |_| 0),
    (A::PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES, |_| 0),
    (A::PCI_BUS_ID, |facts| facts.pci[1]),
    (A::PCI_DEVICE_ID, |facts| facts.pci[2]),
    (A::PCI_DOMAIN_ID, |facts| facts.pci[0]),
    (A::MAX_REGISTERS_PER_BLOCK, |facts| facts.registers),
    (A::MAX_REGISTERS_PER_MULTIPROCESSOR, |facts| facts.registers),
    (A::RESERVED_SHARED_MEM_PER_BLOCK, |_| 0),
    (A::MAX_SHARED_MEMORY_PER_BLOCK, |facts| clamped(facts.lds)),
    (A::SHARED_MEM_PER_BLOCK_OPTIN, |facts| clamped(facts.lds)),
    (A::SHARED_MEM_PER_MULTIPROCESSOR, |facts| clamped(facts.lds)),
    (A::SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO, |_| 1),
    (A::STREAM_PRIORITIES_SUPPORTED, |_| 1),
    (A::SURFACE_ALIGNMENT, |_| 0),
    (A::TCC_DRIVER, |_| 0),
    (A::TEXTURE_ALIGNMENT, |_| clamped(TEXTURE_ALIGN)),
    (A::TEXTURE_PITCH_ALIGNMENT, |_| clamped(TEXTURE_ALIGN)),
    (A::TOTAL_CONSTANT_MEMORY, |_| c_int::MAX),
    (A::TOTAL_GLOBAL_MEM, |facts| clamped(facts.memory)),
    (A::UNIFIED_ADDRESSING, |_| 1),
    (A::WARP_SIZE, |facts| facts.wave),
    (A::MEMORY_POOLS_SUPPORTED, |_| 1),
    (A::VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, |_| has_virtual_memory()),
    (A::HOST_REGISTER_SUPPORTED, |_| 1),
    (A::MEMORY_POOL_SUPPORTED_HANDLE_TYPES, |_| 0),
    (A::CLOCK_INSTRUCTION_RATE, |_| 100_000),
    (A::ARCH, |_| architecture().0 as c_int),
    (A::MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, |facts| clamped(facts.lds)),
    (A::GCN_ARCH, |facts| facts.gcn_arch),
    (A::COOPERATIVE_MULTI_DEVICE_UNMATCHED_FUNC, |facts| facts.meets),
    (A::COOPERATIVE_MULTI_DEVICE_UNMATCHED_GRID_DIM, |facts| facts.meets),
    (A::COOPERATIVE_MULTI_DEVICE_UNMATCHED_BLOCK_DIM, |facts| facts.meets),
    (A::COOPERATIVE_MULTI_DEVICE_UNMATCHED_SHARED_MEM, |facts| facts.meets),
    (A::IS_LARGE_BAR, |facts| facts.large_bar),
    (A::ASIC_REVISION, |facts| facts.revision),
    (A::CAN_USE_STREAM_WAIT_VALUE, |_| 1),
    (A::IMAGE_SUPPORT, |facts| facts.images),
    (A::PHYSICAL_MULTI_PROCESSOR_COUNT, |facts| facts.compute_units),
    (A::FINE_GRAIN_SUPPORT, |_| 1),
    (A::WALL_CLOCK_RATE, |_| 100_000),
    (A::NUMBER_OF_XCCS, |facts| facts.xccs),
];

/// The device with as much of everything as wanted that comes first; the first device if none has.
fn choose(out: Out<c_int>, memory: usize, major: c_int, minor: c_int) -> Result {
    let hip = state::hip()?;
    let fits = |device: &Device| {
        let facts = facts(device);
        facts.memory >= memory && (facts.major, facts.minor) >= (major, minor)
    };
    let chosen = hip.devices.iter().find(|device| fits(device)).or(hip.devices.first());
    out.set(chosen.ok_or(hipError_t::NO_DEVICE)?.ordinal as c_int)
}

pub fn choose_r0000(device: Out<c_int>, wanted: In<hipDeviceProp_tR0000>) -> Result {
    let wanted = wanted.get()?;
    choose(device, wanted.totalGlobalMem, wanted.major, wanted.minor)
}

pub fn choose_r0600(device: Out<c_int>, wanted: In<hipDeviceProp_tR0600>) -> Result {
    let wanted = wanted.get()?;
    choose(device, wanted.totalGlobalMem, wanted.major, wanted.minor)
}
