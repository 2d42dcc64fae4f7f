//! The tool `amd-codeobj`: what code objects hold, in whatever file they stand. One file a subcommand.

pub(crate) mod args;
mod inspect;
mod kernels;
mod lines;
mod metadata;
mod names;
pub(crate) mod objects;
mod relocs;
mod report;
mod symbols;

use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};

const TOOL: &str = "amd-codeobj";

/// Reads the command line and runs the subcommand.
pub fn main() -> ExitCode {
    let args = Args::parse();
    crate::run(TOOL, || match args.command {
        Command::Inspect(args) => inspect::run(&args),
        Command::Kernels(args) => kernels::run(&args),
        Command::Metadata(args) => metadata::run(&args),
        Command::Symbols(args) => symbols::run(&args),
        Command::Lines(args) => lines::run(&args),
        Command::Relocs(args) => relocs::run(&args),
    })
}
