//! `cargo xtask bench`: compiles and runs the yardstick programs of `tests/bench`, prints their kernel seconds by chip.
//! With `--parsers` the benches of the crates that read files instead.

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

use clap::Args;

use crate::compile::{Compilers, Job};
use crate::error::Error;
use crate::{Driver, dist, exec, run, test_gpu, workspace};

/// The command line of `bench`.
#[derive(Args)]
pub struct Options {
    /// A chip to run on; may be repeated
    #[arg(long = "gpu", value_name = "CHIP")]
    gpus: Vec<String>,
    /// Only programs whose name contains this
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Cores that the emulator uses; may be repeated, for a column each
    #[arg(long = "threads", value_name = "N")]
    threads: Vec<u32>,
    /// The compiler driver
    #[arg(long, value_enum, default_value = "clang")]
    cc: Driver,
    /// Measure the parsers (amd-codeobj, offload-bundle) instead; FILTER chooses among their benches
    #[arg(long)]
    parsers: bool,
    /// Arguments of each program: elements, repetitions
    #[arg(last = true)]
    args: Vec<String>,
}

/// Runs all programs on all chips, one after the other.
pub fn run(options: &Options) -> Result<ExitCode, Error> {
    if options.parsers {
        return parsers(options.filter.as_deref());
    }
    let dist = dist::dist()?;
    let compilers = Compilers::find(&dist)?;
    let chips = test_gpu::chips(&options.gpus);
    let mut good = true;
    // Without a number the emulator takes all cores.
    let threads: Vec<Option<u32>> = match options.threads.as_slice() {
        [] => vec![None],
        some => some.iter().copied().map(Some).collect(),
    };
    let columns: Vec<(&String, Option<u32>)> =
        chips.iter().flat_map(|chip| threads.iter().map(move |n| (chip, *n))).collect();
    print!("{:<16}", "program");
    for (chip, threads) in &columns {
        print!("  {:>18}", threads.map_or_else(|| chip.to_string(), |n| format!("{chip} x{n}")));
    }
    println!("  kernel seconds (rate)");
    for source in workspace::files(&workspace::root().join("tests/bench"), &["cpp"])? {
        let name = workspace::stem(&source);
        if options.filter.as_ref().is_some_and(|part| !name.contains(part)) {
            continue;
        }
        print!("{name:<16}");
        let mut notes = Vec::new();
        let runs_on = runs_on(&source)?;
        for (chip, threads) in &columns {
            if runs_on.as_ref().is_some_and(|chips| !chips.contains(chip)) {
                print!("  {:>18}", "-");
                continue;
            }
            let job = Job {
                source: &source,
                driver: options.cc,
                chips: vec![chip.to_string()],
                opt: 3,
                flags: Vec::new(),
            };
            let (program, _) = compilers.compile(&job)?;
            let mut command = Command::new(program);
            command.args(&options.args).env("ROCRS_DEVICE", format!("emu:{chip}")).env("ROCRS_QUIET", "1");
            if let Some(threads) = threads {
                command.env("ROCRS_EMU_THREADS", threads.to_string());
            }
            run::on_our_libraries(&mut command, &dist);
            let ended = exec::limited(&mut command, Duration::from_secs(600))?;
            let seconds =
                ended.stdout.split("kernel_seconds=").nth(1).and_then(|rest| rest.split(' ').next());
            let rate = ended.stdout.trim_end().rsplit('=').next().and_then(|rate| rate.parse::<f64>().ok());
            let passed =
                ended.stdout.starts_with("PASS") && ended.status.is_some_and(|status| status.success());
            good &= passed;
            match (seconds, rate) {
                (Some(seconds), Some(rate)) if passed => {
                    print!("  {:>18}", format!("{seconds} ({rate:.2})"));
                }
                _ => {
                    print!("  {:>18}", "FAIL");
                    notes.push(format!("{}\n{}{}", exec::line(&command), ended.stdout, ended.stderr));
                }
            }
        }
        println!();
        notes.iter().for_each(|note| eprintln!("{note}"));
    }
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The chips that a program's line `//@ run-on: CHIP…` restricts it to.
fn runs_on(source: &Path) -> Result<Option<Vec<String>>, Error> {
    let text = workspace::read(source)?;
    let line = text.lines().find_map(|line| line.strip_prefix("//@ run-on: "));
    Ok(line.map(|chips| chips.split_whitespace().map(str::to_owned).collect()))
}

fn parsers(filter: Option<&str>) -> Result<ExitCode, Error> {
    let mut bench = Command::new(workspace::cargo());
    bench.args(["bench", "--quiet", "--package", "amd-codeobj", "--package", "offload-bundle"]);
    bench.current_dir(workspace::root());
    if let Some(filter) = filter {
        bench.args(["--", filter]);
    }
    exec::loud(&mut bench)?;
    Ok(ExitCode::SUCCESS)
}
