//! Graphics: known by name and not run, since kernels have neither attributes nor anything to export to; and of the image
//! instructions those that kernels are not compiled to (the others: [`image`](super::memory::image)).
//! Vega ISA, "VINTRP", "EXP", "MIMG"; the interpolations of "VOP3A".
//!
//! An image instruction's first source are its addresses, as many as its name asks for at least; a second one is the
//! sampler. `dmask` says how many registers of data there are.

use crate::refused_ops;

refused_ops! { Graphics;
    /// Part of the interpolation of an attribute.
    V_INTERP_P1_F32 "v_interp_p1_f32";
    /// Part of the interpolation of an attribute.
    V_INTERP_P2_F32 "v_interp_p2_f32";
    /// Part of the interpolation of an attribute.
    V_INTERP_MOV_F32 "v_interp_mov_f32";
    /// Part of the interpolation of an attribute.
    V_INTERP_P1LL_F16 "v_interp_p1ll_f16";
    /// Part of the interpolation of an attribute.
    V_INTERP_P1LV_F16 "v_interp_p1lv_f16";
    /// Part of the interpolation of an attribute.
    V_INTERP_P2_LEGACY_F16 "v_interp_p2_legacy_f16";
    /// Part of the interpolation of an attribute.
    V_INTERP_P2_F16 "v_interp_p2_f16";
    /// Export of a position, a colour or a parameter.
    EXP "exp";
}

macro_rules! image_ops {
    ($($name:ident $text:literal: $D:ident <- ($($T:ident),*);)*) => {
        refused_ops! { Graphics; $(
            #[doc = concat!("`", $text, "`.")]
            $name $text: $D <- ($($T),*);
        )* }
    };
}

#[rustfmt::skip]
image_ops! {
    IMAGE_LOAD_PCK "image_load_pck": B128 <- (B32);
    IMAGE_LOAD_PCK_SGN "image_load_pck_sgn": B128 <- (B32);
    IMAGE_LOAD_MIP_PCK "image_load_mip_pck": B128 <- (B32);
    IMAGE_LOAD_MIP_PCK_SGN "image_load_mip_pck_sgn": B128 <- (B32);
    IMAGE_STORE_PCK "image_store_pck": None <- (B32);
    IMAGE_STORE_MIP_PCK "image_store_mip_pck": None <- (B32);
    IMAGE_ATOMIC_SWAP "image_atomic_swap": B128 <- (B32);
    IMAGE_ATOMIC_CMPSWAP "image_atomic_cmpswap": B128 <- (B32);
    IMAGE_ATOMIC_ADD "image_atomic_add": B128 <- (B32);
    IMAGE_ATOMIC_SUB "image_atomic_sub": B128 <- (B32);
    IMAGE_ATOMIC_SMIN "image_atomic_smin": B128 <- (B32);
    IMAGE_ATOMIC_UMIN "image_atomic_umin": B128 <- (B32);
    IMAGE_ATOMIC_SMAX "image_atomic_smax": B128 <- (B32);
    IMAGE_ATOMIC_UMAX "image_atomic_umax": B128 <- (B32);
    IMAGE_ATOMIC_AND "image_atomic_and": B128 <- (B32);
    IMAGE_ATOMIC_OR "image_atomic_or": B128 <- (B32);
    IMAGE_ATOMIC_XOR "image_atomic_xor": B128 <- (B32);
    IMAGE_ATOMIC_INC "image_atomic_inc": B128 <- (B32);
    IMAGE_ATOMIC_DEC "image_atomic_dec": B128 <- (B32);
    IMAGE_SAMPLE_D_CL "image_sample_d_cl": B128 <- (B64, B128);
    IMAGE_SAMPLE_B_CL "image_sample_b_cl": B128 <- (B64, B128);
    IMAGE_SAMPLE_C "image_sample_c": B128 <- (B64, B128);
    IMAGE_SAMPLE_C_CL "image_sample_c_cl": B128 <- (B64, B128);
    IMAGE_SAMPLE_C_D "image_sample_c_d": B128 <- (B96, B128);
    IMAGE_SAMPLE_C_D_CL "image_sample_c_d_cl": B128 <- (B96, B128);
    IMAGE_SAMPLE_C_L "image_sample_c_l": B128 <- (B64, B128);
    IMAGE_SAMPLE_C_B "image_sample_c_b": B128 <- (B96, B128);
    IMAGE_SAMPLE_C_B_CL "image_sample_c_b_cl": B128 <- (B96, B128);
    IMAGE_SAMPLE_C_LZ "image_sample_c_lz": B128 <- (B64, B128);
    IMAGE_SAMPLE_O "image_sample_o": B128 <- (B64, B128);
    IMAGE_SAMPLE_CL_O "image_sample_cl_o": B128 <- (B64, B128);
    IMAGE_SAMPLE_D_O "image_sample_d_o": B128 <- (B96, B128);
    IMAGE_SAMPLE_D_CL_O "image_sample_d_cl_o": B128 <- (B96, B128);
    IMAGE_SAMPLE_L_O "image_sample_l_o": B128 <- (B64, B128);
    IMAGE_SAMPLE_B_O "image_sample_b_o": B128 <- (B96, B128);
    IMAGE_SAMPLE_B_CL_O "image_sample_b_cl_o": B128 <- (B96, B128);
    IMAGE_SAMPLE_LZ_O "image_sample_lz_o": B128 <- (B64, B128);
    IMAGE_SAMPLE_C_O "image_sample_c_o": B128 <- (B96, B128);
    IMAGE_SAMPLE_C_CL_O "image_sample_c_cl_o": B128 <- (B96, B128);
    IMAGE_SAMPLE_C_D_O "image_sample_c_d_o": B128 <- (B128, B128);
    IMAGE_SAMPLE_C_D_CL_O "image_sample_c_d_cl_o": B128 <- (B128, B128);
    IMAGE_SAMPLE_C_L_O "image_sample_c_l_o": B128 <- (B96, B128);
    IMAGE_SAMPLE_C_B_O "image_sample_c_b_o": B128 <- (B128, B128);
    IMAGE_SAMPLE_C_B_CL_O "image_sample_c_b_cl_o": B128 <- (B128, B128);
    IMAGE_SAMPLE_C_LZ_O "image_sample_c_lz_o": B128 <- (B96, B128);
    IMAGE_GATHER4H "image_gather4h": B128 <- (B32, B128);
    IMAGE_GATHER4_B_CL "image_gather4_b_cl": B128 <- (B64, B128);
    IMAGE_GATHER4_C "image_gather4_c": B128 <- (B64, B128);
    IMAGE_GATHER4_C_CL "image_gather4_c_cl": B128 <- (B64, B128);
    IMAGE_GATHER4_C_L "image_gather4_c_l": B128 <- (B64, B128);
    IMAGE_GATHER4_C_B "image_gather4_c_b": B128 <- (B96, B128);
    IMAGE_GATHER4_C_B_CL "image_gather4_c_b_cl": B128 <- (B96, B128);
    IMAGE_GATHER4_C_LZ "image_gather4_c_lz": B128 <- (B64, B128);
    IMAGE_GATHER4_O "image_gather4_o": B128 <- (B64, B128);
    IMAGE_GATHER4_CL_O "image_gather4_cl_o": B128 <- (B64, B128);
    IMAGE_GATHER4_L_O "image_gather4_l_o": B128 <- (B64, B128);
    IMAGE_GATHER4_B_O "image_gather4_b_o": B128 <- (B96, B128);
    IMAGE_GATHER4_B_CL_O "image_gather4_b_cl_o": B128 <- (B96, B128);
    IMAGE_GATHER4_LZ_O "image_gather4_lz_o": B128 <- (B64, B128);
    IMAGE_GATHER4_C_O "image_gather4_c_o": B128 <- (B96, B128);
    IMAGE_GATHER4_C_CL_O "image_gather4_c_cl_o": B128 <- (B96, B128);
    IMAGE_GATHER4_C_L_O "image_gather4_c_l_o": B128 <- (B96, B128);
    IMAGE_GATHER4_C_B_O "image_gather4_c_b_o": B128 <- (B128, B128);
    IMAGE_GATHER4_C_B_CL_O "image_gather4_c_b_cl_o": B128 <- (B128, B128);
    IMAGE_GATHER4_C_LZ_O "image_gather4_c_lz_o": B128 <- (B96, B128);
    IMAGE_GET_LOD "image_get_lod": B128 <- (B32, B128);
    IMAGE_SAMPLE_CD "image_sample_cd": B128 <- (B64, B128);
    IMAGE_SAMPLE_CD_CL "image_sample_cd_cl": B128 <- (B64, B128);
    IMAGE_SAMPLE_C_CD "image_sample_c_cd": B128 <- (B96, B128);
    IMAGE_SAMPLE_C_CD_CL "image_sample_c_cd_cl": B128 <- (B96, B128);
    IMAGE_SAMPLE_CD_O "image_sample_cd_o": B128 <- (B96, B128);
    IMAGE_SAMPLE_CD_CL_O "image_sample_cd_cl_o": B128 <- (B96, B128);
    IMAGE_SAMPLE_C_CD_O "image_sample_c_cd_o": B128 <- (B128, B128);
    IMAGE_SAMPLE_C_CD_CL_O "image_sample_c_cd_cl_o": B128 <- (B128, B128);
}
