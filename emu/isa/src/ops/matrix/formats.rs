//! Floating-point formats of 8 bits and fewer: how their bits read, and how a value is rounded to them.
//!
//! CDNA3 has 8-bit floats without infinities and negative zero (FNUZ); CDNA4 has those of the Open Compute Project
//! (OCP), and 6-bit and 4-bit ones, which have finite values only. MI300 ISA, "FP8"; CDNA4 ISA, "MX data types".

/// Which bit patterns are no finite numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Specials {
    /// None.
    Finite,
    /// What would be negative zero is the one NaN.
    Fnuz,
    /// Exponent and fraction all ones are NaN; no infinities.
    AllOnes,
    /// As in IEEE 754: the greatest exponent is for infinities and NaN.
    Ieee,
}

/// A format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Small {
    /// Width with the sign.
    pub bits: u32,
    /// Width of the fraction.
    pub fraction: u32,
    /// Bias of the exponent.
    pub bias: i32,
    /// What is not a finite number.
    pub specials: Specials,
}

/// CDNA3's float of 4 exponent bits.
pub const FP8_FNUZ: Small = Small { bits: 8, fraction: 3, bias: 8, specials: Specials::Fnuz };
/// CDNA3's float of 5 exponent bits.
pub const BF8_FNUZ: Small = Small { bits: 8, fraction: 2, bias: 16, specials: Specials::Fnuz };
/// OCP E4M3.
pub const FP8_OCP: Small = Small { bits: 8, fraction: 3, bias: 7, specials: Specials::AllOnes };
/// OCP E5M2.
pub const BF8_OCP: Small = Small { bits: 8, fraction: 2, bias: 15, specials: Specials::Ieee };
/// OCP E2M3.
pub const FP6: Small = Small { bits: 6, fraction: 3, bias: 1, specials: Specials::Finite };
/// OCP E3M2.
pub const BF6: Small = Small { bits: 6, fraction: 2, bias: 3, specials: Specials::Finite };
/// OCP E2M1.
pub const FP4: Small = Small { bits: 4, fraction: 1, bias: 1, specials: Specials::Finite };
/// 16-bit float.
pub const F16: Small = Small { bits: 16, fraction: 10, bias: 15, specials: Specials::Ieee };
/// The upper half of a 32-bit float.
pub const BF16: Small = Small { bits: 16, fraction: 7, bias: 127, specials: Specials::Ieee };

/// How a value is rounded.
#[derive(Debug, Clone, Copy)]
pub struct Rounding {
    /// The mode's `FP16_OVFL`: what is too great becomes the greatest finite value.
    pub saturate: bool,
    /// Stochastic rounding by this value, whose high bits are added to the bits that are cut off; otherwise to nearest
    /// even.
    pub random: Option<u32>,
}

impl Small {
    const fn magnitude_mask(self) -> u32 {
        (1 << (self.bits - 1)) - 1
    }

    /// The greatest finite magnitude's bits.
    pub const fn greatest(self) -> u32 {
        let ones = self.magnitude_mask();
        match self.specials {
            Specials::Finite | Specials::Fnuz => ones,
            Specials::AllOnes => ones - 1,
            Specials::Ieee => ones - (1 << self.fraction),
        }
    }

    /// The bits of NaN with this sign; the greatest value where there is no NaN.
    const fn nan(self, negative: bool) -> u32 {
        let sign = (negative as u32) << (self.bits - 1);
        match self.specials {
            Specials::Finite => sign | self.greatest(),
            Specials::Fnuz => 1 << (self.bits - 1),
            Specials::AllOnes => sign | self.magnitude_mask(),
            Specials::Ieee => sign | self.magnitude_mask() & !((1 << (self.fraction - 1)) - 1),
        }
    }

    /// The value of the low bits of `x`. Without branches but on `self`, so that loops over lanes become vector code;
    /// for formats of 8 bits and fewer.
    #[inline(always)]
    pub fn to_f32(self, x: u32) -> f32 {
        const NEVER: u32 = 1 << 16;
        let ones = self.magnitude_mask();
        let top = ones & !((1 << self.fraction) - 1);
        // Magnitudes above this are NaN; this one is infinity; these bits with the sign are NaN.
        let (greatest, infinity, negative_zero) = match self.specials {
            Specials::Finite => (NEVER, NEVER, NEVER),
            Specials::Fnuz => (NEVER, NEVER, ones + 1),
            Specials::AllOnes => (ones - 1, NEVER, NEVER),
            Specials::Ieee => (top, top, NEVER),
        };
        let with_sign = x & (2 * ones + 1);
        let magnitude = x & ones;
        let sign = x << (32 - self.bits) & 0x8000_0000;
        let normal = (magnitude << (23 - self.fraction)) + (((127 - self.bias) as u32) << 23);
        let unit = f32::from_bits(((127 + 1 - self.bias - self.fraction as i32) as u32) << 23);
        let denormal = (magnitude as i32 as f32 * unit).to_bits();
        let bits = if magnitude < 1 << self.fraction { denormal } else { normal };
        let bits = if magnitude == infinity { 0x7f80_0000 } else { bits } | sign;
        let is_nan = (magnitude > greatest) | (with_sign == negative_zero);
        f32::from_bits(if is_nan { 0x7fc0_0000 } else { bits })
    }

    /// The value of the low bits of `x`, for any format here; NaN is quiet.
    pub fn to_f64(self, x: u32) -> f64 {
        let magnitude = x & self.magnitude_mask();
        let negative = x >> (self.bits - 1) & 1 != 0;
        let exponent = magnitude >> self.fraction;
        let fraction = magnitude & ((1 << self.fraction) - 1);
        let top = exponent == self.magnitude_mask() >> self.fraction;
        let value = match self.specials {
            Specials::Fnuz if magnitude == 0 && negative => f64::NAN,
            Specials::AllOnes if magnitude == self.magnitude_mask() => f64::NAN,
            Specials::Ieee if top && fraction != 0 => f64::NAN,
            Specials::Ieee if top => f64::INFINITY,
            _ => {
                let whole = if exponent == 0 { fraction } else { fraction | 1 << self.fraction };
                let power = exponent.max(1) as i32 - self.bias - self.fraction as i32;
                f64::from(whole) * f64::from_bits(((power + 1023) as u64) << 52)
            }
        };
        if negative { -value } else { value }
    }

    /// The bits of `x` rounded.
    pub fn round(self, x: f64, how: Rounding) -> u32 {
        let negative = x.is_sign_negative();
        let sign = u32::from(negative) << (self.bits - 1);
        if x.is_nan() {
            return self.nan(negative);
        }
        let overflow = match self.specials {
            Specials::Ieee => sign | (self.greatest() + 1),
            _ => self.nan(negative),
        };
        if x.is_infinite() {
            return overflow;
        }
        let bits = x.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as i32 - 1023;
        if exponent == -1023 {
            // No 64-bit denormal comes near the least value of any format here.
            return self.zero(sign);
        }
        let significand = bits & ((1 << 52) - 1) | 1 << 52;
        let least = 1 - self.bias;
        // Bits that are cut off: those behind the fraction, and in denormals as many more as the exponent lacks.
        let cut = 52 - self.fraction as i32 + (least - exponent).max(0);
        let whole = if cut > 62 {
            // Less than a quarter of the least denormal, except that chance may still round it up.
            let up = cut < 84
                && how.random.is_some_and(|r| (u64::from(r) + (significand >> (cut - 32))) >> 32 != 0);
            u64::from(up)
        } else {
            let rest = significand & ((1 << cut) - 1);
            let kept = significand >> cut;
            let up = match how.random {
                Some(random) => {
                    let random = if cut >= 32 {
                        u64::from(random) << (cut - 32)
                    } else {
                        u64::from(random) >> (32 - cut)
                    };
                    (rest + random) >> cut != 0
                }
                None => rest > 1 << (cut - 1) || rest == 1 << (cut - 1) && kept & 1 != 0,
            };
            kept + u64::from(up)
        };
        // Adding the exponent lets a carry of the fraction run into it.
        let field = (exponent.max(least) - least) as u64;
        let magnitude = (field << self.fraction) + whole;
        if magnitude > u64::from(self.greatest()) {
            let clamps = how.saturate || self.specials == Specials::Finite;
            return if clamps { sign | self.greatest() } else { overflow };
        }
        if magnitude == 0 { self.zero(sign) } else { sign | magnitude as u32 }
    }

    fn zero(self, sign: u32) -> u32 {
        if self.specials == Specials::Fnuz { 0 } else { sign }
    }
}
