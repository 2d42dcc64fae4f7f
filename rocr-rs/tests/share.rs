//! Memory and signals that leave the process: handles, dma-bufs. The other process is another runtime.

mod common;

use std::os::fd::AsFd as _;
use std::sync::atomic::Ordering;
use std::time::Duration;

use common::emulated;
use rocr_rs::{MemoryOrigin, PoolKind, SharedMemory, Signal, SignalCondition, SignalKind, Status};

#[test]
fn memory_goes_to_another_runtime_and_outlives_its_owner() {
    let (giver, gpu) = emulated("gfx90a");
    let (taker, other) = emulated("gfx90a");
    let memory = gpu.pool(PoolKind::CoarseGrained).allocate(3 << 20).unwrap();
    memory.write(4096, b"from one to the other").unwrap();
    let shared = memory.share().unwrap();
    let (attached, offset) = taker.attach(&shared, std::slice::from_ref(&other)).unwrap();
    assert_eq!((attached.size(), offset), (3 << 20, 0));
    let info = taker.memory_info(attached.va()).unwrap();
    assert_eq!((info.origin, info.owner, info.gpu_nodes.len()), (MemoryOrigin::Shared, other, 1));
    memory.atomic_u64(0).unwrap().store(77, Ordering::SeqCst);
    drop(memory);
    let mut seen = [0; 21];
    attached.read(4096, &mut seen).unwrap();
    assert_eq!(&seen, b"from one to the other");
    assert_eq!(attached.atomic_u64(0).unwrap().load(Ordering::SeqCst), 77);
    // What is gone cannot be attached, and neither can nonsense.
    for words in [shared.words, [0; 8], [0xffff_ffff; 8]] {
        assert!(taker.attach(&SharedMemory { words }, &[]).is_err());
    }
    let va = attached.va();
    drop(attached);
    assert!(taker.memory_info(va).is_none());
    drop(giver);
}

#[test]
fn a_part_of_a_handle_is_where_its_bits_say() {
    let (_giver, gpu) = emulated("gfx90a");
    let (taker, _) = emulated("gfx90a");
    let memory = gpu.pool(PoolKind::CoarseGrained).allocate(2 << 20).unwrap();
    memory.write(5 * 4096, b"part").unwrap();
    let whole = memory.share().unwrap();
    let part = |pages: u32| {
        let mut words = whole.words;
        words[6] |= 0x8000_0000 | pages;
        SharedMemory { words }
    };
    let (attached, offset) = taker.attach(&part(5), &[]).unwrap();
    let mut seen = [0; 4];
    attached.read(offset as usize, &mut seen).unwrap();
    assert_eq!((offset, &seen), (5 * 4096, b"part"));
}

#[test]
fn signals_are_one_in_both() {
    let (giver, _) = emulated("gfx90a");
    let (taker, _) = emulated("gfx90a");
    let signal = Signal::new_shared(&giver, 5).unwrap();
    let there = Signal::attach(&taker, &signal.share().unwrap()).unwrap();
    assert_eq!((there.load(Ordering::Acquire), there.kind()), (5, SignalKind::Default));
    let waiter = std::thread::spawn({
        let there = there.clone();
        move || there.wait(SignalCondition::LT, 5, None, Default::default())
    });
    std::thread::sleep(Duration::from_millis(5));
    signal.sub(1, Ordering::AcqRel);
    assert_eq!(waiter.join().unwrap(), 4);
    // The one that is attached can be given on, and stays when its maker's is gone.
    let third = Signal::attach(&giver, &there.share().unwrap()).unwrap();
    drop(signal);
    there.store(-3, Ordering::Release);
    assert_eq!(third.load(Ordering::Acquire), -3);

    let ordinary = Signal::new(&giver, 0, SignalKind::Interrupt).unwrap();
    assert_eq!(ordinary.share().unwrap_err().status(), Status::ERROR_INVALID_ARGUMENT);
}

#[test]
fn memory_without_a_signal_in_it_is_no_signal() {
    let (giver, gpu) = emulated("gfx90a");
    let memory = gpu.pool(PoolKind::CoarseGrained).allocate(4096).unwrap();
    let error = Signal::attach(&giver, &memory.share().unwrap()).unwrap_err();
    assert_eq!(error.status(), Status::ERROR_INVALID_ARGUMENT);
}

#[test]
fn a_dmabuf_carries_memory_to_gpus() {
    let (giver, gpu) = emulated("gfx90a");
    let (taker, other) = emulated("gfx90a");
    assert!(giver.exports_dmabufs());
    let va = gpu.pool(PoolKind::CoarseGrained).allocate(1 << 20).unwrap().into_va();
    let (dmabuf, offset) = giver.export_dmabuf(va + 8192, 4096).unwrap();
    assert_eq!(offset, 8192);
    assert!(giver.export_dmabuf(va + 8192, 1 << 20).is_err());
    assert!(giver.export_dmabuf(va - 1, 1).is_err());
    let (memory, _) = taker.import_dmabuf(dmabuf.as_fd(), &[other]).unwrap();
    let info = taker.memory_info(memory.va()).unwrap();
    assert_eq!((info.origin, info.size, info.host_access), (MemoryOrigin::Dmabuf, 1 << 20, false));
    assert!(memory.write(0, b"not for the host").is_err());
    let file = std::fs::File::open("/dev/null").unwrap();
    assert!(taker.import_dmabuf(file.as_fd(), &[]).is_err());
    giver.free(va).unwrap();
}
