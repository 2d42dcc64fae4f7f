//! A thread that waits for many signals at once and calls their handlers (`hsa_amd_signal_async_handler`).
//!
//! The runtime has one for itself (queues that stop, faults of agents) and, when they are first needed, one for the
//! program's handlers and one for copies that wait: a program's handler that takes its time, or waits for a copy, does not
//! keep a queue from its scratch memory or the copy from being made.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::JoinHandle,
    time::Duration,
};

use hsa_sys::SignalCondition;
use parking_lot::Mutex;
use thunk_rs::{Event, WaitFor, WaitOutcome};

use super::{Signal, SignalKind, interrupt::SHARED_SLICE};
use crate::{Error, core::Core};

/// How often signals without an event are looked at.
const POLL: Duration = Duration::from_millis(1);

type Call = Box<dyn FnMut(i64) -> bool + Send>;

struct Handler {
    id: u64,
    signal: Signal,
    condition: SignalCondition,
    compare: i64,
    call: Call,
}

enum Order {
    Add(Handler),
    Remove(u64),
}

/// Events besides the signals', and what is done with a wait's outcome when one of them may be set.
pub(crate) struct Watch {
    pub(crate) events: Vec<Event>,
    pub(crate) on_wake: Box<dyn Fn(&WaitOutcome) + Send>,
}

struct Shared {
    core: Arc<Core>,
    orders: Mutex<Vec<Order>>,
    next_id: AtomicU64,
    wake: Signal,
    stop: AtomicBool,
}

/// The thread. It ends when this is dropped.
pub(crate) struct AsyncThread {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl AsyncThread {
    pub(crate) fn start(core: &Arc<Core>, name: &str, watch: Option<Watch>) -> Result<Self, Error> {
        let shared = Arc::new(Shared {
            core: core.clone(),
            orders: Mutex::default(),
            next_id: AtomicU64::new(1),
            wake: Signal::with_core(core, 0, SignalKind::Interrupt)?,
            stop: AtomicBool::new(false),
        });
        // Counted before the thread runs, so that no order is missed.
        shared.wake.enter_wait();
        let thread = std::thread::Builder::new()
            .name(name.to_owned())
            .spawn({
                let shared = shared.clone();
                move || shared.run(watch)
            })
            .map_err(Error::Thread)?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Calls `call` whenever `condition` holds, as long as it returns `true`.
    pub(crate) fn add(&self, signal: Signal, condition: SignalCondition, compare: i64, call: Call) -> u64 {
        let id = self.shared.next_id.fetch_add(1, Ordering::Relaxed);
        signal.enter_wait();
        self.shared.order(Order::Add(Handler { id, signal, condition, compare, call }));
        id
    }

    /// Removes a handler; it may still be called once if it is due just now.
    pub(crate) fn remove(&self, id: u64) {
        self.shared.order(Order::Remove(id));
    }
}

impl Drop for AsyncThread {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        self.shared.wake.add(1, Ordering::SeqCst);
        if let Some(thread) = self.thread.take()
            && thread.thread().id() != std::thread::current().id()
        {
            // A handler's panic was printed when it happened.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn order(&self, order: Order) {
        self.orders.lock().push(order);
        self.wake.add(1, Ordering::SeqCst);
    }

    fn run(&self, watch: Option<Watch>) {
        let mut handlers: Vec<Handler> = Vec::new();
        let mut seen = 0;
        while !self.stop.load(Ordering::SeqCst) {
            let wakes = self.wake.load(Ordering::SeqCst);
            for order in std::mem::take(&mut *self.orders.lock()) {
                match order {
                    Order::Add(handler) => handlers.push(handler),
                    Order::Remove(id) => handlers.retain(|handler| {
                        let keep = handler.id != id;
                        if !keep {
                            handler.signal.leave_wait();
                        }
                        keep
                    }),
                }
            }
            let mut called = false;
            handlers.retain_mut(|handler| {
                let value = handler.signal.load(Ordering::Acquire);
                if !handler.condition.holds(value, handler.compare) {
                    return true;
                }
                called = true;
                // A handler that panics has printed why; it is not called again, and the thread goes on.
                let keep = catch_unwind(AssertUnwindSafe(|| (handler.call)(value))).unwrap_or(false);
                if !keep {
                    handler.signal.leave_wait();
                }
                keep
            });
            if called || wakes != seen {
                seen = wakes;
                continue;
            }
            let sleep = handlers
                .iter()
                .map(|handler| &handler.signal)
                .chain([&self.wake])
                .filter_map(|signal| match signal.event() {
                    None => Some(POLL),
                    Some(_) => signal.is_shared().then_some(SHARED_SLICE),
                })
                .min();
            let events: Vec<&Event> = handlers
                .iter()
                .filter_map(|handler| handler.signal.event())
                .chain(self.wake.event())
                .chain(watch.iter().flat_map(|watch| &watch.events))
                .collect();
            match self.core.thunk.wait_events(&events, WaitFor::Any, sleep) {
                Ok(outcome) => {
                    if let Some(watch) = &watch {
                        // Fault handlers are the program's: one that panics has printed why, and queues still need
                        // this thread.
                        let _ = catch_unwind(AssertUnwindSafe(|| (watch.on_wake)(&outcome)));
                    }
                }
                Err(error) => {
                    tracing::debug!(%error, "waiting for events failed");
                    std::thread::sleep(POLL);
                }
            }
        }
        self.wake.leave_wait();
        for handler in handlers {
            handler.signal.leave_wait();
        }
    }
}
