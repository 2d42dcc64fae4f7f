//! One-shot completions: a place in a stream's order that the host or another stream can wait for.
//!
//! Signals are recycled: the pool takes one back when the last holder of a marker lets go, and everything that
//! submits a packet with a marker's signal holds the marker until that packet is done.

use crate::error::{Result, reported};
use hip_sys::hipError_t;
use parking_lot::Mutex;
use rocr_rs::{Agent, Signal, SignalCondition, SignalHandle, SignalKind, WaitState};
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

/// Signals of a device that are free.
#[derive(Debug)]
pub struct MarkerPool {
    agent: Agent,
    free: Mutex<Vec<Signal>>,
}

/// A completion: its signal goes from 1 to 0.
#[derive(Debug)]
pub struct Marker {
    pool: Arc<MarkerPool>,
    signal: Signal,
    time: OnceLock<u64>,
    failure: OnceLock<hipError_t>,
}

impl MarkerPool {
    /// An empty pool.
    pub fn new(agent: Agent) -> Arc<Self> {
        Arc::new(Self { agent, free: Mutex::new(Vec::new()) })
    }

    /// A marker that is not reached.
    pub fn take(self: &Arc<Self>) -> Result<Arc<Marker>> {
        let signal = match self.free.lock().pop() {
            Some(signal) => signal,
            None => Signal::new(self.agent.runtime(), 1, SignalKind::Interrupt)
                .map_err(|error| reported("signal of an event", &error))?,
        };
        signal.store(1, Ordering::Release);
        Ok(Arc::new(Marker { pool: self.clone(), signal, time: OnceLock::new(), failure: OnceLock::new() }))
    }

    /// A marker that is reached now.
    pub fn reached(self: &Arc<Self>) -> Result<Arc<Marker>> {
        let marker = self.take()?;
        let _ = marker.time.set(self.agent.runtime().timestamp());
        marker.signal.store(0, Ordering::Release);
        Ok(marker)
    }
}

impl Marker {
    /// What a packet takes.
    pub fn handle(&self) -> SignalHandle {
        self.signal.handle()
    }

    /// Whether it is reached.
    pub fn is_reached(&self) -> bool {
        self.signal.load(Ordering::Acquire) <= 0
    }

    /// Reaches it from the host.
    pub fn reach(&self) {
        let _ = self.time.set(self.pool.agent.runtime().timestamp());
        self.signal.store(0, Ordering::Release);
    }

    /// Reaches it because the work before it failed.
    pub fn fail(&self, error: Option<hipError_t>) {
        if let Some(error) = error {
            let _ = self.failure.set(error);
        }
        self.reach();
    }

    /// Waits for it, and returns the error of the work before it.
    pub fn wait(&self) -> Result {
        self.signal.wait(SignalCondition::LT, 1, None, WaitState::BLOCKED);
        self.result()
    }

    /// The error of the work before it.
    pub fn result(&self) -> Result {
        self.failure.get().map_or(Ok(()), |error| Err(*error))
    }

    /// When it was reached, in ticks of the runtime's clock.
    pub fn time(&self) -> u64 {
        *self.time.get_or_init(|| {
            let end = self.signal.dispatch_time(&self.pool.agent).end;
            if end == 0 { self.pool.agent.runtime().timestamp() } else { end }
        })
    }
}

impl Drop for Marker {
    fn drop(&mut self) {
        // One that is not reached may still be named by a packet of a queue that stopped: its signal is not reused.
        if self.is_reached() {
            self.pool.free.lock().push(self.signal.clone());
        }
    }
}
