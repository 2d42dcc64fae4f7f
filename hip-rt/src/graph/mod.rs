//! Graphs: work with dependencies, put into a stream as a whole and as often as wanted. A graph runs in one stream, each
//! node behind those that it depends on.

pub mod capture;
mod exec;
mod object;

pub use capture::{Capture, refuse as refuse_in_capture};
pub use exec::{Exec, Refused, update};
pub use object::Holder;
use object::Objects;

use crate::error::{Result, report};
use crate::state;
use crate::stream::Stream;
use crate::work::Work;
use hip_sys::hipError_t;
use parking_lot::{Mutex, RwLock};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

/// The handle of a node, as a number.
pub type NodeId = usize;

/// One node.
#[derive(Debug, Clone)]
pub struct Node {
    /// Its handle.
    pub id: NodeId,
    /// What it does.
    pub work: Work,
    /// What it comes after.
    pub before: Vec<NodeId>,
    /// The node that it is a copy of, or itself.
    pub origin: NodeId,
    /// Left out of launches.
    pub disabled: bool,
    /// Addresses of a kernel's arguments, as they were last handed out.
    pub shown: Vec<usize>,
}

/// A graph.
#[derive(Debug)]
pub struct Graph {
    /// Its handle.
    pub id: usize,
    /// The graph that it is a copy of.
    pub origin: Option<usize>,
    nodes: Mutex<Vec<Node>>,
    /// User objects that it holds, and how often.
    objects: Mutex<BTreeMap<usize, u32>>,
}

/// The graphs that the program holds, by handle; handles are never used again.
#[derive(Debug, Default)]
pub struct Graphs {
    held: RwLock<BTreeMap<usize, Arc<Graph>>>,
    /// Which graph a node is in.
    owners: RwLock<BTreeMap<NodeId, Weak<Graph>>>,
    execs: RwLock<BTreeMap<usize, Arc<Exec>>>,
    /// Streams that are being captured.
    pub captures: AtomicUsize,
    next: AtomicUsize,
    /// User objects.
    pub objects: Objects,
}

impl Graphs {
    /// A number that no other graph, node or executable graph has.
    pub fn fresh(&self) -> usize {
        (self.next.fetch_add(1, Ordering::Relaxed) + 1) << 4
    }

    /// A new graph that the program holds.
    pub fn create(&self) -> Arc<Graph> {
        let graph = Arc::new(Graph::new(self.fresh()));
        self.hold(&graph);
        graph
    }

    /// Gives a graph to the program.
    pub fn hold(&self, graph: &Arc<Graph>) {
        self.held.write().insert(graph.id, graph.clone());
    }

    /// The graph of a handle.
    pub fn graph(&self, handle: usize) -> Result<Arc<Graph>> {
        self.held.read().get(&handle).cloned().ok_or(hipError_t::INVALID_VALUE)
    }

    /// Takes a graph from the program.
    pub fn destroy(&self, handle: usize) -> Result {
        let graph = self.held.write().remove(&handle);
        // Not under the lock: user objects go with it, whose destructors are the program's.
        graph.map(drop).ok_or(hipError_t::INVALID_VALUE)
    }

    /// The graph that a node is in.
    pub fn owner(&self, node: NodeId) -> Result<Arc<Graph>> {
        self.owners.read().get(&node).and_then(Weak::upgrade).ok_or(hipError_t::INVALID_VALUE)
    }

    /// Gives an executable graph to the program.
    pub fn add_exec(&self, exec: Exec) -> usize {
        let handle = self.fresh();
        self.execs.write().insert(handle, Arc::new(exec));
        handle
    }

    /// The executable graph of a handle.
    pub fn exec(&self, handle: usize) -> Result<Arc<Exec>> {
        self.execs.read().get(&handle).cloned().ok_or(hipError_t::INVALID_VALUE)
    }

    /// Takes an executable graph from the program.
    pub fn destroy_exec(&self, handle: usize) -> Result {
        let exec = self.execs.write().remove(&handle);
        exec.map(drop).ok_or(hipError_t::INVALID_VALUE)
    }
}

/// Where a node stands in a list of nodes.
fn at(nodes: &[Node], node: NodeId) -> Result<usize> {
    nodes.iter().position(|other| other.id == node).ok_or(hipError_t::INVALID_VALUE)
}

impl Graph {
    fn new(id: usize) -> Graph {
        Graph { id, origin: None, nodes: Mutex::default(), objects: Mutex::default() }
    }

    /// Adds a node behind others.
    pub fn add(self: &Arc<Self>, work: Work, before: &[NodeId]) -> Result<NodeId> {
        let graphs = &state::hip()?.graphs;
        let mut nodes = self.nodes.lock();
        let distinct: BTreeSet<_> = before.iter().collect();
        if distinct.len() < before.len() {
            return Err(hipError_t::INVALID_VALUE);
        }
        before.iter().try_for_each(|node| at(&nodes, *node).map(drop))?;
        let id = graphs.fresh();
        graphs.owners.write().insert(id, Arc::downgrade(self));
        nodes.push(Node {
            id,
            work,
            before: before.to_vec(),
            origin: id,
            disabled: false,
            shown: Vec::new(),
        });
        Ok(id)
    }

    /// Takes a node out, with its edges.
    pub fn remove(&self, node: NodeId) -> Result {
        let mut nodes = self.nodes.lock();
        let index = at(&nodes, node)?;
        nodes.remove(index);
        nodes.iter_mut().for_each(|other| other.before.retain(|before| *before != node));
        state::hip()?.graphs.owners.write().remove(&node);
        Ok(())
    }

    /// Adds edges, all or none.
    pub fn add_edges(&self, edges: &[(NodeId, NodeId)]) -> Result {
        self.change_edges(edges, |before, from, to| {
            if from == to || before.contains(&from) {
                return Err(hipError_t::INVALID_VALUE);
            }
            before.push(from);
            Ok(())
        })
    }

    /// Takes edges out, all or none.
    pub fn remove_edges(&self, edges: &[(NodeId, NodeId)]) -> Result {
        self.change_edges(edges, |before, from, _| {
            let edge = before.iter().position(|node| *node == from).ok_or(hipError_t::INVALID_VALUE)?;
            before.remove(edge);
            Ok(())
        })
    }

    /// Changes what the end of each edge comes after, given its begin and its end.
    fn change_edges(
        &self,
        edges: &[(NodeId, NodeId)],
        change: impl Fn(&mut Vec<NodeId>, NodeId, NodeId) -> Result,
    ) -> Result {
        let mut nodes = self.nodes.lock();
        let mut changed: Vec<Vec<NodeId>> = nodes.iter().map(|node| node.before.clone()).collect();
        for &(from, to) in edges {
            at(&nodes, from)?;
            change(&mut changed[at(&nodes, to)?], from, to)?;
        }
        nodes.iter_mut().zip(changed).for_each(|(node, before)| node.before = before);
        Ok(())
    }

    /// The nodes, in the order in which they were added.
    pub fn nodes(&self) -> Vec<NodeId> {
        self.nodes.lock().iter().map(|node| node.id).collect()
    }

    /// The nodes that come after none.
    pub fn roots(&self) -> Vec<NodeId> {
        self.nodes.lock().iter().filter(|node| node.before.is_empty()).map(|node| node.id).collect()
    }

    /// The edges.
    pub fn edges(&self) -> Vec<(NodeId, NodeId)> {
        let nodes = self.nodes.lock();
        nodes.iter().flat_map(|node| node.before.iter().map(|before| (*before, node.id))).collect()
    }

    /// What a node comes after.
    pub fn before(&self, node: NodeId) -> Result<Vec<NodeId>> {
        let nodes = self.nodes.lock();
        Ok(nodes[at(&nodes, node)?].before.clone())
    }

    /// What comes after a node.
    pub fn after(&self, node: NodeId) -> Result<Vec<NodeId>> {
        let nodes = self.nodes.lock();
        at(&nodes, node)?;
        Ok(nodes.iter().filter(|other| other.before.contains(&node)).map(|other| other.id).collect())
    }

    /// Works on a node.
    pub fn with<T>(&self, node: NodeId, work: impl FnOnce(&mut Node) -> Result<T>) -> Result<T> {
        let mut nodes = self.nodes.lock();
        let index = at(&nodes, node)?;
        work(&mut nodes[index])
    }

    /// Works on the copy of a node of another graph.
    pub fn with_copy_of<T>(&self, origin: NodeId, work: impl FnOnce(&mut Node) -> Result<T>) -> Result<T> {
        let mut nodes = self.nodes.lock();
        let node = nodes.iter_mut().find(|node| node.origin == origin).ok_or(hipError_t::INVALID_VALUE)?;
        work(node)
    }

    /// The copy of a node.
    pub fn copy_of(&self, origin: NodeId) -> Result<NodeId> {
        self.with_copy_of(origin, |node| Ok(node.id))
    }

    /// A graph of its own with the same nodes and edges; graphs within are copied too.
    pub fn duplicate(&self) -> Result<Arc<Graph>> {
        let graphs = &state::hip()?.graphs;
        let old = self.nodes.lock().clone();
        let ids: BTreeMap<NodeId, NodeId> = old.iter().map(|node| (node.id, graphs.fresh())).collect();
        let copy = |node: Node| {
            let work = match &node.work {
                Work::Graph(inner) => Work::Graph(inner.duplicate()?),
                other => other.clone(),
            };
            let before = node.before.iter().filter_map(|before| ids.get(before).copied()).collect();
            Ok(Node {
                id: ids[&node.id],
                work,
                before,
                origin: node.id,
                disabled: node.disabled,
                shown: Vec::new(),
            })
        };
        let nodes = old.into_iter().map(copy).collect::<Result<Vec<_>>>()?;
        let objects = self.objects.lock().clone();
        for (object, count) in &objects {
            graphs.objects.retain(*object, Holder::Graph, *count)?;
        }
        let graph = Arc::new(Graph {
            id: graphs.fresh(),
            origin: Some(self.id),
            nodes: Mutex::new(nodes),
            objects: Mutex::new(objects),
        });
        graphs.owners.write().extend(ids.values().map(|id| (*id, Arc::downgrade(&graph))));
        Ok(graph)
    }

    /// The work of all nodes, each behind what it depends on; refuses a circle.
    fn in_order(&self) -> Result<Vec<Work>> {
        let nodes = self.nodes.lock();
        let mut done = BTreeSet::new();
        let mut waiting: Vec<&Node> = nodes.iter().collect();
        let mut ordered = Vec::with_capacity(nodes.len());
        while !waiting.is_empty() {
            let before = waiting.len();
            waiting.retain(|node| {
                let ready = node.before.iter().all(|id| done.contains(id));
                if ready {
                    done.insert(node.id);
                    if !node.disabled {
                        ordered.push(node.work.clone());
                    }
                }
                !ready
            });
            if waiting.len() == before {
                report(format_args!("{before} nodes of a graph depend on each other in a circle"));
                return Err(hipError_t::INVALID_VALUE);
            }
        }
        Ok(ordered)
    }

    /// Refuses a graph that has no order, in itself or within.
    pub fn check(&self) -> Result {
        self.in_order()?.iter().try_for_each(|work| match work {
            Work::Graph(inner) => inner.check(),
            _ => Ok(()),
        })
    }

    /// Puts the work of all nodes into a stream.
    pub fn run(&self, stream: &Arc<Stream>) -> Result {
        self.in_order()?.into_iter().try_for_each(|work| work.run(stream))
    }

    /// Holds a user object `count` times more; `moved` takes that from the program.
    pub fn retain_object(&self, object: usize, count: u32, moved: bool) -> Result {
        let all = &state::hip()?.graphs.objects;
        all.retain(object, Holder::Graph, count)?;
        if moved && let Err(error) = all.release(object, Holder::Program, count) {
            all.release(object, Holder::Graph, count)?;
            return Err(error);
        }
        *self.objects.lock().entry(object).or_default() += count;
        Ok(())
    }

    /// Lets go of a user object `count` times.
    pub fn release_object(&self, object: usize, count: u32) -> Result {
        let mut objects = self.objects.lock();
        let held =
            objects.get_mut(&object).filter(|held| **held >= count).ok_or(hipError_t::INVALID_VALUE)?;
        *held -= count;
        if *held == 0 {
            objects.remove(&object);
        }
        drop(objects);
        state::hip()?.graphs.objects.release(object, Holder::Graph, count)
    }

    /// The graph in the language of Graphviz, each node with what kind it is.
    pub fn dot(&self) -> String {
        let nodes = self.nodes.lock();
        let place = |id: &NodeId| nodes.iter().position(|node| node.id == *id);
        let mut text = "digraph graph_1 {\n".to_owned();
        for (index, node) in nodes.iter().enumerate() {
            let kind = node.work.node_type();
            let name = <hip_sys::hipGraphNodeType as hip_sys::Renumbered>::NAMED
                .iter()
                .find(|(value, _)| *value == kind);
            let name = name.map_or("", |(_, name)| name.trim_start_matches("hipGraphNodeType"));
            text += &format!("    node_{index} [label=\"{index} {name}{}\"];\n", node.work.title());
            for before in node.before.iter().filter_map(place) {
                text += &format!("    node_{before} -> node_{index};\n");
            }
        }
        text + "}\n"
    }

    /// The nodes that some nodes come after, those included.
    fn ancestors(&self, of: &[NodeId]) -> BTreeSet<NodeId> {
        let nodes = self.nodes.lock();
        let mut found: BTreeSet<NodeId> = BTreeSet::new();
        let mut open = of.to_vec();
        while let Some(node) = open.pop() {
            if found.insert(node)
                && let Ok(index) = at(&nodes, node)
            {
                open.extend(&nodes[index].before);
            }
        }
        found
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        if let Some(hip) = state::hip_if_open() {
            let mut owners = hip.graphs.owners.write();
            self.nodes.get_mut().iter().for_each(|node| {
                owners.remove(&node.id);
            });
            drop(owners);
            for (object, count) in std::mem::take(self.objects.get_mut()) {
                // It was held that often.
                let _ = hip.graphs.objects.release(object, Holder::Graph, count);
            }
        }
    }
}
