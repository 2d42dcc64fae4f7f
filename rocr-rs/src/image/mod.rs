//! Images and samplers (`hsa_ext_image.h`): how they lie in memory, descriptors that image instructions take, and copies of
//! their parts.
//!
//! The program allocates the memory; an image says what it holds. What moves elements comes as a [`Transfer`], which
//! [`Runtime::transfer`] or [`Runtime::transfer_now`] does.

mod descriptor;
mod format;
mod texel;

use std::sync::Arc;

use descriptor::Checked;
pub use descriptor::{Geometry, ImageAccess, ImageDescriptor, ImageLayout, SamplerDescriptor};
pub use format::ImageFormat;

use crate::signal::pool::Slot;
use crate::{Agent, AgentKind, Error, Memory, PoolKind, Rows, Runtime, Transfer, core::Core};

/// Chips, by the first two numbers of their architecture, that have image instructions, with descriptors of this kind.
const WITH_IMAGES: &[(u32, u32)] = &[(9, 0)];

/// Words that the device reads, in memory that it reaches.
struct Words {
    core: Arc<Core>,
    slot: Slot,
}

impl Words {
    fn new(runtime: &Arc<Runtime>, words: &[u32]) -> Result<Self, Error> {
        let core = runtime.core.clone();
        let slot = core.signals.take(&core)?;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        slot.slab.write_bytes(slot.offset, &bytes);
        Ok(Self { core, slot })
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        self.core.signals.put(self.slot.clone());
    }
}

/// An image. Dropping it leaves its memory alone.
pub struct Image {
    words: Words,
    checked: Checked,
    va: u64,
}

/// A sampler.
pub struct Sampler {
    words: Words,
}

/// A part of an image (`hsa_ext_image_region_t`): first element, and elements in each direction. Layers of an array of one
/// dimension are in the second direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    /// The first.
    pub offset: [u32; 3],
    /// How many.
    pub range: [u32; 3],
}

impl SamplerDescriptor {
    /// The words of the descriptor, for a program that keeps them elsewhere than a [`Sampler`] does.
    pub fn words(&self) -> Result<[u32; 8], Error> {
        descriptor::sampler_words(self)
    }
}

fn supports_images(agent: &Agent) -> bool {
    let (major, minor, _) = agent.properties().gfx_version;
    agent.kind() == AgentKind::Gpu && WITH_IMAGES.contains(&(major, minor))
}

impl Agent {
    /// Whether it has instructions for images.
    pub fn has_images(&self) -> bool {
        supports_images(self)
    }

    /// What images of a format can be used for, a mask of `hsa_ext_image_capability_t`.
    pub fn image_capability(&self, geometry: Geometry, format: ImageFormat) -> u32 {
        let known = format.known(geometry.usage()).filter(|_| supports_images(self));
        known.map_or(0, |(_, capability)| capability)
    }

    /// How an image lies in memory. Pitches of 0 are chosen.
    pub fn image_layout(
        &self,
        descriptor: &ImageDescriptor,
        access: ImageAccess,
        row_pitch: u64,
        slice_pitch: u64,
    ) -> Result<ImageLayout, Error> {
        Ok(self.check(descriptor, access, row_pitch, slice_pitch)?.layout)
    }

    fn check(
        &self,
        descriptor: &ImageDescriptor,
        access: ImageAccess,
        row_pitch: u64,
        slice_pitch: u64,
    ) -> Result<Checked, Error> {
        if !supports_images(self) {
            return Err(Error::ImageFormat { why: format!("{} has no images", self.name()) });
        }
        descriptor::check(descriptor, access, row_pitch, slice_pitch)
    }
}

impl Image {
    /// An image in memory at `va`, of which there is as much as [`Agent::image_layout`] says.
    pub fn new(
        agent: &Agent,
        descriptor: &ImageDescriptor,
        va: u64,
        access: ImageAccess,
        row_pitch: u64,
        slice_pitch: u64,
    ) -> Result<Self, Error> {
        let checked = agent.check(descriptor, access, row_pitch, slice_pitch)?;
        if va == 0 || !va.is_multiple_of(descriptor::ALIGNMENT) {
            let why = format!("{va:#x} is no multiple of {}", descriptor::ALIGNMENT);
            return Err(Error::InvalidArgument { what: "address of an image", why });
        }
        let size = checked.layout.size;
        if va.checked_add(size).is_none() {
            let why = format!("{size:#x} bytes at {va:#x} go beyond the address space");
            return Err(Error::InvalidArgument { what: "address of an image", why });
        }
        Ok(Self { words: Words::new(agent.runtime(), &descriptor::words(&checked, va))?, checked, va })
    }

    /// What kernels are given: the address of the descriptor.
    pub fn handle(&self) -> u64 {
        self.words.slot.va()
    }

    /// The words of the descriptor, for a program that keeps them elsewhere.
    pub fn descriptor_words(&self) -> [u32; 12] {
        descriptor::words(&self.checked, self.va)
    }

    /// Where the elements are.
    pub fn layout(&self) -> ImageLayout {
        self.checked.layout
    }

    /// Bytes of an element.
    pub fn element_bytes(&self) -> u32 {
        self.checked.format.bytes
    }

    /// Rows of a part, bytes of a row, rows of a layer, layers.
    fn part(&self, region: &Region) -> Result<(Rows, [u64; 3]), Error> {
        let (mut offset, mut range) = (region.offset.map(u64::from), region.range.map(u64::from));
        if self.checked.descriptor.geometry == Geometry::D1Array {
            (offset, range) = ([offset[0], 0, offset[1]], [range[0], 1, range[1]]);
        }
        let inside = (0..3).all(|side| offset[side] + range[side] <= self.checked.sides[side]);
        if !inside {
            let why = format!("{region:?} is not within {:?} elements", self.checked.sides);
            return Err(Error::InvalidArgument { what: "part of an image", why });
        }
        let (bytes, layout) = (u64::from(self.checked.format.bytes), &self.checked.layout);
        let base =
            self.va + offset[2] * layout.slice_pitch + offset[1] * layout.row_pitch + offset[0] * bytes;
        let rows = Rows { base, pitch: layout.row_pitch, slice: layout.slice_pitch };
        Ok((rows, [range[0] * bytes, range[1], range[2]]))
    }

    /// Rows in memory of the program, for a part of an image. Pitches of 0 are those of rows that follow each other.
    fn linear(va: u64, row_pitch: u64, slice_pitch: u64, [width, rows, _]: [u64; 3]) -> Result<Rows, Error> {
        let wrong = |why: String| Error::InvalidArgument { what: "memory beside an image", why };
        let pitch = if row_pitch == 0 { width } else { row_pitch };
        let slice = if slice_pitch == 0 { pitch.checked_mul(rows) } else { Some(slice_pitch) };
        let slice = slice.ok_or_else(|| wrong(format!("rows {pitch:#x} bytes apart")))?;
        if va == 0 || pitch < width || pitch.checked_mul(rows).is_none_or(|least| slice < least) {
            return Err(wrong(format!(
                "rows of {width} bytes, {row_pitch} apart, in layers {slice_pitch} apart"
            )));
        }
        Ok(Rows { base: va, pitch, slice })
    }

    /// Copies elements in, from memory at `va`.
    pub fn import(&self, va: u64, row_pitch: u64, slice_pitch: u64, to: &Region) -> Result<Transfer, Error> {
        let (dst, sizes) = self.part(to)?;
        let src = Self::linear(va, row_pitch, slice_pitch, sizes)?;
        Ok(Transfer::Rows { dst, src, width: sizes[0], rows: sizes[1], layers: sizes[2] })
    }

    /// Copies elements out, to memory at `va`.
    pub fn export(
        &self,
        va: u64,
        row_pitch: u64,
        slice_pitch: u64,
        from: &Region,
    ) -> Result<Transfer, Error> {
        let (src, sizes) = self.part(from)?;
        let dst = Self::linear(va, row_pitch, slice_pitch, sizes)?;
        Ok(Transfer::Rows { dst, src, width: sizes[0], rows: sizes[1], layers: sizes[2] })
    }

    /// Copies elements from another image of the same format, to `offset`.
    pub fn copy_from(&self, from: &Image, part: &Region, offset: [u32; 3]) -> Result<Transfer, Error> {
        if self.checked.descriptor.format != from.checked.descriptor.format {
            return Err(Error::InvalidArgument {
                what: "copy of images",
                why: "their formats are not the same".to_owned(),
            });
        }
        let (src, sizes) = from.part(part)?;
        let (dst, _) = self.part(&Region { offset, range: part.range })?;
        Ok(Transfer::Rows { dst, src, width: sizes[0], rows: sizes[1], layers: sizes[2] })
    }

    /// Fills a part with a colour: red, green, blue, alpha, floating-point numbers or integers, whichever the format has. The
    /// memory that comes with it has to stay until the transfer is done.
    pub fn clear(
        &self,
        runtime: &Arc<Runtime>,
        colour: [u32; 4],
        part: &Region,
    ) -> Result<(Transfer, Option<Memory>), Error> {
        let (dst, [width, rows, layers]) = self.part(part)?;
        let nothing = Rows { base: dst.base, pitch: 0, slice: 0 };
        if width == 0 || rows == 0 || layers == 0 {
            return Ok((Transfer::Rows { dst, src: nothing, width: 0, rows, layers }, None));
        }
        let element = texel::encode(&self.checked.format, colour);
        let row = element.repeat((width / u64::from(self.checked.format.bytes)) as usize);
        let memory = runtime.cpu_agent().pool(PoolKind::FineGrained).allocate(row.len())?;
        memory.write(0, &row)?;
        // One row, again and again.
        let src = Rows { base: memory.va(), ..nothing };
        Ok((Transfer::Rows { dst, src, width, rows, layers }, Some(memory)))
    }
}

impl Sampler {
    /// A sampler.
    pub fn new(agent: &Agent, descriptor: &SamplerDescriptor) -> Result<Self, Error> {
        if !supports_images(agent) {
            return Err(Error::InvalidArgument {
                what: "sampler",
                why: format!("{} has no images", agent.name()),
            });
        }
        Ok(Self { words: Words::new(agent.runtime(), &descriptor::sampler_words(descriptor)?)? })
    }

    /// What kernels are given: the address of the descriptor.
    pub fn handle(&self) -> u64 {
        self.words.slot.va()
    }
}

impl std::fmt::Debug for Image {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Image({:?}, at {:#x})", self.checked.descriptor, self.va)
    }
}

impl std::fmt::Debug for Sampler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Sampler({:#x})", self.handle())
    }
}
