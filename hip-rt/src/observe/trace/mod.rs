//! `ROCRS_TRACE=file.json`: a timeline of the run for ui.perfetto.dev. Each layer is a process of the trace, with a track for
//! each thread and each queue. Arrows lead from the call that launches a kernel to its packet, from there to the kernel on
//! the GPU, and on to the completion signal.

mod events;
mod track;

use super::{Ear, Fields, story::step};
use crate::error::readable;
use events::Events;
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::time::Instant;
use tracing_core::{LevelFilter, Metadata};
use track::{Layer, Track, Tracks};

/// What takes no time is this wide, in nanoseconds: an arrow needs something to hold on to.
const MOMENT: u64 = 1;

/// The trace.
pub struct Trace {
    begun: Instant,
    inner: Mutex<Inner>,
}

struct Inner {
    events: Events,
    tracks: Tracks,
    /// What was told inside the call that each thread is in.
    calls: HashMap<i32, Inside>,
    /// The driver's number of each queue.
    queues: HashMap<u64, u64>,
    /// Packets of kernels that are under way, by the driver's number of the queue and the packet's.
    packets: HashMap<(u64, u64), Packet>,
    arrows: u64,
    /// Whether somebody will say when kernels end: an emulated GPU in this process.
    ends_are_told: bool,
}

/// What belongs to a call that is not over.
#[derive(Default)]
struct Inside {
    values: Map<String, Value>,
    /// The kernel that it launches.
    kernel: Option<String>,
    arrows: Vec<u64>,
}

/// A kernel's packet.
struct Packet {
    arrow: u64,
    queue: u64,
    signal: Value,
}

/// When something was, in nanoseconds since the trace began.
#[derive(Clone, Copy)]
struct Span {
    begin: u64,
    end: u64,
}

/// The unit of the file.
fn micros(nanos: u64) -> Value {
    json!(nanos as f64 / 1e3)
}

impl Trace {
    /// A trace in the file of a pattern.
    pub fn new(pattern: &str) -> Result<Self, String> {
        let inner = Inner {
            events: Events::create(pattern)?,
            tracks: Tracks::default(),
            calls: HashMap::new(),
            queues: HashMap::new(),
            packets: HashMap::new(),
            arrows: 0,
            ends_are_told: false,
        };
        Ok(Self { begun: Instant::now(), inner: Mutex::new(inner) })
    }
}

impl Ear for Trace {
    fn level(&self, target: &str) -> LevelFilter {
        if matches!(target, "story" | "hip" | "hsa") { LevelFilter::INFO } else { LevelFilter::OFF }
    }

    fn hear(&self, _: &Metadata<'_>, fields: &Fields) {
        let mut inner = self.inner.lock();
        let end = u64::try_from(self.begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        inner.hear(fields, Span { begin: end.saturating_sub(fields.number("nanos")), end });
    }
}

impl Inner {
    fn hear(&mut self, fields: &Fields, span: Span) {
        if self.events.is_in_child() {
            (self.tracks, self.calls) = (Tracks::default(), HashMap::new());
        }
        let thread = track::this_thread();
        match fields.step.as_str() {
            "end" => self.events.finish(),
            "call" => self.call(fields, span),
            "packet" => self.packet(fields, span),
            "dispatch.done" => self.kernel(fields, span),
            "copy" | "fill" => {
                self.slice(Track::thread(Layer::Hip), &fields.step, span, arguments(fields, &["nanos"]));
            }
            "ioctl" => {
                let name = fields.get("name").trim_start_matches("AMDKFD_IOC_");
                self.slice(Track::thread(Layer::Thunk), name, span, arguments(fields, &["name", "nanos"]));
            }
            "wait" => {
                let name = format!("wait for signal {}", fields.get("signal"));
                self.slice(Track::thread(Layer::Hsa), &name, span, arguments(fields, &["nanos"]));
            }
            "launch" => {
                let inside = self.calls.entry(thread).or_default();
                inside.values = arguments(fields, &[]);
                inside.kernel = Some(readable(fields.get("kernel")));
            }
            other => {
                self.ends_are_told |= other == "device.open";
                if other == "queue.created" {
                    self.queues.insert(fields.number("id"), fields.number("driver_id"));
                }
                let layer = step::of(other).map_or(Layer::Hip, |step| Layer::of(step.layer));
                let place = self.place(Track::thread(layer));
                self.event(
                    "i",
                    other,
                    place,
                    span.end,
                    &[("s", json!("t")), ("args", arguments(fields, &[]).into())],
                );
            }
        }
    }

    /// A call of the API: with what was told inside it, and the beginnings of its arrows.
    fn call(&mut self, fields: &Fields, span: Span) {
        let inside = self.calls.remove(&track::this_thread()).unwrap_or_default();
        let mut values = arguments(fields, &["name", "nanos"]);
        values.extend(inside.values);
        let track = Track::thread(Layer::Hip);
        self.slice(track, fields.get("name"), span, values);
        for arrow in inside.arrows {
            self.arrow("s", arrow, track, span.begin);
        }
    }

    fn packet(&mut self, fields: &Fields, span: Span) {
        let (queue, index) = (fields.number("queue"), fields.number("index"));
        let track = Track::Queue(Layer::Hsa, queue);
        let moment = Span { begin: span.end, end: span.end + MOMENT };
        let of_kernel = fields.number("kernel_object") != 0;
        let arrow = self.arrows;
        let inside = self.calls.entry(track::this_thread()).or_default();
        let name = match (&inside.kernel, of_kernel) {
            (Some(kernel), true) => format!("packet {index}: {kernel}"),
            (None, true) => format!("packet {index}: kernel"),
            (_, false) => format!("packet {index}: barrier"),
        };
        if of_kernel {
            inside.arrows.push(arrow);
        }
        self.slice(track, &name, moment, arguments(fields, &[]));
        if of_kernel {
            self.arrows += 1;
            self.arrow("t", arrow, track, moment.begin);
            if !self.ends_are_told {
                return;
            }
            let key = (self.queues.get(&queue).copied().unwrap_or(queue), index);
            let signal = fields.get("signal").into();
            self.packets.insert(key, Packet { arrow, queue, signal });
        }
    }

    fn kernel(&mut self, fields: &Fields, span: Span) {
        let queue = fields.number("queue");
        let name = match fields.get("kernel") {
            "" => fields.get("kernel_object").to_owned(),
            name => readable(name),
        };
        let gpu = fields.number("gpu_id");
        self.tracks.chip(gpu, fields.get("chip"));
        let track = Track::Queue(Layer::Gpu(gpu), queue);
        self.slice(track, &name, span, arguments(fields, &["nanos", "begun_nanos", "queue"]));
        let Some(packet) = self.packets.remove(&(queue, fields.number("packet"))) else { return };
        self.arrow("t", packet.arrow, track, span.begin);
        let completion = Span { begin: span.end, end: span.end + MOMENT };
        let values = Map::from_iter([
            ("signal".to_owned(), packet.signal),
            ("packet".to_owned(), fields.number("packet").into()),
        ]);
        let track = Track::Queue(Layer::Hsa, packet.queue);
        self.slice(track, "completion signal", completion, values);
        self.arrow("f", packet.arrow, track, completion.begin);
    }

    fn slice(&mut self, track: Track, name: &str, span: Span, arguments: Map<String, Value>) {
        let place = self.place(track);
        let more = [("dur", micros(span.end - span.begin)), ("args", arguments.into())];
        self.event("X", name, place, span.begin, &more);
    }

    fn arrow(&mut self, phase: &str, id: u64, track: Track, at: u64) {
        let place = self.place(track);
        self.event(
            phase,
            "launch",
            place,
            at,
            &[("cat", json!("launch")), ("id", id.into()), ("bp", json!("e"))],
        );
    }

    /// The numbers of a track, whose name the file has been told.
    fn place(&mut self, track: Track) -> (u64, u64) {
        for event in self.tracks.introduce(track) {
            self.events.add(&event);
        }
        track.numbers()
    }

    fn event(
        &mut self,
        phase: &str,
        name: &str,
        (process, thread): (u64, u64),
        at: u64,
        more: &[(&str, Value)],
    ) {
        let mut event = json!({ "ph": phase, "name": name, "pid": process, "tid": thread, "ts": micros(at) });
        for (name, value) in more {
            event[*name] = value.clone();
        }
        self.events.add(&event);
    }
}

/// All fields but some.
fn arguments(fields: &Fields, but: &[&str]) -> Map<String, Value> {
    let value = |name: &str, text: &String| match fields.numbers.iter().find(|(of, _)| *of == name) {
        // Addresses stay as they are written for people.
        Some((_, number)) if !text.starts_with("0x") => (*number).into(),
        _ => text.as_str().into(),
    };
    fields
        .values
        .iter()
        .filter(|(name, text)| !but.contains(name) && !text.is_empty())
        .map(|(name, text)| ((*name).to_owned(), value(name, text)))
        .collect()
}
