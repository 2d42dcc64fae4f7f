//! Memory instructions: the fast bodies against the general ones, and both against what they ought to do.

mod common;

use amdgpu_isa::{Access, Flow, Gen, Inst, MemView, Op, Operand, Row, Trap, TrapKind, Wave, gens};
use common::{Memory, PRIVATE_HI, Random, SHARED_HI, call, group, memory_formats, runs_fast_bodies, wave};

const BASE: u64 = 0x7f00_0000_0000;
const LEN: usize = 0x1_0000;
/// A second area that follows at once: one access may not span two mappings in one step, but lanes may lie in both.
const NEXT: u64 = BASE + LEN as u64;
const SCRATCH: u64 = 0x7e00_0000_0000;
const LANE_BYTES: u32 = 256;
const LDS: usize = 0x2000;

fn memory() -> Memory {
    let mut m = Memory::new();
    m.add(BASE, LEN, true).add(NEXT, 0x1000, true).add(SCRATCH, 64 * LANE_BYTES as usize, true);
    m
}

/// Encodes a memory instruction: address v4 (v[4:5]), data v8 and up, second data v12, destination v16 and up.
fn encode(format: &str, number: u32, generation: &Gen, random: &mut Random) -> [u32; 2] {
    let glc = random.below(2) << 16;
    match format {
        "ds" => [0xd800_0000 | number << 17 | (random.below(4) * 0x0104), 0x100c_0804],
        "flat" => [0xdc00_0000 | number << 18 | glc | (random.below(3) * 8), 0x1000_0804],
        "global" => {
            let saddr = if random.below(2) == 0 { 0x7f } else { 20 };
            [0xdc00_8000 | number << 18 | glc | (random.below(3) * 4), 0x1000_0804 | saddr << 16]
        }
        "scratch" => {
            let sve = generation.has_architected_flat_scratch;
            let (saddr, bit13) = match random.below(4) {
                0 if sve => (0x7f, 0),
                1 => (22, 0),
                2 if sve => (22, 1 << 13),
                _ => (0x7f, u32::from(sve) << 13),
            };
            [0xdc00_4000 | number << 18 | bit13 | (random.below(8) * 4), 0x1000_0804 | saddr << 16]
        }
        // Data and destination are one: v16. The descriptor is in s[24:27], the scalar offset in s23.
        _ => {
            let mode = random.below(4) << 12;
            [0xe000_0000 | number << 18 | mode | glc >> 2 | (random.below(8) * 4), 23 << 24 | 0x0006_1004]
        }
    }
}

/// Addresses of the lanes, below `len`: one for all, consecutive, strided, or wild; a few out of range if `wild_ends`.
fn offsets(random: &mut Random, width: u32, len: u32, wild_ends: bool) -> Row {
    let start = random.below(len / 2) / 4 * 4;
    let kind = random.below(6);
    let stride = [0, width, width, 4, 16, 0][kind as usize];
    Row(core::array::from_fn(|l| {
        let x = match kind {
            5 => random.below(len - 64),
            _ => start.wrapping_add(stride * l as u32) % (len - 64),
        };
        if wild_ends && random.below(200) == 0 {
            return [!0, len, 0x8000_0000, len - 1][random.below(4) as usize];
        }
        let align = if random.below(50) == 0 { 1 } else { width.min(4) };
        x / align * align
    }))
}

struct State {
    v: Vec<Row>,
    s: [u32; 256],
    memory: Vec<Vec<u64>>,
    lds: Vec<u8>,
}

/// Runs one body from a state; what it leaves.
fn run(
    state: &State,
    memory: &mut Memory,
    generation: &'static Gen,
    inst: &Inst,
    fast: bool,
) -> (Flow, Option<Box<Trap>>, State) {
    memory.restore(&state.memory);
    let mut w = wave(generation);
    for (to, from) in w.v.iter_mut().zip(&state.v) {
        to.0 = from.0;
    }
    w.s = state.s;
    w.flat_scratch = SCRATCH;
    w.scratch_lane_bytes = LANE_BYTES;
    let mut g = group(memory, 0);
    g.lds = state.lds.clone();
    let flow = if fast { call(inst, &mut w, &mut g) } else { (inst.general)(&mut w, &mut g, inst) };
    let lds = std::mem::take(&mut g.lds);
    let v = w.v.iter().take(32).cloned().collect();
    (flow, w.trap, State { v, s: w.s, memory: memory.contents(), lds })
}

fn width_of(op: &Op) -> u32 {
    let name = op.name;
    if name.contains("byte") || name.contains("b8") || name.contains("u8") || name.contains("i8") {
        1
    } else if name.contains("short") || name.contains("b16") || name.contains("16") {
        2
    } else if name.contains("x4") || name.contains("b128") {
        16
    } else if name.contains("x3") || name.contains("b96") {
        12
    } else if name.contains("x2") || name.contains("64") {
        8
    } else {
        4
    }
}

#[test]
fn fast_and_general_bodies_agree() {
    if !runs_fast_bodies() {
        return;
    }
    let mut random = Random(0x5eed_2001);
    let mut memory = memory();
    let (mut ops, mut runs, mut traps) = (0, 0, 0);
    for generation in gens::ALL.iter().copied() {
        for (format, rows) in memory_formats(generation) {
            for (number, op) in rows {
                ops += 1;
                for _ in 0..60 {
                    let words = encode(format, number, generation, &mut random);
                    let inst = (generation.decode)(generation, words).expect("has a row");
                    let width = width_of(op);
                    memory.fill(&mut random);
                    let mut v: Vec<Row> =
                        (0..32).map(|_| Row(core::array::from_fn(|_| random.word()))).collect();
                    let mut s = wave(generation).s;
                    s[124] = random.below(256) * 4;
                    s[20] = (BASE + 0x100) as u32;
                    s[21] = (BASE >> 32) as u32;
                    s[22] = random.below(64) * 4;
                    s[23] = random.below(32) * 256;
                    s[102] = SCRATCH as u32;
                    s[103] = (SCRATCH >> 32) as u32;
                    let wild = random.below(4) == 0;
                    let hi = (BASE >> 32) as u32;
                    // Where the addresses point.
                    match (format, random.below(3)) {
                        ("ds", _) => v[4] = offsets(&mut random, width, LDS as u32, wild),
                        ("scratch", _) => v[4] = offsets(&mut random, width, LANE_BYTES - 64, wild),
                        ("flat", 0) => {
                            v[4] = offsets(&mut random, width, LANE_BYTES - 64, wild);
                            v[5] = Row([PRIVATE_HI; 64]);
                        }
                        ("flat", 1) => {
                            v[4] = offsets(&mut random, width, LDS as u32, wild);
                            v[5] = Row(core::array::from_fn(|l| match (wild, l % 3) {
                                (true, 0) => PRIVATE_HI,
                                (true, 1) => hi,
                                _ => SHARED_HI,
                            }));
                        }
                        ("buffer", swizzled) => {
                            v[4] = offsets(&mut random, width, LANE_BYTES, wild);
                            // The index, or the offset if both are there, is small.
                            v[5] = offsets(&mut random, width, LANE_BYTES, false);
                            let base = if swizzled == 0 { SCRATCH } else { BASE };
                            s[24] = base as u32;
                            s[25] = (base >> 32) as u32 & 0xffff;
                            s[27] = 0x0002_4fac;
                            match swizzled {
                                0 => {
                                    s[23] = random.below(2) * 256;
                                    s[25] |= 0x8000_0000;
                                    s[26] = 64 * LANE_BYTES;
                                    s[27] = 0x00ea_4fac;
                                }
                                1 => s[26] = 0x2100,
                                _ => {
                                    s[25] |= 16 << 16;
                                    s[26] = 128;
                                }
                            }
                        }
                        _ => {
                            v[4] = offsets(&mut random, width, LEN as u32, wild);
                            v[5] = Row([hi; 64]);
                            if wild {
                                // Some lanes in the second area.
                                v[4].0
                                    .iter_mut()
                                    .skip(40)
                                    .for_each(|x| *x = LEN as u32 - 64 + *x % 256 / 4 * 4);
                            }
                        }
                    }
                    let exec = match random.below(6) {
                        0 => random.next(),
                        1 => 1 << random.below(64),
                        2 => !0 >> random.below(64),
                        3 => !0 << random.below(64) & !0 >> random.below(8),
                        _ => !0,
                    };
                    s[126] = exec as u32;
                    s[127] = (exec >> 32) as u32;
                    let mut lds = vec![0u8; LDS];
                    lds.iter_mut().for_each(|b| *b = random.next() as u8);
                    let state = State { v, s, memory: memory.contents(), lds };
                    let (flow, trap, after) = run(&state, &mut memory, generation, &inst, true);
                    let (flow2, trap2, after2) = run(&state, &mut memory, generation, &inst, false);
                    let context = format!("{} {} {words:08x?} exec={exec:#x}", generation.name, op.name);
                    runs += 1;
                    assert_eq!(flow, flow2, "{context}");
                    assert_eq!(trap, trap2, "{context}");
                    if trap.is_some() {
                        traps += 1;
                        continue;
                    }
                    for (n, (a, b)) in after.v.iter().zip(&after2.v).enumerate() {
                        assert_eq!(a.0, b.0, "{context} v{n}");
                    }
                    assert_eq!(after.s, after2.s, "{context}");
                    assert!(after.memory == after2.memory, "{context}: memory differs");
                    assert!(after.lds == after2.lds, "{context}: LDS differs");
                }
            }
        }
    }
    eprintln!("{ops} rows, {runs} runs, {traps} stopped the wave");
    assert!(ops > 500 && traps < runs / 3);
}

/// A wave with v[4:5] the addresses `at(lane)`, run through one instruction by both bodies.
fn access(
    words: [u32; 2],
    memory: &Memory,
    at: impl Fn(u64) -> u64,
    prepare: impl Fn(&mut Wave),
) -> [(Flow, Wave, Vec<u8>); 2] {
    [true, false].map(|fast| {
        let generation = &gens::gfx9::GFX90A;
        let mut w = wave(generation);
        for l in 0..64 {
            w.v[4].0[l] = at(l as u64) as u32;
            w.v[5].0[l] = (at(l as u64) >> 32) as u32;
        }
        w.s[102] = SCRATCH as u32;
        w.s[103] = (SCRATCH >> 32) as u32;
        w.scratch_lane_bytes = LANE_BYTES;
        prepare(&mut w);
        let inst = (generation.decode)(generation, words).expect("decodes");
        let mut g = group(memory, 256);
        let flow = if fast && runs_fast_bodies() {
            call(&inst, &mut w, &mut g)
        } else {
            (inst.general)(&mut w, &mut g, &inst)
        };
        (flow, w, g.lds)
    })
}

const GLOBAL_LOAD_DWORD: [u32; 2] = [0xdc50_8000, 0x107f_0004];
const GLOBAL_STORE_DWORD: [u32; 2] = [0xdc70_8000, 0x007f_0804];
const GLOBAL_ATOMIC_ADD_RTN: [u32; 2] = [0xdd09_8000, 0x107f_0804];
const GLOBAL_ATOMIC_ADD: [u32; 2] = [0xdd08_8000, 0x007f_0804];

#[test]
fn faults_name_address_and_lane() {
    let mut m = Memory::new();
    m.add(BASE, 0x1000, true).add(BASE + 0x2000, 0x1000, false);
    let fault = |words, at: &dyn Fn(u64) -> u64, exec: u64| {
        access(words, &m, at, |w| w.set_exec(exec)).map(|(flow, w, _)| {
            assert_eq!(flow, Flow::Trap);
            let trap = w.trap.expect("says why");
            (trap.kind, trap.lane)
        })
    };
    // Consecutive: lane 4 is the first behind the end.
    let at = |l: u64| BASE + 0xff0 + 4 * l;
    for (kind, lane) in fault(GLOBAL_LOAD_DWORD, &at, !0) {
        assert_eq!(kind, TrapKind::MemoryFault { va: BASE + 0x1000, access: Access::Read });
        assert_eq!(lane, Some(4));
    }
    // Lanes that are not active do not fault; lane 9 is the first active one there.
    for (kind, lane) in fault(GLOBAL_STORE_DWORD, &at, 0xfe01) {
        assert_eq!(kind, TrapKind::MemoryFault { va: BASE + 0x1014, access: Access::Write });
        assert_eq!(lane, Some(9));
    }
    // Not writable.
    for (kind, lane) in fault(GLOBAL_STORE_DWORD, &|_| BASE + 0x2010, !0) {
        assert_eq!(kind, TrapKind::MemoryFault { va: BASE + 0x2010, access: Access::Write });
        assert_eq!(lane, Some(0));
    }
    for (kind, _) in fault(GLOBAL_ATOMIC_ADD, &|_| BASE + 0x2010, !0) {
        assert_eq!(kind, TrapKind::MemoryFault { va: BASE + 0x2010, access: Access::Atomic });
    }
    // A null pointer, scattered.
    for (kind, lane) in fault(GLOBAL_LOAD_DWORD, &|l| if l == 17 { 0 } else { BASE + l * 12 }, !0) {
        assert_eq!(kind, TrapKind::MemoryFault { va: 0, access: Access::Read });
        assert_eq!(lane, Some(17));
    }
    // An access that starts inside and ends outside names the first byte outside.
    for (kind, _) in fault(GLOBAL_LOAD_DWORD, &|_| BASE + 0xffe, 1) {
        assert_eq!(kind, TrapKind::MemoryFault { va: BASE + 0x1000, access: Access::Read });
    }
    // Addresses at the end of the address space do not wrap into anything.
    for (kind, _) in fault(GLOBAL_LOAD_DWORD, &|_| !1, !0) {
        assert!(matches!(kind, TrapKind::MemoryFault { va: 0xffff_ffff_ffff_fffe, .. }), "{kind:?}");
    }
}

#[test]
fn lds_and_scratch_end_somewhere() {
    let m = memory();
    // ds_read_b32 v16, v4 at 256 bytes of LDS.
    for (flow, w, _) in access([0xd86c_0000, 0x1000_0004], &m, |l| 4 * l + 8, |_| {}) {
        assert_eq!(flow, Flow::Trap);
        let trap = w.trap.expect("says why");
        assert_eq!(trap.kind, TrapKind::OutOfAperture { segment: "LDS", offset: 256, size: 256 });
        assert_eq!(trap.lane, Some(62));
    }
    // flat_load_dword v16, v[4:5] in scratch.
    let beyond = |l: u64| u64::from(PRIVATE_HI) << 32 | if l == 3 { 254 } else { 0 };
    for (flow, w, _) in access([0xdc50_0000, 0x1000_0004], &m, beyond, |_| {}) {
        assert_eq!(flow, Flow::Trap);
        let trap = w.trap.expect("says why");
        assert_eq!(trap.kind, TrapKind::OutOfAperture { segment: "scratch", offset: 254, size: 256 });
        assert_eq!(trap.lane, Some(3));
    }
}

#[test]
fn scratch_is_swizzled() {
    let mut m = memory();
    let words: Vec<u32> = (0..64 * LANE_BYTES / 4).collect();
    m.put_words(SCRATCH, &words);
    // flat_load_dwordx2 v[16:17] at private offset 8: dwords 2 and 3 of each lane.
    let at = |_| u64::from(PRIVATE_HI) << 32 | 8;
    for (flow, w, _) in access([0xdc54_0000, 0x1000_0004], &m, at, |_| {}) {
        assert_eq!(flow, Flow::Next);
        for l in 0..64u32 {
            assert_eq!(w.v[16].0[l as usize], 2 * 64 + l);
            assert_eq!(w.v[17].0[l as usize], 3 * 64 + l);
        }
    }
    // flat_load_dword at offset 6, across dwords 1 and 2.
    let at = |_| u64::from(PRIVATE_HI) << 32 | 6;
    for (_, w, _) in access([0xdc50_0000, 0x1000_0004], &m, at, |_| {}) {
        for l in 0..64u32 {
            assert_eq!(w.v[16].0[l as usize], (64 + l) >> 16 | (128 + l) << 16);
        }
    }
    // buffer_load_dword v16, off, s[24:27], s23 offset:4 through the launch state's descriptor sees the same memory.
    let descriptor = |w: &mut Wave| {
        w.s[24] = SCRATCH as u32;
        w.s[25] = (SCRATCH >> 32) as u32 | 0x8000_0000;
        w.s[26] = 64 * LANE_BYTES;
        w.s[27] = 0x00ea_4fac;
        w.s[23] = 256;
    };
    for (flow, w, _) in access([0xe050_0004, 23 << 24 | 0x0006_1000], &m, |_| 0, descriptor) {
        assert_eq!(flow, Flow::Next);
        for l in 0..64u32 {
            assert_eq!(w.v[16].0[l as usize], 2 * 64 + l);
        }
    }
    // Beyond the descriptor's size: zero.
    for (flow, w, _) in access([0xe050_0100, 23 << 24 | 0x0006_1000], &m, |_| 0, descriptor) {
        assert_eq!((flow, w.v[16].0[5]), (Flow::Next, 0));
    }
}

#[test]
fn buffers_are_range_checked() {
    let mut m = memory();
    m.put_words(BASE, &(1..=256).collect::<Vec<u32>>());
    let raw = |w: &mut Wave| {
        w.s[24] = BASE as u32;
        w.s[25] = (BASE >> 32) as u32;
        w.s[26] = 64;
        w.s[27] = 0x0002_4fac;
        w.v[16] = Row([7; 64]);
        w.v[17] = Row([7; 64]);
    };
    // buffer_load_dwordx2 v[16:17], v4, s[24:27], 0 offen: 64 bytes; a half access is half zero.
    for (_, w, _) in access([0xe054_1000, 0x8006_1004], &m, |l| 4 * l, raw) {
        let got: Vec<_> = (13..18).map(|l| (w.v[16].0[l], w.v[17].0[l])).collect();
        assert_eq!(got, [(14, 15), (15, 16), (16, 0), (0, 0), (0, 0)]);
    }
    // Structured: idxen, stride 8, 4 records.
    let structured = |w: &mut Wave| {
        raw(w);
        w.s[25] |= 8 << 16;
        w.s[26] = 4;
    };
    for (_, w, _) in access([0xe050_2004, 0x8006_1004], &m, |l| l, structured) {
        assert_eq!(w.v[16].0[..6], [2, 4, 6, 8, 0, 0]);
    }
    // Stores beyond are dropped: buffer_store_dword v16, v4, s[24:27], 0 offen.
    for (flow, _, _) in access([0xe070_1000, 0x8006_1004], &m, |l| 4 * l + 32, raw) {
        assert_eq!(flow, Flow::Next);
    }
    assert_eq!(m.words(BASE, 24)[7..18], [8, 7, 7, 7, 7, 7, 7, 7, 7, 17, 18]);
}

#[test]
fn additions_to_one_address_are_combined() {
    for exec in [!0u64, 0xf0f0, 1] {
        for words in [GLOBAL_ATOMIC_ADD_RTN, GLOBAL_ATOMIC_ADD] {
            let mut m = memory();
            m.put_words(BASE, &[1000]);
            let [(_, fast, _), _] = access(
                words,
                &m,
                |_| BASE,
                |w| {
                    w.set_exec(exec);
                    w.v[8] = Row(core::array::from_fn(|l| l as u32));
                },
            );
            // Both bodies have run on the same memory.
            let sum: u32 = (0..64).filter(|l| exec >> l & 1 != 0).sum();
            assert_eq!(m.words(BASE, 1), [1000 + 2 * sum]);
            if words == GLOBAL_ATOMIC_ADD_RTN {
                let mut before = 1000;
                for l in (0..64).filter(|l| exec >> l & 1 != 0) {
                    assert_eq!(fast.v[16].0[l], before);
                    before += l as u32;
                }
            }
        }
    }
}

#[test]
fn atomics_of_two_threads_are_not_lost() {
    let mut m = Memory::new();
    m.add(BASE, 0x1000, true);
    let generation = &gens::gfx9::GFX90A;
    // global_atomic_add, _inc, _add_x2, _add_f64 in turn, scattered over 8 addresses.
    let ops = [0xdd08_8000u32, 0xdd2c_8000, 0xdd88_8000, 0xdd3c_8000];
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for round in 0..500 {
                    for (n, op) in ops.into_iter().enumerate() {
                        let mut w = wave(generation);
                        for l in 0..64 {
                            let at = BASE + 0x100 * n as u64 + (l as u64 % 8) * 8;
                            (w.v[4].0[l], w.v[5].0[l]) = (at as u32, (at >> 32) as u32);
                            w.v[8].0[l] = [1, !0, 1, 0][n];
                            w.v[9].0[l] = [0, 0, 0, 0x3ff0_0000][n];
                        }
                        let inst = (generation.decode)(generation, [op, 0x007f_0804]).expect("decodes");
                        let mut g = group(&m, 0);
                        let flow = if round % 2 == 0 && runs_fast_bodies() {
                            call(&inst, &mut w, &mut g)
                        } else {
                            (inst.general)(&mut w, &mut g, &inst)
                        };
                        assert_eq!(flow, Flow::Next);
                    }
                }
            });
        }
    });
    for k in 0..8 {
        let at = |n: u64| BASE + 0x100 * n + 8 * k;
        assert_eq!(m.words(at(0), 1), [8000]);
        assert_eq!(m.words(at(1), 1), [8000]);
        assert_eq!(m.words(at(2), 2), [8000, 0]);
        let sum = m.words(at(3), 2);
        assert_eq!(f64::from_bits(u64::from(sum[0]) | u64::from(sum[1]) << 32), 8000.0);
    }
}

#[test]
fn lanes_exchange_through_lds_hardware() {
    let m = memory();
    let values = |w: &mut Wave| {
        w.v[8] = Row(core::array::from_fn(|l| 100 + l as u32));
        w.v[4] = Row(core::array::from_fn(|l| 100 + l as u32));
    };
    // ds_bpermute_b32 v16, v4, v8: lane l asks for lane 100 + l over 4; lane 1's data are not to be had.
    for (_, w, _) in access(
        [0xd87e_0000, 0x1000_0804],
        &m,
        |_| 0,
        |w| {
            values(w);
            w.v[4] = Row(core::array::from_fn(|l| (4 * (l as u32 ^ 1)) + 256));
            w.set_exec(!2);
        },
    ) {
        assert_eq!(w.v[16].0[..4], [0, 0, 103, 102]);
    }
    // ds_permute_b32: all lanes send to lane 5; the last wins.
    for (_, w, _) in access(
        [0xd87c_0000, 0x1000_0804],
        &m,
        |_| 0,
        |w| {
            values(w);
            w.v[4] = Row([20; 64]);
        },
    ) {
        assert_eq!(w.v[16].0[4..7], [0, 163, 0]);
    }
    // ds_swizzle_b32: lanes in reverse inside 32 (xor 31), then a quad permutation 3 2 1 0.
    for (_, w, _) in access([0xd87a_7c1f, 0x1000_0004], &m, |_| 0, values) {
        assert_eq!((w.v[16].0[0], w.v[16].0[33]), (131, 162));
    }
    for (_, w, _) in access([0xd87a_801b, 0x1000_0004], &m, |_| 0, values) {
        assert_eq!(w.v[16].0[4..8], [107, 106, 105, 104]);
    }
}

#[test]
fn halves_and_packed_sums() {
    let mut m = memory();
    // global_atomic_pk_add_f16: (1.0, 2.0) + (0.5, -2.0); 65504 + 16 rounds to infinity; the smallest ones add up.
    m.put_words(BASE, &[0x4000_3c00, 0x0001_7bff]);
    let word = |l: u64| BASE + 4 * l;
    access([0xdd38_8000, 0x007f_0804], &m, word, |w| {
        w.set_exec(3);
        w.v[8].0[0] = 0xc000_3800;
        w.v[8].0[1] = 0x0001_4c00;
    });
    // Both bodies ran: twice.
    assert_eq!(m.words(BASE, 2), [0xc000_4000, 0x0003_7c00]);
    // global_load_short_d16_hi v16 keeps the low half; global_load_sbyte extends.
    m.put_words(BASE, &[0x8081_8283]);
    for (_, w, _) in access([0xdc94_8000, 0x107f_0004], &m, |_| BASE, |w| w.v[16] = Row([0x1234_5678; 64])) {
        assert_eq!(w.v[16].0[9], 0x8283_5678);
    }
    for (_, w, _) in access([0xdc44_8000, 0x107f_0004], &m, |_| BASE, |_| {}) {
        assert_eq!(w.v[16].0[9], 0xffff_ff83);
    }
}

#[test]
fn scalar_memory() {
    let mut m = memory();
    m.put_words(BASE, &(0..64).collect::<Vec<u32>>());
    let run = |words: [u32; 2], prepare: &dyn Fn(&mut Wave)| {
        let generation = &gens::gfx9::GFX90A;
        let mut w = wave(generation);
        w.set_pair(Operand(4), BASE);
        prepare(&mut w);
        let inst = (generation.decode)(generation, words).expect("decodes");
        let flow = (inst.general)(&mut w, &mut group(&m, 0), &inst);
        (flow, w)
    };
    // s_load_dwordx16 s[16:31], s[4:5], 0x12: the low bits are dropped.
    let (_, w) = run([0xc012_0402, 0x12], &|_| {});
    assert_eq!(w.s[16..32], (4..20).collect::<Vec<u32>>());
    // s_load_dword s16, s[4:5], s6 and with an offset beside.
    let (_, w) = run([0xc000_0402, 6], &|w| w.s[6] = 8);
    assert_eq!(w.s[16], 2);
    let (_, w) = run([0xc002_4402, 6 << 25 | 0x1f_fffc], &|w| w.s[6] = 8);
    assert_eq!(w.s[16], 1);
    // s_buffer_load_dwordx4 with 8 bytes left: zero beyond.
    let (_, w) = run([0xc02a_0402, 8], &|w| w.s[6] = 16);
    assert_eq!(w.s[16..20], [2, 3, 0, 0]);
    // s_atomic_add s16, s[4:5], 0 glc on the first dword.
    let (_, w) = run([0xc20b_0402, 0], &|w| w.s[16] = 5);
    assert_eq!(w.s[16], 0);
    let (flow, w) = run([0xc002_0402, 0], &|w| w.set_pair(Operand(4), 8));
    assert_eq!(flow, Flow::Trap);
    let trap = w.trap.expect("says why");
    assert_eq!((trap.kind, trap.lane), (TrapKind::MemoryFault { va: 8, access: Access::Read }, None));
    assert_eq!(m.words(BASE, 1), [5]);
    MemView::fence();
}

/// Runs a DS instruction, by number, with all fields of [`access`]'s registers, over LDS of the dwords 0, 1, 2 …
fn ds(number: u32, offsets: u32, at: impl Fn(u64) -> u64, prepare: impl Fn(&mut Wave)) -> (Wave, Vec<u32>) {
    ds_words([0xd800_0000 | number << 17 | offsets, 0x100c_0804], at, prepare)
}

fn ds_words(words: [u32; 2], at: impl Fn(u64) -> u64, prepare: impl Fn(&mut Wave)) -> (Wave, Vec<u32>) {
    let generation = &gens::gfx9::GFX90A;
    let m = memory();
    let mut w = wave(generation);
    w.v[4] = Row(core::array::from_fn(|l| at(l as u64) as u32));
    prepare(&mut w);
    let inst = (generation.decode)(generation, words).expect("decodes");
    let mut g = group(&m, 0x8000);
    g.lds.chunks_exact_mut(4).zip(0u32..).for_each(|(b, n)| b.copy_from_slice(&n.to_le_bytes()));
    assert_eq!((inst.general)(&mut w, &mut g, &inst), Flow::Next, "{}", inst.op.name);
    (w, g.lds.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().expect("4"))).collect())
}

#[test]
fn lds_reads_and_writes() {
    let row = |w: &Wave, n: usize| w.v[n].0[3];
    // Lane l at dword 2 * l; what lane 3 gets.
    let at = |l: u64| 8 * l;
    let read = |number, offsets| {
        let (w, _) = ds(number, offsets, at, |_| {});
        [16, 17, 18, 19].map(|n| row(&w, n))
    };
    assert_eq!(read(54, 12), [9, 0, 0, 0]); // ds_read_b32
    assert_eq!(read(118, 4), [7, 8, 0, 0]); // ds_read_b64
    assert_eq!(read(254, 4), [7, 8, 9, 0]); // ds_read_b96
    assert_eq!(read(255, 4), [7, 8, 9, 10]); // ds_read_b128
    assert_eq!(read(55, 0x0502), [8, 11, 0, 0]); // ds_read2_b32 offset0:2 offset1:5
    assert_eq!(read(56, 0x0201), [70, 134, 0, 0]); // ds_read2st64_b32 offset0:1 offset1:2
    assert_eq!(read(119, 0x0501), [8, 9, 16, 17]); // ds_read2_b64 offset0:1 offset1:5
    assert_eq!(read(120, 0x0200), [6, 7, 262, 263]); // ds_read2st64_b64 offset1:2
    let data = |w: &mut Wave| {
        for (n, row) in w.v.iter_mut().enumerate().take(16).skip(8) {
            *row = Row([0x8000_0000 + n as u32; 64]);
        }
        w.set_exec(8);
    };
    let (a, b, c, d) = (0x8000_0008, 0x8000_0009, 0x8000_000c, 0x8000_000d);
    let written = |number, offsets| {
        let (_, lds) = ds(number, offsets, at, data);
        let changed: Vec<_> =
            lds.iter().zip(0u32..).filter(|(x, n)| **x != *n).map(|(x, n)| (n, *x)).collect();
        changed
    };
    assert_eq!(written(13, 4), [(7, a)]); // ds_write_b32
    assert_eq!(written(77, 4), [(7, a), (8, b)]); // ds_write_b64
    assert_eq!(written(223, 0), [(6, a), (7, b), (8, a + 2), (9, a + 3)]); // ds_write_b128
    assert_eq!(written(14, 0x0501), [(7, a), (11, c)]); // ds_write2_b32 offset0:1 offset1:5
    assert_eq!(written(15, 0x0201), [(70, a), (134, c)]); // ds_write2st64_b32
    assert_eq!(written(78, 0x0501), [(8, a), (9, b), (16, c), (17, d)]); // ds_write2_b64
    assert_eq!(written(79, 0x0100), [(6, a), (7, b), (134, c), (135, d)]); // ds_write2st64_b64
    assert_eq!(written(30, 1), [(6, 0x0806)]); // ds_write_b8
    assert_eq!(written(85, 2), [(6, 0x8000_0006)]); // ds_write_b16_d16_hi
}

#[test]
fn lds_atomics() {
    // Lane 3 alone at dword 6, data in v8 and v12; old value, new value.
    let update = |number, data: u32, second: u32| {
        let (w, lds) = ds(
            number,
            0,
            |_| 24,
            |w| {
                w.v[8].0[3] = data;
                w.v[12].0[3] = second;
                w.set_exec(8);
            },
        );
        (w.v[16].0[3], lds[6])
    };
    assert_eq!(update(0, 5, 0), (0, 11)); // ds_add_u32
    assert_eq!(update(32, 5, 0), (6, 11)); // ds_add_rtn_u32
    assert_eq!(update(33, 7, 0), (6, !0)); // ds_sub_rtn_u32
    assert_eq!(update(34, 7, 0), (6, 1)); // ds_rsub_rtn_u32
    assert_eq!(update(35, 6, 0), (6, 0)); // ds_inc_rtn_u32
    assert_eq!(update(36, 5, 0), (6, 5)); // ds_dec_rtn_u32
    assert_eq!(update(37, !0, 0), (6, !0)); // ds_min_rtn_i32
    assert_eq!(update(39, !0, 0), (6, 6)); // ds_min_rtn_u32
    assert_eq!(update(44, 2, 9), (6, 13)); // ds_mskor_rtn_b32
    assert_eq!(update(45, 99, 0), (6, 99)); // ds_wrxchg_rtn_b32
    assert_eq!(update(48, 6, 99), (6, 99)); // ds_cmpst_rtn_b32: compare, then data
    assert_eq!(update(48, 7, 99), (6, 6));
    assert_eq!(update(52, 4, 9), (6, 2)); // ds_wrap_rtn_b32
    assert_eq!(update(52, 7, 9), (6, 15));
    // All lanes on one counter: each sees a value of its own.
    let (w, lds) = ds(32, 0, |_| 24, |w| w.v[8] = Row([1; 64]));
    assert_eq!(lds[6], 70);
    let mut seen = w.v[16].0;
    seen.sort_unstable();
    assert_eq!(seen.to_vec(), (6..70).collect::<Vec<u32>>());
    // ds_append, ds_consume: the number of active lanes at M0.
    let counted = |number| {
        let (w, lds) = ds(
            number,
            0,
            |_| 0,
            |w| {
                w.s[124] = 40;
                w.set_exec(0xff);
            },
        );
        (w.v[16].0[7], w.v[16].0[8], lds[10])
    };
    assert_eq!(counted(190), (10, 0, 18));
    assert_eq!(counted(189), (10, 0, 2));
    // ds_add_f64 and ds_min_rtn_f64 at dwords 6 and 7.
    let (_, lds) = ds(
        92,
        0,
        |_| 24,
        |w| {
            w.v[9].0[0] = 0x4000_0000;
            w.set_exec(1);
        },
    );
    assert_eq!(lds[7], 0x4000_0000);
    // ds_wrxchg2_rtn_b32 offset0:1 offset1:2.
    let (w, lds) = ds(
        46,
        0x0201,
        |_| 24,
        |w| {
            (w.v[8].0[0], w.v[12].0[0]) = (70, 80);
            w.set_exec(1);
        },
    );
    assert_eq!((w.v[16].0[0], w.v[17].0[0], lds[7], lds[8]), (7, 8, 70, 80));
}

#[test]
fn a_conditional_exchange_into_its_own_data() {
    // ds_condxchg32_rtn_b64 v[8:9], v4, v[8:9]: one half is replaced, and both halves come back.
    let prepare = |w: &mut Wave| {
        (w.v[8], w.v[9]) = (Row([0x8000_0046; 64]), Row([0x50; 64]));
        w.set_exec(0b11);
    };
    let (w, lds) = ds_words([0xd8fc_0000, 0x0800_0804], |l| 24 + 8 * l, prepare);
    for l in 0..2 {
        assert_eq!([8, 9].map(|n| w.v[n].0[l]), [6, 7].map(|n| n + 2 * l as u32));
    }
    assert_eq!(lds[6..10], [0x46, 7, 0x46, 9]);
    assert_eq!(w.v[8].0[2], 0x8000_0046, "a lane that is not active");
}

#[test]
fn sums_of_atomics_have_the_nan_of_the_machine() {
    // Infinity and its negative, one after the other: ds_add_f32 and ds_add_f64.
    let sum = |number, [infinity, negative]: [[u32; 2]; 2]| {
        let prepare = |w: &mut Wave| {
            for k in 0..2 {
                (w.v[8 + k].0[0], w.v[8 + k].0[1]) = (infinity[k], negative[k]);
            }
            w.set_exec(0b11);
        };
        let (_, lds) = ds(number, 0, |_| 24, prepare);
        [lds[6], lds[7]]
    };
    assert_eq!(sum(21, [[0x7f80_0000, 0], [0xff80_0000, 0]]), [0x7fc0_0000, 7]);
    assert_eq!(sum(92, [[0, 0x7ff0_0000], [0, 0xfff0_0000]]), [0, 0x7ff8_0000]);
}

#[test]
fn what_is_not_there_says_so() {
    let m = memory();
    for (words, text) in [
        ([0xd93b_0000, 4], "ds_gws_barrier: the queue has no global wave sync"),
        ([0xd801_0000, 0x0000_0804], "ds_add_u32: there is no global data share here"),
        ([0xd83b_0000, 0x0000_0800], "ds_write_addtid_b32: there is no global data share here"),
        ([0xd96d_0000, 0x1000_0000], "ds_read_addtid_b32: there is no global data share here"),
        ([0xe800_0000, 0x8006_1004], "tbuffer_load_format_x of data format 0"),
        ([0xe000_0000, 0x8006_1004], "buffer_load_format_x of data format 0"),
        ([0xd97f_0000, 0x1000_0004], "ds_ordered_count: there is no global data share here"),
    ] {
        for (flow, w, _) in access(words, &m, |_| 0, |_| {}) {
            assert_eq!(flow, Flow::Trap);
            let kind = w.trap.expect("says why").kind;
            assert!(
                matches!(&kind, TrapKind::NotImplemented { mnemonic, .. } if mnemonic.starts_with(text)),
                "{kind}, not {text}"
            );
        }
    }
}
