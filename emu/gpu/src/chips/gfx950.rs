//! MI350X (CDNA4). Values of the topology: a capture of KFD's on the card.

use super::{Cache, Chip, FAMILY_AI, GC, NBIF, SDMA0};

/// MI350X in SPX mode: one device of eight accelerator complexes.
pub static GFX950: Chip = Chip {
    name: "gfx950",
    marketing: "ip discovery",
    gfx_target_version: 90500,
    wave_size: 64,
    simd_count: 1024,
    simd_per_cu: 4,
    max_waves_per_simd: 8,
    lds_kib: 160,
    array_count: 32,
    simd_arrays_per_engine: 1,
    cu_per_simd_array: 9,
    max_slots_scratch_cu: 32,
    num_gws: 64,
    device_id: 0x75a0,
    pci_revision: 0,
    ip_blocks: &[(GC, [9, 5, 0]), (SDMA0, [4, 4, 5]), (NBIF, [7, 9, 1])],
    family: FAMILY_AI,
    external_rev: 0x50,
    sdma: [2, 14, 8],
    num_cp_queues: 24,
    max_engine_clk: 2200,
    fw_version: 192,
    reclaims_scratch: true,
    sdma_fw_version: 25,
    // Without SVM ranges, the debugger and its firmware: they are not modelled.
    capability: 0x0430_2280,
    debug_prop: 0,
    num_xcc: 8,
    vram: 309_220_868_096,
    mem_width: 8192,
    mem_clk: 1900,
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
