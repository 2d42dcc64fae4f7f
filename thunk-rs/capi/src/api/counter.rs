//! Performance counters (libhsakmt's `perfctr.c`, `pmc_table.c`): a table of what GPUs can count. Counting is done by
//! packets of the program's queues; traces of counters that the kernel reads are for the IOMMU of APUs.

use crate::abi::counter::{Counter, CounterProperties, PmcTraceRoot};
use crate::abi::status::{Result, Status};
use crate::ffi::Ptr;
use crate::state::library;

pub fn properties(number: u32, out: Ptr<u64>) -> Result<()> {
    let mut library = library();
    library.opened().map_err(|_| Status::NO_MEMORY)?;
    if out.is_null() {
        return Err(Status::INVALID_PARAMETER);
    }
    let (opened, snapshot) = library.both()?;
    let node = snapshot.node(number)?;
    let blocks = super::counter_table::of(node.gfx_version()).ok_or(Status::INVALID_PARAMETER)?;
    let words = super::counter_table::words(blocks);
    let at: Ptr<CounterProperties> = opened.keep_counters(number, words);
    out.set(at.address())
}

pub fn register(number: u32, count: u32, counters: Ptr<Counter>, root: Ptr<PmcTraceRoot>) -> Result<()> {
    let mut library = library();
    library.opened().map_err(|_| Status::NO_MEMORY)?;
    if counters.is_null() || root.is_null() || count == 0 {
        return Err(Status::INVALID_PARAMETER);
    }
    library.both()?.1.node(number)?;
    // Only counters that the kernel reads are registered, and there are none of these.
    Err(Status::INVALID_PARAMETER)
}

/// There is no trace: none can be registered.
fn trace(id: u64) -> Result<()> {
    Err(if id == 0 { Status::INVALID_PARAMETER } else { Status::INVALID_HANDLE })
}

pub fn unregister(_number: u32, id: u64) -> Result<()> {
    trace(id)
}

pub fn acquire(_number: u32, id: u64) -> Result<()> {
    trace(id)
}

pub fn release(_number: u32, id: u64) -> Result<()> {
    trace(id)
}

pub fn start(id: u64, _buffer: u64, _bytes: u64) -> Result<()> {
    trace(id)
}

pub fn query(id: u64) -> Result<()> {
    trace(id)
}

pub fn stop(id: u64) -> Result<()> {
    trace(id)
}
