//! The trait itself, and `mmap` of both files: `kfd_mmap()` of `kfd_chardev.c` and the render node's buffer objects.

#![allow(unsafe_code, reason = "maps device memory over address space that the caller reserved")]

use std::sync::Arc;

use kfd_sys::event::SIGNAL_EVENT_LIMIT;
use kfd_sys::mmap::{self, DOORBELL_SLICE_BYTES, MmapType};
use kfd_sys::{DeviceFile, Errno, Kfd, Prot, WaveReport};

use super::Process;
use crate::EmulatedGpu;
use crate::drm::{self, Shown};
use crate::vm::{Backing, Extent, MemoryObject, PAGE};

impl Kfd for EmulatedGpu {
    fn name(&self) -> String {
        let names: Vec<_> = self.process.devices.iter().map(|device| device.chip.name).collect();
        format!("emulated {}", names.join(", "))
    }

    fn ioctl(&self, request: u32, arg: &mut [u8]) -> Result<(), Errno> {
        self.process.ioctl(request, arg)
    }

    fn open_render_node(&self, minor: u32) -> Result<i32, Errno> {
        self.process.open_render_node(minor)
    }

    fn ioctl_on_render_node(&self, minor: u32, request: u32, arg: &mut [u8]) -> Result<(), Errno> {
        drm::ioctl(&self.process, minor, request, arg)
    }

    unsafe fn mmap(
        &self,
        file: DeviceFile,
        addr: u64,
        length: u64,
        prot: Prot,
        offset: u64,
    ) -> Result<(), Errno> {
        if !addr.is_multiple_of(PAGE) || length == 0 || addr.checked_add(length).is_none() {
            return Err(Errno::EINVAL);
        }
        self.process.check_owner()?;
        let length = length.checked_next_multiple_of(PAGE).ok_or(Errno::EINVAL)?;
        let map = |extent: &Extent, skip: u64| {
            // SAFETY: the caller of this method answers for the address range; `Extent` checks the rest.
            unsafe { extent.map_fixed(addr, length, prot.bits().cast_signed(), skip) }
        };
        let result = match file {
            DeviceFile::Kfd => self.process.with_kfd_range(offset, length, map),
            DeviceFile::Render(minor) => self.process.with_render_range(minor, offset, length, map),
        };
        tracing::trace!(
            target: "amdgpu_emu::ioctl",
            "mmap {file:?} {addr:#x} {length:#x} {prot:?} {offset:#x} -> {}", Shown(&result)
        );
        result
    }

    fn read_topology(&self, path: &str) -> Result<String, Errno> {
        self.process.read_topology(path)
    }

    fn take_wave_report(&self, gpu_id: u32) -> Option<WaveReport> {
        let device = self.process.devices.iter().find(|device| device.gpu_id == gpu_id)?;
        device.cp.take_wave_report()
    }

    fn doorbell_hint(&self, gpu_id: u32) {
        if let Some(device) = self.process.devices.iter().find(|device| device.gpu_id == gpu_id) {
            device.cp.wake();
            device.sdma.wake();
        }
    }
}

impl Process {
    fn with_kfd_range(
        &self,
        offset: u64,
        length: u64,
        map: impl Fn(&Extent, u64) -> Result<(), Errno>,
    ) -> Result<(), Errno> {
        let kind = mmap::type_of(offset);
        if kind == MmapType::EVENTS {
            let page = self.event_page()?;
            return match &page.backing {
                Backing::Extent(extent) if length <= extent.bytes() => map(extent, 0),
                _ => Err(Errno::EINVAL),
            };
        }
        let gpu = mmap::gpu_of(offset);
        let device = self.devices.iter().find(|device| device.gpu_id & 0xffff == gpu).ok_or(Errno::EINVAL)?;
        let pages = self.device_pages(device)?;
        if kind == MmapType::DOORBELL && length == DOORBELL_SLICE_BYTES {
            map(pages, 0)
        } else if kind == MmapType::MMIO && length == PAGE {
            map(pages, DOORBELL_SLICE_BYTES)
        } else {
            Err(Errno::EINVAL)
        }
    }

    /// The event page; one of our own if the process did not bring one.
    fn event_page(&self) -> Result<Arc<MemoryObject>, Errno> {
        if let Some(page) = self.events.page() {
            return Ok(page);
        }
        let extent = self.gtt()?.allocate(u64::from(SIGNAL_EVENT_LIMIT) * 8)?;
        let size = extent.bytes();
        let page = MemoryObject {
            handle: 0,
            va: 0,
            size,
            rights: Default::default(),
            backing: Backing::Extent(extent),
            mmap_offset: 0,
        };
        match self.events.set_page(Arc::new(page)) {
            Ok(()) | Err(Errno::EBUSY) => self.events.page().ok_or(Errno::ENOMEM),
            Err(error) => Err(error),
        }
    }

    fn with_render_range(
        &self,
        minor: u32,
        offset: u64,
        length: u64,
        map: impl Fn(&Extent, u64) -> Result<(), Errno>,
    ) -> Result<(), Errno> {
        let device = self.devices.iter().find(|device| device.minor == minor).ok_or(Errno::ENODEV)?;
        if let Some((memory, skip)) = device.gem.at_offset(offset) {
            let Backing::Extent(extent) = &memory.backing else { return Err(Errno::EINVAL) };
            return map(extent, skip);
        }
        let objects = self.objects.lock();
        let below = objects.by_offset.range((device.gpu_id, 0)..=(device.gpu_id, offset)).next_back();
        let entry = below.and_then(|(_, handle)| objects.by_handle.get(handle)).ok_or(Errno::EINVAL)?;
        let Backing::Extent(extent) = &entry.object.backing else { return Err(Errno::EINVAL) };
        let skip = offset - entry.object.mmap_offset;
        if skip.checked_add(length).is_none_or(|end| end > extent.bytes()) {
            return Err(Errno::EINVAL);
        }
        map(extent, skip)
    }
}
