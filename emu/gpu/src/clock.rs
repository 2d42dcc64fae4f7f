//! The device's clock: 100 MHz, counted from the host's monotonic clock so that both can be related.

use nix::time::{ClockId, clock_gettime};

/// Nanoseconds of one tick of the GPU's reference clock.
const NANOS_PER_TICK: u64 = 10;

fn nanos(clock: ClockId) -> u64 {
    clock_gettime(clock).map_or(0, |time| {
        let seconds = u64::try_from(time.tv_sec()).unwrap_or(0);
        seconds.wrapping_mul(1_000_000_000).wrapping_add(u64::try_from(time.tv_nsec()).unwrap_or(0))
    })
}

/// `CLOCK_MONOTONIC_RAW`
pub(crate) fn monotonic_nanos() -> u64 {
    nanos(ClockId::CLOCK_MONOTONIC_RAW)
}

/// `CLOCK_MONOTONIC_COARSE`: goes on every few milliseconds, and costs next to nothing to ask.
pub(crate) fn coarse_nanos() -> u64 {
    nanos(ClockId::CLOCK_MONOTONIC_COARSE)
}

/// `CLOCK_BOOTTIME`
pub(crate) fn boot_nanos() -> u64 {
    nanos(ClockId::CLOCK_BOOTTIME)
}

/// Ticks of the GPU's clock at a monotonic time.
pub(crate) const fn ticks_of(nanos: u64) -> u64 {
    nanos / NANOS_PER_TICK
}

/// Ticks of the GPU's clock now.
pub(crate) fn gpu_ticks() -> u64 {
    ticks_of(monotonic_nanos())
}
