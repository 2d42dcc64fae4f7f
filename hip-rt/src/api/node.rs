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
    if let Work::Copy(copy, kind, params) = &work
        && *kind != hipGraphNodeType::MEMCPY
    {
        copy::fits(copy, params.get().kind)?;
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

/// What each kind of node takes, and the three calls that give it: added to a graph, set there, set in an executable graph.
macro_rules! kinds {
    ($($work:ident($($arg:ident: $ty:ty),*) => $add:ident, $set:ident, $set_exec:ident;)*) => {$(
        #[allow(clippy::too_many_arguments, reason = "the C API")]
        pub fn $add(
            place: Out<hipGraphNode_t>,
            graph: hipGraph_t,
            before: In<hipGraphNode_t>,
            count: usize,
            $($arg: $ty),*
        ) -> Result {
            add(place, graph, before, count, || $work($($arg),*))
        }

        pub fn $set(node: hipGraphNode_t, $($arg: $ty),*) -> Result {
            set(node, $work($($arg),*))
        }

        pub fn $set_exec(exec: hipGraphExec_t, node: hipGraphNode_t, $($arg: $ty),*) -> Result {
            set_exec(exec, node, $work($($arg),*))
        }
    )*};
}

kinds! {
    kernel(params: In<hipKernelNodeParams>) => add_kernel, set_kernel, set_exec_kernel;
    copy_3d(params: In<hipMemcpy3DParms>) => add_copy, set_copy, set_exec_copy;
    copy_1d(to: Ptr, from: ConstPtr, size: usize, kind: hipMemcpyKind)
        => add_copy_1d, set_copy_1d, set_exec_copy_1d;
    copy_from(to: Ptr, symbol: ConstPtr, size: usize, offset: usize, kind: hipMemcpyKind)
        => add_copy_from_symbol, set_copy_from_symbol, set_exec_copy_from_symbol;
    copy_to(symbol: ConstPtr, from: ConstPtr, size: usize, offset: usize, kind: hipMemcpyKind)
        => add_copy_to_symbol, set_copy_to_symbol, set_exec_copy_to_symbol;
    fill(params: In<hipMemsetParams>) => add_fill, set_fill, set_exec_fill;
    host(params: In<hipHostNodeParams>) => add_host, set_host, set_exec_host;
    record(event: hipEvent_t) => add_record, set_record, set_exec_record;
    wait(event: hipEvent_t) => add_wait, set_wait, set_exec_wait;
}

/// The calls that ask what a node was given.
macro_rules! questions {
    ($($get:ident($ty:ty) = $kind:pat => $found:ident;)*) => {$(
        pub fn $get(node: hipGraphNode_t, out: Out<$ty>) -> Result {
            out.set(get(node, |work| match work {
                $kind => Some($found.get()),
                _ => None,
            })?)
        }
    )*};
}

questions! {
    get_copy(hipMemcpy3DParms) = Work::Copy(_, _, params) => params;
    get_fill(hipMemsetParams) = Work::Fill(_, params) => params;
    get_host(hipHostNodeParams) = Work::Host(params) => params;
    get_record(hipEvent_t) = Work::Record(_, event) => event;
    get_wait(hipEvent_t) = Work::Wait(_, event) => event;
}

fn get<T>(node: hipGraphNode_t, read: impl FnOnce(&Work) -> Option<T>) -> Result<T> {
    owner(node)?.with(node.bits(), |node| read(&node.work).ok_or(hipError_t::INVALID_VALUE))
}

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

pub fn get_kernel(node: hipGraphNode_t, params: Out<hipKernelNodeParams>) -> Result {
    let found = owner(node)?.with(node.bits(), |node| {
        let Work::Kernel(call) = &node.work else { return Err(hipError_t::INVALID_VALUE) };
        node.shown = call.argument_addresses();
        Ok(call.params(&node.shown))
    })?;
    params.set(found)
}

fn copy_3d(params: In<hipMemcpy3DParms>) -> Result<Work> {
    let params = params.get()?;
    let copy = copy::of_box(&params)?;
    copy.check()?;
    Ok(Work::Copy(copy, hipGraphNodeType::MEMCPY, Kept::new(params)))
}

fn copy_bytes(
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

fn copy_1d(to: Ptr, from: ConstPtr, size: usize, kind: hipMemcpyKind) -> Result<Work> {
    copy_bytes(to, from, size, kind, hipGraphNodeType::MEMCPY_1D)
}

fn copy_from(to: Ptr, symbol: ConstPtr, size: usize, offset: usize, kind: hipMemcpyKind) -> Result<Work> {
    copy_bytes(
        to,
        symbol::source(symbol, size, offset, kind)?,
        size,
        kind,
        hipGraphNodeType::MEMCPY_FROM_SYMBOL,
    )
}

fn copy_to(
    symbol: ConstPtr,
    from: ConstPtr,
    size: usize,
    offset: usize,
    kind: hipMemcpyKind,
) -> Result<Work> {
    copy_bytes(
        symbol::destination(symbol, size, offset, kind)?,
        from,
        size,
        kind,
        hipGraphNodeType::MEMCPY_TO_SYMBOL,
    )
}

fn fill(params: In<hipMemsetParams>) -> Result<Work> {
    let params = params.get()?;
    let fill = fill::of_node(&params)?;
    fill.check()?;
    Ok(Work::Fill(fill, Kept::new(params)))
}

fn host(params: In<hipHostNodeParams>) -> Result<Work> {
    let params = params.get()?;
    if params.fn_.is_none() {
        return Err(hipError_t::INVALID_VALUE);
    }
    Ok(Work::Host(Kept::new(params)))
}

fn record(event: hipEvent_t) -> Result<Work> {
    Ok(Work::Record(event::resolve(event).map_err(|_| hipError_t::INVALID_VALUE)?, Kept::new(event)))
}

fn wait(event: hipEvent_t) -> Result<Work> {
    Ok(Work::Wait(event::resolve(event).map_err(|_| hipError_t::INVALID_VALUE)?, Kept::new(event)))
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
    // The node has a copy of its own: a graph may be a node of itself, as it was before.
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
