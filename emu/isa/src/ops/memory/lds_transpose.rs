//! Reads of matrices from LDS that turn rows into columns. CDNA4 ISA, "LDS instructions".
//!
//! The lanes of a row of 16 read together: from their addresses rows of 16 elements come, as many elements a register
//! group holds. Afterwards each lane has one column.

use super::lds::{DS_READ_B64, DS_READ_B96};
use crate::{Exec, Flow, Group, Inst, Row, Trap, TrapKind, Wave};

macro_rules! transposes {
    ($($name:ident $text:literal $doc:literal $D:ident $bits:literal $read:ident;)*) => {$(
        super::memory_op! {
            #[doc = $doc]
            $name $text, $D moves ($read.traits.moves), |w, g, i| transpose(w, g, i, $bits, $read.general)
        }
    )*};
}

transposes! {
    DS_READ_B64_TR_B4 "ds_read_b64_tr_b4" "Reads a matrix of 4-bit elements, transposed." B64 4 DS_READ_B64;
    DS_READ_B96_TR_B6 "ds_read_b96_tr_b6" "Reads a matrix of 6-bit elements, transposed." B96 6 DS_READ_B96;
    DS_READ_B64_TR_B8 "ds_read_b64_tr_b8" "Reads a matrix of 8-bit elements, transposed." B64 8 DS_READ_B64;
    DS_READ_B64_TR_B16 "ds_read_b64_tr_b16" "Reads a matrix of 16-bit elements, transposed." B64 16 DS_READ_B64;
}

fn transpose(w: &mut Wave, g: &mut Group<'_>, i: &Inst, bits: usize, read: Exec) -> Flow {
    if w.exec() != !0 {
        let mnemonic = format!("{} with lanes switched off", i.op.name);
        let pc = i.pc(w);
        return w.stop(Trap { kind: TrapKind::NotImplemented { mnemonic, words: i.words }, pc, lane: None });
    }
    let flow = read(w, g, i);
    if flow != Flow::Next {
        return flow;
    }
    let dwords = i.op.dst.dwords();
    let raw: Vec<Row> = (0..dwords).map(|r| w.v[i.dst.plus(r as u16).row()].clone()).collect();
    let all: [u128; 64] =
        core::array::from_fn(|l| raw.iter().rev().fold(0, |x, row| x << 32 | u128::from(row.0[l])));
    let count = 32 * dwords / bits;
    // Lanes that hold one row of 16 elements.
    let across = 16 / count;
    for l in 0..64 {
        let (first, column) = (l / 16 * 16, l % 16);
        let element = |k: usize| all[first + k * across + column / count] >> (bits * (column % count));
        let mask = (1u128 << bits) - 1;
        let out = (0..count).fold(0u128, |out, k| out | (element(k) & mask) << (bits * k));
        for r in 0..dwords {
            w.v[i.dst.plus(r as u16).row()].0[l] = (out >> (32 * r)) as u32;
        }
    }
    Flow::Next
}
