//! Data-parallel primitives: a source from another lane. Vega ISA, "DPP"; controls as in LLVM's `DppCtrl`.

use crate::Row;

/// The lane that lane `l` reads under control `ctrl`, or `None` where it would be outside.
pub fn source_lane(ctrl: u16, l: usize) -> Option<usize> {
    let (row, pos, by) = (l & !15, l & 15, ctrl as usize & 15);
    match ctrl {
        // quad_perm: two bits a lane of each quad.
        0x000..=0x0ff => Some(l & !3 | (ctrl as usize >> (2 * (l & 3)) & 3)),
        // row_shl, row_shr, row_ror: by 1 to 15 inside rows of 16.
        0x101..=0x10f => (pos + by < 16).then(|| l + by),
        0x111..=0x11f => (pos >= by).then(|| l - by),
        0x121..=0x12f => Some(row | (pos + 16 - by) & 15),
        // wave_shl:1, wave_rol:1, wave_shr:1, wave_ror:1.
        0x130 => (l < 63).then_some(l + 1),
        0x134 => Some((l + 1) & 63),
        0x138 => (l > 0).then(|| l - 1),
        0x13c => Some((l + 63) & 63),
        // row_mirror, row_half_mirror.
        0x140 => Some(row | (15 - pos)),
        0x141 => Some(l & !7 | (7 - (l & 7))),
        // row_bcast:15 and row_bcast:31: the last lane of the row, or half, before.
        0x142 => (l >= 16).then(|| row - 1),
        0x143 => (l >= 32).then_some(31),
        // row_newbcast (gfx90a): lane n of each row to the whole row.
        0x150..=0x15f => Some(row | by),
        _ => None,
    }
}

/// Each lane's value taken from its source lane; 0 where that is outside, or not active.
pub fn permute(row: &Row, ctrl: u16, exec: u64) -> Row {
    Row(core::array::from_fn(|l| match source_lane(ctrl, l) {
        Some(k) if exec >> k & 1 != 0 => row.0[k],
        _ => 0,
    }))
}

/// The lanes that are written: enabled by both masks, and with an active source lane unless `bound_ctrl` makes it 0.
pub fn written(ctrl: u16, bound_ctrl: bool, bank_mask: u8, row_mask: u8, exec: u64) -> u64 {
    (0..64usize)
        .filter(|&l| {
            let readable = || source_lane(ctrl, l).is_some_and(|k| exec >> k & 1 != 0);
            row_mask >> (l / 16) & 1 != 0 && bank_mask >> (l / 4 % 4) & 1 != 0 && (bound_ctrl || readable())
        })
        .fold(0, |mask, l| mask | 1 << l)
}
