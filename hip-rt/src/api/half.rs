//! Half precision for compilers whose run-time library lacks it: IEEE binary16 to binary32 and back, to nearest even.

pub fn to_float(bits: u16) -> f32 {
    let sign = u32::from(bits >> 15) << 31;
    let exponent = u32::from(bits >> 10 & 0x1f);
    let mantissa = u32::from(bits & 0x3ff);
    match (exponent, mantissa) {
        (0x1f, _) => f32::from_bits(sign | 0x7f80_0000 | mantissa << 13),
        (0, _) => {
            let value = mantissa as f32 * f32::from_bits((127 - 24) << 23);
            f32::from_bits(value.to_bits() | sign)
        }
        _ => f32::from_bits(sign | (exponent + 127 - 15) << 23 | mantissa << 13),
    }
}

pub fn from_float(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        return sign | 0x7e00 | (magnitude >> 13 & 0x1ff) as u16;
    }
    // From halfway above the largest finite half on, it is infinity.
    if magnitude >= 0x477f_f000 {
        return sign | 0x7c00;
    }
    let (shift, magnitude) = if magnitude < 0x3880_0000 {
        // Subnormal: the leading one becomes a bit of the mantissa.
        let exponent = magnitude >> 23;
        if exponent < 102 {
            return sign;
        }
        (126 - exponent, magnitude & 0x7f_ffff | 0x80_0000)
    } else {
        (13, magnitude - ((127 - 15) << 23))
    };
    let kept = magnitude >> shift;
    let lost = magnitude & ((1 << shift) - 1);
    let half = 1 << (shift - 1);
    let up = lost > half || (lost == half && kept & 1 == 1);
    sign | (kept + u32::from(up)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_survives_the_way_there_and_back() {
        for bits in 0..=u16::MAX {
            let value = to_float(bits);
            if value.is_nan() {
                assert!(bits & 0x7c00 == 0x7c00 && bits & 0x3ff != 0);
            } else {
                assert_eq!(from_float(value), bits, "{value}");
            }
        }
    }

    #[test]
    fn halfway_cases_go_to_even() {
        assert_eq!(from_float(65504.0), 0x7bff);
        assert_eq!(from_float(65519.9), 0x7bff);
        assert_eq!(from_float(65520.0), 0x7c00);
        assert_eq!(from_float(1.0 + 1.0 / 2048.0), 0x3c00);
        assert_eq!(from_float(1.0 + 3.0 / 2048.0), 0x3c02);
        assert_eq!(from_float(f32::from_bits((127 - 25) << 23)), 0);
        assert_eq!(from_float(1.5 * f32::from_bits((127 - 25) << 23)), 1);
        assert_eq!(from_float(-0.0), 0x8000);
        assert_eq!(from_float(f32::NEG_INFINITY), 0xfc00);
    }
}
