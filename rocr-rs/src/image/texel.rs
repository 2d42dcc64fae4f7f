//! A colour as an element of an image, for clearing.

use super::format::{Known, Meaning};

/// The element that a colour is: red, green, blue, alpha, as floating-point numbers or as integers, whichever the format has.
pub(super) fn encode(format: &Known, colour: [u32; 4]) -> Vec<u8> {
    let channel = format.channel;
    let of = |index: usize, bits: u32| number(channel.meaning, bits, colour[index], format.srgb && index < 3);
    if channel.packed.is_empty() {
        let stored = format.order.stored.iter();
        let bytes = channel.bytes as usize;
        return stored
            .flat_map(|index| of(*index, channel.bytes * 8).to_le_bytes()[..bytes].to_vec())
            .collect();
    }
    let mut word = 0;
    let mut at = 0;
    for (index, bits) in format.order.stored.iter().zip(channel.packed) {
        word |= of(*index, *bits) << at;
        at += bits;
    }
    word.to_le_bytes()[..channel.bytes as usize].to_vec()
}

/// A number in so many bits.
fn number(meaning: Meaning, bits: u32, raw: u32, srgb: bool) -> u32 {
    let float = f32::from_bits(raw);
    let mask = u32::MAX >> (32 - bits);
    match meaning {
        Meaning::Unorm => {
            let linear = if float > 0.0 { f64::from(float).min(1.0) } else { 0.0 };
            let value = if srgb { to_srgb(linear) } else { linear };
            (value * f64::from(mask)).round_ties_even() as u32
        }
        Meaning::Snorm => {
            let value = if float.is_nan() { 0.0 } else { f64::from(float).clamp(-1.0, 1.0) };
            ((value * f64::from(mask >> 1)).round_ties_even() as i32).cast_unsigned() & mask
        }
        Meaning::Uint => raw.min(mask),
        Meaning::Sint => {
            let most = (mask >> 1).cast_signed();
            raw.cast_signed().clamp(-most - 1, most).cast_unsigned() & mask
        }
        Meaning::Float if bits == 16 => half(float).into(),
        Meaning::Float => raw,
    }
}

fn to_srgb(linear: f64) -> f64 {
    if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 }
}

/// The nearest number of 16 bits, to even.
fn half(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        return sign | 0x7e00;
    }
    let exponent = (magnitude >> 23) as i32 - 127;
    if exponent > 15 {
        return sign | 0x7c00;
    }
    let (mantissa, shift) = if exponent >= -14 {
        // The exponent's bits go with the mantissa, so that rounding up carries into them.
        (magnitude - (112 << 23), 13)
    } else {
        let shift = 13 + (-14 - exponent);
        if shift > 24 {
            return sign;
        }
        (magnitude & 0x7f_ffff | 0x80_0000, shift)
    };
    let (kept, rest, half) = (mantissa >> shift, mantissa & ((1 << shift) - 1), 1 << (shift - 1));
    let up = rest > half || rest == half && kept & 1 != 0;
    sign | (kept + u32::from(up)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::format::{ImageFormat, Use};

    fn texel(channel: u32, order: u32, colour: [u32; 4]) -> Vec<u8> {
        let plain = Use { depth: false, buffer: false };
        encode(&ImageFormat { channel, order }.known(plain).unwrap().0, colour)
    }

    #[test]
    fn halves_are_rounded_to_even() {
        for (value, bits) in [
            (0.0, 0),
            (-0.0, 0x8000),
            (1.0, 0x3c00),
            (65504.0, 0x7bff),
            (65519.0, 0x7bff),
            (65520.0, 0x7c00),
            (f32::INFINITY, 0x7c00),
            (6.103_515_6e-5, 0x0400),
            (5.960_464_5e-8, 1),
            (2.980_232_2e-8, 0),
            (2.980_233e-8, 1),
            (1.000_488_3, 0x3c00),
            (1.001_464_8, 0x3c02),
            (0.333_333_34, 0x3555),
            (1e-30, 0),
        ] {
            assert_eq!(half(value), bits, "{value}");
        }
        assert_eq!(half(f32::NAN) & 0x7e00, 0x7e00);
    }

    #[test]
    fn colours_lie_in_memory_as_their_order_says() {
        let colour = [1.0f32, 0.5, 0.25, 0.0].map(f32::to_bits);
        assert_eq!(texel(2, 8, colour), [255, 128, 64, 0]);
        assert_eq!(texel(2, 9, colour), [64, 128, 255, 0]);
        assert_eq!(texel(2, 10, colour), [0, 255, 128, 64]);
        assert_eq!(texel(2, 14, colour), [255, 188, 137, 0]);
        assert_eq!(texel(0, 5, [(-2.0f32).to_bits(), 0, 0, 0.5f32.to_bits()]), [0x81, 64]);
        assert_eq!(texel(6, 6, colour), 0xfc08u16.to_le_bytes());
        assert_eq!(texel(7, 6, colour), (1023 << 20 | 512 << 10 | 256u32).to_le_bytes());
        assert_eq!(texel(9, 3, [40_000, (-40_000i32).cast_unsigned(), 0, 0]), [0xff, 0x7f, 0, 0x80]);
        assert_eq!(texel(11, 1, [300, 0, 0, 0]), [255]);
        assert_eq!(texel(15, 1, colour), 1.0f32.to_le_bytes());
        assert_eq!(texel(14, 0, [0, 0, 0, 1.0f32.to_bits()]), [0, 0x3c]);
    }
}
