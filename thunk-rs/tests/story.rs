//! The story: one event for each ioctl, with name, detail and result.

mod fake;

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use fake::Fake;
use thunk_rs::{AllocRequest, MemoryKind, NodeId, Thunk};
use tracing_core::field::{Field, Visit};
use tracing_core::span::{Attributes, Id, Record};
use tracing_core::{Event, Metadata, Subscriber};

#[derive(Default, Clone)]
struct Listener(Arc<Mutex<Vec<String>>>);

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0 += &format!("{}={value:?} ", field.name());
    }
}

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "story"
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        let mut line = Line(String::new());
        event.record(&mut line);
        self.0.lock().unwrap().push(line.0);
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[test]
fn every_ioctl_is_told() {
    let listener = Listener::default();
    tracing::subscriber::with_default(listener.clone(), || {
        let fake = Fake::new(1);
        let thunk = Thunk::new(fake.clone()).unwrap();
        fake.fail("ALLOC_MEMORY_OF_GPU", 1, kfd_sys::Errno::ENOMEM);
        thunk.allocate(&AllocRequest::new(MemoryKind::Vram, NodeId(1), 4096)).unwrap_err();
    });
    let lines = listener.0.lock().unwrap();
    let (told, nanos) = lines[0].split_once("nanos=").unwrap();
    assert_eq!(told, r#"step="ioctl" name="GET_VERSION" detail="interface 1.14" result="ok" "#);
    assert!(nanos.trim().parse::<u64>().is_ok(), "{nanos}");
    assert_eq!(lines.len(), 5, "{lines:#?}");
    assert!(lines[4].contains("ALLOC_MEMORY_OF_GPU") && lines[4].contains("out of memory"), "{}", lines[4]);
}
