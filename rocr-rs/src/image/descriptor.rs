//! Descriptors of images and samplers for gfx9 (Vega ISA, "Memory Image Instructions": T#, V#, S#).
//!
//! All images are linear: element after element, row after row, layer after layer, rows at multiples of 256 bytes. An
//! opaque layout may be so as well.

use super::format::{ImageFormat, Known, Use};
use crate::Error;

/// Rows and the first element begin at multiples of this.
pub(super) const ALIGNMENT: u64 = 256;
/// `HSA_EXT_AGENT_INFO_IMAGE_…`: the longest side, the most layers.
const SIDE: u64 = 16384;
const LAYERS: u64 = 8192;

/// `hsa_ext_image_geometry_t`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the header's")]
pub enum Geometry {
    D1,
    D2,
    D3,
    D1Array,
    D2Array,
    /// A buffer: one dimension of any length, that is not sampled.
    Buffer,
    D2Depth,
    D2ArrayDepth,
}

const GEOMETRIES: [Geometry; 8] = [
    Geometry::D1,
    Geometry::D2,
    Geometry::D3,
    Geometry::D1Array,
    Geometry::D2Array,
    Geometry::Buffer,
    Geometry::D2Depth,
    Geometry::D2ArrayDepth,
];

impl Geometry {
    /// By C's number.
    pub fn by_number(number: u32) -> Option<Self> {
        GEOMETRIES.get(number as usize).copied()
    }

    pub(super) fn usage(self) -> Use {
        Use {
            depth: matches!(self, Geometry::D2Depth | Geometry::D2ArrayDepth),
            buffer: self == Geometry::Buffer,
        }
    }

    /// `TYPE` of a descriptor.
    fn kind(self) -> u32 {
        match self {
            Geometry::D1 | Geometry::Buffer => 8,
            Geometry::D2 | Geometry::D2Depth => 9,
            Geometry::D3 => 10,
            Geometry::D1Array => 12,
            Geometry::D2Array | Geometry::D2ArrayDepth => 13,
        }
    }
}

/// What a program may do with an image (`hsa_access_permission_t`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum ImageAccess {
    ReadOnly,
    WriteOnly,
    ReadWrite,
}

/// An image to make (`hsa_ext_image_descriptor_t`). Sides that the geometry does not have are not looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ImageDescriptor {
    /// Dimensions.
    pub geometry: Geometry,
    /// Elements of a row.
    pub width: u64,
    /// Rows.
    pub height: u64,
    /// Layers of three dimensions.
    pub depth: u64,
    /// Layers of an array.
    pub layers: u64,
    /// Of an element.
    pub format: ImageFormat,
}

/// Where elements are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageLayout {
    /// Bytes of all.
    pub size: u64,
    /// What the address is a multiple of.
    pub alignment: u64,
    /// Bytes from row to row.
    pub row_pitch: u64,
    /// Bytes from layer to layer.
    pub slice_pitch: u64,
}

/// A descriptor that was checked.
#[derive(Clone, Copy)]
pub(super) struct Checked {
    pub(super) descriptor: ImageDescriptor,
    pub(super) format: Known,
    pub(super) layout: ImageLayout,
    /// Columns, rows, layers.
    pub(super) sides: [u64; 3],
}

fn unsupported_size(why: String) -> Error {
    Error::ImageSize { why }
}

/// Checks a descriptor, for an access, with pitches that the program wants, or 0.
pub(super) fn check(
    descriptor: &ImageDescriptor,
    access: ImageAccess,
    row_pitch: u64,
    slice_pitch: u64,
) -> Result<Checked, Error> {
    let ImageDescriptor { geometry, width, height, depth, layers, format } = *descriptor;
    // AMD's library takes any access of a format that it has for one; so may descriptors, which tell no access.
    let unknown = || Error::ImageFormat {
        why: format!(
            "channel type {}, order {}, for {access:?} in {geometry:?}",
            format.channel, format.order
        ),
    };
    let known = format.known(geometry.usage());
    let (known, _) = known.ok_or_else(unknown)?;
    let (sides, most) = match geometry {
        Geometry::D1 => ([width, 1, 1], [SIDE, 1, 1]),
        Geometry::D2 | Geometry::D2Depth => ([width, height, 1], [SIDE, SIDE, 1]),
        Geometry::D3 => ([width, height, depth], [SIDE, SIDE, LAYERS]),
        Geometry::D1Array => ([width, 1, layers], [SIDE, 1, LAYERS]),
        Geometry::D2Array | Geometry::D2ArrayDepth => ([width, height, layers], [SIDE, SIDE, LAYERS]),
        Geometry::Buffer => ([width, 1, 1], [u64::from(u32::MAX), 1, 1]),
    };
    if sides.iter().zip(most).any(|(side, most)| *side == 0 || *side > most) {
        return Err(unsupported_size(format!("{sides:?} elements; {geometry:?} has 1 to {most:?}")));
    }
    let bytes = u64::from(known.bytes);
    let row = sides[0] * bytes;
    let fitting = row.next_multiple_of(ALIGNMENT);
    let pitch = if row_pitch == 0 { fitting } else { row_pitch };
    // The pitch has a field of 16 bits, of elements less one.
    let told = pitch >= row
        && pitch.is_multiple_of(ALIGNMENT)
        && (geometry == Geometry::Buffer || pitch / bytes <= 1 << 16);
    if !told {
        return Err(Error::ImagePitch {
            why: format!("rows {row_pitch} bytes apart: not a multiple of {ALIGNMENT} from {row} on"),
        });
    }
    let slice = pitch * sides[1];
    if slice_pitch != 0 && slice_pitch != slice {
        return Err(Error::ImagePitch {
            why: format!("layers {slice_pitch} bytes apart: they follow each other, {slice}"),
        });
    }
    let layout =
        ImageLayout { size: slice * sides[2], alignment: ALIGNMENT, row_pitch: pitch, slice_pitch: slice };
    Ok(Checked { descriptor: *descriptor, format: known, layout, sides })
}

/// Words of an image's descriptor, and what device libraries look at behind it: channel type, order, width.
pub(super) fn words(image: &Checked, va: u64) -> [u32; 12] {
    let ImageDescriptor { geometry, format, .. } = image.descriptor;
    let known = &image.format;
    let [width, height, depth] = image.sides.map(|side| side as u32);
    let tail = [format.channel, format.order, width, 0];
    let mut words = [0u32; 12];
    words[8..].copy_from_slice(&tail);
    if geometry == Geometry::Buffer {
        words[0] = va as u32;
        words[1] = (va >> 32) as u32 & 0xffff | known.bytes << 16;
        words[2] = width.saturating_mul(known.bytes);
        words[3] =
            known.select | known.number_format << 12 | known.data_format << 15 | (known.bytes & 3) << 21;
        return words;
    }
    let rows = if matches!(geometry, Geometry::D1 | Geometry::D1Array) { 0 } else { height };
    let layers =
        if matches!(geometry, Geometry::D1 | Geometry::D2 | Geometry::D2Depth) { 0 } else { depth - 1 };
    let pitch = (image.layout.row_pitch / u64::from(known.bytes)) as u32 - 1;
    words[0] = (va >> 8) as u32;
    words[1] = (va >> 40) as u32 & 0xff | known.data_format << 20 | known.number_format << 26;
    words[2] = (width - 1) | (rows.wrapping_sub(1) & 0x3fff) << 14;
    words[3] = known.select | geometry.kind() << 28;
    words[4] = layers | pitch << 13 | known.border << 29;
    words
}

/// `hsa_ext_sampler_descriptor_v2_t`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SamplerDescriptor {
    /// Coordinates from 0 to 1 (1), or in elements (0).
    pub coordinates: u32,
    /// The nearest element (0), or a mean of its neighbours (1).
    pub filter: u32,
    /// What lies beyond the edge, for each dimension: undefined, the edge, a border, the image again, the image mirrored.
    pub addressing: [u32; 3],
}

/// Words of a sampler's descriptor.
pub(super) fn sampler_words(sampler: &SamplerDescriptor) -> Result<[u32; 8], Error> {
    /// `SQ_TEX_CLAMP` by `hsa_ext_sampler_addressing_mode_t`: wrap, last texel, border, wrap, mirror.
    const CLAMPS: [u32; 5] = [0, 2, 6, 0, 1];
    const UNNORMALISED: u32 = 1 << 15;
    const MOST_LOD: u32 = 0xfff << 12;
    const LINEAR: u32 = 0b0101 << 20;
    let wrong = |why: String| Error::InvalidArgument { what: "sampler", why };
    if sampler.coordinates > 1 || sampler.filter > 1 {
        return Err(wrong(format!("coordinates {}, filter {}", sampler.coordinates, sampler.filter)));
    }
    let mut words = [0; 8];
    for (at, mode) in sampler.addressing.iter().enumerate() {
        let clamp = CLAMPS.get(*mode as usize).ok_or_else(|| wrong(format!("addressing {mode}")))?;
        words[0] |= clamp << (3 * at);
    }
    if sampler.coordinates == 0 {
        words[0] |= UNNORMALISED;
    }
    words[1] = MOST_LOD;
    words[2] = if sampler.filter == 1 { LINEAR } else { 0 };
    Ok(words)
}
