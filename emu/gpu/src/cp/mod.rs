//! The command processor: one thread a device that reads AQL packets from the rings of all queues.
//!
//! A queue is worked through in order, one packet at a time; queues do not wait for each other. Doorbells are hints:
//! what counts are the write index and the packet headers in memory, which the thread looks at while there is work and
//! then ever more rarely. Nothing runs while no queue exists.

mod aql;
mod dispatch;
mod queue;
mod signal;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use amd_codeobj::{Generation, Isa};
use amdgpu_isa::{CodeCache, Gen};
use crossbeam_utils::sync::{Parker, Unparker};
use kfd_sys::{Errno, WaveReport};
use parking_lot::Mutex;

use crate::chips::Chip;
use crate::events::Events;
use crate::exec::{Worker, Workers};
use crate::vm::Vm;

pub(crate) use queue::{Queue, QueueSpec, Ring, Step};

/// Doorbells of one process on one device.
const DOORBELLS: u32 = 1024;
/// How long the thread looks on after the last packet before it sleeps.
const LOOK_ON: Duration = Duration::from_micros(60);
/// Sleep between looks: first and longest, for idle queues and for queues that wait for a value in memory.
const IDLE_NAP: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(50));
const WAITING_NAP: (Duration, Duration) = (Duration::from_micros(20), Duration::from_millis(1));
/// Most packets taken from one queue before the next has its turn.
const BATCH: u32 = 32;

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
    /// The wave that last stopped a queue.
    pub(crate) wave_report: Mutex<Option<WaveReport>>,
    /// Replaced as a whole when it changes.
    queues: Mutex<Arc<Vec<Arc<Queue>>>>,
    asleep: AtomicBool,
    stop: AtomicBool,
    unparker: Unparker,
}

impl Context {
    /// Makes the thread look at its queues now, if it sleeps.
    pub(crate) fn wake(&self) {
        // Orders what the caller wrote (an index, a doorbell) before the look at the flag.
        fence(Ordering::SeqCst);
        if self.asleep.load(Ordering::Relaxed) && self.asleep.swap(false, Ordering::SeqCst) {
            self.unparker.unpark();
        }
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
    parker: Mutex<Option<Parker>>,
    thread: Mutex<Option<JoinHandle<()>>>,
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
        let parker = Parker::new();
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
                wave_report: Mutex::default(),
                queues: Mutex::default(),
                asleep: AtomicBool::new(false),
                stop: AtomicBool::new(false),
                unparker: parker.unparker().clone(),
            })
        });
        CommandProcessor { context, parker: Mutex::new(Some(parker)), thread: Mutex::new(None) }
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

    pub(crate) fn queue_count(&self) -> usize {
        self.context.as_ref().map_or(0, |context| context.queues().len())
    }

    pub(crate) fn has_queue(&self, id: u32) -> bool {
        self.context.as_ref().is_some_and(|context| context.find(id).is_ok())
    }

    /// Adds a queue and returns the number of its doorbell.
    pub(crate) fn create_queue(&self, spec: QueueSpec) -> Result<u32, Errno> {
        let context = self.context()?;
        self.start_thread(context)?;
        let mut queues = context.queues.lock();
        let free = (0..DOORBELLS).find(|n| queues.iter().all(|queue| queue.doorbell != *n));
        let doorbell = free.ok_or(Errno::ENOSPC)?;
        Arc::make_mut(&mut queues).push(Arc::new(Queue::new(spec, doorbell)));
        drop(queues);
        context.wake();
        Ok(doorbell)
    }

    pub(crate) fn update_queue(&self, id: u32, ring: Option<Ring>, enabled: bool) -> Result<(), Errno> {
        let context = self.context()?;
        context.find(id)?.update(ring, enabled);
        context.wake();
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
        let mut thread = self.thread.lock();
        if thread.is_some() {
            return Ok(());
        }
        // Not EAGAIN: callers of KFD try again on that for ever, and a second try has no parker left.
        let parker = self.parker.lock().take().ok_or(Errno::ENOMEM)?;
        let context = Arc::clone(context);
        let name = format!("emu-cp-{}", context.chip.name);
        let started = std::thread::Builder::new().name(name).spawn(move || run(&context, &parker));
        *thread = Some(started.map_err(|_| Errno::ENOMEM)?);
        Ok(())
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
        context.stop.store(true, Ordering::SeqCst);
        context.unparker.unpark();
        if let Some(thread) = self.thread.lock().take() {
            // A panic of that thread was printed where it happened.
            let _ = thread.join();
        }
    }
}

/// The most urgent of what the queues said.
fn look(context: &Arc<Context>, worker: &mut Worker) -> Step {
    let queues = context.queues();
    let mut most = Step::Idle;
    for queue in queues.iter() {
        for _ in 0..BATCH {
            let step = queue.step(context, worker);
            most = most.max(step);
            if step != Step::Progress {
                break;
            }
        }
    }
    most
}

fn run(context: &Arc<Context>, parker: &Parker) {
    let mut worker = Worker::default();
    let mut last_work = Instant::now();
    let mut nap = Duration::ZERO;
    while !context.stop.load(Ordering::SeqCst) {
        if look(context, &mut worker) == Step::Progress {
            last_work = Instant::now();
            nap = Duration::ZERO;
            continue;
        }
        if last_work.elapsed() < LOOK_ON {
            std::thread::yield_now();
            continue;
        }
        // Whoever writes an index after this look sees that the thread sleeps, and wakes it.
        context.asleep.store(true, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        let step = look(context, &mut worker);
        if step == Step::Progress {
            context.asleep.store(false, Ordering::SeqCst);
            continue;
        }
        let (first, longest) = if step == Step::Waiting { WAITING_NAP } else { IDLE_NAP };
        nap = (nap * 2).clamp(first, longest);
        if context.queues().is_empty() {
            parker.park();
        } else {
            parker.park_timeout(nap);
        }
        if !context.asleep.swap(false, Ordering::SeqCst) {
            // Someone woke the thread: there is work, or there will be.
            last_work = Instant::now();
            nap = Duration::ZERO;
        }
    }
}
