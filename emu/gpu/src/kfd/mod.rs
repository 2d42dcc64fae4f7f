//! KFD's side of the boundary for one process: state, and the trait (`amdkfd/kfd_process.c`, `kfd_chardev.c`).

mod aperture;
mod clock;
mod debug;
pub(crate) mod dmabuf;
mod event;
mod exceptions;
mod ioctl;
mod memory;
mod mmap;
mod queue;
pub(crate) mod share;
mod smi;
mod snapshot;
mod svm;
mod sysfs;
pub mod tree;
mod version;

pub(crate) use aperture::{GPUVM_BASE, LDS_BASE as LDS_APERTURE, SCRATCH_BASE as SCRATCH_APERTURE};

pub(crate) use smi::Askers;

use std::collections::{BTreeMap, BTreeSet};
use std::os::fd::{AsRawFd as _, OwnedFd, RawFd};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use kfd_sys::Errno;
use parking_lot::Mutex;

use crate::chips::Chip;
use crate::cp::CommandProcessor;
use crate::drm::Gem;
use crate::events::Events;
use crate::exec::Workers;
use crate::sdma::Sdma;
use crate::user::UserMemory;
use crate::vm::{Extent, MemoryObject, PAGE, Pool, Vm};

/// Render node of the first GPU.
const FIRST_MINOR: u32 = 128;

/// A pool that is made when it is first asked for.
#[derive(Debug, Default)]
struct LazyPool(OnceLock<Result<Arc<Pool>, Errno>>);

impl LazyPool {
    fn get(&self, name: &std::ffi::CStr, size: u64) -> Result<&Arc<Pool>, Errno> {
        let limit = size.min(host_memory());
        // Some address space to spare, lest the last free memory lies in pieces.
        let size = size.min(limit.saturating_mul(2));
        self.0.get_or_init(|| Pool::new(name, size, limit)).as_ref().map_err(|error| *error)
    }
}

impl LazyPool {
    fn used(&self) -> u64 {
        self.0.get().and_then(|pool| pool.as_ref().ok()).map_or(0, |pool| pool.used())
    }
}

/// Bytes of memory that the host has. (A device promises no memory that it cannot have.)
pub(crate) fn host_memory() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kib = total.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(8 << 20).saturating_mul(1024)
}

/// One GPU as this process sees it.
pub(crate) struct Device {
    pub(crate) chip: &'static Chip,
    pub(crate) gpu_id: u32,
    pub(crate) minor: u32,
    pub(crate) vm: Arc<Vm>,
    pub(crate) cp: CommandProcessor,
    pub(crate) sdma: Sdma,
    /// Buffer objects of the render node.
    pub(crate) gem: Gem,
    /// File descriptor that `ACQUIRE_VM` was called with.
    acquired: Mutex<Option<RawFd>>,
    vram: LazyPool,
    /// Doorbell slice and MMIO page, in one extent of GTT.
    pages: OnceLock<Result<Extent, Errno>>,
}

impl Device {
    pub(crate) fn vram(&self) -> Result<&Arc<Pool>, Errno> {
        self.vram.get(c"amdgpu-emu-vram", self.chip.vram)
    }

    /// Bytes of its memory that are in use.
    pub(crate) fn used(&self) -> u64 {
        self.vram.used()
    }

    pub(crate) fn available(&self) -> u64 {
        match self.vram.0.get() {
            Some(pool) => pool.as_ref().map_or(0, |pool| pool.available()),
            None => self.chip.vram.min(host_memory()),
        }
    }
}

/// KFD's state for one process.
pub(crate) struct Process {
    pid: u32,
    pub(crate) devices: Vec<Device>,
    pub(crate) events: Arc<Events>,
    pub(crate) user: UserMemory,
    gtt: LazyPool,
    objects: Mutex<Objects>,
    pub(crate) exports: share::Exports,
    pub(crate) render_files: Mutex<BTreeMap<RawFd, u32>>,
    /// Those of them that the device opened itself, which end with it.
    opened_render: Mutex<BTreeMap<u32, OwnedFd>>,
    xnack: AtomicBool,
    queue_ids: Mutex<BTreeSet<u32>>,
    queues: Mutex<BTreeMap<u32, queue::Facts>>,
    svm: svm::Ranges,
    debugging: debug::Debugging,
}

/// Memory objects by handle.
#[derive(Default)]
struct Objects {
    by_handle: BTreeMap<u64, memory::Entry>,
    /// Handles by GPU and `mmap` offset, of those that `mmap` can reach.
    by_offset: BTreeMap<(u32, u64), u64>,
    next: u32,
}

impl Process {
    pub(crate) fn new(chips: &[&'static Chip], workers: &Arc<Workers>) -> Process {
        let events = Arc::new(Events::default());
        let devices = (0u32..)
            .zip(chips)
            .map(|(index, chip)| {
                let vm = Arc::new(Vm::default());
                let gpu_id = gpu_id(index, chip);
                let cp = CommandProcessor::new(chip, gpu_id, &vm, &events, workers);
                Device {
                    chip,
                    gpu_id,
                    minor: FIRST_MINOR + index,
                    sdma: Sdma::new(chip, gpu_id, &vm, &events),
                    gem: Gem::new(gpu_id),
                    cp,
                    vm,
                    acquired: Mutex::new(None),
                    vram: LazyPool::default(),
                    pages: OnceLock::new(),
                }
            })
            .collect();
        Process {
            pid: std::process::id(),
            devices,
            events,
            user: UserMemory::default(),
            gtt: LazyPool::default(),
            objects: Mutex::default(),
            exports: share::Exports::default(),
            render_files: Mutex::default(),
            opened_render: Mutex::default(),
            xnack: AtomicBool::new(false),
            queue_ids: Mutex::default(),
            queues: Mutex::default(),
            svm: svm::Ranges::default(),
            debugging: debug::Debugging::default(),
        }
    }

    /// `KFD_IOC`: a child of `fork` must open the device anew.
    pub(crate) fn check_owner(&self) -> Result<(), Errno> {
        if std::process::id() == self.pid { Ok(()) } else { Err(Errno::EBADF) }
    }

    fn device(&self, gpu_id: u32) -> Result<&Device, Errno> {
        self.devices.iter().find(|device| device.gpu_id == gpu_id).ok_or(Errno::EINVAL)
    }

    /// The device, if this process has its page table.
    fn bound_device(&self, gpu_id: u32) -> Result<&Device, Errno> {
        let device = self.device(gpu_id)?;
        if device.acquired.lock().is_none() { Err(Errno::ENODEV) } else { Ok(device) }
    }

    pub(crate) fn gtt(&self) -> Result<&Arc<Pool>, Errno> {
        self.gtt.get(c"amdgpu-emu-gtt", host_memory())
    }

    /// The doorbell slice and, behind it, the MMIO page of a device.
    fn device_pages<'a>(&'a self, device: &'a Device) -> Result<&'a Extent, Errno> {
        let make = || self.gtt()?.allocate(kfd_sys::mmap::DOORBELL_SLICE_BYTES + PAGE);
        device.pages.get_or_init(make).as_ref().map_err(|error| *error)
    }

    fn object(&self, handle: u64) -> Result<Arc<MemoryObject>, Errno> {
        let objects = self.objects.lock();
        objects.by_handle.get(&handle).map(|entry| Arc::clone(&entry.object)).ok_or(Errno::EINVAL)
    }

    fn open_render_node(&self, minor: u32) -> Result<i32, Errno> {
        self.check_owner()?;
        if !self.devices.iter().any(|device| device.minor == minor) {
            return Err(Errno::ENOENT);
        }
        let mut opened = self.opened_render.lock();
        if let Some(file) = opened.get(&minor) {
            return Ok(file.as_raw_fd());
        }
        // Only its number means something here.
        let file = self.gtt()?.duplicate()?;
        let number = file.as_raw_fd();
        opened.insert(minor, file);
        self.render_files.lock().insert(number, minor);
        Ok(number)
    }

    /// The lowest queue ID that is free: IDs are unique in a process.
    fn take_queue_id(&self) -> u32 {
        let mut ids = self.queue_ids.lock();
        let id = (0..).find(|id| !ids.contains(id)).unwrap_or(u32::MAX);
        ids.insert(id);
        id
    }

    fn release_queue_id(&self, id: u32) {
        self.queue_ids.lock().remove(&id);
    }

    /// Lets go what only a dma-buf kept that nobody has any more.
    pub(crate) fn reap(&self) {
        self.exports.reap();
    }

    /// Memory objects, handles given out, bytes of GTT.
    pub(crate) fn held(&self) -> (usize, usize, u64) {
        (self.objects.lock().by_handle.len(), self.exports.count(), self.gtt.used())
    }

    fn any_queue(&self) -> bool {
        self.devices.iter().any(|device| device.cp.queue_count() + device.sdma.queue_count() > 0)
    }
}

/// A number like KFD's hash over PCI IDs: 16 bits, never 0, its own for each GPU of a machine.
fn gpu_id(index: u32, chip: &Chip) -> u32 {
    const FIRST: u32 = 0xc7a6;
    (FIRST ^ (chip.device_id << 1)).wrapping_add(index.wrapping_mul(0x1021)) & 0xffff | 1
}
