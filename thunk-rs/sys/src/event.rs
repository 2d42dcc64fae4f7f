//! Events: how the device wakes a thread, and what it says about faults.

use zerocopy::IntoBytes as _;

abi_value! {
    /// Kind of an event: `KFD_IOC_EVENT_*`, the same numbers as `HSA_EVENTTYPE_*`.
    pub struct EventType {
        SIGNAL = 0, "Set by a packet of a queue, or by `SET_EVENT`.";
        NODECHANGE = 1, "A GPU came or went.";
        DEVICESTATECHANGE = 2, "A device started or stopped.";
        HW_EXCEPTION = 3, "Reset of the GPU, or an error that it cannot go on with.";
        SYSTEM_EVENT = 4, "Of the system.";
        DEBUG_EVENT = 5, "For a debugger.";
        PROFILE_EVENT = 6, "For a profiler.";
        QUEUE_EVENT = 7, "A queue stands idle.";
        MEMORY = 8, "Memory access fault.";
    }
}

abi_value! {
    /// `KFD_IOC_WAIT_RESULT_*`
    pub struct WaitResult {
        COMPLETE = 0, "What was waited for came.";
        TIMEOUT = 1, "It did not, in time.";
        FAIL = 2, "An event was destroyed meanwhile.";
    }
}

abi_value! {
    /// `KFD_HW_EXCEPTION_*_RESET`
    pub struct ResetType {
        WHOLE_GPU_RESET = 0, "All of the GPU.";
        PER_ENGINE_RESET = 1, "One engine.";
    }
}

abi_value! {
    /// `KFD_HW_EXCEPTION_*`, the cause of a reset.
    pub struct ResetCause {
        GPU_HANG = 0, "It did not answer.";
        ECC = 1, "Memory error.";
    }
}

abi_value! {
    /// `KFD_MEM_ERR_*`
    pub struct MemoryError {
        NO_RAS = 0, "No memory error: an access to what is not mapped.";
        SRAM_ECC = 1, "Uncorrectable error in on-chip memory.";
        POISON_CONSUMED = 2, "Poisoned data was read.";
        GPU_HANG = 3, "GPU hang without a cause known.";
    }
}

/// `KFD_SIGNAL_EVENT_LIMIT`: slots in the event page, of 8 bytes each.
pub const SIGNAL_EVENT_LIMIT: u32 = 4096;
/// A slot of the event page whose event is not set.
pub const SLOT_UNSIGNALED: u64 = u64::MAX;
/// `WaitEventsArgs::timeout`: wait for ever.
pub const TIMEOUT_INFINITE: u32 = 0xffff_ffff;

abi_struct! {
    /// Creates an event.
    pub struct CreateEventArgs = "kfd_ioctl_create_event_args", 32 bytes {
        0 => event_page_offset: u64 = "in: handle of a GTT buffer that is to be the event page (dGPU, first call); out: its `mmap` offset (APU)";
        8 => event_trigger_data: u32 = "out: what a packet writes to set it; signal events only";
        12 => event_type: EventType = "in";
        16 => auto_reset: u32 = "in: 1 if a wait that it ends clears it";
        20 => node_id: u32 = "in: for some types";
        24 => event_id: u32 = "out";
        28 => event_slot_index: u32 = "out: slot in the event page";
    }
}

abi_struct! {
    /// Destroys an event; who waits on it gets [`WaitResult::FAIL`].
    pub struct DestroyEventArgs = "kfd_ioctl_destroy_event_args", 8 bytes {
        0 => event_id: u32 = "in";
        4 => pad: u32 = "zero";
    }
}

abi_struct! {
    /// Sets an event.
    pub struct SetEventArgs = "kfd_ioctl_set_event_args", 8 bytes {
        0 => event_id: u32 = "in";
        4 => pad: u32 = "zero";
    }
}

abi_struct! {
    /// Clears an event.
    pub struct ResetEventArgs = "kfd_ioctl_reset_event_args", 8 bytes {
        0 => event_id: u32 = "in";
        4 => pad: u32 = "zero";
    }
}

abi_struct! {
    /// Why a memory access failed; each 0 or 1.
    pub struct MemoryExceptionFailure = "kfd_memory_exception_failure", 16 bytes {
        0 => not_present: u32 = "no such page, or one of the supervisor";
        4 => read_only: u32 = "a write to a page for reading";
        8 => no_execute: u32 = "a fetch of instructions from a page without that right";
        12 => imprecise: u32 = "the address is not exact";
    }
}

abi_struct! {
    /// A memory access fault.
    pub struct MemoryExceptionData = "kfd_hsa_memory_exception_data", 32 bytes {
        0 => failure: MemoryExceptionFailure = "why";
        16 => va: u64 = "where: address of the page";
        24 => gpu_id: u32 = "whose; 0 if there was none";
        28 => error_type: MemoryError = "memory error, if it was one";
    }
}

abi_struct! {
    /// A hardware exception.
    pub struct HwExceptionData = "kfd_hsa_hw_exception_data", 16 bytes {
        0 => reset_type: ResetType = "what was reset";
        4 => reset_cause: ResetCause = "why";
        8 => memory_lost: u32 = "1 if VRAM was lost";
        12 => gpu_id: u32 = "whose; 0 if there was none";
    }
}

abi_struct! {
    /// State of a signal event, from version 1.14 on.
    pub struct SignalEventData = "kfd_hsa_signal_event_data", 8 bytes {
        0 => last_event_age: u64 = "in: age last seen, 0 to ignore; out: age now";
    }
}

abi_struct! {
    /// One event of a wait: which one in, what it says out.
    pub struct EventData = "kfd_event_data", 48 bytes {
        0 => data: [u64; 4] = "out: a union by the event's type, see the methods";
        32 => kfd_event_data_ext: u64 = "zero";
        40 => event_id: u32 = "in";
        44 => pad: u32 = "zero";
    }
}

impl EventData {
    /// The entry that asks for one event.
    pub fn new(event_id: u32) -> EventData {
        EventData { event_id, ..EventData::default() }
    }

    /// The union as a memory exception.
    pub fn memory_exception(&self) -> MemoryExceptionData {
        crate::read_arg(self.data.as_bytes())
    }

    /// The union as a hardware exception.
    pub fn hw_exception(&self) -> HwExceptionData {
        crate::read_arg(self.data.as_bytes())
    }

    /// The union as a signal's state.
    pub fn signal(&self) -> SignalEventData {
        crate::read_arg(self.data.as_bytes())
    }

    /// Fills the union with any of its members.
    pub fn set<A: crate::Arg>(&mut self, member: &A) {
        crate::write_arg(member, self.data.as_mut_bytes());
    }
}

abi_struct! {
    /// Waits for events.
    pub struct WaitEventsArgs = "kfd_ioctl_wait_events_args", 24 bytes {
        0 => events_ptr: u64 = "in: address of [`EventData`]s";
        8 => num_events: u32 = "in";
        12 => wait_for_all: u32 = "in: 1 for all, 0 for any";
        16 => timeout: u32 = "in: milliseconds; 0 looks only; [`TIMEOUT_INFINITE`]. What is left, when interrupted";
        20 => wait_result: WaitResult = "out";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_union_holds_each_member() {
        let fault = MemoryExceptionData { va: 0x7000, gpu_id: 9, ..Default::default() };
        let mut event = EventData::new(5);
        event.set(&fault);
        assert_eq!(event.memory_exception(), fault);
        event.set(&SignalEventData { last_event_age: 3 });
        assert_eq!(event.signal().last_event_age, 3);
        let reset = HwExceptionData { reset_cause: ResetCause::ECC, gpu_id: 2, ..Default::default() };
        event.set(&reset);
        assert_eq!(event.hw_exception(), reset);
    }

    #[test]
    fn values_without_a_name_print_as_numbers() {
        assert_eq!(format!("{:?} {:?}", EventType::MEMORY, EventType(77)), "MEMORY EventType(0x4d)");
    }
}
