//! Texture references: a struct of the program's, `textureReference`, whose copy in device code is written when something is
//! bound to it. Those of compiled programs are variables with a host shadow; those of modules are asked for by name.

use super::texture::{create, destroy, known};
use crate::array::{Element, needs_images};
use crate::error::Result;
use crate::ffi::{self, In, Out, Text};
use crate::state::{self, state};
use crate::texture::{ALIGNMENT, Reading, channel_words};
use hip_sys::{
    HIP_ARRAY_DESCRIPTOR, HIP_TRSA_OVERRIDE_FORMAT, TextureFlags, hipArray_Format, hipChannelFormatDesc,
    hipChannelFormatKind, hipDeviceptr_t, hipError_t, hipModule_t, hipResourceDesc, hipResourceType,
    hipResourceViewDesc, hipTextureAddressMode, hipTextureDesc, hipTextureFilterMode, hipTextureReadMode,
    textureReference,
};
use std::ffi::{c_int, c_uint, c_void};

type Ptr = *mut c_void;
type ConstPtr = *const c_void;
type Reference = Out<textureReference>;

/// The variable of device code behind a reference of the program.
fn variable(reference: Reference) -> Result<u64> {
    let address = reference.address();
    let (va, size) = state().registry.variable(address)?.on(state::current_device()?)?;
    if size < size_of::<textureReference>() as u64 {
        return Err(hipError_t::INVALID_SYMBOL);
    }
    Ok(va)
}

fn description(reference: &textureReference) -> hipTextureDesc {
    hipTextureDesc {
        addressMode: reference.addressMode,
        filterMode: reference.filterMode,
        readMode: reference.readMode,
        sRGB: reference.sRGB,
        borderColor: [0.0; 4],
        normalizedCoords: reference.normalized,
        maxAnisotropy: reference.maxAnisotropy,
        mipmapFilterMode: reference.mipmapFilterMode,
        mipmapLevelBias: reference.mipmapLevelBias,
        minMipmapLevelClamp: reference.minMipmapLevelClamp,
        maxMipmapLevelClamp: reference.maxMipmapLevelClamp,
    }
}

/// Lets go of what is bound.
fn release(reference: Reference) -> Result {
    let mut now = reference.as_in().get()?;
    destroy(now.textureObject)?;
    now.textureObject = std::ptr::null_mut();
    reference.set(now)
}

/// Binds a resource in place of what is bound, and tells device code.
fn bind(
    reference: Reference,
    variable: u64,
    resource: hipResourceDesc,
    view: Option<hipResourceViewDesc>,
) -> Result {
    release(reference)?;
    let mut now = reference.as_in().get()?;
    let view = view.as_ref().map_or(In::null(), In::new);
    let object = Out::new(&mut now.textureObject);
    create(object, In::new(&resource), In::new(&description(&now)), view)?;
    reference.set(now)?;
    crate::stream::resolve(hip_sys::hipStream_t::NULL)?.synchronize_with_others()?;
    let mut bytes = [0; size_of::<textureReference>()];
    ffi::read_bytes(reference.address_of(), &mut bytes);
    ffi::write_bytes(variable, &bytes);
    Ok(())
}

/// The aligned address below one, with the bytes between stored for the caller, who has to take them when there are any.
fn aligned(offset: Out<usize>, pointer: ConstPtr) -> Result<u64> {
    let address = pointer.addr() as u64;
    let above = (address % ALIGNMENT) as usize;
    if above != 0 && offset.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    offset.set_if_wanted(above);
    Ok(address - above as u64)
}

fn linear(address: u64, desc: &hipChannelFormatDesc, bytes: usize) -> hipResourceDesc {
    let [a, b, c] = channel_words(desc);
    hipResourceDesc { resType: hipResourceType::LINEAR, res: [address, a, b, c, bytes as u64, 0, 0] }
}

fn pitched(address: u64, desc: &hipChannelFormatDesc, sides: [usize; 3]) -> hipResourceDesc {
    let ([a, b, c], [width, height, pitch]) = (channel_words(desc), sides.map(|side| side as u64));
    hipResourceDesc { resType: hipResourceType::PITCH_2D, res: [address, a, b, c, width, height, pitch] }
}

fn of_array(array: ConstPtr) -> hipResourceDesc {
    let mut res = [0; 7];
    res[0] = array.addr() as u64;
    hipResourceDesc { resType: hipResourceType::ARRAY, res }
}

/// An array's whole, with elements of another format.
fn whole(array: ConstPtr, element: Element) -> Result<hipResourceViewDesc> {
    let shape = state::hip()?.arrays.get(array)?.shape;
    Ok(hipResourceViewDesc {
        format: element.view_format(),
        width: shape.Width,
        height: shape.Height,
        depth: shape.Depth,
        ..hipResourceViewDesc::default()
    })
}

pub fn bind_linear(
    offset: Out<usize>,
    reference: Reference,
    pointer: ConstPtr,
    desc: In<hipChannelFormatDesc>,
    bytes: usize,
) -> Result {
    let variable = variable(reference)?;
    if pointer.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    let desc = desc.get()?;
    needs_images(state::current_device()?)?;
    let base = aligned(offset, pointer)?;
    let below = pointer.addr() - base as usize;
    let bytes = bytes.checked_add(below).ok_or(hipError_t::INVALID_VALUE)?;
    bind(reference, variable, linear(base, &desc, bytes), None)
}

pub fn bind_pitched(
    offset: Out<usize>,
    reference: Reference,
    pointer: ConstPtr,
    desc: In<hipChannelFormatDesc>,
    width: usize,
    height: usize,
    pitch: usize,
) -> Result {
    let variable = variable(reference)?;
    if pointer.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    let desc = desc.get()?;
    needs_images(state::current_device()?)?;
    let base = aligned(offset, pointer)?;
    bind(reference, variable, pitched(base, &desc, [width, height, pitch]), None)
}

pub fn bind_array(reference: Reference, array: ConstPtr, desc: In<hipChannelFormatDesc>) -> Result {
    let variable = variable(reference)?;
    if array.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    let element = Element::of(&desc.get()?)?;
    bind(reference, variable, of_array(array), Some(whole(array, element)?))
}

/// There are no arrays with levels.
pub fn bind_levels(reference: Reference, array: ConstPtr, desc: In<hipChannelFormatDesc>) -> Result {
    variable(reference)?;
    if array.is_null() || desc.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    Err(hipError_t::NOT_SUPPORTED)
}

pub fn unbind(reference: Reference) -> Result {
    if reference.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    needs_images(state::current_device()?)?;
    release(reference)
}

pub fn alignment_offset(offset: Out<usize>, reference: Reference) -> Result {
    if offset.is_null() || reference.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    needs_images(state::current_device()?)?;
    offset.set(0)
}

pub fn of_symbol(out: Out<ConstPtr>, symbol: ConstPtr) -> Result {
    if out.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    needs_images(state::current_device()?)?;
    state().registry.variable(symbol.addr())?;
    out.set(symbol)
}

pub fn of_module(out: Out<Ptr>, module: hipModule_t, name: Text) -> Result {
    if out.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    let name = name.get()?;
    needs_images(state::current_device()?)?;
    let hip = state::hip()?;
    let module = hip.modules.get(module).map_err(|_| hipError_t::NOT_FOUND)?;
    let (va, size) = module.variable(&name).map_err(|_| hipError_t::NOT_FOUND)?;
    if size != size_of::<textureReference>() as u64 {
        return Err(hipError_t::NOT_FOUND);
    }
    let first = textureReference {
        normalized: 0,
        readMode: hipTextureReadMode::NORMALIZED_FLOAT,
        filterMode: hipTextureFilterMode::POINT,
        addressMode: [hipTextureAddressMode::CLAMP; 3],
        channelDesc: hipChannelFormatDesc { x: 8, y: 0, z: 0, w: 0, f: hipChannelFormatKind::SIGNED },
        sRGB: 0,
        maxAnisotropy: 0,
        mipmapFilterMode: hipTextureFilterMode::POINT,
        mipmapLevelBias: 0.0,
        minMipmapLevelClamp: 0.0,
        maxMipmapLevelClamp: 0.0,
        textureObject: std::ptr::null_mut(),
        numChannels: 1,
        format: hipArray_Format::SIGNED_INT8,
    };
    out.set(hip.textures.refer(&module, va, first))
}

/// The variable behind a reference into a module, and the elements that it was set to.
fn dynamic(reference: Reference) -> Result<(u64, Result<Element>)> {
    let now = reference.as_in().get()?;
    let va = state::hip()?.textures.variable_of(reference.address_of())?;
    let channels = u32::try_from(now.numChannels).map_err(|_| hipError_t::INVALID_VALUE);
    Ok((va, channels.and_then(|channels| Element::new(now.format, channels))))
}

pub fn set_address(
    offset: Out<usize>,
    reference: Reference,
    pointer: hipDeviceptr_t,
    bytes: usize,
) -> Result {
    let (variable, element) = dynamic(reference)?;
    needs_images(state::current_device()?)?;
    let base = aligned(offset, pointer.0)?;
    let bytes = bytes.checked_add(pointer.0.addr() - base as usize).ok_or(hipError_t::INVALID_VALUE)?;
    bind(reference, variable, linear(base, &element?.desc(), bytes), None)
}

pub fn set_address_2d(
    reference: Reference,
    shape: In<HIP_ARRAY_DESCRIPTOR>,
    pointer: hipDeviceptr_t,
    pitch: usize,
) -> Result {
    if reference.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    let shape = shape.get()?;
    let (variable, _) = dynamic(reference)?;
    let desc = Element::new(shape.Format, shape.NumChannels)?.desc();
    let resource = pitched(pointer.0.addr() as u64, &desc, [shape.Width, shape.Height, pitch]);
    bind(reference, variable, resource, None)
}

pub fn set_array(reference: Reference, array: ConstPtr, flags: c_uint) -> Result {
    if reference.is_null() || array.is_null() || flags != HIP_TRSA_OVERRIDE_FORMAT {
        return Err(hipError_t::INVALID_VALUE);
    }
    let (variable, element) = dynamic(reference)?;
    bind(reference, variable, of_array(array), Some(whole(array, element?)?))
}

/// There are no arrays with levels.
pub fn set_levels(reference: Reference, array: ConstPtr, flags: c_uint) -> Result {
    if reference.is_null() || array.is_null() || flags != HIP_TRSA_OVERRIDE_FORMAT {
        return Err(hipError_t::INVALID_VALUE);
    }
    let _known = dynamic(reference)?;
    Err(hipError_t::NOT_SUPPORTED)
}

/// What is bound to a reference.
fn bound<T: Copy>(out: Out<T>, reference: Reference) -> Result<hipResourceDesc> {
    if out.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    let object = reference.as_in().get()?.textureObject;
    Ok(known(out, object)?.resource.get())
}

pub fn get_array(out: Out<Ptr>, reference: Reference) -> Result {
    let resource = bound(out, reference)?;
    match resource.resType {
        hipResourceType::ARRAY => out.set(std::ptr::with_exposed_provenance_mut(resource.res[0] as usize)),
        _ => Err(hipError_t::INVALID_VALUE),
    }
}

pub fn get_levels(out: Out<Ptr>, reference: Reference) -> Result {
    bound(out, reference)?;
    Err(hipError_t::INVALID_VALUE)
}

pub fn get_address(out: Out<hipDeviceptr_t>, reference: Reference) -> Result {
    let resource = bound(out, reference)?;
    match resource.resType {
        hipResourceType::ARRAY => Err(hipError_t::INVALID_VALUE),
        _ => out.set(hipDeviceptr_t::from_bits(resource.res[0] as usize)),
    }
}

/// Changes a reference; device code learns of it when something is bound.
fn change(reference: Reference, change: impl FnOnce(&mut textureReference)) -> Result {
    let mut now = reference.as_in().get()?;
    needs_images(state::current_device()?)?;
    change(&mut now);
    reference.set(now)
}

fn ask<T: Copy>(out: Out<T>, reference: Reference, read: impl FnOnce(&textureReference) -> T) -> Result {
    if out.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    let now = reference.as_in().get()?;
    needs_images(state::current_device()?)?;
    out.set(read(&now))
}

pub fn set_format(reference: Reference, format: hipArray_Format, channels: c_int) -> Result {
    change(reference, |now| (now.format, now.numChannels) = (format, channels))
}

pub fn get_format(format: Out<hipArray_Format>, channels: Out<c_int>, reference: Reference) -> Result {
    if channels.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    ask(format, reference, |now| now.format)?;
    ask(channels, reference, |now| now.numChannels)
}

pub fn set_flags(reference: Reference, flags: TextureFlags) -> Result {
    change(reference, |now| {
        let Reading { mode, normalised, srgb } = Reading::of(flags);
        (now.readMode, now.normalized, now.sRGB) = (mode, normalised, srgb);
    })
}

pub fn get_flags(out: Out<c_uint>, reference: Reference) -> Result {
    ask(out, reference, |now| {
        Reading { mode: now.readMode, normalised: now.normalized, srgb: now.sRGB }.flags().0
    })
}

pub fn set_filter(reference: Reference, mode: hipTextureFilterMode) -> Result {
    change(reference, |now| now.filterMode = mode)
}

pub fn get_filter(out: Out<hipTextureFilterMode>, reference: Reference) -> Result {
    ask(out, reference, |now| now.filterMode)
}

pub fn set_addressing(reference: Reference, dimension: c_int, mode: hipTextureAddressMode) -> Result {
    if !(0..3).contains(&dimension) {
        return Err(hipError_t::INVALID_VALUE);
    }
    change(reference, |now| now.addressMode[dimension as usize] = mode)
}

/// As HIP does, for the first two dimensions.
pub fn get_addressing(out: Out<hipTextureAddressMode>, reference: Reference, dimension: c_int) -> Result {
    if !(0..2).contains(&dimension) {
        return Err(hipError_t::INVALID_VALUE);
    }
    ask(out, reference, |now| now.addressMode[dimension as usize])
}

pub fn set_anisotropy(reference: Reference, most: c_uint) -> Result {
    change(reference, |now| now.maxAnisotropy = most)
}

pub fn get_anisotropy(out: Out<c_int>, reference: Reference) -> Result {
    ask(out, reference, |now| now.maxAnisotropy as c_int)
}

pub fn set_level_filter(reference: Reference, mode: hipTextureFilterMode) -> Result {
    change(reference, |now| now.mipmapFilterMode = mode)
}

pub fn get_level_filter(out: Out<hipTextureFilterMode>, reference: Reference) -> Result {
    ask(out, reference, |now| now.mipmapFilterMode)
}

pub fn set_level_bias(reference: Reference, bias: f32) -> Result {
    change(reference, |now| now.mipmapLevelBias = bias)
}

pub fn get_level_bias(out: Out<f32>, reference: Reference) -> Result {
    ask(out, reference, |now| now.mipmapLevelBias)
}

pub fn set_level_clamp(reference: Reference, least: f32, most: f32) -> Result {
    change(reference, |now| (now.minMipmapLevelClamp, now.maxMipmapLevelClamp) = (least, most))
}

pub fn get_level_clamp(least: Out<f32>, most: Out<f32>, reference: Reference) -> Result {
    if most.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    ask(least, reference, |now| now.minMipmapLevelClamp)?;
    ask(most, reference, |now| now.maxMipmapLevelClamp)
}

/// A reference has no place for a colour.
pub fn border(reference: Reference, colour: Out<f32>) -> Result {
    if reference.is_null() || colour.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    Err(hipError_t::NOT_SUPPORTED)
}

pub fn get_border(colour: Out<f32>, reference: Reference) -> Result {
    border(reference, colour)
}
