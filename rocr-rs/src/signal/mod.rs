//! Signals (`hsa.h` section 2.4): a 64-bit value that hosts and agents change, and that anyone can wait for.

pub(crate) mod async_handler;
mod default;
mod interrupt;
pub(crate) mod orders;
pub(crate) mod pool;
mod share;
mod sleepers;
mod wait_any;

use std::{
    fmt,
    mem::offset_of,
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU32, Ordering, fence},
    },
    time::{Duration, Instant},
};

use hsa_sys::{
    AmdSignal, DispatchTime, SHARED_SIGNAL_ID, SharedSignal, SignalCondition, SignalHandle, WaitState,
};
use thunk_rs::Event;
pub use wait_any::SignalWait;
use zerocopy::IntoBytes;

use crate::{Agent, Error, Runtime, core::Core};

/// How long a waiter that may sleep looks at the value first.
const SPIN_BLOCKED: Duration = Duration::from_micros(20);
/// How long a waiter that asked to stay awake does.
const SPIN_ACTIVE: Duration = Duration::from_micros(200);

/// How a waiter learns of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SignalKind {
    /// By looking. The cheapest to create, and for the device to change.
    Default,
    /// By an event of the driver: waiters sleep.
    Interrupt,
}

/// A signal. Cloning is cheap; the signal goes when the last clone does, so keep one while a packet that names it is
/// not complete.
#[derive(Clone)]
pub struct Signal {
    inner: Arc<Inner>,
}

struct Inner {
    core: Arc<Core>,
    slot: pool::Slot,
    /// Other processes may have it too: it lies in memory of its own.
    shared: bool,
    event: Option<Event>,
    /// Whose clock the times of a copy are in: 0 for the host's, else the agent's index and one.
    copy_agent: AtomicU32,
    /// Threads that sleep on the event: a host that changes the value sets the event only when there are some.
    waiters: AtomicU32,
}

impl Drop for Inner {
    fn drop(&mut self) {
        if self.shared {
            return;
        }
        let kind = self.slot.slab.i64_at(self.slot.offset + offset_of!(AmdSignal, kind));
        kind.store(hsa_sys::SignalKind::INVALID.0, Ordering::Relaxed);
        if let Some(event) = self.event.take() {
            self.core.events.put(event);
        }
        self.core.signals.put(self.slot.clone());
    }
}

impl Signal {
    /// A signal with value `initial`. When the driver has no more events (KFD: 4096), an interrupt signal is made
    /// that its waiters poll.
    pub fn new(runtime: &Arc<Runtime>, initial: i64, kind: SignalKind) -> Result<Self, Error> {
        // Without interrupts the program's signals are all of the kind that one looks at.
        let kind = if runtime.core.environment.interrupts { kind } else { SignalKind::Default };
        Self::with_core(&runtime.core, initial, kind)
    }

    pub(crate) fn with_core(core: &Arc<Core>, initial: i64, kind: SignalKind) -> Result<Self, Error> {
        let slot = core.signals.take(core)?;
        let event = match kind {
            SignalKind::Default => None,
            SignalKind::Interrupt => core.events.take(core),
        };
        Ok(Self::in_slot(core, slot, initial, event, false))
    }

    /// Makes a slot's memory a signal.
    fn in_slot(core: &Arc<Core>, slot: pool::Slot, initial: i64, event: Option<Event>, shared: bool) -> Self {
        let (event_mailbox_ptr, event_id) = event.as_ref().map_or((0, 0), |e| (e.mailbox_va(), e.id()));
        let content = SharedSignal {
            amd_signal: AmdSignal {
                kind: hsa_sys::SignalKind::USER,
                value: initial,
                event_mailbox_ptr,
                event_id,
                ..Default::default()
            },
            id: SHARED_SIGNAL_ID,
            ..Default::default()
        };
        slot.slab.write_bytes(slot.offset, content.as_bytes());
        fence(Ordering::Release);
        Self::of_slot(core, slot, event, shared)
    }

    /// The signal that a slot's memory is.
    fn of_slot(core: &Arc<Core>, slot: pool::Slot, event: Option<Event>, shared: bool) -> Self {
        let core = core.clone();
        Self {
            inner: Arc::new(Inner {
                core,
                slot,
                shared,
                event,
                copy_agent: AtomicU32::new(0),
                waiters: AtomicU32::new(0),
            }),
        }
    }

    /// What packets and kernels are given.
    pub fn handle(&self) -> SignalHandle {
        SignalHandle(self.inner.slot.va())
    }

    /// Whether waiters sleep.
    pub fn kind(&self) -> SignalKind {
        if self.inner.event.is_some() { SignalKind::Interrupt } else { SignalKind::Default }
    }

    fn value(&self) -> &AtomicI64 {
        self.inner.slot.slab.i64_at(self.inner.slot.offset + offset_of!(AmdSignal, value))
    }

    /// The value. Orders that loads do not have count as the next stronger one.
    pub fn load(&self, order: Ordering) -> i64 {
        self.value().load(orders::load(order))
    }

    /// Sets the value and wakes waiters. Orders that stores do not have count as the next stronger one.
    pub fn store(&self, value: i64, order: Ordering) {
        self.silent_store(value, order);
        self.wake();
    }

    /// Sets the value without waking waiters that sleep.
    pub fn silent_store(&self, value: i64, order: Ordering) {
        self.value().store(value, orders::store(order));
    }

    /// Adds, and returns the value from before.
    pub fn add(&self, value: i64, order: Ordering) -> i64 {
        self.update(|v| v.fetch_add(value, order))
    }

    /// Subtracts, and returns the value from before.
    pub fn sub(&self, value: i64, order: Ordering) -> i64 {
        self.update(|v| v.fetch_sub(value, order))
    }

    /// Bitwise and; returns the value from before.
    pub fn and(&self, value: i64, order: Ordering) -> i64 {
        self.update(|v| v.fetch_and(value, order))
    }

    /// Bitwise or; returns the value from before.
    pub fn or(&self, value: i64, order: Ordering) -> i64 {
        self.update(|v| v.fetch_or(value, order))
    }

    /// Bitwise exclusive or; returns the value from before.
    pub fn xor(&self, value: i64, order: Ordering) -> i64 {
        self.update(|v| v.fetch_xor(value, order))
    }

    /// Sets the value, and returns the one from before.
    pub fn exchange(&self, value: i64, order: Ordering) -> i64 {
        self.update(|v| v.swap(value, order))
    }

    /// Sets the value if it is `expected`; returns the one from before.
    pub fn cas(&self, expected: i64, value: i64, order: Ordering) -> i64 {
        let failure = orders::load(order);
        self.update(|v| v.compare_exchange(expected, value, order, failure).unwrap_or_else(|seen| seen))
    }

    fn update(&self, change: impl FnOnce(&AtomicI64) -> i64) -> i64 {
        let before = change(self.value());
        self.wake();
        before
    }

    /// Waits until `condition` holds against `compare`, or `timeout` is over (`None`: no end), and returns the value
    /// seen last, with acquire order.
    pub fn wait(
        &self,
        condition: SignalCondition,
        compare: i64,
        timeout: Option<Duration>,
        hint: WaitState,
    ) -> i64 {
        let value = self.load(Ordering::Acquire);
        if condition.holds(value, compare) {
            return value;
        }
        let start = Instant::now();
        let deadline = timeout.and_then(|timeout| start.checked_add(timeout));
        let spin = if hint == WaitState::ACTIVE { SPIN_ACTIVE } else { SPIN_BLOCKED };
        let wait = Wait { condition, compare, deadline, spin_until: start + spin };
        let value = match &self.inner.event {
            Some(event) => interrupt::wait(self, event, &wait),
            None => default::wait(self, &wait),
        };
        if tracing::enabled!(target: "hsa", tracing::Level::INFO) {
            let (signal, nanos) =
                (self.handle().0, u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX));
            tracing::info!(target: "hsa", step = "wait", signal, ?condition, compare, value, nanos);
        }
        value
    }

    /// When the packet that this signal completed ran, in the runtime's clock; zeros when its queue does not profile.
    pub fn dispatch_time(&self, agent: &Agent) -> DispatchTime {
        let at =
            |offset| self.inner.slot.slab.u64_at(self.inner.slot.offset + offset).load(Ordering::Acquire);
        let (start, end) = (at(offset_of!(AmdSignal, start_ts)), at(offset_of!(AmdSignal, end_ts)));
        if start == 0 && end == 0 {
            return DispatchTime::default();
        }
        DispatchTime { start: agent.to_system_time(start), end: agent.to_system_time(end) }
    }
}

impl Signal {
    /// Address of the value, for those who look at it themselves.
    pub fn value_va(&self) -> u64 {
        self.handle().0 + offset_of!(AmdSignal, value) as u64
    }

    /// When the copy that this signal completed ran, in the runtime's clock; zeros when copies are not timed
    /// (`hsa_amd_profiling_get_async_copy_time`).
    pub fn copy_time(&self) -> DispatchTime {
        let at =
            |offset| self.inner.slot.slab.u64_at(self.inner.slot.offset + offset).load(Ordering::Acquire);
        let time = DispatchTime {
            start: at(offset_of!(SharedSignal, sdma_start_ts)),
            end: at(offset_of!(SharedSignal, sdma_end_ts)),
        };
        let Some(agent) = (self.inner.copy_agent.load(Ordering::Acquire) as usize).checked_sub(1) else {
            return time;
        };
        let core = &self.inner.core;
        let to_system = |ticks| core.clocks[agent].to_system(&core.thunk, &core.agents[agent], ticks);
        DispatchTime { start: to_system(time.start), end: to_system(time.end) }
    }

    /// Where an engine of an agent puts the times of a copy, in its clock: begin and end.
    pub(crate) fn copy_stamps(&self) -> (u64, u64) {
        let at = |offset: usize| self.handle().0 + offset as u64;
        (at(offset_of!(SharedSignal, sdma_start_ts)), at(offset_of!(SharedSignal, sdma_end_ts)))
    }

    /// Notes whose clock they are in.
    pub(crate) fn note_copy_agent(&self, agent: Option<usize>) {
        let index = agent.map_or(0, |agent| agent as u32 + 1);
        self.inner.copy_agent.store(index, Ordering::Release);
    }

    /// Mailbox and number of the event that a device tells a change by.
    pub(crate) fn mailbox(&self) -> Option<(u64, u32)> {
        self.inner.event.as_ref().map(|event| (event.mailbox_va(), event.id()))
    }

    /// Notes when a copy ran; before the signal tells that it is done.
    pub fn set_copy_time(&self, time: DispatchTime) {
        self.note_copy_agent(None);
        let put = |offset, value| {
            self.inner.slot.slab.u64_at(self.inner.slot.offset + offset).store(value, Ordering::Release);
        };
        put(offset_of!(SharedSignal, sdma_start_ts), time.start);
        put(offset_of!(SharedSignal, sdma_end_ts), time.end);
    }
}

/// What a waiter waits for.
struct Wait {
    condition: SignalCondition,
    compare: i64,
    deadline: Option<Instant>,
    spin_until: Instant,
}

impl Wait {
    /// The value when it meets the condition, or `Err` with the value when it does not.
    fn check(&self, signal: &Signal) -> Result<i64, i64> {
        let value = signal.load(Ordering::Acquire);
        if self.condition.holds(value, self.compare) { Ok(value) } else { Err(value) }
    }
    /// Time left; `None` when there is no deadline.
    fn left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}

impl fmt::Debug for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signal({:#x}, {:?}, value {})", self.handle().0, self.kind(), self.load(Ordering::Relaxed))
    }
}
