//! Signals while the command runs: it is the command that they are for. This program stays until the command is over, to
//! remove the files of the devices.

use nix::sys::signal::{SigSet, Signal, kill};
use nix::unistd::Pid;

/// A terminal sends the first two to the command as well; the others reach us alone, and are passed on.
const ALL: [Signal; 4] = [Signal::SIGINT, Signal::SIGQUIT, Signal::SIGTERM, Signal::SIGHUP];
const PASSED_ON: [Signal; 2] = [Signal::SIGTERM, Signal::SIGHUP];

/// Holds signals up from now on, for this program and for what it starts afterwards.
pub fn hold() -> SigSet {
    let signals: SigSet = ALL.into_iter().collect();
    // Who cannot hold them up ends with them, as he would have.
    let _ = signals.thread_block();
    signals
}

/// Takes what comes, and passes on to the command what is for it.
pub fn pass_on(signals: SigSet, command: u32) {
    let command = Pid::from_raw(command.cast_signed());
    std::thread::spawn(move || {
        while let Ok(signal) = signals.wait() {
            if PASSED_ON.contains(&signal) {
                // The command may be over by now.
                let _ = kill(command, signal);
            }
        }
    });
}
