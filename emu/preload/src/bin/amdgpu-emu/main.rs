//! `amdgpu-emu`: runs any program on emulated AMD GPUs, and shows them.

mod info;
mod run;
mod signals;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

#[derive(Parser)]
#[command(name = "amdgpu-emu", version, about = "Emulated AMD GPUs for any program")]
struct Cli {
    #[command(subcommand)]
    word: Word,
}

#[derive(Args)]
struct Gpus {
    /// The GPUs, by processor name, with commas between [default: ROCRS_EMU_GPUS, else gfx90a]
    #[arg(long = "gpu", value_name = "CHIP[,CHIP]")]
    gpu: Option<String>,
}

#[derive(Subcommand)]
enum Word {
    /// Run a command with `/dev/kfd`, `/dev/dri` and their files in sysfs emulated for it and its children
    Run {
        #[command(flatten)]
        gpus: Gpus,
        /// Write a line for each ioctl to this file
        #[arg(long, value_name = "FILE")]
        trace: Option<OsString>,
        /// The command and its arguments
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
        command: Vec<OsString>,
    },
    /// Show the emulated GPUs
    Info {
        #[command(flatten)]
        gpus: Gpus,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
}

fn main() -> ExitCode {
    let result = match Cli::parse().word {
        Word::Run { gpus, trace, command } => run::run(gpus.gpu.as_deref(), trace.as_deref(), &command),
        Word::Info { gpus, json } => info::info(gpus.gpu.as_deref(), json),
    };
    result.unwrap_or_else(|error| {
        eprintln!("amdgpu-emu: {error}");
        ExitCode::FAILURE
    })
}
