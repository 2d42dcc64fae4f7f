//! Copies to and from arrays. Positions in an array are bytes along a row, and rows.

use super::copy::{When, flat, line, node, transfer};
use crate::array::Array;
use crate::error::Result;
use crate::state;
use crate::stream::resolve_spt;
use crate::work::{Copy, Shape, Side};
use hip_sys::{hipDeviceptr_t, hipError_t, hipGraphNodeType, hipMemcpyKind, hipStream_t};
use std::ffi::c_void;
use std::sync::Arc;

type Ptr = *mut c_void;
type ConstPtr = *const c_void;

const NULL_STREAM: When = When::Now(hipStream_t::NULL);
const PER_THREAD: When = When::Now(hipStream_t::PER_THREAD);

fn run(to: Side, from: Side, shape: Shape, kind: hipMemcpyKind, when: When) -> Result {
    let copy = Copy { to, from, shape };
    // One side is an array, whatever the kind says of the other.
    transfer(copy, hipMemcpyKind::DEFAULT, when, || node(&copy, kind, hipGraphNodeType::MEMCPY))
}

fn array(handle: ConstPtr) -> Result<Arc<Array>> {
    state::hip()?.arrays.get(handle)
}

/// Refuses what the calls with a pitch refuse before they look at anything else; whether there is anything to copy.
fn wanted(array: ConstPtr, pitch: usize, width: usize, height: usize, kind: hipMemcpyKind) -> Result<bool> {
    if pitch == 0 {
        return Err(hipError_t::INVALID_PITCH_VALUE);
    }
    if array.is_null() {
        return Err(hipError_t::INVALID_RESOURCE_HANDLE);
    }
    if kind.0 > hipMemcpyKind::DEFAULT.0 {
        return Err(hipError_t::INVALID_MEMCPY_DIRECTION);
    }
    if width != 0 && height != 0 && width > pitch {
        return Err(hipError_t::INVALID_VALUE);
    }
    Ok(width != 0 && height != 0)
}

#[allow(clippy::too_many_arguments, reason = "the C API")]
fn to_when(
    to: Ptr,
    x: usize,
    y: usize,
    from: ConstPtr,
    pitch: usize,
    width: usize,
    height: usize,
    kind: hipMemcpyKind,
    when: When,
) -> Result {
    if !wanted(to, pitch, width, height, kind)? {
        return Ok(());
    }
    let shape = Shape { width, rows: height, planes: 1 };
    run(array(to)?.part([x, y, 0], &shape)?, Side { pitch, ..flat(from) }, shape, kind, when)
}

#[allow(clippy::too_many_arguments, reason = "the C API")]
fn from_when(
    to: Ptr,
    pitch: usize,
    from: ConstPtr,
    x: usize,
    y: usize,
    width: usize,
    height: usize,
    kind: hipMemcpyKind,
    when: When,
) -> Result {
    if !wanted(from, pitch, width, height, kind)? {
        return Ok(());
    }
    let shape = Shape { width, rows: height, planes: 1 };
    run(Side { pitch, ..flat(to) }, array(from)?.part([x, y, 0], &shape)?, shape, kind, when)
}

/// The calls with a pitch, each with the stream that it is in.
macro_rules! rectangles {
    ($($to:ident, $from:ident ($($stream:ident: $ty:ty)?) = $when:expr;)*) => {$(
        #[allow(clippy::too_many_arguments, reason = "the C API")]
        pub fn $to(
            to: Ptr,
            x: usize,
            y: usize,
            from: ConstPtr,
            pitch: usize,
            width: usize,
            height: usize,
            kind: hipMemcpyKind,
            $($stream: $ty)?
        ) -> Result {
            to_when(to, x, y, from, pitch, width, height, kind, $when)
        }

        #[allow(clippy::too_many_arguments, reason = "the C API")]
        pub fn $from(
            to: Ptr,
            pitch: usize,
            from: ConstPtr,
            x: usize,
            y: usize,
            width: usize,
            height: usize,
            kind: hipMemcpyKind,
            $($stream: $ty)?
        ) -> Result {
            from_when(to, pitch, from, x, y, width, height, kind, $when)
        }
    )*};
}

rectangles! {
    to_rectangle, from_rectangle() = NULL_STREAM;
    to_rectangle_spt, from_rectangle_spt() = PER_THREAD;
    to_rectangle_async, from_rectangle_async(stream: hipStream_t) = When::InOrder(stream);
    to_rectangle_async_spt, from_rectangle_async_spt(stream: hipStream_t) = When::InOrder(resolve_spt(stream));
}

/// Rows of an array, from byte `x` of row `y` on, as far as `count` bytes go: the rest of a row, whole rows, the begin of one.
fn run_of_bytes(array: &Array, x: usize, y: usize, count: usize) -> Result<Vec<(Side, Shape, usize)>> {
    let row = array.row_bytes();
    let mut pieces = Vec::new();
    let (mut x, mut y, mut done) = (x, y, 0);
    while done < count {
        let left = count - done;
        let shape = match left / row {
            rows @ 1.. if x == 0 => Shape { width: row, rows, planes: 1 },
            _ => {
                line(left.min(row.checked_sub(x).filter(|rest| *rest > 0).ok_or(hipError_t::INVALID_VALUE)?))
            }
        };
        pieces.push((array.part([x, y, 0], &shape)?, shape, done));
        done += shape.width * shape.rows;
        (x, y) = ((x + shape.width) % row, y + if x + shape.width == row { shape.rows } else { 0 });
    }
    Ok(pieces)
}

fn linear(
    handle: ConstPtr,
    [x, y]: [usize; 2],
    memory: ConstPtr,
    count: usize,
    kind: hipMemcpyKind,
    to_array: bool,
    when: When,
) -> Result {
    if kind.0 > hipMemcpyKind::DEFAULT.0 {
        return Err(hipError_t::INVALID_MEMCPY_DIRECTION);
    }
    let array = array(handle)?;
    for (part, shape, at) in run_of_bytes(&array, x, y, count)? {
        let mut other = Side { pitch: shape.width, ..flat(memory) };
        if other.address == 0 {
            return Err(hipError_t::INVALID_VALUE);
        }
        other.address += at as u64;
        let (to, from) = if to_array { (part, other) } else { (other, part) };
        run(to, from, shape, kind, when)?;
    }
    Ok(())
}

pub fn to_linear(to: Ptr, x: usize, y: usize, from: ConstPtr, count: usize, kind: hipMemcpyKind) -> Result {
    linear(to, [x, y], from, count, kind, true, NULL_STREAM)
}

pub fn from_linear(to: Ptr, from: ConstPtr, x: usize, y: usize, count: usize, kind: hipMemcpyKind) -> Result {
    linear(from, [x, y], to, count, kind, false, NULL_STREAM)
}

pub fn from_linear_spt(
    to: Ptr,
    from: ConstPtr,
    x: usize,
    y: usize,
    count: usize,
    kind: hipMemcpyKind,
) -> Result {
    linear(from, [x, y], to, count, kind, false, PER_THREAD)
}

#[allow(clippy::too_many_arguments, reason = "the C API")]
pub fn between(
    to: Ptr,
    to_x: usize,
    to_y: usize,
    from: ConstPtr,
    from_x: usize,
    from_y: usize,
    width: usize,
    height: usize,
    kind: hipMemcpyKind,
) -> Result {
    let (to, from) = (array(to)?, array(from)?);
    if to.element.bytes() != from.element.bytes() {
        return Err(hipError_t::INVALID_VALUE);
    }
    if width == 0 || height == 0 {
        return Ok(());
    }
    let shape = Shape { width, rows: height, planes: 1 };
    run(to.part([to_x, to_y, 0], &shape)?, from.part([from_x, from_y, 0], &shape)?, shape, kind, NULL_STREAM)
}

/// The first row of an array from a byte on.
fn row(handle: ConstPtr, x: usize, count: usize) -> Result<Side> {
    array(handle)?.part([x, 0, 0], &line(count))
}

fn row_from(to: Ptr, offset: usize, from: ConstPtr, count: usize, when: When) -> Result {
    run(row(to, offset, count)?, flat(from), line(count), hipMemcpyKind::DEFAULT, when)
}

fn row_to(to: Ptr, from: ConstPtr, offset: usize, count: usize, when: When) -> Result {
    run(flat(to), row(from, offset, count)?, line(count), hipMemcpyKind::DEFAULT, when)
}

pub fn host_to_array(to: Ptr, offset: usize, from: ConstPtr, count: usize) -> Result {
    row_from(to, offset, from, count, NULL_STREAM)
}

pub fn host_to_array_async(
    to: Ptr,
    offset: usize,
    from: ConstPtr,
    count: usize,
    stream: hipStream_t,
) -> Result {
    row_from(to, offset, from, count, When::InOrder(stream))
}

pub fn device_to_array(to: Ptr, offset: usize, from: hipDeviceptr_t, count: usize) -> Result {
    row_from(to, offset, from.0, count, NULL_STREAM)
}

pub fn array_to_host(to: Ptr, from: Ptr, offset: usize, count: usize) -> Result {
    row_to(to, from, offset, count, NULL_STREAM)
}

pub fn array_to_host_async(to: Ptr, from: Ptr, offset: usize, count: usize, stream: hipStream_t) -> Result {
    row_to(to, from, offset, count, When::InOrder(stream))
}

pub fn array_to_device(to: hipDeviceptr_t, from: Ptr, offset: usize, count: usize) -> Result {
    row_to(to.0, from, offset, count, NULL_STREAM)
}

pub fn array_to_array(to: Ptr, to_offset: usize, from: Ptr, from_offset: usize, count: usize) -> Result {
    let (to, from) = (row(to, to_offset, count)?, row(from, from_offset, count)?);
    run(to, from, line(count), hipMemcpyKind::DEVICE_TO_DEVICE, NULL_STREAM)
}
