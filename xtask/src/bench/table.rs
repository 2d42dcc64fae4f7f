//! The table of `bench`: Markdown that lines up on a terminal too; the section of README around it; JSON.

use super::native::{AGAINST, FLAGS, Native};
use super::{Cell, Row, digits, median};
use crate::error::Error;
use crate::report;

/// What was measured.
pub struct Table<'a> {
    /// Programs.
    pub rows: &'a [Row],
    /// The yardstick, if it was run.
    pub native: Option<&'a Native>,
    /// Numbers of threads, a column each.
    pub threads: &'a [u32],
    /// How often.
    pub runs: u32,
}

/// What kind of machine this is.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let cores = format!("{cores} core{}", if cores == 1 { "" } else { "s" });
    let arch = std::env::consts::ARCH.replace('_', "-");
    #[cfg(target_arch = "x86_64")]
    let vectors = match (is_x86_feature_detected!("avx2"), is_x86_feature_detected!("avx512f")) {
        (_, true) => " with AVX2 and AVX-512",
        (true, _) => " with AVX2",
        _ => "",
    };
    #[cfg(not(target_arch = "x86_64"))]
    let vectors = "";
    format!("{cores}, {arch}{vectors}")
}

fn milliseconds(seconds: f64) -> String {
    digits(seconds * 1e3)
}

/// The first value, and the others in brackets, with what is special about each.
fn list(values: impl Iterator<Item = (String, &'static str)>) -> String {
    let texts: Vec<String> = values
        .enumerate()
        .map(|(n, (value, what))| {
            let text = format!("{value} {what}");
            if n == 0 { text.trim_end().to_owned() } else { format!("({})", text.trim_end()) }
        })
        .collect();
    if texts.is_empty() { "–".to_owned() } else { texts.join(" ") }
}

impl Table<'_> {
    fn against(&self, program: &str) -> &'static [(&'static str, &'static str)] {
        let found = AGAINST.iter().find(|(name, _)| *name == program && self.native.is_some());
        found.map_or(&[], |(_, works)| works)
    }

    fn native(&self, row: &Row, threads: u32) -> String {
        list(self.against(&row.program).iter().filter_map(|(work, what)| {
            self.native.and_then(|native| native.median(work, threads)).map(|s| (milliseconds(s), *what))
        }))
    }

    fn ratio(&self, row: &Row, cell: &Cell) -> String {
        list(self.against(&row.program).iter().filter_map(|(work, _)| {
            let native = self.native?.median(work, cell.threads)?;
            Some((format!("{}×", digits(median(&cell.seconds)? / native)), ""))
        }))
    }

    fn emulated(cell: &Cell) -> String {
        match (&cell.failure, median(&cell.seconds)) {
            (None, Some(seconds)) => milliseconds(seconds),
            _ => "FAIL".to_owned(),
        }
    }

    /// The table alone.
    pub fn markdown(&self) -> String {
        let columns = |what: &str| -> Vec<String> {
            let name = |n: &u32| format!("{what}, {n} thread{}", if *n == 1 { "" } else { "s" });
            self.threads.iter().map(name).collect()
        };
        let mut head = vec!["program".to_owned(), "chip".to_owned()];
        head.extend(columns("emulated"));
        head.push("rate".to_owned());
        if self.native.is_some() {
            head.extend(columns("native"));
            head.extend(columns("ratio"));
        }
        let mut lines = vec![head];
        for row in self.rows {
            let mut line = vec![format!("`{}`", row.program), row.chip.clone()];
            line.extend(row.cells.iter().map(Table::emulated));
            let best = row.cells.iter().filter_map(|cell| median(&cell.rates)).reduce(f64::max);
            line.push(best.map_or_else(|| "–".to_owned(), |rate| format!("{} {}", digits(rate), row.unit)));
            if self.native.is_some() {
                line.extend(self.threads.iter().map(|threads| self.native(row, *threads)));
                line.extend(row.cells.iter().map(|cell| self.ratio(row, cell)));
            }
            lines.push(line);
        }
        // Names to the left, numbers to the right.
        report::markdown(&lines, 2)
    }

    /// The section of README.
    pub fn section(&self) -> String {
        let runs = if self.runs == 1 { "one run".to_owned() } else { format!("{} runs", self.runs) };
        let mut text = format!(
            "## Speed\n\nKernel times of the programs in `tests/bench` in milliseconds, medians of {runs},\non {}.",
            machine()
        );
        if let Some(native) = self.native {
            text += &format!(
                " *Native* is the same work in C++\n([native.cpp](tests/bench/native.cpp), `{} {}`), *vectorised* with \
                 its loops turned for\nvector registers; the ratio is emulated to native. `cargo xtask bench --markdown` \
                 measures again and prints this section.",
                native.program,
                FLAGS.join(" ")
            );
        }
        text.push('\n');
        format!("{text}\n{}", self.markdown())
    }

    /// Everything, with the times of each run.
    pub fn json(&self) -> Result<String, Error> {
        let value = serde_json::json!({
            "machine": machine(),
            "runs": self.runs,
            "threads": self.threads,
            "programs": self.rows,
            "native": self.native,
        });
        serde_json::to_string_pretty(&value).map_err(|error| Error::Other(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_count() {
        for (value, text) in [
            (1376.4, "1376"),
            (250.0, "250"),
            (99.96, "100"),
            (12.34, "12.3"),
            (9.996, "10.0"),
            (0.0137, "0.0137"),
            (0.0, "0.00000"),
        ] {
            assert_eq!(digits(value), text);
        }
    }

    #[test]
    fn a_table_lines_up() {
        let cell =
            |threads, seconds| Cell { threads, seconds: vec![seconds], rates: vec![2.5], failure: None };
        let row = |program: &str, cells| Row {
            program: program.to_owned(),
            chip: "gfx90a".to_owned(),
            unit: "GFLOP/s".to_owned(),
            cells,
            binary: Default::default(),
        };
        let failed = Cell { threads: 2, seconds: vec![], rates: vec![], failure: Some("why".to_owned()) };
        let rows = [
            row("sgemm", vec![cell(1, 0.25), cell(2, 0.1271)]),
            row("gemm_fp16", vec![cell(1, 0.00512), failed]),
        ];
        let table = Table { rows: &rows, native: None, threads: &[1, 2], runs: 3 };
        let expected = "\
| program     | chip   | emulated, 1 thread | emulated, 2 threads |         rate |
| ----------- | ------ | -----------------: | ------------------: | -----------: |
| `sgemm`     | gfx90a |                250 |                 127 | 2.50 GFLOP/s |
| `gemm_fp16` | gfx90a |               5.12 |                FAIL | 2.50 GFLOP/s |
";
        assert_eq!(table.markdown(), expected);
        assert!(table.section().contains("medians of 3 runs,\non ") && table.section().ends_with(expected));
        assert_eq!(
            list([("250".to_owned(), ""), ("12.0".to_owned(), "vectorised")].into_iter()),
            "250 (12.0 vectorised)"
        );
    }
}
