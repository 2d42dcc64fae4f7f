//! What the nodes of graphs do: one kind after the other, each added to a graph, asked for and set, there and in an
//! executable graph.

use super::graph::{exec_of, handle, list, of, owner};
use super::{copy, fill, symbol};
use crate::error::Result;
use crate::event;
use crate::ffi::{In, Kept, Out};
use crate::graph::Node;
use crate::launch::{Call, check, in_groups};
use crate::state;
use crate::work::Work;
use hip_sys::{
    hipError_t, hipEvent_t, hipGraph_t, hipGraphExec_t, hipGraphNode_t, hipGraphNodeType, hipHostNodeParams,
    hipKernelNodeParams, hipMemcpy3DParms, hipMemcpyKind, hipMemsetParams,
};
use std::ffi::c_void;
use std::mem::discriminant;

type Ptr = *mut c_void;
type ConstPtr = *const c_void;

fn add(
    place: Out<hipGraphNode_t>,
    graph: hipGraph_t,
    before: In<hipGraphNode_t>,
    count: usize,
    work: impl FnOnce() -> Result<Work>,
) -> Result {
    if place.is_null() || (count > 0 && before.is_null()) {
        return Err(hipError_t::INVALID_VALUE);
    }
    let graph = of(graph)?;
    let before = list(before, count)?;
    place.set(handle(graph.add(work()?, &before)?))
}

/// Gives a node something else of its own kind to do.
fn replace(node: &mut Node, work: Work) -> Result {
    if discriminant(&node.work) != discriminant(&work) {
        return Err(hipError_t::INVALID_VALUE);
    }
    node.work = work;
    Ok(())
}

fn set(node: hipGraphNode_t, work: Result<Work>) -> Result {
    let owner = owner(node)?;
    let work = work?;
    owner.with(node.bits(), |node| replace(node, work))
}

fn set_exec(exec: hipGraphExec_t, node: hipGraphNode_t, work: Result<Work>) -> Result {
    let exec = exec_of(exec)?;
    let work = work?;
    exec.with(node.bits(), |node| replace(node, work))
}

fn get<T>(node: hipGraphNode_t, read: impl FnOnce(&Work) -> Option<T>) -> Result<T> {
    owner(node)?.with(node.bits(), |node| read(&node.work).ok_or(hipError_t::INVALID_VALUE))
}

// Kernels.

fn kernel(params: In<hipKernelNodeParams>) -> Result<Work> {
    let params = params.get()?;
    let kernel = super::module::kernel_or_function(params.func)?;
    let device = state::current_device()?;
    let (grid, block, shared) = (params.gridDim, params.blockDim, params.sharedMemBytes);
    check::in_groups(&kernel.limits(device), grid, block, shared as usize)?;
    let geometry = in_groups(grid, block, shared);
    let (pointers, extra) = (In::from_pointer(params.kernelParams), In::from_pointer(params.extra));
    super::module::with_arguments(&kernel, pointers, extra, |arguments| {
        Call::pack(&kernel, params.func.addr(), geometry, arguments).map(Work::Kernel)
    })
}

pub fn add_kernel(
    place: Out<hipGraphNode_t>,
    graph: hipGraph_t,
    before: In<hipGraphNode_t>,
    count: usize,
    params: In<hipKernelNodeParams>,
) -> Result {
    add(place, graph, before, count, || kernel(params))
}

pub fn get_kernel(node: hipGraphNode_t, params: Out<hipKernelNodeParams>) -> Result {
    let found = owner(node)?.with(node.bits(), |node| {
        let Work::Kernel(call) = &node.work else { return Err(hipError_t::INVALID_VALUE) };
        node.shown = call.argument_addresses();
        Ok(call.params(&node.shown))
    })?;
    params.set(found)
}

pub fn set_kernel(node: hipGraphNode_t, params: In<hipKernelNodeParams>) -> Result {
    set(node, kernel(params))
}

pub fn set_exec_kernel(
    exec: hipGraphExec_t,
    node: hipGraphNode_t,
    params: In<hipKernelNodeParams>,
) -> Result {
    set_exec(exec, node, kernel(params))
}

// Copies.

fn copy_3d(params: In<hipMemcpy3DParms>) -> Result<Work> {
    let params = params.get()?;
    let copy = copy::of_box(&params)?;
    copy.check()?;
    Ok(Work::Copy(copy, hipGraphNodeType::MEMCPY, Kept::new(params)))
}

fn copy_1d(
    to: Ptr,
    from: ConstPtr,
    size: usize,
    kind: hipMemcpyKind,
    node: hipGraphNodeType,
) -> Result<Work> {
    if size == 0 {
        return Err(hipError_t::INVALID_VALUE);
    }
    copy::work(to, from, size, kind, node)
}

pub fn add_copy(
    place: Out<hipGraphNode_t>,
    graph: hipGraph_t,
    before: In<hipGraphNode_t>,
    count: usize,
    params: In<hipMemcpy3DParms>,
) -> Result {
    add(place, graph, before, count, || copy_3d(params))
}

pub fn get_copy(node: hipGraphNode_t, params: Out<hipMemcpy3DParms>) -> Result {
    params.set(get(node, |work| match work {
        Work::Copy(_, _, params) => Some(params.get()),
        _ => None,
    })?)
}

pub fn set_copy(node: hipGraphNode_t, params: In<hipMemcpy3DParms>) -> Result {
    set(node, copy_3d(params))
}

pub fn set_exec_copy(exec: hipGraphExec_t, node: hipGraphNode_t, params: In<hipMemcpy3DParms>) -> Result {
    set_exec(exec, node, copy_3d(params))
}

#[allow(clippy::too_many_arguments, reason = "the C API")]
pub fn add_copy_1d(
    place: Out<hipGraphNode_t>,
    graph: hipGraph_t,
    before: In<hipGraphNode_t>,
    count: usize,
    to: Ptr,
    from: ConstPtr,
    size: usize,
    kind: hipMemcpyKind,
) -> Result {
    add(place, graph, before, count, || copy_1d(to, from, size, kind, hipGraphNodeType::MEMCPY_1D))
}

pub fn set_copy_1d(
    node: hipGraphNode_t,
    to: Ptr,
    from: ConstPtr,
    size: usize,
    kind: hipMemcpyKind,
) -> Result {
    set(node, copy_1d(to, from, size, kind, hipGraphNodeType::MEMCPY_1D))
}

pub fn set_exec_copy_1d(
    exec: hipGraphExec_t,
    node: hipGraphNode_t,
    to: Ptr,
    from: ConstPtr,
    size: usize,
    kind: hipMemcpyKind,
) -> Result {
    set_exec(exec, node, copy_1d(to, from, size, kind, hipGraphNodeType::MEMCPY_1D))
}

fn copy_from(to: Ptr, symbol: ConstPtr, size: usize, offset: usize, kind: hipMemcpyKind) -> Result<Work> {
    copy_1d(to, symbol::source(symbol, size, offset, kind)?, size, kind, hipGraphNodeType::MEMCPY_FROM_SYMBOL)
}

fn copy_to(
    symbol: ConstPtr,
    from: ConstPtr,
    size: usize,
    offset: usize,
    kind: hipMemcpyKind,
) -> Result<Work> {
    copy_1d(
        symbol::destination(symbol, size, offset, kind)?,
        from,
        size,
        kind,
        hipGraphNodeType::MEMCPY_TO_SYMBOL,
    )
}

#[allow(clippy::too_many_arguments, reason = "the C API")]
pub fn add_copy_from_symbol(
    place: Out<hipGraphNode_t>,
    graph: hipGraph_t,
    before: In<hipGraphNode_t>,
    count: usize,
    to: Ptr,
    symbol: ConstPtr,
    size: usize,
    offset: usize,
    kind: hipMemcpyKind,
) -> Result {
    add(place, graph, before, count, || copy_from(to, symbol, size, offset, kind))
}

pub fn set_copy_from_symbol(
    node: hipGraphNode_t,
    to: Ptr,
    symbol: ConstPtr,
    size: usize,
    offset: usize,
    kind: hipMemcpyKind,
) -> Result {
    set(node, copy_from(to, symbol, size, offset, kind))
}

pub fn set_exec_copy_from_symbol(
    exec: hipGraphExec_t,
    node: hipGraphNode_t,
    to: Ptr,
    symbol: ConstPtr,
    size: usize,
    offset: usize,
    kind: hipMemcpyKind,
) -> Result {
    set_exec(exec, node, copy_from(to, symbol, size, offset, kind))
}

#[allow(clippy::too_many_arguments, reason = "the C API")]
pub fn add_copy_to_symbol(
    place: Out<hipGraphNode_t>,
    graph: hipGraph_t,
    before: In<hipGraphNode_t>,
    count: usize,
    symbol: ConstPtr,
    from: ConstPtr,
    size: usize,
    offset: usize,
    kind: hipMemcpyKind,
) -> Result {
    add(place, graph, before, count, || copy_to(symbol, from, size, offset, kind))
}

pub fn set_copy_to_symbol(
    node: hipGraphNode_t,
    symbol: ConstPtr,
    from: ConstPtr,
    size: usize,
    offset: usize,
    kind: hipMemcpyKind,
) -> Result {
    set(node, copy_to(symbol, from, size, offset, kind))
}

pub fn set_exec_copy_to_symbol(
    exec: hipGraphExec_t,
    node: hipGraphNode_t,
    symbol: ConstPtr,
    from: ConstPtr,
    size: usize,
    offset: usize,
    kind: hipMemcpyKind,
) -> Result {
    set_exec(exec, node, copy_to(symbol, from, size, offset, kind))
}

// Fills.

fn fill(params: In<hipMemsetParams>) -> Result<Work> {
    let params = params.get()?;
    let fill = fill::of_node(&params)?;
    fill.check()?;
    Ok(Work::Fill(fill, Kept::new(params)))
}

pub fn add_fill(
    place: Out<hipGraphNode_t>,
    graph: hipGraph_t,
    before: In<hipGraphNode_t>,
    count: usize,
    params: In<hipMemsetParams>,
) -> Result {
    add(place, graph, before, count, || fill(params))
}

pub fn get_fill(node: hipGraphNode_t, params: Out<hipMemsetParams>) -> Result {
    params.set(get(node, |work| match work {
        Work::Fill(_, params) => Some(params.get()),
        _ => None,
    })?)
}

pub fn set_fill(node: hipGraphNode_t, params: In<hipMemsetParams>) -> Result {
    set(node, fill(params))
}

pub fn set_exec_fill(exec: hipGraphExec_t, node: hipGraphNode_t, params: In<hipMemsetParams>) -> Result {
    set_exec(exec, node, fill(params))
}

// Functions of the program.

fn host(params: In<hipHostNodeParams>) -> Result<Work> {
    let params = params.get()?;
    if params.fn_.is_none() {
        return Err(hipError_t::INVALID_VALUE);
    }
    Ok(Work::Host(Kept::new(params)))
}

pub fn add_host(
    place: Out<hipGraphNode_t>,
    graph: hipGraph_t,
    before: In<hipGraphNode_t>,
    count: usize,
    params: In<hipHostNodeParams>,
) -> Result {
    add(place, graph, before, count, || host(params))
}

pub fn get_host(node: hipGraphNode_t, params: Out<hipHostNodeParams>) -> Result {
    params.set(get(node, |work| match work {
        Work::Host(params) => Some(params.get()),
        _ => None,
    })?)
}

pub fn set_host(node: hipGraphNode_t, params: In<hipHostNodeParams>) -> Result {
    set(node, host(params))
}

pub fn set_exec_host(exec: hipGraphExec_t, node: hipGraphNode_t, params: In<hipHostNodeParams>) -> Result {
    set_exec(exec, node, host(params))
}

// Graphs within.

fn child(graph: hipGraph_t) -> Result<Work> {
    of(graph)?.duplicate().map(Work::Graph)
}

pub fn add_graph(
    place: Out<hipGraphNode_t>,
    graph: hipGraph_t,
    before: In<hipGraphNode_t>,
    count: usize,
    within: hipGraph_t,
) -> Result {
    if graph == within {
        return Err(hipError_t::INVALID_VALUE);
    }
    add(place, graph, before, count, || child(within))
}

pub fn get_graph(node: hipGraphNode_t, graph: Out<hipGraph_t>) -> Result {
    let within = get(node, |work| match work {
        Work::Graph(graph) => Some(graph.clone()),
        _ => None,
    })?;
    // The node keeps it; the program may look into it and edit it.
    state::hip()?.graphs.hold(&within);
    graph.set(hipGraph_t::from_bits(within.id))
}

pub fn set_exec_graph(exec: hipGraphExec_t, node: hipGraphNode_t, within: hipGraph_t) -> Result {
    let new = of(within)?;
    exec_of(exec)?.with(node.bits(), |node| match &node.work {
        // Of the same shape, as an update of the whole is.
        Work::Graph(old) => Ok(crate::graph::update(old, &new)?),
        _ => Err(hipError_t::INVALID_VALUE),
    })
}

// Nothing.

pub fn add_empty(
    place: Out<hipGraphNode_t>,
    graph: hipGraph_t,
    before: In<hipGraphNode_t>,
    count: usize,
) -> Result {
    add(place, graph, before, count, || Ok(Work::Empty))
}

// Events.

fn record(event: hipEvent_t) -> Result<Work> {
    Ok(Work::Record(event::resolve(event).map_err(|_| hipError_t::INVALID_VALUE)?, Kept::new(event)))
}

fn wait(event: hipEvent_t) -> Result<Work> {
    Ok(Work::Wait(event::resolve(event).map_err(|_| hipError_t::INVALID_VALUE)?, Kept::new(event)))
}

pub fn add_record(
    place: Out<hipGraphNode_t>,
    graph: hipGraph_t,
    before: In<hipGraphNode_t>,
    count: usize,
    event: hipEvent_t,
) -> Result {
    add(place, graph, before, count, || record(event))
}

pub fn get_record(node: hipGraphNode_t, event: Out<hipEvent_t>) -> Result {
    event.set(get(node, |work| match work {
        Work::Record(_, event) => Some(event.get()),
        _ => None,
    })?)
}

pub fn set_record(node: hipGraphNode_t, event: hipEvent_t) -> Result {
    set(node, record(event))
}

pub fn set_exec_record(exec: hipGraphExec_t, node: hipGraphNode_t, event: hipEvent_t) -> Result {
    set_exec(exec, node, record(event))
}

pub fn add_wait(
    place: Out<hipGraphNode_t>,
    graph: hipGraph_t,
    before: In<hipGraphNode_t>,
    count: usize,
    event: hipEvent_t,
) -> Result {
    add(place, graph, before, count, || wait(event))
}

pub fn get_wait(node: hipGraphNode_t, event: Out<hipEvent_t>) -> Result {
    event.set(get(node, |work| match work {
        Work::Wait(_, event) => Some(event.get()),
        _ => None,
    })?)
}

pub fn set_wait(node: hipGraphNode_t, event: hipEvent_t) -> Result {
    set(node, wait(event))
}

pub fn set_exec_wait(exec: hipGraphExec_t, node: hipGraphNode_t, event: hipEvent_t) -> Result {
    set_exec(exec, node, wait(event))
}
