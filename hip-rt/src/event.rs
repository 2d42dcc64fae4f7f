//! Events: a marker in a stream's order, and its time. One of several processes is a signal that they share instead: the
//! number of its records that are not reached.

use crate::error::Result;
use crate::graph::{Capture, NodeId};
use crate::marker::Marker;
use crate::state;
use crate::stream::Stream;
use hip_sys::{EventFlags, hipError_t, hipEvent_t};
use parking_lot::{Mutex, RwLock};
use rocr_rs::{Signal, SignalCondition, WaitState};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// An event.
pub struct Event {
    flags: EventFlags,
    device: usize,
    recorded: Mutex<Recorded>,
    /// What other processes see of it.
    shared: Option<Signal>,
}

/// Where an event stands.
#[derive(Clone, Default)]
enum Recorded {
    #[default]
    Never,
    /// In a stream.
    Stream(Arc<Marker>),
    /// In a graph that is being captured: behind these nodes.
    Capture(Arc<Capture>, Vec<NodeId>),
}

/// The events that the program holds, by handle.
#[derive(Default)]
pub struct Events {
    held: RwLock<BTreeMap<usize, Arc<Event>>>,
}

impl Events {
    /// Enters an event and gives its handle.
    pub fn add(&self, flags: EventFlags, device: usize, shared: Option<Signal>) -> hipEvent_t {
        let event = Arc::new(Event { flags, device, recorded: Mutex::default(), shared });
        let handle = Arc::as_ptr(&event).addr();
        self.held.write().insert(handle, event);
        hipEvent_t::from_bits(handle)
    }

    /// Takes an event out.
    pub fn remove(&self, handle: hipEvent_t) -> Option<Arc<Event>> {
        self.held.write().remove(&handle.bits())
    }
}

/// The event of a handle.
pub fn resolve(handle: hipEvent_t) -> Result<Arc<Event>> {
    state::hip()?.events.held.read().get(&handle.bits()).cloned().ok_or(hipError_t::INVALID_RESOURCE_HANDLE)
}

impl Event {
    /// What other processes see of it, if they can.
    pub fn shared(&self) -> Option<&Signal> {
        self.shared.as_ref()
    }

    fn record_shared(signal: &Signal, stream: &Arc<Stream>) -> Result {
        stream.must_not_capture()?;
        signal.add(1, Ordering::AcqRel);
        let reached = signal.clone();
        let put = stream.host(true, move |_| {
            reached.sub(1, Ordering::AcqRel);
        });
        if put.is_err() {
            signal.sub(1, Ordering::AcqRel);
        }
        put
    }

    /// Puts the event behind what is in the stream now.
    pub fn record(&self, stream: &Arc<Stream>) -> Result {
        if stream.device()?.ordinal != self.device {
            return Err(hipError_t::INVALID_RESOURCE_HANDLE);
        }
        if let Some(signal) = &self.shared {
            return Self::record_shared(signal, stream);
        }
        let recorded = match stream.capture() {
            Some(capture) => {
                let after = capture.after(stream);
                Recorded::Capture(capture, after)
            }
            None => {
                stream.must_not_disturb_captures()?;
                Recorded::Stream(stream.record(!self.flags.has(EventFlags::DISABLE_TIMING))?)
            }
        };
        *self.recorded.lock() = recorded;
        Ok(())
    }

    /// Its place in a stream. One in a capture is reached when the graph runs, which nobody can wait for now.
    fn recorded(&self) -> Result<Option<Arc<Marker>>> {
        match self.recorded.lock().clone() {
            Recorded::Never => Ok(None),
            Recorded::Stream(marker) => Ok(Some(marker)),
            Recorded::Capture(capture, _) => {
                capture.invalidate();
                Err(hipError_t::CAPTURED_EVENT)
            }
        }
    }

    /// Waits until it is reached. An event that was never recorded is.
    pub fn synchronize(&self) -> Result {
        if let Some(signal) = &self.shared {
            if !is_reached(signal) {
                crate::tls::may_wait()?;
                signal.wait(SignalCondition::LT, 1, None, WaitState::BLOCKED);
            }
            return Ok(());
        }
        let Some(marker) = self.recorded()? else { return Ok(()) };
        if !marker.is_reached() {
            crate::tls::may_wait()?;
        }
        marker.wait()
    }

    /// Whether it is reached: `hipErrorNotReady` if not.
    pub fn query(&self) -> Result {
        if let Some(signal) = &self.shared {
            return if is_reached(signal) { Ok(()) } else { Err(hipError_t::NOT_READY) };
        }
        match self.recorded()? {
            Some(marker) if !marker.is_reached() => Err(hipError_t::NOT_READY),
            Some(marker) => marker.result(),
            None => Ok(()),
        }
    }

    /// Makes a stream wait for it.
    pub fn block(&self, stream: &Arc<Stream>) -> Result {
        if let Some(signal) = &self.shared {
            stream.must_not_capture()?;
            if is_reached(signal) {
                return Ok(());
            }
            let signal = signal.clone();
            return stream.host(false, move |_| {
                signal.wait(SignalCondition::LT, 1, None, WaitState::BLOCKED);
            });
        }
        match (self.recorded.lock().clone(), stream.capture()) {
            (Recorded::Capture(capture, nodes), _) => capture.wait(stream, &nodes),
            // What is captured cannot come after what is not.
            (Recorded::Stream(_), Some(capture)) => {
                capture.invalidate();
                Err(hipError_t::STREAM_CAPTURE_ISOLATION)
            }
            (Recorded::Stream(marker), None) => stream.wait_for(&marker),
            (Recorded::Never, _) => Ok(()),
        }
    }

    /// Milliseconds from this event to a later one.
    pub fn milliseconds_to(&self, stop: &Event) -> Result<f32> {
        if self.flags.has(EventFlags::DISABLE_TIMING) || stop.flags.has(EventFlags::DISABLE_TIMING) {
            return Err(hipError_t::INVALID_RESOURCE_HANDLE);
        }
        let (Some(from), Some(to)) = (self.recorded()?, stop.recorded()?) else {
            return Err(hipError_t::INVALID_RESOURCE_HANDLE);
        };
        if !from.is_reached() || !to.is_reached() {
            return Err(hipError_t::NOT_READY);
        }
        let frequency = state::hip()?.runtime.timestamp_frequency().max(1);
        let ticks = to.time() as i128 - from.time() as i128;
        Ok((ticks as f64 * 1000.0 / frequency as f64) as f32)
    }
}

fn is_reached(shared: &Signal) -> bool {
    shared.load(Ordering::Acquire) <= 0
}

impl std::fmt::Debug for Event {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Event({:?})", self.flags)
    }
}
