//! The scalar types of generated programs.

use fastrand::Rng;

/// A scalar type; its name in C is [`Ty::name`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ty {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
}

use Ty::{F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};

impl Ty {
    pub const INTS: &[Ty] = &[I8, U8, I16, U16, I32, U32, I64, U64];
    pub const FLOATS: &[Ty] = &[F16, F32, F64];

    pub fn name(self) -> &'static str {
        match self {
            I8 => "i8",
            U8 => "u8",
            I16 => "i16",
            U16 => "u16",
            I32 => "i32",
            U32 => "u32",
            I64 => "i64",
            U64 => "u64",
            F16 => "f16",
            F32 => "f32",
            F64 => "f64",
        }
    }

    pub fn is_float(self) -> bool {
        Ty::FLOATS.contains(&self)
    }

    pub fn is_signed(self) -> bool {
        matches!(self, I8 | I16 | I32 | I64)
    }

    pub fn bits(self) -> u32 {
        match self {
            I8 | U8 => 8,
            I16 | U16 | F16 => 16,
            I32 | U32 | F32 => 32,
            I64 | U64 | F64 => 64,
        }
    }

    /// Words of 32 bits more often than the others, as in real programs.
    pub fn any(r: &mut Rng) -> Ty {
        const WEIGHTED: &[Ty] = &[I8, U8, I16, U16, I32, I32, U32, U32, I64, U64, F16, F32, F32, F64];
        WEIGHTED[r.usize(..WEIGHTED.len())]
    }

    pub fn any_int(r: &mut Rng) -> Ty {
        Ty::INTS[r.usize(..Ty::INTS.len())]
    }

    pub fn any_float(r: &mut Rng) -> Ty {
        Ty::FLOATS[r.usize(..Ty::FLOATS.len())]
    }

    /// Bits of a value: an edge value, a small one, or any.
    pub fn value(self, r: &mut Rng) -> u64 {
        let mask = !0 >> (64 - self.bits());
        mask & if self.is_float() { float(self, r) } else { int(self.bits(), r) }
    }

    /// A constant of the type, as C writes it.
    pub fn literal(self, r: &mut Rng) -> String {
        let x = self.value(r);
        match self {
            F16 | F32 | F64 => format!("in<{}>({x:#x}ul)", self.name()),
            _ => format!("({}){x:#x}ul", self.name()),
        }
    }
}

fn int(bits: u32, r: &mut Rng) -> u64 {
    match r.u32(..8) {
        0 => r.u64(..17),
        1 => r.u64(..17).wrapping_neg(),
        2 => (1 << r.u32(..bits)) - r.u64(..2),
        3 => (1u64 << (bits - 1)).wrapping_sub(2).wrapping_add(r.u64(..4)),
        4 => r.u64(..256),
        5 => r.u64(..) >> r.u32(..64),
        _ => r.u64(..),
    }
}

/// (exponent bits, fraction bits)
fn shape(ty: Ty) -> (u32, u32) {
    match ty {
        F16 => (5, 10),
        F32 => (8, 23),
        _ => (11, 52),
    }
}

fn float(ty: Ty, r: &mut Rng) -> u64 {
    let (e, f) = shape(ty);
    let (bias, sign) = ((1u64 << (e - 1)) - 1, r.u64(..2) << (e + f));
    let fraction = r.u64(..1 << f);
    // Few bits set: what is exact, and what is halfway.
    let round = fraction & (!0 << r.u32(..=f));
    let special = (1 << e) - 1;
    sign | match r.u32(..16) {
        0 => 0,
        1 => r.u64(..3),
        2 => fraction >> r.u32(..f),
        3 => special << f,
        4 => special << f | 1 << (f - 1) | fraction >> 1,
        5 => (special << f) - 1 - r.u64(..2),
        6 => (1 << f) - 1 + r.u64(..3),
        // Near one, and near the powers of two at which integers end.
        7 => (bias << f).wrapping_add(r.u64(..5)).wrapping_sub(2),
        8 => ((bias + [7u64, 8, 15, 16, 31, 32, 63, 64][r.usize(..8)].min(bias)) << f) - r.u64(..3),
        9 => r.u64(..special) << f | round,
        10 => r.u64(..special) << f | fraction,
        // From 2^-4 to 2^8 or so, some of them integers.
        11..=13 => (bias - 4 + r.u64(..12)) << f | round,
        _ => (bias - 2 + r.u64(..8)) << f | fraction,
    }
}
