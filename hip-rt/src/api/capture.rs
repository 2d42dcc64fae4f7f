//! Stream capture: begin, end, and what is known of it meanwhile.

use super::graph::list;
use crate::error::Result;
use crate::ffi::{In, Out};
use crate::graph::Capture;
use crate::stream::{Stream, resolve, resolve_spt};
use crate::tls;
use hip_sys::{
    hipError_t, hipGraph_t, hipGraphNode_t, hipStream_t, hipStreamCaptureMode, hipStreamCaptureStatus,
    hipStreamUpdateCaptureDependenciesFlags,
};
use std::ffi::{c_uint, c_ulonglong};
use std::sync::Arc;

pub fn begin(stream: hipStream_t, mode: hipStreamCaptureMode) -> Result {
    if mode.0 > hipStreamCaptureMode::RELAXED.0 {
        return Err(hipError_t::INVALID_VALUE);
    }
    if matches!(stream, hipStream_t::NULL | hipStream_t::LEGACY) {
        return Err(hipError_t::STREAM_CAPTURE_UNSUPPORTED);
    }
    let stream = resolve(stream)?;
    if stream.capture().is_some() {
        return Err(hipError_t::ILLEGAL_STATE);
    }
    Capture::begin(&stream, mode)
}

pub fn begin_spt(stream: hipStream_t, mode: hipStreamCaptureMode) -> Result {
    begin(resolve_spt(stream), mode)
}

pub fn end(stream: hipStream_t, graph: Out<hipGraph_t>) -> Result {
    if graph.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    graph.set(hipGraph_t::NULL)?;
    if matches!(stream, hipStream_t::NULL | hipStream_t::LEGACY) {
        return Err(hipError_t::ILLEGAL_STATE);
    }
    let stream = resolve(stream)?;
    let capture = stream.capture().ok_or(hipError_t::ILLEGAL_STATE)?;
    graph.set(hipGraph_t::from_bits(capture.end(&stream)?.id))
}

pub fn end_spt(stream: hipStream_t, graph: Out<hipGraph_t>) -> Result {
    end(resolve_spt(stream), graph)
}

/// The stream's capture. The null stream has none, and asking about it while a blocking stream is captured is an error.
fn of(handle: hipStream_t) -> Result<(Arc<Stream>, Option<Arc<Capture>>)> {
    let stream = resolve(handle)?;
    stream.must_not_disturb_captures()?;
    let capture = stream.capture();
    Ok((stream, capture))
}

fn status(capture: Option<&Arc<Capture>>) -> hipStreamCaptureStatus {
    capture.map_or(hipStreamCaptureStatus::NONE, |capture| capture.status())
}

pub fn is_capturing(stream: hipStream_t, out: Out<hipStreamCaptureStatus>) -> Result {
    if out.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    out.set(status(of(stream)?.1.as_ref()))
}

pub fn is_capturing_spt(stream: hipStream_t, out: Out<hipStreamCaptureStatus>) -> Result {
    is_capturing(resolve_spt(stream), out)
}

pub fn info(stream: hipStream_t, out: Out<hipStreamCaptureStatus>, id: Out<c_ulonglong>) -> Result {
    if out.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    let (_, capture) = of(stream)?;
    let status = status(capture.as_ref());
    out.set(status)?;
    if status == hipStreamCaptureStatus::INVALIDATED {
        return Err(hipError_t::STREAM_CAPTURE_INVALIDATED);
    }
    if let Some(capture) = capture {
        id.set_if_wanted(capture.id);
    }
    Ok(())
}

pub fn info_spt(stream: hipStream_t, out: Out<hipStreamCaptureStatus>, id: Out<c_ulonglong>) -> Result {
    info(resolve_spt(stream), out, id)
}

pub fn info_v2(
    stream: hipStream_t,
    out: Out<hipStreamCaptureStatus>,
    id: Out<c_ulonglong>,
    graph: Out<hipGraph_t>,
    dependencies: Out<*const hipGraphNode_t>,
    count: Out<usize>,
) -> Result {
    info(stream, out, id)?;
    let (stream, Some(capture)) = of(stream)? else { return Ok(()) };
    graph.set_if_wanted(hipGraph_t::from_bits(capture.graph.id));
    let after = capture.after(&stream);
    count.set_if_wanted(after.len());
    if !dependencies.is_null() {
        let handles = after.into_iter().map(hipGraphNode_t::from_bits).collect();
        dependencies.set(tls::keep_nodes(handles))?;
    }
    Ok(())
}

pub fn info_v2_spt(
    stream: hipStream_t,
    out: Out<hipStreamCaptureStatus>,
    id: Out<c_ulonglong>,
    graph: Out<hipGraph_t>,
    dependencies: Out<*const hipGraphNode_t>,
    count: Out<usize>,
) -> Result {
    info_v2(resolve_spt(stream), out, id, graph, dependencies, count)
}

pub fn update_dependencies(
    stream: hipStream_t,
    nodes: In<hipGraphNode_t>,
    count: usize,
    flags: c_uint,
) -> Result {
    let replace = match hipStreamUpdateCaptureDependenciesFlags(flags) {
        hipStreamUpdateCaptureDependenciesFlags::ADD => false,
        hipStreamUpdateCaptureDependenciesFlags::SET => true,
        _ => return Err(hipError_t::INVALID_VALUE),
    };
    let (stream, capture) = of(stream)?;
    let capture = capture.ok_or(hipError_t::ILLEGAL_STATE)?;
    if count > 0 && nodes.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    capture.set_after(&stream, &list(nodes, count)?, replace)
}

pub fn exchange_mode(mode: Out<hipStreamCaptureMode>) -> Result {
    let wanted = mode.as_in().get()?;
    if wanted.0 > hipStreamCaptureMode::RELAXED.0 {
        return Err(hipError_t::INVALID_VALUE);
    }
    mode.set(tls::exchange_capture_mode(wanted))
}
