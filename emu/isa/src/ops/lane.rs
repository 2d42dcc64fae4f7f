//! Values between lanes and scalars: readlane, writelane, lane counts. Vega ISA, "VOP1", "VOP3A".

use crate::lanes::{U32, wave_store};
use crate::{Flow, Inst, Lanes, Operand, Row, Wave, wave_ops, wave_source};

wave_ops! {
    /// `D` = `S0` of the first active lane, of lane 0 without one.
    V_READFIRSTLANE_B32 "v_readfirstlane_b32" [SCALAR_DST_SHORT_ONLY]: B32 <- (B32) = |w, i| {
        let exec = w.exec();
        let lane = if exec == 0 { 0 } else { exec.trailing_zeros() };
        let x = lane_of(w, i, lane);
        w.set_scalar(i.dst, x);
        Flow::Next
    };
    /// `D` = `S0` of lane `S1`.
    V_READLANE_B32 "v_readlane_b32" [SCALAR_DST]: B32 <- (B32, U32) = |w, i| {
        let x = lane_of(w, i, scalar_of(w, i, 1));
        w.set_scalar(i.dst, x);
        Flow::Next
    };
    /// Lane `S1` of `D` = the scalar `S0`, whether the lane is active or not.
    V_WRITELANE_B32 "v_writelane_b32": B32 <- (B32, U32) = |w, i| {
        let (x, lane) = (scalar_of(w, i, 0), scalar_of(w, i, 1));
        w.v[i.dst.row()].0[lane as usize & 63] = x;
        Flow::Next
    };
    /// `D` = ones of `S0` below this lane, among lanes 0–31, plus `S1`.
    V_MBCNT_LO_U32_B32 "v_mbcnt_lo_u32_b32": U32 <- (U32, U32) = |w, i| mbcnt::<FAST>(w, i, &BELOW_LO);
    /// `D` = ones of `S0` below this lane, among lanes 32–63, plus `S1`.
    V_MBCNT_HI_U32_B32 "v_mbcnt_hi_u32_b32": U32 <- (U32, U32) = |w, i| mbcnt::<FAST>(w, i, &BELOW_HI);
}

/// A scalar operand; a vector register where the encoding wants a scalar reads as its lane 0.
#[inline(always)]
fn scalar_of(w: &Wave, i: &Inst, k: usize) -> u32 {
    let o: Operand = i.src[k];
    if o.is_vector() { w.v[o.row()].0[0] } else { w.scalar32(o, i.literal) }
}

#[inline(always)]
fn lane_of(w: &Wave, i: &Inst, lane: u32) -> u32 {
    let o = i.src[0];
    if o.is_vector() { w.v[o.row()].0[lane as usize & 63] } else { w.scalar32(o, i.literal) }
}

/// In lane `l` the bits of lanes 0–31 that lie below it.
static BELOW_LO: Lanes = below(0);
/// In lane `l` the bits of lanes 32–63 that lie below it.
static BELOW_HI: Lanes = below(32);

const fn below(first: usize) -> Lanes {
    let mut out = [0; 64];
    let mut l = 0;
    while l < 64 {
        let mask = (1u64 << l) - 1;
        out[l] = (mask >> first) as u32;
        l += 1;
    }
    out
}

#[inline(always)]
fn mbcnt<const FAST: bool>(w: &mut Wave, i: &Inst, below: &Lanes) -> Flow {
    let mut out = Row([0; 64]);
    {
        let w = &*w;
        wave_source!(FAST, U32, w, i, 0, a, _a);
        wave_source!(FAST, U32, w, i, 1, b, _b);
        for l in 0..64 {
            out.0[l] = (a[l] & below[l]).count_ones().wrapping_add(b[l]);
        }
    }
    wave_store::<U32, FAST>(w, i, out, Row([0; 64]));
    Flow::Next
}

wave_ops! {
    /// Exchanges odd rows of 16 lanes of `D` with even rows of `S0`.
    V_PERMLANE16_SWAP_B32 "v_permlane16_swap_b32" [LANE_BOUNDS]: B32 <- (B32) = |w, i| swap(w, i, 16);
    /// Exchanges the high 32 lanes of `D` with the low 32 of `S0`.
    V_PERMLANE32_SWAP_B32 "v_permlane32_swap_b32" [LANE_BOUNDS]: B32 <- (B32) = |w, i| swap(w, i, 32);
}

/// Lane `l + width` of `D` and lane `l` of `S0` change places, for each `l` in an even row of `width` lanes. A lane
/// that is switched off keeps its value; what another lane would get of it is, by `op_sel`, its value (bit 0), or zero
/// (bit 1), or that lane keeps its own.
fn swap(w: &mut Wave, i: &Inst, width: usize) -> Flow {
    let exec = w.exec();
    let (d, s) = (i.dst.row(), i.src[0].row());
    let (reads_all, zero) = (i.mods.op_sel & 1 != 0, i.mods.op_sel & 2 != 0);
    let (old_d, old_s) = (w.v[d].0, w.v[s].0);
    let got = |from: usize, x: u32, own: u32| match exec >> from & 1 != 0 || reads_all {
        true => x,
        false if zero => 0,
        false => own,
    };
    for l in (0..64).filter(|l| l & width == 0) {
        let high = l + width;
        if exec >> l & 1 != 0 {
            w.v[s].0[l] = got(high, old_d[high], old_s[l]);
        }
        if exec >> high & 1 != 0 {
            w.v[d].0[high] = got(l, old_s[l], old_d[high]);
        }
    }
    Flow::Next
}
