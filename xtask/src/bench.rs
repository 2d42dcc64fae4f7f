//! `cargo xtask bench`: compiles and runs the yardstick programs of `tests/bench`, prints their kernel seconds by chip.

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
    /// The compiler driver
    #[arg(long, value_enum, default_value = "clang")]
    cc: Driver,
    /// Arguments of each program: elements, repetitions
    #[arg(last = true)]
    args: Vec<String>,
}

/// Runs all programs on all chips, one after the other.
pub fn run(options: &Options) -> Result<ExitCode, Error> {
    let dist = dist::dist()?;
    let compilers = Compilers::find(&dist)?;
    let chips = test_gpu::chips(&options.gpus);
    let mut good = true;
    print!("{:<16}", "program");
    chips.iter().for_each(|chip| print!("  {chip:>12}"));
    println!("  kernel seconds");
    for source in workspace::files(&workspace::root().join("tests/bench"), &["cpp"])? {
        let name = workspace::stem(&source);
        if options.filter.as_ref().is_some_and(|part| !name.contains(part)) {
            continue;
        }
        print!("{name:<16}");
        let mut notes = Vec::new();
        for chip in &chips {
            let job = Job {
                source: &source,
                driver: options.cc,
                chips: vec![chip.clone()],
                opt: 3,
                flags: Vec::new(),
            };
            let (program, _) = compilers.compile(&job)?;
            let mut command = Command::new(program);
            command.args(&options.args).env("ROCRS_DEVICE", format!("emu:{chip}")).env("ROCRS_QUIET", "1");
            run::on_our_libraries(&mut command, &dist);
            let ended = exec::limited(&mut command, Duration::from_secs(600))?;
            let seconds =
                ended.stdout.split("kernel_seconds=").nth(1).and_then(|rest| rest.split(' ').next());
            let passed =
                ended.stdout.starts_with("PASS") && ended.status.is_some_and(|status| status.success());
            good &= passed;
            match seconds {
                Some(seconds) if passed => print!("  {seconds:>12}"),
                _ => {
                    print!("  {:>12}", "FAIL");
                    notes.push(format!("{}\n{}{}", exec::line(&command), ended.stdout, ended.stderr));
                }
            }
        }
        println!();
        notes.iter().for_each(|note| eprintln!("{note}"));
    }
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
