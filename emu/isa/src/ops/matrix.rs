//! Instructions that are known and not run yet: the matrix cores' (MFMA, SMFMAC), and a few of the vector ALU.
//!
//! MI200 and MI300 ISA, "VOP3P-MAI".

use crate::unimplemented_ops;

unimplemented_ops! {
    /// Matrix product.
    V_MFMA_F32_32X32X1F32 "v_mfma_f32_32x32x1f32";
    /// Matrix product.
    V_MFMA_F32_16X16X1F32 "v_mfma_f32_16x16x1f32";
    /// Matrix product.
    V_MFMA_F32_4X4X1F32 "v_mfma_f32_4x4x1f32";
    /// Matrix product.
    V_MFMA_F32_32X32X2F32 "v_mfma_f32_32x32x2f32";
    /// Matrix product.
    V_MFMA_F32_16X16X4F32 "v_mfma_f32_16x16x4f32";
    /// Matrix product.
    V_MFMA_F32_32X32X4F16 "v_mfma_f32_32x32x4f16";
    /// Matrix product.
    V_MFMA_F32_16X16X4F16 "v_mfma_f32_16x16x4f16";
    /// Matrix product.
    V_MFMA_F32_4X4X4F16 "v_mfma_f32_4x4x4f16";
    /// Matrix product.
    V_MFMA_F32_32X32X8F16 "v_mfma_f32_32x32x8f16";
    /// Matrix product.
    V_MFMA_F32_16X16X16F16 "v_mfma_f32_16x16x16f16";
    /// Matrix product.
    V_MFMA_I32_32X32X4I8 "v_mfma_i32_32x32x4i8";
    /// Matrix product.
    V_MFMA_I32_16X16X4I8 "v_mfma_i32_16x16x4i8";
    /// Matrix product.
    V_MFMA_I32_4X4X4I8 "v_mfma_i32_4x4x4i8";
    /// Matrix product.
    V_MFMA_I32_32X32X8I8 "v_mfma_i32_32x32x8i8";
    /// Matrix product.
    V_MFMA_I32_16X16X16I8 "v_mfma_i32_16x16x16i8";
    /// Matrix product.
    V_MFMA_F32_32X32X4BF16_1K "v_mfma_f32_32x32x4bf16_1k";
    /// Matrix product.
    V_MFMA_F32_16X16X4BF16_1K "v_mfma_f32_16x16x4bf16_1k";
    /// Matrix product.
    V_MFMA_F32_4X4X4BF16_1K "v_mfma_f32_4x4x4bf16_1k";
    /// Matrix product.
    V_MFMA_F32_32X32X8BF16_1K "v_mfma_f32_32x32x8bf16_1k";
    /// Matrix product.
    V_MFMA_F32_16X16X16BF16_1K "v_mfma_f32_16x16x16bf16_1k";
    /// Matrix product.
    V_MFMA_F32_32X32X2BF16 "v_mfma_f32_32x32x2bf16";
    /// Matrix product.
    V_MFMA_F32_16X16X2BF16 "v_mfma_f32_16x16x2bf16";
    /// Matrix product.
    V_MFMA_F32_4X4X2BF16 "v_mfma_f32_4x4x2bf16";
    /// Matrix product.
    V_MFMA_F32_32X32X4BF16 "v_mfma_f32_32x32x4bf16";
    /// Matrix product.
    V_MFMA_F32_16X16X8BF16 "v_mfma_f32_16x16x8bf16";
    /// Matrix product.
    V_MFMA_F64_16X16X4F64 "v_mfma_f64_16x16x4f64";
    /// Matrix product.
    V_MFMA_F64_4X4X4F64 "v_mfma_f64_4x4x4f64";
    /// Matrix product.
    V_MFMA_F32_16X16X8_XF32 "v_mfma_f32_16x16x8_xf32";
    /// Matrix product.
    V_MFMA_F32_32X32X4_XF32 "v_mfma_f32_32x32x4_xf32";
    /// Matrix product.
    V_MFMA_F32_32X32X1_2B_F32 "v_mfma_f32_32x32x1_2b_f32";
    /// Matrix product.
    V_MFMA_F32_16X16X1_4B_F32 "v_mfma_f32_16x16x1_4b_f32";
    /// Matrix product.
    V_MFMA_F32_4X4X1_16B_F32 "v_mfma_f32_4x4x1_16b_f32";
    /// Matrix product.
    V_MFMA_F32_32X32X2_F32 "v_mfma_f32_32x32x2_f32";
    /// Matrix product.
    V_MFMA_F32_16X16X4_F32 "v_mfma_f32_16x16x4_f32";
    /// Matrix product.
    V_MFMA_F32_32X32X4_2B_F16 "v_mfma_f32_32x32x4_2b_f16";
    /// Matrix product.
    V_MFMA_F32_16X16X4_4B_F16 "v_mfma_f32_16x16x4_4b_f16";
    /// Matrix product.
    V_MFMA_F32_4X4X4_16B_F16 "v_mfma_f32_4x4x4_16b_f16";
    /// Matrix product.
    V_MFMA_F32_32X32X8_F16 "v_mfma_f32_32x32x8_f16";
    /// Matrix product.
    V_MFMA_F32_16X16X16_F16 "v_mfma_f32_16x16x16_f16";
    /// Matrix product.
    V_MFMA_I32_32X32X4_2B_I8 "v_mfma_i32_32x32x4_2b_i8";
    /// Matrix product.
    V_MFMA_I32_16X16X4_4B_I8 "v_mfma_i32_16x16x4_4b_i8";
    /// Matrix product.
    V_MFMA_I32_4X4X4_16B_I8 "v_mfma_i32_4x4x4_16b_i8";
    /// Matrix product.
    V_MFMA_I32_32X32X16_I8 "v_mfma_i32_32x32x16_i8";
    /// Matrix product.
    V_MFMA_I32_16X16X32_I8 "v_mfma_i32_16x16x32_i8";
    /// Matrix product.
    V_MFMA_F32_32X32X4_2B_BF16 "v_mfma_f32_32x32x4_2b_bf16";
    /// Matrix product.
    V_MFMA_F32_16X16X4_4B_BF16 "v_mfma_f32_16x16x4_4b_bf16";
    /// Matrix product.
    V_MFMA_F32_4X4X4_16B_BF16 "v_mfma_f32_4x4x4_16b_bf16";
    /// Matrix product.
    V_MFMA_F32_32X32X8_BF16 "v_mfma_f32_32x32x8_bf16";
    /// Matrix product.
    V_MFMA_F32_16X16X16_BF16 "v_mfma_f32_16x16x16_bf16";
    /// Matrix product.
    V_SMFMAC_F32_16X16X32_F16 "v_smfmac_f32_16x16x32_f16";
    /// Matrix product.
    V_SMFMAC_F32_32X32X16_F16 "v_smfmac_f32_32x32x16_f16";
    /// Matrix product.
    V_SMFMAC_F32_16X16X32_BF16 "v_smfmac_f32_16x16x32_bf16";
    /// Matrix product.
    V_SMFMAC_F32_32X32X16_BF16 "v_smfmac_f32_32x32x16_bf16";
    /// Matrix product.
    V_SMFMAC_I32_16X16X64_I8 "v_smfmac_i32_16x16x64_i8";
    /// Matrix product.
    V_SMFMAC_I32_32X32X32_I8 "v_smfmac_i32_32x32x32_i8";
    /// Matrix product.
    V_MFMA_F64_16X16X4_F64 "v_mfma_f64_16x16x4_f64";
    /// Matrix product.
    V_MFMA_F64_4X4X4_4B_F64 "v_mfma_f64_4x4x4_4b_f64";
    /// Matrix product.
    V_MFMA_F32_16X16X32_BF8_BF8 "v_mfma_f32_16x16x32_bf8_bf8";
    /// Matrix product.
    V_MFMA_F32_16X16X32_BF8_FP8 "v_mfma_f32_16x16x32_bf8_fp8";
    /// Matrix product.
    V_MFMA_F32_16X16X32_FP8_BF8 "v_mfma_f32_16x16x32_fp8_bf8";
    /// Matrix product.
    V_MFMA_F32_16X16X32_FP8_FP8 "v_mfma_f32_16x16x32_fp8_fp8";
    /// Matrix product.
    V_MFMA_F32_32X32X16_BF8_BF8 "v_mfma_f32_32x32x16_bf8_bf8";
    /// Matrix product.
    V_MFMA_F32_32X32X16_BF8_FP8 "v_mfma_f32_32x32x16_bf8_fp8";
    /// Matrix product.
    V_MFMA_F32_32X32X16_FP8_BF8 "v_mfma_f32_32x32x16_fp8_bf8";
    /// Matrix product.
    V_MFMA_F32_32X32X16_FP8_FP8 "v_mfma_f32_32x32x16_fp8_fp8";
    /// Matrix product.
    V_SMFMAC_F32_16X16X64_BF8_BF8 "v_smfmac_f32_16x16x64_bf8_bf8";
    /// Matrix product.
    V_SMFMAC_F32_16X16X64_BF8_FP8 "v_smfmac_f32_16x16x64_bf8_fp8";
    /// Matrix product.
    V_SMFMAC_F32_16X16X64_FP8_BF8 "v_smfmac_f32_16x16x64_fp8_bf8";
    /// Matrix product.
    V_SMFMAC_F32_16X16X64_FP8_FP8 "v_smfmac_f32_16x16x64_fp8_fp8";
    /// Matrix product.
    V_SMFMAC_F32_32X32X32_BF8_BF8 "v_smfmac_f32_32x32x32_bf8_bf8";
    /// Matrix product.
    V_SMFMAC_F32_32X32X32_BF8_FP8 "v_smfmac_f32_32x32x32_bf8_fp8";
    /// Matrix product.
    V_SMFMAC_F32_32X32X32_FP8_BF8 "v_smfmac_f32_32x32x32_fp8_bf8";
    /// Matrix product.
    V_SMFMAC_F32_32X32X32_FP8_FP8 "v_smfmac_f32_32x32x32_fp8_fp8";
    /// `v_cvt_pk_bf8_f32`.
    V_CVT_PK_BF8_F32 "v_cvt_pk_bf8_f32";
    /// `v_cvt_pk_fp8_f32`.
    V_CVT_PK_FP8_F32 "v_cvt_pk_fp8_f32";
    /// `v_cvt_sr_bf8_f32`.
    V_CVT_SR_BF8_F32 "v_cvt_sr_bf8_f32";
    /// `v_cvt_sr_fp8_f32`.
    V_CVT_SR_FP8_F32 "v_cvt_sr_fp8_f32";
    /// `v_mqsad_pk_u16_u8`.
    V_MQSAD_PK_U16_U8 "v_mqsad_pk_u16_u8";
    /// `v_mqsad_u32_u8`.
    V_MQSAD_U32_U8 "v_mqsad_u32_u8";
    /// `v_qsad_pk_u16_u8`.
    V_QSAD_PK_U16_U8 "v_qsad_pk_u16_u8";
    /// `v_screen_partition_4se_b32`.
    V_SCREEN_PARTITION_4SE_B32 "v_screen_partition_4se_b32";
}
