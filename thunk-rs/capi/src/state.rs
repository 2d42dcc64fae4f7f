//! What the library keeps: the one `static` of this crate, opening and closing, and what `fork` does to it.

#![allow(
    unsafe_code,
    reason = "registers fork handlers with the C library, which hold the lock across a fork"
)]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use thunk_rs::memory::Memory;
use thunk_rs::{Event, MemoryTable, NodeId, OpenOptions, Queue, Thunk};

use crate::abi::memory::MemFlags;
use crate::abi::status::{Result, Status};
use crate::abi::{counter::CounterProperties, event};
use crate::api::topology::Snapshot;
use crate::ffi::Ptr;

/// A lock whose state is one word: a child can release it that was forked while another thread waited. (parking_lot would
/// look for that thread.)
static LIBRARY: Mutex<Library> = Mutex::new(Library::new());

/// Tells something on stderr. Not with `eprintln!`, which panics where stderr is closed, and a panic must not leave a C
/// function.
pub fn tell(what: impl Display) {
    let _ = writeln!(std::io::stderr(), "libhsakmt: {what}");
}

/// All that there is.
pub struct Library {
    opened: Option<Opened>,
    /// Outlives closing, as the vendor's does.
    pub snapshot: Option<Snapshot>,
    /// The process that opened it.
    pid: u32,
    forked: bool,
    handles_forks: bool,
}

/// What there is while the library is open.
pub struct Opened {
    count: u64,
    /// The device.
    pub thunk: Thunk,
    /// Memory by address.
    pub memory: MemoryTable,
    /// Pages with HDP flush registers, by node.
    pub hdp: BTreeMap<NodeId, u64>,
    /// Events by number.
    pub events: BTreeMap<u32, GivenEvent>,
    /// Queues by handle.
    pub queues: BTreeMap<u64, GivenQueue>,
    /// Next handle of a queue.
    next_queue: u64,
    /// Arrays that callers were told the address of, by what they belong to.
    pub arrays: BTreeMap<(u64, u8), Vec<u32>>,
    /// Counters that callers were told the address of, by node.
    pub counters: BTreeMap<u32, Vec<u32>>,
    /// Objects of `libdrm_amdgpu`.
    pub drm: crate::drm::Devices,
    /// What `RUNTIME_ENABLE` said.
    pub runtime_capabilities: u32,
    /// `HSA_DISABLE_CACHE`, `HSA_USERPTR_FOR_PAGED_MEM`.
    pub options: Options,
}

/// What the environment says.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// All memory is uncached and coherent.
    pub disable_cache: bool,
    /// Memory of the host is pages of the process.
    pub paged_is_userptr: bool,
}

/// An event, and the struct that the caller has of it.
pub struct GivenEvent {
    /// The event.
    pub event: Arc<Event>,
    /// Address of the caller's.
    pub given: u64,
}

/// A queue, and what callers were told addresses in.
pub struct GivenQueue {
    /// The queue.
    pub queue: Queue,
    /// Its CU mask.
    pub cu_mask: Vec<u32>,
    /// Indices of queues other than AQL.
    pub _indices: Option<Memory>,
}

impl Library {
    const fn new() -> Library {
        Library { opened: None, snapshot: None, pid: 0, forked: false, handles_forks: false }
    }

    /// What there is while the library is open, or the status that says that it is not.
    pub fn opened(&mut self) -> Result<&mut Opened> {
        if !self.is_own() {
            return Err(Status::KERNEL_IO_CHANNEL_NOT_OPENED);
        }
        self.opened.as_mut().ok_or(Status::KERNEL_IO_CHANNEL_NOT_OPENED)
    }

    /// Both halves: open, and with a snapshot of the topology.
    pub fn both(&mut self) -> Result<(&mut Opened, &Snapshot)> {
        self.opened()?;
        match (&mut self.opened, &self.snapshot) {
            (Some(opened), Some(snapshot)) => Ok((opened, snapshot)),
            _ => Err(Status::INVALID_NODE_UNIT),
        }
    }

    /// Opens, or counts. The child of a process that had it open opens anew: nothing of its parent's is its own.
    pub fn open(&mut self) -> Result<()> {
        if !self.is_own() {
            if let Some(parents) = self.opened.take() {
                // Dropping it would free the parent's memory and destroy the parent's queues.
                std::mem::forget(parents);
            }
            self.forked = false;
        }
        if let Some(opened) = &mut self.opened {
            opened.count += 1;
            return Err(Status::KERNEL_ALREADY_OPENED);
        }
        let thunk = Thunk::open(&OpenOptions::default()).inspect_err(|error| {
            tell(error);
        })?;
        self.opened = Some(Opened::new(thunk)?);
        self.pid = std::process::id();
        self.handle_forks();
        Ok(())
    }

    /// Closes, or counts.
    pub fn close(&mut self) -> Result<()> {
        let own = self.is_own();
        let opened = self.opened.as_mut().ok_or(Status::KERNEL_IO_CHANNEL_NOT_OPENED)?;
        opened.count -= 1;
        if opened.count == 0 {
            match self.opened.take() {
                Some(opened) if own => drop(opened),
                parents => std::mem::forget(parents),
            }
        }
        Ok(())
    }

    /// Was it opened by this process, and not by the one that this is a fork of?
    fn is_own(&self) -> bool {
        !self.forked && self.pid == std::process::id()
    }

    fn handle_forks(&mut self) {
        if !std::mem::replace(&mut self.handles_forks, true) {
            // SAFETY: the handlers are functions of this library, which stays loaded (`-z nodelete`).
            unsafe { libc::pthread_atfork(Some(before_fork), Some(after_fork), Some(in_child)) };
        }
    }
}

impl Opened {
    fn new(thunk: Thunk) -> Result<Opened> {
        let mut memory = MemoryTable::new(thunk.clone());
        let mut hdp = BTreeMap::new();
        let flags = MemFlags::of(&[(0, true), (6, true)]);
        for node in thunk.topology().gpus().map(|node| node.id).collect::<Vec<_>>() {
            if let Ok(page) = thunk.hdp_flush_page(node) {
                hdp.insert(node, memory.adopt(page, node, flags.0));
            }
        }
        let says = |name: &str| std::env::var(name).ok().map(|value| value != "0");
        Ok(Opened {
            count: 1,
            thunk,
            memory,
            hdp,
            events: BTreeMap::new(),
            queues: BTreeMap::new(),
            next_queue: 1,
            arrays: BTreeMap::new(),
            counters: BTreeMap::new(),
            drm: crate::drm::Devices::default(),
            runtime_capabilities: 0,
            options: Options {
                disable_cache: says("HSA_DISABLE_CACHE").unwrap_or(false),
                paged_is_userptr: says("HSA_USERPTR_FOR_PAGED_MEM").unwrap_or(true),
            },
        })
    }

    /// Keeps a queue, under a handle of its own.
    pub fn keep_queue(&mut self, queue: GivenQueue) -> u64 {
        let handle = self.next_queue;
        self.next_queue += 1;
        self.queues.insert(handle, queue);
        handle
    }

    /// The queue of a handle; 0 is none.
    pub fn queue(&mut self, handle: u64) -> Result<&mut GivenQueue> {
        let none = if handle == 0 { Status::INVALID_PARAMETER } else { Status::INVALID_HANDLE };
        self.queues.get_mut(&handle).ok_or(none)
    }

    /// Keeps an array where it is as long as it stays the same, and tells its address; 0 for none.
    pub fn array(&mut self, of: (u64, u8), values: Vec<u32>) -> u64 {
        if values.is_empty() {
            self.arrays.remove(&of);
            return 0;
        }
        let kept = self.arrays.entry(of).or_default();
        if *kept != values {
            *kept = values;
        }
        kept.as_ptr() as u64
    }

    /// The memory that an address is in.
    pub fn memory_at(&self, address: u64) -> Option<u64> {
        self.memory.containing(address).map(|entry| entry.memory().va())
    }

    /// Forgets arrays that belong to memory, if it is gone.
    pub fn forget_arrays(&mut self, memory: Option<u64>) {
        if let Some(va) = memory.filter(|va| self.memory_at(*va) != Some(*va)) {
            self.arrays.retain(|(of, _), _| *of != va);
        }
    }

    /// Keeps counters of a node, and tells their address.
    pub fn keep_counters(&mut self, node: u32, words: Vec<u32>) -> Ptr<CounterProperties> {
        Ptr::at(self.counters.entry(node).or_insert(words).as_ptr() as u64)
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        // Queues first: they use the rest. Events wake whoever waits for them.
        self.queues.clear();
        for given in std::mem::take(&mut self.events).into_values() {
            let _ = given.event.destroy();
            crate::ffi::take_back(Ptr::<event::Event>::at(given.given));
        }
    }
}

/// The library, for this thread alone.
pub fn library() -> MutexGuard<'static, Library> {
    LIBRARY.lock().unwrap_or_else(PoisonError::into_inner)
}

thread_local! {
    /// The lock, while this thread forks.
    static HELD: RefCell<Option<MutexGuard<'static, Library>>> = const { RefCell::new(None) };
}

fn held() -> Option<MutexGuard<'static, Library>> {
    HELD.try_with(RefCell::take).ok().flatten()
}

extern "C" fn before_fork() {
    let _ = HELD.try_with(|held| held.replace(Some(library())));
}

extern "C" fn after_fork() {
    drop(held());
}

extern "C" fn in_child() {
    if let Some(mut library) = held() {
        library.forked = true;
    }
}
