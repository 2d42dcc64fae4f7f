//! AQL queues: barriers, signals, errors and kernels, through `Kfd` and shared memory alone.

mod common;

use std::time::Duration;

use amdgpu_emu::{Chip, Options, chips};
use common::{
    Buffer, GTT, Kernels, PACKETS, Queue, Rig, VRAM, barrier, bytes_of, set_signal, signal_value, wait_for,
};
use hsa_sys::{PacketType, QueueInactive};
use kfd_sys::Kfd as _;
use kfd_sys::event::{EventType, SIGNAL_EVENT_LIMIT, WaitResult};
use kfd_sys::queue::{AllocQueueGwsArgs, SetCuMaskArgs, UpdateQueueArgs};
use kfd_sys::{DeviceFile, Errno, KfdExt as _};

fn arguments(rig: &Rig, words: &[u64]) -> Buffer {
    let buffer = rig.allocate(4096, GTT);
    for (index, word) in (0..).zip(words) {
        buffer.set64(index, *word);
    }
    buffer
}

fn is_zero(signal: &Buffer) -> bool {
    signal_value(signal) == 0
}

#[test]
fn barriers_wait_for_their_signals() {
    let rig = Rig::new(&chips::GFX90A);
    let (first, second) = (Queue::new(&rig), Queue::new(&rig));
    let (a, b, done_and, done_or) = (first.signal(1), first.signal(1), first.signal(1), first.signal(1));
    first.submit(&barrier(PacketType::BARRIER_AND, &[&a, &b], Some(&done_and)));
    second.submit(&barrier(PacketType::BARRIER_OR, &[&a, &b], Some(&done_or)));
    std::thread::sleep(Duration::from_millis(5));
    assert_eq!((signal_value(&done_and), signal_value(&done_or)), (1, 1));
    set_signal(&b, 0);
    wait_for("barrier-or", || is_zero(&done_or));
    assert_eq!(signal_value(&done_and), 1);
    // A queue that waits does not hold up the other.
    let other = first.signal(1);
    second.submit(&barrier(PacketType::BARRIER_AND, &[], Some(&other)));
    wait_for("the queue that does not wait", || is_zero(&other));
    set_signal(&a, 0);
    wait_for("barrier-and", || is_zero(&done_and));
    wait_for("read indices", || first.read_index() == 1 && second.read_index() == 2);
    assert_eq!(first.ring.get(0) & 0xff, 1, "the slot is invalid again");
}

#[test]
fn a_ring_goes_round_without_doorbells() {
    let rig = Rig::new(&chips::GFX942);
    let queue = Queue::new(&rig);
    let done = queue.signal(3 * PACKETS as i64);
    for _ in 0..3 * PACKETS {
        queue.submit_quietly(&barrier(PacketType::BARRIER_AND, &[], Some(&done)));
    }
    wait_for("all packets", || is_zero(&done));
    wait_for("the read index", || queue.read_index() == 3 * PACKETS);
}

/// The command processor may be held up in its look at a queue, and must not know less of memory than the packet that it
/// then finds. The first look at a queue takes long: the host has no pages yet for what it reads.
#[test]
fn memory_mapped_just_before_its_packet_is_found() {
    let rig = Rig::new(&chips::GFX90A);
    for _ in 0..5000 {
        let queue = Queue::new(&rig);
        let done = queue.signal(1);
        queue.submit_quietly(&barrier(PacketType::BARRIER_AND, &[], Some(&done)));
        wait_for("a signal that was just mapped", || is_zero(&done));
        queue.destroy();
        [done, queue.inactive, queue.ring, queue.amd_queue].iter().for_each(|memory| rig.free(memory));
    }
}

#[test]
fn a_completion_signal_rings_its_event() {
    let rig = Rig::new(&chips::GFX90A);
    let page = rig.allocate(u64::from(SIGNAL_EVENT_LIMIT) * 8, GTT);
    rig.create_event(EventType::MEMORY, page.handle);
    let event = rig.create_event(EventType::SIGNAL, 0);
    let queue = Queue::new(&rig);
    let done = queue.signal(1);
    done.set64(2, page.va + u64::from(event) * 8);
    done.set(6, event);
    // ENABLE_PROFILING
    queue.amd_queue.set(45, 8);
    queue.submit(&barrier(PacketType::BARRIER_AND, &[], Some(&done)));
    assert_eq!(rig.wait_event(event, 10_000).0, WaitResult::COMPLETE);
    assert!(is_zero(&done));
    assert!(done.get64(4) > 0 && done.get64(5) >= done.get64(4), "time stamps");
    assert_eq!(page.get64(event.into()), u64::MAX, "the slot is unsignalled again");
}

#[test]
fn barrier_value_and_pm4() {
    let rig = Rig::new(&chips::GFX90A);
    let queue = Queue::new(&rig);
    let (value, done) = (queue.signal(0x13), queue.signal(1));
    let mut packet = [0; 64];
    packet[2] = 2;
    packet[8..16].copy_from_slice(&value.va.to_le_bytes());
    packet[16] = 2;
    packet[24] = 0x0f;
    packet[56..].copy_from_slice(&done.va.to_le_bytes());
    queue.submit(&packet);
    std::thread::sleep(Duration::from_millis(3));
    assert_eq!(signal_value(&done), 1);
    set_signal(&value, 0x52);
    wait_for("barrier-value", || is_zero(&done));

    let ib = rig.allocate(4096, GTT);
    ib.set(0, 0xc005_5800);
    set_signal(&done, 1);
    let mut packet = [0; 64];
    packet[2] = 1;
    for (at, word) in [(4, 0xc002_3f00), (8, ib.va as u32), (12, (ib.va >> 32) as u32), (16, 0x0080_0007u32)]
    {
        packet[at..at + 4].copy_from_slice(&word.to_le_bytes());
    }
    packet[56..].copy_from_slice(&done.va.to_le_bytes());
    queue.submit(&packet);
    wait_for("the indirect buffer", || is_zero(&done));
}

#[test]
fn wrong_packets_stop_the_queue() {
    let rig = Rig::new(&chips::GFX90A);
    let kernel = |edit: fn(&mut hsa_sys::KernelDispatchPacket)| {
        let mut packet = hsa_sys::KernelDispatchPacket {
            header: hsa_sys::Header(2),
            setup: 1,
            workgroup_size_x: 64,
            grid_size_x: 64,
            ..Default::default()
        };
        edit(&mut packet);
        bytes_of(&packet)
    };
    let mut unknown = [0; 64];
    unknown[0] = 99;
    let mut vendor = [0; 64];
    vendor[2] = 77;
    for (what, packet, bits) in [
        ("type", unknown, QueueInactive::INVALID_PACKET),
        ("vendor format", vendor, QueueInactive::INVALID_VENDOR_PACKET),
        ("dimensions", kernel(|packet| packet.setup = 0), QueueInactive::INVALID_DIM),
        ("empty grid", kernel(|packet| packet.grid_size_x = 0), QueueInactive::INVALID_DIM),
        ("work-group", kernel(|packet| packet.workgroup_size_x = 2000), QueueInactive::WORKGROUP_TOO_LARGE),
        ("LDS", kernel(|packet| packet.group_segment_size = 1 << 20), QueueInactive::INVALID_GROUP_MEMORY),
        ("null kernel", kernel(|_| ()), QueueInactive::INVALID_CODE),
        ("wild kernel", kernel(|packet| packet.kernel_object = u64::MAX - 8), QueueInactive::INVALID_CODE),
    ] {
        let queue = Queue::new(&rig);
        queue.submit(&packet);
        wait_for(what, || queue.inactive_value() != 0);
        assert_eq!(QueueInactive::from_bits_retain(queue.inactive_value()), bits, "{what}");
        assert_eq!(queue.read_index(), 0);
        queue.destroy();
    }
}

#[test]
fn a_wild_signal_is_a_memory_fault() {
    let rig = Rig::new(&chips::GFX90A);
    let event = rig.create_event(EventType::MEMORY, 0);
    let queue = Queue::new(&rig);
    let mut packet = barrier(PacketType::BARRIER_AND, &[], None);
    packet[56..].copy_from_slice(&0x1234_5678_9000u64.to_le_bytes());
    queue.submit(&packet);
    let (result, data) = rig.wait_event(event, 10_000);
    assert_eq!(result, WaitResult::COMPLETE);
    let fault = data.memory_exception();
    assert_eq!((fault.va, fault.failure.not_present, fault.gpu_id), (0x1234_5678_9000, 1, rig.gpu_id));
}

#[test]
fn queue_ioctls() {
    let rig = Rig::new(&chips::GFX90A);
    let (first, second) = (Queue::new(&rig), Queue::new(&rig));
    assert_eq!((first.id, second.id), (0, 1));
    assert_eq!(second.doorbell_offset - first.doorbell_offset, 8);
    let va = common::reserve(0x2000, nix::sys::mman::ProtFlags::PROT_NONE);
    rig.mmap(DeviceFile::Kfd, va, 0x2000, first.doorbell_offset & !0x1fff).unwrap();

    // A share of nothing takes the queue off the hardware.
    let update = |percentage| {
        let mut args = UpdateQueueArgs {
            ring_base_address: first.ring.va,
            queue_id: first.id,
            ring_size: (PACKETS * 64) as u32,
            queue_percentage: percentage,
            queue_priority: 7,
        };
        rig.gpu.call(&mut args)
    };
    assert_eq!(update(0), Ok(()));
    let done = first.signal(1);
    first.submit(&barrier(PacketType::BARRIER_AND, &[], Some(&done)));
    std::thread::sleep(Duration::from_millis(5));
    assert_eq!(signal_value(&done), 1);
    assert_eq!(update(100), Ok(()));
    wait_for("the queue to come back", || is_zero(&done));
    assert_eq!(update(101), Err(Errno::EINVAL));
    let mut mask = SetCuMaskArgs { queue_id: first.id, num_cu_mask: 32, cu_mask_ptr: 16 };
    assert_eq!(rig.gpu.call(&mut mask), Err(Errno::EFAULT));
    first.destroy();
    assert_eq!(update(100), Err(Errno::EINVAL));
    assert_eq!(Queue::new(&rig).id, 0, "IDs are used again");
}

fn on_each_chip(test: impl Fn(&'static Chip, &Rig, &Kernels)) {
    for chip in chips::ALL {
        let rig = Rig::new(chip);
        let kernels = Kernels::load(&rig, chip.name);
        test(chip, &rig, &kernels);
    }
}

#[test]
fn a_kernel_stores_to_memory() {
    on_each_chip(|chip, rig, kernels| {
        let queue = Queue::new(rig);
        let out = rig.allocate(4096 * 4, VRAM);
        let args = arguments(rig, &[out.va, 5]);
        // Less than a wave, a few, many, with ragged ends.
        for count in [1, 63, 300, 4000] {
            let done = queue.signal(1);
            queue.run("the kernel", &bytes_of(&kernels.packet("store", count, 128, args.va, done.va)), &done);
            for i in 0..count {
                assert_eq!(out.get(i.into()), i * 3 + 5, "{} work-item {i} of {count}", chip.name);
            }
            assert_ne!(out.get(count.into()), count * 3 + 5, "no work-item beyond the grid");
        }
        let counters = rig.gpu.counters(0);
        assert_eq!((counters.dispatches, counters.workgroups), (4, 1 + 1 + 3 + 32));
        assert!(counters.instructions > counters.waves);
    });
}

#[test]
fn three_dimensions_with_ragged_edges() {
    on_each_chip(|_, rig, kernels| {
        let queue = Queue::new(rig);
        let (w, h, d) = (37, 11, 5);
        let out = rig.allocate(u64::from(w * h * d) * 4, VRAM);
        let args = arguments(rig, &[out.va, u64::from(w) | u64::from(h) << 32]);
        let done = queue.signal(1);
        let mut packet = kernels.packet("grid", w, 16, args.va, done.va);
        packet.setup = 3;
        (packet.workgroup_size_y, packet.workgroup_size_z) = (4, 2);
        (packet.grid_size_y, packet.grid_size_z) = (h, d);
        queue.run("the kernel", &bytes_of(&packet), &done);
        for (x, y, z) in (0..d).flat_map(|z| (0..h).flat_map(move |y| (0..w).map(move |x| (x, y, z)))) {
            let found = out.get(u64::from((z * h + y) * w + x));
            assert_eq!(found, x + (y << 8) + (z << 16) + 1, "({x}, {y}, {z})");
        }
    });
}

#[test]
fn waves_of_a_group_meet_at_barriers() {
    on_each_chip(|_, rig, kernels| {
        let queue = Queue::new(rig);
        let out = rig.allocate(1024 * 4, VRAM);
        let args = arguments(rig, &[out.va]);
        let done = queue.signal(1);
        queue.run("the kernel", &bytes_of(&kernels.packet("swap", 1024, 256, args.va, done.va)), &done);
        for i in 0..1024u32 {
            assert_eq!(out.get(i.into()), (i & !255) + ((i + 128) & 255), "work-item {i}");
        }
    });
}

#[test]
fn a_kernel_that_waits_for_the_host_or_another_queue() {
    on_each_chip(|_, rig, kernels| {
        let (first, second) = (Queue::new(rig), Queue::new(rig));
        let memory = rig.allocate(4096, GTT);
        let (flag, out) = (memory.va, memory.va + 64);
        let wait = arguments(rig, &[flag, out]);
        let (waiting, storing) = (first.signal(1), first.signal(1));
        first.submit(&bytes_of(&kernels.packet("wait", 1, 64, wait.va, waiting.va)));
        std::thread::sleep(Duration::from_millis(5));
        assert_eq!((signal_value(&waiting), memory.get(16)), (1, 0));
        let poke = arguments(rig, &[flag]);
        second.submit(&bytes_of(&kernels.packet("poke", 1, 64, poke.va, storing.va)));
        wait_for("the other queue's kernel", || is_zero(&storing));
        wait_for("the kernel that waited", || is_zero(&waiting));
        assert_eq!(memory.get(16), 7);
    });
}

#[test]
fn all_groups_of_a_grid_can_meet() {
    for threads in [1, 3] {
        let chip = &chips::GFX90A;
        let rig = Rig::with_threads(chip, Some(threads));
        let kernels = Kernels::load(&rig, chip.name);
        let queue = Queue::new(&rig);
        let count = rig.allocate(4096, VRAM);
        let args = arguments(&rig, &[count.va, 40]);
        let done = queue.signal(1);
        queue.run("all groups", &bytes_of(&kernels.packet("meet", 40 * 128, 128, args.va, done.va)), &done);
        assert_eq!(count.get(0), 40);
    }
}

#[test]
fn all_groups_of_a_grid_meet_at_the_global_wave_sync() {
    const GROUPS: u32 = 40;
    on_each_chip(|chip, rig, kernels| {
        let queue = Queue::new(rig);
        let give = |id, num_gws| {
            rig.gpu.call(&mut AllocQueueGwsArgs { queue_id: id, num_gws, ..Default::default() })
        };
        assert_eq!(give(queue.id, 0), Err(Errno::EINVAL), "it has none");
        assert_eq!(give(queue.id, 1), Ok(()));
        let other = Queue::new(rig);
        assert_eq!(give(other.id, 1), Err(Errno::EBUSY), "one queue of a process has it");
        let (marks, wrong) = (rig.allocate(4096, VRAM), rig.allocate(4096, VRAM));
        let init = arguments(rig, &[u64::from(GROUPS) - 1]);
        let meet = arguments(rig, &[marks.va, wrong.va, 25 | u64::from(GROUPS) << 32]);
        for _ in 0..2 {
            let done = queue.signal(2);
            queue.submit(&bytes_of(&kernels.packet("gws_init", 64, 64, init.va, done.va)));
            queue.submit(&bytes_of(&kernels.packet("gws_meet", GROUPS * 128, 128, meet.va, done.va)));
            wait_for("the kernels", || is_zero(&done) || queue.inactive_value() != 0);
            assert_eq!((queue.inactive_value(), wrong.get(0)), (0, 0), "{}", chip.name);
            assert!((0..GROUPS).all(|group| marks.get(group.into()) == 25));
        }
        // A queue without it says so.
        let done = other.signal(1);
        other.submit(&bytes_of(&kernels.packet("gws_init", 64, 64, init.va, done.va)));
        wait_for("the refusal", || other.inactive_value() != 0);
        let told = common::LOG.lock().unwrap();
        assert!(told.iter().any(|text| text.contains("a cooperative queue has it")), "{told:?}");
        drop(told);
        assert_eq!(give(queue.id, 0), Ok(()));
        assert_eq!(give(other.id, 1), Ok(()));
    });
}

#[test]
fn scratch_memory_is_asked_for() {
    on_each_chip(|chip, rig, kernels| {
        let queue = Queue::new(rig);
        let out = rig.allocate(4096, VRAM);
        let args = arguments(rig, &[out.va, 11]);
        let done = queue.signal(1);
        let packet = kernels.packet("scratch", 500, 128, args.va, done.va);
        assert!(packet.private_segment_size > 0);
        queue.submit(&bytes_of(&packet));
        wait_for("the question", || queue.inactive_value() != 0);
        assert_eq!(queue.inactive_value(), QueueInactive::INSUFFICIENT_SCRATCH.bits());
        assert_eq!(queue.read_index(), 0);

        queue.give_scratch(packet.private_segment_size);
        queue.inactive.set64(1, 0);
        wait_for("the kernel", || is_zero(&done) || queue.inactive_value() != 0);
        assert_eq!(queue.inactive_value(), 0, "{}", chip.name);
        for i in 0..500u32 {
            let sum: u32 = (0..11).map(|k| i * 16 + ((k * 5 + i) & 15)).sum();
            assert_eq!(out.get(i.into()), sum, "{} work-item {i}", chip.name);
        }
    });
}

#[test]
fn the_packet_says_how_much_scratch_memory_is_enough() {
    let rig = Rig::new(&chips::GFX90A);
    let kernels = Kernels::load(&rig, "gfx90a");
    let queue = Queue::new(&rig);
    let out = rig.allocate(4096, VRAM);
    let args = arguments(&rig, &[out.va, 11]);
    let done = queue.signal(1);
    let mut packet = kernels.packet("scratch", 64, 64, args.va, done.va);
    let whole = packet.private_segment_size;
    assert!(whole > 64, "{whole} bytes in the descriptor");
    queue.give_scratch(64);
    packet.private_segment_size = 16;
    // 64 bytes a lane, fewer than the descriptor has: nothing is asked for, and the kernel's array fits.
    queue.run("the kernel", &bytes_of(&packet), &done);
    for i in 0..64u32 {
        let sum: u32 = (0..11).map(|k| i * 16 + ((k * 5 + i) & 15)).sum();
        assert_eq!(out.get(i.into()), sum, "work-item {i}");
    }
}

#[test]
fn scratch_memory_can_be_taken_back() {
    /// Fields of `amd_queue_t`, in bytes.
    const CAPS: u64 = 40;
    const MAX_USE: u64 = 184;
    const ALT_MAX_USE: u64 = 200;
    const LAST_USED: u64 = 256;
    let rig = Rig::new(&chips::GFX942);
    let kernels = Kernels::load(&rig, "gfx942");
    let before = Queue::new(&rig);
    assert_eq!(before.amd_queue.get(CAPS / 4), 1, "what the processor can do");
    before.destroy();
    let queue = Queue::new(&rig);
    let field = |at: u64| queue.amd_queue.get64(at / 8);
    let put = |at: u64, value: u64| queue.amd_queue.set64(at / 8, value);
    queue.amd_queue.set(CAPS / 4, 3);
    put(MAX_USE, u64::MAX);
    let out = rig.allocate(4096, VRAM);
    let args = arguments(&rig, &[out.va, 11]);
    let done = queue.signal(1);
    let packet = kernels.packet("scratch", 200, 128, args.va, done.va);
    let asks = || {
        set_signal(&done, 1);
        queue.submit(&bytes_of(&packet));
        wait_for("an answer", || is_zero(&done) || queue.inactive_value() != 0);
        queue.inactive_value() != 0
    };
    queue.give_scratch(packet.private_segment_size);
    let index = queue.read_index();
    assert!(!asks());
    assert_eq!(
        [0, 7, 8].map(|complex| field(LAST_USED + complex * 16)),
        [index, index, 0],
        "of each complex"
    );
    // Not after that packet any more: it is asked for again, and there is more.
    put(MAX_USE, index);
    assert!(asks());
    assert_eq!((field(LAST_USED), queue.read_index()), (index, index + 1));
    put(MAX_USE, u64::MAX);
    queue.inactive.set64(1, 0);
    wait_for("the kernel", || is_zero(&done));

    // The other piece, for grids no larger than this one, when the main one is gone.
    let main: Vec<u32> = (140..180).step_by(4).map(|at| queue.amd_queue.get(at / 4)).collect();
    for at in (140..180).step_by(4) {
        queue.amd_queue.set(at / 4, 0);
    }
    let [tmpring, ref resource @ .., low, high, _, _, lane] = main[..] else { panic!("ten words") };
    for (at, word) in (208..).step_by(4).zip(resource) {
        queue.amd_queue.set(at / 4, *word);
    }
    put(224, u64::from(low) | u64::from(high) << 32);
    for (at, word) in [(232, 200), (236, 1), (240, 1), (244, lane), (248, tmpring)] {
        queue.amd_queue.set(at / 4, word);
    }
    put(ALT_MAX_USE, u64::MAX);
    for i in 0..200 {
        out.set(i, 0);
    }
    let index = queue.read_index();
    assert!(!asks());
    assert_eq!(field(LAST_USED + 8), index);
    for i in 0..200u32 {
        let sum: u32 = (0..11).map(|k| i * 16 + ((k * 5 + i) & 15)).sum();
        assert_eq!(out.get(i.into()), sum, "work-item {i}");
    }
    queue.amd_queue.set(232 / 4, 199);
    assert!(asks(), "too large a grid");
    queue.amd_queue.set(232 / 4, 200);
    put(ALT_MAX_USE, index);
    queue.inactive.set64(1, 0);
    wait_for("the question", || queue.inactive_value() != 0);
    assert!(!is_zero(&done));
}

#[test]
fn faults_and_traps_are_reported_and_the_rest_goes_on() {
    on_each_chip(|chip, rig, kernels| {
        let event = rig.create_event(EventType::MEMORY, 0);
        let queue = Queue::new(rig);
        let args = arguments(rig, &[0x7_0000_1238]);
        let done = queue.signal(1);
        queue.submit(&bytes_of(&kernels.packet("poke", 4096, 64, args.va, done.va)));
        let (result, data) = rig.wait_event(event, 10_000);
        assert_eq!(result, WaitResult::COMPLETE, "{}", chip.name);
        let fault = data.memory_exception();
        assert_eq!((fault.va, fault.failure.not_present), (0x7_0000_1000, 1));
        assert_eq!((signal_value(&done), queue.read_index()), (1, 0), "never completed");

        let wave = rig.gpu.take_wave_report(rig.gpu_id).expect("the wave is known");
        // All of the 64 work-groups fault; the one that is told is the first whose thread gets there.
        assert!(matches!(wave.work_group, [0..64, 0, 0]), "{wave}");
        assert_eq!((wave.wave, wave.lane), (0, Some(0)), "{wave}");
        assert!(wave.reason.contains("0x700001238"), "the exact address: {wave}");
        assert_eq!(rig.gpu.take_wave_report(rig.gpu_id), None, "it was taken");

        for (kernel, bits) in
            [("illegal", QueueInactive::ILLEGAL_INSTRUCTION), ("trap", QueueInactive::DEBUG_TRAP)]
        {
            let queue = Queue::new(rig);
            queue.submit(&bytes_of(&kernels.packet(kernel, 256, 64, 0, done.va)));
            wait_for(kernel, || queue.inactive_value() != 0);
            assert_eq!(QueueInactive::from_bits_retain(queue.inactive_value()), bits, "{kernel}");
        }

        let queue = Queue::new(rig);
        queue.run(
            "a queue that is sound",
            &bytes_of(&kernels.packet("nothing", 4096, 256, 0, done.va)),
            &done,
        );
    });
}

#[test]
fn an_endless_kernel_ends_with_its_queue() {
    on_each_chip(|_, rig, kernels| {
        let flag = rig.allocate(4096, VRAM);
        let args = arguments(rig, &[flag.va]);
        let (queue, other) = (Queue::new(rig), Queue::new(rig));
        queue.submit(&bytes_of(&kernels.packet("forever", 1024, 64, args.va, 0)));
        std::thread::sleep(Duration::from_millis(5));
        let done = other.signal(1);
        other.submit(&bytes_of(&kernels.packet("nothing", 1024, 64, 0, done.va)));
        wait_for("another queue's kernel", || is_zero(&done));
        queue.destroy();
        // And a device that is dropped while one runs.
        other.submit(&bytes_of(&kernels.packet("forever", 1024, 64, args.va, 0)));
    });
}

#[test]
fn an_endless_kernel_is_stopped_when_its_time_is_over() {
    let mut options = Options::default();
    options.timeout = Some(Duration::from_millis(50));
    let rig = Rig::with_options(&chips::GFX90A, options);
    let kernels = Kernels::load(&rig, "gfx90a");
    let flag = rig.allocate(4096, VRAM);
    let args = arguments(&rig, &[flag.va]);
    let queue = Queue::new(&rig);
    queue.submit(&bytes_of(&kernels.packet("forever", 1024, 64, args.va, 0)));
    wait_for("the end of its time", || queue.inactive_value() != 0);
    let wave = rig.gpu.take_wave_report(rig.gpu_id).expect("a wave that ran is named");
    assert!(wave.reason.contains("still running after 0."), "{wave}");
    assert!(wave.pc >= wave.entry && wave.pc < wave.entry + 0x100, "{wave}");
}

#[test]
fn two_processes_worth_of_devices() {
    let (one, two) = (Rig::new(&chips::GFX90A), Rig::new(&chips::GFX90A));
    let (first, second) = (Queue::new(&one), Queue::new(&two));
    let (a, b) = (first.signal(1), second.signal(1));
    // Memory of one process is not mapped in the other's page table.
    let event = two.create_event(EventType::MEMORY, 0);
    second.submit(&barrier(PacketType::BARRIER_AND, &[], Some(&a)));
    assert_eq!(two.wait_event(event, 10_000).0, WaitResult::COMPLETE);
    first.submit(&barrier(PacketType::BARRIER_AND, &[], Some(&a)));
    wait_for("the first device", || is_zero(&a));
    let third = Queue::new(&two);
    third.submit(&barrier(PacketType::BARRIER_AND, &[], Some(&b)));
    wait_for("the second device", || is_zero(&b));
}
