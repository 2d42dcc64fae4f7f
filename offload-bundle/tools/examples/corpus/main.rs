//! In the wild: reads every fat binary and code object of the files that it is given with our parsers, everything that can
//! be read of them, and compares a part, chosen by hash, with LLVM's tools. `cargo xtask corpus` runs it.
//!
//! An example, not a tool: what it needs besides (zip files, a progress bar) stays out of the tools' dependencies.

mod build;
mod bundler;
mod check;
mod objects;
mod oracle;
mod progress;
mod report;
mod sample;
mod sources;
mod tally;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use check::Checker;
use progress::Progress;
use report::Report;

/// Read fat binaries and code objects in the wild, and compare with LLVM's tools.
#[derive(Debug, Parser)]
#[command(name = "corpus")]
struct Args {
    /// Files, folders, zip files and wheels
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Build fat binaries with clang-15 and clang-19 for every processor that they know
    #[arg(long)]
    build: bool,
    /// Build fewer variants
    #[arg(long)]
    quick: bool,
    /// How many code objects, and how many bundles, are compared with LLVM's tools
    #[arg(long, value_name = "N", default_value_t = 200)]
    samples: usize,
    /// Where builds and files for LLVM's tools go
    #[arg(long, value_name = "FOLDER")]
    work: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    let args = Args::parse();
    match run(&args) {
        Ok(report) => {
            if args.json {
                println!("{}", report.json());
            } else {
                print!("{}", report.text());
            }
            if report.is_good() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("corpus: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<Report, String> {
    let scratch = args.work.join("scratch");
    std::fs::create_dir_all(&scratch).map_err(|error| format!("{}: {error}", scratch.display()))?;
    let progress = Progress::new();
    let mut sources = sources::named(&args.paths)?;
    if args.build {
        for built in build::all(&args.work, args.quick, &progress)? {
            sources.push(built);
        }
    }
    if sources.is_empty() {
        return Err("nothing to read: give files or folders, or --build".to_owned());
    }
    let mut checker = Checker::new(args.samples, &scratch);
    for source in &sources {
        checker.source(source, &progress)?;
    }
    let (tallies, samples) = checker.finish();
    let compared = oracle::compare(samples, &scratch, &progress)?;
    Ok(Report { tallies, compared })
}
