//! Handles, `dim3`, and the values and structs of devices, streams, events, functions and pointers.
//! `hip/hip_runtime_api.h`, `hip/driver_types.h`.

use crate::Numbered;
use crate::abi::{abi_struct, abi_values, handle};
use crate::major::renumbered;
use std::ffi::c_void;

handle! {
    /// `hipStream_t`. 0 is the null stream; see [`hipStream_t::PER_THREAD`].
    hipStream_t;
    /// `hipEvent_t`
    hipEvent_t;
    /// `hipModule_t`
    hipModule_t;
    /// `hipFunction_t`: a kernel of a module on one device.
    hipFunction_t;
    /// `hipCtx_t`
    hipCtx_t;
    /// `hipMemPool_t`
    hipMemPool_t;
    /// `hipDeviceptr_t`: an address of device memory.
    hipDeviceptr_t;
}

impl hipStream_t {
    /// `hipStreamLegacy` (HIP 6.3 and later): the null stream, even where null means the thread's own.
    pub const LEGACY: Self = Self::from_bits(1);
    /// `hipStreamPerThread`: a stream that belongs to the calling thread.
    pub const PER_THREAD: Self = Self::from_bits(2);
}

/// `hipDevice_t`: the ordinal of a device.
#[allow(non_camel_case_types, reason = "the name of the C type")]
pub type hipDevice_t = i32;

/// `hipStreamCallback_t`
#[allow(non_camel_case_types, reason = "the name of the C type")]
pub type hipStreamCallback_t =
    Option<unsafe extern "C" fn(stream: hipStream_t, status: crate::hipError_t, data: *mut c_void)>;

/// `hipHostFn_t`
#[allow(non_camel_case_types, reason = "the name of the C type")]
pub type hipHostFn_t = Option<unsafe extern "C" fn(data: *mut c_void)>;

/// `dim3`: a size in up to three dimensions.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(non_camel_case_types, reason = "the name of the C type")]
pub struct dim3 {
    /// `x`, at byte 0
    pub x: u32,
    /// `y`, at byte 4
    pub y: u32,
    /// `z`, at byte 8
    pub z: u32,
}
const _: () = assert!(size_of::<dim3>() == 12 && align_of::<dim3>() == 4);

impl dim3 {
    /// A size.
    pub const fn new(x: u32, y: u32, z: u32) -> Self {
        Self { x, y, z }
    }

    /// The three numbers, x first.
    pub const fn to_array(self) -> [u32; 3] {
        [self.x, self.y, self.z]
    }

    /// How many points it holds.
    pub const fn volume(self) -> u128 {
        self.x as u128 * self.y as u128 * self.z as u128
    }
}

impl Default for dim3 {
    fn default() -> Self {
        Self::new(1, 1, 1)
    }
}

impl std::fmt::Display for dim3 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} × {} × {}", self.x, self.y, self.z)
    }
}

abi_struct! {
    /// `hipUUID`
    pub struct hipUUID [16] {
        0 bytes: [u8; 16],
    }
}

abi_struct! {
    /// `hipFuncAttributes`
    #[derive(Debug, Default)]
    pub struct hipFuncAttributes [56] {
        0 binaryVersion: i32,
        4 cacheModeCA: i32,
        8 constSizeBytes: usize,
        16 localSizeBytes: usize,
        24 maxDynamicSharedSizeBytes: i32,
        28 maxThreadsPerBlock: i32,
        32 numRegs: i32,
        36 preferredShmemCarveout: i32,
        40 ptxVersion: i32,
        48 sharedSizeBytes: usize,
    }
}

abi_struct! {
    /// `hipPointerAttribute_t`. HIP 6 calls its first field `type`.
    pub struct hipPointerAttribute_t [32] {
        0 memoryType: Numbered<hipMemoryType>,
        4 device: i32,
        8 devicePointer: *mut c_void,
        16 hostPointer: *mut c_void,
        24 isManaged: i32,
        28 allocationFlags: u32,
    }
}

abi_struct! {
    /// `hipLaunchParams`
    pub struct hipLaunchParams [56] {
        0 func: *mut c_void,
        8 gridDim: dim3,
        20 blockDim: dim3,
        32 args: *mut *mut c_void,
        40 sharedMem: usize,
        48 stream: hipStream_t,
    }
}

abi_struct! {
    /// `hipFunctionLaunchParams`, of HIP 5.5 and later
    pub struct hipFunctionLaunchParams [56] {
        0 function: hipFunction_t,
        8 gridDimX: u32,
        12 gridDimY: u32,
        16 gridDimZ: u32,
        20 blockDimX: u32,
        24 blockDimY: u32,
        28 blockDimZ: u32,
        32 sharedMemBytes: u32,
        40 hStream: hipStream_t,
        48 kernelParams: *mut *mut c_void,
    }
}

renumbered! {
    /// `hipMemoryType`. HIP 5 calls memory that it does not know host memory, and managed memory a device's.
    pub struct hipMemoryType {
        0 1 HOST hipMemoryTypeHost;
        1 2 DEVICE hipMemoryTypeDevice;
        2 10 ARRAY hipMemoryTypeArray;
        3 11 UNIFIED hipMemoryTypeUnified;
        0 0 UNREGISTERED hipMemoryTypeUnregistered;
        1 3 MANAGED hipMemoryTypeManaged;
    }
}

abi_values! {
    /// `hipPointer_attribute`
    pub struct hipPointer_attribute(u32) {
        1 CONTEXT HIP_POINTER_ATTRIBUTE_CONTEXT;
        2 MEMORY_TYPE HIP_POINTER_ATTRIBUTE_MEMORY_TYPE;
        3 DEVICE_POINTER HIP_POINTER_ATTRIBUTE_DEVICE_POINTER;
        4 HOST_POINTER HIP_POINTER_ATTRIBUTE_HOST_POINTER;
        5 P2P_TOKENS HIP_POINTER_ATTRIBUTE_P2P_TOKENS;
        6 SYNC_MEMOPS HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS;
        7 BUFFER_ID HIP_POINTER_ATTRIBUTE_BUFFER_ID;
        8 IS_MANAGED HIP_POINTER_ATTRIBUTE_IS_MANAGED;
        9 DEVICE_ORDINAL HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
        10 IS_LEGACY_HIP_IPC_CAPABLE HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE;
        11 RANGE_START_ADDR HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR;
        12 RANGE_SIZE HIP_POINTER_ATTRIBUTE_RANGE_SIZE;
        13 MAPPED HIP_POINTER_ATTRIBUTE_MAPPED;
        14 ALLOWED_HANDLE_TYPES HIP_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES;
        15 IS_GPU_DIRECT_RDMA_CAPABLE HIP_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE;
        16 ACCESS_FLAGS HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS;
        17 MEMPOOL_HANDLE HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE;
    }
}

abi_values! {
    /// `hipLimit_t`
    pub struct hipLimit_t(u32) {
        0x01 PRINTF_FIFO_SIZE hipLimitPrintfFifoSize;
        0x02 MALLOC_HEAP_SIZE hipLimitMallocHeapSize;
    }
}

impl hipLimit_t {
    /// `hipLimitStackSize`, a limit since HIP 5.3.
    pub const STACK_SIZE: Self = Self(0x00);
}

abi_values! {
    /// `hipFuncCache_t`
    pub struct hipFuncCache_t(u32) {
        0 PREFER_NONE hipFuncCachePreferNone;
        1 PREFER_SHARED hipFuncCachePreferShared;
        2 PREFER_L1 hipFuncCachePreferL1;
        3 PREFER_EQUAL hipFuncCachePreferEqual;
    }
}

abi_values! {
    /// `hipSharedMemConfig`
    pub struct hipSharedMemConfig(u32) {
        0 DEFAULT hipSharedMemBankSizeDefault;
        1 FOUR_BYTE hipSharedMemBankSizeFourByte;
        2 EIGHT_BYTE hipSharedMemBankSizeEightByte;
    }
}

abi_values! {
    /// `hipFuncAttribute`: what `hipFuncSetAttribute` sets.
    pub struct hipFuncAttribute(u32) {
        8 MAX_DYNAMIC_SHARED_MEMORY_SIZE hipFuncAttributeMaxDynamicSharedMemorySize;
        9 PREFERRED_SHARED_MEMORY_CARVEOUT hipFuncAttributePreferredSharedMemoryCarveout;
    }
}

abi_values! {
    /// `hipFunction_attribute`: what `hipFuncGetAttribute` asks for.
    pub struct hipFunction_attribute(u32) {
        0 MAX_THREADS_PER_BLOCK HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK;
        1 SHARED_SIZE_BYTES HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES;
        2 CONST_SIZE_BYTES HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES;
        3 LOCAL_SIZE_BYTES HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES;
        4 NUM_REGS HIP_FUNC_ATTRIBUTE_NUM_REGS;
        5 PTX_VERSION HIP_FUNC_ATTRIBUTE_PTX_VERSION;
        6 BINARY_VERSION HIP_FUNC_ATTRIBUTE_BINARY_VERSION;
        7 CACHE_MODE_CA HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA;
        8 MAX_DYNAMIC_SHARED_SIZE_BYTES HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        9 PREFERRED_SHARED_MEMORY_CARVEOUT HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
    }
}

abi_values! {
    /// `hipDeviceP2PAttr`
    pub struct hipDeviceP2PAttr(u32) {
        0 PERFORMANCE_RANK hipDevP2PAttrPerformanceRank;
        1 ACCESS_SUPPORTED hipDevP2PAttrAccessSupported;
        2 NATIVE_ATOMIC_SUPPORTED hipDevP2PAttrNativeAtomicSupported;
        3 HIP_ARRAY_ACCESS_SUPPORTED hipDevP2PAttrHipArrayAccessSupported;
    }
}

abi_values! {
    /// `hipStreamCaptureStatus`
    pub struct hipStreamCaptureStatus(u32) {
        0 NONE hipStreamCaptureStatusNone;
        1 ACTIVE hipStreamCaptureStatusActive;
        2 INVALIDATED hipStreamCaptureStatusInvalidated;
    }
}

abi_values! {
    /// The flags of `hipStreamCreateWithFlags`.
    pub struct StreamFlags(u32) {
        0x00 DEFAULT hipStreamDefault;
        0x01 NON_BLOCKING hipStreamNonBlocking;
    }
}

abi_values! {
    /// The flags of launches on several devices.
    pub struct CooperativeLaunchFlags(u32) {
        0x01 NO_PRE_SYNC hipCooperativeLaunchMultiDeviceNoPreSync;
        0x02 NO_POST_SYNC hipCooperativeLaunchMultiDeviceNoPostSync;
    }
}

abi_values! {
    /// The flags of `hipEventCreateWithFlags`.
    pub struct EventFlags(u32) {
        0x0 DEFAULT hipEventDefault;
        0x1 BLOCKING_SYNC hipEventBlockingSync;
        0x2 DISABLE_TIMING hipEventDisableTiming;
        0x4 INTERPROCESS hipEventInterprocess;
        0x40000000 RELEASE_TO_DEVICE hipEventReleaseToDevice;
        0x80000000 RELEASE_TO_SYSTEM hipEventReleaseToSystem;
    }
}

abi_values! {
    /// The flags of `hipSetDeviceFlags`.
    pub struct DeviceFlags(u32) {
        0x0 SCHEDULE_AUTO hipDeviceScheduleAuto;
        0x1 SCHEDULE_SPIN hipDeviceScheduleSpin;
        0x2 SCHEDULE_YIELD hipDeviceScheduleYield;
        0x4 SCHEDULE_BLOCKING_SYNC hipDeviceScheduleBlockingSync;
        0x7 SCHEDULE_MASK hipDeviceScheduleMask;
        0x8 MAP_HOST hipDeviceMapHost;
        0x10 LMEM_RESIZE_TO_MAX hipDeviceLmemResizeToMax;
    }
}

/// `hipCpuDeviceId`: the host, where a device is asked for.
pub const CPU_DEVICE_ID: i32 = -1;
/// `hipInvalidDeviceId`
pub const INVALID_DEVICE_ID: i32 = -2;
/// `HIP_LAUNCH_PARAM_BUFFER_POINTER`: the next word of `extra` is the argument buffer.
pub const LAUNCH_PARAM_BUFFER_POINTER: usize = 1;
/// `HIP_LAUNCH_PARAM_BUFFER_SIZE`: the next word of `extra` points at the buffer's size.
pub const LAUNCH_PARAM_BUFFER_SIZE: usize = 2;
/// `HIP_LAUNCH_PARAM_END`
pub const LAUNCH_PARAM_END: usize = 3;
