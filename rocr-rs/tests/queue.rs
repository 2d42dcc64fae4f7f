//! Queues: barrier packets, many producers, full rings, errors. No kernels: see `dispatch.rs`.

mod common;

use std::{
    sync::{atomic::Ordering, mpsc},
    time::Duration,
};

use common::{CHIPS, emulated};
use rocr_rs::{
    BarrierPacket, BarrierValuePacket, Error, FenceScope, Header, KernelDispatchPacket, Packet, PacketType,
    PoolKind, Queue, QueueErrorKind, QueueKind, Signal, SignalCondition as Cond, SignalHandle, SignalKind,
    Status, WaitState, hsa_sys::AmdPacketFormat,
};

const LONG: Option<Duration> = Some(Duration::from_secs(20));

fn barrier(kind: PacketType, deps: &[&Signal], done: Option<&Signal>) -> BarrierPacket {
    let mut packet = BarrierPacket {
        header: Header::new(kind, false, FenceScope::SYSTEM, FenceScope::SYSTEM),
        completion_signal: done.map_or(SignalHandle::NULL, Signal::handle),
        ..Default::default()
    };
    for (slot, dep) in packet.dep_signal.iter_mut().zip(deps) {
        *slot = dep.handle();
    }
    packet
}

#[test]
fn barriers_wait_for_their_signals() {
    for chip in CHIPS {
        let (runtime, agent) = emulated(chip);
        let queue = Queue::create(&agent, 64, QueueKind::Multi, |error| panic!("{error}")).unwrap();
        let signal = |value| Signal::new(&runtime, value, SignalKind::Interrupt).unwrap();
        let soon = Some(Duration::from_millis(20));

        let (a, b, done) = (signal(1), signal(1), signal(1));
        queue.submit(barrier(PacketType::BARRIER_AND, &[&a, &b], Some(&done))).unwrap();
        a.store(0, Ordering::SeqCst);
        assert_eq!(done.wait(Cond::EQ, 0, soon, WaitState::BLOCKED), 1, "one of two is not all");
        b.store(0, Ordering::SeqCst);
        assert_eq!(done.wait(Cond::EQ, 0, LONG, WaitState::BLOCKED), 0);

        let (a, b, done) = (signal(1), signal(1), signal(1));
        queue.submit(barrier(PacketType::BARRIER_OR, &[&a, &b], Some(&done))).unwrap();
        assert_eq!(done.wait(Cond::EQ, 0, soon, WaitState::BLOCKED), 1);
        b.store(0, Ordering::SeqCst);
        assert_eq!(done.wait(Cond::EQ, 0, LONG, WaitState::BLOCKED), 0);

        let (a, done) = (signal(0x10), signal(1));
        let packet = BarrierValuePacket {
            header: Header::new(PacketType::VENDOR_SPECIFIC, false, FenceScope::NONE, FenceScope::NONE),
            format: AmdPacketFormat::BARRIER_VALUE,
            signal: a.handle(),
            value: 3,
            mask: 0xf,
            cond: Cond::GTE,
            completion_signal: done.handle(),
            ..Default::default()
        };
        queue.submit(packet).unwrap();
        assert_eq!(done.wait(Cond::EQ, 0, soon, WaitState::BLOCKED), 1);
        a.store(0x13, Ordering::SeqCst);
        assert_eq!(done.wait(Cond::EQ, 0, LONG, WaitState::BLOCKED), 0);
        assert_eq!(queue.error(), None);
    }
}

#[test]
fn queues_depend_on_each_other() {
    let (runtime, agent) = emulated("gfx90a");
    let create = || Queue::create(&agent, 64, QueueKind::Multi, |error| panic!("{error}")).unwrap();
    let (first, second) = (create(), create());
    assert_ne!(first.id(), second.id());
    let signal = || Signal::new(&runtime, 1, SignalKind::Default).unwrap();
    let (start, middle, end) = (signal(), signal(), signal());
    second.submit(barrier(PacketType::BARRIER_AND, &[&middle], Some(&end))).unwrap();
    first.submit(barrier(PacketType::BARRIER_AND, &[&start], Some(&middle))).unwrap();
    start.store(0, Ordering::SeqCst);
    assert_eq!(end.wait(Cond::EQ, 0, LONG, WaitState::BLOCKED), 0);
}

#[test]
fn many_producers_fill_a_small_ring() {
    const EACH: i64 = 2_000;
    let (runtime, agent) = emulated("gfx90a");
    let queue = Queue::create(&agent, 64, QueueKind::Multi, |error| panic!("{error}")).unwrap();
    let left = Signal::new(&runtime, 4 * EACH, SignalKind::Interrupt).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..EACH {
                    queue.submit(barrier(PacketType::BARRIER_AND, &[], Some(&left))).unwrap();
                }
            });
        }
    });
    assert_eq!(left.wait(Cond::EQ, 0, LONG, WaitState::BLOCKED), 0);
    assert_eq!(queue.write_index(), 4 * EACH as u64);
    while queue.read_index() < queue.write_index() {
        std::thread::yield_now();
    }
}

#[test]
fn profiled_packets_have_times_on_the_systems_clock() {
    let (runtime, agent) = emulated("gfx90a");
    let queue = Queue::create(&agent, 64, QueueKind::Multi, |error| panic!("{error}")).unwrap();
    queue.set_profiling(true);
    let done = Signal::new(&runtime, 1, SignalKind::Interrupt).unwrap();
    let before = runtime.timestamp();
    queue.submit(barrier(PacketType::BARRIER_AND, &[], Some(&done))).unwrap();
    done.wait(Cond::EQ, 0, LONG, WaitState::BLOCKED);
    let after = runtime.timestamp();
    let time = done.dispatch_time(&agent);
    let slack = 5_000_000;
    assert!(
        time.start + slack >= before && time.start <= time.end && time.end <= after + slack,
        "{before} {time:?} {after}"
    );
}

#[test]
fn a_bad_packet_ends_the_queue_and_nothing_else() {
    let cases: [(Packet, QueueErrorKind, Status); 3] = [
        (Packet([9; 16]), QueueErrorKind::InvalidPacket, Status::ERROR_INVALID_PACKET_FORMAT),
        (
            KernelDispatchPacket {
                header: Header::new(
                    PacketType::KERNEL_DISPATCH,
                    true,
                    FenceScope::SYSTEM,
                    FenceScope::SYSTEM,
                ),
                setup: 1,
                ..Default::default()
            }
            .into(),
            QueueErrorKind::InvalidDimension,
            Status::ERROR_INCOMPATIBLE_ARGUMENTS,
        ),
        (
            KernelDispatchPacket {
                header: Header::new(
                    PacketType::KERNEL_DISPATCH,
                    true,
                    FenceScope::SYSTEM,
                    FenceScope::SYSTEM,
                ),
                setup: 3,
                workgroup_size_x: 64,
                workgroup_size_y: 1,
                workgroup_size_z: 1,
                grid_size_x: 64,
                grid_size_y: 1,
                grid_size_z: 1,
                ..Default::default()
            }
            .into(),
            QueueErrorKind::InvalidCode,
            Status::ERROR_INVALID_CODE_OBJECT,
        ),
    ];
    let (runtime, agent) = emulated("gfx90a");
    for (packet, kind, status) in cases {
        let (sender, receiver) = mpsc::channel();
        let queue =
            Queue::create(&agent, 64, QueueKind::Multi, move |error| sender.send(error.clone()).unwrap())
                .unwrap();
        queue.submit(barrier(PacketType::BARRIER_AND, &[], None)).unwrap();
        queue.submit(packet).unwrap();
        let error = receiver.recv_timeout(Duration::from_secs(20)).unwrap();
        assert_eq!((error.kind, error.status(), error.packet_index), (kind, status, 1), "{error}");
        assert_eq!(queue.error(), Some(error.clone()));
        let refused = queue.submit(barrier(PacketType::BARRIER_AND, &[], None)).unwrap_err();
        assert!(matches!(&refused, Error::QueueInactive(why) if **why == error), "{refused}");
        assert!(receiver.try_recv().is_err(), "told twice");
        drop(queue);
        // The agent goes on.
        let other = Queue::create(&agent, 64, QueueKind::Multi, |error| panic!("{error}")).unwrap();
        let done = Signal::new(&runtime, 1, SignalKind::Interrupt).unwrap();
        other.submit(barrier(PacketType::BARRIER_AND, &[], Some(&done))).unwrap();
        assert_eq!(done.wait(Cond::EQ, 0, LONG, WaitState::BLOCKED), 0);
    }
}

#[test]
fn a_full_ring_of_a_dead_queue_lets_producers_go() {
    let (runtime, agent) = emulated("gfx90a");
    let queue = Queue::create(&agent, 64, QueueKind::Multi, |_| {}).unwrap();
    let never = Signal::new(&runtime, 1, SignalKind::Default).unwrap();
    for _ in 0..64 {
        queue.submit(barrier(PacketType::BARRIER_AND, &[&never], None)).unwrap();
    }
    std::thread::scope(|scope| {
        let blocked = scope.spawn(|| queue.submit(barrier(PacketType::BARRIER_AND, &[], None)));
        std::thread::sleep(Duration::from_millis(20));
        queue.inactivate();
        assert!(matches!(blocked.join().unwrap(), Err(Error::QueueInactive(_))));
    });
}

#[test]
fn wrong_sizes_and_agents_are_refused() {
    let (runtime, agent) = emulated("gfx90a");
    for packets in [0, 32, 100, 0x4_0000] {
        let error = Queue::create(&agent, packets, QueueKind::Multi, |_| {}).unwrap_err();
        assert_eq!(error.status(), Status::ERROR_INVALID_QUEUE_CREATION, "{error}");
    }
    assert!(Queue::create(&runtime.cpu_agent(), 64, QueueKind::Multi, |_| {}).is_err());
}

#[test]
fn queues_come_and_go() {
    let (runtime, agent) = emulated("gfx942");
    for _ in 0..60 {
        let queue = Queue::create(&agent, 64, QueueKind::Single, |error| panic!("{error}")).unwrap();
        let done = Signal::new(&runtime, 1, SignalKind::Interrupt).unwrap();
        queue.submit(barrier(PacketType::BARRIER_AND, &[], Some(&done))).unwrap();
        assert_eq!(done.wait(Cond::EQ, 0, LONG, WaitState::BLOCKED), 0);
    }
    drop(agent.pool(PoolKind::CoarseGrained).allocate(64).unwrap());
}
