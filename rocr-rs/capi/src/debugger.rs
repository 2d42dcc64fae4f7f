//! The list of loaded code objects that debuggers read (`_amdgpu_r_debug`, laid out as `struct r_debug` and `struct
//! link_map` of `<link.h>`): an executable's code objects come when it is frozen and go when it is destroyed. Around each
//! change a function is called, on which a debugger has a breakpoint.
//!
//! The version is 1, that of the list alone: higher ones promise the registers of a trap handler that this library does
//! not install.

use std::ffi::{CString, c_char};
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use parking_lot::Mutex;

const VERSION: i32 = 1;
/// `RT_CONSISTENT`, `RT_ADD`, `RT_DELETE`
const CONSISTENT: u32 = 0;
const ADD: u32 = 1;
const DELETE: u32 = 2;

/// `struct r_debug`
#[repr(C)]
#[derive(Debug)]
pub struct RDebug {
    version: i32,
    map: AtomicPtr<LinkMap>,
    brk: AtomicPtr<()>,
    state: AtomicU32,
    ldbase: u64,
}

/// `struct link_map`
#[repr(C)]
#[derive(Debug)]
pub struct LinkMap {
    /// Load address minus link address.
    addr: u64,
    /// The code object's URI.
    name: AtomicPtr<c_char>,
    ld: u64,
    next: AtomicPtr<LinkMap>,
    prev: AtomicPtr<LinkMap>,
}

const _: () = {
    assert!(size_of::<RDebug>() == 40 && std::mem::offset_of!(RDebug, state) == 24);
    assert!(size_of::<LinkMap>() == 40 && std::mem::offset_of!(LinkMap, next) == 24);
};

impl RDebug {
    /// An empty list.
    pub const fn new() -> Self {
        Self {
            version: VERSION,
            map: AtomicPtr::new(std::ptr::null_mut()),
            brk: AtomicPtr::new((changed as *const ()).cast_mut()),
            state: AtomicU32::new(CONSISTENT),
            ldbase: 0,
        }
    }
}

/// What debuggers stop at. Called before a change and after it; the state says which.
#[inline(never)]
extern "C" fn changed() {
    std::hint::black_box(());
}

/// A code object in the list.
struct Entry {
    executable: u64,
    map: Box<LinkMap>,
    _name: CString,
}

/// What keeps the entries of the list.
pub struct CodeObjects {
    entries: Mutex<Vec<Entry>>,
}

impl CodeObjects {
    /// None.
    pub const fn new() -> Self {
        Self { entries: Mutex::new(Vec::new()) }
    }

    /// Adds the code objects of an executable: load delta and URI of each.
    pub fn add(&self, debug: &RDebug, executable: u64, loaded: impl Iterator<Item = (u64, String)>) {
        self.change(debug, ADD, |entries| {
            for (addr, uri) in loaded {
                // URIs have no NUL.
                let name = CString::new(uri).unwrap_or_default();
                let map = Box::new(LinkMap {
                    addr,
                    name: AtomicPtr::new(name.as_ptr().cast_mut()),
                    ld: 0,
                    next: AtomicPtr::new(std::ptr::null_mut()),
                    prev: AtomicPtr::new(std::ptr::null_mut()),
                });
                entries.push(Entry { executable, map, _name: name });
            }
            Vec::new()
        });
    }

    /// Takes out the code objects of an executable.
    pub fn remove(&self, debug: &RDebug, executable: u64) {
        if self.entries.lock().iter().any(|entry| entry.executable == executable) {
            self.change(debug, DELETE, |entries| {
                entries.extract_if(.., |entry| entry.executable == executable).collect()
            });
        }
    }

    /// Takes out all.
    pub fn clear(&self, debug: &RDebug) {
        if !self.entries.lock().is_empty() {
            self.change(debug, DELETE, std::mem::take);
        }
    }

    /// Changes the list; what `change` returns is out of it before it goes.
    fn change(&self, debug: &RDebug, state: u32, change: impl FnOnce(&mut Vec<Entry>) -> Vec<Entry>) {
        let mut entries = self.entries.lock();
        debug.state.store(state, Ordering::SeqCst);
        changed();
        let gone = change(&mut entries);
        let mut before: *mut LinkMap = std::ptr::null_mut();
        let mut link = &debug.map;
        for entry in entries.iter() {
            let here = (&raw const *entry.map).cast_mut();
            entry.map.prev.store(before, Ordering::Relaxed);
            link.store(here, Ordering::Release);
            link = &entry.map.next;
            before = here;
        }
        link.store(std::ptr::null_mut(), Ordering::Release);
        debug.state.store(CONSISTENT, Ordering::SeqCst);
        changed();
        drop(gone);
    }
}
