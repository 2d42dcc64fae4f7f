//! Copies, now or in a stream's order. Those to and from arrays by name: [`super::array_copy`].

use crate::error::{Result, report};
use crate::ffi::{In, Kept};
use crate::state;
use crate::stream::{resolve, resolve_spt};
use crate::work::{Copy, Shape, Side, Work};
use hip_sys::{
    HIP_MEMCPY3D, HIP_MEMCPY3DR0000, Major, hip_Memcpy2D, hipDeviceptr_t, hipError_t, hipExtent,
    hipGraphNodeType, hipMemcpy3DParms, hipMemcpyKind, hipMemoryType, hipPitchedPtr, hipPos, hipStream_t,
};
use std::ffi::c_void;

type Ptr = *mut c_void;
type ConstPtr = *const c_void;

pub fn flat(pointer: ConstPtr) -> Side {
    Side { address: pointer.expose_provenance() as u64, pitch: 0, plane: 0 }
}

/// How a copy stands to its stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
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

/// Refuses what a node that copies bytes in a line may not be changed to: a copy onto itself, and a direction that is not
/// that of its sides, where one of them is memory of the host that no device knows.
pub fn fits(copy: &Copy, kind: hipMemcpyKind) -> Result {
    use hipMemcpyKind as K;
    let allocations = &state::hip()?.allocations;
    let wanted = match (allocations.knows(copy.to.address), allocations.knows(copy.from.address)) {
        (true, false) => Some(K::HOST_TO_DEVICE),
        (false, true) => Some(K::DEVICE_TO_HOST),
        _ => None,
    };
    let other = wanted.is_some_and(|wanted| kind != wanted && kind != K::DEFAULT);
    if other || copy.to.address == copy.from.address { Err(hipError_t::INVALID_VALUE) } else { Ok(()) }
}

pub fn transfer(copy: Copy, kind: hipMemcpyKind, when: When, node: impl FnOnce() -> Node) -> Result {
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
pub type Node = (hipGraphNodeType, Kept<hipMemcpy3DParms>);

/// A copy as the parameters of a node show it.
pub fn node(copy: &Copy, kind: hipMemcpyKind, node: hipGraphNodeType) -> Node {
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

pub const fn line(width: usize) -> Shape {
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
    crate::graph::refuse_in_capture()?;
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

/// One end of a copy as the driver's forms tell it. Positions along a row are in bytes.
struct End {
    kind: Option<hipMemoryType>,
    host: ConstPtr,
    device: ConstPtr,
    array: ConstPtr,
    pitch: usize,
    /// Rows from plane to plane.
    height: usize,
    at: [usize; 3],
}

impl End {
    fn side(&self, shape: &Shape) -> Result<Side> {
        let base = match self.kind.ok_or(hipError_t::INVALID_VALUE)? {
            hipMemoryType::HOST => self.host,
            hipMemoryType::DEVICE | hipMemoryType::MANAGED | hipMemoryType::UNIFIED => self.device,
            hipMemoryType::ARRAY => return state::hip()?.arrays.get(self.array)?.part(self.at, shape),
            _ => return Err(hipError_t::INVALID_VALUE),
        };
        // A pitch of 0 means that rows follow one another.
        let pitch = if self.pitch == 0 { shape.width } else { self.pitch };
        let rows = if self.height == 0 { shape.rows } else { self.height };
        if (shape.rows > 1 || shape.planes > 1) && shape.width > pitch {
            return Err(hipError_t::INVALID_PITCH_VALUE);
        }
        let [x, y, z] = self.at;
        let placed = || {
            let plane = pitch.checked_mul(rows)?;
            let start = plane.checked_mul(z)?.checked_add(pitch.checked_mul(y)?)?.checked_add(x)?;
            let mut side = Side { pitch, plane, ..flat(base) };
            if side.address != 0 {
                side.address = side.address.checked_add(start as u64)?;
            }
            Some(side)
        };
        placed().ok_or(hipError_t::INVALID_VALUE)
    }
}

fn between(from: &End, to: &End, shape: Shape) -> Result<Copy> {
    if shape.width == 0 || shape.rows == 0 || shape.planes == 0 {
        let nothing = Side { address: 0, pitch: 0, plane: 0 };
        return Ok(Copy { to: nothing, from: nothing, shape });
    }
    Ok(Copy { to: to.side(&shape)?, from: from.side(&shape)?, shape })
}

fn driver(copy: Copy, when: When) -> Result {
    let kind = hipMemcpyKind::DEFAULT;
    transfer(copy, kind, when, || node(&copy, kind, hipGraphNodeType::MEMCPY))
}

fn param(p: &hip_Memcpy2D, when: When) -> Result {
    let from = End {
        kind: p.srcMemoryType.get(state::major()),
        host: p.srcHost,
        device: p.srcDevice.0,
        array: p.srcArray,
        pitch: p.srcPitch,
        height: 0,
        at: [p.srcXInBytes, p.srcY, 0],
    };
    let to = End {
        kind: p.dstMemoryType.get(state::major()),
        host: p.dstHost,
        device: p.dstDevice.0,
        array: p.dstArray,
        pitch: p.dstPitch,
        height: 0,
        at: [p.dstXInBytes, p.dstY, 0],
    };
    driver(between(&from, &to, Shape { width: p.WidthInBytes, rows: p.Height, planes: 1 })?, when)
}

pub fn param_2d(parameters: In<hip_Memcpy2D>) -> Result {
    param(&parameters.get()?, When::Now(hipStream_t::NULL))
}

pub fn param_2d_async(parameters: In<hip_Memcpy2D>, stream: hipStream_t) -> Result {
    param(&parameters.get()?, When::InOrder(stream))
}

/// The parameters, in the layout of HIP 6 whatever the program's version is.
fn box_of_driver(parameters: In<HIP_MEMCPY3D>) -> Result<HIP_MEMCPY3D> {
    if state::major() != Major::Five {
        return parameters.get();
    }
    let p = parameters.cast::<HIP_MEMCPY3DR0000>().get()?;
    Ok(HIP_MEMCPY3D {
        srcXInBytes: p.srcXInBytes as usize,
        srcY: p.srcY as usize,
        srcZ: p.srcZ as usize,
        srcLOD: p.srcLOD as usize,
        srcMemoryType: p.srcMemoryType,
        srcHost: p.srcHost,
        srcDevice: p.srcDevice,
        srcArray: p.srcArray,
        srcPitch: p.srcPitch as usize,
        srcHeight: p.srcHeight as usize,
        dstXInBytes: p.dstXInBytes as usize,
        dstY: p.dstY as usize,
        dstZ: p.dstZ as usize,
        dstLOD: p.dstLOD as usize,
        dstMemoryType: p.dstMemoryType,
        dstHost: p.dstHost,
        dstDevice: p.dstDevice,
        dstArray: p.dstArray,
        dstPitch: p.dstPitch as usize,
        dstHeight: p.dstHeight as usize,
        WidthInBytes: p.WidthInBytes as usize,
        Height: p.Height as usize,
        Depth: p.Depth as usize,
    })
}

fn driver_3d_when(parameters: In<HIP_MEMCPY3D>, when: When) -> Result {
    let p = box_of_driver(parameters)?;
    let from = End {
        kind: p.srcMemoryType.get(state::major()),
        host: p.srcHost,
        device: p.srcDevice.0,
        array: p.srcArray,
        pitch: p.srcPitch,
        height: p.srcHeight,
        at: [p.srcXInBytes, p.srcY, p.srcZ],
    };
    let to = End {
        kind: p.dstMemoryType.get(state::major()),
        host: p.dstHost,
        device: p.dstDevice.0,
        array: p.dstArray,
        pitch: p.dstPitch,
        height: p.dstHeight,
        at: [p.dstXInBytes, p.dstY, p.dstZ],
    };
    driver(between(&from, &to, Shape { width: p.WidthInBytes, rows: p.Height, planes: p.Depth })?, when)
}

pub fn driver_3d(parameters: In<HIP_MEMCPY3D>) -> Result {
    driver_3d_when(parameters, When::Now(hipStream_t::NULL))
}

pub fn driver_3d_async(parameters: In<HIP_MEMCPY3D>, stream: hipStream_t) -> Result {
    driver_3d_when(parameters, When::InOrder(stream))
}

/// The copy that the parameters describe. What is told of an array is in elements, and so is the extent when one of the ends
/// is an array.
pub fn of_box(p: &hipMemcpy3DParms) -> Result<Copy> {
    let twice = |array: ConstPtr, pointer: ConstPtr| array.is_null() == pointer.is_null();
    if twice(p.srcArray, p.srcPtr.ptr) || twice(p.dstArray, p.dstPtr.ptr) {
        return Err(hipError_t::INVALID_VALUE);
    }
    if p.kind.0 > hipMemcpyKind::DEFAULT.0 {
        return Err(hipError_t::INVALID_MEMCPY_DIRECTION);
    }
    let bytes_of = |array: ConstPtr| -> Result<Option<usize>> {
        match array.is_null() {
            true => Ok(None),
            false => Ok(Some(state::hip()?.arrays.get(array)?.element.bytes())),
        }
    };
    let (source, destination) = (bytes_of(p.srcArray)?, bytes_of(p.dstArray)?);
    if let (Some(source), Some(destination)) = (source, destination)
        && source != destination
    {
        return Err(hipError_t::INVALID_VALUE);
    }
    let end = |array: ConstPtr, bytes: Option<usize>, at: &hipPos, pointer: &hipPitchedPtr| -> Result<End> {
        let x = at.x.checked_mul(bytes.unwrap_or(1)).ok_or(hipError_t::INVALID_VALUE)?;
        Ok(End {
            kind: Some(if bytes.is_some() { hipMemoryType::ARRAY } else { hipMemoryType::UNIFIED }),
            host: pointer.ptr,
            device: pointer.ptr,
            array,
            pitch: pointer.pitch,
            height: pointer.ysize.max(p.extent.height),
            at: [x, at.y, at.z],
        })
    };
    let from = end(p.srcArray, source, &p.srcPos, &p.srcPtr)?;
    let to = end(p.dstArray, destination, &p.dstPos, &p.dstPtr)?;
    let element = source.or(destination).unwrap_or(1);
    let width = p.extent.width.checked_mul(element).ok_or(hipError_t::INVALID_VALUE)?;
    between(&from, &to, Shape { width, rows: p.extent.height, planes: p.extent.depth })
}

fn box_when(parameters: In<hipMemcpy3DParms>, when: When) -> Result {
    let params = parameters.get()?;
    // An array is a device's, whatever the kind says of the other side.
    let of_arrays = !params.srcArray.is_null() || !params.dstArray.is_null();
    let kind = if of_arrays { hipMemcpyKind::DEFAULT } else { params.kind };
    transfer(of_box(&params)?, kind, when, || (hipGraphNodeType::MEMCPY, Kept::new(params)))
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
