//! Images and samplers (`hsa_ext_image.h`).

use std::sync::Arc;

use hsa_sys::{AgentHandle, Status};
use rocr_rs::image::{
    Geometry, Image, ImageAccess, ImageDescriptor, ImageFormat, ImageLayout, Region, Sampler,
    SamplerDescriptor,
};
use rocr_rs::{Agent, Error, Transfer};

use super::copy;
use crate::abi::{CImageDescriptor, CImageFormat, CImageInfo, CImageRegion, CSampler, CSamplerV2, Dim3};
use crate::ffi::{Address, In, Out, Result};
use crate::state::{Session, session};

/// `hsa_ext_image_data_layout_t`
const OPAQUE: u32 = 0;
const LINEAR: u32 = 1;
/// Values of a colour.
const CHANNELS: usize = 4;

const WRONG: Status = Status::ERROR_INVALID_ARGUMENT;

fn status(error: Error) -> Status {
    error.status()
}

pub fn capability(agent: AgentHandle, geometry: u32, format: In<CImageFormat>, mask: Out<u32>) -> Result {
    capability_with_layout(agent, geometry, format, OPAQUE, mask)
}

pub fn capability_with_layout(
    agent: AgentHandle,
    geometry: u32,
    format: In<CImageFormat>,
    layout: u32,
    mask: Out<u32>,
) -> Result {
    let session = session()?;
    let agent = session.agent(agent)?;
    mask.check()?;
    let geometry = Geometry::by_number(geometry).filter(|_| layout <= LINEAR).ok_or(WRONG)?;
    mask.set(agent.image_capability(geometry, of_c(format.get()?)))
}

fn of_c(format: CImageFormat) -> ImageFormat {
    ImageFormat { channel: format.channel, order: format.order }
}

/// What the arguments that describe an image mean.
struct Wanted {
    agent: Agent,
    descriptor: ImageDescriptor,
    access: ImageAccess,
}

fn wanted(
    session: &Session,
    agent: AgentHandle,
    descriptor: In<CImageDescriptor>,
    access: u32,
    (layout, row_pitch, slice_pitch): (u32, usize, usize),
) -> Result<Wanted> {
    let agent = session.agent(agent)?.clone();
    let c = descriptor.get()?;
    let descriptor = ImageDescriptor {
        geometry: Geometry::by_number(c.geometry).ok_or(WRONG)?,
        width: c.width,
        height: c.height,
        depth: c.depth,
        layers: c.layers,
        format: of_c(c.format),
    };
    let access = match access {
        1 => ImageAccess::ReadOnly,
        2 => ImageAccess::WriteOnly,
        3 => ImageAccess::ReadWrite,
        _ => return Err(WRONG),
    };
    if layout > LINEAR || layout == OPAQUE && (row_pitch, slice_pitch) != (0, 0) {
        return Err(WRONG);
    }
    Ok(Wanted { agent, descriptor, access })
}

pub fn data_info(
    agent: AgentHandle,
    descriptor: In<CImageDescriptor>,
    access: u32,
    out: Out<CImageInfo>,
) -> Result {
    data_info_with_layout(agent, descriptor, access, OPAQUE, 0, 0, out)
}

pub fn data_info_with_layout(
    agent: AgentHandle,
    descriptor: In<CImageDescriptor>,
    access: u32,
    layout: u32,
    row_pitch: usize,
    slice_pitch: usize,
    out: Out<CImageInfo>,
) -> Result {
    let session = session()?;
    let wanted = wanted(&session, agent, descriptor, access, (layout, row_pitch, slice_pitch))?;
    out.check()?;
    let ImageLayout { size, alignment, .. } = wanted
        .agent
        .image_layout(&wanted.descriptor, wanted.access, row_pitch as u64, slice_pitch as u64)
        .map_err(status)?;
    out.set(CImageInfo { size, alignment })
}

pub fn create(
    agent: AgentHandle,
    descriptor: In<CImageDescriptor>,
    data: Address,
    access: u32,
    out: Out<u64>,
) -> Result {
    create_with_layout(agent, descriptor, data, access, OPAQUE, 0, 0, out)
}

pub fn create_with_layout(
    agent: AgentHandle,
    descriptor: In<CImageDescriptor>,
    data: Address,
    access: u32,
    layout: u32,
    row_pitch: usize,
    slice_pitch: usize,
    out: Out<u64>,
) -> Result {
    let session = session()?;
    let wanted = wanted(&session, agent, descriptor, access, (layout, row_pitch, slice_pitch))?;
    out.check()?;
    if data == 0 {
        return Err(WRONG);
    }
    let (row_pitch, slice_pitch) = (row_pitch as u64, slice_pitch as u64);
    let made = Image::new(&wanted.agent, &wanted.descriptor, data, wanted.access, row_pitch, slice_pitch);
    let made = made.map_err(status)?;
    let handle = made.handle();
    session.images.lock().insert(handle, Arc::new(made));
    out.set(handle)
}

pub fn destroy(agent: AgentHandle, image: u64) -> Result {
    let session = session()?;
    session.agent(agent)?;
    session.images.lock().remove(&image).map(drop).ok_or(WRONG)
}

fn find(session: &Session, image: u64) -> Result<Arc<Image>> {
    session.images.lock().get(&image).cloned().ok_or(WRONG)
}

/// Does a transfer of rows now.
fn transfer(session: &Session, transfer: Transfer) -> Result {
    let transfer = copy::by_host(session, transfer);
    session.runtime.transfer_now(transfer, move || copy::on_host(transfer)).map_err(status)
}

fn region(region: In<CImageRegion>) -> Result<Region> {
    let CImageRegion { offset, range } = region.get()?;
    Ok(Region { offset: sides(offset), range: sides(range) })
}

fn sides(of: Dim3) -> [u32; 3] {
    [of.x, of.y, of.z]
}

pub fn import(
    agent: AgentHandle,
    from: Address,
    row_pitch: usize,
    slice_pitch: usize,
    to: u64,
    part: In<CImageRegion>,
) -> Result {
    let session = session()?;
    session.agent(agent)?;
    let image = find(&session, to)?;
    let rows = image.import(from, row_pitch as u64, slice_pitch as u64, &region(part)?);
    transfer(&session, rows.map_err(status)?)
}

pub fn export(
    agent: AgentHandle,
    from: u64,
    to: Address,
    row_pitch: usize,
    slice_pitch: usize,
    part: In<CImageRegion>,
) -> Result {
    let session = session()?;
    session.agent(agent)?;
    let image = find(&session, from)?;
    let rows = image.export(to, row_pitch as u64, slice_pitch as u64, &region(part)?);
    transfer(&session, rows.map_err(status)?)
}

pub fn copy(
    agent: AgentHandle,
    from: u64,
    from_offset: In<Dim3>,
    to: u64,
    to_offset: In<Dim3>,
    range: In<Dim3>,
) -> Result {
    let session = session()?;
    session.agent(agent)?;
    let (from, to) = (find(&session, from)?, find(&session, to)?);
    let part = Region { offset: sides(from_offset.get()?), range: sides(range.get()?) };
    let rows = to.copy_from(&from, &part, sides(to_offset.get()?));
    transfer(&session, rows.map_err(status)?)
}

pub fn clear(agent: AgentHandle, image: u64, colour: In<u32>, part: In<CImageRegion>) -> Result {
    let session = session()?;
    session.agent(agent)?;
    let image = find(&session, image)?;
    let colour = colour.array(CHANNELS)?;
    let colour: [u32; CHANNELS] = colour.try_into().map_err(|_| Status::ERROR)?;
    let (rows, _kept) = image.clear(&session.runtime, colour, &region(part)?).map_err(status)?;
    transfer(&session, rows)
}

pub fn create_sampler(agent: AgentHandle, descriptor: In<CSampler>, out: Out<u64>) -> Result {
    let session = session()?;
    let agent = session.agent(agent)?;
    let CSampler { coordinates, filter, addressing } = descriptor.get()?;
    add_sampler(&session, agent, SamplerDescriptor { coordinates, filter, addressing: [addressing; 3] }, out)
}

pub fn create_sampler_v2(agent: AgentHandle, descriptor: In<CSamplerV2>, out: Out<u64>) -> Result {
    let session = session()?;
    let agent = session.agent(agent)?;
    let CSamplerV2 { coordinates, filter, addressing } = descriptor.get()?;
    add_sampler(&session, agent, SamplerDescriptor { coordinates, filter, addressing }, out)
}

fn add_sampler(session: &Session, agent: &Agent, descriptor: SamplerDescriptor, out: Out<u64>) -> Result {
    out.check()?;
    let made = Sampler::new(agent, &descriptor).map_err(status)?;
    let handle = made.handle();
    session.samplers.lock().insert(handle, made);
    out.set(handle)
}

pub fn destroy_sampler(agent: AgentHandle, sampler: u64) -> Result {
    let session = session()?;
    session.agent(agent)?;
    session.samplers.lock().remove(&sampler).map(drop).ok_or(WRONG)
}
