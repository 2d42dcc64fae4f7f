//! Events (libhsakmt's `events.c`).

use std::collections::BTreeSet;
use std::os::fd::IntoRawFd as _;
use std::sync::Arc;
use std::time::Duration;

use kfd_sys::event::EventType;
use thunk_rs::{Error, Event, HwException, MemoryFault, WaitFor};
use zerocopy::FromZeros as _;

use crate::abi::event::{self as abi, EVENT_TYPES, EventDescriptor, FATAL_PROCESS};
use crate::abi::status::{Result, Status};
use crate::ffi::{self, Ptr};
use crate::state::{GivenEvent, library};

pub fn create(
    descriptor: Ptr<EventDescriptor>,
    manual_reset: bool,
    signaled: bool,
    out: Ptr<u64>,
) -> Result<()> {
    let mut library = library();
    let opened = library.opened()?;
    let wanted = descriptor.get()?;
    if wanted.event_type >= EVENT_TYPES || out.is_null() {
        return Err(Status::INVALID_PARAMETER);
    }
    let kind = EventType(wanted.event_type);
    let node = Some(thunk_rs::NodeId(wanted.node_id));
    let event = match opened.thunk.create_event_on(kind, !manual_reset, node) {
        Ok(event) => event,
        Err(_) => {
            out.set(0)?;
            return Err(Status::ERROR);
        }
    };
    let mut record = abi::Event::new_zeroed();
    record.event_id = event.id();
    let mut data = abi::EventData::new_zeroed();
    data.event_type = wanted.event_type;
    data.hw_data1 = u64::from(event.id());
    data.hw_data2 = if is_signal(wanted.event_type) { event.mailbox_va() } else { 0 };
    data.hw_data3 = event.trigger_data();
    let sync = wanted.sync_var;
    let (address, size) = (sync.sync_var, sync.sync_var_size);
    data.event_data = [address as u32, (address >> 32) as u32, size as u32, (size >> 32) as u32, 0];
    record.event_data = data;
    if signaled && is_signal(wanted.event_type) {
        // As with the vendor's, the event exists whether it could be set or not.
        let _ = event.set();
    }
    let given = ffi::give_out(record);
    opened.events.insert(event.id(), GivenEvent { event: Arc::new(event), given: given.address() });
    out.set(given.address())
}

/// Events of the debugger behave as those of signals.
fn is_signal(kind: u32) -> bool {
    [EventType::SIGNAL.0, EventType::DEBUG_EVENT.0].contains(&kind)
}

pub fn destroy(event: Ptr<abi::Event>) -> Result<()> {
    let mut library = library();
    let opened = library.opened()?;
    if event.is_null() {
        return Err(Status::INVALID_HANDLE);
    }
    let id = event.get()?.event_id;
    // Another struct with the same number, a copy of the caller's, is not the one that we gave.
    if opened.events.get(&id).is_none_or(|given| given.given != event.address()) {
        return Err(Status::ERROR);
    }
    let Some(given) = opened.events.remove(&id) else { return Err(Status::ERROR) };
    let result = given.event.destroy();
    ffi::take_back(event);
    result.map_err(|_| Status::ERROR)
}

/// The event that a caller's struct stands for.
fn find(event: Ptr<abi::Event>) -> Result<Arc<Event>> {
    let mut library = library();
    let opened = library.opened()?;
    if event.is_null() {
        return Err(Status::INVALID_HANDLE);
    }
    let id = event.get()?.event_id;
    opened.events.get(&id).map(|given| Arc::clone(&given.event)).ok_or(Status::ERROR)
}

pub fn set(event: Ptr<abi::Event>) -> Result<()> {
    find(event)?.set().map_err(|_| Status::ERROR)
}

pub fn reset(event: Ptr<abi::Event>) -> Result<()> {
    find(event)?.reset().map_err(|_| Status::ERROR)
}

pub fn query_state(event: Ptr<abi::Event>) -> Result<()> {
    library().opened()?;
    if event.is_null() { Err(Status::INVALID_HANDLE) } else { Ok(()) }
}

pub fn wait_one(event: Ptr<abi::Event>, milliseconds: u32) -> Result<()> {
    wait_one_since(event, milliseconds, Ptr::at(0))
}

pub fn wait_one_since(event: Ptr<abi::Event>, milliseconds: u32, age: Ptr<u64>) -> Result<()> {
    if event.is_null() {
        return Err(Status::INVALID_HANDLE);
    }
    wait(&[event], true, milliseconds, age)
}

pub fn wait_many(events: Ptr<u64>, count: u32, all: bool, milliseconds: u32) -> Result<()> {
    wait_many_since(events, count, all, milliseconds, Ptr::at(0))
}

pub fn wait_many_since(
    events: Ptr<u64>,
    count: u32,
    all: bool,
    milliseconds: u32,
    ages: Ptr<u64>,
) -> Result<()> {
    library().opened()?;
    if events.is_null() {
        return Err(Status::INVALID_HANDLE);
    }
    let given: Vec<_> = events.array(count as usize)?.into_iter().map(Ptr::at).collect();
    wait(&given, all, milliseconds, ages)
}

fn wait(given: &[Ptr<abi::Event>], all: bool, milliseconds: u32, ages: Ptr<u64>) -> Result<()> {
    let thunk = library().opened()?.thunk.clone();
    let events = given.iter().map(|event| find(*event)).collect::<Result<Vec<_>>>()?;
    let events: Vec<&Event> = events.iter().map(|event| &**event).collect();
    let mut seen = if ages.is_null() { vec![0; events.len()] } else { ages.array(events.len())? };
    let wait_for = if all { WaitFor::All } else { WaitFor::Any };
    let timeout = (milliseconds != u32::MAX).then(|| Duration::from_millis(milliseconds.into()));
    // The library is not locked while we wait.
    let outcome = match thunk.wait_events_since(&events, &mut seen, wait_for, timeout) {
        Ok(outcome) => outcome,
        Err(Error::EventGone) => return Err(Status::ERROR),
        Err(_) => return Err(Status::ERROR),
    };
    if !ages.is_null() {
        ages.set_array(&seen)?;
    }
    if !outcome.complete {
        return Err(Status::WAIT_TIMEOUT);
    }
    let mut library = library();
    // An event that was destroyed while we waited has no struct any more.
    let structs: BTreeSet<_> = library.opened()?.events.values().map(|given| given.given).collect();
    let is_there = |event: usize| structs.contains(&given[event].address());
    let number = |node| match (&library.snapshot, node) {
        (Some(snapshot), Some(node)) => snapshot.number(node),
        _ => Err(Status::INVALID_NODE_UNIT),
    };
    for fault in outcome.memory_faults.iter().filter(|fault| is_there(fault.event)) {
        say(given[fault.event], memory_fault(fault, number(fault.node)?))?;
    }
    for exception in outcome.hw_exceptions.iter().filter(|exception| is_there(exception.event)) {
        say(given[exception.event], hw_exception(exception, number(exception.node)?))?;
    }
    Ok(())
}

/// Puts what an event says into the caller's struct.
fn say(event: Ptr<abi::Event>, words: [u32; 5]) -> Result<()> {
    let mut record = event.get()?;
    record.event_data.event_data = words;
    event.set(record)
}

/// `HsaMemoryAccessFault`.
fn memory_fault(fault: &MemoryFault, node: u32) -> [u32; 5] {
    let error = fault.error.0;
    let bits = u32::from(fault.not_present)
        | u32::from(fault.read_only) << 1
        | u32::from(fault.no_execute) << 2
        | u32::from(error == 1 || error == 2) << 4
        | u32::from(fault.imprecise) << 5
        | (error & 7) << 6;
    [node, fault.va as u32, (fault.va >> 32) as u32, bits, FATAL_PROCESS]
}

/// `HsaHwException` (from 5.5 on).
fn hw_exception(exception: &HwException, node: u32) -> [u32; 5] {
    [node, exception.reset_type.0, u32::from(exception.memory_lost), exception.reset_cause.0, 0]
}

pub fn open_smi(number: u32, fd: Ptr<i32>) -> Result<()> {
    let mut library = library();
    let (opened, snapshot) = library.both()?;
    if fd.is_null() {
        return Err(Status::INVALID_PARAMETER);
    }
    let stream = opened.thunk.smi_events(snapshot.id(number)?).map_err(|_| Status::ERROR)?;
    fd.set(stream.into_fd().into_raw_fd())
}
