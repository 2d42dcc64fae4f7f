//! Instructions as text, in the syntax of LLVM's assembler (LLVM's "AMDGPU Instruction Syntax").
//!
//! What prints follows from the encoding, and from the operand types and traits of the [`Op`](crate::Op): there is no
//! text of single instructions here. Two texts may stand for one instruction (an inline constant and the same value
//! as a literal); what prints is what LLVM's disassembler prints.

mod graphics;
mod immediate;
mod memory;
mod operand;
mod scalar;
mod vector;

use core::fmt::{self, Write};

use crate::{Extension, Format, Gen, Imm, Inst, Operand, Ty};

impl Inst {
    /// The instruction as text: `v_add_f32_e32 v1, s2, v3`.
    ///
    /// A branch's target is its distance in words, as LLVM prints it where no symbol stands for it; see
    /// [`Inst::target`].
    pub fn text<'a>(&'a self, generation: &'a Gen) -> impl fmt::Display + 'a {
        fmt::from_fn(move |f| self.write_text(generation, f))
    }

    /// Writes what [`Inst::text`] displays; faster, into a `String`.
    pub fn write_text<W: Write>(&self, generation: &Gen, out: &mut W) -> fmt::Result {
        Line { out, i: self, generation, operands: 0 }.instruction()
    }

    /// Where a branch at `pc` goes, when it is taken.
    pub fn target(&self, pc: u64) -> Option<u64> {
        let distance = i64::from(self.imm as i16) * 4;
        (self.op.traits.imm == Imm::Target)
            .then(|| pc.wrapping_add(u64::from(self.size)).wrapping_add_signed(distance))
    }

    /// What LLVM's assembler adds to the mnemonic to name the encoding.
    pub fn suffix(&self) -> &'static str {
        match self.ext {
            Extension::Sdwa { .. } => return "_sdwa",
            Extension::Dpp { .. } => return "_dpp",
            Extension::None => {}
        }
        match self.format {
            // What has one encoding needs no name for it.
            Format::Vop1 if self.op.traits.short_only => "",
            Format::Vop2 if self.op.traits.literal_source.is_some() => "",
            Format::Vintrp => "_e32",
            _ if self.op.dst == Ty::None => "",
            Format::Vop1 | Format::Vop2 | Format::Vopc => "_e32",
            Format::Vop3 if self.is_long_form() => "_e64",
            _ => "",
        }
    }
}

/// A line in the making.
struct Line<'a, W> {
    out: &'a mut W,
    i: &'a Inst,
    generation: &'a Gen,
    /// How many operands stand in it.
    operands: u32,
}

impl<W: Write> Line<'_, W> {
    fn instruction(&mut self) -> fmt::Result {
        self.put(self.i.op.name)?;
        self.put(self.i.suffix())?;
        match self.i.format {
            Format::Sop1 | Format::Sop2 | Format::Sopc => self.sop(),
            Format::Sopk => self.sopk(),
            Format::Sopp => self.sopp(),
            Format::Smem => self.smem(),
            Format::Vop1 | Format::Vop2 | Format::Vopc => self.short_vector(),
            Format::Vop3 => self.vop3(),
            Format::Vop3p if self.i.op.traits.matrix => self.matrix(),
            Format::Vop3p => self.vop3p(),
            Format::Ds => self.ds(),
            Format::Flat => self.flat(),
            Format::Mubuf => self.mubuf(),
            Format::Mtbuf => self.mtbuf(),
            Format::Vintrp => self.vintrp(),
            Format::Exp => self.exp(),
            Format::Mimg => self.mimg(),
        }
    }

    fn put(&mut self, text: &str) -> fmt::Result {
        self.out.write_str(text)
    }

    /// What goes in front of an operand.
    fn next(&mut self) -> fmt::Result {
        self.operands += 1;
        self.put(if self.operands == 1 { " " } else { ", " })
    }

    /// An operand that is a word.
    fn word(&mut self, text: &str) -> fmt::Result {
        self.next()?;
        self.put(text)
    }

    /// An operand that is a register or a constant.
    fn operand(&mut self, o: Operand, ty: Ty) -> fmt::Result {
        self.next()?;
        self.value(o, ty)
    }

    /// A modifier, if it is set.
    fn flag(&mut self, set: bool, text: &str) -> fmt::Result {
        if set { self.put(text) } else { Ok(()) }
    }

    fn decimal(&mut self, n: u32) -> fmt::Result {
        let mut digits = [0; 10];
        let (mut n, mut at) = (n, digits.len());
        loop {
            at -= 1;
            digits[at] = b'0' + (n % 10) as u8;
            n /= 10;
            if n == 0 {
                break;
            }
        }
        self.ascii(&digits[at..])
    }

    fn signed(&mut self, n: i32) -> fmt::Result {
        self.flag(n < 0, "-")?;
        self.decimal(n.unsigned_abs())
    }

    fn hex(&mut self, n: u32) -> fmt::Result {
        let mut digits = *b"0x00000000";
        let len = (8 - n.leading_zeros() as usize / 4).max(1);
        for (k, digit) in digits[2..2 + len].iter_mut().enumerate() {
            *digit = b"0123456789abcdef"[(n >> (4 * (len - 1 - k))) as usize & 15];
        }
        self.ascii(&digits[..2 + len])
    }

    fn ascii(&mut self, digits: &[u8]) -> fmt::Result {
        // Digits are ASCII: this never takes the other way.
        self.put(core::str::from_utf8(digits).unwrap_or_default())
    }

    /// A modifier of one bit a source, `[1,0,0]`, unless all of them are as they are without it.
    fn bits(&mut self, name: &str, bits: u8, count: usize, default: u8) -> fmt::Result {
        if bits == default {
            return Ok(());
        }
        self.put(name)?;
        for k in 0..count {
            self.put(if k == 0 { "[" } else { "," })?;
            self.put(if bits >> k & 1 != 0 { "1" } else { "0" })?;
        }
        self.put("]")
    }
}
