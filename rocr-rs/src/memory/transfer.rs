//! Copies and fills of memory wherever it is (`hsa_amd_memory_async_copy` and its kin): who does them.
//!
//! - What the host reaches on both sides, and has done sooner than an engine would have begun, it does itself, when the
//!   dependencies are met. How fast it reads a GPU's memory is measured once: through a bus that is slow, in this process's
//!   memory it is not.
//! - All else that is of a GPU goes to one of its SDMA engines, beside kernels and beside the caller.
//! - Memory that only the host knows is locked for the engine for as long as that takes.
//! - Without engines, or when they are not to be used, the host does what it reaches; the rest is an error.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use hsa_sys::SignalCondition;

use super::{Job, PoolKind};
use crate::sdma::{Ending, FROM_DEVICE, TO_DEVICE};
use crate::{Agent, AgentKind, Error, MemoryOrigin, Runtime, Signal, SignalKind, Transfer};

/// What an engine takes to begin, and to tell that it is done.
const ENGINE_NANOS: u64 = 20_000;
/// Limits of what the host copies itself when an engine could.
const HOST_BYTES: std::ops::RangeInclusive<u64> = 64..=128 << 10;
/// Bytes that are read to measure.
const SAMPLE: usize = 4096;
/// From this speed on, in bytes a microsecond, the host is as fast as an engine.
const FAST: u64 = 1000;

/// Whether SDMA engines copy (`HSA_ENABLE_SDMA`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EnginePolicy {
    /// Where they are better.
    #[default]
    WhereBetter,
    /// Wherever memory of a GPU is concerned.
    Always,
    /// Never.
    Never,
}

/// Which engine, where a program cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EngineChoice {
    /// Any, or none.
    #[default]
    Any,
    /// This one.
    Named {
        /// Whose.
        node: u32,
        /// From 0 on.
        engine: u32,
    },
}

/// Memory on one side of a transfer.
#[derive(Debug, Clone, Copy)]
struct Side {
    /// The GPU whose memory it is, by index.
    device: Option<usize>,
    /// Whether the host reaches it.
    host: bool,
    /// Whether GPUs may, if they have access.
    known: bool,
}

impl Side {
    fn of(runtime: &Arc<Runtime>, va: u64) -> Self {
        let core = &runtime.core;
        // What is locked may be unlocked at any time, by a copy that has ended: each holds a lock of its own.
        let lasts = |origin| origin != MemoryOrigin::Locked;
        let seen = core
            .allocations
            .with(va, |_, entry| lasts(entry.origin).then_some((entry.node, entry.system, entry.host_access)))
            .flatten();
        let seen = seen.or_else(|| {
            let info = core.virtual_memory.info(runtime, va)?;
            Some((info.owner.node_id(), info.system, info.host_access))
        });
        match seen {
            // Memory of the program.
            None => Side { device: None, host: true, known: false },
            Some((node, system, host)) => {
                let device = if system { None } else { core.index_of_node(node) };
                Side {
                    device: device.filter(|at| core.agents[*at].kind == AgentKind::Gpu),
                    host,
                    known: true,
                }
            }
        }
    }
}

/// Who does a transfer.
enum Route {
    Host,
    Engine {
        agent: usize,
        queue: usize,
        lock: Vec<(u64, u64)>,
        /// Whether the host could do it too.
        host: bool,
    },
}

impl Runtime {
    /// Whether SDMA engines copy.
    pub fn set_engine_policy(&self, policy: EnginePolicy) {
        *self.engine_policy.lock() = policy;
    }

    /// Does a transfer once all dependencies are 0; then completes a signal, and if `timed` notes the times in it. Returns
    /// before it is done, or after.
    ///
    /// Memory must be what the transfer says: addresses of memory that nobody has end in a fault of the GPU or of the
    /// host, as for the C functions; so both sides must stay until the signal is completed.
    pub fn transfer(
        self: &Arc<Self>,
        transfer: Transfer,
        choice: EngineChoice,
        dependencies: Vec<Signal>,
        completion: Option<Signal>,
        timed: bool,
        host: impl FnOnce() + Send + 'static,
    ) -> Result<(), Error> {
        let route = self.route(&transfer, choice, false)?;
        self.start(route, transfer, dependencies, completion, timed, host)
    }

    /// Does a transfer, and returns when it is done.
    pub fn transfer_now(
        self: &Arc<Self>,
        transfer: Transfer,
        host: impl FnOnce() + Send + 'static,
    ) -> Result<(), Error> {
        let route = self.route(&transfer, EngineChoice::Any, true)?;
        if matches!(route, Route::Host) {
            host();
            return Ok(());
        }
        let done = Signal::new(self, 1, SignalKind::Interrupt)?;
        self.start(route, transfer, Vec::new(), Some(done.clone()), false, host)?;
        let value = done.wait(SignalCondition::LT, 1, None, Default::default());
        if value < 0 { Err(Error::EngineStopped) } else { Ok(()) }
    }

    fn start(
        self: &Arc<Self>,
        route: Route,
        transfer: Transfer,
        dependencies: Vec<Signal>,
        completion: Option<Signal>,
        timed: bool,
        host: impl FnOnce() + Send + 'static,
    ) -> Result<(), Error> {
        let (agent, queue, lock, host_can) = match route {
            Route::Engine { agent, queue, lock, host } => (agent, queue, lock, host),
            Route::Host => {
                return self.run_after(dependencies, Job { work: Box::new(host), completion, timed });
            }
        };
        let mut locked = Vec::new();
        for (va, bytes) in lock {
            match self.lock(va, bytes as usize) {
                Ok(lock) => locked.push(lock),
                // What the program may only read is not locked: it is the host's to copy.
                Err(_) if host_can && transfer.reads(va) && host_reads(va, bytes) => {
                    return self.run_after(dependencies, Job { work: Box::new(host), completion, timed });
                }
                Err(error) => return Err(error),
            }
        }
        let mut ending = Ending { completion, timed, unlock: None };
        if !locked.is_empty() {
            let done = Signal::new(self, 1, SignalKind::Interrupt)?;
            ending.unlock = Some(done.clone());
            let unlock = Job { work: Box::new(move || drop(locked)), completion: None, timed: false };
            self.run_after(vec![done], unlock)?;
        }
        self.hand_over(dependencies, agent, queue, transfer, ending)
    }

    /// The engines of a GPU that have nothing to do, a bit each.
    pub fn idle_engines(&self, agent: &Agent) -> u32 {
        self.engines[agent.index].idle()
    }

    /// How many engines of a GPU a program can name.
    pub fn engine_count(&self, agent: &Agent) -> u32 {
        self.engines[agent.index].count() as u32
    }

    fn route(self: &Arc<Self>, transfer: &Transfer, choice: EngineChoice, now: bool) -> Result<Route, Error> {
        let wrong = |why: &str| Error::InvalidArgument { what: "copy", why: why.to_owned() };
        let sides = transfer.sides().ok_or_else(|| wrong("it goes beyond the address space"))?;
        if transfer.bytes() == 0 {
            return Ok(Route::Host);
        }
        let found: Vec<Side> = sides.iter().map(|(va, _)| Side::of(self, *va)).collect();
        let host = found.iter().all(|side| side.host);
        let device = found.iter().rev().find_map(|side| side.device);
        // Engines move bytes in an order of their own.
        let overlaps = matches!(*transfer, Transfer::Copy { dst, src, bytes } if dst.abs_diff(src) < bytes);
        let policy = *self.engine_policy.lock();
        let wanted = match (policy, choice) {
            (EnginePolicy::Never, _) => false,
            (_, EngineChoice::Named { .. }) | (EnginePolicy::Always, _) => true,
            (EnginePolicy::WhereBetter, _) => match device {
                None => false,
                Some(device) => !self.host_is_better(device, transfer.bytes(), now),
            },
        };
        let engine = wanted && !overlaps && (device.is_some() || choice != EngineChoice::Any);
        if host && !engine {
            return Ok(Route::Host);
        }
        if !host && policy == EnginePolicy::Never {
            return Err(wrong("the host does not reach the memory, and engines are switched off"));
        }
        let named = match choice {
            EngineChoice::Any => None,
            EngineChoice::Named { node, engine } => {
                let agent = self.core.index_of_node(node).ok_or_else(|| wrong("there is no such agent"))?;
                let queue = self.engines[agent].named(engine as usize);
                Some((agent, queue.ok_or_else(|| wrong("there is no such engine"))?))
            }
        };
        // The GPU whose memory is read, or else the one whose memory is written, if it has access to both.
        let candidates =
            found.iter().rev().filter_map(|side| side.device).chain(named.map(|(agent, _)| agent));
        let mut agents: Vec<usize> = match named {
            Some((agent, _)) => vec![agent],
            None => candidates.collect(),
        };
        agents.retain(|agent| {
            self.engines[*agent].exist()
                && sides.iter().zip(&found).all(|((va, _), side)| !side.known || self.reaches(*agent, *va))
        });
        let Some(agent) = agents.first().copied() else {
            return if host {
                Ok(Route::Host)
            } else {
                Err(wrong("no engine and not the host reaches both sides"))
            };
        };
        let direction = if found.last().is_some_and(|side| side.device.is_some()) && found.len() > 1 {
            FROM_DEVICE
        } else {
            TO_DEVICE
        };
        let queue = named.map_or(direction, |(_, queue)| queue);
        let unknown = sides.iter().zip(&found).filter(|(_, side)| !side.known).map(|(range, _)| *range);
        Ok(Route::Engine { agent, queue, lock: unknown.collect(), host })
    }

    /// Whether a GPU has access to the memory at an address.
    fn reaches(self: &Arc<Self>, agent: usize, va: u64) -> bool {
        let node = self.core.agents[agent].node_id;
        self.memory_info(va).is_some_and(|info| info.gpu_nodes.contains(&node))
    }

    /// Whether the host has done a copy of a GPU's memory sooner than an engine would be worth while.
    fn host_is_better(self: &Arc<Self>, device: usize, bytes: u64, now: bool) -> bool {
        let speed = *self.host_speed[device].get_or_init(|| self.measure(device).unwrap_or(0));
        if now && speed >= FAST {
            return true;
        }
        bytes <= (speed * ENGINE_NANOS / 1000).clamp(*HOST_BYTES.start(), *HOST_BYTES.end())
    }

    /// Bytes a microsecond that the host reads of a GPU's memory.
    fn measure(self: &Arc<Self>, device: usize) -> Option<u64> {
        let memory = self.agent(device).pool(PoolKind::CoarseGrained).allocate(SAMPLE).ok()?;
        let mut bytes = [0u8; SAMPLE];
        memory.read(0, &mut bytes).ok()?;
        let start = Instant::now();
        memory.read(0, &mut bytes).ok()?;
        let nanos = (start.elapsed().as_nanos() as u64).max(1);
        std::hint::black_box(&bytes);
        Some(SAMPLE as u64 * 1000 / nanos)
    }

    /// Gives an engine its work once all dependencies are 0: at once if they are, else from the thread that waits.
    fn hand_over(
        self: &Arc<Self>,
        mut dependencies: Vec<Signal>,
        agent: usize,
        queue: usize,
        transfer: Transfer,
        ending: Ending,
    ) -> Result<(), Error> {
        let submit = move |runtime: &Runtime, ending: &Ending| {
            let given =
                Ending { unlock: ending.unlock.clone(), completion: ending.completion.clone(), ..*ending };
            runtime.engines[agent].submit(&runtime.core, agent, queue, &transfer, given)
        };
        dependencies.retain(|signal| signal.load(Ordering::Acquire) != 0);
        if dependencies.is_empty() {
            return submit(self, &ending).inspect_err(|_| ending.unlock());
        }
        let runtime = Arc::downgrade(self);
        let work = move || {
            if let Some(runtime) = runtime.upgrade()
                && let Err(error) = submit(&runtime, &ending)
            {
                tracing::error!(%error, "a copy was not done");
                ending.fail();
            }
        };
        self.run_after(dependencies, Job { work: Box::new(work), completion: None, timed: false })
    }
}

/// Whether the host reads memory of the program, at its begin and its end: asked of the kernel, since a look at what is not
/// there would end the program.
fn host_reads(va: u64, bytes: u64) -> bool {
    use std::os::unix::fs::FileExt as _;
    let Ok(memory) = std::fs::File::open("/proc/self/mem") else { return false };
    let last = va.saturating_add(bytes.saturating_sub(1));
    [va, last].iter().all(|at| memory.read_exact_at(&mut [0], *at).is_ok())
}
