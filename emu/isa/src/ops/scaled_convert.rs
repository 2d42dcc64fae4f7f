//! Conversions of CDNA4 between small floats with a scale and greater ones. CDNA4 ISA, "VOP3A".
//!
//! The scale is the exponent of a 32-bit float: what is read from a small format is multiplied by that power of two,
//! what is written to one is divided by it.

use super::convert_small::{Conversion, Num, conversions};

conversions! {
    V_CVT_SCALEF32_PK_FP8_F32 "v_cvt_scalef32_pk_fp8_f32": B32 <- (F32, F32, F32) =
        Conversion::new(Num::F32, Num::Fp8, 2).from_two().scaled();
    V_CVT_SCALEF32_PK_BF8_F32 "v_cvt_scalef32_pk_bf8_f32": B32 <- (F32, F32, F32) =
        Conversion::new(Num::F32, Num::Bf8, 2).from_two().scaled();
    V_CVT_SCALEF32_SR_FP8_F32 "v_cvt_scalef32_sr_fp8_f32": B32 <- (F32, B32, F32) =
        Conversion::new(Num::F32, Num::Fp8, 1).stochastic().scaled();
    V_CVT_SCALEF32_SR_BF8_F32 "v_cvt_scalef32_sr_bf8_f32": B32 <- (F32, B32, F32) =
        Conversion::new(Num::F32, Num::Bf8, 1).stochastic().scaled();
    V_CVT_SCALEF32_PK_F32_FP8 "v_cvt_scalef32_pk_f32_fp8": B64 <- (B32, F32) =
        Conversion::new(Num::Fp8, Num::F32, 2).scaled();
    V_CVT_SCALEF32_PK_F32_BF8 "v_cvt_scalef32_pk_f32_bf8": B64 <- (B32, F32) =
        Conversion::new(Num::Bf8, Num::F32, 2).scaled();
    V_CVT_SCALEF32_F32_FP8 "v_cvt_scalef32_f32_fp8": F32 <- (B32, F32) =
        Conversion::new(Num::Fp8, Num::F32, 1).scaled();
    V_CVT_SCALEF32_F32_BF8 "v_cvt_scalef32_f32_bf8": F32 <- (B32, F32) =
        Conversion::new(Num::Bf8, Num::F32, 1).scaled();
    V_CVT_SCALEF32_PK_FP4_F32 "v_cvt_scalef32_pk_fp4_f32": B32 <- (F32, F32, F32) =
        Conversion::new(Num::F32, Num::Fp4, 2).from_two().scaled();
    V_CVT_SCALEF32_SR_PK_FP4_F32 "v_cvt_scalef32_sr_pk_fp4_f32": B32 <- (B64, B32, F32) =
        Conversion::new(Num::F32, Num::Fp4, 2).stochastic().scaled();
    V_CVT_SCALEF32_PK_F32_FP4 "v_cvt_scalef32_pk_f32_fp4": B64 <- (B32, F32) =
        Conversion::new(Num::Fp4, Num::F32, 2).scaled();
    V_CVT_SCALEF32_PK_FP8_F16 "v_cvt_scalef32_pk_fp8_f16": B32 <- (P16, F32) =
        Conversion::new(Num::F16, Num::Fp8, 2).scaled();
    V_CVT_SCALEF32_PK_BF8_F16 "v_cvt_scalef32_pk_bf8_f16": B32 <- (P16, F32) =
        Conversion::new(Num::F16, Num::Bf8, 2).scaled();
    V_CVT_SCALEF32_SR_FP8_F16 "v_cvt_scalef32_sr_fp8_f16": B32 <- (F16, B32, F32) =
        Conversion::new(Num::F16, Num::Fp8, 1).stochastic().scaled();
    V_CVT_SCALEF32_SR_BF8_F16 "v_cvt_scalef32_sr_bf8_f16": B32 <- (F16, B32, F32) =
        Conversion::new(Num::F16, Num::Bf8, 1).stochastic().scaled();
    V_CVT_SCALEF32_PK_FP8_BF16 "v_cvt_scalef32_pk_fp8_bf16": B32 <- (P16, F32) =
        Conversion::new(Num::Bf16, Num::Fp8, 2).scaled();
    V_CVT_SCALEF32_PK_BF8_BF16 "v_cvt_scalef32_pk_bf8_bf16": B32 <- (P16, F32) =
        Conversion::new(Num::Bf16, Num::Bf8, 2).scaled();
    V_CVT_SCALEF32_SR_FP8_BF16 "v_cvt_scalef32_sr_fp8_bf16": B32 <- (BF16, B32, F32) =
        Conversion::new(Num::Bf16, Num::Fp8, 1).stochastic().scaled();
    V_CVT_SCALEF32_SR_BF8_BF16 "v_cvt_scalef32_sr_bf8_bf16": B32 <- (BF16, B32, F32) =
        Conversion::new(Num::Bf16, Num::Bf8, 1).stochastic().scaled();
    V_CVT_SCALEF32_PK_F16_FP8 "v_cvt_scalef32_pk_f16_fp8": P16 <- (B32, F32) =
        Conversion::new(Num::Fp8, Num::F16, 2).scaled();
    V_CVT_SCALEF32_PK_F16_BF8 "v_cvt_scalef32_pk_f16_bf8": P16 <- (B32, F32) =
        Conversion::new(Num::Bf8, Num::F16, 2).scaled();
    V_CVT_SCALEF32_F16_FP8 "v_cvt_scalef32_f16_fp8": F16 <- (B32, F32) =
        Conversion::new(Num::Fp8, Num::F16, 1).scaled();
    V_CVT_SCALEF32_F16_BF8 "v_cvt_scalef32_f16_bf8": F16 <- (B32, F32) =
        Conversion::new(Num::Bf8, Num::F16, 1).scaled();
    V_CVT_SCALEF32_PK_FP4_F16 "v_cvt_scalef32_pk_fp4_f16": B32 <- (P16, F32) =
        Conversion::new(Num::F16, Num::Fp4, 2).scaled();
    V_CVT_SCALEF32_PK_FP4_BF16 "v_cvt_scalef32_pk_fp4_bf16": B32 <- (P16, F32) =
        Conversion::new(Num::Bf16, Num::Fp4, 2).scaled();
    V_CVT_SCALEF32_SR_PK_FP4_F16 "v_cvt_scalef32_sr_pk_fp4_f16": B32 <- (P16, B32, F32) =
        Conversion::new(Num::F16, Num::Fp4, 2).stochastic().scaled();
    V_CVT_SCALEF32_SR_PK_FP4_BF16 "v_cvt_scalef32_sr_pk_fp4_bf16": B32 <- (P16, B32, F32) =
        Conversion::new(Num::Bf16, Num::Fp4, 2).stochastic().scaled();
    V_CVT_SCALEF32_PK_F16_FP4 "v_cvt_scalef32_pk_f16_fp4": P16 <- (B32, F32) =
        Conversion::new(Num::Fp4, Num::F16, 2).scaled();
    V_CVT_SCALEF32_PK_BF16_FP4 "v_cvt_scalef32_pk_bf16_fp4": P16 <- (B32, F32) =
        Conversion::new(Num::Fp4, Num::Bf16, 2).scaled();
    V_CVT_SCALEF32_2XPK16_FP6_F32 "v_cvt_scalef32_2xpk16_fp6_f32": B192 <- (B512, B512, F32) =
        Conversion::new(Num::F32, Num::Fp6, 32).from_two().scaled();
    V_CVT_SCALEF32_2XPK16_BF6_F32 "v_cvt_scalef32_2xpk16_bf6_f32": B192 <- (B512, B512, F32) =
        Conversion::new(Num::F32, Num::Bf6, 32).from_two().scaled();
    V_CVT_SCALEF32_SR_PK32_FP6_F32 "v_cvt_scalef32_sr_pk32_fp6_f32": B192 <- (B1024, B32, F32) =
        Conversion::new(Num::F32, Num::Fp6, 32).stochastic().scaled();
    V_CVT_SCALEF32_SR_PK32_BF6_F32 "v_cvt_scalef32_sr_pk32_bf6_f32": B192 <- (B1024, B32, F32) =
        Conversion::new(Num::F32, Num::Bf6, 32).stochastic().scaled();
    V_CVT_SCALEF32_PK32_F32_FP6 "v_cvt_scalef32_pk32_f32_fp6": B1024 <- (B192, F32) =
        Conversion::new(Num::Fp6, Num::F32, 32).scaled();
    V_CVT_SCALEF32_PK32_F32_BF6 "v_cvt_scalef32_pk32_f32_bf6": B1024 <- (B192, F32) =
        Conversion::new(Num::Bf6, Num::F32, 32).scaled();
    V_CVT_SCALEF32_PK32_FP6_F16 "v_cvt_scalef32_pk32_fp6_f16": B192 <- (B512, F32) =
        Conversion::new(Num::F16, Num::Fp6, 32).scaled();
    V_CVT_SCALEF32_PK32_FP6_BF16 "v_cvt_scalef32_pk32_fp6_bf16": B192 <- (B512, F32) =
        Conversion::new(Num::Bf16, Num::Fp6, 32).scaled();
    V_CVT_SCALEF32_PK32_BF6_F16 "v_cvt_scalef32_pk32_bf6_f16": B192 <- (B512, F32) =
        Conversion::new(Num::F16, Num::Bf6, 32).scaled();
    V_CVT_SCALEF32_PK32_BF6_BF16 "v_cvt_scalef32_pk32_bf6_bf16": B192 <- (B512, F32) =
        Conversion::new(Num::Bf16, Num::Bf6, 32).scaled();
    V_CVT_SCALEF32_SR_PK32_FP6_F16 "v_cvt_scalef32_sr_pk32_fp6_f16": B192 <- (B512, B32, F32) =
        Conversion::new(Num::F16, Num::Fp6, 32).stochastic().scaled();
    V_CVT_SCALEF32_SR_PK32_FP6_BF16 "v_cvt_scalef32_sr_pk32_fp6_bf16": B192 <- (B512, B32, F32) =
        Conversion::new(Num::Bf16, Num::Fp6, 32).stochastic().scaled();
    V_CVT_SCALEF32_SR_PK32_BF6_F16 "v_cvt_scalef32_sr_pk32_bf6_f16": B192 <- (B512, B32, F32) =
        Conversion::new(Num::F16, Num::Bf6, 32).stochastic().scaled();
    V_CVT_SCALEF32_SR_PK32_BF6_BF16 "v_cvt_scalef32_sr_pk32_bf6_bf16": B192 <- (B512, B32, F32) =
        Conversion::new(Num::Bf16, Num::Bf6, 32).stochastic().scaled();
    V_CVT_SCALEF32_PK32_F16_FP6 "v_cvt_scalef32_pk32_f16_fp6": B512 <- (B192, F32) =
        Conversion::new(Num::Fp6, Num::F16, 32).scaled();
    V_CVT_SCALEF32_PK32_BF16_FP6 "v_cvt_scalef32_pk32_bf16_fp6": B512 <- (B192, F32) =
        Conversion::new(Num::Fp6, Num::Bf16, 32).scaled();
    V_CVT_SCALEF32_PK32_F16_BF6 "v_cvt_scalef32_pk32_f16_bf6": B512 <- (B192, F32) =
        Conversion::new(Num::Bf6, Num::F16, 32).scaled();
    V_CVT_SCALEF32_PK32_BF16_BF6 "v_cvt_scalef32_pk32_bf16_bf6": B512 <- (B192, F32) =
        Conversion::new(Num::Bf6, Num::Bf16, 32).scaled();
    V_CVT_SCALEF32_PK_BF16_FP8 "v_cvt_scalef32_pk_bf16_fp8": P16 <- (B32, F32) =
        Conversion::new(Num::Fp8, Num::Bf16, 2).scaled();
    V_CVT_SCALEF32_PK_BF16_BF8 "v_cvt_scalef32_pk_bf16_bf8": P16 <- (B32, F32) =
        Conversion::new(Num::Bf8, Num::Bf16, 2).scaled();
}
