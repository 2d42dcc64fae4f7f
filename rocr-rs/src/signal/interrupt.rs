//! Interrupt signals: the signal names an event of the driver; who changes the value also sets the event.
//!
//! A device stores the event's ID to the mailbox and raises an interrupt. A host sets the event, but only when someone
//! sleeps: a waiter counts itself before it looks at the value for the last time, so either the waiter sees the new
//! value or the changer sees the waiter (both sides with sequentially consistent order).
//!
//! Events reset themselves, and one that is set while nobody sleeps wakes one sleeper only. So that two waiters of a
//! signal do not lose each other's wake-up, a waiter that leaves sets the event again when others are left, and
//! sleeps in slices while it is not alone.

use std::{
    sync::atomic::{Ordering, fence},
    time::{Duration, Instant},
};

use thunk_rs::{Event, WaitFor};

use super::{Signal, Wait};
use crate::backoff::Backoff;

/// Longest sleep while others wait for the same signal.
pub(crate) const SHARED_SLICE: Duration = Duration::from_millis(10);

pub(super) fn wait(signal: &Signal, event: &Event, wait: &Wait) -> i64 {
    let mut backoff = Backoff::default();
    while Instant::now() < wait.spin_until {
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
        self.inner.waiters.fetch_add(1, Ordering::SeqCst);
        fence(Ordering::SeqCst);
    }

    /// Counts a sleeper out, and passes the wake-up on to those that are left.
    pub(crate) fn leave_wait(&self) {
        if self.inner.waiters.fetch_sub(1, Ordering::SeqCst) > 1 {
            self.set_event();
        }
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
        if self.inner.event.is_none() {
            return;
        }
        fence(Ordering::SeqCst);
        if self.inner.waiters.load(Ordering::SeqCst) > 0 {
            self.set_event();
        }
    }

    fn set_event(&self) {
        if let Some(event) = &self.inner.event
            && let Err(error) = self.inner.core.thunk.set_event(event)
        {
            tracing::debug!(%error, "a waiter was not woken");
        }
    }
}
