//! The command line.

use clap::{Parser, Subcommand};

use crate::amd_codeobj::args::Pick;

const EXIT: &str =
    "Exit status: 0 fine; 1 something is wrong with a file, or what was asked for is not so; 2 wrong usage.";

const EXAMPLES: &str = "Examples:
  amdgpu-isa disasm kernels.co
  amdgpu-isa disasm --entry gfx90a --plain program
  amdgpu-isa coverage librocsparse.so.0 *.hsaco";

/// Show machine code of AMD GPUs, and which of its instructions the emulated GPU runs.
#[derive(Debug, Parser)]
#[command(name = "amdgpu-isa", version, after_help = format!("{EXAMPLES}\n\n{EXIT}"))]
pub(super) struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    Disasm(Disasm),
    Coverage(Coverage),
    Compare(Compare),
    /// Print the table of all instructions: which chip has which, under what number
    #[command(hide = true)]
    Index,
}

/// Print code as text, in the syntax of LLVM's assembler.
///
/// Words that are no instruction print as `.long`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
JSON: an array with one object a symbol of code: file, bundle, id, target, name (null for code in front of the first symbol),
address, size, instructions: an array of objects with address, bytes (words in hexadecimal) and text.")]
pub(super) struct Disasm {
    #[command(flatten)]
    pub pick: Pick,
    /// Print an instruction a line, `<address>: <text>`, and nothing else
    #[arg(long, conflicts_with = "json")]
    pub plain: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Count instructions, and tell which of them the emulated GPU does not run.
///
/// Ends with status 1 if there are such, or words that are no instruction.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
JSON: an object: objects, instructions, runs (true if all of them have an executor, but graphics), chips: an array of objects with chip,
objects, instructions, unknown (words that are no instruction), unknown_examples, mnemonics: an array of objects with
mnemonic, count, runs, graphics, reason (why it does not run, or null).")]
pub(super) struct Coverage {
    #[command(flatten)]
    pub pick: Pick,
    /// List every instruction, not those alone that are not run
    #[arg(long)]
    pub all: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Compare the text with that of LLVM's disassembler, instruction by instruction.
///
/// Needs llvm-objdump. Ends with status 1 if there is a difference.
#[derive(Debug, clap::Args)]
pub(super) struct Compare {
    #[command(flatten)]
    pub pick: Pick,
    /// LLVM's disassembler
    #[arg(long, value_name = "PROGRAM", default_value = "llvm-objdump-19")]
    pub objdump: String,
    /// Only every Nth code object
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub every: usize,
}
