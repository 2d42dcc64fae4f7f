//! What the tests with C programs share: building one, and running it on the vendor's library or on ours, on the emulated
//! device behind `/dev/kfd`.
//!
//! They need the linked libraries (`cargo xtask dist`, which `cargo xtask test-gpu` runs and names in `ROCRS_DIST`) and the
//! vendor's (Debian: `apt-get install libhsa-runtime64-1 libhsa-runtime-dev`).

#![allow(dead_code, reason = "no test uses all of it")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Where the linked libraries are, from `ROCRS_DIST`.
pub fn dist() -> Option<PathBuf> {
    let dist = std::env::var_os("ROCRS_DIST").map(PathBuf::from);
    if dist.is_none() {
        eprintln!("SKIPPED: ROCRS_DIST does not say where the linked libraries are (cargo xtask dist)");
    }
    dist
}

/// What compiles a source: the system's compiler; for C++ also the one that compiles kernels, where there is no other.
pub fn compiler(source: &str) -> &'static str {
    let known: &[&str] =
        if source.ends_with(".cpp") { &["c++", "clang++-19", "clang++"] } else { &["cc", "clang-19"] };
    let runs = |name: &&&str| Command::new(name).arg("--version").output().is_ok();
    known.iter().find(runs).unwrap_or(&known[0])
}

/// Builds a source of this folder, under a name of its own: tests run at the same time.
pub fn build(source: &str, name: &str, arguments: &[&str]) -> Option<PathBuf> {
    let vendors = Path::new("/usr/lib/x86_64-linux-gnu/libhsa-runtime64.so");
    if !Path::new("/usr/include/hsa/hsa.h").exists() || !vendors.exists() {
        eprintln!("SKIPPED: no hsa/hsa.h: apt-get install libhsa-runtime-dev libhsa-runtime64-1");
        return None;
    }
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let built = Command::new(compiler(source))
        .args(["-O1", "-w", "-o"])
        .arg(&program)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(source))
        .args(arguments)
        .args(["-lhsa-runtime64", "-lpthread"])
        .status();
    assert!(built.expect("a C compiler").success(), "{source}");
    Some(program)
}

/// Runs a command that has so many seconds: one that hangs fails, and holds nothing up.
pub fn limited(command: &Command, seconds: u32) -> Output {
    let mut limited = Command::new("timeout");
    limited.args(["-s", "KILL", &seconds.to_string()]).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => limited.env(name, value),
            None => limited.env_remove(name),
        };
    }
    limited.output().expect("timeout, of coreutils")
}

/// A library to run a program on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Library {
    /// The installed one.
    Vendors,
    /// The one of `ROCRS_DIST`.
    Ours,
}

/// The command that runs a program on a library, with these emulated GPUs behind `/dev/kfd`.
pub fn command(program: &Path, dist: &Path, chips: &str, library: Library) -> Command {
    let mut command = Command::new(dist.join("../bin/amdgpu-emu"));
    command.args(["run", "--gpu", chips, "--"]).arg(program);
    command.env_remove("LD_LIBRARY_PATH").env("ROCRS_DEVICE", "kfd");
    if library == Library::Ours {
        command.env("LD_LIBRARY_PATH", dist.join("../rocr"));
    }
    command
}

/// The lines that a command prints, which must end well, within a minute. The vendor's library waits for ever in
/// `hsa_queue_destroy` now and then (for the handler of a queue's errors, one time in ten on a busy machine): where no other
/// library takes part it has ten seconds, and up to five tries more.
pub fn lines(command: &Command) -> Vec<String> {
    let mut named = command.get_envs().filter(|(name, _)| name.to_string_lossy().ends_with("LIBRARY_PATH"));
    let vendors = named.all(|(_, value)| value.is_none_or(|folder| folder.is_empty()));
    let mut output = limited(command, if vendors { 10 } else { 60 });
    for _ in 0..5 {
        if output.status.code().is_some() || !vendors {
            break;
        }
        output = limited(command, 10);
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{:?} of {command:?}:\n{text}\n{said}", output.status);
    text.lines().map(str::to_owned).collect()
}
