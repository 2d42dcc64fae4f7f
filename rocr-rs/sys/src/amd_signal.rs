//! `amd_signal_t` (`amd_hsa_signal.h`): what a signal handle points at, for hosts, packet processors and kernels.

use crate::abi::{abi_struct, abi_value};

abi_value! {
    /// `amd_signal_kind_t`
    pub struct SignalKind(i64) {
        /// Not a signal.
        INVALID = 0,
        /// A value that anyone may change and wait for.
        USER = 1,
        /// A store goes to the 64-bit doorbell that `value` points at.
        DOORBELL = -1,
        /// As above, 32 bits and in other units (gfx8 and before).
        LEGACY_DOORBELL = -2,
    }
}

abi_struct! {
    /// `amd_signal_t`. A signal's handle is the address of this struct.
    ///
    /// The device changes `value`, the time stamps and the mailbox: reach those through atomics and raw pointers,
    /// never through a reference to the struct.
    align(64)
    pub struct AmdSignal: 64 {
        /// What a store means.
        0 => kind: SignalKind,
        /// The signal's value, or the address of a doorbell.
        8 => value: i64,
        /// Address of the event slot that takes `event_id`; 0 when nobody sleeps on this signal.
        16 => event_mailbox_ptr: u64,
        /// KFD event of the mailbox.
        24 => event_id: u32,
        /// Zero.
        28 => reserved1: u32,
        /// GPU clock when the packet's first wave was launched.
        32 => start_ts: u64,
        /// GPU clock when the packet's last wave ended.
        40 => end_ts: u64,
        /// Queue of a doorbell signal: address of its [`AmdQueue`](crate::AmdQueue).
        48 => queue_ptr: u64,
        /// Zero.
        56 => reserved3: [u32; 2],
    }
}

/// Word that marks a [`SharedSignal`], at offset 80.
pub const SHARED_SIGNAL_ID: u64 = 0x71fc_ca6a_3d5d_5276;

abi_struct! {
    /// The block that the vendor's runtime allocates for one signal (its `core/inc/signal.h`): tools that follow a
    /// handle expect this much memory behind it.
    align(64)
    pub struct SharedSignal: 128 {
        /// What the handle points at.
        0 => amd_signal: AmdSignal,
        /// System clock when an SDMA copy began.
        64 => sdma_start_ts: u64,
        /// The runtime's own object.
        72 => core_signal: u64,
        /// [`SHARED_SIGNAL_ID`].
        80 => id: u64,
        /// Zero.
        88 => reserved: [u8; 8],
        /// System clock when an SDMA copy ended.
        96 => sdma_end_ts: u64,
        /// Zero.
        104 => reserved2: [u8; 24],
    }
}
