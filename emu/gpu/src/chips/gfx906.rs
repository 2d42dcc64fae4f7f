//! Radeon Instinct MI50 (Vega 20).

use super::{Cache, Chip, FAMILY_AI};

/// MI50 of 32 GB.
pub static GFX906: Chip = Chip {
    name: "gfx906",
    marketing: "vega20",
    gfx_target_version: 90006,
    wave_size: 64,
    simd_count: 240,
    simd_per_cu: 4,
    max_waves_per_simd: 10,
    lds_kib: 64,
    array_count: 4,
    simd_arrays_per_engine: 1,
    cu_per_simd_array: 16,
    max_slots_scratch_cu: 32,
    num_gws: 64,
    device_id: 0x66a1,
    pci_revision: 2,
    ip_blocks: &[],
    family: FAMILY_AI,
    external_rev: 0x28,
    sdma: [2, 0, 8],
    num_cp_queues: 24,
    max_engine_clk: 1725,
    fw_version: 472,
    reclaims_scratch: false,
    sdma_fw_version: 145,
    // Without SVM ranges, the debugger and its firmware: they are not modelled.
    capability: 0x0470_2280,
    debug_prop: 0,
    num_xcc: 1,
    vram: 34_342_961_152,
    mem_width: 4096,
    mem_clk: 1000,
    caches: &[
        Cache { level: 1, size_kib: 16, line: 64, kind: 9, shared_by: 1 },
        Cache { level: 1, size_kib: 32, line: 64, kind: 10, shared_by: 3 },
        Cache { level: 1, size_kib: 16, line: 64, kind: 9, shared_by: 3 },
        Cache { level: 2, size_kib: 8192, line: 64, kind: 9, shared_by: 0 },
    ],
    xnack_selectable: false,
    drops_float_atomics: false,
};
