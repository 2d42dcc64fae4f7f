//! Executable graphs: a copy of a graph that was checked, whose nodes can take new parameters and which no edit of the
//! graph reaches.

use super::{Graph, Node, NodeId};
use crate::error::Result;
use crate::stream::Stream;
use crate::work::Work;
use hip_sys::{hipError_t, hipGraphExecUpdateResult};
use std::sync::Arc;

/// An executable graph.
#[derive(Debug)]
pub struct Exec {
    graph: Arc<Graph>,
    /// The flags that it was made with.
    pub flags: u64,
}

/// Why an update was refused: the reason, and the node where it shows.
#[derive(Debug, PartialEq, Eq)]
pub struct Refused(pub hipGraphExecUpdateResult, pub Option<NodeId>);

impl Exec {
    /// Makes a graph executable.
    pub fn new(graph: &Graph, flags: u64) -> Result<Exec> {
        graph.check()?;
        Ok(Exec { graph: graph.duplicate()?, flags })
    }

    /// Puts it into a stream.
    pub fn launch(&self, stream: &Arc<Stream>) -> Result {
        // What is captured keeps its parameters when those of this one change.
        let graph = if stream.capture().is_some() { self.graph.duplicate()? } else { self.graph.clone() };
        stream.put(Work::Graph(graph))
    }

    /// Works on the copy of a node of the graph that this was made of.
    pub fn with<T>(&self, origin: NodeId, work: impl FnOnce(&mut Node) -> Result<T>) -> Result<T> {
        self.graph.with_copy_of(origin, work)
    }

    /// Takes over what the nodes of a graph of the same shape do.
    pub fn update(&self, graph: &Graph) -> std::result::Result<(), Refused> {
        update(&self.graph, graph)
    }
}

/// The shape of a graph: for each node the places of those that it comes after.
fn shape(nodes: &[Node]) -> Vec<Vec<usize>> {
    let place = |id: &NodeId| nodes.iter().position(|node| node.id == *id);
    let places = |node: &Node| {
        let mut places: Vec<usize> = node.before.iter().filter_map(place).collect();
        places.sort_unstable();
        places
    };
    nodes.iter().map(places).collect()
}

/// Gives the nodes of `old` what those of `new` do, if the two have the same shape.
pub fn update(old: &Graph, new: &Graph) -> std::result::Result<(), Refused> {
    use hipGraphExecUpdateResult as R;
    let wanted = new.nodes.lock().clone();
    let mut nodes = old.nodes.lock();
    if shape(&nodes) != shape(&wanted) {
        // The node where it shows: the first that one has and the other has not.
        let node = wanted.get(nodes.len()).or(wanted.last()).map(|node| node.id);
        return Err(Refused(R::TOPOLOGY_CHANGED, node));
    }
    for (ours, theirs) in nodes.iter().zip(&wanted) {
        if ours.work.node_type() != theirs.work.node_type() {
            return Err(Refused(R::NODE_TYPE_CHANGED, Some(theirs.id)));
        }
        match (&ours.work, &theirs.work) {
            (Work::Copy(_, _, ours), Work::Copy(_, _, new)) if ours.get().kind != new.get().kind => {
                return Err(Refused(R::PARAMETERS_CHANGED, Some(theirs.id)));
            }
            (Work::Kernel(ours), Work::Kernel(new)) if !ours.is_on_device_of(new) => {
                return Err(Refused(R::UNSUPPORTED_FUNCTION_CHANGE, Some(theirs.id)));
            }
            (Work::Graph(ours), Work::Graph(new)) => update(ours, new)?,
            _ => {}
        }
    }
    for (ours, theirs) in nodes.iter_mut().zip(wanted) {
        ours.origin = theirs.id;
        if !matches!(ours.work, Work::Graph(_)) {
            ours.work = theirs.work;
        }
    }
    Ok(())
}

impl From<Refused> for hipError_t {
    fn from(_: Refused) -> hipError_t {
        hipError_t::GRAPH_EXEC_UPDATE_FAILURE
    }
}
