//! `cargo xtask differential`: random programs, compiled for the host and for chips, must give the same results.
//!
//! The programs are made and compared by the binary `differential` of the system tests; here it is given the compiler
//! and the device libraries.

use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use clap::Args;

use crate::error::Error;
use crate::report::{self, Row};
use crate::toolchain::Toolchain;
use crate::{exec, overlay, workspace};

/// The chips that are compared with the host when none is asked for.
const CHIPS: &[&str] = &["gfx900", "gfx906", "gfx908", "gfx90a", "gfx942"];

/// The command line of `differential`.
#[derive(Args)]
pub struct Options {
    /// Where the programs' seeds come from
    #[arg(long, default_value = "1")]
    seed: u64,
    /// Only the program of this seed, as a difference names it
    #[arg(long, value_name = "HEX")]
    only: Option<String>,
    /// How long to go on
    #[arg(long)]
    minutes: Option<f64>,
    /// How many translation units of 16 programs to make (one, when no time is given)
    #[arg(long)]
    batches: Option<usize>,
    /// How many translation units to leave out before, as a failure names it
    #[arg(long, default_value = "0")]
    skip: usize,
    /// Inputs of each program
    #[arg(long, default_value = "2048")]
    inputs: usize,
    /// A chip to run on; may be repeated
    #[arg(long = "gpu", value_name = "CHIP")]
    gpus: Vec<String>,
    /// An optimisation level of the device's side; may be repeated (default: 0 and 3)
    #[arg(long = "opt")]
    opts: Vec<u8>,
    /// Do not look for a smaller program that differs
    #[arg(long)]
    no_reduce: bool,
    /// A further flag for the device's side; may be repeated
    #[arg(long = "cflag", value_name = "FLAG", allow_hyphen_values = true)]
    cflags: Vec<String>,
}

/// Runs until the time is over; fails when anything differed.
pub fn run(options: &Options) -> Result<ExitCode, Error> {
    let mut command = command(&chips(&options.gpus))?;
    command.arg("--seed").arg(options.seed.to_string()).arg("--inputs").arg(options.inputs.to_string());
    if let Some(only) = &options.only {
        command.arg("--only").arg(only);
    }
    if let Some(minutes) = options.minutes {
        command.arg("--minutes").arg(minutes.to_string());
    }
    if let Some(batches) = options.batches {
        command.arg("--batches").arg(batches.to_string());
    }
    command.arg("--skip").arg(options.skip.to_string());
    command.args(options.opts.iter().map(|opt| format!("--opt={opt}")));
    command.args(options.cflags.iter().map(|flag| format!("--cflag={flag}")));
    if options.no_reduce {
        command.arg("--no-reduce");
    }
    let status = command.status().map_err(exec::start(&command))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The slice that belongs to the ordinary tests: one translation unit of a fixed seed.
pub fn slice(gpus: &[String]) -> Result<Row, Error> {
    eprintln!("xtask: hip: differential programs");
    let began = Instant::now();
    let mut command = command(gpus)?;
    command.args(["--seed", "4", "--batches", "1"]).stdin(Stdio::null());
    let output = command.output().map_err(exec::start(&command))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let number = |phrase| report::number_before(&text, phrase);
    let (runs, differences) = (number(" runs of them"), number(" differences"));
    let failed = if output.status.success() { 0 } else { differences.max(1) };
    if failed > 0 {
        eprintln!("{text}{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(Row {
        layer: "hip".to_owned(),
        suite: "differential".to_owned(),
        passed: runs.saturating_sub(failed),
        failed,
        seconds: began.elapsed().as_secs_f64(),
    })
}

fn chips(asked: &[String]) -> Vec<String> {
    if asked.is_empty() { CHIPS.iter().map(|&chip| chip.to_owned()).collect() } else { asked.to_vec() }
}

/// The program, built, with what it needs to know of this machine.
fn command(chips: &[String]) -> Result<Command, Error> {
    let tools = Toolchain::find()?;
    let device_libs = overlay::device_libs(&tools, chips)?;
    let folder = workspace::target().join("differential");
    workspace::make_dir(&folder)?;
    let mut build = Command::new(workspace::cargo());
    build.args(["build", "--release", "--quiet", "-p", "system-tests", "--bin", "differential"]);
    exec::loud(build.current_dir(workspace::root()))?;
    let mut command = Command::new(workspace::target().join("release/differential"));
    command.env("ROCRS_QUIET", "1").arg("--clang").arg(&tools.clang).arg("--device-libs").arg(device_libs);
    command.arg("--folder").arg(folder).args(chips.iter().map(|chip| format!("--gpu={chip}")));
    Ok(command)
}
