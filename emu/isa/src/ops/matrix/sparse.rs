//! Matrix instructions whose `A` has two of each four elements (SMFMAC). MI300 and CDNA4 ISA, "VOP3P-MAI".

use super::shape::{Elem, smfmac};

super::matrix_ops! {
    V_SMFMAC_F32_16X16X32_F16 "v_smfmac_f32_16x16x32_f16" = smfmac(16, 16, 32, Elem::F16, Elem::F16);
    V_SMFMAC_F32_32X32X16_F16 "v_smfmac_f32_32x32x16_f16" = smfmac(32, 32, 16, Elem::F16, Elem::F16);
    V_SMFMAC_F32_16X16X32_BF16 "v_smfmac_f32_16x16x32_bf16" = smfmac(16, 16, 32, Elem::Bf16, Elem::Bf16);
    V_SMFMAC_F32_32X32X16_BF16 "v_smfmac_f32_32x32x16_bf16" = smfmac(32, 32, 16, Elem::Bf16, Elem::Bf16);
    V_SMFMAC_I32_16X16X64_I8 "v_smfmac_i32_16x16x64_i8" = smfmac(16, 16, 64, Elem::I8, Elem::I8);
    V_SMFMAC_I32_32X32X32_I8 "v_smfmac_i32_32x32x32_i8" = smfmac(32, 32, 32, Elem::I8, Elem::I8);
    V_SMFMAC_F32_16X16X64_BF8_BF8 "v_smfmac_f32_16x16x64_bf8_bf8" = smfmac(16, 16, 64, Elem::Bf8, Elem::Bf8);
    V_SMFMAC_F32_32X32X32_BF8_BF8 "v_smfmac_f32_32x32x32_bf8_bf8" = smfmac(32, 32, 32, Elem::Bf8, Elem::Bf8);
    V_SMFMAC_F32_16X16X64_BF8_FP8 "v_smfmac_f32_16x16x64_bf8_fp8" = smfmac(16, 16, 64, Elem::Bf8, Elem::Fp8);
    V_SMFMAC_F32_32X32X32_BF8_FP8 "v_smfmac_f32_32x32x32_bf8_fp8" = smfmac(32, 32, 32, Elem::Bf8, Elem::Fp8);
    V_SMFMAC_F32_16X16X64_FP8_BF8 "v_smfmac_f32_16x16x64_fp8_bf8" = smfmac(16, 16, 64, Elem::Fp8, Elem::Bf8);
    V_SMFMAC_F32_32X32X32_FP8_BF8 "v_smfmac_f32_32x32x32_fp8_bf8" = smfmac(32, 32, 32, Elem::Fp8, Elem::Bf8);
    V_SMFMAC_F32_16X16X64_FP8_FP8 "v_smfmac_f32_16x16x64_fp8_fp8" = smfmac(16, 16, 64, Elem::Fp8, Elem::Fp8);
    V_SMFMAC_F32_32X32X32_FP8_FP8 "v_smfmac_f32_32x32x32_fp8_fp8" = smfmac(32, 32, 32, Elem::Fp8, Elem::Fp8);
    V_SMFMAC_F32_16X16X64_F16 "v_smfmac_f32_16x16x64_f16" = smfmac(16, 16, 64, Elem::F16, Elem::F16);
    V_SMFMAC_F32_32X32X32_F16 "v_smfmac_f32_32x32x32_f16" = smfmac(32, 32, 32, Elem::F16, Elem::F16);
    V_SMFMAC_F32_16X16X64_BF16 "v_smfmac_f32_16x16x64_bf16" = smfmac(16, 16, 64, Elem::Bf16, Elem::Bf16);
    V_SMFMAC_F32_32X32X32_BF16 "v_smfmac_f32_32x32x32_bf16" = smfmac(32, 32, 32, Elem::Bf16, Elem::Bf16);
    V_SMFMAC_I32_16X16X128_I8 "v_smfmac_i32_16x16x128_i8" = smfmac(16, 16, 128, Elem::I8, Elem::I8);
    V_SMFMAC_I32_32X32X64_I8 "v_smfmac_i32_32x32x64_i8" = smfmac(32, 32, 64, Elem::I8, Elem::I8);
    V_SMFMAC_F32_16X16X128_BF8_BF8 "v_smfmac_f32_16x16x128_bf8_bf8" = smfmac(16, 16, 128, Elem::Bf8, Elem::Bf8);
    V_SMFMAC_F32_32X32X64_BF8_BF8 "v_smfmac_f32_32x32x64_bf8_bf8" = smfmac(32, 32, 64, Elem::Bf8, Elem::Bf8);
    V_SMFMAC_F32_16X16X128_BF8_FP8 "v_smfmac_f32_16x16x128_bf8_fp8" = smfmac(16, 16, 128, Elem::Bf8, Elem::Fp8);
    V_SMFMAC_F32_32X32X64_BF8_FP8 "v_smfmac_f32_32x32x64_bf8_fp8" = smfmac(32, 32, 64, Elem::Bf8, Elem::Fp8);
    V_SMFMAC_F32_16X16X128_FP8_BF8 "v_smfmac_f32_16x16x128_fp8_bf8" = smfmac(16, 16, 128, Elem::Fp8, Elem::Bf8);
    V_SMFMAC_F32_32X32X64_FP8_BF8 "v_smfmac_f32_32x32x64_fp8_bf8" = smfmac(32, 32, 64, Elem::Fp8, Elem::Bf8);
    V_SMFMAC_F32_16X16X128_FP8_FP8 "v_smfmac_f32_16x16x128_fp8_fp8" = smfmac(16, 16, 128, Elem::Fp8, Elem::Fp8);
    V_SMFMAC_F32_32X32X64_FP8_FP8 "v_smfmac_f32_32x32x64_fp8_fp8" = smfmac(32, 32, 64, Elem::Fp8, Elem::Fp8);
}
