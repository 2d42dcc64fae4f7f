//! Many threads, queues and packets at once, with dependencies across queues and handlers: nothing is lost, nothing hangs,
//! memory stays flat. One test in a process of its own, since it measures memory.
//!
//! `ROCRS_STRESS_PACKETS` says how many packets each queue takes; the default keeps the test short. `ROCRS_STRESS_KIB` says how
//! much memory may grow: a sanitizer keeps books of its own.

mod common;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use common::{emulated, resident_kib};
use rocr_rs::{
    BarrierPacket, FenceScope, Header, PacketType, Queue, QueueKind, Runtime, Signal,
    SignalCondition as Cond, SignalKind, WaitState,
};

const THREADS: usize = 64;
const QUEUES: usize = 8;
/// Packets of one round of a thread: a chain through as many queues.
const CHAIN: usize = 4;
/// Room for all chains in one queue: a thread that waits for room before it has set its start would keep others waiting.
const RING: u32 = (THREADS * CHAIN) as u32;
/// No round takes longer, unless something is lost.
const LONG: Option<Duration> = Some(Duration::from_secs(120));

/// A small, fixed sequence for each thread.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

fn barrier(kind: PacketType, deps: &[&Signal], done: &Signal) -> BarrierPacket {
    let mut packet = BarrierPacket {
        header: Header::new(kind, false, FenceScope::SYSTEM, FenceScope::SYSTEM),
        completion_signal: done.handle(),
        ..Default::default()
    };
    for (slot, dep) in packet.dep_signal.iter_mut().zip(deps) {
        *slot = dep.handle();
    }
    packet
}

/// What all threads share.
struct Arena {
    runtime: Arc<Runtime>,
    queues: Vec<Arc<Queue>>,
    handled: Arc<AtomicU64>,
    asked: AtomicU64,
}

/// The signals of one thread, used again in every round.
struct Links {
    start: Signal,
    links: Vec<Signal>,
    handled: Signal,
}

impl Links {
    fn new(runtime: &Arc<Runtime>, dice: &mut Dice) -> Links {
        let mut signal = || {
            let kind = if dice.below(2) == 0 { SignalKind::Interrupt } else { SignalKind::Default };
            Signal::new(runtime, 0, kind).unwrap()
        };
        Links { start: signal(), links: (0..CHAIN).map(|_| signal()).collect(), handled: signal() }
    }
}

impl Arena {
    /// A chain of barriers through queues: each waits for the one before it, the first for a signal that the host sets
    /// last. Every thread submits its chain in order, so no two chains wait for each other in a circle.
    fn round(&self, links: &Links, dice: &mut Dice) {
        links.start.store(1, Ordering::SeqCst);
        links.links.iter().for_each(|link| link.store(1, Ordering::SeqCst));
        let handler = dice.below(8) == 0;
        if handler {
            links.handled.store(1, Ordering::SeqCst);
            self.asked.fetch_add(1, Ordering::Relaxed);
            let (count, answer) = (self.handled.clone(), links.handled.clone());
            let last = links.links.last().unwrap();
            self.runtime
                .on_signal(last, Cond::EQ, 0, move |_| {
                    count.fetch_add(1, Ordering::Relaxed);
                    answer.store(0, Ordering::SeqCst);
                    false
                })
                .unwrap();
        }
        let mut before = &links.start;
        for link in &links.links {
            let queue = &self.queues[dice.below(QUEUES)];
            let kind = [PacketType::BARRIER_AND, PacketType::BARRIER_OR][dice.below(2)];
            queue.submit(barrier(kind, &[before], link)).unwrap();
            before = link;
        }
        links.start.store(0, Ordering::SeqCst);
        assert_eq!(before.wait(Cond::EQ, 0, LONG, WaitState::BLOCKED), 0, "a completion is lost");
        if handler {
            let left = links.handled.wait(Cond::EQ, 0, LONG, WaitState::BLOCKED);
            assert_eq!(left, 0, "a handler was not called");
        }
        assert!(links.links.iter().all(|link| link.load(Ordering::SeqCst) == 0), "the chain's order");
    }
}

#[test]
fn nothing_is_lost() {
    let each: usize = match std::env::var("ROCRS_STRESS_PACKETS") {
        Ok(text) => text.parse().expect("ROCRS_STRESS_PACKETS is a number of packets"),
        Err(_) => 4_000,
    };
    let rounds = (each * QUEUES / THREADS / CHAIN).max(1);
    let (runtime, agent) = emulated("gfx90a");
    let create = |_| Queue::create(&agent, RING, QueueKind::Multi, |error| panic!("{error}")).unwrap();
    let queues: Vec<_> = (0..QUEUES).map(create).collect();
    let arena = Arena { runtime, queues, handled: Arc::default(), asked: AtomicU64::new(0) };
    let settled = Mutex::new(None);
    let began = Instant::now();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (arena, settled) = (&arena, &settled);
            scope.spawn(move || {
                let mut dice = Dice(thread as u64 + 1);
                let links = Links::new(&arena.runtime, &mut dice);
                for round in 0..rounds {
                    arena.round(&links, &mut dice);
                    if round == rounds / 4 {
                        settled.lock().unwrap().get_or_insert_with(resident_kib);
                    }
                }
            });
        }
    });
    let seconds = began.elapsed().as_secs_f64();
    let packets: u64 = arena.queues.iter().map(|queue| queue.write_index()).sum();
    assert_eq!(packets, (rounds * CHAIN * THREADS) as u64);
    for queue in &arena.queues {
        assert_eq!(queue.error(), None);
        let end = Instant::now() + Duration::from_secs(10);
        while queue.read_index() < queue.write_index() {
            assert!(Instant::now() < end, "a packet is not consumed");
            std::thread::yield_now();
        }
    }
    let (handled, asked) = (arena.handled.load(Ordering::SeqCst), arena.asked.load(Ordering::SeqCst));
    assert_eq!(handled, asked, "calls of handlers");
    let grown = resident_kib().saturating_sub(settled.lock().unwrap().unwrap());
    println!("{packets} packets, {handled} handlers, {seconds:.1} s, {grown} KiB");
    let most = std::env::var("ROCRS_STRESS_KIB").ok().and_then(|text| text.parse().ok()).unwrap_or(4_096);
    assert!(grown < most, "memory grew by {grown} KiB");
}
