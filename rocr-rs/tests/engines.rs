//! SDMA engines: copies, rows and fills beside the host, with what they wait for, what they tell, and when they ran.

mod common;

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use common::{CHIPS, emulated};
use rocr_rs::{
    Agent, EngineChoice, EnginePolicy, MemoryOrigin, OpenOptions, PoolKind, Rows, Runtime, Signal,
    SignalCondition, SignalKind, Transfer,
};
use std::sync::Arc;

/// Bytes that no two places of have the same.
fn pattern(bytes: usize, seed: u8) -> Vec<u8> {
    (0..bytes).map(|at| (at * 31 + at / 251) as u8 ^ seed).collect()
}

fn signal(runtime: &Arc<Runtime>, kind: SignalKind) -> Signal {
    Signal::new(runtime, 1, kind).unwrap()
}

fn wait(signal: &Signal) {
    let seen = signal.wait(SignalCondition::LT, 1, Some(Duration::from_secs(20)), Default::default());
    assert_eq!(seen, 0, "the work was not done");
}

/// Nobody is to call this: the engine does it.
fn not_the_host() {
    panic!("the host was asked to do it");
}

fn engine(runtime: &Arc<Runtime>, transfer: Transfer) {
    let done = signal(runtime, SignalKind::Interrupt);
    runtime.transfer(transfer, EngineChoice::Any, vec![], Some(done.clone()), false, not_the_host).unwrap();
    wait(&done);
}

#[test]
fn copies_of_all_sizes_arrive_whole() {
    for chip in CHIPS {
        let (runtime, gpu) = emulated(chip);
        runtime.set_engine_policy(EnginePolicy::Always);
        let size = 20 << 20;
        let from = runtime.cpu_agent().pool(PoolKind::FineGrained).allocate(size).unwrap();
        let device = gpu.pool(PoolKind::CoarseGrained).allocate(size).unwrap();
        let other = gpu.pool(PoolKind::CoarseGrained).allocate(size).unwrap();
        let bytes = pattern(size, 1);
        from.write(0, &bytes).unwrap();
        for (at, len) in [(0, 1), (3, 5), (4096, 4096), (4097, 0x3f_ffe1), (1, size - 1), (0, size)] {
            let copy = |dst: &rocr_rs::Memory, src: &rocr_rs::Memory| {
                let (dst, src) = (dst.va() + at as u64, src.va() + at as u64);
                engine(&runtime, Transfer::Copy { dst, src, bytes: len as u64 });
            };
            other.write(0, &vec![0; size]).unwrap();
            copy(&device, &from);
            copy(&other, &device);
            let mut seen = vec![0; size];
            other.read(0, &mut seen).unwrap();
            assert!(seen[at..at + len] == bytes[at..at + len], "{chip}: {len} bytes at {at}");
            assert!(
                seen[..at].iter().chain(&seen[at + len..]).all(|byte| *byte == 0),
                "{chip}: {len} at {at}"
            );
        }
    }
}

#[test]
fn rows_are_copied_aligned_or_not() {
    let (runtime, gpu) = emulated("gfx90a");
    runtime.set_engine_policy(EnginePolicy::Always);
    let size = 1 << 20;
    let src = gpu.pool(PoolKind::CoarseGrained).allocate(size).unwrap();
    let dst = runtime.cpu_agent().pool(PoolKind::FineGrained).allocate(size).unwrap();
    let bytes = pattern(size, 9);
    src.write(0, &bytes).unwrap();
    for (at, width, rows, layers, pitch, slice) in [
        (0u64, 64u64, 16u64, 4u64, 256u64, 8192u64),
        (4, 60, 16, 4, 300, 8400),
        (1, 33, 7, 3, 101, 1001),
        (0, 100, 1, 1, 0, 0),
        (16, 4096, 100, 1, 8192, 0),
    ] {
        dst.write(0, &vec![0; size]).unwrap();
        let transfer = Transfer::Rows {
            dst: Rows { base: dst.va() + at, pitch: width + 4, slice: (width + 4) * rows },
            src: Rows { base: src.va() + at, pitch, slice },
            width,
            rows,
            layers,
        };
        engine(&runtime, transfer);
        let mut seen = vec![0; size];
        dst.read(0, &mut seen).unwrap();
        let mut wanted = vec![0; size];
        for layer in 0..layers {
            for row in 0..rows {
                let to = (at + (layer * rows + row) * (width + 4)) as usize;
                let from = (at + layer * slice + row * pitch) as usize;
                wanted[to..to + width as usize].copy_from_slice(&bytes[from..from + width as usize]);
            }
        }
        assert!(seen == wanted, "{width} x {rows} x {layers} at {at}");
    }
}

#[test]
fn fills_are_as_long_as_they_say() {
    let (runtime, gpu) = emulated("gfx90a");
    runtime.set_engine_policy(EnginePolicy::Always);
    let memory = gpu.pool(PoolKind::CoarseGrained).allocate(9 << 20).unwrap();
    for words in [1u64, 2, 1000, (0x3f_ffe0 / 4) + 1, (9 << 20) / 4 - 1] {
        engine(&runtime, Transfer::Fill { dst: memory.va(), value: 0, words: (9 << 20) / 4 });
        engine(&runtime, Transfer::Fill { dst: memory.va(), value: 0xdead_0001, words });
        let mut seen = vec![0; 9 << 20];
        memory.read(0, &mut seen).unwrap();
        let filled = seen.chunks(4).filter(|word| *word == 0xdead_0001u32.to_le_bytes()).count();
        let last = words as usize * 4 - 4;
        assert_eq!((filled, &seen[last..last + 4]), (words as usize, &0xdead_0001u32.to_le_bytes()[..]));
    }
}

#[test]
fn work_waits_for_its_dependencies_and_tells_when_it_ran() {
    let (runtime, gpu) = emulated("gfx90a");
    let device = gpu.pool(PoolKind::CoarseGrained).allocate(8 << 20).unwrap();
    let host = runtime.cpu_agent().pool(PoolKind::FineGrained).allocate(8 << 20).unwrap();
    host.write(0, &pattern(8 << 20, 3)).unwrap();
    for kind in [SignalKind::Interrupt, SignalKind::Default] {
        let (first, second, done) = (signal(&runtime, kind), signal(&runtime, kind), signal(&runtime, kind));
        device.atomic_u64(0).unwrap().store(0, Ordering::Release);
        let transfer = Transfer::Copy { dst: device.va(), src: host.va(), bytes: 8 << 20 };
        let waits = vec![first.clone(), second.clone()];
        runtime.transfer(transfer, EngineChoice::Any, waits, Some(done.clone()), true, not_the_host).unwrap();
        first.store(0, Ordering::Release);
        std::thread::sleep(Duration::from_millis(5));
        assert_eq!(
            (done.load(Ordering::Acquire), device.atomic_u64(0).unwrap().load(Ordering::Acquire)),
            (1, 0)
        );
        let before = runtime.timestamp();
        second.store(0, Ordering::Release);
        wait(&done);
        let (time, after) = (done.copy_time(), runtime.timestamp());
        let slack = runtime.timestamp_frequency() / 1000;
        assert!(time.start < time.end, "{time:?}");
        assert!(time.start + slack >= before && time.end <= after + slack, "{before} {time:?} {after}");
        assert_ne!(device.atomic_u64(0).unwrap().load(Ordering::Acquire), 0);
    }
}

#[test]
fn a_copy_that_waits_for_a_later_one_does_not_hold_it_up() {
    let (runtime, gpu) = emulated("gfx90a");
    runtime.set_engine_policy(EnginePolicy::Always);
    let memory = gpu.pool(PoolKind::CoarseGrained).allocate(1 << 20).unwrap();
    let (early, late) = (signal(&runtime, SignalKind::Interrupt), signal(&runtime, SignalKind::Interrupt));
    let fill = |at: u64, value| Transfer::Fill { dst: memory.va() + at, value, words: 16 };
    runtime
        .transfer(fill(0, 1), EngineChoice::Any, vec![late.clone()], Some(early.clone()), false, not_the_host)
        .unwrap();
    runtime
        .transfer(fill(64, 2), EngineChoice::Any, vec![], Some(late.clone()), false, not_the_host)
        .unwrap();
    wait(&early);
    wait(&late);
}

#[test]
fn many_threads_fill_rings_over_and_over() {
    let (runtime, gpu) = emulated("gfx90a");
    runtime.set_engine_policy(EnginePolicy::Always);
    std::thread::scope(|scope| {
        for thread in 0..8u8 {
            let (runtime, gpu) = (&runtime, &gpu);
            scope.spawn(move || {
                let bytes = pattern(64 << 10, thread);
                let host = runtime.cpu_agent().pool(PoolKind::FineGrained).allocate(64 << 10).unwrap();
                let device = gpu.pool(PoolKind::CoarseGrained).allocate(64 << 10).unwrap();
                let back = runtime.cpu_agent().pool(PoolKind::FineGrained).allocate(64 << 10).unwrap();
                host.write(0, &bytes).unwrap();
                let done = signal(runtime, SignalKind::Interrupt);
                let mut last = Vec::new();
                for round in 0..4000u64 {
                    let at = round % 64 * 1024;
                    let up = Signal::new(runtime, 1, SignalKind::Default).unwrap();
                    let copy =
                        |dst: u64, src: u64| Transfer::Copy { dst: dst + at, src: src + at, bytes: 1024 };
                    runtime
                        .transfer(
                            copy(device.va(), host.va()),
                            EngineChoice::Any,
                            vec![],
                            Some(up.clone()),
                            false,
                            not_the_host,
                        )
                        .unwrap();
                    if round >= 4000 - 64 {
                        let there = Signal::new(runtime, 1, SignalKind::Default).unwrap();
                        runtime
                            .transfer(
                                copy(back.va(), device.va()),
                                EngineChoice::Any,
                                vec![up],
                                Some(there.clone()),
                                false,
                                not_the_host,
                            )
                            .unwrap();
                        last.push(there);
                    }
                }
                last.iter().for_each(wait);
                done.sub(1, Ordering::AcqRel);
                let mut seen = vec![0; 64 << 10];
                back.read(0, &mut seen).unwrap();
                assert!(seen == bytes, "thread {thread}");
            });
        }
    });
}

#[test]
fn memory_of_the_program_is_locked_for_as_long_as_it_takes() {
    let (runtime, gpu) = emulated("gfx90a");
    runtime.set_engine_policy(EnginePolicy::Always);
    let device = gpu.pool(PoolKind::CoarseGrained).allocate(3 << 20).unwrap();
    let mut bytes = pattern(3 << 20, 77);
    let va = bytes.as_mut_ptr().expose_provenance() as u64;
    engine(&runtime, Transfer::Copy { dst: device.va(), src: va, bytes: 3 << 20 });
    let mut seen = vec![0; 3 << 20];
    device.read(0, &mut seen).unwrap();
    assert!(seen == bytes);
    let start = Instant::now();
    while runtime.memory_info(va + 4096).is_some() {
        assert!(start.elapsed() < Duration::from_secs(10), "it stays locked");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn locks_on_the_same_pages_come_and_go() {
    let (runtime, gpu) = emulated("gfx90a");
    runtime.set_engine_policy(EnginePolicy::Always);
    let mut bytes = pattern(256 << 10, 12);
    let va = bytes.as_mut_ptr().expose_provenance() as u64;
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (runtime, gpu) = (&runtime, &gpu);
            scope.spawn(move || {
                let device = gpu.pool(PoolKind::CoarseGrained).allocate(256 << 10).unwrap();
                for round in 0..200u64 {
                    let at = (round * 37 + thread * 11) % 8192;
                    let copy = Transfer::Copy { dst: device.va(), src: va + at, bytes: (128 << 10) + at };
                    runtime.transfer_now(copy, not_the_host).unwrap_or_else(|error| panic!("{error}"));
                }
            });
        }
    });
}

#[test]
fn memory_that_the_host_does_not_reach_goes_by_an_engine_whatever_its_size() {
    let (runtime, gpu) = emulated("gfx90a");
    let (giver, other) = emulated("gfx90a");
    let memory = other.pool(PoolKind::CoarseGrained).allocate(1 << 20).unwrap();
    memory.write(100, b"from far").unwrap();
    let va = memory.into_va();
    let (dmabuf, _) = giver.export_dmabuf(va, 1 << 20).unwrap();
    let (taken, _) =
        runtime.import_dmabuf(std::os::fd::AsFd::as_fd(&dmabuf), std::slice::from_ref(&gpu)).unwrap();
    assert_eq!(runtime.memory_info(taken.va()).unwrap().origin, MemoryOrigin::Dmabuf);
    let mut bytes = [0u8; 8];
    let to = bytes.as_mut_ptr().expose_provenance() as u64;
    let copy = Transfer::Copy { dst: to, src: taken.va() + 100, bytes: 8 };
    runtime.transfer_now(copy, not_the_host).unwrap();
    assert_eq!(&std::hint::black_box(bytes), b"from far");
    runtime.set_engine_policy(EnginePolicy::Never);
    assert!(runtime.transfer_now(copy, not_the_host).is_err());
}

#[test]
fn peers_copy_with_the_engine_that_reaches_both() {
    let options = OpenOptions { device: Some("emu:gfx90a,gfx90a".into()), ..OpenOptions::default() };
    let runtime = Runtime::open(&options).unwrap();
    runtime.set_engine_policy(EnginePolicy::Always);
    let gpus: Vec<Agent> = runtime.gpu_agents();
    let memory: Vec<_> =
        gpus.iter().map(|gpu| gpu.pool(PoolKind::CoarseGrained).allocate(2 << 20).unwrap()).collect();
    let bytes = pattern(2 << 20, 5);
    memory[0].write(0, &bytes).unwrap();
    // The one that is read may reach the other's, or the other way round.
    for allowed in [0, 1] {
        memory[1].write(0, &vec![0; 2 << 20]).unwrap();
        memory[1 - allowed].allow_access(&gpus[allowed..=allowed]).unwrap();
        engine(&runtime, Transfer::Copy { dst: memory[1].va(), src: memory[0].va(), bytes: 2 << 20 });
        let mut seen = vec![0; 2 << 20];
        memory[1].read(0, &mut seen).unwrap();
        assert!(seen == bytes);
    }
}

#[test]
fn small_copies_and_overlapping_ones_are_the_hosts() {
    let (runtime, gpu) = emulated("gfx90a");
    let device = gpu.pool(PoolKind::CoarseGrained).allocate(4 << 20).unwrap();
    for (dst, src, bytes) in [(0, 4096, 64), (100, 0, 3 << 20)] {
        let ran = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let there = ran.clone();
        let transfer = Transfer::Copy { dst: device.va() + dst, src: device.va() + src, bytes };
        let done = signal(&runtime, SignalKind::Interrupt);
        runtime
            .transfer(transfer, EngineChoice::Any, vec![], Some(done.clone()), true, move || {
                there.store(true, Ordering::Release)
            })
            .unwrap();
        wait(&done);
        assert!(ran.load(Ordering::Acquire), "{bytes} bytes");
    }
}

#[test]
fn named_engines_do_what_they_are_given() {
    let (runtime, gpu) = emulated("gfx90a");
    let engines = gpu.properties().sdma_engines;
    let idle = runtime.idle_engines(&gpu);
    assert_eq!(idle, (1 << engines) - 1);
    let memory = gpu.pool(PoolKind::CoarseGrained).allocate(4096).unwrap();
    for engine in 0..engines {
        let choice = EngineChoice::Named { node: gpu.node_id(), engine };
        let transfer = Transfer::Fill { dst: memory.va(), value: engine + 1, words: 4 };
        let done = signal(&runtime, SignalKind::Interrupt);
        runtime.transfer(transfer, choice, vec![], Some(done.clone()), false, not_the_host).unwrap();
        wait(&done);
        assert_eq!(memory.atomic_u32(0).unwrap().load(Ordering::Acquire), engine + 1);
    }
    let wrong = EngineChoice::Named { node: gpu.node_id(), engine: engines };
    let transfer = Transfer::Fill { dst: memory.va(), value: 0, words: 4 };
    assert!(runtime.transfer(transfer, wrong, vec![], None, false, not_the_host).is_err());
}

/// What is behind the engine's fault, and behind what was never begun, is told: nobody waits for ever.
#[test]
fn a_fault_ends_what_engines_were_asked_for() {
    let (runtime, gpu) = emulated("gfx90a");
    runtime.set_engine_policy(EnginePolicy::Always);
    let memory = gpu.pool(PoolKind::CoarseGrained).allocate(1 << 16).unwrap();
    let before = signal(&runtime, SignalKind::Default);
    let done: Vec<_> = (0..3).map(|_| signal(&runtime, SignalKind::Interrupt)).collect();
    let submit = |src: u64, after: Vec<Signal>, done: &Signal| {
        let copy = Transfer::Copy { dst: memory.va(), src, bytes: 4096 };
        runtime.transfer(copy, EngineChoice::Any, after, Some(done.clone()), false, not_the_host)
    };
    // The engine's queue is there, so that it does not come to lie where memory was.
    let first = signal(&runtime, SignalKind::Interrupt);
    submit(memory.va() + 8192, vec![], &first).unwrap();
    wait(&first);
    // Memory of the GPU that goes while a copy waits for its turn.
    let gone = gpu.pool(PoolKind::CoarseGrained).allocate(1 << 16).unwrap();
    submit(gone.va(), vec![before.clone()], &done[0]).unwrap();
    submit(memory.va() + 8192, vec![before.clone()], &done[1]).unwrap();
    drop(gone);
    before.store(0, Ordering::Release);
    let seen = done[0].wait(SignalCondition::LT, 1, Some(Duration::from_secs(20)), Default::default());
    assert_eq!(seen, -1, "the copy that failed");
    let seen = done[1].wait(SignalCondition::LT, 1, Some(Duration::from_secs(20)), Default::default());
    assert!(seen < 1, "the one behind it");
    // From here on the host does what it can, and the runtime ends.
    let copy = Transfer::Copy { dst: memory.va(), src: memory.va() + 8192, bytes: 16 };
    let called = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let note = called.clone();
    runtime.transfer_now(copy, move || note.store(true, Ordering::SeqCst)).unwrap();
    assert!(called.load(Ordering::SeqCst));
    drop(memory);
}

#[test]
fn what_the_program_may_only_read_is_the_hosts_to_copy() {
    static WORDS: [u8; 1 << 16] = [7; 1 << 16];
    let (runtime, gpu) = emulated("gfx90a");
    runtime.set_engine_policy(EnginePolicy::Always);
    let memory = gpu.pool(PoolKind::CoarseGrained).allocate(WORDS.len()).unwrap();
    let src = WORDS.as_ptr().expose_provenance() as u64;
    let copy = Transfer::Copy { dst: memory.va(), src, bytes: WORDS.len() as u64 };
    let called = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let note = called.clone();
    runtime.transfer_now(copy, move || note.store(true, Ordering::SeqCst)).unwrap();
    assert!(called.load(Ordering::SeqCst), "constants are not the GPU's to lock");
    // What is not there at all is an error.
    let copy = Transfer::Copy { dst: memory.va(), src: 0x1000, bytes: 4096 };
    assert!(runtime.transfer_now(copy, not_the_host).is_err());
}
