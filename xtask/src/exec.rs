//! Running other programs: quietly, loudly, and with a limit of time.

use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

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

/// Runs a program to its end or to the limit, at which it is killed.
pub fn limited(command: &mut Command, limit: Duration) -> Result<Ended, Error> {
    let began = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(start(command))?;
    let stdout = collect(child.stdout.take());
    let stderr = collect(child.stderr.take());
    let mut pause = Duration::from_millis(1);
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Some(status),
            Ok(None) if began.elapsed() < limit => {
                thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(50));
            }
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
        }
    };
    Ok(Ended {
        status,
        stdout: stdout.join().unwrap_or_default(),
        stderr: stderr.join().unwrap_or_default(),
        seconds: began.elapsed().as_secs_f64(),
    })
}

fn collect(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}
