//! An emulated AMD GPU behind the KFD boundary.
//!
//! [`EmulatedGpu`] is KFD's side of [`kfd_sys::Kfd`] for one process: ioctls, device memory, events, queues, the
//! topology tree, and below them a command processor and compute units that run AMD machine code. Nothing above the
//! trait needs to know that there is no card.
//!
//! Not modelled: SDMA and PM4 queues (`CREATE_QUEUE` refuses them), SVM ranges, the debugger, images, DMA-buf.

pub mod chips;
mod clock;
mod cp;
mod events;
mod exec;
mod kfd;
mod user;
mod vm;

use std::sync::Arc;

pub use chips::Chip;
pub use cp::Counters;

use exec::Workers;
use kfd::Process;

/// How the emulated device behaves where a real one is given by its hardware.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Options {
    /// Host threads that run work-groups. `None`: one a core.
    pub threads: Option<usize>,
}

impl Options {
    /// The default options, changed by `ROCRS_EMU_THREADS`.
    pub fn from_env() -> Options {
        let threads = std::env::var("ROCRS_EMU_THREADS").ok().and_then(|text| text.trim().parse().ok());
        Options { threads }
    }
}

/// One process's view of a machine with emulated GPUs. Implements [`kfd_sys::Kfd`].
pub struct EmulatedGpu {
    process: Process,
    workers: Arc<Workers>,
}

impl EmulatedGpu {
    /// A machine with these GPUs. Threads and memory are taken when they are first needed.
    pub fn new(chips: &[&'static Chip], options: Options) -> Arc<EmulatedGpu> {
        let workers = Workers::new(options.threads);
        Arc::new(EmulatedGpu { process: Process::new(chips, &workers), workers })
    }

    /// What the `index`-th GPU has done so far.
    pub fn counters(&self, index: usize) -> Counters {
        self.process.devices.get(index).map_or_else(Counters::default, |device| device.cp.counters())
    }
}

impl Drop for EmulatedGpu {
    fn drop(&mut self) {
        for device in &self.process.devices {
            device.cp.shut_down();
        }
        self.workers.shut_down();
    }
}
