//! Arrays: elements in memory of a device, as its texture hardware reads them (`hip/driver_types.h`, `hipArray`).
//!
//! Rows follow one another at a pitch, layers at another one, so that copies are copies of rows. A program knows an array by
//! the address of a `hipArray`, which HIP 5 lets it look into.

use crate::device::Device;
use crate::error::{Result, of_runtime, report};
use crate::ffi::Kept;
use crate::state;
use crate::work::{Shape, Side};
use hip_sys::{
    ArrayFlags, HIP_ARRAY3D_DESCRIPTOR, hipArray, hipArray_Format, hipChannelFormatDesc,
    hipChannelFormatKind, hipError_t, hipResourceViewFormat, hipTextureReadMode,
};
use parking_lot::RwLock;
use rocr_rs::image::{Geometry, ImageAccess, ImageDescriptor, ImageFormat, ImageLayout};
use rocr_rs::{Memory, PoolKind};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::Arc;

/// A format of one channel: its name, its bytes, and its channel types (`hsa_ext_image_channel_type_t`) for reads of elements
/// and of normalised numbers.
#[rustfmt::skip]
const FORMATS: [(hipArray_Format, u32, u32, u32); 8] = [
    (hipArray_Format::UNSIGNED_INT8, 1, 11, 2),
    (hipArray_Format::SIGNED_INT8, 1, 8, 0),
    (hipArray_Format::UNSIGNED_INT16, 2, 12, 3),
    (hipArray_Format::SIGNED_INT16, 2, 9, 1),
    (hipArray_Format::UNSIGNED_INT32, 4, 13, 13),
    (hipArray_Format::SIGNED_INT32, 4, 10, 10),
    (hipArray_Format::HALF, 2, 14, 14),
    (hipArray_Format::FLOAT, 4, 15, 15),
];

/// What an element is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Element {
    /// Of each channel.
    pub format: hipArray_Format,
    /// 1, 2 or 4.
    pub channels: u32,
}

impl Element {
    /// An element of channels of a format.
    pub fn new(format: hipArray_Format, channels: u32) -> Result<Element> {
        let known = FORMATS.iter().any(|(known, ..)| *known == format);
        if !known || !matches!(channels, 1 | 2 | 4) {
            return Err(hipError_t::INVALID_VALUE);
        }
        Ok(Element { format, channels })
    }

    /// The element that a description of its channels means: bits of each, all alike, and none behind one that has none.
    pub fn of(desc: &hipChannelFormatDesc) -> Result<Element> {
        use hipArray_Format as F;
        use hipChannelFormatKind as K;
        let bits = [desc.x, desc.y, desc.z, desc.w];
        let channels = bits.iter().take_while(|bits| **bits != 0).count();
        let alike = bits[..channels].iter().all(|bits| *bits == desc.x);
        if !alike || bits[channels..].iter().any(|bits| *bits != 0) {
            return Err(hipError_t::INVALID_VALUE);
        }
        let format = match (desc.f, desc.x) {
            (K::UNSIGNED, 8) => F::UNSIGNED_INT8,
            (K::UNSIGNED, 16) => F::UNSIGNED_INT16,
            (K::UNSIGNED, 32) => F::UNSIGNED_INT32,
            (K::SIGNED, 8) => F::SIGNED_INT8,
            (K::SIGNED, 16) => F::SIGNED_INT16,
            (K::SIGNED, 32) => F::SIGNED_INT32,
            (K::FLOAT, 16) => F::HALF,
            (K::FLOAT, 32) => F::FLOAT,
            _ => return Err(hipError_t::INVALID_VALUE),
        };
        Self::new(format, channels as u32)
    }

    /// The element of a view's format.
    pub fn of_view(format: hipResourceViewFormat) -> Result<Element> {
        use hipArray_Format as F;
        const GROUPS: [hipArray_Format; 8] = [
            F::UNSIGNED_INT8,
            F::SIGNED_INT8,
            F::UNSIGNED_INT16,
            F::SIGNED_INT16,
            F::UNSIGNED_INT32,
            F::SIGNED_INT32,
            F::HALF,
            F::FLOAT,
        ];
        let at = format.0.checked_sub(1).ok_or(hipError_t::INVALID_VALUE)? as usize;
        let format = GROUPS.get(at / 3).ok_or(hipError_t::INVALID_VALUE)?;
        Self::new(*format, [1, 2, 4][at % 3])
    }

    /// The format of a view of such elements.
    pub fn view_format(self) -> hipResourceViewFormat {
        let all = (1..=hipResourceViewFormat::FLOAT_4.0).map(hipResourceViewFormat);
        all.into_iter().find(|format| Self::of_view(*format) == Ok(self)).unwrap_or_default()
    }

    fn row(self) -> (u32, u32, u32) {
        let row = FORMATS.iter().find(|(format, ..)| *format == self.format);
        row.map_or((0, 0, 0), |(_, bytes, as_it_is, normalised)| (*bytes, *as_it_is, *normalised))
    }

    /// Its bytes.
    pub fn bytes(self) -> usize {
        self.row().0 as usize * self.channels as usize
    }

    /// The description of its channels.
    pub fn desc(self) -> hipChannelFormatDesc {
        use hipArray_Format as F;
        let bits = self.row().0 as i32 * 8;
        let f = match self.format {
            F::HALF | F::FLOAT => hipChannelFormatKind::FLOAT,
            F::SIGNED_INT8 | F::SIGNED_INT16 | F::SIGNED_INT32 => hipChannelFormatKind::SIGNED,
            _ => hipChannelFormatKind::UNSIGNED,
        };
        let channel = |at: u32| if at < self.channels { bits } else { 0 };
        hipChannelFormatDesc { x: channel(0), y: channel(1), z: channel(2), w: channel(3), f }
    }

    /// What images call it.
    pub fn image_format(self, read: hipTextureReadMode, srgb: bool) -> ImageFormat {
        const RED: u32 = 1;
        const RED_GREEN: u32 = 3;
        const ALL: u32 = 8;
        const ALL_SRGB: u32 = 14;
        let (_, as_it_is, normalised) = self.row();
        let channel = if read == hipTextureReadMode::NORMALIZED_FLOAT { normalised } else { as_it_is };
        let order = match self.channels {
            1 => RED,
            2 => RED_GREEN,
            _ if srgb => ALL_SRGB,
            _ => ALL,
        };
        ImageFormat { channel, order }
    }
}

/// Refuses devices that have no image instructions.
pub fn needs_images(device: &Device) -> Result {
    if device.agent.has_images() { Ok(()) } else { Err(hipError_t::NOT_SUPPORTED) }
}

/// An array.
#[derive(Debug)]
pub struct Array {
    shown: Box<Kept<hipArray>>,
    /// What was asked for.
    pub shape: HIP_ARRAY3D_DESCRIPTOR,
    /// What its elements are.
    pub element: Element,
    /// As an image of its own format.
    pub image: ImageDescriptor,
    /// Where its elements are.
    pub layout: ImageLayout,
    memory: Memory,
}

/// The arrays that the program has, by handle.
#[derive(Debug, Default)]
pub struct Arrays {
    held: RwLock<BTreeMap<usize, Arc<Array>>>,
}

impl Arrays {
    /// The array of a handle.
    pub fn get(&self, handle: *const c_void) -> Result<Arc<Array>> {
        self.held.read().get(&handle.addr()).cloned().ok_or(hipError_t::INVALID_VALUE)
    }

    /// Whether an address is in the memory of an array.
    pub fn holds(&self, address: u64) -> bool {
        let held = self.held.read();
        held.values()
            .any(|array| address.checked_sub(array.base()).is_some_and(|at| at < array.memory.size() as u64))
    }

    /// Gives an array to the program.
    pub fn hold(&self, array: Array) -> *mut c_void {
        let handle = array.handle();
        self.held.write().insert(handle.addr(), Arc::new(array));
        handle
    }

    /// Takes an array from the program. Textures of it keep its memory.
    pub fn remove(&self, handle: *const c_void) -> Result<Arc<Array>> {
        self.held.write().remove(&handle.addr()).ok_or(hipError_t::INVALID_VALUE)
    }
}

fn geometry(shape: &HIP_ARRAY3D_DESCRIPTOR) -> Result<Geometry> {
    let layered = ArrayFlags(shape.Flags).has(ArrayFlags::LAYERED);
    match (shape.Width, shape.Height, shape.Depth) {
        (1.., 0, 0) if !layered => Ok(Geometry::D1),
        (1.., 1.., 0) if !layered => Ok(Geometry::D2),
        (1.., 1.., 1..) if !layered => Ok(Geometry::D3),
        (1.., 0, 1..) if layered => Ok(Geometry::D1Array),
        (1.., 1.., 1..) if layered => Ok(Geometry::D2Array),
        _ => Err(hipError_t::INVALID_VALUE),
    }
}

impl Array {
    /// An array in memory of a device.
    pub fn new(device: &Device, shape: HIP_ARRAY3D_DESCRIPTOR) -> Result<Array> {
        needs_images(device)?;
        let element = Element::new(shape.Format, shape.NumChannels)?;
        let known = ArrayFlags::LAYERED.0 | ArrayFlags::SURFACE_LOAD_STORE.0 | ArrayFlags::TEXTURE_GATHER.0;
        if shape.Flags & !known != 0 {
            // Of the flags that HIP has that leaves cubes, which no image of this hardware's driver is.
            report(format_args!("arrays with the flags {:#x} are not supported", shape.Flags));
            return Err(hipError_t::NOT_SUPPORTED);
        }
        let geometry = geometry(&shape)?;
        if ArrayFlags(shape.Flags).has(ArrayFlags::TEXTURE_GATHER) && geometry != Geometry::D2 {
            return Err(hipError_t::INVALID_VALUE);
        }
        let image = ImageDescriptor {
            geometry,
            width: shape.Width as u64,
            height: shape.Height as u64,
            depth: shape.Depth as u64,
            layers: shape.Depth as u64,
            format: element.image_format(hipTextureReadMode::ELEMENT_TYPE, false),
        };
        let layout = device.agent.image_layout(&image, ImageAccess::ReadWrite, 0, 0);
        let layout = layout.map_err(|error| {
            report(format_args!("an array: {error}"));
            hipError_t::INVALID_VALUE
        })?;
        if layout.size > device.agent.properties().memory_bytes {
            return Err(hipError_t::OUT_OF_MEMORY);
        }
        let pool = device.agent.pool(PoolKind::CoarseGrained);
        let memory = pool.allocate(layout.size as usize).map_err(|error| match of_runtime(&error) {
            hipError_t::UNKNOWN | hipError_t::INVALID_VALUE => hipError_t::OUT_OF_MEMORY,
            other => other,
        })?;
        state::hip()?.allow_all(&memory)?;
        let shown = Box::new(Kept::new(hipArray {
            data: std::ptr::without_provenance_mut(memory.va() as usize),
            desc: element.desc(),
            r#type: 0,
            width: shape.Width as u32,
            height: shape.Height as u32,
            depth: shape.Depth as u32,
            Format: shape.Format,
            NumChannels: shape.NumChannels,
            isDrv: 0,
            textureType: 0,
        }));
        Ok(Array { shown, shape, element, image, layout, memory })
    }

    /// What the program knows it by.
    pub fn handle(&self) -> *mut c_void {
        self.shown.address()
    }

    /// Its first element.
    pub fn base(&self) -> u64 {
        self.memory.va()
    }

    /// Columns, rows, layers.
    pub fn sides(&self) -> [usize; 3] {
        let HIP_ARRAY3D_DESCRIPTOR { Width, Height, Depth, .. } = self.shape;
        [Width, Height.max(1), Depth.max(1)]
    }

    /// Bytes of a row.
    pub fn row_bytes(&self) -> usize {
        self.shape.Width * self.element.bytes()
    }

    /// The part from byte `x` of row `y` of layer `z` on; `hipErrorInvalidValue` when the shape leaves the array. Layers of
    /// single rows may be told as rows.
    pub fn part(&self, [x, y, z]: [usize; 3], shape: &Shape) -> Result<Side> {
        let [_, mut rows, mut layers] = self.sides();
        let (mut pitch, mut plane) = (self.layout.row_pitch as usize, self.layout.slice_pitch as usize);
        if self.image.geometry == Geometry::D1Array && z == 0 && shape.planes == 1 {
            (rows, layers) = (layers, 1);
            (pitch, plane) = (plane, 0);
        }
        let within = |first: usize, count: usize, all: usize| first <= all && count <= all - first;
        if !within(x, shape.width, self.row_bytes())
            || !within(y, shape.rows, rows)
            || !within(z, shape.planes, layers)
        {
            return Err(hipError_t::INVALID_VALUE);
        }
        Ok(Side { address: self.base() + (z * plane + y * pitch + x) as u64, pitch, plane })
    }
}
