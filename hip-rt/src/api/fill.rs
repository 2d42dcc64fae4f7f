//! Fills, in the stream's order.

use crate::error::Result;
use crate::ffi::Kept;
use crate::stream::{resolve, resolve_spt};
use crate::work::{Fill, Work};
use hip_sys::{hipDeviceptr_t, hipError_t, hipExtent, hipMemsetParams, hipPitchedPtr, hipStream_t};
use std::ffi::{c_int, c_void};

type Ptr = *mut c_void;

/// Elements of `width` bytes that follow one another.
const fn line(width: usize, count: usize) -> Fill {
    Fill { address: 0, value: 0, width, count, rows: 1, pitch: 0, planes: 1, plane: 0 }
}

fn fill(to: Ptr, value: u32, area: Fill, stream: hipStream_t, wait: bool) -> Result {
    let fill = Fill { address: to.expose_provenance() as u64, value, ..area };
    fill.check()?;
    let stream = resolve(stream)?;
    if wait {
        stream.synchronize_with_others()?;
        fill.perform();
        return Ok(());
    }
    stream.put(Work::Fill(fill, Kept::new(params(&fill))))
}

/// A fill as the parameters of a node show it.
fn params(fill: &Fill) -> hipMemsetParams {
    hipMemsetParams {
        dst: std::ptr::with_exposed_provenance_mut(fill.address as usize),
        elementSize: fill.width as u32,
        height: fill.rows,
        pitch: fill.pitch,
        value: fill.value,
        width: fill.count,
    }
}

/// The fill that the parameters of a node describe.
pub fn of_node(params: &hipMemsetParams) -> Result<Fill> {
    let width = params.elementSize as usize;
    if params.dst.is_null() || !matches!(width, 1 | 2 | 4) || params.width == 0 || params.height == 0 {
        return Err(hipError_t::INVALID_VALUE);
    }
    let row = params.width.checked_mul(width).ok_or(hipError_t::INVALID_VALUE)?;
    if params.height > 1 && row > params.pitch {
        return Err(hipError_t::INVALID_VALUE);
    }
    let address = params.dst.expose_provenance() as u64;
    let rows = Fill { rows: params.height, pitch: params.pitch, ..line(width, params.width) };
    Ok(Fill { address, value: params.value, ..rows })
}

const NULL: hipStream_t = hipStream_t::NULL;

pub fn bytes(to: Ptr, value: c_int, size: usize) -> Result {
    fill(to, value as u32, line(1, size), NULL, true)
}

pub fn bytes_spt(to: Ptr, value: c_int, size: usize) -> Result {
    fill(to, value as u32, line(1, size), hipStream_t::PER_THREAD, true)
}

pub fn bytes_async(to: Ptr, value: c_int, size: usize, stream: hipStream_t) -> Result {
    fill(to, value as u32, line(1, size), stream, false)
}

pub fn bytes_async_spt(to: Ptr, value: c_int, size: usize, stream: hipStream_t) -> Result {
    bytes_async(to, value, size, resolve_spt(stream))
}

pub fn d8(to: hipDeviceptr_t, value: u8, count: usize) -> Result {
    fill(to.0, u32::from(value), line(1, count), NULL, true)
}

pub fn d8_async(to: hipDeviceptr_t, value: u8, count: usize, stream: hipStream_t) -> Result {
    fill(to.0, u32::from(value), line(1, count), stream, false)
}

pub fn d16(to: hipDeviceptr_t, value: u16, count: usize) -> Result {
    fill(to.0, u32::from(value), line(2, count), NULL, true)
}

pub fn d16_async(to: hipDeviceptr_t, value: u16, count: usize, stream: hipStream_t) -> Result {
    fill(to.0, u32::from(value), line(2, count), stream, false)
}

pub fn d32(to: hipDeviceptr_t, value: c_int, count: usize) -> Result {
    fill(to.0, value as u32, line(4, count), NULL, true)
}

pub fn d32_async(to: hipDeviceptr_t, value: c_int, count: usize, stream: hipStream_t) -> Result {
    fill(to.0, value as u32, line(4, count), stream, false)
}

fn rows(pitch: usize, width: usize, height: usize) -> Result<Fill> {
    if height > 1 && width > pitch {
        return Err(hipError_t::INVALID_VALUE);
    }
    Ok(Fill { rows: height, pitch, ..line(1, width) })
}

pub fn rectangle(to: Ptr, pitch: usize, value: c_int, width: usize, height: usize) -> Result {
    fill(to, value as u32, rows(pitch, width, height)?, NULL, true)
}

pub fn rectangle_spt(to: Ptr, pitch: usize, value: c_int, width: usize, height: usize) -> Result {
    fill(to, value as u32, rows(pitch, width, height)?, hipStream_t::PER_THREAD, true)
}

pub fn rectangle_async(
    to: Ptr,
    pitch: usize,
    value: c_int,
    width: usize,
    height: usize,
    stream: hipStream_t,
) -> Result {
    fill(to, value as u32, rows(pitch, width, height)?, stream, false)
}

pub fn rectangle_async_spt(
    to: Ptr,
    pitch: usize,
    value: c_int,
    width: usize,
    height: usize,
    stream: hipStream_t,
) -> Result {
    rectangle_async(to, pitch, value, width, height, resolve_spt(stream))
}

fn planes(to: &hipPitchedPtr, extent: &hipExtent) -> Result<Fill> {
    let rows = rows(to.pitch, extent.width, extent.height)?;
    let plane = to.pitch.checked_mul(to.ysize.max(extent.height)).ok_or(hipError_t::INVALID_VALUE)?;
    Ok(Fill { planes: extent.depth, plane, ..rows })
}

pub fn box_3d(to: hipPitchedPtr, value: c_int, extent: hipExtent) -> Result {
    fill(to.ptr, value as u32, planes(&to, &extent)?, NULL, true)
}

pub fn box_3d_spt(to: hipPitchedPtr, value: c_int, extent: hipExtent) -> Result {
    fill(to.ptr, value as u32, planes(&to, &extent)?, hipStream_t::PER_THREAD, true)
}

pub fn box_3d_async(to: hipPitchedPtr, value: c_int, extent: hipExtent, stream: hipStream_t) -> Result {
    fill(to.ptr, value as u32, planes(&to, &extent)?, stream, false)
}

pub fn box_3d_async_spt(to: hipPitchedPtr, value: c_int, extent: hipExtent, stream: hipStream_t) -> Result {
    box_3d_async(to, value, extent, resolve_spt(stream))
}
