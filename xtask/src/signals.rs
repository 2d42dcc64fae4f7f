//! Signals that end this program end what it has started as well: programs that run under a limit are in groups of their
//! own, which a terminal does not reach.

use std::fs;
use std::thread;

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use signal_hook::iterator::Signals;

use crate::error::Error;

/// A terminal sends the first two to all programs of our own group; the others reach us alone.
const ALL: [Signal; 4] = [Signal::SIGINT, Signal::SIGQUIT, Signal::SIGTERM, Signal::SIGHUP];
const OURS_ALONE: [Signal; 2] = [Signal::SIGTERM, Signal::SIGHUP];

/// From now on the first signal ends children and this program, whose exit status then is 128 + the signal. What is
/// ignored, as by nohup(1), stays so.
pub fn end_together() -> Result<(), Error> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let caught = ALL.into_iter().filter(|signal| !ignores(&status, *signal));
    let mut signals = Signals::new(caught.map(|signal| signal as i32))
        .map_err(|error| Error::Other(format!("cannot handle signals: {error}")))?;
    thread::spawn(move || {
        let Some(number) = signals.forever().next() else { return };
        let alone = OURS_ALONE.iter().any(|signal| *signal as i32 == number);
        for child in children() {
            // Each may be over by now.
            let _ = match child {
                Child::Group(group) => killpg(group, Signal::SIGTERM),
                Child::OfOurs(pid) if alone => kill(pid, Signal::SIGTERM),
                Child::OfOurs(_) => Ok(()),
            };
        }
        std::process::exit(128 + number);
    });
    Ok(())
}

/// Whether the `/proc/PID/status` of a process has the signal among those that are ignored; see proc_pid_status(5).
fn ignores(status: &str, signal: Signal) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal as i32 - 1) & 1 == 1
}

/// A child of this process.
#[derive(Debug, PartialEq)]
enum Child {
    /// It leads a group of its own.
    Group(Pid),
    /// It is in another group, as a rule in ours.
    OfOurs(Pid),
}

fn children() -> Vec<Child> {
    let own = std::process::id().cast_signed();
    let child = |entry: fs::DirEntry| {
        let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        // Behind the name, which ends with the last bracket: state, parent, group; see proc_pid_stat(5).
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(1).map(str::parse::<i32>);
        let (parent, group) = (fields.next()?.ok()?, fields.next()?.ok()?);
        let child = if group == pid { Child::Group } else { Child::OfOurs };
        (parent == own).then(|| child(Pid::from_raw(pid)))
    };
    fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(child).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    use std::process::Command;
    use std::time::Duration;

    use super::*;
    use crate::exec;

    #[test]
    fn children_are_found() {
        let mut leader = Command::new("sleep").arg("1000").process_group(0).spawn().unwrap();
        let mut other = Command::new("sleep").arg("1000").spawn().unwrap();
        let [group, pid] = [&leader, &other].map(|child| Pid::from_raw(child.id().cast_signed()));
        let found = children();
        killpg(group, Signal::SIGKILL).unwrap();
        kill(pid, Signal::SIGKILL).unwrap();
        leader.wait().unwrap();
        other.wait().unwrap();
        assert!(found.contains(&Child::Group(group)) && found.contains(&Child::OfOurs(pid)), "{found:?}");
    }

    #[test]
    fn ignored_signals_are_read() {
        let status = "Name:\tsh\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000001001\n";
        assert!(ignores(status, Signal::SIGHUP) && !ignores(status, Signal::SIGTERM));
    }

    /// Not a test of its own: what the next one sends signals to.
    #[test]
    #[ignore = "started by a_signal_ends_what_was_started"]
    fn a_long_run() {
        end_together().unwrap();
        exec::limited(
            Command::new("sh").args(["-c", "sleep 1000 & echo $! >\"$ROCRS_TEST_PID\"; wait"]),
            Duration::from_secs(60),
        )
        .map(drop)
        .unwrap();
    }

    #[test]
    fn a_signal_ends_what_was_started() {
        // What whoever started this ignores stays ignored.
        let status = fs::read_to_string("/proc/self/status").unwrap();
        for signal in ALL.into_iter().filter(|signal| !ignores(&status, *signal)) {
            let file = std::env::temp_dir().join(format!("xtask-signals-{}-{signal}", std::process::id()));
            let mut test = Command::new(std::env::current_exe().unwrap());
            test.args(["--ignored", "--exact", "signals::tests::a_long_run"]).env("ROCRS_TEST_PID", &file);
            let mut test = test.stdout(std::process::Stdio::null()).spawn().unwrap();
            let grandchild: i32 = loop {
                match fs::read_to_string(&file).unwrap_or_default().trim().parse() {
                    Ok(pid) => break pid,
                    Err(_) => thread::sleep(Duration::from_millis(5)),
                }
            };
            let _ = fs::remove_file(&file);
            kill(Pid::from_raw(test.id().cast_signed()), signal).unwrap();
            let status = test.wait().unwrap();
            assert_eq!(status.code(), Some(128 + signal as i32), "{:?}", status.signal());
            // Over, even where nobody has asked for its status yet.
            let stat = format!("/proc/{grandchild}/stat");
            let gone = || fs::read_to_string(&stat).map_or(true, |stat| stat.contains(") Z "));
            let ended = (0..2000).any(|_| gone() || (thread::sleep(Duration::from_millis(5)), false).1);
            assert!(ended, "{signal}: process {grandchild} is left behind");
        }
    }
}
