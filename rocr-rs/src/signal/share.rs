//! Signals of several processes (`HSA_AMD_SIGNAL_IPC`, `hsa_amd_ipc_signal_…`). Each lies in a page of its own, that goes
//! from process to process as memory does; waiters look at the value, for events do not cross processes.

use std::mem::offset_of;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use hsa_sys::{SHARED_SIGNAL_ID, SharedSignal};

use super::{Signal, pool::Slot};
use crate::{Error, Runtime, SharedMemory, memory};

impl Signal {
    /// A signal with value `initial` that other processes can attach.
    pub fn new_shared(runtime: &Arc<Runtime>, initial: i64) -> Result<Self, Error> {
        let slab = Arc::new(runtime.core.allocate_shareable()?);
        Ok(Self::in_slot(&runtime.core, Slot { slab, offset: 0 }, initial, None, true))
    }

    /// A handle by which another process can attach the signal; only what [`Signal::new_shared`] made has one.
    pub fn share(&self) -> Result<SharedMemory, Error> {
        if !self.inner.shared {
            let why = "it was not made for other processes".to_owned();
            return Err(Error::InvalidArgument { what: "signal to share", why });
        }
        memory::share(&self.inner.slot.slab)
    }

    /// Attaches a signal of another process. Each call makes another signal of it, that has the same value.
    pub fn attach(runtime: &Arc<Runtime>, shared: &SharedMemory) -> Result<Self, Error> {
        let (memory, offset) = runtime.attach(shared, &[])?;
        let slab = Arc::new(memory.into_block()?);
        let slot = Slot { slab, offset: offset as usize };
        let refused = |why: &str| Error::InvalidArgument { what: "handle of a signal", why: why.to_owned() };
        let room = slot.slab.bytes().saturating_sub(slot.offset);
        if room < size_of::<SharedSignal>() || !slot.slab.host_access() {
            return Err(refused("there is no room for a signal, or the host does not reach it"));
        }
        let id = slot.slab.u64_at(slot.offset + offset_of!(SharedSignal, id)).load(Ordering::Acquire);
        let owner = slot.slab.u64_at(slot.offset + offset_of!(SharedSignal, core_signal));
        if id != SHARED_SIGNAL_ID || owner.load(Ordering::Acquire) != 0 {
            return Err(refused("the memory holds no signal for other processes"));
        }
        Ok(Self::of_slot(&runtime.core, slot, None, true))
    }
}
