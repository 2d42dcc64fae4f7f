//! The tool `amdgpu-isa`: machine code of code objects as text, and which of its instructions the emulated GPU runs. One
//! file a subcommand.

mod args;
mod code;
mod compare;
mod coverage;
mod disasm;
mod index;

use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};

const TOOL: &str = "amdgpu-isa";

/// Reads the command line and runs the subcommand.
pub fn main() -> ExitCode {
    let args = Args::parse();
    crate::run(TOOL, || match args.command {
        Command::Disasm(args) => disasm::run(&args),
        Command::Coverage(args) => coverage::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Index => index::run(),
    })
}

pub use index::markdown as index_markdown;
