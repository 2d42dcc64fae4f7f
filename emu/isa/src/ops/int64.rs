//! 64-bit integer arithmetic on register pairs. Vega ISA, "VOP3B".

use crate::lanes::{B32, I32, Lane, U32, U64, put_carry, wave_store};
use crate::{Flow, Inst, Lanes, Row, Wave, wave_ops, wave_source};

wave_ops! {
    /// `D = S0 * S1 + S2` with a 64-bit product, unsigned; the mask holds the carries out of bit 63.
    V_MAD_U64_U32 "v_mad_u64_u32" [CARRY_OUT]: U64 <- (U32, U32, U64) =
        |w, i| multiply_add::<U32, FAST>(w, i, |x| sign_bits(x), |a, b, c| {
            let (sum, carry) = (u64::from(a) * u64::from(b)).overflowing_add(c);
            (sum, carry)
        });
    /// `D = S0 * S1 + S2` with a 64-bit product, signed; the mask holds the overflows.
    V_MAD_I64_I32 "v_mad_i64_i32" [CARRY_OUT]: I64 <- (I32, I32, I64) =
        |w, i| multiply_add::<I32, FAST>(w, i, |x| sign_bits(x), |a, b, c| {
            let (sum, overflow) = (i64::from(a) * i64::from(b)).overflowing_add(c as i64);
            (sum as u64, overflow)
        });
}

#[inline(always)]
fn multiply_add<T: Lane, const FAST: bool>(
    w: &mut Wave,
    i: &Inst,
    sign_bits: impl Fn(&Lanes) -> u64,
    f: impl Fn(T::Rep, T::Rep, u64) -> (u64, bool),
) -> Flow {
    let (mut lo, mut hi, mut carry) = (Row([0; 64]), Row([0; 64]), Row([0; 64]));
    {
        let w = &*w;
        wave_source!(FAST, B32, w, i, 0, a, _a);
        wave_source!(FAST, B32, w, i, 1, b, _b);
        wave_source!(FAST, U64, w, i, 2, c_lo, c_hi);
        for l in 0..64 {
            let c = U64::from_bits(c_lo[l], c_hi[l]);
            let (x, over) = f(T::from_bits(a[l], 0), T::from_bits(b[l], 0), c);
            (lo.0[l], hi.0[l]) = U64::to_bits(x);
            carry.0[l] = 0u32.wrapping_sub(u32::from(over));
        }
    }
    let mask = sign_bits(&carry.0);
    wave_store::<U64, FAST>(w, i, lo, hi);
    put_carry(w, i, mask)
}
