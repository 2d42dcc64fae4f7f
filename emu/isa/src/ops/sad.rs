//! Sums of absolute differences of four bytes, at four places of a longer row of bytes at once. Vega ISA, "VOP3A".

use super::int32::{msad8, sad8};
use crate::lanes::{scalar_bits, write_row};
use crate::{Flow, Group, Inst, Op, Row, Traits, Ty, Wave};

/// `QSAD`: 16-bit sums, saturated with `clamp`.
pub static V_QSAD_PK_U16_U8: Op = op("v_qsad_pk_u16_u8", &[Ty::B64, Ty::B32, Ty::B64], Ty::B64, qsad_u16);
/// As `v_qsad_pk_u16_u8`; zero bytes of `S1` do not count.
pub static V_MQSAD_PK_U16_U8: Op = op("v_mqsad_pk_u16_u8", &[Ty::B64, Ty::B32, Ty::B64], Ty::B64, mqsad_u16);
/// As `v_mqsad_pk_u16_u8`, with 32-bit sums.
pub static V_MQSAD_U32_U8: Op = op("v_mqsad_u32_u8", &[Ty::B64, Ty::B32, Ty::B128], Ty::B128, mqsad_u32);

const fn op(name: &'static str, src: &'static [Ty], dst: Ty, general: crate::Exec) -> Op {
    Op { name, dst, src, traits: Traits::NONE, general, fast: None, fast_modified: None }
}

fn qsad_u16(w: &mut Wave, _: &mut Group<'_>, i: &Inst) -> Flow {
    packed(w, i, sad8)
}

fn mqsad_u16(w: &mut Wave, _: &mut Group<'_>, i: &Inst) -> Flow {
    packed(w, i, msad8)
}

fn mqsad_u32(w: &mut Wave, _: &mut Group<'_>, i: &Inst) -> Flow {
    let (rows, sums) = (bytes(w, i), 4);
    let reference = dword(w, i, 1, 0);
    let exec = w.exec();
    let old: [Row; 4] = core::array::from_fn(|k| dword(w, i, 2, k));
    for (k, old) in old.iter().enumerate().take(sums) {
        let row = core::array::from_fn(|l| {
            let sum = msad8((rows[l] >> (8 * k)) as u32, reference.0[l]);
            if i.mods.clamp { old.0[l].saturating_add(sum) } else { old.0[l].wrapping_add(sum) }
        });
        write_row(&mut w.v[i.dst.plus(k as u16).row()].0, &row, exec);
    }
    Flow::Next
}

fn packed(w: &mut Wave, i: &Inst, difference: fn(u32, u32) -> u32) -> Flow {
    let rows = bytes(w, i);
    let reference = dword(w, i, 1, 0);
    let exec = w.exec();
    let old = [dword(w, i, 2, 0), dword(w, i, 2, 1)];
    for (half, old) in old.iter().enumerate() {
        let row = core::array::from_fn(|l| {
            let sum = |k: usize| {
                let sum = difference((rows[l] >> (8 * (2 * half + k))) as u32, reference.0[l]);
                let sum = sum + (old.0[l] >> (16 * k) & 0xffff);
                if i.mods.clamp { sum.min(0xffff) } else { sum & 0xffff }
            };
            sum(0) | sum(1) << 16
        });
        write_row(&mut w.v[i.dst.plus(half as u16).row()].0, &row, exec);
    }
    Flow::Next
}

/// The eight bytes of the first source.
fn bytes(w: &Wave, i: &Inst) -> [u64; 64] {
    let (lo, hi) = (dword(w, i, 0, 0), dword(w, i, 0, 1));
    core::array::from_fn(|l| u64::from(lo.0[l]) | u64::from(hi.0[l]) << 32)
}

/// Dword `n` of source `k`.
fn dword(w: &Wave, i: &Inst, k: usize, n: usize) -> Row {
    let o = i.src[k];
    if o.is_vector() {
        return w.v[o.plus(n as u16).row()].clone();
    }
    let x = if i.op.src[k].dwords() == 1 {
        w.scalar32(o, i.literal)
    } else {
        let (lo, hi) = scalar_bits(w, o, Ty::B64, i.literal);
        [lo, hi, 0, 0][n]
    };
    Row([x; 64])
}
