//! Stream capture: what is put into a stream becomes a node of a graph. Other streams join when they wait for an event
//! that was recorded in the capture, and must have been waited for when it ends.

use super::{Graph, NodeId};
use crate::error::Result;
use crate::stream::Stream;
use crate::work::Work;
use crate::{state, tls};
use hip_sys::{Major, hipError_t, hipStreamCaptureMode, hipStreamCaptureStatus};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::thread::ThreadId;

/// A capture under way.
#[derive(Debug)]
pub struct Capture {
    /// A number that no other capture has.
    pub id: u64,
    /// What it becomes.
    pub graph: Arc<Graph>,
    mode: hipStreamCaptureMode,
    thread: ThreadId,
    /// The stream that it was begun in.
    origin: u64,
    inner: Mutex<Inner>,
}

/// How a capture stands.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Stage {
    #[default]
    Active,
    /// Something happened that it cannot hold.
    Invalidated,
    /// Streams are free again; events recorded in it stay useless.
    Ended,
}

#[derive(Debug, Default)]
struct Inner {
    stage: Stage,
    /// By stream: what the next node there comes after.
    streams: BTreeMap<u64, (Weak<Stream>, Vec<NodeId>)>,
}

impl Stage {
    /// Refuses what only a good capture takes.
    fn check(self) -> Result {
        match self {
            Stage::Active => Ok(()),
            Stage::Invalidated => Err(hipError_t::STREAM_CAPTURE_INVALIDATED),
            Stage::Ended => Err(hipError_t::CAPTURED_EVENT),
        }
    }
}

/// Refuses a call that HIP 7 does not take while streams are captured, unless the capture or the thread
/// (`hipThreadExchangeStreamCaptureMode`) is relaxed about it.
pub fn refuse() -> Result {
    if state::major() < Major::Seven {
        return Ok(());
    }
    let Some(hip) = state::hip_if_open().filter(|hip| hip.graphs.captures.load(Ordering::Acquire) != 0)
    else {
        return Ok(());
    };
    let mode = tls::capture_mode();
    let captures =
        hip.devices.iter().flat_map(|device| device.streams()).filter_map(|stream| stream.capture());
    for capture in captures {
        let own = capture.thread == std::thread::current().id();
        let forbids = match capture.mode {
            hipStreamCaptureMode::GLOBAL => own || mode == hipStreamCaptureMode::GLOBAL,
            hipStreamCaptureMode::THREAD_LOCAL => own,
            _ => false,
        };
        if forbids && mode != hipStreamCaptureMode::RELAXED {
            return Err(hipError_t::STREAM_CAPTURE_UNSUPPORTED);
        }
    }
    Ok(())
}

/// A stream takes part no more.
fn release(stream: &Weak<Stream>) {
    if let Some(stream) = stream.upgrade() {
        stream.set_capture(None);
    }
    if let Some(hip) = state::hip_if_open() {
        hip.graphs.captures.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Capture {
    /// Begins to capture a stream.
    pub fn begin(stream: &Arc<Stream>, mode: hipStreamCaptureMode) -> Result {
        let graphs = &state::hip()?.graphs;
        let capture = Arc::new(Capture {
            id: graphs.fresh() as u64,
            graph: graphs.create(),
            mode,
            thread: std::thread::current().id(),
            origin: stream.id(),
            inner: Mutex::default(),
        });
        capture.join(stream, Vec::new())
    }

    /// A stream takes part from now on.
    fn join(self: &Arc<Self>, stream: &Arc<Stream>, after: Vec<NodeId>) -> Result {
        self.inner.lock().streams.insert(stream.id(), (Arc::downgrade(stream), after));
        state::hip()?.graphs.captures.fetch_add(1, Ordering::AcqRel);
        stream.set_capture(Some(self.clone()));
        Ok(())
    }

    /// Whether it is still good.
    pub fn status(&self) -> hipStreamCaptureStatus {
        match self.inner.lock().stage {
            Stage::Active => hipStreamCaptureStatus::ACTIVE,
            Stage::Invalidated => hipStreamCaptureStatus::INVALIDATED,
            Stage::Ended => hipStreamCaptureStatus::NONE,
        }
    }

    /// Notes that something happened that a capture cannot hold.
    pub fn invalidate(&self) {
        let mut inner = self.inner.lock();
        if inner.stage == Stage::Active {
            inner.stage = Stage::Invalidated;
        }
    }

    fn is_of_others(&self) -> bool {
        self.mode != hipStreamCaptureMode::RELAXED && self.thread != std::thread::current().id()
    }

    /// Whether work of the null stream would get between what is captured.
    pub fn forbids_null_stream(&self) -> bool {
        match self.mode {
            hipStreamCaptureMode::GLOBAL => true,
            hipStreamCaptureMode::THREAD_LOCAL => !self.is_of_others(),
            _ => false,
        }
    }

    /// Adds a node behind what the stream has.
    pub fn add(&self, stream: &Stream, work: Work) -> Result<NodeId> {
        let mut inner = self.inner.lock();
        inner.stage.check()?;
        let (_, after) = inner.streams.get_mut(&stream.id()).ok_or(hipError_t::STREAM_CAPTURE_UNMATCHED)?;
        let node = self.graph.add(work, after)?;
        *after = vec![node];
        Ok(node)
    }

    /// What the next node of a stream comes after.
    pub fn after(&self, stream: &Stream) -> Vec<NodeId> {
        self.inner.lock().streams.get(&stream.id()).map_or_else(Vec::new, |(_, after)| after.clone())
    }

    /// Adds to what the next node of a stream comes after, or replaces it.
    pub fn set_after(&self, stream: &Stream, nodes: &[NodeId], replace: bool) -> Result {
        let known = self.graph.nodes();
        if nodes.iter().any(|node| !known.contains(node)) {
            return Err(hipError_t::INVALID_VALUE);
        }
        let mut inner = self.inner.lock();
        let (_, after) = inner.streams.get_mut(&stream.id()).ok_or(hipError_t::ILLEGAL_STATE)?;
        if replace {
            after.clear();
        }
        nodes.iter().for_each(|node| {
            if !after.contains(node) {
                after.push(*node);
            }
        });
        Ok(())
    }

    /// A stream waits for a place of this capture: it joins, if it does not take part.
    pub fn wait(self: &Arc<Self>, stream: &Arc<Stream>, for_nodes: &[NodeId]) -> Result {
        self.inner.lock().stage.check()?;
        match stream.capture() {
            None => self.join(stream, for_nodes.to_vec()),
            Some(other) if other.id == self.id => self.set_after(stream, for_nodes, false),
            Some(other) => {
                other.invalidate();
                self.invalidate();
                Err(hipError_t::STREAM_CAPTURE_MERGE)
            }
        }
    }

    /// Ends it from the stream that it was begun in: its graph.
    pub fn end(&self, stream: &Stream) -> Result<Arc<Graph>> {
        if stream.id() != self.origin {
            self.invalidate();
            return Err(hipError_t::STREAM_CAPTURE_UNMATCHED);
        }
        if self.is_of_others() {
            return Err(hipError_t::STREAM_CAPTURE_WRONG_THREAD);
        }
        let result = self.joined(stream);
        self.leave();
        if result.is_err() {
            state::hip()?.graphs.destroy(self.graph.id)?;
        }
        result.map(|()| self.graph.clone())
    }

    /// Ends it for all streams.
    pub fn leave(&self) {
        let streams = {
            let mut inner = self.inner.lock();
            inner.stage = Stage::Ended;
            std::mem::take(&mut inner.streams)
        };
        streams.values().for_each(|(stream, _)| release(stream));
    }

    /// A stream goes while it takes part: the capture is no good any more. Without the one that it was begun in nobody can
    /// end it.
    pub fn lose(&self, stream: &Stream) -> Result {
        self.invalidate();
        if stream.id() == self.origin {
            self.leave();
            return state::hip()?.graphs.destroy(self.graph.id);
        }
        let lost = self.inner.lock().streams.remove(&stream.id());
        lost.iter().for_each(|(stream, _)| release(stream));
        Ok(())
    }

    /// Whether the origin comes after everything that the other streams have.
    fn joined(&self, origin: &Stream) -> Result {
        let inner = self.inner.lock();
        inner.stage.check()?;
        let last = inner.streams.get(&origin.id()).map_or(&[][..], |(_, after)| after);
        let reached = self.graph.ancestors(last);
        let all = inner.streams.values().flat_map(|(_, after)| after).all(|node| reached.contains(node));
        if all { Ok(()) } else { Err(hipError_t::STREAM_CAPTURE_UNJOINED) }
    }
}
