//! The table at the end of a test run, and what is read from the tables of others.

use serde::Serialize;

/// One row: what ran, how it went.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// `bundle`, `hip`, …
    pub layer: String,
    /// The suite within it.
    pub suite: String,
    /// Tests that passed.
    pub passed: usize,
    /// Tests that failed.
    pub failed: usize,
    /// Wall time.
    pub seconds: f64,
}

/// Prints the rows aligned, with a line of sums.
pub fn print(rows: &[Row]) {
    let width = |f: fn(&Row) -> usize, head: usize| rows.iter().map(f).max().unwrap_or(0).max(head);
    let (layer, suite) = (width(|r| r.layer.len(), 5), width(|r| r.suite.len(), 5));
    println!("{:layer$}  {:suite$}  {:>6}  {:>6}  {:>8}", "layer", "suite", "passed", "failed", "seconds");
    for row in rows {
        println!(
            "{:layer$}  {:suite$}  {:>6}  {:>6}  {:>8.1}",
            row.layer, row.suite, row.passed, row.failed, row.seconds
        );
    }
    let sum = |f: fn(&Row) -> usize| rows.iter().map(f).sum::<usize>();
    let seconds: f64 = rows.iter().map(|row| row.seconds).sum();
    println!(
        "{:layer$}  {:suite$}  {:>6}  {:>6}  {:>8.1}",
        "total",
        "",
        sum(|r| r.passed),
        sum(|r| r.failed),
        seconds
    );
}

/// A table in Markdown that lines up on a terminal too: the first line is its head; the first `left` columns go to the
/// left, the others to the right.
pub fn markdown(lines: &[Vec<String>], left: usize) -> String {
    let columns = lines.first().map_or(0, Vec::len);
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let rule = widths.iter().enumerate().map(|(column, width)| match column < left {
        true => "-".repeat(*width),
        false => "-".repeat(width.saturating_sub(1)) + ":",
    });
    let rule: Vec<String> = rule.collect();
    let put = |line: &Vec<String>| {
        let cells = line.iter().zip(&widths).enumerate().map(|(column, (cell, width))| match column < left {
            true => format!("{cell:<width$}"),
            false => format!("{cell:>width$}"),
        });
        format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
    };
    let (head, body) = lines.split_at(lines.len().min(1));
    head.iter().chain([&rule]).chain(body).map(put).collect()
}

/// The number before the last occurrence of a phrase, as summaries have it: `12 passed; 1 failed`.
pub fn number_before(text: &str, phrase: &str) -> usize {
    let before = text.rfind(phrase).map(|at| &text[..at]);
    before.and_then(|before| before.rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_summaries() {
        let line = "test result: FAILED. 12 passed; 1 failed; 0 ignored; 0 measured; 3 filtered out";
        assert_eq!((number_before(line, " passed"), number_before(line, " failed")), (12, 1));
        assert_eq!(number_before("passed", " passed"), 0);
        assert_eq!(number_before("1 runs of them\n30 runs of them", " runs of them"), 30);
    }
}
