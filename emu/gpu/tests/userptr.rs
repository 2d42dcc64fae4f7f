//! Memory of the program that the GPU has mapped, and that the program takes away: a GPU memory fault, as KFD has it by its
//! notifier, and never one of the host.

mod common;

use std::time::Duration;

use amdgpu_emu::chips;
use common::{
    Buffer, GTT, Kernels, Queue, Rig, barrier, bytes_of, forget, map_file, move_away, protect, release,
    reserve, reserve_apart, signal_value, wait_for,
};
use hsa_sys::PacketType;
use kfd_sys::event::{EventType, MemoryExceptionData, WaitResult};
use kfd_sys::memory::FreeMemoryOfGpuArgs;
use kfd_sys::queue::{CreateQueueArgs, QueueType};
use kfd_sys::{Kfd as _, KfdExt as _};
use nix::sys::mman::ProtFlags;

const SIZE: u64 = 1 << 16;
const READ_WRITE: ProtFlags = ProtFlags::PROT_READ.union(ProtFlags::PROT_WRITE);

fn arguments(rig: &Rig, words: &[u64]) -> Buffer {
    let buffer = rig.allocate(4096, GTT);
    for (index, word) in (0..).zip(words) {
        buffer.set64(index, *word);
    }
    buffer
}

/// Waits for a memory fault.
fn fault(rig: &Rig, event: u32, what: &str) -> MemoryExceptionData {
    let (result, data) = rig.wait_event(event, 10_000);
    assert_eq!(result, WaitResult::COMPLETE, "{what}");
    data.memory_exception()
}

/// A way to take memory at an address away.
type Take = fn(u64);

#[test]
fn a_kernel_that_stores_to_memory_that_is_gone() {
    let rig = Rig::new(&chips::GFX90A);
    let kernels = Kernels::load(&rig, "gfx90a");
    let ways: [(&str, Take, u32); 3] = [
        ("munmap", |at| release(at, SIZE), 0),
        ("mremap", |at| assert_ne!(move_away(at, SIZE), at), 0),
        ("mprotect", |at| protect(at, SIZE, ProtFlags::PROT_READ), 1),
    ];
    for (what, take, read_only) in ways {
        // An event that was set stays so: a new one each time.
        let event = rig.create_event(EventType::MEMORY, 0);
        let queue = Queue::new(&rig);
        let memory = rig.register(reserve_apart(SIZE), SIZE);
        let args = arguments(&rig, &[memory.va, 5]);
        let done = queue.signal(1);
        let packet = bytes_of(&kernels.packet("store", 4000, 128, args.va, done.va));
        queue.run(what, &packet, &done);
        assert_eq!(memory.get(3999), 3999 * 3 + 5);
        take(memory.va);
        queue.submit(&packet);
        let fault = fault(&rig, event, what);
        let pages = memory.va..memory.va + SIZE;
        assert!(pages.contains(&fault.va), "{what}: {fault:x?}");
        assert_eq!(
            (fault.failure.read_only, fault.failure.not_present),
            (read_only, 1 - read_only),
            "{what}"
        );
        let wave = rig.gpu.take_wave_report(rig.gpu_id).expect("the wave is known");
        assert!(wave.reason.contains("the program has"), "{what}: {wave}");
        // The memory object goes as any other.
        assert_eq!(rig.unmap(memory.handle), Ok(1));
        rig.gpu.call(&mut FreeMemoryOfGpuArgs { handle: memory.handle }).unwrap();
    }
    // The device is as sound as before.
    let queue = Queue::new(&rig);
    let done = queue.signal(1);
    queue.run("another queue", &bytes_of(&kernels.packet("nothing", 4096, 256, 0, done.va)), &done);
}

#[test]
fn a_kernel_that_runs_while_memory_goes() {
    for threads in [1, 3] {
        let rig = Rig::with_threads(&chips::GFX942, Some(threads));
        let kernels = Kernels::load(&rig, "gfx942");
        let event = rig.create_event(EventType::MEMORY, 0);
        let queue = Queue::new(&rig);
        let memory = rig.register(reserve_apart(SIZE), SIZE);
        let args = arguments(&rig, &[memory.va]);
        queue.submit(&bytes_of(&kernels.packet("forever", 1024, 64, args.va, 0)));
        std::thread::sleep(Duration::from_millis(20));
        release(memory.va, SIZE);
        assert_eq!(fault(&rig, event, "munmap").va, memory.va);
        queue.destroy();
    }
}

#[test]
fn a_file_that_is_cut_and_pages_that_are_dropped() {
    let rig = Rig::new(&chips::GFX908);
    let kernels = Kernels::load(&rig, "gfx908");
    let event = rig.create_event(EventType::MEMORY, 0);
    let queue = Queue::new(&rig);
    let file = tempfile::tempfile().unwrap();
    file.set_len(SIZE).unwrap();
    let memory = rig.register(map_file(&file, SIZE), SIZE);
    let args = arguments(&rig, &[memory.va, 5]);
    let done = queue.signal(1);
    let packet = bytes_of(&kernels.packet("store", 4000, 128, args.va, done.va));
    queue.run("a file", &packet, &done);
    file.set_len(0).unwrap();
    queue.submit(&packet);
    let fault = fault(&rig, event, "a file that is cut");
    assert!((memory.va..memory.va + SIZE).contains(&fault.va) && fault.failure.not_present == 1);
    let wave = rig.gpu.take_wave_report(rig.gpu_id).expect("the wave is known");
    assert!(wave.reason.contains("the file behind"), "{wave}");

    // Dropped pages are new ones, for the GPU too.
    let queue = Queue::new(&rig);
    let memory = rig.register(reserve(SIZE, READ_WRITE), SIZE);
    memory.set(4095, 7);
    forget(memory.va, SIZE);
    let args = arguments(&rig, &[memory.va, 5]);
    let done = queue.signal(1);
    queue.run("new pages", &bytes_of(&kernels.packet("store", 100, 64, args.va, done.va)), &done);
    assert_eq!((memory.get(99), memory.get(4095)), (99 * 3 + 5, 0));
}

#[test]
fn the_processors_of_packets_and_copies() {
    let rig = Rig::new(&chips::GFX90A);
    let event = || rig.create_event(EventType::MEMORY, 0);
    // Protected, not unmapped: their addresses would be used again.
    let take = |memory: &Buffer| protect(memory.va, memory.size, ProtFlags::PROT_NONE);
    let gone = [(); 4].map(|()| rig.register(reserve(SIZE, READ_WRITE), SIZE));
    gone.iter().for_each(take);
    let [signal, dependency, source, destination] = gone.map(|memory| memory.va);
    // A signal to complete, and one to wait for.
    for (what, place, at) in [("completion", 56, signal + 128), ("dependency", 8, dependency + 4096)] {
        let (queue, event) = (Queue::new(&rig), event());
        let mut packet = barrier(PacketType::BARRIER_AND, &[], None);
        packet[place..place + 8].copy_from_slice(&at.to_le_bytes());
        queue.submit(&packet);
        assert_eq!(fault(&rig, event, what).va, at & !0xfff);
    }

    // Copies of the SDMA engine from, to and between.
    let other = rig.allocate(SIZE, GTT);
    for (from, to, at) in [(source, other.va, source), (other.va, destination, destination)] {
        let event = event();
        let (ring, pointers) = (rig.allocate(4096, GTT), rig.allocate(4096, GTT));
        let mut args = CreateQueueArgs {
            ring_base_address: ring.va,
            write_pointer_address: pointers.va + 8,
            read_pointer_address: pointers.va + 16,
            ring_size: 4096,
            gpu_id: rig.gpu_id,
            queue_type: QueueType::SDMA,
            queue_percentage: 100,
            ..Default::default()
        };
        rig.gpu.call(&mut args).unwrap();
        let words = [1, SIZE as u32 - 1, 0, from as u32, (from >> 32) as u32, to as u32, (to >> 32) as u32];
        for (index, word) in (0..).zip(words) {
            ring.set(index, word);
        }
        pointers.set64(1, 28);
        rig.gpu.doorbell_hint(rig.gpu_id);
        assert_eq!(fault(&rig, event, "SDMA").va, at);
        rig.gpu.call(&mut kfd_sys::queue::DestroyQueueArgs { queue_id: args.queue_id, pad: 0 }).unwrap();
    }

    // A ring that is there when the queue is made, and not when its packets are read.
    let ring = rig.register(reserve(4096, READ_WRITE), 4096);
    let pointers = rig.allocate(4096, GTT);
    let mut args = CreateQueueArgs {
        ring_base_address: ring.va,
        write_pointer_address: pointers.va + 8,
        read_pointer_address: pointers.va + 16,
        ring_size: 4096,
        gpu_id: rig.gpu_id,
        queue_type: QueueType::COMPUTE_AQL,
        queue_percentage: 100,
        ..Default::default()
    };
    rig.gpu.call(&mut args).unwrap();
    take(&ring);
    let event = event();
    pointers.set64(1, 1);
    rig.gpu.doorbell_hint(rig.gpu_id);
    assert_eq!(fault(&rig, event, "ring").va, ring.va);

    // The rest goes on.
    let queue = Queue::new(&rig);
    let done = queue.signal(1);
    queue.submit(&barrier(PacketType::BARRIER_AND, &[], Some(&done)));
    wait_for("a sound queue", || signal_value(&done) == 0);
}
