//! What instructions do, filed by meaning. Numbers and encodings are in `gens/`.

pub mod compare;
pub mod dpp;
pub mod float32;
pub mod memory;
pub mod scalar;
pub mod sdwa;
