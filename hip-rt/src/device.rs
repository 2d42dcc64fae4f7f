//! Devices: an agent with its streams, its hostcall buffer, its device heap and its settings.

use crate::error::{Result, reported};
use crate::hostcall::{Hostcalls, Listener};
use crate::lane::Lane;
use crate::marker::MarkerPool;
use crate::recycle::Recycler;
use crate::stream::Stream;
use hip_sys::{DeviceFlags, StreamFlags, hipFuncCache_t, hipSharedMemConfig};
use parking_lot::{Mutex, RwLock};
use rocr_rs::{Agent, Fault, Memory, PoolKind};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};

/// As HIP does, streams share this many hardware queues, if `GPU_MAX_HW_QUEUES` does not say another number.
const LANES: usize = 4;
/// `ockl/src/dm.cl`: the heap's head, valid when all zero.
const HEAP_HEAD_BYTES: usize = 128 << 10;

/// What `hipDeviceSet…` set.
#[derive(Debug, Clone)]
pub struct Settings {
    /// `hipSetDeviceFlags`
    pub flags: u32,
    /// `hipDeviceSetCacheConfig`
    pub cache: hipFuncCache_t,
    /// `hipDeviceSetSharedMemConfig`
    pub shared: hipSharedMemConfig,
    /// `hipLimitMallocHeapSize`
    pub heap: usize,
    /// `hipLimitStackSize`
    pub stack: usize,
    /// `hipLimitPrintfFifoSize`
    pub fifo: usize,
    /// `hipDeviceEnablePeerAccess`
    pub peers: BTreeSet<usize>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            flags: DeviceFlags::SCHEDULE_SPIN.0,
            cache: hipFuncCache_t::PREFER_NONE,
            shared: hipSharedMemConfig::DEFAULT,
            heap: 8 << 20,
            stack: 1024,
            fifo: 1 << 20,
            peers: BTreeSet::new(),
        }
    }
}

/// One device.
pub struct Device {
    /// Its number.
    pub ordinal: usize,
    /// Its agent.
    pub agent: Agent,
    /// Its settings.
    pub settings: Mutex<Settings>,
    /// Completions.
    pub markers: Arc<MarkerPool>,
    me: Weak<Device>,
    null: OnceLock<Arc<Stream>>,
    streams: RwLock<Vec<Arc<Stream>>>,
    /// How many streams besides the null stream have an order with it.
    blocking: AtomicUsize,
    lanes: Mutex<Vec<Arc<Lane>>>,
    next_lane: AtomicUsize,
    cooperative: Mutex<Option<Arc<Lane>>>,
    hostcalls: OnceLock<Result<Arc<Hostcalls>>>,
    listener: Arc<Listener>,
    heap: OnceLock<Result<Memory>>,
    no_printf: OnceLock<Result<Memory>>,
    /// Memory that was freed.
    pub recycler: Recycler,
    assertion: AtomicBool,
}

impl Device {
    /// All its compute units, a bit each.
    pub fn cu_mask(&self) -> Vec<u32> {
        let units = self.agent.properties().compute_units;
        (0..units.div_ceil(32)).map(|word| u32::MAX >> (32 - (units - word * 32).min(32))).collect()
    }

    /// The device of an agent.
    pub fn new(ordinal: usize, agent: Agent, listener: &Arc<Listener>) -> Arc<Self> {
        Arc::new_cyclic(|me| Self {
            ordinal,
            markers: MarkerPool::new(agent.clone()),
            agent,
            settings: Mutex::default(),
            me: me.clone(),
            null: OnceLock::new(),
            streams: RwLock::default(),
            blocking: AtomicUsize::new(0),
            lanes: Mutex::default(),
            next_lane: AtomicUsize::new(0),
            cooperative: Mutex::default(),
            hostcalls: OnceLock::new(),
            listener: listener.clone(),
            heap: OnceLock::new(),
            no_printf: OnceLock::new(),
            recycler: Recycler::default(),
            assertion: AtomicBool::new(false),
        })
    }

    fn arc(&self) -> Arc<Self> {
        self.me.upgrade().expect("a device lives in an Arc")
    }

    /// The null stream.
    pub fn null_stream(&self) -> &Arc<Stream> {
        self.null.get_or_init(|| {
            let stream = Stream::null(&self.arc());
            self.streams.write().push(stream.clone());
            stream
        })
    }

    /// A new stream.
    pub fn create_stream(&self, flags: StreamFlags, priority: i32) -> Arc<Stream> {
        let stream = Stream::new(&self.arc(), flags, priority);
        if stream.is_blocking() {
            // From now on the null stream has someone to wait for.
            self.null_stream();
            self.blocking.fetch_add(1, Ordering::AcqRel);
        }
        self.streams.write().push(stream.clone());
        stream
    }

    /// Takes a stream out; its work is done.
    pub fn remove_stream(&self, stream: &Stream) {
        let mut streams = self.streams.write();
        let before = streams.len();
        streams.retain(|other| other.id() != stream.id());
        if stream.is_blocking() && streams.len() < before {
            self.blocking.fetch_sub(1, Ordering::AcqRel);
        }
    }

    /// All streams.
    pub fn streams(&self) -> Vec<Arc<Stream>> {
        self.streams.read().clone()
    }

    /// Whether any stream has an order with the null stream.
    pub fn has_blocking_streams(&self) -> bool {
        self.blocking.load(Ordering::Acquire) > 0
    }

    /// A lane for a stream: the first few have their own.
    pub fn lane(&self) -> Result<Arc<Lane>> {
        let mut lanes = self.lanes.lock();
        lanes.retain(|lane| !lane.is_broken());
        if lanes.len() < crate::state::state().environment().hardware_queues.unwrap_or(LANES) {
            let lane = Lane::new(&self.arc())?;
            lanes.push(lane.clone());
            return Ok(lane);
        }
        let at = self.next_lane.fetch_add(1, Ordering::Relaxed) % lanes.len();
        Ok(lanes[at].clone())
    }

    /// The lane for kernels whose work-groups wait for each other.
    pub fn cooperative_lane(&self) -> Result<Arc<Lane>> {
        let mut lane = self.cooperative.lock();
        if let Some(lane) = lane.as_ref().filter(|lane| !lane.is_broken()) {
            return Ok(lane.clone());
        }
        if let Some(broken) = lane.take() {
            // Streams may hold it yet.
            broken.release_meetings();
        }
        Ok(lane.insert(Lane::cooperative(&self.arc())?).clone())
    }

    /// Waits for all work, and returns the first error of it.
    pub fn synchronize(&self) -> Result {
        let mut result = Ok(());
        for stream in self.streams() {
            result = result.and(stream.synchronize());
        }
        result
    }

    /// Waits for all work; errors stay to be returned by a synchronise.
    pub fn drain(&self) {
        for stream in self.streams() {
            stream.drain();
        }
    }

    /// The buffer through which device code calls the host; made when the first kernel needs it.
    pub fn hostcalls(&self) -> Result<Arc<Hostcalls>> {
        self.hostcalls
            .get_or_init(|| {
                let hostcalls = Hostcalls::new(&self.arc(), &self.listener)
                    .map_err(|error| reported("hostcall buffer", &error))?;
                Ok(hostcalls)
            })
            .clone()
    }

    /// Address of the head of the heap that `malloc` of device code uses.
    pub fn heap(&self) -> Result<u64> {
        self.heap
            .get_or_init(|| self.zeroed(HEAP_HEAD_BYTES, "device heap"))
            .as_ref()
            .map(Memory::va)
            .map_err(|e| *e)
    }

    /// Address of a printf buffer without room, for kernels compiled to print into a buffer.
    pub fn printf_buffer_without_room(&self) -> Result<u64> {
        let memory = self.no_printf.get_or_init(|| {
            crate::error::report("a kernel was compiled with -mprintf-kind=buffered: its output is lost; hostcall printf works");
            self.zeroed(4096, "printf buffer")
        });
        memory.as_ref().map(Memory::va).map_err(|error| *error)
    }

    fn zeroed(&self, bytes: usize, what: &str) -> Result<Memory> {
        let memory = self
            .agent
            .pool(PoolKind::CoarseGrained)
            .allocate(bytes)
            .map_err(|error| reported(what, &error))?
            .of_runtime();
        crate::ffi::fill(memory.va(), 0, 1, bytes);
        Ok(memory)
    }

    /// Notes that device code printed the message of a failed assertion.
    pub fn asserted(&self) {
        self.assertion.store(true, Ordering::Release);
    }

    /// Whether an assertion failed since the last time this was asked.
    pub fn take_assertion(&self) -> bool {
        self.assertion.swap(false, Ordering::AcqRel)
    }

    /// The agent's fault handler.
    pub fn faulted(&self, fault: &Fault) {
        let mut lanes = self.lanes.lock().clone();
        lanes.extend(self.cooperative.lock().clone());
        let mut named = false;
        for lane in &lanes {
            named |= lane.faulted(fault);
        }
        if !named {
            crate::error::report(fault);
        }
    }

    /// LDS bytes that a work-group can have.
    pub fn lds_bytes(&self) -> u32 {
        match self.agent.properties().lds_bytes {
            0 => 64 << 10,
            bytes => bytes,
        }
    }

    /// Work-items that a work-group can have.
    pub fn max_workgroup(&self) -> u32 {
        match self.agent.properties().max_workgroup_size {
            0 => 1024,
            size => size.min(1024),
        }
    }
}
