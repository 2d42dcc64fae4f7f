//! Fills, in the stream's order.

use crate::error::Result;
use crate::ffi;
use crate::state;
use crate::stream::{resolve, resolve_spt};
use hip_sys::{hipDeviceptr_t, hipError_t, hipExtent, hipPitchedPtr, hipStream_t};
use std::ffi::{c_int, c_void};

type Ptr = *mut c_void;

/// What is filled: `planes` times `rows` times `count` elements of `width` bytes.
#[derive(Debug, Clone, Copy)]
struct Area {
    width: usize,
    count: usize,
    rows: usize,
    pitch: usize,
    planes: usize,
    plane: usize,
}

impl Area {
    const fn line(width: usize, count: usize) -> Self {
        Self { width, count, rows: 1, pitch: 0, planes: 1, plane: 0 }
    }

    fn extent(&self) -> Result<usize> {
        let row = self.width.checked_mul(self.count);
        let rows = self.pitch.checked_mul(self.rows - 1);
        let planes = self.plane.checked_mul(self.planes - 1);
        row.zip(rows)
            .zip(planes)
            .and_then(|((row, rows), planes)| row.checked_add(rows)?.checked_add(planes))
            .ok_or(hipError_t::INVALID_VALUE)
    }
}

fn fill(to: Ptr, value: u32, area: Area, stream: hipStream_t, wait: bool) -> Result {
    if area.count == 0 || area.rows == 0 || area.planes == 0 {
        return Ok(());
    }
    if to.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    let address = to.expose_provenance() as u64;
    state::hip()?.allocations.check(address, area.extent()?)?;
    let work = move || {
        for plane in 0..area.planes as u64 {
            for row in 0..area.rows as u64 {
                let at = address + plane * area.plane as u64 + row * area.pitch as u64;
                ffi::fill(at, value, area.width, area.count);
            }
        }
    };
    let stream = resolve(stream)?;
    if wait {
        stream.synchronize_with_others()?;
        work();
        return Ok(());
    }
    stream.host(true, move |status| {
        if status == hipError_t::SUCCESS {
            work();
        }
    })
}

const NULL: hipStream_t = hipStream_t::NULL;

pub fn bytes(to: Ptr, value: c_int, size: usize) -> Result {
    fill(to, value as u32, Area::line(1, size), NULL, true)
}

pub fn bytes_spt(to: Ptr, value: c_int, size: usize) -> Result {
    fill(to, value as u32, Area::line(1, size), hipStream_t::PER_THREAD, true)
}

pub fn bytes_async(to: Ptr, value: c_int, size: usize, stream: hipStream_t) -> Result {
    fill(to, value as u32, Area::line(1, size), stream, false)
}

pub fn bytes_async_spt(to: Ptr, value: c_int, size: usize, stream: hipStream_t) -> Result {
    bytes_async(to, value, size, resolve_spt(stream))
}

pub fn d8(to: hipDeviceptr_t, value: u8, count: usize) -> Result {
    fill(to.0, u32::from(value), Area::line(1, count), NULL, true)
}

pub fn d8_async(to: hipDeviceptr_t, value: u8, count: usize, stream: hipStream_t) -> Result {
    fill(to.0, u32::from(value), Area::line(1, count), stream, false)
}

pub fn d16(to: hipDeviceptr_t, value: u16, count: usize) -> Result {
    fill(to.0, u32::from(value), Area::line(2, count), NULL, true)
}

pub fn d16_async(to: hipDeviceptr_t, value: u16, count: usize, stream: hipStream_t) -> Result {
    fill(to.0, u32::from(value), Area::line(2, count), stream, false)
}

pub fn d32(to: hipDeviceptr_t, value: c_int, count: usize) -> Result {
    fill(to.0, value as u32, Area::line(4, count), NULL, true)
}

pub fn d32_async(to: hipDeviceptr_t, value: c_int, count: usize, stream: hipStream_t) -> Result {
    fill(to.0, value as u32, Area::line(4, count), stream, false)
}

fn rows(pitch: usize, width: usize, height: usize) -> Result<Area> {
    if height > 1 && width > pitch {
        return Err(hipError_t::INVALID_VALUE);
    }
    Ok(Area { rows: height, pitch, ..Area::line(1, width) })
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

fn planes(to: &hipPitchedPtr, extent: &hipExtent) -> Result<Area> {
    let rows = rows(to.pitch, extent.width, extent.height)?;
    let plane = to.pitch.checked_mul(to.ysize.max(extent.height)).ok_or(hipError_t::INVALID_VALUE)?;
    Ok(Area { planes: extent.depth, plane, ..rows })
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
