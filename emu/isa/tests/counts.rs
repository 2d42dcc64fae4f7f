//! Counts of programs whose numbers are worked out by hand, beside each line; and of any instruction: a class, and
//! bytes where memory is touched.

mod common;

use std::sync::Arc;

use amdgpu_isa::{
    Class, CodeCache, CodeView, Counts, Moves, Operand, Stop, Traffic, Wave, gens, run, run_counted,
};
use common::{Memory, PRIVATE_HI, SHARED_HI, assemble, group, wave};

const CODE: u64 = 0x7f00_0000_0000;
const DATA: u64 = 0x7f00_1000_0000;
const SCRATCH: u64 = 0x7f00_2000_0000;

/// Runs a program with `s[0:1]` at data and lane numbers in `v0`; the second wave runs it without counting.
fn counted(processor: &str, source: &str, prepare: impl Fn(&mut Wave)) -> Counts {
    let words = assemble(processor, source);
    let mut memory = Memory::new();
    memory.add(CODE, 0x4000, false).add(DATA, 0x1_0000, true).add(SCRATCH, 0x1_0000, true);
    memory.put_words(CODE, &words);
    let generation = gens::by_processor(processor).expect("a known processor");
    let start = || {
        let mut w = wave(generation);
        w.pc = CODE;
        w.set_pair(Operand(0), DATA);
        w.set_pair(Operand::FLAT_SCRATCH_LO, SCRATCH);
        w.scratch_lane_bytes = 64;
        for l in 0..64 {
            w.v[0].0[l] = l as u32;
        }
        prepare(&mut w);
        w
    };
    let view = || CodeView::new(Arc::new(CodeCache::new(generation)));
    let before = memory.contents();

    let (mut w, mut counts) = (start(), Counts::default());
    let stop = run_counted(&mut w, &mut group(&memory, 4096), &mut view(), 1_000_000, &mut counts);
    assert!(matches!(stop, Stop::End), "{stop:?}");
    let after = memory.contents();

    memory.restore(&before);
    let mut plain = start();
    let stop = run(&mut plain, &mut group(&memory, 4096), &mut view(), 1_000_000);
    assert!(matches!(stop, Stop::End), "{stop:?}");
    assert_eq!(memory.contents(), after, "counting changes nothing");
    assert_eq!((plain.instructions, plain.s), (w.instructions, w.s));
    assert_eq!(counts.total(), w.instructions, "every instruction has one class");
    counts
}

/// The counts by class, in the order of [`Class::ALL`].
fn expect(counts: &Counts, by_class: [u64; 10], lanes: u64) {
    for (class, expected) in Class::ALL.into_iter().zip(by_class) {
        assert_eq!(counts.of(class), expected, "{class:?}");
    }
    assert_eq!(counts.lanes, lanes, "active lanes");
}

const fn traffic(read: u64, written: u64) -> Traffic {
    Traffic { read, written }
}

#[test]
fn a_straight_line() {
    let counts = counted(
        "gfx90a",
        "s_load_dwordx4 s[4:7], s[0:1], 0x10        // 16 scalar bytes
         s_load_dword s8, s[0:1], 0x0               // 4
         s_waitcnt lgkmcnt(0)
         s_add_u32 s9, s8, s4
         v_lshlrev_b32_e32 v1, 2, v0                // 64 lanes from here on
         v_lshlrev_b32_e32 v9, 3, v0
         global_load_dword v2, v1, s[0:1]           // 64 * 4
         global_load_dwordx2 v[4:5], v1, s[0:1]     // 64 * 8
         global_load_ubyte v6, v1, s[0:1]           // 64 * 1
         global_load_short_d16 v6, v1, s[0:1]       // 64 * 2
         s_waitcnt vmcnt(0)
         v_fma_f32 v3, v2, v4, v5
         v_pk_fma_f32 v[4:5], v[2:3], v[4:5], v[2:3]
         v_mfma_f32_4x4x1f32 a[0:3], v2, v3, a[0:3]
         v_accvgpr_read_b32 v7, a0
         global_store_dwordx4 v1, v[2:5], s[0:1]    // 64 * 16
         global_store_byte v1, v2, s[0:1]           // 64 * 1
         global_atomic_add v1, v2, s[0:1]           // 64 * 4, both ways
         global_atomic_cmpswap_x2 v[10:11], v9, v[2:5], s[0:1] glc // 64 * 8, both ways
         buffer_wbl2
         s_sendmsg sendmsg(MSG_INTERRUPT)
         s_branch over
         s_nop 0
        over:
         s_endpgm",
        |_| {},
    );
    // SALU 1, SMEM 2, VALU: shifts, fma, pk_fma, accvgpr = 5, matrix 1, LDS 0, loads 4, stores 2, atomics 2, branch 1,
    // other: two waits, buffer_wbl2, message, end = 5. Vector: 5 + 1 + 4 + 2 + 2 = 14.
    expect(&counts, [1, 2, 5, 1, 0, 4, 2, 2, 1, 5], 14 * 64);
    assert_eq!((counts.vector(), counts.mean_lanes()), (14, Some(64.0)));
    assert_eq!(counts.scalar, traffic(20, 0));
    assert_eq!(counts.global, traffic(64 * (4 + 8 + 1 + 2 + 4 + 8), 64 * (16 + 1 + 4 + 8)));
    assert_eq!((counts.lds, counts.scratch), (traffic(0, 0), traffic(0, 0)));
}

#[test]
fn a_loop_with_lanes_switched_off() {
    let counts = counted(
        "gfx90a",
        "s_mov_b32 s4, 10
         v_lshlrev_b32_e32 v1, 2, v0                // 64 lanes
        again:                                      // ten times:
         global_load_dword v2, v1, s[0:1]           //   64
         s_waitcnt vmcnt(0)
         v_add_u32_e32 v2, s4, v2                   //   64
         s_sub_u32 s4, s4, 1
         s_cmp_lg_u32 s4, 0
         s_cbranch_scc1 again
         v_cmp_gt_u32_e32 vcc, 5, v0                // 64
         s_and_saveexec_b64 s[2:3], vcc
         s_cbranch_execz skip
         v_add_u32_e32 v2, 1, v2                    // 5
         v_cmpx_ne_u32_e32 2, v0                    // 5: counted with the lanes before it
         global_store_dword v1, v2, s[0:1]          // 4
        skip:
         s_or_b64 exec, exec, s[2:3]
         v_mov_b32_e32 v3, 0                        // 64
         s_mov_b64 exec, 0
         v_mov_b32_e32 v3, 1                        // 0
         global_store_dword v1, v2, s[0:1]          // 0
         s_endpgm",
        |_| {},
    );
    // SALU: mov, 10 * 2, saveexec, or, mov = 24. VALU: shift, 10 adds, cmp, add, cmpx, mov, mov = 16.
    expect(&counts, [24, 0, 16, 0, 0, 10, 2, 0, 11, 11], 64 + 10 * 128 + 64 + 5 + 5 + 4 + 64);
    assert_eq!(counts.global, traffic(10 * 64 * 4, 4 * 4));
    // 16 + 10 + 2 vector instructions.
    assert_eq!(counts.mean_lanes(), Some(1486.0 / 28.0));
}

#[test]
fn lds() {
    let counts = counted(
        "gfx90a",
        "s_mov_b64 exec, 7                          // three lanes
         v_lshlrev_b32_e32 v1, 3, v0
         ds_write_b32 v1, v0                        // 3 * 4 written
         ds_write2_b64 v1, v[0:1], v[0:1] offset1:8 // 3 * 16 written
         ds_write_b8 v1, v0                         // 3 * 1 written
         ds_read_b128 v[4:7], v1                    // 3 * 16 read
         ds_read2st64_b32 v[4:5], v1 offset1:1      // 3 * 8 read
         ds_read_i16 v4, v1                         // 3 * 2 read
         ds_add_u32 v1, v0                          // 3 * 4, both ways
         ds_cmpst_rtn_b64 v[4:5], v1, v[0:1], v[2:3] // 3 * 8, both ways
         ds_wrxchg2_rtn_b32 v[4:5], v1, v0, v0 offset1:1 // 3 * 8, both ways
         s_mov_b32 m0, 64
         ds_append v6                               // 4, both ways, for the wave
         ds_bpermute_b32 v6, v1, v0                 // no memory
         ds_swizzle_b32 v6, v0 offset:swizzle(SWAP,1) // no memory
         s_waitcnt lgkmcnt(0)
         s_endpgm",
        |_| {},
    );
    expect(&counts, [2, 0, 1, 0, 12, 0, 0, 0, 0, 2], 13 * 3);
    let both = 3 * (4 + 8 + 8) + 4;
    assert_eq!(counts.lds, traffic(3 * (16 + 8 + 2) + both, 3 * (4 + 16 + 1) + both));
    assert_eq!((counts.global, counts.scratch, counts.scalar), Default::default());
}

#[test]
fn flat_addresses_are_told_apart_lane_by_lane() {
    // 16 lanes each in LDS, scratch and global memory, 16 switched off.
    let prepare = |w: &mut Wave| {
        w.set_exec(0xffff_ffff_ffff);
        for l in 0..64 {
            (w.v[2].0[l], w.v[3].0[l]) = match l / 16 {
                0 => (4 * l as u32, SHARED_HI),
                1 => (4 * (l as u32 % 16), PRIVATE_HI),
                _ => ((DATA as u32) + 8 * l as u32, (DATA >> 32) as u32),
            };
        }
    };
    let source = "flat_load_dword v4, v[2:3]
        flat_atomic_add v[2:3], v0
        flat_store_short v[2:3], v0
        s_waitcnt vmcnt(0) lgkmcnt(0)
        s_endpgm";
    let counts = counted("gfx90a", source, prepare);
    expect(&counts, [0, 0, 0, 0, 0, 1, 1, 1, 0, 2], 3 * 48);
    let each = traffic(16 * (4 + 4), 16 * (4 + 2));
    assert_eq!((counts.global, counts.lds, counts.scratch), (each, each, each));
}

#[test]
fn scratch_by_its_own_instructions_and_by_a_buffer() {
    let counts = counted(
        "gfx90a",
        "v_mov_b32_e32 v1, 8
         scratch_store_dwordx2 v1, v[0:1], off      // 64 * 8 of scratch
         scratch_load_ushort v2, v1, off            // 64 * 2
         buffer_store_dword v0, off, s[4:7], 0      // 64 * 4
         buffer_load_dword v0, off, s[8:11], 0 offset:4 // 64 * 4 of global memory
         s_waitcnt vmcnt(0)
         s_endpgm",
        |w| {
            // Swizzled, lane added, index stride 64; then a plain one.
            for (at, words) in [
                (4, [SCRATCH as u32, (SCRATCH >> 32) as u32 | 1 << 31, 0x8000, 1 << 23 | 3 << 21]),
                (8, [DATA as u32, (DATA >> 32) as u32, 0x1000, 0]),
            ] {
                w.s[at..at + 4].copy_from_slice(&words);
            }
        },
    );
    expect(&counts, [0, 0, 1, 0, 0, 2, 2, 0, 0, 2], 5 * 64);
    assert_eq!((counts.scratch, counts.global), (traffic(64 * 2, 64 * 12), traffic(64 * 4, 0)));
}

#[test]
fn loads_into_lds_write_lds() {
    let counts = counted(
        "gfx942",
        "v_lshlrev_b32_e32 v1, 2, v0
         s_mov_b32 m0, 0
         global_load_lds_dword v1, s[0:1]
         s_waitcnt vmcnt(0)
         s_endpgm",
        |_| {},
    );
    expect(&counts, [1, 0, 1, 0, 0, 1, 0, 0, 0, 2], 2 * 64);
    assert_eq!((counts.global, counts.lds), (traffic(256, 0), traffic(0, 256)));
}

/// What the mnemonic of a memory instruction says against what its row says.
#[test]
fn moves_are_what_mnemonics_say() {
    let mut seen = 0;
    for generation in gens::ALL {
        let tables = generation.tables;
        let rows = [
            tables.ds.rows().collect::<Vec<_>>(),
            tables.flat.rows().collect(),
            tables.global.rows().collect(),
            tables.scratch.rows().collect(),
            tables.mubuf.rows().collect(),
            tables.smem.rows().collect(),
        ];
        for (_, op) in rows.into_iter().flatten().filter(|(_, op)| op.is_implemented()) {
            let moves = op.traits.moves;
            seen += 1;
            let name = op.name;
            assert!(moves.reads <= 64 && moves.writes <= 64, "{name}");
            if let Some(bytes) = bytes_of(name) {
                let expected = if name.contains("atomic") {
                    Moves { reads: bytes, writes: bytes, ..moves }
                } else if name.contains("store") || name.contains("write") {
                    Moves { reads: 0, writes: bytes, ..moves }
                } else {
                    Moves { reads: bytes, writes: 0, ..moves }
                };
                assert_eq!(moves, expected, "{name}");
            }
            assert_eq!(
                moves.once,
                name.starts_with("s_") || name.ends_with("append") || name.ends_with("consume"),
                "{name}"
            );
            assert_eq!(moves.to_lds, name.contains("load_lds"), "{name}");
        }
    }
    assert!(seen > 1500, "{seen} rows");
}

/// Bytes that a mnemonic names.
fn bytes_of(name: &str) -> Option<u8> {
    // Two places: the second one is read as well.
    if name.contains("src2") {
        return None;
    }
    // What comes behind says how it lies in registers.
    let name = name.split("_tr_").next()?.split("_d16").next()?;
    if name.contains("atomic") {
        return Some(if name.ends_with("_x2") || name.ends_with("f64") { 8 } else { 4 });
    }
    if !name.contains("load")
        && !name.contains("store")
        && !name.contains("ds_read")
        && !name.contains("ds_write")
    {
        return None;
    }
    let twice = if name.contains("read2") || name.contains("write2") { 2 } else { 1 };
    let width = name.rsplit('_').find_map(|part| {
        Some(match part {
            "ubyte" | "sbyte" | "byte" | "u8" | "i8" | "b8" => 1,
            "ushort" | "sshort" | "short" | "u16" | "i16" | "b16" => 2,
            "dword" | "b32" => 4,
            "dwordx2" | "b64" => 8,
            "dwordx3" | "b96" => 12,
            "dwordx4" | "b128" => 16,
            "dwordx8" => 32,
            "dwordx16" => 64,
            _ => return None,
        })
    });
    width.map(|width| width * twice)
}
