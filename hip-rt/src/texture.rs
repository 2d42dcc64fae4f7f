//! Textures and surfaces: what a kernel is given is the address of an image's descriptor, for a texture with that of a
//! sampler behind it (`hip/texture_types.h`, `HIP_TEXTURE_OBJECT_SIZE_DWORD`; the device library's `ockl/src/image.cl`).

use crate::array::{Array, Element, needs_images};
use crate::device::Device;
use crate::error::{Result, report, reported};
use crate::ffi::Kept;
use crate::module::Module;
use crate::state;
use hip_sys::{
    TextureFlags, hipChannelFormatDesc, hipChannelFormatKind, hipError_t, hipResourceDesc, hipResourceType,
    hipResourceViewDesc, hipTextureAddressMode, hipTextureDesc, hipTextureFilterMode, hipTextureReadMode,
    textureReference,
};
use parking_lot::RwLock;
use rocr_rs::image::{Geometry, Image, ImageAccess, ImageDescriptor, SamplerDescriptor};
use rocr_rs::{Memory, PoolKind};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

/// Alignment of the memory that textures read (`hipDeviceProp_t::textureAlignment`).
pub const ALIGNMENT: u64 = 256;

/// What a texture or a surface was made of.
#[derive(Debug)]
pub struct Texture {
    /// The descriptors, where kernels read them.
    words: Memory,
    /// What it reads.
    pub resource: Kept<hipResourceDesc>,
    /// How it reads; of a surface nothing.
    pub texture: Option<Kept<hipTextureDesc>>,
    /// As what it reads an array; all zero when as itself.
    pub view: Kept<hipResourceViewDesc>,
    /// The array, which it keeps.
    _array: Option<Arc<Array>>,
}

/// Those that the program holds, by handle.
#[derive(Default)]
pub struct Textures {
    held: RwLock<BTreeMap<usize, Arc<Texture>>>,
    /// References into modules: the module and the address of its variable, and what the program changes.
    references: RwLock<BTreeMap<usize, Reference>>,
    told_of_borders: AtomicBool,
}

struct Reference {
    module: Weak<Module>,
    variable: u64,
    shown: Box<Kept<textureReference>>,
}

impl Textures {
    /// Gives one to the program.
    pub fn hold(&self, texture: Texture) -> *mut c_void {
        let va = texture.words.va() as usize;
        self.held.write().insert(va, Arc::new(texture));
        std::ptr::with_exposed_provenance_mut(va)
    }

    /// The texture of a handle.
    pub fn get(&self, handle: *const c_void) -> Result<Arc<Texture>> {
        let found = self.held.read().get(&handle.addr()).cloned();
        found.filter(|found| found.texture.is_some()).ok_or(hipError_t::INVALID_VALUE)
    }

    /// Takes a texture, or a surface, from the program.
    pub fn remove(&self, handle: *const c_void, is_texture: bool) -> Result {
        let mut held = self.held.write();
        match held.get(&handle.addr()) {
            Some(found) if found.texture.is_some() == is_texture => {
                let _gone = held.remove(&handle.addr());
                Ok(())
            }
            _ => Err(hipError_t::INVALID_VALUE),
        }
    }

    /// A reference into a module, for a program that knows it by its address; those of modules that are gone go too.
    pub fn refer(&self, module: &Arc<Module>, variable: u64, reference: textureReference) -> *mut c_void {
        let mut references = self.references.write();
        references.retain(|_, reference| reference.module.strong_count() > 0);
        let shown = Box::new(Kept::new(reference));
        let address = shown.address();
        let module = Arc::downgrade(module);
        references.insert(address.addr(), Reference { module, variable, shown });
        address
    }

    /// The variable of the module that a reference stands for.
    pub fn variable_of(&self, reference: *const c_void) -> Result<u64> {
        let references = self.references.read();
        let found = references.get(&reference.addr()).filter(|found| found.module.strong_count() > 0);
        let found = found.ok_or(hipError_t::NOT_FOUND)?;
        debug_assert_eq!(found.shown.address().addr(), reference.addr());
        Ok(found.variable)
    }

    fn tell_of_borders(&self, colour: [f32; 4]) {
        if !self.told_of_borders.swap(true, Ordering::Relaxed) {
            report(format_args!(
                "textures have transparent black borders: the border colour {colour:?} is not looked at"
            ));
        }
    }
}

/// The image that a texture of an array reads.
fn of_array(
    device: &Device,
    array: &Array,
    texture: &hipTextureDesc,
    view: Option<&hipResourceViewDesc>,
) -> Result<Image> {
    let element = view.map_or(Ok(array.element), |view| Element::of_view(view.format))?;
    if element.bytes() != array.element.bytes() {
        return Err(hipError_t::INVALID_VALUE);
    }
    let format = element.image_format(texture.readMode, texture.sRGB == 1);
    image(device, &ImageDescriptor { format, ..array.image }, array.base(), array.layout.row_pitch)
}

fn image(device: &Device, descriptor: &ImageDescriptor, va: u64, pitch: u64) -> Result<Image> {
    Image::new(&device.agent, descriptor, va, ImageAccess::ReadOnly, pitch, 0).map_err(|error| {
        report(format_args!("a texture: {error}"));
        hipError_t::INVALID_VALUE
    })
}

/// A description of channels as words 1 to 3 of a resource have it.
pub fn channel_words(desc: &hipChannelFormatDesc) -> [u64; 3] {
    let pair = |low: i32, high: i32| u64::from(low.cast_unsigned()) | u64::from(high.cast_unsigned()) << 32;
    [pair(desc.x, desc.y), pair(desc.z, desc.w), u64::from(desc.f.0)]
}

/// The channels of a resource that is plain memory.
pub fn channels_of(resource: &hipResourceDesc) -> hipChannelFormatDesc {
    let [_, xy, zw, f, ..] = resource.res;
    hipChannelFormatDesc {
        x: xy as i32,
        y: (xy >> 32) as i32,
        z: zw as i32,
        w: (zw >> 32) as i32,
        f: hipChannelFormatKind(f as u32),
    }
}

/// How a texture reads, as the flags of the driver's form tell it.
#[derive(Debug, Clone, Copy)]
pub struct Reading {
    /// Elements as they are, or as numbers from 0 to 1.
    pub mode: hipTextureReadMode,
    /// Whether coordinates go from 0 to 1: 1.
    pub normalised: i32,
    /// Whether colours are sRGB's: 1.
    pub srgb: i32,
}

impl Reading {
    /// Of flags.
    pub fn of(flags: TextureFlags) -> Self {
        let integer = flags.has(TextureFlags::READ_AS_INTEGER);
        Self {
            mode: if integer {
                hipTextureReadMode::ELEMENT_TYPE
            } else {
                hipTextureReadMode::NORMALIZED_FLOAT
            },
            normalised: flags.has(TextureFlags::NORMALIZED_COORDINATES).into(),
            srgb: flags.has(TextureFlags::SRGB).into(),
        }
    }

    /// As flags.
    pub fn flags(self) -> TextureFlags {
        let flag = |is: bool, flag: TextureFlags| if is { flag.0 } else { 0 };
        TextureFlags(
            flag(self.mode == hipTextureReadMode::ELEMENT_TYPE, TextureFlags::READ_AS_INTEGER)
                | flag(self.normalised == 1, TextureFlags::NORMALIZED_COORDINATES)
                | flag(self.srgb == 1, TextureFlags::SRGB),
        )
    }
}

/// The image that a texture of plain memory reads.
fn of_memory(device: &Device, resource: &hipResourceDesc, texture: &hipTextureDesc) -> Result<Image> {
    let words = &resource.res;
    let element = Element::of(&channels_of(resource))?;
    let bytes = element.bytes() as u64;
    let format = element.image_format(texture.readMode, texture.sRGB == 1);
    let (geometry, width, height, pitch) = if resource.resType == hipResourceType::LINEAR {
        (Geometry::Buffer, words[4] / bytes, 1, 0)
    } else {
        (Geometry::D2, words[4], words[5], words[6])
    };
    let va = words[0];
    if va == 0 || !va.is_multiple_of(ALIGNMENT) {
        return Err(hipError_t::INVALID_VALUE);
    }
    let descriptor = ImageDescriptor { geometry, width, height, depth: 0, layers: 0, format };
    let image = image(device, &descriptor, va, pitch)?;
    let layout = image.layout();
    let touched = layout.row_pitch.saturating_mul(height - 1).saturating_add(width.saturating_mul(bytes));
    let allocation = state::hip()?.allocations.find(va).ok_or(hipError_t::INVALID_VALUE)?;
    if touched > allocation.size as u64 - (va - allocation.base) {
        return Err(hipError_t::INVALID_VALUE);
    }
    Ok(image)
}

fn sampler(resource: hipResourceType, texture: &hipTextureDesc) -> Result<SamplerDescriptor> {
    use hipTextureAddressMode as A;
    const EDGE: u32 = 1;
    const BORDER: u32 = 2;
    const REPEAT: u32 = 3;
    const MIRROR: u32 = 4;
    let normalised = texture.normalizedCoords != 0;
    let linear = resource == hipResourceType::LINEAR;
    let mode = |mode: hipTextureAddressMode| match mode {
        _ if linear => Ok(0),
        A::WRAP | A::MIRROR if !normalised => Ok(EDGE),
        A::WRAP => Ok(REPEAT),
        A::CLAMP => Ok(EDGE),
        A::MIRROR => Ok(MIRROR),
        A::BORDER => Ok(BORDER),
        _ => Err(hipError_t::INVALID_VALUE),
    };
    let [x, y, z] = texture.addressMode;
    if !linear && texture.filterMode.0 > hipTextureFilterMode::LINEAR.0 {
        return Err(hipError_t::INVALID_VALUE);
    }
    Ok(SamplerDescriptor {
        coordinates: u32::from(normalised),
        filter: u32::from(!linear && texture.filterMode == hipTextureFilterMode::LINEAR),
        addressing: [mode(x)?, mode(y)?, mode(z)?],
    })
}

/// Puts descriptors where every device reads them.
fn written(words: &[u32]) -> Result<Memory> {
    let hip = state::hip()?;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let pool = hip.runtime.cpu_agent().pool(PoolKind::FineGrained);
    let memory = pool.allocate(bytes.len()).map_err(|error| {
        report(format_args!("memory for a texture: {error}"));
        hipError_t::OUT_OF_MEMORY
    })?;
    hip.allow_all(&memory)?;
    memory.write(0, &bytes).map_err(|error| reported("a texture", &error))?;
    Ok(memory)
}

impl Texture {
    /// A texture on a device.
    pub fn new(
        device: &Device,
        resource: hipResourceDesc,
        texture: hipTextureDesc,
        view: Option<hipResourceViewDesc>,
    ) -> Result<Texture> {
        use hipResourceType as R;
        let of_elements = matches!(resource.resType, R::ARRAY | R::MIPMAPPED_ARRAY);
        if view.is_some() && !of_elements || of_elements && resource.res[0] == 0 {
            return Err(hipError_t::INVALID_VALUE);
        }
        if resource.resType == R::MIPMAPPED_ARRAY {
            let normalised = texture.normalizedCoords != 0;
            return Err(if normalised { hipError_t::NOT_SUPPORTED } else { hipError_t::INVALID_VALUE });
        }
        if !matches!(resource.resType, R::ARRAY | R::LINEAR | R::PITCH_2D)
            || texture.readMode.0 > hipTextureReadMode::NORMALIZED_FLOAT.0
        {
            return Err(hipError_t::INVALID_VALUE);
        }
        let levels = [texture.mipmapLevelBias, texture.minMipmapLevelClamp, texture.maxMipmapLevelClamp];
        let array = match resource.resType {
            R::ARRAY => {
                Some(state::hip()?.arrays.get(std::ptr::without_provenance(resource.res[0] as usize))?)
            }
            _ => None,
        };
        let image = match &array {
            Some(array) => of_array(device, array, &texture, view.as_ref())?,
            None => of_memory(device, &resource, &texture)?,
        };
        if texture.maxAnisotropy != 0 || levels.iter().any(|level| *level != 0.0) {
            return Err(hipError_t::NOT_SUPPORTED);
        }
        let sampler = sampler(resource.resType, &texture)?;
        if texture.addressMode.contains(&hipTextureAddressMode::BORDER)
            && texture.borderColor.iter().any(|part| *part != 0.0)
        {
            state::hip()?.textures.tell_of_borders(texture.borderColor);
        }
        let mut words = image.descriptor_words().to_vec();
        words.extend(sampler.words().map_err(|error| reported("a texture", &error))?);
        Ok(Texture {
            words: written(&words)?,
            resource: Kept::new(resource),
            texture: Some(Kept::new(texture)),
            view: Kept::new(view.unwrap_or_default()),
            _array: array,
        })
    }

    /// A surface on a device.
    pub fn surface(device: &Device, resource: hipResourceDesc) -> Result<Texture> {
        if resource.resType != hipResourceType::ARRAY {
            return Err(hipError_t::INVALID_VALUE);
        }
        needs_images(device)?;
        let handle = std::ptr::without_provenance(resource.res[0] as usize);
        let array = state::hip()?.arrays.get(handle)?;
        let image = image(device, &array.image, array.base(), array.layout.row_pitch)?;
        Ok(Texture {
            words: written(&image.descriptor_words())?,
            resource: Kept::new(resource),
            texture: None,
            view: Kept::new(hipResourceViewDesc::default()),
            _array: Some(array),
        })
    }
}
