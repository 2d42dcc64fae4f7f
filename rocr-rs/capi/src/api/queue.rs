//! Queues (`hsa.h` section 2.5, `hsa_ext_amd.h`). An `hsa_queue_t *` is the address of the queue's `amd_queue_t`.

use std::cell::Cell;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use hsa_sys::{AgentHandle, QueueFeature, QueueHandle, QueueType, RegionHandle, SignalHandle, Status};
use parking_lot::ReentrantMutex;
use rocr_rs::{
    AgentKind, HostQueue, InterceptQueue, Packet, Queue, QueueError, QueueErrorKind, QueueKind, QueueMemory,
    QueuePriority,
};

use super::pool;
use crate::ffi::{self, Address, In, Out, Result};
use crate::state::{Session, Target, session, state, tell_once};

/// What a program is called with when its queue stops.
pub type OnError = Option<extern "C" fn(Status, QueueHandle, Address)>;

/// A queue of the program.
#[derive(Clone)]
pub enum AnyQueue {
    /// The packet processor serves it.
    Hardware(Arc<Queue>, Arc<Callback>),
    /// The host serves it.
    Host(Arc<HostQueue>),
    /// A tool sees the packets before the packet processor does.
    Intercept(Arc<InterceptQueue>, Arc<Callback>),
}

impl AnyQueue {
    fn memory(&self) -> &QueueMemory {
        match self {
            Self::Hardware(queue, _) => queue.memory(),
            Self::Host(queue) => queue.memory(),
            Self::Intercept(queue, _) => queue.memory(),
        }
    }

    /// The queue of the packet processor; `ERROR_INVALID_QUEUE` where there is none.
    fn hardware(&self) -> Result<&Arc<Queue>> {
        match self {
            Self::Hardware(queue, _) => Ok(queue),
            Self::Intercept(queue, _) => Ok(queue.lower()),
            Self::Host(_) => Err(Status::ERROR_INVALID_QUEUE),
        }
    }

    /// What a store to the doorbell does.
    pub fn ring_doorbell(&self, value: i64) {
        match self {
            Self::Hardware(queue, _) => queue.ring_doorbell(value as u64),
            Self::Intercept(queue, _) => queue.ring_doorbell(),
            // Its doorbell is a signal of the program.
            Self::Host(_) => {}
        }
    }
}

/// The callback for a queue's error. It is not called after `hsa_queue_destroy`, which waits for it if it runs.
pub struct Callback {
    on_error: OnError,
    data: Address,
    /// The queue that the program has.
    queue: OnceLock<QueueHandle>,
    /// Whether the queue was destroyed.
    gone: ReentrantMutex<Cell<bool>>,
}

impl Callback {
    fn call(&self, on_error: extern "C" fn(Status, QueueHandle, Address), error: &QueueError) {
        let gone = self.gone.lock();
        if !gone.get() {
            on_error(error.status(), self.queue.get().copied().unwrap_or(error.handle), self.data);
        }
    }
}

/// A queue with a callback that is still to be called.
pub struct StoppedQueue {
    callback: Arc<Callback>,
    error: QueueError,
}

/// Tells a program that its queue stopped. What a memory fault stopped is told after the fault, since callbacks like to
/// end the process: see [`tell_stopped`].
fn tell(error: &QueueError, callback: &Arc<Callback>) {
    let Some(on_error) = callback.on_error else {
        let quiet = session().is_ok_and(|session| !session.runtime.environment().tell_queue_errors);
        if !quiet {
            crate::state::tell(error);
        }
        return;
    };
    if error.kind == QueueErrorKind::MemoryFault {
        let stopped = StoppedQueue { callback: callback.clone(), error: error.clone() };
        state().stopped.lock().push(stopped);
    } else {
        callback.call(on_error, error);
    }
}

/// Calls the callbacks of queues that a memory fault stopped.
pub fn tell_stopped() {
    let stopped = std::mem::take(&mut *state().stopped.lock());
    for StoppedQueue { callback, error } in stopped {
        if let Some(on_error) = callback.on_error {
            callback.call(on_error, &error);
        }
    }
}

/// Packets of the smallest ring, and of the largest.
const PACKETS: (u32, u32) = (64, 0x2_0000);

fn find(queue: QueueHandle) -> Result<AnyQueue> {
    state().queues.get(queue.0).ok_or(Status::ERROR_INVALID_QUEUE)
}

/// The checks of a queue's creation, and the queue of the packet processor.
fn create_hardware(
    agent: AgentHandle,
    packets: u32,
    kind: u32,
    on_error: OnError,
    data: Address,
    out: Out<QueueHandle>,
) -> Result<(Arc<Queue>, Arc<Callback>)> {
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
        // Whether it has cooperative queues cannot even be asked of the host.
        let cooperative = kind == QueueKind::Cooperative;
        return Err(if cooperative { Status::ERROR } else { Status::ERROR_INVALID_QUEUE_CREATION });
    }
    if kind == QueueKind::Cooperative && !agent.properties().has_global_wave_sync {
        return Err(Status::ERROR_INVALID_QUEUE_CREATION);
    }
    if packets > PACKETS.1 {
        return Err(Status::ERROR_OUT_OF_RESOURCES);
    }
    let callback = Arc::new(Callback {
        on_error,
        data,
        queue: OnceLock::new(),
        gone: ReentrantMutex::new(Cell::new(false)),
    });
    let told = callback.clone();
    let queue = Queue::create(agent, packets.max(PACKETS.0), kind, move |error| tell(error, &told));
    let queue = queue.map_err(|error| match error {
        rocr_rs::Error::QueueCreation { .. } => Status::ERROR_OUT_OF_RESOURCES,
        error => error.status(),
    })?;
    Ok((queue, callback))
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
    // Held while one is made: an agent has one of them.
    let mut shared = (QueueType(kind) == QueueType::COOPERATIVE).then(|| session.cooperative.lock());
    if let Some(shared) = shared.as_mut().and_then(|shared| shared.get_mut(&agent.0)) {
        out.check()?;
        shared.users += 1;
        return out.set(shared.queue);
    }
    let packets = if shared.is_some() { packets.max(COOPERATIVE_PACKETS) } else { packets };
    let (queue, callback) = create_hardware(agent, packets, kind, on_error, data, out)?;
    let (handle, doorbell) = (queue.handle(), queue.doorbell_signal());
    add(AnyQueue::Hardware(queue, callback), handle, Some(doorbell), out)?;
    if let Some(shared) = &mut shared {
        shared.insert(agent.0, SharedQueue { queue: handle, users: 1 });
    }
    Ok(())
}

/// An agent's one queue for kernels whose work-groups wait for each other: all who create one get it.
pub struct SharedQueue {
    queue: QueueHandle,
    users: usize,
}

/// Smallest ring of such a queue, which is made by the first who wants one.
const COOPERATIVE_PACKETS: u32 = 4096;

/// Makes a queue known to the program.
fn add(
    queue: AnyQueue,
    handle: QueueHandle,
    doorbell: Option<SignalHandle>,
    out: Out<QueueHandle>,
) -> Result {
    if let Some(doorbell) = doorbell {
        state().signals.add(doorbell.0, Target::Doorbell(queue.clone()));
    }
    state().queues.add(handle.0, queue);
    out.set(handle)
}

/// `hsa_soft_queue_create`
pub fn create_soft(
    region: RegionHandle,
    packets: u32,
    kind: u32,
    features: u32,
    doorbell: SignalHandle,
    out: Out<QueueHandle>,
) -> Result {
    let session = session()?;
    let wrong = out.is_null() || region.0 == 0 || doorbell.is_null() || !packets.is_power_of_two();
    if wrong || kind > QueueType::SINGLE.0 || features == 0 {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let (agent, kind_of_memory) = pool::region(&session, region)?;
    super::signal::find(doorbell)?;
    let pool::Kind::Global(pool) = kind_of_memory else { return Err(Status::ERROR_OUT_OF_RESOURCES) };
    let queue =
        HostQueue::create(&agent.pool(pool), packets, QueueType(kind), QueueFeature(features), doorbell);
    let queue = queue.map_err(|_| Status::ERROR_OUT_OF_RESOURCES)?;
    let handle = queue.handle();
    add(AnyQueue::Host(queue), handle, None, out)
}

/// `hsa_amd_queue_intercept_create`
pub fn create_intercept(
    agent: AgentHandle,
    packets: u32,
    kind: u32,
    on_error: OnError,
    data: Address,
    _private_bytes: u32,
    _group_bytes: u32,
    out: Out<QueueHandle>,
) -> Result {
    let (lower, callback) = create_hardware(agent, packets, kind, on_error, data, out)?;
    let queue = InterceptQueue::create(lower).map_err(|error| error.status())?;
    let (handle, doorbell) = (queue.handle(), queue.doorbell_signal());
    let _ = callback.queue.set(handle);
    add(AnyQueue::Intercept(queue, callback), handle, Some(doorbell), out)
}

/// What a tool does with packets: it gets them, their number, the index of the program's packet, and what passes others
/// on.
pub type OnPackets = Option<extern "C" fn(Address, u64, u64, Address, ffi::PacketWriter)>;

/// `hsa_amd_queue_intercept_register`
pub fn intercept(queue: QueueHandle, handler: OnPackets, data: Address) -> Result {
    session()?;
    let handler = handler.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
    let AnyQueue::Intercept(queue, _) = find(queue)? else { return Err(Status::ERROR_INVALID_QUEUE) };
    queue.add(Arc::new(move |packets: &[Packet], index, next: &mut dyn FnMut(&[Packet])| {
        let address = packets.as_ptr().expose_provenance() as u64;
        ffi::with_packet_writer(next, |writer| handler(address, packets.len() as u64, index, data, writer));
    }));
    Ok(())
}

/// `hsa_amd_runtime_queue_create_register`: tells of AQL queues that the runtime makes for itself. It makes none, so
/// that all that counts is that there is one who wants to know.
pub fn on_internal_queue(callback: Option<extern "C" fn(QueueHandle, AgentHandle, Address)>) -> Result {
    let session = session()?;
    if session.queue_notifier.swap(callback.is_some(), Ordering::Relaxed) {
        session.queue_notifier.store(true, Ordering::Relaxed);
        return Err(Status::ERROR);
    }
    Ok(())
}

pub fn destroy(queue: QueueHandle) -> Result {
    let session = session()?;
    if queue.is_null() {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    if !last_use(&session, queue) {
        return Ok(());
    }
    let callback = match state().queues.remove(queue.0).ok_or(Status::ERROR_INVALID_QUEUE)? {
        AnyQueue::Hardware(queue, callback) => {
            state().signals.remove(queue.doorbell_signal().0);
            callback
        }
        AnyQueue::Intercept(queue, callback) => {
            state().signals.remove(queue.doorbell_signal().0);
            queue.inactivate();
            callback
        }
        AnyQueue::Host(_) => return Ok(()),
    };
    // Before memory of the program goes that the callback may look at.
    callback.gone.lock().set(true);
    state().stopped.lock().retain(|stopped| !Arc::ptr_eq(&stopped.callback, &callback));
    Ok(())
}

/// Counts one user of a queue off. Whether it was the last.
fn last_use(session: &Session, queue: QueueHandle) -> bool {
    let mut shared = session.cooperative.lock();
    for entry in shared.values_mut().filter(|entry| entry.queue == queue) {
        entry.users -= 1;
        if entry.users > 0 {
            return false;
        }
    }
    shared.retain(|_, entry| entry.queue != queue);
    true
}

pub fn inactivate(queue: QueueHandle) -> Result {
    session()?;
    if queue.is_null() {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    match find(queue)? {
        AnyQueue::Hardware(queue, _) => queue.inactivate(),
        AnyQueue::Intercept(queue, _) => queue.inactivate(),
        AnyQueue::Host(_) => {}
    }
    Ok(())
}

/// Does something with a queue that there must be.
fn with(queue: QueueHandle, work: impl FnOnce(&QueueMemory) -> u64) -> u64 {
    state().queues.with(queue.0, |queue| work(queue.memory())).unwrap_or_else(|| {
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
    let queue = find(queue)?;
    queue.hardware()?.set_priority(priority).map_err(|_| Status::ERROR_INVALID_QUEUE)
}

/// `hsa_amd_queue_cu_set_mask`: no words mean all compute units.
pub fn set_cu_mask(queue: QueueHandle, bits: u32, mask: In<u32>) -> Result {
    session()?;
    let queue = find(queue)?;
    let queue = queue.hardware()?;
    if !bits.is_multiple_of(32) || (bits != 0) == mask.is_null() {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let words = mask.array(bits as usize / 32)?;
    let whole = queue.set_cu_mask(&words).map_err(|_| Status::ERROR)?;
    if whole { Ok(()) } else { Err(Status::CU_MASK_REDUCED) }
}

pub fn cu_mask(queue: QueueHandle, bits: u32, mask: Out<u32>) -> Result {
    session()?;
    let queue = find(queue)?;
    let queue = queue.hardware()?;
    if bits == 0 || !bits.is_multiple_of(32) {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let units = queue.agent().properties().compute_units;
    let words = queue.cu_mask().unwrap_or_else(|| all_units(units));
    let beyond = std::iter::repeat(0);
    let mut wanted = words.into_iter().chain(beyond).take(bits as usize / 32).enumerate();
    wanted.try_for_each(|(at, word)| mask.set_at(at, word))
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
    find(queue)?.hardware()?.set_profiling(on != 0);
    Ok(())
}

/// `hsa_amd_queue_get_info`: agent, doorbell number.
pub fn info(queue: QueueHandle, attribute: u32, value: ffi::Value) -> Result {
    let session = session()?;
    let queue = find(queue)?;
    let queue = queue.hardware()?;
    value.check()?;
    match attribute {
        0 => value.set(session.handle(queue.agent())),
        1 => value.set(queue.id()),
        _ => Err(Status::ERROR_INVALID_ARGUMENT),
    }
}
