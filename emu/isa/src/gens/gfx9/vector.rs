//! Opcodes of the vector formats: VOP1, VOP2, VOPC, VOP3, VOP3P. Vega ISA, chapter 12.

use crate::ops::{compare, float32};
use crate::rows;
use crate::table::{Table, table};

pub const VOP1: Table<256> = table(rows! {});

pub const VOP2: Table<64> = table(rows! {
    1 => float32::V_ADD_F32;
});

pub const VOPC: Table<256> = table(rows! {
    0x41 => compare::V_CMP_LT_F32;
});

pub const VOP3: Table<1024> = table(rows! {
    0x1cb => float32::V_FMA_F32;
});

pub const VOP3P: Table<128> = table(rows! {});
