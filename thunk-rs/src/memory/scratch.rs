//! Scratch: address space of which parts get memory as they are needed (libhsakmt's `fmm_allocate_scratch`).

use std::collections::BTreeMap;
use std::sync::Arc;

use kfd_sys::memory::AllocFlags;
use parking_lot::Mutex;

use super::{Block, PAGE, Reservation};
use crate::context::Context;
use crate::topology::NodeId;
use crate::{Error, Result, Thunk};

/// Scratch begins and ends at multiples of it.
const ALIGNMENT: u64 = 64 << 10;

/// Address space for the scratch of a GPU. Dropping it frees what parts of it have memory.
pub struct Scratch {
    context: Arc<Context>,
    node: NodeId,
    range: Reservation,
    parts: Mutex<BTreeMap<u64, Block>>,
}

impl Thunk {
    /// Reserves address space for the scratch of a GPU, and tells the GPU of it.
    pub fn reserve_scratch(&self, node: NodeId, size: u64, fixed_address: Option<u64>) -> Result<Scratch> {
        self.context.gpu(node)?;
        let size = size
            .checked_next_multiple_of(ALIGNMENT)
            .filter(|size| *size != 0)
            .ok_or_else(|| Error::request("reserve_scratch", format!("{size} bytes")))?;
        let range = match fixed_address {
            Some(va) => Reservation::reserve_at(va, size)?,
            None => Reservation::reserve(size, ALIGNMENT)?,
        };
        self.set_scratch_backing(node, range.va())?;
        Ok(Scratch { context: Arc::clone(&self.context), node, range, parts: Mutex::default() })
    }
}

impl Scratch {
    /// Its first address.
    pub fn va(&self) -> u64 {
        self.range.va()
    }

    /// Its bytes.
    pub fn size(&self) -> u64 {
        self.range.len()
    }

    /// Whose it is.
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// Is that one of its addresses?
    pub fn contains(&self, va: u64) -> bool {
        (self.va()..self.va() + self.size()).contains(&va)
    }

    /// Gives memory to a part.
    pub fn map(&self, va: u64, size: u64) -> Result<()> {
        let call = "scratch.map";
        let end = va.checked_add(size).filter(|end| size != 0 && *end <= self.va() + self.size());
        if end.is_none() || !self.contains(va) || !va.is_multiple_of(PAGE) || !size.is_multiple_of(PAGE) {
            return Err(Error::request(call, format!("{size:#x} bytes at {va:#x}")));
        }
        let mut parts = self.parts.lock();
        if parts.contains_key(&va) {
            return Err(Error::request(call, format!("{va:#x} has memory already")));
        }
        let gpu = self.context.gpu(self.node)?;
        let flags = AllocFlags::VRAM | AllocFlags::WRITABLE | AllocFlags::NO_SUBSTITUTE;
        let part = Reservation::borrowed(va, size);
        let mut block = Block::create(&self.context, gpu, part, flags, 0, |_, _, _| Ok(()))?;
        if let Err(error) = block.map_to(&self.context, &[gpu.gpu_id]) {
            let _ = block.release(&*self.context.kfd);
            return Err(error);
        }
        parts.insert(va, block);
        Ok(())
    }

    /// Takes the memory of the part that begins there.
    pub fn unmap(&self, va: u64) -> Result<()> {
        match self.parts.lock().remove(&va) {
            Some(block) => block.release(&*self.context.kfd),
            None => Err(Error::request("scratch.unmap", format!("{va:#x} has no memory"))),
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        for (va, block) in std::mem::take(self.parts.get_mut()) {
            if let Err(error) = block.release(&*self.context.kfd) {
                tracing::warn!(target: "thunk", %error, "scratch {va:#x} was not freed");
            }
        }
    }
}

impl std::fmt::Debug for Scratch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Scratch({:#x}, {:#x} bytes, on {})", self.va(), self.size(), self.context.kfd.name())
    }
}
