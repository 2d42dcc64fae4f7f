//! Occupancy: how many work-groups a compute unit holds.

use super::module::kernel_or_function;
use crate::device::Device;
use crate::error::Result;
use crate::ffi::Out;
use crate::launch::Kernel;
use crate::module::target_id;
use crate::state;
use hip_sys::{hipError_t, hipFunction_t};
use std::ffi::{c_int, c_uint, c_void};
use std::sync::Arc;

type Ptr = *const c_void;

/// Work-groups of `items` work-items that a compute unit holds at a time.
pub fn groups_per_cu(kernel: &Kernel, device: &Device, items: u32, dynamic_lds: usize) -> u32 {
    let properties = device.agent.properties();
    let wave = kernel.wave.max(1);
    let simds = properties.simds_per_cu.max(1);
    let waves_per_simd = (properties.max_waves_per_cu / simds).max(1);
    let by_registers = target_id(device).ok().and_then(|target| target.isa()).map_or(waves_per_simd, |isa| {
        let generation = isa.generation;
        let granule = generation.vgpr_granule(wave).max(1);
        // A SIMD's file holds as many registers as one wave can address; twice that for waves of half the lanes.
        let file = if generation.has_unified_vgprs() { 512 } else { 256 };
        let file = if generation.wave32 { 1024 * 32 / wave } else { file };
        // The count is the metadata's word: one that no register file has leaves no room for a wave.
        kernel.vgprs.max(1).checked_next_multiple_of(granule).map_or(0, |registers| file / registers)
    });
    let waves = waves_per_simd.min(by_registers) * simds;
    let by_waves = waves / items.max(1).div_ceil(wave);
    let lds = u64::from(kernel.group_bytes) + dynamic_lds as u64;
    let by_lds = u64::from(device.lds_bytes()).checked_div(lds).unwrap_or(u64::MAX);
    by_waves.min(u32::try_from(by_lds).unwrap_or(u32::MAX))
}

fn count(kernel: &Arc<Kernel>, blocks: Out<c_int>, block: c_int, shared: usize) -> Result {
    let items = u32::try_from(block).ok().filter(|items| *items > 0).ok_or(hipError_t::INVALID_VALUE)?;
    let device = state::current_device()?;
    if items > device.max_workgroup() {
        return blocks.set(0);
    }
    blocks.set(groups_per_cu(kernel, device, items, shared) as c_int)
}

fn best(kernel: &Arc<Kernel>, grid: Out<c_int>, block: Out<c_int>, shared: usize, limit: c_int) -> Result {
    if grid.is_null() || block.is_null() {
        return Err(hipError_t::INVALID_VALUE);
    }
    let device = state::current_device()?;
    let mut most = device.max_workgroup();
    if kernel.max_workgroup > 0 {
        most = most.min(kernel.max_workgroup);
    }
    if let Ok(limit) = u32::try_from(limit)
        && limit > 0
    {
        most = most.min(limit);
    }
    let wave = kernel.wave.max(1);
    let sizes = (1..=most / wave).map(|waves| waves * wave).chain((most < wave).then_some(most));
    // The size that keeps most work-items on a compute unit; of equals the larger.
    let chosen = sizes.max_by_key(|size| {
        (u64::from(groups_per_cu(kernel, device, *size, shared)) * u64::from(*size), *size)
    });
    let size = chosen.ok_or(hipError_t::INVALID_VALUE)?;
    let groups = groups_per_cu(kernel, device, size, shared) * device.agent.properties().compute_units;
    grid.set(groups as c_int)?;
    block.set(size as c_int)
}

pub fn blocks(blocks: Out<c_int>, function: Ptr, block: c_int, shared: usize) -> Result {
    count(&kernel_or_function(function)?, blocks, block, shared)
}

pub fn blocks_with_flags(out: Out<c_int>, function: Ptr, block: c_int, shared: usize, _: c_uint) -> Result {
    blocks(out, function, block, shared)
}

pub fn block_size(grid: Out<c_int>, block: Out<c_int>, function: Ptr, shared: usize, limit: c_int) -> Result {
    best(&kernel_or_function(function)?, grid, block, shared, limit)
}

pub fn module_blocks(blocks: Out<c_int>, function: hipFunction_t, block: c_int, shared: usize) -> Result {
    count(&state::hip()?.modules.kernel(function)?, blocks, block, shared)
}

pub fn module_blocks_with_flags(
    blocks: Out<c_int>,
    function: hipFunction_t,
    block: c_int,
    shared: usize,
    _: c_uint,
) -> Result {
    module_blocks(blocks, function, block, shared)
}

pub fn module_block_size(
    grid: Out<c_int>,
    block: Out<c_int>,
    function: hipFunction_t,
    shared: usize,
    limit: c_int,
) -> Result {
    best(&state::hip()?.modules.kernel(function)?, grid, block, shared, limit)
}

pub fn module_block_size_with_flags(
    grid: Out<c_int>,
    block: Out<c_int>,
    function: hipFunction_t,
    shared: usize,
    limit: c_int,
    _: c_uint,
) -> Result {
    module_block_size(grid, block, function, shared, limit)
}
