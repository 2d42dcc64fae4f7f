//! `cargo xtask matrix`: the programs on every mixture of our libraries and AMD's, over the emulated `/dev/kfd`.
//!
//! Each of HIP, HSA runtime and thunk is ours or AMD's. Of the eight mixtures, those whose libraries call each other
//! through a shared library run: our HIP and our HSA runtime have the layers below them inside, as crates.

use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

use crate::error::Error;
use crate::report;
use crate::stack::{Device, Rocr, Stack, Thunk};
use crate::{Driver, test_gpu};

/// The command line of `matrix`.
#[derive(Args)]
pub struct Options {
    /// Only this chip; may be repeated (default: those that AMD's libraries of Debian know)
    #[arg(long = "gpu", value_name = "CHIP")]
    gpus: Vec<String>,
    /// Only programs whose name contains this
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Print the section of README
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Print the results as JSON
    #[arg(long)]
    json: bool,
}

/// Who made a library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Maker {
    Ours,
    Vendor,
}

impl Maker {
    fn name(self) -> &'static str {
        match self {
            Maker::Ours => "ours",
            Maker::Vendor => "vendor",
        }
    }
}

/// A mixture.
#[derive(Debug, Clone, Copy, Serialize)]
struct Mixture {
    hip: Maker,
    rocr: Maker,
    thunk: Maker,
}

impl Mixture {
    /// All eight, AMD's alone at the end.
    fn all() -> impl Iterator<Item = Mixture> {
        let makers = [Maker::Ours, Maker::Vendor];
        makers.into_iter().flat_map(move |hip| {
            makers.into_iter().flat_map(move |rocr| makers.map(|thunk| Mixture { hip, rocr, thunk }))
        })
    }

    /// How the suites are told; none when the libraries do not meet in a shared library.
    fn stack(self) -> Option<(Stack, Option<Rocr>, Option<Thunk>)> {
        match (self.hip, self.rocr, self.thunk) {
            (Maker::Ours, Maker::Ours, Maker::Ours) => Some((Stack::Ours, None, None)),
            (Maker::Vendor, Maker::Ours, Maker::Ours) => Some((Stack::Vendor, Some(Rocr::Ours), None)),
            (Maker::Vendor, Maker::Vendor, Maker::Ours) => Some((Stack::Vendor, None, Some(Thunk::Ours))),
            (Maker::Vendor, Maker::Vendor, Maker::Vendor) => Some((Stack::Vendor, None, None)),
            (Maker::Ours, _, _) | (_, Maker::Ours, Maker::Vendor) => None,
        }
    }
}

/// What came of one mixture on one chip.
#[derive(Debug, Clone, Serialize)]
struct Cell {
    chip: String,
    passed: usize,
    failed: usize,
    /// Of all programs together.
    seconds: f64,
}

#[derive(Serialize)]
struct Line {
    #[serde(flatten)]
    mixture: Mixture,
    cells: Vec<Cell>,
}

/// Runs what can be run, and prints the table.
pub fn run(options: &Options) -> Result<ExitCode, Error> {
    let chips = match options.gpus.as_slice() {
        [] => test_gpu::VENDOR_CHIPS.iter().rev().map(|chip| (*chip).to_owned()).collect(),
        asked => asked.to_vec(),
    };
    // Compiled once, so that the seconds are those of running.
    for chip in &chips {
        suites(options, chip, (Stack::Vendor, None, None), true)?;
    }
    let mut lines = Vec::new();
    for mixture in Mixture::all() {
        let Some(stack) = mixture.stack() else { continue };
        let mut cells = Vec::new();
        for chip in &chips {
            let [hip, rocr, thunk] = [mixture.hip, mixture.rocr, mixture.thunk].map(Maker::name);
            eprintln!("xtask: matrix: HIP {hip}, HSA runtime {rocr}, thunk {thunk}, {chip}");
            let rows = suites(options, chip, stack, false)?;
            cells.push(Cell {
                chip: chip.clone(),
                passed: rows.iter().map(|row| row.passed).sum(),
                failed: rows.iter().map(|row| row.failed).sum(),
                seconds: rows.iter().map(|row| row.seconds).sum(),
            });
        }
        lines.push(Line { mixture, cells });
    }
    if options.json {
        let json = serde_json::to_string_pretty(&lines);
        println!("{}", json.map_err(|error| Error::Other(format!("JSON: {error}")))?);
    } else if options.markdown {
        print!("{}", section(&chips, &lines));
    } else {
        print!("{}", table(&chips, &lines));
    }
    let good = lines.iter().flat_map(|line| &line.cells).all(|cell| cell.failed == 0);
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn suites(
    options: &Options,
    chip: &str,
    (stack, rocr, thunk): (Stack, Option<Rocr>, Option<Thunk>),
    no_run: bool,
) -> Result<Vec<report::Row>, Error> {
    test_gpu::suites(&test_gpu::Options {
        gpus: vec![chip.to_owned()],
        device: Some(Device::Preload),
        stack,
        rocr,
        thunk,
        cc: vec![Driver::Hipcc],
        opt: vec![3],
        filter: options.filter.clone(),
        programs: true,
        no_run,
        common: true,
        ..test_gpu::Options::everything()
    })
}

fn table(chips: &[String], lines: &[Line]) -> String {
    let mut rows = vec![["HIP", "HSA runtime", "thunk"].map(str::to_owned).to_vec()];
    rows[0].extend(chips.iter().cloned());
    for Line { mixture, cells } in lines {
        let mut row =
            [mixture.hip, mixture.rocr, mixture.thunk].map(|maker| maker.name().to_owned()).to_vec();
        row.extend(
            cells.iter().map(|cell| {
                format!("{} of {}, {:.1} s", cell.passed, cell.passed + cell.failed, cell.seconds)
            }),
        );
        rows.push(row);
    }
    report::markdown(&rows, 3)
}

fn section(chips: &[String], lines: &[Line]) -> String {
    format!(
        "## Any layer can be AMD's\n\nThe programs of `tests/kernels` and `tests/bench` that all can run, built by hipcc \
         at -O3, on the emulated\n`/dev/kfd`: how many passed, and the seconds of all. *Vendor* is ROCm 5.2.3 of Debian 12. \
         Our HIP has our HSA\nruntime inside, and that our thunk. `cargo xtask matrix --markdown` runs them again and \
         prints this section.\n\n{}",
        table(chips, lines)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mixture_runs_or_cannot_be_linked() {
        let all: Vec<Mixture> = Mixture::all().collect();
        assert_eq!(all.len(), 8);
        assert_eq!(all.iter().filter(|mixture| mixture.stack().is_some()).count(), 4);
    }

    #[test]
    fn the_table_lines_up() {
        let mixture = Mixture { hip: Maker::Vendor, rocr: Maker::Vendor, thunk: Maker::Ours };
        let cell = Cell { chip: "gfx90a".to_owned(), passed: 40, failed: 1, seconds: 12.34 };
        let lines = [Line { mixture, cells: vec![cell] }];
        let expected = "\
| HIP    | HSA runtime | thunk |           gfx90a |
| ------ | ----------- | ----- | ---------------: |
| vendor | vendor      | ours  | 40 of 41, 12.3 s |
";
        assert_eq!(table(&["gfx90a".to_owned()], &lines), expected);
        assert!(section(&["gfx90a".to_owned()], &lines).ends_with(expected));
    }
}
