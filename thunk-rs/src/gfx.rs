//! What differs between GPUs for the thunk: one row a range of `gfx_target_version`. Sizes as in libhsakmt's `queues.c`
//! and `amdkfd/kfd_queue.c`, which must agree: newer kernels refuse a queue whose save area has another size.

/// The numbers of a family of GPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traits {
    /// Bytes of one doorbell; the slice of a process has 1024.
    pub doorbell_bytes: u32,
    /// Bytes of the end-of-pipe buffer of a compute queue.
    pub eop_bytes: u32,
    /// Do AQL queues have an end-of-pipe buffer too?
    pub eop_for_aql: bool,
    /// Vector registers of one compute unit, in bytes.
    pub vgpr_bytes_per_cu: u32,
    /// LDS of one compute unit, in bytes.
    pub lds_bytes_per_cu: u32,
    /// What the control stack holds for one wave, in bytes.
    pub ctl_stack_bytes_per_wave: u32,
    /// What the control stack is capped to, if it is.
    pub ctl_stack_cap: Option<u32>,
    /// How many waves can be saved.
    pub waves: WaveLimit,
}

/// How many waves one accelerator complex can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaveLimit {
    /// So many a compute unit, but not more than so many a shader engine.
    PerCuAndEngine {
        /// A compute unit's.
        cu: u32,
        /// A shader engine's.
        engine: u32,
    },
    /// So many a compute unit.
    PerCu(u32),
}

/// Scalar registers of one compute unit, in bytes: the same everywhere.
pub const SGPR_BYTES_PER_CU: u32 = 0x4000;
/// Hardware registers of one compute unit, in bytes: the same everywhere.
pub const HWREG_BYTES_PER_CU: u32 = 0x1000;

const GFX9: Traits = Traits {
    doorbell_bytes: 8,
    eop_bytes: 4096,
    eop_for_aql: true,
    vgpr_bytes_per_cu: 0x40000,
    lds_bytes_per_cu: 0x10000,
    ctl_stack_bytes_per_wave: 8,
    ctl_stack_cap: None,
    waves: WaveLimit::PerCuAndEngine { cu: 40, engine: 512 },
};
const CDNA: Traits = Traits { vgpr_bytes_per_cu: 0x80000, ..GFX9 };
const CDNA3: Traits = Traits { eop_for_aql: false, ..CDNA };
const CDNA4: Traits = Traits { lds_bytes_per_cu: 0x28000, ..CDNA };
const GFX10: Traits =
    Traits { ctl_stack_bytes_per_wave: 12, ctl_stack_cap: Some(0x7000), waves: WaveLimit::PerCu(32), ..GFX9 };
const GFX11: Traits = Traits { ctl_stack_cap: None, ..GFX10 };
const GFX11_BIG: Traits = Traits { vgpr_bytes_per_cu: 0x60000, ..GFX11 };

/// First and last `gfx_target_version`, and what is true of them. Ranges do not overlap.
#[rustfmt::skip]
const TABLE: &[(u32, u32, Traits)] = &[
    ( 90_000,  90_007, GFX9),
    ( 90_008,  90_008, CDNA),
    ( 90_009,  90_009, GFX9),
    ( 90_010,  90_010, CDNA),
    ( 90_012,  90_012, GFX9),
    ( 90_400,  90_402, CDNA3),
    ( 90_500,  90_500, CDNA4),
    (100_100, 109_999, GFX10),
    (110_000, 110_001, GFX11_BIG),
    (110_002, 110_500, GFX11),
    (110_501, 110_501, GFX11_BIG),
    (110_502, 119_999, GFX11),
    (120_000, 120_001, GFX11_BIG),
];

/// The row of a `gfx_target_version` as sysfs prints it (`90010` is gfx90a).
pub fn traits(gfx_target_version: u32) -> Option<&'static Traits> {
    TABLE
        .iter()
        .find(|(first, last, _)| (*first..=*last).contains(&gfx_target_version))
        .map(|(_, _, traits)| traits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_in_order() {
        assert!(TABLE.iter().all(|(first, last, _)| first <= last));
        assert!(TABLE.windows(2).all(|pair| pair[0].1 < pair[1].0));
        assert_eq!(traits(90_010).map(|t| t.vgpr_bytes_per_cu), Some(0x80000));
        assert_eq!(traits(80_003), None);
    }
}
