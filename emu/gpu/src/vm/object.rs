//! Memory objects: what `ALLOC_MEMORY_OF_GPU` makes (`amdgpu_amdkfd_gpuvm.c`).

use std::sync::Arc;

use super::{Extent, Rights};

/// Where an object's bytes are.
#[derive(Debug)]
pub enum Backing {
    /// Memory of the device or of its GTT, given back when the object goes.
    Extent(Extent),
    /// A page that the device keeps for itself: doorbells, MMIO remap. Host address.
    Device(u64),
    /// A part of another object, from that offset on.
    Part(Arc<MemoryObject>, u64),
    /// Memory of the program (a user pointer). Host address.
    User(u64),
}

/// One allocated range of GPU address space with its memory.
#[derive(Debug)]
pub struct MemoryObject {
    /// Handle that the process got.
    pub handle: u64,
    /// Address that it is mapped at.
    pub va: u64,
    /// Bytes, a multiple of the page size.
    pub size: u64,
    /// Rights of its mappings.
    pub rights: Rights,
    /// Memory.
    pub backing: Backing,
    /// Offset for `mmap` on the render node; 0 if it cannot be mapped.
    pub mmap_offset: u64,
}

impl MemoryObject {
    /// Host address of the object's first byte.
    pub fn host(&self) -> u64 {
        match &self.backing {
            Backing::Extent(extent) => extent.host(),
            Backing::Part(whole, offset) => whole.host() + offset,
            Backing::Device(host) | Backing::User(host) => *host,
        }
    }
}
