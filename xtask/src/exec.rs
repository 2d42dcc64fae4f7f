//! Running other programs: quietly, loudly, and with a limit of time.

use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use crate::error::Error;

/// The command line, as a person would type it; variables that are set on it come first.
pub fn line(command: &Command) -> String {
    let vars = command.get_envs().filter_map(|(name, value)| {
        Some(format!("{}={}", name.to_string_lossy(), quote(&value?.to_string_lossy())))
    });
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    vars.chain(words.map(|word| quote(&word.to_string_lossy()))).collect::<Vec<_>>().join(" ")
}

fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Runs a program with its output kept; a failure carries that output.
pub fn quiet(command: &mut Command) -> Result<Output, Error> {
    let output = command.stdin(Stdio::null()).output().map_err(start(command))?;
    if output.status.success() {
        return Ok(output);
    }
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    Err(Error::Failed { command: line(command), status: describe(output.status), output: text })
}

/// Runs a program and returns what it wrote to stdout.
pub fn text(command: &mut Command) -> Result<String, Error> {
    quiet(command).map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a program whose stdout goes to our stderr, so that our own stdout stays what was asked for.
pub fn loud(command: &mut Command) -> Result<(), Error> {
    let stderr = std::io::stderr();
    let status =
        command.stdin(Stdio::null()).stdout(stderr_copy(&stderr)).status().map_err(start(command))?;
    if status.success() {
        return Ok(());
    }
    Err(Error::Failed { command: line(command), status: describe(status), output: String::new() })
}

fn stderr_copy(stderr: &std::io::Stderr) -> Stdio {
    use std::os::fd::AsFd;
    stderr.as_fd().try_clone_to_owned().map_or_else(|_| Stdio::null(), Stdio::from)
}

/// Names the program that could not be started.
pub fn start(command: &Command) -> impl FnOnce(std::io::Error) -> Error + use<> {
    let program = command.get_program().to_string_lossy().into_owned();
    move |source| Error::Start { program, source }
}

/// An exit status in words.
pub fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit status {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => status.to_string(),
    }
}

/// What became of a program that ran under a limit.
pub struct Ended {
    /// Its status; none when the time ran out.
    pub status: Option<ExitStatus>,
    /// What it wrote to stdout.
    pub stdout: String,
    /// What it wrote to stderr.
    pub stderr: String,
    /// How long it ran.
    pub seconds: f64,
}

/// Between asking a program to end and killing it.
const GRACE: Duration = Duration::from_secs(5);

/// Runs a program to its end or to the limit, at which it is ended with all programs that it started. It has not come
/// to its end while one of those holds stdout or stderr open.
pub fn limited(command: &mut Command, limit: Duration) -> Result<Ended, Error> {
    with_grace(command, limit, GRACE)
}

fn with_grace(command: &mut Command, limit: Duration, grace: Duration) -> Result<Ended, Error> {
    let began = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // A group of its own, whose members can be ended together.
        .process_group(0)
        .spawn()
        .map_err(start(command))?;
    let pipes = [Pipe::read(child.stdout.take()), Pipe::read(child.stderr.take())];
    let mut status = ended(&mut child, &pipes, limit);
    if status.is_none() {
        let group = Pid::from_raw(child.id().cast_signed());
        // The group may be gone by now.
        let _ = killpg(group, Signal::SIGTERM);
        let _ = ended(&mut child, &pipes, grace);
        let _ = killpg(group, Signal::SIGKILL);
        // Not for ever: who has left the group may still hold a pipe.
        let _ = ended(&mut child, &pipes, grace);
        status = None;
    }
    let [stdout, stderr] = pipes.map(|pipe| pipe.text());
    Ok(Ended { status, stdout, stderr, seconds: began.elapsed().as_secs_f64() })
}

/// Waits for the end of a program and of what it writes; none when the time runs out first.
fn ended(child: &mut Child, pipes: &[Pipe; 2], limit: Duration) -> Option<ExitStatus> {
    let began = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        match child.try_wait() {
            Ok(Some(status)) if pipes.iter().all(|pipe| pipe.thread.is_finished()) => return Some(status),
            Ok(_) if began.elapsed() < limit => {
                thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(50));
            }
            _ => return None,
        }
    }
}

/// What a program writes, read by a thread.
struct Pipe {
    thread: thread::JoinHandle<()>,
    bytes: Arc<Mutex<Vec<u8>>>,
}

impl Pipe {
    fn read(mut pipe: Option<impl Read + Send + 'static>) -> Pipe {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let sink = bytes.clone();
        let thread = thread::spawn(move || {
            let mut part = [0; 1 << 14];
            while let Some(n) = pipe.as_mut().and_then(|pipe| pipe.read(&mut part).ok()).filter(|n| *n > 0) {
                sink.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(&part[..n]);
            }
        });
        Pipe { thread, bytes }
    }

    /// What was written so far.
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: u64, grace: u64) -> (Ended, Duration) {
        let began = Instant::now();
        let mut sh = Command::new("sh");
        let [limit, grace] = [limit, grace].map(Duration::from_millis);
        let ended = with_grace(sh.args(["-c", script]), limit, grace).unwrap();
        (ended, began.elapsed())
    }

    #[test]
    fn at_the_limit_everything_that_was_started_ends() {
        let (ended, took) = shell("sleep 1000 & wait", 100, 60_000);
        assert!(ended.status.is_none() && took < Duration::from_secs(30), "{took:?}");
    }

    #[test]
    fn what_does_not_heed_sigterm_is_killed() {
        let (ended, took) = shell("trap '' TERM; echo deaf; sleep 1000 & wait; sleep 1000", 100, 200);
        assert!(ended.status.is_none() && took < Duration::from_secs(30), "{took:?}");
        assert_eq!(ended.stdout, "deaf\n");
    }

    #[test]
    fn a_program_that_leaves_another_behind_is_not_over() {
        let (ended, took) = shell("echo left; sleep 1000 &", 100, 60_000);
        assert!(ended.status.is_none() && took < Duration::from_secs(30), "{took:?}");
        assert_eq!(ended.stdout, "left\n");
    }

    #[test]
    fn an_end_before_the_limit_has_its_status() {
        let (ended, _) = shell("echo out; echo err >&2; exit 3", 60_000, 60_000);
        assert_eq!(ended.status.and_then(|status| status.code()), Some(3));
        assert_eq!((ended.stdout.as_str(), ended.stderr.as_str()), ("out\n", "err\n"));
    }
}
