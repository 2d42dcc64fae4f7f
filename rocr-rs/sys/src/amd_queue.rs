//! `amd_queue_t`, version 2 (`amd_hsa_queue.h`): the queue as the packet processor and kernels read it. The first 256
//! bytes are version 1, the struct of ROCm 5.

use crate::abi::abi_struct;
use crate::{HsaQueue, SignalHandle};

bitflags::bitflags! {
    /// `amd_queue_properties_t`
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct QueueProperties: u32 {
        /// The trap handler is on.
        const ENABLE_TRAP_HANDLER = 1 << 0;
        /// Pointers have 64 bits.
        const IS_PTR64 = 1 << 1;
        /// The trap handler gets its debug registers.
        const ENABLE_TRAP_HANDLER_DEBUG_SGPRS = 1 << 2;
        /// The packet processor writes time stamps to completion signals.
        const ENABLE_PROFILING = 1 << 3;
        /// Scratch memory goes back after the next dispatch.
        const USE_SCRATCH_ONCE = 1 << 4;
    }
}

bitflags::bitflags! {
    /// What the packet processor stores to a queue's inactive signal when it stops.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct QueueInactive: u64 {
        /// A kernel needs more scratch memory than the queue has.
        const INSUFFICIENT_SCRATCH = 1 << 0;
        /// A dimension of grid or work-group is zero or too large.
        const INVALID_DIM = 1 << 1;
        /// Group memory cannot be given.
        const INVALID_GROUP_MEMORY = 1 << 2;
        /// The kernel object is null or not a kernel.
        const INVALID_CODE = 1 << 3;
        /// The packet's type is not one that the processor knows.
        const INVALID_PACKET = 1 << 5;
        /// The work-group has too many work-items.
        const WORKGROUP_TOO_LARGE = 1 << 6;
        /// The kernel needs more vector registers than the work-group can have.
        const OUT_OF_REGISTERS = 1 << 7;
        /// The vendor packet's format is not one that the processor knows.
        const INVALID_VENDOR_PACKET = 1 << 8;
        /// Scratch for one use was used.
        const SCRATCH_USED_ONCE = 1 << 9;
        /// With `INSUFFICIENT_SCRATCH`: the kernel runs in waves of 32 lanes.
        const WAVE32 = 1 << 10;
        /// A wave went beyond an aperture.
        const APERTURE_VIOLATION = 1 << 29;
        /// A wave met an instruction it does not have.
        const ILLEGAL_INSTRUCTION = 1 << 30;
        /// A wave trapped.
        const DEBUG_TRAP = 1 << 31;
    }
}

bitflags::bitflags! {
    /// `AMD_QUEUE_CAPS_*`: what packet processor and runtime can do with the fields of [`AmdQueue`] that were not there before.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct QueueCaps: u32 {
        /// The packet processor keeps scratch memory out of use that is to be taken back.
        const CP_ASYNC_RECLAIM = 1 << 0;
        /// The runtime has all fields, and takes scratch memory back.
        const SW_ASYNC_RECLAIM = 1 << 1;
    }
}

abi_struct! {
    /// One entry of [`AmdQueue::scratch_last_used_index`].
    pub struct ScratchLastUsedIndex: 16 {
        /// Last packet that used main scratch.
        0 => main: u64,
        /// Last packet that used alternate scratch.
        8 => alt: u64,
    }
}

abi_struct! {
    /// `amd_queue_t`. A queue's handle is the address of this struct.
    ///
    /// Host and device both write it: reach the indices through atomics, the rest through raw pointers.
    align(64)
    pub struct AmdQueue: 2304 {
        /// The part that the HSA specification fixes.
        0 => hsa_queue: HsaQueue,
        /// [`QueueCaps`].
        40 => caps: u32,
        /// Zero.
        44 => reserved1: [u32; 3],
        /// Next packet to be reserved.
        56 => write_dispatch_id: u64,
        /// High half of the LDS aperture.
        64 => group_segment_aperture_base_hi: u32,
        /// High half of the scratch aperture.
        68 => private_segment_aperture_base_hi: u32,
        /// Compute units minus one.
        72 => max_cu_id: u32,
        /// Waves of a compute unit minus one.
        76 => max_wave_id: u32,
        /// gfx8 and before.
        80 => max_legacy_doorbell_dispatch_id_plus_1: u64,
        /// gfx8 and before.
        88 => legacy_doorbell_lock: u32,
        /// Zero.
        92 => reserved2: [u32; 9],
        /// First packet that is not consumed.
        128 => read_dispatch_id: u64,
        /// Offset of `read_dispatch_id` in this struct.
        136 => read_dispatch_id_field_base_byte_offset: u32,
        /// `COMPUTE_TMPRING_SIZE`.
        140 => compute_tmpring_size: u32,
        /// Buffer resource of the scratch memory.
        144 => scratch_resource_descriptor: [u32; 4],
        /// Address of the scratch memory.
        160 => scratch_backing_memory_location: u64,
        /// Bytes of the scratch memory.
        168 => scratch_backing_memory_byte_size: u64,
        /// Scratch bytes of one lane of a 64-lane wave.
        176 => scratch_wave64_lane_byte_size: u32,
        /// [`QueueProperties`].
        180 => queue_properties: u32,
        /// Last packet that may use main scratch.
        184 => scratch_max_use_index: u64,
        /// Takes [`QueueInactive`] when the packet processor stops.
        192 => queue_inactive_signal: SignalHandle,
        /// Last packet that may use alternate scratch.
        200 => alt_scratch_max_use_index: u64,
        /// Buffer resource of the alternate scratch memory.
        208 => alt_scratch_resource_descriptor: [u32; 4],
        /// Address of the alternate scratch memory.
        224 => alt_scratch_backing_memory_location: u64,
        /// Largest grid for alternate scratch, in work-items.
        232 => alt_scratch_dispatch_limit_x: u32,
        /// As `x`.
        236 => alt_scratch_dispatch_limit_y: u32,
        /// As `x`.
        240 => alt_scratch_dispatch_limit_z: u32,
        /// Alternate scratch bytes of one lane of a 64-lane wave.
        244 => alt_scratch_wave64_lane_byte_size: u32,
        /// `COMPUTE_TMPRING_SIZE` of the alternate scratch.
        248 => alt_compute_tmpring_size: u32,
        /// Zero.
        252 => reserved5: u32,
        /// Last use of scratch, by XCC.
        256 => scratch_last_used_index: [ScratchLastUsedIndex; 128],
    }
}
