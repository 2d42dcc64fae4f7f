//! The kernel boundary as a trait: what `/dev/kfd`, `/dev/dri/renderD*` and KFD's topology tree are to user space.
//!
//! One side implements it over the real device (`thunk-rs`), the other side is a device (`amdgpu-emu`). Everything
//! above holds an `Arc<dyn Kfd>` and cannot tell which one it has. Names follow `amdkfd/kfd_chardev.c`.

#![allow(
    unsafe_code,
    reason = "`mmap` over a caller's address space is declared here, and is unsafe by nature"
)]

use crate::{Errno, WaveReport};

/// The file that a mapping or an argument refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DeviceFile {
    /// `/dev/kfd`: doorbells, the event page of an APU, MMIO remap.
    Kfd,
    /// `/dev/dri/renderD<minor>`: buffer objects. Holds the `minor`.
    Render(u32),
}

bitflags::bitflags! {
    /// CPU access of a mapping, as `PROT_*` of `mmap(2)`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Prot: u32 {
        /// `PROT_READ`
        const READ = 1;
        /// `PROT_WRITE`
        const WRITE = 2;
        /// `PROT_EXEC`
        const EXEC = 4;
    }
}

/// One process's view of the KFD: the calls that a thunk makes, and nothing more.
///
/// All methods may be called from any thread. Addresses are of the calling process: GPU and CPU share one address
/// space, as on every dGPU with SVM apertures.
pub trait Kfd: Send + Sync {
    /// A word for messages: `"/dev/kfd"`, `"emulated gfx90a"`. Never to be compared.
    fn name(&self) -> String;

    /// `ioctl(kfd, request, arg)`. `request` is the full 32-bit ioctl word; `arg` holds the struct's bytes, read and
    /// written in place. Structs shorter or longer than the device knows are zero-extended or cut, as KFD does.
    ///
    /// Pointers inside `arg` are addresses of the calling process; a bad one gives `EFAULT`.
    fn ioctl(&self, request: u32, arg: &mut [u8]) -> Result<(), Errno>;

    /// Opens a render node, if it is not open, and returns the file descriptor number that `AMDKFD_IOC_ACQUIRE_VM` takes.
    /// The descriptor is the device's, and is closed when the device goes.
    fn open_render_node(&self, minor: u32) -> Result<i32, Errno>;

    /// `ioctl(renderD<minor>, request, arg)`, as [`Kfd::ioctl`], for buffer objects ([`crate::render`]). `ENOTTY` from a
    /// device whose render nodes only hold address spaces.
    fn ioctl_on_render_node(&self, minor: u32, request: u32, arg: &mut [u8]) -> Result<(), Errno> {
        let _ = (minor, request, arg);
        Err(Errno::ENOTTY)
    }

    /// `mmap(addr, length, prot, MAP_SHARED | MAP_FIXED, file, offset)`.
    ///
    /// # Safety
    /// `addr..addr + length` must be address space that the caller reserved for this purpose: what was mapped there
    /// before is gone.
    unsafe fn mmap(
        &self,
        file: DeviceFile,
        addr: u64,
        length: u64,
        prot: Prot,
        offset: u64,
    ) -> Result<(), Errno>;

    /// A file of the topology tree, by its path below `/sys/devices/virtual/kfd/kfd/topology/`
    /// (`"generation_id"`, `"nodes/1/properties"`), whole.
    fn read_topology(&self, path: &str) -> Result<String, Errno>;

    /// What the device knows of the wave that last made it stop a queue, beyond what KFD's events and the queue's
    /// inactive signal have room for. The call takes it. Devices that know no more answer `None`, as hardware does.
    fn take_wave_report(&self, gpu_id: u32) -> Option<WaveReport> {
        let _ = gpu_id;
        None
    }

    /// Hint that a doorbell of `gpu_id` was just written. Hardware sees the write itself and ignores the hint; a
    /// device that has to look may look now.
    fn doorbell_hint(&self, gpu_id: u32) {
        let _ = gpu_id;
    }
}
