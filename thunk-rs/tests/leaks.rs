//! Nothing leaks: the number of mappings of this process is the same after many rounds as after the first.
//! The only test of this file, for it counts what the whole process has.

mod fake;

use fake::Fake;
use kfd_sys::event::EventType;
use thunk_rs::{AllocRequest, MemoryKind, NodeId, QueueRequest, Thunk};

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

#[test]
fn rounds_leave_nothing_behind() {
    for _ in 0..3 {
        round();
    }
    let before = (mappings(), address_space());
    for _ in 0..50 {
        round();
    }
    let after = (mappings(), address_space());
    assert!(after.0 <= before.0 + 2, "mappings: {} before, {} after", before.0, after.0);
    // A page count: some heap is nothing, a save area of 64 MiB is.
    assert!(after.1 <= before.1 + 1024, "pages: {} before, {} after", before.1, after.1);
}
