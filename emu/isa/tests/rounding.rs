//! Arithmetic and conversions in all rounding modes, against integers of unlimited precision: every value is a whole
//! number of 2^-4400, sums and products are exact, and rounding is its definition. What reads and writes infinities and
//! NaNs is compared with the host's arithmetic.

mod common;

use amdgpu_isa::gens::gfx9::{GFX90A, GFX900, GFX908, GFX950};
use amdgpu_isa::{Format, Gen, Inst, Mode, Op, Operand, Ty, Wave};
use common::vector::{Silent, Unmapped, group};
use common::{Random, op};
use num_bigint::{BigInt, Sign};

/// Fractional bits of a [`BigInt`].
const SCALE: i64 = 4400;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    Half,
    Single,
    Double,
}
use Kind::{Double, Half, Single};

impl Kind {
    fn of(ty: Ty) -> Kind {
        match ty {
            Ty::F16 | Ty::P16 => Half,
            Ty::F64 => Double,
            _ => Single,
        }
    }

    /// Bits of the fraction, exponent of the least normal number.
    fn shape(self) -> (i64, i64) {
        match self {
            Half => (10, -14),
            Single => (23, -126),
            Double => (52, -1022),
        }
    }

    fn value(self, bits: u64) -> f64 {
        match self {
            Double => f64::from_bits(bits),
            Single => f64::from(f32::from_bits(bits as u32)),
            Half => {
                let (exponent, fraction) = (bits >> 10 & 31, (bits & 0x3ff) as f64);
                let magnitude = match exponent {
                    31 if fraction == 0.0 => f64::INFINITY,
                    31 => f64::NAN,
                    0 => fraction * 2f64.powi(-24),
                    _ => (1024.0 + fraction) * 2f64.powi(exponent as i32 - 25),
                };
                if bits & 0x8000 != 0 { -magnitude } else { magnitude }
            }
        }
    }

    /// A number with few bits set, near 1, at an end of the range, or anything.
    fn random(self, r: &mut Random) -> u64 {
        let (fraction, least) = self.shape();
        let bias = 1 - least;
        let near =
            |r: &mut Random, exponent: i64| (exponent + i64::from(r.below(9)) - 4).clamp(0, 2 * bias + 1);
        let exponent = match r.below(8) {
            0 => near(r, 0),
            1 => near(r, 2 * bias),
            2 => near(r, bias + fraction),
            3 => near(r, bias - fraction),
            4 => i64::from(r.below(2 * bias as u32 + 1)),
            _ => near(r, bias),
        };
        let ones = (1u64 << fraction) - 1;
        let mantissa = match r.below(5) {
            0 => 0,
            1 => ones,
            2 => 1 << r.below(fraction as u32),
            3 => ones ^ 1 << r.below(fraction as u32),
            _ => r.next() & ones,
        };
        let sign = u64::from(r.below(2)) << (self.bits() - 1);
        sign | (exponent as u64) << fraction | mantissa
    }

    fn bits(self) -> u32 {
        match self {
            Half => 16,
            Single => 32,
            Double => 64,
        }
    }
}

fn big(x: f64) -> BigInt {
    let bits = x.to_bits();
    let (field, fraction) = ((bits >> 52 & 0x7ff) as i64, bits & ((1 << 52) - 1));
    let mantissa = if field == 0 { fraction } else { fraction | 1 << 52 };
    let magnitude = BigInt::from(mantissa) << (field.max(1) - 1075 + SCALE);
    if x.is_sign_negative() { -magnitude } else { magnitude }
}

/// `a * b`, which has twice as many fractional bits; the lowest are zero.
fn times(a: &BigInt, b: &BigInt) -> BigInt {
    (a * b) >> SCALE
}

/// The bits of a value that is not zero, rounded: 0 to nearest even, 1 up, 2 down, 3 to zero.
fn round(x: &BigInt, kind: Kind, mode: u32, saturates: bool) -> u64 {
    let (fraction, least) = kind.shape();
    let negative = x.sign() == Sign::Minus;
    let magnitude = x.magnitude().clone();
    let leading = magnitude.bits() as i64 - 1 - SCALE;
    let last = leading.max(least) - fraction;
    let left_out = (last + SCALE) as u64;
    let mut kept = &magnitude >> left_out;
    let rest = &magnitude - (&kept << left_out);
    let half = num_bigint::BigUint::from(1u32) << (left_out - 1);
    let zero = num_bigint::BigUint::ZERO;
    let away = match mode {
        0 => rest > half || (rest == half && kept.bit(0)),
        1 => !negative && rest != zero,
        2 => negative && rest != zero,
        _ => false,
    };
    if away {
        kept += 1u32;
    }
    // The exponent field grows by itself where the fraction overflows.
    let kept = kept.to_u64_digits().first().copied().unwrap_or(0);
    let field = (last - (least - fraction)) as u64;
    let magnitude = kept + (field << fraction);
    let infinity = ((1u64 << (kind.bits() - 1 - fraction as u32)) - 1) << fraction;
    let to_infinity = match mode {
        0 => true,
        1 => !negative,
        2 => negative,
        _ => false,
    };
    let magnitude = match magnitude >= infinity {
        true if saturates || !to_infinity => infinity - 1,
        true => infinity,
        false => magnitude,
    };
    magnitude | u64::from(negative) << (kind.bits() - 1)
}

/// A value and, should it be zero, its sign.
#[derive(Clone)]
struct Number {
    value: BigInt,
    negative: bool,
}

#[derive(Clone, Copy)]
struct Rule {
    kind: Kind,
    mode: u32,
    saturates: bool,
}

impl Number {
    fn new(x: f64) -> Number {
        Number { value: big(x), negative: x.is_sign_negative() }
    }

    fn bits(&self, rule: Rule) -> u64 {
        match self.value.sign() {
            Sign::NoSign => u64::from(self.negative) << (rule.kind.bits() - 1),
            _ => round(&self.value, rule.kind, rule.mode, rule.saturates),
        }
    }

    /// Rounded on the way; `None` if that overflows.
    fn step(&self, rule: Rule) -> Option<Number> {
        let x = rule.kind.value(self.bits(rule));
        x.is_finite().then(|| Number::new(x))
    }

    fn times(&self, b: &Number) -> Number {
        let negative = self.negative != b.negative;
        Number { value: times(&self.value, &b.value), negative }
    }

    fn plus(&self, b: &Number, rule: Rule) -> Number {
        let value = &self.value + &b.value;
        let negative = match value.sign() {
            Sign::Minus => true,
            Sign::Plus => false,
            Sign::NoSign if self.negative == b.negative => self.negative,
            Sign::NoSign => rule.mode == 2,
        };
        Number { value, negative }
    }

    fn negated(&self) -> Number {
        Number { value: -&self.value, negative: !self.negative }
    }

    fn scaled(&self, n: i64) -> Number {
        // More would be infinite or nothing; and the last bits are zero.
        let n = n.clamp(-2200, 2200);
        let value = if n >= 0 { &self.value << n } else { &self.value >> -n };
        Number { value, negative: self.negative }
    }
}

fn inst(op: &'static Op) -> Inst {
    let packed = matches!(op.dst, Ty::P16 | Ty::P32) || op.src.first() == Some(&Ty::P16);
    let mut i = Inst::new(op, if packed { Format::Vop3p } else { Format::Vop3 }, [0, 0], 8);
    for k in 0..op.src.len() {
        i.src[k] = Operand::vgpr(2 * k as u32);
    }
    i.dst = if op.traits.tied { i.src[op.src.len() - 1] } else { Operand::vgpr(6) };
    // Mixed forms have whole sources without these bits.
    i.mods.op_sel_hi = if packed { 7 } else { 0 };
    i
}

/// `MODE` with one rounding mode for a kind and another one for the others.
fn mode_word(rule: Rule, other: u32) -> u32 {
    let round = if rule.kind == Single { rule.mode | other << 2 } else { other | rule.mode << 2 };
    round | 0xf0 | 1 << 8 | u32::from(rule.saturates) << 23
}

fn run(i: &Inst, mode: u32, generation: &'static Gen, sources: &[[u64; 3]; 64]) -> [u64; 64] {
    let mut w = Wave::new(generation);
    w.set_exec(!0);
    w.mode = Mode(mode);
    for (l, s) in sources.iter().enumerate() {
        for (k, &x) in s.iter().enumerate() {
            w.v[2 * k].0[l] = x as u32;
            w.v[2 * k + 1].0[l] = (x >> 32) as u32;
        }
    }
    let (space, io) = (Unmapped, Silent);
    let flow = (i.general)(&mut w, &mut group(&space, &io), i);
    assert_eq!(flow, amdgpu_isa::Flow::Next, "{}", i.op.name);
    let row = i.dst.row();
    let wide = i.op.dst.dwords() == 2;
    core::array::from_fn(|l| {
        u64::from(w.v[row].0[l]) | if wide { u64::from(w.v[row + 1].0[l]) << 32 } else { 0 }
    })
}

const MODES: [u32; 4] = [0, 1, 2, 3];

/// Checks an instruction with sources of one kind and a result of the same.
fn check(generation: &'static Gen, name: &str, exact: impl Fn(&[Number; 3], Rule) -> Option<Number>) {
    let op = op(generation, name);
    let (i, kind) = (inst(op), Kind::of(op.dst));
    let mut r = Random(name.len() as u64 * 977 + kind.bits() as u64);
    let saturations: &[bool] = if kind == Half { &[false, true] } else { &[false] };
    let mut compared = 0;
    for mode in MODES {
        for &saturates in saturations {
            let rule = Rule { kind, mode, saturates };
            for _ in 0..40 {
                let sources: [[u64; 3]; 64] = core::array::from_fn(|_| {
                    core::array::from_fn(|k| match op.src.get(k) {
                        Some(Ty::I32 | Ty::I16) => u64::from(r.below(160).wrapping_sub(80)),
                        _ => kind.random(&mut r),
                    })
                });
                let other = r.below(4);
                let out = run(&i, mode_word(rule, other), generation, &sources);
                for (l, s) in sources.iter().enumerate() {
                    let mut finite = true;
                    let x: [Number; 3] = core::array::from_fn(|k| {
                        let x = match op.src.get(k) {
                            Some(Ty::I32) => f64::from(s[k] as u32 as i32),
                            Some(Ty::I16) => f64::from(s[k] as u16 as i16),
                            Some(_) => kind.value(s[k]),
                            None => 0.0,
                        };
                        finite &= x.is_finite();
                        Number::new(if x.is_finite() { x } else { 0.0 })
                    });
                    let Some(expected) = finite.then(|| exact(&x, rule)).flatten() else { continue };
                    let expected = expected.bits(rule);
                    assert_eq!(out[l], expected, "{name} {s:x?}, mode {mode}: {:x} not {expected:x}", out[l]);
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 4000, "{name}: {compared}");
}

#[test]
fn sums_and_products() {
    for (kind, generation) in [("f16", &GFX90A), ("f32", &GFX90A), ("f64", &GFX90A)] {
        check(generation, &format!("v_add_{kind}"), |[a, b, _], rule| Some(a.plus(b, rule)));
        check(generation, &format!("v_mul_{kind}"), |[a, b, _], _| Some(a.times(b)));
        check(generation, &format!("v_fma_{kind}"), |[a, b, c], rule| Some(a.times(b).plus(c, rule)));
        check(generation, &format!("v_ldexp_{kind}"), |[a, n, _], _| {
            let n: i64 = (&n.value >> SCALE).try_into().expect("small");
            Some(a.scaled(n))
        });
    }
    for kind in ["f16", "f32"] {
        check(&GFX90A, &format!("v_sub_{kind}"), |[a, b, _], rule| Some(a.plus(&b.negated(), rule)));
        check(&GFX90A, &format!("v_subrev_{kind}"), |[a, b, _], rule| Some(b.plus(&a.negated(), rule)));
    }
    check(&GFX90A, "v_fmac_f32", |[a, b, c], rule| Some(a.times(b).plus(c, rule)));
    check(&GFX90A, "v_fmac_f64", |[a, b, c], rule| Some(a.times(b).plus(c, rule)));
}

/// Zero in place of 32-bit denormals.
fn flush(x: &Number) -> Number {
    let tiny = x.value.magnitude().bits() as i64 - 1 - SCALE < -126;
    Number { value: if tiny { BigInt::ZERO } else { x.value.clone() }, negative: x.negative }
}

#[test]
fn sums_that_round_twice() {
    for name in ["v_mad_f16", "v_mad_legacy_f16"] {
        check(&GFX900, name, |[a, b, c], rule| Some(a.times(b).step(rule)?.plus(c, rule)));
    }
    for name in ["v_mad_f32", "v_mac_f32"] {
        check(&GFX900, name, |[a, b, c], rule| {
            let product = flush(&flush(a).times(&flush(b)).step(rule)?);
            Some(flush(&product.plus(&flush(c), rule).step(rule)?))
        });
    }
    check(&GFX900, "v_mad_mix_f32", |[a, b, c], rule| {
        let product = flush(&flush(a).times(&flush(b)).step(rule)?);
        Some(flush(&product.plus(&flush(c), rule).step(rule)?))
    });
    check(&GFX90A, "v_fma_mix_f32", |[a, b, c], rule| Some(a.times(b).plus(c, rule)));
}

/// Packed forms: a half at a time, the other one anything.
#[test]
fn packed() {
    for (name, arity) in [("v_pk_add_f16", 2), ("v_pk_mul_f16", 2), ("v_pk_fma_f16", 3)] {
        let single = op(&GFX90A, &name.replace("pk_", ""));
        compare_halves(op(&GFX90A, name), single, Half, arity);
    }
    for (name, arity) in [("v_pk_add_f32", 2), ("v_pk_mul_f32", 2), ("v_pk_fma_f32", 3)] {
        let single = op(&GFX90A, &name.replace("pk_", ""));
        compare_halves(op(&GFX90A, name), single, Single, arity);
    }
}

fn compare_halves(packed: &'static Op, single: &'static Op, kind: Kind, arity: usize) {
    let (packed, single, width) = (inst(packed), inst(single), kind.bits());
    let mut r = Random(77);
    for mode in MODES {
        let word = mode_word(Rule { kind, mode, saturates: kind == Half && r.below(2) == 0 }, r.below(4));
        let sources: [[u64; 3]; 64] = core::array::from_fn(|_| {
            core::array::from_fn(|k| {
                let (low, high) = (kind.random(&mut r), kind.random(&mut r));
                if k < arity { low | high << width } else { 0 }
            })
        });
        let mask = (1u64 << width) - 1;
        let out = run(&packed, word, &GFX90A, &sources);
        let low = run(&single, word, &GFX90A, &sources.map(|s| s.map(|x| x & mask)));
        let high = run(&single, word, &GFX90A, &sources.map(|s| s.map(|x| x >> width)));
        for l in 0..64 {
            let expected = low[l] & mask | (high[l] & mask) << width;
            assert_eq!(out[l], expected, "{} {:x?} mode {mode}", packed.op.name, sources[l]);
        }
    }
}

/// Checks a conversion, whose source gives `value`.
fn check_conversion(name: &str, source: impl Fn(&mut Random) -> u64, value: impl Fn(u64) -> f64) {
    let op = op(&GFX90A, name);
    let (i, kind) = (inst(op), Kind::of(op.dst));
    let mut r = Random(name.len() as u64);
    for mode in MODES {
        for saturates in [false, true] {
            let rule = Rule { kind, mode, saturates: saturates && kind == Half };
            for _ in 0..60 {
                let sources: [[u64; 3]; 64] = core::array::from_fn(|_| [source(&mut r), 0, 0]);
                let out = run(&i, mode_word(rule, r.below(4)), &GFX90A, &sources);
                for (out, [x, ..]) in out.into_iter().zip(sources) {
                    let x = value(x);
                    let sign = u64::from(x.is_sign_negative()) << (kind.bits() - 1);
                    let (fraction, _) = kind.shape();
                    let infinity = ((1u64 << (kind.bits() - 1 - fraction as u32)) - 1) << fraction;
                    if x.is_nan() {
                        assert!(out & !(1 << (kind.bits() - 1)) > infinity, "{name} {x}: {out:x}");
                        continue;
                    }
                    let expected = if x.is_infinite() { sign | infinity } else { Number::new(x).bits(rule) };
                    assert_eq!(out, expected, "{name} {x:e}, mode {mode}, {saturates}: {out:x}");
                }
            }
        }
    }
}

#[test]
fn conversions() {
    let single = |x: u64| f64::from(f32::from_bits(x as u32));
    // Values that lie about where halves do.
    let near_half = |r: &mut Random| {
        let x = Half.value(Half.random(r)) as f32;
        let nudge = [0, 1, 0x0fff, 0x1000, 0x1001, 0x1fff][r.below(6) as usize];
        u64::from(x.to_bits().wrapping_add(if x.is_finite() { nudge } else { 0 }))
    };
    check_conversion("v_cvt_f16_f32", near_half, single);
    check_conversion("v_cvt_f16_f32", |r| Single.random(r), single);
    let near_single = |r: &mut Random| {
        let x = Single.value(Single.random(r));
        let nudge = [0, 1, 0x0fff_ffff, 0x1000_0000, 0x1000_0001, 0x1fff_ffff][r.below(6) as usize];
        x.to_bits().wrapping_add(if x.is_finite() { nudge } else { 0 })
    };
    check_conversion("v_cvt_f32_f64", near_single, f64::from_bits);
    check_conversion("v_cvt_f32_f64", |r| Double.random(r), f64::from_bits);
    let integer = |r: &mut Random| {
        let x = r.word() >> r.below(32);
        u64::from(if r.below(2) == 0 { x } else { !x })
    };
    check_conversion("v_cvt_f32_i32", integer, |x| f64::from(x as u32 as i32));
    check_conversion("v_cvt_f32_u32", integer, |x| f64::from(x as u32));
    check_conversion("v_cvt_f16_i16", |r| u64::from(r.word() as u16), |x| f64::from(x as u16 as i16));
    check_conversion("v_cvt_f16_u16", |r| u64::from(r.word() as u16), |x| f64::from(x as u16));
}

/// Mixed forms that round to halves round to 32 bits first, each by its own mode.
#[test]
fn mixed_halves() {
    let i = inst(op(&GFX90A, "v_fma_mixlo_f16"));
    let mut r = Random(3);
    for (single, half, saturates) in (0..32).map(|n| (n & 3, n >> 2 & 3, n >> 4 != 0)) {
        let mode = single | half << 2 | 0x1f0 | u32::from(saturates) << 23;
        let sources: [[u64; 3]; 64] = core::array::from_fn(|_| {
            core::array::from_fn(|_| u64::from((Half.value(Half.random(&mut r)) as f32 * 1.0001).to_bits()))
        });
        let out = run(&i, mode, &GFX90A, &sources);
        for (out, s) in out.into_iter().zip(sources) {
            let values = s.map(|x| Single.value(x));
            if values.iter().any(|x| !x.is_finite()) {
                continue;
            }
            let [a, b, c] = values.map(Number::new);
            let to_single = Rule { kind: Single, mode: single, saturates: false };
            let Some(sum) = a.times(&b).plus(&c, to_single).step(to_single) else { continue };
            let expected = sum.bits(Rule { kind: Half, mode: half, saturates });
            assert_eq!(out & 0xffff, expected, "{values:?} {single} {half}");
        }
    }
}

/// Dot products: each sum is rounded; denormals of 32 bits are zero, and on gfx90a those of halves.
#[test]
fn dot_products() {
    for generation in [&GFX908, &GFX90A] {
        let i = inst(op(generation, "v_dot2_f32_f16"));
        let mut r = Random(9);
        for mode in MODES.into_iter().cycle().take(40) {
            let sources: [[u64; 3]; 64] = core::array::from_fn(|_| {
                let mut pair = || Half.random(&mut r) | Half.random(&mut r) << 16;
                [pair(), pair(), 0].map(|x| x)
            });
            let sources = sources.map(|s| [s[0], s[1], Single.random(&mut r)]);
            let rule = Rule { kind: Single, mode, saturates: false };
            let out = run(&i, mode_word(rule, 3), generation, &sources);
            for (out, s) in out.into_iter().zip(sources) {
                let half = |x: u64| {
                    let x = Half.value(x & 0xffff);
                    if generation.flushes_half_products && x.abs() < 2f64.powi(-14) { x * 0.0 } else { x }
                };
                let x = [half(s[0]), half(s[1]), half(s[0] >> 16), half(s[1] >> 16), Single.value(s[2])];
                if x.iter().any(|x| !x.is_finite()) {
                    continue;
                }
                let [a, b, d, e, c] = x.map(Number::new);
                let sum = flush(&c).plus(&a.times(&b), rule).step(rule);
                let Some(sum) = sum.and_then(|sum| sum.plus(&d.times(&e), rule).step(rule)) else { continue };
                let expected = flush(&sum).bits(rule);
                assert_eq!(out, expected, "{x:?}, mode {mode}, {generation:?}");
            }
        }
    }
}

/// Infinities that are no overflow stay infinite, whatever the mode says of overflows.
#[test]
fn true_infinities() {
    let cases = [
        ("v_add_f16", [0x7c00, 0x3c00], 0x7c00),
        ("v_add_f16", [0x7bff, 0x7bff], 0x7bff),
        ("v_mul_f16", [0xfbff, 0x4000], 0xfbff),
        ("v_rcp_f16", [0x0000, 0], 0x7c00),
        ("v_rcp_f16", [0x0001, 0], 0x7bff),
        ("v_log_f16", [0x0000, 0], 0xfc00),
        ("v_exp_f16", [0x5bff, 0], 0x7bff),
        ("v_exp_f16", [0x7c00, 0], 0x7c00),
        ("v_cvt_f16_f32", [0x7f80_0000, 0], 0x7c00),
        ("v_cvt_f16_f32", [0x4780_0000, 0], 0x7bff),
    ];
    for (name, [a, b], expected) in cases {
        let i = inst(op(&GFX90A, name));
        let out = run(&i, 0x1f0 | 1 << 23, &GFX90A, &[[a, b, 0]; 64]);
        assert_eq!(out, [expected; 64], "{name} {a:x} {b:x}");
    }
}

/// The steps of a division scale back exactly.
#[test]
fn division_steps() {
    check(&GFX90A, "v_div_fmas_f32", |[a, b, c], rule| Some(a.times(b).plus(c, rule)));
    check(&GFX90A, "v_div_fmas_f64", |[a, b, c], rule| Some(a.times(b).plus(c, rule)));
}

/// Conversions to 8 bits and pairs of halves are to nearest even in every mode.
#[test]
fn conversions_that_do_not_heed_the_mode() {
    for name in ["v_cvt_pk_f16_f32", "v_cvt_pk_bf16_f32", "v_cvt_pk_fp8_f32", "v_cvt_pkrtz_f16_f32"] {
        let i = inst(op(&GFX950, name));
        let mut r = Random(4);
        let sources: [[u64; 3]; 64] =
            core::array::from_fn(|_| [Single.random(&mut r), Single.random(&mut r), 0]);
        let plain = run(&i, 0x1f0, &GFX950, &sources);
        for mode in 1..16 {
            assert_eq!(run(&i, 0x1f0 | mode, &GFX950, &sources), plain, "{name} {mode:x}");
        }
    }
}

/// Denormal sources and results, each with its bit, 32-bit ones and others apart.
#[test]
fn denormal_modes() {
    // Instruction, sources, result, and the bits of `MODE` that keep sources and result: 4 and 5 of 32-bit floats, 6 and
    // 7 of others. Each case has one denormal source or a denormal result.
    let cases: [(&str, [u64; 2], u64, u32); 14] = [
        ("v_add_f32", [0x0000_0001, 0x8100_0000], 0x80ff_ffff, 4),
        ("v_max_f32", [0x0000_0001, 0x8100_0000], 0x0000_0001, 4),
        ("v_mul_f32", [0x0080_0000, 0x3f00_0000], 0x0040_0000, 5),
        ("v_mul_f32", [0x8080_0000, 0x3f00_0000], 0x8040_0000, 5),
        ("v_add_f16", [0x0001, 0x8500], 0x84ff, 6),
        ("v_mul_f16", [0x0400, 0x3800], 0x0200, 7),
        ("v_add_f64", [1, 0x8020 << 48], 0x801f_ffff_ffff_ffff, 6),
        ("v_mul_f64", [0x0010 << 48, 0x3fe0 << 48], 0x0008 << 48, 7),
        ("v_cvt_f16_f32", [0x3300_0001, 0], 0x0001, 7),
        ("v_cvt_f32_f16", [0x0001, 0], 0x3380_0000, 6),
        ("v_cvt_f32_f64", [0x3690 << 48 | 1 << 30, 0], 0x0000_0001, 5),
        ("v_cvt_f64_f32", [0x0000_0001, 0], 0x36a0 << 48, 4),
        ("v_ldexp_f32", [0x3f80_0000, -127i32 as u32 as u64], 0x0040_0000, 5),
        ("v_fma_f32", [0x0000_0001, 0x7e80_0000], 0x3400_0000, 4),
    ];
    for (name, [a, b], expected, bit) in cases {
        let op = op(&GFX90A, name);
        let sign = 1u64 << (op.dst.dwords() * 32 - 1).min(if op.dst == Ty::F16 { 15 } else { 63 });
        for round in [0, 0xf] {
            for denormals in 0..16 {
                let mode = 0x100 | denormals << 4 | round;
                let out = run(&inst(op), mode, &GFX90A, &[[a, b, 0]; 64])[0];
                // The maximum of a source that is zero, and of a sum that loses one.
                let other = match (name, bit) {
                    ("v_add_f32" | "v_add_f16" | "v_add_f64", _) => b,
                    ("v_max_f32" | "v_fma_f32" | "v_cvt_f32_f16" | "v_cvt_f64_f32", _) => 0,
                    _ => expected & sign,
                };
                // What goes to zero by rounding is not tested, nor a flushed result that is no source's fault.
                let kept = mode >> bit & 1 != 0;
                let result_kept =
                    !matches!(bit, 4 | 6) || !is_denormal(op.dst, expected) || mode >> (bit + 1) & 1 != 0;
                if round != 0 && matches!(name, "v_cvt_f32_f64" | "v_cvt_f16_f32") || !result_kept {
                    continue;
                }
                assert_eq!(
                    out,
                    if kept { expected } else { other },
                    "{name} {a:x} {b:x}, mode {mode:x}: {out:x}"
                );
            }
        }
    }
}

fn is_denormal(ty: Ty, bits: u64) -> bool {
    let kind = Kind::of(ty);
    let (fraction, _) = kind.shape();
    bits >> fraction & ((1 << (kind.bits() - 1 - fraction as u32)) - 1) == 0
}

/// Output modifiers count where denormal results are not kept and IEEE mode is off; zeros lose their sign.
#[test]
fn output_modifiers() {
    let (keeps, flushes, ieee) = (0x1f0, 0x100, 0x300);
    let cases = [
        ("v_add_f32", [0x3f80_0000, 0x3f80_0000], [0x4080_0000, 0x4100_0000, 0x3f80_0000], 0x4000_0000),
        ("v_add_f16", [0x3c00, 0x3c00], [0x4400, 0x4800, 0x3c00], 0x4000),
        ("v_add_f64", [0x3ff0 << 48, 0x3ff0 << 48], [0x4010 << 48, 0x4020 << 48, 0x3ff0 << 48], 0x4000 << 48),
        ("v_add_f32", [0x8000_0000, 0x8000_0000], [0, 0, 0], 0x8000_0000),
        ("v_mul_f32", [0x0100_0000, 0x3f80_0000], [0x0180_0000, 0x0200_0000, 0x0080_0000], 0x0100_0000),
        ("v_mul_f32", [0x0080_0000, 0x3f80_0000], [0x0100_0000, 0x0180_0000, 0], 0x0080_0000),
    ];
    for (name, [a, b], scaled, plain) in cases {
        let mut i = inst(op(&GFX90A, name));
        for omod in 0..4 {
            i.mods.omod = omod;
            let of = |mode: u32| run(&i, mode, &GFX90A, &[[a, b, 0]; 64])[0];
            let expected = if omod == 0 { plain } else { scaled[usize::from(omod) - 1] };
            assert_eq!(
                [of(flushes), of(keeps), of(ieee)],
                [expected, plain, plain],
                "{name} {a:x} {b:x} {omod}"
            );
        }
    }
}
