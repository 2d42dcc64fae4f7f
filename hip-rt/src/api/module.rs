//! Modules and functions.

use super::launch::{between, kernel_of};
use crate::error::{Result, report};
use crate::ffi::{self, In, Out, Text};
use crate::launch::args::Arguments;
use crate::launch::{Geometry, Kernel, check, in_groups, launch as submit};
use crate::register::locate;
use crate::state::{self, state};
use crate::stream::resolve;
use hip_sys::{
    LAUNCH_PARAM_BUFFER_POINTER, LAUNCH_PARAM_BUFFER_SIZE, LAUNCH_PARAM_END, Major, dim3, hipDeviceptr_t,
    hipError_t, hipEvent_t, hipFuncAttribute, hipFuncAttributes, hipFuncCache_t, hipFunction_attribute,
    hipFunction_t, hipModule_t, hipSharedMemConfig, hipStream_t,
};
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::Arc;

type Ptr = *const c_void;

pub fn load(module: Out<hipModule_t>, path: Text) -> Result {
    let path = path.get()?;
    if module.is_null() || path.is_empty() {
        return Err(hipError_t::INVALID_VALUE);
    }
    let bytes = std::fs::read(&path).map_err(|error| {
        report(format_args!("hipModuleLoad: {path}: {error}"));
        hipError_t::FILE_NOT_FOUND
    })?;
    if bytes.is_empty() {
        return Err(match state::major() {
            Major::Five | Major::Six => hipError_t::INVALID_VALUE,
            Major::Seven => hipError_t::INVALID_IMAGE,
        });
    }
    let device = state::current_device()?;
    module.set(state::hip()?.modules.load(device, &bytes, &path)?)
}

pub fn load_data(module: Out<hipModule_t>, image: Ptr) -> Result {
    if module.is_null() || image.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    let address = image.expose_provenance() as u64;
    let place = locate(address).ok_or(hipError_t::INVALID_IMAGE)?;
    let bytes = ffi::program_bytes(address, place.len);
    let device = state::current_device()?;
    module.set(state::hip()?.modules.load(device, bytes, &format!("the image at {address:#x}"))?)
}

pub fn load_data_ex(module: Out<hipModule_t>, image: Ptr, _: c_uint, _: Ptr, _: Ptr) -> Result {
    load_data(module, image)
}

pub fn unload(module: hipModule_t) -> Result {
    let hip = state::hip()?;
    crate::tls::may_wait()?;
    let module = hip.modules.unload(module)?;
    hip.device(module.device)?.drain();
    Ok(())
}

pub fn get_function(function: Out<hipFunction_t>, module: hipModule_t, name: Text) -> Result {
    let name = name.get()?;
    if function.is_null() || name.is_empty() {
        return Err(hipError_t::INVALID_VALUE);
    }
    let modules = &state::hip()?.modules;
    let module = modules.get(module)?;
    function.set(modules.function(&module, &name)?)
}

pub fn get_global(
    address: Out<hipDeviceptr_t>,
    bytes: Out<usize>,
    module: hipModule_t,
    name: Text,
) -> Result {
    let name = name.get()?;
    if name.is_empty() || (address.is_null() && bytes.is_null()) {
        return Err(hipError_t::INVALID_VALUE);
    }
    let (va, size) = state::hip()?.modules.get(module)?.variable(&name)?;
    address.set_if_wanted(hipDeviceptr_t::from_bits(va as usize));
    bytes.set_if_wanted(size as usize);
    Ok(())
}

/// Arguments by pointers, or as one buffer: `extra` is a list of tags and values.
pub fn with_arguments<T>(
    kernel: &Kernel,
    pointers: In<Ptr>,
    extra: In<Ptr>,
    work: impl FnOnce(Arguments<'_>) -> Result<T>,
) -> Result<T> {
    match (pointers.is_null(), extra.is_null()) {
        (false, false) => Err(hipError_t::INVALID_VALUE),
        (false, true) => work(Arguments::Pointers(pointers)),
        (true, true) if kernel.signature.explicit_count() > 0 => Err(hipError_t::INVALID_VALUE),
        (true, true) => work(Arguments::Packed(&[])),
        (true, false) => {
            let tag = |at| extra.at(at).map(|tag: Ptr| tag.addr());
            if tag(0)? != LAUNCH_PARAM_BUFFER_POINTER
                || tag(2)? != LAUNCH_PARAM_BUFFER_SIZE
                || tag(4)? != LAUNCH_PARAM_END
            {
                return Err(hipError_t::INVALID_VALUE);
            }
            let mut size = [0; 8];
            if !ffi::read_bytes(extra.at(3)?, &mut size) {
                return Err(hipError_t::INVALID_VALUE);
            }
            let size = (u64::from_le_bytes(size) as usize).min(kernel.signature.explicit_bytes());
            let mut buffer = vec![0; size];
            if size > 0 && !ffi::read_bytes(extra.at(1)?, &mut buffer) {
                return Err(hipError_t::INVALID_VALUE);
            }
            work(Arguments::Packed(&buffer))
        }
    }
}

#[allow(clippy::too_many_arguments, reason = "the C API")]
pub fn launch(
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
    extra: In<Ptr>,
) -> Result {
    let kernel = state::hip()?.modules.kernel(function)?;
    if grid_x > i32::MAX as u32 || grid_y > 65536 || grid_z > 65536 {
        return Err(hipError_t::INVALID_VALUE);
    }
    let (grid, block) = (dim3::new(grid_x, grid_y, grid_z), dim3::new(block_x, block_y, block_z));
    let stream = resolve(stream)?;
    check::in_groups(&kernel.limits_in_module(&*stream.device()?), grid, block, shared as usize)?;
    let geometry = in_groups(grid, block, shared);
    with_arguments(&kernel, arguments, extra, |arguments| {
        submit(&kernel, function.bits(), geometry, arguments, &stream)
    })
}

#[allow(clippy::too_many_arguments, reason = "the C API")]
pub fn ext_launch(
    function: hipFunction_t,
    global_x: c_uint,
    global_y: c_uint,
    global_z: c_uint,
    block_x: c_uint,
    block_y: c_uint,
    block_z: c_uint,
    shared: usize,
    handle: hipStream_t,
    arguments: In<Ptr>,
    extra: In<Ptr>,
    start: hipEvent_t,
    stop: hipEvent_t,
    _: c_uint,
) -> Result {
    let kernel = state::hip()?.modules.kernel(function)?;
    let (grid, block) = (dim3::new(global_x, global_y, global_z), dim3::new(block_x, block_y, block_z));
    let stream = resolve(handle)?;
    check::in_items(&kernel.limits_in_module(&*stream.device()?), grid, block, shared)?;
    let ragged = grid.to_array().into_iter().zip(block.to_array()).any(|(grid, block)| grid % block != 0);
    if kernel.uniform && ragged {
        return Err(hipError_t::INVALID_VALUE);
    }
    let block: [u32; 3] = std::array::from_fn(|at| block.to_array()[at].min(grid.to_array()[at]));
    let geometry = Geometry { grid: grid.to_array(), block, shared: shared as u32, cooperative: None };
    between(handle, start, stop, || {
        with_arguments(&kernel, arguments, extra, |arguments| {
            submit(&kernel, function.bits(), geometry, arguments, &stream)
        })
    })
}

#[allow(clippy::too_many_arguments, reason = "the C API")]
pub fn hcc_launch(
    function: hipFunction_t,
    global_x: c_uint,
    global_y: c_uint,
    global_z: c_uint,
    block_x: c_uint,
    block_y: c_uint,
    block_z: c_uint,
    shared: usize,
    stream: hipStream_t,
    arguments: In<Ptr>,
    extra: In<Ptr>,
    start: hipEvent_t,
    stop: hipEvent_t,
) -> Result {
    ext_launch(
        function, global_x, global_y, global_z, block_x, block_y, block_z, shared, stream, arguments, extra,
        start, stop, 0,
    )
}

/// A kernel by its host address, or by a function handle where a program passes one.
pub fn kernel_or_function(function: Ptr) -> Result<Arc<Kernel>> {
    if function.is_null() {
        return Err(hipError_t::INVALID_DEVICE_FUNCTION);
    }
    let by_host = kernel_of(function, state::current_device()?);
    match by_host {
        Err(hipError_t::INVALID_DEVICE_FUNCTION) => state::hip()?
            .modules
            .kernel(hipFunction_t::from_bits(function.addr()))
            .map_err(|_| hipError_t::INVALID_DEVICE_FUNCTION),
        found => found,
    }
}

pub fn attributes(attributes: Out<hipFuncAttributes>, function: Ptr) -> Result {
    let kernel = kernel_or_function(function)?;
    let device = state::current_device()?;
    attributes.set(hipFuncAttributes {
        binaryVersion: 10 * kernel.code_version as i32,
        cacheModeCA: 0,
        constSizeBytes: 0,
        localSizeBytes: kernel.private_bytes as usize,
        maxDynamicSharedSizeBytes: device.lds_bytes().saturating_sub(kernel.group_bytes) as i32,
        maxThreadsPerBlock: kernel.max_workgroup as i32,
        numRegs: kernel.vgprs as i32,
        preferredShmemCarveout: 0,
        ptxVersion: 30,
        sharedSizeBytes: kernel.group_bytes as usize,
    })
}

pub fn attribute(value: Out<c_int>, attribute: hipFunction_attribute, function: hipFunction_t) -> Result {
    use hipFunction_attribute as A;
    let kernel = state::hip()?.modules.kernel(function)?;
    let dynamic = state::current_device()?.lds_bytes().saturating_sub(kernel.group_bytes);
    value.set(match attribute {
        A::MAX_THREADS_PER_BLOCK => kernel.max_workgroup as c_int,
        A::SHARED_SIZE_BYTES => kernel.group_bytes as c_int,
        A::LOCAL_SIZE_BYTES => kernel.private_bytes as c_int,
        A::NUM_REGS => kernel.vgprs as c_int,
        A::PTX_VERSION => 30,
        A::BINARY_VERSION => 10 * kernel.code_version as c_int,
        A::MAX_DYNAMIC_SHARED_SIZE_BYTES => dynamic as c_int,
        A::CONST_SIZE_BYTES | A::CACHE_MODE_CA | A::PREFERRED_SHARED_MEMORY_CARVEOUT => 0,
        _ => return Err(hipError_t::INVALID_VALUE),
    })
}

pub fn set_attribute(function: Ptr, attribute: hipFuncAttribute, value: c_int) -> Result {
    use hipFuncAttribute as A;
    match attribute {
        _ if function.is_null() => Err(hipError_t::INVALID_DEVICE_FUNCTION),
        A::MAX_DYNAMIC_SHARED_MEMORY_SIZE if value >= 0 => Ok(()),
        A::PREFERRED_SHARED_MEMORY_CARVEOUT => Ok(()),
        _ => Err(hipError_t::INVALID_VALUE),
    }
}

pub fn set_cache_config(_: Ptr, _: hipFuncCache_t) -> Result {
    // AMD GPUs have no such setting.
    Ok(())
}

pub fn set_shared_config(_: Ptr, _: hipSharedMemConfig) -> Result {
    Ok(())
}

pub fn name(function: hipFunction_t) -> *const c_char {
    // The kernel stays alive until its module is unloaded, and with it this string.
    state::hip()
        .and_then(|hip| hip.modules.kernel(function))
        .map_or(std::ptr::null(), |kernel| kernel.c_name.as_ptr())
}

pub fn name_of_host_function(function: Ptr, _: hipStream_t) -> *const c_char {
    state().registry.function(function.addr()).map_or(std::ptr::null(), |function| function.c_name().as_ptr())
}
