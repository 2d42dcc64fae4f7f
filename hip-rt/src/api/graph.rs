//! Graphs: nodes and edges, copies, executable graphs. What nodes do is in `node.rs`.

use crate::error::{Result, report};
use crate::ffi::{In, Out, Text};
use crate::graph::{Exec, Graph, Holder, NodeId, Refused};
use crate::state;
use crate::stream::{resolve, resolve_spt};
use hip_sys::{
    Numbered, hipError_t, hipGraph_t, hipGraphExec_t, hipGraphExecUpdateResult, hipGraphNode_t,
    hipGraphNodeType, hipHostFn_t, hipHostNodeParams, hipStream_t, hipUserObject_t,
};
use std::ffi::{c_char, c_uint, c_ulonglong, c_void};
use std::sync::Arc;

/// `hipGraphInstantiateFlagAutoFreeOnLaunch`, and the flags of later releases: upload, device launch, node priority.
const INSTANTIATE_FLAGS: u64 = 0xf;

pub fn handle(node: NodeId) -> hipGraphNode_t {
    hipGraphNode_t::from_bits(node)
}

pub fn of(graph: hipGraph_t) -> Result<Arc<Graph>> {
    state::hip()?.graphs.graph(graph.bits())
}

/// The graph that a node is in.
pub fn owner(node: hipGraphNode_t) -> Result<Arc<Graph>> {
    state::hip()?.graphs.owner(node.bits())
}

pub fn exec_of(exec: hipGraphExec_t) -> Result<Arc<Exec>> {
    state::hip()?.graphs.exec(exec.bits())
}

/// The caller's list of nodes.
pub fn list(nodes: In<hipGraphNode_t>, count: usize) -> Result<Vec<NodeId>> {
    (0..count).map(|index| Ok(nodes.at(index)?.bits())).collect()
}

/// Hands a list out: how long it is, when there is no place for it; else as much as fits, and nulls behind it.
pub fn give<T: Copy>(values: &[T], none: T, place: Out<T>, count: Out<usize>, room: In<usize>) -> Result {
    if count.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    if place.is_null() {
        return count.set(values.len());
    }
    let room = room.get()?;
    let given = values.len().min(room);
    place.set_all(&values[..given])?;
    (given..room).try_for_each(|at| place.set_at(at, none))?;
    count.set(given)
}

pub fn create(graph: Out<hipGraph_t>, flags: c_uint) -> Result {
    if graph.is_null() || flags != 0 {
        return Err(hipError_t::INVALID_VALUE);
    }
    graph.set(hipGraph_t::from_bits(state::hip()?.graphs.create().id))
}

pub fn destroy(graph: hipGraph_t) -> Result {
    state::hip()?.graphs.destroy(graph.bits())
}

pub fn duplicate(copy: Out<hipGraph_t>, graph: hipGraph_t) -> Result {
    if copy.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    let made = of(graph)?.duplicate()?;
    state::hip()?.graphs.hold(&made);
    copy.set(hipGraph_t::from_bits(made.id))
}

pub fn find_in_copy(found: Out<hipGraphNode_t>, node: hipGraphNode_t, copy: hipGraph_t) -> Result {
    if found.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    let copy = of(copy)?;
    if copy.origin != Some(owner(node)?.id) {
        return Err(hipError_t::INVALID_VALUE);
    }
    found.set(handle(copy.copy_of(node.bits())?))
}

fn edges(from: In<hipGraphNode_t>, to: In<hipGraphNode_t>, count: usize) -> Result<Vec<(NodeId, NodeId)>> {
    Ok(list(from, count)?.into_iter().zip(list(to, count)?).collect())
}

pub fn add_edges(
    graph: hipGraph_t,
    from: In<hipGraphNode_t>,
    to: In<hipGraphNode_t>,
    count: usize,
) -> Result {
    of(graph)?.add_edges(&edges(from, to, count)?)
}

pub fn remove_edges(
    graph: hipGraph_t,
    from: In<hipGraphNode_t>,
    to: In<hipGraphNode_t>,
    count: usize,
) -> Result {
    of(graph)?.remove_edges(&edges(from, to, count)?)
}

pub fn nodes(graph: hipGraph_t, nodes: Out<hipGraphNode_t>, count: Out<usize>) -> Result {
    give_nodes(&of(graph)?.nodes(), nodes, count)
}

pub fn roots(graph: hipGraph_t, nodes: Out<hipGraphNode_t>, count: Out<usize>) -> Result {
    give_nodes(&of(graph)?.roots(), nodes, count)
}

fn give_nodes(nodes: &[NodeId], place: Out<hipGraphNode_t>, count: Out<usize>) -> Result {
    let handles: Vec<_> = nodes.iter().map(|node| handle(*node)).collect();
    give(&handles, hipGraphNode_t::NULL, place, count, count.as_in())
}

pub fn get_edges(
    graph: hipGraph_t,
    from: Out<hipGraphNode_t>,
    to: Out<hipGraphNode_t>,
    count: Out<usize>,
) -> Result {
    let edges = of(graph)?.edges();
    if from.is_null() != to.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    if from.is_null() {
        return count.set(edges.len());
    }
    let room = count.as_in().get()?;
    let (starts, ends): (Vec<_>, Vec<_>) = edges.into_iter().map(|(a, b)| (handle(a), handle(b))).unzip();
    for (place, nodes) in [(from, starts), (to, ends)] {
        give(&nodes, hipGraphNode_t::NULL, place, count, In::new(&room))?;
    }
    Ok(())
}

pub fn before(node: hipGraphNode_t, nodes: Out<hipGraphNode_t>, count: Out<usize>) -> Result {
    give_nodes(&owner(node)?.before(node.bits())?, nodes, count)
}

pub fn after(node: hipGraphNode_t, nodes: Out<hipGraphNode_t>, count: Out<usize>) -> Result {
    give_nodes(&owner(node)?.after(node.bits())?, nodes, count)
}

pub fn node_type(node: hipGraphNode_t, kind: Out<Numbered<hipGraphNodeType>>) -> Result {
    let found = owner(node)?.with(node.bits(), |node| Ok(node.work.node_type()))?;
    kind.set(Numbered::new(found, state::major()))
}

pub fn destroy_node(node: hipGraphNode_t) -> Result {
    owner(node)?.remove(node.bits())
}

pub fn instantiate(
    exec: Out<hipGraphExec_t>,
    graph: hipGraph_t,
    error_node: Out<hipGraphNode_t>,
    log: Out<c_char>,
    log_bytes: usize,
) -> Result {
    instantiate_as(exec, graph, 0, error_node, log, log_bytes)
}

fn instantiate_as(
    exec: Out<hipGraphExec_t>,
    graph: hipGraph_t,
    flags: u64,
    error_node: Out<hipGraphNode_t>,
    log: Out<c_char>,
    log_bytes: usize,
) -> Result {
    if exec.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    error_node.set_if_wanted(hipGraphNode_t::NULL);
    let made = Exec::new(&*of(graph)?, flags);
    let text = if made.is_ok() { "" } else { "nodes depend on each other in a circle" };
    if !log.is_null() && log_bytes > 0 {
        log.set_text(text, log_bytes)?;
    }
    exec.set(hipGraphExec_t::from_bits(state::hip()?.graphs.add_exec(made?)))
}

pub fn instantiate_with_flags(exec: Out<hipGraphExec_t>, graph: hipGraph_t, flags: c_ulonglong) -> Result {
    if flags & !INSTANTIATE_FLAGS != 0 {
        return Err(hipError_t::INVALID_VALUE);
    }
    instantiate_as(exec, graph, flags, Out::null(), Out::null(), 0)
}

pub fn launch(exec: hipGraphExec_t, stream: hipStream_t) -> Result {
    exec_of(exec)?.launch(&resolve(stream)?)
}

pub fn launch_spt(exec: hipGraphExec_t, stream: hipStream_t) -> Result {
    launch(exec, resolve_spt(stream))
}

pub fn exec_flags(exec: hipGraphExec_t, flags: Out<c_ulonglong>) -> Result {
    flags.set(exec_of(exec)?.flags)
}

pub fn enabled(exec: hipGraphExec_t, node: hipGraphNode_t, enabled: Out<c_uint>) -> Result {
    enabled.set(exec_of(exec)?.with(node.bits(), |node| Ok(u32::from(!node.disabled)))?)
}

pub fn set_enabled(exec: hipGraphExec_t, node: hipGraphNode_t, enabled: c_uint) -> Result {
    use hipGraphNodeType as T;
    exec_of(exec)?.with(node.bits(), |node| {
        if !matches!(node.work.node_type(), T::KERNEL | T::MEMSET | T::MEMCPY | T::MEMCPY_1D) {
            return Err(hipError_t::INVALID_VALUE);
        }
        node.disabled = enabled == 0;
        Ok(())
    })
}

pub fn dot(graph: hipGraph_t, path: Text, _: c_uint) -> Result {
    let (graph, path) = (of(graph)?, path.get()?);
    std::fs::write(&path, graph.dot()).map_err(|error| {
        report(format_args!("hipGraphDebugDotPrint: {path}: {error}"));
        hipError_t::OPERATING_SYSTEM
    })
}

/// `hipUserObjectNoDestructorSync`, which is the only way to make one.
const NO_DESTRUCTOR_SYNC: c_uint = 1;
/// `hipGraphUserObjectMove`
const MOVE: c_uint = 1;

pub fn create_object(
    object: Out<hipUserObject_t>,
    value: *mut c_void,
    destroy: hipHostFn_t,
    references: c_uint,
    flags: c_uint,
) -> Result {
    if object.is_null() || destroy.is_none() || references == 0 || flags != NO_DESTRUCTOR_SYNC {
        return Err(hipError_t::INVALID_VALUE);
    }
    let graphs = &state::hip()?.graphs;
    let handle = graphs.fresh();
    graphs.objects.add(handle, hipHostNodeParams { fn_: destroy, userData: value }, references);
    object.set(hipUserObject_t::from_bits(handle))
}

pub fn retain_object(object: hipUserObject_t, count: c_uint) -> Result {
    if count == 0 {
        return Err(hipError_t::INVALID_VALUE);
    }
    state::hip()?.graphs.objects.retain(object.bits(), Holder::Program, count)
}

pub fn release_object(object: hipUserObject_t, count: c_uint) -> Result {
    if count == 0 {
        return Err(hipError_t::INVALID_VALUE);
    }
    state::hip()?.graphs.objects.release(object.bits(), Holder::Program, count)
}

pub fn graph_retain_object(
    graph: hipGraph_t,
    object: hipUserObject_t,
    count: c_uint,
    flags: c_uint,
) -> Result {
    if count == 0 || flags & !MOVE != 0 {
        return Err(hipError_t::INVALID_VALUE);
    }
    of(graph)?.retain_object(object.bits(), count, flags & MOVE != 0)
}

pub fn graph_release_object(graph: hipGraph_t, object: hipUserObject_t, count: c_uint) -> Result {
    if count == 0 {
        return Err(hipError_t::INVALID_VALUE);
    }
    of(graph)?.release_object(object.bits(), count)
}

pub fn upload(exec: hipGraphExec_t, stream: hipStream_t) -> Result {
    // Everything that a launch needs is there from the start.
    exec_of(exec)?;
    resolve(stream).map(drop)
}

pub fn destroy_exec(exec: hipGraphExec_t) -> Result {
    state::hip()?.graphs.destroy_exec(exec.bits())
}

pub fn update(
    exec: hipGraphExec_t,
    graph: hipGraph_t,
    error_node: Out<hipGraphNode_t>,
    result: Out<hipGraphExecUpdateResult>,
) -> Result {
    if error_node.is_null() || result.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    match exec_of(exec)?.update(&*of(graph)?) {
        Ok(()) => {
            error_node.set(hipGraphNode_t::NULL)?;
            result.set(hipGraphExecUpdateResult::SUCCESS)
        }
        Err(Refused(why, node)) => {
            error_node.set(node.map_or(hipGraphNode_t::NULL, handle))?;
            result.set(why)?;
            Err(hipError_t::GRAPH_EXEC_UPDATE_FAILURE)
        }
    }
}
