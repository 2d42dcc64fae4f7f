//! LDS operations of two places: `LDS[A] = op(LDS[A], LDS[B])`. Vega ISA, "DS instructions".
//!
//! `B` is four times a signed distance behind `A`: with bit 15 of the offset what bits 31:17 of the address say, otherwise
//! bits 14:0 of the offset.

use super::atomic::{self, Rmw, Word};
use super::lds::{load_word, store_word};
use super::{beyond_lds, memory_op, place_fault};
use crate::{Flow, Group, Inst, Moves, Wave};

/// Address of `B` for an address of `A`.
fn other(a: u32, offset: u32) -> u32 {
    let distance = if offset >> 15 != 0 { a as i32 >> 17 } else { (offset << 17) as i32 >> 17 };
    (a & 0xffff).wrapping_add_signed(4 * distance) & 0xffff
}

fn combine<R: Rmw>(w: &mut Wave, g: &mut Group<'_>, i: &Inst) -> Flow {
    let exec = w.exec();
    for l in (0..64).filter(|l| exec >> l & 1 != 0) {
        let address = w.v[i.mem.addr.row()].0[l];
        let (a, b) = (address & 0xffff, other(address, i.mem.offset as u32));
        let words = [a, b].map(|at| load_word::<R::T>(&g.lds, at as usize).ok_or(at));
        let (old, data) = match words {
            [Ok(old), Ok(data)] => (old, data),
            [Err(at), _] | [_, Err(at)] => {
                let kind = beyond_lds(g, u64::from(at));
                return place_fault(w, i, kind, l);
            }
        };
        store_word(&mut g.lds, a as usize, R::apply(old, data, data));
    }
    Flow::Next
}

/// So many words are read, and one written.
const fn moves(reads: usize, bytes: usize) -> Moves {
    Moves { reads: Moves::reads(reads * bytes).reads, ..Moves::writes(bytes) }
}

macro_rules! combining_ops {
    ($reads:literal; $($name:ident $text:literal $R:ident;)*) => {$(
        memory_op! {
            #[doc = concat!("[`atomic::", stringify!($R), "`] of two places.")]
            $name $text, None moves (moves($reads, 4 * <<atomic::$R as Rmw>::T as Word>::DWORDS)), combine::<atomic::$R>
        }
    )*};
}

combining_ops! { 2;
    DS_ADD_SRC2_U32 "ds_add_src2_u32" Add32;
    DS_SUB_SRC2_U32 "ds_sub_src2_u32" Sub32;
    DS_RSUB_SRC2_U32 "ds_rsub_src2_u32" Rsub32;
    DS_INC_SRC2_U32 "ds_inc_src2_u32" Inc32;
    DS_DEC_SRC2_U32 "ds_dec_src2_u32" Dec32;
    DS_MIN_SRC2_I32 "ds_min_src2_i32" Smin32;
    DS_MAX_SRC2_I32 "ds_max_src2_i32" Smax32;
    DS_MIN_SRC2_U32 "ds_min_src2_u32" Umin32;
    DS_MAX_SRC2_U32 "ds_max_src2_u32" Umax32;
    DS_AND_SRC2_B32 "ds_and_src2_b32" And32;
    DS_OR_SRC2_B32 "ds_or_src2_b32" Or32;
    DS_XOR_SRC2_B32 "ds_xor_src2_b32" Xor32;
    DS_MIN_SRC2_F32 "ds_min_src2_f32" MinF32;
    DS_MAX_SRC2_F32 "ds_max_src2_f32" MaxF32;
    DS_ADD_SRC2_F32 "ds_add_src2_f32" AddF32;
    DS_ADD_SRC2_U64 "ds_add_src2_u64" Add64;
    DS_SUB_SRC2_U64 "ds_sub_src2_u64" Sub64;
    DS_RSUB_SRC2_U64 "ds_rsub_src2_u64" Rsub64;
    DS_INC_SRC2_U64 "ds_inc_src2_u64" Inc64;
    DS_DEC_SRC2_U64 "ds_dec_src2_u64" Dec64;
    DS_MIN_SRC2_I64 "ds_min_src2_i64" Smin64;
    DS_MAX_SRC2_I64 "ds_max_src2_i64" Smax64;
    DS_MIN_SRC2_U64 "ds_min_src2_u64" Umin64;
    DS_MAX_SRC2_U64 "ds_max_src2_u64" Umax64;
    DS_AND_SRC2_B64 "ds_and_src2_b64" And64;
    DS_OR_SRC2_B64 "ds_or_src2_b64" Or64;
    DS_XOR_SRC2_B64 "ds_xor_src2_b64" Xor64;
    DS_MIN_SRC2_F64 "ds_min_src2_f64" MinF64;
    DS_MAX_SRC2_F64 "ds_max_src2_f64" MaxF64;
}

combining_ops! { 1;
    DS_WRITE_SRC2_B32 "ds_write_src2_b32" Swap32;
    DS_WRITE_SRC2_B64 "ds_write_src2_b64" Swap64;
}
