//! A thread that looks at queues in memory: often while there is work, ever more rarely while there is none, and not at
//! all while there are no queues. Doorbells are memory, and nobody says that one was rung.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_utils::sync::{Parker, Unparker};
use kfd_sys::Errno;
use nix::sys::signal::{SigSet, SigmaskHow, Signal, pthread_sigmask};
use parking_lot::Mutex;

use crate::panics::caught;

/// Most packets taken from one queue before the next has its turn.
const BATCH: u32 = 32;
/// How long the thread looks on after the last work before it sleeps.
const LOOK_ON: Duration = Duration::from_micros(60);
/// Sleep between looks: first and longest, for idle queues and for queues that wait for a value in memory.
const IDLE_NAP: (Duration, Duration) = (Duration::from_micros(50), Duration::from_millis(10));
const WAITING_NAP: (Duration, Duration) = (Duration::from_micros(20), Duration::from_millis(1));
/// An idle nap is at most this part of the time since the last work.
const NAP_SHARE: u32 = 8;

/// Signals that say what the thread itself did. The host's kernel ends a process whose thread faults while it holds them up.
const OWN_SIGNALS: [Signal; 5] =
    [Signal::SIGSEGV, Signal::SIGBUS, Signal::SIGILL, Signal::SIGFPE, Signal::SIGTRAP];

/// What a look at a queue found, by rising urgency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    /// Nothing to do, or stopped.
    Idle,
    /// A kernel runs; its end will wake the thread.
    Running,
    /// The next packet waits for a value in memory.
    Waiting,
    /// Something was done; there may be more.
    Progress,
}

/// A look at all queues.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    /// The most urgent of what they said.
    pub(crate) step: Step,
    /// There are no queues.
    pub(crate) empty: bool,
}

/// Does the next things that the queues have to do: `step` does one, and `fail` stops a queue in which a fault of the
/// emulator came up, with what it says.
pub(crate) fn look<Q>(
    queues: &[Arc<Q>],
    mut step: impl FnMut(&Arc<Q>) -> Step,
    fail: impl Fn(&Arc<Q>, String),
) -> Look {
    let mut most = Step::Idle;
    for queue in queues {
        for _ in 0..BATCH {
            let step = caught(|| step(queue)).unwrap_or_else(|panic| {
                // A second panic, in the telling of the first, is on stderr.
                let _ = caught(|| fail(queue, panic));
                Step::Idle
            });
            most = most.max(step);
            if step != Step::Progress {
                break;
            }
        }
    }
    Look { step: most, empty: queues.is_empty() }
}

/// Does a comparison of a packet's hold? Of the functions (`WAIT_REG_MEM`, `POLL_REGMEM`) 0 always does, and 7 is none.
pub(crate) fn holds(function: u32, value: u32, reference: u32) -> Option<bool> {
    Some(match function {
        0 => true,
        1 => value < reference,
        2 => value <= reference,
        3 => value == reference,
        4 => value != reference,
        5 => value >= reference,
        6 => value > reference,
        _ => return None,
    })
}

/// The thread, from outside.
pub(crate) struct Watch {
    asleep: AtomicBool,
    stop: AtomicBool,
    unparker: Unparker,
    parker: Mutex<Option<Parker>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Watch {
    pub(crate) fn new() -> Watch {
        let parker = Parker::new();
        Watch {
            asleep: AtomicBool::new(false),
            stop: AtomicBool::new(false),
            unparker: parker.unparker().clone(),
            parker: Mutex::new(Some(parker)),
            thread: Mutex::new(None),
        }
    }

    /// Makes the thread look at its queues now, if it sleeps.
    pub(crate) fn wake(&self) {
        // Orders what the caller wrote (an index, a doorbell) before the look at the flag.
        fence(Ordering::SeqCst);
        if self.asleep.load(Ordering::Relaxed) && self.asleep.swap(false, Ordering::SeqCst) {
            self.unparker.unpark();
        }
    }

    /// Starts the thread, if it does not run. It takes no signals: those are the program's, but for its own faults.
    pub(crate) fn start(
        self: &Arc<Watch>,
        name: String,
        mut look: impl FnMut() -> Look + Send + 'static,
    ) -> Result<(), Errno> {
        // What a queue does is caught there. Should all else fail, the thread still lives.
        let nothing = Look { step: Step::Idle, empty: false };
        let look = move || caught(&mut look).unwrap_or(nothing);
        let mut thread = self.thread.lock();
        if thread.is_some() {
            return Ok(());
        }
        // Not EAGAIN: callers of KFD try again on that for ever, and a second try has no parker left.
        let parker = self.parker.lock().take().ok_or(Errno::ENOMEM)?;
        let watch = Arc::clone(self);
        let mut before = SigSet::empty();
        let mut others = SigSet::all();
        for own in OWN_SIGNALS {
            others.remove(own);
        }
        // A mask that cannot be set leaves the thread as any other.
        let masked = pthread_sigmask(SigmaskHow::SIG_SETMASK, Some(&others), Some(&mut before));
        let started = std::thread::Builder::new().name(name).spawn(move || watch.run(&parker, look));
        if masked.is_ok() {
            let _ = pthread_sigmask(SigmaskHow::SIG_SETMASK, Some(&before), None);
        }
        *thread = Some(started.map_err(|_| Errno::ENOMEM)?);
        Ok(())
    }

    /// Ends the thread.
    pub(crate) fn shut_down(&self) {
        self.stop.store(true, Ordering::SeqCst);
        self.unparker.unpark();
        if let Some(thread) = self.thread.lock().take() {
            // A panic of that thread was printed where it happened.
            let _ = thread.join();
        }
    }

    fn run(&self, parker: &Parker, mut look: impl FnMut() -> Look) {
        let mut last_work = Instant::now();
        let mut nap = Duration::ZERO;
        while !self.stop.load(Ordering::SeqCst) {
            if look().step == Step::Progress {
                last_work = Instant::now();
                nap = Duration::ZERO;
                continue;
            }
            if last_work.elapsed() < LOOK_ON {
                std::thread::yield_now();
                continue;
            }
            // Whoever writes an index after this look sees that the thread sleeps, and wakes it.
            self.asleep.store(true, Ordering::SeqCst);
            fence(Ordering::SeqCst);
            let found = look();
            if found.step == Step::Progress {
                self.asleep.store(false, Ordering::SeqCst);
                continue;
            }
            nap = if found.step == Step::Waiting {
                (nap * 2).clamp(WAITING_NAP.0, WAITING_NAP.1)
            } else {
                // Who has been busy until now will be again soon.
                (last_work.elapsed() / NAP_SHARE).clamp(IDLE_NAP.0, IDLE_NAP.1)
            };
            if found.empty {
                parker.park();
            } else {
                parker.park_timeout(nap);
            }
            if !self.asleep.swap(false, Ordering::SeqCst) {
                // Someone woke the thread: there is work, or there will be.
                last_work = Instant::now();
                nap = Duration::ZERO;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn a_queue_that_panics_stops_and_the_others_go_on() {
        let queues: Vec<_> = (0..3).map(Arc::new).collect();
        let (taken, failed) = (RefCell::new([0; 3]), RefCell::new(Vec::new()));
        let look = look(
            &queues,
            |queue| {
                taken.borrow_mut()[**queue] += 1;
                assert_ne!(**queue, 1, "queue 1 is bad");
                Step::Progress
            },
            |queue, text| {
                failed.borrow_mut().push((**queue, text));
                panic!("in the telling");
            },
        );
        assert_eq!((look.step, look.empty), (Step::Progress, false));
        assert_eq!(*taken.borrow(), [BATCH, 1, BATCH]);
        let failed = failed.borrow();
        assert_eq!((failed.len(), failed[0].0), (1, 1));
        assert!(failed[0].1.contains("queue 1 is bad"), "{failed:?}");
    }

    #[test]
    fn a_thread_outlives_a_panic_and_ends_when_it_shall() {
        let watch = Arc::new(Watch::new());
        let (sender, receiver) = std::sync::mpsc::channel();
        let mut looks = 0;
        let look = move || {
            looks += 1;
            let _ = sender.send(looks);
            assert_ne!(looks, 1, "the first look");
            Look { step: Step::Idle, empty: false }
        };
        watch.start("test".to_owned(), look).unwrap();
        let second = receiver.iter().take(2).last();
        watch.shut_down();
        assert_eq!(second, Some(2));
    }

    #[test]
    fn comparisons_of_packets() {
        for (function, results) in [
            (0, [true, true, true]),
            (1, [true, false, false]),
            (2, [true, true, false]),
            (3, [false, true, false]),
            (4, [true, false, true]),
            (5, [false, true, true]),
            (6, [false, false, true]),
        ] {
            assert_eq!([4, 5, 6].map(|value| holds(function, value, 5)), results.map(Some), "{function}");
        }
        assert_eq!(holds(7, 1, 1), None);
    }
}
