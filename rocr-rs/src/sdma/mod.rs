//! SDMA engines: queues of the driver that copy and fill memory beside the kernels (ROCr's `amd_blit_sdma.cpp`).
//!
//! An agent has a queue for each direction, and one for each number of an engine that a program names: which engine serves
//! it is for the driver to choose. What a copy waits for is waited
//! for by the host before it gets here: a queue is in order, and one that waits for what comes after it would never end.

mod packets;
mod transfer;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use thunk_rs::{NodeId, QueueKind, QueuePriority, QueueRequest};

use crate::backoff::Backoff;
use crate::memory::Block;
use crate::{Error, Signal, core::Core};
use packets::{Plane, Program};
pub use transfer::{Rows, Transfer};

/// Bytes of a ring.
const RING: usize = 128 << 10;
/// A program goes to the ring in parts of about so many bytes, which leave room for padding: it may be longer than memory.
const PART: usize = RING / 8;
/// Of the block after the ring: read and write index.
const READ: usize = RING;
const WRITE: usize = RING + 64;
const BLOCK: usize = RING + 4096;

/// Architectures, by their first number, whose engines understand [`packets`].
const GENERATIONS: &[u32] = &[9];

/// What is told when work is done.
#[derive(Default)]
pub(crate) struct Ending {
    /// Completed, by a subtraction of one.
    pub(crate) completion: Option<Signal>,
    /// Whether it also gets the times.
    pub(crate) timed: bool,
    /// Completed, too: memory that was locked for the work goes then.
    pub(crate) unlock: Option<Signal>,
}

impl Ending {
    /// Ends what was not done: the completion signal gets a negative value, as `hsa_amd_memory_async_copy` has it.
    pub(crate) fn fail(&self) {
        if let Some(signal) = &self.completion {
            signal.store(FAILED, Ordering::Release);
        }
        self.unlock();
    }

    /// Lets locked memory go.
    pub(crate) fn unlock(&self) {
        if let Some(signal) = &self.unlock {
            signal.store(0, Ordering::Release);
        }
    }
}

/// The value of a completion signal whose work failed.
pub(crate) const FAILED: i64 = -1;

/// Queues of an agent, by number; each is made when it is first needed.
pub(crate) struct Engines {
    queues: Vec<Mutex<Option<EngineQueue>>>,
    /// After a fault of their agent they take no more.
    stopped: AtomicBool,
}

/// The numbers of queues for work in one direction; those for engines that programs name come after them.
pub(crate) const TO_DEVICE: usize = 0;
pub(crate) const FROM_DEVICE: usize = 1;
const NAMED: usize = 2;

impl Engines {
    /// Of an agent with that many engines.
    pub(crate) fn new(generation: u32, engines: u32) -> Self {
        let known = GENERATIONS.contains(&generation) && engines != 0;
        let queues = if known { NAMED + engines.min(30) as usize } else { 0 };
        Self { queues: (0..queues).map(|_| Mutex::default()).collect(), stopped: AtomicBool::new(false) }
    }

    /// Whether there are any that this runtime can use.
    pub(crate) fn exist(&self) -> bool {
        self.count() != 0 && !self.stopped.load(Ordering::Acquire)
    }

    /// How many a program can name.
    pub(crate) fn count(&self) -> usize {
        self.queues.len().saturating_sub(NAMED)
    }

    /// Their agent failed: what is under way will not be done.
    pub(crate) fn fail(&self) {
        // First, so that nobody waits for room in a ring with its lock held.
        self.stopped.store(true, Ordering::Release);
        for queue in &self.queues {
            if let Some(queue) = queue.lock().as_mut() {
                queue.fail();
            }
        }
    }

    /// The queue of the engine that a program names, from 0 on.
    pub(crate) fn named(&self, engine: usize) -> Option<usize> {
        engine.checked_add(NAMED).filter(|queue| *queue < self.queues.len())
    }

    /// Those engines that have nothing to do, a bit each.
    pub(crate) fn idle(&self) -> u32 {
        let named = self.queues.iter().skip(NAMED).enumerate();
        named.fold(0, |mask, (engine, queue)| {
            let busy = queue.lock().as_ref().is_some_and(|queue| !queue.is_idle());
            if busy { mask } else { mask | 1 << engine }
        })
    }

    /// Hands work to a queue.
    pub(crate) fn submit(
        &self,
        core: &Core,
        agent: usize,
        queue: usize,
        transfer: &Transfer,
        ending: Ending,
    ) -> Result<(), Error> {
        let none = || Error::InvalidArgument {
            what: "SDMA engine",
            why: format!("there is none of number {queue}"),
        };
        let mut queue = self.queues.get(queue).ok_or_else(none)?.lock();
        if queue.is_none() {
            *queue = Some(EngineQueue::new(core, agent)?);
        }
        let Some(queue) = queue.as_mut() else { return Err(none()) };
        let ended = queue.submit(core, agent, transfer, &ending, &self.stopped);
        if ended.is_ok() {
            queue.kept.push_back((queue.written, ending));
        }
        ended
    }
}

/// A queue of the driver with its ring.
struct EngineQueue {
    queue: thunk_rs::Queue,
    block: Block,
    /// Bytes that were ever written.
    written: u64,
    /// What is kept, by the bytes after which it may go.
    kept: VecDeque<(u64, Ending)>,
}

impl EngineQueue {
    fn new(core: &Core, agent: usize) -> Result<Self, Error> {
        let block = core.allocate_shared(BLOCK, "SDMA ring")?;
        let request = QueueRequest {
            node: NodeId(core.agents[agent].node_id),
            kind: QueueKind::Sdma,
            ring_va: block.va(),
            ring_bytes: RING as u64,
            read_ptr_va: block.va() + READ as u64,
            write_ptr_va: block.va() + WRITE as u64,
            priority: QueuePriority::Normal,
            percentage: 100,
            error_payload_va: 0,
            error_event_id: 0,
        };
        let made = core.thunk.create_queue(&request);
        let queue = made.map_err(|source| Error::Driver { what: "create an SDMA queue", source })?;
        Ok(Self { queue, block, written: 0, kept: VecDeque::new() })
    }

    fn read(&self) -> u64 {
        self.block.u64_at(READ).load(Ordering::Acquire)
    }

    fn is_idle(&self) -> bool {
        self.read() == self.written
    }

    /// Ends what the engine has not come to.
    fn fail(&mut self) {
        let read = self.read();
        self.kept.drain(..).filter(|(after, _)| *after > read).for_each(|(_, ending)| ending.fail());
    }

    fn submit(
        &mut self,
        core: &Core,
        agent: usize,
        transfer: &Transfer,
        ending: &Ending,
        stopped: &AtomicBool,
    ) -> Result<(), Error> {
        let read = self.read();
        while self.kept.front().is_some_and(|(after, _)| *after <= read) {
            self.kept.pop_front();
        }
        core.flush_host_writes(agent);
        let mut program = Program::default();
        let stamps = ending.completion.as_ref().filter(|_| ending.timed).map(Signal::copy_stamps);
        if let Some((start, _)) = stamps {
            program.timestamp(start);
        }
        self.encode(&mut program, transfer, stopped)?;
        if let Some((_, end)) = stamps {
            program.timestamp(end);
        }
        if let Some(signal) = &ending.completion {
            signal.note_copy_agent(Some(agent).filter(|_| ending.timed));
        }
        for signal in ending.completion.iter().chain(&ending.unlock) {
            program.add_to(signal.value_va(), -1);
            if let Some((mailbox, event)) = signal.mailbox() {
                program.interrupt(mailbox, event);
            }
        }
        self.write(&mut program, stopped)
    }

    /// Writes whole packets, tells the engine, and begins a new program.
    fn write(&mut self, program: &mut Program, stopped: &AtomicBool) -> Result<(), Error> {
        let bytes = program.dwords.len() * 4;
        let at = (self.written % RING as u64) as usize;
        let pad = if at + bytes > RING { RING - at } else { 0 };
        let needed = (pad + bytes) as u64;
        let mut backoff = Backoff::default();
        loop {
            if stopped.load(Ordering::Acquire) {
                return Err(Error::EngineStopped);
            }
            if self.written + needed - self.read() <= RING as u64 {
                break;
            }
            backoff.pause();
        }
        for dword in packets::padding(pad / 4).iter().chain(&program.dwords) {
            let at = (self.written % RING as u64) as usize;
            self.block.u32_at(at).store(*dword, Ordering::Relaxed);
            self.written += 4;
        }
        self.block.u64_at(WRITE).store(self.written, Ordering::Release);
        self.queue.ring(self.written);
        program.dwords.clear();
        Ok(())
    }

    /// Writes a program that has become long.
    fn flush(&mut self, program: &mut Program, stopped: &AtomicBool) -> Result<(), Error> {
        if program.dwords.len() * 4 >= PART { self.write(program, stopped) } else { Ok(()) }
    }

    fn copy(
        &mut self,
        program: &mut Program,
        stopped: &AtomicBool,
        [dst, src, bytes]: [u64; 3],
    ) -> Result<(), Error> {
        let mut done = 0;
        while done < bytes {
            done += program.copy(dst + done, src + done, bytes - done);
            self.flush(program, stopped)?;
        }
        Ok(())
    }

    fn encode(
        &mut self,
        program: &mut Program,
        transfer: &Transfer,
        stopped: &AtomicBool,
    ) -> Result<(), Error> {
        match *transfer {
            Transfer::Copy { dst, src, bytes } => self.copy(program, stopped, [dst, src, bytes]),
            Transfer::Fill { dst, value, words } => {
                let (mut done, bytes) = (0, words * 4);
                while done < bytes {
                    done += program.fill(dst + done, value, bytes - done);
                    self.flush(program, stopped)?;
                }
                Ok(())
            }
            Transfer::Rows { dst, src, width, rows, layers } => {
                let numbers = [width, dst.base, dst.pitch, dst.slice, src.base, src.pitch, src.slice];
                // Elements as large as everything is a multiple of.
                let element = numbers.iter().fold(4, |bits: u32, number| bits.min(number.trailing_zeros()));
                let plane = |side: Rows| Plane {
                    base: side.base,
                    pitch: side.pitch >> element,
                    slice: if layers == 1 { 1 } else { side.slice >> element },
                };
                if program.copy_rectangle(element, plane(dst), plane(src), [width >> element, rows, layers]) {
                    return Ok(());
                }
                for layer in 0..layers {
                    for row in 0..rows {
                        self.copy(program, stopped, [dst.at(row, layer), src.at(row, layer), width])?;
                    }
                }
                Ok(())
            }
        }
    }
}
