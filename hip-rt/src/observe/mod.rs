//! What the layers say as they work, and who hears it. The layers only emit `tracing` events; what is made of them stands
//! here:
//!
//! - `story/`: the story of a run, and the counters of dispatches (`ROCRS_EXPLAIN`, `ROCRS_EMU_COUNTERS`)
//! - `log.rs`: lines on stderr (`AMD_LOG_LEVEL`)
//! - `trace/`: a file for a timeline (`ROCRS_TRACE`)
//!
//! Events with target `story` are steps of a run, `hip` and `hsa` are what takes time there; all others are messages.

mod call;
mod file;
mod log;
mod story;
mod trace;

pub use call::{Call, timed};

use crate::environment::Environment;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use tracing_core::field::{Field, Visit};
use tracing_core::{Event, LevelFilter, Metadata, Subscriber, span};

/// Installs those who listen, if the environment asks for any.
pub fn install(environment: &Environment) {
    let mut ears: Vec<Box<dyn Ear>> = Vec::new();
    if environment.explain || environment.counters {
        ears.push(Box::new(story::Story::new(environment.explain)));
    }
    if environment.log_level > Some(0) {
        ears.push(Box::new(log::Log::new(environment)));
    }
    if let Some(pattern) = &environment.trace {
        match trace::Trace::new(pattern) {
            Ok(trace) => ears.push(Box::new(trace)),
            Err(error) => {
                crate::error::report(format_args!("ROCRS_TRACE: {error}; this run leaves no trace"))
            }
        }
    }
    if !ears.is_empty() {
        let listeners = Listeners { ears, spans: AtomicU64::new(1) };
        // Another subscriber of the process stays: it gets the same events.
        let _ = tracing_core::dispatcher::set_global_default(tracing_core::Dispatch::new(listeners));
    }
}

/// Tells those who listen that the program's device code has come to its end.
pub fn finish() {
    tracing::info!(target: "story", step = "end");
}

/// One who listens.
trait Ear: Send + Sync {
    /// Up to which level it wants the events of a target.
    fn level(&self, target: &str) -> LevelFilter;

    /// Takes an event that it wants.
    fn hear(&self, metadata: &Metadata<'_>, fields: &Fields);

    /// Whether it wants an event.
    fn wants(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= self.level(metadata.target())
    }
}

/// The subscriber.
struct Listeners {
    ears: Vec<Box<dyn Ear>>,
    spans: AtomicU64,
}

impl Subscriber for Listeners {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        self.ears.iter().any(|ear| ear.wants(metadata))
    }

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        for ear in self.ears.iter().filter(|ear| ear.wants(event.metadata())) {
            ear.hear(event.metadata(), &fields);
        }
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
        self.values.push((field.name(), story::step::number(field.name(), value)));
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
