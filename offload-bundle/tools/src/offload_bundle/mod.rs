//! The tool `offload-bundle`: fat binaries of HIP programs, in whatever file they stand. One file a subcommand.

mod args;
mod check;
mod extract;
mod form;
mod ls;
mod names;
mod pack;
mod repack;
mod save;
mod unpack;
mod verify;
mod why;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

use args::{Args, Command};

/// Reads the command line and runs the subcommand.
pub fn main() -> ExitCode {
    let args = Args::parse();
    if let Err(error) = args.check() {
        Args::command().error(ErrorKind::ValueValidation, error).exit();
    }
    crate::run(TOOL, || match args.command {
        Command::Ls(args) => ls::run(&args),
        Command::Extract(args) => extract::run(&args),
        Command::Unpack(args) => unpack::run(&args),
        Command::Pack(args) => pack::run(&args),
        Command::Repack(args) => repack::run(&args),
        Command::Why(args) => why::run(&args),
        Command::Verify(args) => verify::run(&args),
    })
}

const TOOL: &str = "offload-bundle";

/// How LLVM bitcode begins, which `-fgpu-rdc` leaves in objects in place of code.
const BITCODE: &[u8] = b"BC\xc0\xde";

/// The largest table of a compressed bundle that is unpacked to look into it, in bytes. One for all processors has a few
/// kilobytes.
const TABLE_LIMIT: u64 = 16 << 20;
