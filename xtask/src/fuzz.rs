//! `cargo xtask fuzz`: runs the fuzz targets of the parsers one after another, from the seeds that our own code makes and
//! from what earlier runs found, and prints a table.
//!
//! The targets are built by cargo-fuzz with nightly Rust and AddressSanitizer into `target/fuzz`. A parser may not
//! allocate more than [`MALLOC_LIMIT_MB`] at once; the limit of the process is larger, since the sanitizer's own memory
//! and the corpus that the fuzzer keeps count as well.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use clap::Args;

use crate::error::Error;
use crate::{exec, workspace};

/// Largest allocation of a parser, in MB.
const MALLOC_LIMIT_MB: u32 = 64;
/// Largest memory of a fuzzing process, in MB.
const RSS_LIMIT_MB: u32 = 1024;
/// Largest input, in bytes.
const MAX_LEN: u32 = 1 << 20;
/// An input that takes longer counts as a hang, in seconds. The sanitizer makes everything several times slower.
const TIMEOUT: u32 = 10;
/// The sanitizer keeps this much freed memory to find late uses of it, in MB; its usual 256 would drown the rest.
const QUARANTINE_MB: u32 = 16;

/// The command line of `fuzz`.
#[derive(Args)]
pub struct Options {
    /// How long each target runs
    #[arg(long, value_name = "SECONDS", default_value = "60")]
    seconds: u64,
    /// Only these targets
    #[arg(value_name = "TARGET")]
    targets: Vec<String>,
}

/// What became of a target.
struct Row {
    target: String,
    executions: u64,
    seconds: f64,
    /// Edges of the program that some input reached.
    coverage: u64,
    /// Files with inputs that show a fault.
    crashes: Vec<PathBuf>,
    /// Why there are no executions to show, or what the last words before the crash were.
    words: String,
    good: bool,
}

/// Builds and runs the targets.
pub fn run(options: &Options) -> Result<ExitCode, Error> {
    let targets = targets(&options.targets)?;
    let folder = workspace::target().join("fuzz");
    eprintln!("xtask: fuzz: making seeds");
    let mut seeds = Command::new(workspace::cargo());
    seeds.args(["run", "--quiet", "--package", "parser-checks", "--bin", "seeds", "--"]);
    exec::quiet(seeds.arg(folder.join("seeds")).current_dir(workspace::root()))?;
    eprintln!("xtask: fuzz: building");
    build(&folder)?;
    let mut rows = Vec::new();
    for target in &targets {
        eprintln!("xtask: fuzz: {target} for {} seconds", options.seconds);
        rows.push(fuzz(&folder, target, options.seconds)?);
    }
    Ok(print(&rows))
}

/// The targets asked for, or all: a file each in `fuzz/fuzz_targets`.
fn targets(asked: &[String]) -> Result<Vec<String>, Error> {
    let files = workspace::files(&workspace::root().join("fuzz/fuzz_targets"), &["rs"])?;
    let known: Vec<String> = files.iter().map(|path| workspace::stem(path)).collect();
    if let Some(unknown) = asked.iter().find(|name| !known.contains(name)) {
        return Err(Error::Other(format!("no fuzz target {unknown}; there are {}", known.join(", "))));
    }
    Ok(if asked.is_empty() { known } else { asked.to_vec() })
}

fn build(folder: &Path) -> Result<(), Error> {
    let missing =
        |what: &str, install: &str| Error::Missing { what: what.to_owned(), install: install.to_owned() };
    let found = |args: &[&str]| exec::quiet(clean(Command::new("rustup").args(args))).is_ok();
    if !found(&["run", "nightly", "rustc", "--version"]) {
        return Err(missing("nightly Rust", "rustup toolchain install nightly --profile minimal"));
    }
    if !found(&["run", "nightly", "cargo", "fuzz", "--version"]) {
        return Err(missing("cargo-fuzz", "cargo install cargo-fuzz --locked"));
    }
    let mut build = Command::new("rustup");
    build.args(["run", "nightly", "cargo", "fuzz", "build"]);
    build.current_dir(workspace::root().join("fuzz")).env("CARGO_TARGET_DIR", folder);
    exec::loud(clean(&mut build))
}

/// Without the variables by which the stable cargo that runs us would be taken again.
fn clean(command: &mut Command) -> &mut Command {
    for name in ["CARGO", "RUSTC", "RUSTDOC", "RUSTUP_TOOLCHAIN", "CARGO_MANIFEST_DIR"] {
        command.env_remove(name);
    }
    command
}

fn fuzz(folder: &Path, target: &str, seconds: u64) -> Result<Row, Error> {
    let corpus = folder.join("corpus").join(target);
    let artifacts = folder.join("artifacts").join(target);
    workspace::make_dir(&corpus)?;
    workspace::make_dir(&artifacts)?;
    let triple = "x86_64-unknown-linux-gnu/release";
    let mut command = Command::new(folder.join(triple).join(target));
    command.arg(&corpus).arg(folder.join("seeds").join(target));
    command.arg(format!("-artifact_prefix={}/", artifacts.display()));
    for (option, value) in [
        ("max_total_time", seconds),
        ("max_len", MAX_LEN.into()),
        ("timeout", TIMEOUT.into()),
        ("malloc_limit_mb", MALLOC_LIMIT_MB.into()),
        ("rss_limit_mb", RSS_LIMIT_MB.into()),
        ("print_final_stats", 1),
    ] {
        command.arg(format!("-{option}={value}"));
    }
    command.env("ASAN_OPTIONS", format!("quarantine_size_mb={QUARANTINE_MB}"));
    let before = listed(&artifacts)?;
    let ended = exec::limited(&mut command, Duration::from_secs(seconds + 120))?;
    let crashes: Vec<PathBuf> =
        listed(&artifacts)?.into_iter().filter(|path| !before.contains(path)).collect();
    let number = |after: &str| {
        let rest = ended.stderr.rsplit_once(after).map_or("", |(_, rest)| rest).trim_start();
        rest.split(|c: char| !c.is_ascii_digit()).next().and_then(|digits| digits.parse().ok()).unwrap_or(0)
    };
    let executions = number("stat::number_of_executed_units:");
    let good = ended.status.is_some_and(|status| status.success()) && crashes.is_empty() && executions > 0;
    let telling = |line: &&str| {
        ["panicked at", "SUMMARY", "ERROR:", "assertion"].iter().any(|word| line.contains(word))
    };
    let words = if good { Vec::new() } else { ended.stderr.lines().filter(telling).collect() };
    Ok(Row {
        target: target.to_owned(),
        executions,
        seconds: ended.seconds,
        coverage: number("cov: "),
        crashes,
        words: words.join("\n"),
        good,
    })
}

fn listed(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = std::fs::read_dir(folder).map_err(Error::at(folder))?;
    entries.map(|entry| entry.map(|entry| entry.path()).map_err(Error::at(folder))).collect()
}

fn print(rows: &[Row]) -> ExitCode {
    println!("{:<18}  {:>11}  {:>7}  {:>8}  {:>7}", "target", "executions", "seconds", "coverage", "crashes");
    for row in rows {
        let Row { target, executions, seconds, coverage, crashes, .. } = row;
        println!("{target:<18}  {executions:>11}  {seconds:>7.1}  {coverage:>8}  {:>7}", crashes.len());
    }
    let executions: u64 = rows.iter().map(|row| row.executions).sum();
    let seconds: f64 = rows.iter().map(|row| row.seconds).sum();
    let crashes: usize = rows.iter().map(|row| row.crashes.len()).sum();
    println!("{:<18}  {executions:>11}  {seconds:>7.1}  {:>8}  {crashes:>7}", "total", "");
    for row in rows.iter().filter(|row| !row.good) {
        eprintln!("{}: {}", row.target, row.words);
        row.crashes.iter().for_each(|path| eprintln!("    {}", workspace::relative(path)));
    }
    if rows.iter().all(|row| row.good) {
        return ExitCode::SUCCESS;
    }
    eprintln!("xtask: fuzz: turn each input into a test of the parser, beside the fix");
    ExitCode::FAILURE
}
