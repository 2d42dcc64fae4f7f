//! Signals and groups of them (`hsa.h` section 2.4, `hsa_ext_amd.h`).
//!
//! Operations on values have no status: one on a handle that is no signal is told on stderr and does nothing.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hsa_sys::{AgentHandle, SignalCondition, SignalHandle, Status, WaitState};
use rocr_rs::{AgentKind, Signal, SignalKind, SignalWait};

use crate::ffi::{Address, In, Out, Result};
use crate::state::{Session, Target, session, state, tell_once};

/// `HSA_AMD_SIGNAL_AMD_GPU_ONLY`, `HSA_AMD_SIGNAL_IPC`
const GPU_ONLY: u64 = 1;
const IPC: u64 = 2;

/// A signal that the program created.
pub fn find(handle: SignalHandle) -> Result<Signal> {
    match state().signals.get(handle.0) {
        Some(Target::Signal(signal)) => Ok(signal),
        _ => Err(Status::ERROR_INVALID_SIGNAL),
    }
}

/// Gives a signal to the program.
pub fn add(signal: Signal, out: Out<SignalHandle>) -> Result {
    let handle = signal.handle();
    state().signals.add(handle.0, Target::Signal(signal));
    out.set(handle)
}

/// Hosts sleep on signals that they may wait for; those that only GPUs look at are cheaper without.
fn kind(session: &Session, count: u32, consumers: In<AgentHandle>) -> Result<SignalKind> {
    let handles = consumers.array(count as usize)?;
    let mut seen = Vec::new();
    let mut host = handles.is_empty();
    for handle in handles {
        if seen.contains(&handle) {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        host |= session.agent(handle)?.kind() == AgentKind::Cpu;
        seen.push(handle);
    }
    Ok(if host { SignalKind::Interrupt } else { SignalKind::Default })
}

pub fn create(initial: i64, count: u32, consumers: In<AgentHandle>, out: Out<SignalHandle>) -> Result {
    create_with(initial, count, consumers, 0, out)
}

/// `hsa_amd_signal_create`
pub fn create_with(
    initial: i64,
    count: u32,
    consumers: In<AgentHandle>,
    attributes: u64,
    out: Out<SignalHandle>,
) -> Result {
    let session = session()?;
    out.check()?;
    if attributes & !(GPU_ONLY | IPC) != 0 {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let kind = kind(&session, count, consumers)?;
    let kind = if attributes & GPU_ONLY != 0 { SignalKind::Default } else { kind };
    let made = if attributes & IPC != 0 {
        Signal::new_shared(&session.runtime, initial)
    } else {
        Signal::new(&session.runtime, initial, kind)
    };
    add(made.map_err(|error| error.status())?, out)
}

pub fn destroy(handle: SignalHandle) -> Result {
    session()?;
    if handle.is_null() {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    find(handle)?;
    state().signals.remove(handle.0);
    Ok(())
}

/// Does something with the signal of a handle, without cloning it.
fn with<T: Default>(handle: SignalHandle, work: impl FnOnce(&Signal) -> T) -> T {
    state()
        .signals
        .with(handle.0, |target| match target {
            Target::Signal(signal) => Some(work(signal)),
            Target::Doorbell(_) => None,
        })
        .flatten()
        .unwrap_or_else(|| {
            tell_once("an operation on a handle that is no signal has no effect");
            T::default()
        })
}

pub fn load(order: Ordering, handle: SignalHandle) -> i64 {
    with(handle, |signal| signal.load(order))
}

/// A store to a queue's doorbell tells of a packet.
pub fn store(order: Ordering, handle: SignalHandle, value: i64) {
    let known = state().signals.with(handle.0, |target| match target {
        Target::Signal(signal) => signal.store(value, order),
        Target::Doorbell(queue) => queue.ring_doorbell(value),
    });
    if known.is_none() {
        tell_once("an operation on a handle that is no signal has no effect");
    }
}

pub fn silent_store(order: Ordering, handle: SignalHandle, value: i64) {
    let silent = state().signals.with(handle.0, |target| match target {
        Target::Signal(signal) => {
            signal.silent_store(value, order);
            true
        }
        Target::Doorbell(_) => false,
    });
    if silent != Some(true) {
        store(order, handle, value);
    }
}

pub fn plus(order: Ordering, handle: SignalHandle, value: i64) {
    with(handle, |signal| {
        signal.add(value, order);
    });
}

pub fn minus(order: Ordering, handle: SignalHandle, value: i64) {
    with(handle, |signal| {
        signal.sub(value, order);
    });
}

pub fn and(order: Ordering, handle: SignalHandle, value: i64) {
    with(handle, |signal| {
        signal.and(value, order);
    });
}

pub fn or(order: Ordering, handle: SignalHandle, value: i64) {
    with(handle, |signal| {
        signal.or(value, order);
    });
}

pub fn xor(order: Ordering, handle: SignalHandle, value: i64) {
    with(handle, |signal| {
        signal.xor(value, order);
    });
}

pub fn exchange(order: Ordering, handle: SignalHandle, value: i64) -> i64 {
    with(handle, |signal| signal.exchange(value, order))
}

pub fn cas(order: Ordering, handle: SignalHandle, expected: i64, value: i64) -> i64 {
    with(handle, |signal| signal.cas(expected, value, order))
}

/// Ticks are nanoseconds; the largest number is for ever.
fn timeout(ticks: u64) -> Option<Duration> {
    (ticks != u64::MAX).then(|| Duration::from_nanos(ticks))
}

pub fn wait(
    order: Ordering,
    handle: SignalHandle,
    condition: SignalCondition,
    compare: i64,
    ticks: u64,
    hint: WaitState,
) -> i64 {
    let _ = order; // Waits acquire always.
    match find(handle) {
        Ok(signal) => signal.wait(condition, compare, timeout(ticks), hint),
        Err(_) => {
            tell_once("a wait for a handle that is no signal ends at once");
            0
        }
    }
}

/// `hsa_amd_signal_value_pointer`: of signals that nobody sleeps on, since who changes a value there wakes nobody.
pub fn value_pointer(handle: SignalHandle, out: Out<u64>) -> Result {
    session()?;
    if handle.is_null() {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    out.check()?;
    let signal = find(handle)?;
    if signal.kind() != SignalKind::Default {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    out.set(signal.value_va())
}

pub fn on_change(
    handle: SignalHandle,
    condition: SignalCondition,
    compare: i64,
    handler: Option<extern "C" fn(i64, Address) -> bool>,
    data: Address,
) -> Result {
    let session = session()?;
    let handler = handler.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
    let signal = find(handle)?;
    session
        .runtime
        .on_signal(&signal, condition, compare, move |value| handler(value, data))
        .map_err(|error| error.status())
}

/// `hsa_amd_async_function`: on the thread of the handlers.
pub fn call_later(callback: Option<extern "C" fn(Address)>, data: Address) -> Result {
    let session = session()?;
    let callback = callback.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
    let now = Signal::new(&session.runtime, 0, SignalKind::Default).map_err(|error| error.status())?;
    let called = session.runtime.on_signal(&now, SignalCondition::EQ, 0, move |_| {
        callback(data);
        false
    });
    called.map_err(|error| error.status())
}

fn waits(
    handles: &[SignalHandle],
    conditions: &[SignalCondition],
    compares: &[i64],
) -> Vec<(usize, SignalWait)> {
    let rows = handles.iter().zip(conditions).zip(compares).enumerate();
    rows.filter_map(|(at, ((handle, condition), compare))| {
        let signal = find(*handle).ok()?;
        Some((at, SignalWait { signal, condition: *condition, compare: *compare }))
    })
    .collect()
}

/// What `hsa_amd_signal_wait_any` returns when none came.
const NONE: u32 = u32::MAX;

/// `hsa_amd_signal_wait_any`. Handles that are no signals are passed over.
pub fn wait_any(
    count: u32,
    handles: In<SignalHandle>,
    conditions: In<SignalCondition>,
    compares: In<i64>,
    ticks: u64,
    hint: WaitState,
    value: Out<i64>,
) -> u32 {
    let Ok((indices, waits)) = collect(count, handles, conditions, compares) else { return NONE };
    match Signal::wait_any(&waits, timeout(ticks), hint) {
        Some((at, seen)) => {
            value.set_if_wanted(seen);
            indices[at] as u32
        }
        None => NONE,
    }
}

/// `hsa_amd_signal_wait_all`: 0 when all came. Handles that are no signals are passed over, and keep their places.
pub fn wait_all(
    count: u32,
    handles: In<SignalHandle>,
    conditions: In<SignalCondition>,
    compares: In<i64>,
    ticks: u64,
    hint: WaitState,
    values: Out<i64>,
) -> u32 {
    let Ok((indices, waits)) = collect(count, handles, conditions, compares) else { return NONE };
    match Signal::wait_all(&waits, timeout(ticks), hint) {
        Some(seen) => {
            for (at, value) in indices.into_iter().zip(seen) {
                let _ = values.set_at(at, value);
            }
            0
        }
        None => NONE,
    }
}

type Collected = (Vec<usize>, Vec<SignalWait>);

fn collect(
    count: u32,
    handles: In<SignalHandle>,
    conditions: In<SignalCondition>,
    compares: In<i64>,
) -> Result<Collected> {
    session()?;
    let count = count as usize;
    let rows = waits(&handles.array(count)?, &conditions.array(count)?, &compares.array(count)?);
    Ok(rows.into_iter().unzip())
}

pub fn create_group(
    count: u32,
    handles: In<SignalHandle>,
    consumers: u32,
    agents: In<AgentHandle>,
    out: Out<u64>,
) -> Result {
    let session = session()?;
    out.check()?;
    if count == 0 || handles.is_null() {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    kind(&session, consumers, agents)?;
    let handles = handles.array(count as usize)?;
    for handle in &handles {
        find(*handle)?;
    }
    out.set(session.groups.add(Arc::new(handles.into_iter().map(|handle| handle.0).collect())))
}

pub fn destroy_group(group: u64) -> Result {
    session()?.groups.remove(group).map(drop).ok_or(Status::ERROR_INVALID_SIGNAL_GROUP)
}

pub fn wait_group(
    order: Ordering,
    group: u64,
    conditions: In<SignalCondition>,
    compares: In<i64>,
    hint: WaitState,
    signal: Out<SignalHandle>,
    value: Out<i64>,
) -> Result {
    let _ = order; // Waits acquire always.
    let handles = session()?.groups.get(group).ok_or(Status::ERROR_INVALID_SIGNAL_GROUP)?;
    signal.check()?;
    value.check()?;
    let handles: Vec<SignalHandle> = handles.iter().copied().map(SignalHandle).collect();
    let (indices, waits): Collected =
        waits(&handles, &conditions.array(handles.len())?, &compares.array(handles.len())?)
            .into_iter()
            .unzip();
    let (at, seen) = Signal::wait_any(&waits, None, hint).ok_or(Status::ERROR_INVALID_SIGNAL)?;
    signal.set(handles[indices[at]])?;
    value.set(seen)
}
