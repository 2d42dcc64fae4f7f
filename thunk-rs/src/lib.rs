//! The thunk (ROCt): topology, memory, queues and events over KFD.
//!
//! Does what `libhsakmt` does, on a context object instead of globals: [`Thunk`] holds one opened device,
//! [`Memory`], [`Queue`] and [`Event`] own what they stand for and give it back when dropped. What is below is a
//! [`kfd_sys::Kfd`]: `/dev/kfd` ([`dev`]), or any device that answers the same calls; [`open`] chooses.
//!
//! ```no_run
//! use thunk_rs::{AllocRequest, MemoryKind, OpenOptions, Thunk};
//! # fn main() -> Result<(), thunk_rs::Error> {
//! let thunk = Thunk::open(&OpenOptions::default())?;
//! let gpu = thunk.topology().gpus().next().expect("a GPU").id;
//! let memory = thunk.allocate(&AllocRequest::new(MemoryKind::Vram, gpu, 1 << 20))?;
//! memory.write(0, b"seen by the GPU at the same address")?;
//! # Ok(()) }
//! ```
//!
//! Performance counters are not KFD's: programs reach them by packets. What it has of them is in [`profile`].

pub mod dev;
pub mod gfx;
pub mod open;
pub mod topology;

mod aperture;
mod clock;
mod context;
mod ctx_save;
pub mod debug;
mod doorbell;
mod error;
mod event;
pub mod memory;
pub mod profile;
mod queue;
pub mod svm;
mod system;

use std::sync::Arc;

pub use aperture::Apertures;
pub use clock::ClockCounters;
pub use ctx_save::CtxSaveSizes;
pub use error::Error;
pub use event::{Event, HwException, MemoryFault, WaitFor, WaitOutcome};
pub use kfd_sys;
pub use memory::table::{Entry, MemoryTable, TableError};
pub use memory::{
    AddressRange, AllocRequest, Buffer, DmabufInfo, GpuAccess, Memory, MemoryKind, Numa, Origin, Scratch,
    SharedHandle,
};
pub use open::{DeviceChoice, OpenOptions};
pub use queue::{Queue, QueueKind, QueuePriority, QueueRequest, WaveState};
pub use system::{DriverFacts, SmiEvents, TileConfig};
pub use topology::{GfxVersion, Node, NodeId, Topology};

use context::Context;

/// `Result` with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// One opened device: all its GPUs, for this process. Clones share it; it closes when the last of them, and of the
/// memory, queues and events that came from it, is gone.
#[derive(Clone)]
pub struct Thunk {
    context: Arc<Context>,
}

impl Thunk {
    /// Takes over a device: checks its version, reads the topology, and gets an address space on every GPU.
    pub fn new(kfd: Arc<dyn kfd_sys::Kfd>) -> Result<Thunk> {
        Ok(Thunk { context: Arc::new(Context::open(kfd)?) })
    }

    /// What the device calls itself, for messages.
    pub fn device_name(&self) -> String {
        self.context.kfd.name()
    }

    /// Major and minor version of the kernel interface.
    pub fn version(&self) -> (u32, u32) {
        self.context.version
    }

    /// The nodes, as they were when the device was opened.
    pub fn topology(&self) -> &Topology {
        &self.context.topology
    }

    /// What the device knows of the wave that last stopped a queue of `node`; taken by the call.
    pub fn take_wave_report(&self, node: NodeId) -> Option<kfd_sys::WaveReport> {
        let gpu_id = self.context.topology.node(node)?.gpu_id;
        self.context.kfd.take_wave_report(gpu_id)
    }

    /// The device itself, for calls that the thunk has no words for.
    pub fn kfd(&self) -> &Arc<dyn kfd_sys::Kfd> {
        &self.context.kfd
    }
}

impl std::fmt::Debug for Thunk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Thunk({}, {} nodes)", self.context.kfd.name(), self.context.topology.nodes.len())
    }
}
