//! Scalar instructions against an independent statement of what they do, bit by bit or in wider integers.

mod common;

use amdgpu_isa::{Flow, Operand, gens};
use common::{Memory, NoIo, Random, group, wave};

/// What an instruction is expected to do, given sources, old destination and condition code.
struct Case {
    d: u64,
    scc: bool,
}

fn sext16(x: u32) -> i64 {
    i64::from(x as u16 as i16)
}

fn bits_of(x: u64, n: usize) -> Vec<bool> {
    (0..n).map(|k| x >> k & 1 == 1).collect()
}

fn from_bits(bits: &[bool]) -> u64 {
    bits.iter().enumerate().fold(0, |x, (k, b)| x | u64::from(*b) << k)
}

fn s32(x: u64) -> i128 {
    i128::from(x as u32 as i32)
}

fn u32_(x: u64) -> i128 {
    i128::from(x as u32)
}

/// The expected result of `name` with sources `a` and `b`, old destination `d`, `imm` and `scc`; `None` for what is
/// tested elsewhere.
fn expected(name: &str, a: u64, b: u64, d: u64, imm: u32, scc: bool) -> Option<Case> {
    let signed_overflow = |x: i128| x != i128::from(x as i32);
    let logic = |x: u64, wide: bool| {
        let x = if wide { x } else { x & 0xffff_ffff };
        Some(Case { d: x, scc: x != 0 })
    };
    let keep = |x: u64| Some(Case { d: x, scc });
    let test = |x: bool| Some(Case { d, scc: x });
    let wide = name.ends_with("64");
    let width = if wide { 64 } else { 32 };
    let all = if wide { !0 } else { 0xffff_ffff };
    let shift = b as u32 & (width - 1);
    let (fa, fw) = (b as u32 & (width - 1), (b as u32 >> 16 & 127) as usize);
    let field = |signed: bool| {
        let sign = a >> (width - 1) & 1 == 1;
        let source = bits_of(a, width as usize);
        // Bits above the top repeat the sign of a signed source.
        let mut out: Vec<bool> = (0..fw.min(width as usize))
            .map(|k| *source.get(k + fa as usize).unwrap_or(&(signed && sign)))
            .collect();
        let top = signed && *out.last().unwrap_or(&false);
        out.resize(width as usize, top);
        logic(from_bits(&out), wide)
    };
    let count = |x: usize| Some(Case { d: x as u64, scc: x != 0 });
    let position = |p: Option<usize>| keep(p.map_or(0xffff_ffff, |p| p as u64));
    let source = bits_of(a, if name.contains("64") { 64 } else { 32 });
    let carry = i128::from(scc);
    Some(match name {
        "s_add_u32" | "s_addc_u32" => {
            let sum = u32_(a) + u32_(b) + if name == "s_addc_u32" { carry } else { 0 };
            Case { d: sum as u64 & 0xffff_ffff, scc: sum > 0xffff_ffff }
        }
        "s_sub_u32" | "s_subb_u32" => {
            let x = u32_(a) - u32_(b) - if name == "s_subb_u32" { carry } else { 0 };
            Case { d: x as u64 & 0xffff_ffff, scc: x < 0 }
        }
        "s_add_i32" => Case { d: (s32(a) + s32(b)) as u32 as u64, scc: signed_overflow(s32(a) + s32(b)) },
        "s_sub_i32" => Case { d: (s32(a) - s32(b)) as u32 as u64, scc: signed_overflow(s32(a) - s32(b)) },
        "s_addk_i32" => {
            let x = s32(d) + i128::from(sext16(imm));
            Case { d: x as u32 as u64, scc: signed_overflow(x) }
        }
        "s_mulk_i32" => return keep((s32(d) * i128::from(sext16(imm))) as u32 as u64),
        "s_movk_i32" => return keep(sext16(imm) as u32 as u64),
        "s_cmovk_i32" => return keep(if scc { sext16(imm) as u32 as u64 } else { d }),
        "s_min_i32" => Case { d: s32(a).min(s32(b)) as u32 as u64, scc: s32(a) < s32(b) },
        "s_max_i32" => Case { d: s32(a).max(s32(b)) as u32 as u64, scc: s32(a) >= s32(b) },
        "s_min_u32" => Case { d: u32_(a).min(u32_(b)) as u64, scc: u32_(a) < u32_(b) },
        "s_max_u32" => Case { d: u32_(a).max(u32_(b)) as u64, scc: u32_(a) >= u32_(b) },
        "s_cselect_b32" | "s_cselect_b64" => return keep(if scc { a } else { b }),
        "s_mov_b32" | "s_mov_b64" => return keep(a),
        "s_cmov_b32" | "s_cmov_b64" => return keep(if scc { a } else { d }),
        "s_and_b32" | "s_and_b64" => return logic(a & b, wide),
        "s_or_b32" | "s_or_b64" => return logic(a | b, wide),
        "s_xor_b32" | "s_xor_b64" => return logic(a ^ b, wide),
        "s_andn2_b32" | "s_andn2_b64" => return logic(a & (all - b), wide),
        "s_orn2_b32" | "s_orn2_b64" => return logic(a | (all - b), wide),
        "s_nand_b32" | "s_nand_b64" => return logic(all - (a & b), wide),
        "s_nor_b32" | "s_nor_b64" => return logic(all - (a | b), wide),
        "s_xnor_b32" | "s_xnor_b64" => return logic(all - (a ^ b), wide),
        "s_not_b32" | "s_not_b64" => return logic(all - a, wide),
        "s_lshl_b32" | "s_lshl_b64" => return logic((u128::from(a) << shift) as u64, wide),
        "s_lshr_b32" | "s_lshr_b64" => return logic(a >> shift, wide),
        "s_ashr_i32" => return logic((s32(a) >> shift) as u64, false),
        "s_ashr_i64" => return logic((i128::from(a as i64) >> shift) as u64, true),
        "s_bfm_b32" | "s_bfm_b64" => {
            let ones = (1u128 << (a as u32 & (width - 1))) - 1;
            return keep((ones << shift) as u64 & all);
        }
        "s_mul_i32" => return keep((s32(a) * s32(b)) as u32 as u64),
        "s_mul_hi_u32" => return keep(((u32_(a) * u32_(b)) >> 32) as u32 as u64),
        "s_mul_hi_i32" => return keep(((s32(a) * s32(b)) >> 32) as u32 as u64),
        "s_bfe_u32" | "s_bfe_u64" => return field(false),
        "s_bfe_i32" | "s_bfe_i64" => return field(true),
        "s_absdiff_i32" => {
            // The difference wraps before its sign is looked at.
            let x = (s32(a) - s32(b)) as i32;
            return logic(u64::from(if x < 0 { 0u32.wrapping_sub(x as u32) } else { x as u32 }), false);
        }
        "s_lshl1_add_u32" | "s_lshl2_add_u32" | "s_lshl3_add_u32" | "s_lshl4_add_u32" => {
            let by = 1 << (name.as_bytes()[6] - b'0');
            let x = u32_(a) * by + u32_(b);
            Case { d: x as u32 as u64, scc: x > 0xffff_ffff }
        }
        "s_pack_ll_b32_b16" => return keep(a % 65536 + b % 65536 * 65536),
        "s_pack_lh_b32_b16" => return keep(a % 65536 + b / 65536 * 65536),
        "s_pack_hh_b32_b16" => return keep(a / 65536 + b / 65536 * 65536),
        "s_wqm_b32" | "s_wqm_b64" => {
            let out: Vec<bool> =
                (0..source.len()).map(|k| source[k / 4 * 4..][..4].contains(&true)).collect();
            return logic(from_bits(&out), wide);
        }
        "s_quadmask_b32" | "s_quadmask_b64" => {
            let out: Vec<bool> = source.chunks(4).map(|quad| quad.contains(&true)).collect();
            return logic(from_bits(&out), wide);
        }
        "s_brev_b32" | "s_brev_b64" => return keep(from_bits(&source.into_iter().rev().collect::<Vec<_>>())),
        "s_bcnt0_i32_b32" | "s_bcnt0_i32_b64" => return count(source.iter().filter(|b| !**b).count()),
        "s_bcnt1_i32_b32" | "s_bcnt1_i32_b64" => return count(source.iter().filter(|b| **b).count()),
        "s_ff0_i32_b32" | "s_ff0_i32_b64" => return position(source.iter().position(|b| !b)),
        "s_ff1_i32_b32" | "s_ff1_i32_b64" => return position(source.iter().position(|b| *b)),
        "s_flbit_i32_b32" | "s_flbit_i32_b64" => return position(source.iter().rev().position(|b| *b)),
        "s_flbit_i32" | "s_flbit_i32_i64" => {
            let sign = source[source.len() - 1];
            return position(source.iter().rev().position(|b| *b != sign));
        }
        "s_sext_i32_i8" => return keep(a as u8 as i8 as i32 as u32 as u64),
        "s_sext_i32_i16" => return keep(a as u16 as i16 as i32 as u32 as u64),
        "s_abs_i32" => return logic(s32(a).unsigned_abs() as u64, false),
        "s_bitset0_b32" | "s_bitset1_b32" | "s_bitset0_b64" | "s_bitset1_b64" => {
            let mut bits = bits_of(d, width as usize);
            bits[a as usize % width as usize] = name.contains("set1");
            return keep(from_bits(&bits));
        }
        "s_bitreplicate_b64_b32" => {
            let source = bits_of(a, 32);
            return keep(from_bits(&(0..64).map(|k| source[k / 2]).collect::<Vec<_>>()));
        }
        "s_bitcmp0_b32" | "s_bitcmp0_b64" => return test(!source[b as usize % width as usize]),
        "s_bitcmp1_b32" | "s_bitcmp1_b64" => return test(source[b as usize % width as usize]),
        "s_cmp_eq_u64" => return test(a == b),
        "s_cmp_lg_u64" => return test(a != b),
        _ => {
            let k = name.starts_with("s_cmpk_");
            let relation = name.strip_prefix("s_cmpk_").or(name.strip_prefix("s_cmp_"))?;
            let (x, y) = match (relation.ends_with("i32"), k) {
                (true, false) => (s32(a), s32(b)),
                (true, true) => (s32(d), i128::from(sext16(imm))),
                (false, false) => (u32_(a), u32_(b)),
                (false, true) => (u32_(d), i128::from(imm)),
            };
            return test(match &relation[..2] {
                "eq" => x == y,
                "lg" => x != y,
                "gt" => x > y,
                "ge" => x >= y,
                "lt" => x < y,
                _ => x <= y,
            });
        }
    })
}

#[test]
fn results_and_condition_codes() {
    let memory = Memory::new();
    let mut random = Random(0x5eed_1001);
    let generation = &gens::gfx9::GFX90A;
    let t = generation.tables;
    // Words with s8 (s[8:9]) as destination, s2 (s[2:3]) and s4 (s[4:5]) as sources.
    let mut code = Vec::new();
    code.extend(t.sop2.rows().map(|(n, _)| 0x8000_0000 | n << 23 | 8 << 16 | 4 << 8 | 2));
    code.extend(t.sop1.rows().map(|(n, _)| 0xbe80_0000 | n << 8 | 8 << 16 | 2));
    code.extend(t.sopc.rows().map(|(n, _)| 0xbf00_0000 | n << 16 | 4 << 8 | 2));
    code.extend(t.sopk.rows().filter(|(n, _)| *n < 16).map(|(n, _)| 0xb000_0000 | n << 23 | 8 << 16));
    let mut seen = 0;
    for word in code {
        for round in 0..300 {
            let imm = if word >> 28 == 0xb && word >> 23 < 0x17d { random.odd_word() & 0xffff } else { 0 };
            let inst = (generation.decode)(generation, [word | imm, 0]).expect("has a row");
            let mut w = wave(generation);
            for s in &mut w.s[..16] {
                *s = random.odd_word();
            }
            w.scc = random.below(2) == 1;
            // Each source and the destination as wide as the instruction has them.
            let at = |w: &amdgpu_isa::Wave, o: Operand, dwords: usize| {
                if dwords == 2 { w.pair(o) } else { u64::from(w.s[o.scalar()]) }
            };
            let dwords = |k: usize| inst.op.src.get(k).map_or(1, |ty| ty.dwords());
            let (a, b) = (at(&w, Operand(2), dwords(0)), at(&w, Operand(4), dwords(1)));
            let d = at(&w, Operand(8), inst.op.dst.dwords().max(1));
            let Some(case) = expected(inst.op.name, a, b, d, imm, w.scc) else { break };
            seen += usize::from(round == 0);
            let before = w.s;
            let flow = (inst.general)(&mut w, &mut group(&memory, 0), &inst);
            assert_eq!(flow, Flow::Next);
            let n = inst.op.dst.dwords();
            let context = format!("{} a={a:#x} b={b:#x} d={d:#x} imm={imm:#x}", inst.op.name);
            if n > 0 {
                assert_eq!(at(&w, Operand(8), n), case.d, "{context}");
            }
            assert_eq!(w.scc, case.scc, "{context}");
            for k in (0..256).filter(|k| !(8..8 + n).contains(k)) {
                assert_eq!(w.s[k], before[k], "{context} changes register {k}");
            }
        }
    }
    assert!(seen >= 117, "only {seen} instructions met");
}

fn run_one(words: [u32; 2], prepare: impl FnOnce(&mut amdgpu_isa::Wave)) -> amdgpu_isa::Wave {
    let generation = &gens::gfx9::GFX90A;
    let memory = Memory::new();
    let mut w = wave(generation);
    prepare(&mut w);
    let inst = (generation.decode)(generation, words).expect("decodes");
    (inst.general)(&mut w, &mut group(&memory, 0), &inst);
    w
}

#[test]
fn exec_masks_are_saved_and_changed() {
    let mut random = Random(0x5eed_1002);
    let sop1 = gens::gfx9::GFX90A.tables.sop1.rows();
    for (n, op) in sop1.filter(|(_, op)| op.name.contains("exec_")) {
        for _ in 0..100 {
            let (exec, a) = (random.next() & random.next(), random.next() & random.next());
            let w = run_one([0xbe80_0000 | n << 8 | 8 << 16 | 2, 0], |w| {
                w.set_exec(exec);
                w.set_pair(Operand(2), a);
            });
            let inverse = |name: &str| op.name.contains(name);
            let first = if inverse("n1_") { !a } else { a };
            let second = if inverse("n2_") { !exec } else { exec };
            let base = op.name.trim_start_matches("s_");
            let mut new = match base {
                _ if base.starts_with("and") || base.starts_with("nand") => first & second,
                _ if base.starts_with("xor") || base.starts_with("xnor") => first ^ second,
                _ => first | second,
            };
            if base.starts_with("nand") || base.starts_with("nor") || base.starts_with("xnor") {
                new = !new;
            }
            assert_eq!(w.exec(), new, "{}", op.name);
            assert_eq!(w.pair(Operand(8)), if inverse("wrexec") { new } else { exec }, "{}", op.name);
            assert_eq!(w.scc, new != 0, "{}", op.name);
        }
    }
}

#[test]
fn literals_of_pairs_are_extended() {
    // s_mov_b64 s[8:9], 0x80000001: bits, so zero above. s_ashr_i64 s[8:9], 0x80000001, 0: signed.
    let w = run_one([0xbe88_01ff, 0x8000_0001], |_| {});
    assert_eq!(w.pair(Operand(8)), 0x8000_0001);
    let w = run_one([0x9088_80ff, 0x8000_0001], |_| {});
    assert_eq!(w.pair(Operand(8)), 0xffff_ffff_8000_0001);
    // s_mov_b64 s[8:9], -1 and 1.0.
    assert_eq!(run_one([0xbe88_01c1, 0], |_| {}).pair(Operand(8)), !0);
    assert_eq!(run_one([0xbe88_01f2, 0], |_| {}).pair(Operand(8)), 1f64.to_bits());
}

#[test]
fn registers_move_by_m0() {
    let prepare = |w: &mut amdgpu_isa::Wave| {
        w.s[124] = 3;
        w.s[5] = 55;
        w.s[6] = 66;
        w.s[2] = 22;
    };
    assert_eq!(run_one([0xbe80_2a02 | 8 << 16, 0], prepare).s[8], 55);
    assert_eq!(run_one([0xbe80_2b02 | 8 << 16, 0], prepare).pair(Operand(8)), 66 << 32 | 55);
    assert_eq!(run_one([0xbe80_2c02 | 8 << 16, 0], prepare).s[11], 22);
    // Beyond the registers: nothing is read or written, nothing panics.
    let w = run_one([0xbe80_2c02 | 8 << 16, 0], |w| w.s[124] = !0);
    assert_eq!(w.s[7], 0);
}

#[test]
fn hardware_registers() {
    let hwreg = |id: u32, offset: u32, size: u32| id | offset << 6 | (size - 1) << 11;
    let getreg = |simm: u32, prepare: fn(&mut amdgpu_isa::Wave)| {
        run_one([0xb880_0000 | 8 << 16 | simm, 0], prepare).s[8]
    };
    assert_eq!(getreg(hwreg(1, 0, 32), |w| w.mode.0 = 0xabc0), 0xabc0);
    assert_eq!(getreg(hwreg(1, 4, 8), |w| w.mode.0 = 0xabc0), 0xbc);
    assert_eq!(getreg(hwreg(15, 0, 32), |_| {}), 1 << 16 | 2);
    assert_eq!(getreg(hwreg(4, 0, 32), |_| {}), 0x1004);
    let w = run_one([0xb900_0000 | 8 << 16 | hwreg(1, 4, 4), 0], |w| {
        w.mode.0 = 0x3f0;
        w.s[8] = 0xf5;
    });
    assert_eq!(w.mode.0, 0x350);
    let w = run_one([0xba00_0000 | hwreg(1, 0, 4), 0x9], |w| w.mode.0 = 0x3f0);
    assert_eq!(w.mode.0, 0x3f9);
}

#[test]
fn clocks() {
    use amdgpu_isa::Io;
    assert_eq!(run_one([0xc094_0200, 0], |_| {}).pair(Operand(8)), NoIo.real_time());
    assert_eq!(run_one([0xc090_0200, 0], |_| {}).pair(Operand(8)), NoIo.clock());
}
