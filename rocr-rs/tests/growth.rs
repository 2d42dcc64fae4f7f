//! Nothing grows: signals, allocations and launches by the ten thousands. One test in a process of its own, since what
//! other tests allocate meanwhile would count.

mod common;

use std::{sync::atomic::Ordering, time::Duration};

use common::{compile, emulated, resident_kib};
use rocr_rs::{
    Agent, Executable, PoolKind, Queue, QueueKind, Signal, SignalCondition as Cond, SignalKind, WaitState,
};

/// Runs `round` to warm up, then for long, and checks that memory did not grow meanwhile.
fn steady(what: &str, warm_up: u32, count: u32, round: impl Fn(u32)) {
    round(warm_up);
    let before = resident_kib();
    round(count);
    let grown = resident_kib().saturating_sub(before);
    assert!(grown < 2_048, "{what}: {grown} KiB");
}

fn signals(agent: &Agent, count: u32) {
    for i in 0..count {
        let kind = if i % 4 == 0 { SignalKind::Interrupt } else { SignalKind::Default };
        let signal = Signal::new(agent.runtime(), i.into(), kind).unwrap();
        assert_eq!(signal.load(Ordering::Relaxed), i64::from(i));
    }
}

fn allocations(agent: &Agent, count: u32) {
    for _ in 0..count {
        agent.pool(PoolKind::CoarseGrained).allocate(8192).unwrap().write(0, &[1; 8192]).unwrap();
    }
}

#[test]
fn nothing_grows() {
    let (runtime, agent) = emulated("gfx90a");
    steady("signals", 1_000, 100_000, |count| signals(&agent, count));
    steady("allocations", 200, 5_000, |count| allocations(&agent, count));

    let code = compile("gfx90a", "__attribute__((amdgpu_kernel)) void empty(void) {}", &[]);
    let executable = Executable::new(&runtime);
    executable.load(&agent, &code).unwrap();
    executable.freeze().unwrap();
    let kernel = executable.kernel("empty").unwrap();
    let queue = Queue::create(&agent, 256, QueueKind::Multi, |error| panic!("{error}")).unwrap();
    steady("launches", 2_000, 100_000, |count| {
        let left = Signal::new(&runtime, count.into(), SignalKind::Interrupt).unwrap();
        for _ in 0..count {
            let mut packet = kernel.dispatch([64, 1, 1], [64, 1, 1], 0);
            packet.completion_signal = left.handle();
            queue.submit(packet).unwrap();
        }
        let long = Some(Duration::from_secs(120));
        assert_eq!(left.wait(Cond::EQ, 0, long, WaitState::BLOCKED), 0);
    });
}
