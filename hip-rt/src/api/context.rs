//! Contexts: in HIP a context is a device. A handle is the device's ordinal plus one.

use super::device;
use crate::error::Result;
use crate::ffi::Out;
use crate::{state, tls};
use hip_sys::{hipCtx_t, hipDevice_t, hipError_t, hipFuncCache_t, hipSharedMemConfig};
use std::ffi::{c_int, c_uint};

fn handle(ordinal: usize) -> hipCtx_t {
    hipCtx_t::from_bits(ordinal + 1)
}

fn ordinal(context: hipCtx_t) -> Result<usize> {
    let ordinal = context.bits().checked_sub(1).ok_or(hipError_t::INVALID_CONTEXT)?;
    state::hip()?.device(ordinal).map(|device| device.ordinal).map_err(|_| hipError_t::INVALID_CONTEXT)
}

pub fn create(context: Out<hipCtx_t>, flags: c_uint, device: hipDevice_t) -> Result {
    let device = state::hip()?.device_of(device).map_err(|_| hipError_t::INVALID_VALUE)?;
    context.set(handle(device.ordinal))?;
    device.settings.lock().flags = flags;
    tls::with_contexts(|contexts| contexts.push(device.ordinal));
    tls::set_device(device.ordinal);
    Ok(())
}

pub fn destroy(context: hipCtx_t) -> Result {
    if context == hipCtx_t::NULL {
        return Err(hipError_t::INVALID_VALUE);
    }
    let ordinal = ordinal(context)?;
    tls::with_contexts(|contexts| {
        if contexts.last() == Some(&ordinal) {
            contexts.pop();
        }
    });
    Ok(())
}

pub fn push(context: hipCtx_t) -> Result {
    let ordinal = ordinal(context)?;
    tls::with_contexts(|contexts| contexts.push(ordinal));
    tls::set_device(ordinal);
    Ok(())
}

pub fn pop(context: Out<hipCtx_t>) -> Result {
    let popped = tls::with_contexts(|contexts| {
        let popped = contexts.pop();
        (popped, contexts.last().copied())
    });
    let (Some(ordinal), next) = popped else { return Err(hipError_t::INVALID_CONTEXT) };
    tls::set_device(next.unwrap_or(0));
    context.set_if_wanted(handle(ordinal));
    Ok(())
}

pub fn set_current(context: hipCtx_t) -> Result {
    if context == hipCtx_t::NULL {
        tls::with_contexts(Vec::pop);
        return Ok(());
    }
    let ordinal = ordinal(context)?;
    tls::with_contexts(|contexts| {
        contexts.pop();
        contexts.push(ordinal);
    });
    tls::set_device(ordinal);
    Ok(())
}

pub fn get_current(context: Out<hipCtx_t>) -> Result {
    context.set(handle(state::current_device()?.ordinal))
}

pub fn get_device(out: Out<hipDevice_t>) -> Result {
    out.set(state::current_device()?.ordinal as hipDevice_t)
}

pub fn api_version(_: hipCtx_t, version: Out<c_int>) -> Result {
    version.set(4)
}

pub fn get_flags(flags: Out<c_uint>) -> Result {
    device::get_flags(flags)
}

pub fn synchronize() -> Result {
    device::synchronize()
}

pub fn get_cache_config(config: Out<hipFuncCache_t>) -> Result {
    device::get_cache_config(config)
}

pub fn set_cache_config(config: hipFuncCache_t) -> Result {
    device::set_cache_config(config)
}

pub fn get_shared_config(config: Out<hipSharedMemConfig>) -> Result {
    device::get_shared_config(config)
}

pub fn set_shared_config(config: hipSharedMemConfig) -> Result {
    device::set_shared_config(config)
}

pub fn enable_peer(context: hipCtx_t, flags: c_uint) -> Result {
    super::peer::enable(ordinal(context)? as c_int, flags)
}

pub fn disable_peer(context: hipCtx_t) -> Result {
    super::peer::disable(ordinal(context)? as c_int)
}

pub fn primary_state(device: hipDevice_t, flags: Out<c_uint>, active: Out<c_int>) -> Result {
    let device = state::hip()?.device_of(device)?;
    flags.set_if_wanted(0);
    active.set_if_wanted(c_int::from(device.ordinal == tls::device()));
    Ok(())
}

pub fn primary_retain(context: Out<hipCtx_t>, device: hipDevice_t) -> Result {
    context.set(handle(state::hip()?.device_of(device)?.ordinal))
}

pub fn primary_release(device: hipDevice_t) -> Result {
    state::hip()?.device_of(device).map(|_| ())
}

/// The context of a device is in use from the beginning.
pub fn primary_set_flags(device: hipDevice_t, _: c_uint) -> Result {
    state::hip()?.device_of(device)?;
    Err(hipError_t::CONTEXT_ALREADY_IN_USE)
}
