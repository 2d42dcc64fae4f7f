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
use crate::stack::{Device, Rocr, Stack, Thunk};
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
            Layer::Thunk => &["kfd-sys", "thunk-rs", "hsakmt", "amdgpu-emu", "kfd-preload"],
            Layer::Rocr => &["hsa-sys", "rocr-rs", "hsa-runtime64"],
            Layer::Hip => &["hip-sys", "hiprtc-rs", "hiprtc", "hip-rt", "xtask", "system-tests"],
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
    /// What to run on (default: emu; AMD's libraries run on preload). With preload only programs run
    #[arg(long, value_enum)]
    pub device: Option<Device>,
    /// Whose libraries to test; those of AMD run on the emulated device behind /dev/kfd
    #[arg(long, value_enum, default_value = "ours")]
    pub stack: Stack,
    /// With --stack vendor: whose thunk is below AMD's HIP and HSA runtimes
    #[arg(long, value_enum)]
    pub thunk: Option<Thunk>,
    /// With --stack vendor: whose HSA runtime is below AMD's HIP and rocminfo
    #[arg(long, value_enum, conflicts_with = "thunk")]
    pub rocr: Option<Rocr>,
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
    /// The programs that every mixture of libraries runs, each once
    #[arg(skip)]
    pub common: bool,
}

impl Options {
    /// All suites on all chips.
    pub fn everything() -> Options {
        Options {
            layers: Vec::new(),
            gpus: Vec::new(),
            device: None,
            stack: Stack::Ours,
            thunk: None,
            rocr: None,
            cc: Vec::new(),
            opt: Vec::new(),
            filter: None,
            programs: false,
            no_run: false,
            json: false,
            common: false,
        }
    }

    /// What is run through `/dev/kfd` in a merge check, on one chip: AMD's libraries, then with our thunk below them, then
    /// with our HSA runtime, then all of ours.
    pub fn behind_kfd() -> [Options; 4] {
        let (rocr, thunk) = (Some(Rocr::Ours), Some(Thunk::Ours));
        let stacks = [
            (Stack::Vendor, None, None),
            (Stack::Vendor, None, thunk),
            (Stack::Vendor, rocr, None),
            (Stack::Ours, None, None),
        ];
        stacks.map(|(stack, rocr, thunk)| Options {
            gpus: vec!["gfx90a".to_owned()],
            device: Some(Device::Preload),
            stack,
            rocr,
            thunk,
            cc: vec![Driver::Hipcc],
            opt: vec![3],
            programs: true,
            ..Options::everything()
        })
    }

    /// What programs run on.
    pub fn device(&self) -> Device {
        self.device.unwrap_or(if self.stack == Stack::Vendor { Device::Preload } else { Device::Emu })
    }

    /// Whose thunk AMD's libraries run on.
    pub fn thunk(&self) -> Thunk {
        match self.rocr {
            Some(Rocr::Ours) => Thunk::InOurRocr,
            _ => self.thunk.unwrap_or(Thunk::Vendor),
        }
    }

    /// Refuses what does not go together, rather than leave a part of it out.
    fn check(&self) -> Result<(), Error> {
        let vendor = self.stack == Stack::Vendor;
        let faults = [
            (
                vendor && !self.layers.is_empty(),
                "--stack vendor goes without --layer: of AMD's libraries all are tested at once, by programs",
            ),
            (
                vendor && self.device() != Device::Preload,
                "--stack vendor goes with --device preload only: the emulated device behind /dev/kfd",
            ),
            (
                !vendor && self.device() == Device::Preload && !self.programs,
                "--device preload goes with --programs only: tests of crates open their devices themselves",
            ),
            (
                !vendor && (self.thunk.is_some() || self.rocr.is_some()),
                "--thunk and --rocr go with --stack vendor only: our own HIP has both inside",
            ),
            (
                self.programs && !self.layers.is_empty() && !self.layers.contains(&Layer::Hip),
                "--programs are those of --layer hip, which is not among the layers asked for",
            ),
        ];
        match faults.into_iter().find(|(wrong, _)| *wrong) {
            Some((_, what)) => Err(Error::Other(what.to_owned())),
            None => Ok(()),
        }
    }

    /// Fails when nothing ran: a filter with a typo is not a success.
    fn check_ran(&self, rows: &[Row]) -> Result<(), Error> {
        if rows.iter().any(|row| row.passed + row.failed > 0) {
            return Ok(());
        }
        let mut asked: Vec<String> = self.gpus.iter().map(|chip| format!("--gpu {chip}")).collect();
        asked.extend(self.cc.iter().map(|driver| format!("--cc {}", driver.name())));
        asked.extend(self.opt.iter().map(|level| format!("--opt {level}")));
        asked.extend(self.layers.iter().map(|layer| format!("--layer {}", layer.name())));
        asked.extend(self.filter.iter().map(|part| format!("--filter {part}")));
        Err(Error::Other(format!("nothing ran: no test and no program fits {}", asked.join(" "))))
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
    options.check()?;
    let (rows, failures) = match options.stack {
        Stack::Vendor => vendor(options)?,
        Stack::Ours => ours(options)?,
    };
    options.check_ran(&rows)?;
    Ok((rows, failures))
}

/// The layers of this workspace.
fn ours(options: &Options) -> Result<(Vec<Row>, Vec<Failure>), Error> {
    let dist = dist::dist()?;
    let mut rows = Vec::new();
    let mut failures = Vec::new();
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
            if !options.programs && options.filter.is_none() && options.device() == Device::Emu {
                rows.push(differential::slice(&chips(&options.gpus))?);
            }
        }
    }
    Ok((rows, failures))
}

/// AMD's libraries: rocminfo, then the programs.
fn vendor(options: &Options) -> Result<(Vec<Row>, Vec<Failure>), Error> {
    let missing = packages::missing(packages::VENDOR);
    if !missing.is_empty() {
        let what = format!("AMD's libraries ({})", missing.join(", "));
        return Err(Error::Skipped { what, install: packages::install_command(&missing) });
    }
    let dist = &dist::dist()?;
    let mut rows = Vec::new();
    let mut failures = Vec::new();
    if !options.no_run
        && !options.common
        && options.filter.as_ref().is_none_or(|part| "rocminfo".contains(part))
    {
        let (row, found) = rocminfo::run(dist, options.thunk());
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
    if options.device() == Device::Kfd {
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
        passed += report::number_before(line, " passed");
        failed += report::number_before(line, " failed");
    }
    if options.filter.is_none() && passed + failed == 0 {
        failed = 1;
        eprintln!("xtask: {package} ran no test");
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_go_together_is_refused() {
        let refused = |options: Options, word: &str| {
            let said = options.check().unwrap_err().to_string();
            assert!(said.contains(word), "{said}");
        };
        let vendor = || Options { stack: Stack::Vendor, ..Options::everything() };
        refused(Options { layers: vec![Layer::Hip], ..vendor() }, "--layer");
        for device in [Device::Kfd, Device::Emu] {
            refused(Options { device: Some(device), ..vendor() }, "--device preload");
        }
        let ours = Options::everything;
        refused(Options { device: Some(Device::Preload), ..ours() }, "--programs");
        refused(Options { programs: true, layers: vec![Layer::Isa], ..ours() }, "--layer hip");
        refused(Options { rocr: Some(Rocr::Ours), ..ours() }, "--rocr");
        let good = [
            vendor(),
            Options { rocr: Some(Rocr::Ours), ..vendor() },
            ours(),
            Options { device: Some(Device::Kfd), ..ours() },
        ];
        good.iter().chain(&Options::behind_kfd()).for_each(|options| options.check().unwrap());
    }

    #[test]
    fn nothing_that_ran_is_no_success() {
        let options =
            Options { filter: Some("saxpi".to_owned()), cc: vec![Driver::Clang], ..Options::everything() };
        let row = |passed| Row {
            layer: "hip".to_owned(),
            suite: "hip-rt".to_owned(),
            passed,
            failed: 0,
            seconds: 1.0,
        };
        let said = options.check_ran(&[row(0), row(0)]).unwrap_err().to_string();
        assert!(said.contains("nothing ran") && said.ends_with("--cc clang --filter saxpi"), "{said}");
        assert!(options.check_ran(&[]).is_err());
        options.check_ran(&[row(0), row(1)]).unwrap();
    }
}
