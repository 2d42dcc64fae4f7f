//! SDMA queues: packets in a ring, through `Kfd` and shared memory alone.

mod common;

use std::time::Duration;

use amdgpu_emu::chips;
use common::{Buffer, GTT, LOG, Rig, VRAM, wait_for};
use kfd_sys::event::{EventType, SIGNAL_EVENT_LIMIT, WaitResult};
use kfd_sys::queue::{CreateQueueArgs, DestroyQueueArgs, QueueType};
use kfd_sys::{Errno, Kfd as _, KfdExt as _};

const RING: u64 = 4096;

struct Sdma<'a> {
    rig: &'a Rig,
    id: u32,
    ring: Buffer,
    pointers: Buffer,
}

fn create(rig: &Rig, ring: Buffer, pointers: Buffer, kind: QueueType) -> Result<u32, Errno> {
    let mut args = CreateQueueArgs {
        ring_base_address: ring.va,
        write_pointer_address: pointers.va + 8,
        read_pointer_address: pointers.va + 16,
        ring_size: RING as u32,
        gpu_id: rig.gpu_id,
        queue_type: kind,
        queue_percentage: 100,
        queue_priority: 15,
        ..Default::default()
    };
    rig.gpu.call(&mut args).map(|()| args.queue_id)
}

impl<'a> Sdma<'a> {
    fn new(rig: &'a Rig) -> Sdma<'a> {
        let (ring, pointers) = (rig.allocate(RING, GTT), rig.allocate(4096, GTT));
        let id = create(rig, ring, pointers, QueueType::SDMA).unwrap();
        Sdma { rig, id, ring, pointers }
    }

    /// Puts dwords on the ring; the device finds them by looking, or by the hint.
    fn submit(&self, dwords: &[u32]) {
        let at = self.pointers.get64(1);
        for (n, dword) in (0..).zip(dwords) {
            self.ring.set((at / 4 + n) % (RING / 4), *dword);
        }
        self.pointers.set64(1, at + dwords.len() as u64 * 4);
        self.rig.gpu.doorbell_hint(self.rig.gpu_id);
    }

    fn drain(&self) {
        wait_for("the read pointer", || self.pointers.get64(2) == self.pointers.get64(1));
    }
}

fn low(va: u64) -> u32 {
    va as u32
}

fn high(va: u64) -> u32 {
    (va >> 32) as u32
}

#[test]
fn copies_fills_and_writes() {
    let rig = Rig::new(&chips::GFX90A);
    let sdma = Sdma::new(&rig);
    let (src, dst) = (rig.allocate(1 << 20, GTT), rig.allocate(1 << 20, VRAM));
    for index in 0..(1 << 18) {
        src.set(index, index as u32 * 3);
    }
    // An odd number of bytes, from and to odd places.
    let (from, to) = (src.va + 5, dst.va + 3);
    sdma.submit(&[1, 100_000 - 1, 0, low(from), high(from), low(to), high(to)]);
    sdma.drain();
    let byte = |buffer: &Buffer, at: u64| buffer.get(at / 4).to_le_bytes()[(at % 4) as usize];
    assert!((0..100_000).all(|at| byte(&dst, at + 3) == byte(&src, at + 5)));
    assert_eq!((byte(&dst, 2), byte(&dst, 100_003)), (0, 0));
    // 64 words of a pattern, then three words out of the packet.
    sdma.submit(&[0x8000_000b, low(dst.va), high(dst.va), 0x1234_5678, 63 * 4]);
    let at = dst.va + 256;
    sdma.submit(&[2, low(at), high(at), 2, 7, 8, 9]);
    sdma.drain();
    assert!((0..64).all(|word| dst.get(word) == 0x1234_5678));
    assert_eq!([64, 65, 66].map(|word| dst.get(word)), [7, 8, 9]);
    // A box of 3 × 2 × 2 words out of rows of 8 and slices of 32 words, into rows of 4 and slices of 8.
    let box_of = [
        4 << 8 | 1 | 2 << 29,
        low(src.va),
        high(src.va),
        1 | 1 << 16,
        7 << 13,
        31,
        low(dst.va),
        high(dst.va),
        0,
        3 << 13,
        7,
        2 | 1 << 16,
        1,
    ];
    sdma.submit(&box_of);
    sdma.drain();
    for (z, y, x) in [(0, 0, 0), (0, 1, 2), (1, 0, 1), (1, 1, 2)] {
        assert_eq!(dst.get(z * 8 + y * 4 + x), src.get(z * 32 + (y + 1) * 8 + x + 1), "{z} {y} {x}");
    }
    // Round the ring many times, with fills of no-operation that jump over the rest.
    for _ in 0..50 {
        sdma.submit(&[(63 - 1) << 16; 1].iter().copied().chain([0; 62]).collect::<Vec<_>>());
        sdma.drain();
    }
    rig.gpu.call(&mut DestroyQueueArgs { queue_id: sdma.id, pad: 0 }).unwrap();
    assert_eq!(rig.gpu.call(&mut DestroyQueueArgs { queue_id: sdma.id, pad: 0 }), Err(Errno::EINVAL));
}

#[test]
fn polls_atomics_fences_and_traps() {
    let rig = Rig::new(&chips::GFX906);
    let page = rig.allocate(u64::from(SIGNAL_EVENT_LIMIT) * 8, GTT);
    rig.create_event(EventType::MEMORY, page.handle);
    let event = rig.create_event(EventType::SIGNAL, 0);
    let sdma = Sdma::new(&rig);
    let memory = rig.allocate(4096, GTT);
    memory.set(0, 5);
    memory.set64(1, 10);
    let (va, mailbox) = (memory.va, page.va + u64::from(event) * 8);
    // Waits for a word to be zero; takes one from a 64-bit value; time stamp; fence and interrupt.
    sdma.submit(&[0xb000_0008, low(va), high(va), 0, u32::MAX, 0x0fff_0004]);
    sdma.submit(&[47 << 25 | 10, low(va + 8), high(va + 8), u32::MAX, u32::MAX, 0, 0, 0]);
    sdma.submit(&[2 << 8 | 13, low(va + 32), high(va + 32)]);
    sdma.submit(&[5, low(mailbox), high(mailbox), event]);
    sdma.submit(&[6, event]);
    std::thread::sleep(Duration::from_millis(3));
    assert_eq!(memory.get64(1), 10, "the poll holds up what comes after");
    memory.set(0, 0);
    assert_eq!(rig.wait_event(event, 10_000).0, WaitResult::COMPLETE);
    sdma.drain();
    assert_eq!(memory.get64(1), 9);
    assert!(memory.get64(4) > 0);
    assert_eq!(page.get64(event.into()), u64::MAX, "the slot is unsignalled again");
    // 32-bit atomics: signed minimum, and exchange if equal.
    memory.set(2, 9);
    sdma.submit(&[17 << 25 | 10, low(va + 8), high(va + 8), -4i32 as u32, 0, 0, 0, 0]);
    sdma.submit(&[8 << 25 | 10, low(va + 8), high(va + 8), 77, 0, -4i32 as u32, 0, 0]);
    sdma.drain();
    assert_eq!(memory.get(2), 77);
    // An indirect buffer: a write and a fence.
    let words = [2, low(va + 64), high(va + 64), 0, 11, 5, low(va + 68), high(va + 68), 12];
    for (index, word) in (256..).zip(words) {
        memory.set(index, word);
    }
    let ib = va + 1024;
    sdma.submit(&[4, low(ib), high(ib), words.len() as u32, 0, 0]);
    sdma.drain();
    assert_eq!((memory.get(16), memory.get(17)), (11, 12));
}

#[test]
fn faults_and_unknown_packets_stop_the_queue() {
    let rig = Rig::new(&chips::GFX908);
    let page = rig.allocate(u64::from(SIGNAL_EVENT_LIMIT) * 8, GTT);
    let memory = rig.create_event(EventType::MEMORY, page.handle);
    let hardware = rig.create_event(EventType::HW_EXCEPTION, 0);
    let (wrong, unknown) = (Sdma::new(&rig), Sdma::new(&rig));
    wrong.submit(&[5, 0x5000, 0x40, 1]);
    let (result, data) = rig.wait_event(memory, 10_000);
    assert_eq!((result, data.memory_exception().va), (WaitResult::COMPLETE, 0x40_0000_5000));
    unknown.submit(&[0x63]);
    assert_eq!(rig.wait_event(hardware, 10_000).0, WaitResult::COMPLETE);
    // Neither goes on.
    wrong.submit(&[0]);
    std::thread::sleep(Duration::from_millis(2));
    assert_eq!((wrong.pointers.get64(2), unknown.pointers.get64(2)), (0, 0));
}

#[test]
fn queues_run_out() {
    let rig = Rig::new(&chips::GFX900);
    let (ring, pointers) = (rig.allocate(RING, GTT), rig.allocate(4096, GTT));
    // Two engines of two queues, and no links to other GPUs.
    let ids: Vec<_> = (0..4).map(|_| create(&rig, ring, pointers, QueueType::SDMA).unwrap()).collect();
    assert_eq!(create(&rig, ring, pointers, QueueType::SDMA), Err(Errno::ENOMEM));
    assert_eq!(create(&rig, ring, pointers, QueueType::SDMA_XGMI), Err(Errno::ENOMEM));
    rig.gpu.call(&mut DestroyQueueArgs { queue_id: ids[1], pad: 0 }).unwrap();
    assert_eq!(create(&rig, ring, pointers, QueueType::SDMA), Ok(ids[1]));
}

#[test]
fn a_copy_to_two_places() {
    let rig = Rig::new(&chips::GFX90A);
    let sdma = Sdma::new(&rig);
    let (src, one, two) = (rig.allocate(4096, GTT), rig.allocate(4096, VRAM), rig.allocate(4096, GTT));
    (0..1024).for_each(|index| src.set(index, index as u32 ^ 0x5555));
    let [s, a, b] = [src.va, one.va, two.va];
    sdma.submit(&[1 << 27 | 1, 4095, 0, low(s), high(s), low(a), high(a), low(b), high(b)]);
    sdma.drain();
    assert!((0..1024).all(|index| one.get(index) == src.get(index) && two.get(index) == src.get(index)));
    // The flush of the host's writes, as ROCr submits it, and as others do.
    sdma.submit(&[8, 0, 0x8000_0000, 0, 0, 0]);
    sdma.submit(&[3 << 28 | 1 << 26 | 8, 0x106, 0x107, 4, 4, 0]);
    sdma.drain();
}

#[test]
fn packets_are_refused_by_name_and_place() {
    let rig = Rig::new(&chips::GFX908);
    let memory = rig.allocate(4096, GTT);
    let (lo, hi) = (low(memory.va), high(memory.va));
    // An indirect buffer whose packet does not fit, and one with another in it.
    let ib = rig.allocate(4096, GTT);
    for (index, word) in
        [(0, 5), (1, lo), (2, hi), (3, 1), (16, 4), (17, lo), (18, hi), (19, 4), (20, 0), (21, 0)]
    {
        ib.set(index, word);
    }
    let (ib_lo, ib_hi) = (low(ib.va), high(ib.va));
    for (words, name, why) in [
        // The write pointer stands within the packet.
        (vec![5, lo, hi], "FENCE", "has 4 dwords, and 3 of them are before the write pointer"),
        (vec![1, 63, 0, lo, hi, lo], "COPY_LINEAR", "has 7 dwords, and 6"),
        (vec![1 << 27 | 1, 63, 0, lo, hi, lo, hi], "COPY_LINEAR", "has 9 dwords, and 7"),
        (vec![2, lo, hi, 3, 1, 2], "WRITE_LINEAR", "has 8 dwords, and 6"),
        (vec![5 << 16], "NOP", "has 6 dwords, and 1"),
        (vec![4, ib_lo, ib_hi, 3, 0, 0], "FENCE", "3 of them are before the end of the indirect buffer"),
        // Not here.
        (vec![4, ib_lo + 64, ib_hi, 6, 0, 0], "INDIRECT", "has no others in it"),
        (vec![3 << 28 | 8, 0x1234, 0, 1, 1, 0], "POLL_REGMEM", "register 0x1234"),
        (vec![0xf000_0008, lo, hi, 1, 1, 0], "POLL_REGMEM", "comparison 7"),
        (vec![47 << 25 | 1 << 16 | 10, lo, hi, 1, 0, 0, 0, 0], "ATOMIC", "tries again"),
        (vec![1 << 25 | 10, lo, hi, 1, 0, 0, 0, 0], "ATOMIC", "atomic operation 1"),
        (vec![79 << 25 | 10, lo, hi, 1, 0, 0, 0, 0], "ATOMIC", "atomic operation 79"),
        (vec![0xc000_000b, lo, hi, 1, 63], "CONST_FILL", "fill size 3"),
        (vec![1 << 18 | 1, 63, 0, lo, hi, lo, hi], "COPY_LINEAR", "encrypted"),
        (vec![13, 1, 2], "TIMESTAMP", "sub-operation 0 is not implemented"),
        (vec![9, lo, hi, 1, 1], "COND_EXE", "not implemented"),
        (vec![0x63], "of no known name", "operation 99"),
    ] {
        let hardware = rig.create_event(EventType::HW_EXCEPTION, 0);
        let sdma = Sdma::new(&rig);
        let from = LOG.lock().unwrap().len();
        // What comes before runs; nothing of the packet itself does.
        sdma.submit(&[0]);
        sdma.drain();
        sdma.submit(&words);
        assert_eq!(rig.wait_event(hardware, 10_000).0, WaitResult::COMPLETE, "{words:x?}");
        assert_eq!((sdma.pointers.get64(2), memory.get(0)), (4, 0), "{words:x?}");
        let log = LOG.lock().unwrap();
        let parts = [name, why, "at byte 0x4 of its ring"];
        let said = log[from..].iter().any(|line| parts.iter().all(|part| line.contains(part)));
        assert!(said, "{parts:?}: {:?}", &log[from..]);
        drop(log);
        rig.gpu.call(&mut DestroyQueueArgs { queue_id: sdma.id, pad: 0 }).unwrap();
    }
}

#[test]
fn a_write_pointer_beyond_the_ring() {
    let rig = Rig::new(&chips::GFX90A);
    for ahead in [RING + 4, 1 << 40, u64::MAX] {
        let hardware = rig.create_event(EventType::HW_EXCEPTION, 0);
        let sdma = Sdma::new(&rig);
        sdma.pointers.set64(1, ahead);
        rig.gpu.doorbell_hint(rig.gpu_id);
        assert_eq!(rig.wait_event(hardware, 10_000).0, WaitResult::COMPLETE, "{ahead:#x}");
        assert_eq!(sdma.pointers.get64(2), 0);
        let said = format!("{ahead} bytes ahead, in a ring of {RING}");
        assert!(LOG.lock().unwrap().iter().any(|line| line.contains(&said)), "{said}");
        rig.gpu.call(&mut DestroyQueueArgs { queue_id: sdma.id, pad: 0 }).unwrap();
    }
    // A full ring is none.
    let sdma = Sdma::new(&rig);
    sdma.pointers.set64(1, RING);
    rig.gpu.doorbell_hint(rig.gpu_id);
    sdma.drain();
}
