//! Where the device's own messages go in a process that is not ours: what stopped a queue to stderr, and a line for
//! each ioctl to where `ROCRS_EMU_TRACE_IOCTL` says.
//!
//! A line is one write, to a file that is appended to: so the lines of several threads and processes stay whole, without
//! a lock that a child of `fork` could inherit.

use std::fmt::{Debug, Write as _};
use std::fs::File;
use std::io::Write as _;
use std::os::fd::AsFd as _;
use std::time::Instant;

use amdgpu_emu::Options;
use tracing_core::field::{Field, Visit};
use tracing_core::span::{Attributes, Id, Record};
use tracing_core::{Event, Level, Metadata, Subscriber};

use crate::say::say;

const TARGET: &str = "amdgpu_emu";
const IOCTLS: &str = "amdgpu_emu::ioctl";

struct Listener {
    ioctls: Option<File>,
    began: Instant,
}

/// Begins to listen, unless this copy of `tracing` has a listener.
pub fn start() {
    let ioctls = std::env::var_os(Options::TRACE_IOCTL).filter(|value| !value.is_empty()).and_then(|value| {
        let file = if value == "1" {
            std::io::stderr().as_fd().try_clone_to_owned().map(File::from)
        } else {
            File::options().create(true).append(true).open(&value)
        };
        file.inspect_err(|error| say(format_args!("{}: {error}", value.display()))).ok()
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
            say(format_args!("emulated GPU: {}", line.0));
        } else if let Some(mut file) = self.ioctls.as_ref() {
            let micros = self.began.elapsed().as_micros();
            // A trace that cannot be written is no reason to disturb the program.
            let _ = file.write_all(format!("{micros:>9} {}\n", line.0).as_bytes());
        }
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
