//! Data-parallel primitives: a source from another lane. Vega ISA, "DPP"; controls as in LLVM's `DppCtrl`.

use crate::Row;

/// Means that there is no source lane.
const OUTSIDE: u8 = 0xff;

/// The lane that lane `l` reads under control `ctrl`, or [`OUTSIDE`].
const fn source_lane(ctrl: u16, l: u8) -> u8 {
    let (row, pos, by) = (l & !15, l & 15, ctrl as u8 & 15);
    let (lane, inside) = match ctrl {
        // quad_perm: two bits a lane of each quad.
        0x000..=0x0ff => (l & !3 | (ctrl >> (2 * (l & 3))) as u8 & 3, true),
        // row_shl, row_shr, row_ror: by 1 to 15 inside rows of 16.
        0x101..=0x10f => (l.wrapping_add(by), pos + by < 16),
        0x111..=0x11f => (l.wrapping_sub(by), pos >= by),
        0x121..=0x12f => (row | (pos + 16 - by) & 15, true),
        // wave_shl:1, wave_rol:1, wave_shr:1, wave_ror:1.
        0x130 => (l + 1, l < 63),
        0x134 => ((l + 1) & 63, true),
        0x138 => (l.wrapping_sub(1), l > 0),
        0x13c => ((l + 63) & 63, true),
        // row_mirror, row_half_mirror.
        0x140 => (row | (15 - pos), true),
        0x141 => (l & !7 | (7 - (l & 7)), true),
        // row_bcast:15 and row_bcast:31: the last lane of the row, or half, before.
        0x142 => (row.wrapping_sub(1), l >= 16),
        0x143 => (31, l >= 32),
        // row_newbcast (gfx90a): lane n of each row to the whole row.
        0x150..=0x15f => (row | by, true),
        _ => (0, false),
    };
    if inside { lane } else { OUTSIDE }
}

/// The source lanes of each control.
static SOURCES: [[u8; 64]; 512] = {
    let mut table = [[0; 64]; 512];
    let mut ctrl = 0;
    while ctrl < 512 {
        let mut l = 0;
        while l < 64 {
            table[ctrl][l] = source_lane(ctrl as u16, l as u8);
            l += 1;
        }
        ctrl += 1;
    }
    table
};

fn sources(ctrl: u16) -> &'static [u8; 64] {
    &SOURCES[ctrl as usize & 511]
}

/// Each lane's value taken from its source lane; 0 where that is outside, or not active.
pub fn permute(row: &Row, ctrl: u16, exec: u64) -> Row {
    let mut out = Row([0; 64]);
    for (x, &k) in out.0.iter_mut().zip(sources(ctrl)) {
        let readable = k != OUTSIDE && exec >> (k & 63) & 1 != 0;
        *x = if readable { row.0[usize::from(k & 63)] } else { 0 };
    }
    out
}

/// The lanes that are written: enabled by both masks, and with an active source lane unless `bound_ctrl` makes it 0.
pub fn written(ctrl: u16, bound_ctrl: bool, bank_mask: u8, row_mask: u8, exec: u64) -> u64 {
    // A bank is four lanes of each row of 16.
    let mut row = 0;
    let mut enabled = 0;
    for k in 0..4 {
        row |= if bank_mask >> k & 1 != 0 { 0xf << (4 * k) } else { 0 };
    }
    for k in 0..4 {
        enabled |= if row_mask >> k & 1 != 0 { row << (16 * k) } else { 0 };
    }
    if bound_ctrl {
        return enabled;
    }
    let readable = |k: u8| k != OUTSIDE && exec >> (k & 63) & 1 != 0;
    sources(ctrl).iter().enumerate().fold(0, |mask, (l, &k)| mask | u64::from(readable(k)) << l) & enabled
}
