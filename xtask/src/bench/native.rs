//! The yardstick: `tests/bench/native.cpp`, the same work as the HIP programs in plain C++, compiled for this machine.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{self, Command};
use std::time::Duration;

use serde::Serialize;

use crate::error::Error;
use crate::packages::install_command;
use crate::{exec, workspace};

/// Flags of the compiler.
pub const FLAGS: [&str; 3] = ["-O3", "-march=native", "-pthread"];

/// Which works a program is held against, and what is special about each.
pub const AGAINST: &[(&str, &[(&str, &str)])] = &[
    ("saxpy", &[("saxpy", "")]),
    ("sgemm", &[("sgemm_naive_ijk", ""), ("sgemm_wave64", "vectorised")]),
    ("sgemm_tiled", &[("sgemm_wave64", "vectorised")]),
    ("nbody", &[("nbody", "")]),
    ("histogram", &[("histogram", "")]),
    ("blackscholes", &[("blackscholes", "")]),
];

/// The compiled program, and what its runs took.
#[derive(Debug, Serialize)]
pub struct Native {
    #[serde(skip)]
    binary: PathBuf,
    #[serde(skip)]
    threads: Vec<u32>,
    /// The compiler's name.
    #[serde(skip)]
    pub program: String,
    /// The compiler's first line about itself.
    pub compiler: String,
    /// Seconds of each run, by work and threads.
    pub seconds: BTreeMap<String, BTreeMap<u32, Vec<f64>>>,
}

impl Native {
    /// Compiles it with `$CXX`, or `c++`.
    pub fn build(threads: &[u32]) -> Result<Native, Error> {
        let program = std::env::var("CXX").ok().filter(|name| !name.is_empty()).unwrap_or("c++".to_owned());
        let missing = |error| match error {
            Error::Start { program, .. } => {
                Error::Missing { what: program, install: install_command(&["g++"]) }
            }
            other => other,
        };
        let version = exec::text(Command::new(&program).arg("--version")).map_err(missing)?;
        let version = version.lines().next().unwrap_or_default().to_owned();
        let source = workspace::root().join("tests/bench/native.cpp");
        let text = fs::read(&source).map_err(Error::at(&source))?;
        let flags = FLAGS.join(" ");
        let key = workspace::key([version.as_bytes(), flags.as_bytes(), &text]);
        let folder = workspace::target().join("hip");
        workspace::make_dir(&folder)?;
        let binary = folder.join(format!("native-{key}"));
        if !binary.exists() {
            let made = folder.join(format!("native-{key}.{}", process::id()));
            exec::quiet(Command::new(&program).args(FLAGS).arg(&source).arg("-o").arg(&made))?;
            fs::rename(&made, &binary).map_err(Error::at(&binary))?;
        }
        let (threads, seconds) = (threads.to_vec(), BTreeMap::new());
        Ok(Native { binary, threads, program, compiler: version, seconds })
    }

    /// Runs it once for each number of threads.
    pub fn run(&mut self) -> Result<(), Error> {
        for threads in &self.threads {
            let mut command = Command::new(&self.binary);
            command.arg(threads.to_string());
            let ended = exec::limited(&mut command, Duration::from_secs(600))?;
            if !ended.status.is_some_and(|status| status.success()) {
                let status = ended.status.map_or_else(|| "no time left".to_owned(), exec::describe);
                return Err(Error::Failed {
                    command: exec::line(&command),
                    status,
                    output: ended.stdout + &ended.stderr,
                });
            }
            for line in ended.stdout.lines() {
                let work = line.split_whitespace().nth(1).unwrap_or_default();
                if let Some((seconds, ..)) = super::parse(line) {
                    let by_threads = self.seconds.entry(work.to_owned()).or_default();
                    by_threads.entry(*threads).or_default().push(seconds);
                }
            }
        }
        Ok(())
    }

    /// Median seconds of a work.
    pub fn median(&self, work: &str, threads: u32) -> Option<f64> {
        super::median(self.seconds.get(work)?.get(&threads)?)
    }
}
