//! Memory of the program that GPUs shall reach: user pointers (libhsakmt's `hsaKmtRegisterMemoryWithFlags`).

use super::{Block, Memory, MemoryKind, Origin, PAGE, Reservation};
use crate::topology::NodeId;
use crate::{AllocRequest, Error, Result, Thunk};

impl Thunk {
    /// Lets all GPUs reach `size` bytes at `address`, at that same address. Whole pages are registered, so that what
    /// comes back may begin before and end after.
    ///
    /// The memory stays the caller's, who keeps it in place as long as the result lives; pages may be registered once.
    /// `kind` is [`MemoryKind::SystemFine`] or [`MemoryKind::SystemCoarse`].
    pub fn register_userptr(&self, address: u64, size: u64, kind: MemoryKind) -> Result<Memory> {
        let (start, size) = pages("register_userptr", address, size, kind)?;
        let memory = self.userptr(
            Reservation::borrowed(start, size),
            start,
            AllocRequest::new(kind, NodeId(0), size),
        )?;
        memory.map(&self.context.gpus.iter().map(|gpu| gpu.node).collect::<Vec<_>>())?;
        Ok(memory)
    }

    /// As [`Thunk::register_userptr`], but GPUs see it at an address of their own, [`Memory::va`], and not before it is
    /// mapped. So the same pages may be registered any number of times. [`Memory::host_va`] is the page of `address`.
    pub fn register_userptr_apart(&self, address: u64, size: u64, kind: MemoryKind) -> Result<Memory> {
        let (start, size) = pages("register_userptr_apart", address, size, kind)?;
        self.userptr(
            Reservation::reserve(size, PAGE)?,
            start,
            AllocRequest::new(kind, NodeId(0), size).executable(),
        )
    }

    fn userptr(&self, range: Reservation, host_va: u64, request: AllocRequest) -> Result<Memory> {
        let none = || Error::request("register_userptr", "there is no GPU");
        let gpu = self.context.gpus.first().ok_or_else(none)?;
        let flags = request.flags();
        let block = Block::create(&self.context, gpu, range, flags, host_va, |_, _, _| Ok(()))?;
        let mut memory =
            self.own(block, request.kind, gpu.node, true).with_origin(Origin::User, flags.bits());
        memory.host_va = host_va;
        Ok(memory)
    }
}

/// The pages that `size` bytes at `address` lie in.
fn pages(call: &'static str, address: u64, size: u64, kind: MemoryKind) -> Result<(u64, u64)> {
    if !matches!(kind, MemoryKind::SystemFine | MemoryKind::SystemCoarse) {
        return Err(Error::request(call, format!("{kind:?} is not pages of this process")));
    }
    let end = address
        .checked_add(size)
        .and_then(|end| end.checked_next_multiple_of(PAGE))
        .filter(|_| address != 0 && size != 0)
        .ok_or_else(|| Error::request(call, format!("{size:#x} bytes at {address:#x}")))?;
    let start = address & !(PAGE - 1);
    Ok((start, end - start))
}
