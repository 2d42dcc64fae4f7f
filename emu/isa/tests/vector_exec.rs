//! What vector instructions compute, against arithmetic written independently: integers in 128 bits, 32-bit floats by
//! way of 64-bit ones, functions by the host's library; on edge values and random ones. SDWA, DPP and lane forms as
//! whole instructions.

mod common;

use amdgpu_isa::gens::gfx9::{GFX90A, GFX940};
use amdgpu_isa::{Extension, Format, Inst, Op, Operand, Ty, Wave};
use common::vector::{Silent, Unmapped, group};
use common::{EDGES, Random};

/// The op of a name.
fn op(name: &str) -> &'static Op {
    common::op(&GFX90A, name)
}

/// `op` with sources in v0, v2, v4 (pairs) and its result in v6; a mask source or result is `VCC`, a carry s[10:11].
fn inst(op: &'static Op) -> Inst {
    let mut i = Inst::new(op, Format::Vop3, [0, 0], 8);
    for (k, ty) in op.src.iter().enumerate() {
        i.src[k] = if *ty == Ty::Mask { Operand::VCC_LO } else { Operand::vgpr(2 * k as u32) };
    }
    i.dst = if op.dst == Ty::Mask { Operand::VCC_LO } else { Operand::vgpr(6) };
    if op.traits.tied {
        i.dst = Operand::vgpr(2 * (op.src.len() as u32 - 1));
    }
    i.sdst = Operand::sgpr(10);
    i.mods.op_sel_hi = 7;
    i
}

fn run(w: &mut Wave, i: &Inst) {
    let (space, io) = (Unmapped, Silent);
    let mut g = group(&space, &io);
    let _ = (i.general)(w, &mut g, i);
}

/// Runs `i` on 64 triples of sources and gives the results.
fn results(i: &Inst, sources: &[[u64; 3]; 64], vcc: u64) -> ([u64; 64], Wave) {
    let mut w = Wave::new(&GFX90A);
    w.set_exec(!0);
    w.set_pair(Operand::VCC_LO, vcc);
    for (l, s) in sources.iter().enumerate() {
        for (k, &x) in s.iter().enumerate() {
            w.v[2 * k].0[l] = x as u32;
            w.v[2 * k + 1].0[l] = (x >> 32) as u32;
        }
    }
    run(&mut w, i);
    let row = i.dst.row();
    let wide = i.op.dst.dwords() == 2;
    let out = core::array::from_fn(|l| {
        if i.op.dst == Ty::Mask {
            w.vcc() >> l & 1
        } else {
            u64::from(w.v[row].0[l]) | if wide { u64::from(w.v[row + 1].0[l]) << 32 } else { 0 }
        }
    });
    (out, w)
}

fn random_sources(r: &mut Random) -> [[u64; 3]; 64] {
    core::array::from_fn(|_| core::array::from_fn(|_| u64::from(r.value()) | u64::from(r.value()) << 32))
}

/// Checks `name` against `reference` on many values; NaNs are equal to each other.
fn check(name: &str, reference: impl Fn(u64, u64, u64) -> u64) {
    let op = op(name);
    let i = inst(op);
    let mut r = Random(name.len() as u64 * 77 + 5);
    for _ in 0..200 {
        let sources = random_sources(&mut r);
        let (out, _) = results(&i, &sources, 0);
        for (l, [a, b, c]) in sources.into_iter().enumerate() {
            let expected = reference(a, b, c);
            let both_nan = match op.dst {
                Ty::F32 => is_nan32(out[l]) && is_nan32(expected),
                Ty::F64 => f64::from_bits(out[l]).is_nan() && f64::from_bits(expected).is_nan(),
                Ty::F16 => out[l] & 0x7fff > 0x7c00 && expected & 0x7fff > 0x7c00,
                _ => false,
            };
            assert!(
                both_nan || out[l] == expected,
                "{name} {a:#x} {b:#x} {c:#x}: {:#x}, expected {expected:#x}",
                out[l]
            );
        }
    }
}

fn is_nan32(x: u64) -> bool {
    f32::from_bits(x as u32).is_nan()
}

fn f(x: u64) -> f64 {
    f64::from(f32::from_bits(x as u32))
}

fn to32(x: f64) -> u64 {
    u64::from((x as f32).to_bits())
}

/// A half by its definition.
fn h(x: u64) -> f64 {
    let (exponent, fraction) = (x >> 10 & 31, (x & 0x3ff) as f64);
    let magnitude = match exponent {
        31 if x & 0x3ff == 0 => f64::INFINITY,
        31 => f64::NAN,
        0 => fraction * 2f64.powi(-24),
        _ => (1024.0 + fraction) * 2f64.powi(exponent as i32 - 25),
    };
    if x & 0x8000 != 0 { -magnitude } else { magnitude }
}

/// The nearest half, found by looking at all of them that are near; ties to even.
fn to16(x: f64) -> u64 {
    if x.is_nan() {
        return 0x7e00;
    }
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    let x = x.abs();
    if x >= 65520.0 {
        return sign | 0x7c00;
    }
    let (mut low, mut high) = (0u64, 0x7bffu64);
    while low < high {
        let middle = (low + high).div_ceil(2);
        if h(middle) <= x { low = middle } else { high = middle - 1 }
    }
    let next = if low == 0x7bff { 65536.0 } else { h(low + 1) };
    let (below, above) = (x - h(low), next - x);
    sign | if below > above || (below == above && low & 1 == 1) { low + 1 } else { low }
}

fn i(x: u64) -> i128 {
    i128::from(x as u32 as i32)
}

fn u(x: u64) -> i128 {
    i128::from(x as u32)
}

fn low(x: i128) -> u64 {
    x as u64 & 0xffff_ffff
}

#[test]
fn integers() {
    check("v_add_u32", |a, b, _| low(u(a) + u(b)));
    check("v_sub_u32", |a, b, _| low(u(a) - u(b)));
    check("v_subrev_u32", |a, b, _| low(u(b) - u(a)));
    check("v_mul_lo_u32", |a, b, _| low(u(a) * u(b)));
    check("v_mul_hi_u32", |a, b, _| low((u(a) * u(b)) >> 32));
    check("v_mul_hi_i32", |a, b, _| low((i(a) * i(b)) >> 32));
    check("v_mul_u32_u24", |a, b, _| low((u(a) & 0xff_ffff) * (u(b) & 0xff_ffff)));
    check("v_mad_u32_u24", |a, b, c| low((u(a) & 0xff_ffff) * (u(b) & 0xff_ffff) + u(c)));
    let s24 = |x: u64| (x as u32 as i32) << 8 >> 8;
    check("v_mad_i32_i24", |a, b, c| low(i128::from(s24(a)) * i128::from(s24(b)) + i(c)));
    check("v_add3_u32", |a, b, c| low(u(a) + u(b) + u(c)));
    check("v_lshl_add_u32", |a, b, c| low((u(a) << (b & 31)) + u(c)));
    check("v_add_lshl_u32", |a, b, c| low((u(a) + u(b)) << (c & 31)));
    check("v_lshl_or_b32", |a, b, c| low(u(a) << (b & 31) | u(c)));
    check("v_xad_u32", |a, b, c| low((u(a) ^ u(b)) + u(c)));
    check("v_alignbit_b32", |a, b, c| low((u(a) << 32 | u(b)) >> (c & 31)));
    check("v_alignbyte_b32", |a, b, c| low((u(a) << 32 | u(b)) >> (8 * (c & 3))));
    check("v_bfe_u32", |a, b, c| low(u(a) >> (b & 31) & ((1 << (c & 31)) - 1)));
    check("v_bfi_b32", |a, b, c| low(u(a) & u(b) | (0xffff_ffff ^ u(a)) & u(c)));
    check("v_bfm_b32", |a, b, _| low(((1 << (a & 31)) - 1) << (b & 31)));
    check("v_lshlrev_b32", |a, b, _| low(u(b) << (a & 31)));
    check("v_lshrrev_b32", |a, b, _| low(u(b) >> (a & 31)));
    check("v_ashrrev_i32", |a, b, _| low(i(b) >> (a & 31)));
    check("v_lshlrev_b64", |a, b, _| (u128::from(b) << (a & 63)) as u64);
    check("v_lshrrev_b64", |a, b, _| b >> (a & 63));
    check("v_ashrrev_i64", |a, b, _| (i128::from(b as i64) >> (a & 63)) as u64);
    check("v_ffbh_u32", |a, _, _| {
        (0..32).position(|k| a << k >> 31 & 1 != 0).map_or(0xffff_ffff, |k| k as u64)
    });
    check("v_ffbl_b32", |a, _, _| (0..32).position(|k| a >> k & 1 != 0).map_or(0xffff_ffff, |k| k as u64));
    check("v_ffbh_i32", |a, _, _| {
        let sign = a >> 31 & 1;
        (0..32).position(|k| a >> (31 - k) & 1 != sign).map_or(0xffff_ffff, |k| k as u64)
    });
    check("v_bfrev_b32", |a, _, _| (0..32).fold(0, |x, k| x | (a >> k & 1) << (31 - k)));
    check("v_bcnt_u32_b32", |a, b, _| low((0..32).map(|k| (a >> k & 1) as i128).sum::<i128>() + u(b)));
    check("v_min_i32", |a, b, _| low(i(a).min(i(b))));
    check("v_max_u32", |a, b, _| low(u(a).max(u(b))));
    check("v_min3_u32", |a, b, c| low(u(a).min(u(b)).min(u(c))));
    check("v_med3_i32", |a, b, c| {
        let mut x = [i(a), i(b), i(c)];
        x.sort_unstable();
        low(x[1])
    });
    check("v_sad_u32", |a, b, c| low((u(a) - u(b)).abs() + u(c)));
    let byte = |x: u64, k: u32| (x >> (8 * k) & 0xff) as i128;
    check("v_sad_u8", |a, b, c| low((0..4).map(|k| (byte(a, k) - byte(b, k)).abs()).sum::<i128>() + u(c)));
    check("v_perm_b32", |a, b, c| {
        let data = (a & 0xffff_ffff) << 32 | b & 0xffff_ffff;
        (0..4).fold(0, |x, k| {
            let sel = c >> (8 * k) & 0xff;
            let picked = match sel {
                0..=7 => data >> (8 * sel) & 0xff,
                8..=11 => (data >> (16 * (sel - 8) + 15) & 1) * 0xff,
                12 => 0,
                _ => 0xff,
            };
            x | picked << (8 * k)
        })
    });
    check("v_add_u16", |a, b, _| low(u(a) + u(b)) & 0xffff);
    check("v_mul_lo_u16", |a, b, _| ((a & 0xffff) * (b & 0xffff)) & 0xffff);
    check("v_pk_add_u16", |a, b, _| {
        low(u(a) + u(b)) & 0xffff | (low(u(a & 0xffff_0000) + u(b & 0xffff_0000)) & 0xffff_0000)
    });
    let s16 = |x: u64, k: u32| i128::from((x >> (16 * k)) as u16 as i16);
    check("v_pk_max_i16", |a, b, _| {
        (0..2).fold(0, |x, k| x | (s16(a, k).max(s16(b, k)) as u64 & 0xffff) << (16 * k))
    });
    check("v_dot2_i32_i16", |a, b, c| low(s16(a, 0) * s16(b, 0) + s16(a, 1) * s16(b, 1) + i(c)));
    let s8 = |x: u64, k: u32| i128::from((x >> (8 * k)) as u8 as i8);
    check("v_dot4_i32_i8", |a, b, c| low((0..4).map(|k| s8(a, k) * s8(b, k)).sum::<i128>() + i(c)));
    let u4 = |x: u64, k: u32| (x >> (4 * k) & 15) as i128;
    check("v_dot8_u32_u4", |a, b, c| low((0..8).map(|k| u4(a, k) * u4(b, k)).sum::<i128>() + u(c)));
    check("v_cmp_lt_i64", |a, b, _| u64::from((a as i64) < b as i64));
    check("v_cmp_le_u16", |a, b, _| u64::from(a & 0xffff <= b & 0xffff));
    check("v_cmp_ne_u32", |a, b, _| u64::from(u(a) != u(b)));
}

#[test]
fn chosen_halves() {
    let sources = [[0x0003_0002, 0x0007_fffb, 100]; 64];
    let mut i = inst(op("v_dot2_i32_i16"));
    let mut dot = |op_sel, op_sel_hi| {
        (i.mods.op_sel, i.mods.op_sel_hi) = (op_sel, op_sel_hi);
        results(&i, &sources, 0).0[5] as u32 as i32
    };
    assert_eq!(dot(0, 7), 2 * -5 + 3 * 7 + 100);
    assert_eq!(dot(1, 7), 3 * -5 + 3 * 7 + 100);
    assert_eq!(dot(0, 1), 2 * -5 + 3 * -5 + 100);
}

#[test]
fn carries() {
    let mut r = Random(9);
    for _ in 0..200 {
        let (sources, vcc) = (random_sources(&mut r), r.next());
        type Reference = fn(u64, u64, u64, u64) -> i128;
        let cases: [(&str, Reference); 6] = [
            ("v_add_co_u32", |a, b, _, _| u(a) + u(b)),
            ("v_sub_co_u32", |a, b, _, _| u(a) - u(b)),
            ("v_addc_co_u32", |a, b, _, k| u(a) + u(b) + i128::from(k)),
            ("v_subb_co_u32", |a, b, _, k| u(a) - u(b) - i128::from(k)),
            ("v_subbrev_co_u32", |a, b, _, k| u(b) - u(a) - i128::from(k)),
            ("v_mad_u64_u32", |a, b, c, _| u(a) * u(b) + i128::from(c)),
        ];
        for (name, reference) in cases {
            let (out, w) = results(&inst(op(name)), &sources, vcc);
            let bits = if name == "v_mad_u64_u32" { 64 } else { 32 };
            let carries = w.pair(Operand::sgpr(10));
            for (l, [a, b, c]) in sources.into_iter().enumerate() {
                let x = reference(a, b, c, vcc >> l & 1);
                assert_eq!(i128::from(out[l]), x & ((1 << bits) - 1), "{name} {a:#x} {b:#x}");
                assert_eq!(carries >> l & 1 != 0, x >> bits != 0, "{name} {a:#x} {b:#x}: carry");
            }
        }
    }
}

#[test]
fn floats() {
    check("v_add_f32", |a, b, _| to32(f(a) + f(b)));
    check("v_sub_f32", |a, b, _| to32(f(a) - f(b)));
    check("v_mul_f32", |a, b, _| to32(f(a) * f(b)));
    check("v_fma_f32", |a, b, c| {
        let [a, b, c] = [a, b, c].map(|x| f32::from_bits(x as u32));
        u64::from(a.mul_add(b, c).to_bits())
    });
    check("v_add_f64", |a, b, _| (f64::from_bits(a) + f64::from_bits(b)).to_bits());
    check("v_mul_f64", |a, b, _| (f64::from_bits(a) * f64::from_bits(b)).to_bits());
    check("v_trunc_f32", |a, _, _| to32(f(a).trunc()));
    check("v_ceil_f32", |a, _, _| to32(f(a).ceil()));
    check("v_floor_f64", |a, _, _| f64::from_bits(a).floor().to_bits());
    check("v_rndne_f32", |a, _, _| to32(f(a).round_ties_even()));
    check("v_ldexp_f32", |a, n, _| to32(f(a) * 2f64.powi((n as i32).clamp(-500, 500))));
    check("v_cvt_i32_f32", |a, _, _| low(f(a) as i32 as i128));
    check("v_cvt_u32_f32", |a, _, _| low(f(a) as u32 as i128));
    check("v_cvt_f32_u32", |a, _, _| to32(u(a) as f64));
    check("v_cvt_f32_i32", |a, _, _| to32(i(a) as f64));
    check("v_cvt_f64_i32", |a, _, _| (i(a) as f64).to_bits());
    check("v_cvt_f32_f64", |a, _, _| to32(f64::from_bits(a)));
    check("v_cvt_f64_f32", |a, _, _| f(a).to_bits());
    check("v_cvt_f32_ubyte2", |a, _, _| to32((a >> 16 & 0xff) as f64));
    check("v_cvt_f16_f32", |a, _, _| to16(f(a)));
    check("v_cvt_f32_f16", |a, _, _| to32(h(a)));
    check("v_add_f16", |a, b, _| to16(h(a) + h(b)));
    check("v_mul_f16", |a, b, _| to16(h(a) * h(b)));
    check("v_fma_f16", |a, b, c| to16(h(a).mul_add(h(b), h(c))));
    check("v_cmp_lt_f32", |a, b, _| u64::from(f(a) < f(b)));
    check("v_cmp_nge_f64", |a, b, _| {
        u64::from(f64::from_bits(a).partial_cmp(&f64::from_bits(b)).is_none_or(|o| o.is_lt()))
    });
    check("v_cmp_u_f16", |a, b, _| u64::from(h(a).is_nan() || h(b).is_nan()));
    check("v_cmp_class_f32", |a, set, _| {
        let x = f32::from_bits(a as u32);
        let class = match x.classify() {
            core::num::FpCategory::Nan => u32::from(a & 0x0040_0000 != 0),
            core::num::FpCategory::Infinite if x < 0.0 => 2,
            core::num::FpCategory::Normal if x < 0.0 => 3,
            core::num::FpCategory::Subnormal if x < 0.0 => 4,
            core::num::FpCategory::Zero if x.is_sign_negative() => 5,
            core::num::FpCategory::Zero => 6,
            core::num::FpCategory::Subnormal => 7,
            core::num::FpCategory::Normal => 8,
            core::num::FpCategory::Infinite => 9,
        };
        set >> class & 1
    });
    check("v_frexp_mant_f32", |a, _, _| {
        let x = f(a);
        if x == 0.0 || !x.is_finite() {
            to32(x)
        } else {
            to32(x / 2f64.powi(x.abs().log2().floor() as i32 + 1))
        }
    });
}

/// Within one unit in the last place of the function in 64 bits; denormals count as zero.
fn check_close(name: &str, reference: impl Fn(f64) -> f64) {
    let i = inst(op(name));
    let mut r = Random(3);
    for _ in 0..500 {
        let sources = core::array::from_fn(|l| {
            let x = if l < EDGES.len() { EDGES[l] } else { r.value() };
            // Most arguments of ordinary size.
            let x = if l % 3 == 0 { x & 0x81ff_ffff | 0x3e00_0000 } else { x };
            [u64::from(x), 0, 0]
        });
        let (out, _) = results(&i, &sources, 0);
        for (l, [a, ..]) in sources.into_iter().enumerate() {
            let x = f32::from_bits(a as u32);
            let flush = |x: f32| if x.is_subnormal() { 0f32.copysign(x) } else { x };
            let expected = flush(reference(f64::from(flush(x))) as f32);
            let got = f32::from_bits(out[l] as u32);
            let steps = (i64::from(got.to_bits()) - i64::from(expected.to_bits())).abs();
            // Where the hardware flushes, the least normal number is next to zero.
            let near_zero = got.abs() <= f32::MIN_POSITIVE && expected.abs() <= f32::MIN_POSITIVE;
            let ok = (got.is_nan() && expected.is_nan()) || got == expected || steps <= 1 || near_zero;
            assert!(ok, "{name} {x:e}: {got:e}, expected {expected:e}");
        }
    }
}

#[test]
fn functions() {
    check_close("v_exp_f32", f64::exp2);
    check_close("v_log_f32", f64::log2);
    check_close("v_rcp_f32", |x| 1.0 / x);
    check_close("v_rsq_f32", |x| 1.0 / x.sqrt());
    check_close("v_sqrt_f32", f64::sqrt);
    let turns = |x: f64| (x - x.round()) * core::f64::consts::TAU;
    check_close("v_sin_f32", |x| {
        if x.is_infinite() {
            f64::NAN
        } else if x.abs() > 256.0 {
            0.0
        } else if (2.0 * x).fract() == 0.0 {
            // Exact zeros, with the sign of what is left of the turn.
            if x - x.round() == 0.0 { (x - x.round_ties_even()).sin() } else { 0.0 }
        } else {
            turns(x).sin()
        }
    });
    check_close("v_cos_f32", |x| {
        if x.is_infinite() {
            f64::NAN
        } else if x.abs() > 256.0 {
            1.0
        } else if (4.0 * x).fract() == 0.0 && (2.0 * x).fract() != 0.0 {
            0.0
        } else {
            turns(x).cos()
        }
    });
}

/// Runs one step of a division: pairs of registers, `VCC` as the mask.
fn step(w: &mut Wave, name: &str, dst: u32, src: [u32; 3], neg: u8) {
    let mut i = inst(op(name));
    i.dst = Operand::vgpr(dst);
    i.sdst = Operand::VCC_LO;
    for (o, n) in i.src.iter_mut().zip(src).take(i.op.src.len()) {
        *o = Operand::vgpr(n);
    }
    i.mods.neg = neg;
    run(w, &i);
}

/// A float of `exponent` and `fraction` bits that is often near an end of the range or has few bits.
fn divided(r: &mut Random, exponent: u32, fraction: u32) -> u64 {
    let most = (1 << exponent) - 1;
    let e = match r.below(4) {
        0 => r.below(3 * fraction),
        1 => most - r.below(3 * fraction),
        2 => most / 2 + r.below(2 * fraction) - fraction,
        _ => r.below(most),
    };
    let f = r.next() & ((1 << fraction) - 1);
    let f = match r.below(3) {
        0 => f & !0 << r.below(fraction),
        1 => f >> r.below(fraction),
        _ => f,
    };
    u64::from(r.below(2)) << (exponent + fraction) | u64::from(e.min(most)) << fraction | f
}

/// Numerator and denominator whose quotient is next to the least normal number, or to the greatest if `overflows`.
fn at_an_end(r: &mut Random, exponent: u32, fraction: u32, overflows: bool) -> [u64; 2] {
    let bias = (1u64 << (exponent - 1)) - 1;
    let mut near = |e: u64| (e << fraction).wrapping_add(r.below(9).into()).wrapping_sub(4);
    if overflows { [near(2 * bias + 1) - 5, near(bias)] } else { [near(1), near(bias)] }
}

/// The steps that LLVM makes of a division give the quotient that the host gives, denormals and ties included.
#[test]
fn division() {
    let mut r = Random(21);
    let mut w = Wave::new(&GFX90A);
    w.set_exec(!0);
    for round in 0..3000 {
        for l in 0..64 {
            for row in 0..2 {
                w.v[row].0[l] = if round < 500 { r.value() } else { divided(&mut r, 8, 23) as u32 };
            }
            w.v[2].0[l] = 1f32.to_bits();
            if l < 16 {
                // Small denormals by small numbers: ties.
                (w.v[0].0[l], w.v[1].0[l]) = (r.below(64), (r.below(64) as f32).to_bits());
            } else if l < 24 {
                [w.v[0].0[l], w.v[1].0[l]] = at_an_end(&mut r, 8, 23, l < 18).map(|x| x as u32);
            }
        }
        // n = v0, d = v1.
        step(&mut w, "v_div_scale_f32", 3, [1, 1, 0], 0);
        step(&mut w, "v_rcp_f32", 4, [3, 0, 0], 0);
        step(&mut w, "v_fma_f32", 5, [3, 4, 2], 1);
        step(&mut w, "v_fma_f32", 4, [5, 4, 4], 0);
        step(&mut w, "v_div_scale_f32", 6, [0, 1, 0], 0);
        step(&mut w, "v_mul_f32", 7, [6, 4, 0], 0);
        step(&mut w, "v_fma_f32", 5, [3, 7, 6], 1);
        step(&mut w, "v_fma_f32", 7, [5, 4, 7], 0);
        step(&mut w, "v_fma_f32", 5, [3, 7, 6], 1);
        step(&mut w, "v_div_fmas_f32", 8, [5, 4, 7], 0);
        step(&mut w, "v_div_fixup_f32", 8, [8, 1, 0], 0);
        for l in 0..64 {
            let [n, d, q] = [0, 1, 8].map(|row: usize| f32::from_bits(w.v[row].0[l]));
            let expected = n / d;
            assert!(
                q.to_bits() == expected.to_bits() || (q.is_nan() && expected.is_nan()),
                "{n:e} / {d:e} = {q:e}, not {expected:e}"
            );
        }
    }
    for _ in 0..3000 {
        for l in 0..64 {
            let [n, d] = match l {
                0..16 => [u64::from(r.below(64)), f64::from(r.below(64)).to_bits()],
                16..24 => at_an_end(&mut r, 11, 52, l < 18),
                _ => [(); 2].map(|()| divided(&mut r, 11, 52)),
            };
            for (row, x) in [n, d, 1f64.to_bits()].into_iter().enumerate() {
                (w.v[2 * row].0[l], w.v[2 * row + 1].0[l]) = (x as u32, (x >> 32) as u32);
            }
        }
        // n = v[0:1], d = v[2:3].
        step(&mut w, "v_div_scale_f64", 6, [2, 2, 0], 0);
        step(&mut w, "v_rcp_f64", 8, [6, 0, 0], 0);
        for _ in 0..2 {
            step(&mut w, "v_fma_f64", 10, [6, 8, 4], 1);
            step(&mut w, "v_fma_f64", 8, [8, 10, 8], 0);
        }
        step(&mut w, "v_div_scale_f64", 12, [0, 2, 0], 0);
        step(&mut w, "v_mul_f64", 14, [12, 8, 0], 0);
        step(&mut w, "v_fma_f64", 10, [6, 14, 12], 1);
        step(&mut w, "v_div_fmas_f64", 16, [10, 8, 14], 0);
        step(&mut w, "v_div_fixup_f64", 16, [16, 2, 0], 0);
        for l in 0..64 {
            let [n, d, q] = [0, 2, 16].map(|row: usize| {
                f64::from_bits(u64::from(w.v[row].0[l]) | u64::from(w.v[row + 1].0[l]) << 32)
            });
            let expected = n / d;
            assert!(
                q.to_bits() == expected.to_bits() || (q.is_nan() && expected.is_nan()),
                "{n:e} / {d:e} = {q:e}, not {expected:e}"
            );
        }
    }
}

#[test]
fn parts_of_dwords() {
    let mut w = Wave::new(&GFX90A);
    w.set_exec(!0);
    w.v[0].0 = [0x8283_8485; 64];
    w.v[2].0 = [0x0102_0304; 64];
    let mut i = inst(op("v_add_u32"));
    let mut sum = |dst_sel, dst_unused, src_sel, sext| {
        w.v[6].0 = [0xaaaa_aaaa; 64];
        i.ext = Extension::Sdwa { dst_sel, dst_unused, src_sel, sext };
        run(&mut w, &i);
        w.v[6].0[63]
    };
    assert_eq!(sum(6, 0, [0, 6], 0), 0x85 + 0x0102_0304);
    assert_eq!(sum(6, 0, [3, 0], 0), 0x82 + 4);
    assert_eq!(sum(6, 0, [5, 0], 1), 0xffff_8283 + 4);
    assert_eq!(sum(1, 0, [0, 0], 0), 0x8900);
    assert_eq!(sum(1, 1, [0, 0], 0), 0xffff_8900);
    assert_eq!(sum(1, 2, [0, 0], 0), 0xaaaa_89aa);
    assert_eq!(sum(5, 2, [0, 0], 0), 0x0089_aaaa);
}

#[test]
fn values_of_other_lanes() {
    let mut w = Wave::new(&GFX90A);
    w.v[0].0 = core::array::from_fn(|l| l as u32);
    let mut i = inst(op("v_mov_b32"));
    let mut moved = |exec: u64, ctrl, bound_ctrl, bank_mask, row_mask| {
        w.set_exec(exec);
        w.v[6].0 = [99; 64];
        i.ext = Extension::Dpp { ctrl, bound_ctrl, bank_mask, row_mask };
        run(&mut w, &i);
        w.v[6].0
    };
    // quad_perm:[1,0,3,2], row_shr:1, row_ror:1, row_mirror, row_bcast:15, wave_shr:1, row_newbcast:5.
    assert_eq!(moved(!0, 0b10_11_00_01, false, 15, 15)[..4], [1, 0, 3, 2]);
    assert_eq!(moved(!0, 0x111, false, 15, 15)[15..19], [14, 99, 16, 17]);
    assert_eq!(moved(!0, 0x111, true, 15, 15)[15..19], [14, 0, 16, 17]);
    assert_eq!(moved(!0, 0x121, false, 15, 15)[16..18], [31, 16]);
    assert_eq!(moved(!0, 0x140, false, 15, 15)[16..18], [31, 30]);
    assert_eq!(moved(!0, 0x142, false, 15, 15)[14..18], [99, 99, 15, 15]);
    assert_eq!(moved(!0, 0x138, false, 15, 15)[..2], [99, 0]);
    assert_eq!(moved(!0, 0x155, false, 15, 15)[16..18], [21, 21]);
    // Masks leave lanes out; a lane that is not active gives nothing.
    assert_eq!(moved(!0, 0x140, false, 0b0010, 0b0001)[3..9], [99, 11, 10, 9, 8, 99]);
    assert_eq!(moved(!0 - 1, 0x111, false, 15, 15)[..3], [99, 99, 1]);
}

#[test]
fn lanes_and_scalars() {
    let mut w = Wave::new(&GFX90A);
    w.v[0].0 = core::array::from_fn(|l| 100 + l as u32);
    w.set_scalar(Operand::sgpr(1), 70);
    let mut i = inst(op("v_readlane_b32"));
    (i.dst, i.src[1]) = (Operand::sgpr(5), Operand::sgpr(1));
    run(&mut w, &i);
    assert_eq!(w.scalar32(Operand::sgpr(5), 0), 106);
    let mut i = inst(op("v_readfirstlane_b32"));
    i.dst = Operand::sgpr(5);
    for (exec, expected) in [(0, 100), (0xf0, 104), (1 << 63, 163)] {
        w.set_exec(exec);
        run(&mut w, &i);
        assert_eq!(w.scalar32(Operand::sgpr(5), 0), expected);
    }
    // Below each lane: the lanes of a mask.
    w.set_exec(!0);
    w.set_pair(Operand::sgpr(2), 0xf0f0_0000_0000_ff00);
    let mut lo = inst(op("v_mbcnt_lo_u32_b32"));
    (lo.src[0], lo.src[1]) = (Operand::sgpr(2), Operand::ZERO);
    run(&mut w, &lo);
    let mut hi = inst(op("v_mbcnt_hi_u32_b32"));
    (hi.src[0], hi.src[1]) = (Operand::sgpr(3), Operand::vgpr(6));
    run(&mut w, &hi);
    for l in 0..64 {
        assert_eq!(w.v[6].0[l], (0xf0f0_0000_0000_ff00u64 & ((1 << l) - 1)).count_ones());
    }
}

/// Every instruction with a literal in a pair's place: the high half of a float, a signed number, bits.
#[test]
fn literals_of_pairs_are_extended() {
    let t = GFX940.tables;
    let rows = t.vop1.rows().chain(t.vop2.rows()).chain(t.vopc.rows());
    let mut r = Random(4);
    let mut seen = Vec::new();
    for (_, op) in rows.filter(|(_, op)| op.src.first().is_some_and(|ty| ty.dwords() == 2 && *ty != Ty::Mask))
    {
        for literal in [0x8000_0001u32, 0x7ff0_0000, 0xc13b_38d4, 0x4000_0000, 0x41ef_ffff] {
            let value = match op.src[0] {
                Ty::F64 => u64::from(literal) << 32,
                Ty::I64 => literal as i32 as u64,
                _ => u64::from(literal),
            };
            let mut sources = random_sources(&mut r);
            sources[0][1] = value;
            sources[1][1] = value.wrapping_add(1);
            sources.iter_mut().for_each(|s| s[0] = value);
            let mut i = inst(op);
            let (registers, _) = results(&i, &sources, 0);
            (i.src[0], i.literal) = (Operand::LITERAL, literal);
            let (literals, _) = results(&i, &sources, 0);
            assert_eq!(literals, registers, "{} {literal:#x}", op.name);
        }
        seen.push(op.name);
    }
    for name in ["v_mov_b64", "v_cmp_lt_u64", "v_cmp_lt_i64", "v_cmp_lt_f64", "v_cvt_f32_f64", "v_fmac_f64"] {
        assert!(seen.contains(&name), "{name}: {seen:?}");
    }
}
