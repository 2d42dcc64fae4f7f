//! What a launch must satisfy, in the order in which HIP looks at it.

use crate::error::Result;
use hip_sys::{dim3, hipError_t};

/// What the kernel and its device allow.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// LDS bytes of a work-group on the device.
    pub lds: u32,
    /// LDS bytes that the kernel has already.
    pub group_bytes: u32,
    /// Work-items of a work-group on the device.
    pub workgroup: u32,
    /// What a launch with more of them gives.
    pub too_large: hipError_t,
    /// What a block without work-items gives.
    pub none: hipError_t,
    /// What more LDS than the device has gives.
    pub too_much_lds: hipError_t,
    /// Work-items of a work-group that the kernel was compiled for.
    pub kernel_workgroup: u32,
}

/// Checks a grid in work-groups, a block and dynamic LDS.
pub fn in_groups(limits: &Limits, grid: dim3, block: dim3, shared: usize) -> Result {
    let mut sizes = grid.to_array().into_iter().zip(block.to_array());
    if sizes.any(|(groups, size)| u64::from(groups) * u64::from(size) > u64::from(u32::MAX)) {
        return Err(hipError_t::INVALID_CONFIGURATION);
    }
    in_items(limits, grid, block, shared)
}

/// Checks a grid in work-items.
pub fn in_items(limits: &Limits, grid: dim3, block: dim3, shared: usize) -> Result {
    if grid.to_array().contains(&0) {
        return Err(hipError_t::INVALID_VALUE);
    }
    if block.to_array().contains(&0) {
        return Err(limits.none);
    }
    if shared as u64 + u64::from(limits.group_bytes) > u64::from(limits.lds) {
        return Err(limits.too_much_lds);
    }
    if block.volume() > u128::from(limits.workgroup) {
        return Err(limits.too_large);
    }
    if limits.kernel_workgroup != 0 && block.volume() > u128::from(limits.kernel_workgroup) {
        return Err(hipError_t::LAUNCH_FAILURE);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        lds: 65536,
        group_bytes: 1024,
        workgroup: 1024,
        too_large: hipError_t::INVALID_CONFIGURATION,
        none: hipError_t::INVALID_VALUE,
        too_much_lds: hipError_t::OUT_OF_MEMORY,
        kernel_workgroup: 256,
    };

    fn check(grid: (u32, u32, u32), block: (u32, u32, u32), shared: usize) -> Result {
        in_groups(&LIMITS, dim3::new(grid.0, grid.1, grid.2), dim3::new(block.0, block.1, block.2), shared)
    }

    #[test]
    fn the_order_of_checks_is_that_of_hip() {
        assert_eq!(check((1, 1, 1), (256, 1, 1), 0), Ok(()));
        assert_eq!(check((1 << 24, 1, 1), (256, 1, 1), 0), Err(hipError_t::INVALID_CONFIGURATION));
        assert_eq!(check((1, 0, 1), (1, 1, 1), 0), Err(hipError_t::INVALID_VALUE));
        assert_eq!(check((1, 1, 1), (1, 0, 1), 0), Err(hipError_t::INVALID_VALUE));
        assert_eq!(check((1, 1, 1), (64, 1, 1), 65536 - 1024), Ok(()));
        assert_eq!(check((1, 1, 1), (64, 1, 1), 65536 - 1023), Err(hipError_t::OUT_OF_MEMORY));
        assert_eq!(check((1, 1, 1), (1024, 2, 1), 0), Err(hipError_t::INVALID_CONFIGURATION));
        assert_eq!(check((1, 1, 1), (512, 1, 1), 0), Err(hipError_t::LAUNCH_FAILURE));
        assert_eq!(check((1, 1, 1), (64, 1, 1), usize::MAX / 2), Err(hipError_t::OUT_OF_MEMORY));
    }
}
