//! Every matrix instruction of every generation against a product made here, element by element, from the register
//! layouts as AMD's matrix instruction calculator states them: exact on integers, within a bound on random numbers.
//! Broadcasts (`cbsz`, `abid`), lane patterns and signs (`blgp`), accumulation registers, constants and overlapping
//! operands included.

#![allow(clippy::needless_range_loop, reason = "a lane has its number in several registers at once")]

mod common;
mod matrix;

use std::collections::BTreeSet;

use amdgpu_isa::gens::{ALL, gfx9};
use amdgpu_isa::ops::matrix::kernel;
use amdgpu_isa::{Gen, Inst, Op, TrapKind, Wave};
use common::vector::copy;
use common::{Random, runs_fast_bodies};
use matrix::{Case, Elem, Spec, mfma_words, reference, run};

fn matrix_ops(generation: &'static Gen) -> Vec<(u32, &'static Op)> {
    generation.tables.vop3p.rows().filter(|(_, op)| op.traits.matrix).collect()
}

fn decode(generation: &'static Gen, words: [u32; 2]) -> Inst {
    (generation.decode)(generation, words).unwrap_or_else(|e| panic!("{}: {e}", generation.name))
}

/// What `D` holds against what it should: equal, or within `bound` of the magnitudes that went into it.
fn check(case: &Case, w: &Wave, bound: f64) {
    for (n, want) in reference(case).into_iter().enumerate() {
        let got = case.sum(w, n);
        let off = (got - want.value).abs();
        assert!(
            off <= bound * want.magnitude,
            "{} {}: element {n} is {got}, not {} (words {:08x} {:08x})",
            case.generation.name,
            case.spec.name,
            want.value,
            case.inst.words[0],
            case.inst.words[1],
        );
    }
}

#[test]
fn integers_are_exact() {
    let mut r = Random(0x4d41_5452);
    let mut tested = BTreeSet::new();
    for &generation in ALL {
        for (number, op) in matrix_ops(generation) {
            let spec = Spec::parse(op.name);
            for formats in spec.formats() {
                for _ in 0..2 {
                    let words = mfma_words((number, op), &formats, 0, false);
                    let case = Case::new(generation, &spec, formats, decode(generation, words), &mut r, true);
                    let w = run(&case);
                    check(&case, &w, 0.0);
                    tested.insert((generation.name, op.name, formats));
                }
            }
        }
    }
    println!("{} instructions and formats", tested.len());
    assert!(tested.len() > 200, "{}", tested.len());
}

#[test]
fn random_numbers_stay_within_bound() {
    let mut r = Random(0x5241_4e44);
    for &generation in ALL {
        for (number, op) in matrix_ops(generation) {
            let spec = Spec::parse(op.name);
            for formats in spec.formats() {
                let words = mfma_words((number, op), &formats, 0, false);
                let case = Case::new(generation, &spec, formats, decode(generation, words), &mut r, false);
                let w = run(&case);
                // A rounding a product, relative to the magnitudes.
                let unit = if spec.a == Elem::F64 { 1.2e-16 } else { 6.0e-8 };
                check(&case, &w, unit * (spec.k as f64 + 2.0));
            }
        }
    }
}

#[test]
fn vector_code_is_the_portable_code() {
    if !runs_fast_bodies() {
        return;
    }
    let mut r = Random(0x706f_7274);
    for &generation in ALL {
        for (number, op) in matrix_ops(generation) {
            let spec = Spec::parse(op.name);
            for formats in spec.formats() {
                let words = mfma_words((number, op), &formats, 0, false);
                for round in 0..3 {
                    let mut case =
                        Case::new(generation, &spec, formats, decode(generation, words), &mut r, false);
                    if round == 2 {
                        // Any bits at all: NaN, infinities, denormals.
                        case.wave.v.iter_mut().flat_map(|row| &mut row.0).for_each(|x| *x = r.value());
                    }
                    let (a, mut b) = (run(&case), copy(&case.wave));
                    let _ = kernel::run_portable(&mut b, &case.inst, &spec.shape(generation));
                    for n in 0..512 {
                        assert_eq!(a.v[n].0, b.v[n].0, "{} {} row {n}", generation.name, op.name);
                    }
                }
            }
        }
    }
}

#[test]
fn broadcasts_and_patterns() {
    let mut r = Random(0x6362_737a);
    let mut met = 0;
    for &generation in ALL {
        for (number, op) in matrix_ops(generation) {
            let spec = Spec::parse(op.name);
            let formats = spec.formats()[0];
            for modifiers in spec.modifiers(generation) {
                let words = mfma_words((number, op), &formats, modifiers, false);
                let case = Case::new(generation, &spec, formats, decode(generation, words), &mut r, true);
                check(&case, &run(&case), 0.0);
                met += 1;
            }
        }
    }
    assert!(met > 300, "{met}");
}

/// What an instruction does not define is refused by name.
#[test]
fn unknown_modifiers_are_refused() {
    let mut r = Random(1);
    for (generation, name, modifiers) in [
        (&gfx9::GFX90A, "v_mfma_f32_32x32x8f16", 1),
        (&gfx9::GFX90A, "v_mfma_f32_16x16x4f16", 3),
        (&gfx9::GFX90A, "v_mfma_f64_16x16x4f64", 1 << 7),
        (&gfx9::GFX940, "v_mfma_f32_16x16x32_fp8_fp8", 1 << 7),
        (&gfx9::GFX940, "v_smfmac_f32_16x16x64_fp8_fp8", 2 << 3),
        (&gfx9::GFX950, "v_mfma_f32_16x16x128_f8f6f4", 5),
    ] {
        let (number, op) = matrix_ops(generation).into_iter().find(|(_, op)| op.name == name).unwrap();
        let spec = Spec::parse(op.name);
        let formats = spec.formats()[0];
        let words = mfma_words((number, op), &formats, modifiers, false);
        let case = Case::new(generation, &spec, formats, decode(generation, words), &mut r, true);
        let w = run(&case);
        let trap = w.trap.unwrap_or_else(|| panic!("{name}: no trap"));
        assert!(
            matches!(&trap.kind, TrapKind::NotImplemented { mnemonic, .. } if mnemonic.starts_with(name))
        );
    }
}

/// Sums in accumulation registers, factors in either file, `C` a constant, `C` and `D` and factors that overlap.
#[test]
fn operands_anywhere() {
    let mut r = Random(0x6f76_6572);
    for &generation in ALL {
        for (number, op) in matrix_ops(generation) {
            let spec = Spec::parse(op.name);
            let formats = spec.formats()[0];
            let unified = generation.has_unified_registers;
            for (a, b, c, d, acc) in [
                (0, 32, 64, 64, 0),
                // Factors inside the sums.
                (64, 66, 64, 64, 0),
                // C and D overlap, either way round.
                (0, 32, 68, 64, 0),
                (0, 32, 64, 68, 0),
                // D over the factors.
                (2, 8, 64, 0, 0),
                // Accumulation registers.
                (0, 32, 64, 64, 4),
                (0, 32, 64, 64, 7),
                (0, 32, 64, 128, 5),
            ] {
                if spec.sparse && c != d {
                    continue;
                }
                let [w, x] = mfma_words((number, op), &formats, 0, acc & 4 != 0);
                let c = if spec.sparse { 255 } else { c };
                let x = x & !0x07ff_ffff | (256 + a) | (256 + b) << 9 | (256 + c) << 18 | (acc & 3) << 27;
                let words = [w & !0xff | d, x];
                let case = Case::new(generation, &spec, formats, decode(generation, words), &mut r, true);
                assert_eq!(case.inst.dst.0 >= 512, acc & 4 != 0 || !unified, "{}", op.name);
                let apart = case.apart();
                let (here, there) = (run(&case), run(&apart));
                for r in 0..op.dst.dwords() as u16 {
                    let (x, y) = (case.inst.dst.plus(r).row(), apart.inst.dst.plus(r).row());
                    assert_eq!(here.v[x].0, there.v[y].0, "{} {} register {r}", generation.name, op.name);
                }
            }
            if !spec.sparse {
                // -4 and 2, or -1.0 and 2.0.
                for constant in if spec.is_integer() { [196, 130] } else { [243, 244] } {
                    let [w, x] = mfma_words((number, op), &formats, 0, false);
                    let words = [w, x & !(0x1ff << 18) | constant << 18];
                    let case = Case::new(generation, &spec, formats, decode(generation, words), &mut r, true);
                    check(&case, &run(&case), 0.0);
                }
            }
        }
    }
}

/// Lanes that are switched off take part.
#[test]
fn exec_does_not_count() {
    let mut r = Random(7);
    let generation = &gfx9::GFX90A;
    for (number, op) in matrix_ops(generation) {
        let spec = Spec::parse(op.name);
        let formats = spec.formats()[0];
        let words = mfma_words((number, op), &formats, 0, false);
        let mut case = Case::new(generation, &spec, formats, decode(generation, words), &mut r, true);
        case.wave.set_exec(0x5);
        check(&case, &run(&case), 0.0);
    }
}

/// CDNA2 takes denormal 16-bit factors for zero, the others do not; see docs/isa/errata.md.
#[test]
fn denormal_factors() {
    for (generation, name, want) in [
        (&gfx9::GFX908, "v_mfma_f32_32x32x8f16", 8.0 * 2f32.powi(-20)),
        (&gfx9::GFX90A, "v_mfma_f32_32x32x8f16", 0.0),
        (&gfx9::GFX940, "v_mfma_f32_32x32x8_f16", 8.0 * 2f32.powi(-20)),
    ] {
        let (number, op) = matrix_ops(generation).into_iter().find(|(_, op)| op.name == name).unwrap();
        let spec = Spec::parse(op.name);
        let formats = spec.formats()[0];
        let inst = decode(generation, mfma_words((number, op), &formats, 0, false));
        let mut case = Case::new(generation, &spec, formats, inst, &mut Random(3), true);
        // 2^-20 is a denormal half.
        case.fill(0, 0x0010_0010);
        case.fill(1, 0x3c00_3c00);
        case.fill(2, 0);
        let w = run(&case);
        assert_eq!(case.sum(&w, 0) as f32, want, "{}", generation.name);
    }
}

/// A scaled product: blocks of 32 elements of either factor count by a power of two of their own.
#[test]
fn scales() {
    let mut r = Random(0x7363_616c);
    let generation = &gfx9::GFX950;
    let (load, _) = (generation.tables.vop3p.rows())
        .find(|(_, op)| op.name == "v_mfma_ld_scale_b32")
        .expect("v_mfma_ld_scale_b32");
    for (number, op) in matrix_ops(generation).into_iter().filter(|(_, op)| op.name.ends_with("f8f6f4")) {
        let spec = Spec::parse(op.name);
        for formats in spec.formats() {
            for sel in 0..16u32 {
                // abid:1 asks for the scales.
                let words = mfma_words((number, op), &formats, 1 << 3, false);
                let mut case = Case::new(generation, &spec, formats, decode(generation, words), &mut r, true);
                let bytes = [sel & 1 | sel >> 1 & 2, sel >> 1 & 1 | sel >> 2 & 2];
                let scales: Vec<Vec<u8>> =
                    (0..2).map(|_| (0..64).map(|_| 124 + r.below(7) as u8).collect()).collect();
                for (k, row) in [200, 201].into_iter().enumerate() {
                    for l in 0..64 {
                        let others = r.word() & !(0xff << (8 * bytes[k]));
                        case.wave.v[row].0[l] = others | u32::from(scales[k][l]) << (8 * bytes[k]);
                    }
                }
                let op_sel = (sel & 3) << 11;
                let op_sel_hi = (sel >> 2) << 27;
                let words = [0xd380_0000 | load << 16 | op_sel, (256 + 200) | (256 + 201) << 9 | op_sel_hi];
                case.before = Some(decode(generation, words));
                case.scales = Some(scales.try_into().unwrap());
                check(&case, &run(&case), 0.0);
            }
        }
    }
}

/// Each chip has the matrix instructions that LLVM knows of it, under the same numbers and names, and no others.
#[test]
fn rows_are_those_of_llvm() {
    for (generation, processor) in
        [(&gfx9::GFX908, "gfx908"), (&gfx9::GFX90A, "gfx90a"), (&gfx9::GFX940, "gfx942")]
    {
        // Aligned registers that no size runs out of; for products with many factors a lane, and for sparse ones.
        let code: Vec<[u32; 2]> = (0x2c..0x80)
            .flat_map(|n| {
                [64 + 256, 16 + 256].map(|c| [0xd380_0000 | n << 16 | 64, 256 | (256 + 32) << 9 | c << 18])
            })
            .collect();
        let known = common::disassemble(processor, &code);
        for (n, known) in code.iter().zip(known) {
            let number = n[0] >> 16 & 0x7f;
            let ours = generation.tables.vop3p.get(number).filter(|op| op.traits.matrix).map(|op| op.name);
            let theirs =
                known.map(|(name, _)| name).filter(|name| name.contains("mfma") || name.contains("smfmac"));
            assert_eq!(ours, theirs.as_deref(), "{processor} {number:#x}");
        }
    }
}
