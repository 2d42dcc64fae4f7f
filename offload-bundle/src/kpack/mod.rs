//! Code that stands apart from the program: `.kpack` archives, and what a program has in place of its fat binaries.
//!
//! Answers to `shared/kpack` of rocm-systems (`python/rocm_kpack/kpack.py` writes, `runtime/src` reads). A program's
//! wrappers have the magic [`HIPK`](crate::FatBinaryWrapper::HIPK) and point at a [`Reference`]: under which name its
//! code is filed and in which archives to look. An [`Archive`] holds code objects by that name and target ID.

mod archive;
mod msgpack;
mod reference;

pub use archive::{Archive, Kernel, Kernels, Scheme};
pub use reference::Reference;
