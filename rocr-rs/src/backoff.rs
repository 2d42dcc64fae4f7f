//! A pause in a loop that waits for another thread or the device.

use std::{hint::spin_loop, thread, time::Duration};

/// Short at first, then the thread lets others run, then it sleeps, up to 200 µs.
#[derive(Debug, Default)]
pub(crate) struct Backoff {
    rounds: u32,
}

impl Backoff {
    /// Waits a little, longer each time.
    pub(crate) fn pause(&mut self) {
        match self.rounds {
            0..6 => (0..1 << self.rounds).for_each(|_| spin_loop()),
            6..32 => thread::yield_now(),
            _ => thread::sleep(Duration::from_micros(20 * u64::from((self.rounds - 31).min(10)))),
        }
        self.rounds = self.rounds.saturating_add(1);
    }
}
