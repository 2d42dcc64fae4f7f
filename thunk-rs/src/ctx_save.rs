//! The area in which a queue's waves are saved when it leaves the hardware (CWSR): how large it is, and its header.
//! libhsakmt's `queues.c` (`update_ctx_save_restore_size`, `fill_cwsr_header`) and `amdkfd/kfd_queue.c`.

use crate::gfx::{HWREG_BYTES_PER_CU, SGPR_BYTES_PER_CU, Traits, WaveLimit};
use crate::topology::NodeProperties;

const PAGE: u64 = 4096;
/// Bytes of the header at the start of each accelerator complex's area.
pub(crate) const HEADER_BYTES: usize = 40;

/// Sizes in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CtxSaveSizes {
    /// The control stack, part of `ctx`.
    pub ctl_stack: u32,
    /// What the kernel is told: control stack and wave data of one accelerator complex.
    pub ctx: u32,
    /// What a debugger may use, of one accelerator complex.
    pub debug: u32,
    /// Accelerator complexes.
    pub xccs: u32,
    /// The whole buffer.
    pub total: u64,
}

/// The sizes for a GPU; None if its properties make no sense (no compute units, or sizes that do not fit).
pub(crate) fn sizes(node: &NodeProperties, traits: &Traits) -> Option<CtxSaveSizes> {
    let xccs = u64::from(node.num_xcc.max(1));
    let cus = u64::from(node.simd_count) / u64::from(node.simd_per_cu.max(1)) / xccs;
    if cus == 0 {
        return None;
    }
    let waves = match traits.waves {
        WaveLimit::PerCu(per_cu) => cus * u64::from(per_cu),
        WaveLimit::PerCuAndEngine { cu, engine } => {
            let engines = u64::from(node.array_count) / u64::from(node.simd_arrays_per_engine.max(1));
            (cus * u64::from(cu)).min(engines * u64::from(engine))
        }
    };
    let mut ctl_stack =
        (HEADER_BYTES as u64 + waves * u64::from(traits.ctl_stack_bytes_per_wave) + 8).next_multiple_of(PAGE);
    if let Some(cap) = traits.ctl_stack_cap {
        ctl_stack = ctl_stack.min(u64::from(cap));
    }
    let per_cu = u64::from(traits.vgpr_bytes_per_cu)
        + u64::from(traits.lds_bytes_per_cu)
        + u64::from(SGPR_BYTES_PER_CU)
        + u64::from(HWREG_BYTES_PER_CU);
    let mut ctx = ctl_stack + (cus * per_cu).next_multiple_of(PAGE);
    // Kernels from 6.18 on say themselves what they want to see.
    if node.cwsr_size != 0 && node.ctl_stack_size != 0 {
        (ctx, ctl_stack) = (u64::from(node.cwsr_size), u64::from(node.ctl_stack_size));
    }
    let debug = (waves * 32).next_multiple_of(64);
    Some(CtxSaveSizes {
        ctl_stack: u32::try_from(ctl_stack).ok()?,
        ctx: u32::try_from(ctx).ok()?,
        debug: u32::try_from(debug).ok()?,
        xccs: u32::try_from(xccs).ok()?,
        total: (ctx + debug).checked_mul(xccs)?.checked_next_multiple_of(PAGE)?,
    })
}

/// The header of complex `xcc`: the kernel fills the first four words, user space the rest.
pub(crate) fn header(
    sizes: &CtxSaveSizes,
    xcc: u32,
    error_payload: u64,
    error_event: u32,
) -> [u8; HEADER_BYTES] {
    let mut bytes = [0; HEADER_BYTES];
    let debug_offset = u64::from(sizes.xccs - xcc) * u64::from(sizes.ctx);
    let debug_size = u64::from(sizes.debug) * u64::from(sizes.xccs);
    bytes[16..20].copy_from_slice(&(debug_offset as u32).to_le_bytes());
    bytes[20..24].copy_from_slice(&(debug_size as u32).to_le_bytes());
    bytes[24..32].copy_from_slice(&error_payload.to_le_bytes());
    bytes[32..36].copy_from_slice(&error_event.to_le_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gfx;

    fn of(gfx: u32, simds: u32, per_cu: u32, arrays: u32, per_engine: u32, xccs: u32) -> CtxSaveSizes {
        let node = NodeProperties {
            simd_count: simds,
            simd_per_cu: per_cu,
            array_count: arrays,
            simd_arrays_per_engine: per_engine,
            num_xcc: xccs,
            ..Default::default()
        };
        sizes(&node, gfx::traits(gfx).unwrap()).unwrap()
    }

    #[test]
    fn sizes_are_those_that_drivers_use() {
        for (sizes, ctl_stack, ctx, total) in [
            (of(90_010, 440, 4, 8, 1, 1), 0x9000, 0x400_f000, 0x402_f000),
            (of(90_402, 1216, 4, 32, 1, 8), 0x3000, 0x162_1000, 0xb16_7000),
            (of(90_500, 1024, 4, 32, 1, 8), 0x3000, 0x15a_3000, 0xad6_8000),
            (of(100_300, 120, 2, 8, 2, 1), 0x6000, 0x13f_2000, 0x140_1000),
            (of(110_000, 192, 2, 12, 2, 1), 0xa000, 0x2be_a000, 0x2c0_2000),
            (of(120_001, 112, 2, 8, 2, 1), 0x6000, 0x199_e000, 0x19a_c000),
            (of(120_001, 128, 2, 8, 2, 1), 0x7000, 0x1d4_7000, 0x1d5_7000),
        ] {
            assert_eq!((sizes.ctl_stack, sizes.ctx, sizes.total), (ctl_stack, ctx, total), "{sizes:x?}");
        }
    }

    #[test]
    fn what_the_kernel_says_wins() {
        let node = NodeProperties {
            simd_count: 4,
            simd_per_cu: 4,
            cwsr_size: 0x5000,
            ctl_stack_size: 0x1000,
            ..Default::default()
        };
        let sizes = sizes(&node, gfx::traits(90_010).unwrap()).unwrap();
        assert_eq!((sizes.ctx, sizes.ctl_stack), (0x5000, 0x1000));
    }

    #[test]
    fn sizes_that_do_not_fit_are_none() {
        let node = NodeProperties {
            simd_count: u32::MAX,
            simd_per_cu: 1,
            array_count: 1,
            num_xcc: u32::MAX,
            cwsr_size: u32::MAX,
            ctl_stack_size: 0x1000,
            ..Default::default()
        };
        assert_eq!(sizes(&node, gfx::traits(90_010).unwrap()), None);
    }

    #[test]
    fn a_gpu_without_compute_units_has_no_area() {
        assert_eq!(sizes(&NodeProperties::default(), gfx::traits(90_010).unwrap()), None);
    }
}
