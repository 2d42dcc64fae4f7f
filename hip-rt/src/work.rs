//! Work for a stream: what a call puts there at once, and what a graph keeps to put there later.

use crate::error::Result;
use crate::event::Event;
use crate::ffi::{self, Kept};
use crate::graph::Graph;
use crate::launch::Call;
use crate::observe::timed;
use crate::stream::Stream;
use crate::{state, tls};
use hip_sys::{
    hipError_t, hipEvent_t, hipGraphNodeType, hipHostNodeParams, hipMemcpy3DParms, hipMemsetParams,
};
use std::sync::Arc;

/// Rows of bytes: `planes` times `rows` times `width`.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Bytes of a row.
    pub width: usize,
    /// Rows of a plane.
    pub rows: usize,
    /// Planes.
    pub planes: usize,
}

/// One side of a copy.
#[derive(Debug, Clone, Copy)]
pub struct Side {
    /// First byte.
    pub address: u64,
    /// Bytes from one row to the next.
    pub pitch: usize,
    /// Bytes from one plane to the next.
    pub plane: usize,
}

impl Side {
    /// Bytes from the first to the last that a copy of this shape touches.
    fn extent(&self, shape: &Shape) -> Result<usize> {
        let rows = self.pitch.checked_mul(shape.rows - 1);
        let planes = self.plane.checked_mul(shape.planes - 1);
        rows.zip(planes)
            .and_then(|(rows, planes)| rows.checked_add(planes)?.checked_add(shape.width))
            .ok_or(hipError_t::INVALID_VALUE)
    }
}

/// A copy. All memory of this runtime is within the host's reach, so that the host copies.
#[derive(Debug, Clone, Copy)]
pub struct Copy {
    /// Where to.
    pub to: Side,
    /// Where from.
    pub from: Side,
    /// How much.
    pub shape: Shape,
}

impl Copy {
    /// Refuses one that leaves the memory that it begins in.
    pub fn check(&self) -> Result {
        if self.is_empty() {
            return Ok(());
        }
        if self.to.address == 0 || self.from.address == 0 {
            return Err(hipError_t::INVALID_VALUE);
        }
        let allocations = &state::hip()?.allocations;
        allocations.check(self.to.address, self.to.extent(&self.shape)?)?;
        allocations.check(self.from.address, self.from.extent(&self.shape)?)
    }

    /// Whether a side is memory of the host that no device knows.
    pub fn is_pageable(&self) -> Result<bool> {
        let hip = state::hip()?;
        let known = |side: &Side| hip.allocations.knows(side.address) || hip.arrays.holds(side.address);
        Ok(!(self.is_empty() || known(&self.to) && known(&self.from)))
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.shape.width == 0 || self.shape.rows == 0 || self.shape.planes == 0
    }

    /// Copies now.
    pub fn perform(&self) {
        if self.is_empty() {
            return;
        }
        let Shape { width, rows, planes } = self.shape;
        timed("copy", width.saturating_mul(rows).saturating_mul(planes), || {
            for plane in 0..planes as u64 {
                for row in 0..rows as u64 {
                    let at = |side: &Side| side.address + plane * side.plane as u64 + row * side.pitch as u64;
                    ffi::copy(at(&self.to), at(&self.from), width);
                }
            }
        });
    }
}

/// A fill: `planes` times `rows` times `count` elements of `width` bytes at `address`.
#[derive(Debug, Clone, Copy)]
pub struct Fill {
    /// First byte.
    pub address: u64,
    /// What each element becomes.
    pub value: u32,
    /// Bytes of an element: 1, 2 or 4.
    pub width: usize,
    /// Elements of a row.
    pub count: usize,
    /// Rows of a plane.
    pub rows: usize,
    /// Bytes from one row to the next.
    pub pitch: usize,
    /// Planes.
    pub planes: usize,
    /// Bytes from one plane to the next.
    pub plane: usize,
}

impl Fill {
    fn extent(&self) -> Result<usize> {
        let row = self.width.checked_mul(self.count);
        let rows = self.pitch.checked_mul(self.rows - 1);
        let planes = self.plane.checked_mul(self.planes - 1);
        row.zip(rows)
            .zip(planes)
            .and_then(|((row, rows), planes)| row.checked_add(rows)?.checked_add(planes))
            .ok_or(hipError_t::INVALID_VALUE)
    }

    /// Refuses one that leaves the memory that it begins in, or that no device knows.
    pub fn check(&self) -> Result {
        if self.is_empty() {
            return Ok(());
        }
        if self.address == 0 {
            return Err(hipError_t::INVALID_VALUE);
        }
        state::hip()?.allocations.check_own(self.address, self.extent()?)
    }

    fn is_empty(&self) -> bool {
        self.count == 0 || self.rows == 0 || self.planes == 0
    }

    /// Fills now.
    pub fn perform(&self) {
        if self.is_empty() {
            return;
        }
        let bytes =
            [self.width, self.count, self.rows, self.planes].into_iter().fold(1, usize::saturating_mul);
        timed("fill", bytes, || {
            for plane in 0..self.planes as u64 {
                for row in 0..self.rows as u64 {
                    let at = self.address + plane * self.plane as u64 + row * self.pitch as u64;
                    ffi::fill(at, self.value, self.width, self.count);
                }
            }
        });
    }
}

/// Work for a stream. What a node of a graph can be asked for is kept as it was given.
#[derive(Debug, Clone)]
pub enum Work {
    /// A kernel.
    Kernel(Call),
    /// A copy, and what kind of node asked for it.
    Copy(Copy, hipGraphNodeType, Kept<hipMemcpy3DParms>),
    /// A fill.
    Fill(Fill, Kept<hipMemsetParams>),
    /// A function of the program.
    Host(Kept<hipHostNodeParams>),
    /// The recording of an event.
    Record(Arc<Event>, Kept<hipEvent_t>),
    /// The wait for an event.
    Wait(Arc<Event>, Kept<hipEvent_t>),
    /// A graph.
    Graph(Arc<Graph>),
    /// Nothing.
    Empty,
}

impl Work {
    /// What a graph calls it.
    pub fn node_type(&self) -> hipGraphNodeType {
        use hipGraphNodeType as T;
        match self {
            Work::Kernel(_) => T::KERNEL,
            Work::Copy(_, kind, _) => *kind,
            Work::Fill(..) => T::MEMSET,
            Work::Host(_) => T::HOST,
            Work::Record(..) => T::EVENT_RECORD,
            Work::Wait(..) => T::WAIT_EVENT,
            Work::Graph(_) => T::GRAPH,
            Work::Empty => T::EMPTY,
        }
    }

    /// Whether a GPU does it, or would on hardware.
    pub fn is_of_device(&self) -> bool {
        matches!(self, Work::Kernel(_) | Work::Copy(..) | Work::Fill(..) | Work::Graph(_))
    }

    /// What there is to say of it in a picture, with a line feed before it.
    pub fn title(&self) -> String {
        match self {
            Work::Kernel(call) => format!("\\n{}", call.name().replace('"', "'")),
            Work::Copy(copy, ..) => {
                format!("\\n{} × {} × {} bytes", copy.shape.planes, copy.shape.rows, copy.shape.width)
            }
            _ => String::new(),
        }
    }

    /// Puts it into a stream.
    pub fn run(self, stream: &Arc<Stream>) -> Result {
        match self {
            Work::Kernel(call) => call.run(stream),
            Work::Copy(copy, ..) => {
                in_order(stream, move || copy.perform())?;
                // As on hardware, which cannot reach memory that is not pinned: the program need not wait itself.
                if !tls::is_in_callback() && copy.is_pageable()? {
                    stream.drain();
                }
                Ok(())
            }
            Work::Fill(fill, _) => in_order(stream, move || fill.perform()),
            Work::Host(params) => {
                stream.host(false, move |_| tls::as_callback(|| ffi::call_host_node(&params)))
            }
            Work::Record(event, _) => event.record(stream),
            Work::Wait(event, _) => event.block(stream),
            Work::Graph(graph) => graph.run(stream),
            Work::Empty => Ok(()),
        }
    }
}

fn in_order(stream: &Arc<Stream>, work: impl FnOnce() + Send + 'static) -> Result {
    stream.host(true, move |status| {
        if status == hipError_t::SUCCESS {
            work();
        }
    })
}
