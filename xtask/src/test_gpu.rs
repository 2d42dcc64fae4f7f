//! `cargo xtask test-gpu`: the suites, layer by layer, and a table at the end.
//!
//! The layers up to `rocr` are `cargo test` of their crates; `hip` adds the programs of `tests/kernels`
//! and a slice of the differential programs.

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::error::Error;
use crate::report::{self, Row};
use crate::stack::{self, Stack};
use crate::test_hip::{self, Failure};
use crate::{Driver, differential, dist, exec, packages, rocminfo, workspace};

/// A layer of the stack, from the bottom up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Layer {
    /// Fat binaries
    Bundle,
    /// Code objects
    Codeobj,
    /// Machine code
    Isa,
    /// The thunk and the device below it
    Thunk,
    /// The HSA runtime
    Rocr,
    /// The HIP runtime, and whole programs
    Hip,
}

impl Layer {
    const ALL: &[Layer] = &[Layer::Bundle, Layer::Codeobj, Layer::Isa, Layer::Thunk, Layer::Rocr, Layer::Hip];

    fn name(self) -> &'static str {
        match self {
            Layer::Bundle => "bundle",
            Layer::Codeobj => "codeobj",
            Layer::Isa => "isa",
            Layer::Thunk => "thunk",
            Layer::Rocr => "rocr",
            Layer::Hip => "hip",
        }
    }

    fn packages(self) -> &'static [&'static str] {
        match self {
            Layer::Bundle => &["offload-bundle", "parser-checks", "rocm-binutils"],
            Layer::Codeobj => &["amd-codeobj"],
            Layer::Isa => &["amdgpu-isa"],
            Layer::Thunk => &["kfd-sys", "thunk-rs", "amdgpu-emu", "kfd-preload"],
            Layer::Rocr => &["hsa-sys", "rocr-rs"],
            Layer::Hip => &["hip-sys", "hip-rt", "xtask", "system-tests"],
        }
    }
}

/// The command line of `test-gpu`.
#[derive(Args)]
pub struct Options {
    /// Only this layer; may be repeated
    #[arg(long = "layer", value_enum)]
    pub layers: Vec<Layer>,
    /// Only this chip; may be repeated
    #[arg(long = "gpu", value_name = "CHIP")]
    pub gpus: Vec<String>,
    /// What to run on: the emulated device in the process, hardware, or the emulated device behind /dev/kfd (programs
    /// of layer hip)
    #[arg(long, default_value = "emu", value_parser = ["emu", "kfd", "preload"])]
    pub device: String,
    /// Whose libraries to test; those of AMD run on the emulated device behind /dev/kfd
    #[arg(long, value_enum, default_value = "ours")]
    pub stack: Stack,
    /// Only this compiler driver; may be repeated
    #[arg(long, value_enum)]
    pub cc: Vec<Driver>,
    /// Only this optimisation level; may be repeated
    #[arg(long, value_parser = clap::value_parser!(u8).range(0..=3))]
    pub opt: Vec<u8>,
    /// Only programs (of layer hip) or tests whose name contains this
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Of layer hip only the programs, not the tests of its crates
    #[arg(long)]
    pub programs: bool,
    /// Compile the programs of layer hip, but do not run them
    #[arg(long, requires = "programs")]
    pub no_run: bool,
    /// Print the results as JSON
    #[arg(long)]
    pub json: bool,
}

impl Options {
    /// All suites on all chips.
    pub fn everything() -> Options {
        Options {
            layers: Vec::new(),
            gpus: Vec::new(),
            device: "emu".to_owned(),
            stack: Stack::Ours,
            cc: Vec::new(),
            opt: Vec::new(),
            filter: None,
            programs: false,
            no_run: false,
            json: false,
        }
    }

    /// What is run through `/dev/kfd` in a merge check: AMD's libraries (`vendor`) or ours, on one chip.
    pub fn behind_kfd(stack: Stack) -> Options {
        Options {
            gpus: vec!["gfx90a".to_owned()],
            device: "preload".to_owned(),
            stack,
            cc: vec![Driver::Hipcc],
            opt: vec![3],
            programs: true,
            ..Options::everything()
        }
    }
}

/// The chips that are tested when none is asked for. The emulator can be others (`--gpu`).
const TESTED_CHIPS: &[&str] = &["gfx90a", "gfx942"];

/// The chips on which AMD's libraries are tested: those that Debian's version knows.
pub const VENDOR_CHIPS: &[&str] = &["gfx90a", "gfx908", "gfx906"];

/// The chips to test: those asked for, or the default.
pub fn chips(asked: &[String]) -> Vec<String> {
    if asked.is_empty() { TESTED_CHIPS.iter().map(|&chip| chip.to_owned()).collect() } else { asked.to_vec() }
}

#[derive(Serialize)]
struct Json<'a> {
    rows: &'a [Row],
    failures: &'a [Failure],
}

/// Runs the suites that were asked for, prints the table.
pub fn run(options: &Options) -> Result<ExitCode, Error> {
    let (rows, failures) = collect(options)?;
    if options.json {
        let json = serde_json::to_string_pretty(&Json { rows: &rows, failures: &failures })
            .map_err(|error| Error::Other(format!("JSON: {error}")))?;
        println!("{json}");
    } else {
        report::print(&rows);
    }
    Ok(if rows.iter().all(|row| row.failed == 0) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs the suites and returns their rows; failures have been described on stderr.
pub fn suites(options: &Options) -> Result<Vec<Row>, Error> {
    collect(options).map(|(rows, _)| rows)
}

fn collect(options: &Options) -> Result<(Vec<Row>, Vec<Failure>), Error> {
    let dist = dist::dist()?;
    let mut rows = Vec::new();
    let mut failures = Vec::new();
    if options.stack == Stack::Vendor {
        return vendor(options, &dist);
    }
    let wanted = |layer: &Layer| match options.layers.as_slice() {
        [] => !options.programs || *layer == Layer::Hip,
        some => some.contains(layer),
    };
    for layer in Layer::ALL.iter().copied().filter(wanted) {
        if !options.programs {
            for package in layer.packages() {
                rows.push(cargo_test(layer, package, options, &dist)?);
            }
        }
        if layer == Layer::Hip {
            let (hip_rows, hip_failures) = test_hip::run(options, &dist)?;
            rows.extend(hip_rows);
            failures.extend(hip_failures);
            if !options.programs && options.filter.is_none() && options.device == "emu" {
                rows.push(differential::slice(&chips(&options.gpus))?);
            }
        }
    }
    Ok((rows, failures))
}

/// AMD's libraries: rocminfo, then the programs. Skipped, with a word, where they are not installed.
fn vendor(options: &Options, dist: &Path) -> Result<(Vec<Row>, Vec<Failure>), Error> {
    let missing = stack::missing_packages();
    if !missing.is_empty() {
        let install = packages::install_command(&missing);
        eprintln!("xtask: SKIPPED: AMD's libraries are not installed: {}\n    {install}", missing.join(", "));
        return Ok((Vec::new(), Vec::new()));
    }
    let mut rows = Vec::new();
    let mut failures = Vec::new();
    if options.filter.as_ref().is_none_or(|part| "rocminfo".contains(part)) {
        let (row, found) = rocminfo::run(dist);
        rows.push(row);
        failures.extend(found);
    }
    let (found, failed) = test_hip::run(options, dist)?;
    rows.extend(found);
    failures.extend(failed);
    Ok((rows, failures))
}

/// The tests of one crate.
fn cargo_test(layer: Layer, package: &str, options: &Options, dist: &Path) -> Result<Row, Error> {
    eprintln!("xtask: {}: cargo test -p {package}", layer.name());
    let mut command = Command::new(workspace::cargo());
    command.args(["test", "-p", package, "--no-fail-fast"]).current_dir(workspace::root());
    // The packages' own unit, integration and documentation tests; `ROCRS_DIST` tells where the drop-in libraries are.
    command.env("ROCRS_DIST", dist);
    if options.device == "kfd" {
        command.env("ROCRS_DEVICE", "kfd");
    }
    if let Some(filter) = &options.filter {
        command.args(["--", filter]);
    }
    let began = Instant::now();
    let output = command.stdin(Stdio::null()).output().map_err(exec::start(&command))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let (mut passed, mut failed) = (0, 0);
    for line in text.lines().filter(|line| line.starts_with("test result:")) {
        passed += count(line, " passed");
        failed += count(line, " failed");
    }
    if !output.status.success() {
        failed = failed.max(1);
        eprintln!("{text}{}", String::from_utf8_lossy(&output.stderr));
        eprintln!("xtask: to see it again: cargo test -p {package}");
    }
    Ok(Row {
        layer: layer.name().to_owned(),
        suite: package.to_owned(),
        passed,
        failed,
        seconds: began.elapsed().as_secs_f64(),
    })
}

/// The number before a word of cargo's summary.
fn count(line: &str, word: &str) -> usize {
    line.split(word)
        .next()
        .and_then(|before| before.rsplit(' ').next())
        .and_then(|n| n.parse().ok())
        .unwrap_or(0)
}
