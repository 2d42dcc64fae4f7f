//! A pause in a loop that waits for another thread or the device.

use std::{hint::spin_loop, thread, time::Duration};

/// Rounds before others may run.
const SPINS: u32 = 64;
/// Rounds before the thread sleeps.
const YIELDS: u32 = SPINS + 26;

/// Short at first, and many times so, since what is waited for often comes within a microsecond; then the thread lets others
/// run, then it sleeps, up to 200 µs.
#[derive(Debug, Default)]
pub(crate) struct Backoff {
    rounds: u32,
}

impl Backoff {
    /// Whether the next pause is one of the short ones.
    pub(crate) fn is_short(&self) -> bool {
        self.rounds < SPINS
    }

    /// Waits a little, longer each time.
    pub(crate) fn pause(&mut self) {
        match self.rounds {
            0..SPINS => spin_loop(),
            SPINS..YIELDS => thread::yield_now(),
            _ => thread::sleep(Duration::from_micros(20 * u64::from((self.rounds - YIELDS + 1).min(10)))),
        }
        self.rounds = self.rounds.saturating_add(1);
    }
}
