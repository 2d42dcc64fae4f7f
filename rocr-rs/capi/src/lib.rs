//! The HSA runtime as a C library: a drop-in `libhsa-runtime64.so.1`, for AMD's HIP, rocminfo and every other HSA program.
//!
//! Answers to `hsa.h`, `hsa_ext_amd.h`, `hsa_ext_image.h` and `hsa_ven_amd_loader.h`. What is done is done by [`rocr_rs`];
//! this crate gives out handles, finds what they stand for, checks arguments, and answers with the status that the HSA
//! manual names, and where that is silent with the one of the vendor's library. The C functions stand in one table
//! ([`exports`]), their bodies in a file for each noun; what is exported and not done stands in [`not_implemented`].
//! `cargo xtask dist` links it with the symbol version of `libhsa-runtime64.map`.
//!
//! - `state.rs`: the one static: between `hsa_init` and `hsa_shut_down` a [`rocr_rs::Runtime`], and tables of handles
//! - `ffi.rs`: what C callers hand over
//! - `debugger.rs`: the list of loaded code objects that debuggers read
//! - `api_table.rs`, `tools.rs`: the tables that the exported functions call through, and the tools that change them
//!
//! As with every library of this workspace the device is chosen by `ROCRS_DEVICE`: `/dev/kfd` where there is a GPU,
//! otherwise an emulated one in the process.

mod abi;
mod api;
pub mod api_table;
mod debugger;
pub mod exports;
pub mod ffi;
mod locks;
pub mod not_implemented;
mod state;
mod table;
mod tools;
