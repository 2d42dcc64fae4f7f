//! The programs of `tests/kernels`: each compiled with every driver, optimisation level and chip, run on our libraries,
//! its output compared.
//!
//! A program passes when it ends with status 0 and prints what `NAME.expected` beside it holds or, without such a
//! file, `PASS NAME` as its last line. What is special about it stands in its `//@` lines: [`crate::directives`].

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::compile::{Compilers, Job};
use crate::directives::{self, Directives};
use crate::error::Error;
use crate::report::Row;
use crate::stack::{self, Copies, Device, Stack, Thunk};
use crate::test_gpu::{self, Options};
use crate::{Driver, exec, packages, run, workspace};

/// Longest run of a program that does not say otherwise, in seconds.
const TIMEOUT: u64 = 120;

/// Status of a program that aborts, as a shell and `amdgpu-emu` have it.
const ABORTED: i32 = 128 + 6;

/// One program, compiled one way, on one chip.
#[derive(Debug, Clone)]
struct Case {
    source: PathBuf,
    driver: Driver,
    opt: u8,
    chip: String,
    directives: Directives,
    device: Device,
    /// AMD's libraries, with copies made so.
    vendor: Option<Copies>,
    /// And that thunk.
    thunk: Thunk,
}

impl Case {
    fn suite(&self) -> String {
        let suite = format!("{:5} -O{} {}", self.driver.name(), self.opt, self.chip);
        match (self.vendor, self.device) {
            (Some(_), _) if self.thunk == Thunk::InOurRocr => format!("{suite}{}", self.thunk.suffix()),
            (Some(copies), _) => format!("{suite} {}{}", copies.name(), self.thunk.suffix()),
            (None, Device::Emu) => suite,
            (None, device) => format!("{suite} {}", device.name()),
        }
    }

    fn layer(&self) -> &'static str {
        if self.vendor.is_some() { "vendor" } else { "hip" }
    }

    fn again(&self) -> String {
        let stack = match (self.vendor, self.thunk, self.device) {
            (Some(_), Thunk::Vendor, _) => " --stack vendor".to_owned(),
            (Some(_), Thunk::Ours, _) => " --stack vendor --thunk ours".to_owned(),
            (Some(_), Thunk::InOurRocr, _) => " --stack vendor --rocr ours".to_owned(),
            (None, _, Device::Emu) => String::new(),
            (None, _, device) => format!(" --device {}", device.name()),
        };
        format!(
            "cargo xtask test-gpu --programs{stack} --filter {} --cc {} --opt {} --gpu {}",
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
    let mut needed: Vec<_> = cases.iter().flat_map(|case| case.directives.packages.clone()).collect();
    needed.sort_unstable();
    needed.dedup();
    packages::require(&needed)?;
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
                layer: case.layer().to_owned(),
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
    let vendor = options.stack == Stack::Vendor;
    let or = |asked: &[Driver], default: &[Driver]| {
        if asked.is_empty() { default.to_vec() } else { asked.to_vec() }
    };
    // AMD's libraries load what AMD's driver makes: a newer compiler makes code objects that they do not know.
    let drivers = or(&options.cc, if vendor { &[Driver::Hipcc] } else { &[Driver::Clang, Driver::Hipcc] });
    let levels = match options.opt.as_slice() {
        [] if vendor => vec![3],
        [] => vec![0, 3],
        asked => asked.to_vec(),
    };
    let chips = match options.gpus.as_slice() {
        [] if vendor => test_gpu::VENDOR_CHIPS.iter().map(|chip| (*chip).to_owned()).collect(),
        asked => test_gpu::chips(asked),
    };
    let mut sources = workspace::files(&workspace::root().join("tests/kernels"), &["hip"])?;
    let of_all = vendor || options.common;
    if of_all {
        let yardsticks = workspace::files(&workspace::root().join("tests/bench"), &["cpp"])?;
        sources.extend(yardsticks.into_iter().filter(|path| path.to_string_lossy().ends_with(".hip.cpp")));
    }
    let mut cases = Vec::new();
    for source in sources {
        if options.filter.as_ref().is_some_and(|part| !workspace::stem(&source).contains(part)) {
            continue;
        }
        let directives = Directives::of(&source)?;
        if of_all && directives.ours.is_some()
            || !directives::allows(&directives.only_device, options.device().name())
            || directives.by_hand.is_some() && options.filter.as_deref() != Some(&*workspace::stem(&source))
        {
            continue;
        }
        // A program that names its chips runs on them, whether or not others are tested by default.
        let chips = match directives.run_on.as_slice() {
            named if options.gpus.is_empty() && !named.is_empty() && !vendor => named,
            _ => chips.as_slice(),
        };
        let ways: Vec<Option<Copies>> = match options.thunk() {
            _ if !vendor => vec![None],
            _ if options.common => vec![Some(Copies::Sdma)],
            // Our HSA runtime copies in one way.
            Thunk::InOurRocr => vec![Some(Copies::Sdma)],
            _ => Copies::ALL.iter().copied().map(Some).collect(),
        };
        for (driver, opt) in drivers.iter().flat_map(|driver| levels.iter().map(move |opt| (*driver, *opt))) {
            for chip in chips {
                if directives::allows(&directives.only_cc, driver.name())
                    && directives::allows(&directives.only_opt, &opt.to_string())
                    && directives.runs_on(chip)
                {
                    cases.extend(ways.iter().map(|copies| Case {
                        source: source.clone(),
                        driver,
                        opt,
                        chip: chip.clone(),
                        directives: directives.clone(),
                        device: options.device(),
                        vendor: *copies,
                        thunk: options.thunk(),
                    }));
                }
            }
        }
    }
    // What is compiled for the first way is ready for the second.
    cases.sort_by_key(|case| case.vendor.map(|copies| Copies::ALL.iter().position(|way| *way == copies)));
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
    let gpus = vec![run::processor(&case.chip); case.directives.devices.unwrap_or(1)].join(",");
    let mut command = match case.vendor {
        Some(copies) => stack::vendor(dist, &gpus, copies, case.thunk, &program),
        None => stack::ours(dist, case.device, &gpus, &program),
    };
    command.args(&case.directives.small);
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
    if let (Some(_), Some(why)) = (case.vendor, &case.directives.vendor_aborts) {
        let lacking = case.directives.vendor_says.iter().find(|text| !ended.stderr.contains(text.as_str()));
        return match (ended.status.and_then(|status| status.code()), lacking) {
            (Some(ABORTED), None) => Ok(()),
            (Some(ABORTED), Some(text)) => Err(said(format!("it aborts, but not with '{text}' on stderr"))),
            _ => Err(said(format!("AMD's libraries do not abort it, but should ({why})"))),
        };
    }
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
        // Yardstick programs say a number behind it.
        let yardstick = case.source.extension().is_some_and(|extension| extension == "cpp");
        let last = ended.stdout.lines().last().unwrap_or_default();
        if last != want && !(yardstick && last.starts_with("PASS ")) {
            return Err(said(format!("the last line is not '{want}'")));
        }
    }
    if case.vendor.is_some() {
        return Ok(());
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

#[cfg(test)]
mod tests {
    use super::*;

    fn options(stack: Stack, device: Option<Device>) -> Options {
        Options { stack, device, ..Options::everything() }
    }

    #[test]
    fn every_program_runs_somewhere() {
        for source in workspace::files(&workspace::root().join("tests/kernels"), &["hip"]).unwrap() {
            let filter = Some(workspace::stem(&source));
            let on = |device| {
                cases(&Options { filter: filter.clone(), ..options(Stack::Ours, Some(device)) }).unwrap()
            };
            let cases = [on(Device::Emu), on(Device::Preload)].concat();
            assert!(cases.iter().any(|case| case.source == source), "{} runs nowhere", source.display());
        }
    }

    #[test]
    fn programs_for_the_hand_run_by_their_name_alone() {
        let named = |filter: Option<&str>| {
            let options = Options { filter: filter.map(str::to_owned), ..options(Stack::Ours, None) };
            cases(&options).unwrap().iter().filter(|case| case.directives.by_hand.is_some()).count()
        };
        assert_eq!((named(None), named(Some("rocs"))), (0, 0));
        assert_ne!(named(Some("rocsparse")), 0);
    }

    #[test]
    fn a_case_names_its_device() {
        let first = |stack, device| cases(&options(stack, device)).unwrap().remove(0);
        for device in [Device::Kfd, Device::Preload] {
            let case = first(Stack::Ours, Some(device));
            assert!(case.suite().ends_with(device.name()), "{}", case.suite());
            assert!(case.again().contains(&format!(" --device {} ", device.name())), "{}", case.again());
        }
        let emulated = first(Stack::Ours, None);
        assert!(!emulated.suite().contains("emu") && !emulated.again().contains("--device"));
        let vendor = first(Stack::Vendor, None);
        assert_eq!(vendor.device, Device::Preload);
        assert!(vendor.again().contains("--stack vendor") && !vendor.again().contains("--device"));
    }
}
