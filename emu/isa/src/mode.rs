//! The `MODE` register: rounding, denormals, clamping and NaN rules. Vega ISA, "Mode register".

/// `MODE` as `s_getreg_b32 hwreg(HW_REG_MODE)` reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mode(pub u32);

impl Mode {
    /// See [`Mode::indexes_registers`].
    pub const GPR_IDX_EN: u32 = 1 << 27;
    /// See [`Mode::skips_vectors`].
    pub const VSKIP: u32 = 1 << 28;

    /// Bits 3:2 (16/64) and 1:0 (32): 0 nearest even, 1 up, 2 down, 3 to zero.
    pub const fn round32(self) -> u32 {
        self.0 & 3
    }
    /// Rounding of 16-bit and 64-bit floats, as [`Mode::round32`].
    pub const fn round16_64(self) -> u32 {
        self.0 >> 2 & 3
    }
    /// Bit 0: denormal inputs are kept, bit 1: denormal results are kept; of 32-bit floats.
    pub const fn denorm32(self) -> u32 {
        self.0 >> 4 & 3
    }
    /// As [`Mode::denorm32`], of 16-bit and 64-bit floats.
    pub const fn denorm16_64(self) -> u32 {
        self.0 >> 6 & 3
    }
    /// Whether clamping turns NaN into zero.
    pub const fn dx10_clamp(self) -> bool {
        self.0 & 1 << 8 != 0
    }
    /// Whether signalling NaNs are quieted by every instruction.
    pub const fn ieee(self) -> bool {
        self.0 & 1 << 9 != 0
    }
    /// Whether overflowing 16-bit results become the greatest finite value.
    pub const fn fp16_ovfl(self) -> bool {
        self.0 & 1 << 23 != 0
    }
    /// Whether vector-register indexing is on (`s_set_gpr_idx_on`).
    pub const fn indexes_registers(self) -> bool {
        self.0 & Mode::GPR_IDX_EN != 0
    }
    /// Whether vector instructions are skipped (`s_setvskip`).
    pub const fn skips_vectors(self) -> bool {
        self.0 & Mode::VSKIP != 0
    }
    /// Whether instructions do not run as they are written: vector registers are indexed or vector instructions skipped.
    pub const fn alters_instructions(self) -> bool {
        self.0 & (Mode::GPR_IDX_EN | Mode::VSKIP) != 0
    }
    /// How many forks are open (`s_cbranch_g_fork`): bits 31:29.
    pub const fn fork_depth(self) -> u32 {
        self.0 >> 29
    }
    /// With another number of open forks.
    pub const fn with_fork_depth(self, depth: u32) -> Mode {
        Mode(self.0 & !(7 << 29) | (depth & 7) << 29)
    }
    /// Round to nearest even and keep all denormals: what the host's floating point does by itself.
    pub const fn is_plain(self) -> bool {
        self.0 & 0xff == 0xf0 && !self.fp16_ovfl()
    }
}
