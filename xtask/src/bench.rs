//! `cargo xtask bench`: compiles and runs the yardstick programs of `tests/bench` and the same work in plain C++, and
//! prints kernel times and their ratio. `bench hsa` and `bench hip` compare calls of the runtimes with AMD's, `bench parsers`
//! runs the benches of the crates that read files.

mod api;
mod native;
mod table;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::compile::{Compilers, Job};
use crate::directives::Directives;
use crate::error::Error;
use crate::{Driver, dist, exec, run, workspace};

use native::Native;

/// What can be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// Kernels of the yardstick programs, against C++
    Kernels,
    /// Calls of the HSA runtime, against AMD's
    Hsa,
    /// Calls of the HIP runtime, against AMD's
    Hip,
    /// The parsers: amd-codeobj, offload-bundle
    Parsers,
}

/// The command line of `bench`.
#[derive(Args)]
pub struct Options {
    /// What to measure
    #[arg(value_enum, default_value = "kernels")]
    what: What,
    /// A chip to run on; may be repeated (default: gfx90a, and another for programs that need one)
    #[arg(long = "gpu", value_name = "CHIP")]
    gpus: Vec<String>,
    /// Only programs whose name contains this
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Cores that emulator and C++ use; may be repeated, for a column each (default: 1 and 2)
    #[arg(long = "threads", value_name = "N")]
    threads: Vec<u32>,
    /// How often everything is run; medians count
    #[arg(long, value_name = "N", default_value = "3", value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// The compiler driver
    #[arg(long, value_enum, default_value = "clang")]
    cc: Driver,
    /// Print the section of README with its table, and nothing else
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Print all times as JSON
    #[arg(long)]
    json: bool,
    /// Of hip: a large library of kernels to link a program with (default: librocsparse.so.0 of Debian)
    #[arg(long, value_name = "PATH")]
    library: Option<PathBuf>,
    /// Arguments of each program: elements, repetitions. With them there is no C++ to compare with
    #[arg(last = true)]
    args: Vec<String>,
}

/// A program on a chip.
#[derive(Debug, Serialize)]
struct Row {
    program: String,
    chip: String,
    /// What the rate counts, as the program names it: `GFLOP/s`.
    unit: String,
    /// One for each number of threads.
    cells: Vec<Cell>,
    #[serde(skip)]
    binary: PathBuf,
}

/// A program on a number of threads.
#[derive(Debug, Serialize)]
struct Cell {
    threads: u32,
    /// Kernel seconds of each run.
    seconds: Vec<f64>,
    /// Rate of each run.
    rates: Vec<f64>,
    /// Why there is no time.
    failure: Option<String>,
}

/// What one run of a program printed: kernel seconds, unit, rate.
fn parse(text: &str) -> Option<(f64, String, f64)> {
    let rest = text.split("kernel_seconds=").nth(1)?;
    let (seconds, rest) = rest.split_once(' ')?;
    let (unit, rate) = rest.trim_end().rsplit_once('=')?;
    Some((seconds.parse().ok()?, unit.to_owned(), rate.parse().ok()?))
}

/// Three digits that count, or all of a whole number.
fn digits(value: f64) -> String {
    // 9.995 is written as 10.0.
    let places = (0..5).find(|places| value * 10f64.powi(*places) >= 99.95).unwrap_or(5) as usize;
    format!("{value:.places$}")
}

/// The middle one; the mean of the two in the middle.
fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (low, high) = (sorted.get(sorted.len().checked_sub(1)? / 2)?, sorted.get(sorted.len() / 2)?);
    Some((low + high) / 2.0)
}

/// Runs everything, as often as asked, and prints it.
pub fn run(options: &Options) -> Result<ExitCode, Error> {
    match options.what {
        What::Kernels => {}
        What::Hsa => return api::run(api::Api::Hsa, options, &dist::dist()?),
        What::Hip => return api::run(api::Api::Hip, options, &dist::dist()?),
        What::Parsers => return parsers(options.filter.as_deref()),
    }
    let threads = if options.threads.is_empty() { vec![1, 2] } else { options.threads.clone() };
    let dist = dist::dist()?;
    let mut rows = compile(options, &dist, &threads)?;
    if rows.is_empty() {
        return Err(Error::Other("no program of tests/bench matches".to_owned()));
    }
    let mut native = if options.args.is_empty() { Some(Native::build(&threads)?) } else { None };
    for turn in 1..=options.runs {
        // By turns, so that what else the machine does falls on all alike.
        if let Some(native) = &mut native {
            eprintln!("run {turn} of {}: native", options.runs);
            native.run()?;
        }
        for row in &mut rows {
            eprintln!("run {turn} of {}: {} on {}", options.runs, row.program, row.chip);
            for cell in row.cells.iter_mut().filter(|cell| cell.failure.is_none()) {
                let mut command = Command::new(&row.binary);
                command.args(&options.args).env("ROCRS_DEVICE", format!("emu:{}", row.chip));
                command.env("ROCRS_QUIET", "1").env("ROCRS_EMU_THREADS", cell.threads.to_string());
                run::on_our_libraries(&mut command, &dist);
                let ended = exec::limited(&mut command, Duration::from_secs(600))?;
                let passed =
                    ended.stdout.starts_with("PASS") && ended.status.is_some_and(|status| status.success());
                match parse(&ended.stdout).filter(|_| passed) {
                    Some((seconds, unit, rate)) => {
                        row.unit = unit;
                        cell.seconds.push(seconds);
                        cell.rates.push(rate);
                    }
                    None => {
                        let line = exec::line(&command);
                        cell.failure = Some(format!("{line}\n{}{}", ended.stdout, ended.stderr));
                    }
                }
            }
        }
    }
    let failures: Vec<&String> =
        rows.iter().flat_map(|row| &row.cells).filter_map(|cell| cell.failure.as_ref()).collect();
    let table = table::Table { rows: &rows, native: native.as_ref(), threads: &threads, runs: options.runs };
    if options.json {
        println!("{}", table.json()?);
    } else if options.markdown {
        print!("{}", table.section());
    } else {
        print!("{}", table.markdown());
    }
    failures.iter().for_each(|failure| eprintln!("{failure}"));
    Ok(if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Compiles the programs for the chips asked for, or for the yardstick.
fn compile(options: &Options, dist: &Path, threads: &[u32]) -> Result<Vec<Row>, Error> {
    let compilers = Compilers::find(dist)?;
    let mut rows = Vec::new();
    for source in workspace::files(&workspace::root().join("tests/bench"), &["cpp"])? {
        let program = workspace::stem(&source);
        let is_hip = source.to_string_lossy().ends_with(".hip.cpp");
        if !is_hip || options.filter.as_ref().is_some_and(|part| !program.contains(part)) {
            continue;
        }
        let directives = Directives::of(&source)?;
        let default = || match directives.run_on.first() {
            Some(first) if !directives.runs_on(run::DEFAULT_CHIP) => first.clone(),
            _ => run::DEFAULT_CHIP.to_owned(),
        };
        let asked = if options.gpus.is_empty() { vec![default()] } else { options.gpus.clone() };
        for chip in asked.into_iter().filter(|chip| directives.runs_on(chip)) {
            let job = Job {
                source: &source,
                driver: options.cc,
                chips: vec![chip.clone()],
                opt: 3,
                flags: Vec::new(),
            };
            let (binary, _) = compilers.compile(&job)?;
            let cell = |threads: &u32| Cell {
                threads: *threads,
                seconds: Vec::new(),
                rates: Vec::new(),
                failure: None,
            };
            let cells = threads.iter().map(cell).collect();
            let program = program.clone();
            rows.push(Row { program, chip, unit: String::new(), cells, binary });
        }
    }
    Ok(rows)
}

fn parsers(filter: Option<&str>) -> Result<ExitCode, Error> {
    let bench = |arguments: &[&str]| {
        let mut bench = Command::new(workspace::cargo());
        bench.args(["bench", "--quiet", "--package", "amd-codeobj", "--package", "offload-bundle", "--"]);
        bench.args(filter).args(arguments).current_dir(workspace::root());
        bench
    };
    if let Some(filter) = filter
        && !exec::text(&mut bench(&["--list"]))?.lines().any(|line| line.ends_with(": benchmark"))
    {
        return Err(Error::Other(format!("no bench of the parsers has '{filter}' in its name")));
    }
    exec::loud(&mut bench(&[]))?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_prints_is_read() {
        let line = "PASS sgemm kernel_seconds=0.198123 GFLOP/s=1.355\n";
        assert_eq!(parse(line), Some((0.198123, "GFLOP/s".to_owned(), 1.355)));
        assert_eq!(parse("FAIL sgemm"), None);
    }

    #[test]
    fn medians() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }
}
