//! Devices among themselves. All memory of this runtime has one address everywhere; peers get access when memory is
//! allocated.

use crate::error::Result;
use crate::ffi::Out;
use crate::state;
use hip_sys::{hipDeviceP2PAttr, hipError_t, hipMemcpyKind, hipStream_t};
use std::ffi::{c_int, c_uint, c_void};

pub fn can_access(can: Out<c_int>, device: c_int, peer: c_int) -> Result {
    let hip = state::hip()?;
    hip.device_of(device)?;
    hip.device_of(peer)?;
    can.set(c_int::from(device != peer))
}

pub fn enable(peer: c_int, flags: c_uint) -> Result {
    let device = state::current_device()?;
    if flags != 0 {
        return Err(hipError_t::INVALID_VALUE);
    }
    let peer = state::hip()?.device_of(peer)?;
    if peer.ordinal == device.ordinal {
        return Err(hipError_t::INVALID_DEVICE);
    }
    if !device.settings.lock().peers.insert(peer.ordinal) {
        return Err(hipError_t::PEER_ACCESS_ALREADY_ENABLED);
    }
    Ok(())
}

pub fn disable(peer: c_int) -> Result {
    let device = state::current_device()?;
    let peer = state::hip()?.device_of(peer)?;
    if !device.settings.lock().peers.remove(&peer.ordinal) {
        return Err(hipError_t::PEER_ACCESS_NOT_ENABLED);
    }
    Ok(())
}

pub fn attribute(
    value: Out<c_int>,
    attribute: hipDeviceP2PAttr,
    source: c_int,
    destination: c_int,
) -> Result {
    let hip = state::hip()?;
    hip.device_of(source)?;
    hip.device_of(destination)?;
    if source == destination {
        return Err(hipError_t::INVALID_DEVICE);
    }
    value.set(match attribute {
        hipDeviceP2PAttr::PERFORMANCE_RANK => 0,
        hipDeviceP2PAttr::ACCESS_SUPPORTED | hipDeviceP2PAttr::NATIVE_ATOMIC_SUPPORTED => 1,
        hipDeviceP2PAttr::HIP_ARRAY_ACCESS_SUPPORTED => 0,
        _ => return Err(hipError_t::INVALID_VALUE),
    })
}

pub fn link(first: c_int, second: c_int, kind: Out<c_uint>, hops: Out<c_uint>) -> Result {
    /// `HSA_AMD_LINK_INFO_TYPE_PCIE`
    const PCIE: c_uint = 2;
    let hip = state::hip()?;
    hip.device_of(first)?;
    hip.device_of(second)?;
    if first == second {
        return Err(hipError_t::INVALID_VALUE);
    }
    kind.set(PCIE)?;
    hops.set(2)
}

pub fn copy(
    to: *mut c_void,
    to_device: c_int,
    from: *const c_void,
    from_device: c_int,
    size: usize,
) -> Result {
    let hip = state::hip()?;
    crate::tls::may_wait()?;
    hip.device_of(to_device)?.null_stream().drain();
    hip.device_of(from_device)?.null_stream().drain();
    super::copy::linear(to, from, size, hipMemcpyKind::DEVICE_TO_DEVICE)
}

pub fn copy_async(
    to: *mut c_void,
    to_device: c_int,
    from: *const c_void,
    from_device: c_int,
    size: usize,
    stream: hipStream_t,
) -> Result {
    let hip = state::hip()?;
    hip.device_of(to_device)?;
    hip.device_of(from_device)?;
    super::copy::linear_async(to, from, size, hipMemcpyKind::DEVICE_TO_DEVICE, stream)
}
