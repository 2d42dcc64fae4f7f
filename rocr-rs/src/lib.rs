//! HSA runtime (ROCr): agents, memory pools, signals, AQL queues, executables.
//!
//! The layer answers to `hsa.h` and `hsa_ext_amd.h`; it drives an AMD GPU through `thunk-rs` and does not know what
//! stands behind it. Everything hangs on a [`Runtime`]; there is no process-global state, and two runtimes may live in
//! one process.
//!
//! ```no_run
//! use rocr_rs::{Executable, OpenOptions, PoolKind, Queue, QueueKind, Runtime, Signal, SignalCondition, SignalKind};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let runtime = Runtime::open(&OpenOptions::default())?;
//! let agent = runtime.gpu_agents().first().cloned().ok_or("no GPU")?;
//! let executable = Executable::new(&runtime);
//! executable.load(&agent, &std::fs::read("kernel.co")?)?;
//! executable.freeze()?;
//! let kernel = executable.kernel("scale")?;
//! let kernarg = agent.pool(PoolKind::Kernarg).allocate(kernel.kernarg_segment_size() as usize)?;
//! let queue = Queue::create(&agent, 64, QueueKind::Multi, |error| eprintln!("{error}"))?;
//! let done = Signal::new(&runtime, 1, SignalKind::Interrupt)?;
//! let mut packet = kernel.dispatch([256, 1, 1], [64, 1, 1], kernarg.va());
//! packet.completion_signal = done.handle();
//! queue.submit(packet)?;
//! done.wait(SignalCondition::LT, 1, None, Default::default());
//! # Ok(())
//! # }
//! ```

pub mod agent;
mod backoff;
mod core;
pub mod environment;
pub mod executable;
mod fault;
pub mod image;
pub mod memory;
pub mod queue;
mod runtime;
mod sdma;
pub mod signal;
mod status;

pub use agent::{Agent, AgentKind, AgentProperties, CacheProperties, PciLocation};
pub use amd_codeobj;
pub use amd_codeobj::{Kernel as KernelMetadata, TargetId};
pub use environment::Environment;
pub use executable::{Executable, KernelSymbol, LoadedCodeObject, Variable};
pub use fault::{Fault, FaultKind, FaultReason, HandlerId};
pub use hsa_sys::{
    self, BarrierPacket, BarrierValuePacket, DispatchTime, FenceScope, Header, KernelDispatchPacket,
    PacketType, SignalCondition, SignalHandle, Status, WaitState,
};
/// Shared virtual memory: what is said of ranges of ordinary memory.
pub mod svm {
    pub use thunk_rs::kfd_sys::svm::SvmFlags;
    pub use thunk_rs::svm::{Location, RangeAccess, RangeAttribute};
}
pub use memory::{
    Access, Job, LockedMemory, Memory, MemoryHandle, MemoryInfo, MemoryOrigin, MemoryPool, PoolKind,
    SharedMemory, copy, fill,
};
pub use memory::{EngineChoice, EnginePolicy};
pub use queue::{
    HostQueue, InterceptQueue, Interceptor, Packet, Queue, QueueError, QueueErrorKind, QueueKind, QueueMemory,
};
pub use runtime::{OpenOptions, Runtime};
pub use sdma::{Rows, Transfer};
pub use signal::{Signal, SignalKind, SignalWait};
pub use status::Error;
pub use thunk_rs::{QueuePriority, topology::IoLink};
