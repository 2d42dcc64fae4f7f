//! Opcodes that CDNA4 (gfx950) adds to CDNA3 and takes away from it. AMD Instinct MI350 ISA.

use super::{memory, vector};
use crate::ops::memory::{buffer, global, lds};
use crate::ops::{bits, convert, dot, lane, minmax, packed, shift};
use crate::rows;
use crate::table::{Table, extend};

pub const VOP1_950: Table<256> = extend(
    &vector::VOP1_940,
    rows! {
        0x58 => bits::V_PRNG_B32;
        0x59 => lane::V_PERMLANE16_SWAP_B32;
        0x5a => lane::V_PERMLANE32_SWAP_B32;
        0x5b => convert::V_CVT_F32_BF16;
    },
    &[],
);

pub const VOP2_950: Table<64> = extend(
    &vector::VOP2_940,
    rows! {
        0x16 => dot::V_DOT2C_F32_BF16;
    },
    &[],
);

pub const VOP3_950: Table<1024> = extend(
    &vector::VOP3_940,
    rows! {
        0x233 => bits::V_BITOP3_B16;
        0x234 => bits::V_BITOP3_B32;
        0x265 => shift::V_ASHR_PK_I8_I32;
        0x266 => shift::V_ASHR_PK_U8_I32;
        0x267 => convert::V_CVT_PK_F16_F32;
        0x268 => convert::V_CVT_PK_BF16_F32;
        0x2a6 => convert::V_CVT_SR_F16_F32;
        0x2a7 => convert::V_CVT_SR_BF16_F32;
        0x2a8 => minmax::V_MINIMUM3_F32;
        0x2a9 => minmax::V_MAXIMUM3_F32;
    },
    &[],
);

pub const VOP3P_950: Table<128> = extend(
    &vector::VOP3P_940,
    rows! {
        0x1a => dot::V_DOT2_F32_BF16;
        0x1b => packed::V_PK_MINIMUM3_F16;
        0x1c => packed::V_PK_MAXIMUM3_F16;
    },
    // The matrix products of XF32.
    &[0x3e, 0x3f],
);

pub const DS_950: Table<256> = extend(
    &memory::DS_940,
    rows! {
        224 => lds::DS_READ_B64_TR_B4;
        225 => lds::DS_READ_B96_TR_B6;
        226 => lds::DS_READ_B64_TR_B8;
        227 => lds::DS_READ_B64_TR_B16;
    },
    &[],
);

pub const GLOBAL_950: Table<128> = extend(
    &memory::GLOBAL_940,
    rows! {
        125 => global::LOAD_LDS_DWORDX4;
        126 => global::LOAD_LDS_DWORDX3;
    },
    &[],
);

pub const MUBUF_950: Table<128> = extend(
    &memory::MUBUF_940,
    rows! {
        82 => buffer::ATOMIC_PK_ADD_BF16;
    },
    &[],
);
