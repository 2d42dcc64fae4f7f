//! One kernel dispatch: what its packet and descriptor, or registers, say, how far it is, and how it failed.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use amd_codeobj::KernelDescriptor;
use amdgpu_isa::{Access, GlobalWaveSync, Trap, TrapKind};
use hsa_sys::QueueInactive;
use kfd_sys::WaveReport;
use kfd_sys::event::{MemoryExceptionData, MemoryExceptionFailure};
use parking_lot::{Condvar, Mutex};

use super::progress::{Progress, Work};
use crate::Options;
use crate::counters::{self, DispatchCounters};
use crate::cp::{Context, Queue};
use crate::kfd::GPUVM_BASE;
use crate::vm::PAGE;
use crate::vm::guard::HostFault;

/// Scratch memory of a queue, cut into one slot a wave.
#[derive(Debug)]
pub(crate) struct Scratch {
    pub(crate) base: u64,
    pub(crate) wave_bytes: u64,
    pub(crate) slots: u32,
}

/// What a dispatch is to run.
#[derive(Debug)]
pub(crate) struct Launch {
    /// Number of its packet in the queue.
    pub(crate) index: u64,
    /// Address of the kernel descriptor; 0 where registers say what it would.
    pub(crate) kernel_object: u64,
    /// Signal to complete; 0 for none.
    pub(crate) completion_signal: u64,
    pub(crate) descriptor: KernelDescriptor,
    /// User SGPRs, the same for all waves.
    pub(crate) user_sgprs: Vec<u32>,
    /// Address of the kernel's code.
    pub(crate) entry: u64,
    /// Address of the first instruction to run.
    pub(crate) start: u64,
    /// Bytes of LDS of a work-group.
    pub(crate) lds_bytes: u32,
    /// Work-items of a whole work-group.
    pub(crate) workgroup: [u32; 3],
    /// Where the grid ends, in work-items.
    pub(crate) grid: [u32; 3],
    /// Position of the first work-group.
    pub(crate) first: [u32; 3],
    /// Work-groups of the grid.
    pub(crate) groups: [u32; 3],
    /// Their number.
    pub(crate) total: u64,
    pub(crate) scratch: Option<Scratch>,
}

impl Launch {
    /// Position of the `n`-th work-group in the grid.
    pub(crate) fn group(&self, n: u64) -> [u32; 3] {
        let [x, y, _] = self.groups.map(u64::from);
        let [first_x, first_y, first_z] = self.first;
        [first_x + (n % x) as u32, first_y + (n / x % y) as u32, first_z + (n / x / y) as u32]
    }

    /// Work-items of the work-group at a position: fewer at the far edges of the grid.
    pub(crate) fn group_size(&self, group: [u32; 3]) -> [u32; 3] {
        std::array::from_fn(|side| {
            let start = group[side].saturating_mul(self.workgroup[side]);
            self.workgroup[side].min(self.grid[side].saturating_sub(start))
        })
    }
}

/// Why a dispatch failed, in the form in which the queue reports it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Failure {
    /// A memory fault: to the process's memory events.
    Memory(MemoryExceptionData),
    /// Anything else: to the queue's inactive signal.
    Queue(QueueInactive),
}

/// What made a queue stop, for people.
#[derive(Debug, Clone)]
pub(crate) enum Cause {
    /// A wave that cannot go on.
    Wave(WaveReport),
    /// Something else.
    Other(String),
}

/// A kernel dispatch under way.
pub(crate) struct Dispatch {
    pub(crate) context: Arc<Context>,
    pub(crate) launch: Launch,
    /// What its work-groups can meet at, if its queue has it.
    pub(crate) gws: Option<Arc<GlobalWaveSync>>,
    progress: Progress,
    killed: AtomicBool,
    done: AtomicBool,
    failure: Mutex<Option<(Failure, Cause)>>,
    free_slots: Mutex<Vec<u32>>,
    ended: (Mutex<()>, Condvar),
    queue: OnceLock<Weak<Queue>>,
    /// Whether somebody wants to know what its instructions were.
    pub(crate) counted: bool,
    begun: u64,
}

impl Dispatch {
    pub(crate) fn new(context: Arc<Context>, launch: Launch, gws: Option<Arc<GlobalWaveSync>>) -> Dispatch {
        let (generation, descriptor) = (context.generation, &launch.descriptor);
        let chip = context.chip;
        let size: u32 = launch.workgroup.iter().product();
        let waves = size.div_ceil(descriptor.wave_size(generation)).max(1);
        let waves_per_cu = chip.max_waves_per_simd * chip.simd_per_cu;
        let by_waves = (waves_per_cu / waves).max(1);
        let lds = launch.lds_bytes;
        let by_lds = chip.lds_bytes().checked_div(lds).unwrap_or(u32::MAX).max(1);
        let by_scratch = launch.scratch.as_ref().map_or(u32::MAX, |scratch| scratch.slots / waves);
        let most_resident = (by_waves.min(by_lds) * chip.compute_units()).min(by_scratch).max(1);
        let slots = launch.scratch.as_ref().map_or(0, |scratch| scratch.slots.min(most_resident * waves));
        Dispatch {
            progress: Progress::new(launch.total, most_resident),
            killed: AtomicBool::new(false),
            done: AtomicBool::new(false),
            failure: Mutex::new(None),
            free_slots: Mutex::new((0..slots).rev().collect()),
            ended: (Mutex::new(()), Condvar::new()),
            queue: OnceLock::new(),
            counted: context.workers.counters || counters::somebody_listens(),
            begun: crate::clock::monotonic_nanos(),
            context,
            launch,
            gws,
        }
    }

    /// Names the queue that is told when the dispatch is over.
    pub(crate) fn set_queue(&self, queue: Weak<Queue>) {
        let _ = self.queue.set(queue);
    }

    pub(crate) fn completion_signal(&self) -> u64 {
        self.launch.completion_signal
    }

    pub(crate) fn is_done(&self) -> bool {
        self.done.load(Ordering::Acquire)
    }

    pub(crate) fn is_killed(&self) -> bool {
        self.killed.load(Ordering::Relaxed)
    }

    /// Takes at most `most` work-groups for one of `threads` threads, if there are any and room for them.
    pub(crate) fn take(&self, most: u64, threads: u64) -> Option<Range<u64>> {
        self.progress.take(most, threads)
    }

    /// Can a work-group be taken now?
    pub(crate) fn has_group(&self) -> bool {
        self.progress.has_room()
    }

    /// Work-groups that nobody has taken.
    pub(crate) fn left(&self) -> u64 {
        self.progress.left()
    }

    /// A scratch slot for a wave. `take` has made sure that there are enough.
    pub(crate) fn take_slot(&self) -> Option<u32> {
        self.launch.scratch.as_ref()?;
        self.free_slots.lock().pop()
    }

    pub(crate) fn release_slot(&self, slot: Option<u32>) {
        if let Some(slot) = slot {
            self.free_slots.lock().push(slot);
        }
    }

    /// Accounts for work-groups that are over, and gives back those of a batch that were not started.
    pub(crate) fn settle(&self, work: &Work, rest: Range<u64>) {
        if self.progress.settle(work, rest) {
            self.over();
        }
    }

    fn over(&self) {
        self.done.store(true, Ordering::Release);
        drop(self.ended.0.lock());
        self.ended.1.notify_all();
        if let Some(queue) = self.queue.get().and_then(Weak::upgrade) {
            queue.finish(&self.context);
        }
        self.context.wake();
    }

    /// Starts no more work-groups; those that run end soon.
    pub(crate) fn kill(&self) {
        self.killed.store(true, Ordering::Relaxed);
        if self.progress.stop() {
            self.over();
        }
    }

    /// Waits until no work-group runs.
    pub(crate) fn wait_done(&self) {
        let mut ended = self.ended.0.lock();
        while !self.is_done() {
            self.ended.1.wait(&mut ended);
        }
    }

    /// A wave stopped with a trap: ends the dispatch. The first one is the one that is told.
    pub(crate) fn fail(&self, trap: &Trap, group: [u32; 3], wave: u32) {
        let mut report = self.report(group, wave, trap.pc, trap.kind.to_string());
        report.lane = trap.lane;
        self.failure.lock().get_or_insert_with(|| (self.failure_of(trap), Cause::Wave(report)));
        self.kill();
    }

    /// A wave touched memory that the host does not have: ends the dispatch. `pc` is where its block begins.
    pub(crate) fn fail_on_host(&self, fault: HostFault, group: [u32; 3], wave: u32, pc: u64) {
        let table = self.context.vm.table();
        let access = if fault.write { "write" } else { "read" };
        let (failure, reason) = match table.user_va(fault.addr) {
            Some(va) => {
                let data = table.fault_of(fault).event_data(self.context.gpu_id);
                let why = match (fault.bus, fault.denied) {
                    (true, _) => "the file behind this memory of the program is shorter now",
                    (_, true) => "the program has protected this memory of its own",
                    (_, false) => "the program has unmapped this memory of its own",
                };
                (Failure::Memory(data), format!("memory fault at {va:#x} ({access}): {why}"))
            }
            // Unmapped from the GPU meanwhile, as well.
            None if !fault.bus && fault.addr >= GPUVM_BASE => {
                let data = table.fault_of(fault).event_data(self.context.gpu_id);
                (Failure::Memory(data), format!("memory fault at {:#x} ({access}): unmapped", fault.addr))
            }
            None => {
                let what = if fault.bus { "the host has no memory for it" } else { "nothing is there" };
                let text =
                    format!("a fault of the emulator at host address {:#x} ({access}): {what}", fault.addr);
                (Failure::Queue(QueueInactive::ILLEGAL_INSTRUCTION), text)
            }
        };
        let report = self.report(group, wave, pc, reason);
        self.failure.lock().get_or_insert((failure, Cause::Wave(report)));
        self.kill();
    }

    fn report(&self, work_group: [u32; 3], wave: u32, pc: u64, reason: String) -> WaveReport {
        let kernel_object = self.launch.kernel_object;
        WaveReport { kernel_object, work_group, wave, lane: None, pc, entry: self.launch.entry, reason }
    }

    /// Whether the dispatch has run for longer than a dispatch may.
    pub(crate) fn is_overdue(&self) -> bool {
        let timeout = self.context.workers.timeout;
        timeout.is_some_and(|timeout| u128::from(self.nanos()) > timeout.as_nanos())
    }

    /// Nanoseconds since the dispatch began.
    fn nanos(&self) -> u64 {
        crate::clock::monotonic_nanos().saturating_sub(self.begun)
    }

    /// Ends the dispatch because it takes too long; the wave is one that still runs.
    pub(crate) fn fail_overdue(&self, group: [u32; 3], wave: u32, pc: u64) {
        let seconds = Duration::from_nanos(self.nanos()).as_secs_f64();
        let reason = format!("still running after {seconds:.1} s, stopped by {}", Options::TIMEOUT);
        let report = self.report(group, wave, pc, reason);
        let failure = Failure::Queue(QueueInactive::DEBUG_TRAP);
        self.failure.lock().get_or_insert((failure, Cause::Wave(report)));
        self.kill();
    }

    /// Ends the dispatch because the device itself cannot go on, not the program.
    pub(crate) fn fail_in_device(&self, bits: QueueInactive, text: String) {
        self.failure.lock().get_or_insert_with(|| (Failure::Queue(bits), Cause::Other(text)));
        self.kill();
    }

    fn failure_of(&self, trap: &Trap) -> Failure {
        match &trap.kind {
            TrapKind::MemoryFault { va, access } => {
                let mapping = self.context.vm.table().find(*va).map(|map| map.rights);
                let fault = MemoryExceptionFailure {
                    not_present: mapping.is_none().into(),
                    read_only: (matches!(access, Access::Write | Access::Atomic)
                        && mapping.is_some_and(|rights| !rights.write))
                    .into(),
                    no_execute: (*access == Access::Execute && mapping.is_some_and(|rights| !rights.execute))
                        .into(),
                    imprecise: 0,
                };
                Failure::Memory(MemoryExceptionData {
                    failure: fault,
                    va: va & !(PAGE - 1),
                    gpu_id: self.context.gpu_id,
                    ..Default::default()
                })
            }
            TrapKind::IllegalInstruction { .. } | TrapKind::NotImplemented { .. } => {
                Failure::Queue(QueueInactive::ILLEGAL_INSTRUCTION)
            }
            TrapKind::OutOfAperture { .. } => Failure::Queue(QueueInactive::APERTURE_VIOLATION),
            _ => Failure::Queue(QueueInactive::DEBUG_TRAP),
        }
    }

    /// How the dispatch failed, if it did.
    pub(crate) fn take_failure(&self) -> Option<(Failure, Cause)> {
        self.failure.lock().take()
    }

    /// Adds the finished dispatch to the device's counters and to the story.
    pub(crate) fn account(&self, context: &Context) {
        let work = self.progress.work();
        let counters = &context.counters;
        counters.dispatches.fetch_add(1, Ordering::Relaxed);
        counters.workgroups.fetch_add(self.launch.total, Ordering::Relaxed);
        counters.waves.fetch_add(work.waves, Ordering::Relaxed);
        counters.instructions.fetch_add(work.instructions, Ordering::Relaxed);
        if !self.counted {
            return;
        }
        let dispatch = DispatchCounters {
            kernel: context.kernel_names.of(&context.vm.table(), self.launch.kernel_object),
            kernel_object: self.launch.kernel_object,
            chip: context.chip.name,
            gpu_id: context.gpu_id,
            queue: self.queue.get().and_then(Weak::upgrade).map_or(0, |queue| queue.id),
            packet: self.launch.index,
            workgroups: self.launch.total,
            waves: work.waves,
            counts: work.counts,
            begun: Duration::from_nanos(self.begun),
            time: Duration::from_nanos(self.nanos()),
        };
        dispatch.tell();
        if context.workers.counters {
            let mut counted = context.counted.lock();
            if counted.len() == counters::MOST_KEPT {
                counted.pop_front();
            }
            counted.push_back(dispatch);
        }
    }
}
