//! Clocks, and the tiling registers that go with them in the header.

use kfd_sys::Errno;
use kfd_sys::clock::{GetClockCountersArgs, GetTileConfigArgs};

use super::Process;
use crate::clock;

pub(super) fn get_clock_counters(process: &Process, arg: &mut GetClockCountersArgs) -> Result<(), Errno> {
    // KFD answers for the CPU's node, whose ID is 0, too: without a GPU clock.
    let gpu = arg.gpu_id != 0;
    if gpu {
        process.device(arg.gpu_id)?;
    }
    let nanos = clock::monotonic_nanos();
    arg.gpu_clock_counter = if gpu { clock::ticks_of(nanos) } else { 0 };
    arg.cpu_clock_counter = nanos;
    arg.system_clock_counter = clock::boot_nanos();
    arg.system_clock_freq = 1_000_000_000;
    Ok(())
}

pub(super) fn get_tile_config(process: &Process, arg: &mut GetTileConfigArgs) -> Result<(), Errno> {
    process.device(arg.gpu_id)?;
    // Compute chips have no tiling tables: images are not modelled.
    arg.num_tile_configs = 0;
    arg.num_macro_tile_configs = 0;
    arg.gb_addr_config = 0;
    arg.num_banks = 0;
    arg.num_ranks = 0;
    Ok(())
}
