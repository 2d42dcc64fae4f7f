//! What belongs to the calling thread: its last error, its device, the launch configurations that it has pushed, its
//! contexts and its own streams.

use crate::error::Result;
use crate::state;
use crate::stream::Stream;
use hip_sys::{dim3, hipError_t, hipStream_t};
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
    /// The stream.
    pub stream: hipStream_t,
    /// Arguments that `hipSetupArgument` laid out.
    pub arguments: Vec<u8>,
}

/// A thread's own streams, one a device at most.
struct OwnStreams(Vec<(usize, Arc<Stream>)>);

impl Drop for OwnStreams {
    fn drop(&mut self) {
        for (_, stream) in self.0.drain(..) {
            stream.retire();
        }
    }
}

/// A thread's state.
struct Thread {
    last_error: Cell<hipError_t>,
    device: Cell<usize>,
    calls: RefCell<Vec<CallConfiguration>>,
    contexts: RefCell<Vec<usize>>,
    streams: RefCell<OwnStreams>,
}

thread_local! {
    static THREAD: Thread = const {
        Thread {
            last_error: Cell::new(hipError_t::SUCCESS),
            device: Cell::new(0),
            calls: RefCell::new(Vec::new()),
            contexts: RefCell::new(Vec::new()),
            streams: RefCell::new(OwnStreams(Vec::new())),
        }
    };
}

/// Keeps the result of a call. As in HIP 5 and 6, a success replaces an error.
pub fn set_last_error(error: hipError_t) {
    // A thread that ends has no last error any more.
    let _ = THREAD.try_with(|thread| thread.last_error.set(error));
}

/// The result of the thread's last call.
pub fn last_error() -> hipError_t {
    THREAD.try_with(|thread| thread.last_error.get()).unwrap_or(hipError_t::SUCCESS)
}

/// The ordinal of the thread's device.
pub fn device() -> usize {
    THREAD.try_with(|thread| thread.device.get()).unwrap_or(0)
}

/// Makes a device the thread's.
pub fn set_device(ordinal: usize) {
    let _ = THREAD.try_with(|thread| thread.device.set(ordinal));
}

/// Pushes a launch configuration.
pub fn push_call(call: CallConfiguration) {
    THREAD.with(|thread| thread.calls.borrow_mut().push(call));
}

/// Pops the launch configuration that was pushed last.
pub fn pop_call() -> Option<CallConfiguration> {
    THREAD.with(|thread| thread.calls.borrow_mut().pop())
}

/// Works on the launch configuration that was pushed last.
pub fn with_top_call<T>(work: impl FnOnce(&mut CallConfiguration) -> T) -> Option<T> {
    THREAD.with(|thread| thread.calls.borrow_mut().last_mut().map(work))
}

/// Works on the thread's stack of contexts: ordinals of devices.
pub fn with_contexts<T>(work: impl FnOnce(&mut Vec<usize>) -> T) -> T {
    THREAD.with(|thread| work(&mut thread.contexts.borrow_mut()))
}

/// The calling thread's own stream on its device.
pub fn own_stream() -> Result<Arc<Stream>> {
    let ordinal = device();
    let found = THREAD.with(|thread| {
        let own = thread.streams.borrow();
        own.0.iter().find(|(of, _)| *of == ordinal).map(|(_, stream)| stream.clone())
    });
    if let Some(stream) = found {
        return Ok(stream);
    }
    let device = state::hip()?.device(ordinal)?;
    let stream = device.create_stream(hip_sys::StreamFlags::DEFAULT, 0);
    THREAD.with(|thread| thread.streams.borrow_mut().0.push((ordinal, stream.clone())));
    Ok(stream)
}
