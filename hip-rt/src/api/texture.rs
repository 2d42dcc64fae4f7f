//! Texture and surface objects, in the form of the runtime API and in that of the driver API.

use crate::array::{Element, needs_images};
use crate::error::Result;
use crate::ffi::{In, Kept, Out};
use crate::state;
use crate::texture::{Reading, Texture, channel_words, channels_of};
use hip_sys::{
    HIP_RESOURCE_DESC, HIP_RESOURCE_VIEW_DESC, HIP_TEXTURE_DESC, hipArray_Format, hipChannelFormatDesc,
    hipError_t, hipResourceDesc, hipResourceType, hipResourceViewDesc, hipTextureDesc,
};
use std::ffi::{c_int, c_void};
use std::sync::Arc;

type Handle = *mut c_void;

pub fn create(
    out: Out<Handle>,
    resource: In<hipResourceDesc>,
    texture: In<hipTextureDesc>,
    view: In<hipResourceViewDesc>,
) -> Result {
    let device = state::current_device()?;
    needs_images(device)?;
    if out.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    let view = if view.is_null() { None } else { Some(view.get()?) };
    let made = Texture::new(device, resource.get()?, texture.get()?, view)?;
    out.set(state::hip()?.textures.hold(made))
}

pub fn destroy(texture: Handle) -> Result {
    if texture.is_null() {
        return Ok(());
    }
    needs_images(state::current_device()?)?;
    let hip = state::hip()?;
    hip.textures.get(texture)?;
    hip.drain()?;
    hip.textures.remove(texture, true)
}

/// The texture of a handle, for a question.
pub fn known<T>(out: Out<T>, texture: *const c_void) -> Result<Arc<Texture>> {
    if out.is_null() || texture.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    needs_images(state::current_device()?)?;
    state::hip()?.textures.get(texture)
}

pub fn resource(out: Out<hipResourceDesc>, texture: *const c_void) -> Result {
    out.set(known(out, texture)?.resource.get())
}

pub fn view(out: Out<hipResourceViewDesc>, texture: *const c_void) -> Result {
    out.set(known(out, texture)?.view.get())
}

fn description(texture: &Texture) -> Result<hipTextureDesc> {
    texture.texture.as_ref().map(Kept::get).ok_or(hipError_t::INVALID_VALUE)
}

pub fn texture(out: Out<hipTextureDesc>, texture: *const c_void) -> Result {
    out.set(description(&*known(out, texture)?)?)
}

fn of_driver(resource: &HIP_RESOURCE_DESC) -> Result<hipResourceDesc> {
    let words = &resource.res;
    let mut res = [0; 7];
    res[0] = words[0];
    if matches!(resource.resType, hipResourceType::LINEAR | hipResourceType::PITCH_2D) {
        let format = hipArray_Format(words[1] as u32);
        let desc = Element::new(format, (words[1] >> 32) as u32)?.desc();
        res[1..4].copy_from_slice(&channel_words(&desc));
        res[4..].copy_from_slice(&words[2..5]);
        if resource.resType == hipResourceType::LINEAR {
            res[5..].fill(0);
        }
    }
    Ok(hipResourceDesc { resType: resource.resType, res })
}

fn to_driver(resource: &hipResourceDesc) -> HIP_RESOURCE_DESC {
    let words = &resource.res;
    let mut res = [0; 16];
    res[0] = words[0];
    if let (hipResourceType::LINEAR | hipResourceType::PITCH_2D, Ok(element)) =
        (resource.resType, Element::of(&channels_of(resource)))
    {
        res[1] = u64::from(element.format.0) | u64::from(element.channels) << 32;
        let sides = if resource.resType == hipResourceType::LINEAR { 1 } else { 3 };
        res[2..2 + sides].copy_from_slice(&words[4..4 + sides]);
    }
    HIP_RESOURCE_DESC { resType: resource.resType, res, flags: 0 }
}

pub fn driver_create(
    out: Out<Handle>,
    resource: In<HIP_RESOURCE_DESC>,
    texture: In<HIP_TEXTURE_DESC>,
    view: In<HIP_RESOURCE_VIEW_DESC>,
) -> Result {
    if out.is_null() || resource.is_null() || texture.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    needs_images(state::current_device()?)?;
    let resource = of_driver(&resource.get()?)?;
    let how = texture.get()?;
    let reading = Reading::of(how.flags);
    let texture = hipTextureDesc {
        addressMode: how.addressMode,
        filterMode: how.filterMode,
        readMode: reading.mode,
        sRGB: reading.srgb,
        borderColor: how.borderColor,
        normalizedCoords: reading.normalised,
        maxAnisotropy: how.maxAnisotropy,
        mipmapFilterMode: how.mipmapFilterMode,
        mipmapLevelBias: how.mipmapLevelBias,
        minMipmapLevelClamp: how.minMipmapLevelClamp,
        maxMipmapLevelClamp: how.maxMipmapLevelClamp,
    };
    if view.is_null() {
        return create(out, In::new(&resource), In::new(&texture), In::null());
    }
    let HIP_RESOURCE_VIEW_DESC {
        format,
        width,
        height,
        depth,
        firstMipmapLevel,
        lastMipmapLevel,
        firstLayer,
        lastLayer,
        ..
    } = view.get()?;
    let view = hipResourceViewDesc {
        format,
        width,
        height,
        depth,
        firstMipmapLevel,
        lastMipmapLevel,
        firstLayer,
        lastLayer,
    };
    create(out, In::new(&resource), In::new(&texture), In::new(&view))
}

pub fn driver_resource(out: Out<HIP_RESOURCE_DESC>, texture: *const c_void) -> Result {
    out.set(to_driver(&known(out, texture)?.resource.get()))
}

pub fn driver_view(out: Out<HIP_RESOURCE_VIEW_DESC>, texture: *const c_void) -> Result {
    let hipResourceViewDesc {
        format,
        width,
        height,
        depth,
        firstMipmapLevel,
        lastMipmapLevel,
        firstLayer,
        lastLayer,
    } = known(out, texture)?.view.get();
    out.set(HIP_RESOURCE_VIEW_DESC {
        format,
        width,
        height,
        depth,
        firstMipmapLevel,
        lastMipmapLevel,
        firstLayer,
        lastLayer,
        reserved: [0; 16],
    })
}

pub fn driver_texture(out: Out<HIP_TEXTURE_DESC>, texture: *const c_void) -> Result {
    let how = description(&*known(out, texture)?)?;
    let reading = Reading { mode: how.readMode, normalised: how.normalizedCoords, srgb: how.sRGB };
    out.set(HIP_TEXTURE_DESC {
        addressMode: how.addressMode,
        filterMode: how.filterMode,
        flags: reading.flags(),
        maxAnisotropy: how.maxAnisotropy,
        mipmapFilterMode: how.mipmapFilterMode,
        mipmapLevelBias: how.mipmapLevelBias,
        minMipmapLevelClamp: how.minMipmapLevelClamp,
        maxMipmapLevelClamp: how.maxMipmapLevelClamp,
        borderColor: how.borderColor,
        reserved: [0; 12],
    })
}

/// The most elements of linear memory that a texture has.
pub fn linear_limit(out: Out<usize>, desc: In<hipChannelFormatDesc>, device: c_int) -> Result {
    if out.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    let device = state::hip()?.device_of(device)?;
    let element = Element::of(&desc.get()?)?;
    let bytes = super::properties::MAX_TEXTURE_1D_LINEAR as usize;
    needs_images(device)?;
    out.set(bytes / element.bytes())
}

pub fn create_surface(out: Out<Handle>, resource: In<hipResourceDesc>) -> Result {
    let device = state::current_device()?;
    if out.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    let surface = Texture::surface(device, resource.get()?)?;
    out.set(state::hip()?.textures.hold(surface))
}

pub fn destroy_surface(surface: Handle) -> Result {
    if surface.is_null() {
        return Ok(());
    }
    let hip = state::hip()?;
    hip.drain()?;
    hip.textures.remove(surface, false)
}
