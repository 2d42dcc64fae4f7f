//! Arrays: to have them, to give them back, and what is known of them. Arrays with levels, which the hardware's driver has
//! not, are refused.

use crate::array::{Array, Element, needs_images};
use crate::error::Result;
use crate::ffi::{In, Out};
use crate::state;
use hip_sys::{
    ArrayFlags, HIP_ARRAY_DESCRIPTOR, HIP_ARRAY3D_DESCRIPTOR, hipChannelFormatDesc, hipChannelFormatKind,
    hipError_t, hipExtent,
};
use std::ffi::{c_int, c_uint, c_void};
use std::sync::Arc;

type Handle = *mut c_void;

fn create(out: Out<Handle>, shape: HIP_ARRAY3D_DESCRIPTOR) -> Result {
    if out.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    let array = Array::new(state::current_device()?, shape)?;
    out.set(state::hip()?.arrays.hold(array))
}

pub fn malloc(
    out: Out<Handle>,
    desc: In<hipChannelFormatDesc>,
    width: usize,
    height: usize,
    flags: c_uint,
) -> Result {
    malloc_3d(out, desc, hipExtent { width, height, depth: 0 }, flags)
}

pub fn malloc_3d(
    out: Out<Handle>,
    desc: In<hipChannelFormatDesc>,
    extent: hipExtent,
    flags: c_uint,
) -> Result {
    let Element { format, channels } = Element::of(&desc.get()?)?;
    let hipExtent { width, height, depth } = extent;
    create(
        out,
        HIP_ARRAY3D_DESCRIPTOR {
            Width: width,
            Height: height,
            Depth: depth,
            Format: format,
            NumChannels: channels,
            Flags: flags,
        },
    )
}

pub fn create_2d(out: Out<Handle>, shape: In<HIP_ARRAY_DESCRIPTOR>) -> Result {
    let HIP_ARRAY_DESCRIPTOR { Width, Height, Format, NumChannels } = shape.get()?;
    let flat =
        HIP_ARRAY3D_DESCRIPTOR { Width, Height, Depth: 0, Format, NumChannels, Flags: ArrayFlags::DEFAULT.0 };
    create(out, flat)
}

pub fn create_3d(out: Out<Handle>, shape: In<HIP_ARRAY3D_DESCRIPTOR>) -> Result {
    create(out, shape.get()?)
}

pub fn free(array: Handle) -> Result {
    let hip = state::hip()?;
    hip.arrays.get(array)?;
    hip.drain()?;
    hip.arrays.remove(array).map(drop)
}

fn known(array: Handle) -> Result<Arc<Array>> {
    state::hip()?.arrays.get(array).map_err(|_| hipError_t::INVALID_RESOURCE_HANDLE)
}

pub fn info(
    desc: Out<hipChannelFormatDesc>,
    extent: Out<hipExtent>,
    flags: Out<c_uint>,
    array: Handle,
) -> Result {
    let array = known(array)?;
    let HIP_ARRAY3D_DESCRIPTOR { Width, Height, Depth, Flags, .. } = array.shape;
    desc.set_if_wanted(array.element.desc());
    extent.set_if_wanted(hipExtent { width: Width, height: Height, depth: Depth });
    flags.set_if_wanted(Flags);
    Ok(())
}

pub fn descriptor(out: Out<HIP_ARRAY_DESCRIPTOR>, array: Handle) -> Result {
    let HIP_ARRAY3D_DESCRIPTOR { Width, Height, Format, NumChannels, .. } = known(array)?.shape;
    out.set(HIP_ARRAY_DESCRIPTOR { Width, Height, Format, NumChannels })
}

pub fn descriptor_3d(out: Out<HIP_ARRAY3D_DESCRIPTOR>, array: Handle) -> Result {
    out.set(known(array)?.shape)
}

pub fn channels(desc: Out<hipChannelFormatDesc>, array: *const c_void) -> Result {
    if desc.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    needs_images(state::current_device()?)?;
    desc.set(state::hip()?.arrays.get(array)?.element.desc())
}

pub fn create_channels(x: c_int, y: c_int, z: c_int, w: c_int, f: c_uint) -> hipChannelFormatDesc {
    hipChannelFormatDesc { x, y, z, w, f: hipChannelFormatKind(f) }
}

pub fn malloc_levels(
    out: Out<Handle>,
    desc: In<hipChannelFormatDesc>,
    _: hipExtent,
    _: c_uint,
    _: c_uint,
) -> Result {
    if out.is_null() || desc.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    Err(hipError_t::NOT_SUPPORTED)
}

pub fn free_levels(_: Handle) -> Result {
    Err(hipError_t::NOT_SUPPORTED)
}

pub fn level(_: Out<Handle>, _: *const c_void, _: c_uint) -> Result {
    Err(hipError_t::NOT_SUPPORTED)
}

/// As HIP does it, which finds no format that could have levels.
pub fn create_levels(_: Out<Handle>, _: In<HIP_ARRAY3D_DESCRIPTOR>, _: c_uint) -> Result {
    Err(hipError_t::INVALID_VALUE)
}

/// There is none to destroy.
pub fn destroy_levels(_: Handle) -> Result {
    Err(hipError_t::INVALID_VALUE)
}

pub fn get_level(_: Out<Handle>, _: Handle, _: c_uint) -> Result {
    Err(hipError_t::INVALID_VALUE)
}
