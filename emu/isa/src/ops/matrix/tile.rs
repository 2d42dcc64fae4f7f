//! Running a matrix instruction: operands are converted into tiles, multiplied by a kernel, and the sums are made in
//! the registers of `D`.
//!
//! A converted operand is one row of 64 lanes an element. A row of `B` for one `k` then lies side by side in it, and so
//! does a row of `C` or `D` in its register: nothing is transposed.

use super::formats::{self, Small};
use super::shape::{Blgp, Elem, Shape, element};
use crate::{Flow, Inst, Lanes, Operand, Row, Trap, TrapKind, Ty, Wave};

/// Elements a lane that an operand has at most.
pub const ELEMENTS: usize = 32;

/// One operand, converted: 32-bit floats, or pairs of 16-bit integers, or 32-bit integers.
#[repr(align(64))]
pub struct Tile(pub [u32; 64 * ELEMENTS]);

/// Memory that matrix instructions of a wave work in, and what one hands to the next.
pub struct Scratch {
    /// `A`.
    pub a: Tile,
    /// `B`.
    pub b: Tile,
    /// What `v_mfma_ld_scale_b32` loaded: exponents of `A` and of `B`, one a lane.
    pub scale: [[u8; 64]; 2],
}

impl Default for Scratch {
    fn default() -> Scratch {
        let tile = || Tile([0; 64 * ELEMENTS]);
        Scratch { a: tile(), b: tile(), scale: [[127; 64]; 2] }
    }
}

/// One product of a sum: where its factors lie, apart from row and block.
#[derive(Debug, Clone, Copy, Default)]
pub struct Term {
    /// Offset into `A`'s tile.
    pub a: u16,
    /// Offset into `B`'s tile.
    pub b: u16,
}

/// The products of a sum at most.
pub const TERMS: usize = 128;

/// What a kernel must know.
pub struct Plan<'a> {
    /// The instruction.
    pub shape: &'a Shape,
    /// Products in order of `k`.
    pub terms: &'a [Term],
    /// `cbsz` and `abid`: which block of `A` serves for which block.
    pub cbsz: u32,
    /// See `cbsz`.
    pub abid: u32,
    /// Denormal 32-bit products and sums become zero.
    pub flush: bool,
}

impl Plan<'_> {
    /// The block of `A` that block `block` is multiplied with.
    #[inline(always)]
    pub fn block_of_a(&self, block: usize) -> usize {
        (block >> self.cbsz << self.cbsz) + self.abid as usize
    }
}

/// The parts of a body that differ from one machine to another.
pub trait Machine {
    /// Converts the 16-bit floats of a register.
    fn halves(source: &Lanes, lo: &mut Lanes, hi: &mut Lanes);
    /// `d += a * b`, 32-bit floats.
    fn floats(d: &mut [Row], a: &Tile, b: &Tile, plan: &Plan<'_>);
    /// `d += a * b`, pairs of integers.
    fn integers(d: &mut [Row], a: &Tile, b: &Tile, plan: &Plan<'_>);
    /// `d += a * b` where `A` is sparse.
    fn sparse(d: &mut [Row], a: &Tile, b: &Tile, plan: &Plan<'_>, index: &Lanes);
}

/// Executes a matrix instruction; `EXEC` does not count. (Called through [`super::kernel::run`].)
#[inline(always)]
pub fn body<M: Machine>(w: &mut Wave, i: &Inst, shape: &Shape) -> Flow {
    let fields = Fields::of(i);
    if let Err(what) = fields.check(shape, i) {
        return refuse(w, i, &what);
    }
    let (a, b) = match shape.a {
        Elem::Any8 => match (any8(fields.cbsz), any8(fields.blgp)) {
            (Some(a), Some(b)) => (a, b),
            _ => return refuse(w, i, "with an unknown format"),
        },
        _ => (shape.a, shape.b),
    };
    if shape.is_double() {
        double(w, i, shape, if shape.blgp == Blgp::Negate { fields.blgp } else { 0 });
        return Flow::Next;
    }
    let registers = |elem: Elem, per_lane: usize| per_lane * elem.bits() / 32;
    for (o, count) in
        [(i.src[0], registers(a, shape.a_per_lane())), (i.src[1], registers(b, shape.b_per_lane()))]
    {
        if (o.0 as usize & 255) + count > 256 {
            return refuse(w, i, "with factors beyond the register file");
        }
    }
    let mut scratch = w.matrix.take().unwrap_or_default();
    let lanes = if shape.blgp == Blgp::Lanes { fields.blgp } else { 0 };
    load::<M>(w, i.src[0], a, shape.a_per_lane(), 0, shape.sparse, &mut scratch.a);
    load::<M>(w, i.src[1], b, shape.b_per_lane(), lanes, shape.sparse, &mut scratch.b);
    single::<M>(w, i, shape, (a, b), &fields, &scratch);
    w.matrix = Some(scratch);
    Flow::Next
}

/// The sums, where they are not 64-bit floats.
#[inline(always)]
fn single<M: Machine>(
    w: &mut Wave,
    i: &Inst,
    shape: &Shape,
    formats: (Elem, Elem),
    fields: &Fields,
    t: &Scratch,
) {
    let (count, d) = (shape.sum_dwords(), i.dst.row());
    let index = if shape.sparse { register(w, i.src[2], 0, 0) } else { Row([0; 64]) };
    if !shape.sparse {
        bring_sums(w, i.src[2], d, count);
    }
    let flush_halves = w.generation.flushes_half_products && matches!(shape.a, Elem::F16 | Elem::Bf16);
    let denormals = if shape.a == Elem::F32 { w.mode.denorm32() } else { 3 };
    let sums = &mut w.v[d..d + count];
    if flush_halves || denormals & 1 == 0 {
        sums.iter_mut().for_each(|row| flush(&mut row.0, 0x0080_0000));
    }
    // Integers go in pairs of neighbours.
    let pair = if shape.is_integer() && !shape.sparse { 2 } else { 1 };
    let terms_count = shape.k / pair;
    let mut terms = [Term::default(); TERMS];
    let split = |elem: Elem| shape.a == Elem::Any8 && matches!(elem, Elem::Fp8 | Elem::Bf8);
    for (k, term) in terms[..terms_count].iter_mut().enumerate() {
        let (e, group) = element(k, shape.k / pair * shape.m * shape.blocks / 64, shape.k, split(formats.0));
        term.a = (64 * e + group * shape.m * shape.blocks) as u16;
        let (e, group) = element(k, shape.b_per_lane() / pair, shape.k, split(formats.1));
        term.b = (64 * e + group * shape.n * shape.blocks) as u16;
    }
    let (cbsz, abid) = match shape.blgp {
        Blgp::Format => (0, 0),
        _ => (fields.cbsz, fields.abid),
    };
    let plan = Plan {
        shape,
        terms: &terms[..terms_count],
        cbsz,
        abid,
        flush: flush_halves && shape.a == Elem::Bf16,
    };
    if shape.sparse {
        M::sparse(sums, &t.a, &t.b, &plan, &index.0);
    } else if shape.is_integer() {
        M::integers(sums, &t.a, &t.b, &plan);
    } else if shape.blgp == Blgp::Format && fields.abid & 1 != 0 {
        super::scaled::multiply(sums, t, &plan);
    } else {
        M::floats(sums, &t.a, &t.b, &plan);
    }
    if flush_halves || denormals & 2 == 0 {
        sums.iter_mut().for_each(|row| flush_signed(&mut row.0));
    }
}

/// Copies `C` to where `D` is.
#[inline(always)]
fn bring_sums(w: &mut Wave, c: Operand, d: usize, count: usize) {
    if !c.is_vector() {
        let x = w.scalar32(c, 0);
        w.v[d..d + count].fill(Row([x; 64]));
        return;
    }
    let c = c.row();
    // The groups may overlap.
    for k in 0..if c == d { 0 } else { count } {
        let k = if c < d { count - 1 - k } else { k };
        w.v[d + k] = w.v[c + k].clone();
    }
}

/// 64-bit floats.
#[inline(always)]
fn double(w: &mut Wave, i: &Inst, shape: &Shape, neg: u32) {
    let sign = |bit: u32| if neg >> bit & 1 != 0 { 1u64 << 63 } else { 0 };
    let read = |o: Operand, bit: u32| -> [f64; 64] {
        let (lo, hi) = if o.is_vector() {
            (&w.v[o.row()].0, &w.v[o.plus(1).row()].0)
        } else {
            let x = w.scalar64(o, Ty::F64, 0);
            return [f64::from_bits(x ^ sign(bit)); 64];
        };
        core::array::from_fn(|l| f64::from_bits((u64::from(lo[l]) | u64::from(hi[l]) << 32) ^ sign(bit)))
    };
    let (a, b) = (read(i.src[0], 0), read(i.src[1], 1));
    let pairs = shape.sum_dwords() / 2;
    let mut sums = [[0f64; 64]; 4];
    for (r, sum) in sums[..pairs].iter_mut().enumerate() {
        let c = i.src[2];
        *sum = read(if c.is_vector() { c.plus(2 * r as u16) } else { c }, 2);
    }
    let (m, n, blocks) = (shape.m, shape.n, shape.blocks);
    for (r, sum) in sums[..pairs].iter_mut().enumerate() {
        for (s, sum) in sum.chunks_exact_mut(n).enumerate() {
            let (row, block) = shape.place(r, s);
            for k in 0..shape.k {
                let x = a[k * m * blocks + block * m + row];
                let b = &b[k * n * blocks + block * n..][..n];
                for (sum, b) in sum.iter_mut().zip(b) {
                    *sum = x.mul_add(*b, *sum);
                }
            }
        }
    }
    for (r, sum) in sums[..pairs].iter().enumerate() {
        let d = i.dst.plus(2 * r as u16);
        for (l, x) in sum.iter().enumerate() {
            let bits = if x.is_nan() { 0x7ff8_0000_0000_0000 } else { x.to_bits() };
            w.v[d.row()].0[l] = bits as u32;
            w.v[d.plus(1).row()].0[l] = (bits >> 32) as u32;
        }
    }
}

/// Stops the wave: an encoding whose meaning is not known.
#[cold]
fn refuse(w: &mut Wave, i: &Inst, what: &str) -> Flow {
    let kind = TrapKind::NotImplemented { mnemonic: format!("{} {what}", i.op.name), words: i.words };
    let pc = i.pc(w);
    w.stop(Trap { kind, pc, lane: None })
}

/// The modifiers of a matrix instruction.
struct Fields {
    cbsz: u32,
    abid: u32,
    blgp: u32,
}

impl Fields {
    fn of(i: &Inst) -> Fields {
        Fields { cbsz: i.imm & 7, abid: i.imm >> 3 & 15, blgp: i.imm >> 7 & 7 }
    }

    fn check(&self, shape: &Shape, i: &Inst) -> Result<(), String> {
        if shape.blgp == Blgp::Unused && self.blgp != 0 {
            return Err(format!("with blgp:{}", self.blgp));
        }
        let broadcasts = 1 << self.cbsz <= shape.blocks && self.abid < 1 << self.cbsz;
        if !shape.sparse && shape.blgp != Blgp::Format && !broadcasts {
            return Err(format!("with cbsz:{} abid:{}", self.cbsz, self.abid));
        }
        if shape.sparse && !i.src[2].is_vector() {
            return Err("with an index that is no vector register".to_owned());
        }
        let sets = 32 / (2 * shape.a_per_lane());
        if shape.sparse && self.cbsz == 0 && self.abid as usize >= sets {
            return Err(format!("with abid:{}", self.abid));
        }
        if i.src[..2].iter().any(|o| !o.is_vector()) {
            return Err("with a factor that is no vector register".to_owned());
        }
        let sums = [i.dst, if shape.sparse { i.dst } else { i.src[2] }];
        let fits = |o: &Operand| !o.is_vector() || (o.0 as usize & 255) + shape.sum_dwords() <= 256;
        if !i.dst.is_vector() || !sums.iter().all(fits) {
            return Err("with sums beyond the register file".to_owned());
        }
        Ok(())
    }
}

/// The formats that `cbsz` and `blgp` name.
fn any8(field: u32) -> Option<Elem> {
    [Elem::Fp8, Elem::Bf8, Elem::Fp6, Elem::Bf6, Elem::Fp4].get(field as usize).copied()
}

/// The lane that `blgp` reads for lane `l` of `B`.
const fn permuted(l: usize, blgp: u32) -> usize {
    match blgp {
        1 => l % 32,
        2 => l % 32 + 32,
        3 => (l + 16) % 64,
        4..=7 => l % 16 + 16 * (blgp as usize - 4),
        _ => l,
    }
}

/// The format of a small float in this generation.
pub fn small(w: &Wave, elem: Elem) -> Small {
    match (elem, w.generation.has_ocp_fp8) {
        (Elem::Fp8, false) => formats::FP8_FNUZ,
        (Elem::Bf8, false) => formats::BF8_FNUZ,
        (Elem::Bf8, true) => formats::BF8_OCP,
        (Elem::Fp6, _) => formats::FP6,
        (Elem::Bf6, _) => formats::BF6,
        (Elem::Fp4, _) => formats::FP4,
        _ => formats::FP8_OCP,
    }
}

/// Register `r` of an operand, with `B`'s lanes permuted.
#[inline(always)]
fn register(w: &Wave, o: Operand, r: usize, blgp: u32) -> Row {
    let row = &w.v[o.plus(r as u16).row()];
    if blgp == 0 { row.clone() } else { Row(core::array::from_fn(|l| row.0[permuted(l, blgp)])) }
}

/// Converts an operand: element `e` of lane `l` to `out[64 * e + l]`.
#[inline(always)]
fn load<M: Machine>(
    w: &Wave,
    o: Operand,
    elem: Elem,
    per_lane: usize,
    blgp: u32,
    sparse: bool,
    out: &mut Tile,
) {
    let bits = elem.bits();
    let rows = out.0.as_chunks_mut::<64>().0;
    if bits == 6 {
        return load_six_bits(w, o, small(w, elem), rows);
    }
    let step = if elem == Elem::I8 && !sparse { 2 } else { 32 / bits };
    for r in 0..per_lane * bits / 32 {
        let source = register(w, o, r, blgp).0;
        let rows = &mut rows[r * step..][..step];
        match elem {
            Elem::Xf32 => each_lane(&source, &mut rows[0], |x| x & !0x1fff),
            Elem::F16 => {
                let (lo, hi) = rows.split_at_mut(1);
                M::halves(&source, &mut lo[0], &mut hi[0]);
            }
            Elem::Bf16 => {
                each_lane(&source, &mut rows[0], |x| x << 16);
                each_lane(&source, &mut rows[1], |x| x & 0xffff_0000);
            }
            // Two neighbours in `k`, as 16-bit integers.
            Elem::I8 if !sparse => {
                for (c, row) in rows.iter_mut().enumerate() {
                    let byte = |x: u32| i32::from((x >> (16 * c)) as i8);
                    each_lane(&source, row, |x| byte(x) as u32 & 0xffff | (byte(x >> 8) << 16) as u32);
                }
            }
            Elem::I8 => {
                for (c, row) in rows.iter_mut().enumerate() {
                    each_lane(&source, row, |x| i32::from((x >> (8 * c)) as i8) as u32);
                }
            }
            Elem::F64 | Elem::F32 => rows[0] = source,
            _ => {
                let format = small(w, elem);
                for (c, row) in rows.iter_mut().enumerate() {
                    each_lane(&source, row, |x| format.to_f32(x >> (bits * c)).to_bits());
                }
            }
        }
        let flushes = w.generation.flushes_half_products;
        match elem {
            Elem::F32 if w.mode.denorm32() & 1 == 0 => flush(&mut rows[0], 0x0080_0000),
            Elem::F16 if flushes => rows.iter_mut().for_each(|row| flush(row, 0x3880_0000)),
            Elem::Bf16 if flushes => rows.iter_mut().for_each(|row| flush(row, 0x0080_0000)),
            _ => {}
        }
    }
}

/// `out = f(source)` in each lane. (`map` of an array would not become vector code.)
#[inline(always)]
fn each_lane(source: &Lanes, out: &mut Lanes, f: impl Fn(u32) -> u32) {
    for (out, &x) in out.iter_mut().zip(source) {
        *out = f(x);
    }
}

/// Elements of 6 bits straddle registers.
fn load_six_bits(w: &Wave, o: Operand, format: Small, rows: &mut [Lanes]) {
    let mut source: [Lanes; 7] = [[0; 64]; 7];
    for (r, row) in source[..6].iter_mut().enumerate() {
        *row = register(w, o, r, 0).0;
    }
    for (e, row) in rows.iter_mut().enumerate().take(ELEMENTS) {
        let (r, shift) = (6 * e / 32, 6 * e % 32);
        let (lo, hi) = (&source[r], &source[r + 1]);
        for l in 0..64 {
            let both = u64::from(lo[l]) | u64::from(hi[l]) << 32;
            row[l] = format.to_f32((both >> shift) as u32).to_bits();
        }
    }
}

/// Makes zero what is less than the least normal value.
#[inline(always)]
fn flush(row: &mut Lanes, least: u32) {
    for x in row {
        *x = if *x & 0x7fff_ffff < least { 0 } else { *x };
    }
}

/// As [`flush`], for results: the sign stays.
#[inline(always)]
fn flush_signed(row: &mut Lanes) {
    for x in row {
        *x = if *x & 0x7fff_ffff < 0x0080_0000 { *x & 0x8000_0000 } else { *x };
    }
}
