//! PM4 packets in indirect buffers of AQL queues: what each does, and how those are refused that are not whole or not
//! here. Headers and fields as `soc15d.h` has them.

mod common;

use std::time::Duration;

use amdgpu_emu::chips;
use common::{Buffer, GTT, LOG, Queue, Rig, signal_value, wait_for};
use hsa_sys::QueueInactive;
use kfd_sys::event::{EventType, SIGNAL_EVENT_LIMIT, WaitResult};

/// A packet: opcode, and what stands behind the header.
fn packet(opcode: u32, body: &[u32]) -> Vec<u32> {
    let mut packet = vec![3 << 30 | (body.len() as u32 - 1) << 16 | opcode << 8];
    packet.extend(body);
    packet
}

fn low(va: u64) -> u32 {
    va as u32
}

fn high(va: u64) -> u32 {
    (va >> 32) as u32
}

const NOP_ALONE: u32 = 0xffff_1000;

/// Submits an indirect buffer of so many dwords.
fn submit(queue: &Queue<'_>, ib: &Buffer, dwords: u32, done: &Buffer) {
    let mut packet = [0; 64];
    packet[2] = 1;
    for (at, word) in [(4, 0xc002_3f00), (8, low(ib.va)), (12, high(ib.va)), (16, 0x0080_0000 | dwords)] {
        packet[at..at + 4].copy_from_slice(&u32::to_le_bytes(word));
    }
    packet[56..].copy_from_slice(&done.va.to_le_bytes());
    queue.submit(&packet);
}

fn fill(ib: &Buffer, words: &[u32]) {
    for (index, word) in (0..).zip(words) {
        ib.set(index, *word);
    }
}

/// Runs packets to their end.
fn run(queue: &Queue<'_>, words: &[u32]) {
    let (ib, done) = (queue.rig.allocate(4096, GTT), queue.signal(1));
    fill(&ib, words);
    submit(queue, &ib, words.len() as u32, &done);
    wait_for("the buffer", || signal_value(&done) == 0 || queue.inactive_value() != 0);
    assert_eq!(queue.inactive_value(), 0, "{words:x?}");
}

#[test]
fn writes_copies_and_fills() {
    let rig = Rig::new(&chips::GFX90A);
    let queue = Queue::new(&rig);
    let memory = rig.allocate(4096, GTT);
    let va = memory.va;
    let to_memory = 5 << 8;
    let mut words = vec![NOP_ALONE];
    words.extend(packet(0x37, &[to_memory, low(va), high(va), 7, 8, 9]));
    // All to one address: the last one stays.
    words.extend(packet(0x37, &[to_memory | 1 << 16, low(va + 32), high(va + 32), 1, 2, 3]));
    words.extend(packet(0x10, &[0xdead_beef, 0xdead_beef]));
    // An immediate of 64 bits, 32 bits from memory, the GPU's clock.
    words.extend(packet(
        0x40,
        &[5 | to_memory | 1 << 16, 0x1111_1111, 0x2222_2222, low(va + 64), high(va + 64)],
    ));
    words.extend(packet(0x40, &[1 | to_memory, low(va + 4), high(va + 4), low(va + 72), high(va + 72)]));
    words.extend(packet(0x40, &[9 | to_memory | 1 << 16, 0, 0, low(va + 80), high(va + 80)]));
    words.extend(packet(0x46, &[7 | 4 << 8]));
    // Memory to memory, and one dword over some.
    words.extend(packet(0x50, &[0, low(va), high(va), low(va + 128), high(va + 128), 12]));
    words.extend(packet(0x50, &[2 << 29, 0x1234_5678, 0, low(va + 160), high(va + 160), 16]));
    words.extend(packet(0x58, &[0; 6]));
    run(&queue, &words);
    assert_eq!([0, 1, 2].map(|word| memory.get(word)), [7, 8, 9]);
    assert_eq!([8, 9].map(|word| memory.get(word)), [3, 0]);
    assert_eq!((memory.get64(8), memory.get64(9)), (0x2222_2222_1111_1111, 8));
    assert!(memory.get64(10) > 0, "the clock");
    assert_eq!([32, 33, 34, 35].map(|word| memory.get(word)), [7, 8, 9, 0]);
    assert_eq!([40, 43, 44].map(|word| memory.get(word)), [0x1234_5678, 0x1234_5678, 0]);
}

#[test]
fn a_buffer_waits_for_memory_and_goes_on_where_it_stood() {
    let rig = Rig::new(&chips::GFX942);
    let queue = Queue::new(&rig);
    let (memory, ib, done) = (rig.allocate(4096, GTT), rig.allocate(4096, GTT), queue.signal(1));
    let va = memory.va;
    let count = |at: u64| packet(0x37, &[5 << 8, low(at), high(at), 1]);
    let wait = |function: u32, reference: u32, mask: u32| {
        packet(0x3c, &[function | 1 << 4, low(va), high(va), reference, mask, 4])
    };
    let mut words = count(va + 4);
    words.extend(wait(3, 5, 0xff));
    words.extend(count(va + 8));
    words.extend(wait(5, 0x1000, u32::MAX));
    words.extend(count(va + 12));
    // The handshake that flushes the host's writes is over at once.
    words.extend(packet(0x3c, &[1 << 6 | 3, 0x106, 0x107, 4, 4, 0x20]));
    fill(&ib, &words);
    submit(&queue, &ib, words.len() as u32, &done);
    wait_for("the first wait", || memory.get(1) == 1);
    // It is not done again when the buffer is taken up again.
    memory.set(1, 0);
    std::thread::sleep(Duration::from_millis(3));
    assert_eq!((memory.get(2), signal_value(&done)), (0, 1));
    memory.set(0, 0x205);
    wait_for("the second wait", || memory.get(2) == 1);
    assert_eq!((memory.get(3), signal_value(&done)), (0, 1));
    memory.set(0, 0x1000);
    wait_for("the end", || signal_value(&done) == 0);
    assert_eq!((memory.get(1), memory.get(3)), (0, 1));
}

#[test]
fn fences_raise_interrupts() {
    let rig = Rig::new(&chips::GFX908);
    let page = rig.allocate(u64::from(SIGNAL_EVENT_LIMIT) * 8, GTT);
    rig.create_event(EventType::MEMORY, page.handle);
    let event = rig.create_event(EventType::SIGNAL, 0);
    let queue = Queue::new(&rig);
    let memory = rig.allocate(4096, GTT);
    let va = memory.va;
    let fence = |data: u32, interrupt: u32, at: u64| {
        packet(0x49, &[0x14 | 5 << 8, data << 29 | interrupt << 24, low(at), high(at), 5, 6, event])
    };
    let mut words = fence(1, 0, va);
    words.extend(fence(2, 3, va + 8));
    words.extend(fence(3, 0, va + 16));
    run(&queue, &words);
    assert_eq!((memory.get64(0), memory.get64(1)), (5, 6 << 32 | 5));
    assert!(memory.get64(2) > 0, "the clock");
    assert_eq!(rig.wait_event(event, 0).0, WaitResult::TIMEOUT, "none of them rang");
    run(&queue, &fence(1, 2, page.va + u64::from(event) * 8));
    assert_eq!(rig.wait_event(event, 10_000).0, WaitResult::COMPLETE);
}

#[test]
fn what_is_not_for_the_first_complex_is_jumped_over() {
    let rig = Rig::new(&chips::GFX942);
    let queue = Queue::new(&rig);
    let memory = rig.allocate(4096, GTT);
    let write = packet(0x37, &[5 << 8, low(memory.va), high(memory.va), 9]);
    let mut words = packet(0x23, &[2 << 24 | write.len() as u32]);
    words.extend(&write);
    run(&queue, &words);
    assert_eq!(memory.get(0), 0);
    words[1] = 1 << 24 | write.len() as u32;
    run(&queue, &words);
    assert_eq!(memory.get(0), 9);
}

#[test]
fn packets_are_refused_by_name_and_place() {
    let rig = Rig::new(&chips::GFX90A);
    let memory = rig.allocate(4096, GTT);
    let (lo, hi) = (low(memory.va), high(memory.va));
    let whole = packet(0x37, &[5 << 8, lo, hi, 9]);
    for (words, size, name, why) in [
        // Not whole: cut off by the end of the buffer, or by its own count.
        (
            whole.clone(),
            4,
            "WRITE_DATA",
            "4 dwords behind its header, and the end of the indirect buffer leaves 3",
        ),
        (
            vec![0xc000_1000 | 9 << 16],
            1,
            "NOP",
            "10 dwords behind its header, and the end of the indirect buffer leaves 0",
        ),
        (packet(0x37, &[5 << 8, lo, hi]), 4, "WRITE_DATA", "has 3 dwords behind its header and needs 4"),
        (packet(0x3c, &[1 << 4, lo]), 3, "WAIT_REG_MEM", "needs 6"),
        (packet(0x40, &[5, 1]), 3, "COPY_DATA", "needs 5"),
        (packet(0x49, &[0, 1 << 29, lo]), 4, "RELEASE_MEM", "needs 6"),
        (packet(0x49, &[0, 2 << 24, lo, hi, 0, 0]), 7, "RELEASE_MEM", "no seventh dword"),
        (packet(0x50, &[0, lo, hi]), 4, "DMA_DATA", "needs 6"),
        (packet(0x58, &[0]), 2, "ACQUIRE_MEM", "needs 6"),
        (
            packet(0x23, &[9]),
            2,
            "PRED_EXEC",
            "jumps over 9 dwords, and the end of the indirect buffer leaves 0",
        ),
        // Not here.
        (packet(0x3c, &[3, 0x1234, 0, 1, 1, 4]), 7, "WAIT_REG_MEM", "register 0x1234"),
        (packet(0x3c, &[7 | 1 << 4, lo, hi, 1, 1, 4]), 7, "WAIT_REG_MEM", "comparison 7"),
        (packet(0x37, &[0, 0x1234, 0, 1]), 5, "WRITE_DATA", "registers"),
        (packet(0x40, &[5 << 8, 0x1234, 0, lo, hi]), 6, "COPY_DATA", "reads registers"),
        (packet(0x50, &[0, lo, hi, lo, hi, 1 << 26 | 4]), 7, "DMA_DATA", "registers"),
        (packet(0x50, &[0, lo, hi, lo, hi, 1 << 27 | 4]), 7, "DMA_DATA", "registers"),
        (packet(0x50, &[0, lo, hi, lo, hi, 1 << 28 | 4]), 7, "DMA_DATA", "an address that stays"),
        (packet(0x50, &[0, lo, hi, lo, hi, 1 << 29 | 4]), 7, "DMA_DATA", "an address that stays"),
        (packet(0x50, &[1 << 20, lo, hi, lo, hi, 4]), 7, "DMA_DATA", "GDS"),
        (packet(0x46, &[2 << 8 | 30, lo, hi]), 4, "EVENT_WRITE", "samples"),
        (packet(0x49, &[0, 4 << 24, lo, hi, 0, 0, 0]), 8, "RELEASE_MEM", "interrupt kind 4"),
        (packet(0x15, &[1, 1, 1, 1]), 5, "DISPATCH_DIRECT", "launched by their dispatch packets"),
        (packet(0x76, &[0x240, 1]), 3, "SET_SH_REG", "launched by their dispatch packets"),
        (packet(0x79, &[0x240, 1]), 3, "SET_UCONFIG_REG", "not implemented"),
        (packet(0xef, &[0]), 2, "of no known name", "not implemented"),
        (vec![0x0000_1234, 0], 2, "of no known name", "none of type 3"),
    ] {
        let queue = Queue::new(&rig);
        let (ib, done) = (rig.allocate(4096, GTT), queue.signal(1));
        // Something before it that runs; nothing of the packet itself does.
        ib.set(0, NOP_ALONE);
        for (index, word) in (1..).zip(&words) {
            ib.set(index, *word);
        }
        let from = LOG.lock().unwrap().len();
        submit(&queue, &ib, size + 1, &done);
        wait_for(name, || queue.inactive_value() != 0);
        let bits = QueueInactive::from_bits_retain(queue.inactive_value());
        assert_eq!(bits, QueueInactive::INVALID_VENDOR_PACKET, "{words:x?}");
        assert_eq!((signal_value(&done), memory.get(0)), (1, 0), "{words:x?}");
        let place = format!("at {:#x}, dword 1 of the {}", ib.va + 4, size + 1);
        let log = LOG.lock().unwrap();
        let said = log[from..].iter().any(|line| [name, why, &place].iter().all(|part| line.contains(*part)));
        assert!(said, "{name}, {why}, {place}: {:?}", &log[from..]);
        drop(log);
        queue.destroy();
    }
}
