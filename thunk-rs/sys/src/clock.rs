//! Clocks of a GPU, and how its memory is tiled.

abi_struct! {
    /// Reads the clocks of GPU and host at one moment. `gpu_id` 0 reads the host's only.
    pub struct GetClockCountersArgs = "kfd_ioctl_get_clock_counters_args", 40 bytes {
        0 => gpu_clock_counter: u64 = "out: ticks of the GPU's reference clock";
        8 => cpu_clock_counter: u64 = "out: `CLOCK_MONOTONIC_RAW`, nanoseconds";
        16 => system_clock_counter: u64 = "out: `CLOCK_BOOTTIME`, nanoseconds";
        24 => system_clock_freq: u64 = "out: of the two above, Hz";
        32 => gpu_id: u32 = "in";
        36 => pad: u32 = "zero";
    }
}

abi_struct! {
    /// Reads the tiling registers, which image layouts depend on.
    pub struct GetTileConfigArgs = "kfd_ioctl_get_tile_config_args", 40 bytes {
        0 => tile_config_ptr: u64 = "in: address of words for `GB_TILE_MODE*`";
        8 => macro_tile_config_ptr: u64 = "in: address of words for `GB_MACROTILE_MODE*`";
        16 => num_tile_configs: u32 = "in: room; out: filled";
        20 => num_macro_tile_configs: u32 = "in: room; out: filled";
        24 => gpu_id: u32 = "in";
        28 => gb_addr_config: u32 = "out: register `GB_ADDR_CONFIG`";
        32 => num_banks: u32 = "out";
        36 => num_ranks: u32 = "out";
    }
}
