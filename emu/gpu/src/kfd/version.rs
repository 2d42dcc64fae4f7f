//! Version of the interface, and the runtime's registration with a debugger.

use kfd_sys::Errno;
use kfd_sys::debug::RuntimeEnableArgs;
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
    process.debugging.runtime(process, arg)?;
    arg.capabilities_mask = 0;
    Ok(())
}
