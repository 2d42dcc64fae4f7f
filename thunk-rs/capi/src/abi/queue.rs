//! Queues, their save areas, and messages of the old debugger's calls.

use super::abi_struct;

abi_struct! {
    /// What a queue is reached by.
    pub struct QueueResource = "HsaQueueResource", 40 bytes {
        0 => queue_id: u64 = "Handle.";
        8 => queue_door_bell: u64 = "Address of the doorbell.";
        16 => queue_wptr_value: u64 = "Address of the write index; in for AQL queues, else out.";
        24 => queue_rptr_value: u64 = "Address of the read index; in for AQL queues, else out.";
        32 => error_reason: u64 = "in: address of 64 bits for exceptions";
    }
}

abi_struct! {
    /// The head of a save area.
    pub struct UserContextSaveAreaHeader = "HsaUserContextSaveAreaHeader", 40 bytes {
        0 => control_stack_offset: u32 = "To the last saved top of the control stack.";
        4 => control_stack_size: u32 = "Bytes of it.";
        8 => wave_state_offset: u32 = "To the last saved waves.";
        12 => wave_state_size: u32 = "Bytes of them.";
        16 => debug_offset: u32 = "To the debugger's part.";
        20 => debug_size: u32 = "Bytes of it.";
        24 => error_reason: u64 = "Address of 64 bits for exceptions.";
        32 => error_event_id: u32 = "Event that is set after that.";
        36 => reserved1: u32 = "Zero.";
    }
}

abi_struct! {
    /// What is known of a queue that is off the hardware.
    pub struct QueueInfo = "HsaQueueInfo", 68 bytes {
        0 => queue_detail_error: u32 = "Zero.";
        4 => queue_type_extended: u32 = "Zero.";
        8 => num_cu_assigned: u32 = "Bits of the CU mask.";
        12 => cu_mask_info: u64 = "Address of the CU mask.";
        20 => user_context_save_area: u64 = "Address of the saved waves.";
        28 => save_area_size_in_bytes: u64 = "Bytes of them.";
        36 => control_stack_top: u64 = "Address of the control stack.";
        44 => control_stack_used_in_bytes: u64 = "Bytes of it.";
        52 => save_area_header: u64 = "Address of the save area.";
        60 => reserved2: u64 = "Zero.";
    }
}

abi_struct! {
    /// A message of the old wave control.
    pub struct DbgWaveMessage = "HsaDbgWaveMessage", 16 bytes {
        0 => memory_va: u64 = "Address of memory.";
        8 => dbg_wave_msg: [u32; 2] = "The message.";
    }
}

/// `HSA_QUEUE_TYPE`.
pub mod queue_type {
    /// PM4 packets.
    pub const COMPUTE: u32 = 1;
    /// SDMA packets.
    pub const SDMA: u32 = 2;
    /// SDMA packets, over XGMI.
    pub const SDMA_XGMI: u32 = 5;
    /// AQL packets.
    pub const COMPUTE_AQL: u32 = 21;
    /// SDMA packets, to one engine (from 6.1 on).
    pub const SDMA_BY_ENG_ID: u32 = 24;
}
