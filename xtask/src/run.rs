//! `cargo xtask run FILE.hip`: compile a HIP program with the toolchain of this machine, run it on our libraries.

use std::env;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Args;

use crate::compile::{Compilers, Job};
use crate::error::Error;
use crate::{Driver, dist, exec, workspace};

/// The chip that programs are compiled for when nobody says which.
pub const DEFAULT_CHIP: &str = "gfx90a";

/// The command line of `run`.
#[derive(Args)]
pub struct Options {
    /// The HIP source
    file: PathBuf,
    /// Compile for this chip, and emulate it unless --device says otherwise
    #[arg(long, value_name = "CHIP")]
    gpu: Option<String>,
    /// The compiler driver
    #[arg(long, value_enum, default_value = "clang")]
    cc: Driver,
    /// Optimisation level
    #[arg(short = 'O', default_value = "3", value_parser = clap::value_parser!(u8).range(0..=3))]
    opt: u8,
    /// The device to run on: auto, kfd, emu, emu:CHIP (default: $ROCRS_DEVICE, or auto)
    #[arg(long)]
    device: Option<String>,
    /// Print the story of the run on stderr, layer by layer
    #[arg(long)]
    explain: bool,
    /// Write a timeline of the run for Perfetto into this file
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// A further flag for the compiler; may be repeated
    #[arg(long = "cflag", value_name = "FLAG", allow_hyphen_values = true)]
    cflags: Vec<String>,
    /// Arguments of the program
    #[arg(last = true)]
    args: Vec<String>,
}

/// Compiles and runs; the exit status is the program's.
pub fn run(options: &Options) -> Result<ExitCode, Error> {
    if !options.file.is_file() {
        return Err(Error::Other(format!("{}: no such file", options.file.display())));
    }
    let dist = dist::dist()?;
    let compilers = Compilers::find(&dist)?;
    let chip = options.gpu.clone().or_else(hardware_chip).unwrap_or_else(|| DEFAULT_CHIP.to_owned());
    let job = Job {
        source: &options.file,
        driver: options.cc,
        chips: vec![chip],
        opt: options.opt,
        flags: options.cflags.clone(),
    };
    let (program, said) = compilers.compile(&job)?;
    eprint!("{said}");
    let mut command = Command::new(&program);
    command.args(&options.args);
    on_our_libraries(&mut command, &dist);
    match (&options.device, &options.gpu) {
        (Some(device), _) => command.env("ROCRS_DEVICE", device),
        (None, Some(chip)) => command.env("ROCRS_DEVICE", format!("emu:{}", processor(chip))),
        (None, None) => &mut command,
    };
    if options.explain {
        command.env("ROCRS_EXPLAIN", "1");
    }
    if let Some(file) = &options.trace {
        command.env("ROCRS_TRACE", file);
    }
    let status = command.status().map_err(exec::start(&command))?;
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    if let Some(signal) = status.signal() {
        eprintln!("xtask: {} ended by signal {signal}", workspace::relative(&program));
    }
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
}

/// Lets the loader find our libraries first.
pub fn on_our_libraries(command: &mut Command, dist: &Path) {
    library_path(command, Some(dist));
}

/// Lets the loader find the libraries that are installed.
pub fn without_our_libraries(command: &mut Command) {
    library_path(command, None);
}

fn library_path(command: &mut Command, first: Option<&Path>) {
    // What cargo put into the variable for us is of no use to the program.
    let old = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let of_cargo = |path: &Path| {
        path.starts_with(workspace::target())
            || path.components().any(|part| part.as_os_str() == "toolchains")
    };
    let rest = env::split_paths(&old).filter(|path| !path.as_os_str().is_empty() && !of_cargo(path));
    if let Ok(paths) = env::join_paths(first.map(Path::to_path_buf).into_iter().chain(rest)) {
        command.env("LD_LIBRARY_PATH", paths);
    }
}

/// The processor of a target ID.
pub fn processor(target: &str) -> &str {
    target.split(':').next().unwrap_or(target)
}

/// The processor of the first GPU that KFD lists, from `gfx_target_version` (major · 10000 + minor · 100 + stepping).
fn hardware_chip() -> Option<String> {
    let nodes = Path::new("/sys/devices/virtual/kfd/kfd/topology/nodes");
    let mut paths: Vec<PathBuf> = fs::read_dir(nodes).ok()?.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.sort();
    paths.iter().find_map(|node| {
        let text = fs::read_to_string(node.join("properties")).ok()?;
        let version: u32 =
            text.lines().find_map(|l| l.strip_prefix("gfx_target_version "))?.trim().parse().ok()?;
        (version != 0).then(|| format!("gfx{}{:x}{:x}", version / 10000, version / 100 % 100, version % 100))
    })
}
