//! Waiting for one of several signals (`hsa_amd_signal_wait_any`, `hsa_signal_group_wait_any_…`) or for all of them.

use std::{
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use hsa_sys::{SignalCondition, WaitState};
use thunk_rs::{Event, WaitFor};

use super::{SPIN_ACTIVE, SPIN_BLOCKED, Signal, interrupt::SHARED_SLICE};
use crate::backoff::Backoff;

/// How often signals without an event are looked at.
const POLL: Duration = Duration::from_micros(200);

/// A signal with what is waited for.
#[derive(Debug, Clone)]
pub struct SignalWait {
    /// The signal.
    pub signal: Signal,
    /// How its value is compared.
    pub condition: SignalCondition,
    /// With what.
    pub compare: i64,
}

impl SignalWait {
    /// The value, if it is what is waited for.
    fn met(&self) -> Option<i64> {
        let value = self.signal.load(Ordering::Acquire);
        self.condition.holds(value, self.compare).then_some(value)
    }
}

impl Signal {
    /// Waits until one of the signals meets its condition: its index, and the value that met it. `None` after `timeout`.
    pub fn wait_any(
        waits: &[SignalWait],
        timeout: Option<Duration>,
        hint: WaitState,
    ) -> Option<(usize, i64)> {
        let met = || waits.iter().enumerate().find_map(|(at, wait)| wait.met().map(|value| (at, value)));
        wait_for(waits, timeout, hint, met)
    }

    /// Waits until every signal meets its condition, which need not be at one moment: the values. `None` after `timeout`.
    pub fn wait_all(waits: &[SignalWait], timeout: Option<Duration>, hint: WaitState) -> Option<Vec<i64>> {
        let start = Instant::now();
        let mut values = Vec::with_capacity(waits.len());
        for wait in waits {
            let left = timeout.map(|timeout| timeout.saturating_sub(start.elapsed()));
            let (_, value) = Signal::wait_any(std::slice::from_ref(wait), left, hint)?;
            values.push(value);
        }
        Some(values)
    }
}

fn wait_for<T>(
    waits: &[SignalWait],
    timeout: Option<Duration>,
    hint: WaitState,
    met: impl Fn() -> Option<T>,
) -> Option<T> {
    if let Some(found) = met() {
        return Some(found);
    }
    let core = &waits.first()?.signal.inner.core;
    let start = Instant::now();
    let deadline = timeout.and_then(|timeout| start.checked_add(timeout));
    let left = || deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
    let spin = start + if hint == WaitState::ACTIVE { SPIN_ACTIVE } else { SPIN_BLOCKED };
    let mut backoff = Backoff::default();
    while Instant::now() < spin {
        if let Some(found) = met() {
            return Some(found);
        }
        backoff.pause();
    }
    waits.iter().for_each(|wait| wait.signal.enter_wait());
    let found = loop {
        if let Some(found) = met() {
            break Some(found);
        }
        let rest = left();
        if rest.is_some_and(|rest| rest.is_zero()) {
            break None;
        }
        let events: Vec<&Event> = waits.iter().filter_map(|wait| wait.signal.event()).collect();
        let slice = if events.len() < waits.len() {
            Some(POLL)
        } else {
            waits.iter().any(|wait| wait.signal.is_shared()).then_some(SHARED_SLICE)
        };
        let sleep = match (rest, slice) {
            (Some(rest), Some(slice)) => Some(rest.min(slice)),
            (rest, slice) => rest.or(slice),
        };
        if events.is_empty() {
            std::thread::sleep(sleep.unwrap_or(POLL));
        } else if core.thunk.wait_events(&events, WaitFor::Any, sleep).is_err() {
            std::thread::sleep(Duration::from_millis(1));
        }
    };
    waits.iter().for_each(|wait| wait.signal.leave_wait());
    found
}
