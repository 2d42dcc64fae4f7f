//! Arithmetic in every rounding mode: sums and products of unlimited precision, rounded when the mode says how.
//!
//! IEEE 754, clause 4.3. Slow, and for modes alone that the host's arithmetic is not in: rounding up, down or to zero,
//! and 16-bit floats that do not overflow.

use core::ops::{Add, Mul, Neg, Sub};

use crate::{Mode, Ty};

/// What results are rounded to, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// Bits of a fraction, the leading one counted.
    precision: i32,
    /// Exponent of the least normal number; that of the greatest is one less than its opposite number.
    least: i32,
    /// As `MODE` has it: 0 to nearest even, 1 up, 2 down, 3 to zero.
    round: u32,
    /// What is too great becomes the greatest value and not infinity.
    saturates: bool,
}

impl Target {
    /// What `mode` says of results of a type; `None` if it is no float.
    pub const fn of(ty: Ty, mode: Mode) -> Option<Target> {
        let (precision, least, round, saturates) = match ty {
            Ty::F16 | Ty::P16 => (11, -14, mode.round16_64(), mode.fp16_ovfl()),
            Ty::F32 | Ty::P32 => (24, -126, mode.round32(), false),
            Ty::F64 => (53, -1022, mode.round16_64(), false),
            _ => return None,
        };
        Some(Target { precision, least, round, saturates })
    }

    /// To nearest even in `precision` bits, with the exponents of halves.
    pub const fn short(precision: i32) -> Target {
        Target { precision, least: -14, round: 0, saturates: false }
    }

    /// Whether the host's arithmetic rounds otherwise.
    pub const fn is_unusual(self) -> bool {
        self.round != 0 || self.saturates
    }

    /// The greatest finite value.
    fn greatest(self) -> f64 {
        power(1 - self.least) * (2.0 - power(1 - self.precision))
    }

    /// Whether rounding goes away from zero for what lies between two values: `half` compares it with the middle.
    fn goes_away(self, negative: bool, half: core::cmp::Ordering, odd: bool) -> bool {
        match self.round {
            0 => half.is_gt() || half.is_eq() && odd,
            1 => !negative,
            2 => negative,
            _ => false,
        }
    }
}

/// `2^n` for an exponent of normal 64-bit floats.
fn power(n: i32) -> f64 {
    f64::from_bits(((n + 1023) as u64) << 52)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Nan,
    Infinite,
    Finite,
}

/// A number that has not been rounded yet.
///
/// A finite one is `magnitude * 2^exponent`; where bits had to be left out, the lowest one stands for them. Sums and
/// products are of numbers of 64 bits, which sources and rounded numbers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exact {
    class: Class,
    negative: bool,
    magnitude: u128,
    exponent: i32,
    target: Target,
}

/// Position of the leading bit of the terms of a sum.
const TOP: i32 = 122;

impl Exact {
    /// A float.
    pub fn float(x: f64, target: Target) -> Exact {
        let (bits, negative) = (x.to_bits(), x.is_sign_negative());
        let (field, fraction) = ((bits >> 52 & 0x7ff) as i32, u128::from(bits & ((1 << 52) - 1)));
        let (class, magnitude) = match field {
            0x7ff if fraction != 0 => (Class::Nan, 0),
            0x7ff => (Class::Infinite, 0),
            0 => (Class::Finite, fraction),
            _ => (Class::Finite, fraction | 1 << 52),
        };
        Exact { class, negative, magnitude, exponent: field.max(1) - 1075, target }
    }

    /// An integer.
    pub const fn integer(x: i64, target: Target) -> Exact {
        let magnitude = x.unsigned_abs() as u128;
        Exact { class: Class::Finite, negative: x < 0, magnitude, exponent: 0, target }
    }

    /// What it is rounded to.
    pub const fn target(self) -> Target {
        self.target
    }

    /// Whether this is NaN.
    pub fn is_nan(self) -> bool {
        self.class == Class::Nan
    }

    /// Whether this is zero.
    pub fn is_zero(self) -> bool {
        self.class == Class::Finite && self.magnitude == 0
    }

    fn nan(self) -> Exact {
        Exact { class: Class::Nan, ..self }
    }

    /// Exponent of the leading bit.
    fn leading(self) -> i32 {
        self.exponent + 127 - self.magnitude.leading_zeros() as i32
    }

    /// `self * 2^n`.
    pub fn scale(self, n: i32) -> Exact {
        Exact { exponent: self.exponent + n.clamp(-10_000, 10_000), ..self }
    }

    /// `self * b + c`.
    pub fn mul_add(self, b: Exact, c: Exact) -> Exact {
        self * b + c
    }

    /// Zero with the same sign in place of what is less than every normal number.
    pub fn flush(self) -> Exact {
        let tiny = self.class == Class::Finite && self.magnitude != 0 && self.leading() < self.target.least;
        Exact { magnitude: if tiny { 0 } else { self.magnitude }, ..self }
    }

    /// Rounded, to go on with.
    pub fn step(self) -> Exact {
        Exact::float(self.round(), self.target)
    }

    /// The value of a source or a rounded number.
    pub fn value(self) -> f64 {
        Exact { target: Target { precision: 53, least: -1022, round: 0, saturates: false }, ..self }.round()
    }

    /// The greatest integer that is not greater, of a source.
    pub fn floor(self) -> Exact {
        Exact::float(self.value().floor(), self.target)
    }

    /// The lesser of a source and the value next below 1.
    pub fn below_one(self) -> Exact {
        let limit = 1.0 - power(-self.target.precision);
        if self.value() > limit { Exact::float(limit, self.target) } else { self }
    }

    /// Rounded to the target; a 64-bit float holds all of its values.
    pub fn round(self) -> f64 {
        let sign = if self.negative { -1.0 } else { 1.0 };
        match self.class {
            Class::Nan => return f64::NAN,
            Class::Infinite => return sign * f64::INFINITY,
            Class::Finite if self.magnitude == 0 => return sign * 0.0,
            Class::Finite => {}
        }
        let Target { precision, least, .. } = self.target;
        // Exponent of the last bit that the result has room for.
        let last = self.leading().max(least) - (precision - 1);
        let left_out = last - self.exponent;
        let kept = if left_out <= 0 {
            self.magnitude << -left_out
        } else {
            let kept = self.magnitude.checked_shr(left_out as u32).unwrap_or(0);
            let rest = self.magnitude - kept.checked_shl(left_out as u32).unwrap_or(0);
            let half = match 1u128.checked_shl(left_out as u32 - 1) {
                Some(half) => rest.cmp(&half),
                None => core::cmp::Ordering::Less,
            };
            let away = rest != 0 && self.target.goes_away(self.negative, half, kept & 1 != 0);
            kept + u128::from(away)
        };
        // Two factors: the least ones are denormals of 64-bit floats themselves. Neither product rounds, but to infinity.
        let magnitude =
            if last > 1023 { f64::INFINITY } else { kept as f64 * power(last / 2) * power(last - last / 2) };
        let greatest = self.target.greatest();
        if magnitude <= greatest {
            sign * magnitude
        } else if self.target.saturates
            || !self.target.goes_away(self.negative, core::cmp::Ordering::Greater, true)
        {
            sign * greatest
        } else {
            sign * f64::INFINITY
        }
    }

    /// With the leading bit at [`TOP`].
    fn aligned(self) -> Exact {
        let shift = self.magnitude.leading_zeros() as i32 - (127 - TOP);
        let magnitude =
            if shift >= 0 { self.magnitude << shift } else { shift_right(self.magnitude, -shift as u32) };
        Exact { magnitude, exponent: self.exponent - shift, ..self }
    }
}

/// `x / 2^n`; the lowest bit is set if any bit was lost.
fn shift_right(x: u128, n: u32) -> u128 {
    match x.checked_shr(n) {
        Some(y) => y | u128::from(y << n != x),
        None => u128::from(x != 0),
    }
}

impl Neg for Exact {
    type Output = Exact;
    fn neg(self) -> Exact {
        Exact { negative: !self.negative, ..self }
    }
}

impl Mul for Exact {
    type Output = Exact;
    fn mul(self, b: Exact) -> Exact {
        let product = Exact { negative: self.negative != b.negative, ..self };
        match (self.class, b.class) {
            (Class::Nan, _) | (_, Class::Nan) => self.nan(),
            (Class::Infinite, _) if b.is_zero() => self.nan(),
            (_, Class::Infinite) if self.is_zero() => self.nan(),
            (Class::Infinite, _) | (_, Class::Infinite) => Exact { class: Class::Infinite, ..product },
            _ => Exact {
                magnitude: self.magnitude * b.magnitude,
                exponent: self.exponent + b.exponent,
                ..product
            },
        }
    }
}

impl Add for Exact {
    type Output = Exact;
    fn add(self, b: Exact) -> Exact {
        match (self.class, b.class) {
            (Class::Nan, _) | (_, Class::Nan) => return self.nan(),
            (Class::Infinite, Class::Infinite) if self.negative != b.negative => return self.nan(),
            (Class::Infinite, _) => return self,
            (_, Class::Infinite) => return b,
            _ => {}
        }
        // A sum of nothing is negative if both terms are, or where rounding goes down.
        let nothing = if self.negative == b.negative { self.negative } else { self.target.round == 2 };
        if self.is_zero() && b.is_zero() {
            return Exact { negative: nothing, ..self };
        }
        if self.is_zero() || b.is_zero() {
            return if self.is_zero() { b } else { self };
        }
        let (mut x, mut y) = (self.aligned(), b.aligned());
        if x.exponent < y.exponent {
            core::mem::swap(&mut x, &mut y);
        }
        y.magnitude = shift_right(y.magnitude, (x.exponent - y.exponent) as u32);
        if x.negative == y.negative {
            return Exact { magnitude: x.magnitude + y.magnitude, ..x };
        }
        let (magnitude, negative) = match x.magnitude.checked_sub(y.magnitude) {
            Some(0) => (0, nothing),
            Some(rest) => (rest, x.negative),
            None => (y.magnitude - x.magnitude, y.negative),
        };
        Exact { magnitude, negative, ..x }
    }
}

impl Sub for Exact {
    type Output = Exact;
    fn sub(self, b: Exact) -> Exact {
        self + -b
    }
}
