//! A registered `__device__` or `__constant__` variable: the address of its host shadow, and its name.

use crate::device::Device;
use crate::error::Result;
use crate::register::FatBinary;
use hip_sys::hipError_t;
use std::sync::Arc;

/// A variable of the program.
pub struct Variable {
    binary: Arc<FatBinary>,
    name: String,
}

impl Variable {
    /// A variable of a fat binary.
    pub fn new(binary: Arc<FatBinary>, name: String) -> Self {
        Self { binary, name }
    }

    /// The fat binary that it is in.
    pub fn binary(&self) -> &Arc<FatBinary> {
        &self.binary
    }

    /// Its symbol.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its address and size on a device.
    pub fn on(&self, device: &Arc<Device>) -> Result<(u64, u64)> {
        self.binary.load(device)?.variable(&self.name).map_err(|error| match error {
            hipError_t::NOT_FOUND => hipError_t::INVALID_SYMBOL,
            other => other,
        })
    }
}
