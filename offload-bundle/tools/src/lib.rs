//! What the command-line tools for ROCm's files share: opening a file, printing a table, ending with an error.
//!
//! The tools stand apart from the crates that they show: a library is not made to depend on a command-line parser, and
//! `amd-codeobj` can look into fat binaries although the crate of that name knows nothing of them.

pub mod amd_codeobj;
pub mod amdgpu_isa;
mod error;
mod file;
mod input;
pub mod offload_bundle;
mod output;
mod pick;

pub use error::{Error, report, run};
pub use file::File;
pub use output::{JsonArray, Output, bytes, printable, table};
