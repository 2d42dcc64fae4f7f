//! Events of one process: what `amdkfd/kfd_events.c` keeps. Ioctls, the command processor and waves set them, threads of
//! the program wait for them.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use kfd_sys::Errno;
use kfd_sys::event::{
    EventType, HwExceptionData, MemoryExceptionData, ResetCause, ResetType, SIGNAL_EVENT_LIMIT,
    SLOT_UNSIGNALED, TIMEOUT_INFINITE, WaitResult,
};
use parking_lot::{Condvar, Mutex};

use crate::kfd::Askers;
use crate::vm::MemoryObject;

/// Bytes of the event page.
pub const PAGE_BYTES: u64 = SIGNAL_EVENT_LIMIT as u64 * 8;
/// First ID of events without a slot.
const FIRST_NON_SIGNAL: u32 = 0x4000_0000;

/// Does this kind of event have a slot in the page, and so a mailbox that a packet can write?
fn has_slot(kind: EventType) -> bool {
    kind == EventType::SIGNAL || kind == EventType::DEBUG_EVENT
}

/// What a wait tells about one event that is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EventData {
    /// Nothing: not set, or a kind without data.
    #[default]
    None,
    /// The age of a signal event.
    Age(u64),
    /// A memory fault.
    Memory(MemoryExceptionData),
    /// A hardware exception.
    Hardware(HwExceptionData),
}

#[derive(Debug)]
struct Event {
    kind: EventType,
    auto_reset: bool,
    set: bool,
    age: u64,
    data: EventData,
    /// Waiters by number, with the event's place in their list.
    waiting: Vec<(u64, usize)>,
}

#[derive(Debug)]
struct Waiter {
    activated: Vec<bool>,
    failed: bool,
    woken: Arc<Condvar>,
}

impl Waiter {
    fn result(&self, all: bool) -> WaitResult {
        let activated = self.activated.iter().filter(|on| **on).count();
        if self.failed {
            WaitResult::FAIL
        } else if activated == self.activated.len() || (!all && activated > 0) {
            WaitResult::COMPLETE
        } else {
            WaitResult::TIMEOUT
        }
    }
}

#[derive(Debug, Default)]
struct State {
    events: BTreeMap<u32, Event>,
    waiters: HashMap<u64, Waiter>,
    next_waiter: u64,
    page: Option<Arc<MemoryObject>>,
}

impl State {
    fn set(&mut self, id: u32, data: Option<EventData>) -> bool {
        let Some(event) = self.events.get_mut(&id) else { return false };
        event.set = !event.auto_reset || event.waiting.is_empty();
        event.age = event.age.wrapping_add(1).max(1);
        if let Some(data) = data {
            event.data = data;
        }
        for &(waiter, place) in &event.waiting {
            if let Some(waiter) = self.waiters.get_mut(&waiter) {
                waiter.activated[place] = true;
                waiter.woken.notify_all();
            }
        }
        event.waiting.clear();
        true
    }

    fn acknowledge(&mut self, id: u32) {
        if let Some(page) = &self.page {
            page.store_slot(id as usize, SLOT_UNSIGNALED);
        }
    }
}

/// The events of one process.
#[derive(Debug, Default)]
pub struct Events {
    state: Mutex<State>,
    /// Who asked for system-management events.
    pub smi: Askers,
    resets: AtomicU64,
}

impl Events {
    /// Makes the event page: once only.
    pub fn set_page(&self, page: Arc<MemoryObject>) -> Result<(), Errno> {
        let mut state = self.state.lock();
        if state.page.is_some() {
            return Err(Errno::EBUSY);
        }
        if page.size < PAGE_BYTES {
            return Err(Errno::EINVAL);
        }
        for slot in 0..SIGNAL_EVENT_LIMIT {
            page.store_slot(slot as usize, SLOT_UNSIGNALED);
        }
        state.page = Some(page);
        Ok(())
    }

    /// The event page, once there is one.
    pub fn page(&self) -> Option<Arc<MemoryObject>> {
        self.state.lock().page.clone()
    }

    /// How many events there are, and how many waits for them.
    pub fn counts(&self) -> (usize, usize) {
        let state = self.state.lock();
        (state.events.len(), state.waiters.len())
    }

    /// Makes an event and returns its ID, which for events with a slot is the slot's index.
    pub fn create(&self, kind: EventType, auto_reset: bool) -> Result<u32, Errno> {
        let mut state = self.state.lock();
        let (first, end) = if has_slot(kind) {
            (1, SIGNAL_EVENT_LIMIT)
        } else {
            (FIRST_NON_SIGNAL, FIRST_NON_SIGNAL + SIGNAL_EVENT_LIMIT)
        };
        let mut id = first;
        for &used in state.events.range(first..end).map(|(id, _)| id) {
            if used != id {
                break;
            }
            id += 1;
        }
        if id == end {
            return Err(Errno::ENOSPC);
        }
        let event =
            Event { kind, auto_reset, set: false, age: 1, data: EventData::None, waiting: Vec::new() };
        state.events.insert(id, event);
        Ok(id)
    }

    /// Removes an event; whoever waits for it fails.
    pub fn destroy(&self, id: u32) -> Result<(), Errno> {
        let mut state = self.state.lock();
        let event = state.events.remove(&id).ok_or(Errno::EINVAL)?;
        for (waiter, _) in event.waiting {
            if let Some(waiter) = state.waiters.get_mut(&waiter) {
                waiter.failed = true;
                waiter.woken.notify_all();
            }
        }
        state.acknowledge(id);
        Ok(())
    }

    /// `AMDKFD_IOC_SET_EVENT`
    pub fn set(&self, id: u32) -> Result<(), Errno> {
        self.with_slot(id, |state| state.set(id, None))
    }

    /// `AMDKFD_IOC_RESET_EVENT`
    pub fn reset(&self, id: u32) -> Result<(), Errno> {
        self.with_slot(id, |state| {
            if let Some(event) = state.events.get_mut(&id) {
                event.set = false;
            }
            true
        })
    }

    fn with_slot(&self, id: u32, change: impl FnOnce(&mut State) -> bool) -> Result<(), Errno> {
        let mut state = self.state.lock();
        let known = state.events.get(&id).is_some_and(|event| has_slot(event.kind));
        if known && change(&mut state) { Ok(()) } else { Err(Errno::EINVAL) }
    }

    /// An interrupt of the device whose context is a whole event ID.
    pub fn interrupt(&self, id: u32) {
        let mut state = self.state.lock();
        state.acknowledge(id);
        state.set(id, None);
    }

    /// An interrupt that carries only the low `bits` of an event ID: every event that they fit and whose slot was
    /// written is set. If there is none, every event whose slot was written (`kfd_signal_event_interrupt()`).
    pub fn interrupt_partial(&self, id: u32, bits: u32) {
        let mask = if bits >= 32 { u32::MAX } else { (1 << bits) - 1 };
        let mut state = self.state.lock();
        let page = state.page.clone();
        let written = |id: u32| {
            page.as_ref()
                .and_then(|page| page.load_slot(id as usize))
                .is_some_and(|slot| slot != SLOT_UNSIGNALED)
        };
        let fitting: Vec<u32> = state
            .events
            .range(1..SIGNAL_EVENT_LIMIT)
            .map(|(id, _)| *id)
            .filter(|other| other & mask == id & mask)
            .collect();
        let marked: Vec<u32> = fitting.iter().copied().filter(|id| written(*id)).collect();
        // An event whose slot nobody wrote is meant only if it is the only one that fits.
        let chosen = if !marked.is_empty() {
            marked
        } else if fitting.len() == 1 {
            fitting
        } else {
            state.events.range(1..SIGNAL_EVENT_LIMIT).map(|(id, _)| *id).filter(|id| written(*id)).collect()
        };
        for id in chosen {
            state.acknowledge(id);
            state.set(id, None);
        }
    }

    /// Tells every event of type 8 of a memory fault. Returns how many there are.
    pub fn memory_fault(&self, fault: MemoryExceptionData) -> usize {
        self.smi.memory_fault(fault.gpu_id);
        self.broadcast(EventType::MEMORY, EventData::Memory(fault))
    }

    /// Tells every event of type 3 of a hardware exception. Returns how many there are.
    pub fn hardware_exception(&self, exception: HwExceptionData) -> usize {
        self.broadcast(EventType::HW_EXCEPTION, EventData::Hardware(exception))
    }

    /// An engine of that GPU met what it does not know and hangs: the driver resets it, and says so.
    pub fn hang(&self, gpu_id: u32) {
        self.smi.reset(gpu_id, self.resets.fetch_add(1, Ordering::Relaxed) + 1);
        self.hardware_exception(HwExceptionData {
            reset_type: ResetType::PER_ENGINE_RESET,
            reset_cause: ResetCause::GPU_HANG,
            memory_lost: 0,
            gpu_id,
        });
    }

    fn broadcast(&self, kind: EventType, data: EventData) -> usize {
        let mut state = self.state.lock();
        let ids: Vec<u32> =
            state.events.iter().filter(|(_, event)| event.kind == kind).map(|(id, _)| *id).collect();
        for id in &ids {
            state.set(*id, Some(data));
        }
        ids.len()
    }

    /// Waits for one or all of `events`, each with the age that the caller saw last (0: none). Returns how the wait
    /// ended and what is known of each event.
    pub fn wait(
        &self,
        events: &[(u32, u64)],
        all: bool,
        timeout_ms: u32,
    ) -> Result<(WaitResult, Vec<EventData>), Errno> {
        let mut state = self.state.lock();
        if events.iter().any(|(id, _)| !state.events.contains_key(id)) {
            return Err(Errno::EINVAL);
        }
        let woken = Arc::new(Condvar::new());
        let number = state.next_waiter;
        state.next_waiter += 1;
        let mut activated = Vec::with_capacity(events.len());
        for (place, (id, last_age)) in events.iter().enumerate() {
            let Some(event) = state.events.get_mut(id) else { continue };
            let on = event.set || (*last_age != 0 && *last_age != event.age);
            event.set &= !event.auto_reset;
            if !on {
                event.waiting.push((number, place));
            }
            activated.push(on);
        }
        state.waiters.insert(number, Waiter { activated, failed: false, woken: Arc::clone(&woken) });

        let wait = Duration::from_millis(u64::from(timeout_ms.min(0x7fff_ffff)));
        let deadline = (timeout_ms != TIMEOUT_INFINITE).then(|| Instant::now() + wait);
        let result = loop {
            let result = state.waiters.get(&number).map_or(WaitResult::FAIL, |waiter| waiter.result(all));
            if result != WaitResult::TIMEOUT || timeout_ms == 0 {
                break result;
            }
            match deadline {
                Some(deadline) if Instant::now() >= deadline => break result,
                Some(deadline) => drop(woken.wait_until(&mut state, deadline)),
                None => woken.wait(&mut state),
            }
        };

        let activated = state.waiters.remove(&number).map_or_else(Vec::new, |waiter| waiter.activated);
        let mut data = vec![EventData::None; events.len()];
        for (place, (id, _)) in events.iter().enumerate() {
            let Some(event) = state.events.get_mut(id) else { continue };
            event.waiting.retain(|(waiter, _)| *waiter != number);
            if activated.get(place) == Some(&true) {
                data[place] = if has_slot(event.kind) { EventData::Age(event.age) } else { event.data };
            }
        }
        Ok((result, data))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auto_reset_and_manual_events() {
        let events = Events::default();
        let auto = events.create(EventType::SIGNAL, true).unwrap();
        let manual = events.create(EventType::SIGNAL, false).unwrap();
        assert_eq!((auto, manual), (1, 2));
        events.set(auto).unwrap();
        events.set(manual).unwrap();
        let both = [(auto, 0), (manual, 0)];
        assert_eq!(events.wait(&both, true, 0).unwrap().0, WaitResult::COMPLETE);
        assert_eq!(events.wait(&both, true, 1).unwrap().0, WaitResult::TIMEOUT);
        assert_eq!(events.wait(&both, false, 0).unwrap().0, WaitResult::COMPLETE);
        events.reset(manual).unwrap();
        assert_eq!(events.wait(&both, false, 0).unwrap().0, WaitResult::TIMEOUT);
        // An age that is not the present one counts as set.
        assert_eq!(
            events.wait(&[(manual, 1)], false, 0).unwrap(),
            (WaitResult::COMPLETE, vec![EventData::Age(2)])
        );
        assert_eq!(events.wait(&[(manual, 2)], false, 0).unwrap().0, WaitResult::TIMEOUT);
        assert_eq!(events.wait(&[], false, 0).unwrap().0, WaitResult::COMPLETE);
        assert_eq!(events.wait(&[(77, 0)], false, 0), Err(Errno::EINVAL));
    }

    #[test]
    fn destroying_an_event_fails_its_waiters() {
        let events = Arc::new(Events::default());
        let id = events.create(EventType::MEMORY, false).unwrap();
        assert_eq!(events.set(id), Err(Errno::EINVAL), "no slot, no SET_EVENT");
        let waiter = std::thread::spawn({
            let events = Arc::clone(&events);
            move || events.wait(&[(id, 0)], false, TIMEOUT_INFINITE).unwrap().0
        });
        while events.state.lock().waiters.is_empty() {
            std::thread::yield_now();
        }
        events.destroy(id).unwrap();
        assert_eq!(waiter.join().unwrap(), WaitResult::FAIL);
    }

    #[test]
    fn a_memory_fault_reaches_every_memory_event() {
        let events = Events::default();
        let ids: Vec<_> = (0..2).map(|_| events.create(EventType::MEMORY, false).unwrap()).collect();
        let fault = MemoryExceptionData { va: 0x1000, gpu_id: 9, ..Default::default() };
        assert_eq!(events.memory_fault(fault), 2);
        for id in ids {
            let (result, data) = events.wait(&[(id, 0)], false, 0).unwrap();
            assert_eq!((result, data[0]), (WaitResult::COMPLETE, EventData::Memory(fault)));
        }
    }

    #[test]
    fn slots_run_out() {
        let events = Events::default();
        for _ in 1..SIGNAL_EVENT_LIMIT {
            events.create(EventType::SIGNAL, true).unwrap();
        }
        assert_eq!(events.create(EventType::SIGNAL, true), Err(Errno::ENOSPC));
        events.destroy(100).unwrap();
        assert_eq!(events.create(EventType::SIGNAL, true), Ok(100));
    }
}
