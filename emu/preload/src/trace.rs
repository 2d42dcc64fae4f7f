//! Where the device's own messages go in a process that is not ours: what stopped a queue to stderr, and a line for
//! each ioctl to where `ROCRS_EMU_TRACE_IOCTL` says.

use std::fmt::{Debug, Write as _};
use std::fs::File;
use std::io::Write as _;
use std::sync::Mutex;
use std::time::Instant;

use amdgpu_emu::Options;
use tracing_core::field::{Field, Visit};
use tracing_core::span::{Attributes, Id, Record};
use tracing_core::{Event, Level, Metadata, Subscriber};

const TARGET: &str = "amdgpu_emu";
const IOCTLS: &str = "amdgpu_emu::ioctl";

struct Listener {
    ioctls: Option<Mutex<Box<dyn std::io::Write + Send>>>,
    began: Instant,
}

/// Begins to listen, unless this copy of `tracing` has a listener.
pub fn start() {
    let ioctls = std::env::var_os(Options::TRACE_IOCTL).filter(|value| !value.is_empty()).and_then(|value| {
        if value == "1" {
            return Some(Mutex::new(Box::new(std::io::stderr()) as Box<dyn std::io::Write + Send>));
        }
        let file = File::options().create(true).append(true).open(&value);
        let file = file.inspect_err(|error| eprintln!("rocrs: {}: {error}", value.display()));
        Some(Mutex::new(Box::new(file.ok()?)))
    });
    // Refused only if there is one already.
    let _ = tracing::subscriber::set_global_default(Listener { ioctls, began: Instant::now() });
}

#[derive(Default)]
struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        // Writing to a `String` cannot fail.
        let _ = match field.name() {
            "message" => write!(self.0, "{value:?}"),
            name => write!(self.0, " [{name} {value:?}]"),
        };
    }
}

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        match metadata.target() {
            IOCTLS => self.ioctls.is_some(),
            TARGET => *metadata.level() == Level::ERROR,
            _ => false,
        }
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line::default();
        event.record(&mut line);
        if event.metadata().target() != IOCTLS {
            eprintln!("rocrs: emulated GPU: {}", line.0);
        } else if let Some(file) = &self.ioctls
            && let Ok(mut file) = file.lock()
        {
            let micros = self.began.elapsed().as_micros();
            // A trace that cannot be written is no reason to disturb the program.
            let _ = writeln!(file, "{micros:>9} {}", line.0);
        }
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
