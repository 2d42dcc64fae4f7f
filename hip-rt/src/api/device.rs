//! Devices.

use crate::error::Result;
use crate::ffi::{Out, Text};
use crate::{state, tls};
use hip_sys::{Major, hipDevice_t, hipError_t, hipFuncCache_t, hipLimit_t, hipSharedMemConfig, hipUUID};
use std::ffi::{c_char, c_int, c_uint};

/// The version that programs see, as the headers count it: that of Debian's HIP 5, and the last of HIP 6 and 7 whose names
/// the library exports.
fn hip_version() -> c_int {
    match state::major() {
        Major::Five => 50_221_153,
        Major::Six => 60_443_484,
        Major::Seven => 70_253_211,
    }
}

pub fn init(flags: c_uint) -> Result {
    if flags != 0 {
        return Err(hipError_t::INVALID_VALUE);
    }
    if state::hip()?.devices.is_empty() { Err(hipError_t::NO_DEVICE) } else { Ok(()) }
}

pub fn driver_version(version: Out<c_int>) -> Result {
    version.set(hip_version())
}

pub fn runtime_version(version: Out<c_int>) -> Result {
    version.set(hip_version())
}

pub fn count(count: Out<c_int>) -> Result {
    let found = state::hip().map(|hip| hip.devices.len());
    count.set(found.unwrap_or(0) as c_int)?;
    match found {
        Ok(1..) => Ok(()),
        _ => Err(hipError_t::NO_DEVICE),
    }
}

pub fn get(device: Out<c_int>) -> Result {
    if device.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    if state::hip()?.devices.is_empty() {
        return Err(hipError_t::NO_DEVICE);
    }
    device.set(tls::device() as c_int)
}

pub fn set(device: c_int) -> Result {
    let device = state::hip()?.device_of(device)?;
    tls::set_device(device.ordinal);
    Ok(())
}

pub fn get_by_ordinal(device: Out<hipDevice_t>, ordinal: c_int) -> Result {
    device.set(state::hip()?.device_of(ordinal)?.ordinal as hipDevice_t)
}

pub fn synchronize() -> Result {
    state::current_device()?.synchronize()
}

pub fn reset() -> Result {
    let device = state::current_device()?;
    tls::may_wait()?;
    device.drain();
    // What stopped is forgotten; memory stays, as in HIP.
    for stream in device.streams() {
        let _ = stream.synchronize();
    }
    Ok(())
}

pub fn get_flags(flags: Out<c_uint>) -> Result {
    flags.set(state::current_device()?.settings.lock().flags)
}

pub fn set_flags(flags: c_uint) -> Result {
    use hip_sys::DeviceFlags as F;
    let known = F::SCHEDULE_MASK.0 | F::MAP_HOST.0 | F::LMEM_RESIZE_TO_MAX.0;
    if flags & !known != 0 || (flags & F::SCHEDULE_MASK.0).count_ones() > 1 {
        return Err(hipError_t::INVALID_VALUE);
    }
    state::current_device()?.settings.lock().flags = flags;
    Ok(())
}

pub fn name(name: Out<c_char>, len: c_int, device: hipDevice_t) -> Result {
    let len = usize::try_from(len).map_err(|_| hipError_t::INVALID_VALUE)?;
    let device = state::hip()?.device_of(device)?;
    name.set_text(&super::properties::product_name(device), len)
}

pub fn uuid(uuid: Out<hipUUID>, device: hipDevice_t) -> Result {
    let device = state::hip()?.device_of(device)?;
    uuid.set(super::properties::uuid(device))
}

pub fn pci_bus_id(text: Out<c_char>, len: c_int, device: c_int) -> Result {
    let device = state::hip()?.device_of(device)?;
    let len = usize::try_from(len).map_err(|_| hipError_t::INVALID_VALUE)?;
    let pci = device.agent.properties().pci;
    text.set_text(&format!("{:04x}:{:02x}:{:02x}.{:x}", pci.domain, pci.bus, pci.device, pci.function), len)
}

pub fn by_pci_bus_id(out: Out<c_int>, text: Text) -> Result {
    let text = text.get()?;
    let mut parts = text.split([':', '.']).map(|part| u32::from_str_radix(part, 16));
    let (Some(Ok(domain)), Some(Ok(bus)), Some(Ok(slot))) = (parts.next(), parts.next(), parts.next()) else {
        return Err(hipError_t::INVALID_VALUE);
    };
    let found = state::hip()?.devices.iter().find(|device| {
        let pci = device.agent.properties().pci;
        (pci.domain, u32::from(pci.bus), u32::from(pci.device)) == (domain, bus, slot)
    });
    out.set(found.ok_or(hipError_t::INVALID_VALUE)?.ordinal as c_int)
}

pub fn total_memory(bytes: Out<usize>, device: hipDevice_t) -> Result {
    bytes.set(state::hip()?.device_of(device)?.agent.properties().memory_bytes as usize)
}

pub fn compute_capability(major: Out<c_int>, minor: Out<c_int>, device: hipDevice_t) -> Result {
    let (of_major, of_minor, _) = state::hip()?.device_of(device)?.agent.properties().gfx_version;
    major.set(of_major as c_int)?;
    minor.set(of_minor as c_int)
}

pub fn get_cache_config(config: Out<hipFuncCache_t>) -> Result {
    config.set(state::current_device()?.settings.lock().cache)
}

pub fn set_cache_config(config: hipFuncCache_t) -> Result {
    crate::graph::refuse_in_capture()?;
    state::current_device()?.settings.lock().cache = config;
    Ok(())
}

pub fn get_shared_config(config: Out<hipSharedMemConfig>) -> Result {
    config.set(state::current_device()?.settings.lock().shared)
}

pub fn set_shared_config(config: hipSharedMemConfig) -> Result {
    crate::graph::refuse_in_capture()?;
    state::current_device()?.settings.lock().shared = config;
    Ok(())
}

pub fn get_limit(value: Out<usize>, limit: hipLimit_t) -> Result {
    let settings = state::current_device()?.settings.lock().clone();
    value.set(match limit {
        hipLimit_t::MALLOC_HEAP_SIZE => settings.heap,
        hipLimit_t::PRINTF_FIFO_SIZE => settings.fifo,
        hipLimit_t::STACK_SIZE => settings.stack,
        _ => return Err(hipError_t::UNSUPPORTED_LIMIT),
    })
}

pub fn set_limit(limit: hipLimit_t, value: usize) -> Result {
    let mut settings = state::current_device()?.settings.lock();
    match limit {
        hipLimit_t::MALLOC_HEAP_SIZE => settings.heap = value,
        hipLimit_t::PRINTF_FIFO_SIZE => settings.fifo = value,
        hipLimit_t::STACK_SIZE if value <= 256 << 10 => settings.stack = value,
        hipLimit_t::STACK_SIZE => return Err(hipError_t::INVALID_VALUE),
        _ => return Err(hipError_t::UNSUPPORTED_LIMIT),
    }
    Ok(())
}

pub fn stream_priority_range(least: Out<c_int>, greatest: Out<c_int>) -> Result {
    state::current_device()?;
    least.set_if_wanted(1);
    greatest.set_if_wanted(-1);
    Ok(())
}

pub fn profiler() -> Result {
    Ok(())
}
