//! Opcodes of the vector formats: VOP1, VOP2, VOPC, VOP3, VOP3P. Vega ISA, chapter 12; MI200 and MI300 ISA.
//!
//! The tables without a suffix are those of gfx906. The others say what their chips take away and add: Vega 10 (`_900`),
//! CDNA1 (`_908`), CDNA2 (`_90A`) from CDNA1, CDNA3 (`_940`) from CDNA2.

use crate::ops::matrix::{cdna1, cdna3, sparse};
use crate::ops::{
    accvgpr, bits, carry, compare, convert, convert_small, div, dot, float16, float32, float64, graphics,
    int16, int32, int64, lane, minmax, packed, sad, select, shift, transcendental,
};
use crate::rows;
use crate::table::{Table, extend, table};

pub const VOP1: Table<256> = table(rows! {
    0x00 => select::V_NOP;
    0x01 => select::V_MOV_B32;
    0x02 => lane::V_READFIRSTLANE_B32;
    0x03 => convert::V_CVT_I32_F64;
    0x04 => convert::V_CVT_F64_I32;
    0x05 => convert::V_CVT_F32_I32;
    0x06 => convert::V_CVT_F32_U32;
    0x07 => convert::V_CVT_U32_F32;
    0x08 => convert::V_CVT_I32_F32;
    0x0a => convert::V_CVT_F16_F32;
    0x0b => float16::V_CVT_F32_F16;
    0x0c => convert::V_CVT_RPI_I32_F32;
    0x0d => convert::V_CVT_FLR_I32_F32;
    0x0e => convert::V_CVT_OFF_F32_I4;
    0x0f => convert::V_CVT_F32_F64;
    0x10 => convert::V_CVT_F64_F32;
    0x11 => convert::V_CVT_F32_UBYTE0;
    0x12 => convert::V_CVT_F32_UBYTE1;
    0x13 => convert::V_CVT_F32_UBYTE2;
    0x14 => convert::V_CVT_F32_UBYTE3;
    0x15 => convert::V_CVT_U32_F64;
    0x16 => convert::V_CVT_F64_U32;
    0x17 => float64::V_TRUNC_F64;
    0x18 => float64::V_CEIL_F64;
    0x19 => float64::V_RNDNE_F64;
    0x1a => float64::V_FLOOR_F64;
    0x1b => float32::V_FRACT_F32;
    0x1c => float32::V_TRUNC_F32;
    0x1d => float32::V_CEIL_F32;
    0x1e => float32::V_RNDNE_F32;
    0x1f => float32::V_FLOOR_F32;
    0x20 => transcendental::V_EXP_F32;
    0x21 => transcendental::V_LOG_F32;
    0x22 => transcendental::V_RCP_F32;
    0x23 => transcendental::V_RCP_IFLAG_F32;
    0x24 => transcendental::V_RSQ_F32;
    0x25 => transcendental::V_RCP_F64;
    0x26 => transcendental::V_RSQ_F64;
    0x27 => transcendental::V_SQRT_F32;
    0x28 => transcendental::V_SQRT_F64;
    0x29 => transcendental::V_SIN_F32;
    0x2a => transcendental::V_COS_F32;
    0x2b => bits::V_NOT_B32;
    0x2c => bits::V_BFREV_B32;
    0x2d => bits::V_FFBH_U32;
    0x2e => bits::V_FFBL_B32;
    0x2f => bits::V_FFBH_I32;
    0x30 => float64::V_FREXP_EXP_I32_F64;
    0x31 => float64::V_FREXP_MANT_F64;
    0x32 => float64::V_FRACT_F64;
    0x33 => float32::V_FREXP_EXP_I32_F32;
    0x34 => float32::V_FREXP_MANT_F32;
    0x35 => select::V_CLREXCP;
    0x37 => bits::V_SCREEN_PARTITION_4SE_B32;
    0x39 => convert::V_CVT_F16_U16;
    0x3a => convert::V_CVT_F16_I16;
    0x3b => convert::V_CVT_U16_F16;
    0x3c => convert::V_CVT_I16_F16;
    0x3d => transcendental::V_RCP_F16;
    0x3e => transcendental::V_SQRT_F16;
    0x3f => transcendental::V_RSQ_F16;
    0x40 => transcendental::V_LOG_F16;
    0x41 => transcendental::V_EXP_F16;
    0x42 => float16::V_FREXP_MANT_F16;
    0x43 => float16::V_FREXP_EXP_I16_F16;
    0x44 => float16::V_FLOOR_F16;
    0x45 => float16::V_CEIL_F16;
    0x46 => float16::V_TRUNC_F16;
    0x47 => float16::V_RNDNE_F16;
    0x48 => float16::V_FRACT_F16;
    0x49 => transcendental::V_SIN_F16;
    0x4a => transcendental::V_COS_F16;
    0x4b => transcendental::V_EXP_LEGACY_F32;
    0x4c => transcendental::V_LOG_LEGACY_F32;
    0x4d => convert::V_CVT_NORM_I16_F16;
    0x4e => convert::V_CVT_NORM_U16_F16;
    0x4f => convert::V_SAT_PK_U8_I16;
    0x51 => select::V_SWAP_B32;
});

pub const VOP2: Table<64> = table(rows! {
    0x00 => select::V_CNDMASK_B32;
    0x01 => float32::V_ADD_F32;
    0x02 => float32::V_SUB_F32;
    0x03 => float32::V_SUBREV_F32;
    0x04 => float32::V_MUL_LEGACY_F32;
    0x05 => float32::V_MUL_F32;
    0x06 => int32::V_MUL_I32_I24;
    0x07 => int32::V_MUL_HI_I32_I24;
    0x08 => int32::V_MUL_U32_U24;
    0x09 => int32::V_MUL_HI_U32_U24;
    0x0a => minmax::V_MIN_F32;
    0x0b => minmax::V_MAX_F32;
    0x0c => minmax::V_MIN_I32;
    0x0d => minmax::V_MAX_I32;
    0x0e => minmax::V_MIN_U32;
    0x0f => minmax::V_MAX_U32;
    0x10 => shift::V_LSHRREV_B32;
    0x11 => shift::V_ASHRREV_I32;
    0x12 => shift::V_LSHLREV_B32;
    0x13 => bits::V_AND_B32;
    0x14 => bits::V_OR_B32;
    0x15 => bits::V_XOR_B32;
    0x16 => float32::V_MAC_F32;
    0x17 => float32::V_MADMK_F32;
    0x18 => float32::V_MADAK_F32;
    0x19 => carry::V_ADD_CO_U32;
    0x1a => carry::V_SUB_CO_U32;
    0x1b => carry::V_SUBREV_CO_U32;
    0x1c => carry::V_ADDC_CO_U32;
    0x1d => carry::V_SUBB_CO_U32;
    0x1e => carry::V_SUBBREV_CO_U32;
    0x1f => float16::V_ADD_F16;
    0x20 => float16::V_SUB_F16;
    0x21 => float16::V_SUBREV_F16;
    0x22 => float16::V_MUL_F16;
    0x23 => float16::V_MAC_F16;
    0x24 => float16::V_MADMK_F16;
    0x25 => float16::V_MADAK_F16;
    0x26 => int16::V_ADD_U16;
    0x27 => int16::V_SUB_U16;
    0x28 => int16::V_SUBREV_U16;
    0x29 => int16::V_MUL_LO_U16;
    0x2a => shift::V_LSHLREV_B16;
    0x2b => shift::V_LSHRREV_B16;
    0x2c => shift::V_ASHRREV_I16;
    0x2d => minmax::V_MAX_F16;
    0x2e => minmax::V_MIN_F16;
    0x2f => minmax::V_MAX_U16;
    0x30 => minmax::V_MAX_I16;
    0x31 => minmax::V_MIN_U16;
    0x32 => minmax::V_MIN_I16;
    0x33 => float16::V_LDEXP_F16;
    0x34 => int32::V_ADD_U32;
    0x35 => int32::V_SUB_U32;
    0x36 => int32::V_SUBREV_U32;
    0x3b => float32::V_FMAC_F32;
    0x3d => bits::V_XNOR_B32;
});

pub const VOPC: Table<256> = table(rows! {
    0x10 => compare::V_CMP_CLASS_F32;
    0x11 => compare::V_CMPX_CLASS_F32;
    0x12 => compare::V_CMP_CLASS_F64;
    0x13 => compare::V_CMPX_CLASS_F64;
    0x14 => compare::V_CMP_CLASS_F16;
    0x15 => compare::V_CMPX_CLASS_F16;
    0x20 => compare::V_CMP_F_F16;
    0x21 => compare::V_CMP_LT_F16;
    0x22 => compare::V_CMP_EQ_F16;
    0x23 => compare::V_CMP_LE_F16;
    0x24 => compare::V_CMP_GT_F16;
    0x25 => compare::V_CMP_LG_F16;
    0x26 => compare::V_CMP_GE_F16;
    0x27 => compare::V_CMP_O_F16;
    0x28 => compare::V_CMP_U_F16;
    0x29 => compare::V_CMP_NGE_F16;
    0x2a => compare::V_CMP_NLG_F16;
    0x2b => compare::V_CMP_NGT_F16;
    0x2c => compare::V_CMP_NLE_F16;
    0x2d => compare::V_CMP_NEQ_F16;
    0x2e => compare::V_CMP_NLT_F16;
    0x2f => compare::V_CMP_TRU_F16;
    0x30 => compare::V_CMPX_F_F16;
    0x31 => compare::V_CMPX_LT_F16;
    0x32 => compare::V_CMPX_EQ_F16;
    0x33 => compare::V_CMPX_LE_F16;
    0x34 => compare::V_CMPX_GT_F16;
    0x35 => compare::V_CMPX_LG_F16;
    0x36 => compare::V_CMPX_GE_F16;
    0x37 => compare::V_CMPX_O_F16;
    0x38 => compare::V_CMPX_U_F16;
    0x39 => compare::V_CMPX_NGE_F16;
    0x3a => compare::V_CMPX_NLG_F16;
    0x3b => compare::V_CMPX_NGT_F16;
    0x3c => compare::V_CMPX_NLE_F16;
    0x3d => compare::V_CMPX_NEQ_F16;
    0x3e => compare::V_CMPX_NLT_F16;
    0x3f => compare::V_CMPX_TRU_F16;
    0x40 => compare::V_CMP_F_F32;
    0x41 => compare::V_CMP_LT_F32;
    0x42 => compare::V_CMP_EQ_F32;
    0x43 => compare::V_CMP_LE_F32;
    0x44 => compare::V_CMP_GT_F32;
    0x45 => compare::V_CMP_LG_F32;
    0x46 => compare::V_CMP_GE_F32;
    0x47 => compare::V_CMP_O_F32;
    0x48 => compare::V_CMP_U_F32;
    0x49 => compare::V_CMP_NGE_F32;
    0x4a => compare::V_CMP_NLG_F32;
    0x4b => compare::V_CMP_NGT_F32;
    0x4c => compare::V_CMP_NLE_F32;
    0x4d => compare::V_CMP_NEQ_F32;
    0x4e => compare::V_CMP_NLT_F32;
    0x4f => compare::V_CMP_TRU_F32;
    0x50 => compare::V_CMPX_F_F32;
    0x51 => compare::V_CMPX_LT_F32;
    0x52 => compare::V_CMPX_EQ_F32;
    0x53 => compare::V_CMPX_LE_F32;
    0x54 => compare::V_CMPX_GT_F32;
    0x55 => compare::V_CMPX_LG_F32;
    0x56 => compare::V_CMPX_GE_F32;
    0x57 => compare::V_CMPX_O_F32;
    0x58 => compare::V_CMPX_U_F32;
    0x59 => compare::V_CMPX_NGE_F32;
    0x5a => compare::V_CMPX_NLG_F32;
    0x5b => compare::V_CMPX_NGT_F32;
    0x5c => compare::V_CMPX_NLE_F32;
    0x5d => compare::V_CMPX_NEQ_F32;
    0x5e => compare::V_CMPX_NLT_F32;
    0x5f => compare::V_CMPX_TRU_F32;
    0x60 => compare::V_CMP_F_F64;
    0x61 => compare::V_CMP_LT_F64;
    0x62 => compare::V_CMP_EQ_F64;
    0x63 => compare::V_CMP_LE_F64;
    0x64 => compare::V_CMP_GT_F64;
    0x65 => compare::V_CMP_LG_F64;
    0x66 => compare::V_CMP_GE_F64;
    0x67 => compare::V_CMP_O_F64;
    0x68 => compare::V_CMP_U_F64;
    0x69 => compare::V_CMP_NGE_F64;
    0x6a => compare::V_CMP_NLG_F64;
    0x6b => compare::V_CMP_NGT_F64;
    0x6c => compare::V_CMP_NLE_F64;
    0x6d => compare::V_CMP_NEQ_F64;
    0x6e => compare::V_CMP_NLT_F64;
    0x6f => compare::V_CMP_TRU_F64;
    0x70 => compare::V_CMPX_F_F64;
    0x71 => compare::V_CMPX_LT_F64;
    0x72 => compare::V_CMPX_EQ_F64;
    0x73 => compare::V_CMPX_LE_F64;
    0x74 => compare::V_CMPX_GT_F64;
    0x75 => compare::V_CMPX_LG_F64;
    0x76 => compare::V_CMPX_GE_F64;
    0x77 => compare::V_CMPX_O_F64;
    0x78 => compare::V_CMPX_U_F64;
    0x79 => compare::V_CMPX_NGE_F64;
    0x7a => compare::V_CMPX_NLG_F64;
    0x7b => compare::V_CMPX_NGT_F64;
    0x7c => compare::V_CMPX_NLE_F64;
    0x7d => compare::V_CMPX_NEQ_F64;
    0x7e => compare::V_CMPX_NLT_F64;
    0x7f => compare::V_CMPX_TRU_F64;
    0xa0 => compare::V_CMP_F_I16;
    0xa1 => compare::V_CMP_LT_I16;
    0xa2 => compare::V_CMP_EQ_I16;
    0xa3 => compare::V_CMP_LE_I16;
    0xa4 => compare::V_CMP_GT_I16;
    0xa5 => compare::V_CMP_NE_I16;
    0xa6 => compare::V_CMP_GE_I16;
    0xa7 => compare::V_CMP_T_I16;
    0xa8 => compare::V_CMP_F_U16;
    0xa9 => compare::V_CMP_LT_U16;
    0xaa => compare::V_CMP_EQ_U16;
    0xab => compare::V_CMP_LE_U16;
    0xac => compare::V_CMP_GT_U16;
    0xad => compare::V_CMP_NE_U16;
    0xae => compare::V_CMP_GE_U16;
    0xaf => compare::V_CMP_T_U16;
    0xb0 => compare::V_CMPX_F_I16;
    0xb1 => compare::V_CMPX_LT_I16;
    0xb2 => compare::V_CMPX_EQ_I16;
    0xb3 => compare::V_CMPX_LE_I16;
    0xb4 => compare::V_CMPX_GT_I16;
    0xb5 => compare::V_CMPX_NE_I16;
    0xb6 => compare::V_CMPX_GE_I16;
    0xb7 => compare::V_CMPX_T_I16;
    0xb8 => compare::V_CMPX_F_U16;
    0xb9 => compare::V_CMPX_LT_U16;
    0xba => compare::V_CMPX_EQ_U16;
    0xbb => compare::V_CMPX_LE_U16;
    0xbc => compare::V_CMPX_GT_U16;
    0xbd => compare::V_CMPX_NE_U16;
    0xbe => compare::V_CMPX_GE_U16;
    0xbf => compare::V_CMPX_T_U16;
    0xc0 => compare::V_CMP_F_I32;
    0xc1 => compare::V_CMP_LT_I32;
    0xc2 => compare::V_CMP_EQ_I32;
    0xc3 => compare::V_CMP_LE_I32;
    0xc4 => compare::V_CMP_GT_I32;
    0xc5 => compare::V_CMP_NE_I32;
    0xc6 => compare::V_CMP_GE_I32;
    0xc7 => compare::V_CMP_T_I32;
    0xc8 => compare::V_CMP_F_U32;
    0xc9 => compare::V_CMP_LT_U32;
    0xca => compare::V_CMP_EQ_U32;
    0xcb => compare::V_CMP_LE_U32;
    0xcc => compare::V_CMP_GT_U32;
    0xcd => compare::V_CMP_NE_U32;
    0xce => compare::V_CMP_GE_U32;
    0xcf => compare::V_CMP_T_U32;
    0xd0 => compare::V_CMPX_F_I32;
    0xd1 => compare::V_CMPX_LT_I32;
    0xd2 => compare::V_CMPX_EQ_I32;
    0xd3 => compare::V_CMPX_LE_I32;
    0xd4 => compare::V_CMPX_GT_I32;
    0xd5 => compare::V_CMPX_NE_I32;
    0xd6 => compare::V_CMPX_GE_I32;
    0xd7 => compare::V_CMPX_T_I32;
    0xd8 => compare::V_CMPX_F_U32;
    0xd9 => compare::V_CMPX_LT_U32;
    0xda => compare::V_CMPX_EQ_U32;
    0xdb => compare::V_CMPX_LE_U32;
    0xdc => compare::V_CMPX_GT_U32;
    0xdd => compare::V_CMPX_NE_U32;
    0xde => compare::V_CMPX_GE_U32;
    0xdf => compare::V_CMPX_T_U32;
    0xe0 => compare::V_CMP_F_I64;
    0xe1 => compare::V_CMP_LT_I64;
    0xe2 => compare::V_CMP_EQ_I64;
    0xe3 => compare::V_CMP_LE_I64;
    0xe4 => compare::V_CMP_GT_I64;
    0xe5 => compare::V_CMP_NE_I64;
    0xe6 => compare::V_CMP_GE_I64;
    0xe7 => compare::V_CMP_T_I64;
    0xe8 => compare::V_CMP_F_U64;
    0xe9 => compare::V_CMP_LT_U64;
    0xea => compare::V_CMP_EQ_U64;
    0xeb => compare::V_CMP_LE_U64;
    0xec => compare::V_CMP_GT_U64;
    0xed => compare::V_CMP_NE_U64;
    0xee => compare::V_CMP_GE_U64;
    0xef => compare::V_CMP_T_U64;
    0xf0 => compare::V_CMPX_F_I64;
    0xf1 => compare::V_CMPX_LT_I64;
    0xf2 => compare::V_CMPX_EQ_I64;
    0xf3 => compare::V_CMPX_LE_I64;
    0xf4 => compare::V_CMPX_GT_I64;
    0xf5 => compare::V_CMPX_NE_I64;
    0xf6 => compare::V_CMPX_GE_I64;
    0xf7 => compare::V_CMPX_T_I64;
    0xf8 => compare::V_CMPX_F_U64;
    0xf9 => compare::V_CMPX_LT_U64;
    0xfa => compare::V_CMPX_EQ_U64;
    0xfb => compare::V_CMPX_LE_U64;
    0xfc => compare::V_CMPX_GT_U64;
    0xfd => compare::V_CMPX_NE_U64;
    0xfe => compare::V_CMPX_GE_U64;
    0xff => compare::V_CMPX_T_U64;
});

pub const VOP3: Table<1024> = table(rows! {
    0x1c0 => float32::V_MAD_LEGACY_F32;
    0x1c1 => float32::V_MAD_F32;
    0x1c2 => int32::V_MAD_I32_I24;
    0x1c3 => int32::V_MAD_U32_U24;
    0x1c4 => float32::V_CUBEID_F32;
    0x1c5 => float32::V_CUBESC_F32;
    0x1c6 => float32::V_CUBETC_F32;
    0x1c7 => float32::V_CUBEMA_F32;
    0x1c8 => bits::V_BFE_U32;
    0x1c9 => bits::V_BFE_I32;
    0x1ca => bits::V_BFI_B32;
    0x1cb => float32::V_FMA_F32;
    0x1cc => float64::V_FMA_F64;
    0x1cd => bits::V_LERP_U8;
    0x1ce => shift::V_ALIGNBIT_B32;
    0x1cf => shift::V_ALIGNBYTE_B32;
    0x1d0 => minmax::V_MIN3_F32;
    0x1d1 => minmax::V_MIN3_I32;
    0x1d2 => minmax::V_MIN3_U32;
    0x1d3 => minmax::V_MAX3_F32;
    0x1d4 => minmax::V_MAX3_I32;
    0x1d5 => minmax::V_MAX3_U32;
    0x1d6 => minmax::V_MED3_F32;
    0x1d7 => minmax::V_MED3_I32;
    0x1d8 => minmax::V_MED3_U32;
    0x1d9 => int32::V_SAD_U8;
    0x1da => int32::V_SAD_HI_U8;
    0x1db => int32::V_SAD_U16;
    0x1dc => int32::V_SAD_U32;
    0x1dd => convert::V_CVT_PK_U8_F32;
    0x1de => div::V_DIV_FIXUP_F32;
    0x1df => div::V_DIV_FIXUP_F64;
    0x1e0 => div::V_DIV_SCALE_F32;
    0x1e1 => div::V_DIV_SCALE_F64;
    0x1e2 => div::V_DIV_FMAS_F32;
    0x1e3 => div::V_DIV_FMAS_F64;
    0x1e4 => int32::V_MSAD_U8;
    0x1e5 => sad::V_QSAD_PK_U16_U8;
    0x1e6 => sad::V_MQSAD_PK_U16_U8;
    0x1e7 => sad::V_MQSAD_U32_U8;
    0x1e8 => int64::V_MAD_U64_U32;
    0x1e9 => int64::V_MAD_I64_I32;
    0x1ea => float16::V_MAD_LEGACY_F16;
    0x1eb => int16::V_MAD_LEGACY_U16;
    0x1ec => int16::V_MAD_LEGACY_I16;
    0x1ed => bits::V_PERM_B32;
    0x1ee => float16::V_FMA_LEGACY_F16;
    0x1ef => div::V_DIV_FIXUP_LEGACY_F16;
    0x1f0 => convert::V_CVT_PKACCUM_U8_F32;
    0x1f1 => int32::V_MAD_U32_U16;
    0x1f2 => int32::V_MAD_I32_I16;
    0x1f3 => int32::V_XAD_U32;
    0x1f4 => minmax::V_MIN3_F16;
    0x1f5 => minmax::V_MIN3_I16;
    0x1f6 => minmax::V_MIN3_U16;
    0x1f7 => minmax::V_MAX3_F16;
    0x1f8 => minmax::V_MAX3_I16;
    0x1f9 => minmax::V_MAX3_U16;
    0x1fa => minmax::V_MED3_F16;
    0x1fb => minmax::V_MED3_I16;
    0x1fc => minmax::V_MED3_U16;
    0x1fd => shift::V_LSHL_ADD_U32;
    0x1fe => shift::V_ADD_LSHL_U32;
    0x1ff => int32::V_ADD3_U32;
    0x200 => shift::V_LSHL_OR_B32;
    0x201 => bits::V_AND_OR_B32;
    0x202 => bits::V_OR3_B32;
    0x203 => float16::V_MAD_F16;
    0x204 => int16::V_MAD_U16;
    0x205 => int16::V_MAD_I16;
    0x206 => float16::V_FMA_F16;
    0x207 => div::V_DIV_FIXUP_F16;
    0x270 => graphics::V_INTERP_P1_F32;
    0x271 => graphics::V_INTERP_P2_F32;
    0x272 => graphics::V_INTERP_MOV_F32;
    0x274 => graphics::V_INTERP_P1LL_F16;
    0x275 => graphics::V_INTERP_P1LV_F16;
    0x276 => graphics::V_INTERP_P2_LEGACY_F16;
    0x277 => graphics::V_INTERP_P2_F16;
    0x280 => float64::V_ADD_F64;
    0x281 => float64::V_MUL_F64;
    0x282 => minmax::V_MIN_F64;
    0x283 => minmax::V_MAX_F64;
    0x284 => float64::V_LDEXP_F64;
    0x285 => int32::V_MUL_LO_U32;
    0x286 => int32::V_MUL_HI_U32;
    0x287 => int32::V_MUL_HI_I32;
    0x288 => float32::V_LDEXP_F32;
    0x289 => lane::V_READLANE_B32;
    0x28a => lane::V_WRITELANE_B32;
    0x28b => bits::V_BCNT_U32_B32;
    0x28c => lane::V_MBCNT_LO_U32_B32;
    0x28d => lane::V_MBCNT_HI_U32_B32;
    0x28f => shift::V_LSHLREV_B64;
    0x290 => shift::V_LSHRREV_B64;
    0x291 => shift::V_ASHRREV_I64;
    0x292 => div::V_TRIG_PREOP_F64;
    0x293 => bits::V_BFM_B32;
    0x294 => convert::V_CVT_PKNORM_I16_F32;
    0x295 => convert::V_CVT_PKNORM_U16_F32;
    0x296 => convert::V_CVT_PKRTZ_F16_F32;
    0x297 => convert::V_CVT_PK_U16_U32;
    0x298 => convert::V_CVT_PK_I16_I32;
    0x299 => convert::V_CVT_PKNORM_I16_F16;
    0x29a => convert::V_CVT_PKNORM_U16_F16;
    0x29c => int32::V_ADD_I32;
    0x29d => int32::V_SUB_I32;
    0x29e => int16::V_ADD_I16;
    0x29f => int16::V_SUB_I16;
    0x2a0 => convert::V_PACK_B32_F16;
});

pub const VOP3P: Table<128> = table(rows! {
    0x00 => packed::V_PK_MAD_I16;
    0x01 => packed::V_PK_MUL_LO_U16;
    0x02 => packed::V_PK_ADD_I16;
    0x03 => packed::V_PK_SUB_I16;
    0x04 => packed::V_PK_LSHLREV_B16;
    0x05 => packed::V_PK_LSHRREV_B16;
    0x06 => packed::V_PK_ASHRREV_I16;
    0x07 => packed::V_PK_MAX_I16;
    0x08 => packed::V_PK_MIN_I16;
    0x09 => packed::V_PK_MAD_U16;
    0x0a => packed::V_PK_ADD_U16;
    0x0b => packed::V_PK_SUB_U16;
    0x0c => packed::V_PK_MAX_U16;
    0x0d => packed::V_PK_MIN_U16;
    0x0e => packed::V_PK_FMA_F16;
    0x0f => packed::V_PK_ADD_F16;
    0x10 => packed::V_PK_MUL_F16;
    0x11 => packed::V_PK_MIN_F16;
    0x12 => packed::V_PK_MAX_F16;
    0x20 => packed::V_FMA_MIX_F32;
    0x21 => packed::V_FMA_MIXLO_F16;
    0x22 => packed::V_FMA_MIXHI_F16;
    0x23 => dot::V_DOT2_F32_F16;
    0x26 => dot::V_DOT2_I32_I16;
    0x27 => dot::V_DOT2_U32_U16;
    0x28 => dot::V_DOT4_I32_I8;
    0x29 => dot::V_DOT4_U32_U8;
    0x2a => dot::V_DOT8_I32_I4;
    0x2b => dot::V_DOT8_U32_U4;
});

pub const VOP2_900: Table<64> = extend(&VOP2, rows! {}, &[0x3b, 0x3d]);

pub const VOP3P_900: Table<128> = extend(
    &VOP3P,
    rows! {
        0x20 => packed::V_MAD_MIX_F32;
        0x21 => packed::V_MAD_MIXLO_F16;
        0x22 => packed::V_MAD_MIXHI_F16;
    },
    &[0x20, 0x21, 0x22, 0x23, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x2b],
);

pub const VOP1_90A: Table<256> = extend(
    &VOP1,
    rows! {
        0x52 => accvgpr::V_ACCVGPR_MOV_B32;
    },
    &[],
);

pub const VOP2_908: Table<64> = extend(
    &VOP2,
    rows! {
        0x37 => dot::V_DOT2C_F32_F16;
        0x38 => dot::V_DOT2C_I32_I16;
        0x39 => dot::V_DOT4C_I32_I8;
        0x3a => dot::V_DOT8C_I32_I4;
        0x3c => packed::V_PK_FMAC_F16;
    },
    &[],
);

pub const VOP2_90A: Table<64> = extend(
    &VOP2_908,
    rows! {
        0x04 => float64::V_FMAC_F64;
    },
    &[0x04],
);

pub const VOP3_90A: Table<1024> = extend(
    &VOP3,
    rows! {
        0x2a1 => float32::V_MUL_LEGACY_F32;
    },
    &[0x270, 0x271, 0x272, 0x274, 0x275, 0x276, 0x277],
);

pub const VOP3P_908: Table<128> = extend(
    &VOP3P,
    rows! {
        0x40 => cdna1::V_MFMA_F32_32X32X1F32;
        0x41 => cdna1::V_MFMA_F32_16X16X1F32;
        0x42 => cdna1::V_MFMA_F32_4X4X1F32;
        0x44 => cdna1::V_MFMA_F32_32X32X2F32;
        0x45 => cdna1::V_MFMA_F32_16X16X4F32;
        0x48 => cdna1::V_MFMA_F32_32X32X4F16;
        0x49 => cdna1::V_MFMA_F32_16X16X4F16;
        0x4a => cdna1::V_MFMA_F32_4X4X4F16;
        0x4c => cdna1::V_MFMA_F32_32X32X8F16;
        0x4d => cdna1::V_MFMA_F32_16X16X16F16;
        0x50 => cdna1::V_MFMA_I32_32X32X4I8;
        0x51 => cdna1::V_MFMA_I32_16X16X4I8;
        0x52 => cdna1::V_MFMA_I32_4X4X4I8;
        0x54 => cdna1::V_MFMA_I32_32X32X8I8;
        0x55 => cdna1::V_MFMA_I32_16X16X16I8;
        0x58 => accvgpr::V_ACCVGPR_READ_B32;
        0x59 => accvgpr::V_ACCVGPR_WRITE_B32;
        0x68 => cdna1::V_MFMA_F32_32X32X2BF16;
        0x69 => cdna1::V_MFMA_F32_16X16X2BF16;
        0x6b => cdna1::V_MFMA_F32_4X4X2BF16;
        0x6c => cdna1::V_MFMA_F32_32X32X4BF16;
        0x6d => cdna1::V_MFMA_F32_16X16X8BF16;
    },
    &[],
);

pub const VOP3P_90A: Table<128> = extend(
    &VOP3P_908,
    rows! {
        0x30 => packed::V_PK_FMA_F32;
        0x31 => packed::V_PK_MUL_F32;
        0x32 => packed::V_PK_ADD_F32;
        0x33 => packed::V_PK_MOV_B32;
        0x63 => cdna1::V_MFMA_F32_32X32X4BF16_1K;
        0x64 => cdna1::V_MFMA_F32_16X16X4BF16_1K;
        0x65 => cdna1::V_MFMA_F32_4X4X4BF16_1K;
        0x66 => cdna1::V_MFMA_F32_32X32X8BF16_1K;
        0x67 => cdna1::V_MFMA_F32_16X16X16BF16_1K;
        0x6e => cdna1::V_MFMA_F64_16X16X4F64;
        0x6f => cdna1::V_MFMA_F64_4X4X4F64;
    },
    &[],
);

pub const VOP1_940: Table<256> = extend(
    &VOP1_90A,
    rows! {
        0x38 => select::V_MOV_B64;
        0x54 => convert_small::V_CVT_F32_FP8;
        0x55 => convert_small::V_CVT_F32_BF8;
        0x56 => convert_small::V_CVT_PK_F32_FP8;
        0x57 => convert_small::V_CVT_PK_F32_BF8;
    },
    &[],
);

pub const VOP2_940: Table<64> = extend(
    &VOP2_90A,
    rows! {
        0x17 => float32::V_FMAMK_F32;
        0x18 => float32::V_FMAAK_F32;
    },
    &[0x16, 0x17, 0x18],
);

pub const VOP3_940: Table<1024> = extend(
    &VOP3_90A,
    rows! {
        0x208 => shift::V_LSHL_ADD_U64;
        0x2a2 => convert_small::V_CVT_PK_FP8_F32;
        0x2a3 => convert_small::V_CVT_PK_BF8_F32;
        0x2a4 => convert_small::V_CVT_SR_FP8_F32;
        0x2a5 => convert_small::V_CVT_SR_BF8_F32;
    },
    &[0x1c0, 0x1c1],
);

pub const VOP3P_940: Table<128> = extend(
    &VOP3P_90A,
    rows! {
        0x3e => cdna3::V_MFMA_F32_16X16X8_XF32;
        0x3f => cdna3::V_MFMA_F32_32X32X4_XF32;
        0x40 => cdna3::V_MFMA_F32_32X32X1_2B_F32;
        0x41 => cdna3::V_MFMA_F32_16X16X1_4B_F32;
        0x42 => cdna3::V_MFMA_F32_4X4X1_16B_F32;
        0x44 => cdna3::V_MFMA_F32_32X32X2_F32;
        0x45 => cdna3::V_MFMA_F32_16X16X4_F32;
        0x48 => cdna3::V_MFMA_F32_32X32X4_2B_F16;
        0x49 => cdna3::V_MFMA_F32_16X16X4_4B_F16;
        0x4a => cdna3::V_MFMA_F32_4X4X4_16B_F16;
        0x4c => cdna3::V_MFMA_F32_32X32X8_F16;
        0x4d => cdna3::V_MFMA_F32_16X16X16_F16;
        0x50 => cdna3::V_MFMA_I32_32X32X4_2B_I8;
        0x51 => cdna3::V_MFMA_I32_16X16X4_4B_I8;
        0x52 => cdna3::V_MFMA_I32_4X4X4_16B_I8;
        0x56 => cdna3::V_MFMA_I32_32X32X16_I8;
        0x57 => cdna3::V_MFMA_I32_16X16X32_I8;
        0x5d => cdna3::V_MFMA_F32_32X32X4_2B_BF16;
        0x5e => cdna3::V_MFMA_F32_16X16X4_4B_BF16;
        0x5f => cdna3::V_MFMA_F32_4X4X4_16B_BF16;
        0x60 => cdna3::V_MFMA_F32_32X32X8_BF16;
        0x61 => cdna3::V_MFMA_F32_16X16X16_BF16;
        0x62 => sparse::V_SMFMAC_F32_16X16X32_F16;
        0x64 => sparse::V_SMFMAC_F32_32X32X16_F16;
        0x66 => sparse::V_SMFMAC_F32_16X16X32_BF16;
        0x68 => sparse::V_SMFMAC_F32_32X32X16_BF16;
        0x6a => sparse::V_SMFMAC_I32_16X16X64_I8;
        0x6c => sparse::V_SMFMAC_I32_32X32X32_I8;
        0x6e => cdna3::V_MFMA_F64_16X16X4_F64;
        0x6f => cdna3::V_MFMA_F64_4X4X4_4B_F64;
        0x70 => cdna3::V_MFMA_F32_16X16X32_BF8_BF8;
        0x71 => cdna3::V_MFMA_F32_16X16X32_BF8_FP8;
        0x72 => cdna3::V_MFMA_F32_16X16X32_FP8_BF8;
        0x73 => cdna3::V_MFMA_F32_16X16X32_FP8_FP8;
        0x74 => cdna3::V_MFMA_F32_32X32X16_BF8_BF8;
        0x75 => cdna3::V_MFMA_F32_32X32X16_BF8_FP8;
        0x76 => cdna3::V_MFMA_F32_32X32X16_FP8_BF8;
        0x77 => cdna3::V_MFMA_F32_32X32X16_FP8_FP8;
        0x78 => sparse::V_SMFMAC_F32_16X16X64_BF8_BF8;
        0x79 => sparse::V_SMFMAC_F32_16X16X64_BF8_FP8;
        0x7a => sparse::V_SMFMAC_F32_16X16X64_FP8_BF8;
        0x7b => sparse::V_SMFMAC_F32_16X16X64_FP8_FP8;
        0x7c => sparse::V_SMFMAC_F32_32X32X32_BF8_BF8;
        0x7d => sparse::V_SMFMAC_F32_32X32X32_BF8_FP8;
        0x7e => sparse::V_SMFMAC_F32_32X32X32_FP8_BF8;
        0x7f => sparse::V_SMFMAC_F32_32X32X32_FP8_FP8;
    },
    &[
        0x40, 0x41, 0x42, 0x44, 0x45, 0x48, 0x49, 0x4a, 0x4c, 0x4d, 0x50, 0x51, 0x52, 0x54, 0x55, 0x63, 0x64,
        0x65, 0x66, 0x67, 0x68, 0x69, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f,
    ],
);
