//! MI300X (CDNA3).

use super::{Cache, Chip, FAMILY_AI, GC, NBIF, SDMA0};

/// MI300X in SPX mode: one device of eight accelerator complexes.
pub static GFX942: Chip = Chip {
    name: "gfx942",
    marketing: "ip discovery",
    gfx_target_version: 90402,
    wave_size: 64,
    simd_count: 1216,
    simd_per_cu: 4,
    max_waves_per_simd: 8,
    lds_kib: 64,
    array_count: 32,
    simd_arrays_per_engine: 1,
    cu_per_simd_array: 10,
    max_slots_scratch_cu: 32,
    num_gws: 64,
    device_id: 0x74a1,
    pci_revision: 0,
    ip_blocks: &[(GC, [9, 4, 3]), (SDMA0, [4, 4, 2]), (NBIF, [7, 9, 0])],
    family: FAMILY_AI,
    external_rev: 0x46,
    sdma: [2, 14, 8],
    num_cp_queues: 24,
    max_engine_clk: 2100,
    fw_version: 192,
    reclaims_scratch: true,
    sdma_fw_version: 25,
    // Without SVM ranges, the debugger and its firmware: they are not modelled.
    capability: 0x0470_2280,
    debug_prop: 0,
    num_xcc: 8,
    vram: 205_822_885_888,
    mem_width: 8192,
    mem_clk: 1300,
    caches: &[
        Cache { level: 1, size_kib: 32, line: 128, kind: 9, shared_by: 1 },
        Cache { level: 1, size_kib: 64, line: 128, kind: 10, shared_by: 2 },
        Cache { level: 1, size_kib: 16, line: 64, kind: 9, shared_by: 2 },
        Cache { level: 2, size_kib: 4096, line: 128, kind: 9, shared_by: 0 },
        Cache { level: 3, size_kib: 262_144, line: 64, kind: 9, shared_by: 0 },
    ],
    xnack_selectable: true,
    drops_float_atomics: false,
};
