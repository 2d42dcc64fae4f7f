//! Events, what they say, and clocks.

use super::abi_struct;

abi_struct! {
    /// A variable of the caller's, which the thunk only keeps.
    pub struct SyncVar = "HsaSyncVar", 16 bytes {
        0 => sync_var: u64 = "Its address.";
        8 => sync_var_size: u64 = "Its bytes.";
    }
}

abi_struct! {
    /// Why an access failed: bits.
    pub struct AccessAttributeFailure = "HsaAccessAttributeFailure", 4 bytes {
        0 => bits: u32 = "0: no such page, 1: read-only, 2: no code, 3: host only, 4: ECC, 5: imprecise, 8:6: error";
    }
}

abi_struct! {
    /// A memory access that failed.
    pub struct MemoryAccessFault = "HsaMemoryAccessFault", 20 bytes {
        0 => node_id: u32 = "On which node.";
        4 => virtual_address: u64 = "Where: address of the page.";
        12 => failure: AccessAttributeFailure = "Why.";
        16 => flags: u32 = "`HSA_EVENTID_MEMORYFLAGS`.";
    }
}

abi_struct! {
    /// What an event says.
    pub struct EventData = "HsaEventData", 44 bytes {
        0 => event_type: u32 = "`HSA_EVENTTYPE`.";
        4 => event_data: [u32; 5] = "By its type: a [`SyncVar`], a [`MemoryAccessFault`], a hardware exception.";
        24 => hw_data1: u64 = "KFD's number of the event.";
        32 => hw_data2: u64 = "Address of its slot in the event page.";
        40 => hw_data3: u32 = "What a packet writes there.";
    }
}

abi_struct! {
    /// An event.
    pub struct Event = "HsaEvent", 48 bytes {
        0 => event_id: u32 = "KFD's number of the event.";
        4 => event_data: EventData = "What it says.";
    }
}

abi_struct! {
    /// An event to create.
    pub struct EventDescriptor = "HsaEventDescriptor", 24 bytes {
        0 => event_type: u32 = "`HSA_EVENTTYPE`.";
        4 => node_id: u32 = "Of types that belong to a node.";
        8 => sync_var: SyncVar = "Kept with the event.";
    }
}

abi_struct! {
    /// Clocks read at one moment.
    pub struct ClockCounters = "HsaClockCounters", 32 bytes {
        0 => gpu_clock_counter: u64 = "Ticks of the GPU's reference clock.";
        8 => cpu_clock_counter: u64 = "`CLOCK_MONOTONIC_RAW`.";
        16 => system_clock_counter: u64 = "`CLOCK_BOOTTIME`.";
        24 => system_clock_frequency_hz: u64 = "Hz of the two above.";
    }
}

/// `HSA_EVENTTYPE_MAXID`: types are below it.
pub const EVENT_TYPES: u32 = 9;
/// `HSA_EVENTID_MEMORY_FATAL_PROCESS`
pub const FATAL_PROCESS: u32 = 1;
