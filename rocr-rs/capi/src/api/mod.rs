//! The bodies of the C functions, a file for each noun.

#![allow(clippy::too_many_arguments, reason = "as C has it")]

pub mod agent;
pub mod code_object;
pub mod copy;
pub mod event;
pub mod executable;
pub mod extension;
pub mod image;
pub mod isa;
pub mod loader;
pub mod memory;
pub mod pool;
pub mod profiling;
pub mod queue;
pub mod share;
pub mod signal;
pub mod svm;
pub mod symbol;
pub mod system;
pub mod virtual_memory;
