//! Moves between vector and accumulation registers. MI200 ISA, "VOP3P-MAI"; `v_accvgpr_mov_b32` is a VOP1.

use crate::lanes::write_row;
use crate::{Flow, Inst, Wave, wave_ops};

wave_ops! {
    /// `D` = the accumulation register `S0`.
    V_ACCVGPR_READ_B32 "v_accvgpr_read_b32" [ACC_READ]: B32 <- (B32) = |w, i| copy(w, i);
    /// The accumulation register `D` = `S0`.
    V_ACCVGPR_WRITE_B32 "v_accvgpr_write_b32" [ACC_WRITE]: B32 <- (B32) = |w, i| copy(w, i);
    /// The accumulation register `D` = the accumulation register `S0`.
    V_ACCVGPR_MOV_B32 "v_accvgpr_mov_b32" [ACC_MOV]: B32 <- (B32) = |w, i| copy(w, i);
}

#[inline(always)]
fn copy(w: &mut Wave, i: &Inst) -> Flow {
    let (o, exec) = (i.src[0], w.exec());
    let row = if o.is_vector() { w.v[o.row()].0 } else { [w.scalar32(o, i.literal); 64] };
    write_row(&mut w.v[i.dst.row()].0, &row, exec);
    Flow::Next
}
