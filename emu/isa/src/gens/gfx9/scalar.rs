//! Opcodes of the scalar formats: SOP1, SOP2, SOPK, SOPC, SOPP, SMEM. Vega ISA, chapter 12.

use crate::ops::scalar::{control, int};
use crate::rows;
use crate::table::{Table, table};

pub const SOP2: Table<128> = table(rows! {
    0 => int::S_ADD_U32;
});

pub const SOP1: Table<256> = table(rows! {
    0 => int::S_MOV_B32;
});

pub const SOPK: Table<32> = table(rows! {});

pub const SOPC: Table<128> = table(rows! {});

pub const SOPP: Table<128> = table(rows! {
    0 => control::S_NOP;
    1 => control::S_ENDPGM;
    2 => control::S_BRANCH;
});

pub const SMEM: Table<256> = table(rows! {});
