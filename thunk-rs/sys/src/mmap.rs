//! Offsets for `mmap` of `/dev/kfd`: `KFD_MMAP_*` of `amdkfd/kfd_priv.h`. Opaque to user space, but for the low bits of
//! a doorbell; a device makes them, and tools that read traces take them apart.

abi_value! {
    /// What a mapping of `/dev/kfd` is: bits 63:62 of the offset.
    pub struct MmapType {
        MMIO = 0, "The page with the HDP flush registers.";
        RESERVED_MEM = 1, "Trap handler and its data (APU).";
        EVENTS = 2, "The event page (APU).";
        DOORBELL = 3, "The doorbell slice.";
    }
}

/// Bytes of the doorbell slice of one process on one GPU, with doorbells of 8 bytes (gfx9 and later).
pub const DOORBELL_SLICE_BYTES: u64 = 0x2000;

/// Makes an offset: type, the low 16 bits of the GPU's ID, and an offset within.
pub const fn offset(mmap_type: MmapType, gpu_id: u32, within: u64) -> u64 {
    ((mmap_type.0 as u64 & 3) << 62) | ((gpu_id as u64 & 0xffff) << 46) | (within & ((1 << 46) - 1))
}

/// The type in an offset.
pub const fn type_of(offset: u64) -> MmapType {
    MmapType((offset >> 62) as u32)
}

/// The low 16 bits of the GPU's ID in an offset.
pub const fn gpu_of(offset: u64) -> u32 {
    ((offset >> 46) & 0xffff) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_takes_apart_again() {
        let made = offset(MmapType::DOORBELL, 51110, 0x18);
        assert_eq!((type_of(made), gpu_of(made), made & 0x1fff), (MmapType::DOORBELL, 51110, 0x18));
        assert_eq!(type_of(0xb1e9_8000_0000_0000), MmapType::EVENTS);
        assert_eq!(gpu_of(0xb1e9_8000_0000_0000), 0xc7a6);
    }
}
