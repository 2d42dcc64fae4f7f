//! HSA and AQL ABI: what `hsa.h`, `hsa_ext_amd.h`, `amd_hsa_queue.h` and `amd_hsa_signal.h` declare, as plain data.
//!
//! The runtime writes these structs, the packet processor and the kernels read them, and the C front of the HSA
//! library passes them on; so they live in a crate that both sides of the kernel boundary use. There is no behaviour
//! here. Each struct has its size and every offset asserted beside it; values that come from C are newtypes that keep
//! numbers they have no name for. All structs can be read from and written to bytes (`zerocopy` traits).

#![no_std]

mod abi;
mod agent;
mod amd_queue;
mod amd_signal;
mod executable;
mod handle;
mod memory;
mod packet;
mod queue;
mod signal;
mod status;

pub use agent::{AgentFeature, AgentInfo, AmdAgentInfo, DeviceType, SystemInfo};
pub use amd_queue::{AmdQueue, QueueCaps, QueueInactive, QueueProperties, ScratchLastUsedIndex};
pub use amd_signal::{AmdSignal, SHARED_SIGNAL_ID, SharedSignal, SignalKind};
pub use executable::{ExecutableState, SymbolKind, SymbolLinkage, VariableAllocation, VariableSegment};
pub use handle::{
    AgentHandle, CodeObjectReaderHandle, ExecutableHandle, ExecutableSymbolHandle, IsaHandle,
    LoadedCodeObjectHandle, MemoryPoolHandle, QueueHandle, RegionHandle, SignalHandle,
};
pub use memory::{MemoryFaultReason, MemoryPoolGlobalFlag, PointerType, RegionSegment};
pub use packet::{
    AgentDispatchPacket, AmdPacketFormat, BarrierPacket, BarrierValuePacket, FenceScope, Header,
    KernelDispatchPacket, PACKET_BYTES, PacketType, Pm4IbPacket,
};
pub use queue::{HsaQueue, QueueFeature, QueueType};
pub use signal::{DispatchTime, SignalCondition, WaitState};
pub use status::Status;
