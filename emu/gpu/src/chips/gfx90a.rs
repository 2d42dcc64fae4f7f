//! One die of an MI250X (CDNA2, "aldebaran").

use super::{Cache, Chip, FAMILY_AI};

/// MI250X, one die.
pub static GFX90A: Chip = Chip {
    name: "gfx90a",
    marketing: "aldebaran",
    gfx_target_version: 90010,
    wave_size: 64,
    simd_count: 440,
    simd_per_cu: 4,
    max_waves_per_simd: 8,
    lds_kib: 64,
    array_count: 8,
    simd_arrays_per_engine: 1,
    cu_per_simd_array: 14,
    max_slots_scratch_cu: 32,
    num_gws: 64,
    device_id: 0x7408,
    pci_revision: 0,
    ip_blocks: &[],
    family: FAMILY_AI,
    external_rev: 0x3c,
    sdma: [2, 3, 8],
    num_cp_queues: 24,
    max_engine_clk: 1700,
    fw_version: 78,
    reclaims_scratch: false,
    sdma_fw_version: 8,
    // Without SVM ranges, the debugger and its firmware: they are not modelled.
    capability: 0x0470_2280,
    debug_prop: 0,
    num_xcc: 1,
    vram: 68_702_699_520,
    mem_width: 4096,
    mem_clk: 1600,
    caches: &[
        Cache { level: 1, size_kib: 16, line: 64, kind: 9, shared_by: 1 },
        Cache { level: 1, size_kib: 32, line: 64, kind: 10, shared_by: 2 },
        Cache { level: 1, size_kib: 16, line: 64, kind: 9, shared_by: 2 },
        Cache { level: 2, size_kib: 8192, line: 128, kind: 9, shared_by: 0 },
    ],
    xnack_selectable: true,
    drops_float_atomics: true,
};
