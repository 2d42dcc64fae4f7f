//! 32-bit integer arithmetic, and 24-bit. Vega ISA, "VOP2", "VOP3A", "VOP3B". `clamp` saturates where a line says so.

use crate::lane_ops;

#[inline(always)]
fn low24(x: u32) -> u32 {
    x & 0xff_ffff
}

#[inline(always)]
fn signed24(x: i32) -> i32 {
    x << 8 >> 8
}

#[inline(always)]
fn saturate_u32(x: u64) -> u32 {
    if x > 0xffff_ffff { 0xffff_ffff } else { x as u32 }
}

#[inline(always)]
fn saturate_i32(x: i64) -> i32 {
    x.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}

#[inline(always)]
fn mul24(a: i32, b: i32) -> i64 {
    i64::from(signed24(a)) * i64::from(signed24(b))
}

#[inline(always)]
fn umul24(a: u32, b: u32) -> u64 {
    u64::from(low24(a)) * u64::from(low24(b))
}

lane_ops! {
    /// `D = S0 + S1`.
    V_ADD_U32 "v_add_u32": U32 <- (a: U32, b: U32) = a.wrapping_add(b), clamp a.saturating_add(b);
    /// `D = S0 - S1`.
    V_SUB_U32 "v_sub_u32": U32 <- (a: U32, b: U32) = a.wrapping_sub(b), clamp a.saturating_sub(b);
    /// `D = S1 - S0`.
    V_SUBREV_U32 "v_subrev_u32": U32 <- (a: U32, b: U32) = b.wrapping_sub(a), clamp b.saturating_sub(a);
    /// `D = S0 + S1`, signed.
    V_ADD_I32 "v_add_i32": I32 <- (a: I32, b: I32) = a.wrapping_add(b), clamp a.saturating_add(b);
    /// `D = S0 - S1`, signed.
    V_SUB_I32 "v_sub_i32": I32 <- (a: I32, b: I32) = a.wrapping_sub(b), clamp a.saturating_sub(b);
    /// `D = S0 + S1 + S2`.
    V_ADD3_U32 "v_add3_u32": U32 <- (a: U32, b: U32, c: U32) = a.wrapping_add(b).wrapping_add(c);
    /// Low half of `S0 * S1`.
    V_MUL_LO_U32 "v_mul_lo_u32": U32 <- (a: U32, b: U32) = a.wrapping_mul(b);
    /// High half of `S0 * S1`, unsigned.
    V_MUL_HI_U32 "v_mul_hi_u32": U32 <- (a: U32, b: U32) = ((u64::from(a) * u64::from(b)) >> 32) as u32;
    /// High half of `S0 * S1`, signed.
    V_MUL_HI_I32 "v_mul_hi_i32": I32 <- (a: I32, b: I32) = ((i64::from(a) * i64::from(b)) >> 32) as i32;
    /// `D = S0[23:0] * S1[23:0]`, signed.
    V_MUL_I32_I24 "v_mul_i32_i24": I32 <- (a: I32, b: I32) =
        signed24(a).wrapping_mul(signed24(b)), clamp saturate_i32(mul24(a, b));
    /// High half of `S0[23:0] * S1[23:0]`, signed.
    V_MUL_HI_I32_I24 "v_mul_hi_i32_i24": I32 <- (a: I32, b: I32) = (mul24(a, b) >> 32) as i32;
    /// `D = S0[23:0] * S1[23:0]`, unsigned.
    V_MUL_U32_U24 "v_mul_u32_u24": U32 <- (a: U32, b: U32) =
        low24(a).wrapping_mul(low24(b)), clamp saturate_u32(umul24(a, b));
    /// High half of `S0[23:0] * S1[23:0]`, unsigned.
    V_MUL_HI_U32_U24 "v_mul_hi_u32_u24": U32 <- (a: U32, b: U32) = (umul24(a, b) >> 32) as u32;
    /// `D = S0[23:0] * S1[23:0] + S2`, signed.
    V_MAD_I32_I24 "v_mad_i32_i24": I32 <- (a: I32, b: I32, c: I32) =
        signed24(a).wrapping_mul(signed24(b)).wrapping_add(c), clamp saturate_i32(mul24(a, b) + i64::from(c));
    /// `D = S0[23:0] * S1[23:0] + S2`, unsigned.
    V_MAD_U32_U24 "v_mad_u32_u24": U32 <- (a: U32, b: U32, c: U32) =
        low24(a).wrapping_mul(low24(b)).wrapping_add(c), clamp saturate_u32(umul24(a, b) + u64::from(c));
    /// `D = S0[15:0] * S1[15:0] + S2`, unsigned.
    V_MAD_U32_U16 "v_mad_u32_u16": U32 <- (a: U16, b: U16, c: U32) =
        (u32::from(a) * u32::from(b)).wrapping_add(c), clamp (u32::from(a) * u32::from(b)).saturating_add(c);
    /// `D = S0[15:0] * S1[15:0] + S2`, signed.
    V_MAD_I32_I16 "v_mad_i32_i16": I32 <- (a: I16, b: I16, c: I32) =
        (i32::from(a) * i32::from(b)).wrapping_add(c), clamp (i32::from(a) * i32::from(b)).saturating_add(c);
    /// `D = (S0 ^ S1) + S2`.
    V_XAD_U32 "v_xad_u32": U32 <- (a: U32, b: U32, c: U32) = (a ^ b).wrapping_add(c);
    /// Sum of the absolute differences of four bytes, plus `S2`.
    V_SAD_U8 "v_sad_u8": U32 <- (a: U32, b: U32, c: U32) = sad8(a, b).wrapping_add(c), clamp sad8(a, b).saturating_add(c);
    /// As `v_sad_u8`, with the sum in the high half.
    V_SAD_HI_U8 "v_sad_hi_u8": U32 <- (a: U32, b: U32, c: U32) =
        (sad8(a, b) << 16).wrapping_add(c), clamp (sad8(a, b) << 16).saturating_add(c);
    /// Sum of the absolute differences of two halves, plus `S2`.
    V_SAD_U16 "v_sad_u16": U32 <- (a: U32, b: U32, c: U32) =
        sad16(a, b).wrapping_add(c), clamp sad16(a, b).saturating_add(c);
    /// Absolute difference, plus `S2`.
    V_SAD_U32 "v_sad_u32": U32 <- (a: U32, b: U32, c: U32) =
        a.abs_diff(b).wrapping_add(c), clamp a.abs_diff(b).saturating_add(c);
    /// As `v_sad_u8`, leaving out the bytes where `S1` is 0.
    V_MSAD_U8 "v_msad_u8": U32 <- (a: U32, b: U32, c: U32) =
        msad8(a, b).wrapping_add(c), clamp msad8(a, b).saturating_add(c);
}

#[inline(always)]
fn byte(x: u32, k: u32) -> u32 {
    x >> (8 * k) & 0xff
}

/// Sum of absolute differences of the four bytes.
#[inline(always)]
pub fn sad8(a: u32, b: u32) -> u32 {
    let d = |k| byte(a, k).abs_diff(byte(b, k));
    d(0) + d(1) + d(2) + d(3)
}

/// As [`sad8`], without the bytes where `b` is 0.
#[inline(always)]
pub fn msad8(a: u32, b: u32) -> u32 {
    let d = |k| if byte(b, k) == 0 { 0 } else { byte(a, k).abs_diff(byte(b, k)) };
    d(0) + d(1) + d(2) + d(3)
}

#[inline(always)]
fn sad16(a: u32, b: u32) -> u32 {
    (a & 0xffff).abs_diff(b & 0xffff) + (a >> 16).abs_diff(b >> 16)
}
