//! `hsa_queue_t`, the part of a queue that the HSA specification fixes (`hsa.h` section 2.5).

use crate::abi::{abi_struct, abi_value};
use crate::{SignalHandle, amd_queue::AmdQueue};

abi_value! {
    /// `hsa_queue_type_t`
    pub struct QueueType(u32) {
        /// Any number of producers.
        MULTI = 0,
        /// One producer: doorbell values do not decrease.
        SINGLE = 1,
        /// Any number of producers, kernels may synchronise over the whole grid.
        COOPERATIVE = 2,
    }
}

abi_value! {
    /// `hsa_queue_feature_t`, a mask.
    pub struct QueueFeature(u32) {
        /// Takes kernel dispatch packets.
        KERNEL_DISPATCH = 1,
        /// Takes agent dispatch packets.
        AGENT_DISPATCH = 2,
    }
}

abi_struct! {
    /// `hsa_queue_t`: the head of every queue.
    pub struct HsaQueue: 40 {
        /// One or many producers.
        0 => kind: QueueType,
        /// Mask of [`QueueFeature`].
        4 => features: QueueFeature,
        /// Address of packet 0 of the ring.
        8 => base_address: u64,
        /// Signal whose store rings the queue.
        16 => doorbell_signal: SignalHandle,
        /// Packets in the ring, a power of two.
        24 => size: u32,
        /// Zero.
        28 => reserved1: u32,
        /// Number of the queue, unique in the process.
        32 => id: u64,
    }
}

// The vendor's queue starts with the specified one.
const _: () = assert!(core::mem::offset_of!(AmdQueue, hsa_queue) == 0);
