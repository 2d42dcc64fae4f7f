//! Clocks of a GPU and of the host, read at one moment (libhsakmt's `time.c`).

use kfd_sys::clock::GetClockCountersArgs;

use crate::topology::NodeId;
use crate::{Result, Thunk};

/// Clocks read at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClockCounters {
    /// Ticks of the GPU's reference clock (0 for a node without GPU).
    pub gpu: u64,
    /// `CLOCK_MONOTONIC_RAW`, in ticks of `system_frequency`.
    pub cpu: u64,
    /// `CLOCK_BOOTTIME`, in ticks of `system_frequency`.
    pub system: u64,
    /// Hz.
    pub system_frequency: u64,
}

impl Thunk {
    /// Reads the clocks of a node.
    pub fn clock_counters(&self, node: NodeId) -> Result<ClockCounters> {
        let gpu_id = self.context.node(node)?.gpu_id;
        let mut args = GetClockCountersArgs { gpu_id, ..Default::default() };
        self.context.call(&mut args, |a| format!("gpu {gpu_id}, tick {}", a.gpu_clock_counter))?;
        Ok(ClockCounters {
            gpu: args.gpu_clock_counter,
            cpu: args.cpu_clock_counter,
            system: args.system_clock_counter,
            system_frequency: args.system_clock_freq,
        })
    }
}
