//! Kernel arguments: memory that the device reads, in chunks that are used again once the launches of a chunk are done.

use crate::error::{Result, reported};
use rocr_rs::{Agent, Memory, PoolKind};
use std::collections::VecDeque;

const CHUNK: usize = 64 << 10;
const MOST_CHUNKS: usize = 64;
const ALIGN: usize = 64;

struct Chunk {
    memory: Memory,
    used: usize,
    /// The last launch that has arguments here.
    last: u64,
}

/// The argument memory of one lane. Launches are numbered in the order in which they complete.
#[derive(Default)]
pub struct KernargRing {
    /// The chunk in use is the last one.
    chunks: VecDeque<Chunk>,
}

impl KernargRing {
    /// Finds `size` bytes for launch number `ticket`. `completed` says how many launches are done; `wait` waits until
    /// a launch is.
    pub fn allocate(
        &mut self,
        agent: &Agent,
        size: usize,
        ticket: u64,
        completed: impl Fn() -> u64,
        wait: impl Fn(u64),
    ) -> Result<u64> {
        let size = size.max(1).next_multiple_of(ALIGN);
        if let Some(chunk) = self.chunks.back_mut()
            && chunk.used + size <= chunk.memory.size()
        {
            let va = chunk.memory.va() + chunk.used as u64;
            chunk.used += size;
            chunk.last = ticket;
            return Ok(va);
        }
        let oldest = self.chunks.front().map(|chunk| chunk.last);
        let reuse = match oldest {
            Some(last) if last <= completed() => true,
            Some(last) if self.chunks.len() >= MOST_CHUNKS => {
                wait(last);
                true
            }
            _ => false,
        };
        let old = if reuse { self.chunks.pop_front() } else { None };
        let memory = match old {
            Some(chunk) if chunk.memory.size() >= size => chunk.memory,
            _ => agent
                .pool(PoolKind::Kernarg)
                .allocate(size.max(CHUNK))
                .map_err(|error| reported("kernel arguments", &error))?,
        };
        let va = memory.va();
        self.chunks.push_back(Chunk { memory, used: size, last: ticket });
        Ok(va)
    }
}
