//! The address space of a GPU, and what is set for it as a whole: trap handler, scratch, XNACK.

use kfd_sys::aperture::{
    ProcessDeviceApertures, SetScratchBackingVaArgs, SetTrapHandlerArgs, SetXnackModeArgs,
};
use kfd_sys::debug::{RuntimeEnableArgs, RuntimeMode};

use crate::topology::NodeId;
use crate::{Error, Result, Thunk};

/// A range of addresses, ends included, as the hardware has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// First address.
    pub start: u64,
    /// Last address.
    pub last: u64,
}

impl Window {
    /// Bytes in it.
    #[allow(clippy::len_without_is_empty, reason = "a window has both its ends, so it is never empty")]
    pub fn len(&self) -> u64 {
        self.last.wrapping_sub(self.start).saturating_add(1)
    }

    /// Is `address` inside?
    pub fn contains(&self, address: u64) -> bool {
        (self.start..=self.last).contains(&address)
    }
}

/// The windows in the address space of a GPU: flat instructions reach LDS and scratch through two of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Apertures {
    /// LDS of the work-group.
    pub lds: Window,
    /// Scratch of the work-item.
    pub scratch: Window,
    /// What memory can be mapped into.
    pub gpuvm: Window,
}

impl From<&ProcessDeviceApertures> for Apertures {
    fn from(raw: &ProcessDeviceApertures) -> Apertures {
        Apertures {
            lds: Window { start: raw.lds_base, last: raw.lds_limit },
            scratch: Window { start: raw.scratch_base, last: raw.scratch_limit },
            gpuvm: Window { start: raw.gpuvm_base, last: raw.gpuvm_limit },
        }
    }
}

impl Thunk {
    /// The windows of a GPU.
    pub fn apertures(&self, node: NodeId) -> Result<&Apertures> {
        Ok(&self.context.gpu(node)?.apertures)
    }

    /// Says where scratch memory lies (`hsaKmtAllocMemory` of scratch does it; gfx9 and later take no notice).
    pub fn set_scratch_backing(&self, node: NodeId, va: u64) -> Result<()> {
        let gpu_id = self.context.gpu(node)?.gpu_id;
        let mut args = SetScratchBackingVaArgs { va_addr: va >> 16, gpu_id, pad: 0 };
        self.context.call(&mut args, |_| format!("gpu {gpu_id}, {va:#x}"))
    }

    /// Installs a second-level trap handler: its code and its data.
    pub fn set_trap_handler(&self, node: NodeId, code_va: u64, data_va: u64) -> Result<()> {
        let gpu_id = self.context.gpu(node)?.gpu_id;
        let mut args = SetTrapHandlerArgs { tba_addr: code_va, tma_addr: data_va, gpu_id, pad: 0 };
        self.context.call(&mut args, |_| format!("gpu {gpu_id}, code {code_va:#x}, data {data_va:#x}"))
    }

    /// Are page faults retried?
    pub fn xnack_mode(&self) -> Result<bool> {
        let mut args = SetXnackModeArgs { xnack_enabled: -1 };
        self.context.call(&mut args, |a| format!("ask: {}", a.xnack_enabled))?;
        Ok(args.xnack_enabled > 0)
    }

    /// Chooses whether page faults are retried. No queue may exist.
    pub fn set_xnack_mode(&self, enabled: bool) -> Result<()> {
        let mut args = SetXnackModeArgs { xnack_enabled: i32::from(enabled) };
        self.context.call(&mut args, |a| format!("set {}", a.xnack_enabled))
    }

    /// Tells the kernel that a runtime is here, for a debugger to find; `r_debug` is the loader's. Returns the kernel's
    /// capabilities. Interfaces older than 1.13 do not have the call.
    pub fn runtime_enable(&self, r_debug: u64, ttmp_save: bool) -> Result<u32> {
        if self.version().1 < 13 {
            return Err(Error::request("RUNTIME_ENABLE", "needs KFD interface 1.13"));
        }
        let mode = if ttmp_save { RuntimeMode::ENABLE | RuntimeMode::TTMP_SAVE } else { RuntimeMode::ENABLE };
        let mut args = RuntimeEnableArgs { r_debug, mode_mask: mode.bits(), capabilities_mask: 0 };
        self.context.call(&mut args, |a| format!("mode {:#x}", a.mode_mask))?;
        Ok(args.capabilities_mask)
    }

    /// Takes that back.
    pub fn runtime_disable(&self) -> Result<()> {
        if self.version().1 < 13 {
            return Err(Error::request("RUNTIME_ENABLE", "needs KFD interface 1.13"));
        }
        self.context.call(&mut RuntimeEnableArgs::default(), |_| "disable".to_owned())
    }
}
