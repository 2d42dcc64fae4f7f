//! `Inst`: a decoded instruction, operands filled in, ready to run.

use crate::{Exec, Fast, FastExec, Format, Op, Operand};

/// Modifiers of sources and result (VOP3, VOP3P; SDWA and DPP bring the same ones).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mods {
    /// Bit k: source k is negated (VOP3P: its low half).
    pub neg: u8,
    /// Bit k: the absolute value of source k is taken (VOP3P: bit k negates its high half).
    pub abs: u8,
    /// The result is clamped: floats to 0..1, integers to their range.
    pub clamp: bool,
    /// The result is scaled: 0 no, 1 by 2, 2 by 4, 3 by a half.
    pub omod: u8,
    /// Bit k: source k is taken from the high half; bit 3: the result goes there.
    pub op_sel: u8,
    /// Bit k: the high result takes source k from its high half (VOP3P).
    pub op_sel_hi: u8,
}

impl Mods {
    /// Whether any modifier is set.
    pub fn any(self) -> bool {
        self.neg | self.abs | self.omod | self.op_sel != 0 || self.clamp
    }
}

/// Sub-dword addressing (SDWA) or data-parallel primitives (DPP) of the first source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Extension {
    /// Neither.
    #[default]
    None,
    /// SDWA: which part of a dword is read and written. Selections: 0–3 byte, 4–5 word, 6 dword.
    Sdwa {
        /// Part of the destination that is written.
        dst_sel: u8,
        /// What happens to the rest of the destination: 0 zero, 1 sign, 2 kept.
        dst_unused: u8,
        /// Part of each source.
        src_sel: [u8; 2],
        /// Bit k: source k is sign-extended.
        sext: u8,
    },
    /// DPP: source 0 comes from another lane.
    Dpp {
        /// `dpp_ctrl`, 9 bits.
        ctrl: u16,
        /// Lanes that read from outside get 0 instead of being left out.
        bound_ctrl: bool,
        /// Banks (of four lanes in each row) that are written.
        bank_mask: u8,
        /// Rows of 16 lanes that are written.
        row_mask: u8,
    },
}

/// Fields of a memory instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemFields {
    /// Byte offset; DS with two offsets has the second in `offset1`.
    pub offset: i32,
    /// Second offset of `ds_read2` and such, in elements.
    pub offset1: u8,
    /// `glc` (gfx90a), `sc0` (gfx940): an atomic returns the old value.
    pub glc: bool,
    /// `slc` (gfx90a), `nt` (gfx940).
    pub slc: bool,
    /// `scc` (gfx90a), `sc1` (gfx940).
    pub scc: bool,
    /// The load goes to LDS.
    pub lds: bool,
    /// DS: global data share.
    pub gds: bool,
    /// MUBUF: an index comes from a register.
    pub idxen: bool,
    /// MUBUF: an offset comes from a register.
    pub offen: bool,
    /// MTBUF: data format and number format.
    pub dfmt: u8,
    /// See `dfmt`.
    pub nfmt: u8,
    /// FLAT: 0 flat, 1 scratch, 2 global.
    pub segment: u8,
    /// FLAT scratch of gfx940: whether `addr` is used (`sve`).
    pub sve: bool,
    /// Vector address, or `NONE`. DS and FLAT `addr`, MUBUF `vaddr`.
    pub addr: Operand,
    /// Scalar address: FLAT `saddr`, SMEM `sbase`, MUBUF `srsrc`; `NONE` if off.
    pub saddr: Operand,
    /// Scalar offset: MUBUF and SMEM `soffset`; `NONE` if off.
    pub soffset: Operand,
    /// Data to store, DS `data0`.
    pub data: Operand,
    /// DS `data1`.
    pub data1: Operand,
}

impl Default for MemFields {
    fn default() -> MemFields {
        MemFields {
            offset: 0,
            offset1: 0,
            glc: false,
            slc: false,
            scc: false,
            lds: false,
            gds: false,
            idxen: false,
            offen: false,
            dfmt: 0,
            nfmt: 0,
            segment: 0,
            sve: false,
            addr: Operand::NONE,
            saddr: Operand::NONE,
            soffset: Operand::NONE,
            data: Operand::NONE,
            data1: Operand::NONE,
        }
    }
}

/// A decoded instruction.
#[derive(Debug, Clone)]
pub struct Inst {
    /// What runs: `op.fast`, `op.fast_modified` or `op.general`, chosen once at decode.
    pub exec: FastExec,
    /// What runs in a wave whose mode is not plain.
    pub general: Exec,
    /// The instruction.
    pub op: &'static Op,
    /// Byte offset from the block's start.
    pub offset: u32,
    /// Length in bytes: 4, 8 or 12.
    pub size: u8,
    /// The encoding.
    pub format: Format,
    /// Destination, or `NONE`.
    pub dst: Operand,
    /// Second, scalar destination (carry), or `NONE`.
    pub sdst: Operand,
    /// Sources, in the order of `op.src`.
    pub src: [Operand; 3],
    /// The literal constant, where a source is `Operand::LITERAL`.
    pub literal: u32,
    /// `simm16`, zero-extended, of SOPK and SOPP; `imm` of s_setreg_imm32.
    pub imm: u32,
    /// Modifiers.
    pub mods: Mods,
    /// SDWA or DPP.
    pub ext: Extension,
    /// Fields of memory instructions.
    pub mem: MemFields,
    /// The first two words, for messages.
    pub words: [u32; 2],
}

impl Inst {
    /// An instruction with no operand filled in; the decoder of its encoding does that.
    pub fn new(op: &'static Op, format: Format, words: [u32; 2], size: u8) -> Inst {
        Inst {
            exec: op.general,
            general: op.general,
            op,
            offset: 0,
            size,
            format,
            dst: Operand::NONE,
            sdst: Operand::NONE,
            src: [Operand::NONE; 3],
            literal: 0,
            imm: 0,
            mods: Mods::default(),
            ext: Extension::None,
            mem: MemFields::default(),
            words,
        }
    }

    /// The fast bodies that may stand for the general one, in a wave of plain mode.
    pub fn fast(&self) -> Option<Fast> {
        match self.ext {
            // The fast bodies of loads fill registers.
            _ if self.mem.lds => None,
            // Packed instructions take every modifier in the one fast body they have.
            Extension::None if self.format == Format::Vop3p => {
                self.op.fast_modified.or(self.op.fast.filter(|_| !self.mods.any()))
            }
            Extension::None if !self.mods.any() => self.op.fast,
            Extension::None if self.mods.op_sel == 0 => self.op.fast_modified,
            _ => None,
        }
    }

    /// Address of the instruction in the block that `wave` runs.
    #[inline(always)]
    pub fn pc(&self, wave: &crate::Wave) -> u64 {
        wave.block_pc + u64::from(self.offset)
    }

    /// Address behind the instruction.
    #[inline(always)]
    pub fn next_pc(&self, wave: &crate::Wave) -> u64 {
        self.pc(wave) + u64::from(self.size)
    }
}
