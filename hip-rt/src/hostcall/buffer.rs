//! The hostcall buffer: memory that device and host both write while kernels run. Nothing here is a Rust reference:
//! words are loaded and stored atomically, by address.

#![allow(unsafe_code, reason = "reads and writes memory that the device shares, by address")]

use rocr_rs::{Agent, Error, Memory, PoolKind, SignalHandle};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

const HEADERS: u64 = 0;
const PAYLOADS: u64 = 8;
const DOORBELL: u64 = 16;
const FREE_STACK: u64 = 24;
const READY_STACK: u64 = 32;
const INDEX_MASK: u64 = 40;
/// The struct, rounded up.
const HEAD_BYTES: u64 = 64;

const HEADER_BYTES: u64 = 24;
const NEXT: u64 = 0;
const ACTIVE: u64 = 8;
const SERVICE: u64 = 16;
const CONTROL: u64 = 20;
const READY: u32 = 1;

const LANES: u64 = 64;
const SLOT_BYTES: u64 = 64;
const PAYLOAD_BYTES: u64 = LANES * SLOT_BYTES;

/// A buffer of some packets.
#[derive(Debug)]
pub struct Buffer {
    memory: Memory,
    packets: u64,
    mask: u64,
}

/// A packet that a wave put there.
#[derive(Debug, Clone, Copy)]
pub struct Taken {
    index: u64,
    /// One bit for each lane that asks.
    pub active: u64,
    /// What they ask for.
    pub service: u32,
}

impl Buffer {
    /// A buffer with one packet for each wave that can be on the agent.
    pub fn new(agent: &Agent, doorbell: SignalHandle) -> Result<Self, Error> {
        let properties = agent.properties();
        let waves =
            u64::from(properties.compute_units.max(1)) * u64::from(properties.max_waves_per_cu.max(32));
        let packets = waves.clamp(64, 1 << 16);
        let payloads = HEAD_BYTES + (packets * HEADER_BYTES).next_multiple_of(64);
        let bytes = payloads + packets * PAYLOAD_BYTES;
        let memory = agent.runtime().cpu_agent().pool(PoolKind::FineGrained).allocate(bytes as usize)?;
        memory.allow_access(std::slice::from_ref(agent))?;
        let mask = packets.next_power_of_two() - 1;
        let buffer = Self { memory, packets, mask };
        let base = buffer.address();
        for (at, value) in [
            (HEADERS, base + HEAD_BYTES),
            (PAYLOADS, base + payloads),
            (DOORBELL, doorbell.0),
            (READY_STACK, 0),
            (INDEX_MASK, mask),
        ] {
            buffer.word(base + at).store(value, Ordering::Relaxed);
        }
        // A list of all packets. Index 0 needs a tag above the mask, since the value 0 ends the list.
        for index in 0..packets {
            let next = match index {
                0 => 0,
                1 => mask + 1,
                _ => index - 1,
            };
            let header = buffer.header(index);
            buffer.word(header + NEXT).store(next, Ordering::Relaxed);
            buffer.half(header + CONTROL).store(0, Ordering::Relaxed);
        }
        buffer.word(base + FREE_STACK).store(packets - 1, Ordering::Release);
        Ok(buffer)
    }

    /// What kernels are given.
    pub fn address(&self) -> u64 {
        self.memory.va()
    }

    fn header(&self, index: u64) -> u64 {
        self.address() + HEAD_BYTES + index * HEADER_BYTES
    }

    fn slot(&self, index: u64, lane: u32) -> u64 {
        let payloads = HEAD_BYTES + (self.packets * HEADER_BYTES).next_multiple_of(64);
        self.address() + payloads + index * PAYLOAD_BYTES + u64::from(lane) * SLOT_BYTES
    }

    fn word(&self, address: u64) -> &AtomicU64 {
        debug_assert!(address >= self.address() && address + 8 <= self.address() + self.memory.size() as u64);
        // SAFETY: `address` is an aligned offset into `memory`, which lives as long as `self`; everyone accesses it
        // atomically.
        unsafe { AtomicU64::from_ptr(std::ptr::with_exposed_provenance_mut(address as usize)) }
    }

    fn half(&self, address: u64) -> &AtomicU32 {
        debug_assert!(address >= self.address() && address + 4 <= self.address() + self.memory.size() as u64);
        // SAFETY: as in `word`.
        unsafe { AtomicU32::from_ptr(std::ptr::with_exposed_provenance_mut(address as usize)) }
    }

    /// Takes all packets that are ready, the one that came last first.
    pub fn take(&self) -> Vec<Taken> {
        let mut taken = Vec::new();
        let ready = self.word(self.address() + READY_STACK);
        if ready.load(Ordering::Relaxed) == 0 {
            return taken;
        }
        let mut top = ready.swap(0, Ordering::AcqRel);
        while top != 0 {
            let index = top & self.mask;
            // What the device wrote is not trusted: an index out of range or a list without end stops the walk.
            if index >= self.packets || taken.len() as u64 >= self.packets {
                break;
            }
            let header = self.header(index);
            taken.push(Taken {
                index,
                active: self.word(header + ACTIVE).load(Ordering::Acquire),
                service: self.half(header + SERVICE).load(Ordering::Relaxed),
            });
            top = self.word(header + NEXT).load(Ordering::Relaxed);
        }
        taken
    }

    /// The words that a lane sent.
    pub fn read(&self, packet: &Taken, lane: u32) -> [u64; 8] {
        let slot = self.slot(packet.index, lane);
        std::array::from_fn(|at| self.word(slot + 8 * at as u64).load(Ordering::Relaxed))
    }

    /// Stores a lane's answer.
    pub fn answer(&self, packet: &Taken, lane: u32, words: [u64; 2]) {
        let slot = self.slot(packet.index, lane);
        self.word(slot).store(words[0], Ordering::Relaxed);
        self.word(slot + 8).store(words[1], Ordering::Relaxed);
    }

    /// Gives the packet back to its wave.
    pub fn release(&self, packet: &Taken) {
        self.half(self.header(packet.index) + CONTROL).fetch_and(!READY, Ordering::Release);
    }
}
