//! Memory: to have it, to give it back, and what is known of a pointer.

use crate::allocation::{Allocation, Kind};
use crate::device::Device;
use crate::error::{Result, of_runtime, reported};
use crate::ffi::{self, In, Out};
use crate::pool::Pool;
use crate::state::{self, Hip};
use crate::stream::resolve;
use hip_sys::{
    DeviceMallocFlags, HostMallocFlags, INVALID_DEVICE_ID, Major, MemAttachFlags, Numbered, Renumbered as _,
    hipDeviceptr_t, hipError_t, hipExtent, hipMemoryType, hipPitchedPtr, hipPointer_attribute,
    hipPointerAttribute_t, hipStream_t,
};
use rocr_rs::{Memory, PoolKind};
use std::ffi::{c_int, c_uint, c_void};
use std::sync::Arc;

type Ptr = *mut c_void;
type ConstPtr = *const c_void;

/// Rows of pitched memory begin at multiples of this.
const PITCH: usize = 256;

fn pointer(address: u64) -> Ptr {
    std::ptr::with_exposed_provenance_mut(address as usize)
}

fn address(pointer: ConstPtr) -> u64 {
    pointer.expose_provenance() as u64
}

fn out_of_memory(error: &rocr_rs::Error) -> hipError_t {
    match of_runtime(error) {
        hipError_t::UNKNOWN | hipError_t::INVALID_VALUE => hipError_t::OUT_OF_MEMORY,
        other => other,
    }
}

fn add(memory: Memory, size: usize, kind: Kind, device: &Device, flags: u32) -> Result<Arc<Allocation>> {
    let hip = state::hip()?;
    hip.allow_all(&memory)?;
    Ok(hip.allocations.add(memory, size, kind, device.ordinal, flags))
}

/// Coarse-grained memory of a device, if it has that much at all.
fn coarse(device: &Device, size: usize) -> Result<Memory> {
    if size as u64 > device.agent.properties().memory_bytes {
        return Err(hipError_t::OUT_OF_MEMORY);
    }
    let pool = device.agent.pool(PoolKind::CoarseGrained);
    device.recycler.take(size, || pool.allocate(size).map_err(|error| out_of_memory(&error)))
}

fn device_memory(device: &Device, size: usize, pool: PoolKind) -> Result<u64> {
    let (memory, kind) = match pool {
        PoolKind::CoarseGrained => (coarse(device, size)?, Kind::Device),
        _ if size as u64 > device.agent.properties().memory_bytes => return Err(hipError_t::OUT_OF_MEMORY),
        _ => {
            let memory = device.agent.pool(pool).allocate(size).map_err(|error| out_of_memory(&error))?;
            (memory, Kind::FineGrained)
        }
    };
    Ok(add(memory, size, kind, device, 0)?.base)
}

/// Memory that is counted in a pool.
pub fn from_pool(pool: &Arc<Pool>, size: usize) -> Result<Ptr> {
    let hip = state::hip()?;
    let device = hip.device(pool.device)?;
    let memory = coarse(device, size)?;
    hip.allow_all(&memory)?;
    Ok(pointer(hip.allocations.add_pooled(memory, size, pool).base))
}

/// Takes memory from the program: nothing uses it any more.
fn remove(hip: &Hip, address: u64) {
    let Some(allocation) = hip.allocations.remove(address).and_then(Arc::into_inner) else { return };
    let (device, size) = (allocation.device, allocation.size);
    if let (Ok(device), Some(memory)) = (hip.device(device), allocation.into_recyclable()) {
        device.recycler.put(memory, size);
    }
}

fn host_memory(size: usize, kind: Kind, flags: u32) -> Result<u64> {
    let hip = state::hip()?;
    let device = state::current_device()?;
    let apart = kind == Kind::Host && HostMallocFlags(flags).has(HostMallocFlags::NON_COHERENT);
    let grain = if apart { PoolKind::CoarseGrained } else { PoolKind::FineGrained };
    let pool = hip.runtime.cpu_agent().pool(grain);
    let memory = pool.allocate(size).map_err(|error| out_of_memory(&error))?;
    Ok(add(memory, size, kind, device, flags)?.base)
}

pub fn malloc(out: Out<Ptr>, size: usize) -> Result {
    if out.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    if size == 0 {
        return out.set(std::ptr::null_mut());
    }
    out.set(pointer(device_memory(state::current_device()?, size, PoolKind::CoarseGrained)?))
}

pub fn ext_malloc(out: Out<Ptr>, size: usize, flags: c_uint) -> Result {
    let pool = match DeviceMallocFlags(flags) {
        DeviceMallocFlags::DEFAULT => PoolKind::CoarseGrained,
        DeviceMallocFlags::FINEGRAINED => PoolKind::FineGrained,
        DeviceMallocFlags::SIGNAL_MEMORY if size == 8 => PoolKind::FineGrained,
        _ => return Err(hipError_t::INVALID_VALUE),
    };
    if out.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    if size == 0 {
        return out.set(std::ptr::null_mut());
    }
    out.set(pointer(device_memory(state::current_device()?, size, pool)?))
}

pub fn malloc_managed(out: Out<Ptr>, size: usize, flags: c_uint) -> Result {
    if out.is_null()
        || size == 0
        || !matches!(MemAttachFlags(flags), MemAttachFlags::GLOBAL | MemAttachFlags::HOST)
    {
        return Err(hipError_t::INVALID_VALUE);
    }
    crate::graph::refuse_in_capture()?;
    let device = state::current_device()?;
    let (available, _) =
        device.agent.available_memory().map_err(|error| reported("hipMallocManaged", &error))?;
    if size as u64 > available + device.recycler.bytes() as u64 {
        // A device could not have all of it at a time.
        return Err(hipError_t::OUT_OF_MEMORY);
    }
    out.set(pointer(host_memory(size, Kind::Managed, flags)?))
}

fn pitched(width: usize, height: usize) -> Result<(usize, usize)> {
    let pitch = width.checked_next_multiple_of(PITCH).ok_or(hipError_t::INVALID_VALUE)?;
    Ok((pitch, pitch.checked_mul(height).ok_or(hipError_t::OUT_OF_MEMORY)?))
}

pub fn malloc_pitch(out: Out<Ptr>, out_pitch: Out<usize>, width: usize, height: usize) -> Result {
    if out.is_null() || out_pitch.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    if width == 0 || height == 0 {
        out_pitch.set(0)?;
        return out.set(std::ptr::null_mut());
    }
    let (pitch, bytes) = pitched(width, height)?;
    malloc(out, bytes)?;
    out_pitch.set(pitch)
}

pub fn alloc_pitch(out: Out<Ptr>, pitch: Out<usize>, width: usize, height: usize, element: c_uint) -> Result {
    if !matches!(element, 4 | 8 | 16) || width == 0 || height == 0 {
        return Err(hipError_t::INVALID_VALUE);
    }
    malloc_pitch(out, pitch, width, height)
}

pub fn malloc_3d(out: Out<hipPitchedPtr>, extent: hipExtent) -> Result {
    if out.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    let hipExtent { width, height, depth } = extent;
    if width == 0 || height == 0 || depth == 0 {
        return out.set(hipPitchedPtr { ptr: std::ptr::null_mut(), pitch: 0, xsize: width, ysize: height });
    }
    let rows = height.checked_mul(depth).ok_or(hipError_t::OUT_OF_MEMORY)?;
    let (pitch, bytes) = pitched(width, rows)?;
    let base = device_memory(state::current_device()?, bytes, PoolKind::CoarseGrained)?;
    out.set(hipPitchedPtr { ptr: pointer(base), pitch, xsize: width, ysize: height })
}

fn release(address: u64, host_only: bool) -> Result {
    let hip = state::hip()?;
    let allocation = hip.allocations.at(address).ok_or(hipError_t::INVALID_VALUE)?;
    let host = matches!(allocation.kind, Kind::Host);
    let elsewhere = matches!(allocation.kind, Kind::Registered | Kind::Attached | Kind::Mapped);
    if elsewhere || (host_only && !host && allocation.kind != Kind::Managed) {
        return Err(hipError_t::INVALID_VALUE);
    }
    // Since HIP 7 programs see to it themselves that work with memory of a pool is done.
    let waits = !(allocation.is_pooled() && state::major() >= Major::Seven);
    // The table alone holds it from here on.
    drop(allocation);
    if waits {
        crate::tls::may_wait()?;
        // As HIP does: nothing may use the memory any more.
        for device in &hip.devices {
            device.drain();
        }
    }
    remove(hip, address);
    Ok(())
}

pub fn free(pointer: Ptr) -> Result {
    if pointer.is_null() {
        return Ok(());
    }
    release(address(pointer), false)
}

pub fn host_malloc(out: Out<Ptr>, size: usize, flags: c_uint) -> Result {
    use HostMallocFlags as F;
    let known = F::PORTABLE.0
        | F::MAPPED.0
        | F::WRITE_COMBINED.0
        | F::NUMA_USER.0
        | F::COHERENT.0
        | F::NON_COHERENT.0;
    if out.is_null() || flags & !known != 0 || F(flags).has(F(F::COHERENT.0 | F::NON_COHERENT.0)) {
        return Err(hipError_t::INVALID_VALUE);
    }
    if size == 0 {
        return out.set(std::ptr::null_mut());
    }
    out.set(pointer(host_memory(size, Kind::Host, flags)?))
}

pub fn malloc_host(out: Out<Ptr>, size: usize) -> Result {
    host_malloc(out, size, 0)
}

pub fn host_free(pointer: Ptr) -> Result {
    if pointer.is_null() {
        return Ok(());
    }
    release(address(pointer), true)
}

pub fn host_register(pointer: Ptr, size: usize, flags: c_uint) -> Result {
    if pointer.is_null() || size == 0 || flags & !0xf != 0 {
        return Err(hipError_t::INVALID_VALUE);
    }
    let hip = state::hip()?;
    let device = state::current_device()?;
    let host = address(pointer);
    if hip.allocations.at(host).is_some() {
        return Err(hipError_t::HOST_MEMORY_ALREADY_REGISTERED);
    }
    hip.allocations.check(host, size)?;
    let memory = hip.runtime.lock(host, size).map_err(|error| reported("hipHostRegister", &error))?;
    hip.allocations.add_registered(memory, device.ordinal, flags);
    Ok(())
}

pub fn host_unregister(pointer: Ptr) -> Result {
    if pointer.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    let hip = state::hip()?;
    match hip.allocations.at(address(pointer)) {
        Some(allocation) if allocation.kind == Kind::Registered => {
            crate::tls::may_wait()?;
            for device in &hip.devices {
                device.drain();
            }
            hip.allocations.remove(allocation.base);
            Ok(())
        }
        _ => Err(hipError_t::HOST_MEMORY_NOT_REGISTERED),
    }
}

fn find(pointer: ConstPtr) -> Result<Arc<Allocation>> {
    state::hip()?.allocations.find(address(pointer)).ok_or(hipError_t::INVALID_VALUE)
}

fn is_host(allocation: &Allocation) -> bool {
    matches!(allocation.kind, Kind::Host | Kind::Registered)
}

pub fn host_device_pointer(device: Out<Ptr>, host: Ptr, flags: c_uint) -> Result {
    if flags != 0 || host.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    find(host)?;
    device.set(host)
}

pub fn host_flags(flags: Out<c_uint>, host: Ptr) -> Result {
    let allocation = find(host)?;
    if !is_host(&allocation) {
        return Err(hipError_t::INVALID_VALUE);
    }
    flags.set(allocation.flags)
}

pub fn malloc_async(out: Out<Ptr>, size: usize, stream: hipStream_t) -> Result {
    if out.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    if size == 0 {
        return out.set(std::ptr::null_mut());
    }
    let stream = resolve(stream)?;
    // Nodes for memory are missing: what is allocated now would not be the graph's.
    stream.must_not_capture()?;
    let device = stream.device()?;
    out.set(from_pool(&state::hip()?.pools.of_device(device.ordinal).1, size)?)
}

pub fn free_async(pointer: Ptr, stream: hipStream_t) -> Result {
    if pointer.is_null() {
        return if state::major() < Major::Seven { Err(hipError_t::INVALID_VALUE) } else { Ok(()) };
    }
    let base = address(pointer);
    let hip = state::hip()?;
    match hip.allocations.at(base) {
        Some(allocation) if matches!(allocation.kind, Kind::Device | Kind::FineGrained) => {}
        _ => return Err(hipError_t::INVALID_VALUE),
    }
    let stream = resolve(stream)?;
    // What is freed now, a graph that uses it would miss.
    stream.must_not_capture()?;
    stream.host(true, move |_| remove(hip, base))
}

pub fn info(free: Out<usize>, total: Out<usize>) -> Result {
    if free.is_null() || total.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    let device = state::current_device()?;
    let (available, all) =
        device.agent.available_memory().map_err(|error| reported("hipMemGetInfo", &error))?;
    // What the program has not asked for does not change it: code that is loaded with a kernel's first launch, scratch.
    let own = device.agent.runtime_memory();
    free.set((available + own).min(all) as usize + device.recycler.bytes())?;
    total.set(all as usize)
}

pub fn pointer_size(pointer: Ptr, size: Out<usize>) -> Result {
    if size.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    size.set(find(pointer)?.size)
}

pub fn address_range(base: Out<hipDeviceptr_t>, size: Out<usize>, pointer: hipDeviceptr_t) -> Result {
    let allocation = find(pointer.0).map_err(|_| hipError_t::NOT_FOUND)?;
    base.set_if_wanted(hipDeviceptr_t::from_bits(allocation.base as usize));
    size.set_if_wanted(allocation.size);
    Ok(())
}

pub fn pointer_attributes(attributes: Out<hipPointerAttribute_t>, ptr: ConstPtr) -> Result {
    let major = state::major();
    if attributes.is_null() || (ptr.is_null() && major < Major::Seven) {
        return if major < Major::Seven { Err(hipError_t::INVALID_VALUE) } else { Ok(()) };
    }
    let allocation = match find(ptr) {
        Ok(allocation) => allocation,
        Err(error) if major < Major::Six => return Err(error),
        Err(_) => {
            return attributes.set(hipPointerAttribute_t {
                memoryType: Numbered::new(hipMemoryType::UNREGISTERED, major),
                device: INVALID_DEVICE_ID,
                devicePointer: std::ptr::null_mut(),
                hostPointer: std::ptr::null_mut(),
                isManaged: 0,
                allocationFlags: 0,
            });
        }
    };
    let host = if allocation.is_on_device() { std::ptr::null_mut() } else { ptr.cast_mut() };
    attributes.set(hipPointerAttribute_t {
        memoryType: Numbered::new(memory_type(&allocation), major),
        device: allocation.device as c_int,
        devicePointer: ptr.cast_mut(),
        hostPointer: host,
        isManaged: c_int::from(allocation.kind == Kind::Managed),
        allocationFlags: allocation.flags,
    })
}

fn memory_type(allocation: &Allocation) -> hipMemoryType {
    match allocation.kind {
        Kind::Managed => hipMemoryType::MANAGED,
        _ if is_host(allocation) => hipMemoryType::HOST,
        _ => hipMemoryType::DEVICE,
    }
}

pub fn pointer_attribute(data: Ptr, attribute: hipPointer_attribute, ptr: hipDeviceptr_t) -> Result {
    use hipPointer_attribute as A;
    if data.is_null() || ptr == hipDeviceptr_t::NULL {
        return Err(hipError_t::INVALID_VALUE);
    }
    let found = find(ptr.0);
    if attribute == A::MAPPED {
        ffi::write_bytes(address(data), &[u8::from(found.is_ok())]);
        return Ok(());
    }
    let allocation = found?;
    let word = |value: u64, bytes: usize| {
        ffi::write_bytes(address(data), &value.to_le_bytes()[..bytes]);
        Ok(())
    };
    match attribute {
        A::MEMORY_TYPE => word(u64::from(memory_type(&allocation).number(state::major())), 4),
        A::DEVICE_POINTER => word(address(ptr.0), 8),
        A::HOST_POINTER if allocation.is_on_device() => Err(hipError_t::INVALID_VALUE),
        A::HOST_POINTER => word(address(ptr.0), 8),
        A::SYNC_MEMOPS => word(0, 4),
        A::BUFFER_ID => word(allocation.id, 8),
        A::IS_MANAGED => word(u64::from(allocation.kind == Kind::Managed), 1),
        A::DEVICE_ORDINAL => word(allocation.device as u64, 4),
        A::RANGE_START_ADDR => word(allocation.base, 8),
        A::RANGE_SIZE => word(allocation.size as u64, 8),
        A::ACCESS_FLAGS => word(3, 4),
        A::CONTEXT
        | A::P2P_TOKENS
        | A::IS_LEGACY_HIP_IPC_CAPABLE
        | A::ALLOWED_HANDLE_TYPES
        | A::IS_GPU_DIRECT_RDMA_CAPABLE
        | A::MEMPOOL_HANDLE => Err(hipError_t::NOT_SUPPORTED),
        _ => Err(hipError_t::INVALID_VALUE),
    }
}

pub fn drv_pointer_attributes(
    count: c_uint,
    attributes: In<hipPointer_attribute>,
    data: In<Ptr>,
    pointer: hipDeviceptr_t,
) -> Result {
    if count == 0 || pointer == hipDeviceptr_t::NULL {
        return Err(hipError_t::INVALID_VALUE);
    }
    for at in 0..count as usize {
        // One that does not apply leaves its place as it was.
        let _ = pointer_attribute(data.at(at)?, attributes.at(at)?, pointer);
    }
    Ok(())
}

pub fn attach(stream: hipStream_t, pointer: Ptr, size: usize, flags: c_uint) -> Result {
    resolve(stream)?;
    if pointer.is_null() || !matches!(flags, 1 | 2 | 4) {
        return Err(hipError_t::INVALID_VALUE);
    }
    super::advice::managed_range(pointer, size).map(drop)
}
