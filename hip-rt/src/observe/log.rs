//! `AMD_LOG_LEVEL`: what happens, as lines, on stderr or in the file that `AMD_LOG_LEVEL_FILE` names. 1 has errors, 2 warnings
//! too, 3 the calls of the API, 4 the steps of all layers, 5 everything. A line begins as those of AMD's runtime do:
//! `:level:`, who says it, microseconds since the start, process and thread.

use super::{Ear, Fields, file};
use crate::environment::Environment;
use nix::unistd::{getpid, gettid};
use parking_lot::Mutex;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::time::Instant;
use tracing_core::{Level, LevelFilter, Metadata};

/// The lines.
pub struct Log {
    level: u32,
    begun: Instant,
    /// Stderr where there is none.
    file: Option<Mutex<File>>,
}

impl Log {
    /// As the environment wants it.
    pub fn new(environment: &Environment) -> Self {
        let file = environment.log_file.as_ref().and_then(|pattern| {
            let path = file::path(pattern);
            File::options()
                .create(true)
                .append(true)
                .open(&path)
                .map_err(|error| {
                    crate::error::report(format_args!(
                        "AMD_LOG_LEVEL_FILE: {}: {error}; the log goes to stderr",
                        path.display()
                    ));
                })
                .ok()
        });
        Self { level: environment.log_level.unwrap_or(0), begun: Instant::now(), file: file.map(Mutex::new) }
    }
}

impl Ear for Log {
    fn level(&self, target: &str) -> LevelFilter {
        match (self.level, target) {
            (0, _) => LevelFilter::OFF,
            (1, _) => LevelFilter::ERROR,
            // The steps of the layers are many, and counting instructions for them makes kernels slower.
            (2, _) | (3, "story" | "hsa") => LevelFilter::WARN,
            (3, _) => LevelFilter::INFO,
            (4, _) => LevelFilter::DEBUG,
            _ => LevelFilter::TRACE,
        }
    }

    fn hear(&self, metadata: &Metadata<'_>, fields: &Fields) {
        let micros = self.begun.elapsed().as_micros();
        let line = line(metadata, fields);
        let level = number(*metadata.level());
        let text = format!(
            ":{level}:{:<12}: {micros:>10} us: [pid:{} tid:{}] {line}\n",
            metadata.target(),
            getpid(),
            gettid()
        );
        let _ = match &self.file {
            Some(file) => file.lock().write_all(text.as_bytes()),
            None => std::io::stderr().lock().write_all(text.as_bytes()),
        };
    }
}

fn number(level: Level) -> u32 {
    match level {
        Level::ERROR => 1,
        Level::WARN => 2,
        Level::INFO => 3,
        Level::DEBUG => 4,
        Level::TRACE => 5,
    }
}

fn line(metadata: &Metadata<'_>, fields: &Fields) -> String {
    if metadata.target() == "hip" && fields.step == "call" {
        let [name, arguments, result, nanos] =
            ["name", "arguments", "result", "nanos"].map(|name| fields.get(name));
        return format!("{name}({arguments}) -> {result} in {nanos}");
    }
    let mut text = fields.step.clone();
    for (name, value) in &fields.values {
        let _ = match *name {
            "message" => write!(text, " {value}"),
            name => write!(text, " {name}={value}"),
        };
    }
    text.trim_start().to_owned()
}
