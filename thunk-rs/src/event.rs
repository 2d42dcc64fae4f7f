//! Events: waking a thread when the device says so, and what it says about faults (libhsakmt's `events.c`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kfd_sys::Kfd;
use kfd_sys::event::{
    CreateEventArgs, DestroyEventArgs, EventData, EventType, MemoryError, ResetCause, ResetEventArgs,
    ResetType, SIGNAL_EVENT_LIMIT, SetEventArgs, TIMEOUT_INFINITE, WaitEventsArgs, WaitResult,
};
use kfd_sys::memory::AllocFlags;
use kfd_sys::{DeviceFile, Prot};

use crate::context::Context;
use crate::memory::{Block, Reservation};
use crate::topology::NodeId;
use crate::{Error, Result, Thunk};

/// The page whose slots packets write to. GTT memory of the context, handed to KFD with the first event.
pub(crate) struct EventPage {
    block: Block,
}

impl EventPage {
    fn create(context: &Context) -> Result<EventPage> {
        let gpu = context
            .gpus
            .first()
            .ok_or_else(|| Error::request("create_event", "events need a GPU, and there is none"))?;
        let bytes = u64::from(SIGNAL_EVENT_LIMIT) * 8;
        let flags = AllocFlags::GTT
            | AllocFlags::COHERENT
            | AllocFlags::UNCACHED
            | AllocFlags::NO_SUBSTITUTE
            | AllocFlags::EXECUTABLE
            | AllocFlags::WRITABLE;
        let va = Reservation::reserve(bytes, 4096)?;
        let minor = gpu.render_minor;
        let mut block = Block::create(context, gpu, va, flags, 0, |va, kfd, offset| {
            va.map_device(kfd, DeviceFile::Render(minor), Prot::READ | Prot::WRITE, offset)
        })?;
        let everywhere: Vec<u32> = context.gpus.iter().map(|gpu| gpu.gpu_id).collect();
        if let Err(error) = block.map_to(context, &everywhere) {
            let _ = block.release(&*context.kfd);
            return Err(error);
        }
        Ok(EventPage { block })
    }

    pub(crate) fn release(self, kfd: &dyn Kfd) -> Result<()> {
        self.block.release(kfd)
    }
}

/// An event of the kernel. Dropping it destroys it.
pub struct Event {
    context: Arc<Context>,
    id: u32,
    kind: EventType,
    trigger_data: u32,
    mailbox_va: u64,
    destroyed: AtomicBool,
}

/// Whether one event is enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitFor {
    /// One is enough.
    Any,
    /// All of them.
    All,
}

/// How a wait ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WaitOutcome {
    /// What was waited for came; otherwise time ran out.
    pub complete: bool,
    /// Faults told by events of type [`EventType::MEMORY`].
    pub memory_faults: Vec<MemoryFault>,
    /// Exceptions told by events of type [`EventType::HW_EXCEPTION`].
    pub hw_exceptions: Vec<HwException>,
}

/// A memory access that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryFault {
    /// Which of the events waited for told it.
    pub event: usize,
    /// On which GPU, if it is one of ours.
    pub node: Option<NodeId>,
    /// KFD's number of that GPU.
    pub gpu_id: u32,
    /// Address of the page.
    pub va: u64,
    /// No page there, or one of the supervisor.
    pub not_present: bool,
    /// It was a write, and the page is for reading.
    pub read_only: bool,
    /// It was a fetch of instructions, and the page does not hold any.
    pub no_execute: bool,
    /// The address is not exact.
    pub imprecise: bool,
    /// A memory error, if it was one.
    pub error: MemoryError,
}

impl std::fmt::Display for MemoryFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let about = if self.imprecise { "about " } else { "" };
        write!(f, "memory access fault by GPU {} at {about}{:#x}:", self.gpu_id, self.va)?;
        for (is, word) in [
            (self.not_present, " page not present or supervisor privilege"),
            (self.read_only, " write access to a read-only page"),
            (self.no_execute, " execute access to a no-execute page"),
        ] {
            if is {
                f.write_str(word)?;
            }
        }
        if self.error != MemoryError::NO_RAS {
            write!(f, " memory error {:?}", self.error)?;
        }
        Ok(())
    }
}

/// The GPU was reset, or hit an error that it cannot go on with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HwException {
    /// Which of the events waited for told it.
    pub event: usize,
    /// On which GPU, if it is one of ours.
    pub node: Option<NodeId>,
    /// KFD's number of that GPU.
    pub gpu_id: u32,
    /// What was reset.
    pub reset_type: ResetType,
    /// Why.
    pub reset_cause: ResetCause,
    /// The contents of VRAM are gone.
    pub memory_lost: bool,
}

impl Thunk {
    /// Creates an event. With `auto_reset` a wait that it ends clears it, and only one waiter wakes.
    pub fn create_event(&self, kind: EventType, auto_reset: bool) -> Result<Event> {
        self.create_event_on(kind, auto_reset, None)
    }

    /// Creates an event of a type that belongs to a node.
    pub fn create_event_on(&self, kind: EventType, auto_reset: bool, node: Option<NodeId>) -> Result<Event> {
        let context = &self.context;
        let mut page = context.event_page.lock();
        let mut args = CreateEventArgs {
            event_type: kind,
            auto_reset: u32::from(auto_reset),
            node_id: node.map_or(0, |node| node.0),
            ..Default::default()
        };
        let fresh = if page.is_none() { Some(EventPage::create(context)?) } else { None };
        if let Some(fresh) = &fresh {
            args.event_page_offset = fresh.block.handle();
        }
        let result = context.call(&mut args, |a| {
            format!(
                "{:?}, {}: event {}, slot {}",
                a.event_type,
                if a.auto_reset != 0 { "auto reset" } else { "manual reset" },
                a.event_id,
                a.event_slot_index,
            )
        });
        // KFD takes the page with the first event that it makes: only then it is the page.
        match (result, fresh) {
            (Ok(()), Some(fresh)) => *page = Some(fresh),
            (Ok(()), None) => {}
            (Err(error), fresh) => {
                if let Some(fresh) = fresh {
                    let _ = fresh.release(&*context.kfd);
                }
                return Err(error);
            }
        }
        let base = page.as_ref().map_or(0, |page| page.block.va());
        let slot = args.event_slot_index.min(SIGNAL_EVENT_LIMIT - 1);
        Ok(Event {
            context: Arc::clone(context),
            id: args.event_id,
            kind,
            trigger_data: args.event_trigger_data,
            mailbox_va: base + 8 * u64::from(slot),
            destroyed: AtomicBool::new(false),
        })
    }

    /// Sets a signal event: wakes who waits for it.
    pub fn set_event(&self, event: &Event) -> Result<()> {
        event.set()
    }

    /// Waits for events. `None` waits for ever.
    pub fn wait_events(
        &self,
        events: &[&Event],
        wait_for: WaitFor,
        timeout: Option<Duration>,
    ) -> Result<WaitOutcome> {
        let mut ages = vec![0; events.len()];
        self.wait_events_since(events, &mut ages, wait_for, timeout)
    }

    /// As [`Thunk::wait_events`], but an event also counts as set when it was set since its age was `ages[i]`; the ages
    /// are brought up to date. An age of 0 is not looked at. Interfaces older than 1.14 ignore ages.
    pub fn wait_events_since(
        &self,
        events: &[&Event],
        ages: &mut [u64],
        wait_for: WaitFor,
        timeout: Option<Duration>,
    ) -> Result<WaitOutcome> {
        let num_events = u32::try_from(events.len())
            .ok()
            .filter(|n| *n != 0 && ages.len() == events.len())
            .ok_or_else(|| {
            let problem = format!("{} events, {} ages", events.len(), ages.len());
            Error::request("wait_events", problem)
        })?;
        let has_ages = self.version().1 >= 14;
        let mut data: Vec<EventData> = events.iter().map(|event| EventData::new(event.id)).collect();
        for ((data, event), age) in data.iter_mut().zip(events).zip(&*ages) {
            if has_ages && event.kind == EventType::SIGNAL {
                data.set(&kfd_sys::event::SignalEventData { last_event_age: *age });
            }
        }
        let mut args = WaitEventsArgs {
            events_ptr: data.as_mut_ptr() as u64,
            num_events,
            wait_for_all: u32::from(wait_for == WaitFor::All),
            timeout: milliseconds(timeout),
            wait_result: WaitResult::COMPLETE,
        };
        self.context.call(&mut args, |a| {
            format!(
                "{} of {} events, {} ms: {:?}",
                if a.wait_for_all != 0 { "all" } else { "any" },
                a.num_events,
                a.timeout as i32,
                a.wait_result
            )
        })?;
        if args.wait_result == WaitResult::FAIL {
            return Err(Error::EventGone);
        }
        let mut outcome =
            WaitOutcome { complete: args.wait_result == WaitResult::COMPLETE, ..Default::default() };
        for (index, (data, event)) in data.iter().zip(events).enumerate() {
            match event.kind {
                EventType::SIGNAL if has_ages => ages[index] = data.signal().last_event_age,
                EventType::MEMORY => outcome.memory_faults.extend(self.memory_fault(index, data)),
                EventType::HW_EXCEPTION => outcome.hw_exceptions.extend(self.hw_exception(index, data)),
                _ => {}
            }
        }
        Ok(outcome)
    }

    fn memory_fault(&self, event: usize, data: &EventData) -> Option<MemoryFault> {
        let raw = data.memory_exception();
        // The kernel fills the union only of events that are set; a fault always names its GPU.
        (raw.gpu_id != 0).then(|| MemoryFault {
            event,
            node: self.context.node_of_gpu_id(raw.gpu_id),
            gpu_id: raw.gpu_id,
            va: raw.va,
            not_present: raw.failure.not_present != 0,
            read_only: raw.failure.read_only != 0,
            no_execute: raw.failure.no_execute != 0,
            imprecise: raw.failure.imprecise != 0,
            error: raw.error_type,
        })
    }

    fn hw_exception(&self, event: usize, data: &EventData) -> Option<HwException> {
        let raw = data.hw_exception();
        (raw.gpu_id != 0).then(|| HwException {
            event,
            node: self.context.node_of_gpu_id(raw.gpu_id),
            gpu_id: raw.gpu_id,
            reset_type: raw.reset_type,
            reset_cause: raw.reset_cause,
            memory_lost: raw.memory_lost != 0,
        })
    }
}

/// Milliseconds for the kernel, rounded up so that a wait never ends early.
fn milliseconds(timeout: Option<Duration>) -> u32 {
    match timeout {
        None => TIMEOUT_INFINITE,
        Some(timeout) => {
            let whole = timeout.as_nanos().div_ceil(1_000_000);
            u32::try_from(whole).unwrap_or(TIMEOUT_INFINITE).min(TIMEOUT_INFINITE - 1)
        }
    }
}

impl Event {
    /// KFD's number of the event.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Its type.
    pub fn kind(&self) -> EventType {
        self.kind
    }

    /// What a packet writes into the mailbox, and sends with its interrupt, to set the event.
    pub fn trigger_data(&self) -> u32 {
        self.trigger_data
    }

    /// Address of the event's slot in the event page: `amd_signal_t::event_mailbox_ptr`.
    pub fn mailbox_va(&self) -> u64 {
        self.mailbox_va
    }

    /// Sets the event; signal events only.
    pub fn set(&self) -> Result<()> {
        self.must_be_signal("set_event")?;
        let mut args = SetEventArgs { event_id: self.id, pad: 0 };
        self.context.call(&mut args, |a| format!("event {}", a.event_id))
    }

    /// Clears the event; signal events only.
    pub fn reset(&self) -> Result<()> {
        self.must_be_signal("reset_event")?;
        let mut args = ResetEventArgs { event_id: self.id, pad: 0 };
        self.context.call(&mut args, |a| format!("event {}", a.event_id))
    }

    /// Destroys the event, whoever else still holds it: who waits for it gets [`Error::EventGone`].
    pub fn destroy(&self) -> Result<()> {
        if self.destroyed.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        let mut args = DestroyEventArgs { event_id: self.id, pad: 0 };
        self.context.call(&mut args, |a| format!("event {}", a.event_id))
    }

    fn must_be_signal(&self, call: &'static str) -> Result<()> {
        match self.kind {
            EventType::SIGNAL | EventType::DEBUG_EVENT => Ok(()),
            kind => Err(Error::request(call, format!("event {} is of type {kind:?}", self.id))),
        }
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if let Err(error) = self.destroy() {
            tracing::warn!(target: "thunk", %error, "event {} was not destroyed", self.id);
        }
    }
}

impl std::fmt::Debug for Event {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Event {{ id: {}, kind: {:?}, mailbox: {:#x} }}", self.id, self.kind, self.mailbox_va)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts_never_end_early_and_never_mean_for_ever() {
        assert_eq!(milliseconds(None), u32::MAX);
        assert_eq!(milliseconds(Some(Duration::ZERO)), 0);
        assert_eq!(milliseconds(Some(Duration::from_nanos(1))), 1);
        assert_eq!(milliseconds(Some(Duration::from_millis(7))), 7);
        assert_eq!(milliseconds(Some(Duration::MAX)), u32::MAX - 1);
    }
}
