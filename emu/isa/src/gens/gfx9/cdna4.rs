//! Opcodes that CDNA4 (gfx950) adds to CDNA3 and takes away from it. AMD Instinct MI350 ISA.

use super::{memory, vector};
use crate::ops::matrix::{cdna3, scaled, sparse};
use crate::ops::memory::{buffer, global, lds_transpose};
use crate::ops::{bits, convert_small, dot, lane, minmax, packed, scaled_convert, shift};
use crate::rows;
use crate::table::{Table, extend};

pub const VOP1_950: Table<256> = extend(
    &vector::VOP1_940,
    rows! {
        0x58 => bits::V_PRNG_B32;
        0x59 => lane::V_PERMLANE16_SWAP_B32;
        0x5a => lane::V_PERMLANE32_SWAP_B32;
        0x5b => convert_small::V_CVT_F32_BF16;
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
        0x235 => scaled_convert::V_CVT_SCALEF32_PK_FP8_F32;
        0x236 => scaled_convert::V_CVT_SCALEF32_PK_BF8_F32;
        0x237 => scaled_convert::V_CVT_SCALEF32_SR_FP8_F32;
        0x238 => scaled_convert::V_CVT_SCALEF32_SR_BF8_F32;
        0x239 => scaled_convert::V_CVT_SCALEF32_PK_F32_FP8;
        0x23a => scaled_convert::V_CVT_SCALEF32_PK_F32_BF8;
        0x23b => scaled_convert::V_CVT_SCALEF32_F32_FP8;
        0x23c => scaled_convert::V_CVT_SCALEF32_F32_BF8;
        0x23d => scaled_convert::V_CVT_SCALEF32_PK_FP4_F32;
        0x23e => scaled_convert::V_CVT_SCALEF32_SR_PK_FP4_F32;
        0x23f => scaled_convert::V_CVT_SCALEF32_PK_F32_FP4;
        0x240 => scaled_convert::V_CVT_SCALEF32_PK_FP8_F16;
        0x241 => scaled_convert::V_CVT_SCALEF32_PK_BF8_F16;
        0x242 => scaled_convert::V_CVT_SCALEF32_SR_FP8_F16;
        0x243 => scaled_convert::V_CVT_SCALEF32_SR_BF8_F16;
        0x244 => scaled_convert::V_CVT_SCALEF32_PK_FP8_BF16;
        0x245 => scaled_convert::V_CVT_SCALEF32_PK_BF8_BF16;
        0x246 => scaled_convert::V_CVT_SCALEF32_SR_FP8_BF16;
        0x247 => scaled_convert::V_CVT_SCALEF32_SR_BF8_BF16;
        0x248 => scaled_convert::V_CVT_SCALEF32_PK_F16_FP8;
        0x249 => scaled_convert::V_CVT_SCALEF32_PK_F16_BF8;
        0x24a => scaled_convert::V_CVT_SCALEF32_F16_FP8;
        0x24b => scaled_convert::V_CVT_SCALEF32_F16_BF8;
        0x24c => scaled_convert::V_CVT_SCALEF32_PK_FP4_F16;
        0x24d => scaled_convert::V_CVT_SCALEF32_PK_FP4_BF16;
        0x24e => scaled_convert::V_CVT_SCALEF32_SR_PK_FP4_F16;
        0x24f => scaled_convert::V_CVT_SCALEF32_SR_PK_FP4_BF16;
        0x250 => scaled_convert::V_CVT_SCALEF32_PK_F16_FP4;
        0x251 => scaled_convert::V_CVT_SCALEF32_PK_BF16_FP4;
        0x252 => scaled_convert::V_CVT_SCALEF32_2XPK16_FP6_F32;
        0x253 => scaled_convert::V_CVT_SCALEF32_2XPK16_BF6_F32;
        0x254 => scaled_convert::V_CVT_SCALEF32_SR_PK32_FP6_F32;
        0x255 => scaled_convert::V_CVT_SCALEF32_SR_PK32_BF6_F32;
        0x256 => scaled_convert::V_CVT_SCALEF32_PK32_F32_FP6;
        0x257 => scaled_convert::V_CVT_SCALEF32_PK32_F32_BF6;
        0x258 => scaled_convert::V_CVT_SCALEF32_PK32_FP6_F16;
        0x259 => scaled_convert::V_CVT_SCALEF32_PK32_FP6_BF16;
        0x25a => scaled_convert::V_CVT_SCALEF32_PK32_BF6_F16;
        0x25b => scaled_convert::V_CVT_SCALEF32_PK32_BF6_BF16;
        0x25c => scaled_convert::V_CVT_SCALEF32_SR_PK32_FP6_F16;
        0x25d => scaled_convert::V_CVT_SCALEF32_SR_PK32_FP6_BF16;
        0x25e => scaled_convert::V_CVT_SCALEF32_SR_PK32_BF6_F16;
        0x25f => scaled_convert::V_CVT_SCALEF32_SR_PK32_BF6_BF16;
        0x260 => scaled_convert::V_CVT_SCALEF32_PK32_F16_FP6;
        0x261 => scaled_convert::V_CVT_SCALEF32_PK32_BF16_FP6;
        0x262 => scaled_convert::V_CVT_SCALEF32_PK32_F16_BF6;
        0x263 => scaled_convert::V_CVT_SCALEF32_PK32_BF16_BF6;
        0x265 => shift::V_ASHR_PK_I8_I32;
        0x266 => shift::V_ASHR_PK_U8_I32;
        0x267 => convert_small::V_CVT_PK_F16_F32;
        0x268 => convert_small::V_CVT_PK_BF16_F32;
        0x269 => scaled_convert::V_CVT_SCALEF32_PK_BF16_FP8;
        0x26a => scaled_convert::V_CVT_SCALEF32_PK_BF16_BF8;
        0x2a6 => convert_small::V_CVT_SR_F16_F32;
        0x2a7 => convert_small::V_CVT_SR_BF16_F32;
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
        0x2c => scaled::V_MFMA_LD_SCALE_B32;
        0x2d => scaled::V_MFMA_F32_16X16X128_F8F6F4;
        0x2e => scaled::V_MFMA_F32_32X32X64_F8F6F4;
        0x35 => cdna3::V_MFMA_F32_16X16X32_BF16;
        0x36 => cdna3::V_MFMA_I32_16X16X64_I8;
        0x37 => cdna3::V_MFMA_F32_32X32X16_BF16;
        0x38 => cdna3::V_MFMA_I32_32X32X32_I8;
        0x39 => sparse::V_SMFMAC_F32_16X16X64_BF16;
        0x3a => sparse::V_SMFMAC_I32_16X16X128_I8;
        0x3b => sparse::V_SMFMAC_F32_16X16X128_BF8_BF8;
        0x3c => sparse::V_SMFMAC_F32_16X16X128_BF8_FP8;
        0x3d => sparse::V_SMFMAC_F32_16X16X128_FP8_BF8;
        0x43 => sparse::V_SMFMAC_F32_16X16X128_FP8_FP8;
        0x46 => sparse::V_SMFMAC_F32_32X32X32_BF16;
        0x47 => sparse::V_SMFMAC_I32_32X32X64_I8;
        0x4b => sparse::V_SMFMAC_F32_32X32X64_BF8_BF8;
        0x4e => sparse::V_SMFMAC_F32_32X32X64_BF8_FP8;
        0x4f => sparse::V_SMFMAC_F32_32X32X64_FP8_BF8;
        0x53 => sparse::V_SMFMAC_F32_32X32X64_FP8_FP8;
        0x54 => cdna3::V_MFMA_F32_16X16X32_F16;
        0x55 => cdna3::V_MFMA_F32_32X32X16_F16;
        0x5a => sparse::V_SMFMAC_F32_16X16X64_F16;
        0x5b => sparse::V_SMFMAC_F32_32X32X32_F16;
    },
    // The matrix products of XF32.
    &[0x3e, 0x3f],
);

pub const DS_950: Table<256> = extend(
    &memory::DS_940,
    rows! {
        224 => lds_transpose::DS_READ_B64_TR_B4;
        225 => lds_transpose::DS_READ_B96_TR_B6;
        226 => lds_transpose::DS_READ_B64_TR_B8;
        227 => lds_transpose::DS_READ_B64_TR_B16;
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
