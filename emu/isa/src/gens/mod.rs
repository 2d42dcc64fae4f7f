//! The generations: what their manuals say of encodings and numbers. Meanings are in `ops/`.

use crate::table::Table;
use crate::{DecodeError, Inst, Op};

pub mod gfx9;

/// A generation's instruction set: tables and named properties.
pub struct Gen {
    /// For messages: `"gfx90a"`.
    pub name: &'static str,
    /// Decodes the instruction that starts with these words.
    pub decode: fn(&'static Gen, [u32; 2]) -> Result<Inst, DecodeError>,
    /// The opcode tables.
    pub tables: &'static Tables,
    /// The hardware sets the scratch base; no SGPRs hold it (`FLAT_SCRATCH` is not in the scalar file).
    pub has_architected_flat_scratch: bool,
    /// Names and meanings of the cache bits are those of gfx940 (`sc0 nt sc1`) and not `glc slc scc`.
    pub has_sc_bits: bool,
    /// Memory instructions have a third cache bit (`scc`, `sc1`).
    pub has_scc: bool,
    /// One register file for vector and accumulation registers; memory instructions take either.
    pub has_unified_registers: bool,
    /// Data-parallel primitives can spread one lane of each row (`row_newbcast`).
    pub has_row_newbcast: bool,
    /// Data-parallel primitives work on 64-bit operands too.
    pub has_wide_dpp: bool,
    /// 8-bit floats are those of the Open Compute Project, not those without infinities and negative zero.
    pub has_ocp_fp8: bool,
    /// Matrix and dot products of 16-bit floats take denormals for zero and give none.
    pub flushes_half_products: bool,
}

impl core::fmt::Debug for Gen {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name)
    }
}

/// Opcode tables by format.
#[allow(missing_docs, reason = "the names are the manuals' encoding names")]
pub struct Tables {
    pub sop1: Table<256>,
    pub sop2: Table<128>,
    pub sopk: Table<32>,
    pub sopc: Table<128>,
    pub sopp: Table<128>,
    pub smem: Table<256>,
    pub vop1: Table<256>,
    pub vop2: Table<64>,
    pub vopc: Table<256>,
    /// Native VOP3 instructions; VOP1, VOP2 and VOPC have theirs at the bases of the generation.
    pub vop3: Table<1024>,
    pub vop3p: Table<128>,
    pub ds: Table<256>,
    pub flat: Table<128>,
    pub global: Table<128>,
    pub scratch: Table<128>,
    pub mubuf: Table<128>,
    pub mtbuf: Table<16>,
    pub vintrp: Table<4>,
    pub mimg: Table<128>,
    /// The one instruction of EXP.
    pub exp: Option<&'static Op>,
}

/// All generations.
pub static ALL: &[&Gen] =
    &[&gfx9::GFX900, &gfx9::GFX906, &gfx9::GFX908, &gfx9::GFX90A, &gfx9::GFX940, &gfx9::GFX950];

/// The generation of a processor as target IDs name it (`gfx942`), if it is one of ours.
pub fn by_processor(processor: &str) -> Option<&'static Gen> {
    gfx9::by_processor(processor)
}
