//! The workspace's own commands, called as `cargo xtask WORD`. CI calls the same words as a person does.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};

mod bench;
mod ci;
mod compile;
mod corpus;
mod differential;
mod directives;
mod dist;
mod error;
mod exec;
mod fuzz;
mod layers;
mod matrix;
mod overlay;
mod packages;
mod report;
mod rocminfo;
mod run;
mod signals;
mod stack;
mod test_gpu;
mod test_hip;
mod tidy;
mod toolchain;
mod workspace;

use error::Error;

#[derive(Parser)]
#[command(
    name = "cargo xtask",
    about = "Build, run and test ROCm programs on this stack; check the house rules"
)]
struct Cli {
    #[command(subcommand)]
    word: Word,
}

#[derive(Subcommand)]
enum Word {
    /// Compile a HIP program and run it on our libraries
    Run(run::Options),
    /// Build the test kernels and run the suites, layer by layer
    TestGpu(test_gpu::Options),
    /// Run the programs on every mixture of our libraries and AMD's
    Matrix(matrix::Options),
    /// Link the drop-in libraries into target/dist/lib
    Dist,
    /// Check the house rules that a compiler does not
    Tidy,
    /// Check that the crates depend on each other in the permitted direction only
    Layers,
    /// Everything that must pass before a change is merged
    Ci,
    /// Read fat binaries and code objects in the wild, and compare with LLVM's tools
    Corpus(corpus::Options),
    /// Compile and run the yardstick programs, and print their kernel seconds
    Bench(bench::Options),
    /// Compare random programs on the host with the same programs on emulated chips
    Differential(differential::Options),
    /// Run the fuzz targets of the parsers, one after another (needs nightly Rust and cargo-fuzz)
    Fuzz(fuzz::Options),
}

/// Which compiler driver builds a HIP program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ValueEnum)]
pub enum Driver {
    /// clang++, called directly
    Clang,
    /// AMD's driver
    Hipcc,
}

impl Driver {
    /// The word of the command line.
    pub fn name(self) -> &'static str {
        match self {
            Driver::Clang => "clang",
            Driver::Hipcc => "hipcc",
        }
    }
}

fn main() -> ExitCode {
    let word = Cli::parse().word;
    let result = signals::end_together().and_then(|()| match word {
        Word::Run(options) => run::run(&options),
        Word::TestGpu(options) => test_gpu::run(&options),
        Word::Matrix(options) => matrix::run(&options),
        Word::Dist => dist::dist().map(|folder: PathBuf| {
            println!("{}", folder.display());
            ExitCode::SUCCESS
        }),
        Word::Tidy => tidy::run(),
        Word::Layers => layers::run(),
        Word::Ci => ci::run(),
        Word::Corpus(options) => corpus::run(&options),
        Word::Bench(options) => bench::run(&options),
        Word::Differential(options) => differential::run(&options),
        Word::Fuzz(options) => fuzz::run(&options),
    });
    match result {
        Ok(code) => code,
        Err(error) => {
            eprintln!("xtask: {error}");
            match error {
                Error::Missing { .. } | Error::Skipped { .. } => ExitCode::from(3),
                _ => ExitCode::FAILURE,
            }
        }
    }
}
