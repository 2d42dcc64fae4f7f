//! The one static of the library: programs and linkers by handle.

use hip_sys::hiprtcResult;
use hiprtc_rs::{Built, Linker, Program};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::ffi::CString;
use std::sync::Arc;

static STATE: State = State { programs: Table::new(), linkers: Table::new() };

/// Everything that outlives a call.
pub struct State {
    /// By `hiprtcProgram`.
    pub programs: Table<Held>,
    /// By `hiprtcLinkState`.
    pub linkers: Table<Linking>,
}

/// The state.
pub fn state() -> &'static State {
    &STATE
}

/// A program that a caller holds.
pub struct Held {
    /// The program.
    pub program: Program,
    /// What became of it.
    pub built: Option<Built>,
    /// What the compiler said, with a NUL; empty when it said nothing.
    pub log: Vec<u8>,
    /// Lowered names as they were given out.
    pub lowered: BTreeMap<String, CString>,
}

/// A linker that a caller holds.
#[derive(Default)]
pub struct Linking {
    /// The linker.
    pub linker: Linker,
    /// What it made, where it was told to the caller.
    pub code: Vec<u8>,
}

/// Things that callers hold, by handle. Handles are not used again.
pub struct Table<T>(Mutex<Handles<T>>);

struct Handles<T> {
    last: usize,
    held: BTreeMap<usize, Arc<Mutex<T>>>,
}

impl<T> Table<T> {
    const fn new() -> Self {
        Self(Mutex::new(Handles { last: 0, held: BTreeMap::new() }))
    }

    /// Gives a handle out.
    pub fn add(&self, value: T) -> usize {
        let mut table = self.0.lock();
        table.last += 16;
        let handle = table.last;
        table.held.insert(handle, Arc::new(Mutex::new(value)));
        handle
    }

    /// Works on what a handle is of.
    pub fn with<R>(
        &self,
        handle: usize,
        unknown: hiprtcResult,
        work: impl FnOnce(&mut T) -> Result<R, hiprtcResult>,
    ) -> Result<R, hiprtcResult> {
        // Others may work on theirs meanwhile: a compiler takes its time.
        let found = self.0.lock().held.get(&handle).cloned();
        work(&mut found.ok_or(unknown)?.lock())
    }

    /// Takes a handle back; false for one that is none.
    pub fn remove(&self, handle: usize) -> bool {
        self.0.lock().held.remove(&handle).is_some()
    }
}
