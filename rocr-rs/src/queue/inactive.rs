//! A queue that stops: the packet processor wants scratch memory, or there is an error.
//!
//! The packet processor stores its reason to `queue_inactive_signal`. Want of scratch is served and answered with 0,
//! upon which it tries the same packet again; all else ends the queue. The driver has a second way, the exception
//! payload, for what waves do wrong.

use std::{
    mem::offset_of,
    sync::{Arc, Weak, atomic::Ordering},
};

use hsa_sys::{AmdQueue, QueueInactive, SignalCondition};
use thunk_rs::QueuePriority;

use super::{Packet, Queue, QueueError, QueueErrorKind, scratch::ScratchPlan};

/// How often the number of waves with scratch is halved before giving up.
const CUTS: u32 = 8;

impl Queue {
    /// Registers the handlers of both signals with the runtime's own thread.
    pub(super) fn watch(self: &Arc<Self>) {
        let internal = self.agent.runtime().internal();
        let weak = Arc::downgrade(self);
        let inactive = internal.add(
            self.inactive.clone(),
            SignalCondition::NE,
            0,
            Box::new({
                let weak = weak.clone();
                move |value| weak.upgrade().is_some_and(|queue| queue.stopped(value))
            }),
        );
        let exception = internal.add(
            self.exception.clone(),
            SignalCondition::NE,
            0,
            Box::new(move |value| {
                if let Some(queue) = Weak::upgrade(&weak) {
                    let (kind, code) = QueueErrorKind::of_exception(value as u64);
                    queue.fail(kind, QueueInactive::empty(), code);
                }
                false
            }),
        );
        self.handlers.lock().extend([inactive, exception]);
    }

    /// Serves a stop; returns whether the queue goes on.
    fn stopped(&self, value: i64) -> bool {
        let bits = QueueInactive::from_bits_retain(value as u64);
        if bits.contains(QueueInactive::INSUFFICIENT_SCRATCH) {
            if self.grow_scratch(bits.contains(QueueInactive::WAVE32)) {
                self.resume();
                return true;
            }
            self.fail(QueueErrorKind::OutOfScratch, bits, 0);
        } else if bits.contains(QueueInactive::SCRATCH_USED_ONCE) {
            self.drop_scratch();
            self.resume();
            return true;
        } else {
            self.fail(QueueErrorKind::of_inactive(bits), bits, 0);
        }
        false
    }

    /// Tells the packet processor to try again.
    fn resume(&self) {
        // Nobody but the packet processor waits for the zero, and it looks: no event.
        self.inactive.silent_store(0, Ordering::SeqCst);
        self.hardware.read().ring(self.write_index().saturating_sub(1));
    }

    /// Gives the queue the scratch memory that the packet it stopped at needs.
    fn grow_scratch(&self, wave32: bool) -> bool {
        let wave_size = if wave32 { 32 } else { 64 };
        let have = u64::from(self.scratch_lane_bytes()) * 64;
        let (read, write) = (self.read_index(), self.write_index());
        // The read index may lag behind the packet that the processor is at.
        let Some(wanted) = (read..write.min(read + u64::from(self.size())))
            .filter_map(|index| Packet(self.peek(index)).as_dispatch())
            .map(|dispatch| dispatch.private_segment_size)
            .find(|bytes| u64::from(*bytes) * wave_size > have)
        else {
            return false;
        };
        self.drop_scratch();
        for cut in 0..CUTS {
            let Some(plan) = ScratchPlan::new(self.agent.properties(), wanted, wave_size as u32, cut) else {
                return false;
            };
            let Ok(block) = self.agent.runtime().core.allocate_scratch(&self.agent, plan.bytes) else {
                continue;
            };
            self.set_scratch(block.va(), &plan);
            *self.scratch.lock() = Some(block);
            return true;
        }
        false
    }

    fn drop_scratch(&self) {
        let word = |offset| self.memory.u32_field(offset);
        word(offset_of!(AmdQueue, scratch_wave64_lane_byte_size)).store(0, Ordering::SeqCst);
        word(offset_of!(AmdQueue, compute_tmpring_size)).store(0, Ordering::SeqCst);
        *self.scratch.lock() = None;
    }

    fn set_scratch(&self, va: u64, plan: &ScratchPlan) {
        let word = |offset, value| self.memory.u32_field(offset).store(value, Ordering::Relaxed);
        let long = |offset, value| self.memory.u64_field(offset).store(value, Ordering::Relaxed);
        for (i, value) in plan.resource(va).into_iter().enumerate() {
            word(offset_of!(AmdQueue, scratch_resource_descriptor) + 4 * i, value);
        }
        long(offset_of!(AmdQueue, scratch_backing_memory_location), va);
        long(offset_of!(AmdQueue, scratch_backing_memory_byte_size), plan.bytes);
        word(offset_of!(AmdQueue, compute_tmpring_size), plan.tmpring);
        word(offset_of!(AmdQueue, scratch_wave64_lane_byte_size), plan.lane_bytes);
    }

    /// Ends the queue: off the hardware, then the program's handler. The first reason counts.
    pub(crate) fn fail(&self, kind: QueueErrorKind, bits: QueueInactive, exceptions: u64) {
        let mut error = self.describe(kind, bits, exceptions);
        if kind.is_of_a_wave() {
            error.wave = self.agent().take_wave_report();
        }
        if self.failure.set(error).is_err() {
            return;
        }
        self.take_off_hardware();
        if let Some(error) = self.failure.get() {
            (self.on_error)(error);
        }
    }

    pub(super) fn take_off_hardware(&self) {
        if let Err(error) = self.hardware.write().update(0, QueuePriority::Normal) {
            tracing::debug!(%error, queue = self.id, "the queue stays on the hardware");
        }
    }

    /// The error with the packet that the queue stopped at.
    pub(super) fn describe(&self, kind: QueueErrorKind, bits: QueueInactive, exceptions: u64) -> QueueError {
        let packet_index = self.memory.read_index().load(Ordering::Acquire);
        let kernel_object =
            Packet(self.peek(packet_index)).as_dispatch().map_or(0, |dispatch| dispatch.kernel_object);
        QueueError {
            queue: self.id,
            handle: self.handle(),
            kind,
            bits,
            exceptions,
            packet_index,
            kernel_object,
            wave: None,
        }
    }
}
