//! Nothing leaks: the number of mappings of this process is the same after many rounds as after the first.
//! The only test of this file, for it counts what the whole process has.

mod fake;

use fake::Fake;
use kfd_sys::event::EventType;
use thunk_rs::{AllocRequest, DeviceChoice, MemoryKind, NodeId, OpenOptions, QueueRequest, Thunk};

fn mappings() -> usize {
    std::fs::read_to_string("/proc/self/maps").unwrap().lines().count()
}

fn address_space() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').next().unwrap().parse().unwrap()
}

fn round() {
    let gpu = NodeId(1);
    let fake = Fake::new(2);
    let thunk = Thunk::new(fake.clone()).unwrap();
    let mut held = Vec::new();
    for kind in [MemoryKind::Vram, MemoryKind::SystemFine, MemoryKind::SystemCoarse, MemoryKind::Gtt] {
        for (size, alignment) in [(4096, 0), (3 << 20, 1 << 23)] {
            held.push(thunk.allocate(&AllocRequest::new(kind, gpu, size).aligned(alignment)).unwrap());
        }
    }
    let ring = thunk.allocate(&AllocRequest::new(MemoryKind::SystemFine, gpu, 8192)).unwrap();
    let request = QueueRequest::aql(gpu, ring.va(), 4096, ring.va() + 4096, ring.va() + 4104);
    let queues: Vec<_> = (0..3).map(|_| thunk.create_queue(&request).unwrap()).collect();
    let events: Vec<_> = (0..10).map(|_| thunk.create_event(EventType::SIGNAL, true).unwrap()).collect();
    for name in ["ALLOC_MEMORY_OF_GPU", "MAP_MEMORY_TO_GPU", "CREATE_QUEUE"] {
        fake.fail(name, 1, kfd_sys::Errno::ENOMEM);
        thunk.create_queue(&request).unwrap_err();
    }
    // In an order of no convenience.
    drop(thunk);
    drop(ring);
    drop(queues);
    held.truncate(3);
    drop(events);
    drop(held);
    fake.assert_empty();
}

/// With threads, and memory behind the calls.
fn emulated_round() {
    let options = OpenOptions {
        device: Some(DeviceChoice::Emu(vec!["gfx90a".to_owned()])),
        quiet: Some(true),
        ..Default::default()
    };
    let thunk = Thunk::open(&options).unwrap();
    let gpu = thunk.topology().gpus().next().unwrap().id;
    let vram = thunk.allocate(&AllocRequest::new(MemoryKind::Vram, gpu, 16 << 20)).unwrap();
    let ring = thunk.allocate(&AllocRequest::new(MemoryKind::SystemFine, gpu, 8192)).unwrap();
    let request = QueueRequest::aql(gpu, ring.va() + 4096, 4096, ring.va() + 0x80, ring.va() + 0x38);
    let queues: Vec<_> = (0..4).map(|_| thunk.create_queue(&request).unwrap()).collect();
    assert!(queues.windows(2).all(|pair| pair[0].doorbell_va() != pair[1].doorbell_va()));
    let _event = thunk.create_event(EventType::MEMORY, true).unwrap();
    vram.write(0, &[1; 4096]).unwrap();
}

fn many(what: &str, round: fn()) {
    for _ in 0..3 {
        round();
    }
    let before = (mappings(), address_space());
    for _ in 0..50 {
        round();
    }
    let after = (mappings(), address_space());
    assert!(after.0 <= before.0 + 4, "{what}: {} mappings before, {} after", before.0, after.0);
    // A page count: some heap is nothing, a save area of 64 MiB is.
    assert!(after.1 <= before.1 + 1024, "{what}: {} pages before, {} after", before.1, after.1);
}

#[test]
fn rounds_leave_nothing_behind() {
    many("books", round);
    if cfg!(feature = "emu") {
        many("emulated", emulated_round);
    }
}
