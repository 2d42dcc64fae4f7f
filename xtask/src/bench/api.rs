//! `cargo xtask bench hsa` and `bench hip`: what calls of a runtime take, ours and AMD's, on the same emulated device behind
//! `/dev/kfd`, by turns.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::{Options, digits, median};
use crate::compile::{Compilers, Job};
use crate::error::Error;
use crate::stack::{self, Copies, Device, Thunk};
use crate::toolchain::Toolchain;
use crate::{Driver, exec, packages, report, run, workspace};

/// Which runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Api {
    /// `libhsa-runtime64.so.1`
    Hsa,
    /// `libamdhip64.so.5`
    Hip,
}

impl Api {
    /// What README says above the table.
    fn intro(self, chip: &str, runs: u32) -> String {
        let (what, command) = match self {
            Api::Hsa => ("calls of the HSA runtime (`libhsa-runtime64.so.1`) take", "hsa"),
            Api::Hip => ("calls of HIP (`libamdhip64.so.5`) take", "hip"),
        };
        format!(
            "What {what}, ours and AMD's 5.2.3 by turns on the same emulated {chip}, medians of {runs} runs.\n\
             `cargo xtask bench {command} --markdown` measures again and prints this.\n"
        )
    }
}

/// A program with its arguments.
struct Program {
    binary: PathBuf,
    arguments: Vec<PathBuf>,
    /// When the whole process is what is measured: under this name.
    whole: Option<&'static str>,
}

/// What was measured, in microseconds.
#[derive(Debug, Serialize)]
struct Measure {
    name: String,
    ours: Vec<f64>,
    vendor: Vec<f64>,
}

/// Longest run of a program.
const LIMIT: Duration = Duration::from_secs(300);

/// Bytes of the code object that is loaded.
const BALLAST: &str = "-DBYTES=10485760";

/// A large library of kernels, which a program is linked with: `librocsparse0` of Debian.
const LARGE: &str = "librocsparse.so.0";

/// Runs everything by turns, and prints the table.
pub fn run(api: Api, options: &Options, dist: &Path) -> Result<ExitCode, Error> {
    let missing = packages::missing(packages::VENDOR);
    if !missing.is_empty() {
        let what = format!("AMD's libraries ({})", missing.join(", "));
        return Err(Error::Skipped { what, install: packages::install_command(&missing) });
    }
    let chip = options.gpus.first().map_or(run::DEFAULT_CHIP, String::as_str);
    let programs = match api {
        Api::Hsa => vec![hsa(chip)?],
        Api::Hip => hip(chip, options.library.as_deref(), dist)?,
    };
    let mut measures = Vec::new();
    for turn in 1..=options.runs {
        for program in &programs {
            for vendor in [false, true] {
                let whose = if vendor { "vendor" } else { "ours" };
                eprintln!("run {turn} of {}: {} {whose}", options.runs, workspace::stem(&program.binary));
                let mut command = match (api, vendor) {
                    (Api::Hip, false) => stack::ours(dist, Device::Preload, chip, &program.binary),
                    (_, true) => stack::vendor(dist, chip, Copies::Sdma, Thunk::Vendor, &program.binary),
                    (Api::Hsa, false) => {
                        stack::vendor(dist, chip, Copies::Sdma, Thunk::InOurRocr, &program.binary)
                    }
                };
                command.args(&program.arguments);
                for (name, value) in measure(&mut command, program.whole)? {
                    put(&mut measures, name, vendor, value);
                }
            }
        }
    }
    if options.json {
        let json = serde_json::to_string_pretty(&measures);
        println!("{}", json.map_err(|error| Error::Other(format!("JSON: {error}")))?);
    } else if options.markdown {
        print!("{}\n{}", api.intro(chip, options.runs), table(&measures));
    } else {
        print!("{}", table(&measures));
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs a program: the names and microseconds that it prints, or those of the whole process.
fn measure(command: &mut Command, whole: Option<&str>) -> Result<Vec<(String, f64)>, Error> {
    if let Some(name) = whole {
        // Waited for without a limit, which would be looked at in steps.
        let began = Instant::now();
        exec::quiet(command)?;
        return Ok(vec![(name.to_owned(), began.elapsed().as_secs_f64() * 1e6)]);
    }
    let ended = exec::limited(command, LIMIT)?;
    if !ended.status.is_some_and(|status| status.success()) {
        let status = ended.status.map_or_else(|| "no time left".to_owned(), exec::describe);
        return Err(Error::Failed {
            command: exec::line(command),
            status,
            output: format!("{}{}", ended.stdout, ended.stderr),
        });
    }
    let lines = ended.stdout.lines().filter_map(|line| line.rsplit_once(": "));
    Ok(lines.filter_map(|(name, value)| Some((name.to_owned(), value.parse().ok()?))).collect())
}

fn put(measures: &mut Vec<Measure>, name: String, vendor: bool, value: f64) {
    let at = measures.iter().position(|measure| measure.name == name).unwrap_or_else(|| {
        measures.push(Measure { name, ours: Vec::new(), vendor: Vec::new() });
        measures.len() - 1
    });
    let measure = &mut measures[at];
    if vendor { measure.vendor.push(value) } else { measure.ours.push(value) }
}

fn table(measures: &[Measure]) -> String {
    let mut lines = vec![["microseconds", "ours", "vendor", "ratio"].map(str::to_owned).to_vec()];
    for Measure { name, ours, vendor } in measures {
        let (ours, vendor) = (median(ours), median(vendor));
        let time = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), digits);
        let ratio = ours.zip(vendor).map(|(ours, vendor)| format!("{}×", digits(ours / vendor)));
        lines.push(vec![name.clone(), time(ours), time(vendor), ratio.unwrap_or_else(|| "–".to_owned())]);
    }
    report::markdown(&lines, 1)
}

/// The program for the HSA runtime, with its two code objects.
fn hsa(chip: &str) -> Result<Program, Error> {
    packages::require(packages::TESTS)?;
    let sources = workspace::root().join("tests/bench/api");
    let folder = workspace::target().join("hip");
    workspace::make_dir(&folder)?;
    let binary = folder.join("bench-hsa");
    let mut cc = Command::new("cc");
    cc.args(["-O2", "-w", "-o"])
        .arg(&binary)
        .arg(sources.join("hsa.c"))
        .args(["-lhsa-runtime64", "-lpthread"]);
    exec::quiet(&mut cc)?;
    let clang = Toolchain::find()?.clang;
    let object = |name: &str, flag: Option<&str>| {
        let path = folder.join(format!("{name}-{chip}.co"));
        let mut command = Command::new(&clang);
        command.args([
            "-x",
            "c",
            "-target",
            "amdgcn-amd-amdhsa",
            "-mcode-object-version=4",
            "-nogpulib",
            "-O2",
        ]);
        command.arg(format!("-mcpu={chip}")).args(flag).arg(sources.join("kernel.c")).arg("-o").arg(&path);
        exec::quiet(&mut command).map(|_| path)
    };
    let arguments = vec![object("bench-empty", None)?, object("bench-big", Some(BALLAST))?];
    Ok(Program { binary, arguments, whole: None })
}

/// The programs for the HIP runtime.
fn hip(chip: &str, library: Option<&Path>, dist: &Path) -> Result<Vec<Program>, Error> {
    let compilers = Compilers::find(dist)?;
    let compile = |name: &str, flags: Vec<String>| {
        let source = workspace::root().join("tests/bench/api").join(name);
        let job = Job { source: &source, driver: Driver::Hipcc, chips: vec![chip.to_owned()], opt: 3, flags };
        compilers.compile(&job).map(|(binary, _)| binary)
    };
    let program = |binary, whole| Program { binary, arguments: Vec::new(), whole };
    let mut programs = vec![
        program(compile("start.hip", Vec::new())?, Some("a process, with its first kernel")),
        program(compile("hip.hip", Vec::new())?, None),
    ];
    let debian = || {
        packages::missing(&["librocsparse0"])
            .is_empty()
            .then(|| PathBuf::from(format!("/usr/lib/x86_64-linux-gnu/{LARGE}")))
    };
    match library.map(Path::to_owned).or_else(debian) {
        Some(library) => {
            // By its name: what is given by its path a compiler driver may take for a source.
            let folder = library.parent().unwrap_or(Path::new(".")).display().to_string();
            let file = library.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let flags = vec![
                "-Wl,--no-as-needed".to_owned(),
                format!("-L{folder}"),
                format!("-l:{file}"),
                format!("-Wl,-rpath,{folder}"),
            ];
            let name = "a process with a large library, with its first kernel";
            programs.push(program(compile("start.hip", flags)?, Some(name)));
        }
        None => eprintln!(
            "xtask: no {LARGE}: the start of a program that is linked with it is left out \
             (apt-get install librocsparse0, or --library PATH)"
        ),
    }
    Ok(programs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_medians_and_their_ratio() {
        let mut measures = Vec::new();
        for (vendor, value) in [(false, 2.0), (true, 8.0), (false, 4.0), (true, 4.0)] {
            put(&mut measures, "empty kernel".to_owned(), vendor, value);
        }
        put(&mut measures, "hsa_init".to_owned(), false, 900.0);
        let expected = "\
| microseconds | ours | vendor |  ratio |
| ------------ | ---: | -----: | -----: |
| empty kernel | 3.00 |   6.00 | 0.500× |
| hsa_init     |  900 |      – |      – |
";
        assert_eq!(table(&measures), expected);
    }
}
