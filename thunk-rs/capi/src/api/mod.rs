//! The bodies of the C functions, a file for each theme of `hsakmt.h`. None holds `unsafe`.

pub mod counter;
mod counter_table;
pub mod debug;
pub mod event;
pub mod memory;
pub mod open;
pub mod queue;
pub mod share;
pub mod svm;
pub mod topology;
