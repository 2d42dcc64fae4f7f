//! The one static of the library: what the program registered, and the devices once something needs them.

use crate::allocation::Allocations;
use crate::api::vmm::VirtualMemory;
use crate::array::Arrays;
use crate::device::Device;
use crate::environment::Environment;
use crate::error::{Result, report, reported};
use crate::event::Events;
use crate::graph::Graphs;
use crate::hostcall::Listener;
use crate::launch::cooperative::Meetings;
use crate::module::Modules;
use crate::pool::Pools;
use crate::register::Registry;
use crate::stream::Streams;
use crate::texture::Textures;
use crate::{observe, register, soname, tls};
use hip_sys::{Major, hipError_t};
use parking_lot::Mutex;
use rocr_rs::{Memory, OpenOptions, Runtime};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

static STATE: State = State {
    registry: Registry::new(),
    hip: OnceLock::new(),
    stubs: Mutex::new(BTreeSet::new()),
    environment: OnceLock::new(),
    silent: AtomicBool::new(false),
    major: OnceLock::new(),
    late_calls: Mutex::new(Vec::new()),
    ending: AtomicBool::new(false),
    forked: AtomicBool::new(false),
    fork_told: AtomicBool::new(false),
};

/// Everything that outlives a call.
pub struct State {
    /// What compiled programs told at their start.
    pub registry: Registry,
    hip: OnceLock<Result<Hip>>,
    stubs: Mutex<BTreeSet<&'static str>>,
    environment: OnceLock<Environment>,
    /// No messages: known even while the environment is being read.
    silent: AtomicBool,
    major: OnceLock<Major>,
    /// Launch configurations of threads that have ended: see [`tls::with_calls`].
    pub late_calls: Mutex<Vec<tls::CallConfiguration>>,
    ending: AtomicBool,
    forked: AtomicBool,
    fork_told: AtomicBool,
}

/// The devices, and what is on them.
pub struct Hip {
    /// The HSA runtime.
    pub runtime: Arc<Runtime>,
    /// The devices that the program may see, by ordinal.
    pub devices: Vec<Arc<Device>>,
    /// Memory that the program has.
    pub allocations: Allocations,
    /// Modules that the program loaded, and functions that it holds.
    pub modules: Modules,
    /// Streams that the program holds.
    pub streams: Streams,
    /// Events that the program holds.
    pub events: Events,
    /// Memory pools.
    pub pools: Pools,
    /// Memory without an address.
    pub virtual_memory: VirtualMemory,
    /// Where grids on several devices meet.
    pub meetings: Meetings,
    /// Graphs that the program holds.
    pub graphs: Graphs,
    /// Arrays that the program has.
    pub arrays: Arrays,
    /// Textures and surfaces that the program holds.
    pub textures: Textures,
    /// Serves device code that calls the host.
    pub listener: Arc<Listener>,
}

/// The state.
pub fn state() -> &'static State {
    STATE.environment();
    &STATE
}

/// Whether the library keeps its messages to itself.
pub fn is_silent() -> bool {
    STATE.silent.load(Ordering::Relaxed)
}

/// The version of HIP whose ABI this library speaks: that of its SONAME. Where it has none, being linked into a program,
/// HIP 5.
pub fn major() -> Major {
    *STATE.major.get_or_init(|| soname::own().and_then(|name| Major::of_soname(&name)).unwrap_or(Major::Five))
}

/// The devices, opened now if nobody needed them before.
pub fn hip() -> Result<&'static Hip> {
    if STATE.forked.load(Ordering::Relaxed) {
        if !STATE.fork_told.swap(true, Ordering::Relaxed) {
            report(
                "this process is a child of fork(), and its parent had opened the GPU already, whose memory and queues \
                 a child does not have: hipErrorNotInitialized; fork before the first HIP call, or exec in the child",
            );
        }
        return Err(hipError_t::NOT_INITIALIZED);
    }
    state().hip.get_or_init(open).as_ref().map_err(|error| *error)
}

/// The devices, if they are open, and were opened by this process.
pub fn hip_if_open() -> Option<&'static Hip> {
    if STATE.forked.load(Ordering::Relaxed) {
        return None;
    }
    STATE.hip.get()?.as_ref().ok()
}

/// The calling thread's device.
pub fn current_device() -> Result<&'static Arc<Device>> {
    hip()?.device(tls::device())
}

impl State {
    /// The environment; who listens to this run is there from the first look at it.
    pub fn environment(&self) -> &Environment {
        self.environment.get_or_init(|| {
            let environment = Environment::read();
            self.silent.store(environment.log_level == Some(0), Ordering::Relaxed);
            observe::install(&environment);
            environment
        })
    }

    /// Whether the program is in `exit`.
    pub fn is_ending(&self) -> bool {
        self.ending.load(Ordering::Acquire)
    }

    /// Whether this is the first call of a function that is not implemented.
    pub fn first_call_of_stub(&self, name: &'static str) -> bool {
        self.stubs.lock().insert(name)
    }
}

impl Hip {
    /// Lets every device use memory.
    pub fn allow_all(&self, memory: &Memory) -> Result {
        if self.devices.len() > 1 {
            let agents: Vec<_> = self.devices.iter().map(|device| device.agent.clone()).collect();
            memory.allow_access(&agents).map_err(|error| reported("access of all devices", &error))?;
        }
        Ok(())
    }

    /// Waits for all work: nothing may use memory that is given back any more.
    pub fn drain(&self) -> Result {
        tls::may_wait()?;
        self.devices.iter().for_each(|device| device.drain());
        Ok(())
    }

    /// The device of an ordinal.
    pub fn device(&self, ordinal: usize) -> Result<&Arc<Device>> {
        if self.devices.is_empty() {
            return Err(hipError_t::NO_DEVICE);
        }
        self.devices.get(ordinal).ok_or(hipError_t::INVALID_DEVICE)
    }

    /// The device of an ordinal as C passes it.
    pub fn device_of(&self, ordinal: i32) -> Result<&Arc<Device>> {
        if self.devices.is_empty() {
            return Err(hipError_t::NO_DEVICE);
        }
        usize::try_from(ordinal)
            .ok()
            .and_then(|ordinal| self.devices.get(ordinal))
            .ok_or(hipError_t::INVALID_DEVICE)
    }
}

fn open() -> Result<Hip> {
    let hints = register::targets_of_program();
    let runtime = Runtime::open(&OpenOptions {
        device: None,
        targets_hint: hints,
        environment: rocr_rs::Environment::read(),
    })
    .map_err(|error| {
        report(format_args!("no device: {error}"));
        hipError_t::NO_DEVICE
    })?;
    let agents = visible(runtime.gpu_agents());
    let listener = Listener::new(&runtime).map_err(|error| reported("hostcall listener", &error))?;
    let devices: Vec<_> = agents
        .into_iter()
        .enumerate()
        .map(|(ordinal, agent)| Device::new(ordinal, agent, &listener))
        .collect();
    watch_faults(&runtime, &devices);
    crate::ffi::on_fork_and_exit(in_child_of_fork, at_exit);
    Ok(Hip {
        runtime,
        devices,
        allocations: Allocations::default(),
        modules: Modules::default(),
        streams: Streams::default(),
        events: Events::default(),
        pools: Pools::default(),
        virtual_memory: VirtualMemory::default(),
        meetings: Meetings::default(),
        graphs: Graphs::default(),
        arrays: Arrays::default(),
        textures: Textures::default(),
        listener,
    })
}

extern "C" fn in_child_of_fork() {
    STATE.forked.store(true, Ordering::Relaxed);
}

/// `exit` comes here before the destructors of the program's static objects, and not under the loader's lock, which
/// threads that are just starting need.
extern "C" fn at_exit() {
    // A child of `fork` inherits this call and none of the work.
    if !STATE.ending.swap(true, Ordering::AcqRel) && !STATE.forked.load(Ordering::Relaxed) {
        register::end_of_work();
        observe::finish();
    }
}

fn watch_faults(runtime: &Arc<Runtime>, devices: &[Arc<Device>]) {
    let devices: Vec<_> = devices.iter().map(Arc::downgrade).collect();
    runtime.on_fault(move |fault| {
        for device in devices.iter().filter_map(std::sync::Weak::upgrade) {
            if device.agent == fault.agent {
                device.faulted(fault);
            }
        }
    });
}

/// The devices of `HIP_VISIBLE_DEVICES`: ordinals or UUIDs, in the order in which the program sees them;
/// the list ends at the first that does not exist.
fn visible(agents: Vec<rocr_rs::Agent>) -> Vec<rocr_rs::Agent> {
    match Environment::visible_devices() {
        None => agents,
        Some(list) => {
            let uuids: Vec<_> = agents.iter().map(|agent| agent.properties().uuid.as_str()).collect();
            choose_visible(&list, &uuids).into_iter().map(|at| agents[at].clone()).collect()
        }
    }
}

fn choose_visible(list: &str, uuids: &[&str]) -> Vec<usize> {
    let mut chosen = Vec::new();
    for item in list.split(',').map(str::trim) {
        let found = match item.parse::<usize>() {
            Ok(ordinal) => (ordinal < uuids.len()).then_some(ordinal),
            Err(_) => uuids.iter().position(|uuid| !item.is_empty() && uuid.eq_ignore_ascii_case(item)),
        };
        match found {
            Some(at) if !chosen.contains(&at) => chosen.push(at),
            _ => break,
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::choose_visible;

    #[test]
    fn the_list_of_visible_devices_ends_at_the_first_that_is_none() {
        let uuids = ["GPU-a", "GPU-b", "GPU-c"];
        assert_eq!(choose_visible("2,0", &uuids), [2, 0]);
        assert_eq!(choose_visible("1,7,0", &uuids), [1]);
        assert_eq!(choose_visible("-1", &uuids), [0; 0]);
        assert_eq!(choose_visible("", &uuids), [0; 0]);
        assert_eq!(choose_visible("gpu-b, 0", &uuids), [1, 0]);
        assert_eq!(choose_visible("0,0", &uuids), [0]);
    }
}
