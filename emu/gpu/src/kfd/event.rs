//! Event ioctls (`kfd_events.c`).

use kfd_sys::Errno;
use kfd_sys::event::{
    CreateEventArgs, DestroyEventArgs, EventData as EventRecord, EventType, ResetEventArgs, SetEventArgs,
    SignalEventData, WaitEventsArgs, WaitResult,
};
use kfd_sys::mmap::{self, MmapType};

use super::Process;
use crate::events::EventData;

/// Most events of one wait: there cannot be more.
const MAX_WAITED: u32 = 2 * kfd_sys::event::SIGNAL_EVENT_LIMIT;

pub(super) fn create(process: &Process, arg: &mut CreateEventArgs) -> Result<(), Errno> {
    if arg.event_type.symbol().is_none() {
        return Err(Errno::EINVAL);
    }
    if arg.event_page_offset != 0 && process.events.page().is_none() {
        process.events.set_page(process.object(arg.event_page_offset)?)?;
    }
    let id = process.events.create(arg.event_type, arg.auto_reset != 0)?;
    arg.event_id = id;
    if matches!(arg.event_type, EventType::SIGNAL | EventType::DEBUG_EVENT) {
        arg.event_page_offset = mmap::offset(MmapType::EVENTS, 0, 0);
        arg.event_trigger_data = id;
        arg.event_slot_index = id;
    }
    Ok(())
}

pub(super) fn destroy(process: &Process, arg: &mut DestroyEventArgs) -> Result<(), Errno> {
    process.events.destroy(arg.event_id)
}

pub(super) fn set(process: &Process, arg: &mut SetEventArgs) -> Result<(), Errno> {
    process.events.set(arg.event_id)
}

pub(super) fn reset(process: &Process, arg: &mut ResetEventArgs) -> Result<(), Errno> {
    process.events.reset(arg.event_id)
}

pub(super) fn wait(process: &Process, arg: &mut WaitEventsArgs) -> Result<(), Errno> {
    if arg.num_events > MAX_WAITED {
        return Err(Errno::EINVAL);
    }
    let mut records = process.user.read_array::<EventRecord>(arg.events_ptr, arg.num_events)?;
    let wanted: Vec<_> =
        records.iter().map(|record| (record.event_id, record.signal().last_event_age)).collect();
    let (result, data) = process.events.wait(&wanted, arg.wait_for_all != 0, arg.timeout)?;
    arg.wait_result = result;
    if result == WaitResult::FAIL {
        return Err(Errno::EIO);
    }
    for (record, data) in records.iter_mut().zip(data) {
        match data {
            EventData::None => {}
            EventData::Age(age) => record.set(&SignalEventData { last_event_age: age }),
            EventData::Memory(fault) => record.set(&fault),
            EventData::Hardware(exception) => record.set(&exception),
        }
    }
    if result == WaitResult::COMPLETE {
        process.user.write_array(arg.events_ptr, &records)?;
    }
    Ok(())
}
