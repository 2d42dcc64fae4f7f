//! gfx9: Vega (gfx900, gfx906) and its compute line, CDNA1 (gfx908), CDNA2 (gfx90a), CDNA3 (gfx940 family) and CDNA4
//! (gfx950).
//!
//! "Vega" and "Vega 7nm" Instruction Set Architecture; "AMD Instinct MI100", "MI200" and "MI300" Instruction Set
//! Architecture.

mod cdna4;
mod decode;
mod graphics;
mod memory;
mod scalar;
mod vector;

use super::{Gen, Tables};

/// Vega 10.
pub static GFX900: Gen = Gen { name: "gfx900", tables: &TABLES_900, ..VEGA };

/// Vega 20: fused multiply-add and dot products.
pub static GFX906: Gen = VEGA;

/// CDNA1: matrix instructions, with accumulation registers of their own.
pub static GFX908: Gen = Gen { name: "gfx908", tables: &TABLES_908, ..VEGA };

const VEGA: Gen = Gen {
    name: "gfx906",
    decode: decode::decode,
    tables: &TABLES_906,
    has_architected_flat_scratch: false,
    has_sc_bits: false,
    has_scc: false,
    has_unified_registers: false,
    has_row_newbcast: false,
    has_wide_dpp: false,
    has_ocp_fp8: false,
    flushes_half_products: false,
};

/// CDNA2: one register file, packed 32-bit floats.
pub static GFX90A: Gen = Gen { flushes_half_products: true, ..CDNA2 };

const CDNA2: Gen = Gen {
    name: "gfx90a",
    tables: &TABLES_90A,
    has_scc: true,
    has_unified_registers: true,
    has_row_newbcast: true,
    has_wide_dpp: true,
    ..VEGA
};

/// CDNA3.
pub static GFX940: Gen = CDNA3;

const CDNA3: Gen = Gen {
    name: "gfx940",
    tables: &TABLES_940,
    has_architected_flat_scratch: true,
    has_sc_bits: true,
    ..CDNA2
};

/// CDNA4: block-scaled matrix products, FP6 and FP4.
pub static GFX950: Gen = Gen { name: "gfx950", tables: &TABLES_950, has_ocp_fp8: true, ..CDNA3 };

static TABLES_900: Tables = Tables {
    sop1: scalar::SOP1,
    sop2: scalar::SOP2,
    sopk: scalar::SOPK,
    sopc: scalar::SOPC,
    sopp: scalar::SOPP,
    smem: scalar::SMEM,
    vop1: vector::VOP1,
    vop2: vector::VOP2_900,
    vopc: vector::VOPC,
    vop3: vector::VOP3,
    vop3p: vector::VOP3P_900,
    ds: memory::DS,
    flat: memory::FLAT,
    global: memory::GLOBAL,
    scratch: memory::SCRATCH,
    mubuf: memory::MUBUF,
    mtbuf: memory::MTBUF,
    vintrp: graphics::VINTRP,
    mimg: graphics::MIMG,
    exp: Some(&crate::ops::graphics::EXP),
};

static TABLES_906: Tables = Tables {
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
    vintrp: graphics::VINTRP,
    mimg: graphics::MIMG,
    exp: Some(&crate::ops::graphics::EXP),
};

static TABLES_908: Tables = Tables {
    sop1: scalar::SOP1,
    sop2: scalar::SOP2,
    sopk: scalar::SOPK,
    sopc: scalar::SOPC,
    sopp: scalar::SOPP,
    smem: scalar::SMEM,
    vop1: vector::VOP1,
    vop2: vector::VOP2_908,
    vopc: vector::VOPC,
    vop3: vector::VOP3,
    vop3p: vector::VOP3P_908,
    ds: memory::DS,
    flat: memory::FLAT,
    global: memory::GLOBAL_908,
    scratch: memory::SCRATCH,
    mubuf: memory::MUBUF_908,
    mtbuf: memory::MTBUF,
    vintrp: graphics::VINTRP,
    mimg: graphics::MIMG,
    exp: Some(&crate::ops::graphics::EXP),
};

static TABLES_90A: Tables = Tables {
    sop1: scalar::SOP1,
    sop2: scalar::SOP2,
    sopk: scalar::SOPK,
    sopc: scalar::SOPC,
    sopp: scalar::SOPP,
    smem: scalar::SMEM,
    vop1: vector::VOP1_90A,
    vop2: vector::VOP2_90A,
    vopc: vector::VOPC,
    vop3: vector::VOP3_90A,
    vop3p: vector::VOP3P_90A,
    ds: memory::DS_90A,
    flat: memory::FLAT_90A,
    global: memory::GLOBAL_90A,
    scratch: memory::SCRATCH,
    mubuf: memory::MUBUF_90A,
    mtbuf: memory::MTBUF,
    vintrp: graphics::NO_VINTRP,
    mimg: graphics::MIMG_90A,
    exp: None,
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
    vintrp: graphics::NO_VINTRP,
    mimg: graphics::NO_MIMG,
    exp: None,
};

static TABLES_950: Tables = Tables {
    sop1: scalar::SOP1,
    sop2: scalar::SOP2,
    sopk: scalar::SOPK,
    sopc: scalar::SOPC,
    sopp: scalar::SOPP,
    smem: scalar::SMEM,
    vop1: cdna4::VOP1_950,
    vop2: cdna4::VOP2_950,
    vopc: vector::VOPC,
    vop3: cdna4::VOP3_950,
    vop3p: cdna4::VOP3P_950,
    ds: cdna4::DS_950,
    flat: memory::FLAT_940,
    global: cdna4::GLOBAL_950,
    scratch: memory::SCRATCH_940,
    mubuf: cdna4::MUBUF_950,
    mtbuf: memory::MTBUF,
    vintrp: graphics::NO_VINTRP,
    mimg: graphics::NO_MIMG,
    exp: None,
};

/// The generation of a gfx9 processor.
pub(super) fn by_processor(processor: &str) -> Option<&'static Gen> {
    match processor {
        "gfx900" => Some(&GFX900),
        "gfx906" => Some(&GFX906),
        "gfx908" => Some(&GFX908),
        "gfx90a" => Some(&GFX90A),
        "gfx940" | "gfx941" | "gfx942" => Some(&GFX940),
        "gfx950" => Some(&GFX950),
        // What all their chips have.
        "gfx9-generic" => Some(&GFX900),
        "gfx9-4-generic" => Some(&GFX940),
        _ => None,
    }
}
