//! Memory that device code asks the host for (service 3): slabs and large blocks of `malloc`.

use parking_lot::Mutex;
use rocr_rs::{Agent, Memory, PoolKind};
use std::collections::BTreeMap;

const PAGE: u64 = 4096;
/// `ockl/src/dm.cl`: a slab is this large, and aligned to it.
const SLAB: u64 = 2 << 20;

/// What device code has.
#[derive(Debug, Default)]
pub struct Heap {
    blocks: Mutex<BTreeMap<u64, Memory>>,
}

impl Heap {
    /// A block of device memory, aligned to a page, or to 2 MiB if it is as large; 0 when there is none.
    pub fn allocate(&self, agent: &Agent, bytes: u64) -> u64 {
        let align = if bytes >= SLAB { SLAB } else { PAGE };
        let Some(bytes) = bytes.checked_next_multiple_of(PAGE).and_then(|bytes| bytes.checked_add(align))
        else {
            return 0;
        };
        let Ok(bytes) = usize::try_from(bytes) else { return 0 };
        match agent.pool(PoolKind::CoarseGrained).allocate(bytes) {
            Ok(memory) => {
                let address = memory.va().next_multiple_of(align);
                self.blocks.lock().insert(address, memory.of_runtime());
                address
            }
            Err(_) => 0,
        }
    }

    /// Takes a block back.
    pub fn free(&self, address: u64) {
        self.blocks.lock().remove(&address);
    }
}
