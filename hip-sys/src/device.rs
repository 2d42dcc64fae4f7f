//! `hipDeviceProp_t` in its two layouts. `hip/hip_runtime_api.h` of HIP 5.2, and of HIP 6.0 and later.
//!
//! HIP 6 inserted fields and gave its layout new entry points (`hipGetDevicePropertiesR0600`); the plain names keep
//! filling the old one.

use crate::abi::abi_struct;
use crate::hipUUID;

/// `hipDeviceArch_t`: bit fields that say what a device can do.
#[repr(transparent)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(non_camel_case_types, reason = "the name of the C type")]
pub struct hipDeviceArch_t(pub u32);

impl hipDeviceArch_t {
    /// `hasGlobalInt32Atomics`, bit 0
    pub const GLOBAL_INT32_ATOMICS: u32 = 1 << 0;
    /// `hasGlobalFloatAtomicExch`, bit 1
    pub const GLOBAL_FLOAT_ATOMIC_EXCH: u32 = 1 << 1;
    /// `hasSharedInt32Atomics`, bit 2
    pub const SHARED_INT32_ATOMICS: u32 = 1 << 2;
    /// `hasSharedFloatAtomicExch`, bit 3
    pub const SHARED_FLOAT_ATOMIC_EXCH: u32 = 1 << 3;
    /// `hasFloatAtomicAdd`, bit 4
    pub const FLOAT_ATOMIC_ADD: u32 = 1 << 4;
    /// `hasGlobalInt64Atomics`, bit 5
    pub const GLOBAL_INT64_ATOMICS: u32 = 1 << 5;
    /// `hasSharedInt64Atomics`, bit 6
    pub const SHARED_INT64_ATOMICS: u32 = 1 << 6;
    /// `hasDoubles`, bit 7
    pub const DOUBLES: u32 = 1 << 7;
    /// `hasWarpVote`, bit 8
    pub const WARP_VOTE: u32 = 1 << 8;
    /// `hasWarpBallot`, bit 9
    pub const WARP_BALLOT: u32 = 1 << 9;
    /// `hasWarpShuffle`, bit 10
    pub const WARP_SHUFFLE: u32 = 1 << 10;
    /// `hasFunnelShift`, bit 11
    pub const FUNNEL_SHIFT: u32 = 1 << 11;
    /// `hasThreadFenceSystem`, bit 12
    pub const THREAD_FENCE_SYSTEM: u32 = 1 << 12;
    /// `hasSyncThreadsExt`, bit 13
    pub const SYNC_THREADS_EXT: u32 = 1 << 13;
    /// `hasSurfaceFuncs`, bit 14
    pub const SURFACE_FUNCS: u32 = 1 << 14;
    /// `has3dGrid`, bit 15
    pub const GRID_3D: u32 = 1 << 15;
    /// `hasDynamicParallelism`, bit 16
    pub const DYNAMIC_PARALLELISM: u32 = 1 << 16;
}

abi_struct! {
    /// `hipDeviceProp_t` of HIP 5, and of the plain `hipGetDeviceProperties` for ever.
    pub struct hipDeviceProp_tR0000 [792] {
        0 name: [u8; 256],
        256 totalGlobalMem: usize,
        264 sharedMemPerBlock: usize,
        272 regsPerBlock: i32,
        276 warpSize: i32,
        280 maxThreadsPerBlock: i32,
        284 maxThreadsDim: [i32; 3],
        296 maxGridSize: [i32; 3],
        308 clockRate: i32,
        312 memoryClockRate: i32,
        316 memoryBusWidth: i32,
        320 totalConstMem: usize,
        328 major: i32,
        332 minor: i32,
        336 multiProcessorCount: i32,
        340 l2CacheSize: i32,
        344 maxThreadsPerMultiProcessor: i32,
        348 computeMode: i32,
        352 clockInstructionRate: i32,
        356 arch: hipDeviceArch_t,
        360 concurrentKernels: i32,
        364 pciDomainID: i32,
        368 pciBusID: i32,
        372 pciDeviceID: i32,
        376 maxSharedMemoryPerMultiProcessor: usize,
        384 isMultiGpuBoard: i32,
        388 canMapHostMemory: i32,
        392 gcnArch: i32,
        396 gcnArchName: [u8; 256],
        652 integrated: i32,
        656 cooperativeLaunch: i32,
        660 cooperativeMultiDeviceLaunch: i32,
        664 maxTexture1DLinear: i32,
        668 maxTexture1D: i32,
        672 maxTexture2D: [i32; 2],
        680 maxTexture3D: [i32; 3],
        696 hdpMemFlushCntl: *mut u32,
        704 hdpRegFlushCntl: *mut u32,
        712 memPitch: usize,
        720 textureAlignment: usize,
        728 texturePitchAlignment: usize,
        736 kernelExecTimeoutEnabled: i32,
        740 ECCEnabled: i32,
        744 tccDriver: i32,
        748 cooperativeMultiDeviceUnmatchedFunc: i32,
        752 cooperativeMultiDeviceUnmatchedGridDim: i32,
        756 cooperativeMultiDeviceUnmatchedBlockDim: i32,
        760 cooperativeMultiDeviceUnmatchedSharedMem: i32,
        764 isLargeBar: i32,
        768 asicRevision: i32,
        772 managedMemory: i32,
        776 directManagedMemAccessFromHost: i32,
        780 concurrentManagedAccess: i32,
        784 pageableMemoryAccess: i32,
        788 pageableMemoryAccessUsesHostPageTables: i32,
    }
}

abi_struct! {
    /// `hipDeviceProp_t` of HIP 6 and later.
    pub struct hipDeviceProp_tR0600 [1472] {
        0 name: [u8; 256],
        256 uuid: hipUUID,
        272 luid: [u8; 8],
        280 luidDeviceNodeMask: u32,
        288 totalGlobalMem: usize,
        296 sharedMemPerBlock: usize,
        304 regsPerBlock: i32,
        308 warpSize: i32,
        312 memPitch: usize,
        320 maxThreadsPerBlock: i32,
        324 maxThreadsDim: [i32; 3],
        336 maxGridSize: [i32; 3],
        348 clockRate: i32,
        352 totalConstMem: usize,
        360 major: i32,
        364 minor: i32,
        368 textureAlignment: usize,
        376 texturePitchAlignment: usize,
        384 deviceOverlap: i32,
        388 multiProcessorCount: i32,
        392 kernelExecTimeoutEnabled: i32,
        396 integrated: i32,
        400 canMapHostMemory: i32,
        404 computeMode: i32,
        408 maxTexture1D: i32,
        412 maxTexture1DMipmap: i32,
        416 maxTexture1DLinear: i32,
        420 maxTexture2D: [i32; 2],
        428 maxTexture2DMipmap: [i32; 2],
        436 maxTexture2DLinear: [i32; 3],
        448 maxTexture2DGather: [i32; 2],
        456 maxTexture3D: [i32; 3],
        468 maxTexture3DAlt: [i32; 3],
        480 maxTextureCubemap: i32,
        484 maxTexture1DLayered: [i32; 2],
        492 maxTexture2DLayered: [i32; 3],
        504 maxTextureCubemapLayered: [i32; 2],
        512 maxSurface1D: i32,
        516 maxSurface2D: [i32; 2],
        524 maxSurface3D: [i32; 3],
        536 maxSurface1DLayered: [i32; 2],
        544 maxSurface2DLayered: [i32; 3],
        556 maxSurfaceCubemap: i32,
        560 maxSurfaceCubemapLayered: [i32; 2],
        568 surfaceAlignment: usize,
        576 concurrentKernels: i32,
        580 ECCEnabled: i32,
        584 pciBusID: i32,
        588 pciDeviceID: i32,
        592 pciDomainID: i32,
        596 tccDriver: i32,
        600 asyncEngineCount: i32,
        604 unifiedAddressing: i32,
        608 memoryClockRate: i32,
        612 memoryBusWidth: i32,
        616 l2CacheSize: i32,
        620 persistingL2CacheMaxSize: i32,
        624 maxThreadsPerMultiProcessor: i32,
        628 streamPrioritiesSupported: i32,
        632 globalL1CacheSupported: i32,
        636 localL1CacheSupported: i32,
        640 sharedMemPerMultiprocessor: usize,
        648 regsPerMultiprocessor: i32,
        652 managedMemory: i32,
        656 isMultiGpuBoard: i32,
        660 multiGpuBoardGroupID: i32,
        664 hostNativeAtomicSupported: i32,
        668 singleToDoublePrecisionPerfRatio: i32,
        672 pageableMemoryAccess: i32,
        676 concurrentManagedAccess: i32,
        680 computePreemptionSupported: i32,
        684 canUseHostPointerForRegisteredMem: i32,
        688 cooperativeLaunch: i32,
        692 cooperativeMultiDeviceLaunch: i32,
        696 sharedMemPerBlockOptin: usize,
        704 pageableMemoryAccessUsesHostPageTables: i32,
        708 directManagedMemAccessFromHost: i32,
        712 maxBlocksPerMultiProcessor: i32,
        716 accessPolicyMaxWindowSize: i32,
        720 reservedSharedMemPerBlock: usize,
        728 hostRegisterSupported: i32,
        732 sparseHipArraySupported: i32,
        736 hostRegisterReadOnlySupported: i32,
        740 timelineSemaphoreInteropSupported: i32,
        744 memoryPoolsSupported: i32,
        748 gpuDirectRDMASupported: i32,
        752 gpuDirectRDMAFlushWritesOptions: u32,
        756 gpuDirectRDMAWritesOrdering: i32,
        760 memoryPoolSupportedHandleTypes: u32,
        764 deferredMappingHipArraySupported: i32,
        768 ipcEventSupported: i32,
        772 clusterLaunch: i32,
        776 unifiedFunctionPointers: i32,
        780 reserved: [i32; 63],
        1032 hipReserved: [i32; 32],
        1160 gcnArchName: [u8; 256],
        1416 maxSharedMemoryPerMultiProcessor: usize,
        1424 clockInstructionRate: i32,
        1428 arch: hipDeviceArch_t,
        1432 hdpMemFlushCntl: *mut u32,
        1440 hdpRegFlushCntl: *mut u32,
        1448 cooperativeMultiDeviceUnmatchedFunc: i32,
        1452 cooperativeMultiDeviceUnmatchedGridDim: i32,
        1456 cooperativeMultiDeviceUnmatchedBlockDim: i32,
        1460 cooperativeMultiDeviceUnmatchedSharedMem: i32,
        1464 isLargeBar: i32,
        1468 asicRevision: i32,
    }
}
