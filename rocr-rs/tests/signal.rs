//! Signals: operations, waits, time-outs, handlers, and that they can come and go for ever.

mod common;

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    time::{Duration, Instant},
};

use common::emulated;
use rocr_rs::{Job, Signal, SignalCondition as Cond, SignalKind, WaitState};

const KINDS: [SignalKind; 2] = [SignalKind::Default, SignalKind::Interrupt];

#[test]
fn operations_return_the_value_from_before() {
    let (runtime, _) = emulated("gfx90a");
    for kind in KINDS {
        let s = Signal::new(&runtime, 5, kind).unwrap();
        assert_eq!(s.kind(), kind);
        assert_eq!(s.handle().0 % 64, 0);
        for order in
            [Ordering::Relaxed, Ordering::Acquire, Ordering::Release, Ordering::AcqRel, Ordering::SeqCst]
        {
            s.store(5, order);
            assert_eq!(s.load(order), 5);
            assert_eq!(s.add(2, order), 5);
            assert_eq!(s.sub(1, order), 7);
            assert_eq!(s.and(0b110, order), 6);
            assert_eq!(s.or(1, order), 6);
            assert_eq!(s.xor(0b111, order), 7);
            assert_eq!(s.exchange(-3, order), 0);
            assert_eq!(s.cas(4, 9, order), -3);
            assert_eq!(s.cas(-3, 9, order), -3);
            assert_eq!(s.load(order), 9);
        }
    }
}

#[test]
fn waits_end_on_the_condition_or_in_time() {
    let (runtime, _) = emulated("gfx90a");
    for kind in KINDS {
        let s = Signal::new(&runtime, 1, kind).unwrap();
        let wait = |cond, value, ms| s.wait(cond, value, Some(Duration::from_millis(ms)), WaitState::BLOCKED);
        for (cond, value) in [(Cond::EQ, 1), (Cond::NE, 0), (Cond::LT, 2), (Cond::GTE, 1)] {
            assert_eq!(wait(cond, value, 10_000), 1);
        }
        let start = Instant::now();
        assert_eq!(wait(Cond::EQ, 0, 30), 1);
        assert!(start.elapsed() >= Duration::from_millis(30), "{:?}", start.elapsed());
        assert_eq!(s.wait(Cond::LT, 1, Some(Duration::ZERO), WaitState::ACTIVE), 1);
    }
}

#[test]
fn every_waiter_of_a_signal_wakes() {
    let (runtime, _) = emulated("gfx90a");
    for kind in KINDS {
        let s = Signal::new(&runtime, 3, kind).unwrap();
        std::thread::scope(|scope| {
            for wanted in [1, 2, 3, 3] {
                let s = &s;
                scope.spawn(move || assert!(s.wait(Cond::LT, wanted, None, WaitState::BLOCKED) < wanted));
            }
            for _ in 0..3 {
                std::thread::sleep(Duration::from_millis(20));
                s.sub(1, Ordering::SeqCst);
            }
        });
    }
}

#[test]
fn handlers_are_called_until_they_have_enough() {
    let (runtime, _) = emulated("gfx90a");
    for kind in KINDS {
        let s = Signal::new(&runtime, 0, kind).unwrap();
        let calls = Arc::new(AtomicUsize::new(0));
        let (sender, receiver) = mpsc::channel();
        runtime
            .on_signal(&s, Cond::GTE, 1, {
                let (s, calls) = (s.clone(), calls.clone());
                move |value| {
                    s.sub(value, Ordering::SeqCst);
                    let count = calls.fetch_add(1, Ordering::SeqCst) + 1;
                    sender.send(value).unwrap();
                    count < 3
                }
            })
            .unwrap();
        for value in 1..=3 {
            s.store(value, Ordering::SeqCst);
            assert_eq!(receiver.recv_timeout(Duration::from_secs(10)), Ok(value));
        }
        s.store(1, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!((calls.load(Ordering::SeqCst), s.load(Ordering::SeqCst)), (3, 1));
    }
}

#[test]
fn a_handler_that_panics_does_not_stop_the_others() {
    let (runtime, _) = emulated("gfx90a");
    let s = Signal::new(&runtime, 0, SignalKind::Interrupt).unwrap();
    runtime.on_signal(&s, Cond::NE, 0, |_| panic!("on purpose")).unwrap();
    let (sender, receiver) = mpsc::channel();
    runtime.on_signal(&s, Cond::NE, 0, move |value| sender.send(value).is_err()).unwrap();
    s.store(7, Ordering::SeqCst);
    assert_eq!(receiver.recv_timeout(Duration::from_secs(10)), Ok(7));
}

#[test]
fn more_interrupt_signals_than_the_driver_has_events() {
    let (runtime, _) = emulated("gfx90a");
    let signals: Vec<_> =
        (0..5_000).map(|i| Signal::new(&runtime, i, SignalKind::Interrupt).unwrap()).collect();
    let last = signals.last().unwrap();
    assert_eq!(last.kind(), SignalKind::Default);
    std::thread::scope(|scope| {
        scope.spawn(|| assert_eq!(last.wait(Cond::EQ, 0, None, WaitState::BLOCKED), 0));
        std::thread::sleep(Duration::from_millis(5));
        last.store(0, Ordering::SeqCst);
    });
}

/// A program's handler may wait for a copy that itself waits for a signal.
#[test]
fn a_handler_that_waits_for_a_copy_does_not_stop_it() {
    let (runtime, _) = emulated("gfx90a");
    let [start, copied, kernel] = [1, 1, 1].map(|n| Signal::new(&runtime, n, SignalKind::Interrupt).unwrap());
    let (said, heard) = mpsc::channel();
    let done = copied.clone();
    let handler = move |_| {
        let seen = done.wait(Cond::EQ, 0, Some(Duration::from_secs(10)), WaitState::BLOCKED);
        said.send(seen).unwrap();
        false
    };
    runtime.on_signal(&start, Cond::EQ, 0, handler).unwrap();
    start.store(0, Ordering::Release);
    let job = Job { work: Box::new(|| {}), completion: Some(copied), timed: false };
    runtime.run_after(vec![kernel.clone()], job).unwrap();
    kernel.store(0, Ordering::Release);
    assert_eq!(heard.recv().unwrap(), 0);
}
