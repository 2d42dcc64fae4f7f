//! Instinct MI100 (CDNA1, "arcturus").

use super::{Cache, Chip, FAMILY_AI};

/// MI100.
pub static GFX908: Chip = Chip {
    name: "gfx908",
    marketing: "arcturus",
    gfx_target_version: 90008,
    wave_size: 64,
    simd_count: 480,
    simd_per_cu: 4,
    max_waves_per_simd: 10,
    lds_kib: 64,
    array_count: 8,
    simd_arrays_per_engine: 1,
    cu_per_simd_array: 16,
    max_slots_scratch_cu: 32,
    num_gws: 64,
    device_id: 0x738c,
    pci_revision: 1,
    ip_blocks: &[],
    family: FAMILY_AI,
    external_rev: 0x32,
    sdma: [2, 6, 8],
    num_cp_queues: 24,
    max_engine_clk: 1502,
    fw_version: 67,
    reclaims_scratch: false,
    sdma_fw_version: 18,
    // Without SVM ranges, the debugger and its firmware: they are not modelled.
    capability: 0x0470_2280,
    debug_prop: 0,
    num_xcc: 1,
    vram: 34_342_961_152,
    mem_width: 4096,
    mem_clk: 1200,
    caches: &[
        Cache { level: 1, size_kib: 16, line: 64, kind: 9, shared_by: 1 },
        Cache { level: 1, size_kib: 32, line: 64, kind: 10, shared_by: 3 },
        Cache { level: 1, size_kib: 16, line: 64, kind: 9, shared_by: 3 },
        Cache { level: 2, size_kib: 8192, line: 64, kind: 9, shared_by: 0 },
    ],
    xnack_selectable: false,
    drops_float_atomics: false,
};
