//! The functions that stand before those of the C library, by what they take: a path ([`open`], [`path`], [`stat`]) or a
//! descriptor ([`file`]); and the look-up of such a function by name ([`lookup`]).
//!
//! Variadic functions are defined with the arguments that they may have: an argument that was not passed is read only
//! where the C library would not read it either.

mod file;
#[cfg(target_arch = "x86_64")]
mod lookup;
mod open;
mod path;
mod stat;
