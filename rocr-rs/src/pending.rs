//! Stands in for two types of `amd-codeobj` until that crate has them.

/// A target ID.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetId {
    /// `gfx90a`
    pub processor: String,
}
/// A kernel's metadata.
#[derive(Debug, Clone)]
pub struct Kernel {}
