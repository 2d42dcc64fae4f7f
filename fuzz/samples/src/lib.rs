//! Inputs for the tests, benches and fuzz targets of `amd-codeobj` and `offload-bundle`, made from nothing: no compiler
//! runs, no file is read, and the same call always gives the same bytes.
//!
//! The layouts are written out here a second time, from the manuals and not from the parsers, so that a parser and its
//! test do not share a mistake. [`place`] finds the fields that a test wants to spoil.
#![forbid(unsafe_code)]

mod bundle;
mod code_object;
mod dwarf;
mod host;
mod kpack;
mod metadata;
mod place;
mod rows;

pub use bundle::{Packing, compress, compress_as, pack, raw};
pub use code_object::{CodeObject, Kernel, Relocation, descriptor};
pub use dwarf::dwarf;
pub use host::{archive, host};
pub use kpack::{kpack, kpack_reference};
pub use metadata::{metadata, msgpack};
pub use place::{dynamic, find, patch, program, section, u16_at, u32_at, u64_at};
pub use rows::{Row, check, row};
