//! Virtual memory: reserved addresses, memory without one, mappings, access; and what is said of shared ranges.

mod common;

use std::os::fd::AsFd as _;

use common::{compile, emulated};
use rocr_rs::svm::{Location, RangeAccess, RangeAttribute};
use rocr_rs::{
    Access, Agent, Executable, MemoryOrigin, OpenOptions, PoolKind, Queue, QueueKind, Runtime, Signal,
    SignalCondition, SignalKind, Status,
};

const SIZE: u64 = 2 << 20;

/// Adds 1 to a word by a kernel of `agent`.
fn add_one(agent: &Agent, va: u64) -> Result<(), Box<rocr_rs::QueueError>> {
    let source = "__attribute__((amdgpu_kernel)) void add(__attribute__((address_space(1))) unsigned *p) { p[0] += 1; }";
    let (runtime, chip) = (agent.runtime(), agent.name().to_owned());
    let executable = Executable::new(runtime);
    executable.load(agent, &compile(&chip, source, &[])).unwrap();
    executable.freeze().unwrap();
    let kernel = executable.kernel("add").unwrap();
    let kernarg = agent.pool(PoolKind::Kernarg).allocate(4096).unwrap();
    kernarg.write(0, &va.to_le_bytes()).unwrap();
    let (told, said) = std::sync::mpsc::channel();
    let queue = Queue::create(agent, 64, QueueKind::Multi, move |error| {
        let _ = told.send(error.clone());
    });
    let queue = queue.unwrap();
    let done = Signal::new(runtime, 1, SignalKind::Interrupt).unwrap();
    let mut packet = kernel.dispatch([1, 1, 1], [1, 1, 1], kernarg.va());
    packet.completion_signal = done.handle();
    queue.submit(packet).unwrap();
    loop {
        let wait = std::time::Duration::from_millis(20);
        if done.wait(SignalCondition::LT, 1, Some(wait), Default::default()) < 1 {
            return Ok(());
        }
        if let Ok(error) = said.try_recv() {
            return Err(Box::new(error));
        }
    }
}

/// The word at an address, which the kernel checks.
fn word(va: u64) -> u32 {
    let memory = std::fs::File::open("/proc/self/mem").unwrap();
    let mut bytes = [0; 4];
    std::os::unix::fs::FileExt::read_exact_at(&memory, &mut bytes, va).unwrap();
    u32::from_le_bytes(bytes)
}

#[test]
fn one_memory_lies_at_two_addresses_for_host_and_gpu() {
    let (runtime, gpu) = emulated("gfx90a");
    assert!(runtime.has_virtual_memory());
    let memory = runtime.create_memory(&gpu.pool(PoolKind::CoarseGrained), SIZE, false).unwrap();
    let va = runtime.reserve_addresses(3 * SIZE, 0, None).unwrap();
    runtime.map_memory(va, SIZE, 0, &memory).unwrap();
    // A part of it, from the second page on.
    runtime.map_memory(va + SIZE, 4096, 4096, &memory).unwrap();
    let all = [(runtime.cpu_agent(), Access::ReadWrite), (gpu.clone(), Access::ReadWrite)];
    runtime.set_access(va, SIZE + 4096, &all).unwrap();
    add_one(&gpu, va + SIZE + 8).unwrap();
    add_one(&gpu, va + 4096 + 8).unwrap();
    assert_eq!((word(va + 4096 + 8), word(va + SIZE + 8)), (2, 2));

    let info = runtime.memory_info(va + 5).unwrap();
    assert_eq!((info.origin, info.base, info.size), (MemoryOrigin::Reserved, va, 3 * SIZE as usize));
    assert_eq!((info.owner, info.host_access), (gpu.clone(), true));
    assert_eq!(runtime.access(va, &gpu), Some(Access::ReadWrite));
    assert_eq!(runtime.access(va + 2 * SIZE, &gpu), None);
    drop(memory);
    assert_eq!(runtime.mapped_memory(va).unwrap().size(), SIZE);
    assert_eq!(runtime.release_addresses(va, 3 * SIZE).unwrap_err().status(), Status::ERROR_RESOURCE_FREE);
    runtime.unmap_memory(va, SIZE).unwrap();
    runtime.unmap_memory(va + SIZE, 4096).unwrap();
    runtime.release_addresses(va, 3 * SIZE).unwrap();
    assert!(runtime.memory_info(va).is_none());
}

#[test]
fn who_has_no_access_faults() {
    for access in [Access::None, Access::ReadOnly] {
        let (runtime, gpu) = emulated("gfx90a");
        let memory = runtime.create_memory(&gpu.pool(PoolKind::CoarseGrained), SIZE, false).unwrap();
        let va = runtime.reserve_addresses(SIZE, 0, None).unwrap();
        runtime.map_memory(va, SIZE, 0, &memory).unwrap();
        runtime.set_access(va, SIZE, &[(gpu.clone(), Access::ReadWrite)]).unwrap();
        add_one(&gpu, va).unwrap();
        runtime.set_access(va, SIZE, &[(gpu.clone(), access)]).unwrap();
        assert_eq!(runtime.access(va, &gpu), Some(access));
        let error = add_one(&gpu, va).unwrap_err();
        assert!(error.to_string().contains("memory access"), "{error}");
    }
}

#[test]
fn two_gpus_reach_the_same_memory() {
    let options = OpenOptions { device: Some("emu:gfx90a,gfx90a".into()), ..OpenOptions::default() };
    let runtime = Runtime::open(&options).unwrap();
    let gpus = runtime.gpu_agents();
    let memory = runtime.create_memory(&gpus[0].pool(PoolKind::CoarseGrained), SIZE, false).unwrap();
    let va = runtime.reserve_addresses(SIZE, 0, None).unwrap();
    runtime.map_memory(va, SIZE, 0, &memory).unwrap();
    let all: Vec<_> = runtime.agents().into_iter().map(|agent| (agent, Access::ReadWrite)).collect();
    runtime.set_access(va, SIZE, &all).unwrap();
    for gpu in &gpus {
        add_one(gpu, va).unwrap();
    }
    assert_eq!(word(va), 2);
    runtime.unmap_memory(va, SIZE).unwrap();
    runtime.release_addresses(va, SIZE).unwrap();
}

#[test]
fn memory_goes_to_another_runtime_by_its_descriptor() {
    let (giver, gpu) = emulated("gfx90a");
    let (taker, other) = emulated("gfx90a");
    let memory = giver.create_memory(&gpu.pool(PoolKind::CoarseGrained), SIZE, true).unwrap();
    assert_eq!((memory.is_pinned(), memory.pool(&giver)), (true, gpu.pool(PoolKind::CoarseGrained)));
    let here = giver.reserve_addresses(SIZE, 0, None).unwrap();
    giver.map_memory(here, SIZE, 0, &memory).unwrap();
    giver.set_access(here, SIZE, &[(giver.cpu_agent(), Access::ReadWrite)]).unwrap();
    // Twice: both are the same pages, and letting go of one leaves the other.
    let descriptor = memory.export().unwrap();
    let taken = taker.import_memory(descriptor.as_fd()).unwrap();
    drop(taker.import_memory(taken.export().unwrap().as_fd()).unwrap());
    drop(descriptor);
    let there = taker.reserve_addresses(SIZE, 0, None).unwrap();
    taker.map_memory(there, SIZE, 0, &taken).unwrap();
    taker.set_access(there, SIZE, &[(other.clone(), Access::ReadWrite)]).unwrap();
    add_one(&other, there + 40).unwrap();
    assert_eq!(word(here + 40), 1);
}

#[test]
fn what_is_still_mapped_goes_with_the_runtime() {
    for _ in 0..3 {
        let (runtime, gpu) = emulated("gfx90a");
        let memory = runtime.create_memory(&gpu.pool(PoolKind::CoarseGrained), SIZE, false).unwrap();
        let va = runtime.reserve_addresses(SIZE, 1 << 30, None).unwrap();
        assert_eq!(va % (1 << 30), 0);
        runtime.map_memory(va, SIZE, 0, &memory).unwrap();
        runtime.set_access(va, SIZE, &[(gpu, Access::ReadWrite)]).unwrap();
    }
}

#[test]
fn ranges_tell_what_was_said_of_them() {
    let (runtime, gpu) = emulated("gfx90a");
    let mut bytes = vec![0u8; 3 * 4096];
    let va = bytes.as_mut_ptr().expose_provenance() as u64;
    let node = gpu.node();
    runtime.set_range_attributes(va, 4096, &[RangeAttribute::Access(node, RangeAccess::InPlace)]).unwrap();
    let asked = [RangeAttribute::Access(node, RangeAccess::None)];
    let said = runtime.range_attributes(va, 4096, &asked).unwrap();
    assert_eq!(said, [RangeAttribute::Access(node, RangeAccess::InPlace)]);
    add_one(&gpu, va.next_multiple_of(4)).unwrap();

    let (before, after) = (
        Signal::new(&runtime, 1, SignalKind::Default).unwrap(),
        Signal::new(&runtime, 1, SignalKind::Default).unwrap(),
    );
    runtime.prefetch(va, 4096, &gpu, vec![before.clone()], Some(after.clone()), || {}).unwrap();
    assert_eq!(runtime.prefetch_location(va, 4096).unwrap(), Location::Undefined);
    before.store(0, std::sync::atomic::Ordering::Release);
    after.wait(SignalCondition::EQ, 0, None, Default::default());
    assert_eq!(runtime.prefetch_location(va, 4096).unwrap(), Location::Gpu(node));
    assert!(runtime.set_range_attributes(0, 4096, &[]).is_err());
    assert!(runtime.range_flags(va, u64::MAX).is_err());
}
