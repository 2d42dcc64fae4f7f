//! An emulated AMD GPU behind the KFD boundary.
//!
//! [`EmulatedGpu`] is KFD's side of [`kfd_sys::Kfd`] for one process: ioctls, device memory, events, queues, the
//! topology tree, and below them a command processor and compute units that run AMD machine code. Nothing above the
//! trait needs to know that there is no card.
//!
//! Not modelled: halting and watching waves for a debugger, images, checkpoints.

pub mod chips;
mod clock;
mod counters;
mod cp;
mod drm;
mod events;
mod exec;
mod files;
mod holdings;
mod kfd;
mod options;
mod panics;
mod poll;
mod ring;
mod sdma;
mod user;
mod vm;

use std::sync::Arc;

pub use amdgpu_isa::{Class, Counts, Traffic};
pub use chips::Chip;
pub use counters::DispatchCounters;
pub use cp::Counters;
pub use holdings::Holdings;
pub use kfd::tree;
pub use options::{BadOption, Options};

use exec::Workers;
use kfd::Process;

/// One process's view of a machine with emulated GPUs. Implements [`kfd_sys::Kfd`].
pub struct EmulatedGpu {
    process: Process,
    workers: Arc<Workers>,
}

impl EmulatedGpu {
    /// A machine with these GPUs. Threads and memory are taken when they are first needed.
    pub fn new(chips: &[&'static Chip], options: Options) -> Arc<EmulatedGpu> {
        let workers = Workers::new(&options);
        Arc::new(EmulatedGpu { process: Process::new(chips, &workers), workers })
    }

    /// What the `index`-th GPU has done so far.
    pub fn counters(&self, index: usize) -> Counters {
        self.process.devices.get(index).map_or_else(Counters::default, |device| device.cp.counters())
    }

    /// Takes what the `index`-th GPU has counted, a dispatch at a time in the order in which they ended; with
    /// [`Options::counters`] only. Dispatches that failed are not among them. Of those that nobody takes the last 4,096
    /// are kept.
    pub fn take_dispatches(&self, index: usize) -> Vec<DispatchCounters> {
        self.process.devices.get(index).map_or_else(Vec::new, |device| device.cp.take_dispatches())
    }
}

impl Drop for EmulatedGpu {
    fn drop(&mut self) {
        for device in &self.process.devices {
            device.cp.shut_down();
            device.sdma.shut_down();
        }
        self.workers.shut_down();
    }
}
