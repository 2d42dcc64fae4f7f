//! The file of a trace: events of Chrome's trace event format, a line each, which ui.perfetto.dev and chrome://tracing open.
//! Whenever it is written it is whole JSON, so that a program that dies leaves a trace of what it did.

use crate::observe::file;
use serde_json::Value;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

/// What stays in memory at most: so many bytes, for so long.
const MOST_BYTES: usize = 1 << 16;
const MOST_TIME: Duration = Duration::from_millis(100);
const TAIL: &[u8] = b"\n]\n";

/// The file.
pub struct Events {
    pattern: String,
    /// The process that it is of; a child of `fork` has one of its own, or none.
    process: u32,
    file: Option<File>,
    /// Where the next bytes go, over the tail.
    at: u64,
    waiting: Vec<u8>,
    written: Instant,
    /// Whether it holds an event already.
    begun: bool,
    /// Nothing waits any more: the program may end at any moment.
    at_once: bool,
}

impl Events {
    /// A new file.
    pub fn create(pattern: &str) -> Result<Self, String> {
        let path = file::path(pattern);
        let file = File::create(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self {
            pattern: pattern.to_owned(),
            process: std::process::id(),
            file: Some(file),
            at: 0,
            waiting: b"[\n".to_vec(),
            written: Instant::now(),
            begun: false,
            at_once: false,
        })
    }

    /// Whether this process is another one than at the last call, with a file of its own now, or none.
    pub fn is_in_child(&mut self) -> bool {
        if self.process == std::process::id() {
            return false;
        }
        match self.pattern.contains("%p").then(|| Self::create(&self.pattern)) {
            Some(Ok(own)) => *self = own,
            _ => (self.file, self.process) = (None, std::process::id()),
        }
        true
    }

    /// Adds an event.
    pub fn add(&mut self, event: &Value) {
        if self.file.is_none() {
            return;
        }
        if std::mem::replace(&mut self.begun, true) {
            self.waiting.extend_from_slice(b",\n");
        }
        // Writing a value into memory cannot fail.
        let _ = serde_json::to_writer(&mut self.waiting, event);
        if self.at_once || self.waiting.len() > MOST_BYTES || self.written.elapsed() > MOST_TIME {
            self.write();
        }
    }

    /// Writes what waits, now and from now on at once.
    pub fn finish(&mut self) {
        self.at_once = true;
        self.write();
    }

    fn write(&mut self) {
        let Some(file) = &self.file else { return };
        let bytes = self.waiting.len() as u64;
        self.waiting.extend_from_slice(TAIL);
        let done: io::Result<()> = file.write_all_at(&self.waiting, self.at);
        if let Err(error) = done {
            crate::error::report(format_args!("ROCRS_TRACE: {}: {error}; the trace ends here", self.pattern));
            self.file = None;
        }
        self.waiting.clear();
        self.at += bytes;
        self.written = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_file_is_whole_after_every_write() {
        let folder = tempfile::tempdir().unwrap();
        let pattern = folder.path().join("trace.%p.json");
        let path = folder.path().join(format!("trace.{}.json", std::process::id()));
        let mut events = Events::create(pattern.to_str().unwrap()).unwrap();
        let read = || -> Vec<Value> { serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap() };
        events.finish();
        assert!(read().is_empty());
        for number in 0..3 {
            events.add(&json!({ "ts": number }));
            assert_eq!(read().len(), number + 1);
        }
        assert_eq!(read()[2], json!({ "ts": 2 }));
        assert!(!events.is_in_child());
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let error = Events::create("/nonexistent/trace.json").err().unwrap();
        assert!(error.contains("/nonexistent/trace.json"), "{error}");
    }
}
