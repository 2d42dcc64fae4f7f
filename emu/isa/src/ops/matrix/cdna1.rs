//! Matrix instructions by the names of CDNA1 and CDNA2. MI100 and MI200 ISA, "VOP3P-MAI".

use super::shape::{Blgp, Elem, Order, mfma};

super::matrix_ops! {
    V_MFMA_F32_32X32X1F32 "v_mfma_f32_32x32x1f32" =
        mfma(32, 32, 1, 2, Elem::F32, Elem::F32).blgp(Blgp::Lanes);
    V_MFMA_F32_16X16X1F32 "v_mfma_f32_16x16x1f32" =
        mfma(16, 16, 1, 4, Elem::F32, Elem::F32).blgp(Blgp::Lanes);
    V_MFMA_F32_4X4X1F32 "v_mfma_f32_4x4x1f32" =
        mfma(4, 4, 1, 16, Elem::F32, Elem::F32).blgp(Blgp::Lanes);
    V_MFMA_F32_32X32X2F32 "v_mfma_f32_32x32x2f32" =
        mfma(32, 32, 2, 1, Elem::F32, Elem::F32).blgp(Blgp::Lanes);
    V_MFMA_F32_16X16X4F32 "v_mfma_f32_16x16x4f32" =
        mfma(16, 16, 4, 1, Elem::F32, Elem::F32).blgp(Blgp::Lanes);
    V_MFMA_F32_32X32X4F16 "v_mfma_f32_32x32x4f16" =
        mfma(32, 32, 4, 2, Elem::F16, Elem::F16).order(Order::Quads).blgp(Blgp::Lanes);
    V_MFMA_F32_16X16X4F16 "v_mfma_f32_16x16x4f16" =
        mfma(16, 16, 4, 4, Elem::F16, Elem::F16).order(Order::Quads).blgp(Blgp::Lanes);
    V_MFMA_F32_4X4X4F16 "v_mfma_f32_4x4x4f16" =
        mfma(4, 4, 4, 16, Elem::F16, Elem::F16).order(Order::Quads).blgp(Blgp::Lanes);
    V_MFMA_F32_32X32X8F16 "v_mfma_f32_32x32x8f16" =
        mfma(32, 32, 8, 1, Elem::F16, Elem::F16).order(Order::Quads).blgp(Blgp::Lanes);
    V_MFMA_F32_16X16X16F16 "v_mfma_f32_16x16x16f16" =
        mfma(16, 16, 16, 1, Elem::F16, Elem::F16).order(Order::Quads).blgp(Blgp::Lanes);
    V_MFMA_I32_32X32X4I8 "v_mfma_i32_32x32x4i8" =
        mfma(32, 32, 4, 2, Elem::I8, Elem::I8).blgp(Blgp::Lanes);
    V_MFMA_I32_16X16X4I8 "v_mfma_i32_16x16x4i8" =
        mfma(16, 16, 4, 4, Elem::I8, Elem::I8).blgp(Blgp::Lanes);
    V_MFMA_I32_4X4X4I8 "v_mfma_i32_4x4x4i8" =
        mfma(4, 4, 4, 16, Elem::I8, Elem::I8).blgp(Blgp::Lanes);
    V_MFMA_I32_32X32X8I8 "v_mfma_i32_32x32x8i8" =
        mfma(32, 32, 8, 1, Elem::I8, Elem::I8).blgp(Blgp::Lanes);
    V_MFMA_I32_16X16X16I8 "v_mfma_i32_16x16x16i8" =
        mfma(16, 16, 16, 1, Elem::I8, Elem::I8).blgp(Blgp::Lanes);
    V_MFMA_F32_32X32X4BF16_1K "v_mfma_f32_32x32x4bf16_1k" =
        mfma(32, 32, 4, 2, Elem::Bf16, Elem::Bf16).order(Order::Quads).blgp(Blgp::Lanes);
    V_MFMA_F32_16X16X4BF16_1K "v_mfma_f32_16x16x4bf16_1k" =
        mfma(16, 16, 4, 4, Elem::Bf16, Elem::Bf16).order(Order::Quads).blgp(Blgp::Lanes);
    V_MFMA_F32_4X4X4BF16_1K "v_mfma_f32_4x4x4bf16_1k" =
        mfma(4, 4, 4, 16, Elem::Bf16, Elem::Bf16).order(Order::Quads).blgp(Blgp::Lanes);
    V_MFMA_F32_32X32X8BF16_1K "v_mfma_f32_32x32x8bf16_1k" =
        mfma(32, 32, 8, 1, Elem::Bf16, Elem::Bf16).order(Order::Quads).blgp(Blgp::Lanes);
    V_MFMA_F32_16X16X16BF16_1K "v_mfma_f32_16x16x16bf16_1k" =
        mfma(16, 16, 16, 1, Elem::Bf16, Elem::Bf16).order(Order::Quads).blgp(Blgp::Lanes);
    V_MFMA_F32_32X32X2BF16 "v_mfma_f32_32x32x2bf16" =
        mfma(32, 32, 2, 2, Elem::Bf16, Elem::Bf16).order(Order::Pairs).blgp(Blgp::Lanes);
    V_MFMA_F32_16X16X2BF16 "v_mfma_f32_16x16x2bf16" =
        mfma(16, 16, 2, 4, Elem::Bf16, Elem::Bf16).order(Order::Pairs).blgp(Blgp::Lanes);
    V_MFMA_F32_4X4X2BF16 "v_mfma_f32_4x4x2bf16" =
        mfma(4, 4, 2, 16, Elem::Bf16, Elem::Bf16).order(Order::Pairs).blgp(Blgp::Lanes);
    V_MFMA_F32_32X32X4BF16 "v_mfma_f32_32x32x4bf16" =
        mfma(32, 32, 4, 1, Elem::Bf16, Elem::Bf16).order(Order::Pairs).blgp(Blgp::Lanes);
    V_MFMA_F32_16X16X8BF16 "v_mfma_f32_16x16x8bf16" =
        mfma(16, 16, 8, 1, Elem::Bf16, Elem::Bf16).order(Order::Pairs).blgp(Blgp::Lanes);
    V_MFMA_F64_16X16X4F64 "v_mfma_f64_16x16x4f64" =
        mfma(16, 16, 4, 1, Elem::F64, Elem::F64);
    V_MFMA_F64_4X4X4F64 "v_mfma_f64_4x4x4f64" =
        mfma(4, 4, 4, 4, Elem::F64, Elem::F64);
}
