//! Moves and choices between two values. Vega ISA, "VOP1", "VOP2".

use crate::lanes::{B32, F32, element, mask_lanes, wave_store, write_row};
use crate::{Flow, Inst, Row, Ty, Wave, lane_ops, wave_ops, wave_source};

wave_ops! {
    /// `D = S0`.
    V_MOV_B32 "v_mov_b32": B32 <- (B32) = |w, i| mov::<FAST>(w, i);
    /// `D = condition ? S1 : S0`. Negation and absolute value apply as to 32-bit floats.
    V_CNDMASK_B32 "v_cndmask_b32": B32 <- (B32, B32, Mask) = |w, i| cndmask::<FAST>(w, i);
    /// Exchanges two registers, in the active lanes.
    V_SWAP_B32 "v_swap_b32" [SHORT_ONLY]: B32 <- (B32) = |w, i| swap(w, i);
    /// Nothing.
    V_NOP "v_nop": None <- () = |_w, _i| Flow::Next;
    /// Clears exceptions, of which there are none.
    V_CLREXCP "v_clrexcp": None <- () = |_w, _i| Flow::Next;
}

lane_ops! {
    /// `D = S0`, 64 bits.
    V_MOV_B64 "v_mov_b64": B64 <- (a: B64) = a;
}

#[inline(always)]
fn mov<const FAST: bool>(w: &mut Wave, i: &Inst) -> Flow {
    let o = i.src[0];
    if !FAST {
        let (lo, hi) = crate::lanes::source_rows(w, i, 0, Ty::B32);
        crate::lanes::put_rows(w, i, lo, hi, Ty::B32);
        return Flow::Next;
    }
    let exec = w.exec();
    let row = if o.is_vector() { w.v[o.row()].0 } else { [w.scalar32(o, i.literal); 64] };
    write_row(&mut w.v[i.dst.row()].0, &row, exec);
    Flow::Next
}

#[inline(always)]
fn cndmask<const FAST: bool>(w: &mut Wave, i: &Inst) -> Flow {
    let out = {
        let w = &*w;
        let condition = mask_lanes(w.scalar64(i.src[2], Ty::B64, i.literal));
        wave_source!(FAST, B32, w, i, 0, a, _a);
        wave_source!(FAST, B32, w, i, 1, b, _b);
        Row(core::array::from_fn(|l| {
            let (x, y) = (element::<F32>(i, 0, a[l], 0), element::<F32>(i, 1, b[l], 0));
            let pick = 0u32.wrapping_sub(condition[l]);
            (y.to_bits() & pick) | (x.to_bits() & !pick)
        }))
    };
    wave_store::<B32, FAST>(w, i, out, Row([0; 64]));
    Flow::Next
}

fn swap(w: &mut Wave, i: &Inst) -> Flow {
    let (d, s, exec) = (i.dst.row(), i.src[0].row(), w.exec());
    let (old_d, old_s) = (w.v[d].0, w.v[s].0);
    write_row(&mut w.v[d].0, &old_s, exec);
    write_row(&mut w.v[s].0, &old_d, exec);
    Flow::Next
}
