//! A registered kernel: a host address, a name, and the kernel on each device that launched it.

use crate::device::Device;
use crate::error::{Result, report};
use crate::launch::Kernel;
use crate::register::FatBinary;
use hip_sys::hipError_t;
use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::ffi::CString;
use std::sync::Arc;

/// A kernel of the program.
pub struct Function {
    binary: Arc<FatBinary>,
    name: String,
    c_name: CString,
    kernels: RwLock<BTreeMap<usize, Arc<Kernel>>>,
}

impl Function {
    /// A kernel of a fat binary.
    pub fn new(binary: Arc<FatBinary>, name: String) -> Self {
        let c_name = CString::new(name.as_str()).unwrap_or_default();
        Self { binary, name, c_name, kernels: RwLock::default() }
    }

    /// The fat binary that it is in.
    pub fn binary(&self) -> &Arc<FatBinary> {
        &self.binary
    }

    /// Its name for C.
    pub fn c_name(&self) -> &CString {
        &self.c_name
    }

    /// The kernel on a device, loaded now if it was not.
    pub fn on(&self, device: &Arc<Device>) -> Result<Arc<Kernel>> {
        if let Some(kernel) = self.kernels.read().get(&device.ordinal) {
            return Ok(kernel.clone());
        }
        let code = self.binary.load(device)?;
        let kernel = code.kernel(&self.name).inspect_err(|error| {
            if *error == hipError_t::NOT_FOUND {
                report(format_args!("kernel `{}` is not in {}", self.name, self.binary));
            }
        });
        let kernel = kernel.map_err(|error| match error {
            hipError_t::NOT_FOUND => hipError_t::INVALID_DEVICE_FUNCTION,
            other => other,
        })?;
        self.kernels.write().insert(device.ordinal, kernel.clone());
        Ok(kernel)
    }
}
