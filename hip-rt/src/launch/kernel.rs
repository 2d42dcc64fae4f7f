//! A kernel as launches need it: its descriptor's address, its sizes, its signature.

use crate::device::Device;
use crate::error::Result;
use crate::launch::args::Signature;
use crate::launch::check::Limits;
use crate::state;
use hip_sys::{Major, hipError_t};
use rocr_rs::KernelSymbol;
use std::ffi::CString;
use std::sync::Arc;

/// A kernel on one device.
#[derive(Debug)]
pub struct Kernel {
    /// Symbol name, without `.kd`.
    pub name: String,
    /// The same for C.
    pub c_name: CString,
    /// Address of its descriptor.
    pub object: u64,
    /// What it expects as arguments.
    pub signature: Signature,
    /// Static LDS bytes.
    pub group_bytes: u32,
    /// Scratch bytes of a work-item.
    pub private_bytes: u32,
    /// Whether it may need more scratch than that.
    pub dynamic_stack: bool,
    /// Work-items of a work-group that it was compiled for.
    pub max_workgroup: u32,
    /// Whether its work-groups must all be whole.
    pub uniform: bool,
    /// Vector registers of a lane, accumulation registers included where they are one file.
    pub vgprs: u32,
    /// Lanes of a wave.
    pub wave: u32,
    /// Version of its code object.
    pub code_version: u32,
    symbol: KernelSymbol,
}

impl Kernel {
    /// The kernel of a loaded symbol.
    pub fn new(symbol: KernelSymbol) -> Result<Arc<Self>> {
        let metadata = symbol.metadata();
        Ok(Arc::new(Self {
            name: symbol.name().to_owned(),
            c_name: CString::new(symbol.name()).unwrap_or_default(),
            object: symbol.kernel_object(),
            signature: Signature::new(metadata)?,
            group_bytes: symbol.group_segment_size(),
            private_bytes: symbol.private_segment_size(),
            dynamic_stack: symbol.uses_dynamic_stack(),
            max_workgroup: metadata.max_flat_workgroup_size,
            uniform: metadata.uniform_work_group_size,
            vgprs: metadata.vgpr_count,
            wave: symbol.wavefront_size(),
            code_version: symbol.code_object().version(),
            symbol,
        }))
    }

    /// Refuses a device that the kernel is not on.
    pub fn must_be_of(&self, device: &Device) -> Result {
        if *self.symbol.agent() == device.agent { Ok(()) } else { Err(hipError_t::INVALID_RESOURCE_HANDLE) }
    }

    /// Whether another kernel is on the same device.
    pub fn is_beside(&self, other: &Kernel) -> bool {
        self.symbol.agent() == other.symbol.agent()
    }

    /// What a launch of it must keep to.
    pub fn limits(&self, device: &Device) -> Limits {
        Limits {
            lds: device.lds_bytes(),
            group_bytes: self.group_bytes,
            workgroup: device.max_workgroup(),
            too_large: hipError_t::INVALID_CONFIGURATION,
            none: match state::major() {
                Major::Five | Major::Six => hipError_t::INVALID_VALUE,
                Major::Seven => hipError_t::INVALID_CONFIGURATION,
            },
            too_much_lds: hipError_t::OUT_OF_MEMORY,
            kernel_workgroup: self.max_workgroup,
        }
    }

    /// What a launch of it must keep to as the function of a module, of which HIP says other errors since version 6.
    pub fn limits_in_module(&self, device: &Device) -> Limits {
        let limits = self.limits(device);
        match state::major() {
            Major::Five => limits,
            Major::Six => {
                let (too_large, too_much_lds) = (hipError_t::INVALID_VALUE, hipError_t::INVALID_VALUE);
                Limits { too_large, too_much_lds, ..limits }
            }
            Major::Seven => Limits { too_much_lds: hipError_t::INVALID_VALUE, ..limits },
        }
    }

    /// Scratch bytes of a work-item when calls through pointers and recursion may take up to `stack`.
    pub fn private_bytes_with(&self, stack: usize) -> u32 {
        if self.dynamic_stack {
            let wanted = self.private_bytes.max(u32::try_from(stack).unwrap_or(u32::MAX));
            // What is too large to round up is too large for any device, which then says so.
            wanted.checked_next_multiple_of(16).unwrap_or(u32::MAX)
        } else {
            self.private_bytes
        }
    }
}
