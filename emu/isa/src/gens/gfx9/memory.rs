//! Opcodes of the memory formats: DS, FLAT, MUBUF, MTBUF. Vega ISA, chapter 12.

use crate::ops::memory::global;
use crate::rows;
use crate::table::{Table, table};

pub const DS: Table<256> = table(rows! {});

pub const FLAT: Table<128> = table(rows! {});

pub const GLOBAL: Table<128> = table(rows! {
    20 => global::GLOBAL_LOAD_DWORD;
});

pub const SCRATCH: Table<128> = table(rows! {});

pub const MUBUF: Table<128> = table(rows! {});

pub const MTBUF: Table<16> = table(rows! {});
