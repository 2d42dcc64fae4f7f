//! One SDMA queue: its ring, where it stands, and the indirect buffer that it is in.

use parking_lot::Mutex;

use super::Context;
use super::packets::{self, Outcome};
use crate::cp::QueueSpec;
use crate::poll::Step;
use crate::ring::{DWORD, Ring, Source};
use crate::vm::{Fault, PageTable};

struct State {
    ring: Ring,
    enabled: bool,
    /// Stopped for good: destroyed, or an error.
    stopped: bool,
    /// Byte offset of the first packet that is not done; only grows.
    read: u64,
    /// Address and end of what is left of an indirect buffer, and the dwords of the packet that jumped to it.
    buffer: Option<(u64, u64, u32)>,
}

/// A queue.
pub(super) struct SdmaQueue {
    pub(super) id: u32,
    pub(super) doorbell: u32,
    /// On an engine for links between GPUs.
    pub(super) xgmi: bool,
    write_pointer: u64,
    read_pointer: u64,
    state: Mutex<State>,
}

impl SdmaQueue {
    pub(super) fn new(spec: QueueSpec, doorbell: u32, xgmi: bool) -> SdmaQueue {
        let state = State { ring: spec.ring, enabled: spec.enabled, stopped: false, read: 0, buffer: None };
        SdmaQueue {
            id: spec.id,
            doorbell,
            xgmi,
            write_pointer: spec.write_pointer,
            read_pointer: spec.read_pointer,
            state: Mutex::new(state),
        }
    }

    pub(super) fn update(&self, ring: Option<Ring>, enabled: bool) {
        let mut state = self.state.lock();
        state.ring = ring.unwrap_or(state.ring);
        state.enabled = enabled;
    }

    /// Takes no more packets.
    pub(super) fn kill(&self) {
        self.state.lock().stopped = true;
    }

    /// Does the next packet.
    pub(super) fn step(&self, context: &Context) -> Step {
        let mut state = self.state.lock();
        if state.stopped || !state.enabled {
            return Step::Idle;
        }
        let table = context.vm.table();
        self.next(&mut state, context, &table).unwrap_or_else(|fault| {
            state.stopped = true;
            tracing::error!(target: "amdgpu_emu", chip = context.chip.name, queue = self.id, "SDMA: {fault}");
            if context.events.memory_fault(fault.event_data(context.gpu_id)) == 0 {
                context.events.hang(context.gpu_id);
            }
            Step::Idle
        })
    }

    /// Stops the queue because of a fault of the emulator itself.
    pub(super) fn fail(&self, context: &Context, text: String) {
        self.stop(&mut self.state.lock(), context, format_args!("{text}"));
    }

    /// Stops the queue for good. An engine that meets what it does not know hangs, and the driver resets the device.
    fn stop(&self, state: &mut State, context: &Context, text: std::fmt::Arguments<'_>) {
        state.stopped = true;
        let at = state.read;
        tracing::error!(
            target: "amdgpu_emu", chip = context.chip.name, queue = self.id,
            "SDMA queue {}, at byte {at:#x} of its ring: {text}", self.id
        );
        context.events.hang(context.gpu_id);
    }

    fn next(&self, state: &mut State, context: &Context, table: &PageTable) -> Result<Step, Fault> {
        let write = table.load_u64(self.write_pointer)?;
        if write <= state.read {
            return Ok(Step::Idle);
        }
        // Anew: what the packet names may have been mapped since, before it was published.
        let table = &context.vm.table();
        let ahead = write - state.read;
        let (source, bytes) = match state.buffer {
            Some((at, end, _)) => (Source::Buffer(at), end - at),
            None => (Source::Ring(state.ring, state.read), ahead),
        };
        let ring = u64::from(state.ring.bytes);
        let outcome = if ahead > ring {
            Outcome::Refused(format!(
                "the write pointer is {ahead} bytes ahead, in a ring of {ring}: wait for the read pointer"
            ))
        } else if bytes < DWORD {
            Outcome::Refused(format!("the write pointer is {bytes} bytes ahead, which is no dword"))
        } else {
            packets::execute(context, table, source, u32::try_from(bytes / DWORD).unwrap_or(u32::MAX))?
        };
        match outcome {
            Outcome::Done(dwords) => self.advance(state, table, dwords)?,
            // One of no dwords has nothing to do.
            Outcome::Jump { dwords: 0, own, .. } => self.advance(state, table, own)?,
            Outcome::Jump { va, dwords, own } => {
                state.buffer = Some((va, va.saturating_add(u64::from(dwords) * DWORD), own));
            }
            Outcome::Waiting => return Ok(Step::Waiting),
            Outcome::Refused(text) => {
                let place = match state.buffer {
                    Some((at, ..)) => format!(", in an indirect buffer at {at:#x}"),
                    None => String::new(),
                };
                self.stop(state, context, format_args!("{text}{place}"));
                return Ok(Step::Idle);
            }
        }
        Ok(Step::Progress)
    }

    fn advance(&self, state: &mut State, table: &PageTable, dwords: u32) -> Result<(), Fault> {
        let mut on_ring = dwords;
        if let Some((at, end, own)) = state.buffer {
            let next = at.saturating_add(u64::from(dwords) * DWORD);
            state.buffer = (next < end).then_some((next, end, own));
            if state.buffer.is_some() {
                return Ok(());
            }
            on_ring = own;
        }
        state.read += u64::from(on_ring) * DWORD;
        table.store_u64(self.read_pointer, state.read)
    }
}
