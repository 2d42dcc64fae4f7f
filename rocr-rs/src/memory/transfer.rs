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
use crate::sdma::{Ending, FROM_DEVICE, TO_DEVICE, Work};
use crate::{Agent, AgentKind, Error, MemoryOrigin, Rows, Runtime, Signal, SignalKind};

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

/// What to do with memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transfer {
    /// Copy bytes.
    Copy {
        /// To.
        dst: u64,
        /// From.
        src: u64,
        /// How many.
        bytes: u64,
    },
    /// Copy rows of bytes.
    Rows {
        /// To.
        dst: Rows,
        /// From.
        src: Rows,
        /// Bytes of a row.
        width: u64,
        /// Rows of a layer.
        rows: u64,
        /// Layers.
        layers: u64,
    },
    /// Fill with a word.
    Fill {
        /// Where: a multiple of 4.
        dst: u64,
        /// The word.
        value: u32,
        /// How many.
        words: u64,
    },
}

impl Transfer {
    /// Bytes that it moves.
    pub fn bytes(&self) -> u64 {
        match *self {
            Transfer::Copy { bytes, .. } => bytes,
            Transfer::Rows { width, rows, layers, .. } => width.saturating_mul(rows).saturating_mul(layers),
            Transfer::Fill { words, .. } => words.saturating_mul(4),
        }
    }

    /// First address, and bytes to the end, of each side; `None` for one that is beyond the address space.
    fn sides(&self) -> Option<Vec<(u64, u64)>> {
        Some(match *self {
            Transfer::Copy { dst, src, bytes } => vec![(dst, bytes), (src, bytes)],
            Transfer::Fill { dst, words, .. } => vec![(dst, words.checked_mul(4)?)],
            Transfer::Rows { dst, src, width, rows, layers } => {
                let extent = |side: &Rows| {
                    let layers = layers.checked_sub(1)?.checked_mul(side.slice)?;
                    let rows = rows.checked_sub(1)?.checked_mul(side.pitch)?;
                    layers.checked_add(rows)?.checked_add(width)
                };
                vec![(dst.base, extent(&dst)?), (src.base, extent(&src)?)]
            }
        })
        .filter(|sides: &Vec<(u64, u64)>| sides.iter().all(|(va, bytes)| va.checked_add(*bytes).is_some()))
    }

    fn work(&self) -> Work {
        match *self {
            Transfer::Copy { dst, src, bytes } => Work::Copy { dst, src, bytes },
            Transfer::Rows { dst, src, width, rows, layers } => Work::Rows { dst, src, width, rows, layers },
            Transfer::Fill { dst, value, words } => Work::Fill { dst, value, words },
        }
    }
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
    Engine { agent: usize, queue: usize, lock: Vec<(u64, u64)> },
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
        match self.route(&transfer, choice, false)? {
            Route::Host => self.run_after(dependencies, Job { work: Box::new(host), completion, timed }),
            Route::Engine { agent, queue, lock } => {
                let locked = lock
                    .into_iter()
                    .map(|(va, bytes)| self.lock(va, bytes as usize))
                    .collect::<Result<Vec<_>, _>>()?;
                let mut ending = Ending { completion, timed, unlock: None };
                if !locked.is_empty() {
                    let done = Signal::new(self, 1, SignalKind::Interrupt)?;
                    ending.unlock = Some(done.clone());
                    let unlock = Job { work: Box::new(move || drop(locked)), completion: None, timed: false };
                    self.run_after(vec![done], unlock)?;
                }
                let work = transfer.work();
                self.hand_over(dependencies, move |runtime| {
                    runtime.engines[agent].submit(&runtime.core, agent, queue, &work, ending)
                })
            }
        }
    }

    /// Does a transfer, and returns when it is done.
    pub fn transfer_now(self: &Arc<Self>, transfer: Transfer, host: impl FnOnce()) -> Result<(), Error> {
        match self.route(&transfer, EngineChoice::Any, true)? {
            Route::Host => {
                host();
                Ok(())
            }
            Route::Engine { .. } => {
                let done = Signal::new(self, 1, SignalKind::Interrupt)?;
                self.transfer(transfer, EngineChoice::Any, Vec::new(), Some(done.clone()), false, || {})?;
                done.wait(SignalCondition::LT, 1, None, Default::default());
                Ok(())
            }
        }
    }

    /// The engines of a GPU that have nothing to do, a bit each.
    pub fn idle_engines(&self, agent: &Agent) -> u32 {
        self.engines[agent.index].idle()
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
        Ok(Route::Engine { agent, queue, lock: unknown.collect() })
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

    /// Calls `work` once all dependencies are 0: at once if they are, else from the thread that waits.
    fn hand_over(
        self: &Arc<Self>,
        mut dependencies: Vec<Signal>,
        work: impl FnOnce(&Arc<Runtime>) -> Result<(), Error> + Send + 'static,
    ) -> Result<(), Error> {
        dependencies.retain(|signal| signal.load(Ordering::Acquire) != 0);
        if dependencies.is_empty() {
            return work(self);
        }
        let runtime = Arc::downgrade(self);
        let work = move || {
            if let Some(runtime) = runtime.upgrade()
                && let Err(error) = work(&runtime)
            {
                tracing::error!(%error, "a copy was not done");
            }
        };
        self.run_after(dependencies, Job { work: Box::new(work), completion: None, timed: false })
    }
}
