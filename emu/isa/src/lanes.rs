//! Whole-wave operations: how a function of one lane becomes an instruction.
//!
//! `lane_ops!` makes an [`crate::Op`] from a line that reads like the manual. Three bodies come out of it: `general`
//! honours every modifier on any machine, `fast` and `fast_modified` are compiled for each [`crate::simd::Level`] and
//! laid out so that the loop over lanes is vector code. `wave_ops!` takes a body that loops by itself, `compare_ops!` a
//! predicate.

mod bodies;
mod notation;
mod registers;
mod rounded;
mod types;

pub use bodies::*;
pub use registers::{
    fetch, mask_lanes, put, put_carry, put_mask, put_rows, scalar_bits, source_rows, write_row, written_lanes,
};
pub use rounded::{rounded, unusual, value_bits, widened};
pub use types::*;
