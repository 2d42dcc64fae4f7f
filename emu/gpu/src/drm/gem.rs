//! Buffer objects of a render node (`amdgpu_gem.c`, `drm_prime.c`): what runtimes use beside KFD to map memory where they
//! like. An object is made here or taken in from a dma-buf; its parts are mapped in the page table that KFD uses too.
//!
//! Handles are the device's, for all of a process's render files; they go with the process.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kfd_sys::Errno;
use parking_lot::Mutex;

use super::{long, put, word};
use crate::kfd::{Device, Process, dmabuf, share};
use crate::vm::{Backing, Extent, Mapping, MemoryObject, PAGE, Rights};

/// `AMDGPU_GEM_DOMAIN_*`
const CPU: u64 = 1;
const GTT: u64 = 2;
const VRAM: u64 = 4;
/// `AMDGPU_VA_OP_*`
const MAP: u32 = 1;
const UNMAP: u32 = 2;
const CLEAR: u32 = 3;
const REPLACE: u32 = 4;
/// `AMDGPU_VM_PAGE_*`
const WRITEABLE: u32 = 1 << 2;
const EXECUTABLE: u32 = 1 << 3;
/// `AMDGPU_VA_RESERVED_BOTTOM`, and the end of what can be mapped.
const LOWEST: u64 = 1 << 16;
const HIGHEST: u64 = 1 << 47;
/// `mmap` offsets of objects begin here, and are this far apart.
const OFFSETS: u64 = 1 << 57;
const OFFSET_STEP: u32 = 36;
/// Handles of the memory behind them, which are none of KFD's.
const HANDLES: u64 = 1 << 63;

/// One object.
struct Bo {
    memory: Arc<MemoryObject>,
    domain: u64,
    /// What it was imported from: an import of the same gives the same handle.
    origin: Option<[u32; 4]>,
    /// What is mapped of it, by address: offset, bytes.
    mapped: BTreeMap<u64, Arc<MemoryObject>>,
}

/// The objects of one process on one device.
pub(crate) struct Gem {
    gpu_id: u32,
    objects: Mutex<BTreeMap<u32, Bo>>,
    numbers: AtomicU64,
}

impl Gem {
    pub(crate) fn new(gpu_id: u32) -> Gem {
        Gem { gpu_id, objects: Mutex::default(), numbers: AtomicU64::new(0) }
    }

    fn memory(&self, va: u64, size: u64, rights: Rights, backing: Backing) -> Arc<MemoryObject> {
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        let handle = HANDLES | u64::from(self.gpu_id) << 40 | number;
        Arc::new(MemoryObject { handle, va, size, rights, backing, mmap_offset: 0 })
    }

    fn insert(&self, extent: Extent, domain: u64, origin: Option<[u32; 4]>) -> Result<u32, Errno> {
        let (bytes, rights) = (extent.bytes(), Rights { write: true, execute: true, ..Rights::default() });
        let memory = self.memory(0, bytes, rights, Backing::Extent(extent));
        let mut objects = self.objects.lock();
        let handle = (1..).find(|handle| !objects.contains_key(handle)).ok_or(Errno::ENOMEM)?;
        objects.insert(handle, Bo { memory, domain, origin, mapped: BTreeMap::new() });
        Ok(handle)
    }

    /// How many objects there are.
    pub(crate) fn count(&self) -> usize {
        self.objects.lock().len()
    }

    /// The object at an offset for `mmap`, and how far in it.
    pub(crate) fn at_offset(&self, offset: u64) -> Option<(Arc<MemoryObject>, u64)> {
        let inside = offset.checked_sub(OFFSETS)?;
        let handle = u32::try_from(inside >> OFFSET_STEP).ok()?;
        let memory = Arc::clone(&self.objects.lock().get(&handle)?.memory);
        Some((memory, inside & ((1 << OFFSET_STEP) - 1)))
    }
}

/// `union drm_amdgpu_gem_create`: bytes, alignment, domains, flags; the handle.
pub(super) fn create(process: &Process, device: &Device, arg: &mut [u8]) -> Result<(), Errno> {
    let (bytes, domains) = (long(arg, 0), long(arg, 16));
    if bytes == 0 || domains & (CPU | GTT | VRAM) == 0 || domains & !(CPU | GTT | VRAM) != 0 {
        return Err(Errno::EINVAL);
    }
    let (extent, domain) = if domains & VRAM != 0 {
        (device.vram()?.allocate(bytes)?, VRAM)
    } else {
        (process.gtt()?.allocate(bytes)?, GTT)
    };
    let handle = device.gem.insert(extent, domain, None)?;
    put(arg, 0, &u64::from(handle).to_le_bytes());
    Ok(())
}

/// `struct drm_gem_close`. What is mapped of the object goes with it.
pub(super) fn close(process: &Process, device: &Device, arg: &mut [u8]) -> Result<(), Errno> {
    let bo = device.gem.objects.lock().remove(&word(arg, 0)).ok_or(Errno::EINVAL)?;
    for part in bo.mapped.values() {
        device.vm.unmap(part);
    }
    // Before the memory goes, with `bo`.
    process.exports.freed(bo.memory.handle);
    Ok(())
}

/// `union drm_amdgpu_gem_mmap`: the handle; an offset for `mmap`.
pub(super) fn mmap(_: &Process, device: &Device, arg: &mut [u8]) -> Result<(), Errno> {
    let handle = word(arg, 0);
    let objects = device.gem.objects.lock();
    let bo = objects.get(&handle).ok_or(Errno::ENOENT)?;
    if bo.memory.size >> OFFSET_STEP != 0 {
        return Err(Errno::EINVAL);
    }
    put(arg, 0, &(OFFSETS + (u64::from(handle) << OFFSET_STEP)).to_le_bytes());
    Ok(())
}

/// What is mapped in a range, and what stays of it at both ends when the range is cleared.
#[derive(Default)]
struct Cut {
    /// Handles of objects, addresses and memory.
    gone: Vec<(u32, u64, Arc<MemoryObject>)>,
    rest: Vec<(u32, Arc<MemoryObject>)>,
}

impl Cut {
    fn of(gem: &Gem, objects: &BTreeMap<u32, Bo>, at: u64, end: u64) -> Cut {
        let mut cut = Cut::default();
        for (handle, bo) in objects {
            for (&va, part) in bo.mapped.range(..end).filter(|(va, part)| *va + part.size > at) {
                cut.gone.push((*handle, va, Arc::clone(part)));
                let Backing::Part(whole, offset) = &part.backing else { continue };
                for (first, last) in [(va, at), (end, va + part.size)] {
                    if first < last {
                        let backing = Backing::Part(Arc::clone(whole), offset + (first - va));
                        cut.rest.push((*handle, gem.memory(first, last - first, part.rights, backing)));
                    }
                }
            }
        }
        cut
    }

    /// Does it, and maps one part more, in one step. False if something that is not the render node's is in the way.
    fn apply(
        self,
        device: &Device,
        objects: &mut BTreeMap<u32, Bo>,
        more: Option<(u32, Arc<MemoryObject>)>,
    ) -> bool {
        let new: Vec<_> = self.rest.into_iter().chain(more).collect();
        let gone: Vec<&MemoryObject> = self.gone.iter().map(|(_, _, part)| &**part).collect();
        if !device.vm.exchange(&gone, new.iter().map(|(_, part)| mapping(part))) {
            return false;
        }
        for (handle, va, _) in &self.gone {
            objects.get_mut(handle).map(|bo| bo.mapped.remove(va));
        }
        for (handle, part) in new {
            objects.get_mut(&handle).map(|bo| bo.mapped.insert(part.va, part));
        }
        true
    }
}

fn mapping(part: &Arc<MemoryObject>) -> Mapping {
    Mapping { va: part.va, len: part.size, host: part.host(), rights: part.rights, object: Arc::clone(part) }
}

/// `struct drm_amdgpu_gem_va`: handle, operation and flags; address, offset in the object, bytes. What is cleared or
/// replaced is what the render node has mapped; mappings of KFD's own are not touched (`EINVAL`).
pub(super) fn va(_: &Process, device: &Device, arg: &mut [u8]) -> Result<(), Errno> {
    let (handle, operation, flags) = (word(arg, 0), word(arg, 8), word(arg, 12));
    let (at, offset, bytes) = (long(arg, 16), long(arg, 24), long(arg, 32));
    let pages = [at, offset, bytes].iter().all(|number| number.is_multiple_of(PAGE));
    let end = at.checked_add(bytes).ok_or(Errno::EINVAL)?;
    if !pages || at < LOWEST || end > HIGHEST {
        return Err(Errno::EINVAL);
    }
    let mut objects = device.gem.objects.lock();
    if operation == CLEAR {
        let cut = Cut::of(&device.gem, &objects, at, end);
        let foreign = device.vm.table().any_in(at, end, |object| object.handle & HANDLES == 0);
        let done = !foreign && cut.apply(device, &mut objects, None);
        return if done { Ok(()) } else { Err(Errno::EINVAL) };
    }
    let bo = objects.get_mut(&handle).ok_or(Errno::ENOENT)?;
    match operation {
        MAP | REPLACE => {
            let inside = offset.checked_add(bytes).is_some_and(|end| end <= bo.memory.size);
            if bytes == 0 || !inside {
                return Err(Errno::EINVAL);
            }
            let rights = Rights {
                write: flags & WRITEABLE != 0,
                execute: flags & EXECUTABLE != 0,
                ..Rights::default()
            };
            let backing = Backing::Part(Arc::clone(&bo.memory), offset);
            let part = device.gem.memory(at, bytes, rights, backing);
            let cut = match operation {
                REPLACE => Cut::of(&device.gem, &objects, at, end),
                _ => Cut::default(),
            };
            if !cut.apply(device, &mut objects, Some((handle, part))) {
                return Err(Errno::EINVAL);
            }
        }
        UNMAP => {
            let part = bo.mapped.get(&at).filter(|part| bytes == 0 || part.size == bytes);
            device.vm.unmap(part.ok_or(Errno::EINVAL)?);
            bo.mapped.remove(&at);
        }
        _ => return Err(Errno::EINVAL),
    }
    Ok(())
}

/// `struct drm_amdgpu_gem_op`: of the operations only `GET_GEM_CREATE_INFO`.
pub(super) fn op(process: &Process, device: &Device, arg: &mut [u8]) -> Result<(), Errno> {
    let (handle, operation, pointer) = (word(arg, 0), word(arg, 4), long(arg, 8));
    let objects = device.gem.objects.lock();
    let bo = objects.get(&handle).ok_or(Errno::ENOENT)?;
    if operation != 0 {
        return Err(Errno::EINVAL);
    }
    process.user.write_array(pointer, &[bo.memory.size, PAGE, bo.domain, 0])
}

/// `struct drm_amdgpu_gem_metadata`: objects have none.
pub(super) fn metadata(_: &Process, device: &Device, arg: &mut [u8]) -> Result<(), Errno> {
    const GET: u32 = 2;
    let (handle, operation) = (word(arg, 0), word(arg, 4));
    if !device.gem.objects.lock().contains_key(&handle) {
        return Err(Errno::ENOENT);
    }
    if operation != GET {
        return Err(Errno::EINVAL);
    }
    put(arg, 8, &[0; 20]);
    Ok(())
}

/// `union drm_amdgpu_gem_wait_idle`: nothing is submitted to a render node, so that nothing is busy.
pub(super) fn wait_idle(_: &Process, device: &Device, arg: &mut [u8]) -> Result<(), Errno> {
    let objects = device.gem.objects.lock();
    let domain = objects.get(&word(arg, 0)).ok_or(Errno::ENOENT)?.domain;
    put(arg, 0, &0u32.to_le_bytes());
    put(arg, 4, &(domain as u32).to_le_bytes());
    Ok(())
}

/// `struct drm_prime_handle`, a handle to a descriptor.
pub(super) fn to_descriptor(process: &Process, device: &Device, arg: &mut [u8]) -> Result<(), Errno> {
    let (handle, flags) = (word(arg, 0), word(arg, 4));
    let memory = Arc::clone(&device.gem.objects.lock().get(&handle).ok_or(Errno::ENOENT)?.memory);
    let close_on_exec = flags & libc::O_CLOEXEC as u32 != 0;
    let descriptor = dmabuf::give(process, device.gpu_id, &memory, close_on_exec)?;
    put(arg, 8, &descriptor.to_le_bytes());
    Ok(())
}

/// The other way round. The same memory has one handle.
pub(super) fn from_descriptor(_: &Process, device: &Device, arg: &mut [u8]) -> Result<(), Errno> {
    let (content, _) = dmabuf::look_at(word(arg, 8))?;
    let origin = content.share_handle;
    let known = |objects: &BTreeMap<u32, Bo>| {
        objects.iter().find(|(_, bo)| bo.origin == Some(origin)).map(|(handle, _)| *handle)
    };
    let known = known(&device.gem.objects.lock());
    let handle = match known {
        Some(handle) => handle,
        None => device.gem.insert(share::take(origin)?, VRAM, Some(origin))?,
    };
    put(arg, 0, &handle.to_le_bytes());
    Ok(())
}
