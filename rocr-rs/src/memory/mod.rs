//! Memory: pools, allocations, what is known of an address, copies (`hsa_ext_amd.h`, memory pools).

mod alloc;
mod async_copy;
mod copy;
mod lock;
mod pointer_info;
mod pool;
mod share;
mod svm;
mod transfer;
mod virtual_memory;

pub use alloc::Memory;
pub(crate) use alloc::{Block, Own};
pub use async_copy::Job;
pub use copy::{copy, fill};
pub use lock::LockedMemory;
pub(crate) use lock::Locks;
pub(crate) use pointer_info::Allocations;
pub use pointer_info::{MemoryInfo, MemoryOrigin};
pub use pool::{MemoryPool, PoolKind};
pub use share::SharedMemory;
pub(crate) use share::share;
pub use transfer::{EngineChoice, EnginePolicy};
pub(crate) use virtual_memory::VirtualMemory;
pub use virtual_memory::{Access, MemoryHandle};
