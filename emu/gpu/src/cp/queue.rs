//! One compute queue: its ring in memory, where it stands, how it ends; and of AQL queues what their packets need
//! (`amd_queue_t` of `amd_hsa_queue.h`). What queues of PM4 packets have of their own is in `pm4/ring.rs`.

use std::mem::offset_of;
use std::sync::Arc;

use amdgpu_isa::GlobalWaveSync;
use hsa_sys::{AmdQueue, Header, PACKET_BYTES, PacketType, QueueCaps, QueueInactive, QueueProperties};
use parking_lot::Mutex;

use super::pm4::{Buffer, Registers};
use super::signal::{self, Times};
use super::{Context, aql};
use crate::exec::{Cause, Dispatch, Failure, Launch, Worker};
use crate::panics::caught;
use crate::poll::Step;
use crate::ring::Ring;
use crate::vm::{Fault, PageTable};

/// What stands in a queue's ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// AQL packets. Pointers count them.
    Aql,
    /// PM4 packets. Pointers count dwords.
    Pm4,
}

/// What `CREATE_QUEUE` says of a queue.
#[derive(Debug)]
pub(crate) struct QueueSpec {
    pub(crate) id: u32,
    pub(crate) ring: Ring,
    pub(crate) write_pointer: u64,
    pub(crate) read_pointer: u64,
    pub(crate) enabled: bool,
}

enum Phase {
    /// The next packet can be taken.
    Ready,
    /// A kernel runs.
    Running(Arc<Dispatch>),
    /// The runtime was asked for scratch memory and has not answered.
    Scratch,
    /// An error stopped the queue for good.
    Stopped,
}

/// A packet that was taken from the ring.
pub(super) struct Packet {
    /// Packet number.
    pub(super) index: u64,
    /// Address of its slot.
    pub(super) va: u64,
    /// Its bytes.
    pub(super) bytes: [u8; PACKET_BYTES],
    /// Its header.
    pub(super) header: Header,
    /// Its indirect buffer, if it has begun it.
    pub(super) resume: Option<Buffer>,
}

/// What a packet came to.
pub(super) enum Outcome {
    /// Done: complete this signal (0: none).
    Done(u64),
    /// Launch a kernel.
    Launch(Box<Launch>),
    /// Not yet.
    Waiting,
    /// Done up to that place of its indirect buffer, where it waits or has had its turn.
    Paused(Buffer, Step),
    /// The queue has not enough scratch memory: ask the runtime.
    NeedScratch,
    /// The packet is wrong.
    Refused(QueueInactive, String),
}

pub(super) struct State {
    pub(super) ring: Ring,
    pub(super) enabled: bool,
    killed: bool,
    /// First packet (AQL) or dword (PM4) that is not consumed.
    pub(super) read: u64,
    phase: Phase,
    /// When the packet that runs began, if somebody wants to know.
    started: Option<u64>,
    /// The indirect buffer of the packet at the read index, if it has begun it.
    pub(super) buffer: Option<Buffer>,
    /// Dwords of the PM4 packet that called the buffer.
    pub(super) call: u32,
    /// Shader registers of a queue of PM4 packets.
    pub(super) registers: Option<Box<Registers>>,
}

/// A queue.
pub(crate) struct Queue {
    pub(crate) id: u32,
    pub(crate) doorbell: u32,
    format: Format,
    pub(super) write_pointer: u64,
    pub(super) read_pointer: u64,
    /// What work-groups of its kernels can meet at, if it has it.
    pub(super) gws: Mutex<Option<Arc<GlobalWaveSync>>>,
    state: Mutex<State>,
}

impl Queue {
    pub(super) fn new(spec: QueueSpec, format: Format, doorbell: u32) -> Queue {
        let state = State {
            ring: spec.ring,
            enabled: spec.enabled,
            killed: false,
            read: 0,
            phase: Phase::Ready,
            started: None,
            buffer: None,
            call: 0,
            registers: (format == Format::Pm4).then(Box::default),
        };
        Queue {
            id: spec.id,
            doorbell,
            format,
            write_pointer: spec.write_pointer,
            read_pointer: spec.read_pointer,
            gws: Mutex::default(),
            state: Mutex::new(state),
        }
    }

    /// Address of the `amd_queue_t`, if the index pointers are those of one.
    pub(super) fn amd_queue(&self) -> Option<u64> {
        if self.format != Format::Aql {
            return None;
        }
        let base = self.read_pointer.checked_sub(offset_of!(AmdQueue, read_dispatch_id) as u64)?;
        (base + offset_of!(AmdQueue, write_dispatch_id) as u64 == self.write_pointer).then_some(base)
    }

    /// Address of a field of the `amd_queue_t`.
    pub(super) fn field(&self, offset: usize) -> Option<u64> {
        self.amd_queue().map(|base| base + offset as u64)
    }

    /// What the packet processor says of itself when it takes the queue up. Nothing of a queue that is none of a runtime's.
    pub(super) fn connect(&self, context: &Context) {
        let Some(va) = self.field(offset_of!(AmdQueue, caps)).filter(|_| context.chip.reclaims_scratch)
        else {
            return;
        };
        let table = context.vm.table();
        if let Ok(caps) = table.load_u32(va) {
            // Memory that is for reading only stays as it is.
            let _ = table.store_u32(va, caps | QueueCaps::CP_ASYNC_RECLAIM.bits());
        }
    }

    pub(super) fn update(&self, ring: Option<Ring>, enabled: bool) {
        let mut state = self.state.lock();
        state.ring = ring.unwrap_or(state.ring);
        state.enabled = enabled;
    }

    /// Ends the kernel that runs and takes no more packets. Returns when no wave of the queue runs.
    pub(super) fn kill(&self) {
        let running = {
            let mut state = self.state.lock();
            state.killed = true;
            match std::mem::replace(&mut state.phase, Phase::Stopped) {
                Phase::Running(dispatch) => Some(dispatch),
                _ => None,
            }
        };
        if let Some(dispatch) = running {
            dispatch.kill();
            dispatch.wait_done();
        }
    }

    /// Completes the kernel that runs, if it is over: called by the thread that ran its last work-group.
    pub(crate) fn finish(&self, context: &Context) {
        if let Err(panic) = caught(|| self.try_finish(context)) {
            self.fail(context, panic);
        }
    }

    fn try_finish(&self, context: &Context) {
        // The command processor may hold the queue because it just launched that kernel; then it looks itself.
        let Some(mut state) = self.state.try_lock() else { return };
        if !matches!(&state.phase, Phase::Running(dispatch) if dispatch.is_done()) {
            return;
        }
        let table = context.vm.table();
        if let Err(fault) = self.finish_dispatch(&mut state, context, &table) {
            self.fault(&mut state, context, &table, fault);
        }
    }

    /// Stops the queue because of a fault of the emulator itself.
    pub(super) fn fail(&self, context: &Context, text: String) {
        let mut state = self.state.lock();
        if let Phase::Running(dispatch) = &state.phase {
            dispatch.kill();
        }
        let table = context.vm.table();
        let text = format!("queue {}, packet {}: {text}", self.id, state.read);
        let failure = Failure::Queue(QueueInactive::ILLEGAL_INSTRUCTION);
        self.stop(&mut state, context, &table, failure, Cause::Other(text));
    }

    fn fault(&self, state: &mut State, context: &Context, table: &PageTable, fault: Fault) {
        let text = format!("the command processor, queue {}: {fault}", self.id);
        self.stop(
            state,
            context,
            table,
            Failure::Memory(fault.event_data(context.gpu_id)),
            Cause::Other(text),
        );
    }

    /// Does the next thing that the queue has to do. `known` is a page table that may still be the present one.
    pub(super) fn step(
        self: &Arc<Queue>,
        context: &Arc<Context>,
        worker: &mut Worker,
        known: &mut Option<Arc<PageTable>>,
    ) -> Step {
        let mut state = self.state.lock();
        let current = known.take().filter(|table| context.vm.is_current(table));
        let mut table = current.unwrap_or_else(|| context.vm.table());
        let result = match &state.phase {
            Phase::Stopped => Ok(Step::Idle),
            Phase::Running(dispatch) if !dispatch.is_done() => Ok(Step::Running),
            Phase::Running(_) => self.finish_dispatch(&mut state, context, &table),
            Phase::Scratch => self.scratch_answer(&mut state, &table),
            Phase::Ready if self.format == Format::Pm4 => {
                self.next_words(&mut state, context, worker, &table)
            }
            Phase::Ready => match self.published(&state, &table) {
                Ok(Some(header)) => {
                    // What the packet names may have been mapped since.
                    if !context.vm.is_current(&table) {
                        table = context.vm.table();
                    }
                    self.next_packet(&mut state, context, worker, &table, header)
                }
                Ok(None) => Ok(Step::Idle),
                Err(fault) => Err(fault),
            },
        };
        let step = result.unwrap_or_else(|fault| {
            self.fault(&mut state, context, &table, fault);
            Step::Idle
        });
        *known = Some(table);
        step
    }

    /// The header of the packet at the read index, if there is one. Its producer wrote the body before, and mapped what the
    /// packet names.
    fn published(&self, state: &State, table: &PageTable) -> Result<Option<Header>, Fault> {
        if !state.enabled || table.load_u64(self.write_pointer)? <= state.read {
            return Ok(None);
        }
        let header = Header(table.load_u32(state.ring.slot(state.read))? as u16);
        Ok((header.kind() != PacketType::INVALID).then_some(header))
    }

    fn next_packet(
        self: &Arc<Queue>,
        state: &mut State,
        context: &Arc<Context>,
        worker: &mut Worker,
        table: &PageTable,
        header: Header,
    ) -> Result<Step, Fault> {
        let va = state.ring.slot(state.read);
        let mut packet =
            Packet { index: state.read, va, bytes: [0; PACKET_BYTES], header, resume: state.buffer };
        table.read(va, &mut packet.bytes)?;
        match aql::execute(self, context, table, &packet)? {
            Outcome::Waiting => Ok(Step::Waiting),
            Outcome::Paused(buffer, step) => {
                state.buffer = Some(buffer);
                Ok(step)
            }
            Outcome::Done(signal) => {
                let times = if signal != 0 && self.profiles(table)? {
                    let now = crate::clock::gpu_ticks();
                    Some(Times { start: now, end: now })
                } else {
                    None
                };
                self.complete(state, context, table, signal, times)?;
                Ok(Step::Progress)
            }
            Outcome::Launch(launch) => self.launch(state, context, worker, table, *launch),
            Outcome::NeedScratch => {
                let bits = QueueInactive::INSUFFICIENT_SCRATCH;
                if self.set_inactive(context, table, bits)? {
                    state.phase = Phase::Scratch;
                    return Ok(Step::Waiting);
                }
                let text = format!(
                    "queue {}, packet {}: the kernel needs scratch memory, and the queue has no inactive signal to \
                     ask for it",
                    self.id, packet.index
                );
                self.stop(state, context, table, Failure::Queue(bits), Cause::Other(text));
                Ok(Step::Idle)
            }
            Outcome::Refused(bits, text) => {
                let text = format!("queue {}, packet {}: {text}", self.id, packet.index);
                self.stop(state, context, table, Failure::Queue(bits), Cause::Other(text));
                Ok(Step::Idle)
            }
        }
    }

    /// Starts a kernel.
    pub(super) fn launch(
        self: &Arc<Queue>,
        state: &mut State,
        context: &Arc<Context>,
        worker: &mut Worker,
        table: &PageTable,
        launch: Launch,
    ) -> Result<Step, Fault> {
        let gws = self.gws.lock().clone();
        let dispatch = Arc::new(Dispatch::new(Arc::clone(context), launch, gws));
        state.started = self.profiles(table)?.then(crate::clock::gpu_ticks);
        dispatch.set_queue(Arc::downgrade(self));
        state.phase = Phase::Running(Arc::clone(&dispatch));
        context.workers.launch(&dispatch, worker);
        // A small grid is over by now.
        if dispatch.is_done() { self.finish_dispatch(state, context, table) } else { Ok(Step::Running) }
    }

    /// Completes the packet at the read index and moves on.
    fn complete(
        &self,
        state: &mut State,
        context: &Context,
        table: &PageTable,
        signal: u64,
        times: Option<Times>,
    ) -> Result<(), Fault> {
        if signal != 0 {
            signal::complete(table, &context.events, signal, times)?;
        }
        table.store_u16(state.ring.slot(state.read), Header::INVALID.0)?;
        state.read += 1;
        state.buffer = None;
        table.store_u64(self.read_pointer, state.read)
    }

    fn finish_dispatch(
        &self,
        state: &mut State,
        context: &Context,
        table: &PageTable,
    ) -> Result<Step, Fault> {
        let Phase::Running(dispatch) = std::mem::replace(&mut state.phase, Phase::Ready) else {
            return Ok(Step::Idle);
        };
        if let Some((failure, cause)) = dispatch.take_failure() {
            self.stop(state, context, table, failure, cause);
            return Ok(Step::Idle);
        }
        dispatch.account(context);
        if self.format == Format::Pm4 {
            return Ok(Step::Progress);
        }
        let times = state.started.map(|start| Times { start, end: crate::clock::gpu_ticks() });
        self.complete(state, context, table, dispatch.completion_signal(), times)?;
        Ok(Step::Progress)
    }

    /// Whether completions get time stamps.
    fn profiles(&self, table: &PageTable) -> Result<bool, Fault> {
        let Some(va) = self.field(offset_of!(AmdQueue, queue_properties)) else { return Ok(false) };
        let properties = QueueProperties::from_bits_retain(table.load_u32(va)?);
        Ok(properties.contains(QueueProperties::ENABLE_PROFILING))
    }

    fn scratch_answer(&self, state: &mut State, table: &PageTable) -> Result<Step, Fault> {
        let Some(signal) = self.inactive_signal(table)? else { return Ok(Step::Idle) };
        if signal::value(table, signal)? != 0 {
            return Ok(Step::Waiting);
        }
        state.phase = Phase::Ready;
        Ok(Step::Progress)
    }

    fn inactive_signal(&self, table: &PageTable) -> Result<Option<u64>, Fault> {
        let Some(va) = self.field(offset_of!(AmdQueue, queue_inactive_signal)) else { return Ok(None) };
        let signal = table.load_u64(va)?;
        Ok((signal != 0).then_some(signal))
    }

    /// Tells the runtime through the queue's inactive signal. False if it has none.
    fn set_inactive(&self, context: &Context, table: &PageTable, bits: QueueInactive) -> Result<bool, Fault> {
        let Some(signal) = self.inactive_signal(table)? else { return Ok(false) };
        signal::store(table, &context.events, signal, bits.bits().cast_signed())?;
        Ok(true)
    }

    /// Stops the queue for good and tells why, in the log and by the path that hardware takes.
    pub(super) fn stop(
        &self,
        state: &mut State,
        context: &Context,
        table: &PageTable,
        failure: Failure,
        cause: Cause,
    ) {
        state.phase = Phase::Stopped;
        if state.killed {
            return;
        }
        match cause {
            Cause::Wave(report) => {
                let kernel = format_args!("{:#x}", report.kernel_object);
                tracing::error!(target: "amdgpu_emu", chip = context.chip.name, queue = self.id, kernel, "{report}");
                // Before the runtime is told, which then asks for it.
                *context.wave_report.lock() = Some(report);
            }
            Cause::Other(text) => {
                tracing::error!(target: "amdgpu_emu", chip = context.chip.name, queue = self.id, "{text}");
            }
        }
        let told = match failure {
            Failure::Memory(data) => context.events.memory_fault(data) > 0,
            Failure::Queue(bits) => matches!(self.set_inactive(context, table, bits), Ok(true)),
        };
        if !told {
            // Neither a memory event nor an inactive signal to tell: what is left is "the device hangs".
            context.events.hang(context.gpu_id);
        }
    }
}
