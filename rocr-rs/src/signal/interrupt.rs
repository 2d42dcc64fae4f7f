//! Interrupt signals: the signal names an event of the driver; who changes the value also sets the event, as
//! [`super::sleepers`] says.
//!
//! Waiters of one signal can wait for different values: the one that an event wakes may not be the one that it is for.
//! So a waiter sleeps in slices while it is not alone.

use std::{
    sync::atomic::{Ordering, fence},
    time::{Duration, Instant},
};

use thunk_rs::{Event, WaitFor};

use super::{
    Signal, Wait,
    sleepers::{self, Sleepers},
};
use crate::backoff::Backoff;

/// Longest sleep while others wait for the same signal.
pub(crate) const SHARED_SLICE: Duration = Duration::from_millis(10);

pub(super) fn wait(signal: &Signal, event: &Event, wait: &Wait) -> i64 {
    let mut backoff = Backoff::default();
    // The clock takes as long as a look: not asked at first.
    while backoff.is_short() || Instant::now() < wait.spin_until {
        if let Ok(value) = wait.check(signal) {
            return value;
        }
        backoff.pause();
    }
    signal.enter_wait();
    let value = loop {
        let value = match wait.check(signal) {
            Ok(value) => break value,
            Err(value) => value,
        };
        let mut sleep = wait.left();
        if sleep.is_some_and(|left| left.is_zero()) {
            break value;
        }
        if signal.is_shared() {
            sleep = Some(sleep.map_or(SHARED_SLICE, |left| left.min(SHARED_SLICE)));
        }
        if signal.inner.core.thunk.wait_events(&[event], WaitFor::Any, sleep).is_err() {
            // The device went away under us: look at the value now and then.
            std::thread::sleep(Duration::from_millis(1));
        }
    };
    signal.leave_wait();
    value
}

impl Signal {
    /// Counts a sleeper.
    pub(crate) fn enter_wait(&self) {
        sleepers::enter(self);
    }

    /// Counts a sleeper out, and passes the wake-up on to those that are left.
    pub(crate) fn leave_wait(&self) {
        sleepers::leave(self);
    }

    /// Whether more than one thread sleeps on this signal.
    pub(crate) fn is_shared(&self) -> bool {
        self.inner.waiters.load(Ordering::Relaxed) > 1
    }

    /// The driver's event; `None` for a default signal.
    pub(crate) fn event(&self) -> Option<&Event> {
        self.inner.event.as_ref()
    }

    /// Wakes the sleepers, if there are any.
    pub(super) fn wake(&self) {
        if self.inner.event.is_some() {
            sleepers::wake(self);
        }
    }
}

impl Sleepers for Signal {
    fn add(&self, order: Ordering) -> u32 {
        self.inner.waiters.fetch_add(1, order)
    }
    fn sub(&self, order: Ordering) -> u32 {
        self.inner.waiters.fetch_sub(1, order)
    }
    fn count(&self, order: Ordering) -> u32 {
        self.inner.waiters.load(order)
    }
    fn fence(&self, order: Ordering) {
        fence(order);
    }
    fn set_event(&self) {
        if let Some(event) = &self.inner.event
            && let Err(error) = self.inner.core.thunk.set_event(event)
        {
            tracing::debug!(%error, "a waiter was not woken");
        }
    }
}
