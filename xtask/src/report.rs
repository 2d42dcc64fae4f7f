//! The table at the end of a test run.

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
