//! The topology tree: nodes, their memory banks, caches and links, as one consistent snapshot.
//! Answers to `amdkfd/kfd_topology.c`, which prints it, and libhsakmt's `topology.c`, which reads it.

mod cache;
pub mod host;
mod io_link;
mod mem_bank;
mod names;
mod node;
mod parse;

use std::fmt;

use kfd_sys::{Errno, Kfd};

pub use cache::Cache;
pub use io_link::IoLink;
pub use mem_bank::{HeapType, MemBank};
pub use node::{GfxVersion, Node, NodeProperties};

use crate::{Error, Result};
use parse::{Properties, parse_number};

/// Number of a node: that of its folder in the tree. Stays what it is when other nodes are hidden from us.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The machine as KFD describes it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Topology {
    /// Counts changes of the tree.
    pub generation: u32,
    /// Of the platform.
    pub system: SystemProperties,
    /// In the order of their numbers.
    pub nodes: Vec<Node>,
}

parse::properties! {
    /// `system_properties`
    pub struct SystemProperties {
        platform_oem: u64 = "Letters of the maker, as a number.";
        platform_id: u64 = "Letters of the platform, as a number.";
        platform_rev: u64 = "Revision.";
    }
}

/// How often the tree is read again when it changed meanwhile.
const TRIES: u32 = 5;
/// No machine has as many nodes, or a node as many parts of one sort: a larger count is an error in the tree.
const MOST: u32 = 4096;

impl Topology {
    /// Reads the tree; again when it changed meanwhile.
    pub fn read(kfd: &dyn Kfd) -> Result<Topology> {
        let mut generation = read_number(kfd, "generation_id")?;
        for _ in 0..TRIES {
            let read = Topology::read_once(kfd, generation);
            let now = read_number(kfd, "generation_id")?;
            if now == generation {
                return read;
            }
            generation = now;
        }
        Err(Error::TopologyUnstable { tries: TRIES, last: generation })
    }

    fn read_once(kfd: &dyn Kfd, generation: u32) -> Result<Topology> {
        let system = SystemProperties::read(kfd, "system_properties")?;
        let mut nodes = Vec::new();
        for number in 0..MOST {
            match read_number(kfd, &format!("nodes/{number}/gpu_id")) {
                Ok(gpu_id) => nodes.push(Node::read(kfd, NodeId(number), gpu_id)?),
                Err(Error::TopologyFile { errno: Errno::ENOENT, .. }) => break,
                // A device that is kept from us (by cgroups): the others can be used.
                Err(Error::TopologyFile { errno: Errno::EPERM | Errno::EACCES | Errno::ENODEV, .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Topology { generation, system, nodes })
    }

    /// A node by its number.
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.iter().find(|node| node.id == id)
    }

    /// The nodes with a GPU.
    pub fn gpus(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|node| node.is_gpu())
    }

    /// The nodes with processor cores of the host.
    pub fn cpus(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|node| node.is_cpu())
    }
}

fn read_file(kfd: &dyn Kfd, path: &str) -> Result<String> {
    kfd.read_topology(path).map_err(|errno| Error::TopologyFile { path: path.to_owned(), errno })
}

fn read_number(kfd: &dyn Kfd, path: &str) -> Result<u32> {
    parse_number(path, &read_file(kfd, path)?)
}

/// Reads `count` parts of one sort of a node: `nodes/N/<sort>/<i>/properties`.
fn read_parts<T: Properties>(kfd: &dyn Kfd, id: NodeId, sort: &str, count: u32) -> Result<Vec<T>> {
    if count > MOST {
        return Err(Error::request("topology", format!("node {id}: {sort} has a count of {count}")));
    }
    (0..count).map(|i| T::read(kfd, &format!("nodes/{id}/{sort}/{i}/properties"))).collect()
}
