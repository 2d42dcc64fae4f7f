//! Every fast body does what its instruction's general body does, bit for bit, on random registers and lane masks; and
//! no vector instruction panics, whatever its words.

#![allow(unsafe_code, reason = "fast bodies are unsafe to call; `simd::available` says when it is allowed")]

mod common;

use std::collections::{BTreeMap, BTreeSet};

use amdgpu_isa::gens::ALL;
use amdgpu_isa::simd::Level;
use amdgpu_isa::{Wave, simd};
use common::vector::{Silent, Unmapped, copy, group, random_wave, vector_words};
use common::{Random, runs_fast_bodies};

/// What differs between two waves, if anything.
fn difference(a: &Wave, b: &Wave) -> Option<String> {
    for (n, (x, y)) in a.v.iter().zip(b.v.iter()).enumerate() {
        if let Some(l) = (0..64).find(|&l| x.0[l] != y.0[l]) {
            return Some(format!("row {n} lane {l}: fast {:#010x}, general {:#010x}", x.0[l], y.0[l]));
        }
    }
    let n = (0..256).find(|&n| a.s[n] != b.s[n])?;
    Some(format!("scalar {n}: fast {:#010x}, general {:#010x}", a.s[n], b.s[n]))
}

#[test]
fn fast_is_general() {
    if !runs_fast_bodies() {
        return;
    }
    let (space, io) = (Unmapped, Silent);
    let mut r = Random(0x5eed);
    let mut compared: BTreeMap<&str, u32> = BTreeMap::new();
    let mut failures: BTreeMap<&str, String> = BTreeMap::new();
    for &generation in ALL {
        let mut wave = random_wave(generation, &mut r);
        for round in 0..60_000 {
            if round % 500 == 0 {
                wave = random_wave(generation, &mut r);
            }
            let words = vector_words(&mut r);
            let Ok(inst) = (generation.decode)(generation, words) else { continue };
            let Some(bodies) = inst.fast() else { continue };
            let mut general = copy(&wave);
            let mut g = group(&space, &io);
            let wanted = (inst.general)(&mut general, &mut g, &inst);
            for level in [Level::Avx2, Level::Avx512].into_iter().filter(|level| *level <= simd::level()) {
                let body = bodies.body(level).expect("a body for vector code");
                let mut fast = copy(&wave);
                // SAFETY: this processor has what the body is compiled for.
                let flow = unsafe { body(&mut fast, &mut g, &inst) };
                assert_eq!(flow, wanted, "{} {level:?}", inst.op.name);
                if let Some(text) = difference(&fast, &general) {
                    failures.entry(inst.op.name).or_insert_with(|| {
                        let [first, second] = words;
                        format!("{level:?} {first:08x} {second:08x} {:?} {:?}: {text}", inst.src, inst.mods)
                    });
                }
            }
            *compared.entry(inst.op.name).or_default() += 1;
        }
    }
    assert!(failures.is_empty(), "{} ops differ:\n{failures:#?}", failures.len());
    // Every op with a fast body was met.
    let all = || {
        ALL.iter().flat_map(|g| {
            let t = g.tables;
            (t.vop1.rows())
                .chain(t.vop2.rows())
                .chain(t.vopc.rows())
                .chain(t.vop3.rows())
                .chain(t.vop3p.rows())
        })
    };
    let missed: BTreeSet<&str> = all()
        .filter(|(_, op)| op.fast.is_some() && !compared.contains_key(op.name))
        .map(|(_, op)| op.name)
        .collect();
    assert!(missed.is_empty(), "never compared: {missed:?}");
}

#[test]
fn no_panic_on_any_words() {
    let (space, io) = (Unmapped, Silent);
    let mut r = Random(0xbad);
    for &generation in ALL {
        let mut wave = random_wave(generation, &mut r);
        let mut g = group(&space, &io);
        for _ in 0..100_000 {
            let words = match r.below(3) {
                0 => [r.word(), r.word()],
                1 => [0xd000_0000 | r.word() & 0x03ff_ffff, r.word()],
                _ => vector_words(&mut r),
            };
            let Ok(inst) = (generation.decode)(generation, words) else { continue };
            if !inst.op.name.starts_with("v_") {
                continue;
            }
            // Half of them in a mode that flushes, rounds and clamps otherwise.
            wave.mode.0 = if r.below(2) == 0 { 0xf0 } else { r.word() & 0x0080_03ff };
            let _ = (inst.general)(&mut wave, &mut g, &inst);
        }
    }
}
