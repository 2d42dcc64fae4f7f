//! Memory: pools, allocations, what is known of an address, copies (`hsa_ext_amd.h`, memory pools).

mod alloc;
mod copy;
mod pointer_info;
mod pool;

pub(crate) use alloc::Block;
pub use alloc::Memory;
pub use copy::{copy, fill};
pub(crate) use pointer_info::Allocations;
pub use pointer_info::{MemoryInfo, MemoryOrigin};
pub use pool::{MemoryPool, PoolKind};
