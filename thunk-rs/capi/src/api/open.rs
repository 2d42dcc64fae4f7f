//! Opening, closing, version, clocks (libhsakmt's `openclose.c`, `version.c`, `time.c`).

use crate::abi::event::ClockCounters;
use crate::abi::node::VersionInfo;
use crate::abi::status::{Result, Status};
use crate::ffi::Ptr;
use crate::state::library;

pub fn open() -> Result<()> {
    library().open()
}

pub fn close() -> Result<()> {
    library().close()
}

pub fn version(info: Ptr<VersionInfo>) -> Result<()> {
    let (major, minor) = library().opened()?.thunk.version();
    info.set(VersionInfo { kernel_interface_major_version: major, kernel_interface_minor_version: minor })
}

pub fn clock_counters(node: u32, counters: Ptr<ClockCounters>) -> Result<()> {
    let mut library = library();
    let (opened, snapshot) = library.both()?;
    let read = opened.thunk.clock_counters(snapshot.id(node)?)?;
    counters.set(ClockCounters {
        gpu_clock_counter: read.gpu,
        cpu_clock_counter: read.cpu,
        system_clock_counter: read.system,
        system_clock_frequency_hz: read.system_frequency,
    })
}

/// What the API has no word for in this library: see `not_implemented.rs`.
pub fn not_supported() -> Result<()> {
    Err(Status::NOT_SUPPORTED)
}

/// What was for devices that are not supported any more.
pub fn not_implemented() -> Result<()> {
    Err(Status::NOT_IMPLEMENTED)
}

pub fn model_enabled(enabled: Ptr<bool>) -> Result<()> {
    enabled.set(false)
}
