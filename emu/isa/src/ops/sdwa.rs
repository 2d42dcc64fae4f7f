//! Sub-dword addressing: parts of a register as operands. Vega ISA, "SDWA".

use crate::Row;

/// Position and width in bits of a selection: 0–3 bytes, 4–5 words, 6 the whole.
const fn part(sel: u8) -> (u32, u32) {
    match sel {
        0..=3 => (8 * sel as u32, 8),
        4 => (0, 16),
        5 => (16, 16),
        _ => (0, 32),
    }
}

/// The selected part of each lane, extended to 32 bits.
pub fn select(row: Row, sel: u8, sign: bool) -> Row {
    let (low, len) = part(sel);
    let up = 32 - len;
    Row(row.0.map(|x| {
        let x = x >> low << up;
        if sign { (x as i32 >> up) as u32 } else { x >> up }
    }))
}

/// `result` put into the selected part of `old`; `unused`: 0 zeroes the rest, 1 extends the sign, 2 keeps it.
pub fn merge(old: &Row, mut result: Row, sel: u8, unused: u8) -> Row {
    let (low, len) = part(sel);
    let mask = ((1u64 << len) - 1) as u32;
    for (x, &old) in result.0.iter_mut().zip(&old.0) {
        let placed = (*x & mask) << low;
        *x = match unused {
            2 => placed | old & !(mask << low),
            1 if len < 32 && *x >> (len - 1) & 1 != 0 => placed | !(((1u64 << (low + len)) - 1) as u32),
            _ => placed,
        };
    }
    result
}
