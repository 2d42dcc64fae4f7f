//! Matrix instructions by the names of CDNA3 and CDNA4. MI300 and CDNA4 ISA, "VOP3P-MAI".

use super::shape::{Blgp, Elem, mfma};

super::matrix_ops! {
    V_MFMA_F32_32X32X1_2B_F32 "v_mfma_f32_32x32x1_2b_f32" =
        mfma(32, 32, 1, 2, Elem::F32, Elem::F32).blgp(Blgp::Lanes);
    V_MFMA_F32_16X16X1_4B_F32 "v_mfma_f32_16x16x1_4b_f32" =
        mfma(16, 16, 1, 4, Elem::F32, Elem::F32).blgp(Blgp::Lanes);
    V_MFMA_F32_4X4X1_16B_F32 "v_mfma_f32_4x4x1_16b_f32" =
        mfma(4, 4, 1, 16, Elem::F32, Elem::F32).blgp(Blgp::Lanes);
    V_MFMA_F32_32X32X2_F32 "v_mfma_f32_32x32x2_f32" =
        mfma(32, 32, 2, 1, Elem::F32, Elem::F32).blgp(Blgp::Lanes);
    V_MFMA_F32_16X16X4_F32 "v_mfma_f32_16x16x4_f32" =
        mfma(16, 16, 4, 1, Elem::F32, Elem::F32).blgp(Blgp::Lanes);
    V_MFMA_F32_32X32X4_XF32 "v_mfma_f32_32x32x4_xf32" =
        mfma(32, 32, 4, 1, Elem::Xf32, Elem::Xf32);
    V_MFMA_F32_16X16X8_XF32 "v_mfma_f32_16x16x8_xf32" =
        mfma(16, 16, 8, 1, Elem::Xf32, Elem::Xf32);
    V_MFMA_F32_32X32X4_2B_F16 "v_mfma_f32_32x32x4_2b_f16" =
        mfma(32, 32, 4, 2, Elem::F16, Elem::F16).blgp(Blgp::Lanes);
    V_MFMA_F32_16X16X4_4B_F16 "v_mfma_f32_16x16x4_4b_f16" =
        mfma(16, 16, 4, 4, Elem::F16, Elem::F16).blgp(Blgp::Lanes);
    V_MFMA_F32_4X4X4_16B_F16 "v_mfma_f32_4x4x4_16b_f16" =
        mfma(4, 4, 4, 16, Elem::F16, Elem::F16).blgp(Blgp::Lanes);
    V_MFMA_F32_32X32X8_F16 "v_mfma_f32_32x32x8_f16" =
        mfma(32, 32, 8, 1, Elem::F16, Elem::F16);
    V_MFMA_F32_16X16X16_F16 "v_mfma_f32_16x16x16_f16" =
        mfma(16, 16, 16, 1, Elem::F16, Elem::F16);
    V_MFMA_F32_32X32X16_F16 "v_mfma_f32_32x32x16_f16" =
        mfma(32, 32, 16, 1, Elem::F16, Elem::F16);
    V_MFMA_F32_16X16X32_F16 "v_mfma_f32_16x16x32_f16" =
        mfma(16, 16, 32, 1, Elem::F16, Elem::F16);
    V_MFMA_F32_32X32X4_2B_BF16 "v_mfma_f32_32x32x4_2b_bf16" =
        mfma(32, 32, 4, 2, Elem::Bf16, Elem::Bf16).blgp(Blgp::Lanes);
    V_MFMA_F32_16X16X4_4B_BF16 "v_mfma_f32_16x16x4_4b_bf16" =
        mfma(16, 16, 4, 4, Elem::Bf16, Elem::Bf16).blgp(Blgp::Lanes);
    V_MFMA_F32_4X4X4_16B_BF16 "v_mfma_f32_4x4x4_16b_bf16" =
        mfma(4, 4, 4, 16, Elem::Bf16, Elem::Bf16).blgp(Blgp::Lanes);
    V_MFMA_F32_32X32X8_BF16 "v_mfma_f32_32x32x8_bf16" =
        mfma(32, 32, 8, 1, Elem::Bf16, Elem::Bf16);
    V_MFMA_F32_16X16X16_BF16 "v_mfma_f32_16x16x16_bf16" =
        mfma(16, 16, 16, 1, Elem::Bf16, Elem::Bf16);
    V_MFMA_F32_32X32X16_BF16 "v_mfma_f32_32x32x16_bf16" =
        mfma(32, 32, 16, 1, Elem::Bf16, Elem::Bf16);
    V_MFMA_F32_16X16X32_BF16 "v_mfma_f32_16x16x32_bf16" =
        mfma(16, 16, 32, 1, Elem::Bf16, Elem::Bf16);
    V_MFMA_I32_32X32X4_2B_I8 "v_mfma_i32_32x32x4_2b_i8" =
        mfma(32, 32, 4, 2, Elem::I8, Elem::I8).blgp(Blgp::Lanes);
    V_MFMA_I32_16X16X4_4B_I8 "v_mfma_i32_16x16x4_4b_i8" =
        mfma(16, 16, 4, 4, Elem::I8, Elem::I8).blgp(Blgp::Lanes);
    V_MFMA_I32_4X4X4_16B_I8 "v_mfma_i32_4x4x4_16b_i8" =
        mfma(4, 4, 4, 16, Elem::I8, Elem::I8).blgp(Blgp::Lanes);
    V_MFMA_I32_32X32X16_I8 "v_mfma_i32_32x32x16_i8" =
        mfma(32, 32, 16, 1, Elem::I8, Elem::I8);
    V_MFMA_I32_16X16X32_I8 "v_mfma_i32_16x16x32_i8" =
        mfma(16, 16, 32, 1, Elem::I8, Elem::I8);
    V_MFMA_I32_32X32X32_I8 "v_mfma_i32_32x32x32_i8" =
        mfma(32, 32, 32, 1, Elem::I8, Elem::I8);
    V_MFMA_I32_16X16X64_I8 "v_mfma_i32_16x16x64_i8" =
        mfma(16, 16, 64, 1, Elem::I8, Elem::I8);
    V_MFMA_F64_16X16X4_F64 "v_mfma_f64_16x16x4_f64" =
        mfma(16, 16, 4, 1, Elem::F64, Elem::F64).blgp(Blgp::Negate);
    V_MFMA_F64_4X4X4_4B_F64 "v_mfma_f64_4x4x4_4b_f64" =
        mfma(4, 4, 4, 4, Elem::F64, Elem::F64).blgp(Blgp::Negate);
    V_MFMA_F32_16X16X32_BF8_BF8 "v_mfma_f32_16x16x32_bf8_bf8" =
        mfma(16, 16, 32, 1, Elem::Bf8, Elem::Bf8);
    V_MFMA_F32_32X32X16_BF8_BF8 "v_mfma_f32_32x32x16_bf8_bf8" =
        mfma(32, 32, 16, 1, Elem::Bf8, Elem::Bf8);
    V_MFMA_F32_16X16X32_BF8_FP8 "v_mfma_f32_16x16x32_bf8_fp8" =
        mfma(16, 16, 32, 1, Elem::Bf8, Elem::Fp8);
    V_MFMA_F32_32X32X16_BF8_FP8 "v_mfma_f32_32x32x16_bf8_fp8" =
        mfma(32, 32, 16, 1, Elem::Bf8, Elem::Fp8);
    V_MFMA_F32_16X16X32_FP8_BF8 "v_mfma_f32_16x16x32_fp8_bf8" =
        mfma(16, 16, 32, 1, Elem::Fp8, Elem::Bf8);
    V_MFMA_F32_32X32X16_FP8_BF8 "v_mfma_f32_32x32x16_fp8_bf8" =
        mfma(32, 32, 16, 1, Elem::Fp8, Elem::Bf8);
    V_MFMA_F32_16X16X32_FP8_FP8 "v_mfma_f32_16x16x32_fp8_fp8" =
        mfma(16, 16, 32, 1, Elem::Fp8, Elem::Fp8);
    V_MFMA_F32_32X32X16_FP8_FP8 "v_mfma_f32_32x32x16_fp8_fp8" =
        mfma(32, 32, 16, 1, Elem::Fp8, Elem::Fp8);
}
