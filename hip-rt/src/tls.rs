//! What belongs to the calling thread: its last error, its device, the launch configurations that it has pushed, its
//! contexts and its own streams.

use crate::error::Result;
use crate::state;
use crate::stream::Stream;
use hip_sys::{dim3, hipError_t, hipGraphNode_t, hipStreamCaptureMode};
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// What `__hipPushCallConfiguration` keeps for the stub of the kernel.
#[derive(Debug, Clone)]
pub struct CallConfiguration {
    /// Work-groups.
    pub grid: dim3,
    /// Work-items of a work-group.
    pub block: dim3,
    /// Dynamic LDS bytes.
    pub shared: usize,
    /// The stream's handle, as a number.
    pub stream: usize,
    /// Arguments that `hipSetupArgument` laid out.
    pub arguments: Vec<u8>,
}

/// A thread's own streams, one a device at most.
struct OwnStreams(Vec<(usize, Arc<Stream>)>);

impl Drop for OwnStreams {
    fn drop(&mut self) {
        for (_, stream) in self.0.drain(..) {
            if state::hip_if_open().is_none() {
                // A child of `fork`, which has none of the memory that a wait looks at.
                std::mem::forget(stream);
                continue;
            }
            stream.retire();
        }
    }
}

/// A thread's state.
struct Thread {
    /// What the last call gave.
    last_result: Cell<hipError_t>,
    /// The last error, kept over successes.
    last_error: Cell<hipError_t>,
    device: Cell<usize>,
    calls: RefCell<Vec<CallConfiguration>>,
    contexts: RefCell<Vec<usize>>,
    streams: RefCell<OwnStreams>,
    /// `hipThreadExchangeStreamCaptureMode`
    capture_mode: Cell<hipStreamCaptureMode>,
    /// Nodes that a call handed out a pointer to.
    nodes: RefCell<Vec<hipGraphNode_t>>,
}

thread_local! {
    /// Whether the thread runs a callback of a stream.
    static IN_CALLBACK: Cell<bool> = const { Cell::new(false) };
    static THREAD: Thread = const {
        Thread {
            last_result: Cell::new(hipError_t::SUCCESS),
            last_error: Cell::new(hipError_t::SUCCESS),
            device: Cell::new(0),
            calls: RefCell::new(Vec::new()),
            contexts: RefCell::new(Vec::new()),
            streams: RefCell::new(OwnStreams(Vec::new())),
            capture_mode: Cell::new(hipStreamCaptureMode::GLOBAL),
            nodes: RefCell::new(Vec::new()),
        }
    };
}

/// Keeps the result of a call.
pub fn set_last_result(result: hipError_t) {
    // A thread that ends has no last result any more.
    let _ = THREAD.try_with(|thread| {
        thread.last_result.set(result);
        // That work is not done yet is no error.
        if !matches!(result, hipError_t::SUCCESS | hipError_t::NOT_READY) {
            thread.last_error.set(result);
        }
    });
}

/// The result of the thread's last call, which is then forgotten if `take`.
pub fn last_result(take: bool) -> hipError_t {
    read(take, |thread| &thread.last_result)
}

/// The thread's last error, which is then forgotten if `take`.
pub fn last_error(take: bool) -> hipError_t {
    read(take, |thread| &thread.last_error)
}

fn read(take: bool, cell: impl FnOnce(&Thread) -> &Cell<hipError_t>) -> hipError_t {
    let found = THREAD.try_with(|thread| {
        let cell = cell(thread);
        if take { cell.replace(hipError_t::SUCCESS) } else { cell.get() }
    });
    found.unwrap_or(hipError_t::SUCCESS)
}

/// How captures of other threads restrict this one.
pub fn capture_mode() -> hipStreamCaptureMode {
    THREAD.try_with(|thread| thread.capture_mode.get()).unwrap_or(hipStreamCaptureMode::GLOBAL)
}

/// Sets how captures of other threads restrict this one: until HIP 6 not at all. Returns what was set before.
pub fn exchange_capture_mode(mode: hipStreamCaptureMode) -> hipStreamCaptureMode {
    THREAD.try_with(|thread| thread.capture_mode.replace(mode)).unwrap_or(hipStreamCaptureMode::GLOBAL)
}

/// Keeps nodes until the thread's next call of this kind, and tells where they lie.
pub fn keep_nodes(nodes: Vec<hipGraphNode_t>) -> *const hipGraphNode_t {
    let kept = THREAD.try_with(|thread| {
        *thread.nodes.borrow_mut() = nodes;
        thread.nodes.borrow().as_ptr()
    });
    kept.unwrap_or(std::ptr::null())
}

/// The ordinal of the thread's device.
pub fn device() -> usize {
    THREAD.try_with(|thread| thread.device.get()).unwrap_or(0)
}

/// Makes a device the thread's.
pub fn set_device(ordinal: usize) {
    let _ = THREAD.try_with(|thread| thread.device.set(ordinal));
}

/// Works on the launch configurations that the thread has pushed. Destructors of static objects run after those of
/// the thread: what they launch waits for its stub in a place that all threads share.
pub fn with_calls<T>(work: impl FnOnce(&mut Vec<CallConfiguration>) -> T) -> T {
    if THREAD.try_with(|_| ()).is_ok() {
        THREAD.with(|thread| work(&mut thread.calls.borrow_mut()))
    } else {
        work(&mut state::state().late_calls.lock())
    }
}

/// Works on the thread's stack of contexts: ordinals of devices. A thread that ends has an empty one.
pub fn with_contexts<T>(work: impl FnOnce(&mut Vec<usize>) -> T) -> T {
    if THREAD.try_with(|_| ()).is_ok() {
        THREAD.with(|thread| work(&mut thread.contexts.borrow_mut()))
    } else {
        work(&mut Vec::new())
    }
}

/// Runs a callback of a stream, during which the thread may not wait for streams.
pub fn as_callback(work: impl FnOnce()) {
    let before = IN_CALLBACK.replace(true);
    work();
    IN_CALLBACK.set(before);
}

/// Whether the thread runs a callback of a stream.
pub fn is_in_callback() -> bool {
    IN_CALLBACK.get()
}

/// Refuses to wait for a device in a callback, which holds up what it would wait for.
pub fn may_wait() -> Result {
    if IN_CALLBACK.get() {
        crate::error::report(
            "a callback of a stream waits for a device, and work of that device waits for the callback: refused with \
             hipErrorNotSupported; callbacks may not synchronise, copy or free",
        );
        return Err(hipError_t::NOT_SUPPORTED);
    }
    Ok(())
}

/// The calling thread's own stream on its device.
pub fn own_stream() -> Result<Arc<Stream>> {
    let ordinal = device();
    let device = state::hip()?.device(ordinal)?;
    let found = THREAD.try_with(|thread| {
        let own = thread.streams.borrow();
        own.0.iter().find(|(of, _)| *of == ordinal).map(|(_, stream)| stream.clone())
    });
    match found {
        Ok(Some(stream)) => return Ok(stream),
        Ok(None) => {}
        // The thread ends, and its streams with it.
        Err(_) => return Ok(device.null_stream().clone()),
    }
    let stream = device.create_stream(hip_sys::StreamFlags::DEFAULT, 0);
    THREAD.with(|thread| thread.streams.borrow_mut().0.push((ordinal, stream.clone())));
    Ok(stream)
}
