//! Copies, pitched memory, memory pools, and the flags of memory calls. `hip/driver_types.h`, `hip/hip_runtime_api.h`.

use crate::abi::{abi_struct, abi_values};
use crate::{Numbered, hipDeviceptr_t, hipMemoryType};
use std::ffi::c_void;

abi_values! {
    /// `hipMemcpyKind`
    pub struct hipMemcpyKind(u32) {
        0 HOST_TO_HOST hipMemcpyHostToHost;
        1 HOST_TO_DEVICE hipMemcpyHostToDevice;
        2 DEVICE_TO_HOST hipMemcpyDeviceToHost;
        3 DEVICE_TO_DEVICE hipMemcpyDeviceToDevice;
        4 DEFAULT hipMemcpyDefault;
    }
}

abi_values! {
    /// The flags of `hipHostMalloc`.
    pub struct HostMallocFlags(u32) {
        0x0 DEFAULT hipHostMallocDefault;
        0x1 PORTABLE hipHostMallocPortable;
        0x2 MAPPED hipHostMallocMapped;
        0x4 WRITE_COMBINED hipHostMallocWriteCombined;
        0x20000000 NUMA_USER hipHostMallocNumaUser;
        0x40000000 COHERENT hipHostMallocCoherent;
        0x80000000 NON_COHERENT hipHostMallocNonCoherent;
    }
}

abi_values! {
    /// The flags of `hipHostRegister`.
    pub struct HostRegisterFlags(u32) {
        0x0 DEFAULT hipHostRegisterDefault;
        0x1 PORTABLE hipHostRegisterPortable;
        0x2 MAPPED hipHostRegisterMapped;
        0x4 IO_MEMORY hipHostRegisterIoMemory;
        0x8 COARSE_GRAINED hipExtHostRegisterCoarseGrained;
    }
}

abi_values! {
    /// The flags of `hipExtMallocWithFlags`.
    pub struct DeviceMallocFlags(u32) {
        0x0 DEFAULT hipDeviceMallocDefault;
        0x1 FINEGRAINED hipDeviceMallocFinegrained;
        0x2 SIGNAL_MEMORY hipMallocSignalMemory;
    }
}

abi_values! {
    /// The flags of `hipMallocManaged` and `hipStreamAttachMemAsync`.
    pub struct MemAttachFlags(u32) {
        0x1 GLOBAL hipMemAttachGlobal;
        0x2 HOST hipMemAttachHost;
        0x4 SINGLE hipMemAttachSingle;
    }
}

abi_values! {
    /// `hipMemoryAdvise`
    pub struct hipMemoryAdvise(u32) {
        1 SET_READ_MOSTLY hipMemAdviseSetReadMostly;
        2 UNSET_READ_MOSTLY hipMemAdviseUnsetReadMostly;
        3 SET_PREFERRED_LOCATION hipMemAdviseSetPreferredLocation;
        4 UNSET_PREFERRED_LOCATION hipMemAdviseUnsetPreferredLocation;
        5 SET_ACCESSED_BY hipMemAdviseSetAccessedBy;
        6 UNSET_ACCESSED_BY hipMemAdviseUnsetAccessedBy;
        100 SET_COARSE_GRAIN hipMemAdviseSetCoarseGrain;
        101 UNSET_COARSE_GRAIN hipMemAdviseUnsetCoarseGrain;
    }
}

abi_values! {
    /// `hipMemRangeAttribute`
    pub struct hipMemRangeAttribute(u32) {
        1 READ_MOSTLY hipMemRangeAttributeReadMostly;
        2 PREFERRED_LOCATION hipMemRangeAttributePreferredLocation;
        3 ACCESSED_BY hipMemRangeAttributeAccessedBy;
        4 LAST_PREFETCH_LOCATION hipMemRangeAttributeLastPrefetchLocation;
        100 COHERENCY_MODE hipMemRangeAttributeCoherencyMode;
    }
}

abi_values! {
    /// `hipMemRangeCoherencyMode`
    pub struct hipMemRangeCoherencyMode(u32) {
        0 FINE_GRAIN hipMemRangeCoherencyModeFineGrain;
        1 COARSE_GRAIN hipMemRangeCoherencyModeCoarseGrain;
        2 INDETERMINATE hipMemRangeCoherencyModeIndeterminate;
    }
}

abi_values! {
    /// `hipMemPoolAttr`
    pub struct hipMemPoolAttr(u32) {
        0x1 REUSE_FOLLOW_EVENT_DEPENDENCIES hipMemPoolReuseFollowEventDependencies;
        0x2 REUSE_ALLOW_OPPORTUNISTIC hipMemPoolReuseAllowOpportunistic;
        0x3 REUSE_ALLOW_INTERNAL_DEPENDENCIES hipMemPoolReuseAllowInternalDependencies;
        0x4 RELEASE_THRESHOLD hipMemPoolAttrReleaseThreshold;
        0x5 RESERVED_MEM_CURRENT hipMemPoolAttrReservedMemCurrent;
        0x6 RESERVED_MEM_HIGH hipMemPoolAttrReservedMemHigh;
        0x7 USED_MEM_CURRENT hipMemPoolAttrUsedMemCurrent;
        0x8 USED_MEM_HIGH hipMemPoolAttrUsedMemHigh;
    }
}

abi_struct! {
    /// `hipExtent`
    #[derive(Debug)]
    pub struct hipExtent [24] {
        0 width: usize,
        8 height: usize,
        16 depth: usize,
    }
}

abi_struct! {
    /// `hipPos`
    #[derive(Debug)]
    pub struct hipPos [24] {
        0 x: usize,
        8 y: usize,
        16 z: usize,
    }
}

abi_struct! {
    /// `hipPitchedPtr`
    #[derive(Debug)]
    pub struct hipPitchedPtr [32] {
        0 ptr: *mut c_void,
        8 pitch: usize,
        16 xsize: usize,
        24 ysize: usize,
    }
}

abi_struct! {
    /// `hipMemcpy3DParms`
    #[derive(Debug)]
    pub struct hipMemcpy3DParms [160] {
        0 srcArray: *mut c_void,
        8 srcPos: hipPos,
        32 srcPtr: hipPitchedPtr,
        64 dstArray: *mut c_void,
        72 dstPos: hipPos,
        96 dstPtr: hipPitchedPtr,
        128 extent: hipExtent,
        152 kind: hipMemcpyKind,
    }
}

abi_struct! {
    /// `hip_Memcpy2D`
    #[derive(Debug)]
    pub struct hip_Memcpy2D [128] {
        0 srcXInBytes: usize,
        8 srcY: usize,
        16 srcMemoryType: Numbered<hipMemoryType>,
        24 srcHost: *const c_void,
        32 srcDevice: hipDeviceptr_t,
        40 srcArray: *mut c_void,
        48 srcPitch: usize,
        56 dstXInBytes: usize,
        64 dstY: usize,
        72 dstMemoryType: Numbered<hipMemoryType>,
        80 dstHost: *mut c_void,
        88 dstDevice: hipDeviceptr_t,
        96 dstArray: *mut c_void,
        104 dstPitch: usize,
        112 WidthInBytes: usize,
        120 Height: usize,
    }
}

crate::abi::handle! {
    /// `hipMemGenericAllocationHandle_t`: memory without an address.
    hipMemGenericAllocationHandle_t;
}

abi_values! {
    /// `hipMemLocationType`
    pub struct hipMemLocationType(u32) {
        0 INVALID hipMemLocationTypeInvalid;
        1 DEVICE hipMemLocationTypeDevice;
    }
}

abi_values! {
    /// `hipMemAllocationType`
    pub struct hipMemAllocationType(u32) {
        0 INVALID hipMemAllocationTypeInvalid;
        1 PINNED hipMemAllocationTypePinned;
    }
}

abi_values! {
    /// `hipMemAllocationHandleType`
    pub struct hipMemAllocationHandleType(u32) {
        0 NONE hipMemHandleTypeNone;
        1 POSIX_FILE_DESCRIPTOR hipMemHandleTypePosixFileDescriptor;
        2 WIN32 hipMemHandleTypeWin32;
        4 WIN32_KMT hipMemHandleTypeWin32Kmt;
    }
}

abi_values! {
    /// `hipMemAccessFlags`
    pub struct hipMemAccessFlags(u32) {
        0 PROT_NONE hipMemAccessFlagsProtNone;
        1 PROT_READ hipMemAccessFlagsProtRead;
        3 PROT_READ_WRITE hipMemAccessFlagsProtReadWrite;
    }
}

abi_values! {
    /// `hipMemAllocationGranularity_flags`
    pub struct hipMemAllocationGranularity_flags(u32) {
        0 MINIMUM hipMemAllocationGranularityMinimum;
        1 RECOMMENDED hipMemAllocationGranularityRecommended;
    }
}

abi_struct! {
    /// `hipMemLocation`
    #[derive(Debug, PartialEq, Eq)]
    pub struct hipMemLocation [8] {
        0 type_: hipMemLocationType,
        4 id: i32,
    }
}

abi_struct! {
    /// `hipMemAccessDesc`
    #[derive(Debug)]
    pub struct hipMemAccessDesc [12] {
        0 location: hipMemLocation,
        8 flags: hipMemAccessFlags,
    }
}

abi_struct! {
    /// `hipMemPoolProps`
    #[derive(Debug)]
    pub struct hipMemPoolProps [88] {
        0 allocType: hipMemAllocationType,
        4 handleTypes: hipMemAllocationHandleType,
        8 location: hipMemLocation,
        16 win32SecurityAttributes: *mut c_void,
        24 reserved: [u8; 64],
    }
}

abi_struct! {
    /// The flags in [`hipMemAllocationProp`].
    #[derive(Debug, Default, PartialEq, Eq)]
    pub struct hipMemAllocationFlags [4] {
        0 compressionType: u8,
        1 gpuDirectRDMACapable: u8,
        2 usage: u16,
    }
}

abi_struct! {
    /// `hipMemAllocationProp` since HIP 6.
    #[derive(Debug, PartialEq, Eq)]
    pub struct hipMemAllocationProp [32] {
        0 type_: hipMemAllocationType,
        4 requestedHandleType: hipMemAllocationHandleType,
        8 location: hipMemLocation,
        16 win32HandleMetaData: *mut c_void,
        24 allocFlags: hipMemAllocationFlags,
    }
}

abi_struct! {
    /// `hipMemAllocationProp` of HIP 5.
    #[derive(Debug, PartialEq, Eq)]
    pub struct hipMemAllocationPropR0000 [32] {
        0 compressionType: u8,
        4 location: hipMemLocation,
        12 requestedHandleType: hipMemAllocationHandleType,
        16 type_: hipMemAllocationType,
        20 usage: u16,
        24 win32HandleMetaData: *mut c_void,
    }
}

impl From<hipMemAllocationPropR0000> for hipMemAllocationProp {
    fn from(old: hipMemAllocationPropR0000) -> Self {
        Self {
            type_: old.type_,
            requestedHandleType: old.requestedHandleType,
            location: old.location,
            win32HandleMetaData: old.win32HandleMetaData,
            allocFlags: hipMemAllocationFlags {
                compressionType: old.compressionType,
                gpuDirectRDMACapable: 0,
                usage: old.usage,
            },
        }
    }
}

impl From<hipMemAllocationProp> for hipMemAllocationPropR0000 {
    fn from(new: hipMemAllocationProp) -> Self {
        Self {
            compressionType: new.allocFlags.compressionType,
            location: new.location,
            requestedHandleType: new.requestedHandleType,
            type_: new.type_,
            usage: new.allocFlags.usage,
            win32HandleMetaData: new.win32HandleMetaData,
        }
    }
}

abi_struct! {
    /// `hipIpcMemHandle_t`
    #[derive(Debug)]
    pub struct hipIpcMemHandle_t [64] {
        0 reserved: [u8; 64],
    }
}

abi_struct! {
    /// `hipIpcEventHandle_t`
    #[derive(Debug)]
    pub struct hipIpcEventHandle_t [64] {
        0 reserved: [u8; 64],
    }
}
