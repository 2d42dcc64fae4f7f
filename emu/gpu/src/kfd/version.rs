//! Version of the interface, and the runtime's registration with a debugger.

use std::sync::atomic::Ordering;

use kfd_sys::Errno;
use kfd_sys::debug::{RuntimeEnableArgs, RuntimeMode};
use kfd_sys::version::{GetVersionArgs, MAJOR};

use super::Process;

/// Interface 1.15: memory is mapped by the render node (`GEM_VA`) too.
const MINOR: u32 = 15;

pub(super) fn get_version(_: &Process, arg: &mut GetVersionArgs) -> Result<(), Errno> {
    arg.major_version = MAJOR;
    arg.minor_version = MINOR;
    Ok(())
}

pub(super) fn runtime_enable(process: &Process, arg: &mut RuntimeEnableArgs) -> Result<(), Errno> {
    let mode = RuntimeMode::from_bits_retain(arg.mode_mask);
    let on = mode.contains(RuntimeMode::ENABLE);
    if on && process.any_queue() {
        return Err(Errno::EEXIST);
    }
    for device in &process.devices {
        if on && process.runtime_enabled(device) {
            return Err(Errno::EBUSY);
        }
        device.runtime_enabled.store(on, Ordering::Relaxed);
    }
    process.debugging.note_runtime(arg);
    arg.capabilities_mask = 0;
    Ok(())
}
