//! Shifts, and shifts joined with another step. Only the low bits of an amount count. Vega ISA, "VOP2", "VOP3A".

use crate::lane_ops;

lane_ops! {
    /// `D = S1 << S0[4:0]`.
    V_LSHLREV_B32 "v_lshlrev_b32": U32 <- (n: U32, x: U32) = x << (n & 31);
    /// `D = S1 >> S0[4:0]`, unsigned.
    V_LSHRREV_B32 "v_lshrrev_b32": U32 <- (n: U32, x: U32) = x >> (n & 31);
    /// `D = S1 >> S0[4:0]`, signed.
    V_ASHRREV_I32 "v_ashrrev_i32": I32 <- (n: U32, x: I32) = x >> (n & 31);
    /// `D = S1 << S0[5:0]`.
    V_LSHLREV_B64 "v_lshlrev_b64": U64 <- (n: U32, x: U64) = x << (n & 63);
    /// `D = S1 >> S0[5:0]`, unsigned.
    V_LSHRREV_B64 "v_lshrrev_b64": U64 <- (n: U32, x: U64) = x >> (n & 63);
    /// `D = S1 >> S0[5:0]`, signed.
    V_ASHRREV_I64 "v_ashrrev_i64": I64 <- (n: U32, x: I64) = x >> (n & 63);
    /// `D = S1 << S0[3:0]`.
    V_LSHLREV_B16 "v_lshlrev_b16": U16 <- (n: U16, x: U16) = x << (n & 15);
    /// `D = S1 >> S0[3:0]`, unsigned.
    V_LSHRREV_B16 "v_lshrrev_b16": U16 <- (n: U16, x: U16) = x >> (n & 15);
    /// `D = S1 >> S0[3:0]`, signed.
    V_ASHRREV_I16 "v_ashrrev_i16": I16 <- (n: U16, x: I16) = x >> (n & 15);
    /// `D = (S0 << S1[4:0]) + S2`.
    V_LSHL_ADD_U32 "v_lshl_add_u32": U32 <- (x: U32, n: U32, c: U32) = (x << (n & 31)).wrapping_add(c);
    /// `D = (S0 + S1) << S2[4:0]`.
    V_ADD_LSHL_U32 "v_add_lshl_u32": U32 <- (a: U32, b: U32, n: U32) = a.wrapping_add(b) << (n & 31);
    /// `D = (S0 << S1[4:0]) | S2`.
    V_LSHL_OR_B32 "v_lshl_or_b32": U32 <- (x: U32, n: U32, c: U32) = x << (n & 31) | c;
    /// `D = (S0 << S1[2:0]) + S2`.
    V_LSHL_ADD_U64 "v_lshl_add_u64": U64 <- (x: U64, n: U32, c: U64) = (x << (n & 7)).wrapping_add(c);
    /// Low dword of the pair `S0 S1` shifted right by `S2[4:0]` bits.
    V_ALIGNBIT_B32 "v_alignbit_b32": U32 <- (hi: U32, lo: U32, n: U32) = align(hi, lo, n & 31);
    /// Low dword of the pair `S0 S1` shifted right by `S2[1:0]` bytes.
    V_ALIGNBYTE_B32 "v_alignbyte_b32": U32 <- (hi: U32, lo: U32, n: U32) = align(hi, lo, 8 * (n & 3));
}

/// Low dword of `hi lo >> n`, for `n` below 32.
#[inline(always)]
fn align(hi: u32, lo: u32, n: u32) -> u32 {
    // Two steps, so that n = 0 shifts `hi` out.
    lo >> n | hi << 1 << (31 - n)
}
lane_ops! {
    /// `S0` and `S1` shifted right by `S2[4:0]`, saturated to signed bytes, side by side.
    V_ASHR_PK_I8_I32 "v_ashr_pk_i8_i32": U16 <- (a: I32, b: I32, n: U32) = {
        let byte = |x: i32| (x >> (n & 31)).clamp(-128, 127) as u8;
        u16::from(byte(a)) | u16::from(byte(b)) << 8
    };
    /// As `v_ashr_pk_i8_i32`, saturated to unsigned bytes.
    V_ASHR_PK_U8_I32 "v_ashr_pk_u8_i32": U16 <- (a: I32, b: I32, n: U32) = {
        let byte = |x: i32| (x >> (n & 31)).clamp(0, 255) as u8;
        u16::from(byte(a)) | u16::from(byte(b)) << 8
    };
}
