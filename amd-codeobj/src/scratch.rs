//! How a generation is told where scratch memory is and how much of it a wave gets. Answers to `COMPUTE_TMPRING_SIZE` and
//! to the buffer resource words of the register references, and to "Private Segment Buffer" of LLVM's AMDGPU guide.

/// How one generation describes scratch memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScratchLayout {
    /// Bytes of one unit of `COMPUTE_TMPRING_SIZE.WAVESIZE`.
    pub wave_unit: u64,
    /// Bits of `COMPUTE_TMPRING_SIZE.WAVESIZE`, from bit 12 on.
    pub wave_bits: u32,
    /// `COMPUTE_TMPRING_SIZE.WAVES`, bits 11 to 0, counts the waves of one shader engine instead of all.
    pub waves_per_engine: bool,
    /// Word 1 of the buffer resource: swizzle enable.
    pub swizzle: u32,
    /// Word 3 of the buffer resource.
    pub word3: u32,
}

impl ScratchLayout {
    /// Bytes of scratch of one wave, as a value of `COMPUTE_TMPRING_SIZE` says.
    pub const fn wave_bytes(&self, tmpring: u32) -> u64 {
        let units = (tmpring >> 12) as u64 & ((1 << self.wave_bits) - 1);
        units * self.wave_unit
    }
}

pub(crate) const GFX9: ScratchLayout = ScratchLayout {
    wave_unit: 1024,
    wave_bits: 13,
    waves_per_engine: false,
    swizzle: 0x8000_0000,
    word3: 0x00ea_4fac,
};
pub(crate) const GFX10: ScratchLayout = ScratchLayout { word3: 0x2181_4fac, ..GFX9 };
pub(crate) const GFX11: ScratchLayout = ScratchLayout {
    wave_unit: 256,
    wave_bits: 15,
    waves_per_engine: true,
    swizzle: 0x4000_0000,
    word3: 0x2081_4fac,
};
pub(crate) const GFX12: ScratchLayout = ScratchLayout { wave_bits: 18, ..GFX11 };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_register_tells_a_waves_bytes() {
        assert_eq!(GFX9.wave_bytes(3 << 12 | 0xfff), 3 * 1024);
        assert_eq!(GFX9.wave_bytes(u32::MAX), 0x1fff * 1024);
        assert_eq!(GFX12.wave_bytes(5 << 12), 5 * 256);
    }
}
