//! Signals while the command runs: it is the command that they are for. This program stays until the command is over, to
//! remove the files of the devices.

use std::fs;
use std::io;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use signal_hook::iterator::Signals;

/// A terminal sends the first two to the command as well; the others reach us alone, and are passed on.
const ALL: [Signal; 4] = [Signal::SIGINT, Signal::SIGQUIT, Signal::SIGTERM, Signal::SIGHUP];
const PASSED_ON: [Signal; 2] = [Signal::SIGTERM, Signal::SIGHUP];

/// Catches signals from now on. A command started later has them as this program had them: what is caught becomes the
/// default again by execve(2), and what is ignored, as by nohup(1), stays so.
pub fn catch() -> io::Result<Signals> {
    let ignored = ignored(&fs::read_to_string("/proc/self/status").unwrap_or_default());
    Signals::new(ALL.into_iter().filter(|signal| ignored & bit(*signal) == 0).map(|signal| signal as i32))
}

/// Passes on to the command what is for it, from the first signal that was caught.
pub fn pass_on(mut signals: Signals, command: u32) {
    let command = Pid::from_raw(command.cast_signed());
    std::thread::spawn(move || {
        for signal in signals.forever().filter_map(|number| Signal::try_from(number).ok()) {
            if PASSED_ON.contains(&signal) {
                // The command may be over by now.
                let _ = kill(command, signal);
            }
        }
    });
}

/// The mask of ignored signals in a `/proc/PID/status`; see proc_pid_status(5).
fn ignored(status: &str) -> u64 {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

fn bit(signal: Signal) -> u64 {
    1 << (signal as i32 - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_read() {
        let ignored = ignored("Name:\tsh\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000001001\n");
        assert_eq!(ignored, bit(Signal::SIGHUP) | bit(Signal::SIGPIPE));
    }
}
