//! Copies, now or in a stream's order.

use crate::error::{Result, report};
use crate::ffi::{In, Kept};
use crate::state;
use crate::stream::{resolve, resolve_spt};
use crate::work::{Copy, Shape, Side, Work};
use hip_sys::{
    Numbered, hip_Memcpy2D, hipDeviceptr_t, hipError_t, hipExtent, hipGraphNodeType, hipMemcpy3DParms,
    hipMemcpyKind, hipMemoryType, hipPitchedPtr, hipPos, hipStream_t,
};
use std::ffi::c_void;

type Ptr = *mut c_void;
type ConstPtr = *const c_void;

fn flat(pointer: ConstPtr) -> Side {
    Side { address: pointer.expose_provenance() as u64, pitch: 0, plane: 0 }
}

/// How a copy stands to its stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    /// Done when the call returns.
    Now(hipStream_t),
    /// Done in the stream's order.
    InOrder(hipStream_t),
}

/// Refuses a copy that leaves its memory, or that names a device where both sides are the host's.
fn check(copy: &Copy, kind: hipMemcpyKind) -> Result {
    use hipMemcpyKind as K;
    if kind.0 > K::DEFAULT.0 {
        return Err(hipError_t::INVALID_MEMCPY_DIRECTION);
    }
    copy.check()?;
    let allocations = &state::hip()?.allocations;
    let of_host = |side: &Side| !allocations.knows(side.address);
    let names_device = !matches!(kind, K::HOST_TO_HOST | K::DEFAULT);
    if names_device && !copy.is_empty() && of_host(&copy.to) && of_host(&copy.from) {
        report(format_args!(
            "a copy between {:#x} and {:#x}, both of the host, by {kind:?}",
            copy.from.address, copy.to.address
        ));
        return Err(hipError_t::INVALID_VALUE);
    }
    Ok(())
}

fn transfer(copy: Copy, kind: hipMemcpyKind, when: When, node: impl FnOnce() -> Node) -> Result {
    check(&copy, kind)?;
    match when {
        When::Now(stream) => {
            resolve(stream)?.synchronize_with_others()?;
            copy.perform();
            Ok(())
        }
        When::InOrder(stream) => {
            let (node, params) = node();
            resolve(stream)?.put(Work::Copy(copy, node, params))
        }
    }
}

/// What a graph knows of a copy.
type Node = (hipGraphNodeType, Kept<hipMemcpy3DParms>);

/// A copy as the parameters of a node show it.
fn node(copy: &Copy, kind: hipMemcpyKind, node: hipGraphNodeType) -> Node {
    let side = |side: &Side| hipPitchedPtr {
        ptr: std::ptr::with_exposed_provenance_mut(side.address as usize),
        pitch: side.pitch.max(copy.shape.width),
        xsize: copy.shape.width,
        ysize: copy.shape.rows,
    };
    let start = hipPos { x: 0, y: 0, z: 0 };
    let extent = hipExtent { width: copy.shape.width, height: copy.shape.rows, depth: copy.shape.planes };
    let params = hipMemcpy3DParms {
        srcArray: std::ptr::null_mut(),
        srcPos: start,
        srcPtr: side(&copy.from),
        dstArray: std::ptr::null_mut(),
        dstPos: start,
        dstPtr: side(&copy.to),
        extent,
        kind,
    };
    (node, Kept::new(params))
}

/// A copy of bytes that follow one another, for a graph.
pub fn work(
    to: Ptr,
    from: ConstPtr,
    size: usize,
    kind: hipMemcpyKind,
    kind_of_node: hipGraphNodeType,
) -> Result<Work> {
    let copy = Copy { to: flat(to), from: flat(from), shape: line(size) };
    check(&copy, kind)?;
    let (node, params) = node(&copy, kind, kind_of_node);
    Ok(Work::Copy(copy, node, params))
}

const fn line(width: usize) -> Shape {
    Shape { width, rows: 1, planes: 1 }
}

fn bytes(to: Ptr, from: ConstPtr, size: usize, kind: hipMemcpyKind, when: When) -> Result {
    let copy = Copy { to: flat(to), from: flat(from), shape: line(size) };
    transfer(copy, kind, when, || node(&copy, kind, hipGraphNodeType::MEMCPY_1D))
}

pub fn linear(to: Ptr, from: ConstPtr, size: usize, kind: hipMemcpyKind) -> Result {
    with_stream(to, from, size, kind, hipStream_t::NULL)
}

pub fn linear_spt(to: Ptr, from: ConstPtr, size: usize, kind: hipMemcpyKind) -> Result {
    with_stream(to, from, size, kind, hipStream_t::PER_THREAD)
}

pub fn with_stream(to: Ptr, from: ConstPtr, size: usize, kind: hipMemcpyKind, stream: hipStream_t) -> Result {
    bytes(to, from, size, kind, When::Now(stream))
}

pub fn linear_async(
    to: Ptr,
    from: ConstPtr,
    size: usize,
    kind: hipMemcpyKind,
    stream: hipStream_t,
) -> Result {
    bytes(to, from, size, kind, When::InOrder(stream))
}

pub fn linear_async_spt(
    to: Ptr,
    from: ConstPtr,
    size: usize,
    kind: hipMemcpyKind,
    stream: hipStream_t,
) -> Result {
    linear_async(to, from, size, kind, resolve_spt(stream))
}

pub fn host_to_device(to: hipDeviceptr_t, from: ConstPtr, size: usize) -> Result {
    linear(to.0, from, size, hipMemcpyKind::HOST_TO_DEVICE)
}

pub fn device_to_host(to: Ptr, from: hipDeviceptr_t, size: usize) -> Result {
    linear(to, from.0, size, hipMemcpyKind::DEVICE_TO_HOST)
}

pub fn device_to_device(to: hipDeviceptr_t, from: hipDeviceptr_t, size: usize) -> Result {
    linear(to.0, from.0, size, hipMemcpyKind::DEVICE_TO_DEVICE)
}

pub fn host_to_device_async(to: hipDeviceptr_t, from: ConstPtr, size: usize, stream: hipStream_t) -> Result {
    linear_async(to.0, from, size, hipMemcpyKind::HOST_TO_DEVICE, stream)
}

pub fn device_to_host_async(to: Ptr, from: hipDeviceptr_t, size: usize, stream: hipStream_t) -> Result {
    linear_async(to, from.0, size, hipMemcpyKind::DEVICE_TO_HOST, stream)
}

pub fn device_to_device_async(
    to: hipDeviceptr_t,
    from: hipDeviceptr_t,
    size: usize,
    stream: hipStream_t,
) -> Result {
    linear_async(to.0, from.0, size, hipMemcpyKind::DEVICE_TO_DEVICE, stream)
}

#[allow(clippy::too_many_arguments, reason = "the C API")]
fn rectangle_when(
    to: Ptr,
    to_pitch: usize,
    from: ConstPtr,
    from_pitch: usize,
    width: usize,
    height: usize,
    kind: hipMemcpyKind,
    when: When,
) -> Result {
    if width > to_pitch || width > from_pitch {
        return Err(hipError_t::INVALID_PITCH_VALUE);
    }
    let to = Side { pitch: to_pitch, ..flat(to) };
    let from = Side { pitch: from_pitch, ..flat(from) };
    let copy = Copy { to, from, shape: Shape { width, rows: height, planes: 1 } };
    transfer(copy, kind, when, || node(&copy, kind, hipGraphNodeType::MEMCPY))
}

pub fn rectangle(
    to: Ptr,
    to_pitch: usize,
    from: ConstPtr,
    from_pitch: usize,
    width: usize,
    height: usize,
    kind: hipMemcpyKind,
) -> Result {
    rectangle_when(to, to_pitch, from, from_pitch, width, height, kind, When::Now(hipStream_t::NULL))
}

pub fn rectangle_spt(
    to: Ptr,
    to_pitch: usize,
    from: ConstPtr,
    from_pitch: usize,
    width: usize,
    height: usize,
    kind: hipMemcpyKind,
) -> Result {
    rectangle_when(to, to_pitch, from, from_pitch, width, height, kind, When::Now(hipStream_t::PER_THREAD))
}

#[allow(clippy::too_many_arguments, reason = "the C API")]
pub fn rectangle_async(
    to: Ptr,
    to_pitch: usize,
    from: ConstPtr,
    from_pitch: usize,
    width: usize,
    height: usize,
    kind: hipMemcpyKind,
    stream: hipStream_t,
) -> Result {
    rectangle_when(to, to_pitch, from, from_pitch, width, height, kind, When::InOrder(stream))
}

#[allow(clippy::too_many_arguments, reason = "the C API")]
pub fn rectangle_async_spt(
    to: Ptr,
    to_pitch: usize,
    from: ConstPtr,
    from_pitch: usize,
    width: usize,
    height: usize,
    kind: hipMemcpyKind,
    stream: hipStream_t,
) -> Result {
    rectangle_async(to, to_pitch, from, from_pitch, width, height, kind, resolve_spt(stream))
}

fn param(parameters: &hip_Memcpy2D, when: When) -> Result {
    let side = |kind: Numbered<hipMemoryType>,
                host: ConstPtr,
                device: ConstPtr,
                pitch: usize,
                x: usize,
                y: usize| {
        let base = match kind.get(state::major()).ok_or(hipError_t::INVALID_VALUE)? {
            hipMemoryType::HOST => host,
            hipMemoryType::DEVICE | hipMemoryType::MANAGED | hipMemoryType::UNIFIED => device,
            // Arrays need images, which this runtime does not have.
            _ => return Err(hipError_t::NOT_SUPPORTED),
        };
        let start =
            y.checked_mul(pitch).and_then(|start| start.checked_add(x)).ok_or(hipError_t::INVALID_VALUE)?;
        let mut side = Side { pitch, ..flat(base) };
        if side.address != 0 {
            side.address = side.address.checked_add(start as u64).ok_or(hipError_t::INVALID_VALUE)?;
        }
        Ok(side)
    };
    let p = parameters;
    let (width, height) = (p.WidthInBytes, p.Height);
    // A pitch of 0 means that rows follow one another.
    let pitch = |pitch: usize| if pitch == 0 { width } else { pitch };
    let from = side(p.srcMemoryType, p.srcHost, p.srcDevice.0, pitch(p.srcPitch), p.srcXInBytes, p.srcY)?;
    let to = side(p.dstMemoryType, p.dstHost, p.dstDevice.0, pitch(p.dstPitch), p.dstXInBytes, p.dstY)?;
    if height > 1 && (width > from.pitch || width > to.pitch) {
        return Err(hipError_t::INVALID_PITCH_VALUE);
    }
    let copy = Copy { to, from, shape: Shape { width, rows: height, planes: 1 } };
    let kind = hipMemcpyKind::DEFAULT;
    transfer(copy, kind, when, || node(&copy, kind, hipGraphNodeType::MEMCPY))
}

pub fn param_2d(parameters: In<hip_Memcpy2D>) -> Result {
    param(&parameters.get()?, When::Now(hipStream_t::NULL))
}

pub fn param_2d_async(parameters: In<hip_Memcpy2D>, stream: hipStream_t) -> Result {
    param(&parameters.get()?, When::InOrder(stream))
}

/// The copy that the parameters describe.
pub fn of_box(p: &hipMemcpy3DParms) -> Result<Copy> {
    if !p.srcArray.is_null() || !p.dstArray.is_null() {
        return Err(hipError_t::NOT_SUPPORTED);
    }
    if p.kind.0 > hipMemcpyKind::DEFAULT.0 {
        return Err(hipError_t::INVALID_MEMCPY_DIRECTION);
    }
    let side = |pointer: &hipPitchedPtr, position: &hipPos| {
        let plane = pointer.pitch.checked_mul(pointer.ysize.max(p.extent.height))?;
        let start = plane
            .checked_mul(position.z)?
            .checked_add(pointer.pitch.checked_mul(position.y)?)?
            .checked_add(position.x)?;
        let mut side = Side { pitch: pointer.pitch, plane, ..flat(pointer.ptr) };
        if side.address != 0 {
            side.address = side.address.checked_add(start as u64)?;
        }
        Some(side)
    };
    let from = side(&p.srcPtr, &p.srcPos).ok_or(hipError_t::INVALID_VALUE)?;
    let to = side(&p.dstPtr, &p.dstPos).ok_or(hipError_t::INVALID_VALUE)?;
    let shape = Shape { width: p.extent.width, rows: p.extent.height, planes: p.extent.depth };
    if shape.rows > 1 && (shape.width > from.pitch || shape.width > to.pitch) {
        return Err(hipError_t::INVALID_PITCH_VALUE);
    }
    Ok(Copy { to, from, shape })
}

fn box_when(parameters: In<hipMemcpy3DParms>, when: When) -> Result {
    let params = parameters.get()?;
    transfer(of_box(&params)?, params.kind, when, || (hipGraphNodeType::MEMCPY, Kept::new(params)))
}

pub fn box_3d(parameters: In<hipMemcpy3DParms>) -> Result {
    box_when(parameters, When::Now(hipStream_t::NULL))
}

pub fn box_3d_spt(parameters: In<hipMemcpy3DParms>) -> Result {
    box_when(parameters, When::Now(hipStream_t::PER_THREAD))
}

pub fn box_3d_async(parameters: In<hipMemcpy3DParms>, stream: hipStream_t) -> Result {
    box_when(parameters, When::InOrder(stream))
}

pub fn box_3d_async_spt(parameters: In<hipMemcpy3DParms>, stream: hipStream_t) -> Result {
    box_3d_async(parameters, resolve_spt(stream))
}
