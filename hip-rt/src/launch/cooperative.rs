//! Grids whose work-groups wait for each other, alone or together with grids on other devices: what `ockl/src/cg.cl` reads.

use super::Geometry;
use crate::error::{Result, reported};
use crate::ffi;
use crate::marker::Marker;
use parking_lot::Mutex;
use rocr_rs::{Memory, PoolKind, Runtime};
use std::sync::Arc;

/// Bytes of a grid's synchronisation block (`struct mg_info`), zero at the start but for what [`block`] sets.
pub const BLOCK_BYTES: usize = 64;

/// A grid's place among those that were launched together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Among {
    /// Its number, from 0.
    pub index: u32,
    /// How many grids there are.
    pub count: u32,
    /// Work-items of the grids before it.
    pub before: u64,
    /// Work-items of all grids.
    pub all: u64,
    /// Address of the counters at which the grids meet (`struct mg_sync`); 0 of one that is alone.
    pub counters: u64,
}

impl Among {
    /// The place of a grid that is alone.
    pub fn alone(grid: [u32; 3]) -> Among {
        Among { index: 0, count: 1, before: 0, all: items(grid), counters: 0 }
    }
}

/// Work-items of a grid.
pub fn items(grid: [u32; 3]) -> u64 {
    grid.iter().map(|side| u64::from(*side)).product()
}

/// `struct mg_info`: `mgs`, `grid_id`, `num_grids`, `prev_sum`, `all_sum`, `sgs`, `num_wg`.
pub fn block(geometry: &Geometry, among: &Among) -> [u8; BLOCK_BYTES] {
    let mut block = [0; BLOCK_BYTES];
    block[0..8].copy_from_slice(&among.counters.to_le_bytes());
    block[8..12].copy_from_slice(&among.index.to_le_bytes());
    block[12..16].copy_from_slice(&among.count.to_le_bytes());
    block[16..24].copy_from_slice(&among.before.to_le_bytes());
    block[24..32].copy_from_slice(&among.all.to_le_bytes());
    block[40..44].copy_from_slice(&groups(geometry).to_le_bytes());
    block
}

/// Work-groups of a grid whose blocks are whole.
pub fn groups(geometry: &Geometry) -> u32 {
    (0..3).map(|at| geometry.grid[at] / geometry.block[at].max(1)).product()
}

/// Bytes of the counters of one launch on several devices, on a cache line of their own.
const SLOT_BYTES: u64 = 64;
const SLOTS: u64 = 64;

/// Counters at which grids on several devices meet, in memory of the host.
#[derive(Default)]
pub struct Meetings {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    memory: Option<Memory>,
    /// Slots that launches have, and what is reached when their kernels are done.
    used: Vec<(u64, Vec<Arc<Marker>>)>,
}

impl Meetings {
    /// Finds counters, all 0, for a launch that `launch` does; it returns what is reached when its kernels are done.
    pub fn hold(
        &self,
        runtime: &Arc<Runtime>,
        launch: impl FnOnce(u64) -> Result<Vec<Arc<Marker>>>,
    ) -> Result {
        let mut inner = self.inner.lock();
        let base = match &inner.memory {
            Some(memory) => memory.va(),
            None => {
                let memory = runtime
                    .cpu_agent()
                    .pool(PoolKind::FineGrained)
                    .allocate((SLOTS * SLOT_BYTES) as usize)
                    .map_err(|error| reported("counters of launches on several devices", &error))?;
                inner.memory.insert(memory).va()
            }
        };
        inner.used.retain(|(_, done)| !done.iter().all(|marker| marker.is_reached()));
        if inner.used.len() as u64 == SLOTS {
            let (_, done) = inner.used.remove(0);
            for marker in done {
                // Its error is that launch's.
                let _ = marker.wait();
            }
        }
        let taken = |slot: &u64| inner.used.iter().any(|(used, _)| used == slot);
        let slot = (0..SLOTS).find(|slot| !taken(slot)).unwrap_or(0);
        let counters = base + slot * SLOT_BYTES;
        ffi::write_bytes(counters, &[0; SLOT_BYTES as usize]);
        let done = launch(counters)?;
        inner.used.push((slot, done));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_says_where_its_grid_stands() {
        let among = Among { index: 1, count: 2, before: 512, all: 1024, counters: 0x7000 };
        let geometry = Geometry { grid: [512, 2, 1], block: [64, 2, 1], shared: 0, cooperative: Some(among) };
        let block = block(&geometry, &among);
        let word = |at: usize| u64::from_le_bytes(block[at..at + 8].try_into().unwrap());
        assert_eq!([0, 8, 16, 24, 32, 40].map(word), [0x7000, 1 | 2 << 32, 512, 1024, 0, 8]);
        assert_eq!(
            Among::alone([512, 2, 1]),
            Among { index: 0, count: 1, before: 0, all: 1024, counters: 0 }
        );
    }
}
