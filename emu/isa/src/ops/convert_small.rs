//! Conversions to and from 8-bit floats and BF16, and those that round by random bits. MI300 and CDNA4 ISA, "VOP1",
//! "VOP3A".
//!
//! A conversion is a row: formats, how many values, how they are rounded; one body runs them all. What the manuals
//! leave open is in `docs/isa/errata.md`.

use super::matrix::formats::{self, Rounding, Small, Specials};
use crate::lanes::{F32, Lane, put_rows, source_rows, write_row, written_lanes};
use crate::{Flow, Inst, Operand, Row, Traits, Ty, Wave};

/// A format; of which bits that is, the generation says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the manuals' types")]
pub enum Num {
    F32,
    F16,
    Bf16,
    Fp8,
    Bf8,
    Fp6,
    Bf6,
    Fp4,
}

const SINGLE: Small = Small { bits: 32, fraction: 23, bias: 127, specials: Specials::Ieee };

impl Num {
    const fn bits(self) -> usize {
        match self {
            Num::F32 => 32,
            Num::F16 | Num::Bf16 => 16,
            Num::Fp8 | Num::Bf8 => 8,
            Num::Fp6 | Num::Bf6 => 6,
            Num::Fp4 => 4,
        }
    }

    fn format(self, w: &Wave) -> Small {
        match (self, w.generation.has_ocp_fp8) {
            (Num::F32, _) => SINGLE,
            (Num::F16, _) => formats::F16,
            (Num::Bf16, _) => formats::BF16,
            (Num::Fp8, true) => formats::FP8_OCP,
            (Num::Fp8, false) => formats::FP8_FNUZ,
            (Num::Bf8, true) => formats::BF8_OCP,
            (Num::Bf8, false) => formats::BF8_FNUZ,
            (Num::Fp6, _) => formats::FP6,
            (Num::Bf6, _) => formats::BF6,
            (Num::Fp4, _) => formats::FP4,
        }
    }
}

/// What a conversion does.
#[derive(Debug, Clone, Copy)]
pub struct Conversion {
    from: Num,
    to: Num,
    count: usize,
    sources: usize,
    stochastic: bool,
    scaled: bool,
}

impl Conversion {
    /// `count` values of the first source, rounded to nearest even.
    pub const fn new(from: Num, to: Num, count: usize) -> Conversion {
        Conversion { from, to, count, sources: 1, stochastic: false, scaled: false }
    }

    /// `base`, with what `op_sel` chooses: the parts of dwords that the values take.
    pub const fn traits(self, base: Traits) -> Traits {
        let (source, result) = (self.from.bits() * self.count / self.sources, self.to.bits() * self.count);
        Traits { selects: source < 32 || result < 32, dst_byte: result == 8, ..base }
    }

    /// The values come from two sources in turn.
    pub const fn from_two(self) -> Conversion {
        Conversion { sources: 2, ..self }
    }

    /// Rounded by the random bits that the source behind the values brings.
    pub const fn stochastic(self) -> Conversion {
        Conversion { stochastic: true, ..self }
    }

    /// Scaled by the exponent that the last source brings.
    pub const fn scaled(self) -> Conversion {
        Conversion { scaled: true, ..self }
    }
}

/// `conversions! { NAME "mnemonic": Dst <- (Src, …) = conversion; … }`.
macro_rules! conversions {
    ($($name:ident $text:literal $([$traits:ident])?: $D:ident <- ($($T:ident),+) = $conversion:expr;)*) => {$(
        #[doc = concat!("`", $text, "`.")]
        pub static $name: $crate::Op = {
            fn general(w: &mut $crate::Wave, _: &mut $crate::Group<'_>, i: &$crate::Inst) -> $crate::Flow {
                $crate::ops::convert_small::run(w, i, const { &$conversion })
            }
            $crate::Op {
                name: $text,
                dst: $crate::Ty::$D,
                src: &[$($crate::Ty::$T),+],
                traits: ($conversion).traits($crate::lane_ops!(@traits $($traits)?)),
                general,
                fast: None,
                fast_modified: None,
            }
        };
    )*};
}
pub(crate) use conversions;

conversions! {
    V_CVT_F32_FP8 "v_cvt_f32_fp8" [WHOLE_DST]: F32 <- (B32) = Conversion::new(Num::Fp8, Num::F32, 1);
    V_CVT_F32_BF8 "v_cvt_f32_bf8" [WHOLE_DST]: F32 <- (B32) = Conversion::new(Num::Bf8, Num::F32, 1);
    V_CVT_PK_F32_FP8 "v_cvt_pk_f32_fp8" [WHOLE_DST]: B64 <- (B32) = Conversion::new(Num::Fp8, Num::F32, 2);
    V_CVT_PK_F32_BF8 "v_cvt_pk_f32_bf8" [WHOLE_DST]: B64 <- (B32) = Conversion::new(Num::Bf8, Num::F32, 2);
    V_CVT_PK_FP8_F32 "v_cvt_pk_fp8_f32": B32 <- (F32, F32) = Conversion::new(Num::F32, Num::Fp8, 2).from_two();
    V_CVT_PK_BF8_F32 "v_cvt_pk_bf8_f32": B32 <- (F32, F32) = Conversion::new(Num::F32, Num::Bf8, 2).from_two();
    V_CVT_SR_FP8_F32 "v_cvt_sr_fp8_f32": B32 <- (F32, B32) = Conversion::new(Num::F32, Num::Fp8, 1).stochastic();
    V_CVT_SR_BF8_F32 "v_cvt_sr_bf8_f32": B32 <- (F32, B32) = Conversion::new(Num::F32, Num::Bf8, 1).stochastic();
    V_CVT_F32_BF16 "v_cvt_f32_bf16": F32 <- (BF16) = Conversion::new(Num::Bf16, Num::F32, 1);
    V_CVT_PK_F16_F32 "v_cvt_pk_f16_f32": P16 <- (F32, F32) = Conversion::new(Num::F32, Num::F16, 2).from_two();
    V_CVT_PK_BF16_F32 "v_cvt_pk_bf16_f32": P16 <- (F32, F32) = Conversion::new(Num::F32, Num::Bf16, 2).from_two();
    V_CVT_SR_F16_F32 "v_cvt_sr_f16_f32": F16 <- (F32, B32) = Conversion::new(Num::F32, Num::F16, 1).stochastic();
    V_CVT_SR_BF16_F32 "v_cvt_sr_bf16_f32": BF16 <- (F32, B32) = Conversion::new(Num::F32, Num::Bf16, 1).stochastic();
}

/// The next value of the pseudo-random sequence of `v_prng_b32`.
pub const fn next_random(x: u32) -> u32 {
    x << 1 ^ if x >> 31 != 0 { 197 } else { 0 }
}

/// One dword of a source in all lanes, with SDWA and DPP where the first is asked for.
fn dwords(w: &Wave, i: &Inst, k: usize, r: usize, format: Small) -> Row {
    let o = i.src[k];
    match o {
        _ if o.is_vector() && r > 0 => w.v[o.plus(r as u16).row()].clone(),
        _ if o.is_vector() => source_rows(w, i, k, Ty::B32).0,
        _ if o.is_constant() && format == formats::F16 => Row([u32::from(o.constant16(i.literal)); 64]),
        _ if o.is_constant() && format == formats::BF16 && o != Operand::LITERAL => {
            Row([o.constant32(i.literal) >> 16; 64])
        }
        _ => Row([w.scalar32(o, i.literal); 64]),
    }
}

/// Executes a conversion.
pub fn run(w: &mut Wave, i: &Inst, c: &Conversion) -> Flow {
    let (from, to) = (c.from.format(w), c.to.format(w));
    let per_source = c.count / c.sources;
    // Parts of a dword: which one, op_sel says.
    let unit_in = from.bits as usize * per_source;
    let unit_out = to.bits as usize * c.count;
    let sel = u32::from(i.mods.op_sel);
    let shift_in = match unit_in {
        8 => (sel & 3) * 8,
        16 => (sel & 1) * 16,
        _ => 0,
    };
    let shift_out = match unit_out {
        8 => (sel >> 2) * 8,
        16 => (sel >> 3) * 16,
        _ => 0,
    };
    let mut sources = Vec::new();
    for k in 0..c.sources {
        sources.push((0..unit_in.div_ceil(32)).map(|r| dwords(w, i, k, r, from)).collect::<Vec<Row>>());
    }
    let random = if c.stochastic { Some(dwords(w, i, c.sources, 0, SINGLE)) } else { None };
    let scale = if c.scaled { Some(dwords(w, i, i.op.src.len() - 1, 0, SINGLE)) } else { None };
    let encodes = to.bits < from.bits;
    let mut out = vec![Row([0; 64]); unit_out.div_ceil(32)];
    for l in 0..64 {
        let mut random = random.as_ref().map(|row| row.0[l]);
        let scale = scale.as_ref().map_or(1.0, |row| power(row.0[l] >> 23 & 0xff, encodes));
        for e in 0..c.count {
            let (k, at) = (e % c.sources, e / c.sources * from.bits as usize + shift_in as usize);
            let bits = field(&sources[k], l, at, from.bits);
            let sign = 1u32 << (from.bits - 1);
            let bits = if i.mods.abs >> k & 1 != 0 { bits & !sign } else { bits };
            let bits = if i.mods.neg >> k & 1 != 0 { bits ^ sign } else { bits };
            let how = Rounding { saturate: w.mode.fp16_ovfl() && to.bits < 32, random };
            let value = to.round(from.to_f64(bits) * scale, how);
            put(&mut out, l, e * to.bits as usize + shift_out as usize, to.bits, value);
            random = random.map(next_random);
        }
    }
    store(w, i, c, out, unit_out, shift_out);
    Flow::Next
}

/// `2^(exponent - 127)`, or its inverse; NaN for the exponent of NaN.
fn power(exponent: u32, inverse: bool) -> f64 {
    let e = exponent as i32 - 127;
    let e = if inverse { -e } else { e };
    if exponent == 255 { f64::NAN } else { f64::from_bits(((e + 1023) as u64) << 52) }
}

/// `len` bits of lane `l` from bit `at` on.
fn field(rows: &[Row], l: usize, at: usize, len: u32) -> u32 {
    let (r, shift) = (at / 32, at % 32);
    let hi = rows.get(r + 1).map_or(0, |row| row.0[l]);
    let both = u64::from(rows[r].0[l]) | u64::from(hi) << 32;
    (both >> shift) as u32 & (!0u32 >> (32 - len))
}

fn put(rows: &mut [Row], l: usize, at: usize, len: u32, value: u32) {
    let (r, shift) = (at / 32, at % 32);
    let bits = u64::from(value) << shift;
    rows[r].0[l] |= bits as u32;
    if shift + len as usize > 32 {
        rows[r + 1].0[l] |= (bits >> 32) as u32;
    }
}

/// Writes the result: a part of a dword leaves the rest of it alone.
fn store(w: &mut Wave, i: &Inst, c: &Conversion, mut out: Vec<Row>, bits: usize, shift: u32) {
    if bits < 32 {
        let mask = ((1u64 << bits) - 1) as u32;
        for (x, old) in out[0].0.iter_mut().zip(&w.v[i.dst.row()].0) {
            *x |= old & !(mask << shift);
        }
    }
    if c.to == Num::F32 && (i.mods.clamp || i.mods.omod != 0) {
        for x in out.iter_mut().flat_map(|row| &mut row.0) {
            *x = F32::finish(f32::from_bits(*x), i.mods.omod, i.mods.clamp, w.mode).to_bits();
        }
    }
    if out.len() == 1 {
        let row = out.remove(0);
        return put_rows(w, i, row, Row([0; 64]), Ty::B32);
    }
    let lanes = written_lanes(w, i);
    for (r, row) in out.iter().enumerate() {
        write_row(&mut w.v[i.dst.plus(r as u16).row()].0, &row.0, lanes);
    }
}
