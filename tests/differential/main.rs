//! Differential programs: random functions, compiled for the host and for a chip, must give the same results.
//!
//! Called as `cargo xtask differential`, which finds the compiler and the device libraries.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{fs, thread};

use clap::Parser;

mod batch;
mod build;
mod device;
mod expr;
mod function;
mod group;
mod program;
mod reduce;
mod report;
mod stmt;
mod tree;
mod types;
mod ulps;

use batch::Batch;

/// The command line.
#[derive(Parser)]
pub struct Options {
    /// Where the programs' seeds come from
    #[arg(long, default_value = "1")]
    seed: u64,
    /// Only the program of this seed, as a difference names it
    #[arg(long, value_parser = hex)]
    only: Option<u64>,
    /// How long to go on
    #[arg(long)]
    minutes: Option<f64>,
    /// How many translation units to make (one, when no time is given)
    #[arg(long)]
    batches: Option<usize>,
    /// How many translation units to leave out before
    #[arg(long, default_value = "0")]
    skip: usize,
    /// Programs of a translation unit
    #[arg(long, default_value = "16")]
    programs: usize,
    /// Inputs of each program
    #[arg(long, default_value = "2048")]
    inputs: usize,
    /// A chip to run on; may be repeated
    #[arg(long = "gpu", value_name = "CHIP", required = true)]
    gpus: Vec<String>,
    /// An optimisation level of the device's side; may be repeated
    #[arg(long = "opt", default_values = ["0", "3"])]
    opts: Vec<u8>,
    /// Do not look for a smaller program that differs
    #[arg(long)]
    no_reduce: bool,
    /// Translation units at once (default: one a core)
    #[arg(long)]
    jobs: Option<usize>,
    #[arg(long)]
    clang: PathBuf,
    #[arg(long)]
    device_libs: PathBuf,
    /// Where sources and code objects go
    #[arg(long)]
    folder: PathBuf,
    /// A further flag for the device's side; may be repeated
    #[arg(long = "cflag", allow_hyphen_values = true)]
    cflags: Vec<String>,
}

fn hex(text: &str) -> Result<u64, std::num::ParseIntError> {
    u64::from_str_radix(text.trim_start_matches("0x"), 16)
}

/// The seed of a program: the `n`-th that comes from `seed` (splitmix64).
fn nth(seed: u64, n: u64) -> u64 {
    let mut z =
        seed.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add((n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// What all threads add to.
#[derive(Default)]
struct Tally {
    batches: AtomicUsize,
    programs: AtomicU64,
    runs: AtomicU64,
    /// Runs of programs that the compiler has spoilt, which were not made.
    left_out: AtomicU64,
    inputs: AtomicU64,
    words: AtomicU64,
    differences: AtomicU64,
    /// Translation units that the compiler crashed on, for a chip and a level.
    crashes: AtomicU64,
    /// Chips and levels on which something was compared.
    compared: Mutex<BTreeSet<(String, u8)>>,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let compiler = build::Compiler {
        clang: options.clang.clone(),
        device_libs: options.device_libs.clone(),
        flags: options.cflags.clone(),
    };
    let began = Instant::now();
    let batches = match (options.only, options.batches, options.minutes) {
        (Some(_), ..) => 1,
        (None, Some(n), _) => n,
        (None, None, Some(_)) => usize::MAX,
        (None, None, None) => 1,
    };
    let limit = options.minutes.map(|minutes| Duration::from_secs_f64(60.0 * minutes));
    let jobs =
        options.jobs.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from)).min(batches);
    let tally = Tally::default();
    let failed: Mutex<Option<String>> = Mutex::new(None);
    thread::scope(|scope| {
        for job in 0..jobs {
            let (options, compiler, tally, failed) = (&options, &compiler, &tally, &failed);
            scope.spawn(move || {
                let folder = options.folder.join(format!("{}-{job}", std::process::id()));
                let mut devices = device::Devices::default();
                loop {
                    let n = tally.batches.fetch_add(1, Ordering::Relaxed);
                    let late = limit.is_some_and(|limit| began.elapsed() > limit);
                    if n >= batches || late || failed.lock().is_ok_and(|failed| failed.is_some()) {
                        tally.batches.fetch_sub(1, Ordering::Relaxed);
                        break;
                    }
                    let n = options.skip + n;
                    let first = n as u64 * options.programs as u64;
                    let seeds: Vec<u64> = match options.only {
                        Some(seed) => vec![seed],
                        None => (0..options.programs as u64).map(|k| nth(options.seed, first + k)).collect(),
                    };
                    if let Err(error) = batch(n, &seeds, options, compiler, &mut devices, &folder, tally)
                        .map_err(|error| report::failure(&error, options, n, &seeds, &folder))
                        && let Ok(mut failed) = failed.lock()
                    {
                        failed.get_or_insert(error);
                    }
                }
                let _ = fs::remove_dir_all(&folder);
            });
        }
    });
    if let Ok(Some(error)) = failed.into_inner() {
        eprintln!("differential: {error}");
        return ExitCode::from(2);
    }
    let get = |n: &AtomicU64| n.load(Ordering::Relaxed);
    println!(
        "seed {}: {} programs, {} runs of them, {} left out, {} inputs, {} words compared, {} crashes of the compiler, {} differences, {:.0} s",
        options.only.unwrap_or(options.seed),
        get(&tally.programs),
        get(&tally.runs),
        get(&tally.left_out),
        get(&tally.inputs),
        get(&tally.words),
        get(&tally.crashes),
        get(&tally.differences),
        began.elapsed().as_secs_f64()
    );
    let compared = tally.compared.into_inner().unwrap_or_else(PoisonError::into_inner);
    let pairs = options.gpus.iter().flat_map(|chip| options.opts.iter().map(move |opt| (chip.clone(), *opt)));
    let untried: Vec<String> =
        pairs.filter(|pair| !compared.contains(pair)).map(|(chip, opt)| format!("{chip} -O{opt}")).collect();
    if !untried.is_empty() {
        eprintln!("differential: nothing was compared on {}", untried.join(", "));
        return ExitCode::from(3);
    }
    if get(&tally.differences) == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Makes one translation unit, compares it on every chip and level, and describes what differs.
fn batch(
    n: usize,
    seeds: &[u64],
    options: &Options,
    compiler: &build::Compiler,
    devices: &mut device::Devices,
    folder: &std::path::Path,
    tally: &Tally,
) -> Result<(), build::Error> {
    let programs = seeds.iter().enumerate().map(|(id, seed)| program::program(*seed, id)).collect();
    let unit = Batch::new(compiler, folder, programs, seeds, options.inputs)?;
    tally.programs.fetch_add(seeds.len() as u64, Ordering::Relaxed);
    let mut seen: Vec<u64> = Vec::new();
    for chip in &options.gpus {
        for &opt in &options.opts {
            let (differences, run) = match unit.compare(compiler, devices, chip, opt) {
                Ok(compared) => compared,
                Err(build::Error::Crash { .. }) => {
                    report::crash(options, n, chip, opt);
                    tally.crashes.fetch_add(1, Ordering::Relaxed);
                    continue;
                }
                Err(error) => return Err(error),
            };
            if run > 0
                && let Ok(mut compared) = tally.compared.lock()
            {
                compared.insert((chip.clone(), opt));
            }
            tally.runs.fetch_add(run as u64, Ordering::Relaxed);
            tally.left_out.fetch_add((seeds.len() - run) as u64, Ordering::Relaxed);
            tally.inputs.fetch_add((run * unit.items) as u64, Ordering::Relaxed);
            tally.words.fetch_add((run * unit.items * program::WORDS) as u64, Ordering::Relaxed);
            for difference in differences {
                tally.differences.fetch_add(1, Ordering::Relaxed);
                let known = seen.contains(&difference.seed);
                seen.push(difference.seed);
                report::difference(&difference, options);
                if !known && !options.no_reduce {
                    reduce::reduce(&difference, compiler, devices, folder, options);
                }
            }
        }
    }
    Ok(())
}
