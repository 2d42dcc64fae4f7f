//! Memory instructions as text: DS, FLAT, MUBUF, MTBUF.

use core::fmt::{self, Write};

use super::Line;
use crate::{Imm, Ty};

impl<W: Write> Line<'_, W> {
    pub(super) fn ds(&mut self) -> fmt::Result {
        let (i, op) = (self.i, self.i.op);
        if op.dst != Ty::None {
            self.vectors(i.dst, op.dst.dwords())?;
        }
        if !op.traits.no_address {
            self.vectors(i.mem.addr, 1)?;
        }
        for (o, ty) in [i.mem.data, i.mem.data1].into_iter().zip(op.src) {
            self.vectors(o, ty.dwords())?;
        }
        if op.traits.imm == Imm::Swizzle {
            self.swizzle(i.mem.offset as u32)?;
        } else if op.traits.two_offsets {
            self.offset(" offset0:", i.mem.offset & 0xff)?;
            self.offset(" offset1:", i32::from(i.mem.offset1))?;
        } else {
            self.offset(" offset:", i.mem.offset)?;
        }
        // With one register file there is no global data share left, but its instructions.
        self.flag(i.mem.gds && (op.traits.gds || !self.generation.has_unified_registers), " gds")
    }

    pub(super) fn flat(&mut self) -> fmt::Result {
        let (i, op) = (self.i, self.i.op);
        const SCRATCH: u8 = 1;
        const FLAT: u8 = 0;
        if op.dst != Ty::None && (i.mem.glc || !op.traits.atomic) && !i.mem.lds {
            self.vectors(i.dst, op.dst.dwords())?;
        }
        let scalar = !i.mem.saddr.is_none();
        match i.mem.segment {
            SCRATCH => {
                // Architected scratch can do with neither address and with both.
                let vector = if self.generation.has_architected_flat_scratch { i.mem.sve } else { !scalar };
                if vector { self.vectors(i.mem.addr, 1)? } else { self.word("off")? }
            }
            _ => self.vectors(i.mem.addr, if scalar { 1 } else { 2 })?,
        }
        if let Some(data) = op.src.first() {
            self.vectors(i.mem.data, data.dwords())?;
        }
        match i.mem.segment {
            FLAT => {}
            _ if !scalar => self.word("off")?,
            SCRATCH => self.operand(i.mem.saddr, Ty::B32)?,
            _ => self.operand(i.mem.saddr, Ty::B64)?,
        }
        // The thirteenth bit of a flat address's offset is none; LLVM shows it.
        let offset = if i.mem.segment == FLAT { (i.words[0] & 0x1fff) as i32 } else { i.mem.offset };
        self.offset(" offset:", offset)?;
        self.cache_bits()?;
        self.flag(i.mem.lds, " lds")
    }

    pub(super) fn mubuf(&mut self) -> fmt::Result {
        if self.i.op.traits.no_address {
            if !self.i.op.src.is_empty() {
                return self.store_from_lds();
            }
            // A cache instruction: its bits are a scope.
            let (sc0, sc1) = (self.i.mem.glc, self.i.mem.scc);
            self.flag(self.generation.has_sc_bits && sc0, " sc0")?;
            return self.flag(self.generation.has_sc_bits && sc1, " sc1");
        }
        self.buffer_address(!self.i.mem.lds)?;
        self.buffer_modifiers()?;
        self.flag(self.i.mem.lds, " lds")
    }

    /// `buffer_store_lds_dword`: `M0` has the place in LDS, and lanes follow one another.
    fn store_from_lds(&mut self) -> fmt::Result {
        let mem = &self.i.mem;
        self.operand(mem.saddr, Ty::B128)?;
        self.operand(mem.soffset, Ty::B32)?;
        self.offset(" offset:", mem.offset)?;
        self.flag(mem.lds, " lds")?;
        self.cache_bits()
    }

    pub(super) fn mtbuf(&mut self) -> fmt::Result {
        self.buffer_address(true)?;
        self.buffer_format(self.i.mem.dfmt, self.i.mem.nfmt)?;
        self.buffer_modifiers()
    }

    fn buffer_address(&mut self, has_data: bool) -> fmt::Result {
        let (i, op) = (self.i, self.i.op);
        let data = op.src.first().copied().unwrap_or(op.dst);
        if has_data && data != Ty::None {
            self.vectors(i.mem.data, data.dwords() + usize::from(self.has_status()))?;
        }
        match usize::from(i.mem.idxen) + usize::from(i.mem.offen) {
            0 => self.word("off")?,
            count => self.vectors(i.mem.addr, count)?,
        }
        self.operand(i.mem.saddr, Ty::B128)?;
        self.operand(i.mem.soffset, Ty::B32)
    }

    fn buffer_modifiers(&mut self) -> fmt::Result {
        let mem = &self.i.mem;
        self.flag(mem.idxen, " idxen")?;
        self.flag(mem.offen, " offen")?;
        self.offset(" offset:", mem.offset)?;
        self.cache_bits()?;
        self.flag(self.has_status(), " tfe")
    }

    /// `tfe`: a status dword behind the data. Generations of one register file have another use for the bit.
    fn has_status(&self) -> bool {
        !self.generation.has_unified_registers && self.i.words[1] >> 23 & 1 != 0
    }

    fn offset(&mut self, name: &str, offset: i32) -> fmt::Result {
        if offset == 0 {
            return Ok(());
        }
        self.put(name)?;
        self.signed(offset)
    }

    fn cache_bits(&mut self) -> fmt::Result {
        let mem = &self.i.mem;
        let names =
            if self.generation.has_sc_bits { [" sc0", " nt", " sc1"] } else { [" glc", " slc", " scc"] };
        self.flag(mem.glc, names[0])?;
        self.flag(mem.slc, names[1])?;
        self.flag(mem.scc, names[2])
    }
}
