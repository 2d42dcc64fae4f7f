//! Scalar instructions as text: SOP1, SOP2, SOPK, SOPC, SOPP, SMEM.

use core::fmt::{self, Write};

use super::Line;
use crate::{Imm, Operand, Ty};

impl<W: Write> Line<'_, W> {
    /// SOP1, SOP2, SOPC.
    pub(super) fn sop(&mut self) -> fmt::Result {
        let i = self.i;
        if i.op.dst != Ty::None {
            self.operand(i.dst, i.op.dst)?;
        }
        for (o, ty) in i.src.into_iter().zip(i.op.src) {
            self.operand(o, *ty)?;
        }
        self.immediate(i.op.traits.imm)
    }

    pub(super) fn sopk(&mut self) -> fmt::Result {
        let i = self.i;
        let register = if i.op.dst != Ty::None { Some(i.op.dst) } else { i.op.src.first().copied() };
        // `s_setreg_b32`: what is written comes first.
        let reads = i.op.dst == Ty::None && i.op.traits.imm == Imm::Register;
        if let Some(ty) = register.filter(|_| !reads) {
            self.operand(i.dst, ty)?;
        }
        match i.op.traits.imm {
            Imm::None => {
                self.next()?;
                self.hex(i.imm)?;
            }
            imm => self.immediate(imm)?,
        }
        if let Some(ty) = register.filter(|_| reads) {
            self.operand(i.dst, ty)?;
        }
        if i.op.traits.literal_source.is_some() {
            self.next()?;
            self.literal(Ty::B32, i.literal)?;
        }
        Ok(())
    }

    pub(super) fn sopp(&mut self) -> fmt::Result {
        self.immediate(self.i.op.traits.imm)
    }

    pub(super) fn smem(&mut self) -> fmt::Result {
        let (i, traits) = (self.i, &self.i.op.traits);
        match i.op.src.get(1) {
            // Stores and atomics: the register field is data.
            Some(data) => self.operand(i.dst, *data)?,
            None if traits.imm == Imm::Number => {
                self.next()?;
                self.number(u32::from(i.dst.0))?;
            }
            None if i.op.dst != Ty::None => self.operand(i.dst, i.op.dst)?,
            None => {}
        }
        if let Some(base) = i.op.src.first() {
            self.operand(i.mem.saddr, *base)?;
            let has_immediate = i.words[0] >> 17 & 1 != 0;
            if i.mem.soffset.is_none() {
                self.next()?;
                self.flag(i.mem.offset < 0, "-")?;
                self.hex(i.mem.offset.unsigned_abs())?;
            } else {
                self.operand(i.mem.soffset, Ty::B32)?;
                if has_immediate {
                    self.put(" offset:")?;
                    self.flag(i.mem.offset < 0, "-")?;
                    self.hex(i.mem.offset.unsigned_abs())?;
                }
            }
            let moves_data = i.op.dst != Ty::None || i.op.src.len() > 1;
            self.flag(i.mem.glc && moves_data, " glc")?;
        }
        Ok(())
    }

    /// The operand that `imm` describes, if any.
    fn immediate(&mut self, imm: Imm) -> fmt::Result {
        let value = self.i.imm;
        match imm {
            Imm::None | Imm::Swizzle | Imm::TruthTable | Imm::LaneBounds => return Ok(()),
            Imm::Code if value == 0 => return Ok(()),
            _ => self.next()?,
        }
        match imm {
            Imm::Target | Imm::Code => self.decimal(value),
            Imm::Waits => self.waits(value),
            Imm::Message => self.message(value),
            Imm::Register => self.hardware_register(value),
            Imm::Indexing => self.indexing(value),
            _ => self.number(value),
        }
    }

    /// The scalar source of a lane mask and such.
    pub(super) fn pair(&mut self, o: Operand) -> fmt::Result {
        self.operand(o, Ty::Mask)
    }
}
