//! Cooperative launches: grids whose work-groups wait for each other, on one device or on several together.

use super::launch::{kernel_of, on_stream};
use super::occupancy::groups_per_cu;
use crate::error::{Result, report};
use crate::ffi::In;
use crate::launch::args::Arguments;
use crate::launch::cooperative::{Among, items};
use crate::launch::{Call, Geometry, Kernel, check, in_groups};
use crate::marker::Marker;
use crate::state;
use crate::stream::{Stream, resolve, resolve_spt};
use crate::work::Work;
use hip_sys::{
    CooperativeLaunchFlags, Major, dim3, hipError_t, hipFunction_t, hipFunctionLaunchParams, hipLaunchParams,
    hipStream_t,
};
use std::ffi::{c_int, c_uint, c_void};
use std::sync::Arc;

type Ptr = *const c_void;

/// A kernel's part of a launch, its arguments not read yet.
struct Part {
    kernel: Arc<Kernel>,
    function: usize,
    geometry: Geometry,
    arguments: In<Ptr>,
    stream: Arc<Stream>,
}

impl Part {
    fn new(
        kernel: Arc<Kernel>,
        function: usize,
        (grid, block, shared): (dim3, dim3, usize),
        arguments: In<Ptr>,
        stream: Arc<Stream>,
    ) -> Result<Part> {
        check::in_groups(&kernel.limits(&*stream.device()?), grid, block, shared)?;
        let geometry = in_groups(grid, block, shared as u32);
        Ok(Part { kernel, function, geometry, arguments, stream })
    }

    /// Refuses a grid whose work-groups cannot meet: on a device that has nothing for that, or that does not hold all of them
    /// at once, so that they would wait for ever.
    fn must_meet(&self) -> Result {
        let device = self.stream.device()?;
        if !device.agent.properties().has_global_wave_sync {
            report(format_args!(
                "cooperative launch: the driver gives no global wave sync for {} (num_gws of its topology is 0)",
                device.agent.isa_name()
            ));
            return Err(hipError_t::LAUNCH_FAILURE);
        }
        let Geometry { block, shared, .. } = self.geometry;
        let fit = groups_per_cu(&self.kernel, &device, block.iter().product(), shared as usize);
        let most = u64::from(fit) * u64::from(device.agent.properties().compute_units);
        let groups: u64 = self.geometry.blocks().iter().map(|side| u64::from(*side)).product();
        if groups > most { Err(hipError_t::COOPERATIVE_LAUNCH_TOO_LARGE) } else { Ok(()) }
    }

    /// The launch with its arguments, as one of those that its work-groups may wait for.
    fn pack(&self, among: Option<Among>) -> Result<Work> {
        let geometry = Geometry { cooperative: among, ..self.geometry };
        Call::pack(&self.kernel, self.function, geometry, Arguments::Pointers(self.arguments))
            .map(Work::Kernel)
    }
}

fn alone(part: Part) -> Result {
    part.must_meet()?;
    let among = Among::alone(part.geometry.grid);
    part.stream.put(part.pack(Some(among))?)
}

pub fn kernel(
    host: Ptr,
    grid: dim3,
    block: dim3,
    arguments: In<Ptr>,
    shared: c_uint,
    stream: hipStream_t,
) -> Result {
    let (stream, device) = on_stream(stream)?;
    let kernel = kernel_of(host, &device).map_err(|error| match error {
        hipError_t::INVALID_DEVICE_FUNCTION if state::major() == Major::Five => hipError_t::INVALID_SYMBOL,
        other => other,
    })?;
    alone(Part::new(kernel, host.addr(), (grid, block, shared as usize), arguments, stream)?)
}

pub fn kernel_spt(
    host: Ptr,
    grid: dim3,
    block: dim3,
    arguments: In<Ptr>,
    shared: c_uint,
    stream: hipStream_t,
) -> Result {
    kernel(host, grid, block, arguments, shared, resolve_spt(stream))
}

#[allow(clippy::too_many_arguments, reason = "the C API")]
pub fn function(
    function: hipFunction_t,
    grid_x: c_uint,
    grid_y: c_uint,
    grid_z: c_uint,
    block_x: c_uint,
    block_y: c_uint,
    block_z: c_uint,
    shared: c_uint,
    stream: hipStream_t,
    arguments: In<Ptr>,
) -> Result {
    let kernel = state::hip()?.modules.kernel(function)?;
    let sizes = (dim3::new(grid_x, grid_y, grid_z), dim3::new(block_x, block_y, block_z), shared as usize);
    alone(Part::new(kernel, function.bits(), sizes, arguments, resolve(stream)?)?)
}

/// The parts of a launch on several devices: one each, on streams that the program made. HIP 5 takes none of them, and any
/// flags.
fn parts<T: Copy>(
    list: In<T>,
    count: c_int,
    flags: CooperativeLaunchFlags,
    part: impl Fn(T) -> Result<(hipStream_t, Part)>,
) -> Result<Vec<Part>> {
    let count = usize::try_from(count).map_err(|_| hipError_t::INVALID_VALUE)?;
    let known = CooperativeLaunchFlags(
        CooperativeLaunchFlags::NO_PRE_SYNC.0 | CooperativeLaunchFlags::NO_POST_SYNC.0,
    );
    if list.is_null() || count > state::hip()?.devices.len() {
        return Err(hipError_t::INVALID_VALUE);
    }
    if state::major() != Major::Five && (count == 0 || !known.has(flags)) {
        return Err(hipError_t::INVALID_VALUE);
    }
    let mut parts: Vec<Part> = Vec::with_capacity(count);
    for index in 0..count {
        let (handle, part) = part(list.at(index)?)?;
        if handle == hipStream_t::NULL {
            return Err(hipError_t::INVALID_RESOURCE_HANDLE);
        }
        let device = part.stream.device()?;
        for other in &parts {
            if Arc::ptr_eq(&other.stream.device()?, &device) {
                return Err(hipError_t::INVALID_DEVICE);
            }
        }
        parts.push(part);
    }
    Ok(parts)
}

/// Lets each stream wait for what is in all of them now; gives the ends of that.
fn meet(streams: &[Arc<Stream>]) -> Result<Vec<Arc<Marker>>> {
    let ends = streams.iter().map(|stream| stream.record(false)).collect::<Result<Vec<_>>>()?;
    for (at, stream) in streams.iter().enumerate() {
        for (of, end) in ends.iter().enumerate() {
            if at != of {
                stream.wait_for(end)?;
            }
        }
    }
    Ok(ends)
}

/// Launches the parts at once, as far as the flags do not say otherwise after all that is in their streams, and before all
/// that comes there.
fn together(parts: Vec<Part>, flags: CooperativeLaunchFlags, cooperative: bool) -> Result {
    let streams: Vec<_> = parts.iter().map(|part| part.stream.clone()).collect();
    for stream in &streams {
        stream.must_not_capture()?;
    }
    let launch = |counters: u64| {
        let all = parts.iter().map(|part| items(part.geometry.grid)).sum();
        let (count, mut before) = (parts.len() as u32, 0);
        // One that cannot be packed must not leave the others waiting for it.
        let mut calls = Vec::with_capacity(parts.len());
        for (index, part) in (0..).zip(&parts) {
            let among = Among { index, count, before, all, counters };
            calls.push(part.pack(cooperative.then_some(among))?);
            before += items(part.geometry.grid);
        }
        if !flags.has(CooperativeLaunchFlags::NO_PRE_SYNC) {
            meet(&streams)?;
        }
        for (stream, call) in streams.iter().zip(calls) {
            stream.put(call)?;
        }
        if flags.has(CooperativeLaunchFlags::NO_POST_SYNC) {
            return streams.iter().map(|stream| stream.record(false)).collect();
        }
        meet(&streams)
    };
    if cooperative {
        let hip = state::hip()?;
        return hip.meetings.hold(&hip.runtime, launch);
    }
    launch(0).map(drop)
}

fn together_cooperative(parts: Vec<Part>, flags: CooperativeLaunchFlags) -> Result {
    parts.iter().try_for_each(Part::must_meet)?;
    together(parts, flags, true)
}

/// Refuses an empty block, with the error that launches on several devices have for it.
fn must_have_items(block: dim3) -> Result {
    if block.to_array().contains(&0) { Err(hipError_t::INVALID_CONFIGURATION) } else { Ok(()) }
}

fn of_host_function(params: hipLaunchParams) -> Result<(hipStream_t, Part)> {
    must_have_items(params.blockDim)?;
    let (stream, device) = on_stream(params.stream)?;
    let host = params.func.cast_const();
    let sizes = (params.gridDim, params.blockDim, params.sharedMem);
    let arguments = In::from_pointer(params.args);
    Ok((params.stream, Part::new(kernel_of(host, &device)?, host.addr(), sizes, arguments, stream)?))
}

fn of_function(params: hipFunctionLaunchParams) -> Result<(hipStream_t, Part)> {
    let kernel = state::hip()?.modules.kernel(params.function)?;
    let grid = dim3::new(params.gridDimX, params.gridDimY, params.gridDimZ);
    let block = dim3::new(params.blockDimX, params.blockDimY, params.blockDimZ);
    must_have_items(block)?;
    let arguments = In::from_pointer(params.kernelParams);
    let sizes = (grid, block, params.sharedMemBytes as usize);
    let stream = resolve(params.hStream)?;
    Ok((params.hStream, Part::new(kernel, params.function.bits(), sizes, arguments, stream)?))
}

pub fn kernels(list: In<hipLaunchParams>, count: c_int, flags: CooperativeLaunchFlags) -> Result {
    together_cooperative(parts(list, count, flags, of_host_function)?, flags)
}

pub fn functions(list: In<hipFunctionLaunchParams>, count: c_uint, flags: CooperativeLaunchFlags) -> Result {
    let count = c_int::try_from(count).map_err(|_| hipError_t::INVALID_VALUE)?;
    together_cooperative(parts(list, count, flags, of_function)?, flags)
}

pub fn ext_kernels(list: In<hipLaunchParams>, count: c_int, flags: CooperativeLaunchFlags) -> Result {
    together(parts(list, count, flags, of_host_function)?, flags, false)
}
