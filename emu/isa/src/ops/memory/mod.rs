//! Memory instructions: addresses of lanes, and what happens at them.

pub mod global;
