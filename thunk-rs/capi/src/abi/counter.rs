//! Performance counters.

use super::abi_struct;

abi_struct! {
    /// A counter.
    pub struct Counter = "HsaCounter", 32 bytes {
        0 => r#type: u32 = "`HSA_PROFILE_TYPE`.";
        4 => counter_id: u64 = "What it counts.";
        12 => counter_size_in_bits: u32 = "Bits.";
        16 => counter_mask: u64 = "Those that matter.";
        24 => flags: u32 = "Bit 0: global, 1: can be reset, 2: read-only, 3: streams.";
        28 => block_index: u32 = "The block that it belongs to.";
    }
}

abi_struct! {
    /// A block of counters. The counters follow one another from the first on.
    pub struct CounterBlockProperties = "HsaCounterBlockProperties", 56 bytes {
        0 => block_id: [u32; 4] = "UUID.";
        16 => num_counters: u32 = "Counters.";
        20 => num_concurrent: u32 = "How many of them can count at once.";
        24 => counters: [Counter; 1] = "The first.";
    }
}

abi_struct! {
    /// All blocks of a node. The blocks follow one another from the first on.
    pub struct CounterProperties = "HsaCounterProperties", 64 bytes {
        0 => num_blocks: u32 = "Blocks.";
        4 => num_concurrent: u32 = "How many counters can count at once.";
        8 => blocks: [CounterBlockProperties; 1] = "The first.";
    }
}

abi_struct! {
    /// Counters registered together.
    pub struct PmcTraceRoot = "HsaPmcTraceRoot", 20 bytes {
        0 => trace_buffer_min_size_bytes: u64 = "Room for their values, whole pages.";
        8 => number_of_passes: u32 = "How often the work must be done to count all.";
        12 => trace_id: u64 = "Handle.";
    }
}

/// `HSA_PROFILE_TYPE`.
pub mod profile_type {
    /// Read by the kernel.
    pub const PRIVILEGED_IMMEDIATE: u32 = 0;
    /// Streamed by the kernel.
    pub const PRIVILEGED_STREAMING: u32 = 1;
    /// Read by packets of the program's queues.
    pub const NONPRIV_IMMEDIATE: u32 = 2;
}
