//! Streams: work in order. A stream sends its packets to a lane; what the host does in a stream's order (copies,
//! callbacks) waits in a thread of the stream while a barrier on the lane waits for it.
//!
//! The null stream waits for every blocking stream of its device, and they for it; streams made with
//! `hipStreamNonBlocking` stand apart.

use crate::device::Device;
use crate::error::Result;
use crate::graph::Capture;
use crate::lane::Lane;
use crate::launch::Kernel;
use crate::marker::Marker;
use crate::work::Work;
use crate::{state, tls};
use hip_sys::{StreamFlags, hipError_t, hipStream_t};
use parking_lot::{Mutex, RwLock};
use rocr_rs::KernelDispatchPacket;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, OnceLock, Weak};

/// A host operation that waits for its turn.
struct HostWork {
    lane: Arc<Lane>,
    after: u64,
    gate: Arc<Marker>,
    work: Box<dyn FnOnce(hipError_t) + Send>,
}

/// A place behind everything that is in a stream: what another stream waits for.
struct Tail {
    stream: u64,
    ticket: u64,
    lane: Arc<Lane>,
    marker: Arc<Marker>,
}

#[derive(Default)]
struct Order {
    lane: Option<Arc<Lane>>,
    /// The last ticket on the lane.
    last: u64,
    /// A marker behind that ticket, if one was made.
    tail: Option<(u64, Arc<Marker>)>,
    /// The last event, whose packet comes behind that ticket and has none.
    event: Option<Arc<Marker>>,
    /// For each other stream the ticket of it that this one waits for already.
    waited: BTreeMap<u64, u64>,
    /// The end of what the stream has on the lane that it was on before: the lane waits for it.
    before: Option<Arc<Marker>>,
    worker: Option<Sender<HostWork>>,
}

impl Order {
    /// Whether nothing is under way on the lane.
    fn is_done(&self) -> bool {
        self.lane.as_ref().is_none_or(|lane| lane.completed() >= self.last)
    }

    /// The error that the stream's work ended with.
    fn failure(&self) -> Option<hipError_t> {
        let lane = self.lane.as_ref().and_then(|lane| lane.failure());
        lane.or_else(|| self.before.as_ref().and_then(|before| before.result().err()))
    }

    /// Goes on on another lane.
    fn change_to(&mut self, lane: Arc<Lane>) {
        self.lane = Some(lane);
        self.last = 0;
        self.tail = None;
        self.before = None;
    }

    /// Leaves a lane that is broken.
    fn restart(&mut self) {
        self.lane = None;
        self.last = 0;
        self.tail = None;
        self.event = None;
        self.before = None;
        self.waited.clear();
    }
}

/// A stream.
pub struct Stream {
    id: u64,
    device: Weak<Device>,
    is_null: bool,
    flags: StreamFlags,
    priority: i32,
    cu_mask: OnceLock<Vec<u32>>,
    order: Mutex<Order>,
    capturing: AtomicBool,
    capture: Mutex<Option<Arc<Capture>>>,
}

/// The streams that the program holds, by handle.
#[derive(Default)]
pub struct Streams {
    held: RwLock<BTreeMap<usize, Arc<Stream>>>,
    next_id: AtomicU64,
}

impl Streams {
    /// Enters a stream and gives its handle.
    pub fn add(&self, stream: Arc<Stream>) -> hipStream_t {
        let handle = Arc::as_ptr(&stream).addr();
        self.held.write().insert(handle, stream);
        hipStream_t::from_bits(handle)
    }

    /// Takes a stream out.
    pub fn remove(&self, handle: hipStream_t) -> Option<Arc<Stream>> {
        self.held.write().remove(&handle.bits())
    }

    fn get(&self, handle: hipStream_t) -> Option<Arc<Stream>> {
        self.held.read().get(&handle.bits()).cloned()
    }
}

/// The stream of a handle.
pub fn resolve(handle: hipStream_t) -> Result<Arc<Stream>> {
    match handle {
        hipStream_t::NULL | hipStream_t::LEGACY => Ok(state::current_device()?.null_stream().clone()),
        hipStream_t::PER_THREAD => tls::own_stream(),
        _ => state::hip()?.streams.get(handle).ok_or(hipError_t::CONTEXT_IS_DESTROYED),
    }
}

/// The stream of a handle where the null stream means the thread's own (`_spt` functions).
pub fn resolve_spt(handle: hipStream_t) -> hipStream_t {
    if handle == hipStream_t::NULL { hipStream_t::PER_THREAD } else { handle }
}

impl Stream {
    /// The null stream of a device.
    pub fn null(device: &Arc<Device>) -> Arc<Self> {
        Self::build(device, true, StreamFlags::DEFAULT, 0)
    }

    /// A stream.
    pub fn new(device: &Arc<Device>, flags: StreamFlags, priority: i32) -> Arc<Self> {
        Self::build(device, false, flags, priority)
    }

    fn build(device: &Arc<Device>, is_null: bool, flags: StreamFlags, priority: i32) -> Arc<Self> {
        let id = state::hip_if_open().map_or(0, |hip| hip.streams.next_id.fetch_add(1, Ordering::Relaxed));
        Arc::new(Self {
            id,
            device: Arc::downgrade(device),
            is_null,
            flags,
            priority,
            cu_mask: OnceLock::new(),
            order: Mutex::default(),
            capturing: AtomicBool::new(false),
            capture: Mutex::new(None),
        })
    }

    /// Its number.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The flags that it was made with.
    pub fn flags(&self) -> StreamFlags {
        self.flags
    }

    /// Its priority.
    pub fn priority(&self) -> i32 {
        self.priority
    }

    /// Keeps the compute units that it was made for. They are a wish about performance: all of them serve it.
    pub fn set_cu_mask(&self, asked: &[u32]) -> Result {
        let all = self.device()?.cu_mask();
        let word = |(at, all): (usize, &u32)| asked.get(at).map_or(*all, |asked| asked & all);
        let mask: Vec<u32> = all.iter().enumerate().map(word).collect();
        // None of them means all.
        let _ = self.cu_mask.set(if mask.iter().all(|word| *word == 0) { all } else { mask });
        Ok(())
    }

    /// The compute units that it was made for.
    pub fn cu_mask(&self) -> Result<Vec<u32>> {
        self.cu_mask.get().map_or_else(|| Ok(self.device()?.cu_mask()), |mask| Ok(mask.clone()))
    }

    /// Its device.
    pub fn device(&self) -> Result<Arc<Device>> {
        self.device.upgrade().ok_or(hipError_t::CONTEXT_IS_DESTROYED)
    }

    /// Whether it and the null stream wait for each other.
    pub fn is_blocking(&self) -> bool {
        !self.is_null && !self.flags.has(StreamFlags::NON_BLOCKING)
    }

    /// The capture that it takes part in.
    pub fn capture(&self) -> Option<Arc<Capture>> {
        if self.capturing.load(Ordering::Acquire) { self.capture.lock().clone() } else { None }
    }

    /// Lets it take part in a capture, or in none.
    pub fn set_capture(&self, capture: Option<Arc<Capture>>) {
        self.capturing.store(capture.is_some(), Ordering::Release);
        *self.capture.lock() = capture;
    }

    /// Refuses, on the null stream, what would get between the work of a stream that is being captured.
    pub fn must_not_disturb_captures(&self) -> Result {
        if !self.is_null || state::hip()?.graphs.captures.load(Ordering::Acquire) == 0 {
            return Ok(());
        }
        let device = self.device()?;
        let mut result = Ok(());
        for stream in device.streams().iter().filter(|stream| stream.is_blocking()) {
            if let Some(capture) = stream.capture().filter(|capture| capture.forbids_null_stream()) {
                capture.invalidate();
                result = Err(hipError_t::STREAM_CAPTURE_IMPLICIT);
            }
        }
        result
    }

    /// Refuses to wait for a stream that is being captured.
    pub fn must_not_capture(&self) -> Result {
        match self.capture() {
            Some(capture) => {
                capture.invalidate();
                Err(hipError_t::STREAM_CAPTURE_UNSUPPORTED)
            }
            None => self.must_not_disturb_captures(),
        }
    }

    /// Does work in the stream's order, or adds it to the graph that the stream is captured into.
    pub fn put(self: &Arc<Self>, work: Work) -> Result {
        if let Some(capture) = self.capture() {
            return capture.add(self, work).map(drop);
        }
        self.must_not_disturb_captures()?;
        let waits = state::state().environment().launch_blocking && work.is_of_device();
        work.run(self)?;
        if waits { self.synchronize() } else { Ok(()) }
    }

    /// Whether nothing is under way.
    pub fn is_idle(&self) -> bool {
        let order = self.order.lock();
        order.is_done() && order.event.as_ref().is_none_or(|event| event.is_reached())
    }

    /// What this stream has to wait for by the null stream's rule, beyond what it waits for already.
    fn others(&self) -> Result<Vec<Arc<Stream>>> {
        let device = self.device()?;
        if self.is_null {
            if !device.has_blocking_streams() {
                return Ok(Vec::new());
            }
            return Ok(device
                .streams()
                .into_iter()
                .filter(|stream| stream.is_blocking() && !stream.is_idle())
                .collect());
        }
        if self.is_blocking() {
            let null = device.null_stream();
            return Ok(if null.is_idle() { Vec::new() } else { vec![null.clone()] });
        }
        Ok(Vec::new())
    }

    fn tail(&self) -> Result<Option<Tail>> {
        let mut order = self.order.lock();
        let Some(lane) = order.lane.clone() else { return Ok(None) };
        let ticket = order.last;
        if lane.is_broken() || lane.completed() >= ticket {
            return Ok(None);
        }
        let marker = match &order.tail {
            Some((of, marker)) if *of == ticket => marker.clone(),
            _ => {
                let marker = self.device()?.markers.take()?;
                lane.mark(&marker)?;
                order.tail = Some((ticket, marker.clone()));
                marker
            }
        };
        Ok(Some(Tail { stream: self.id, ticket, lane, marker }))
    }

    /// What the next packet must wait for.
    fn dependencies(&self) -> Result<Vec<Tail>> {
        let mut found = Vec::new();
        for other in self.others()? {
            found.extend(other.tail()?);
        }
        Ok(found)
    }

    /// The lane for the next packet. Cooperative kernels have one of their own; a stream stays there until it is idle.
    fn lane(&self, order: &mut Order, cooperative: bool) -> Result<Arc<Lane>> {
        if let Some(error) = order.failure() {
            return Err(error);
        }
        if order.lane.as_ref().is_some_and(|lane| lane.is_broken()) {
            // The device failed while nothing of this lane was under way: a new one takes its place.
            order.restart();
        }
        let present = order.lane.clone();
        match present {
            Some(lane) if lane.is_cooperative() == cooperative => Ok(lane),
            Some(lane) if !cooperative && !order.is_done() => Ok(lane),
            Some(lane) if !order.is_done() => {
                let device = self.device()?;
                let next = device.cooperative_lane()?;
                let end = device.markers.take()?;
                lane.mark(&end)?;
                let last = next.barrier(std::slice::from_ref(&end))?;
                order.change_to(next.clone());
                (order.last, order.before) = (last, Some(end));
                Ok(next)
            }
            _ => {
                let device = self.device()?;
                let next = if cooperative { device.cooperative_lane() } else { device.lane() }?;
                order.change_to(next.clone());
                Ok(next)
            }
        }
    }

    /// Brings the stream's lane, behind what the stream has to wait for.
    fn enter(&self, order: &mut Order, dependencies: Vec<Tail>, cooperative: bool) -> Result<Arc<Lane>> {
        let lane = self.lane(order, cooperative)?;
        let markers: Vec<_> = dependencies
            .into_iter()
            .filter(|tail| {
                !Arc::ptr_eq(&tail.lane, &lane)
                    && order.waited.insert(tail.stream, tail.ticket) != Some(tail.ticket)
            })
            .map(|tail| tail.marker)
            .collect();
        if !markers.is_empty() {
            order.last = lane.barrier(&markers)?;
        }
        Ok(lane)
    }

    /// Appends a kernel. `meeting` is how many work-groups it has, if they may wait for each other.
    pub fn dispatch(
        &self,
        kernel: &Arc<Kernel>,
        meeting: Option<u32>,
        kernarg_bytes: usize,
        build: impl FnOnce(u64, u64) -> KernelDispatchPacket,
    ) -> Result {
        let dependencies = self.dependencies()?;
        let mut order = self.order.lock();
        let lane = self.enter(&mut order, dependencies, meeting.is_some())?;
        order.last = lane.dispatch(kernel, meeting, kernarg_bytes, build)?;
        Ok(())
    }

    /// Appends a wait for a marker.
    pub fn wait_for(&self, marker: &Arc<Marker>) -> Result {
        if marker.is_reached() {
            return Ok(());
        }
        let dependencies = self.dependencies()?;
        let mut order = self.order.lock();
        let lane = self.enter(&mut order, dependencies, false)?;
        order.last = lane.barrier(std::slice::from_ref(marker))?;
        Ok(())
    }

    /// A marker that is reached once everything in the stream now is done.
    pub fn record(&self, timed: bool) -> Result<Arc<Marker>> {
        let dependencies = self.dependencies()?;
        let mut order = self.order.lock();
        let markers = self.device()?.markers.clone();
        if order.is_done() && dependencies.is_empty() {
            return match order.failure() {
                Some(error) => Err(error),
                None => markers.reached(),
            };
        }
        let lane = self.enter(&mut order, dependencies, false)?;
        if timed {
            lane.profile();
        }
        let marker = markers.take()?;
        lane.mark(&marker)?;
        order.event = Some(marker.clone());
        Ok(marker)
    }

    /// Does something on the host in the stream's order: now if nothing is under way and `inline` allows it.
    pub fn host(&self, inline: bool, work: impl FnOnce(hipError_t) + Send + 'static) -> Result {
        let dependencies = self.dependencies()?;
        let mut order = self.order.lock();
        if inline && order.is_done() && dependencies.is_empty() {
            if let Some(error) = order.failure() {
                return Err(error);
            }
            // Under the lock: what is submitted later comes later.
            work(hipError_t::SUCCESS);
            return Ok(());
        }
        let lane = self.enter(&mut order, dependencies, false)?;
        let gate = self.device()?.markers.take()?;
        let after = order.last;
        order.last = lane.barrier(std::slice::from_ref(&gate))?;
        let worker = order.worker.get_or_insert_with(start_worker);
        if let Err(lost) = worker.send(HostWork { lane, after, gate, work: Box::new(work) }) {
            // There is no thread, or it stayed behind in the parent of this process: the work is not going to be done,
            // and what is behind the gate must not wait for it.
            lost.0.gate.reach();
            order.worker = None;
            return Err(hipError_t::OUT_OF_MEMORY);
        }
        Ok(())
    }

    /// Waits for everything in the stream, and returns the error that stopped it; the stream then starts afresh.
    pub fn synchronize(&self) -> Result {
        if !self.is_idle() {
            tls::may_wait()?;
        }
        self.drain();
        let mut order = self.order.lock();
        match order.failure() {
            Some(error) => {
                order.restart();
                Err(error)
            }
            None => Ok(()),
        }
    }

    /// Waits for everything in the stream.
    pub fn drain(&self) {
        let (lane, last, event) = {
            let order = self.order.lock();
            let Some(lane) = order.lane.clone() else { return };
            (lane, order.last, order.event.clone())
        };
        lane.wait(last);
        if let Some(event) = event {
            // Its error is the stream's.
            let _ = event.wait();
        }
    }

    /// Waits for the stream and, by the null stream's rule, for those it waits for.
    pub fn synchronize_with_others(&self) -> Result {
        self.must_not_capture()?;
        for other in self.others()? {
            tls::may_wait()?;
            other.drain();
        }
        self.synchronize()
    }

    /// Whether everything is done: `hipErrorNotReady` if not.
    pub fn query(&self) -> Result {
        self.must_not_capture()?;
        if !self.is_idle() {
            return Err(hipError_t::NOT_READY);
        }
        self.synchronize()
    }

    /// Ends the stream.
    pub fn retire(&self) {
        if let Some(capture) = self.capture() {
            // The graph may be gone already, which is all that could fail.
            let _ = capture.lose(self);
        }
        self.drain();
        if let Ok(device) = self.device() {
            device.remove_stream(self);
        }
        self.order.lock().worker = None;
    }
}

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Stream({})", self.id)
    }
}

/// A thread that does a stream's host work in order; it ends with the stream.
fn start_worker() -> Sender<HostWork> {
    let (sender, receiver) = channel::<HostWork>();
    let spawned = std::thread::Builder::new().name("hip-stream".to_owned()).spawn(move || {
        for HostWork { lane, after, gate, work } in receiver {
            lane.wait(after);
            let status = lane.failure().unwrap_or(hipError_t::SUCCESS);
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(status)));
            gate.reach();
        }
    });
    if let Err(error) = spawned {
        crate::error::report(format_args!("thread of a stream: {error}"));
    }
    sender
}
