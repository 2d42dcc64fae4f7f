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
        look: impl FnMut() -> Look + Send + 'static,
    ) -> Result<(), Errno> {
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
