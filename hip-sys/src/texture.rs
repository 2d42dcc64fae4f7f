//! Arrays, textures and surfaces. `hip/driver_types.h`, `hip/texture_types.h`, `hip/channel_descriptor.h`.
//!
//! A union of C is an array of words here, as long as its longest member; the words of each member are named beside it.

use crate::abi::{abi_struct, abi_values};
use crate::{Numbered, hipDeviceptr_t, hipMemoryType};
use std::ffi::c_void;

abi_values! {
    /// `hipChannelFormatKind`
    pub struct hipChannelFormatKind(u32) {
        0 SIGNED hipChannelFormatKindSigned;
        1 UNSIGNED hipChannelFormatKindUnsigned;
        2 FLOAT hipChannelFormatKindFloat;
        3 NONE hipChannelFormatKindNone;
    }
}

abi_values! {
    /// `hipArray_Format`
    pub struct hipArray_Format(u32) {
        0x01 UNSIGNED_INT8 HIP_AD_FORMAT_UNSIGNED_INT8;
        0x02 UNSIGNED_INT16 HIP_AD_FORMAT_UNSIGNED_INT16;
        0x03 UNSIGNED_INT32 HIP_AD_FORMAT_UNSIGNED_INT32;
        0x08 SIGNED_INT8 HIP_AD_FORMAT_SIGNED_INT8;
        0x09 SIGNED_INT16 HIP_AD_FORMAT_SIGNED_INT16;
        0x0a SIGNED_INT32 HIP_AD_FORMAT_SIGNED_INT32;
        0x10 HALF HIP_AD_FORMAT_HALF;
        0x20 FLOAT HIP_AD_FORMAT_FLOAT;
    }
}

abi_values! {
    /// The flags of `hipMallocArray` and its kin.
    pub struct ArrayFlags(u32) {
        0x00 DEFAULT hipArrayDefault;
        0x01 LAYERED hipArrayLayered;
        0x02 SURFACE_LOAD_STORE hipArraySurfaceLoadStore;
        0x04 CUBEMAP hipArrayCubemap;
        0x08 TEXTURE_GATHER hipArrayTextureGather;
    }
}

abi_values! {
    /// `hipResourceType`, and `HIPresourcetype`
    pub struct hipResourceType(u32) {
        0 ARRAY hipResourceTypeArray;
        1 MIPMAPPED_ARRAY hipResourceTypeMipmappedArray;
        2 LINEAR hipResourceTypeLinear;
        3 PITCH_2D hipResourceTypePitch2D;
    }
}

abi_values! {
    /// `hipTextureAddressMode`, and `HIPaddress_mode`
    pub struct hipTextureAddressMode(u32) {
        0 WRAP hipAddressModeWrap;
        1 CLAMP hipAddressModeClamp;
        2 MIRROR hipAddressModeMirror;
        3 BORDER hipAddressModeBorder;
    }
}

abi_values! {
    /// `hipTextureFilterMode`, and `HIPfilter_mode`
    pub struct hipTextureFilterMode(u32) {
        0 POINT hipFilterModePoint;
        1 LINEAR hipFilterModeLinear;
    }
}

abi_values! {
    /// `hipTextureReadMode`
    pub struct hipTextureReadMode(u32) {
        0 ELEMENT_TYPE hipReadModeElementType;
        1 NORMALIZED_FLOAT hipReadModeNormalizedFloat;
    }
}

abi_values! {
    /// `HIP_TRSF_…`, the flags of a texture in the driver's form, and `HIP_TRSA_OVERRIDE_FORMAT`, that of
    /// `hipTexRefSetArray`
    pub struct TextureFlags(u32) {
        0x01 READ_AS_INTEGER HIP_TRSF_READ_AS_INTEGER;
        0x02 NORMALIZED_COORDINATES HIP_TRSF_NORMALIZED_COORDINATES;
        0x10 SRGB HIP_TRSF_SRGB;
    }
}

/// `HIP_TRSA_OVERRIDE_FORMAT`
pub const HIP_TRSA_OVERRIDE_FORMAT: u32 = 1;

abi_values! {
    /// `hipResourceViewFormat`, and `HIPresourceViewFormat`
    pub struct hipResourceViewFormat(u32) {
        0x00 NONE hipResViewFormatNone;
        0x01 UNSIGNED_CHAR_1 hipResViewFormatUnsignedChar1;
        0x18 FLOAT_4 hipResViewFormatFloat4;
    }
}

abi_struct! {
    /// `hipChannelFormatDesc`
    #[derive(Debug, PartialEq, Eq, Default)]
    pub struct hipChannelFormatDesc [20] {
        0 x: i32,
        4 y: i32,
        8 z: i32,
        12 w: i32,
        16 f: hipChannelFormatKind,
    }
}

abi_struct! {
    /// `HIP_ARRAY_DESCRIPTOR`
    #[derive(Debug, PartialEq, Eq)]
    pub struct HIP_ARRAY_DESCRIPTOR [24] {
        0 Width: usize,
        8 Height: usize,
        16 Format: hipArray_Format,
        20 NumChannels: u32,
    }
}

abi_struct! {
    /// `HIP_ARRAY3D_DESCRIPTOR`
    #[derive(Debug, PartialEq, Eq)]
    pub struct HIP_ARRAY3D_DESCRIPTOR [40] {
        0 Width: usize,
        8 Height: usize,
        16 Depth: usize,
        24 Format: hipArray_Format,
        28 NumChannels: u32,
        32 Flags: u32,
    }
}

abi_struct! {
    /// `hipArray` as HIP 5 shows it; from HIP 6 on programs see the pointer alone.
    #[derive(Debug)]
    pub struct hipArray [64] {
        0 data: *mut c_void,
        8 desc: hipChannelFormatDesc,
        28 r#type: u32,
        32 width: u32,
        36 height: u32,
        40 depth: u32,
        44 Format: hipArray_Format,
        48 NumChannels: u32,
        52 isDrv: u8,
        56 textureType: u32,
    }
}

abi_struct! {
    /// `hipResourceDesc`. The words of `res`: an array's handle (0); of linear memory the address (0), the channels (1 to 3)
    /// and the bytes (4); of pitched memory the address (0), the channels (1 to 3), width, height and pitch (4 to 6).
    #[derive(Debug)]
    pub struct hipResourceDesc [64] {
        0 resType: hipResourceType,
        8 res: [u64; 7],
    }
}

abi_struct! {
    /// `HIP_RESOURCE_DESC`. The words of `res`: an array's handle (0); of linear memory the address (0), format and channels
    /// (1) and the bytes (2); of pitched memory the address (0), format and channels (1), width, height and pitch (2 to 4).
    #[derive(Debug)]
    pub struct HIP_RESOURCE_DESC [144] {
        0 resType: hipResourceType,
        8 res: [u64; 16],
        136 flags: u32,
    }
}

abi_struct! {
    /// `hipTextureDesc`
    #[derive(Debug)]
    pub struct hipTextureDesc [64] {
        0 addressMode: [hipTextureAddressMode; 3],
        12 filterMode: hipTextureFilterMode,
        16 readMode: hipTextureReadMode,
        20 sRGB: i32,
        24 borderColor: [f32; 4],
        40 normalizedCoords: i32,
        44 maxAnisotropy: u32,
        48 mipmapFilterMode: hipTextureFilterMode,
        52 mipmapLevelBias: f32,
        56 minMipmapLevelClamp: f32,
        60 maxMipmapLevelClamp: f32,
    }
}

abi_struct! {
    /// `HIP_TEXTURE_DESC`
    #[derive(Debug)]
    pub struct HIP_TEXTURE_DESC [104] {
        0 addressMode: [hipTextureAddressMode; 3],
        12 filterMode: hipTextureFilterMode,
        16 flags: TextureFlags,
        20 maxAnisotropy: u32,
        24 mipmapFilterMode: hipTextureFilterMode,
        28 mipmapLevelBias: f32,
        32 minMipmapLevelClamp: f32,
        36 maxMipmapLevelClamp: f32,
        40 borderColor: [f32; 4],
        56 reserved: [i32; 12],
    }
}

abi_struct! {
    /// `hipResourceViewDesc`
    #[derive(Debug, Default)]
    pub struct hipResourceViewDesc [48] {
        0 format: hipResourceViewFormat,
        8 width: usize,
        16 height: usize,
        24 depth: usize,
        32 firstMipmapLevel: u32,
        36 lastMipmapLevel: u32,
        40 firstLayer: u32,
        44 lastLayer: u32,
    }
}

abi_struct! {
    /// `HIP_RESOURCE_VIEW_DESC`
    #[derive(Debug)]
    pub struct HIP_RESOURCE_VIEW_DESC [112] {
        0 format: hipResourceViewFormat,
        8 width: usize,
        16 height: usize,
        24 depth: usize,
        32 firstMipmapLevel: u32,
        36 lastMipmapLevel: u32,
        40 firstLayer: u32,
        44 lastLayer: u32,
        48 reserved: [u32; 16],
    }
}

abi_struct! {
    /// `textureReference`
    #[derive(Debug)]
    pub struct textureReference [88] {
        0 normalized: i32,
        4 readMode: hipTextureReadMode,
        8 filterMode: hipTextureFilterMode,
        12 addressMode: [hipTextureAddressMode; 3],
        24 channelDesc: hipChannelFormatDesc,
        44 sRGB: i32,
        48 maxAnisotropy: u32,
        52 mipmapFilterMode: hipTextureFilterMode,
        56 mipmapLevelBias: f32,
        60 minMipmapLevelClamp: f32,
        64 maxMipmapLevelClamp: f32,
        72 textureObject: *mut c_void,
        80 numChannels: i32,
        84 format: hipArray_Format,
    }
}

abi_struct! {
    /// `HIP_MEMCPY3D` as HIP 5 has it: numbers of 32 bits.
    #[derive(Debug)]
    pub struct HIP_MEMCPY3DR0000 [128] {
        0 srcXInBytes: u32,
        4 srcY: u32,
        8 srcZ: u32,
        12 srcLOD: u32,
        16 srcMemoryType: Numbered<hipMemoryType>,
        24 srcHost: *const c_void,
        32 srcDevice: hipDeviceptr_t,
        40 srcArray: *mut c_void,
        48 srcPitch: u32,
        52 srcHeight: u32,
        56 dstXInBytes: u32,
        60 dstY: u32,
        64 dstZ: u32,
        68 dstLOD: u32,
        72 dstMemoryType: Numbered<hipMemoryType>,
        80 dstHost: *mut c_void,
        88 dstDevice: hipDeviceptr_t,
        96 dstArray: *mut c_void,
        104 dstPitch: u32,
        108 dstHeight: u32,
        112 WidthInBytes: u32,
        116 Height: u32,
        120 Depth: u32,
    }
}

abi_struct! {
    /// `HIP_MEMCPY3D` since HIP 6
    #[derive(Debug)]
    pub struct HIP_MEMCPY3D [184] {
        0 srcXInBytes: usize,
        8 srcY: usize,
        16 srcZ: usize,
        24 srcLOD: usize,
        32 srcMemoryType: Numbered<hipMemoryType>,
        40 srcHost: *const c_void,
        48 srcDevice: hipDeviceptr_t,
        56 srcArray: *mut c_void,
        64 srcPitch: usize,
        72 srcHeight: usize,
        80 dstXInBytes: usize,
        88 dstY: usize,
        96 dstZ: usize,
        104 dstLOD: usize,
        112 dstMemoryType: Numbered<hipMemoryType>,
        120 dstHost: *mut c_void,
        128 dstDevice: hipDeviceptr_t,
        136 dstArray: *mut c_void,
        144 dstPitch: usize,
        152 dstHeight: usize,
        160 WidthInBytes: usize,
        168 Height: usize,
        176 Depth: usize,
    }
}
