//! Matrix products as the manuals lay them out, one element at a time.

#![allow(dead_code, unreachable_pub, reason = "each test uses its part")]

use amdgpu_isa::ops::matrix::shape::{self, Blgp, Order, Shape};
use amdgpu_isa::{Gen, Inst, Op, Operand, Wave};

use crate::common::Random;
use crate::common::vector::{Silent, Unmapped, copy, group};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Elem {
    F64,
    F32,
    Xf32,
    F16,
    Bf16,
    I8,
    Fp8,
    Bf8,
    Fp6,
    Bf6,
    Fp4,
    Any8,
}

impl Elem {
    pub fn bits(self) -> usize {
        match self {
            Elem::F64 => 64,
            Elem::F32 | Elem::Xf32 => 32,
            Elem::F16 | Elem::Bf16 => 16,
            Elem::Fp6 | Elem::Bf6 => 6,
            Elem::Fp4 => 4,
            _ => 8,
        }
    }

    fn parse(text: &str) -> Elem {
        match text {
            "f64" => Elem::F64,
            "f32" => Elem::F32,
            "xf32" => Elem::Xf32,
            "f16" => Elem::F16,
            "bf16" => Elem::Bf16,
            "i8" => Elem::I8,
            "fp8" => Elem::Fp8,
            "bf8" => Elem::Bf8,
            "f8f6f4" => Elem::Any8,
            _ => panic!("type {text}"),
        }
    }

    /// The value of bits, from the format's definition.
    pub fn value(self, bits: u64, ocp: bool) -> f64 {
        let float = |width: u32, fraction: u32, bias: i32| {
            let sign = if bits >> (width - 1) & 1 != 0 { -1.0 } else { 1.0 };
            let exponent = (bits >> fraction) as i32 & ((1 << (width - 1 - fraction)) - 1);
            let part = (bits & ((1 << fraction) - 1)) as f64 / f64::from(1u32 << fraction);
            let scaled = |x: f64, e: i32| x * 2f64.powi(e - bias);
            sign * if exponent == 0 { scaled(part, 1) } else { scaled(1.0 + part, exponent) }
        };
        let ieee_special = |exponent: u64, fraction: u32, width: u32| {
            let e = bits >> fraction & exponent;
            (e == exponent).then(|| match bits & ((1 << fraction) - 1) {
                0 if bits >> (width - 1) & 1 != 0 => f64::NEG_INFINITY,
                0 => f64::INFINITY,
                _ => f64::NAN,
            })
        };
        match self {
            Elem::F64 => f64::from_bits(bits),
            Elem::F32 => f64::from(f32::from_bits(bits as u32)),
            Elem::Xf32 => f64::from(f32::from_bits(bits as u32 & !0x1fff)),
            Elem::Bf16 => f64::from(f32::from_bits((bits as u32) << 16)),
            Elem::F16 => ieee_special(31, 10, 16).unwrap_or_else(|| float(16, 10, 15)),
            Elem::I8 => f64::from(bits as u8 as i8),
            Elem::Fp8 if ocp && bits & 0x7f == 0x7f => f64::NAN,
            Elem::Fp8 if ocp => float(8, 3, 7),
            Elem::Bf8 if ocp => ieee_special(31, 2, 8).unwrap_or_else(|| float(8, 2, 15)),
            Elem::Fp8 | Elem::Bf8 if bits == 0x80 => f64::NAN,
            Elem::Fp8 => float(8, 3, 8),
            Elem::Bf8 => float(8, 2, 16),
            Elem::Fp6 => float(6, 3, 1),
            Elem::Bf6 => float(6, 2, 3),
            Elem::Fp4 => float(4, 1, 1),
            Elem::Any8 => panic!("no one format"),
        }
    }

    /// Bits of a random value; a small integer if `whole`.
    fn random(self, r: &mut Random, whole: bool, ocp: bool) -> u64 {
        loop {
            let bits = match self {
                Elem::F64 if whole => (f64::from(r.below(17)) - 8.0).to_bits(),
                Elem::F64 => (r.next() & !(0x7ff << 52)) | (1020 + u64::from(r.below(6))) << 52,
                Elem::F32 | Elem::Xf32 if whole => u64::from((r.below(17) as f32 - 8.0).to_bits()),
                Elem::F32 | Elem::Xf32 => u64::from(r.word() & !(0xff << 23) | (124 + r.below(6)) << 23),
                Elem::Bf16 if whole => u64::from((r.below(17) as f32 - 8.0).to_bits() >> 16),
                Elem::Bf16 => u64::from((r.word() & !(0xff << 23) | (124 + r.below(6)) << 23) >> 16),
                Elem::F16 if !whole => u64::from(r.word() & 0x83ff | (10 + r.below(8)) << 10),
                _ => r.next() & ((1 << self.bits()) - 1),
            };
            let value = self.value(bits, ocp);
            let fits = value.is_finite() && (!whole || value.fract() == 0.0 && value.abs() <= 8.0);
            // In the last bit of a half that is no integer there is room for a denormal: those have a test of theirs.
            if fits || self == Elem::I8 {
                return bits;
            }
        }
    }
}

/// The formats of `A` and `B`.
pub type Formats = (Elem, Elem);

/// An instruction, by its name.
#[derive(Debug, Clone)]
pub struct Spec {
    pub name: &'static str,
    pub m: usize,
    pub n: usize,
    pub k: usize,
    pub blocks: usize,
    pub a: Elem,
    pub b: Elem,
    pub sparse: bool,
}

impl Spec {
    /// `v_mfma_f32_32x32x4_2b_f16`, `v_mfma_f32_32x32x4f16`, `v_smfmac_f32_16x16x64_bf8_fp8`.
    pub fn parse(name: &'static str) -> Spec {
        let text = name.trim_end_matches("_1k");
        let mut parts = text.split('_').skip(2);
        let sum = parts.next().unwrap();
        let shape = parts.next().unwrap();
        let mut sizes = shape.splitn(3, 'x');
        let (m, n) = (sizes.next().unwrap().parse().unwrap(), sizes.next().unwrap().parse().unwrap());
        let rest = sizes.next().unwrap();
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let k: usize = rest[..digits].parse().unwrap();
        let mut types: Vec<&str> = parts.collect();
        if digits < rest.len() {
            types = vec![&rest[digits..]];
        }
        // Names of CDNA3 tell the blocks; those of CDNA1 leave it to the size: all have 64 lanes of sums or more.
        let mut blocks = None;
        if let Some(b) = types[0].strip_suffix('b').filter(|b| b.parse::<usize>().is_ok()) {
            blocks = b.parse().ok();
            types.remove(0);
        }
        let a = Elem::parse(types[0]);
        let b = types.get(1).map_or(a, |t| Elem::parse(t));
        let old_blocks = || {
            let small = match a {
                Elem::F32 => 1,
                Elem::Bf16 if !name.ends_with("_1k") => 2,
                _ => 4,
            };
            if digits < rest.len() && a != Elem::F64 && k == small && !(m == 16 && a == Elem::F32 && k == 4) {
                match (m, a) {
                    (32, Elem::F32) if k == 2 => 1,
                    (32, _) => 2,
                    (16, _) => 4,
                    _ => 16,
                }
            } else if m == 4 {
                4
            } else {
                1
            }
        };
        let blocks = blocks.unwrap_or_else(old_blocks);
        assert_eq!(sum == "f64", a == Elem::F64, "{name}");
        Spec { name, m, n, k, blocks, a, b, sparse: text.starts_with("v_smfmac") }
    }

    pub fn is_integer(&self) -> bool {
        self.a == Elem::I8
    }

    /// The formats that it takes.
    pub fn formats(&self) -> Vec<Formats> {
        if self.a != Elem::Any8 {
            return vec![(self.a, self.b)];
        }
        let all = [Elem::Fp8, Elem::Bf8, Elem::Fp6, Elem::Bf6, Elem::Fp4];
        all.iter().flat_map(|&a| all.map(|b| (a, b))).collect()
    }

    fn has_lane_patterns(&self, generation: &Gen) -> bool {
        let old = !generation.has_sc_bits;
        !self.sparse && self.a != Elem::F64 && (old || self.a == Elem::F32 || self.blocks > 1)
    }

    /// All values of `cbsz | abid << 3 | blgp << 7` that mean something, but 0.
    pub fn modifiers(&self, generation: &Gen) -> Vec<u32> {
        let mut all = Vec::new();
        if self.sparse {
            let sets = 32 / (2 * self.stored() * self.m / 64);
            all.extend((1..sets as u32).map(|abid| abid << 3));
            all.extend([1, 1 | 1 << 3]);
        } else if self.a == Elem::F64 {
            all.extend((1..8).map(|neg| neg << 7).filter(|_| generation.has_sc_bits));
        } else if self.a != Elem::Any8 {
            for cbsz in 0..=self.blocks.ilog2() {
                for abid in 0..1 << cbsz {
                    // All patterns with the plain block, one of them with each other.
                    let patterns = match self.has_lane_patterns(generation) {
                        false => 0..1,
                        true if cbsz == 0 => 0..8,
                        true => abid % 8..abid % 8 + 1,
                    };
                    all.extend(patterns.map(|blgp| cbsz | abid << 3 | blgp << 7));
                }
            }
        }
        all
    }

    /// Elements of a row of `A` that are stored.
    pub fn stored(&self) -> usize {
        if self.sparse { self.k / 2 } else { self.k }
    }

    /// The shape as the engine has it, for its portable body.
    pub fn shape(&self, generation: &Gen) -> Shape {
        let elem = |e: Elem| match e {
            Elem::F64 => shape::Elem::F64,
            Elem::F32 => shape::Elem::F32,
            Elem::Xf32 => shape::Elem::Xf32,
            Elem::F16 => shape::Elem::F16,
            Elem::Bf16 => shape::Elem::Bf16,
            Elem::I8 => shape::Elem::I8,
            Elem::Fp8 => shape::Elem::Fp8,
            Elem::Bf8 => shape::Elem::Bf8,
            _ => shape::Elem::Any8,
        };
        let old = !generation.has_sc_bits;
        let order = match self.a {
            Elem::F16 if old => Order::Quads,
            Elem::Bf16 if self.name.ends_with("_1k") => Order::Quads,
            Elem::Bf16 if old => Order::Pairs,
            _ => Order::Chain,
        };
        let blgp = match self.a {
            Elem::Any8 => Blgp::Format,
            Elem::F64 if !old => Blgp::Negate,
            _ if self.has_lane_patterns(generation) => Blgp::Lanes,
            _ => Blgp::Unused,
        };
        let base = shape::mfma(self.m, self.n, self.k, self.blocks, elem(self.a), elem(self.b));
        Shape { sparse: self.sparse, ..base.order(order).blgp(blgp) }
    }
}

/// An instruction with `A` from v0 on, `B` from v32 on, `C` from v64 on and `D` there too; the index in v250.
pub fn mfma_words((number, op): (u32, &Op), formats: &Formats, modifiers: u32, acc: bool) -> [u32; 2] {
    let code = |e: Elem| match e {
        Elem::Bf8 => 1,
        Elem::Fp6 => 2,
        Elem::Bf6 => 3,
        Elem::Fp4 => 4,
        _ => 0,
    };
    let several = op.name.ends_with("f8f6f4");
    let (cbsz, blgp) = if several { (code(formats.0), code(formats.1)) } else { (0, 0) };
    let modifiers = modifiers | cbsz | blgp << 7;
    let sparse_or_c = if op.name.starts_with("v_smfmac") { 250 } else { 64 };
    let w = 0xd380_0000
        | number << 16
        | 64
        | u32::from(acc) << 15
        | (modifiers & 7) << 8
        | (modifiers >> 3 & 15) << 11;
    [w, 256 | (256 + 32) << 9 | (256 + sparse_or_c) << 18 | (modifiers >> 7) << 29]
}

/// An instruction with filled registers.
pub struct Case {
    pub generation: &'static Gen,
    pub spec: Spec,
    pub formats: Formats,
    pub inst: Inst,
    pub wave: Wave,
    /// Runs first.
    pub before: Option<Inst>,
    pub scales: Option<[Vec<u8>; 2]>,
}

impl Case {
    pub fn new(
        generation: &'static Gen,
        spec: &Spec,
        formats: Formats,
        inst: Inst,
        r: &mut Random,
        whole: bool,
    ) -> Case {
        let mut wave = Wave::new(generation);
        wave.set_exec(!0);
        let mut case =
            Case { generation, spec: spec.clone(), formats, inst, wave, before: None, scales: None };
        case.fill_random(r, whole);
        case
    }

    fn put_bits(&mut self, base: usize, lane: usize, at: usize, len: usize, bits: u64) {
        // At most three dwords.
        let mask = (!0u64 >> (64 - len)) as u128;
        let (mask, bits) = (mask << (at % 32), u128::from(bits) << (at % 32));
        for n in (0..3).filter(|n| mask >> (32 * n) & 0xffff_ffff != 0) {
            let row = &mut self.wave.v[base + at / 32 + n].0[lane];
            *row = *row & !((mask >> (32 * n)) as u32) | (bits >> (32 * n)) as u32;
        }
    }

    fn get_bits(&self, base: usize, lane: usize, at: usize, len: usize) -> u64 {
        let first = base + at / 32;
        let count = (at % 32 + len).div_ceil(32);
        let all = (0..count).fold(0, |x, n| x | u128::from(self.wave.v[first + n].0[lane]) << (32 * n));
        (all >> (at % 32)) as u64 & !0u64 >> (64 - len)
    }

    /// The same with all operands copied to registers of their own, which do not overlap.
    pub fn apart(&self) -> Case {
        let mut inst = self.inst.clone();
        let mut wave = copy(&self.wave);
        let homes = [320, 360, 400];
        for (k, home) in homes.into_iter().enumerate() {
            let o = self.inst.src[k];
            for r in 0..self.inst.op.src[k].dwords().max(8) {
                wave.v[home + r] = self.wave.v[o.plus(r as u16).row()].clone();
            }
            inst.src[k] = Operand(256 + home as u16);
        }
        inst.dst = Operand(256 + 450);
        for r in 0..self.inst.op.dst.dwords() {
            wave.v[450 + r] = self.wave.v[self.inst.dst.plus(r as u16).row()].clone();
        }
        Case {
            generation: self.generation,
            spec: self.spec.clone(),
            formats: self.formats,
            inst,
            wave,
            before: None,
            scales: None,
        }
    }

    /// Fills a whole operand with one dword.
    pub fn fill(&mut self, k: usize, dword: u32) {
        for r in 0..self.inst.op.src[k].dwords() {
            self.wave.v[self.inst.src[k].plus(r as u16).row()].0 = [dword; 64];
        }
    }

    fn fill_random(&mut self, r: &mut Random, whole: bool) {
        let (spec, ocp) = (self.spec.clone(), self.generation.has_ocp_fp8);
        // C first: factors may lie inside it.
        let sums = spec.m * spec.n * spec.blocks / 64;
        if spec.sparse || self.inst.src[2].is_vector() {
            let base = if spec.sparse { self.inst.dst.row() } else { self.inst.src[2].row() };
            for lane in 0..64 {
                for e in 0..sums {
                    let value =
                        if whole { f64::from(r.below(201)) - 100.0 } else { f64::from(r.word()) / 4e8 - 5.0 };
                    match spec.a {
                        Elem::F64 => self.put_bits(base, lane, 64 * e, 64, value.to_bits()),
                        Elem::I8 => self.put_bits(base, lane, 32 * e, 32, value as i32 as u32 as u64),
                        _ => self.put_bits(base, lane, 32 * e, 32, u64::from((value as f32).to_bits())),
                    }
                }
            }
        }
        for (k, elem, per_lane) in [
            (0, self.formats.0, spec.stored() * spec.m * spec.blocks / 64),
            (1, self.formats.1, spec.k * spec.n * spec.blocks / 64),
        ] {
            let base = self.inst.src[k].row();
            for lane in 0..64 {
                for e in 0..per_lane {
                    let bits = elem.random(r, whole, ocp);
                    self.put_bits(base, lane, e * elem.bits(), elem.bits(), bits);
                }
            }
        }
        if spec.sparse {
            let base = self.inst.src[2].row();
            for lane in 0..64 {
                let mut word = 0;
                for pair in 0..8 {
                    let first = r.below(3);
                    let second = first + 1 + r.below(3 - first);
                    word |= (first | second << 2) << (4 * pair);
                }
                self.wave.v[base].0[lane] = word;
            }
        }
    }

    /// Where element `(i, j)` of block `b` of `C` and `D` lies: register (or pair) and lane.
    fn place(&self, i: usize, j: usize, b: usize) -> (usize, usize) {
        let s = &self.spec;
        let height = if s.a == Elem::F64 { 1 } else { 4 };
        let across = 64 / s.n;
        let blocks = 64usize.div_ceil(s.n * s.m / height);
        let r = b * (s.m * s.n / 64) + i / (height * across) * height + i % height;
        (r, (b % blocks) * s.n + (i / height % across) * blocks * s.n + j)
    }

    fn sum_at(&self, w: &Wave, base: usize, r: usize, lane: usize) -> f64 {
        match self.spec.a {
            Elem::F64 => {
                let (lo, hi) = (w.v[base + 2 * r].0[lane], w.v[base + 2 * r + 1].0[lane]);
                f64::from_bits(u64::from(lo) | u64::from(hi) << 32)
            }
            Elem::I8 => f64::from(w.v[base + r].0[lane] as i32),
            _ => f64::from(f32::from_bits(w.v[base + r].0[lane])),
        }
    }

    fn split(&self, n: usize) -> (usize, usize, usize) {
        let s = &self.spec;
        (n / s.n % s.m, n % s.n, n / (s.n * s.m))
    }

    /// Element `n` of `D`.
    pub fn sum(&self, w: &Wave, n: usize) -> f64 {
        let (i, j, b) = self.split(n);
        let (r, lane) = self.place(i, j, b);
        self.sum_at(w, self.inst.dst.row(), r, lane)
    }

    /// Element `(i, j)` of block `b` of `C`.
    fn c(&self, i: usize, j: usize, b: usize) -> f64 {
        let (r, lane) = self.place(i, j, b);
        let o = self.inst.src[2];
        if self.spec.sparse {
            self.sum_at(&self.wave, self.inst.dst.row(), r, lane)
        } else if o.is_vector() {
            self.sum_at(&self.wave, o.row(), r, lane)
        } else if self.spec.a == Elem::F64 {
            f64::from_bits(o.constant64(amdgpu_isa::Ty::F64, 0))
        } else if self.spec.is_integer() {
            f64::from(o.constant32(0) as i32)
        } else {
            f64::from(f32::from_bits(o.constant32(0)))
        }
    }

    /// An element of a factor: of the row of `A` or column of `B` numbered `i`, at `k` of `count`.
    fn factor(&self, side: usize, i: usize, k: usize, b: usize) -> f64 {
        let s = &self.spec;
        let elem = if side == 0 { self.formats.0 } else { self.formats.1 };
        let (size, count) = if side == 0 { (s.m, s.stored()) } else { (s.n, s.k) };
        let per_lane = count / (64 / (size * s.blocks));
        let halves = s.a == Elem::Any8 && elem.bits() == 8;
        let (e, group) = if halves {
            // k runs over 16 elements of each group of lanes, twice.
            (k % 16 + k / (count / 2) * 16, k % (count / 2) / 16)
        } else {
            (k % per_lane, k / per_lane)
        };
        let mut lane = b * size + group * size * s.blocks + i;
        let blgp = self.inst.imm >> 7 & 7;
        if side == 1 && self.spec.has_lane_patterns(self.generation) {
            // The manual's list: first half, second half, down by 16, then one quarter each.
            lane = match blgp {
                0 => lane,
                1 => lane & 31,
                2 => lane & 31 | 32,
                3 => (lane + 16) & 63,
                quarter => lane & 15 | (quarter as usize & 3) << 4,
            };
        }
        let base = self.inst.src[side].row();
        elem.value(self.get_bits(base, lane, e * elem.bits(), elem.bits()), self.generation.has_ocp_fp8)
    }

    /// Which elements of `B` the stored elements of a row of `A` meet.
    fn index(&self, i: usize, t: usize) -> usize {
        let s = &self.spec;
        let per_lane = s.stored() * s.m / 64;
        let (e, lane) = (t % per_lane, t / per_lane * s.m + i);
        let (cbsz, abid) = (self.inst.imm & 7, (self.inst.imm >> 3 & 15) as usize);
        let set = if cbsz == 0 { abid * 2 * per_lane } else { 0 };
        let word = self.wave.v[self.inst.src[2].row()].0[lane];
        t / 2 * 4 + (word >> (set + 2 * e) & 3) as usize
    }
}

pub struct Want {
    pub value: f64,
    /// Sum of the magnitudes.
    pub magnitude: f64,
}

/// `A * B + C`, for all elements of all blocks.
pub fn reference(case: &Case) -> Vec<Want> {
    let s = &case.spec;
    let (cbsz, abid) = (case.inst.imm & 7, (case.inst.imm >> 3 & 15) as usize);
    let neg = |bit: u32| {
        let negates = s.a == Elem::F64 && case.inst.imm >> (7 + bit) & 1 != 0;
        if negates { -1.0 } else { 1.0 }
    };
    let plain = s.sparse || s.a == Elem::Any8;
    let cbsz = if plain { 0 } else { cbsz };
    let abid = if plain { 0 } else { abid };
    // Factors once each.
    let table = |side: usize, size: usize, count: usize| -> Vec<f64> {
        let mut all = Vec::new();
        for b in 0..s.blocks {
            for i in 0..size {
                all.extend((0..count).map(|k| case.factor(side, i, k, b)));
            }
        }
        all
    };
    let (a, b) = (table(0, s.m, s.stored()), table(1, s.n, s.k));
    (0..s.m * s.n * s.blocks)
        .map(|n| {
            let (i, j, block) = case.split(n);
            let block_a = (block >> cbsz << cbsz) + abid;
            let c = case.c(i, j, block) * neg(2);
            let mut want = Want { value: c, magnitude: c.abs() };
            for t in 0..s.stored() {
                let k = if s.sparse { case.index(i, t) } else { t };
                let x = a[(block_a * s.m + i) * s.stored() + t] * neg(0);
                let y = b[(block * s.n + j) * s.k + k] * neg(1);
                let scale = case.scales.as_ref().map_or(1.0, |scales| {
                    let at = k / 32;
                    let power = i32::from(scales[0][at * s.m + i]) + i32::from(scales[1][at * s.n + j]) - 254;
                    2f64.powi(power)
                });
                want.value += x * y * scale;
                want.magnitude += (x * y * scale).abs();
            }
            want
        })
        .collect()
}

/// Runs the instruction in a copy of the case's wave.
pub fn run(case: &Case) -> Wave {
    let (space, io) = (Unmapped, Silent);
    let mut w = copy(&case.wave);
    let mut g = group(&space, &io);
    for inst in case.before.iter().chain([&case.inst]) {
        let _ = (inst.general)(&mut w, &mut g, inst);
    }
    w
}
