//! A lane: one hardware queue, its order, and what keeps alive what is on it.
//!
//! Every packet waits for those before it (barrier bit), so that packets complete in the order of their tickets. One
//! signal counts them: it starts at a large number and each completion takes one away. The host knows from it how far
//! the lane is, and no launch needs a signal of its own.

use crate::device::Device;
use crate::error::{Result, of_queue, readable, report, reported};
use crate::kernarg::KernargRing;
use crate::launch::Kernel;
use crate::launch::gws::{self, WaveSyncSetup};
use crate::marker::Marker;
use hip_sys::hipError_t;
use parking_lot::Mutex;
use rocr_rs::{
    BarrierPacket, FenceScope, Header, KernelDispatchPacket, PacketType, Queue, QueueError, QueueErrorKind,
    QueueKind, Signal, SignalCondition, SignalKind, WaitState,
};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

const START: i64 = 1 << 62;
/// A value below every ticket's: what a broken lane's signal is set to, so that nobody waits for it.
const BROKEN: i64 = -1;
const PACKETS: u32 = 4096;
/// Steps of a wait after which a program that has come to its end says what it waits for.
const STEPS_OF_PATIENCE: u32 = 8;

/// One hardware queue.
pub struct Lane {
    device: Weak<Device>,
    queue: OnceLock<Arc<Queue>>,
    timeline: Signal,
    inner: Mutex<Inner>,
    broken: AtomicBool,
    failure: OnceLock<hipError_t>,
    profiling: AtomicBool,
    /// Of the lane for kernels whose work-groups wait for each other.
    meetings: Option<WaveSyncSetup>,
}

#[derive(Default)]
struct Inner {
    issued: u64,
    kernargs: KernargRing,
    held: VecDeque<(u64, Held)>,
}

/// What a packet needs until it is done.
enum Held {
    Kernel(Arc<Kernel>),
    /// Nothing but what the lane itself has.
    Nothing,
    /// A marker that the packet reaches.
    Own(Arc<Marker>),
    /// A marker that the packet waits for; held so that its signal is not used again before.
    Dependency(#[expect(dead_code, reason = "held, not read")] Arc<Marker>),
}

impl Lane {
    /// A lane of its own queue.
    pub fn new(device: &Arc<Device>) -> Result<Arc<Self>> {
        Self::build(device, None)
    }

    /// The lane for kernels whose work-groups wait for each other. The driver gives one queue of a process what they meet at.
    pub fn cooperative(device: &Arc<Device>) -> Result<Arc<Self>> {
        Self::build(device, Some(WaveSyncSetup::new(device)?))
    }

    fn build(device: &Arc<Device>, meetings: Option<WaveSyncSetup>) -> Result<Arc<Self>> {
        let timeline = Signal::new(device.agent.runtime(), START, SignalKind::Interrupt)
            .map_err(|error| reported("signal of a stream", &error))?;
        let lane = Arc::new(Self {
            device: Arc::downgrade(device),
            queue: OnceLock::new(),
            timeline,
            inner: Mutex::default(),
            broken: AtomicBool::new(false),
            failure: OnceLock::new(),
            profiling: AtomicBool::new(false),
            meetings,
        });
        let weak = Arc::downgrade(&lane);
        let kind = if lane.is_cooperative() { QueueKind::Cooperative } else { QueueKind::Multi };
        let queue = Queue::create(&device.agent, PACKETS, kind, move |error| {
            if let Some(lane) = weak.upgrade() {
                lane.queue_stopped(error);
            }
        })
        .map_err(|error| reported("queue of a stream", &error))?;
        let _ = lane.queue.set(queue);
        Ok(lane)
    }

    fn queue(&self) -> &Arc<Queue> {
        // Set before the lane leaves `new`.
        self.queue.get().expect("a lane has its queue")
    }

    /// Whether work-groups can wait for each other here.
    pub fn is_cooperative(&self) -> bool {
        self.meetings.is_some()
    }

    /// Lets another lane be the cooperative one.
    pub fn release_meetings(&self) {
        if let Err(error) = self.queue().release_wave_sync() {
            report(&error);
        }
    }

    /// How many packets are done.
    pub fn completed(&self) -> u64 {
        if self.broken.load(Ordering::Acquire) {
            return u64::MAX;
        }
        START.saturating_sub(self.timeline.load(Ordering::Acquire)).max(0) as u64
    }

    /// Waits until the packet of a ticket is done, or the lane is broken.
    pub fn wait(&self, ticket: u64) {
        let compare = START - i64::try_from(ticket).unwrap_or(START) + 1;
        let step = Duration::from_millis(500);
        let mut steps = 0;
        while !self.broken.load(Ordering::Acquire)
            && self.timeline.wait(SignalCondition::LT, compare, Some(step), WaitState::BLOCKED) >= compare
        {
            steps += 1;
            if steps == STEPS_OF_PATIENCE && crate::state::state().is_ending() {
                let name = self.current_kernel(None).map_or_else(String::new, |kernel| describe(&kernel));
                report(format_args!(
                    "{name}it still runs although the program has come to its end, which waits for it; a signal (Ctrl-C) \
                     ends both"
                ));
            }
            // A queue that stopped and whose handler said nothing yet.
            if let Some(error) = self.queue().error() {
                std::thread::sleep(Duration::from_millis(100));
                if !self.broken.load(Ordering::Acquire) {
                    self.queue_failed(&error);
                }
            }
        }
    }

    /// Whether the lane takes no more packets.
    pub fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Acquire)
    }

    /// The error that its work ended with. A lane that had no work when the device failed is broken and has none.
    pub fn failure(&self) -> Option<hipError_t> {
        if self.is_broken() { self.failure.get().copied() } else { None }
    }

    /// Switches time stamps of completions on.
    pub fn profile(&self) {
        if !self.profiling.swap(true, Ordering::Relaxed) {
            self.queue().set_profiling(true);
        }
    }

    /// Submits a kernel: `build` is given the address of its arguments' memory and returns the packet. `meeting` is how
    /// many work-groups it has, if they wait for each other: on a cooperative lane. Returns the ticket.
    pub fn dispatch(
        &self,
        kernel: &Arc<Kernel>,
        meeting: Option<u32>,
        kernarg_bytes: usize,
        build: impl FnOnce(u64, u64) -> KernelDispatchPacket,
    ) -> Result<u64> {
        let mut inner = self.inner.lock();
        if let Some((setup, groups)) = self.meetings.as_ref().zip(meeting) {
            let kernarg = self.kernarg(&mut inner, gws::KERNARG_BYTES)?;
            self.submit_kernel(&mut inner, setup.packet(kernarg, groups), Held::Nothing)?;
        }
        let kernarg = self.kernarg(&mut inner, kernarg_bytes)?;
        let packet = build(kernarg, self.queue().handle().0);
        self.submit_kernel(&mut inner, packet, Held::Kernel(kernel.clone()))
    }

    /// Memory for the arguments of the next packet.
    fn kernarg(&self, inner: &mut Inner, bytes: usize) -> Result<u64> {
        let (agent, ticket) = (self.queue().agent(), inner.issued + 1);
        inner.kernargs.allocate(agent, bytes, ticket, || self.completed(), |ticket| self.wait(ticket))
    }

    fn submit_kernel(&self, inner: &mut Inner, mut packet: KernelDispatchPacket, held: Held) -> Result<u64> {
        packet.header =
            Header::new(PacketType::KERNEL_DISPATCH, true, FenceScope::SYSTEM, FenceScope::SYSTEM);
        packet.completion_signal = self.timeline.handle();
        self.submit(inner, packet, held)
    }

    /// Submits a barrier that waits for markers, at most five.
    pub fn barrier(&self, markers: &[Arc<Marker>]) -> Result<u64> {
        let mut inner = self.inner.lock();
        let mut ticket = inner.issued;
        for group in markers.chunks(5) {
            let mut packet = barrier_packet();
            for (slot, marker) in packet.dep_signal.iter_mut().zip(group) {
                *slot = marker.handle();
            }
            packet.completion_signal = self.timeline.handle();
            let mut group = group.iter();
            let Some(first) = group.next() else { continue };
            ticket = self.submit(&mut inner, packet, Held::Dependency(first.clone()))?;
            inner.held.extend(group.map(|marker| (ticket, Held::Dependency(marker.clone()))));
        }
        Ok(ticket)
    }

    /// Submits a barrier that reaches `marker` once everything before it is done.
    pub fn mark(&self, marker: &Arc<Marker>) -> Result {
        let mut inner = self.inner.lock();
        let mut packet = barrier_packet();
        packet.completion_signal = marker.handle();
        self.queue().submit(packet).map_err(|error| self.refused(&error))?;
        let ticket = inner.issued;
        inner.held.push_back((ticket, Held::Own(marker.clone())));
        Ok(())
    }

    fn submit(&self, inner: &mut Inner, packet: impl Into<rocr_rs::Packet>, held: Held) -> Result<u64> {
        let completed = self.completed();
        while inner.held.front().is_some_and(|(ticket, held)| {
            *ticket <= completed && !matches!(held, Held::Own(marker) if !marker.is_reached())
        }) {
            inner.held.pop_front();
        }
        self.queue().submit(packet).map_err(|error| self.refused(&error))?;
        inner.issued += 1;
        inner.held.push_back((inner.issued, held));
        Ok(inner.issued)
    }

    fn refused(&self, error: &rocr_rs::Error) -> hipError_t {
        self.failure().unwrap_or_else(|| crate::error::of_runtime(error))
    }

    /// The kernel that the lane was at.
    fn current_kernel(&self, kernel_object: Option<u64>) -> Option<Arc<Kernel>> {
        let inner = self.inner.try_lock_for(Duration::from_secs(1))?;
        let done = START.saturating_sub(self.timeline.load(Ordering::Acquire)).max(0) as u64;
        let mut waiting =
            inner.held.iter().filter(|(ticket, _)| *ticket > done).filter_map(|(_, held)| match held {
                Held::Kernel(kernel) => Some(kernel),
                Held::Own(_) | Held::Dependency(_) | Held::Nothing => None,
            });
        match kernel_object {
            Some(object) => waiting.find(|kernel| kernel.object == object).cloned(),
            None => waiting.next().cloned(),
        }
    }

    /// The queue's error handler.
    fn queue_stopped(&self, error: &QueueError) {
        // The runtime's fault handler knows the address, and comes for every memory fault.
        if error.kind == QueueErrorKind::MemoryFault {
            return;
        }
        self.queue_failed(error);
    }

    fn queue_failed(&self, error: &QueueError) {
        let kernel = self.current_kernel(Some(error.kernel_object)).or_else(|| self.current_kernel(None));
        let name = kernel.as_ref().map_or_else(String::new, |kernel| describe(kernel));
        let hint = match (&kernel, self.device.upgrade()) {
            (Some(kernel), Some(device))
                if error.kind == QueueErrorKind::ApertureViolation && kernel.dynamic_stack =>
            {
                let stack = device.settings.lock().stack.max(kernel.private_bytes as usize);
                format!(
                    "; the kernel recurses or calls through pointers and has a stack of {stack} bytes: \
                     hipDeviceSetLimit(hipLimitStackSize, …) gives it more"
                )
            }
            _ => String::new(),
        };
        let asserted = self.device.upgrade().is_some_and(|device| device.take_assertion());
        let code =
            if error.kind == QueueErrorKind::Trap && asserted { hipError_t::ASSERT } else { of_queue(error) };
        report(format_args!("{name}{error}{hint}; the next synchronise returns {code:?}"));
        self.break_with(code);
    }

    /// A memory fault of the device: every lane with work in flight stops.
    pub fn faulted(&self, fault: &rocr_rs::Fault) -> bool {
        if self.broken.load(Ordering::Acquire) {
            return false;
        }
        if self.is_idle() {
            self.stop();
            return false;
        }
        let kernel = self.current_kernel(None);
        let code = match fault.kind {
            rocr_rs::FaultKind::Memory { .. } => hipError_t::ILLEGAL_ADDRESS,
            rocr_rs::FaultKind::Hardware { .. } => hipError_t::LAUNCH_FAILURE,
        };
        if let Some(kernel) = &kernel {
            report(format_args!("{}{fault}; the next synchronise returns {code:?}", describe(kernel)));
        }
        self.break_with(code);
        kernel.is_some()
    }

    fn is_idle(&self) -> bool {
        self.inner.try_lock_for(Duration::from_secs(1)).is_some_and(|inner| {
            inner.issued <= self.completed()
                && inner
                    .held
                    .iter()
                    .all(|(_, held)| !matches!(held, Held::Own(marker) if !marker.is_reached()))
        })
    }

    fn break_with(&self, code: hipError_t) {
        let _ = self.failure.set(code);
        self.stop();
    }

    fn stop(&self) {
        self.broken.store(true, Ordering::Release);
        self.timeline.store(BROKEN, Ordering::Release);
        // Whoever waits for a marker of this lane must not wait for ever.
        if let Some(mut inner) = self.inner.try_lock_for(Duration::from_secs(1)) {
            for (_, held) in inner.held.drain(..) {
                if let Held::Own(marker) = held {
                    marker.fail(self.failure.get().copied());
                }
            }
        }
    }
}

fn describe(kernel: &Kernel) -> String {
    let name = readable(&kernel.name);
    if name == kernel.name {
        format!("kernel `{name}`: ")
    } else {
        format!("kernel `{name}` ({}): ", kernel.name)
    }
}

fn barrier_packet() -> BarrierPacket {
    BarrierPacket {
        header: Header::new(PacketType::BARRIER_AND, true, FenceScope::SYSTEM, FenceScope::SYSTEM),
        ..BarrierPacket::default()
    }
}
