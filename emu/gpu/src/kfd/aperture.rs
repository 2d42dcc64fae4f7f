//! Apertures, the page table's owner, and settings of the address space (`kfd_flat_memory.c`).

use std::sync::atomic::Ordering;

use kfd_sys::Errno;
use kfd_sys::aperture::{
    AcquireVmArgs, GetProcessAperturesArgs, GetProcessAperturesNewArgs, OLD_APERTURES,
    ProcessDeviceApertures, SetMemoryPolicyArgs, SetScratchBackingVaArgs, SetTrapHandlerArgs,
    SetXnackModeArgs,
};

use super::{Device, Process};

/// First address of the LDS aperture on gfx9 and later.
pub(crate) const LDS_BASE: u64 = 0x1_0000_0000_0000;
/// First address of the scratch aperture on gfx9 and later.
pub(crate) const SCRATCH_BASE: u64 = 0x2_0000_0000_0000;
/// Bytes of an aperture.
const APERTURE: u64 = 1 << 32;
/// First address that can be mapped.
pub(crate) const GPUVM_BASE: u64 = 0x100_0000;
/// Last address that can be mapped.
pub(super) const GPUVM_LIMIT: u64 = 0x7fff_ffff_ffff;

pub(super) fn apertures(device: &Device) -> ProcessDeviceApertures {
    ProcessDeviceApertures {
        lds_base: LDS_BASE,
        lds_limit: LDS_BASE + APERTURE - 1,
        scratch_base: SCRATCH_BASE,
        scratch_limit: SCRATCH_BASE + APERTURE - 1,
        gpuvm_base: GPUVM_BASE,
        gpuvm_limit: GPUVM_LIMIT,
        gpu_id: device.gpu_id,
        pad: 0,
    }
}

pub(super) fn get_process_apertures(
    process: &Process,
    arg: &mut GetProcessAperturesArgs,
) -> Result<(), Errno> {
    *arg = GetProcessAperturesArgs::default();
    for (slot, device) in arg.process_apertures.iter_mut().zip(&process.devices) {
        *slot = apertures(device);
    }
    arg.num_of_nodes = process.devices.len().min(OLD_APERTURES) as u32;
    Ok(())
}

pub(super) fn get_process_apertures_new(
    process: &Process,
    arg: &mut GetProcessAperturesNewArgs,
) -> Result<(), Errno> {
    let all: Vec<_> = process.devices.iter().map(apertures).collect();
    if arg.num_of_nodes == 0 {
        arg.num_of_nodes = all.len() as u32;
        return Ok(());
    }
    let filled = all.len().min(arg.num_of_nodes as usize);
    process.user.write_array(arg.kfd_process_device_apertures_ptr, &all[..filled])?;
    arg.num_of_nodes = filled as u32;
    Ok(())
}

pub(super) fn acquire_vm(process: &Process, arg: &mut AcquireVmArgs) -> Result<(), Errno> {
    let device = process.device(arg.gpu_id)?;
    let file = i32::try_from(arg.drm_fd).map_err(|_| Errno::EINVAL)?;
    if process.render_files.lock().get(&file) != Some(&device.minor) {
        return Err(Errno::EINVAL);
    }
    let mut acquired = device.acquired.lock();
    match *acquired {
        Some(other) if other != file => Err(Errno::EBUSY),
        Some(_) => Ok(()),
        None => {
            *acquired = Some(file);
            tracing::info!(target: "story", step = "device.open", chip = device.chip.name);
            Ok(())
        }
    }
}

pub(super) fn set_memory_policy(process: &Process, arg: &mut SetMemoryPolicyArgs) -> Result<(), Errno> {
    process.device(arg.gpu_id)?;
    let known = |policy: kfd_sys::aperture::CachePolicy| policy.symbol().is_some();
    if known(arg.default_policy) && known(arg.alternate_policy) { Ok(()) } else { Err(Errno::EINVAL) }
}

pub(super) fn set_scratch_backing_va(
    process: &Process,
    arg: &mut SetScratchBackingVaArgs,
) -> Result<(), Errno> {
    process.device(arg.gpu_id).map(drop)
}

pub(super) fn set_trap_handler(process: &Process, arg: &mut SetTrapHandlerArgs) -> Result<(), Errno> {
    process.device(arg.gpu_id).map(drop)
}

pub(super) fn set_xnack_mode(process: &Process, arg: &mut SetXnackModeArgs) -> Result<(), Errno> {
    if let Ok(wanted) = u32::try_from(arg.xnack_enabled) {
        let wanted = wanted != 0;
        if process.any_queue() {
            return Err(Errno::EBUSY);
        }
        if wanted && !process.devices.iter().all(|device| device.chip.xnack_selectable) {
            return Err(Errno::EPERM);
        }
        process.xnack.store(wanted, Ordering::Relaxed);
    }
    arg.xnack_enabled = process.xnack.load(Ordering::Relaxed).into();
    Ok(())
}
