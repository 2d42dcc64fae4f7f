//! What a process has of its devices, in numbers: so that tests can tell whether something was left behind.

use crate::EmulatedGpu;

/// Counts of what a process has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Holdings {
    /// Memory objects.
    pub objects: usize,
    /// Buffer objects of the render nodes of all devices.
    pub buffers: usize,
    /// Ranges in the page tables of all devices.
    pub mapped: usize,
    /// Handles given out for other processes.
    pub exports: usize,
    /// Events.
    pub events: usize,
    /// Waits under way.
    pub waiters: usize,
    /// Queues of all devices.
    pub queues: usize,
    /// Bytes of all devices' own memory.
    pub vram: u64,
    /// Bytes of GTT.
    pub gtt: u64,
}

impl EmulatedGpu {
    /// What this process has now.
    pub fn holdings(&self) -> Holdings {
        let process = &self.process;
        process.reap();
        let (objects, exports, gtt) = process.held();
        let (events, waiters) = process.events.counts();
        let devices = &process.devices;
        Holdings {
            objects,
            buffers: devices.iter().map(|device| device.gem.count()).sum(),
            mapped: devices.iter().map(|device| device.vm.table().len()).sum(),
            exports,
            events,
            waiters,
            queues: devices.iter().map(|device| device.cp.queue_count() + device.sdma.queue_count()).sum(),
            vram: devices.iter().map(crate::kfd::Device::used).sum(),
            gtt,
        }
    }
}
