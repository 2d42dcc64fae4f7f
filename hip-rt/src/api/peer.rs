//! Devices among themselves. All memory of this runtime has one address everywhere; peers get access when memory is
//! allocated.

use crate::device::Device;
use crate::error::Result;
use crate::ffi::Out;
use crate::state;
use hip_sys::{hipDeviceP2PAttr, hipError_t, hipMemcpyKind, hipStream_t};
use rocr_rs::IoLink;
use std::ffi::{c_int, c_uint, c_void};

/// The link between two devices; `None` where the one does not reach the other, or both are the same.
fn between(device: c_int, peer: c_int) -> Result<Option<IoLink>> {
    let hip = state::hip()?;
    Ok(link_of(hip.device_of(device)?, hip.device_of(peer)?))
}

fn link_of(device: &Device, peer: &Device) -> Option<IoLink> {
    (device.ordinal != peer.ordinal).then(|| device.agent.links_to(&peer.agent))?.into_iter().next()
}

pub fn can_access(can: Out<c_int>, device: c_int, peer: c_int) -> Result {
    can.set(c_int::from(between(device, peer)?.is_some()))
}

pub fn enable(peer: c_int, flags: c_uint) -> Result {
    let device = state::current_device()?;
    if flags != 0 {
        return Err(hipError_t::INVALID_VALUE);
    }
    let peer = state::hip()?.device_of(peer)?;
    if link_of(device, peer).is_none() {
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
    let link = between(source, destination)?;
    if source == destination {
        return Err(hipError_t::INVALID_DEVICE);
    }
    value.set(match attribute {
        // As AMD's runtime has it: by the kind of the link.
        hipDeviceP2PAttr::PERFORMANCE_RANK => link.map_or(0, |link| link.hsa_type().cast_signed()),
        hipDeviceP2PAttr::ACCESS_SUPPORTED => c_int::from(link.is_some()),
        // 1: of 32 bits, 2: of 64 bits too.
        hipDeviceP2PAttr::NATIVE_ATOMIC_SUPPORTED => {
            link.map_or(0, |link| if link.has_atomics() { 2 } else { 0 })
        }
        // Arrays are memory of a device like any other.
        hipDeviceP2PAttr::HIP_ARRAY_ACCESS_SUPPORTED => {
            let hip = state::hip()?;
            let both =
                hip.device_of(source)?.agent.has_images() && hip.device_of(destination)?.agent.has_images();
            c_int::from(link.is_some() && both)
        }
        _ => return Err(hipError_t::INVALID_VALUE),
    })
}

pub fn link(first: c_int, second: c_int, kind: Out<c_uint>, hops: Out<c_uint>) -> Result {
    if first == second {
        return Err(hipError_t::INVALID_VALUE);
    }
    let link = between(first, second)?.ok_or(hipError_t::INVALID_DEVICE)?;
    kind.set(link.hsa_type())?;
    hops.set(1)
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
