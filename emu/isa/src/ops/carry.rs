//! Additions and subtractions that make or take a carry: one bit a lane. Vega ISA, "VOP2", "VOP3B".
//!
//! `clamp` saturates to the unsigned range.

use crate::lanes::{U32, mask_lanes, put_carry, wave_store};
use crate::{Flow, Inst, Lanes, Row, Ty, Wave, wave_ops, wave_source};

wave_ops! {
    /// `D = S0 + S1`, with carry out.
    V_ADD_CO_U32 "v_add_co_u32" [CARRY_OUT]: U32 <- (U32, U32) =
        |w, i| carrying::<false, true, FAST>(w, i, |x| sign_bits(x), add);
    /// `D = S0 - S1`, with borrow out.
    V_SUB_CO_U32 "v_sub_co_u32" [CARRY_OUT]: U32 <- (U32, U32) =
        |w, i| carrying::<false, false, FAST>(w, i, |x| sign_bits(x), subtract);
    /// `D = S1 - S0`, with borrow out.
    V_SUBREV_CO_U32 "v_subrev_co_u32" [CARRY_OUT]: U32 <- (U32, U32) =
        |w, i| carrying::<false, false, FAST>(w, i, |x| sign_bits(x), |a, b, c| subtract(b, a, c));
    /// `D = S0 + S1 + carry`, with carry out.
    V_ADDC_CO_U32 "v_addc_co_u32" [CARRY_OUT]: U32 <- (U32, U32, Mask) =
        |w, i| carrying::<true, true, FAST>(w, i, |x| sign_bits(x), add);
    /// `D = S0 - S1 - borrow`, with borrow out.
    V_SUBB_CO_U32 "v_subb_co_u32" [CARRY_OUT]: U32 <- (U32, U32, Mask) =
        |w, i| carrying::<true, false, FAST>(w, i, |x| sign_bits(x), subtract);
    /// `D = S1 - S0 - borrow`, with borrow out.
    V_SUBBREV_CO_U32 "v_subbrev_co_u32" [CARRY_OUT]: U32 <- (U32, U32, Mask) =
        |w, i| carrying::<true, false, FAST>(w, i, |x| sign_bits(x), |a, b, c| subtract(b, a, c));
}

/// A sum, and in its sign bit the carry: out of two ones, or out of one that met a carry from below.
#[inline(always)]
fn add(a: u32, b: u32, c: u32) -> (u32, u32) {
    let sum = a.wrapping_add(b).wrapping_add(c);
    (sum, a & b | (a | b) & !sum)
}

/// A difference, and in its sign bit the borrow.
#[inline(always)]
fn subtract(a: u32, b: u32, c: u32) -> (u32, u32) {
    let difference = a.wrapping_sub(b).wrapping_sub(c);
    (difference, !a & b | (!a | b) & difference)
}

/// The shape of all of them. `IN`: the third source is a carry; `UP`: what a clamped overflow becomes is all ones.
#[inline(always)]
fn carrying<const IN: bool, const UP: bool, const FAST: bool>(
    w: &mut Wave,
    i: &Inst,
    sign_bits: impl Fn(&Lanes) -> u64,
    f: impl Fn(u32, u32, u32) -> (u32, u32),
) -> Flow {
    let (mut out, carry) = {
        let w = &*w;
        let carry_in = if IN { mask_lanes(w.scalar64(i.src[2], Ty::B64, i.literal)) } else { [0; 64] };
        wave_source!(FAST, U32, w, i, 0, a, _a);
        wave_source!(FAST, U32, w, i, 1, b, _b);
        let lane = |l: usize| f(a[l], b[l], if IN { carry_in[l] } else { 0 });
        (Row(core::array::from_fn(|l| lane(l).0)), Row(core::array::from_fn(|l| lane(l).1)))
    };
    if i.mods.clamp {
        for (x, over) in out.0.iter_mut().zip(&carry.0) {
            let over = (*over as i32 >> 31) as u32;
            *x = if UP { *x | over } else { *x & !over };
        }
    }
    let mask = sign_bits(&carry.0);
    wave_store::<U32, FAST>(w, i, out, Row([0; 64]));
    put_carry(w, i, mask)
}
