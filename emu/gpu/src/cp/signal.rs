//! Signals as the packet processor handles them (`amd_signal_t` of `amd_hsa_signal.h`): value, time stamps, mailbox.

use std::mem::offset_of;

use hsa_sys::AmdSignal;
use zerocopy::IntoBytes as _;

use crate::events::Events;
use crate::vm::{Fault, PageTable};

/// When a packet's work began and ended, in ticks of the GPU's clock.
#[derive(Debug, Clone, Copy)]
pub(super) struct Times {
    pub(super) start: u64,
    pub(super) end: u64,
}

const _: () = assert!(offset_of!(AmdSignal, event_id) == offset_of!(AmdSignal, event_mailbox_ptr) + 8);

fn field(signal: u64, offset: usize) -> Result<u64, Fault> {
    let wraps = Fault { va: signal, kind: crate::vm::FaultKind::NotPresent };
    signal.checked_add(offset as u64).ok_or(wraps)
}

/// The signal's value.
pub(super) fn value(table: &PageTable, signal: u64) -> Result<i64, Fault> {
    Ok(table.load_u64(field(signal, offset_of!(AmdSignal, value))?)?.cast_signed())
}

/// Takes one from the value, after the time stamps, and rings the mailbox.
pub(super) fn complete(
    table: &PageTable,
    events: &Events,
    signal: u64,
    times: Option<Times>,
) -> Result<(), Fault> {
    if let Some(times) = times {
        table.store_u64(field(signal, offset_of!(AmdSignal, start_ts))?, times.start)?;
        table.store_u64(field(signal, offset_of!(AmdSignal, end_ts))?, times.end)?;
    }
    // The mailbox is read first: once the value says "done", the owner may free the signal.
    let mailbox = Mailbox::of(table, signal)?;
    table.fetch_sub_i64(field(signal, offset_of!(AmdSignal, value))?, 1)?;
    mailbox.ring(table, events)
}

/// Stores a value and rings the mailbox.
pub(super) fn store(table: &PageTable, events: &Events, signal: u64, value: i64) -> Result<(), Fault> {
    let mailbox = Mailbox::of(table, signal)?;
    table.store_u64(field(signal, offset_of!(AmdSignal, value))?, value.cast_unsigned())?;
    mailbox.ring(table, events)
}

struct Mailbox {
    slot: u64,
    event: u32,
}

impl Mailbox {
    fn of(table: &PageTable, signal: u64) -> Result<Mailbox, Fault> {
        // Both in one: they stand side by side, and do not change while packets name the signal.
        let mut words = [0; 3];
        table.read(field(signal, offset_of!(AmdSignal, event_mailbox_ptr))?, words.as_mut_bytes())?;
        let [low, high, event]: [u32; 3] = words;
        Ok(Mailbox { slot: u64::from(low) | u64::from(high) << 32, event })
    }

    fn ring(self, table: &PageTable, events: &Events) -> Result<(), Fault> {
        if self.slot != 0 {
            table.store_u64(self.slot, u64::from(self.event))?;
            events.interrupt(self.event);
        }
        Ok(())
    }
}
