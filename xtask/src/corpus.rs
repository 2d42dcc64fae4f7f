//! `cargo xtask corpus`: the parsers in the wild. Runs the example `corpus` of the tools' package, optimised, over the files
//! that are named, or over Debian's libraries of kernels and fat binaries built here.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Args;

use crate::error::Error;
use crate::{exec, packages, workspace};

/// Debian's libraries with kernels in them: package and file.
const LIBRARIES: &[(&str, &str)] = &[
    ("librocrand1", "/usr/lib/x86_64-linux-gnu/librocrand.so.1"),
    ("librocsparse0", "/usr/lib/x86_64-linux-gnu/librocsparse.so.0"),
];

/// The command line of `corpus`.
#[derive(Args)]
pub struct Options {
    /// Files, folders, wheels and zip files; none: Debian's librocrand1 and librocsparse0, and builds of our own
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Build with clang-15 and clang-19 as well, for every processor that they know
    #[arg(long)]
    build: bool,
    /// How many code objects, and how many bundles, are compared with LLVM's tools
    #[arg(long, value_name = "N", default_value_t = 200)]
    samples: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs it; the exit status says whether everything was read and equal.
pub fn run(options: &Options) -> Result<ExitCode, Error> {
    let mut paths = options.paths.clone();
    let mut flags = vec![format!("--samples={}", options.samples)];
    if paths.is_empty() {
        for (package, file) in LIBRARIES {
            match Path::new(file).exists() {
                true => paths.push(PathBuf::from(file)),
                false => {
                    eprintln!("xtask: {package} is not installed: {}", packages::install_command(&[package]))
                }
            }
        }
    }
    if options.paths.is_empty() || options.build {
        flags.push("--build".to_owned());
    }
    if options.json {
        flags.push("--json".to_owned());
    }
    let mut command = example()?;
    let status = command.args(flags).args(paths).status().map_err(exec::start(&command))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What CI runs: one library of Debian, the builds in fewer variants.
pub fn bounded() -> Result<(), Error> {
    let (package, file) = LIBRARIES[0];
    if !Path::new(file).exists() {
        packages::install(file, &[package])?;
    }
    exec::loud(example()?.args(["--build", "--quick", file]))
}

/// The example, built, with the folder for what it makes.
fn example() -> Result<Command, Error> {
    let mut cargo = Command::new(workspace::cargo());
    cargo.args(["build", "--release", "--quiet", "-p", "rocm-binutils", "--example", "corpus"]);
    exec::loud(cargo.current_dir(workspace::root()))?;
    let mut command = Command::new(workspace::target().join("release/examples/corpus"));
    command.arg("--work").arg(workspace::target().join("corpus"));
    Ok(command)
}
