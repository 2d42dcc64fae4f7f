//! The story of a run: with `ROCRS_EXPLAIN=1` every layer's story events are printed on stderr, in order, numbered, in
//! a block for each stretch that one layer tells. With `ROCRS_EMU_COUNTERS=1` alone, the counters of each dispatch of an
//! emulated GPU.

mod counters;
mod page;
pub mod step;

use super::{Ear, Fields};
use page::Page;
use parking_lot::Mutex;
use std::io::IsTerminal;
use tracing_core::{LevelFilter, Metadata};

/// The teller of the story.
pub struct Story(Mutex<Page>);

impl Story {
    /// One that tells all of it, or only counters.
    pub fn new(all: bool) -> Self {
        let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        Self(Mutex::new(Page::new(colour, all)))
    }
}

impl Ear for Story {
    fn level(&self, target: &str) -> LevelFilter {
        if target == "story" { LevelFilter::INFO } else { LevelFilter::OFF }
    }

    fn hear(&self, _: &Metadata<'_>, fields: &Fields) {
        self.0.lock().event(fields);
    }
}
