//! Memory of the program that GPUs shall reach: user pointers (libhsakmt's `hsaKmtRegisterMemoryWithFlags`).

use super::{Block, Memory, MemoryKind, PAGE, Reservation};
use crate::{AllocRequest, Error, Result, Thunk};

impl Thunk {
    /// Lets all GPUs reach `size` bytes at `address`, at that same address. Whole pages are registered, so that what
    /// comes back may begin before and end after.
    ///
    /// The memory stays the caller's, who keeps it in place as long as the result lives; pages may be registered once.
    /// `kind` is [`MemoryKind::SystemFine`] or [`MemoryKind::SystemCoarse`].
    pub fn register_userptr(&self, address: u64, size: u64, kind: MemoryKind) -> Result<Memory> {
        let call = "register_userptr";
        if !matches!(kind, MemoryKind::SystemFine | MemoryKind::SystemCoarse) {
            return Err(Error::request(call, format!("{kind:?} is not pages of this process")));
        }
        let end = address
            .checked_add(size)
            .and_then(|end| end.checked_next_multiple_of(PAGE))
            .filter(|_| address != 0 && size != 0)
            .ok_or_else(|| Error::request(call, format!("{size:#x} bytes at {address:#x}")))?;
        let start = address & !(PAGE - 1);
        let gpu = self.context.gpus.first().ok_or_else(|| Error::request(call, "there is no GPU"))?;
        let flags = AllocRequest::new(kind, gpu.node, size).flags();
        let range = Reservation::borrowed(start, end - start);
        let block = Block::create(&self.context, gpu, range, flags, start, |_, _, _| Ok(()))?;
        let memory = self.own(block, kind, gpu.node, true);
        memory.map(&self.context.gpus.iter().map(|gpu| gpu.node).collect::<Vec<_>>())?;
        Ok(memory)
    }
}
