//! Registers and constants as text.

use core::fmt::{self, Write};

use super::Line;
use crate::{Operand, Ty};

/// What the inline constants from [`Operand::HALF`] on are called.
const FLOATS: [&str; 9] = ["0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "0.15915494"];

/// As the last of [`FLOATS`], where 64 bits hold it.
const INV_2PI_64: &str = "0.15915494309189532";

impl<W: Write> Line<'_, W> {
    /// A register or constant where `ty` is wanted.
    pub(super) fn value(&mut self, o: Operand, ty: Ty) -> fmt::Result {
        match o.0 {
            128..=208 => self.signed(o.constant64(Ty::B64, 0) as i32),
            240..=248 => self.inline_float(o, ty),
            255 => self.literal(ty, self.i.literal),
            _ => self.register(o, ty.dwords().max(1)),
        }
    }

    fn inline_float(&mut self, o: Operand, ty: Ty) -> fmt::Result {
        match ty {
            // An integer among floats reads as one.
            Ty::U16 | Ty::I16 if !self.i.op.src.iter().any(|ty| ty.is_float()) => {
                self.hex(u32::from(o.constant16(0)))
            }
            _ => self.float_name(o, ty.dwords() == 2 && ty != Ty::P32),
        }
    }

    fn float_name(&mut self, o: Operand, wide: bool) -> fmt::Result {
        self.put(if wide && o == Operand::INV_2PI { INV_2PI_64 } else { FLOATS[usize::from(o.0 - 240)] })
    }

    /// A literal constant. One whose value an inline constant has prints as that.
    pub(super) fn literal(&mut self, ty: Ty, bits: u32) -> fmt::Result {
        let wide = ty.dwords() == 2;
        if wide && ty.is_float() {
            // The high half of a float.
            let same = (240..=248).map(Operand).find(|o| o.constant64(Ty::F64, 0) == u64::from(bits) << 32);
            return match same {
                _ if bits == 0 => self.put("0"),
                Some(o) => self.float_name(o, true),
                None => self.hex(bits),
            };
        }
        let bits = if matches!(ty, Ty::F16 | Ty::BF16) { bits as i16 as u32 } else { bits };
        let n = bits as i32;
        if (0..=64).contains(&n) || (-16..0).contains(&n) && !wide {
            return self.signed(n);
        }
        let same = match ty {
            Ty::F16 | Ty::P16 => {
                let half = if ty == Ty::F16 { bits & 0xffff } else { bits };
                (240..=248).map(Operand).find(|o| u32::from(o.constant16(0)) == half)
            }
            _ if wide => None,
            _ => (240..=248).map(Operand).find(|o| o.constant32(0) == bits),
        };
        match same {
            Some(o) => self.float_name(o, false),
            None if ty.is_16_bit() && ty != Ty::P16 => self.hex(bits & 0xffff),
            None => self.hex(bits),
        }
    }

    /// The plain form of an immediate: small ones decimal, others hexadecimal.
    pub(super) fn number(&mut self, n: u32) -> fmt::Result {
        if n <= 64 { self.decimal(n) } else { self.hex(n) }
    }

    /// `count` registers from this one on.
    pub(super) fn register(&mut self, o: Operand, count: usize) -> fmt::Result {
        let n = u32::from(o.0);
        match n {
            0..=101 => self.scalars("s", n, count),
            108..=123 => self.scalars("ttmp", n - 108, count),
            256..=511 => self.registers("v", n - 256, count),
            512..=767 => self.registers("a", n - 512, count),
            102..=107 | 126..=127 => {
                let name = match n {
                    102..=103 => "flat_scratch",
                    104..=105 => "xnack_mask",
                    106..=107 => "vcc",
                    _ => "exec",
                };
                self.put(name)?;
                self.flag(count == 1, if n & 1 == 0 { "_lo" } else { "_hi" })
            }
            _ => match SPECIALS.iter().find(|(number, _)| *number == n) {
                Some((_, name)) => self.put(name),
                // Not a register: decoders refuse it.
                None => self.decimal(n),
            },
        }
    }

    /// Scalar registers: tuples start where LLVM's do, at a multiple of two or of four.
    fn scalars(&mut self, prefix: &str, n: u32, count: usize) -> fmt::Result {
        self.registers(prefix, n & !(count.min(4).next_power_of_two() as u32 - 1), count)
    }

    fn registers(&mut self, prefix: &str, n: u32, count: usize) -> fmt::Result {
        self.put(prefix)?;
        if count == 1 {
            return self.decimal(n);
        }
        self.put("[")?;
        self.decimal(n)?;
        self.put(":")?;
        self.decimal(n + count as u32 - 1)?;
        self.put("]")
    }
}

const SPECIALS: &[(u32, &str)] = &[
    (124, "m0"),
    (125, "null"),
    (235, "src_shared_base"),
    (236, "src_shared_limit"),
    (237, "src_private_base"),
    (238, "src_private_limit"),
    (239, "src_pops_exiting_wave_id"),
    (251, "src_vccz"),
    (252, "src_execz"),
    (253, "src_scc"),
    (254, "src_lds_direct"),
];
