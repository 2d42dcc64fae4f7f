//! Images: loads, stores and samples of linear ones, of one level, through a descriptor ("T#") and a sampler ("S#"). Vega
//! ISA, "Vector memory image instructions".
//!
//! A lane's element is found by its coordinates, converted as the descriptor's format says, and its components are chosen
//! by the descriptor; `dmask` says which of them have registers. Coordinates beyond an image read zeros and write
//! nothing; a sampler brings them in, or to its border. What is not linear, has levels, or has coordinates or data of
//! 16 bits, is refused by name.

use super::pixel::{Number, Pixel};
use super::{Place, memory_op, place_fault};
use crate::lanes::write_row;
use crate::{Flow, Group, Inst, Moves, Row, Trap, TrapKind, Wave};

/// Fractions of a coordinate that filters tell apart.
const STEPS: f64 = 256.0;

/// `TYPE` of a descriptor.
const D1: u32 = 8;
const D2: u32 = 9;
const D3: u32 = 10;
const D1_ARRAY: u32 = 12;
const D2_ARRAY: u32 = 13;

/// An image.
struct Image {
    base: u64,
    kind: u32,
    /// Columns, rows, layers.
    sides: [u32; 3],
    /// Elements from row to row.
    pitch: u64,
    pixel: Pixel,
    srgb: bool,
    /// For each component of a register, `DST_SEL`: 0 and 1 are those numbers, 4 and up components of memory.
    select: [u32; 4],
}

/// A sampler.
struct Sampler {
    clamp: [u32; 3],
    unnormalised: bool,
    linear: bool,
    /// Coordinates of the nearest element are cut off, not brought to the nearest step.
    truncates: bool,
    /// `BORDER_COLOR_TYPE`: transparent black, opaque black, opaque white.
    border: u32,
}

/// Refuses an instruction for what it needs.
fn missing(i: &Inst, what: impl core::fmt::Display) -> TrapKind {
    TrapKind::NotImplemented { mnemonic: format!("{} of {what}", i.op.name), words: i.words }
}

impl Image {
    fn of(w: &Wave, i: &Inst) -> Result<Image, TrapKind> {
        let word = |n: u16| w.s[i.mem.saddr.plus(n).scalar()];
        let [w0, w1, w2, w3, w4, w5] = core::array::from_fn(|n| word(n as u16));
        let kind = w3 >> 28;
        let is_array = matches!(kind, D1_ARRAY | D2_ARRAY);
        if !matches!(kind, D1 | D2 | D3 | D1_ARRAY | D2_ARRAY) {
            return Err(missing(i, format_args!("an image of type {kind}")));
        }
        if w3 >> 20 & 31 != 0 {
            return Err(missing(i, format_args!("an image that is tiled, in mode {}", w3 >> 20 & 31)));
        }
        if w3 >> 12 & 0xff != 0 || w5 & 0x1fff != 0 {
            return Err(missing(i, "an image with levels, or of an array from a later layer on"));
        }
        let (data, number) = (w1 >> 20 & 63, w1 >> 26 & 15);
        const SRGB: u32 = 9;
        let srgb = number == SRGB;
        let pixel = match (data, if srgb { 0 } else { number }) {
            (16, 0) => Some(Pixel { bits: &[5, 6, 5], number: Number::Unorm }),
            (17, 0) => Some(Pixel { bits: &[5, 5, 5, 1], number: Number::Unorm }),
            (_, number) => Pixel::new(data, number),
        };
        let unknown = || missing(i, format_args!("data format {data} with number format {number}"));
        let rows = if matches!(kind, D2 | D3 | D2_ARRAY) { (w2 >> 14 & 0x3fff) + 1 } else { 1 };
        let layers = if kind == D3 || is_array { (w4 & 0x1fff) + 1 } else { 1 };
        Ok(Image {
            base: (u64::from(w0) | u64::from(w1 & 0xff) << 32) << 8,
            kind,
            sides: [(w2 & 0x3fff) + 1, rows, layers],
            pitch: u64::from(w4 >> 13 & 0xffff) + 1,
            pixel: pixel.ok_or_else(unknown)?,
            srgb,
            select: [0, 3, 6, 9].map(|at| w3 >> at & 7),
        })
    }

    /// Coordinates besides the layer of an array, and whether there is one.
    fn dimensions(&self) -> (u16, bool) {
        match self.kind {
            D1 => (1, false),
            D2 => (2, false),
            D3 => (3, false),
            D1_ARRAY => (1, true),
            _ => (2, true),
        }
    }

    /// Column, row and layer of a lane, of whole numbers, whose first is in the `skip`th address register.
    fn coordinates(&self, w: &Wave, i: &Inst, l: usize) -> [u32; 3] {
        let at = |k: u16| w.v[i.mem.addr.plus(k).row()].0[l];
        match self.kind {
            D1 => [at(0), 0, 0],
            D2 => [at(0), at(1), 0],
            D1_ARRAY => [at(0), 0, at(1)],
            _ => [at(0), at(1), at(2)],
        }
    }

    fn address(&self, [x, y, z]: [u32; 3]) -> Option<u64> {
        let inside = [x, y, z].iter().zip(self.sides).all(|(at, side)| *at < side);
        let row = u64::from(z) * u64::from(self.sides[1]) + u64::from(y);
        let element = row * self.pitch + u64::from(x);
        inside.then(|| self.base.wrapping_add(element * u64::from(self.pixel.bytes())))
    }

    /// The components of an element as registers have them.
    fn load(&self, g: &mut Group<'_>, at: [u32; 3]) -> Result<[u32; 4], TrapKind> {
        let Some(va) = self.address(at) else { return Ok([0; 4]) };
        let mut all = 0u128;
        let bytes = self.pixel.bytes();
        for at in (0..bytes).step_by(4) {
            let place = Place::Memory(va + u64::from(at));
            let word = match bytes - at {
                1 => place.load::<u8>(g)?,
                2 => place.load::<u16>(g)?,
                _ => place.load::<u32>(g)?,
            };
            all |= u128::from(word) << (8 * at);
        }
        let mut components = [0; 4];
        for (k, (component, &bits)) in components.iter_mut().zip(self.pixel.bits).enumerate() {
            *component = self.pixel.load(bits, all as u32 & u32::MAX >> (32 - bits));
            if self.srgb && k < 3 {
                *component = from_srgb(f32::from_bits(*component)).to_bits();
            }
            all >>= bits;
        }
        Ok(self.select.map(|select| match select {
            4.. => components[select as usize & 3],
            1 => self.pixel.one(),
            _ => 0,
        }))
    }

    /// Puts an element together from registers' components and stores it.
    fn store(&self, g: &mut Group<'_>, at: [u32; 3], of: [Option<u32>; 4]) -> Result<(), TrapKind> {
        let Some(va) = self.address(at) else { return Ok(()) };
        let (mut all, mut shift) = (0u128, 0);
        for (k, &bits) in self.pixel.bits.iter().enumerate() {
            let source = self.select.iter().position(|select| *select == 4 + k as u32);
            let value = source.and_then(|source| of[source]).map_or(0, |x| self.pixel.store(bits, x));
            all |= u128::from(value) << shift;
            shift += bits;
        }
        let bytes = self.pixel.bytes();
        for at in (0..bytes).step_by(4) {
            let (place, word) = (Place::Memory(va + u64::from(at)), (all >> (8 * at)) as u32);
            match bytes - at {
                1 => place.store(g, word as u8)?,
                2 => place.store(g, word as u16)?,
                _ => place.store(g, word)?,
            }
        }
        Ok(())
    }
}

fn from_srgb(value: f32) -> f32 {
    let value = f64::from(value);
    let linear = if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) };
    linear as f32
}

impl Sampler {
    fn of(w: &Wave, i: &Inst) -> Result<Sampler, TrapKind> {
        let word = |n: u16| w.s[i.mem.soffset.plus(n).scalar()];
        let [w0, _, w2, w3] = core::array::from_fn(|n| word(n as u16));
        let clamp = [0, 3, 6].map(|at| w0 >> at & 7);
        let unknown = clamp.iter().find(|clamp| !matches!(clamp, 0 | 1 | 2 | 6));
        if let Some(clamp) = unknown {
            return Err(missing(i, format_args!("a sampler that clamps in mode {clamp}")));
        }
        let border = w3 >> 30;
        if clamp.contains(&6) && border == 3 {
            return Err(missing(i, "a sampler with a border of a colour from a table"));
        }
        let filter = w2 >> 20 & 3;
        if filter > 1 {
            return Err(missing(i, format_args!("a sampler with filter {filter}")));
        }
        let unnormalised = w0 >> 15 & 1 != 0 || i.words[0] >> 12 & 1 != 0;
        let truncates = w0 >> 27 & 1 != 0;
        Ok(Sampler { clamp, unnormalised, linear: filter == 1, truncates, border })
    }

    /// Where an element beyond the side is; `None` on the border.
    fn bring_in(&self, dimension: usize, at: i64, side: u32) -> Option<u32> {
        let side = i64::from(side);
        let inside = match self.clamp[dimension] {
            0 => at.rem_euclid(side),
            1 => {
                let at = at.rem_euclid(2 * side);
                if at < side { at } else { 2 * side - 1 - at }
            }
            2 => at.clamp(0, side - 1),
            _ => at,
        };
        (0..side).contains(&inside).then_some(inside as u32)
    }

    /// What lies beyond an image, as registers have it.
    fn beyond(&self, image: &Image) -> [u32; 4] {
        const ALPHA: usize = 3;
        let one = image.pixel.one();
        let colour = match self.border {
            0 => [0; 4],
            1 => core::array::from_fn(|k| if k == ALPHA { one } else { 0 }),
            _ => [one; 4],
        };
        // As elements come: components that the format lacks are what the descriptor says.
        core::array::from_fn(|k| match image.select[k] {
            4.. => colour[k],
            1 => one,
            _ => 0,
        })
    }

    /// An element, or what lies there.
    fn fetch(
        &self,
        g: &mut Group<'_>,
        image: &Image,
        at: [i64; 3],
        layer: Option<u32>,
    ) -> Result<[u32; 4], TrapKind> {
        let mut element = [0; 3];
        for d in 0..usize::from(image.dimensions().0) {
            match self.bring_in(d, at[d], image.sides[d]) {
                Some(inside) => element[d] = inside,
                None => return Ok(self.beyond(image)),
            }
        }
        element[2] = layer.unwrap_or(element[2]);
        image.load(g, element)
    }

    /// A sample at coordinates, in elements.
    fn sample(
        &self,
        g: &mut Group<'_>,
        image: &Image,
        at: [f64; 3],
        layer: Option<u32>,
    ) -> Result<[u32; 4], TrapKind> {
        if !self.linear || image.pixel.number.is_integer() {
            let nearest = |x: f64| if self.truncates { x.floor() } else { to_step(x).floor() };
            return self.fetch(g, image, at.map(|x| nearest(x) as i64), layer);
        }
        // The nearer neighbour of each dimension and how much the further one counts, in steps.
        let parts = at.map(|x| {
            let x = to_step(x - 0.5);
            (x.floor() as i64, x - x.floor())
        });
        let dimensions = usize::from(image.dimensions().0);
        let mut sum = [0f64; 4];
        for corner in 0..1u32 << dimensions {
            let (mut element, mut weight) = ([0; 3], 1.0);
            for d in 0..dimensions {
                let further = corner >> d & 1 != 0;
                // One that is infinitely far has no neighbour.
                element[d] = parts[d].0.saturating_add(i64::from(further));
                weight *= if further { parts[d].1 } else { 1.0 - parts[d].1 };
            }
            if weight != 0.0 {
                let components = self.fetch(g, image, element, layer)?;
                for (sum, component) in sum.iter_mut().zip(components) {
                    *sum += weight * f64::from(f32::from_bits(component));
                }
            }
        }
        Ok(sum.map(|x| (x as f32).to_bits()))
    }

    /// One component of the four elements that a filter of two dimensions would take a mean of: the lower left one first,
    /// then against the clock.
    fn gather(
        &self,
        g: &mut Group<'_>,
        image: &Image,
        at: [f64; 3],
        layer: Option<u32>,
        component: usize,
    ) -> Result<[u32; 4], TrapKind> {
        let [x, y, _] = at.map(|x| to_step(x - 0.5).floor() as i64);
        let mut four = [0; 4];
        for (found, (right, down)) in four.iter_mut().zip([(0, 1), (1, 1), (1, 0), (0, 0)]) {
            let element = [x.saturating_add(right), y.saturating_add(down), 0];
            *found = self.fetch(g, image, element, layer)?[component];
        }
        Ok(four)
    }
}

/// A coordinate as filters see it.
fn to_step(x: f64) -> f64 {
    (x * STEPS + 0.5).floor() / STEPS
}

fn refuse(w: &mut Wave, i: &Inst, kind: TrapKind) -> Flow {
    let pc = i.pc(w);
    w.stop(Trap { kind, pc, lane: None })
}

/// Which components have registers; refuses what the instruction's bits ask for and is not here.
fn mask(i: &Inst) -> Result<u32, TrapKind> {
    let [w, x] = i.words;
    if w >> 15 & 1 != 0 {
        return Err(missing(i, "coordinates of 16 bits"));
    }
    if w >> 17 & 1 != 0 {
        return Err(missing(i, "warnings of levels (lwe)"));
    }
    if x >> 31 != 0 {
        return Err(missing(i, "data of 16 bits"));
    }
    Ok(w >> 8 & 15)
}

/// Does something for each active lane, and fills the registers of the mask with what comes of it.
fn each(
    w: &mut Wave,
    g: &mut Group<'_>,
    i: &Inst,
    mut lane: impl FnMut(&Wave, &mut Group<'_>, usize) -> Result<[u32; 4], TrapKind>,
) -> Flow {
    let mask = match mask(i) {
        Ok(mask) => mask,
        Err(kind) => return refuse(w, i, kind),
    };
    let exec = w.exec();
    let mut rows = [const { Row([0; 64]) }; 4];
    for l in (0..64).filter(|l| exec >> l & 1 != 0) {
        let components = match lane(w, g, l) {
            Ok(components) => components,
            Err(kind) => return place_fault(w, i, kind, l),
        };
        for (row, component) in rows.iter_mut().zip(components) {
            row.0[l] = component;
        }
    }
    let chosen = rows.iter().enumerate().filter(|(k, _)| mask >> k & 1 != 0);
    for (register, (_, row)) in chosen.enumerate() {
        write_row(&mut w.v[i.dst.plus(register as u16).row()].0, &row.0, exec);
    }
    Flow::Next
}

fn load(w: &mut Wave, g: &mut Group<'_>, i: &Inst) -> Flow {
    match Image::of(w, i) {
        Ok(image) => each(w, g, i, |w, g, l| image.load(g, image.coordinates(w, i, l))),
        Err(kind) => refuse(w, i, kind),
    }
}

/// As [`load`], from a level, which comes after the coordinates: there is the first alone.
fn load_level(w: &mut Wave, g: &mut Group<'_>, i: &Inst) -> Flow {
    match Image::of(w, i) {
        Ok(image) => each(w, g, i, |w, g, l| {
            if level(w, i, l, &image) == 0 { image.load(g, image.coordinates(w, i, l)) } else { Ok([0; 4]) }
        }),
        Err(kind) => refuse(w, i, kind),
    }
}

fn level(w: &Wave, i: &Inst, l: usize, image: &Image) -> u32 {
    let (dimensions, is_array) = image.dimensions();
    w.v[i.mem.addr.plus(dimensions + u16::from(is_array)).row()].0[l]
}

fn store_where(w: &mut Wave, g: &mut Group<'_>, i: &Inst, has_level: bool) -> Flow {
    let (image, mask) = match Image::of(w, i).and_then(|image| Ok((image, mask(i)?))) {
        Ok(found) => found,
        Err(kind) => return refuse(w, i, kind),
    };
    if image.srgb {
        let kind = missing(i, "an sRGB image, which is only read");
        return refuse(w, i, kind);
    }
    let exec = w.exec();
    for l in (0..64).filter(|l| exec >> l & 1 != 0) {
        if has_level && level(w, i, l, &image) != 0 {
            continue;
        }
        let mut register = 0;
        let of = core::array::from_fn(|k| {
            (mask >> k & 1 != 0).then(|| {
                let value = w.v[i.mem.data.plus(register).row()].0[l];
                register += 1;
                value
            })
        });
        if let Err(kind) = image.store(g, image.coordinates(w, i, l), of) {
            return place_fault(w, i, kind, l);
        }
    }
    Flow::Next
}

fn store(w: &mut Wave, g: &mut Group<'_>, i: &Inst) -> Flow {
    store_where(w, g, i, false)
}

fn store_level(w: &mut Wave, g: &mut Group<'_>, i: &Inst) -> Flow {
    store_where(w, g, i, true)
}

/// Sides and levels of an image.
fn info(w: &mut Wave, g: &mut Group<'_>, i: &Inst) -> Flow {
    match Image::of(w, i) {
        Ok(Image { sides: [x, y, z], .. }) => each(w, g, i, |w, _, l| {
            // Of the level that is asked for there is the first alone.
            let first = w.v[i.mem.addr.row()].0[l] == 0;
            Ok(if first { [x, y, z, 1] } else { [0, 0, 0, 1] })
        }),
        Err(kind) => refuse(w, i, kind),
    }
}

/// What stands before the coordinates of a sample.
const NOTHING: u16 = 0;
/// A bias of the level, of which there is one.
const BIAS: u16 = 1;
/// How coordinates change, in both directions of the screen.
const DERIVATIVES: u16 = 2;

/// Where a lane samples: coordinates in elements, of which the first is in the `first`th address register, and the layer.
fn place(
    w: &Wave,
    i: &Inst,
    l: usize,
    image: &Image,
    sampler: &Sampler,
    first: u16,
) -> ([f64; 3], Option<u32>) {
    let (dimensions, is_array) = image.dimensions();
    let float = |k: u16| f64::from(f32::from_bits(w.v[i.mem.addr.plus(first + k).row()].0[l]));
    let mut at = [0.5; 3];
    for (d, at) in at.iter_mut().enumerate().take(usize::from(dimensions)) {
        let scale = if sampler.unnormalised { 1.0 } else { f64::from(image.sides[d]) };
        let coordinate = float(d as u16) * scale;
        *at = if coordinate.is_finite() { coordinate } else { 0.0 };
    }
    let layer = is_array.then(|| {
        let most = f64::from(image.sides[2] - 1);
        float(dimensions).round_ties_even().clamp(0.0, most) as u32
    });
    (at, layer)
}

fn both(w: &Wave, i: &Inst) -> Result<(Image, Sampler), TrapKind> {
    Ok((Image::of(w, i)?, Sampler::of(w, i)?))
}

fn sample<const BEFORE: u16>(w: &mut Wave, g: &mut Group<'_>, i: &Inst) -> Flow {
    let (image, sampler) = match both(w, i) {
        Ok(found) => found,
        Err(kind) => return refuse(w, i, kind),
    };
    let first = match BEFORE {
        DERIVATIVES => 2 * image.dimensions().0,
        before => before,
    };
    each(w, g, i, |w, g, l| {
        let (at, layer) = place(w, i, l, &image, &sampler, first);
        sampler.sample(g, &image, at, layer)
    })
}

fn gather<const BEFORE: u16>(w: &mut Wave, g: &mut Group<'_>, i: &Inst) -> Flow {
    let (image, sampler) = match both(w, i) {
        Ok((Image { kind, .. }, _)) if !matches!(kind, D2 | D2_ARRAY) => {
            let kind = missing(i, format_args!("an image of type {kind}"));
            return refuse(w, i, kind);
        }
        Ok(found) => found,
        Err(kind) => return refuse(w, i, kind),
    };
    let component = match mask(i) {
        Ok(mask) => mask.trailing_zeros().min(3) as usize,
        Err(kind) => return refuse(w, i, kind),
    };
    let exec = w.exec();
    let mut rows = [const { Row([0; 64]) }; 4];
    for l in (0..64).filter(|l| exec >> l & 1 != 0) {
        let (at, layer) = place(w, i, l, &image, &sampler, BEFORE);
        let four = match sampler.gather(g, &image, at, layer, component) {
            Ok(four) => four,
            Err(kind) => return place_fault(w, i, kind, l),
        };
        for (row, found) in rows.iter_mut().zip(four) {
            row.0[l] = found;
        }
    }
    for (register, row) in rows.iter().enumerate() {
        write_row(&mut w.v[i.dst.plus(register as u16).row()].0, &row.0, exec);
    }
    Flow::Next
}

macro_rules! image_ops {
    ($($(#[$doc:meta])* $name:ident $text:literal: $D:ident <- ($($T:ident),*) $moves:expr, $body:expr;)*) => {$(
        memory_op! {
            $(#[$doc])*
            $name $text, $D <- ($($T),*) moves ($moves), $body
        }
    )*};
}

image_ops! {
    /// Loads an element.
    LOAD "image_load": B128 <- (B32) Moves::reads(16), load;
    /// Loads an element of a level.
    LOAD_MIP "image_load_mip": B128 <- (B32) Moves::reads(16), load_level;
    /// Stores an element.
    STORE "image_store": None <- (B32) Moves::writes(16), store;
    /// Stores an element of a level.
    STORE_MIP "image_store_mip": None <- (B32) Moves::writes(16), store_level;
    /// Tells the sides of an image.
    GET_RESINFO "image_get_resinfo": B128 <- (B32) Moves::reads(0), info;
    /// Samples.
    SAMPLE "image_sample": B128 <- (B32, B128) Moves::reads(16), sample::<NOTHING>;
    /// Samples; the greatest level comes after the coordinates.
    SAMPLE_CL "image_sample_cl": B128 <- (B32, B128) Moves::reads(16), sample::<NOTHING>;
    /// Samples; derivatives come before the coordinates.
    SAMPLE_D "image_sample_d": B128 <- (B64, B128) Moves::reads(16), sample::<DERIVATIVES>;
    /// Samples; the level comes after the coordinates.
    SAMPLE_L "image_sample_l": B128 <- (B32, B128) Moves::reads(16), sample::<NOTHING>;
    /// Samples; a bias comes before the coordinates.
    SAMPLE_B "image_sample_b": B128 <- (B64, B128) Moves::reads(16), sample::<BIAS>;
    /// Samples the first level.
    SAMPLE_LZ "image_sample_lz": B128 <- (B32, B128) Moves::reads(16), sample::<NOTHING>;
    /// One component of four elements.
    GATHER4 "image_gather4": B128 <- (B32, B128) Moves::reads(16), gather::<NOTHING>;
    /// One component of four elements; the greatest level comes after the coordinates.
    GATHER4_CL "image_gather4_cl": B128 <- (B32, B128) Moves::reads(16), gather::<NOTHING>;
    /// One component of four elements; the level comes after the coordinates.
    GATHER4_L "image_gather4_l": B128 <- (B32, B128) Moves::reads(16), gather::<NOTHING>;
    /// One component of four elements; a bias comes before the coordinates.
    GATHER4_B "image_gather4_b": B128 <- (B64, B128) Moves::reads(16), gather::<BIAS>;
    /// One component of four elements of the first level.
    GATHER4_LZ "image_gather4_lz": B128 <- (B32, B128) Moves::reads(16), gather::<NOTHING>;
}
