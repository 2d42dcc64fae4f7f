//! Signals (`hsa.h` section 2.4): a 64-bit value that hosts and agents change, and that anyone can wait for.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use hsa_sys::{DispatchTime, SignalCondition, SignalHandle, WaitState};

use crate::{Agent, Error, Runtime};

/// How a waiter learns of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SignalKind {
    /// By looking. The cheapest to create, and for the device to change.
    Default,
    /// By an event of the driver: waiters sleep.
    Interrupt,
}

/// A signal. Cloning is cheap; the signal goes when the last clone does, so keep one while a packet that names it is
/// not complete.
#[derive(Debug, Clone)]
pub struct Signal {
    handle: SignalHandle,
}

impl Signal {
    /// A signal with value `initial`.
    pub fn new(runtime: &Arc<Runtime>, initial: i64, kind: SignalKind) -> Result<Self, Error> {
        let _ = (runtime, initial, kind);
        Err(Error::Driver { what: "signal", why: String::new() })
    }
    /// What packets and kernels are given.
    pub fn handle(&self) -> SignalHandle {
        self.handle
    }
    /// The value.
    pub fn load(&self, order: Ordering) -> i64 {
        let _ = order;
        0
    }
    /// Sets the value.
    pub fn store(&self, value: i64, order: Ordering) {
        let _ = (value, order);
    }
    /// Sets the value without waking waiters that sleep.
    pub fn silent_store(&self, value: i64, order: Ordering) {
        let _ = (value, order);
    }
    /// Adds, and returns the value from before.
    pub fn add(&self, value: i64, order: Ordering) -> i64 {
        let _ = (value, order);
        0
    }
    /// Subtracts, and returns the value from before.
    pub fn sub(&self, value: i64, order: Ordering) -> i64 {
        let _ = (value, order);
        0
    }
    /// Bitwise and; returns the value from before.
    pub fn and(&self, value: i64, order: Ordering) -> i64 {
        let _ = (value, order);
        0
    }
    /// Bitwise or; returns the value from before.
    pub fn or(&self, value: i64, order: Ordering) -> i64 {
        let _ = (value, order);
        0
    }
    /// Bitwise exclusive or; returns the value from before.
    pub fn xor(&self, value: i64, order: Ordering) -> i64 {
        let _ = (value, order);
        0
    }
    /// Sets the value, and returns the one from before.
    pub fn exchange(&self, value: i64, order: Ordering) -> i64 {
        let _ = (value, order);
        0
    }
    /// Sets the value if it is `expected`; returns the one from before.
    pub fn cas(&self, expected: i64, value: i64, order: Ordering) -> i64 {
        let _ = (expected, value, order);
        0
    }
    /// Waits until `condition` holds against `compare`, or `timeout` is over (`None`: no end), and returns the value
    /// seen last.
    pub fn wait(
        &self,
        condition: SignalCondition,
        compare: i64,
        timeout: Option<Duration>,
        hint: WaitState,
    ) -> i64 {
        let _ = (condition, compare, timeout, hint);
        0
    }
    /// When the packet that this signal completed ran, in the runtime's clock; zeros when its queue does not profile.
    pub fn dispatch_time(&self, agent: &Agent) -> DispatchTime {
        let _ = agent;
        DispatchTime::default()
    }
}
