//! The tracks of a trace: a process for each layer, in it a track for each thread of the program and each queue.

use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Queues have numbers beyond those of threads.
const QUEUES: u64 = 1 << 32;
/// The first GPU's process; its number is added.
const GPUS: u64 = 10;

/// A layer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// The HIP runtime.
    Hip,
    /// The HSA runtime.
    Hsa,
    /// The thunk.
    Thunk,
    /// An emulated GPU's driver.
    Driver,
    /// An emulated GPU, by the driver's number.
    Gpu(u64),
}

impl Layer {
    /// The layer of a crate.
    pub fn of(name: &str) -> Self {
        match name {
            "rocr-rs" => Layer::Hsa,
            "thunk-rs" => Layer::Thunk,
            "amdgpu-emu" => Layer::Driver,
            _ => Layer::Hip,
        }
    }

    fn number(self) -> u64 {
        match self {
            Layer::Hip => 1,
            Layer::Hsa => 2,
            Layer::Thunk => 3,
            Layer::Driver => 4,
            Layer::Gpu(gpu) => GPUS + gpu,
        }
    }

    fn name(self, chips: &BTreeMap<u64, String>) -> String {
        match self {
            Layer::Hip => "hip-rt · HIP runtime".to_owned(),
            Layer::Hsa => "rocr-rs · HSA runtime".to_owned(),
            Layer::Thunk => "thunk-rs · calls to the driver".to_owned(),
            Layer::Driver => "amdgpu-emu · driver".to_owned(),
            Layer::Gpu(gpu) => {
                format!("amdgpu-emu · {}, GPU {gpu}", chips.get(&gpu).map_or("", String::as_str))
            }
        }
    }
}

/// A track.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Track {
    /// A thread of the program, in a layer.
    Thread(Layer, i32),
    /// A queue.
    Queue(Layer, u64),
}

impl Track {
    /// The calling thread's, in a layer.
    pub fn thread(layer: Layer) -> Self {
        Track::Thread(layer, this_thread())
    }

    /// Process and thread of the file.
    pub fn numbers(self) -> (u64, u64) {
        match self {
            Track::Thread(layer, thread) => (layer.number(), u64::from(thread.unsigned_abs())),
            Track::Queue(layer, queue) => (layer.number(), QUEUES + queue),
        }
    }

    fn layer(self) -> Layer {
        match self {
            Track::Thread(layer, _) | Track::Queue(layer, _) => layer,
        }
    }

    fn name(self) -> String {
        match self {
            Track::Thread(_, thread) => std::fs::read_to_string(format!("/proc/self/task/{thread}/comm"))
                .map_or_else(|_| format!("thread {thread}"), |name| name.trim_end().to_owned()),
            Track::Queue(_, queue) => format!("queue {queue}"),
        }
    }
}

/// The calling thread, as the kernel numbers it.
pub fn this_thread() -> i32 {
    nix::unistd::gettid().as_raw()
}

/// The tracks that the file knows.
#[derive(Default)]
pub struct Tracks {
    layers: BTreeSet<Layer>,
    tracks: BTreeSet<Track>,
    chips: BTreeMap<u64, String>,
}

impl Tracks {
    /// The chip of a GPU.
    pub fn chip(&mut self, gpu: u64, chip: &str) {
        self.chips.entry(gpu).or_insert_with(|| chip.to_owned());
    }

    /// The events that name a track, if it is new.
    pub fn introduce(&mut self, track: Track) -> Vec<Value> {
        if !self.tracks.insert(track) {
            return Vec::new();
        }
        let (process, thread) = track.numbers();
        let about = |what: &str, thread: u64, args: Value| json!({ "ph": "M", "name": what, "pid": process, "tid": thread, "args": args });
        let mut events = Vec::new();
        if self.layers.insert(track.layer()) {
            events.push(about("process_name", 0, json!({ "name": track.layer().name(&self.chips) })));
            events.push(about("process_sort_index", 0, json!({ "sort_index": process })));
        }
        events.push(about("thread_name", thread, json!({ "name": track.name() })));
        events.push(about("thread_sort_index", thread, json!({ "sort_index": thread })));
        events
    }
}
