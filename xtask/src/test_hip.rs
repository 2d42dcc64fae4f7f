//! The programs of `tests/kernels`: each compiled with every driver, optimisation level and chip, run on our libraries,
//! its output compared.
//!
//! A program passes when it ends with status 0 and prints what `NAME.expected` beside it holds or, without such a
//! file, `PASS NAME` as its last line. Lines `//@ KEY: VALUE` in it say what is special:
//! `stderr` (a text that must occur on stderr; may be repeated), `compile-for` (target IDs other than the chip it runs
//! on), `run-on`, `only-cc`, `only-opt` (restrict where it runs), `flags` (for the compiler), `timeout` (seconds).

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::compile::{Compilers, Job};
use crate::error::Error;
use crate::report::Row;
use crate::test_gpu::{self, Options};
use crate::{Driver, exec, run, workspace};

/// Longest run of a program that does not say otherwise, in seconds.
const TIMEOUT: u64 = 120;

/// What a program says about itself in its `//@` lines.
#[derive(Debug, Default, Clone)]
struct Directives {
    stderr: Vec<String>,
    compile_for: Vec<String>,
    run_on: Vec<String>,
    only_cc: Vec<String>,
    only_opt: Vec<String>,
    flags: Vec<String>,
    timeout: Option<u64>,
}

fn directives(source: &Path) -> Result<Directives, Error> {
    let mut found = Directives::default();
    for (n, line) in workspace::read(source)?.lines().enumerate() {
        let Some((key, value)) = line.strip_prefix("//@ ").and_then(|rest| rest.split_once(": ")) else {
            continue;
        };
        let words = || value.split_whitespace().map(str::to_owned);
        match key {
            "stderr" => found.stderr.push(value.to_owned()),
            "compile-for" => found.compile_for.extend(words()),
            "run-on" => found.run_on.extend(words()),
            "only-cc" => found.only_cc.extend(words()),
            "only-opt" => found.only_opt.extend(words()),
            "flags" => found.flags.extend(words()),
            "timeout" => found.timeout = value.parse().ok(),
            _ => {
                let place = format!("{}:{}", workspace::relative(source), n + 1);
                return Err(Error::Other(format!(
                    "{place}: no directive '{key}' (see xtask/src/test_hip.rs)"
                )));
            }
        }
    }
    Ok(found)
}

/// One program, compiled one way, on one chip.
#[derive(Debug, Clone)]
struct Case {
    source: PathBuf,
    driver: Driver,
    opt: u8,
    chip: String,
    directives: Directives,
}

impl Case {
    fn suite(&self) -> String {
        format!("{:5} -O{} {}", self.driver.name(), self.opt, self.chip)
    }

    fn again(&self) -> String {
        format!(
            "cargo xtask test-gpu --programs --filter {} --cc {} --opt {} --gpu {}",
            workspace::stem(&self.source),
            self.driver.name(),
            self.opt,
            self.chip
        )
    }
}

/// A case that failed.
#[derive(Debug, Clone, Serialize)]
pub struct Failure {
    /// The program.
    pub program: String,
    /// Driver, level and chip.
    pub suite: String,
    /// What went wrong.
    pub what: String,
    /// The command that shows it again.
    pub again: String,
}

/// Runs every case that was asked for, as many at once as there are cores.
pub fn run(options: &Options, dist: &Path) -> Result<(Vec<Row>, Vec<Failure>), Error> {
    let cases = cases(options)?;
    if cases.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    let compilers = Compilers::find(dist)?;
    let bar = ProgressBar::new(cases.len() as u64);
    if let Ok(style) = ProgressStyle::with_template("xtask: hip {pos}/{len} {wide_bar} {msg}") {
        bar.set_style(style);
    }
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    let workers = thread::available_parallelism().map_or(2, usize::from);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let began = std::time::Instant::now();
                    let outcome = try_case(case, &compilers, options, dist);
                    let seconds = began.elapsed().as_secs_f64();
                    bar.inc(1);
                    if let Err(what) = &outcome {
                        bar.suspend(|| {
                            let name = workspace::stem(&case.source);
                            eprintln!("FAIL {name} ({}): {what}\n  again: {}", case.suite(), case.again());
                        });
                    }
                    if let Ok(mut results) = results.lock() {
                        results.push((case, outcome, seconds));
                    }
                }
            });
        }
    });
    bar.finish_and_clear();
    let results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    Ok(summary(&results))
}

fn summary(results: &[(&Case, Result<(), String>, f64)]) -> (Vec<Row>, Vec<Failure>) {
    let mut rows: Vec<Row> = Vec::new();
    let mut failures = Vec::new();
    for (case, outcome, seconds) in results {
        let suite = case.suite();
        let index = rows.iter().position(|row| row.suite == suite).unwrap_or_else(|| {
            rows.push(Row {
                layer: "hip".to_owned(),
                suite: suite.clone(),
                passed: 0,
                failed: 0,
                seconds: 0.0,
            });
            rows.len() - 1
        });
        rows[index].seconds += seconds;
        match outcome {
            Ok(()) => rows[index].passed += 1,
            Err(what) => {
                rows[index].failed += 1;
                failures.push(Failure {
                    program: workspace::stem(&case.source),
                    suite,
                    what: what.clone(),
                    again: case.again(),
                });
            }
        }
    }
    rows.sort_by(|a, b| a.suite.cmp(&b.suite));
    (rows, failures)
}

fn cases(options: &Options) -> Result<Vec<Case>, Error> {
    let drivers = if options.cc.is_empty() { vec![Driver::Clang, Driver::Hipcc] } else { options.cc.clone() };
    let levels = if options.opt.is_empty() { vec![0, 3] } else { options.opt.clone() };
    let chips = test_gpu::chips(&options.gpus);
    let mut cases = Vec::new();
    for source in workspace::files(&workspace::root().join("tests/kernels"), &["hip"])? {
        if options.filter.as_ref().is_some_and(|part| !workspace::stem(&source).contains(part)) {
            continue;
        }
        let directives = directives(&source)?;
        // A program that names its chips runs on them, whether or not others are tested by default.
        let chips = match directives.run_on.as_slice() {
            named if options.gpus.is_empty() && !named.is_empty() => named,
            _ => chips.as_slice(),
        };
        let wanted = |list: &[String], word: &str| list.is_empty() || list.iter().any(|entry| entry == word);
        for (driver, opt) in drivers.iter().flat_map(|driver| levels.iter().map(move |opt| (*driver, *opt))) {
            for chip in chips {
                if wanted(&directives.only_cc, driver.name())
                    && wanted(&directives.only_opt, &opt.to_string())
                    && wanted(&directives.run_on, chip)
                {
                    let directives = directives.clone();
                    cases.push(Case { source: source.clone(), driver, opt, chip: chip.clone(), directives });
                }
            }
        }
    }
    Ok(cases)
}

/// Compiles and runs one case; the error says what differs.
fn try_case(case: &Case, compilers: &Compilers, options: &Options, dist: &Path) -> Result<(), String> {
    let chips = match case.directives.compile_for.as_slice() {
        [] => vec![case.chip.clone()],
        named => named.to_vec(),
    };
    let job = Job {
        source: &case.source,
        driver: case.driver,
        chips,
        opt: case.opt,
        flags: case.directives.flags.clone(),
    };
    let (program, said) = compilers.compile(&job).map_err(|error| error.to_string())?;
    if said.contains("error:") || said.contains("[-Wlinker-warnings]") {
        return Err(format!("the compiler says:\n{said}"));
    }
    if options.no_run {
        return Ok(());
    }
    let mut command = Command::new(&program);
    let device = if options.device == "kfd" {
        "kfd".to_owned()
    } else {
        format!("emu:{}", run::processor(&case.chip))
    };
    command.env("ROCRS_DEVICE", device);
    run::on_our_libraries(&mut command, dist);
    let limit = Duration::from_secs(case.directives.timeout.unwrap_or(TIMEOUT));
    let ended = exec::limited(&mut command, limit).map_err(|error| error.to_string())?;
    let said = |what: String| {
        let line = exec::line(&command);
        format!(
            "{what}\n  ran: {line}\n  stdout:\n{}  stderr:\n{}",
            indent(&ended.stdout),
            indent(&ended.stderr)
        )
    };
    match ended.status {
        None => return Err(said(format!("not finished after {:.0} s", ended.seconds))),
        Some(status) if !status.success() => return Err(said(exec::describe(status))),
        Some(_) => {}
    }
    let expected = case.source.with_extension("expected");
    if expected.exists() {
        let want = workspace::read(&expected).map_err(|error| error.to_string())?;
        if ended.stdout != want {
            return Err(said(format!(
                "stdout differs from {}{}",
                workspace::relative(&expected),
                first_difference(&ended.stdout, &want)
            )));
        }
    } else {
        let want = format!("PASS {}", workspace::stem(&case.source));
        if ended.stdout.lines().last() != Some(want.as_str()) {
            return Err(said(format!("the last line is not '{want}'")));
        }
    }
    let lacking = case.directives.stderr.iter().find(|text| !ended.stderr.contains(text.as_str()));
    if let Some(text) = lacking {
        return Err(said(format!("stderr does not contain '{text}'")));
    }
    if ended.stderr.contains("no version information available") {
        return Err(said("the loader warns about our library".to_owned()));
    }
    Ok(())
}

fn indent(text: &str) -> String {
    const MOST: usize = 20;
    let lines: Vec<&str> = text.lines().collect();
    let mut out: String = lines.iter().take(MOST).map(|line| format!("    {line}\n")).collect();
    if lines.len() > MOST {
        out.push_str(&format!("    … {} more lines\n", lines.len() - MOST));
    }
    out
}

fn first_difference(got: &str, want: &str) -> String {
    let mut pairs = got.lines().map(Some).chain(std::iter::repeat(None)).zip(want.lines());
    match pairs.by_ref().enumerate().find(|(_, (got, want))| *got != Some(*want)) {
        Some((n, (got, want))) => {
            format!(
                ", first in line {}:\n    got    {:?}\n    wanted {want:?}",
                n + 1,
                got.unwrap_or("nothing")
            )
        }
        None => " in what follows the last line".to_owned(),
    }
}
