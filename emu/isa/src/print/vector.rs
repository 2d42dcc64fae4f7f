//! Vector instructions as text: VOP1, VOP2, VOPC, VOP3, VOP3P, SDWA, DPP.

use core::fmt::{self, Write};

use super::Line;
use crate::{Extension, Imm, Inst, Operand, Ty};

/// What SDWA's selections are called.
const PARTS: [&str; 8] = ["BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD", ""];
/// What SDWA does with the rest of a destination.
const REST: [&str; 4] = ["UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE", ""];

impl Inst {
    /// Whether this is the long form of a VOP1, VOP2 or VOPC instruction.
    pub(super) fn is_long_form(&self) -> bool {
        self.words[0] >> 16 & 0x3ff < 0x1c0
    }

    /// Whether `op_sel` chooses parts of registers: not in the long forms, and not in the instructions that clear the
    /// high half of their 16-bit result.
    fn selects_parts(&self) -> bool {
        let op = self.op;
        let halves = if op.dst.is_16_bit() && op.dst != Ty::P16 {
            op.traits.keeps_high
        } else {
            op.src.iter().any(|ty| ty.is_16_bit())
        };
        !self.is_long_form() && (op.traits.selects || halves || op.traits.imm == Imm::TruthTable)
    }

    /// The sources that stand in the text: not the destination's old value.
    fn written_sources(&self) -> usize {
        self.op.src.len().min(3) - usize::from(self.op.traits.tied)
    }
}

impl<W: Write> Line<'_, W> {
    /// VOP1, VOP2, VOPC.
    pub(super) fn short_vector(&mut self) -> fmt::Result {
        self.destinations()?;
        for k in 0..self.i.written_sources() {
            self.source(k)?;
        }
        match self.i.ext {
            Extension::None => Ok(()),
            Extension::Sdwa { .. } => self.sdwa(),
            Extension::Dpp { ctrl, bound_ctrl, bank_mask, row_mask } => {
                self.dpp_control(ctrl)?;
                self.put(" row_mask:")?;
                self.hex(u32::from(row_mask))?;
                self.put(" bank_mask:")?;
                self.hex(u32::from(bank_mask))?;
                self.flag(bound_ctrl, " bound_ctrl:1")
            }
        }
    }

    pub(super) fn vop3(&mut self) -> fmt::Result {
        let i = self.i;
        self.destinations()?;
        for k in 0..i.written_sources() {
            self.source(k)?;
        }
        if i.op.traits.imm == Imm::LaneBounds {
            self.flag(i.mods.op_sel & 2 != 0, " bound_ctrl:1")?;
            return self.flag(i.mods.op_sel & 1 != 0, " fi:1");
        }
        if i.op.traits.imm == Imm::TruthTable {
            self.put(" bitop3:")?;
            self.hex(u32::from(i.mods.omod) << 6 | u32::from(i.mods.abs) << 3 | u32::from(i.mods.neg))?;
        }
        if i.mods.op_sel != 0 && i.selects_parts() {
            // The bits of the sources that are there, then that of the destination.
            let count = if i.op.traits.dst_byte { 3 } else { i.written_sources() };
            let sources = i.mods.op_sel & ((1 << count) - 1);
            self.bits(" op_sel:", sources | i.mods.op_sel >> 3 << count, count + 1, 0)?;
        }
        if i.op.traits.imm == Imm::TruthTable {
            return Ok(());
        }
        self.output_modifiers()
    }

    pub(super) fn vop3p(&mut self) -> fmt::Result {
        let i = self.i;
        self.destinations()?;
        let count = i.written_sources();
        if i.op.traits.acc_dst || i.op.traits.acc_src {
            return self.operand(i.src[0], i.op.src[0]);
        }
        let all = (1u8 << count) - 1;
        // Mixed precision: `op_sel_hi` makes a source 16-bit, and the modifiers are those of VOP3.
        if i.op.src.first() == Some(&Ty::F32) {
            for k in 0..count {
                self.source(k)?;
            }
            self.bits(" op_sel:", i.mods.op_sel & all, count, 0)?;
            self.bits(" op_sel_hi:", i.mods.op_sel_hi & all, count, 0)?;
            return self.flag(i.mods.clamp, " clamp");
        }
        for k in 0..count {
            // Two dwords, whatever they hold: a constant is one of them.
            let ty = if i.op.src[k] == Ty::B64 { Ty::P32 } else { i.op.src[k] };
            self.operand(i.src[k], ty)?;
        }
        self.bits(" op_sel:", i.mods.op_sel & all, count, 0)?;
        self.bits(" op_sel_hi:", i.mods.op_sel_hi & all, count, all)?;
        self.bits(" neg_lo:", i.mods.neg & all, count, 0)?;
        self.bits(" neg_hi:", i.mods.abs & all, count, 0)?;
        self.flag(i.mods.clamp, " clamp")
    }

    /// MFMA and SMFMAC.
    pub(super) fn matrix(&mut self) -> fmt::Result {
        let i = self.i;
        self.destinations()?;
        let (cbsz, abid, blgp) = (i.imm & 7, i.imm >> 3 & 15, i.imm >> 7 & 7);
        for (k, (o, ty)) in i.src.into_iter().zip(i.op.src).enumerate() {
            match [cbsz, blgp].get(k) {
                // Formats of 8, 6 and 4 bits.
                Some(format) if i.op.traits.formats && o.is_vector() => {
                    self.vectors(o, [8, 8, 6, 6, 4, 8, 8, 8][*format as usize & 7])?;
                }
                // A constant sum stands for each element.
                _ if o.is_constant() && i.op.src.first() == Some(&Ty::F64) => self.operand(o, Ty::F64)?,
                _ => self.operand(o, *ty)?,
            }
        }
        // With 64-bit floats of the later generations the last field negates.
        let negates = self.generation.has_sc_bits && i.op.src.first() == Some(&Ty::F64);
        for (name, value) in [(" cbsz:", cbsz), (" abid:", abid), (" blgp:", if negates { 0 } else { blgp })]
        {
            if value != 0 {
                self.put(name)?;
                self.decimal(value)?;
            }
        }
        if negates { self.bits(" neg:", blgp as u8, 3, 0) } else { Ok(()) }
    }

    fn destinations(&mut self) -> fmt::Result {
        let i = self.i;
        if i.op.dst != Ty::None {
            self.operand(i.dst, i.op.dst)?;
        }
        if i.op.traits.carry_out { self.pair(i.sdst) } else { Ok(()) }
    }

    /// A source with its modifiers.
    fn source(&mut self, k: usize) -> fmt::Result {
        let (i, ty) = (self.i, self.i.op.src[k]);
        // Where a source has no modifiers their bits mean nothing.
        let is_float = |ty: Ty| ty.is_float() || ty == Ty::P16;
        let has = is_float(ty) || ty == Ty::B32 && i.op.src.contains(&Ty::Mask);
        let has = has && i.op.traits.imm != Imm::TruthTable;
        let neg = i.mods.neg >> k & 1 != 0;
        let abs = has && i.mods.abs >> k & 1 != 0;
        // An integer among floats: what negates them extends its sign.
        let among_floats = !has && ty != Ty::B32 && i.op.src.iter().any(|ty| is_float(*ty));
        let sext = matches!(i.ext, Extension::Sdwa { sext, .. } if sext >> k & 1 != 0) || among_floats && neg;
        let neg = has && neg;
        self.next()?;
        let is_constant = i.src[k].is_constant();
        // Of a constant `-1` would be another one.
        let wrap = neg && !abs && is_constant;
        self.flag(neg, if wrap { "neg(" } else { "-" })?;
        self.flag(abs, "|")?;
        self.flag(sext, "sext(")?;
        match i.op.traits.literal_source {
            // As a part of the encoding it is a number, whatever its value.
            Some(n) if usize::from(n) == k => self.hex(i.literal)?,
            _ => self.value(i.src[k], ty)?,
        }
        self.flag(sext, ")")?;
        self.flag(abs, "|")?;
        self.flag(wrap, ")")
    }

    fn output_modifiers(&mut self) -> fmt::Result {
        self.flag(self.i.mods.clamp, " clamp")?;
        self.put(["", " mul:2", " mul:4", " div:2"][usize::from(self.i.mods.omod & 3)])
    }

    fn sdwa(&mut self) -> fmt::Result {
        let Extension::Sdwa { dst_sel, dst_unused, src_sel, .. } = self.i.ext else { return Ok(()) };
        self.output_modifiers()?;
        if !matches!(self.i.op.dst, Ty::Mask | Ty::None) && !self.i.op.traits.whole_dst {
            self.put(" dst_sel:")?;
            self.put(PARTS[usize::from(dst_sel & 7)])?;
            self.put(" dst_unused:")?;
            self.put(REST[usize::from(dst_unused & 3)])?;
        }
        // A carry or condition is no part of a register.
        let count = (0..self.i.written_sources()).filter(|k| self.i.op.src[*k] != Ty::Mask).count();
        for (name, sel) in [" src0_sel:", " src1_sel:"].into_iter().zip(src_sel).take(count) {
            self.put(name)?;
            self.put(PARTS[usize::from(sel & 7)])?;
        }
        Ok(())
    }

    fn dpp_control(&mut self, ctrl: u16) -> fmt::Result {
        let ctrl = u32::from(ctrl);
        let name = match ctrl {
            0..=0xff => {
                self.put(" quad_perm:")?;
                for k in 0..4 {
                    self.put(if k == 0 { "[" } else { "," })?;
                    self.decimal(ctrl >> (2 * k) & 3)?;
                }
                return self.put("]");
            }
            0x101..=0x10f => " row_shl:",
            0x111..=0x11f => " row_shr:",
            0x121..=0x12f => " row_ror:",
            0x150..=0x15f => " row_newbcast:",
            _ => {
                return self.put(match ctrl {
                    0x130 => " wave_shl:1",
                    0x134 => " wave_rol:1",
                    0x138 => " wave_shr:1",
                    0x13c => " wave_ror:1",
                    0x140 => " row_mirror",
                    0x141 => " row_half_mirror",
                    0x142 => " row_bcast:15",
                    0x143 => " row_bcast:31",
                    _ => " /* Invalid dpp_ctrl value */",
                });
            }
        };
        self.put(name)?;
        self.decimal(ctrl & 15)
    }

    /// A vector register or several, where a memory instruction has one.
    pub(super) fn vectors(&mut self, o: Operand, count: usize) -> fmt::Result {
        self.next()?;
        self.register(o, count)
    }
}
