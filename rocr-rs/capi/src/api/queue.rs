//! Queues (`hsa.h` section 2.5, `hsa_ext_amd.h`). An `hsa_queue_t *` is the address of the queue's `amd_queue_t`.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use hsa_sys::{AgentHandle, QueueHandle, QueueType, Status};
use rocr_rs::{AgentKind, Queue, QueueError, QueueErrorKind, QueueKind, QueuePriority};

use crate::ffi::{Address, In, Out, Result};
use crate::state::{Target, session, state, tell_once};

/// What a program is called with when its queue stops.
pub type OnError = Option<extern "C" fn(Status, QueueHandle, Address)>;

/// A queue with a callback that is still to be called.
pub struct StoppedQueue {
    on_error: extern "C" fn(Status, QueueHandle, Address),
    status: Status,
    queue: QueueHandle,
    data: Address,
}

/// Tells a program that its queue stopped. What a memory fault stopped is told after the fault, since callbacks like to
/// end the process: see [`tell_stopped`].
fn tell(error: &QueueError, on_error: OnError, data: Address) {
    let Some(on_error) = on_error else {
        let quiet = session().is_ok_and(|session| !session.runtime.environment().tell_queue_errors);
        if !quiet {
            crate::state::tell(error);
        }
        return;
    };
    if error.kind == QueueErrorKind::MemoryFault {
        let stopped = StoppedQueue { on_error, status: error.status(), queue: error.handle, data };
        state().stopped.lock().push(stopped);
    } else {
        on_error(error.status(), error.handle, data);
    }
}

/// Calls the callbacks of queues that a memory fault stopped.
pub fn tell_stopped() {
    let stopped = std::mem::take(&mut *state().stopped.lock());
    for StoppedQueue { on_error, status, queue, data } in stopped {
        on_error(status, queue, data);
    }
}

/// Packets of the smallest ring, and of the largest.
const PACKETS: (u32, u32) = (64, 0x2_0000);

fn find(queue: QueueHandle, otherwise: Status) -> Result<Arc<Queue>> {
    state().queues.get(queue.0).ok_or(otherwise)
}

pub fn create(
    agent: AgentHandle,
    packets: u32,
    kind: u32,
    on_error: OnError,
    data: Address,
    _private_bytes: u32,
    _group_bytes: u32,
    out: Out<QueueHandle>,
) -> Result {
    let session = session()?;
    let agent = session.agent(agent)?;
    out.check()?;
    if !packets.is_power_of_two() {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let kind = match QueueType(kind) {
        QueueType::MULTI => QueueKind::Multi,
        QueueType::SINGLE => QueueKind::Single,
        QueueType::COOPERATIVE => QueueKind::Cooperative,
        _ => return Err(Status::ERROR_INVALID_ARGUMENT),
    };
    if agent.kind() != AgentKind::Gpu {
        return Err(Status::ERROR_INVALID_QUEUE_CREATION);
    }
    if packets > PACKETS.1 {
        return Err(Status::ERROR_OUT_OF_RESOURCES);
    }
    let queue = Queue::create(agent, packets.max(PACKETS.0), kind, move |error| {
        tell(error, on_error, data);
    });
    let queue = queue.map_err(|error| match error {
        rocr_rs::Error::QueueCreation { .. } => Status::ERROR_OUT_OF_RESOURCES,
        error => error.status(),
    })?;
    state().signals.add(queue.doorbell_signal().0, Target::Doorbell(queue.clone()));
    state().queues.add(queue.handle().0, queue.clone());
    out.set(queue.handle())
}

pub fn destroy(queue: QueueHandle) -> Result {
    session()?;
    if queue.is_null() {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let found = state().queues.remove(queue.0).ok_or(Status::ERROR_INVALID_QUEUE)?;
    state().signals.remove(found.doorbell_signal().0);
    Ok(())
}

pub fn inactivate(queue: QueueHandle) -> Result {
    session()?;
    if queue.is_null() {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    find(queue, Status::ERROR_INVALID_QUEUE)?.inactivate();
    Ok(())
}

/// Does something with a queue that there must be.
fn with(queue: QueueHandle, work: impl FnOnce(&Queue) -> u64) -> u64 {
    state().queues.with(queue.0, |queue| work(queue)).unwrap_or_else(|| {
        tell_once("an operation on a pointer that is no queue has no effect");
        0
    })
}

pub fn load_read(order: Ordering, queue: QueueHandle) -> u64 {
    with(queue, |queue| queue.load_read_index(order))
}

pub fn load_write(order: Ordering, queue: QueueHandle) -> u64 {
    with(queue, |queue| queue.load_write_index(order))
}

pub fn store_read(order: Ordering, queue: QueueHandle, value: u64) {
    with(queue, |queue| {
        queue.store_read_index(value, order);
        0
    });
}

pub fn store_write(order: Ordering, queue: QueueHandle, value: u64) {
    with(queue, |queue| {
        queue.store_write_index(value, order);
        0
    });
}

pub fn add_write(order: Ordering, queue: QueueHandle, count: u64) -> u64 {
    with(queue, |queue| queue.add_write_index(count, order))
}

pub fn cas_write(order: Ordering, queue: QueueHandle, expected: u64, value: u64) -> u64 {
    with(queue, |queue| queue.cas_write_index(expected, value, order))
}

/// `hsa_amd_queue_priority_t`
pub fn set_priority(queue: QueueHandle, priority: u32) -> Result {
    session()?;
    if queue.is_null() {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let priority = match priority {
        0 => QueuePriority::Minimum,
        1 => QueuePriority::Normal,
        2 => QueuePriority::Maximum,
        _ => return Err(Status::ERROR_INVALID_ARGUMENT),
    };
    let queue = find(queue, Status::ERROR_INVALID_QUEUE)?;
    queue.set_priority(priority).map_err(|_| Status::ERROR_INVALID_QUEUE)
}

/// `hsa_amd_queue_cu_set_mask`: no words mean all compute units.
pub fn set_cu_mask(queue: QueueHandle, bits: u32, mask: In<u32>) -> Result {
    session()?;
    let queue = find(queue, Status::ERROR_INVALID_QUEUE)?;
    if !bits.is_multiple_of(32) || (bits != 0) == mask.is_null() {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let words = mask.array(bits as usize / 32)?;
    let whole = queue.set_cu_mask(&words).map_err(|_| Status::ERROR)?;
    if whole { Ok(()) } else { Err(Status::CU_MASK_REDUCED) }
}

pub fn cu_mask(queue: QueueHandle, bits: u32, mask: Out<u32>) -> Result {
    session()?;
    let queue = find(queue, Status::ERROR_INVALID_QUEUE)?;
    if bits == 0 || !bits.is_multiple_of(32) {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let units = queue.agent().properties().compute_units;
    let mut words = queue.cu_mask().unwrap_or_else(|| all_units(units));
    words.resize(bits as usize / 32, 0);
    mask.set_all(&words)
}

fn all_units(units: u32) -> Vec<u32> {
    (0..units.div_ceil(32))
        .map(|word| {
            let left = units - 32 * word;
            if left >= 32 { u32::MAX } else { (1 << left) - 1 }
        })
        .collect()
}

pub fn set_profiling(queue: QueueHandle, on: i32) -> Result {
    session()?;
    find(queue, Status::ERROR_INVALID_QUEUE)?.set_profiling(on != 0);
    Ok(())
}

/// `hsa_amd_queue_get_info`: agent, doorbell number.
pub fn info(queue: QueueHandle, attribute: u32, value: crate::ffi::Value) -> Result {
    let session = session()?;
    let queue = find(queue, Status::ERROR_INVALID_QUEUE)?;
    value.check()?;
    match attribute {
        0 => value.set(session.handle(queue.agent())),
        1 => value.set(queue.id()),
        _ => Err(Status::ERROR_INVALID_ARGUMENT),
    }
}
