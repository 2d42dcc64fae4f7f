//! Graphics instructions as text: VINTRP, EXP, MIMG.

use core::fmt::{self, Write};

use super::Line;
use crate::{Operand, Ty};

impl<W: Write> Line<'_, W> {
    pub(super) fn vintrp(&mut self) -> fmt::Result {
        let i = self.i;
        self.vectors(i.dst, 1)?;
        // A move takes one of three parameters, where the others take a register.
        let number = i.src[0].row() as u32;
        match i.op.name {
            "v_interp_mov_f32" => match number {
                0 => self.word("p10")?,
                1 => self.word("p20")?,
                2 => self.word("p0")?,
                _ => {
                    self.word("invalid_param_")?;
                    self.decimal(number)?;
                }
            },
            _ => self.vectors(i.src[0], 1)?,
        }
        self.word("attr")?;
        self.decimal(i.imm >> 2)?;
        self.put([".x", ".y", ".z", ".w"][i.imm as usize & 3])
    }

    pub(super) fn exp(&mut self) -> fmt::Result {
        let (imm, registers) = (self.i.imm, self.i.words[1]);
        let (target, compressed) = (imm >> 4 & 63, imm >> 10 & 1 != 0);
        let (name, number) = match target {
            0..8 => ("mrt", Some(target)),
            8 => ("mrtz", None),
            9 => ("null", None),
            12..16 => ("pos", Some(target - 12)),
            32.. => ("param", Some(target - 32)),
            _ => ("invalid_target_", Some(target)),
        };
        self.word(name)?;
        if let Some(number) = number {
            self.decimal(number)?;
        }
        for k in 0..4 {
            // Two registers hold four compressed components.
            let register = if compressed { k / 2 } else { k };
            match imm >> k & 1 {
                0 if k == 0 => self.put(" off")?,
                0 => self.put(", off")?,
                _ => {
                    self.put(if k == 0 { " " } else { ", " })?;
                    self.value(Operand::vgpr(registers >> (8 * register)), Ty::B32)?;
                }
            }
        }
        self.flag(imm >> 11 & 1 != 0, " done")?;
        self.flag(compressed, " compr")?;
        self.flag(imm >> 12 & 1 != 0, " vm")
    }

    pub(super) fn mimg(&mut self) -> fmt::Result {
        let (i, [w, x]) = (self.i, self.i.words);
        // The bit of the status is that of accumulation registers where there are any.
        let has_status = w >> 16 & 1 != 0 && i.mem.data == Operand::vgpr(x >> 8 & 0xff);
        let (dmask, is_d16) = (w >> 8 & 15, x >> 31 != 0);
        let gathers = i.op.name.starts_with("image_gather4");
        let components = if gathers { 4 } else { dmask.count_ones().max(1) as usize };
        let data = if is_d16 { components.div_ceil(2) } else { components };
        self.vectors(i.mem.data, data + usize::from(has_status))?;
        self.vectors(i.mem.addr, i.op.src.first().map_or(1, |ty| ty.dwords()))?;
        self.operand(i.mem.saddr, Ty::B256)?;
        if i.op.src.len() > 1 {
            self.operand(i.mem.soffset, Ty::B128)?;
        }
        if dmask != 0 {
            self.put(" dmask:")?;
            self.hex(dmask)?;
        }
        self.flag(w >> 12 & 1 != 0, " unorm")?;
        self.flag(i.mem.glc, " glc")?;
        self.flag(i.mem.slc, " slc")?;
        self.flag(w >> 15 & 1 != 0, " a16")?;
        self.flag(has_status, " tfe")?;
        self.flag(w >> 17 & 1 != 0, " lwe")?;
        self.flag(w >> 14 & 1 != 0, " da")?;
        self.flag(is_d16, " d16")
    }
}
