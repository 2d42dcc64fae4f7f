//! Formats of typed buffers: how many components of how many bits, and what the bits mean. Vega ISA, "Buffer resource
//! descriptor"; the names of the formats have the highest bits first.

use crate::exact::{Exact, Target};
use crate::ops::half;

/// What the bits of a component mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Number {
    /// 0..1.
    Unorm,
    /// -1..1.
    Snorm,
    /// An unsigned integer that is a float in registers.
    Uscaled,
    /// A signed integer that is a float in registers.
    Sscaled,
    /// An unsigned integer.
    Uint,
    /// A signed integer.
    Sint,
    /// A float.
    Float,
}

impl Number {
    /// Whether registers hold integers.
    pub const fn is_integer(self) -> bool {
        matches!(self, Number::Uint | Number::Sint)
    }
}

/// A data format with a number format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pixel {
    /// Bits of each component, from the lowest ones on.
    pub bits: &'static [u32],
    /// What they mean.
    pub number: Number,
}

impl Pixel {
    /// By the numbers that instructions and descriptors have; `None` if the manuals have no such format.
    pub fn new(data: u32, number: u32) -> Option<Pixel> {
        let bits: &[u32] = match data {
            1 => &[8],
            2 => &[16],
            3 => &[8, 8],
            4 => &[32],
            5 => &[16, 16],
            6 => &[11, 11, 10],
            7 => &[10, 11, 11],
            8 => &[2, 10, 10, 10],
            9 => &[10, 10, 10, 2],
            10 => &[8, 8, 8, 8],
            11 => &[32, 32],
            12 => &[16, 16, 16, 16],
            13 => &[32, 32, 32],
            14 => &[32, 32, 32, 32],
            _ => return None,
        };
        let number = match number {
            0 => Number::Unorm,
            1 => Number::Snorm,
            2 => Number::Uscaled,
            3 => Number::Sscaled,
            4 => Number::Uint,
            5 => Number::Sint,
            7 => Number::Float,
            _ => return None,
        };
        let exists = match number {
            Number::Float => matches!(bits[0], 16 | 32) || matches!(data, 6 | 7),
            Number::Uint | Number::Sint => true,
            _ => bits[0] != 32,
        };
        exists.then_some(Pixel { bits, number })
    }

    /// Bytes of an element.
    pub fn bytes(self) -> u32 {
        self.bits.iter().sum::<u32>() / 8
    }

    /// Whether each component has bytes of its own.
    pub fn has_whole_bytes(self) -> bool {
        self.bits.iter().all(|bits| bits % 8 == 0)
    }

    /// The bits of 1 in a register.
    pub const fn one(self) -> u32 {
        if self.number.is_integer() { 1 } else { 1f32.to_bits() }
    }

    /// A component of memory as a register of 32 bits has it.
    pub fn load(self, bits: u32, raw: u32) -> u32 {
        let signed = (raw << (32 - bits)) as i32 >> (32 - bits);
        let greatest = (u32::MAX >> (32 - bits)) as f32;
        let value = match self.number {
            Number::Unorm => raw as f32 / greatest,
            Number::Snorm => (signed as f32 / (greatest / 2.0).floor()).max(-1.0),
            Number::Uscaled => raw as f32,
            Number::Sscaled => signed as f32,
            Number::Uint => return raw,
            Number::Sint => return signed as u32,
            Number::Float if bits == 32 => return raw,
            // The short ones are halves without sign and without the lowest bits of the fraction.
            Number::Float if bits < 16 => half::to_f32(raw << (15 - bits)),
            Number::Float => half::to_f32(raw),
        };
        value.to_bits()
    }

    /// A register of 32 bits as a component of memory; integers and fractions out of range become the nearest end, NaN
    /// zero.
    pub fn store(self, bits: u32, x: u32) -> u32 {
        let all = u32::MAX >> (32 - bits);
        let value = f64::from(f32::from_bits(x));
        let (low, high) = (-f64::from(all / 2) - 1.0, f64::from(all / 2));
        let fit = |x: f64, low: f64, high: f64| {
            if x.is_nan() { 0.0 } else { x.clamp(low, high).round_ties_even() }
        };
        match self.number {
            Number::Unorm => fit(value * f64::from(all), 0.0, f64::from(all)) as u32,
            Number::Snorm => fit(value * high, -high, high) as i32 as u32 & all,
            Number::Uscaled => fit(value, 0.0, f64::from(all)) as u32,
            Number::Sscaled => fit(value, low, high) as i32 as u32 & all,
            Number::Uint => x.min(all),
            Number::Sint => {
                (x as i32).clamp(-(all as i32 >> 1 & i32::MAX) - 1, (all / 2) as i32) as u32 & all
            }
            Number::Float if bits == 32 => x,
            Number::Float if bits < 16 && value.is_nan() => all,
            Number::Float if bits < 16 => {
                // There are no negative values; halves have more bits of the fraction.
                let target = Target::short(bits as i32 - 4);
                let x = Exact::float(value.max(0.0), target).round();
                half::from_f32(x as f32) >> (15 - bits)
            }
            Number::Float => half::from_f32(value as f32),
        }
    }
}
