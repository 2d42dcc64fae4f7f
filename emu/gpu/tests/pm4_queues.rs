//! Compute queues of PM4 packets: the ring and its pointers, shader registers, launches, indirect buffers, and what is
//! refused. Registers as `gc_9_*_offset.h` has them.

mod common;

use std::time::Duration;

use amd_codeobj::{Isa, KernelDescriptor, UserSgpr};
use amdgpu_emu::{Chip, chips};
use common::{Buffer, GTT, Kernels, LOG, Rig, VRAM, bytes_of, wait_for};
use hsa_sys::KernelDispatchPacket;
use kfd_sys::event::{EventType, SIGNAL_EVENT_LIMIT, WaitResult};
use kfd_sys::queue::{CreateQueueArgs, DestroyQueueArgs, QueueType};
use kfd_sys::{Errno, Kfd as _, KfdExt as _};

/// Dwords of a ring.
const RING: u64 = 1024;

/// Offsets of `SET_SH_REG`.
const START_X: u32 = 0x204;
const PGM_LO: u32 = 0x20c;
const SCRATCH_BASE: u32 = 0x210;
const PGM_RSRC1: u32 = 0x212;
const TMPRING_SIZE: u32 = 0x218;
const PGM_RSRC3: u32 = 0x22d;
const USER_DATA_0: u32 = 0x240;

/// `COMPUTE_SHADER_EN | FORCE_START_AT_000`
const START: u32 = 5;
const PARTIAL_TG_EN: u32 = 2;
const USE_THREAD_DIMENSIONS: u32 = 0x20;

/// A queue of PM4 packets.
struct Queue<'a> {
    rig: &'a Rig,
    id: u32,
    ring: Buffer,
    /// Write pointer at 0, read pointer at 64.
    pointers: Buffer,
}

impl<'a> Queue<'a> {
    fn new(rig: &'a Rig) -> Queue<'a> {
        let (ring, pointers) = (rig.allocate(RING * 4, GTT), rig.allocate(4096, GTT));
        // The device writes 32 bits.
        pointers.set(17, 0x5a5a);
        let mut args = CreateQueueArgs {
            ring_base_address: ring.va,
            write_pointer_address: pointers.va,
            read_pointer_address: pointers.va + 64,
            ring_size: (RING * 4) as u32,
            gpu_id: rig.gpu_id,
            queue_type: QueueType::COMPUTE,
            queue_percentage: 100,
            queue_priority: 7,
            ..Default::default()
        };
        rig.gpu.call(&mut args).unwrap();
        Queue { rig, id: args.queue_id, ring, pointers }
    }

    fn submit(&self, words: &[u32]) {
        let at = self.pointers.get64(0);
        for (index, word) in (at..).zip(words) {
            self.ring.set(index % RING, *word);
        }
        self.pointers.set64(0, at + words.len() as u64);
        self.rig.gpu.doorbell_hint(self.rig.gpu_id);
    }

    fn read_pointer(&self) -> u64 {
        self.pointers.get(16).into()
    }

    /// Submits, then a fence, and waits for that.
    fn run(&self, words: &[u32]) {
        let done = self.rig.allocate(4096, GTT);
        let mut words = words.to_vec();
        words.extend(fence(done.va, 1));
        self.submit(&words);
        wait_for("the fence", || done.get(0) == 1);
        let end = self.pointers.get64(0) % RING;
        wait_for("the read pointer", || self.read_pointer() == end);
    }

    fn destroy(&self) {
        let mut args = DestroyQueueArgs { queue_id: self.id, pad: 0 };
        self.rig.gpu.call(&mut args).unwrap();
    }
}

fn packet(opcode: u32, body: &[u32]) -> Vec<u32> {
    let mut packet = vec![3 << 30 | (body.len() as u32 - 1) << 16 | opcode << 8];
    packet.extend(body);
    packet
}

fn words(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

fn set(register: u32, values: &[u32]) -> Vec<u32> {
    packet(0x76, &[&[register], values].concat())
}

/// `RELEASE_MEM` that writes 32 bits.
fn fence(va: u64, value: u32) -> Vec<u32> {
    let [low, high] = words(va);
    packet(0x49, &[0x14, 1 << 29, low, high, value, 0, 0])
}

fn write(va: u64, value: u32) -> Vec<u32> {
    let [low, high] = words(va);
    packet(0x37, &[5 << 8, low, high, value])
}

fn call(buffer: &Buffer, dwords: usize, chain: bool) -> Vec<u32> {
    let [low, high] = words(buffer.va);
    packet(0x3f, &[low, high, 1 << 23 | u32::from(chain) << 20 | dwords as u32])
}

fn place(rig: &Rig, content: &[u32]) -> Buffer {
    let buffer = rig.allocate(content.len() as u64 * 4, GTT);
    for (index, word) in (0..).zip(content) {
        buffer.set(index, *word);
    }
    buffer
}

/// Sets the registers of a launch from the packet and the descriptor of an AQL dispatch, as the firmware of a command
/// processor does. The packet must stay in memory: the kernel may read it.
fn registers(rig: &Rig, chip: &Chip, aql: &KernelDispatchPacket, scratch: Option<&Buffer>) -> Vec<u32> {
    let generation = Isa::by_name(chip.name).unwrap().generation;
    let at = Buffer { va: aql.kernel_object, size: 64, handle: 0 };
    let bytes: Vec<u8> = (0..16).flat_map(|index| at.get(index).to_le_bytes()).collect();
    let descriptor = KernelDescriptor::parse(&bytes).unwrap();
    let shown = rig.allocate(64, GTT);
    shown.write(0, &bytes_of(aql));
    let lds = aql.group_segment_size.div_ceil(generation.lds_granule);
    let entry = descriptor.entry(aql.kernel_object).unwrap();
    let lane = aql.private_segment_size.next_multiple_of(16);
    let base = scratch.map_or(0, |scratch| scratch.va);
    let mut user = vec![0; descriptor.user_sgpr_count(generation) as usize];
    for (what, first, count) in descriptor.user_sgprs(generation) {
        let value = match what {
            UserSgpr::PrivateSegmentBuffer => {
                vec![base as u32, (base >> 32) as u32 | 1 << 31, !0, 0x00ea_4fac]
            }
            UserSgpr::DispatchPtr => words(shown.va).to_vec(),
            UserSgpr::KernargSegmentPtr => words(aql.kernarg_address).to_vec(),
            UserSgpr::FlatScratchInit => words(base).to_vec(),
            UserSgpr::PrivateSegmentSize => vec![lane],
            _ => vec![0; count as usize],
        };
        user[first as usize..first as usize + value.len()].copy_from_slice(&value);
    }
    let mut all = set(PGM_LO, &words(entry >> 8));
    all.extend(set(PGM_RSRC1, &[descriptor.rsrc1.0, descriptor.rsrc2.0 | lds << 15]));
    if generation.has_unified_vgprs() {
        all.extend(set(PGM_RSRC3, &[descriptor.rsrc3.0]));
    }
    all.extend(set(SCRATCH_BASE, &words(base >> 8)));
    all.extend(set(TMPRING_SIZE, &[if scratch.is_some() { (lane * 64 / 1024) << 12 | 64 } else { 0 }]));
    all.extend(set(USER_DATA_0, &user));
    all
}

/// Placement, time slices, debugging: what clients set and what changes nothing.
fn unseen() -> Vec<u32> {
    let mut all = packet(0x58, &[0; 6]);
    all.extend(set(0x215, &[0x123]));
    all.extend(set(0x216, &[!0, !0]));
    all.extend(set(0x21b, &[0, 0, 0, 0]));
    all.extend(set(0x20e, &[1, 2]));
    all
}

fn threads(block: [u32; 3]) -> Vec<u32> {
    // With PIPELINESTAT and PERFCOUNT behind them, as a client sets them.
    let [x, y, z] = block;
    set(START_X, &[0, 0, 0, x, y, z, 0, 0])
}

fn dispatch(size: [u32; 3], initiator: u32) -> Vec<u32> {
    let [x, y, z] = size;
    packet(0x15, &[x, y, z, initiator])
}

fn arguments(rig: &Rig, values: &[u64]) -> Buffer {
    let buffer = rig.allocate(4096, GTT);
    for (index, word) in (0..).zip(values) {
        buffer.set64(index, *word);
    }
    buffer
}

fn on_each_chip(test: impl Fn(&'static Chip, &Rig, &Kernels)) {
    for chip in chips::ALL {
        let rig = Rig::new(chip);
        let kernels = Kernels::load(&rig, chip.name);
        test(chip, &rig, &kernels);
    }
}

#[test]
fn the_ring_goes_round_and_tells_how_far_it_is() {
    let rig = Rig::new(&chips::GFX90A);
    let queue = Queue::new(&rig);
    let memory = rig.allocate(4096, GTT);
    for round in 0..400 {
        queue.run(&write(memory.va, round));
        assert_eq!(memory.get(0), round);
    }
    assert!(queue.pointers.get64(0) > 3 * RING, "it went round");
    assert_eq!(queue.pointers.get(17), 0x5a5a, "the read pointer is a dword");
}

#[test]
fn kernels_start_from_registers() {
    on_each_chip(|chip, rig, kernels| {
        let queue = Queue::new(rig);
        let out = rig.allocate(4096 * 4, VRAM);
        let args = arguments(rig, &[out.va, 5]);
        let mut all = unseen();
        all.extend(registers(rig, chip, &kernels.packet("store", 640, 128, args.va, 0), None));
        all.extend(threads([128, 1, 1]));
        all.extend(dispatch([5, 1, 1], START));
        // A kernel is over before what comes after it.
        all.extend(packet(0x46, &[7 | 4 << 8]));
        all.extend(write(out.va, 77));
        queue.run(&all);
        assert_eq!((out.get(0), out.get(640)), (77, 0), "{}", chip.name);
        for i in 1..640 {
            assert_eq!(out.get(i), i as u32 * 3 + 5, "{} work-item {i}", chip.name);
        }
        let counters = rig.gpu.counters(0);
        assert_eq!((counters.dispatches, counters.workgroups), (1, 5));
    });
}

#[test]
fn registers_stay_and_grids_are_cut_as_asked() {
    let (chip, rig) = (&chips::GFX90A, Rig::new(&chips::GFX90A));
    let kernels = Kernels::load(&rig, chip.name);
    let queue = Queue::new(&rig);
    let out = rig.allocate(4096 * 4, VRAM);
    let args = arguments(&rig, &[out.va, 5]);
    queue.run(&registers(&rig, chip, &kernels.packet("store", 640, 128, args.va, 0), None));
    let covered = |what: &[Vec<u32>], expected: std::ops::Range<u64>| {
        for i in 0..4096 {
            out.set(i, 0);
        }
        queue.run(&what.concat());
        for i in 0..4096u64 {
            let run = expected.contains(&i);
            assert_eq!(out.get(i), if run { i as u32 * 3 + 5 } else { 0 }, "work-item {i} of {expected:?}");
        }
    };
    // By work-items: whole work-groups, unless the last one is said to be smaller.
    covered(&[threads([128, 1, 1]), dispatch([300, 1, 1], 1 | USE_THREAD_DIMENSIONS)], 0..384);
    let partial = 1 | USE_THREAD_DIMENSIONS | PARTIAL_TG_EN;
    covered(&[threads([128 | 44 << 16, 1, 1]), dispatch([300, 1, 1], partial)], 0..300);
    covered(&[dispatch([256, 1, 1], partial)], 0..256);
    covered(&[dispatch([3, 1, 1], 1 | PARTIAL_TG_EN)], 0..300);
    // From a work-group on, to that of the packet.
    covered(&[set(START_X, &[2]), dispatch([5, 1, 1], 1)], 256..640);
    covered(&[dispatch([5, 1, 1], START)], 0..640);
    covered(&[dispatch([2, 1, 1], 1)], 0..0);
    covered(&[set(START_X, &[0]), dispatch([0, 1, 1], 1)], 0..0);
    // The grid in memory.
    let size = place(&rig, &[4, 1, 1]);
    let [low, high] = words(size.va);
    covered(&[packet(0x16, &[low, high, START])], 0..512);
}

#[test]
fn three_dimensions_local_memory_and_scratch() {
    on_each_chip(|chip, rig, kernels| {
        let queue = Queue::new(rig);
        let out = rig.allocate(1024 * 4, VRAM);
        let args = arguments(rig, &[out.va, 8 | 4 << 32]);
        let mut aql = kernels.packet("grid", 8, 4, args.va, 0);
        (aql.setup, aql.workgroup_size_y, aql.grid_size_y) = (3, 2, 4);
        (aql.workgroup_size_z, aql.grid_size_z) = (2, 2);
        let mut all = registers(rig, chip, &aql, None);
        all.extend(threads([4, 2, 2]));
        all.extend(dispatch([2, 2, 1], START));
        queue.run(&all);
        for (x, y, z) in (0..2).flat_map(|z| (0..4).flat_map(move |y| (0..8).map(move |x| (x, y, z)))) {
            let found = out.get(u64::from((z * 4 + y) * 8 + x));
            assert_eq!(found, x + (y << 8) + (z << 16) + 1, "{} ({x}, {y}, {z})", chip.name);
        }

        let args = arguments(rig, &[out.va]);
        let mut all = registers(rig, chip, &kernels.packet("swap", 1024, 256, args.va, 0), None);
        all.extend(threads([256, 1, 1]));
        all.extend(dispatch([4, 1, 1], START));
        queue.run(&all);
        for i in 0..1024u32 {
            assert_eq!(out.get(i.into()), (i & !255) + ((i + 128) & 255), "{} work-item {i}", chip.name);
        }

        let args = arguments(rig, &[out.va, 11]);
        let aql = kernels.packet("scratch", 512, 128, args.va, 0);
        let scratch = rig.allocate(u64::from(aql.private_segment_size.next_multiple_of(16)) * 64 * 64, VRAM);
        let mut all = registers(rig, chip, &aql, Some(&scratch));
        all.extend(threads([128, 1, 1]));
        all.extend(dispatch([4, 1, 1], START));
        queue.run(&all);
        for i in 0..512u32 {
            let sum: u32 = (0..11).map(|k| i * 16 + ((k * 5 + i) & 15)).sum();
            assert_eq!(out.get(i.into()), sum, "{} work-item {i}", chip.name);
        }
    });
}

#[test]
fn indirect_buffers_chains_waits_and_interrupts() {
    let (chip, rig) = (&chips::GFX906, Rig::new(&chips::GFX906));
    let kernels = Kernels::load(&rig, chip.name);
    let page = rig.allocate(u64::from(SIGNAL_EVENT_LIMIT) * 8, GTT);
    rig.create_event(EventType::MEMORY, page.handle);
    let event = rig.create_event(EventType::SIGNAL, 0);
    let queue = Queue::new(&rig);
    let memory = rig.allocate(4096 * 4, GTT);
    let args = arguments(&rig, &[memory.va, 5]);
    // In the second buffer of a chain a kernel, a wait for its fence (in the buffer itself), and one for the host.
    let mut second = registers(&rig, chip, &kernels.packet("store", 128, 64, args.va, 0), None);
    second.extend(threads([64, 1, 1]));
    second.extend(dispatch([2, 1, 1], START));
    let mut content = rig.allocate(4096, GTT);
    let nop = content.va + second.len() as u64 * 4 + 4;
    second.extend(packet(0x10, &[0]));
    second.extend(fence(nop, 0xdead_beef));
    let wait = |va: u64, value: u32| {
        let [low, high] = words(va);
        packet(0x3c, &[3 | 1 << 4, low, high, value, u32::MAX, 4])
    };
    second.extend(wait(nop, 0xdead_beef));
    let flag = memory.va + 8192;
    second.extend(write(flag + 4, 1));
    second.extend(wait(flag, 9));
    content.write(0, &second.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>());
    content.size = second.len() as u64 * 4;
    let mut first = write(flag + 8, 2);
    first.extend(call(&content, second.len(), true));
    // Dwords behind a chain are not reached.
    first.extend(write(flag + 8, 3));
    let entry = place(&rig, &first);
    let mut ring = call(&entry, first.len(), false);
    ring.extend(write(flag + 12, 4));
    let [low, high] = words(page.va + u64::from(event) * 8);
    ring.extend(packet(0x49, &[0x14, 1 << 29 | 2 << 24, low, high, event, 0, event]));
    queue.submit(&ring);
    wait_for("the wait", || memory.get(2049) == 1);
    std::thread::sleep(Duration::from_millis(3));
    assert_eq!([2050, 2051].map(|word| memory.get(word)), [2, 0]);
    assert_eq!((memory.get(127), queue.read_pointer()), (127 * 3 + 5, 0));
    memory.set(2048, 9);
    assert_eq!(rig.wait_event(event, 10_000).0, WaitResult::COMPLETE);
    assert_eq!(memory.get(2051), 4);
    wait_for("the read pointer", || queue.read_pointer() == ring.len() as u64);
}

#[test]
fn buffers_that_go_round_hold_up_nobody() {
    let rig = Rig::new(&chips::GFX90A);
    let (queue, other) = (Queue::new(&rig), Queue::new(&rig));
    let round = rig.allocate(4096, GTT);
    for (index, word) in (0..).zip(call(&round, 4, true)) {
        round.set(index, word);
    }
    queue.submit(&call(&round, 4, false));
    let memory = rig.allocate(4096, GTT);
    other.run(&write(memory.va, 5));
    queue.destroy();
}

#[test]
fn faults_and_traps_are_told() {
    let rig = Rig::new(&chips::GFX90A);
    let kernels = Kernels::load(&rig, "gfx90a");
    let (memory, hang) =
        (rig.create_event(EventType::MEMORY, 0), rig.create_event(EventType::HW_EXCEPTION, 0));
    let queue = Queue::new(&rig);
    let args = arguments(&rig, &[0x7_0000_1238]);
    let mut all = registers(&rig, &chips::GFX90A, &kernels.packet("poke", 64, 64, args.va, 0), None);
    all.extend(threads([64, 1, 1]));
    all.extend(dispatch([1, 1, 1], START));
    queue.submit(&all);
    let (result, data) = rig.wait_event(memory, 10_000);
    assert_eq!((result, data.memory_exception().va), (WaitResult::COMPLETE, 0x7_0000_1000));
    // No inactive signal: what cannot go on is a hang.
    let queue = Queue::new(&rig);
    queue.submit(&packet(0xef, &[0]));
    let (result, data) = rig.wait_event(hang, 10_000);
    assert_eq!((result, data.hw_exception().gpu_id), (WaitResult::COMPLETE, rig.gpu_id));
}

#[test]
fn packets_and_registers_are_refused_by_name_and_place() {
    let rig = Rig::new(&chips::GFX900);
    let block = |x: u32| threads([x, 1, 1]);
    let nested = place(&rig, &[call(&rig.allocate(4096, GTT), 4, false), vec![0xffff_1000]].concat());
    let long = (RING + 1) as usize;
    for (words, parts) in [
        (packet(0xef, &[0]), &["of no known name", "not implemented"][..]),
        (packet(0x79, &[0x1234, 0]), &["SET_UCONFIG_REG", "not implemented"]),
        (vec![0x0000_1234, 0], &["none of type 3"]),
        (packet(0x37, &[5 << 8, 0, 0, 0])[..3].to_vec(), &["WRITE_DATA", "the write pointer leaves 2"]),
        (packet(0x23, &[1 << 24]), &["PRED_EXEC", "indirect buffers only"]),
        (set(0x80, &[1]), &["SET_SH_REG", "register 0x80"]),
        (set(0x20b, &[1]), &["SET_SH_REG", "COMPUTE_PERFCOUNT_ENABLE (0x20b)", "only 0"]),
        (set(0x21b, &[0, 7]), &["COMPUTE_RESTART_X + 1 (0x21c)"]),
        (set(USER_DATA_0 + 15, &[1, 2]), &["register 0x250"]),
        (set(PGM_RSRC3, &[9]), &["COMPUTE_PGM_RSRC3", "gfx900"]),
        (dispatch([1, 1, 1], START), &["DISPATCH_DIRECT", "[0, 0, 0] work-items"]),
        ([block(2000), dispatch([1, 1, 1], START)].concat(), &["[2000, 1, 1] work-items"]),
        ([block(64), dispatch([1, 1, 1], 4)].concat(), &["initiator 0x4"]),
        ([block(64), dispatch([1, 1, 1], START | 1 << 14)].concat(), &["initiator 0x4005"]),
        ([block(64), dispatch([!0, 1, 1], START)].concat(), &["too large"]),
        (
            [block(64 | 9 << 16), dispatch([70, 1, 1], 1 | PARTIAL_TG_EN | USE_THREAD_DIMENSIONS)].concat(),
            &["9 work-items, and 6"],
        ),
        ([block(64 | 65 << 16), dispatch([2, 1, 1], 1 | PARTIAL_TG_EN)].concat(), &["65 work-items"]),
        (
            [block(64), set(START_X, &[1]), dispatch([70, 1, 1], 1 | USE_THREAD_DIMENSIONS)].concat(),
            &["COMPUTE_START", "in work-groups"],
        ),
        ([block(64), set(PGM_RSRC1, &[0, 17 << 1]), dispatch([1, 1, 1], START)].concat(), &["17 user SGPRs"]),
        (
            [block(64), set(PGM_RSRC1, &[0, 0x1ff << 15]), dispatch([1, 1, 1], START)].concat(),
            &["bytes of LDS"],
        ),
        (
            [
                block(256),
                set(TMPRING_SIZE, &[1 << 12 | 3]),
                set(PGM_RSRC1, &[0, 1]),
                dispatch([1, 1, 1], START),
            ]
            .concat(),
            &["COMPUTE_TMPRING_SIZE", "for 3 waves", "has 4"],
        ),
        (call(&nested, 5, false), &["INDIRECT_BUFFER", "CHAIN"]),
        (vec![0; long], &["1025 dwords ahead"]),
    ] {
        let queue = Queue::new(&rig);
        let from = LOG.lock().unwrap().len();
        queue.submit(&words);
        let head = format!("queue {}, dword", queue.id);
        let said = || {
            let log = LOG.lock().unwrap();
            log[from..].iter().find(|line| line.contains(&head)).cloned()
        };
        wait_for(parts[0], || said().is_some());
        let line = said().unwrap();
        assert!(parts.iter().all(|part| line.contains(part)), "{parts:?}: {line}");
        queue.destroy();
    }
    let mut args = CreateQueueArgs { gpu_id: rig.gpu_id, queue_type: QueueType(9), ..Default::default() };
    assert_eq!(rig.gpu.call(&mut args), Err(Errno::EINVAL));
}
