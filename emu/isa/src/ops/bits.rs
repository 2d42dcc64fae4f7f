//! Bitwise operations and bit searches. Vega ISA, "VOP1", "VOP2", "VOP3A".

use super::convert_small::next_random;
use crate::lanes::{B32, Lane, U16, wave_store};
use crate::{Flow, Inst, Row, Wave, lane_ops, wave_ops, wave_source};

lane_ops! {
    /// `D = S0 & S1`.
    V_AND_B32 "v_and_b32": U32 <- (a: U32, b: U32) = a & b;
    /// `D = S0 | S1`.
    V_OR_B32 "v_or_b32": U32 <- (a: U32, b: U32) = a | b;
    /// `D = S0 ^ S1`.
    V_XOR_B32 "v_xor_b32": U32 <- (a: U32, b: U32) = a ^ b;
    /// `D = !(S0 ^ S1)`.
    V_XNOR_B32 "v_xnor_b32": U32 <- (a: U32, b: U32) = !(a ^ b);
    /// `D = !S0`.
    V_NOT_B32 "v_not_b32": U32 <- (a: U32) = !a;
    /// `D = S0 & S1 | S2`.
    V_AND_OR_B32 "v_and_or_b32": U32 <- (a: U32, b: U32, c: U32) = a & b | c;
    /// `D = S0 | S1 | S2`.
    V_OR3_B32 "v_or3_b32": U32 <- (a: U32, b: U32, c: U32) = a | b | c;
    /// Bits of `S1` where `S0` is set, of `S2` elsewhere.
    V_BFI_B32 "v_bfi_b32": U32 <- (m: U32, a: U32, b: U32) = m & a | !m & b;
    /// `S2[4:0]` bits of `S0` from bit `S1[4:0]`.
    V_BFE_U32 "v_bfe_u32": U32 <- (x: U32, at: U32, n: U32) = x >> (at & 31) & ((1u32 << (n & 31)) - 1);
    /// As `v_bfe_u32`, sign-extended.
    V_BFE_I32 "v_bfe_i32": I32 <- (x: I32, at: U32, n: U32) = extract_signed(x, at & 31, n & 31);
    /// `S0[4:0]` ones from bit `S1[4:0]`.
    V_BFM_B32 "v_bfm_b32": U32 <- (n: U32, at: U32) = ((1u32 << (n & 31)) - 1) << (at & 31);
    /// Bits in reverse order.
    V_BFREV_B32 "v_bfrev_b32": U32 <- (a: U32) = a.reverse_bits();
    /// Zeros above the highest one; -1 if there is none.
    V_FFBH_U32 "v_ffbh_u32": U32 <- (a: U32) = if a == 0 { !0 } else { a.leading_zeros() };
    /// Zeros below the lowest one; -1 if there is none.
    V_FFBL_B32 "v_ffbl_b32": U32 <- (a: U32) = if a == 0 { !0 } else { a.trailing_zeros() };
    /// Copies of the sign at the top; -1 if all bits are the same.
    V_FFBH_I32 "v_ffbh_i32": U32 <- (a: U32) = {
        let x = a ^ 0u32.wrapping_sub(a >> 31);
        if x == 0 { !0 } else { x.leading_zeros() }
    };
    /// Ones in `S0`, plus `S1`.
    V_BCNT_U32_B32 "v_bcnt_u32_b32": U32 <- (a: U32, b: U32) = a.count_ones().wrapping_add(b);
    /// Each byte picked by a byte of `S2` from the eight of `S1` (0–3) and `S0` (4–7); 8–11 spread a sign bit, 12 is
    /// zero, more is 0xff.
    V_PERM_B32 "v_perm_b32": U32 <- (a: U32, b: U32, sel: U32) =
        pick(a, b, sel) | pick(a, b, sel >> 8) << 8 | pick(a, b, sel >> 16) << 16 | pick(a, b, sel >> 24) << 24;
    /// Byte by byte the mean of `S0` and `S1`; the low bits of the bytes of `S2` say whether to round up.
    V_LERP_U8 "v_lerp_u8": U32 <- (a: U32, b: U32, c: U32) = {
        let mean = |k: u32| ((a >> k & 0xff) + (b >> k & 0xff) + (c >> k & 1)) >> 1 << k;
        mean(0) | mean(8) | mean(16) | mean(24)
    };
}

#[inline(always)]
fn extract_signed(x: i32, at: u32, n: u32) -> i32 {
    // A field that reaches over the top is as wide as what is left: the arithmetic shift has filled it.
    let y = x >> at;
    if n == 0 { 0 } else { y << (32 - n) >> (32 - n) }
}

#[inline(always)]
fn pick(a: u32, b: u32, sel: u32) -> u32 {
    let sel = sel & 0xff;
    let word = if sel & 4 == 0 { b } else { a };
    let plain = word >> (8 * (sel & 3)) & 0xff;
    let sign_of = if sel & 2 == 0 { b } else { a };
    let sign = 0u32.wrapping_sub(sign_of >> if sel & 1 == 0 { 15 } else { 31 } & 1) & 0xff;
    match sel {
        0..=7 => plain,
        8..=11 => sign,
        12 => 0,
        _ => 0xff,
    }
}

lane_ops! {
    /// The next value of a pseudo-random sequence, from the one before.
    V_PRNG_B32 "v_prng_b32": B32 <- (a: B32) = next_random(a);
}

wave_ops! {
    /// Any function of three bits, on each bit: bit `4 * S0 + 2 * S1 + S2` of the table that stands in the fields of
    /// the modifiers.
    V_BITOP3_B32 "v_bitop3_b32" [TRUTH_TABLE]: B32 <- (B32, B32, B32) = |w, i| bitop3::<B32, FAST>(w, i, |x| x);
    /// As `v_bitop3_b32`, 16 bits.
    V_BITOP3_B16 "v_bitop3_b16" [TRUTH_TABLE]: U16 <- (U16, U16, U16) = |w, i| bitop3::<U16, FAST>(w, i, |x| x as u16);
}

#[inline(always)]
fn bitop3<T: Lane, const FAST: bool>(w: &mut Wave, i: &Inst, narrow: impl Fn(u32) -> T::Rep) -> Flow {
    let mut out = Row([0; 64]);
    {
        let w = &*w;
        wave_source!(FAST, T, w, i, 0, a, _a);
        wave_source!(FAST, T, w, i, 1, b, _b);
        wave_source!(FAST, T, w, i, 2, c, _c);
        let table = i.mods.omod << 6 | (i.mods.abs & 7) << 3 | i.mods.neg & 7;
        for term in (0..8).filter(|term| table >> term & 1 != 0) {
            let flip = |bit: u32| if term >> bit & 1 != 0 { 0 } else { !0 };
            for l in 0..64 {
                out.0[l] |= (a[l] ^ flip(2)) & (b[l] ^ flip(1)) & (c[l] ^ flip(0));
            }
        }
    }
    for x in &mut out.0 {
        *x = T::to_bits(narrow(*x)).0;
    }
    wave_store::<T, FAST>(w, i, out, Row([0; 64]));
    Flow::Next
}

crate::refused_ops! { Graphics;
    /// Which of four shader engines a screen partition belongs to.
    V_SCREEN_PARTITION_4SE_B32 "v_screen_partition_4se_b32": B32 <- (B32);
}
