//! `libdrm_amdgpu`, for callers who ask for its object of a GPU: found when it is first asked for, so that nobody else needs it.
//! The object is made over the descriptor that KFD has the GPU's page table from, so that both map in the same one.

#![allow(unsafe_code, reason = "loads libdrm_amdgpu and calls two of its functions")]

use std::collections::BTreeMap;
use std::ffi::c_void;

use libloading::Library;
use thunk_rs::NodeId;

use crate::abi::status::{Result, Status};

const NAME: &str = "libdrm_amdgpu.so.1";

type Initialize = unsafe extern "C" fn(i32, *mut u32, *mut u32, *mut *mut c_void) -> i32;
type Deinitialize = unsafe extern "C" fn(*mut c_void) -> i32;

/// The objects that were given out, by node; 0 where there is none to be had.
#[derive(Default)]
pub struct Devices {
    library: Option<Library>,
    devices: BTreeMap<NodeId, u64>,
}

impl Devices {
    /// Address of the object (`amdgpu_device_handle`) of a GPU. `descriptor` is asked for the GPU's render node.
    pub fn of(&mut self, node: NodeId, descriptor: impl FnOnce() -> Option<i32>) -> Result<u64> {
        let device = match self.devices.get(&node) {
            Some(device) => *device,
            None => {
                let device = descriptor().and_then(|descriptor| self.make(descriptor)).unwrap_or(0);
                self.devices.insert(node, device);
                device
            }
        };
        if device == 0 { Err(Status::NOT_SUPPORTED) } else { Ok(device) }
    }

    fn make(&mut self, descriptor: i32) -> Option<u64> {
        if self.library.is_none() {
            // SAFETY: a system library, whose initialisers do nothing that a program could mind.
            self.library = unsafe { Library::new(NAME) }.ok();
        }
        let (mut major, mut minor, mut device) = (0, 0, std::ptr::null_mut());
        // SAFETY: that is the function's type in `amdgpu.h`.
        let initialize =
            unsafe { self.library.as_ref()?.get::<Initialize>(b"amdgpu_device_initialize\0") }.ok()?;
        // SAFETY: pointers to variables of those types; the function looks itself at what the descriptor is of.
        let status = unsafe { initialize(descriptor, &raw mut major, &raw mut minor, &raw mut device) };
        (status == 0).then(|| device.expose_provenance() as u64)
    }
}

impl Drop for Devices {
    fn drop(&mut self) {
        let Some(library) = &self.library else { return };
        // SAFETY: that is the function's type in `amdgpu.h`.
        let Ok(end) = (unsafe { library.get::<Deinitialize>(b"amdgpu_device_deinitialize\0") }) else {
            return;
        };
        for device in self.devices.values().filter(|device| **device != 0) {
            // SAFETY: made by the library, and ended once. Who still has it had it while this library was open.
            unsafe { end(std::ptr::with_exposed_provenance_mut(*device as usize)) };
        }
    }
}
