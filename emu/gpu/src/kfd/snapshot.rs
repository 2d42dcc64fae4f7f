//! What a debugger is shown of queues and GPUs (`pqm_get_queue_snapshot()`, `kfd_dbg_trap_device_snapshot()`).

use kfd_sys::Errno;
use kfd_sys::debug::DbgTrapArgs;
use kfd_sys::queue::QueueType;
use kfd_sys::trap::{DeviceInfoEntry, DeviceSnapshotArgs, QueueSnapshotArgs, QueueSnapshotEntry};

use super::queue::Facts;
use super::{Device, Process};

/// Writes entries cut to the caller's size for one, as many as there is room for. Returns the size of an entry as it was
/// written.
fn write_entries<T: kfd_sys::Arg>(
    process: &Process,
    at: u64,
    room: u32,
    size: u32,
    entries: &[T],
) -> Result<u32, Errno> {
    if size == 0 {
        return Err(Errno::EINVAL);
    }
    let len = size_of::<T>().min(size as usize);
    for (index, entry) in entries.iter().take(room as usize).enumerate() {
        process.user.write(at + index as u64 * u64::from(size), &entry.as_bytes()[..len])?;
    }
    Ok(len as u32)
}

pub(super) fn queues(process: &Process, arg: &mut DbgTrapArgs) -> Result<(), Errno> {
    let mut member: QueueSnapshotArgs = arg.member();
    let mut queues = process.queues.lock();
    let entries: Vec<QueueSnapshotEntry> = queues.iter().map(|(id, facts)| entry(*id, facts)).collect();
    let (at, room) = (member.snapshot_buf_ptr, member.num_queues);
    member.entry_size = write_entries(process, at, room, member.entry_size, &entries)?;
    // Of those that are told.
    queues.values_mut().take(room as usize).for_each(|facts| facts.exceptions &= !member.exception_mask);
    member.num_queues = entries.len() as u32;
    arg.set_member(&member);
    Ok(())
}

fn entry(queue_id: u32, facts: &Facts) -> QueueSnapshotEntry {
    let args = &facts.args;
    let saves = matches!(args.queue_type, QueueType::COMPUTE | QueueType::COMPUTE_AQL);
    QueueSnapshotEntry {
        exception_status: facts.exceptions,
        ring_base_address: args.ring_base_address,
        write_pointer_address: args.write_pointer_address,
        read_pointer_address: args.read_pointer_address,
        ctx_save_restore_address: args.ctx_save_restore_address,
        queue_id,
        gpu_id: args.gpu_id,
        ring_size: args.ring_size,
        queue_type: args.queue_type.0,
        ctx_save_restore_area_size: if saves { args.ctx_save_restore_size } else { 0 },
        reserved: 0,
    }
}

pub(super) fn devices(process: &Process, arg: &mut DbgTrapArgs) -> Result<(), Errno> {
    let mut member: DeviceSnapshotArgs = arg.member();
    let entries: Vec<DeviceInfoEntry> =
        process.devices.iter().enumerate().map(|(index, device)| about(process, index, device)).collect();
    let (at, room) = (member.snapshot_buf_ptr, member.num_devices);
    member.entry_size = write_entries(process, at, room, member.entry_size, &entries)?;
    member.num_devices = entries.len() as u32;
    arg.set_member(&member);
    Ok(())
}

fn about(process: &Process, index: usize, device: &Device) -> DeviceInfoEntry {
    let windows = super::aperture::apertures(device);
    // The rest is what the topology says of the node, which is the one behind the host's.
    let text = process.read_topology(&format!("nodes/{}/properties", index + 1)).unwrap_or_default();
    let says = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.and_then(|value| value.trim().parse::<u64>().ok()).unwrap_or(0) as u32
    };
    DeviceInfoEntry {
        exception_status: 0,
        lds_base: windows.lds_base,
        lds_limit: windows.lds_limit,
        scratch_base: windows.scratch_base,
        scratch_limit: windows.scratch_limit,
        gpuvm_base: windows.gpuvm_base,
        gpuvm_limit: windows.gpuvm_limit,
        gpu_id: device.gpu_id,
        location_id: says("location_id"),
        vendor_id: says("vendor_id"),
        device_id: device.chip.device_id,
        revision_id: device.chip.pci_revision,
        subsystem_vendor_id: 0x1002,
        subsystem_device_id: 0x0b0c,
        fw_version: says("fw_version"),
        gfx_target_version: says("gfx_target_version"),
        simd_count: says("simd_count"),
        max_waves_per_simd: says("max_waves_per_simd"),
        array_count: says("array_count"),
        simd_arrays_per_engine: says("simd_arrays_per_engine"),
        num_xcc: says("num_xcc").max(1),
        capability: says("capability"),
        debug_prop: says("debug_prop"),
    }
}
