//! Signals as the API sees them (`hsa.h` section 2.4, profiling in `hsa_ext_amd.h`).

use crate::abi::{abi_struct, abi_value};

abi_value! {
    /// `hsa_signal_condition_t`
    pub struct SignalCondition(u32) {
        /// Equal.
        EQ = 0,
        /// Not equal.
        NE = 1,
        /// Less than.
        LT = 2,
        /// Greater than or equal.
        GTE = 3,
    }
}

impl SignalCondition {
    /// Whether `value` meets the condition against `compare`. A condition without a name is never met.
    pub fn holds(self, value: i64, compare: i64) -> bool {
        match self {
            Self::EQ => value == compare,
            Self::NE => value != compare,
            Self::LT => value < compare,
            Self::GTE => value >= compare,
            _ => false,
        }
    }
}

abi_value! {
    /// `hsa_wait_state_t`: how a waiter would like to wait.
    pub struct WaitState(u32) {
        /// The thread may sleep.
        BLOCKED = 0,
        /// The wait is short: keep the thread awake.
        ACTIVE = 1,
    }
}

abi_struct! {
    /// `hsa_amd_profiling_dispatch_time_t`: system-clock ticks.
    pub struct DispatchTime: 16 {
        /// First wave launched.
        0 => start: u64,
        /// Last wave ended.
        8 => end: u64,
    }
}
