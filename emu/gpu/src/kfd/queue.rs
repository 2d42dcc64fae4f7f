//! Queue ioctls (`kfd_chardev.c`, `kfd_queue.c`).

use kfd_sys::Errno;
use kfd_sys::mmap::{self, MmapType};
use kfd_sys::queue::{
    AllocQueueGwsArgs, CreateQueueArgs, DestroyQueueArgs, GetQueueWaveStateArgs, MAX_QUEUE_PERCENTAGE,
    MAX_QUEUE_PRIORITY, MIN_QUEUE_RING_SIZE, QueueType, SetCuMaskArgs, UpdateQueueArgs,
};

use super::{Device, Process};
use crate::cp::{Format, QueueSpec};
use crate::ring::Ring;

/// What is known of a queue.
#[derive(Debug, Clone)]
pub(super) struct Facts {
    /// As it was created, and updated since.
    pub(super) args: CreateQueueArgs,
    /// The debugger has taken it off the hardware.
    suspended: bool,
    /// What a debugger has not heard of yet.
    pub(super) exceptions: u64,
}

impl Facts {
    fn is_active(&self) -> bool {
        let args = &self.args;
        let wanted = args.queue_percentage & 0xff != 0 && args.ring_size != 0 && args.ring_base_address != 0;
        wanted && !self.suspended
    }
}

/// Most bits of a CU mask.
const MAX_CU_MASK: u32 = 1024;

fn check_share(percentage: u32, priority: u32) -> Result<(), Errno> {
    let share = percentage & 0xff;
    if share > MAX_QUEUE_PERCENTAGE || priority > MAX_QUEUE_PRIORITY { Err(Errno::EINVAL) } else { Ok(()) }
}

/// First address that is none of a program (`TASK_SIZE`).
const PROGRAM_END: u64 = 0x7fff_ffff_f000;

/// `access_ok()`: can a program have these bytes at all?
fn check_address(va: u64, bytes: u64) -> Result<(), Errno> {
    let good = va.checked_add(bytes).is_some_and(|end| end <= PROGRAM_END);
    if good { Ok(()) } else { Err(Errno::EFAULT) }
}

fn check_ring(device: &Device, ring: Ring) -> Result<(), Errno> {
    let good =
        ring.bytes.is_power_of_two() && ring.bytes >= MIN_QUEUE_RING_SIZE && ring.va.is_multiple_of(64);
    let table = device.vm.table();
    let mut at = ring.va;
    let end = ring.va.checked_add(u64::from(ring.bytes)).ok_or(Errno::EINVAL)?;
    while at < end {
        let map = table.find(at).filter(|map| map.rights.write).ok_or(Errno::EINVAL)?;
        at = map.end();
    }
    if good { Ok(()) } else { Err(Errno::EINVAL) }
}

pub(super) fn create(process: &Process, arg: &mut CreateQueueArgs) -> Result<(), Errno> {
    let device = process.bound_device(arg.gpu_id)?;
    check_share(arg.queue_percentage, arg.queue_priority)?;
    let format = match arg.queue_type {
        QueueType::COMPUTE => Some(Format::Pm4),
        QueueType::COMPUTE_AQL => Some(Format::Aql),
        QueueType::SDMA | QueueType::SDMA_XGMI | QueueType::SDMA_BY_ENG_ID => None,
        kind => {
            tracing::debug!(target: "amdgpu_emu", ?kind, "queue type not implemented");
            return Err(Errno::EINVAL);
        }
    };
    let ring = Ring { va: arg.ring_base_address, bytes: arg.ring_size };
    for (va, bytes) in [(ring.va, 8), (arg.read_pointer_address, 4), (arg.write_pointer_address, 4)] {
        check_address(va, bytes)?;
    }
    check_ring(device, ring)?;
    let table = device.vm.table();
    table.load_u64(arg.write_pointer_address).map_err(|_| Errno::EINVAL)?;
    let read = table.load_u64(arg.read_pointer_address).map_err(|_| Errno::EINVAL)?;
    table.store_u64(arg.read_pointer_address, read).map_err(|_| Errno::EINVAL)?;

    let id = process.take_queue_id();
    let spec = QueueSpec {
        id,
        ring,
        write_pointer: arg.write_pointer_address,
        read_pointer: arg.read_pointer_address,
        enabled: arg.queue_percentage & 0xff != 0,
    };
    let doorbell = match format {
        Some(format) => device.cp.create_queue(spec, format),
        None => device.sdma.create_queue(spec, arg.queue_type == QueueType::SDMA_XGMI),
    };
    let doorbell = doorbell.inspect_err(|_| process.release_queue_id(id))?;
    process.queues.lock().insert(id, Facts { args: *arg, suspended: false, exceptions: 0 });
    process.debugging.queue_made(process, id);
    arg.queue_id = id;
    arg.doorbell_offset = mmap::offset(MmapType::DOORBELL, device.gpu_id, u64::from(doorbell) * 8);
    Ok(())
}

/// The device that has the queue. IDs are unique in a process.
fn owner(process: &Process, queue_id: u32) -> Result<&Device, Errno> {
    let has = |device: &&Device| device.cp.has_queue(queue_id) || device.sdma.has_queue(queue_id);
    process.devices.iter().find(has).ok_or(Errno::EINVAL)
}

pub(super) fn destroy(process: &Process, arg: &mut DestroyQueueArgs) -> Result<(), Errno> {
    let device = owner(process, arg.queue_id)?;
    if device.sdma.has_queue(arg.queue_id) {
        device.sdma.destroy_queue(arg.queue_id)?;
    } else {
        device.cp.destroy_queue(arg.queue_id)?;
    }
    process.queues.lock().remove(&arg.queue_id);
    process.release_queue_id(arg.queue_id);
    Ok(())
}

pub(super) fn update(process: &Process, arg: &mut UpdateQueueArgs) -> Result<(), Errno> {
    check_share(arg.queue_percentage, arg.queue_priority)?;
    let device = owner(process, arg.queue_id)?;
    let enabled = arg.queue_percentage & 0xff != 0;
    let ring = Ring { va: arg.ring_base_address, bytes: arg.ring_size };
    // A ring of no bytes takes the queue off the hardware, and so its address is not looked at.
    let ring = (ring.bytes != 0 && ring.va != 0).then_some(ring);
    if let Some(ring) = ring {
        check_ring(device, ring)?;
    }
    let suspended = process.queues.lock().get(&arg.queue_id).is_some_and(|facts| facts.suspended);
    change(device, arg.queue_id, ring, enabled && !suspended)?;
    if let Some(facts) = process.queues.lock().get_mut(&arg.queue_id) {
        facts.args.ring_base_address = arg.ring_base_address;
        facts.args.ring_size = arg.ring_size;
        facts.args.queue_percentage = arg.queue_percentage;
        facts.args.queue_priority = arg.queue_priority;
    }
    Ok(())
}

fn change(device: &Device, id: u32, ring: Option<Ring>, enabled: bool) -> Result<(), Errno> {
    if device.sdma.has_queue(id) {
        device.sdma.update_queue(id, ring, enabled)
    } else {
        device.cp.update_queue(id, ring, enabled)
    }
}

/// Takes a queue off the hardware for the debugger, or puts it back.
pub(super) fn set_running(process: &Process, id: u32, run: bool) -> Result<(), Errno> {
    let device = owner(process, id)?;
    let active = {
        let mut queues = process.queues.lock();
        let facts = queues.get_mut(&id).ok_or(Errno::EINVAL)?;
        facts.suspended = !run;
        facts.is_active()
    };
    change(device, id, None, active)
}

/// `get_wave_state()`: what was saved of a compute queue that is off the hardware. Nothing was: waves here run to their end
/// before their queue leaves. So control stack and waves are empty, which the head of the save area is told as well.
pub(super) fn wave_state(process: &Process, arg: &mut GetQueueWaveStateArgs) -> Result<(), Errno> {
    let facts = process.queues.lock().get(&arg.queue_id).cloned().ok_or(Errno::EINVAL)?;
    let computes = matches!(facts.args.queue_type, QueueType::COMPUTE | QueueType::COMPUTE_AQL);
    if !computes || facts.is_active() {
        return Err(Errno::EINVAL);
    }
    let stack = facts.args.ctl_stack_size;
    process.user.write_array(arg.ctl_stack_address, &[stack, 0, stack, 0])?;
    (arg.ctl_stack_used_size, arg.save_area_used_size) = (0, 0);
    Ok(())
}

pub(super) fn set_cu_mask(process: &Process, arg: &mut SetCuMaskArgs) -> Result<(), Errno> {
    owner(process, arg.queue_id)?;
    if arg.num_cu_mask == 0 || !arg.num_cu_mask.is_multiple_of(32) {
        return Err(Errno::EINVAL);
    }
    // Work-groups go to host threads, not to compute units: a mask changes nothing that a program can see.
    process.user.read_array::<u32>(arg.cu_mask_ptr, arg.num_cu_mask.min(MAX_CU_MASK) / 32).map(drop)
}

pub(super) fn alloc_gws(process: &Process, arg: &mut AllocQueueGwsArgs) -> Result<(), Errno> {
    let device = owner(process, arg.queue_id)?;
    if device.chip.num_gws == 0 {
        return Err(Errno::ENODEV);
    }
    // How many are wanted does not matter: a queue gets all or none.
    device.cp.set_gws(arg.queue_id, arg.num_gws != 0)?;
    arg.first_gws = 0;
    Ok(())
}
