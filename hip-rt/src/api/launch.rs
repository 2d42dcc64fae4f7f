//! Kernel launches.

use crate::device::Device;
use crate::error::Result;
use crate::ffi::{self, In, Out};
use crate::launch::args::Arguments;
use crate::launch::{Kernel, check, in_groups, launch};
use crate::state::state;
use crate::stream::{Stream, resolve, resolve_spt};
use crate::{event, tls};
use hip_sys::{dim3, hipError_t, hipEvent_t, hipStream_t};
use std::ffi::{c_int, c_void};
use std::sync::Arc;

type Ptr = *const c_void;

pub fn push_configuration(grid: dim3, block: dim3, shared: usize, stream: hipStream_t) -> Result {
    let stream = stream.bits();
    let call = tls::CallConfiguration { grid, block, shared, stream, arguments: Vec::new() };
    tls::with_calls(|calls| calls.push(call));
    Ok(())
}

pub fn pop_configuration(
    grid: Out<dim3>,
    block: Out<dim3>,
    shared: Out<usize>,
    stream: Out<hipStream_t>,
) -> Result {
    let call = tls::with_calls(Vec::pop).ok_or(hipError_t::MISSING_CONFIGURATION)?;
    grid.set(call.grid)?;
    block.set(call.block)?;
    shared.set(call.shared)?;
    stream.set(hipStream_t::from_bits(call.stream))
}

/// The kernel that the program knows by `host`, on the stream's device.
pub fn kernel_of(host: Ptr, device: &Arc<Device>) -> Result<Arc<Kernel>> {
    state().registry.function(host.addr())?.on(device)
}

/// The stream of a handle, and its device.
pub fn on_stream(handle: hipStream_t) -> Result<(Arc<Stream>, Arc<Device>)> {
    let stream = resolve(handle).map_err(|error| match error {
        hipError_t::CONTEXT_IS_DESTROYED => hipError_t::INVALID_VALUE,
        other => other,
    })?;
    let device = stream.device()?;
    Ok((stream, device))
}

pub fn kernel(
    host: Ptr,
    grid: dim3,
    block: dim3,
    arguments: In<Ptr>,
    shared: usize,
    stream: hipStream_t,
) -> Result {
    let (stream, device) = on_stream(stream)?;
    let kernel = kernel_of(host, &device)?;
    check::in_groups(&kernel.limits(&device), grid, block, shared)?;
    let geometry = in_groups(grid, block, shared as u32);
    launch(&kernel, host.addr(), geometry, Arguments::Pointers(arguments), &stream)
}

pub fn kernel_spt(
    host: Ptr,
    grid: dim3,
    block: dim3,
    arguments: In<Ptr>,
    shared: usize,
    stream: hipStream_t,
) -> Result {
    kernel(host, grid, block, arguments, shared, resolve_spt(stream))
}

/// Runs a launch between two events, either of which may be null.
pub fn between(
    stream: hipStream_t,
    start: hipEvent_t,
    stop: hipEvent_t,
    launch: impl FnOnce() -> Result,
) -> Result {
    let record = |handle| match handle {
        hipEvent_t::NULL => Ok(()),
        handle => event::resolve(handle)?.record(&resolve(stream)?),
    };
    record(start)?;
    launch()?;
    record(stop)
}

#[allow(clippy::too_many_arguments, reason = "the C API")]
pub fn ext_kernel(
    host: Ptr,
    grid: dim3,
    block: dim3,
    arguments: In<Ptr>,
    shared: usize,
    stream: hipStream_t,
    start: hipEvent_t,
    stop: hipEvent_t,
    _: c_int,
) -> Result {
    between(stream, start, stop, || kernel(host, grid, block, arguments, shared, stream))
}

pub fn setup_argument(argument: Ptr, size: usize, offset: usize) -> Result {
    let end = offset.checked_add(size).filter(|end| *end <= 1 << 20).ok_or(hipError_t::INVALID_VALUE)?;
    tls::with_calls(|calls| {
        let call = calls.last_mut()?;
        if call.arguments.len() < end {
            call.arguments.resize(end, 0);
        }
        Some(ffi::read_bytes(argument, &mut call.arguments[offset..end]))
    })
    .ok_or(hipError_t::MISSING_CONFIGURATION)?
    .then_some(())
    .ok_or(hipError_t::INVALID_VALUE)
}

pub fn by_pointer(host: Ptr) -> Result {
    let call = tls::with_calls(Vec::pop).ok_or(hipError_t::MISSING_CONFIGURATION)?;
    let (stream, device) = on_stream(hipStream_t::from_bits(call.stream))?;
    let kernel = kernel_of(host, &device)?;
    check::in_groups(&kernel.limits(&device), call.grid, call.block, call.shared)?;
    let geometry = in_groups(call.grid, call.block, call.shared as u32);
    launch(&kernel, host.addr(), geometry, Arguments::Packed(&call.arguments), &stream)
}
