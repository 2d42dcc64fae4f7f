//! The thunk as a C library: a drop-in `libhsakmt.so.1`, for AMD's ROCr and everything else that links with it.
//!
//! Answers to `hsakmt.h`. What is done here is done by [`thunk_rs`]; this crate knows C's structs ([`abi`]), finds what a
//! caller's addresses and handles stand for, and gives the status that the vendor's library gives. `cargo xtask dist`
//! links it with the symbol versions of `libhsakmt.map`, the list of what is exported; the C functions stand in one table
//! ([`exports`]), their bodies in a file for each theme.
//!
//! As with every library of this workspace the device is chosen by `ROCRS_DEVICE`: `/dev/kfd` where there is a GPU,
//! otherwise an emulated one in the process.

pub mod abi;
mod api;
mod drm;
pub mod exports;
mod ffi;
pub mod not_implemented;
mod state;
