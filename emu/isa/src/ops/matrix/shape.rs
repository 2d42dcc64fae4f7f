//! `Shape`: what tells one matrix instruction from another, and where each element lies.
//!
//! MI100, MI200, MI300 and CDNA4 ISA, "Matrix arithmetic instructions"; the layouts are those of AMD's matrix
//! instruction calculator.

use crate::Ty;

/// What an element of `A` or `B` is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the manuals' types")]
pub enum Elem {
    F64,
    F32,
    /// 32-bit floats of which the upper 19 bits count.
    Xf32,
    F16,
    Bf16,
    I8,
    Fp8,
    Bf8,
    Fp6,
    Bf6,
    Fp4,
    /// 8, 6 or 4 bits: the instruction's `cbsz` says it of `A`, its `blgp` of `B`.
    Any8,
}

impl Elem {
    /// Width.
    pub const fn bits(self) -> usize {
        match self {
            Elem::F64 => 64,
            Elem::F32 | Elem::Xf32 => 32,
            Elem::F16 | Elem::Bf16 => 16,
            Elem::I8 | Elem::Fp8 | Elem::Bf8 | Elem::Any8 => 8,
            Elem::Fp6 | Elem::Bf6 => 6,
            Elem::Fp4 => 4,
        }
    }
}

/// In which order the products of a sum are added. See `docs/isa/errata.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// One after the other, each product and addition rounded once.
    Chain,
    /// Two products are added up, then added to the sum.
    Pairs,
    /// Four products are added up as a tree, then added to the sum.
    Quads,
}

/// What the `blgp` field means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blgp {
    /// Which lanes `B` is read from.
    Lanes,
    /// Signs of `A`, `B` and `C`.
    Negate,
    /// A format.
    Format,
    /// Nothing.
    Unused,
}

/// A matrix instruction: `D = A * B + C` for each of `blocks` matrices, `A` of `m` by `k`, `B` of `k` by `n`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the manuals'")]
pub struct Shape {
    pub m: usize,
    pub n: usize,
    pub k: usize,
    pub blocks: usize,
    pub a: Elem,
    pub b: Elem,
    pub order: Order,
    pub blgp: Blgp,
    /// `A` holds two of each four elements; the third source says which.
    pub sparse: bool,
}

/// A matrix instruction with its sums added one after the other.
pub const fn mfma(m: usize, n: usize, k: usize, blocks: usize, a: Elem, b: Elem) -> Shape {
    Shape { m, n, k, blocks, a, b, order: Order::Chain, blgp: Blgp::Unused, sparse: false }
}

/// A matrix instruction whose `A` is sparse.
pub const fn smfmac(m: usize, n: usize, k: usize, a: Elem, b: Elem) -> Shape {
    Shape { sparse: true, ..mfma(m, n, k, 1, a, b) }
}

impl Shape {
    /// With another order of additions.
    pub const fn order(self, order: Order) -> Shape {
        Shape { order, ..self }
    }

    /// With a meaning of `blgp`.
    pub const fn blgp(self, blgp: Blgp) -> Shape {
        Shape { blgp, ..self }
    }

    /// Elements of `A` in a lane.
    pub const fn a_per_lane(&self) -> usize {
        let stored = if self.sparse { self.k / 2 } else { self.k };
        stored * self.m * self.blocks / 64
    }

    /// Elements of `B` in a lane.
    pub const fn b_per_lane(&self) -> usize {
        self.k * self.n * self.blocks / 64
    }

    /// Whether sums are integers.
    pub const fn is_integer(&self) -> bool {
        matches!(self.a, Elem::I8)
    }

    /// Whether the instruction's fields name the formats of its sources.
    pub const fn names_formats(&self) -> bool {
        matches!(self.a, Elem::Any8)
    }

    /// Whether sums are 64-bit floats.
    pub const fn is_double(&self) -> bool {
        matches!(self.a, Elem::F64)
    }

    /// Registers of `C` and `D`.
    pub const fn sum_dwords(&self) -> usize {
        self.m * self.n * self.blocks / 64 * if self.is_double() { 2 } else { 1 }
    }

    /// The type of `D`.
    pub const fn sum_ty(&self) -> Ty {
        dwords(self.sum_dwords())
    }

    /// The types of the sources. Where the instruction's fields tell the format, it is the narrowest one's.
    pub const fn sources(&self) -> [Ty; 3] {
        if matches!(self.a, Elem::Any8) {
            return [Ty::B128, Ty::B128, self.sum_ty()];
        }
        let third = if self.sparse { Ty::B32 } else { self.sum_ty() };
        if self.is_double() {
            return [Ty::F64, Ty::F64, third];
        }
        let a = dwords(self.a_per_lane() * self.a.bits() / 32);
        [a, dwords(self.b_per_lane() * self.b.bits() / 32), third]
    }

    /// The row of the matrix, and the block, that register (or pair) `r` holds in its lanes from `s * n` on.
    pub const fn place(&self, r: usize, s: usize) -> (usize, usize) {
        let lanes_a_register = 64 / self.n;
        let registers_a_block = self.m * self.n / 64;
        if self.is_double() {
            // Rows go from lane to lane first; several blocks share a register.
            if registers_a_block == 0 {
                return (s / self.blocks, s % self.blocks);
            }
            return (r * lanes_a_register + s, 0);
        }
        if registers_a_block == 0 {
            return (r, s);
        }
        let (block, r) = (r / registers_a_block, r % registers_a_block);
        (r / 4 * 4 * lanes_a_register + s * 4 + r % 4, block)
    }
}

const fn dwords(n: usize) -> Ty {
    match n {
        1 => Ty::B32,
        2 => Ty::B64,
        4 => Ty::B128,
        8 => Ty::B256,
        16 => Ty::B512,
        32 => Ty::B1024,
        _ => panic!("no register group of this size"),
    }
}

/// Where element `k` of a row of `A` or a column of `B` lies: its number among the `per_lane` elements of a lane, and
/// the group of lanes (each as wide as the rows of all blocks). `halves`: the lane has 16 elements of the first half of
/// `k` values and 16 of the second, as in 8-bit operands of the instructions that take several formats.
pub const fn element(k: usize, per_lane: usize, count: usize, halves: bool) -> (usize, usize) {
    if halves {
        let (half, k) = (k / (count / 2), k % (count / 2));
        return (half * 16 + k % 16, k / 16);
    }
    (k % per_lane, k / per_lane)
}
