//! `hipDeviceAttribute_t`: the questions of `hipDeviceGetAttribute`. `hip/hip_runtime_api.h`; the values are the same in
//! HIP 5, 6 and 7, save for five (name, LUID, UUID and two of architecture) that HIP 6 gave up.

/// One property of a device, by number.
#[repr(transparent)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(non_camel_case_types, reason = "the name of the C type")]
pub struct hipDeviceAttribute_t(pub u32);

macro_rules! attributes {
    ($($value:literal $konst:ident $name:ident;)*) => {
        impl hipDeviceAttribute_t {
            $(
                #[doc = concat!("`", stringify!($name), "`")]
                pub const $konst: Self = Self($value);
            )*

            /// Every value that has a name, with it.
            pub const ALL: &[(Self, &str)] = &[$((Self::$konst, stringify!($name))),*];
        }
    };
}

#[rustfmt::skip]
attributes! {
    0 ECC_ENABLED hipDeviceAttributeEccEnabled;
    1 ACCESS_POLICY_MAX_WINDOW_SIZE hipDeviceAttributeAccessPolicyMaxWindowSize;
    2 ASYNC_ENGINE_COUNT hipDeviceAttributeAsyncEngineCount;
    3 CAN_MAP_HOST_MEMORY hipDeviceAttributeCanMapHostMemory;
    4 CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM hipDeviceAttributeCanUseHostPointerForRegisteredMem;
    5 CLOCK_RATE hipDeviceAttributeClockRate;
    6 COMPUTE_MODE hipDeviceAttributeComputeMode;
    7 COMPUTE_PREEMPTION_SUPPORTED hipDeviceAttributeComputePreemptionSupported;
    8 CONCURRENT_KERNELS hipDeviceAttributeConcurrentKernels;
    9 CONCURRENT_MANAGED_ACCESS hipDeviceAttributeConcurrentManagedAccess;
    10 COOPERATIVE_LAUNCH hipDeviceAttributeCooperativeLaunch;
    11 COOPERATIVE_MULTI_DEVICE_LAUNCH hipDeviceAttributeCooperativeMultiDeviceLaunch;
    12 DEVICE_OVERLAP hipDeviceAttributeDeviceOverlap;
    13 DIRECT_MANAGED_MEM_ACCESS_FROM_HOST hipDeviceAttributeDirectManagedMemAccessFromHost;
    14 GLOBAL_L1_CACHE_SUPPORTED hipDeviceAttributeGlobalL1CacheSupported;
    15 HOST_NATIVE_ATOMIC_SUPPORTED hipDeviceAttributeHostNativeAtomicSupported;
    16 INTEGRATED hipDeviceAttributeIntegrated;
    17 IS_MULTI_GPU_BOARD hipDeviceAttributeIsMultiGpuBoard;
    18 KERNEL_EXEC_TIMEOUT hipDeviceAttributeKernelExecTimeout;
    19 L2_CACHE_SIZE hipDeviceAttributeL2CacheSize;
    20 LOCAL_L1_CACHE_SUPPORTED hipDeviceAttributeLocalL1CacheSupported;
    21 LUID hipDeviceAttributeLuid;
    22 LUID_DEVICE_NODE_MASK hipDeviceAttributeLuidDeviceNodeMask;
    23 COMPUTE_CAPABILITY_MAJOR hipDeviceAttributeComputeCapabilityMajor;
    24 MANAGED_MEMORY hipDeviceAttributeManagedMemory;
    25 MAX_BLOCKS_PER_MULTI_PROCESSOR hipDeviceAttributeMaxBlocksPerMultiProcessor;
    26 MAX_BLOCK_DIM_X hipDeviceAttributeMaxBlockDimX;
    27 MAX_BLOCK_DIM_Y hipDeviceAttributeMaxBlockDimY;
    28 MAX_BLOCK_DIM_Z hipDeviceAttributeMaxBlockDimZ;
    29 MAX_GRID_DIM_X hipDeviceAttributeMaxGridDimX;
    30 MAX_GRID_DIM_Y hipDeviceAttributeMaxGridDimY;
    31 MAX_GRID_DIM_Z hipDeviceAttributeMaxGridDimZ;
    32 MAX_SURFACE_1D hipDeviceAttributeMaxSurface1D;
    33 MAX_SURFACE_1D_LAYERED hipDeviceAttributeMaxSurface1DLayered;
    34 MAX_SURFACE_2D hipDeviceAttributeMaxSurface2D;
    35 MAX_SURFACE_2D_LAYERED hipDeviceAttributeMaxSurface2DLayered;
    36 MAX_SURFACE_3D hipDeviceAttributeMaxSurface3D;
    37 MAX_SURFACE_CUBEMAP hipDeviceAttributeMaxSurfaceCubemap;
    38 MAX_SURFACE_CUBEMAP_LAYERED hipDeviceAttributeMaxSurfaceCubemapLayered;
    39 MAX_TEXTURE_1D_WIDTH hipDeviceAttributeMaxTexture1DWidth;
    40 MAX_TEXTURE_1D_LAYERED hipDeviceAttributeMaxTexture1DLayered;
    41 MAX_TEXTURE_1D_LINEAR hipDeviceAttributeMaxTexture1DLinear;
    42 MAX_TEXTURE_1D_MIPMAP hipDeviceAttributeMaxTexture1DMipmap;
    43 MAX_TEXTURE_2D_WIDTH hipDeviceAttributeMaxTexture2DWidth;
    44 MAX_TEXTURE_2D_HEIGHT hipDeviceAttributeMaxTexture2DHeight;
    45 MAX_TEXTURE_2D_GATHER hipDeviceAttributeMaxTexture2DGather;
    46 MAX_TEXTURE_2D_LAYERED hipDeviceAttributeMaxTexture2DLayered;
    47 MAX_TEXTURE_2D_LINEAR hipDeviceAttributeMaxTexture2DLinear;
    48 MAX_TEXTURE_2D_MIPMAP hipDeviceAttributeMaxTexture2DMipmap;
    49 MAX_TEXTURE_3D_WIDTH hipDeviceAttributeMaxTexture3DWidth;
    50 MAX_TEXTURE_3D_HEIGHT hipDeviceAttributeMaxTexture3DHeight;
    51 MAX_TEXTURE_3D_DEPTH hipDeviceAttributeMaxTexture3DDepth;
    52 MAX_TEXTURE_3D_ALT hipDeviceAttributeMaxTexture3DAlt;
    53 MAX_TEXTURE_CUBEMAP hipDeviceAttributeMaxTextureCubemap;
    54 MAX_TEXTURE_CUBEMAP_LAYERED hipDeviceAttributeMaxTextureCubemapLayered;
    55 MAX_THREADS_DIM hipDeviceAttributeMaxThreadsDim;
    56 MAX_THREADS_PER_BLOCK hipDeviceAttributeMaxThreadsPerBlock;
    57 MAX_THREADS_PER_MULTI_PROCESSOR hipDeviceAttributeMaxThreadsPerMultiProcessor;
    58 MAX_PITCH hipDeviceAttributeMaxPitch;
    59 MEMORY_BUS_WIDTH hipDeviceAttributeMemoryBusWidth;
    60 MEMORY_CLOCK_RATE hipDeviceAttributeMemoryClockRate;
    61 COMPUTE_CAPABILITY_MINOR hipDeviceAttributeComputeCapabilityMinor;
    62 MULTI_GPU_BOARD_GROUP_ID hipDeviceAttributeMultiGpuBoardGroupID;
    63 MULTIPROCESSOR_COUNT hipDeviceAttributeMultiprocessorCount;
    64 NAME hipDeviceAttributeName;
    65 PAGEABLE_MEMORY_ACCESS hipDeviceAttributePageableMemoryAccess;
    66 PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES hipDeviceAttributePageableMemoryAccessUsesHostPageTables;
    67 PCI_BUS_ID hipDeviceAttributePciBusId;
    68 PCI_DEVICE_ID hipDeviceAttributePciDeviceId;
    69 PCI_DOMAIN_ID hipDeviceAttributePciDomainID;
    70 PERSISTING_L2_CACHE_MAX_SIZE hipDeviceAttributePersistingL2CacheMaxSize;
    71 MAX_REGISTERS_PER_BLOCK hipDeviceAttributeMaxRegistersPerBlock;
    72 MAX_REGISTERS_PER_MULTIPROCESSOR hipDeviceAttributeMaxRegistersPerMultiprocessor;
    73 RESERVED_SHARED_MEM_PER_BLOCK hipDeviceAttributeReservedSharedMemPerBlock;
    74 MAX_SHARED_MEMORY_PER_BLOCK hipDeviceAttributeMaxSharedMemoryPerBlock;
    75 SHARED_MEM_PER_BLOCK_OPTIN hipDeviceAttributeSharedMemPerBlockOptin;
    76 SHARED_MEM_PER_MULTIPROCESSOR hipDeviceAttributeSharedMemPerMultiprocessor;
    77 SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO hipDeviceAttributeSingleToDoublePrecisionPerfRatio;
    78 STREAM_PRIORITIES_SUPPORTED hipDeviceAttributeStreamPrioritiesSupported;
    79 SURFACE_ALIGNMENT hipDeviceAttributeSurfaceAlignment;
    80 TCC_DRIVER hipDeviceAttributeTccDriver;
    81 TEXTURE_ALIGNMENT hipDeviceAttributeTextureAlignment;
    82 TEXTURE_PITCH_ALIGNMENT hipDeviceAttributeTexturePitchAlignment;
    83 TOTAL_CONSTANT_MEMORY hipDeviceAttributeTotalConstantMemory;
    84 TOTAL_GLOBAL_MEM hipDeviceAttributeTotalGlobalMem;
    85 UNIFIED_ADDRESSING hipDeviceAttributeUnifiedAddressing;
    86 UUID hipDeviceAttributeUuid;
    87 WARP_SIZE hipDeviceAttributeWarpSize;
    88 MEMORY_POOLS_SUPPORTED hipDeviceAttributeMemoryPoolsSupported;
    89 VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED hipDeviceAttributeVirtualMemoryManagementSupported;
    90 HOST_REGISTER_SUPPORTED hipDeviceAttributeHostRegisterSupported;
    91 MEMORY_POOL_SUPPORTED_HANDLE_TYPES hipDeviceAttributeMemoryPoolSupportedHandleTypes;
    10000 CLOCK_INSTRUCTION_RATE hipDeviceAttributeClockInstructionRate;
    10001 ARCH hipDeviceAttributeArch;
    10002 MAX_SHARED_MEMORY_PER_MULTIPROCESSOR hipDeviceAttributeMaxSharedMemoryPerMultiprocessor;
    10003 GCN_ARCH hipDeviceAttributeGcnArch;
    10004 GCN_ARCH_NAME hipDeviceAttributeGcnArchName;
    10005 HDP_MEM_FLUSH_CNTL hipDeviceAttributeHdpMemFlushCntl;
    10006 HDP_REG_FLUSH_CNTL hipDeviceAttributeHdpRegFlushCntl;
    10007 COOPERATIVE_MULTI_DEVICE_UNMATCHED_FUNC hipDeviceAttributeCooperativeMultiDeviceUnmatchedFunc;
    10008 COOPERATIVE_MULTI_DEVICE_UNMATCHED_GRID_DIM hipDeviceAttributeCooperativeMultiDeviceUnmatchedGridDim;
    10009 COOPERATIVE_MULTI_DEVICE_UNMATCHED_BLOCK_DIM hipDeviceAttributeCooperativeMultiDeviceUnmatchedBlockDim;
    10010 COOPERATIVE_MULTI_DEVICE_UNMATCHED_SHARED_MEM hipDeviceAttributeCooperativeMultiDeviceUnmatchedSharedMem;
    10011 IS_LARGE_BAR hipDeviceAttributeIsLargeBar;
    10012 ASIC_REVISION hipDeviceAttributeAsicRevision;
    10013 CAN_USE_STREAM_WAIT_VALUE hipDeviceAttributeCanUseStreamWaitValue;
    10014 IMAGE_SUPPORT hipDeviceAttributeImageSupport;
    10015 PHYSICAL_MULTI_PROCESSOR_COUNT hipDeviceAttributePhysicalMultiProcessorCount;
    10016 FINE_GRAIN_SUPPORT hipDeviceAttributeFineGrainSupport;
    10017 WALL_CLOCK_RATE hipDeviceAttributeWallClockRate;
    10018 NUMBER_OF_XCCS hipDeviceAttributeNumberOfXccs;
    10019 MAX_AVAILABLE_VGPRS_PER_THREAD hipDeviceAttributeMaxAvailableVgprsPerThread;
    10020 PCI_CHIP_ID hipDeviceAttributePciChipId;
}
