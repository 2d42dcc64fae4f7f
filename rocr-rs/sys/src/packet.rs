//! AQL packets (`hsa.h` section 2.6) and AMD's vendor packets (`hsa_ext_amd.h`): 64 bytes each, type in the header.

use crate::abi::{abi_struct, abi_value};
use crate::{SignalCondition, SignalHandle};

/// Bytes of every AQL packet.
pub const PACKET_BYTES: usize = 64;

abi_value! {
    /// `hsa_packet_type_t`: the low 8 bits of the header.
    pub struct PacketType(u8) {
        /// Vendor packet: the byte after the header is an [`AmdPacketFormat`].
        VENDOR_SPECIFIC = 0,
        /// Nothing to consume yet.
        INVALID = 1,
        /// Run a kernel.
        KERNEL_DISPATCH = 2,
        /// Wait until all of up to five signals are 0.
        BARRIER_AND = 3,
        /// Call a function of the agent.
        AGENT_DISPATCH = 4,
        /// Wait until one of up to five signals is 0.
        BARRIER_OR = 5,
    }
}

abi_value! {
    /// `hsa_fence_scope_t`: two bits of the header.
    pub struct FenceScope(u8) {
        /// No fence.
        NONE = 0,
        /// The agent's own caches.
        AGENT = 1,
        /// Everything that shares memory.
        SYSTEM = 2,
    }
}

abi_value! {
    /// `hsa_amd_packet_type_t`: the third byte of a vendor packet.
    pub struct AmdPacketFormat(u8) {
        /// An indirect buffer of PM4 packets. (Not in the public header.)
        PM4_IB = 1,
        /// Wait for a signal's masked value.
        BARRIER_VALUE = 2,
    }
}

/// A packet's header word: type (bits 0..8), barrier (8), acquire scope (9..11), release scope (11..13).
#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    zerocopy::FromBytes,
    zerocopy::IntoBytes,
    zerocopy::Immutable,
    zerocopy::KnownLayout,
)]
#[repr(transparent)]
pub struct Header(pub u16);

impl Header {
    /// What an empty slot of a ring holds.
    pub const INVALID: Self = Self(PacketType::INVALID.0 as u16);

    /// A header of its four fields.
    pub const fn new(kind: PacketType, barrier: bool, acquire: FenceScope, release: FenceScope) -> Self {
        Self(
            kind.0 as u16
                | (barrier as u16) << 8
                | (acquire.0 as u16 & 3) << 9
                | (release.0 as u16 & 3) << 11,
        )
    }
    /// Type of the packet.
    pub const fn kind(self) -> PacketType {
        PacketType(self.0 as u8)
    }
    /// Whether the packet waits for all earlier packets of its queue.
    pub const fn barrier(self) -> bool {
        self.0 & 1 << 8 != 0
    }
    /// Fence before the packet's work.
    pub const fn acquire(self) -> FenceScope {
        FenceScope((self.0 >> 9 & 3) as u8)
    }
    /// Fence after the packet's work.
    pub const fn release(self) -> FenceScope {
        FenceScope((self.0 >> 11 & 3) as u8)
    }
}

impl Default for Header {
    fn default() -> Self {
        Self::INVALID
    }
}

impl core::fmt::Debug for Header {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{:#06x} ({:?}", self.0, self.kind())?;
        if self.barrier() {
            f.write_str(", barrier")?;
        }
        write!(f, ", acquire {:?}, release {:?})", self.acquire(), self.release())
    }
}

abi_struct! {
    /// `hsa_kernel_dispatch_packet_t`
    pub struct KernelDispatchPacket: 64 {
        /// Type [`PacketType::KERNEL_DISPATCH`] and fences.
        0 => header: Header,
        /// Bits 0..2: number of dimensions, 1 to 3.
        2 => setup: u16,
        /// Work-items of a work-group, x.
        4 => workgroup_size_x: u16,
        /// As `x`.
        6 => workgroup_size_y: u16,
        /// As `x`.
        8 => workgroup_size_z: u16,
        /// Zero.
        10 => reserved0: u16,
        /// Work-items of the grid, x; need not be a multiple of the work-group's.
        12 => grid_size_x: u32,
        /// As `x`.
        16 => grid_size_y: u32,
        /// As `x`.
        20 => grid_size_z: u32,
        /// Scratch bytes of a work-item.
        24 => private_segment_size: u32,
        /// LDS bytes of a work-group, static and dynamic.
        28 => group_segment_size: u32,
        /// Address of the kernel descriptor.
        32 => kernel_object: u64,
        /// Address of the arguments.
        40 => kernarg_address: u64,
        /// Zero, or a number for profilers.
        48 => reserved2: u64,
        /// Decremented when the kernel is done.
        56 => completion_signal: SignalHandle,
    }
}

abi_struct! {
    /// `hsa_barrier_and_packet_t` and `hsa_barrier_or_packet_t`: the header's type says which.
    pub struct BarrierPacket: 64 {
        /// Type [`PacketType::BARRIER_AND`] or [`PacketType::BARRIER_OR`] and fences.
        0 => header: Header,
        /// Zero.
        2 => reserved0: u16,
        /// Zero.
        4 => reserved1: u32,
        /// Signals that are waited for; null ones do not count.
        8 => dep_signal: [SignalHandle; 5],
        /// Zero.
        48 => reserved2: u64,
        /// Decremented when the barrier is passed.
        56 => completion_signal: SignalHandle,
    }
}

abi_struct! {
    /// `hsa_agent_dispatch_packet_t`
    pub struct AgentDispatchPacket: 64 {
        /// Type [`PacketType::AGENT_DISPATCH`] and fences.
        0 => header: Header,
        /// The function, a number that the agent defines.
        2 => kind: u16,
        /// Zero.
        4 => reserved0: u32,
        /// Where the result goes.
        8 => return_address: u64,
        /// Arguments.
        16 => arg: [u64; 4],
        /// Zero.
        48 => reserved2: u64,
        /// Decremented when the function is done.
        56 => completion_signal: SignalHandle,
    }
}

abi_struct! {
    /// `hsa_amd_barrier_value_packet_t`
    pub struct BarrierValuePacket: 64 {
        /// Type [`PacketType::VENDOR_SPECIFIC`] and fences.
        0 => header: Header,
        /// [`AmdPacketFormat::BARRIER_VALUE`].
        2 => format: AmdPacketFormat,
        /// Zero.
        3 => reserved: u8,
        /// Zero.
        4 => reserved0: u32,
        /// Signal that is waited for.
        8 => signal: SignalHandle,
        /// What the masked value is compared with.
        16 => value: i64,
        /// Bits of the signal's value that count.
        24 => mask: i64,
        /// How they are compared.
        32 => cond: SignalCondition,
        /// Zero.
        36 => reserved1: u32,
        /// Zero.
        40 => reserved2: u64,
        /// Zero.
        48 => reserved3: u64,
        /// Decremented when the barrier is passed.
        56 => completion_signal: SignalHandle,
    }
}

abi_struct! {
    /// Vendor packet that runs an indirect buffer of PM4 packets (the vendor runtime's `core/inc/amd_gpu_pm4.h`).
    pub struct Pm4IbPacket: 64 {
        /// Type [`PacketType::VENDOR_SPECIFIC`].
        0 => header: Header,
        /// [`AmdPacketFormat::PM4_IB`].
        2 => format: AmdPacketFormat,
        /// Zero.
        3 => reserved: u8,
        /// A whole `INDIRECT_BUFFER` packet: header, address low, address high, size and flags.
        4 => ib_jump_cmd: [u32; 4],
        /// 10.
        20 => dw_cnt_remain: u32,
        /// Zero.
        24 => reserved1: [u32; 8],
        /// Decremented when the buffer is done.
        56 => completion_signal: SignalHandle,
    }
}
