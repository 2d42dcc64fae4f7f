//! Memory ioctls: allocate, map, unmap, free (`amdgpu_amdkfd_gpuvm.c`).

use std::collections::BTreeSet;
use std::sync::Arc;

use kfd_sys::Errno;
use kfd_sys::memory::{
    AllocFlags, AllocMemoryOfGpuArgs, FreeMemoryOfGpuArgs, GetAvailableMemoryArgs, MapMemoryToGpuArgs,
    UnmapMemoryFromGpuArgs,
};
use kfd_sys::mmap::{self, DOORBELL_SLICE_BYTES, MmapType};

use super::aperture::{GPUVM_BASE, GPUVM_LIMIT};
use super::{Device, Process};
use crate::vm::{Backing, Mapping, MemoryObject, PAGE, Rights, guard, host_range_exists};

/// Added to `mmap` offsets of GTT objects, so that they differ from those of VRAM.
const GTT_OFFSET: u64 = 1 << 40;
/// Most GPUs of one map or unmap call.
const MAX_DEVICES: u32 = 64;

/// A memory object and the GPUs that it is mapped on.
pub(super) struct Entry {
    pub(super) object: Arc<MemoryObject>,
    /// The device that it was allocated on.
    pub(super) gpu_id: u32,
    mapped_on: BTreeSet<u32>,
    /// Seen twice, back to back.
    doubled: bool,
}

/// An object that is to be made.
pub(super) struct NewObject {
    pub(super) va: u64,
    pub(super) bytes: u64,
    pub(super) rights: Rights,
    pub(super) backing: Backing,
    pub(super) doubled: bool,
}

impl NewObject {
    /// Gives it a number, and `offset(number)` as its offset for `mmap`. Returns the handle and the offset.
    pub(super) fn insert(
        self,
        process: &Process,
        device: &Device,
        offset: impl FnOnce(u32) -> u64,
    ) -> Result<(u64, u64), Errno> {
        let mut objects = process.objects.lock();
        objects.next = objects.next.checked_add(1).ok_or(Errno::ENOMEM)?;
        let handle = (u64::from(device.gpu_id) << 32) | u64::from(objects.next);
        let mmap_offset = offset(objects.next);
        let NewObject { va, bytes, rights, backing, doubled } = self;
        let object = MemoryObject { handle, va, size: bytes, rights, backing, mmap_offset };
        if matches!(object.backing, Backing::Extent(_)) {
            objects.by_offset.insert((device.gpu_id, mmap_offset), handle);
        }
        let (object, gpu_id) = (Arc::new(object), device.gpu_id);
        let entry = Entry { object, gpu_id, mapped_on: BTreeSet::new(), doubled };
        objects.by_handle.insert(handle, entry);
        Ok((handle, mmap_offset))
    }
}

/// Is that a range of addresses that an object may have?
pub(super) fn check_range(va: u64, bytes: u64) -> Result<(), Errno> {
    let end = va.checked_add(bytes).ok_or(Errno::EINVAL)?;
    let good = bytes != 0 && va.is_multiple_of(PAGE) && va >= GPUVM_BASE && end - 1 <= GPUVM_LIMIT;
    if good { Ok(()) } else { Err(Errno::EINVAL) }
}

/// First address of those that nothing can be mapped at: the thunk numbers memory with them that has no address yet, and
/// that is mapped by the render node alone.
const NOWHERE: u64 = 1 << 48;

pub(super) fn alloc(process: &Process, arg: &mut AllocMemoryOfGpuArgs) -> Result<(), Errno> {
    let device = process.bound_device(arg.gpu_id)?;
    process.exports.reap();
    let flags = arg.alloc_flags();
    // A size that is no multiple of a page is rounded up.
    let size = arg.size.checked_next_multiple_of(PAGE).ok_or(Errno::EINVAL)?;
    let nowhere =
        arg.va_addr >= NOWHERE && arg.va_addr.checked_add(size).is_some_and(|end| end <= 2 * NOWHERE);
    if !nowhere {
        check_range(arg.va_addr, size)?;
    }
    let doubled = flags.contains(AllocFlags::AQL_QUEUE_MEM);
    let bytes = if doubled { size / 2 } else { size };
    if bytes == 0 || !bytes.is_multiple_of(PAGE) {
        return Err(Errno::EINVAL);
    }
    let (backing, mmap_offset) = backing(process, device, arg, flags, bytes)?;
    let rights = Rights {
        write: flags.contains(AllocFlags::WRITABLE),
        execute: flags.contains(AllocFlags::EXECUTABLE),
        no_float_atomics: device.chip.drops_float_atomics && flags.contains(AllocFlags::COHERENT),
    };
    let made = NewObject { va: arg.va_addr, bytes, rights, backing, doubled };
    (arg.handle, _) = made.insert(process, device, |_| mmap_offset)?;
    if !flags.contains(AllocFlags::USERPTR) {
        arg.mmap_offset = mmap_offset;
    }
    Ok(())
}

/// The memory of a new object and its `mmap` offset.
fn backing(
    process: &Process,
    device: &Device,
    arg: &AllocMemoryOfGpuArgs,
    flags: AllocFlags,
    bytes: u64,
) -> Result<(Backing, u64), Errno> {
    let kind = flags.intersection(AllocFlags::TYPES);
    if kind == AllocFlags::VRAM {
        let extent = device.vram()?.allocate(bytes)?;
        let offset = extent.offset();
        Ok((Backing::Extent(extent), offset + (u64::from(device.minor) << 44)))
    } else if kind == AllocFlags::GTT {
        let extent = process.gtt()?.allocate(bytes)?;
        let offset = extent.offset();
        Ok((Backing::Extent(extent), offset + GTT_OFFSET + (u64::from(device.minor) << 44)))
    } else if kind == AllocFlags::USERPTR {
        let addr = arg.mmap_offset;
        if addr == 0 || !addr.is_multiple_of(PAGE) {
            return Err(Errno::EINVAL);
        }
        if !host_range_exists(addr, bytes, flags.contains(AllocFlags::WRITABLE)) {
            return Err(Errno::EFAULT);
        }
        process.user.read(addr, &mut [0])?;
        process.user.read(addr + bytes - 1, &mut [0])?;
        guard::arm();
        Ok((Backing::User(addr), 0))
    } else if kind == AllocFlags::DOORBELL {
        if bytes != DOORBELL_SLICE_BYTES {
            return Err(Errno::EINVAL);
        }
        let host = process.device_pages(device)?.host();
        Ok((Backing::Device(host), mmap::offset(MmapType::DOORBELL, device.gpu_id, 0)))
    } else if kind == AllocFlags::MMIO_REMAP {
        if bytes != PAGE {
            return Err(Errno::EINVAL);
        }
        let host = process.device_pages(device)?.host() + DOORBELL_SLICE_BYTES;
        Ok((Backing::Device(host), mmap::offset(MmapType::MMIO, device.gpu_id, 0)))
    } else {
        Err(Errno::EINVAL)
    }
}

pub(super) fn free(process: &Process, arg: &mut FreeMemoryOfGpuArgs) -> Result<(), Errno> {
    let mut objects = process.objects.lock();
    let entry = objects.by_handle.get(&arg.handle).ok_or(Errno::EINVAL)?;
    if !entry.mapped_on.is_empty() {
        return Err(Errno::EBUSY);
    }
    let at = (entry.gpu_id, entry.object.mmap_offset);
    if objects.by_offset.get(&at) == Some(&arg.handle) {
        objects.by_offset.remove(&at);
    }
    // Before the memory goes: see `share`.
    process.exports.freed(arg.handle);
    objects.by_handle.remove(&arg.handle);
    Ok(())
}

/// The GPUs of a map or unmap call that are still to be done.
fn targets(process: &Process, ptr: u64, n: u32, done: u32) -> Result<Vec<u32>, Errno> {
    if n == 0 || n > MAX_DEVICES || done > n {
        return Err(Errno::EINVAL);
    }
    let mut ids = process.user.read_array::<u32>(ptr, n)?;
    ids.drain(..done as usize);
    Ok(ids)
}

pub(super) fn map(process: &Process, arg: &mut MapMemoryToGpuArgs) -> Result<(), Errno> {
    let ids = targets(process, arg.device_ids_array_ptr, arg.n_devices, arg.n_success)?;
    let mut objects = process.objects.lock();
    let entry = objects.by_handle.get_mut(&arg.handle).ok_or(Errno::EINVAL)?;
    check_range(entry.object.va, entry.object.size)?;
    for gpu_id in ids {
        let device = process.bound_device(gpu_id)?;
        if !entry.mapped_on.contains(&gpu_id) {
            let object = &entry.object;
            let copies = if entry.doubled { 2 } else { 1 };
            let at = |copy: u64| Mapping {
                va: object.va + copy * object.size,
                len: object.size,
                host: object.host(),
                rights: object.rights,
                object: Arc::clone(object),
            };
            if !(0..copies).all(|copy| device.vm.map(at(copy))) {
                device.vm.unmap(object);
                return Err(Errno::EINVAL);
            }
            entry.mapped_on.insert(gpu_id);
        }
        arg.n_success += 1;
    }
    Ok(())
}

pub(super) fn unmap(process: &Process, arg: &mut UnmapMemoryFromGpuArgs) -> Result<(), Errno> {
    let ids = targets(process, arg.device_ids_array_ptr, arg.n_devices, arg.n_success)?;
    let mut objects = process.objects.lock();
    let entry = objects.by_handle.get_mut(&arg.handle).ok_or(Errno::EINVAL)?;
    for gpu_id in ids {
        let device = process.bound_device(gpu_id)?;
        if entry.mapped_on.remove(&gpu_id) {
            device.vm.unmap(&entry.object);
        }
        arg.n_success += 1;
    }
    Ok(())
}

pub(super) fn available(process: &Process, arg: &mut GetAvailableMemoryArgs) -> Result<(), Errno> {
    process.exports.reap();
    arg.available = process.device(arg.gpu_id)?.available();
    Ok(())
}
