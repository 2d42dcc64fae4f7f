//! The GPU page table as the wave engine reads it, for the time that a thread stays with a dispatch.

#![allow(unsafe_code, reason = "hands the engine windows of host memory")]

use std::sync::Arc;

use amdgpu_isa::{AddressSpace, Window};
use parking_lot::Mutex;

use crate::vm::{PageTable, Vm, guard};

/// The page table at the start of the stay and, for addresses that it does not have, as it is later. All tables are kept
/// until the stay is over, and with them the memory behind every window that was handed out.
pub(super) struct StaySpace<'a> {
    vm: &'a Vm,
    first: Arc<PageTable>,
    later: Mutex<Vec<Arc<PageTable>>>,
}

impl StaySpace<'_> {
    pub(super) fn new(vm: &Vm) -> StaySpace<'_> {
        let first = vm.table();
        // Looked for each time: the program may have set handlers of its own meanwhile.
        if first.has_user() {
            guard::arm();
        }
        StaySpace { vm, first, later: Mutex::new(Vec::new()) }
    }
}

fn window(table: &PageTable, va: u64) -> Option<Window> {
    let map = table.find(va)?;
    let host = std::ptr::with_exposed_provenance_mut(map.host as usize);
    // SAFETY: the table holds the object and so the mapping of `map.len` bytes at `map.host`, and `StaySpace` holds
    // the table until no view is left; of user pointers the program may take the memory away, and whoever runs waves
    // catches the faults that come of it.
    let window = unsafe { Window::new(map.va, map.len, host, map.rights.write, map.rights.execute) };
    Some(if map.rights.no_float_atomics { window.without_float_atomics() } else { window })
}

impl AddressSpace for StaySpace<'_> {
    fn window(&self, va: u64) -> Option<Window> {
        if let Some(found) = window(&self.first, va) {
            return Some(found);
        }
        let now = self.vm.table();
        let found = window(&now, va)?;
        if now.has_user() {
            guard::arm();
        }
        self.later.lock().push(now);
        Some(found)
    }
}
