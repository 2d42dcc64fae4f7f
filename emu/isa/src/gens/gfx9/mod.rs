//! gfx9 and its compute line: CDNA2 (gfx90a) and CDNA3 (gfx940 family).
//!
//! "Vega" Instruction Set Architecture; "AMD Instinct MI200" and "MI300" Instruction Set Architecture.

mod decode;
mod memory;
mod scalar;
mod vector;

use super::{Gen, Tables};

/// CDNA2.
pub static GFX90A: Gen = Gen {
    name: "gfx90a",
    decode: decode::decode,
    tables: &TABLES_90A,
    has_architected_flat_scratch: false,
    has_sc_bits: false,
    has_unified_registers: true,
};

/// CDNA3.
pub static GFX940: Gen = Gen {
    name: "gfx940",
    decode: decode::decode,
    tables: &TABLES_940,
    has_architected_flat_scratch: true,
    has_sc_bits: true,
    has_unified_registers: true,
};

static TABLES_90A: Tables = Tables {
    sop1: scalar::SOP1,
    sop2: scalar::SOP2,
    sopk: scalar::SOPK,
    sopc: scalar::SOPC,
    sopp: scalar::SOPP,
    smem: scalar::SMEM,
    vop1: vector::VOP1,
    vop2: vector::VOP2,
    vopc: vector::VOPC,
    vop3: vector::VOP3,
    vop3p: vector::VOP3P,
    ds: memory::DS,
    flat: memory::FLAT,
    global: memory::GLOBAL,
    scratch: memory::SCRATCH,
    mubuf: memory::MUBUF,
    mtbuf: memory::MTBUF,
};

static TABLES_940: Tables = Tables {
    sop1: scalar::SOP1,
    sop2: scalar::SOP2,
    sopk: scalar::SOPK,
    sopc: scalar::SOPC,
    sopp: scalar::SOPP,
    smem: scalar::SMEM,
    vop1: vector::VOP1_940,
    vop2: vector::VOP2_940,
    vopc: vector::VOPC,
    vop3: vector::VOP3_940,
    vop3p: vector::VOP3P_940,
    ds: memory::DS_940,
    flat: memory::FLAT_940,
    global: memory::GLOBAL_940,
    scratch: memory::SCRATCH_940,
    mubuf: memory::MUBUF_940,
    mtbuf: memory::MTBUF,
};

/// The generation of a gfx9 processor.
pub(super) fn by_processor(processor: &str) -> Option<&'static Gen> {
    match processor {
        "gfx90a" => Some(&GFX90A),
        "gfx942" => Some(&GFX940),
        _ => None,
    }
}
