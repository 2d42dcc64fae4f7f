//! What goes wrong, one after another: the errno or the event that KFD gives, nothing left behind, and a device that goes
//! on. (Packets that are wrong are in `queues.rs`, `pm4.rs` and `sdma.rs`, user pointers in `userptr.rs`.)

mod common;

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use amdgpu_emu::{Holdings, chips};
use common::{
    Buffer, GTT, Kernels, Queue, Rig, VRAM, barrier, bytes_of, release, reserve, signal_value, wait_for,
};
use hsa_sys::PacketType;
use kfd_sys::event::{
    CreateEventArgs, DestroyEventArgs, EventType, ResetEventArgs, SIGNAL_EVENT_LIMIT, SetEventArgs,
    WaitResult,
};
use kfd_sys::memory::{AllocFlags, FreeMemoryOfGpuArgs, GetAvailableMemoryArgs};
use kfd_sys::queue::{CreateQueueArgs, DestroyQueueArgs, QueueType, UpdateQueueArgs};
use kfd_sys::share::{IpcExportHandleArgs, IpcImportHandleArgs};
use kfd_sys::{DeviceFile, Errno, KfdExt as _};
use nix::sys::mman::ProtFlags;

fn free(rig: &Rig, handle: u64) -> Result<(), Errno> {
    rig.gpu.call(&mut FreeMemoryOfGpuArgs { handle })
}

fn give_back(rig: &Rig, buffer: &Buffer) {
    assert_eq!(rig.unmap(buffer.handle), Ok(1));
    assert_eq!(free(rig, buffer.handle), Ok(()));
    release(buffer.va, buffer.size);
}

/// Runs an empty barrier: the device answers.
fn is_sound(rig: &Rig) {
    let queue = Queue::new(rig);
    let done = queue.signal(1);
    queue.submit(&barrier(PacketType::BARRIER_AND, &[], Some(&done)));
    wait_for("a sound queue", || signal_value(&done) == 0);
    queue.destroy();
}

#[test]
fn handles_that_are_wrong_or_dead() {
    let rig = Rig::new(&chips::GFX90A);
    let before = rig.gpu.holdings();
    let buffer = rig.allocate(1 << 16, VRAM);
    assert_eq!(free(&rig, buffer.handle), Err(Errno::EBUSY), "mapped");
    for handle in [0, 1, buffer.handle + 1, buffer.handle ^ 1 << 40, u64::MAX] {
        assert_eq!(free(&rig, handle), Err(Errno::EINVAL), "{handle:#x}");
        assert_eq!(rig.map(handle), Err(Errno::EINVAL), "{handle:#x}");
        assert_eq!(rig.unmap(handle), Err(Errno::EINVAL), "{handle:#x}");
    }
    give_back(&rig, &buffer);
    assert_eq!(free(&rig, buffer.handle), Err(Errno::EINVAL), "freed twice");
    for event_id in [0, 1, 4095, 4096, 0x4000_0000, u32::MAX] {
        assert_eq!(rig.gpu.call(&mut DestroyEventArgs { event_id, pad: 0 }), Err(Errno::EINVAL));
        assert_eq!(rig.gpu.call(&mut SetEventArgs { event_id, pad: 0 }), Err(Errno::EINVAL));
        assert_eq!(rig.gpu.call(&mut ResetEventArgs { event_id, pad: 0 }), Err(Errno::EINVAL));
    }
    for queue_id in [0, 77, u32::MAX] {
        assert_eq!(rig.gpu.call(&mut DestroyQueueArgs { queue_id, pad: 0 }), Err(Errno::EINVAL));
        let mut update = UpdateQueueArgs { queue_id, ..Default::default() };
        assert_eq!(rig.gpu.call(&mut update), Err(Errno::EINVAL));
    }
    assert_eq!(rig.gpu.holdings(), before);
}

#[test]
fn an_unmap_while_a_kernel_uses_the_memory() {
    let rig = Rig::new(&chips::GFX90A);
    let kernels = Kernels::load(&rig, "gfx90a");
    let event = rig.create_event(EventType::MEMORY, 0);
    let (flag, arguments) = (rig.allocate(4096, VRAM), rig.allocate(4096, GTT));
    arguments.set64(0, flag.va);
    let queue = Queue::new(&rig);
    queue.submit(&bytes_of(&kernels.packet("forever", 1024, 64, arguments.va, 0)));
    std::thread::sleep(Duration::from_millis(20));
    give_back(&rig, &flag);
    let (result, data) = rig.wait_event(event, 10_000);
    assert_eq!(result, WaitResult::COMPLETE);
    let fault = data.memory_exception();
    assert_eq!((fault.va, fault.failure.not_present, fault.gpu_id), (flag.va, 1, rig.gpu_id));
    queue.destroy();
    is_sound(&rig);
}

#[test]
fn rings_that_are_none() {
    let rig = Rig::new(&chips::GFX90A);
    let (ring, pointers) = (rig.allocate(1 << 16, GTT), rig.allocate(4096, GTT));
    let read_only = rig.allocate(4096, AllocFlags::GTT | AllocFlags::NO_SUBSTITUTE);
    let before = rig.gpu.holdings();
    let good = CreateQueueArgs {
        ring_base_address: ring.va,
        write_pointer_address: pointers.va,
        read_pointer_address: pointers.va + 8,
        ring_size: 4096,
        gpu_id: rig.gpu_id,
        queue_type: QueueType::COMPUTE_AQL,
        queue_percentage: 100,
        queue_priority: 7,
        ..Default::default()
    };
    type Edit<'a> = &'a dyn Fn(&mut CreateQueueArgs);
    let wrong: [(&str, Errno, Edit<'_>); 17] = [
        ("no size", Errno::EINVAL, &|args| args.ring_size = 0),
        ("no power of two", Errno::EINVAL, &|args| args.ring_size = 4096 + 64),
        ("small", Errno::EINVAL, &|args| args.ring_size = 512),
        ("not aligned", Errno::EINVAL, &|args| args.ring_base_address += 4),
        ("not mapped", Errno::EINVAL, &|args| args.ring_base_address = 0x7_0000_0000),
        ("null", Errno::EINVAL, &|args| args.ring_base_address = 0),
        ("its end is not mapped", Errno::EINVAL, &|args| args.ring_size = 1 << 17),
        ("read-only", Errno::EINVAL, &|args| args.ring_base_address = read_only.va),
        ("no program's", Errno::EFAULT, &|args| args.ring_base_address = u64::MAX - 63),
        ("a kernel's", Errno::EFAULT, &|args| args.write_pointer_address = 1 << 47),
        ("no program's either", Errno::EFAULT, &|args| args.read_pointer_address = u64::MAX),
        ("write pointer", Errno::EINVAL, &|args| args.write_pointer_address = 0x7_0000_0000),
        ("read pointer", Errno::EINVAL, &|args| args.read_pointer_address = read_only.va),
        ("share", Errno::EINVAL, &|args| args.queue_percentage = 101),
        ("priority", Errno::EINVAL, &|args| args.queue_priority = 16),
        ("type", Errno::EINVAL, &|args| args.queue_type = QueueType(99)),
        ("GPU", Errno::EINVAL, &|args| args.gpu_id = 1),
    ];
    for (what, errno, edit) in wrong {
        let mut args = good;
        edit(&mut args);
        assert_eq!(rig.gpu.call(&mut args), Err(errno), "{what}");
    }
    assert_eq!(rig.gpu.holdings(), before);
    let mut args = good;
    rig.gpu.call(&mut args).unwrap();
    assert_eq!(rig.gpu.holdings().queues, before.queues + 1);
    rig.gpu.call(&mut DestroyQueueArgs { queue_id: args.queue_id, pad: 0 }).unwrap();
    assert_eq!(rig.gpu.holdings(), before);
}

#[test]
fn doorbells_and_indices_beyond_the_ring() {
    let rig = Rig::new(&chips::GFX90A);
    let queue = Queue::new(&rig);
    let slice = reserve(0x2000, ProtFlags::PROT_NONE);
    rig.mmap(DeviceFile::Kfd, slice, 0x2000, queue.doorbell_offset & !0x1fff).unwrap();
    let doorbells = Buffer { va: slice, size: 0x2000, handle: 0 };
    let done = queue.signal(1);
    let own = (queue.doorbell_offset & 0x1fff) / 8;
    // Every doorbell there is, the queue's own among them, with numbers that are no packet's.
    for value in [common::PACKETS, 1 << 40, u64::MAX] {
        (0..0x400).for_each(|doorbell| doorbells.set64(doorbell, value));
    }
    queue.submit(&barrier(PacketType::BARRIER_AND, &[], Some(&done)));
    wait_for("the packet", || signal_value(&done) == 0);
    // An index far ahead: packets that were not written are invalid, and the queue waits for the next.
    queue.amd_queue.set64(56 / 8, 1 << 40);
    doorbells.set64(own, 1 << 40);
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!((queue.read_index(), queue.inactive_value()), (1, 0));
    queue.amd_queue.set64(56 / 8, 1);
    let next = queue.signal(1);
    queue.submit(&barrier(PacketType::BARRIER_AND, &[], Some(&next)));
    wait_for("the next packet", || signal_value(&next) == 0);
    // One that goes back is as good as none.
    queue.amd_queue.set64(56 / 8, 0);
    std::thread::sleep(Duration::from_millis(5));
    assert_eq!((queue.read_index(), queue.inactive_value()), (2, 0));
    queue.destroy();
    is_sound(&rig);
}

#[test]
fn events_run_out_and_come_back() {
    let rig = Rig::new(&chips::GFX90A);
    let before = rig.gpu.holdings();
    let create = || {
        let mut args = CreateEventArgs { event_type: EventType::SIGNAL, auto_reset: 1, ..Default::default() };
        rig.gpu.call(&mut args).map(|()| args.event_id)
    };
    // Slot 0 is never given out: there are 4,096 in all.
    let ids: Vec<u32> = (1..SIGNAL_EVENT_LIMIT).map(|_| create().unwrap()).collect();
    assert_eq!(ids.iter().collect::<std::collections::BTreeSet<_>>().len(), 4095);
    assert_eq!(create(), Err(Errno::ENOSPC));
    assert_eq!(create(), Err(Errno::ENOSPC));
    // Others have their own numbers.
    let memory = rig.create_event(EventType::MEMORY, 0);
    rig.gpu.call(&mut DestroyEventArgs { event_id: ids[2000], pad: 0 }).unwrap();
    assert_eq!((create(), create()), (Ok(ids[2000]), Err(Errno::ENOSPC)));
    for event_id in ids.into_iter().chain([memory]) {
        rig.gpu.call(&mut DestroyEventArgs { event_id, pad: 0 }).unwrap();
    }
    assert_eq!(rig.gpu.holdings(), before);
}

#[test]
fn memory_runs_out_and_comes_back() {
    let rig = Rig::new(&chips::GFX906);
    let available = || {
        let mut args = GetAvailableMemoryArgs { gpu_id: rig.gpu_id, ..Default::default() };
        rig.gpu.call(&mut args).unwrap();
        args.available
    };
    let (before, most) = (rig.gpu.holdings(), available());
    for round in 0..3 {
        let (mut handles, mut size, mut va) = (Vec::new(), 8u64 << 30, 1 << 40);
        while size >= 4096 {
            match rig.try_alloc(va, size, VRAM, 0) {
                Ok((handle, _)) => {
                    handles.push(handle);
                    va += size;
                }
                Err(errno) => {
                    assert_eq!(errno, Errno::ENOMEM);
                    size /= 2;
                }
            }
        }
        assert_eq!((available(), rig.gpu.holdings().vram), (0, most), "round {round}");
        assert_eq!(rig.try_alloc(va, 4096, VRAM, 0).unwrap_err(), Errno::ENOMEM);
        // Every other first, so that what is free lies in pieces.
        let odd = handles.iter().skip(1).step_by(2);
        for handle in odd.chain(handles.iter().step_by(2)) {
            assert_eq!(free(&rig, *handle), Ok(()));
        }
        assert_eq!((rig.gpu.holdings(), available()), (before, most), "round {round}");
    }
    is_sound(&rig);
}

#[test]
fn every_kind_of_thing_is_counted_and_goes() {
    let rig = Rig::new(&chips::GFX908);
    let before = rig.gpu.holdings();
    let buffer = rig.allocate(1 << 16, VRAM);
    let mut export = IpcExportHandleArgs { handle: buffer.handle, gpu_id: rig.gpu_id, ..Default::default() };
    rig.gpu.call(&mut export).unwrap();
    let event = rig.create_event(EventType::SIGNAL, 0);
    let held = rig.gpu.holdings();
    let counted = (held.objects, held.mapped, held.exports, held.events, held.vram);
    assert_eq!(counted, (before.objects + 1, before.mapped + 1, 1, 1, 1 << 16));
    std::thread::scope(|scope| {
        scope.spawn(|| rig.wait_event(event, 10_000));
        wait_for("the wait", || rig.gpu.holdings().waiters == 1);
        rig.gpu.call(&mut SetEventArgs { event_id: event, pad: 0 }).unwrap();
    });
    rig.gpu.call(&mut DestroyEventArgs { event_id: event, pad: 0 }).unwrap();
    give_back(&rig, &buffer);
    assert_eq!(rig.gpu.holdings(), before);
    assert_eq!(before, Holdings::default(), "a device that did nothing has nothing");
}

const CHILD: &str = "AMDGPU_EMU_TEST_CHILD";

/// Not a test of its own: what `a_process_that_is_killed_in_a_dispatch` starts and kills.
#[test]
fn the_process_that_is_killed() {
    let Ok(handle) = std::env::var(CHILD) else { return };
    let words: Vec<u32> = handle.split(',').map(|word| word.parse().unwrap()).collect();
    let rig = Rig::new(&chips::GFX90A);
    let va = reserve(1 << 20, ProtFlags::PROT_NONE);
    let mut args = IpcImportHandleArgs {
        va_addr: va,
        share_handle: words.try_into().unwrap(),
        gpu_id: rig.gpu_id,
        ..Default::default()
    };
    rig.gpu.call(&mut args).unwrap();
    rig.mmap(DeviceFile::Render(rig.minor), va, 1 << 20, args.mmap_offset).unwrap();
    assert_eq!(rig.map(args.handle), Ok(1));
    let kernels = Kernels::load(&rig, "gfx90a");
    let arguments = rig.allocate(4096, GTT);
    // The parent's memory is what its kernel looks at for ever.
    arguments.set64(0, va + 4096);
    let shared = Buffer { va, size: 1 << 20, handle: args.handle };
    let queue = Queue::new(&rig);
    queue.submit(&bytes_of(&kernels.packet("forever", 4096, 64, arguments.va, 0)));
    std::thread::sleep(Duration::from_millis(50));
    shared.set(0, 0x600d);
    println!("\nruns");
    std::thread::sleep(Duration::from_secs(100));
}

#[test]
fn a_process_that_is_killed_in_a_dispatch() {
    let rig = Rig::new(&chips::GFX90A);
    let before = rig.gpu.holdings();
    for _ in 0..3 {
        let buffer = rig.allocate(1 << 20, VRAM);
        let mut export =
            IpcExportHandleArgs { handle: buffer.handle, gpu_id: rig.gpu_id, ..Default::default() };
        rig.gpu.call(&mut export).unwrap();
        let handle = export.share_handle.map(|word| word.to_string()).join(",");
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "the_process_that_is_killed", "--nocapture", "--test-threads=1"]);
        let mut child = command.env(CHILD, handle).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let runs = lines.map_while(Result::ok).any(|line| line == "runs");
        assert!(runs, "the child ended early");
        assert_eq!(buffer.get(0), 0x600d, "it has our memory");
        // Ours is freed first, and stays the child's; then the child is killed (SIGKILL).
        give_back(&rig, &buffer);
        let mut lent = before;
        lent.vram += 1 << 20;
        assert_eq!(rig.gpu.holdings(), lent, "in use elsewhere");
        child.kill().unwrap();
        assert!(child.wait().unwrap().code().is_none());
        assert_eq!(rig.gpu.holdings(), before, "the host has given it back");
    }
    is_sound(&rig);
}
