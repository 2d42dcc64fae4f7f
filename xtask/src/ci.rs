//! `cargo xtask ci`: everything that must pass before a change is merged, in the order of how fast it fails.

use std::process::{Command, ExitCode};
use std::time::Instant;

use crate::error::Error;
use crate::report::{self, Row};
use crate::{corpus, dist, exec, layers, packages, test_gpu, tidy, toolchain::Toolchain, workspace};

fn cargo(args: &[&str]) -> Result<(), Error> {
    exec::loud(Command::new(workspace::cargo()).args(args).current_dir(workspace::root()))
}

fn passed(code: ExitCode) -> Result<(), Error> {
    if code == ExitCode::SUCCESS { Ok(()) } else { Err(Error::Other("see above".to_owned())) }
}

type Step = (&'static str, fn() -> Result<(), Error>);

const STEPS: &[Step] = &[
    ("fmt", || cargo(&["fmt", "--all", "--check"])),
    ("tidy", || passed(tidy::run()?)),
    ("layers", || passed(layers::run()?)),
    ("toolchain", toolchain),
    ("clippy", || cargo(&["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"])),
    ("features", features),
    ("doc", doc),
    ("dist", || dist::dist().map(drop)),
    ("corpus", corpus::bounded),
];

/// Runs the steps, then all suites; stops at the first step that fails.
pub fn run() -> Result<ExitCode, Error> {
    let mut rows = Vec::new();
    for (name, step) in STEPS {
        eprintln!("xtask: ci: {name}");
        let began = Instant::now();
        step().map_err(|error| Error::Other(format!("ci: {name} failed\n{error}")))?;
        let row = Row {
            layer: "ci".to_owned(),
            suite: (*name).to_owned(),
            passed: 1,
            failed: 0,
            seconds: began.elapsed().as_secs_f64(),
        };
        rows.push(row);
    }
    eprintln!("xtask: ci: test-gpu");
    let mut tests = test_gpu::suites(&test_gpu::Options::everything())?;
    for options in test_gpu::Options::behind_kfd() {
        tests.extend(test_gpu::suites(&options)?);
    }
    let good = tests.iter().all(|row| row.failed == 0);
    rows.extend(tests);
    report::print(&rows);
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The compilers, the headers that the ABI crates are compared with, and AMD's libraries.
fn toolchain() -> Result<(), Error> {
    Toolchain::find()?.hipcc()?;
    packages::require(&[packages::TESTS, packages::VENDOR].concat())
}

/// Crates that others use alone, with every set of features that makes a difference, and the tests that go with few.
const FEATURES: &[(&str, &[&str])] =
    &[("amd-codeobj", &["", "std", "dwarf"]), ("offload-bundle", &["", "std", "zlib", "zstd"])];

/// Each crate by itself: what the workspace as a whole turns on for it must not be what it needs.
fn features() -> Result<(), Error> {
    for (package, sets) in FEATURES {
        for set in *sets {
            cargo(&["check", "--quiet", "--package", package, "--no-default-features", "--features", set])?;
        }
        cargo(&["check", "--quiet", "--package", package, "--tests", "--no-default-features"])?;
    }
    Ok(())
}

/// The documentation of the crates that others use alone has no warning.
fn doc() -> Result<(), Error> {
    let mut doc = Command::new(workspace::cargo());
    doc.args(["doc", "--quiet", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings");
    FEATURES.iter().for_each(|(package, _)| {
        doc.args(["--package", package]);
    });
    exec::loud(doc.current_dir(workspace::root()))
}
