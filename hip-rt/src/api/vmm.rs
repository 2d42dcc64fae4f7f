//! Virtual memory: addresses are reserved, memory is made without one, and the program says what lies where, and which
//! device may use it.

use crate::allocation::Kind;
use crate::error::{Result, reported};
use crate::ffi::{self, In, Out};
use crate::state::{self, Hip};
use hip_sys::{
    Major, hipError_t, hipMemAccessDesc, hipMemAccessFlags, hipMemAllocationFlags,
    hipMemAllocationGranularity_flags, hipMemAllocationHandleType, hipMemAllocationProp,
    hipMemAllocationPropR0000, hipMemAllocationType, hipMemGenericAllocationHandle_t, hipMemLocation,
    hipMemLocationType,
};
use parking_lot::Mutex;
use rocr_rs::{Access, MemoryHandle, PoolKind};
use std::collections::BTreeMap;
use std::ffi::{c_ulonglong, c_void};
use std::sync::Arc;

type Ptr = *mut c_void;

/// Bytes that memory and addresses come in.
const PAGE: usize = 4096;
/// What makes page tables small.
const LARGE_PAGE: usize = 2 << 20;

/// Memory that the program holds, by handle: how often, on which device, and as it was asked for.
#[derive(Default)]
pub struct VirtualMemory {
    held: Mutex<BTreeMap<usize, Held>>,
}

struct Held {
    memory: Arc<MemoryHandle>,
    device: usize,
    handles: hipMemAllocationHandleType,
    count: u64,
}

impl VirtualMemory {
    fn add(&self, memory: Arc<MemoryHandle>, device: usize, handles: hipMemAllocationHandleType) -> usize {
        let handle = Arc::as_ptr(&memory).addr();
        let mut held = self.held.lock();
        held.entry(handle).or_insert(Held { memory, device, handles, count: 0 }).count += 1;
        handle
    }

    fn with<T>(&self, handle: hipMemGenericAllocationHandle_t, work: impl FnOnce(&Held) -> T) -> Result<T> {
        self.held.lock().get(&handle.bits()).map(work).ok_or(hipError_t::INVALID_VALUE)
    }
}

fn refused(error: rocr_rs::Error) -> hipError_t {
    use rocr_rs::Error as E;
    match error {
        E::InvalidArgument { .. } | E::UnknownAddress { .. } | E::InUse { .. } => hipError_t::INVALID_VALUE,
        E::Allocation { .. } => hipError_t::OUT_OF_MEMORY,
        other => reported("virtual memory", &other),
    }
}

fn is_whole(size: usize) -> bool {
    size != 0 && size.is_multiple_of(PAGE)
}

fn va(pointer: Ptr) -> u64 {
    pointer.expose_provenance() as u64
}

/// The ordinal of the device that a description of memory names.
fn device_of(hip: &Hip, location: &hipMemLocation) -> Result<usize> {
    if location.type_ != hipMemLocationType::DEVICE {
        return Err(hipError_t::INVALID_VALUE);
    }
    hip.device_of(location.id).map(|device| device.ordinal).map_err(|_| hipError_t::INVALID_VALUE)
}

/// HIP 6 put the fields into another order.
fn properties_of(prop: In<hipMemAllocationProp>) -> Result<hipMemAllocationProp> {
    match state::major() {
        Major::Five => Ok(prop.cast::<hipMemAllocationPropR0000>().get()?.into()),
        Major::Six | Major::Seven => prop.get(),
    }
}

pub fn granularity(
    out: Out<usize>,
    prop: In<hipMemAllocationProp>,
    option: hipMemAllocationGranularity_flags,
) -> Result {
    let prop = properties_of(prop)?;
    if prop.type_ != hipMemAllocationType::PINNED {
        return Err(hipError_t::INVALID_VALUE);
    }
    device_of(state::hip()?, &prop.location)?;
    out.set(match option {
        hipMemAllocationGranularity_flags::MINIMUM => PAGE,
        hipMemAllocationGranularity_flags::RECOMMENDED => LARGE_PAGE,
        _ => return Err(hipError_t::INVALID_VALUE),
    })
}

pub fn reserve(out: Out<Ptr>, size: usize, alignment: usize, wanted: Ptr, flags: c_ulonglong) -> Result {
    if out.is_null() || flags != 0 || !is_whole(size) || (alignment != 0 && !alignment.is_power_of_two()) {
        return Err(hipError_t::INVALID_VALUE);
    }
    let wanted = (!wanted.is_null()).then(|| va(wanted));
    let hip = state::hip()?;
    let found = hip.runtime.reserve_addresses(size as u64, alignment as u64, wanted).map_err(refused)?;
    hip.allocations.reserve(found, size as u64);
    out.set(std::ptr::with_exposed_provenance_mut(found as usize))
}

pub fn free_addresses(pointer: Ptr, size: usize) -> Result {
    if pointer.is_null() || size == 0 {
        return Err(hipError_t::INVALID_VALUE);
    }
    let hip = state::hip()?;
    hip.runtime.release_addresses(va(pointer), size as u64).map_err(refused)?;
    hip.allocations.unreserve(va(pointer));
    Ok(())
}

pub fn create(
    out: Out<hipMemGenericAllocationHandle_t>,
    size: usize,
    prop: In<hipMemAllocationProp>,
    flags: c_ulonglong,
) -> Result {
    let prop = properties_of(prop)?;
    if out.is_null() || flags != 0 || !is_whole(size) || prop.type_ != hipMemAllocationType::PINNED {
        return Err(hipError_t::INVALID_VALUE);
    }
    let hip = state::hip()?;
    let device = device_of(hip, &prop.location)?;
    let pool = hip.device(device)?.agent.pool(PoolKind::CoarseGrained);
    let memory = hip.runtime.create_memory(&pool, size as u64, true).map_err(refused)?;
    let handle = hip.virtual_memory.add(memory, device, prop.requestedHandleType);
    out.set(hipMemGenericAllocationHandle_t::from_bits(handle))
}

pub fn release(handle: hipMemGenericAllocationHandle_t) -> Result {
    let mut all = state::hip()?.virtual_memory.held.lock();
    let held = all.get_mut(&handle.bits()).ok_or(hipError_t::INVALID_VALUE)?;
    held.count -= 1;
    // What is mapped stays until it is unmapped.
    let gone = if held.count == 0 { all.remove(&handle.bits()) } else { None };
    drop(all);
    drop(gone);
    Ok(())
}

pub fn retain(out: Out<hipMemGenericAllocationHandle_t>, pointer: Ptr) -> Result {
    if out.is_null() || pointer.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    let hip = state::hip()?;
    let memory = hip.runtime.mapped_memory(va(pointer)).ok_or(hipError_t::INVALID_VALUE)?;
    let device = hip.allocations.at(va(pointer)).map_or(0, |allocation| allocation.device);
    let handle = hip.virtual_memory.add(memory, device, hipMemAllocationHandleType::NONE);
    out.set(hipMemGenericAllocationHandle_t::from_bits(handle))
}

pub fn properties(out: Out<hipMemAllocationProp>, handle: hipMemGenericAllocationHandle_t) -> Result {
    if out.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    let (device, handles) = state::hip()?.virtual_memory.with(handle, |held| (held.device, held.handles))?;
    let found = hipMemAllocationProp {
        type_: hipMemAllocationType::PINNED,
        requestedHandleType: handles,
        location: hipMemLocation { type_: hipMemLocationType::DEVICE, id: device as i32 },
        win32HandleMetaData: std::ptr::null_mut(),
        allocFlags: hipMemAllocationFlags::default(),
    };
    match state::major() {
        Major::Five => out.cast::<hipMemAllocationPropR0000>().set(found.into()),
        Major::Six | Major::Seven => out.set(found),
    }
}

pub fn map(
    pointer: Ptr,
    size: usize,
    offset: usize,
    handle: hipMemGenericAllocationHandle_t,
    flags: c_ulonglong,
) -> Result {
    if pointer.is_null() || flags != 0 || !is_whole(size) || offset != 0 {
        return Err(hipError_t::INVALID_VALUE);
    }
    let hip = state::hip()?;
    let (memory, device) = hip.virtual_memory.with(handle, |held| (held.memory.clone(), held.device))?;
    hip.runtime.map_memory(va(pointer), size as u64, 0, &memory).map_err(refused)?;
    hip.allocations.add_mapped(va(pointer), size, device);
    Ok(())
}

pub fn unmap(pointer: Ptr, size: usize) -> Result {
    if pointer.is_null() || !is_whole(size) {
        return Err(hipError_t::INVALID_VALUE);
    }
    crate::tls::may_wait()?;
    let hip = state::hip()?;
    for device in &hip.devices {
        device.drain();
    }
    let begin = va(pointer);
    let end = begin.checked_add(size as u64).ok_or(hipError_t::INVALID_VALUE)?;
    // Several mappings may lie in the range, whole.
    let mapped: Vec<_> = hip.allocations.within(begin, end, Kind::Mapped);
    let bytes: u64 = mapped.iter().map(|allocation| allocation.size as u64).sum();
    if bytes != size as u64 {
        return Err(hipError_t::INVALID_VALUE);
    }
    for allocation in mapped {
        hip.runtime.unmap_memory(allocation.base, allocation.size as u64).map_err(refused)?;
        hip.allocations.remove(allocation.base);
    }
    Ok(())
}

pub fn set_access(pointer: Ptr, size: usize, list: In<hipMemAccessDesc>, count: usize) -> Result {
    if pointer.is_null() || size == 0 || count == 0 {
        return Err(hipError_t::INVALID_VALUE);
    }
    let hip = state::hip()?;
    let mut access = Vec::new();
    let mut host = Access::None;
    for index in 0..count {
        let wanted = list.at(index)?;
        let device = device_of(hip, &wanted.location)?;
        let allowed = match wanted.flags {
            hipMemAccessFlags::PROT_NONE => Access::None,
            hipMemAccessFlags::PROT_READ => Access::ReadOnly,
            hipMemAccessFlags::PROT_READ_WRITE => Access::ReadWrite,
            _ => return Err(hipError_t::INVALID_VALUE),
        };
        if allowed != Access::None {
            host = Access::ReadWrite;
        }
        access.push((hip.device(device)?.agent.clone(), allowed));
    }
    // The host does the copies.
    access.push((hip.runtime.cpu_agent(), host));
    hip.runtime.set_access(va(pointer), size as u64, &access).map_err(refused)
}

pub fn get_access(flags: Out<c_ulonglong>, at: In<hipMemLocation>, pointer: Ptr) -> Result {
    if flags.is_null() || pointer.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    let hip = state::hip()?;
    let device = hip.device(device_of(hip, &at.get()?)?)?;
    let access = hip.runtime.access(va(pointer), &device.agent).ok_or(hipError_t::INVALID_VALUE)?;
    flags.set(u64::from(match access {
        Access::None => hipMemAccessFlags::PROT_NONE.0,
        Access::ReadOnly => hipMemAccessFlags::PROT_READ.0,
        Access::WriteOnly | Access::ReadWrite => hipMemAccessFlags::PROT_READ_WRITE.0,
    }))
}

fn must_be_descriptor(kind: hipMemAllocationHandleType) -> Result {
    if kind == hipMemAllocationHandleType::POSIX_FILE_DESCRIPTOR {
        Ok(())
    } else {
        Err(hipError_t::INVALID_VALUE)
    }
}

pub fn export(
    out: Ptr,
    handle: hipMemGenericAllocationHandle_t,
    kind: hipMemAllocationHandleType,
    flags: c_ulonglong,
) -> Result {
    must_be_descriptor(kind)?;
    if out.is_null() || flags != 0 {
        return Err(hipError_t::INVALID_VALUE);
    }
    let memory = state::hip()?.virtual_memory.with(handle, |held| held.memory.clone())?;
    let descriptor = memory.export().map_err(refused)?;
    ffi::write_bytes(va(out), &ffi::give_descriptor(descriptor).to_le_bytes());
    Ok(())
}

pub fn import(
    out: Out<hipMemGenericAllocationHandle_t>,
    descriptor: Ptr,
    kind: hipMemAllocationHandleType,
) -> Result {
    must_be_descriptor(kind)?;
    let number = i32::try_from(descriptor.addr()).map_err(|_| hipError_t::INVALID_VALUE)?;
    let hip = state::hip()?;
    let memory = ffi::with_descriptor(number, |dmabuf| hip.runtime.import_memory(dmabuf)).map_err(refused)?;
    let agent = memory.pool(&hip.runtime).agent().clone();
    let device = hip.devices.iter().find(|device| device.agent == agent).ok_or(hipError_t::INVALID_VALUE)?;
    let handle = hip.virtual_memory.add(memory, device.ordinal, kind);
    out.set(hipMemGenericAllocationHandle_t::from_bits(handle))
}
