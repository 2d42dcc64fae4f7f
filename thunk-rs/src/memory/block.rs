//! One allocation of KFD with its range of addresses: the part of memory that has no owner yet. [`super::Memory`] owns
//! one, queues and the context own some for themselves.

use kfd_sys::memory::{
    AllocFlags, AllocMemoryOfGpuArgs, FreeMemoryOfGpuArgs, MapMemoryToGpuArgs, UnmapMemoryFromGpuArgs,
};
use kfd_sys::{DeviceFile, Kfd, Prot};

use super::Reservation;
use crate::Result;
use crate::context::{self, Context, Gpu};

/// Must be given back with [`Block::release`]; dropped otherwise, it keeps the GPU's memory until the device closes,
/// and its address range for ever (nothing else may come to lie where a GPU still looks).
pub(crate) struct Block {
    va: Option<Reservation>,
    handle: u64,
    mapped: Vec<u32>,
}

impl Block {
    /// Allocates on `gpu` at the range of `va`; `host_map` then puts it where the host sees it, given the offset for
    /// `mmap`. `user_address` is for user pointers, else 0.
    pub(crate) fn create(
        context: &Context,
        gpu: &Gpu,
        va: Reservation,
        flags: AllocFlags,
        user_address: u64,
        host_map: impl FnOnce(&Reservation, &dyn Kfd, u64) -> Result<()>,
    ) -> Result<Block> {
        let mut args = AllocMemoryOfGpuArgs {
            va_addr: va.va(),
            size: va.len(),
            handle: 0,
            mmap_offset: user_address,
            gpu_id: gpu.gpu_id,
            flags: flags.bits(),
        };
        context.call(&mut args, |a| {
            format!(
                "gpu {}, {} bytes at {:#x}, flags {:#x}: handle {:#x}",
                a.gpu_id, a.size, a.va_addr, a.flags, a.handle
            )
        })?;
        if let Err(error) = host_map(&va, &*context.kfd, args.mmap_offset) {
            let _ = Block { va: Some(va), handle: args.handle, mapped: Vec::new() }.release(&*context.kfd);
            return Err(error);
        }
        Ok(Block { va: Some(va), handle: args.handle, mapped: Vec::new() })
    }

    /// An allocation that is there already, by another call than ALLOC_MEMORY_OF_GPU.
    pub(crate) fn adopt(va: Reservation, handle: u64) -> Block {
        Block { va: Some(va), handle, mapped: Vec::new() }
    }

    /// Puts it where the host sees it, if `wanted`.
    pub(crate) fn map_host(&self, kfd: &dyn Kfd, file: DeviceFile, offset: u64, wanted: bool) -> Result<()> {
        match &self.va {
            Some(va) if wanted => va.map_device(kfd, file, Prot::READ | Prot::WRITE, offset),
            _ => Ok(()),
        }
    }

    pub(crate) fn va(&self) -> u64 {
        self.va.as_ref().map_or(0, Reservation::va)
    }

    pub(crate) fn size(&self) -> u64 {
        self.va.as_ref().map_or(0, Reservation::len)
    }

    pub(crate) fn handle(&self) -> u64 {
        self.handle
    }

    /// The GPUs, by KFD's number, that it is mapped to.
    pub(crate) fn mapped(&self) -> &[u32] {
        &self.mapped
    }

    /// Maps to those of `gpu_ids` that do not have it. When it fails half way, what was mapped stays and is known.
    pub(crate) fn map_to(&mut self, context: &Context, gpu_ids: &[u32]) -> Result<()> {
        let mut missing: Vec<u32> = Vec::new();
        for id in gpu_ids {
            if !self.mapped.contains(id) && !missing.contains(id) {
                missing.push(*id);
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        let mut args = MapMemoryToGpuArgs {
            handle: self.handle,
            device_ids_array_ptr: missing.as_ptr() as u64,
            n_devices: missing.len() as u32,
            n_success: 0,
        };
        let (va, gpus) = (self.va(), &missing);
        let result = context.call(&mut args, |a| {
            format!("handle {:#x} at {va:#x} to gpus {gpus:?}: {} done", a.handle, a.n_success)
        });
        let done = if result.is_ok() { missing.len() } else { missing.len().min(args.n_success as usize) };
        self.mapped.extend_from_slice(&missing[..done]);
        result
    }

    /// Unmaps from those of `gpu_ids` that have it.
    pub(crate) fn unmap_from(&mut self, kfd: &dyn Kfd, gpu_ids: &[u32]) -> Result<()> {
        let present: Vec<u32> = self.mapped.iter().copied().filter(|id| gpu_ids.contains(id)).collect();
        if present.is_empty() {
            return Ok(());
        }
        let mut args = UnmapMemoryFromGpuArgs {
            handle: self.handle,
            device_ids_array_ptr: present.as_ptr() as u64,
            n_devices: present.len() as u32,
            n_success: 0,
        };
        let gpus = &present;
        let result = context::call(kfd, &mut args, |a| {
            format!("handle {:#x} from gpus {gpus:?}: {} done", a.handle, a.n_success)
        });
        let done = if result.is_ok() { present.len() } else { present.len().min(args.n_success as usize) };
        self.mapped.retain(|id| !present[..done].contains(id));
        result
    }

    /// Unmaps, frees, and gives the address range back.
    pub(crate) fn release(mut self, kfd: &dyn Kfd) -> Result<()> {
        let everywhere = self.mapped.clone();
        self.unmap_from(kfd, &everywhere)?;
        let mut args = FreeMemoryOfGpuArgs { handle: self.handle };
        let va = self.va();
        context::call(kfd, &mut args, |a| format!("handle {:#x} at {va:#x}", a.handle))?;
        match self.va.take() {
            Some(va) => va.release(),
            None => Ok(()),
        }
    }

    /// Leaves it to the kernel: the hardware may still use it.
    pub(crate) fn leak(self) {}
}

impl Drop for Block {
    fn drop(&mut self) {
        if let Some(va) = self.va.take() {
            va.leak();
        }
    }
}
