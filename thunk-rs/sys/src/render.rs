//! A render node's calls for buffer objects and for facts of its GPU: `include/uapi/drm/drm.h`, `amdgpu_drm.h`. KFD gives memory one address; by
//! these calls its pages come to lie at others as well.

use crate::ioctl::Direction;

/// The letter of these ioctls, `DRM_IOCTL_BASE`.
pub const BASE: u32 = b'd' as u32;

const fn request(direction: Direction, nr: u32, size: usize) -> u32 {
    crate::ioctl::request(direction, nr, size) & !0xff00 | BASE << 8
}

/// An argument struct, and the call that takes it.
pub trait RenderCall: crate::Arg {
    /// The request word.
    const REQUEST: u32;
    /// Its name without `DRM_IOCTL_`.
    const NAME: &'static str;
}

macro_rules! calls {
    ($( $nr:literal $direction:ident $name:ident $arg:ty; )*) => {$(
        impl RenderCall for $arg {
            const REQUEST: u32 = request(Direction::$direction, $nr, core::mem::size_of::<$arg>());
            const NAME: &'static str = stringify!($name);
        }
    )*};
}

calls! {
    0x09 Write     GEM_CLOSE           GemCloseArgs;
    0x2d ReadWrite PRIME_HANDLE_TO_FD  PrimeExportArgs;
    0x2e ReadWrite PRIME_FD_TO_HANDLE  PrimeImportArgs;
    0x41 ReadWrite AMDGPU_GEM_MMAP     GemMmapArgs;
    0x45 Write     AMDGPU_INFO         InfoArgs;
    0x48 Write     AMDGPU_GEM_VA       GemVaArgs;
}

abi_struct! {
    /// Lets go of a buffer object.
    pub struct GemCloseArgs = "drm_gem_close", 8 bytes {
        0 => handle: u32 = "in";
        4 => pad: u32 = "zero";
    }
}

abi_struct! {
    /// Makes a dma-buf of a buffer object.
    pub struct PrimeExportArgs = "drm_prime_handle", 12 bytes {
        0 => handle: u32 = "in";
        4 => flags: u32 = "in: `O_CLOEXEC`, `O_RDWR`";
        8 => fd: i32 = "out";
    }
}

abi_struct! {
    /// Takes in a dma-buf. The same one has the same handle, however often it is taken in.
    pub struct PrimeImportArgs = "drm_prime_handle", 12 bytes {
        0 => handle: u32 = "out";
        4 => flags: u32 = "zero";
        8 => fd: i32 = "in";
    }
}

abi_struct! {
    /// Asks for a buffer object's offset for `mmap` of the render node: a union of what goes in and what comes out.
    pub struct GemMmapArgs = "drm_amdgpu_gem_mmap", 8 bytes {
        0 => value: u64 = "in: handle; out: offset";
    }
}

abi_struct! {
    /// Asks what the device is. As much of the answer is written as there is room for.
    pub struct InfoArgs = "drm_amdgpu_info", 32 bytes {
        0 => return_pointer: u64 = "in: address of room for the answer";
        8 => return_size: u32 = "in: bytes of it";
        12 => query: u32 = "in: `AMDGPU_INFO_*`";
        16 => details: [u64; 2] = "in: of some queries";
    }
}

/// `AMDGPU_INFO_DEV_INFO`: `struct drm_amdgpu_info_device`.
pub const INFO_DEV_INFO: u32 = 0x16;
/// `AMDGPU_IDS_FLAGS_FUSION`, in that struct's `ids_flags`: host and GPU are one chip.
pub const IDS_FLAGS_FUSION: u64 = 1;

abi_struct! {
    /// Maps a part of a buffer object for the GPU, or ends that.
    pub struct GemVaArgs = "drm_amdgpu_gem_va", 40 bytes {
        0 => handle: u32 = "in";
        4 => pad: u32 = "zero";
        8 => operation: u32 = "in: [`VA_MAP`] or [`VA_UNMAP`]";
        12 => flags: u32 = "in: [`PageFlags`]";
        16 => va_address: u64 = "in: GPU virtual address";
        24 => offset_in_bo: u64 = "in";
        32 => map_size: u64 = "in";
    }
}

/// `AMDGPU_VA_OP_MAP`
pub const VA_MAP: u32 = 1;
/// `AMDGPU_VA_OP_UNMAP`
pub const VA_UNMAP: u32 = 2;

bitflags::bitflags! {
    /// `AMDGPU_VM_PAGE_*`
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct PageFlags: u32 {
        /// The GPU may read it.
        const READABLE = 1 << 1;
        /// The GPU may write it.
        const WRITEABLE = 1 << 2;
        /// It holds instructions.
        const EXECUTABLE = 1 << 3;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_words_are_those_of_libdrm() {
        // As `strace` prints them of a program that uses libdrm_amdgpu.
        for (word, request) in [
            (0x4008_6409, GemCloseArgs::REQUEST),
            (0xc00c_642d, PrimeExportArgs::REQUEST),
            (0xc00c_642e, PrimeImportArgs::REQUEST),
            (0xc008_6441, GemMmapArgs::REQUEST),
            (0x4020_6445, InfoArgs::REQUEST),
            (0x4028_6448, GemVaArgs::REQUEST),
        ] {
            assert_eq!(request, word, "{request:#x}");
        }
    }
}
