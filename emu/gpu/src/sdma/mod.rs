//! SDMA: engines that copy and fill memory, write fences and raise interrupts, each queue a ring of packets
//! (`sdma_v4_0.c`, `vega10_sdma_pkt_open.h`).
//!
//! All SDMA queues of a device are worked through by one thread, beside the command processor's: a long copy holds up
//! other copies, as on an engine, but no kernels. The write pointer in memory counts; the doorbell says the same.

mod packets;
mod queue;

use std::sync::Arc;

use kfd_sys::Errno;
use parking_lot::Mutex;

use crate::chips::Chip;
use crate::cp::{DOORBELLS, QueueSpec};
use crate::events::Events;
use crate::poll::{self, Watch};
use crate::ring::Ring;
use crate::vm::Vm;

use queue::SdmaQueue;

/// What the queues of one device share.
struct Context {
    chip: &'static Chip,
    gpu_id: u32,
    vm: Arc<Vm>,
    events: Arc<Events>,
    /// Replaced as a whole when it changes.
    queues: Mutex<Arc<Vec<Arc<SdmaQueue>>>>,
}

impl Context {
    fn queues(&self) -> Arc<Vec<Arc<SdmaQueue>>> {
        Arc::clone(&self.queues.lock())
    }

    fn find(&self, id: u32) -> Result<Arc<SdmaQueue>, Errno> {
        self.queues().iter().find(|queue| queue.id == id).cloned().ok_or(Errno::EINVAL)
    }
}

/// The SDMA engines of one device.
pub(crate) struct Sdma {
    context: Arc<Context>,
    watch: Arc<Watch>,
}

impl Sdma {
    pub(crate) fn new(chip: &'static Chip, gpu_id: u32, vm: &Arc<Vm>, events: &Arc<Events>) -> Sdma {
        let (vm, events) = (Arc::clone(vm), Arc::clone(events));
        let context = Arc::new(Context { chip, gpu_id, vm, events, queues: Mutex::default() });
        Sdma { context, watch: Arc::new(Watch::new()) }
    }

    pub(crate) fn wake(&self) {
        self.watch.wake();
    }

    pub(crate) fn queue_count(&self) -> usize {
        self.context.queues().len()
    }

    pub(crate) fn has_queue(&self, id: u32) -> bool {
        self.context.find(id).is_ok()
    }

    /// Adds a queue, on an engine for other GPUs (`xgmi`) or for the host, and returns the number of its doorbell.
    pub(crate) fn create_queue(&self, spec: QueueSpec, xgmi: bool) -> Result<u32, Errno> {
        let [engines, xgmi_engines, per_engine] = self.context.chip.sdma;
        let most = per_engine * if xgmi { xgmi_engines } else { engines };
        let looker = Arc::clone(&self.context);
        self.watch.start(format!("emu-sdma-{}", self.context.chip.name), move || {
            poll::look(&looker.queues(), |queue| queue.step(&looker), |queue, text| queue.fail(&looker, text))
        })?;
        let mut queues = self.context.queues.lock();
        if queues.iter().filter(|queue| queue.xgmi == xgmi).count() >= most as usize {
            return Err(Errno::ENOMEM);
        }
        let free = (DOORBELLS..).find(|n| queues.iter().all(|queue| queue.doorbell != *n));
        let doorbell = free.ok_or(Errno::ENOMEM)?;
        Arc::make_mut(&mut queues).push(Arc::new(SdmaQueue::new(spec, doorbell, xgmi)));
        drop(queues);
        self.watch.wake();
        Ok(doorbell)
    }

    pub(crate) fn update_queue(&self, id: u32, ring: Option<Ring>, enabled: bool) -> Result<(), Errno> {
        self.context.find(id)?.update(ring, enabled);
        self.watch.wake();
        Ok(())
    }

    /// Removes a queue. A packet that runs is finished first.
    pub(crate) fn destroy_queue(&self, id: u32) -> Result<(), Errno> {
        self.context.find(id)?.kill();
        Arc::make_mut(&mut self.context.queues.lock()).retain(|other| other.id != id);
        Ok(())
    }

    /// Removes all queues and ends the thread.
    pub(crate) fn shut_down(&self) {
        let queues = std::mem::take(&mut *self.context.queues.lock());
        for queue in queues.iter() {
            queue.kill();
        }
        self.watch.shut_down();
    }
}
