//! The story of a run: with `ROCRS_EXPLAIN=1` every layer's story events are printed on stderr, in order, numbered, in
//! a block for each stretch that one layer tells. With `ROCRS_EMU_COUNTERS=1` alone, the counters of each dispatch of an
//! emulated GPU.
//!
//! The layers only emit `tracing` events with target `story`; what is said about each, and how it looks, stands here.

mod counters;
mod page;
mod step;

use page::Page;
use parking_lot::Mutex;
use std::fmt;
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tracing_core::field::{Field, Visit};
use tracing_core::{Event, Level, LevelFilter, Metadata, Subscriber, span};

/// Installs the printer if the environment asks for it.
pub fn install() {
    let set = |name| std::env::var(name).is_ok_and(|value| !matches!(value.trim(), "" | "0"));
    let (story, counters) = (set("ROCRS_EXPLAIN"), set("ROCRS_EMU_COUNTERS"));
    if !story && !counters {
        return;
    }
    let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let teller = Teller { page: Arc::new(Mutex::new(Page::new(colour, story))), spans: AtomicU64::new(1) };
    // Another subscriber of the process stays: it gets the same events.
    let _ = tracing_core::dispatcher::set_global_default(tracing_core::Dispatch::new(teller));
}

/// Prints what the end of the program's device code closes: the counts.
pub fn finish() {
    tracing::info!(target: "story", step = "end");
}

/// The subscriber.
struct Teller {
    page: Arc<Mutex<Page>>,
    spans: AtomicU64,
}

impl Subscriber for Teller {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "story" && *metadata.level() <= Level::INFO
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::INFO)
    }

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        self.page.lock().event(&fields);
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(self.spans.fetch_add(1, Ordering::Relaxed))
    }
    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

/// The fields of one event, in the order in which it gives them.
#[derive(Debug, Default)]
pub struct Fields {
    /// Which event it is.
    pub step: String,
    /// The others, as text.
    pub values: Vec<(&'static str, String)>,
    /// Those that are numbers.
    pub numbers: Vec<(&'static str, u64)>,
}

impl Fields {
    /// A field's text; empty when it is not there.
    pub fn get(&self, name: &str) -> &str {
        self.values.iter().find(|(of, _)| *of == name).map_or("", |(_, value)| value.as_str())
    }

    /// A field's number; zero when it is not there.
    pub fn number(&self, name: &str) -> u64 {
        self.numbers.iter().find(|(of, _)| *of == name).map_or(0, |(_, value)| *value)
    }

    /// The sum of several.
    pub fn sum(&self, names: &[&str]) -> u64 {
        names.iter().map(|name| self.number(name)).sum()
    }
}

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "step" {
            value.clone_into(&mut self.step);
        } else {
            self.values.push((field.name(), value.to_owned()));
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.values.push((field.name(), step::number(field.name(), value)));
        self.numbers.push((field.name(), value));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        match u64::try_from(value) {
            Ok(value) => self.record_u64(field, value),
            Err(_) => self.values.push((field.name(), value.to_string())),
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let text = format!("{value:?}");
        if field.name() == "step" {
            self.step = text;
        } else {
            self.values.push((field.name(), text));
        }
    }
}
