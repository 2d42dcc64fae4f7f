//! Where signals live: 128-byte slots in slabs of fine-grained system memory, and events that are kept for the next
//! interrupt signal. Creating a signal takes a slot from a list; nothing grows when signals come and go.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use parking_lot::Mutex;
use thunk_rs::{Event, kfd_sys::event::EventType};

use crate::{Error, core::Core, memory::Block};

/// Bytes of a slot: a `SharedSignal`.
const SLOT_BYTES: usize = size_of::<hsa_sys::SharedSignal>();
/// Bytes of a slab.
const SLAB_BYTES: usize = 64 << 10;

/// Memory for one signal. Goes back with [`SignalPool::put`].
#[derive(Debug, Clone)]
pub(crate) struct Slot {
    pub(crate) slab: Arc<Block>,
    pub(crate) offset: usize,
}

impl Slot {
    pub(crate) fn va(&self) -> u64 {
        self.slab.va() + self.offset as u64
    }
}

/// The free slots.
#[derive(Debug, Default)]
pub(crate) struct SignalPool {
    free: Mutex<Vec<Slot>>,
}

impl SignalPool {
    pub(crate) fn take(&self, core: &Core) -> Result<Slot, Error> {
        let mut free = self.free.lock();
        if let Some(slot) = free.pop() {
            return Ok(slot);
        }
        let slab = Arc::new(core.allocate_shared(SLAB_BYTES, "signals")?);
        free.extend(
            (0..SLAB_BYTES).step_by(SLOT_BYTES).rev().map(|offset| Slot { slab: slab.clone(), offset }),
        );
        free.pop().ok_or(Error::InvalidArgument { what: "signal slab", why: "it has no slots".into() })
    }

    pub(crate) fn put(&self, slot: Slot) {
        self.free.lock().push(slot);
    }
}

/// The free events.
#[derive(Debug, Default)]
pub(crate) struct EventPool {
    free: Mutex<Vec<Event>>,
    exhausted: AtomicBool,
}

impl EventPool {
    /// An event, or `None` when the driver has no more: the signal's waiters then look instead of sleeping.
    pub(crate) fn take(&self, core: &Core) -> Option<Event> {
        if let Some(event) = self.free.lock().pop() {
            return Some(event);
        }
        if self.exhausted.load(Ordering::Relaxed) {
            return None;
        }
        match core.thunk.create_event(EventType::SIGNAL, true) {
            Ok(event) => Some(event),
            Err(error) => {
                if !self.exhausted.swap(true, Ordering::Relaxed) {
                    tracing::warn!(%error, "no more events: signals from here on are polled");
                }
                None
            }
        }
    }

    pub(crate) fn put(&self, event: Event) {
        self.free.lock().push(event);
    }
}
