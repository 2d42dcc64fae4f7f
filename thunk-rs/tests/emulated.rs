//! The thunk on the emulated device: the same calls, with something behind them. Packets that need no kernel run.

#![cfg(feature = "emu")]

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use kfd_sys::event::EventType;
use thunk_rs::{
    AllocRequest, DeviceChoice, Error, MemoryKind, NodeId, OpenOptions, QueueRequest, Thunk, WaitFor,
};

fn open(device: &str) -> Result<Thunk, Error> {
    open_for(device, &[])
}

fn open_for(device: &str, targets: &[&str]) -> Result<Thunk, Error> {
    Thunk::open(&OpenOptions {
        device: Some(device.parse()?),
        targets_hint: targets.iter().map(|target| (*target).to_owned()).collect(),
        quiet: Some(true),
        ..Default::default()
    })
}

fn names(thunk: &Thunk) -> Vec<String> {
    thunk.topology().gpus().map(|gpu| gpu.gfx_version().unwrap().to_string()).collect()
}

fn gpu(thunk: &Thunk) -> NodeId {
    thunk.topology().gpus().next().unwrap().id
}

#[test]
fn the_chip_is_the_one_asked_for_or_one_that_the_program_is_for() {
    assert_eq!(names(&open("emu:gfx942").unwrap()), ["gfx942"]);
    assert_eq!(names(&open("emu:gfx90a,gfx942").unwrap()), ["gfx90a", "gfx942"]);
    assert_eq!(names(&open("emu").unwrap()), ["gfx90a"]);
    let hints = ["gfx9-generic", "amdgcn-amd-amdhsa--gfx942:xnack-", "gfx90a"];
    assert_eq!(names(&open_for("emu", &hints).unwrap()), ["gfx942"]);
    assert_eq!(names(&open_for("emu:gfx90a", &hints).unwrap()), ["gfx90a"]);
    let error = open("emu:gfx90a,gfx1").unwrap_err().to_string();
    assert!(error.starts_with("no emulated chip `gfx1`; there are: gfx90a, gfx942"), "{error}");
}

#[test]
fn auto_emulates_where_there_is_no_hardware() {
    let root = tempfile::tempdir().unwrap();
    let paths = thunk_rs::dev::Paths {
        kfd: root.path().join("kfd"),
        dri: root.path().into(),
        topology: root.path().into(),
    };
    let options = OpenOptions {
        device: Some(DeviceChoice::Auto),
        targets_hint: vec!["gfx942".to_owned()],
        paths: Some(paths),
        quiet: Some(true),
    };
    assert_eq!(names(&Thunk::open(&options).unwrap()), ["gfx942"]);
    let kfd = OpenOptions { device: Some(DeviceChoice::Kfd), ..options };
    assert_eq!(Thunk::open(&kfd).unwrap_err().errno(), Some(kfd_sys::Errno::ENOENT));
}

#[test]
fn memory_of_every_kind_is_there() {
    let thunk = open("emu:gfx90a,gfx942").unwrap();
    let gpu = gpu(&thunk);
    let free = thunk.available_memory(gpu).unwrap();
    for kind in [
        MemoryKind::Vram,
        MemoryKind::VramFine,
        MemoryKind::SystemFine,
        MemoryKind::SystemCoarse,
        MemoryKind::Gtt,
    ] {
        let memory = thunk.allocate(&AllocRequest::new(kind, gpu, 3 << 20).executable()).unwrap();
        memory.write(0x10_0000, b"there").unwrap();
        let mut back = [0; 5];
        memory.read(0x10_0000, &mut back).unwrap();
        assert_eq!(&back, b"there", "{kind:?}");
        let all: Vec<NodeId> = thunk.topology().gpus().map(|gpu| gpu.id).collect();
        memory.map(&all).unwrap();
        assert_eq!(memory.mapped_to().len(), 2);
        thunk.free(memory).unwrap();
    }
    let device_only = AllocRequest::new(MemoryKind::Vram, gpu, 1 << 20).device_only();
    let memory = thunk.allocate(&device_only).unwrap();
    assert!(thunk.available_memory(gpu).unwrap() < free);
    drop(memory);
    assert_eq!(thunk.available_memory(gpu).unwrap(), free);

    let too_much = AllocRequest::new(MemoryKind::Vram, gpu, 1 << 40);
    assert!(thunk.allocate(&too_much).unwrap_err().is_out_of_memory());
}

#[test]
fn user_memory_is_registered_once() {
    let thunk = open("emu:gfx90a").unwrap();
    let bytes = vec![0u8; 100_000];
    let address = bytes.as_ptr() as u64;
    let memory = thunk.register_userptr(address, 100_000, MemoryKind::SystemCoarse).unwrap();
    assert!(memory.va() <= address && address + 100_000 <= memory.va() + memory.size());
    thunk.free(memory).unwrap();
    drop(thunk.register_userptr(address, 100_000, MemoryKind::SystemFine).unwrap());
}

#[test]
fn clocks_go_on() {
    let thunk = open("emu:gfx942").unwrap();
    let first = thunk.clock_counters(gpu(&thunk)).unwrap();
    std::thread::sleep(Duration::from_millis(2));
    let second = thunk.clock_counters(gpu(&thunk)).unwrap();
    assert!(second.gpu > first.gpu && second.system > first.system);
    assert_eq!(first.system_frequency, 1_000_000_000);
    assert!(thunk.clock_counters(NodeId(0)).unwrap().system > first.system);
}

#[test]
fn the_graphics_driver_tells_the_family() {
    let thunk = open("emu:gfx942").unwrap();
    let facts = thunk.driver_facts(gpu(&thunk)).unwrap();
    assert_eq!((facts.family, facts.integrated), (141, false));
    assert!(thunk.driver_facts(NodeId(0)).is_err());
}

#[test]
fn a_wait_ends_by_time_or_by_the_event() {
    let thunk = open("emu:gfx90a").unwrap();
    let event = thunk.create_event(EventType::SIGNAL, true).unwrap();
    let other = thunk.create_event(EventType::SIGNAL, false).unwrap();

    let start = Instant::now();
    let outcome = thunk.wait_events(&[&event], WaitFor::Any, Some(Duration::from_millis(20))).unwrap();
    assert!(!outcome.complete && start.elapsed() >= Duration::from_millis(20));

    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(10));
            event.set().unwrap();
        });
        assert!(thunk.wait_events(&[&other, &event], WaitFor::Any, None).unwrap().complete);
    });
    let now = Some(Duration::ZERO);
    let is_set = |event| thunk.wait_events(&[event], WaitFor::Any, now).unwrap().complete;
    assert!(!is_set(&event), "a wait that it ended has cleared it");

    other.set().unwrap();
    assert!(is_set(&other) && is_set(&other), "stays set until it is reset");
    assert!(!thunk.wait_events(&[&event, &other], WaitFor::All, now).unwrap().complete);
    event.set().unwrap();
    assert!(thunk.wait_events(&[&event, &other], WaitFor::All, now).unwrap().complete);
    other.reset().unwrap();
    assert!(!is_set(&other));
}

/// Layout of one page: `amd_queue_t` (write index at 0x38, read index at 0x80), then `amd_signal_t` (kind at 0, value
/// at 8).
const WRITE: u64 = 0x38;
const READ: u64 = 0x80;
const SIGNAL: u64 = 0xa00;

#[test]
fn packets_are_taken_from_a_ring_and_complete() {
    for chip in ["emu:gfx90a", "emu:gfx942"] {
        let thunk = open(chip).unwrap();
        let gpu = gpu(&thunk);
        let new = |size| thunk.allocate(&AllocRequest::new(MemoryKind::SystemFine, gpu, size)).unwrap();
        let (page, ring) = (new(4096), new(4096));
        let signal = page.atomic_i64(SIGNAL + 8).unwrap();
        page.atomic_i64(SIGNAL).unwrap().store(1, Ordering::Relaxed);
        for slot in 0..64 {
            ring.atomic_u32(slot * 64).unwrap().store(1, Ordering::Relaxed); // type: invalid
        }
        let request = QueueRequest::aql(gpu, ring.va(), 4096, page.va() + READ, page.va() + WRITE);
        let queue = thunk.create_queue(&request).unwrap();

        // More packets than slots: barriers that wait for nothing and count the signal down.
        signal.store(100, Ordering::Relaxed);
        for index in 0..100u64 {
            let read = page.atomic_u64(READ).unwrap();
            until(|| index - read.load(Ordering::Acquire) < 64, "room in the ring");
            let slot = index % 64 * 64;
            for word in 1..8 {
                let value = if word == 7 { page.va() + SIGNAL } else { 0 };
                ring.atomic_u64(slot + 8 * word).unwrap().store(value, Ordering::Relaxed);
            }
            ring.atomic_u32(slot).unwrap().store(0x1503, Ordering::Release);
            let write: &AtomicU64 = page.atomic_u64(WRITE).unwrap();
            write.store(index + 1, Ordering::Release);
            queue.ring(index);
        }
        until(|| signal.load(Ordering::Acquire) == 0, "completion of the packets");
        thunk.destroy_queue(queue).unwrap();
    }
}

fn until(done: impl Fn() -> bool, what: &str) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(20), "no {what}");
        std::thread::yield_now();
    }
}
