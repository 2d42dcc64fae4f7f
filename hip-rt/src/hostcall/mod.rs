//! Hostcall: how device code calls the host. A kernel that prints, asserts or allocates carries the address of a
//! buffer as a hidden argument; its waves put packets there and wait, a thread of the host serves them.
//!
//! Answers to `ockl/src/{hostcall,services}.cl` of ROCm-Device-Libs.

mod buffer;
mod cformat;
mod heap;
mod listener;
pub mod message;
mod printf;
mod stdio;

pub use listener::{Hostcalls, Listener};
