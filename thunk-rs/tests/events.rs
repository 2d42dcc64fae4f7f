//! Events: the page, waiting, and what faults look like.

mod fake;

use std::time::Duration;

use fake::{Fake, GPU_IDS};
use kfd_sys::Errno;
use kfd_sys::event::{
    CreateEventArgs, EventData, EventType, HwExceptionData, MemoryError, MemoryExceptionData,
    MemoryExceptionFailure, ResetCause, SignalEventData, WaitEventsArgs, WaitResult,
};
use thunk_rs::{Error, NodeId, Thunk, WaitFor};

#[test]
fn the_first_event_brings_the_page() {
    let fake = Fake::new(2);
    let thunk = Thunk::new(fake.clone()).unwrap();
    fake.take_log();
    let first = thunk.create_event(EventType::MEMORY, false).unwrap();
    assert_eq!(fake.take_log(), ["ALLOC_MEMORY_OF_GPU", "MAP_MEMORY_TO_GPU", "CREATE_EVENT"]);
    let page = {
        let state = fake.state.lock();
        let page = state.blocks[&state.event_page.unwrap()];
        assert_eq!((page.flags, page.size), (0xd600_0002, 0x8000));
        assert_eq!(state.mapped.len(), 2, "all GPUs can set events");
        page.va_addr
    };
    let second = thunk.create_event(EventType::SIGNAL, true).unwrap();
    assert_eq!(fake.take_log(), ["CREATE_EVENT"]);
    assert_eq!(fake.last::<CreateEventArgs>().auto_reset, 1);
    assert_eq!((first.mailbox_va(), second.mailbox_va()), (page + 8, page + 16));
    assert_eq!((second.id(), second.trigger_data(), second.kind()), (2, 2, EventType::SIGNAL));

    second.set().unwrap();
    second.reset().unwrap();
    thunk.set_event(&second).unwrap();
    assert_eq!(fake.take_log(), ["SET_EVENT", "RESET_EVENT", "SET_EVENT"]);
    assert!(first.set().is_err(), "only signals are set by hand");

    drop((first, second, thunk));
    assert_eq!(
        fake.take_log(),
        ["DESTROY_EVENT", "DESTROY_EVENT", "UNMAP_MEMORY_FROM_GPU", "FREE_MEMORY_OF_GPU"]
    );
    fake.assert_empty();
}

#[test]
fn a_page_that_was_not_taken_is_given_back() {
    let fake = Fake::new(1);
    let thunk = Thunk::new(fake.clone()).unwrap();
    for name in ["ALLOC_MEMORY_OF_GPU", "MAP_MEMORY_TO_GPU", "CREATE_EVENT"] {
        fake.fail(name, 1, Errno::ENOMEM);
        assert!(thunk.create_event(EventType::SIGNAL, true).unwrap_err().is_out_of_memory());
        fake.assert_empty();
    }
    thunk.create_event(EventType::SIGNAL, true).unwrap();
}

#[test]
fn a_machine_without_gpu_has_no_events() {
    let thunk = Thunk::new(Fake::new(0)).unwrap();
    assert_eq!(
        thunk.create_event(EventType::SIGNAL, true).unwrap_err().to_string(),
        "create_event: events need a GPU, and there is none"
    );
}

#[test]
fn waits_say_how_they_ended() {
    let fake = Fake::new(1);
    let thunk = Thunk::new(fake.clone()).unwrap();
    let one = thunk.create_event(EventType::SIGNAL, true).unwrap();
    let two = thunk.create_event(EventType::SIGNAL, true).unwrap();

    let outcome = thunk.wait_events(&[&one, &two], WaitFor::All, Some(Duration::from_micros(1500))).unwrap();
    assert!(!outcome.complete);
    let args: WaitEventsArgs = fake.last();
    assert_eq!((args.num_events, args.wait_for_all, args.timeout), (2, 1, 2));

    fake.state.lock().wait = Some((WaitResult::COMPLETE, Vec::new()));
    fake.fail("WAIT_EVENTS", 1, Errno::EINTR);
    assert!(thunk.wait_events(&[&one], WaitFor::Any, None).unwrap().complete);
    let args: WaitEventsArgs = fake.last();
    assert_eq!((args.wait_for_all, args.timeout), (0, u32::MAX));

    fake.state.lock().wait = Some((WaitResult::FAIL, Vec::new()));
    assert_eq!(thunk.wait_events(&[&one], WaitFor::Any, None), Err(Error::EventGone));
    assert!(matches!(thunk.wait_events(&[], WaitFor::Any, None), Err(Error::Request { .. })));

    let mut data = EventData::default();
    data.set(&SignalEventData { last_event_age: 7 });
    fake.state.lock().wait = Some((WaitResult::COMPLETE, vec![data]));
    let mut ages = [1];
    thunk.wait_events_since(&[&one], &mut ages, WaitFor::Any, None).unwrap();
    assert_eq!(ages, [7]);
}

#[test]
fn faults_come_with_address_and_reason() {
    let fake = Fake::new(1);
    let thunk = Thunk::new(fake.clone()).unwrap();
    let signal = thunk.create_event(EventType::SIGNAL, true).unwrap();
    let memory = thunk.create_event(EventType::MEMORY, true).unwrap();
    let reset = thunk.create_event(EventType::HW_EXCEPTION, true).unwrap();

    // The signal's union is not looked at; only what is set has a GPU.
    let mut data = [EventData::default(); 3];
    data[0].set(&SignalEventData { last_event_age: u64::MAX });
    data[1].set(&MemoryExceptionData {
        failure: MemoryExceptionFailure { not_present: 1, ..Default::default() },
        va: 0x7000,
        gpu_id: GPU_IDS[0],
        error_type: MemoryError::NO_RAS,
    });
    fake.state.lock().wait = Some((WaitResult::COMPLETE, data.to_vec()));
    let events = [&signal, &memory, &reset];
    let outcome = thunk.wait_events(&events, WaitFor::Any, None).unwrap();
    let [fault] = outcome.memory_faults[..] else { panic!("{outcome:?}") };
    assert_eq!((fault.event, fault.va, fault.node), (1, 0x7000, Some(NodeId(1))));
    assert!(fault.not_present && !fault.read_only && !fault.no_execute && !fault.imprecise);
    assert_eq!(
        fault.to_string(),
        "memory access fault by GPU 51110 at 0x7000: page not present or supervisor privilege"
    );
    assert!(outcome.hw_exceptions.is_empty());

    let mut data = [EventData::default(); 3];
    data[2].set(&HwExceptionData {
        reset_cause: ResetCause::GPU_HANG,
        memory_lost: 1,
        gpu_id: 77,
        ..Default::default()
    });
    fake.state.lock().wait = Some((WaitResult::COMPLETE, data.to_vec()));
    let outcome = thunk.wait_events(&events, WaitFor::Any, None).unwrap();
    let [exception] = outcome.hw_exceptions[..] else { panic!("{outcome:?}") };
    assert_eq!((exception.event, exception.node, exception.memory_lost), (2, None, true));
}
