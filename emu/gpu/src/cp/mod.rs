//! The command processor: one thread a device that reads AQL and PM4 packets from the rings of all compute queues.
//!
//! A queue is worked through in order, one packet at a time; queues do not wait for each other. Doorbells are hints:
//! what counts are the write pointer and, of AQL packets, the headers in memory. Nothing runs while no queue exists.

mod aql;
mod dispatch;
mod pm4;
mod queue;
mod signal;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use amd_codeobj::{Generation, Isa};
use amdgpu_isa::{CodeCache, Gen};
use kfd_sys::{Errno, WaveReport};
use parking_lot::Mutex;

use crate::chips::Chip;
use crate::counters::{DispatchCounters, KernelNames};
use crate::events::Events;
use crate::exec::{Worker, Workers};
use crate::poll::{self, Watch};
use crate::ring::Ring;
use crate::vm::Vm;

pub(crate) use queue::{Format, Queue, QueueSpec};

/// Doorbells of one process on one device that compute queues may have. Those of SDMA queues come behind.
pub(crate) const DOORBELLS: u32 = 512;

/// Totals since the device was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Counters {
    /// Kernel dispatches completed.
    pub dispatches: u64,
    /// Work-groups run.
    pub workgroups: u64,
    /// Waves run.
    pub waves: u64,
    /// Instructions executed, one for a whole wave.
    pub instructions: u64,
}

#[derive(Debug, Default)]
pub(crate) struct AtomicCounters {
    pub(crate) dispatches: AtomicU64,
    pub(crate) workgroups: AtomicU64,
    pub(crate) waves: AtomicU64,
    pub(crate) instructions: AtomicU64,
}

/// What the command processor, the workers and their dispatches share of one device.
pub(crate) struct Context {
    pub(crate) chip: &'static Chip,
    pub(crate) gpu_id: u32,
    /// Launch properties of the chip's generation.
    pub(crate) generation: &'static Generation,
    /// Instruction set of the chip's generation.
    pub(crate) isa: &'static Gen,
    pub(crate) code: Arc<CodeCache>,
    pub(crate) vm: Arc<Vm>,
    pub(crate) events: Arc<Events>,
    pub(crate) workers: Arc<Workers>,
    pub(crate) counters: AtomicCounters,
    /// Dispatches that were counted and not yet asked for.
    pub(crate) counted: Mutex<VecDeque<DispatchCounters>>,
    pub(crate) kernel_names: KernelNames,
    /// The wave that last stopped a queue.
    pub(crate) wave_report: Mutex<Option<WaveReport>>,
    /// Replaced as a whole when it changes.
    queues: Mutex<Arc<Vec<Arc<Queue>>>>,
    watch: Arc<Watch>,
}

impl Context {
    /// Makes the thread look at its queues now, if it sleeps.
    pub(crate) fn wake(&self) {
        self.watch.wake();
    }

    fn queues(&self) -> Arc<Vec<Arc<Queue>>> {
        Arc::clone(&self.queues.lock())
    }

    fn find(&self, id: u32) -> Result<Arc<Queue>, Errno> {
        self.queues().iter().find(|queue| queue.id == id).cloned().ok_or(Errno::EINVAL)
    }
}

/// The command processor of one device.
pub(crate) struct CommandProcessor {
    /// `None` if the crates below know no such processor: then there are no queues.
    context: Option<Arc<Context>>,
}

impl CommandProcessor {
    /// Takes what is known of the wave that last stopped a queue.
    pub(crate) fn take_wave_report(&self) -> Option<WaveReport> {
        self.context.as_ref()?.wave_report.lock().take()
    }

    pub(crate) fn new(
        chip: &'static Chip,
        gpu_id: u32,
        vm: &Arc<Vm>,
        events: &Arc<Events>,
        workers: &Arc<Workers>,
    ) -> CommandProcessor {
        let known = Isa::by_name(chip.name).zip(amdgpu_isa::gens::by_processor(chip.name));
        let context = known.map(|(processor, isa)| {
            Arc::new(Context {
                chip,
                gpu_id,
                generation: processor.generation,
                isa,
                code: Arc::new(CodeCache::new(isa)),
                vm: Arc::clone(vm),
                events: Arc::clone(events),
                workers: Arc::clone(workers),
                counters: AtomicCounters::default(),
                counted: Mutex::default(),
                kernel_names: KernelNames::default(),
                wave_report: Mutex::default(),
                queues: Mutex::default(),
                watch: Arc::new(Watch::new()),
            })
        });
        CommandProcessor { context }
    }

    fn context(&self) -> Result<&Arc<Context>, Errno> {
        self.context.as_ref().ok_or(Errno::ENODEV)
    }

    pub(crate) fn wake(&self) {
        if let Some(context) = &self.context {
            context.wake();
        }
    }

    pub(crate) fn counters(&self) -> Counters {
        let Some(context) = &self.context else { return Counters::default() };
        let counters = &context.counters;
        Counters {
            dispatches: counters.dispatches.load(Ordering::Relaxed),
            workgroups: counters.workgroups.load(Ordering::Relaxed),
            waves: counters.waves.load(Ordering::Relaxed),
            instructions: counters.instructions.load(Ordering::Relaxed),
        }
    }

    pub(crate) fn take_dispatches(&self) -> Vec<DispatchCounters> {
        self.context
            .as_ref()
            .map_or_else(Vec::new, |context| std::mem::take(&mut *context.counted.lock()).into())
    }

    pub(crate) fn queue_count(&self) -> usize {
        self.context.as_ref().map_or(0, |context| context.queues().len())
    }

    pub(crate) fn has_queue(&self, id: u32) -> bool {
        self.context.as_ref().is_some_and(|context| context.find(id).is_ok())
    }

    /// Adds a queue and returns the number of its doorbell.
    pub(crate) fn create_queue(&self, spec: QueueSpec, format: Format) -> Result<u32, Errno> {
        let context = self.context()?;
        self.start_thread(context)?;
        let mut queues = context.queues.lock();
        let free = (0..DOORBELLS).find(|n| queues.iter().all(|queue| queue.doorbell != *n));
        let doorbell = free.ok_or(Errno::ENOSPC)?;
        let queue = Queue::new(spec, format, doorbell);
        queue.connect(context);
        Arc::make_mut(&mut queues).push(Arc::new(queue));
        drop(queues);
        context.wake();
        Ok(doorbell)
    }

    pub(crate) fn update_queue(&self, id: u32, ring: Option<Ring>, enabled: bool) -> Result<(), Errno> {
        let context = self.context()?;
        let queue = context.find(id)?;
        queue.connect(context);
        queue.update(ring, enabled);
        context.wake();
        Ok(())
    }

    /// Gives a compute queue the process's global wave sync, which one queue at a time can have, or takes it back.
    pub(crate) fn set_gws(&self, id: u32, has: bool) -> Result<(), Errno> {
        let context = self.context()?;
        // Under the lock: two queues may ask at once.
        let queues = context.queues.lock();
        let queue = queues.iter().find(|queue| queue.id == id).ok_or(Errno::EINVAL)?;
        match (queues.iter().any(|queue| queue.gws.lock().is_some()), has) {
            (true, true) => return Err(Errno::EBUSY),
            (false, false) => return Err(Errno::EINVAL),
            _ => {}
        }
        *queue.gws.lock() = has.then(Arc::default);
        Ok(())
    }

    /// Removes a queue. A kernel that it runs is killed first.
    pub(crate) fn destroy_queue(&self, id: u32) -> Result<(), Errno> {
        let context = self.context()?;
        let queue = context.find(id)?;
        queue.kill();
        Arc::make_mut(&mut context.queues.lock()).retain(|other| other.id != id);
        Ok(())
    }

    fn start_thread(&self, context: &Arc<Context>) -> Result<(), Errno> {
        let mut worker = Worker::default();
        let looker = Arc::clone(context);
        context.watch.start(format!("emu-cp-{}", context.chip.name), move || {
            let (queues, context) = (looker.queues(), &looker);
            // Not longer than a look: a table holds memory that the program may have given back.
            let mut table = None;
            poll::look(
                &queues,
                |queue| queue.step(context, &mut worker, &mut table),
                |queue, text| queue.fail(context, text),
            )
        })
    }
}

impl CommandProcessor {
    /// Kills what runs, removes all queues and ends the thread.
    pub(crate) fn shut_down(&self) {
        let Some(context) = &self.context else { return };
        let queues = std::mem::take(&mut *context.queues.lock());
        for queue in queues.iter() {
            queue.kill();
        }
        context.watch.shut_down();
    }
}
