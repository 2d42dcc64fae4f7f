//! HIP's run-time compiler as a C library: a drop-in libhiprtc.so
//!
//! `hip/hiprtc.h`, with the work in [`hiprtc_rs`]. The same functions stand in `libamdhip64.so.5` and `.so.6`, as AMD's do.
//!
//! - `exports.rs`: the C surface, whole
//! - `state.rs`: the one static of the library: programs and linkers by handle
//! - `ffi.rs`: what C callers hand over
//! - `device.rs`: the architecture of the GPU that the program uses
#![allow(non_snake_case, reason = "the names are those of the C API")]

mod device;
mod exports;
pub mod ffi;
mod state;

pub use exports::*;
