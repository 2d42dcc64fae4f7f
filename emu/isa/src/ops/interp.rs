//! Interpolation of pixel attributes: known and not run, since kernels have no attributes. Vega ISA, "VOP3A".

use crate::unimplemented_ops;

unimplemented_ops! {
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
}
