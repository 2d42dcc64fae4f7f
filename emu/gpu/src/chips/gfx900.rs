//! Radeon Instinct MI25 (Vega 10).

use super::{Cache, Chip, FAMILY_AI};

/// MI25.
pub static GFX900: Chip = Chip {
    name: "gfx900",
    marketing: "vega10",
    gfx_target_version: 90000,
    wave_size: 64,
    simd_count: 256,
    simd_per_cu: 4,
    max_waves_per_simd: 10,
    lds_kib: 64,
    array_count: 4,
    simd_arrays_per_engine: 1,
    cu_per_simd_array: 16,
    max_slots_scratch_cu: 32,
    num_gws: 64,
    device_id: 0x6860,
    pci_revision: 0,
    ip_blocks: &[],
    family: FAMILY_AI,
    external_rev: 0x01,
    sdma: [2, 0, 2],
    num_cp_queues: 24,
    max_engine_clk: 1500,
    fw_version: 469,
    reclaims_scratch: false,
    sdma_fw_version: 434,
    // Without SVM ranges, the debugger and its firmware: they are not modelled.
    capability: 0x2280,
    debug_prop: 0,
    num_xcc: 1,
    vram: 17_163_091_968,
    mem_width: 2048,
    mem_clk: 945,
    caches: &[
        Cache { level: 1, size_kib: 16, line: 64, kind: 9, shared_by: 1 },
        Cache { level: 1, size_kib: 32, line: 64, kind: 10, shared_by: 3 },
        Cache { level: 1, size_kib: 16, line: 64, kind: 9, shared_by: 3 },
        Cache { level: 2, size_kib: 4096, line: 64, kind: 9, shared_by: 0 },
    ],
    xnack_selectable: false,
    drops_float_atomics: false,
};
