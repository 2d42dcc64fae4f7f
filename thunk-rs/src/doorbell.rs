//! Doorbells: the slice of a GPU's doorbell page that belongs to this process, and the store that rings one.
//! libhsakmt's `queues.c` (`map_doorbell`).

#![allow(unsafe_code, reason = "rings a doorbell: a store to a page that the device watches")]

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use kfd_sys::memory::AllocFlags;
use kfd_sys::{DeviceFile, Kfd, Prot};

use crate::Result;
use crate::context::{Context, Gpu};
use crate::memory::{Block, Reservation};

/// The doorbells of this process on one GPU, mapped for the host and for the GPU. Owned by the context.
pub(crate) struct DoorbellSlice {
    block: Block,
}

impl DoorbellSlice {
    /// Maps the slice that `doorbell_offset`, as CREATE_QUEUE gave it, lies in.
    fn map(context: &Context, gpu: &Gpu, doorbell_offset: u64, bytes: u64) -> Result<DoorbellSlice> {
        let flags =
            AllocFlags::DOORBELL | AllocFlags::COHERENT | AllocFlags::NO_SUBSTITUTE | AllocFlags::WRITABLE;
        let va = Reservation::reserve(bytes, bytes)?;
        let block = Block::create(context, gpu, va, flags, 0, |block, kfd, _| {
            block.map_device(kfd, DeviceFile::Kfd, Prot::READ | Prot::WRITE, doorbell_offset & !(bytes - 1))
        })?;
        let mut slice = DoorbellSlice { block };
        if let Err(error) = slice.block.map_to(context, &[gpu.gpu_id]) {
            let _ = slice.release(&*context.kfd);
            return Err(error);
        }
        Ok(slice)
    }

    pub(crate) fn release(self, kfd: &dyn Kfd) -> Result<()> {
        self.block.release(kfd)
    }
}

/// One queue's doorbell. Valid as long as the context lives.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Doorbell {
    pub(crate) va: u64,
    bytes: u32,
}

impl Doorbell {
    /// The doorbell that CREATE_QUEUE gave; maps the slice if this is the first queue of the GPU.
    pub(crate) fn of_queue(
        context: &Context,
        gpu: &Gpu,
        doorbell_bytes: u32,
        offset: u64,
    ) -> Result<Doorbell> {
        let slice_bytes = 1024 * u64::from(doorbell_bytes);
        let mut slices = context.doorbells.lock();
        let base = match slices.get(&gpu.node) {
            Some(slice) => slice.block.va(),
            None => {
                let slice = DoorbellSlice::map(context, gpu, offset, slice_bytes)?;
                let va = slice.block.va();
                slices.insert(gpu.node, slice);
                va
            }
        };
        let within = offset & (slice_bytes - 1) & !u64::from(doorbell_bytes - 1);
        Ok(Doorbell { va: base + within, bytes: doorbell_bytes })
    }

    /// Stores to the doorbell. Everything written before is visible to who sees it.
    pub(crate) fn ring(&self, value: u64) {
        // SAFETY: `va` is inside the slice, which stays mapped as long as the context, and is aligned to its size;
        // who holds a `Doorbell` (a queue) holds the context. The page is only ever accessed by atomic stores here.
        unsafe {
            if self.bytes == 8 {
                AtomicU64::from_ptr(self.va as *mut u64).store(value, Ordering::Release);
            } else {
                AtomicU32::from_ptr(self.va as *mut u32).store(value as u32, Ordering::Release);
            }
        }
    }
}
