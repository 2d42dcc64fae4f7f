//! Conversions of small floats against a search among all values of the format: every bit pattern read, edges and
//! random values rounded, to nearest and by random bits, with scales; packed forms of 32 values.

#![allow(clippy::needless_range_loop, reason = "a lane has its number in several registers at once")]

mod common;
mod matrix;

use amdgpu_isa::gens::gfx9::{GFX940, GFX950};
use amdgpu_isa::{Format, Gen, Inst, Operand, Wave};
use common::vector::{Silent, Unmapped, group};
use common::{EDGES, Random, op};
use matrix::Elem;

/// Runs `op` with sources from v0, v40 and v80 on, its result from v120 on; `set` fills a wave and the modifiers.
fn run(generation: &'static Gen, name: &str, set: impl FnOnce(&mut Wave, &mut Inst)) -> Wave {
    let mut i = Inst::new(op(generation, name), Format::Vop3, [0, 0], 8);
    for k in 0..i.op.src.len() {
        i.src[k] = Operand::vgpr(40 * k as u32);
    }
    i.dst = Operand::vgpr(120);
    let mut w = Wave::new(generation);
    w.set_exec(!0);
    set(&mut w, &mut i);
    let (space, io) = (Unmapped, Silent);
    let _ = (i.general)(&mut w, &mut group(&space, &io), &i);
    w
}

fn single(w: &Wave, row: usize, lane: usize) -> f32 {
    f32::from_bits(w.v[row].0[lane])
}

/// The same number, or both NaN.
fn same(a: f64, b: f64) -> bool {
    a.is_nan() && b.is_nan() || a == b && a.is_sign_negative() == b.is_sign_negative()
}

#[test]
fn every_byte_reads() {
    for (generation, ocp) in [(&GFX940, false), (&GFX950, true)] {
        for (name, elem) in [("v_cvt_f32_fp8", Elem::Fp8), ("v_cvt_f32_bf8", Elem::Bf8)] {
            for base in (0..256).step_by(64) {
                let w = run(generation, name, |w, _| w.v[0].0 = core::array::from_fn(|l| (base + l) as u32));
                for l in 0..64 {
                    let (got, want) = (single(&w, 120, l), elem.value((base + l) as u64, ocp));
                    assert!(
                        same(f64::from(got), want),
                        "{} {name} {:#x}: {got}, not {want}",
                        generation.name,
                        base + l
                    );
                }
            }
        }
    }
}

#[test]
fn packed_reads_take_a_word() {
    for op_sel in [0u8, 1] {
        let w = run(&GFX950, "v_cvt_scalef32_pk_f32_fp8", |w, i| {
            w.v[0].0 = [0x4c48_4438; 64];
            w.v[40].0 = [4f32.to_bits(); 64];
            i.mods.op_sel = op_sel;
        });
        let want = if op_sel == 0 { [4.0, 12.0] } else { [16.0, 24.0] };
        assert_eq!([single(&w, 120, 0), single(&w, 121, 63)], want);
    }
}

/// Magnitudes of a format's finite values with their bits, ascending.
fn values(elem: Elem, ocp: bool) -> Vec<(f64, u32)> {
    let count = 1u32 << (elem.bits() - 1);
    (0..count).map(|b| (elem.value(u64::from(b), ocp), b)).filter(|(x, _)| x.is_finite()).collect()
}

/// What `x` rounds to, by definition. `random`: 0 ≤ it < 1; it rounds away when what is cut off and it make up one.
fn rounded(elem: Elem, ocp: bool, x: f64, saturate: bool, random: Option<f64>) -> u32 {
    let all = values(elem, ocp);
    let sign = u32::from(x.is_sign_negative()) << (elem.bits() - 1);
    let has_nan = matches!(elem, Elem::Fp8 | Elem::Bf8);
    let nan = match elem {
        Elem::Fp8 | Elem::Bf8 if !ocp => 0x80,
        Elem::Fp8 => sign | 0x7f,
        Elem::Bf8 => sign | 0x7e,
        _ => sign | all[all.len() - 1].1,
    };
    let overflow = if elem == Elem::Bf8 && ocp { sign | 0x7c } else { nan };
    if x.is_nan() {
        return nan;
    }
    if x.is_infinite() {
        return overflow;
    }
    let a = x.abs();
    let n = all.iter().rposition(|(v, _)| *v <= a).unwrap();
    let (low, bits) = all[n];
    let step = if n + 1 < all.len() { all[n + 1].0 - low } else { low - all[n - 1].0 };
    let part = (a - low) / step;
    let up = match random {
        Some(random) => part + random >= 1.0,
        None => part > 0.5 || part == 0.5 && bits & 1 != 0,
    };
    if n + 1 == all.len() && (up || part >= 1.0) {
        return if saturate || !has_nan { sign | bits } else { overflow };
    }
    let bits = bits + u32::from(up);
    if bits == 0 && has_nan && !ocp { 0 } else { sign | bits }
}

fn inputs(r: &mut Random) -> Vec<f32> {
    let mut all: Vec<f32> = EDGES.iter().map(|&x| f32::from_bits(x)).collect();
    for e in -24..20 {
        for m in [1.0, 1.0625, 1.125, 1.1875, 1.25, 1.5, 1.75, 1.875, 1.9375, 1.96875, 1.9999999] {
            all.extend([m * 2f32.powi(e), -m * 2f32.powi(e)]);
        }
    }
    for _ in 0..4000 {
        all.push(f32::from_bits(r.word() & 0x807f_ffff | (95 + r.below(60)) << 23));
    }
    all
}

const OVFL: u32 = 1 << 23;

#[test]
fn rounds_to_nearest_even() {
    let mut r = Random(0xf8);
    for (generation, ocp) in [(&GFX940, false), (&GFX950, true)] {
        for (name, elem) in [("v_cvt_pk_fp8_f32", Elem::Fp8), ("v_cvt_pk_bf8_f32", Elem::Bf8)] {
            for saturate in [false, true] {
                for chunk in inputs(&mut r).chunks_exact(64) {
                    for op_sel in [0u8, 8] {
                        let w = run(generation, name, |w, i| {
                            w.mode.0 |= if saturate { OVFL } else { 0 };
                            w.v[0].0 = core::array::from_fn(|l| chunk[l].to_bits());
                            w.v[40].0 = core::array::from_fn(|l| chunk[63 - l].to_bits());
                            w.v[120].0 = [0x1234_5678; 64];
                            i.mods.op_sel = op_sel;
                        });
                        for l in 0..64 {
                            let at = |x: f32| rounded(elem, ocp, f64::from(x), saturate, None);
                            let pair = at(chunk[l]) | at(chunk[63 - l]) << 8;
                            let want = if op_sel == 0 { 0x1234_0000 | pair } else { pair << 16 | 0x5678 };
                            assert_eq!(
                                w.v[120].0[l],
                                want,
                                "{} {name} {:e} {:e}",
                                generation.name,
                                chunk[l],
                                chunk[63 - l]
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn rounds_by_random_bits() {
    let mut r = Random(0x5a);
    for (generation, ocp) in [(&GFX940, false), (&GFX950, true)] {
        for (name, elem) in [("v_cvt_sr_fp8_f32", Elem::Fp8), ("v_cvt_sr_bf8_f32", Elem::Bf8)] {
            for chunk in inputs(&mut r).chunks_exact(64) {
                let random: [u32; 64] = core::array::from_fn(|_| r.value());
                let byte = r.below(4);
                let w = run(generation, name, |w, i| {
                    w.v[0].0 = core::array::from_fn(|l| chunk[l].to_bits());
                    w.v[40].0 = random;
                    w.v[120].0 = [0; 64];
                    i.mods.op_sel = (byte << 2) as u8;
                });
                for l in 0..64 {
                    let part = f64::from(random[l]) / 4_294_967_296.0;
                    let want = rounded(elem, ocp, f64::from(chunk[l]), false, Some(part));
                    // Far below the least value random bits of less weight than the manual's may not count.
                    if chunk[l].abs() < 1e-6 && chunk[l] != 0.0 {
                        continue;
                    }
                    assert_eq!(
                        w.v[120].0[l] >> (8 * byte),
                        want,
                        "{} {name} {:e} {:#x}",
                        generation.name,
                        chunk[l],
                        random[l]
                    );
                }
            }
        }
    }
}

/// Bits `6 * e` and up of the six dwords of lane `l`.
fn six(w: &Wave, row: usize, l: usize, e: usize) -> u32 {
    let (r, shift) = (6 * e / 32, 6 * e % 32);
    let next = if r < 5 { w.v[row + r + 1].0[l] } else { 0 };
    ((u64::from(w.v[row + r].0[l]) | u64::from(next) << 32) >> shift) as u32 & 63
}

#[test]
fn thirty_two_values_at_once() {
    let mut r = Random(0x32);
    for (suffix, elem) in [("fp6", Elem::Fp6), ("bf6", Elem::Bf6)] {
        let scale = 2f32.powi(3);
        let x: Vec<Vec<f32>> =
            (0..32).map(|_| (0..64).map(|_| (r.below(4000) as f32 - 2000.0) / 16.0).collect()).collect();
        // Two registers of 16 in turn.
        let w = run(&GFX950, &format!("v_cvt_scalef32_2xpk16_{suffix}_f32"), |w, _| {
            for e in 0..32 {
                w.v[e / 2 + 40 * (e % 2)].0 = core::array::from_fn(|l| x[e][l].to_bits());
            }
            w.v[80].0 = [scale.to_bits(); 64];
        });
        for l in 0..64 {
            for e in 0..32 {
                let want = rounded(elem, true, f64::from(x[e][l] / scale), false, None);
                assert_eq!(six(&w, 120, l, e), want, "{suffix} {} lane {l}", x[e][l]);
            }
        }
        // And back.
        let w = run(&GFX950, &format!("v_cvt_scalef32_pk32_f32_{suffix}"), |v, _| {
            for k in 0..6 {
                v.v[k].0 = w.v[120 + k].0;
            }
            v.v[40].0 = [scale.to_bits(); 64];
        });
        for l in 0..64 {
            for e in 0..32 {
                let bits = rounded(elem, true, f64::from(x[e][l] / scale), false, None);
                let want = elem.value(u64::from(bits), true) * f64::from(scale);
                assert_eq!(f64::from(single(&w, 120 + e, l)), want, "{suffix} lane {l}");
            }
        }
    }
}

#[test]
fn four_bits() {
    for byte in 0..4u8 {
        let w = run(&GFX950, "v_cvt_scalef32_pk_fp4_f32", |w, i| {
            w.v[0].0 = [(-2.4f32).to_bits(); 64];
            w.v[40].0 = [100f32.to_bits(); 64];
            w.v[80].0 = [0.5f32.to_bits(); 64];
            w.v[120].0 = [0x1111_1111; 64];
            i.mods.op_sel = byte << 2;
        });
        // -4.8 is nearest to -4 among 4 and 6; 200 is beyond 6.
        let shift = 8 * u32::from(byte);
        assert_eq!(w.v[120].0[5], 0x1111_1111 & !(0xff << shift) | 0x7e << shift);
        let w = run(&GFX950, "v_cvt_scalef32_pk_f32_fp4", |v, i| {
            v.v[0].0 = w.v[120].0;
            v.v[40].0 = [0.5f32.to_bits(); 64];
            i.mods.op_sel = byte;
        });
        assert_eq!([single(&w, 120, 1), single(&w, 121, 1)], [-2.0, 3.0]);
    }
}

#[test]
fn halves_and_bf16() {
    let w = run(&GFX950, "v_cvt_pk_bf16_f32", |w, _| {
        w.v[0].0 = [0x3f80_8000; 64];
        w.v[40].0 = [0x3f81_8000; 64];
    });
    // Ties go to the even one.
    assert_eq!(w.v[120].0[0], 0x3f82_3f80);
    let w = run(&GFX950, "v_cvt_f32_bf16", |w, _| w.v[0].0 = [0x1234_c040; 64]);
    assert_eq!(single(&w, 120, 9), -3.0);
    for (random, want) in [(0u32, 0x3c00u32), (0xffff_ffff, 0x3c01)] {
        let w = run(&GFX950, "v_cvt_sr_f16_f32", |w, _| {
            w.v[0].0 = [0x3f80_0001; 64];
            w.v[40].0 = [random; 64];
        });
        assert_eq!(w.v[120].0[0], want);
    }
}

/// An exponent of 255 is NaN as a scale.
#[test]
fn nan_scales() {
    let w = run(&GFX950, "v_cvt_scalef32_f32_fp8", |w, _| {
        w.v[0].0 = [0x38; 64];
        w.v[40].0 = [0x7f80_0000; 64];
    });
    assert!(single(&w, 120, 0).is_nan());
}

#[test]
fn sums_of_absolute_differences() {
    let mut r = Random(0x5ad);
    for (name, wide, masked) in [
        ("v_qsad_pk_u16_u8", false, false),
        ("v_mqsad_pk_u16_u8", false, true),
        ("v_mqsad_u32_u8", true, true),
    ] {
        for clamp in [false, true] {
            let x: [[u32; 64]; 7] = core::array::from_fn(|_| core::array::from_fn(|_| r.value()));
            let w = run(&GFX940, name, |w, i| {
                (w.v[0].0, w.v[1].0, w.v[40].0) = (x[0], x[1], x[2]);
                for k in 0..4 {
                    w.v[80 + k].0 = x[3 + k];
                }
                i.mods.clamp = clamp;
            });
            for l in 0..64 {
                for k in 0..4 {
                    let bytes = (u64::from(x[0][l]) | u64::from(x[1][l]) << 32) >> (8 * k);
                    let mut sum = 0u64;
                    for n in 0..4 {
                        let (a, b) = ((bytes >> (8 * n)) as u8, (x[2][l] >> (8 * n)) as u8);
                        sum += if masked && b == 0 { 0 } else { u64::from(a.abs_diff(b)) };
                    }
                    let (bits, old, got) = if wide {
                        (32, x[3 + k][l], w.v[120 + k].0[l])
                    } else {
                        let shift = 16 * (k % 2);
                        (16, x[3 + k / 2][l] >> shift & 0xffff, w.v[120 + k / 2].0[l] >> shift & 0xffff)
                    };
                    let (sum, most) = (sum + u64::from(old), (1u64 << bits) - 1);
                    let want = if clamp { sum.min(most) } else { sum & most };
                    assert_eq!(u64::from(got), want, "{name} clamp {clamp} part {k}");
                }
            }
        }
    }
}

/// Other instructions of CDNA4.
#[test]
fn the_rest_of_cdna4() {
    let mut r = Random(0x950);
    let x: [[u32; 64]; 3] = core::array::from_fn(|_| core::array::from_fn(|_| r.word()));
    for table in 0..=255u32 {
        let w = run(&GFX950, "v_bitop3_b32", |w, i| {
            (w.v[0].0, w.v[40].0, w.v[80].0) = (x[0], x[1], x[2]);
            (i.mods.neg, i.mods.abs, i.mods.omod) =
                (table as u8 & 7, (table >> 3) as u8 & 7, (table >> 6) as u8);
        });
        for n in 0..32 {
            let at = x.map(|x| x[7] >> n & 1);
            let want = table >> (4 * at[0] + 2 * at[1] + at[2]) & 1;
            assert_eq!(w.v[120].0[7] >> n & 1, want, "table {table:#x}");
        }
    }
    let w = run(&GFX950, "v_prng_b32", |w, _| w.v[0].0 = [0x8000_0001; 64]);
    assert_eq!(w.v[120].0[0], 2 ^ 197);
    for (name, width) in [("v_permlane16_swap_b32", 16), ("v_permlane32_swap_b32", 32)] {
        let w = run(&GFX950, name, |w, _| {
            w.v[0].0 = core::array::from_fn(|l| l as u32);
            w.v[120].0 = core::array::from_fn(|l| 100 + l as u32);
        });
        for l in 0..64usize {
            let even = l / width % 2 == 0;
            assert_eq!(w.v[0].0[l], if even { (100 + l + width) as u32 } else { l as u32 }, "{name} {l}");
            assert_eq!(w.v[120].0[l], if even { (100 + l) as u32 } else { (l - width) as u32 }, "{name} {l}");
        }
    }
    let w = run(&GFX950, "v_ashr_pk_i8_i32", |w, _| {
        (w.v[0].0, w.v[40].0, w.v[80].0) = ([-300i32 as u32; 64], [240; 64], [1; 64]);
    });
    assert_eq!(w.v[120].0[0], 0x7880);
    let w = run(&GFX950, "v_ashr_pk_u8_i32", |w, _| {
        (w.v[0].0, w.v[40].0, w.v[80].0) = ([-300i32 as u32; 64], [600; 64], [1; 64]);
    });
    assert_eq!(w.v[120].0[0], 0xff00);
    for (a, b, c, least, greatest) in [
        (1.0f32, -2.0f32, 3.0f32, -2.0f32, 3.0f32),
        (0.0, -0.0, 0.0, -0.0, 0.0),
        (f32::NAN, 1.0, 2.0, f32::NAN, f32::NAN),
    ] {
        for (name, want) in [("v_minimum3_f32", least), ("v_maximum3_f32", greatest)] {
            let w = run(&GFX950, name, |w, _| {
                (w.v[0].0, w.v[40].0, w.v[80].0) = ([a.to_bits(); 64], [b.to_bits(); 64], [c.to_bits(); 64]);
            });
            assert!(same(f64::from(single(&w, 120, 0)), f64::from(want)), "{name} {a} {b} {c}");
        }
    }
}
