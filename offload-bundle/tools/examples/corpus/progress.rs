//! A bar on a terminal, nothing elsewhere.

use indicatif::{ProgressBar, ProgressStyle};

pub struct Progress(ProgressBar);

impl Progress {
    pub fn new() -> Progress {
        let style = ProgressStyle::with_template("{prefix:>9} {bar:32} {pos}/{len} {elapsed} {wide_msg}");
        let bar = ProgressBar::new(0);
        Progress(bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())))
    }

    /// Begins a row of `count` steps.
    pub fn begin(&self, what: &'static str, count: usize) {
        self.0.set_prefix(what);
        self.0.set_length(count as u64);
        self.0.set_position(0);
    }

    /// Says what is looked at, and moves on by one.
    pub fn step(&self, what: String) {
        self.0.set_message(what);
        self.0.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
