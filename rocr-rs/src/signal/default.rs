//! Default signals: nobody is told of a change, waiters look. They look often at first and then sleep up to 200 µs
//! between looks, so that a long wait costs little.

use std::time::Instant;

use super::{Signal, Wait};
use crate::backoff::Backoff;

pub(super) fn wait(signal: &Signal, wait: &Wait) -> i64 {
    let mut backoff = Backoff::default();
    loop {
        let value = match wait.check(signal) {
            Ok(value) => return value,
            Err(value) => value,
        };
        if wait.left().is_some_and(|left| left.is_zero()) {
            return value;
        }
        if Instant::now() < wait.spin_until {
            std::hint::spin_loop();
        } else {
            backoff.pause();
        }
    }
}
