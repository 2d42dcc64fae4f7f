//! 16-bit integer arithmetic. Vega ISA, "VOP2", "VOP3A". Results leave zero in the high half; the instructions that
//! gfx9 brought keep what was there.

use crate::lane_ops;

lane_ops! {
    /// `D = S0 + S1`.
    V_ADD_U16 "v_add_u16": U16 <- (a: U16, b: U16) = a.wrapping_add(b), clamp a.saturating_add(b);
    /// `D = S0 - S1`.
    V_SUB_U16 "v_sub_u16": U16 <- (a: U16, b: U16) = a.wrapping_sub(b), clamp a.saturating_sub(b);
    /// `D = S1 - S0`.
    V_SUBREV_U16 "v_subrev_u16": U16 <- (a: U16, b: U16) = b.wrapping_sub(a), clamp b.saturating_sub(a);
    /// `D = S0 + S1`, signed.
    V_ADD_I16 "v_add_i16" [KEEPS_HIGH]: I16 <- (a: I16, b: I16) = a.wrapping_add(b), clamp a.saturating_add(b);
    /// `D = S0 - S1`, signed.
    V_SUB_I16 "v_sub_i16" [KEEPS_HIGH]: I16 <- (a: I16, b: I16) = a.wrapping_sub(b), clamp a.saturating_sub(b);
    /// Low half of `S0 * S1`.
    V_MUL_LO_U16 "v_mul_lo_u16": U16 <- (a: U16, b: U16) = a.wrapping_mul(b);
    /// `D = S0 * S1 + S2`, unsigned.
    V_MAD_U16 "v_mad_u16" [KEEPS_HIGH]: U16 <- (a: U16, b: U16, c: U16) =
        a.wrapping_mul(b).wrapping_add(c), clamp umad(a, b, c);
    /// `D = S0 * S1 + S2`, signed.
    V_MAD_I16 "v_mad_i16" [KEEPS_HIGH]: I16 <- (a: I16, b: I16, c: I16) =
        a.wrapping_mul(b).wrapping_add(c), clamp imad(a, b, c);
    /// `D = S0 * S1 + S2`, unsigned; the high half becomes zero.
    V_MAD_LEGACY_U16 "v_mad_legacy_u16": U16 <- (a: U16, b: U16, c: U16) =
        a.wrapping_mul(b).wrapping_add(c), clamp umad(a, b, c);
    /// `D = S0 * S1 + S2`, signed; the high half becomes zero.
    V_MAD_LEGACY_I16 "v_mad_legacy_i16": I16 <- (a: I16, b: I16, c: I16) =
        a.wrapping_mul(b).wrapping_add(c), clamp imad(a, b, c);
}

/// `a * b + c`, saturated.
#[inline(always)]
pub fn umad(a: u16, b: u16, c: u16) -> u16 {
    let x = (u32::from(a) * u32::from(b)).saturating_add(u32::from(c));
    x.min(0xffff) as u16
}

/// `a * b + c`, saturated.
#[inline(always)]
pub fn imad(a: i16, b: i16, c: i16) -> i16 {
    let x = i32::from(a) * i32::from(b) + i32::from(c);
    x.clamp(-0x8000, 0x7fff) as i16
}
