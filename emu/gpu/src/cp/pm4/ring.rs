//! A compute queue of PM4 packets: its ring of dwords. The write pointer in memory counts dwords and only grows; the read
//! pointer that the device reports is a dword of 32 bits and goes round with the ring.

use std::sync::Arc;

use hsa_sys::QueueInactive;

use super::{Buffer, Engine, Progress, Taken, run, take};
use crate::cp::Context;
use crate::cp::queue::{Queue, State};
use crate::exec::{Cause, Failure, Launch, Worker};
use crate::poll::Step;
use crate::ring::{DWORD, Source};
use crate::vm::{Fault, PageTable};

/// What there is to do after a look at the queue.
enum Next {
    /// The packet at the read pointer is done, of so many dwords.
    Done(u32),
    /// Go on in an indirect buffer.
    In(Buffer),
    Launch(Box<Launch>),
    Waiting,
    Refused(String),
}

impl Queue {
    /// Takes packets from the ring, or from the indirect buffer that the queue is in.
    pub(in crate::cp) fn next_words(
        self: &Arc<Queue>,
        state: &mut State,
        context: &Arc<Context>,
        worker: &mut Worker,
        table: &PageTable,
    ) -> Result<Step, Fault> {
        let write = table.load_u64(self.write_pointer)?;
        if !state.enabled || write <= state.read {
            return Ok(Step::Idle);
        }
        // Anew: what the packets name may have been mapped since, before they were published.
        let table = context.vm.table();
        let at = state.read;
        match self.look(state, context, Arc::clone(&table), write - at)? {
            Next::Done(dwords) => {
                state.buffer = None;
                self.advance(state, &table, dwords)?;
            }
            Next::In(buffer) => state.buffer = Some(buffer),
            Next::Launch(mut launch) => {
                launch.index = at;
                // Past its packet already: what comes after the kernel is taken when it is over.
                return self.launch(state, context, worker, &table, *launch);
            }
            Next::Waiting => return Ok(Step::Waiting),
            Next::Refused(text) => {
                let text = format!("queue {}, dword {} of its ring: {text}", self.id, state.read);
                let failure = Failure::Queue(QueueInactive::INVALID_PACKET);
                self.stop(state, context, &table, failure, Cause::Other(text));
                return Ok(Step::Idle);
            }
        }
        Ok(Step::Progress)
    }

    fn look(
        &self,
        state: &mut State,
        context: &Context,
        table: Arc<PageTable>,
        ahead: u64,
    ) -> Result<Next, Fault> {
        let mut registers = state.registers.take();
        let mut engine = Engine { context, table, registers: registers.as_deref_mut() };
        let next = match &mut state.buffer {
            Some(buffer) => run(&mut engine, buffer).map(|progress| match progress {
                Progress::Done => Next::Done(state.call),
                Progress::Waiting => Next::Waiting,
                Progress::TurnOver => Next::In(*buffer),
                Progress::Launch(launch) => Next::Launch(launch),
                Progress::Refused(text) => Next::Refused(text),
            }),
            None => self.look_in_ring(state, &mut engine, ahead),
        };
        state.registers = registers;
        next
    }

    fn look_in_ring(&self, state: &mut State, engine: &mut Engine<'_>, ahead: u64) -> Result<Next, Fault> {
        let room = state.ring.dwords();
        if ahead > room {
            return Ok(Next::Refused(format!(
                "the write pointer is {ahead} dwords ahead, in a ring of {room}: wait for the read pointer"
            )));
        }
        let source = Source::Ring(state.ring, state.read.wrapping_mul(DWORD));
        Ok(match take(engine, source, u32::try_from(ahead).unwrap_or(u32::MAX))? {
            Taken::Done(dwords) => Next::Done(dwords),
            Taken::Jump { to, own, .. } => {
                state.call = own;
                Next::In(to)
            }
            Taken::Launch(launch, own) => {
                self.advance(state, &engine.table, own)?;
                Next::Launch(launch)
            }
            Taken::Waiting => Next::Waiting,
            Taken::Refused(name, why) => {
                Next::Refused(format!("PM4 packet {name} at {:#x}: {why}", source.va(0)))
            }
        })
    }

    fn advance(&self, state: &mut State, table: &PageTable, dwords: u32) -> Result<(), Fault> {
        state.read += u64::from(dwords);
        table.store_u32(self.read_pointer, (state.read % state.ring.dwords()) as u32)
    }
}
