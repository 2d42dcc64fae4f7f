//! Who sleeps on a signal, and who wakes them: the protocol, apart from the event that it is played on.
//!
//! A device stores an event's ID to its mailbox and raises an interrupt, always. A host sets the event only when someone
//! sleeps: a waiter counts itself before it looks at the value for the last time, and who changes the value looks at the
//! count after that, so either the waiter sees the new value or the changer sees the waiter. Each side has a sequentially
//! consistent fence between its write and its read; without one of them both could miss the other.
//!
//! Events reset themselves, and one that is set wakes one sleeper only. A waiter that leaves sets the event again when
//! others are left. Where the atomics are is the business of [`Sleepers`], so that loom can run all interleavings.

use std::sync::atomic::Ordering;

/// The sleepers of one signal.
pub(crate) trait Sleepers {
    /// Adds to their number; returns the one from before.
    fn add(&self, order: Ordering) -> u32;
    /// Subtracts one from it; returns the one from before.
    fn sub(&self, order: Ordering) -> u32;
    /// How many there are.
    fn count(&self, order: Ordering) -> u32;
    /// `std::sync::atomic::fence`
    fn fence(&self, order: Ordering);
    /// Wakes one of them, or the next that comes.
    fn set_event(&self);
}

/// Counts a sleeper, who then looks at the value before it sleeps.
pub(crate) fn enter(sleepers: &impl Sleepers) {
    sleepers.add(Ordering::SeqCst);
    sleepers.fence(Ordering::SeqCst);
}

/// Counts a sleeper out, and passes the wake-up on to those that are left.
pub(crate) fn leave(sleepers: &impl Sleepers) {
    if sleepers.sub(Ordering::SeqCst) > 1 {
        sleepers.set_event();
    }
}

/// After a change of the value: wakes the sleepers, if there are any.
pub(crate) fn wake(sleepers: &impl Sleepers) {
    sleepers.fence(Ordering::SeqCst);
    if sleepers.count(Ordering::SeqCst) > 0 {
        sleepers.set_event();
    }
}

#[cfg(test)]
mod tests {
    use loom::sync::atomic::{AtomicI64, AtomicU32, fence};
    use loom::sync::{Arc, Condvar, Mutex};
    use loom::thread;

    use super::*;

    /// A signal whose event lies in ordinary memory.
    struct Model {
        value: AtomicI64,
        sleepers: AtomicU32,
        event: Mutex<bool>,
        is_set: Condvar,
    }

    impl Model {
        fn new() -> Arc<Model> {
            Arc::new(Model {
                value: AtomicI64::new(0),
                sleepers: AtomicU32::new(0),
                event: Mutex::new(false),
                is_set: Condvar::new(),
            })
        }

        /// Waits as hosts do, without a limit of time: a wake-up that is lost is a deadlock, which loom finds.
        fn wait_until(&self, value: i64) {
            enter(self);
            while self.value.load(Ordering::Acquire) != value {
                let mut set = self.event.lock().unwrap();
                while !*set {
                    set = self.is_set.wait(set).unwrap();
                }
                *set = false;
            }
            leave(self);
        }

        fn store(&self, value: i64) {
            self.value.store(value, Ordering::Release);
            wake(self);
        }
    }

    impl Sleepers for Model {
        fn add(&self, order: Ordering) -> u32 {
            self.sleepers.fetch_add(1, order)
        }
        fn sub(&self, order: Ordering) -> u32 {
            self.sleepers.fetch_sub(1, order)
        }
        fn count(&self, order: Ordering) -> u32 {
            self.sleepers.load(order)
        }
        fn fence(&self, order: Ordering) {
            fence(order);
        }
        fn set_event(&self) {
            *self.event.lock().unwrap() = true;
            self.is_set.notify_one();
        }
    }

    /// One waiter, one change: every interleaving.
    #[test]
    fn no_wake_up_is_lost() {
        loom::model(|| {
            let signal = Model::new();
            let waiter = thread::spawn({
                let signal = signal.clone();
                move || signal.wait_until(1)
            });
            signal.store(1);
            waiter.join().unwrap();
        });
    }

    /// One event for two waiters, as the one that is woken passes it on: every interleaving with up to two preemptions.
    #[test]
    fn a_wake_up_reaches_all() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(2);
        model.check(|| {
            let signal = Model::new();
            let waiters = [(), ()].map(|()| {
                let signal = signal.clone();
                thread::spawn(move || signal.wait_until(1))
            });
            signal.store(1);
            for waiter in waiters {
                waiter.join().unwrap();
            }
        });
    }
}
