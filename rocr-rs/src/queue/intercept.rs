//! Queues whose packets a tool sees, and may change, before the packet processor does
//! (`hsa_amd_queue_intercept_create`).
//!
//! The program writes to a ring of its own. Its doorbell takes the packets out one by one, in order, and hands each to the
//! interceptors, last registered first; what they make of it goes to the queue below. Where that has no room, a thread
//! waits for some, so that the doorbell never does.

use std::{
    cell::RefCell,
    collections::VecDeque,
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, Ordering},
    },
};

use hsa_sys::{AmdQueue, PacketType, QueueHandle, SignalCondition, SignalHandle};
use parking_lot::{ReentrantMutex, RwLock};
use zerocopy::IntoBytes;

use super::{PACKET_BYTES, Packet, Queue, QueueMemory, memory::descriptor, ring};
use crate::{Error, Signal, SignalKind};

/// What an interceptor does: it is given packets, the index in the program's ring of the packet they come from, and what
/// passes packets on. It may pass on others, none, and more than once.
pub type Interceptor = dyn Fn(&[Packet], u64, &mut dyn FnMut(&[Packet])) + Send + Sync;

/// The value of the doorbell that nobody has rung.
const QUIET: i64 = -1;

/// A queue with interceptors over another one.
pub struct InterceptQueue {
    memory: QueueMemory,
    lower: Arc<Queue>,
    /// Kernels ring this one.
    doorbell: Signal,
    interceptors: RwLock<Vec<Arc<Interceptor>>>,
    /// Entered again by an interceptor that rings its own queue, which finds it borrowed.
    progress: ReentrantMutex<RefCell<Progress>>,
    active: AtomicBool,
}

#[derive(Default)]
struct Progress {
    /// First packet that the interceptors have not seen.
    next: u64,
    /// What had no room below.
    waiting: VecDeque<Packet>,
    /// A thread is on its way with `waiting`, so all else queues up behind.
    draining: bool,
}

impl InterceptQueue {
    /// A queue over `lower`, which nobody else may write to.
    pub fn create(lower: Arc<Queue>) -> Result<Arc<Self>, Error> {
        let agent = lower.agent().clone();
        let runtime = agent.runtime();
        let core = &runtime.core;
        let packets = lower.size();
        let memory = QueueMemory {
            control: core.allocate_shared(size_of::<AmdQueue>(), "queue")?,
            ring: core.allocate_shared(packets as usize * PACKET_BYTES, "ring")?,
            packets,
        };
        memory.clear();
        let doorbell = Signal::with_core(core, QUIET, SignalKind::Interrupt)?;
        let descriptor =
            descriptor(&agent, lower.kind, &memory, lower.id(), lower.inactive.handle(), doorbell.handle());
        memory.control.write_bytes(0, descriptor.as_bytes());
        let queue = Arc::new(Self {
            memory,
            lower,
            doorbell,
            interceptors: RwLock::default(),
            progress: ReentrantMutex::default(),
            active: AtomicBool::new(true),
        });
        let weak = Arc::downgrade(&queue);
        let doorbell = queue.doorbell.clone();
        runtime.on_signal(&queue.doorbell, SignalCondition::NE, QUIET, move |_| {
            let Some(queue) = Weak::upgrade(&weak) else { return false };
            doorbell.silent_store(QUIET, Ordering::SeqCst);
            queue.ring_doorbell();
            true
        })?;
        Ok(queue)
    }

    /// The queue below.
    pub fn lower(&self) -> &Arc<Queue> {
        &self.lower
    }

    /// The program's ring and indices.
    pub fn memory(&self) -> &QueueMemory {
        &self.memory
    }

    /// Address of the `amd_queue_t` that the program has.
    pub fn handle(&self) -> QueueHandle {
        self.memory.handle()
    }

    /// The signal whose store rings the queue: [`ring_doorbell`](Self::ring_doorbell) for hosts, a store for kernels.
    pub fn doorbell_signal(&self) -> SignalHandle {
        self.doorbell.handle()
    }

    /// Adds an interceptor, which sees packets before those that were added earlier.
    pub fn add(&self, interceptor: Arc<Interceptor>) {
        self.interceptors.write().push(interceptor);
    }

    /// Puts the queue out of service.
    pub fn inactivate(&self) {
        self.active.store(false, Ordering::SeqCst);
        self.lower.inactivate();
    }

    /// Takes the packets that are complete from the program's ring, as long as what they become finds room. An interceptor that
    /// rings its own queue is heard when it returns; one that waits for a thread which rings it waits for ever, since packets
    /// are handed on in order.
    pub fn ring_doorbell(self: &Arc<Self>) {
        let lock = self.progress.lock();
        let Ok(mut progress) = lock.try_borrow_mut() else { return };
        self.start_to_drain(&mut progress);
        while self.active.load(Ordering::SeqCst)
            && progress.waiting.len() < self.memory.packets as usize
            && progress.next < self.memory.load_write_index(Ordering::Acquire)
        {
            let index = progress.next;
            let packet = Packet(ring::peek(&self.memory, index));
            if packet.header().kind() == PacketType::INVALID {
                break;
            }
            let interceptors = self.interceptors.read().clone();
            pass(&interceptors, &[packet], index, &mut |packets| self.submit(&mut progress, packets));
            let slot = (index & u64::from(self.memory.packets - 1)) as u32;
            self.memory.word(slot, 0).store(u32::from(PacketType::INVALID.0), Ordering::Release);
            progress.next = index + 1;
            self.memory.store_read_index(progress.next, Ordering::Release);
        }
    }

    /// Gives packets to the queue below, now or when it has room.
    fn submit(self: &Arc<Self>, progress: &mut Progress, packets: &[Packet]) {
        let used = self.lower.write_index().saturating_sub(self.lower.read_index());
        let free = u64::from(self.lower.size()).saturating_sub(used);
        if progress.waiting.is_empty() && !progress.draining && packets.len() as u64 <= free {
            for packet in packets {
                // A queue that stopped takes no packets; who waits for them learns of it from the queue's error.
                let _ = self.lower.submit(*packet);
            }
            return;
        }
        progress.waiting.extend(packets);
        self.start_to_drain(progress);
    }

    /// Sends a thread on its way with what waits, if there is none. One that cannot start is tried again with the next packet.
    fn start_to_drain(self: &Arc<Self>, progress: &mut Progress) {
        if !progress.draining && !progress.waiting.is_empty() {
            let queue = self.clone();
            let thread = std::thread::Builder::new().name("rocr-intercept".into());
            progress.draining = thread.spawn(move || queue.drain()).is_ok();
        }
    }

    /// Submits what had no room, until nothing is left; then looks for what was left in the program's ring meanwhile.
    fn drain(self: &Arc<Self>) {
        while let Some(packet) = self.next_waiting() {
            let _ = self.lower.submit(packet);
        }
        self.ring_doorbell();
    }

    fn next_waiting(&self) -> Option<Packet> {
        let lock = self.progress.lock();
        let mut progress = lock.borrow_mut();
        let packet = progress.waiting.pop_front().filter(|_| self.active.load(Ordering::SeqCst));
        if packet.is_none() {
            progress.waiting.clear();
            progress.draining = false;
        }
        packet
    }
}

/// Hands packets to the last of the interceptors, and what it passes on to the one before.
fn pass(list: &[Arc<Interceptor>], packets: &[Packet], index: u64, out: &mut dyn FnMut(&[Packet])) {
    match list.split_last() {
        None => out(packets),
        Some((last, rest)) => last(packets, index, &mut |packets| pass(rest, packets, index, out)),
    }
}

impl Drop for InterceptQueue {
    fn drop(&mut self) {
        // Wakes the doorbell's handler, which finds the queue gone.
        self.doorbell.store(0, Ordering::SeqCst);
    }
}
