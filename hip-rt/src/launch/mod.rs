//! From a kernel and a caller's arguments to a packet in a stream.

pub mod args;
pub mod check;
pub mod cooperative;
pub mod gws;
pub mod hidden;
mod kernel;

pub use kernel::Kernel;

use crate::error::Result;
use crate::ffi;
use crate::stream::Stream;
use crate::work::Work;
use args::Arguments;
use cooperative::Among;
use hidden::Values;
use hip_sys::{dim3, hipError_t, hipKernelNodeParams};
use rocr_rs::KernelDispatchPacket;
use std::sync::Arc;

/// The grid of a launch, in work-items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Geometry {
    /// Work-items of the grid.
    pub grid: [u32; 3],
    /// Work-items of a work-group.
    pub block: [u32; 3],
    /// Dynamic LDS bytes.
    pub shared: u32,
    /// Where the grid stands among those that its work-groups may wait for, if they may.
    pub cooperative: Option<Among>,
}

impl Geometry {
    /// Work-groups of the grid, those at its far edges that are not whole included: what HIP calls the grid.
    pub fn blocks(&self) -> [u32; 3] {
        std::array::from_fn(|side| self.grid[side].div_ceil(self.block[side].max(1)))
    }
}

/// A launch, its arguments packed.
#[derive(Debug, Clone)]
pub struct Call {
    kernel: Arc<Kernel>,
    /// What the program knows the kernel by: a host address or a function's handle.
    function: usize,
    geometry: Geometry,
    group_bytes: u32,
    segment: Vec<u8>,
}

/// Launches a kernel whose geometry passed [`check`]; `function` is what the program knows it by.
pub fn launch(
    kernel: &Arc<Kernel>,
    function: usize,
    geometry: Geometry,
    arguments: Arguments<'_>,
    stream: &Arc<Stream>,
) -> Result {
    stream.put(Work::Kernel(Call::pack(kernel, function, geometry, arguments)?))
}

impl Call {
    /// Copies the arguments.
    pub fn pack(
        kernel: &Arc<Kernel>,
        function: usize,
        geometry: Geometry,
        arguments: Arguments<'_>,
    ) -> Result<Call> {
        let signature = &kernel.signature;
        let mut segment = vec![0u8; signature.segment_bytes()];
        let dynamic = signature.pack(&mut segment, &arguments, kernel.group_bytes)?;
        let group_bytes = kernel
            .group_bytes
            .checked_add(dynamic)
            .and_then(|bytes| bytes.checked_add(geometry.shared))
            .ok_or(hipError_t::INVALID_VALUE)?;
        Ok(Call { kernel: kernel.clone(), function, geometry, group_bytes, segment })
    }

    /// The kernel's name as a person reads it.
    pub fn name(&self) -> String {
        crate::error::readable(&self.kernel.name)
    }

    /// Whether the two kernels are on one device.
    pub fn is_on_device_of(&self, other: &Call) -> bool {
        self.kernel.is_beside(&other.kernel)
    }

    /// Where each argument lies, as long as this lives unchanged.
    pub fn argument_addresses(&self) -> Vec<usize> {
        let base = self.segment.as_ptr().expose_provenance();
        self.kernel.signature.offsets().map(|offset| base + offset).collect()
    }

    /// The launch as a node of a graph has it, with `arguments` from [`Call::argument_addresses`].
    pub fn params(&self, arguments: &[usize]) -> hipKernelNodeParams {
        let [x, y, z] = self.geometry.block;
        let [groups_x, groups_y, groups_z] = self.geometry.blocks();
        hipKernelNodeParams {
            blockDim: dim3::new(x, y, z),
            extra: std::ptr::null_mut(),
            func: std::ptr::with_exposed_provenance_mut(self.function),
            gridDim: dim3::new(groups_x, groups_y, groups_z),
            kernelParams: std::ptr::with_exposed_provenance_mut(arguments.as_ptr().expose_provenance()),
            sharedMemBytes: self.geometry.shared,
        }
    }

    /// Puts the kernel into a stream.
    pub fn run(self, stream: &Arc<Stream>) -> Result {
        let Call { kernel, geometry, group_bytes, mut segment, .. } = self;
        let device = stream.device()?;
        kernel.must_be_of(&device)?;
        let signature = &kernel.signature;
        let mut values = Values::new(geometry);
        if signature.wants_hostcall() {
            values.hostcall = device.hostcalls()?.address();
        }
        if signature.wants_heap() {
            values.heap = device.heap()?;
        }
        if signature.wants_printf_buffer() {
            values.printf = device.printf_buffer_without_room()?;
        }

        tracing::info!(
            target: "story",
            step = "launch",
            kernel = kernel.name.as_str(),
            grid = geometry.blocks().map(|side| side.to_string()).join("x"),
            block = geometry.block.map(|side| side.to_string()).join("x"),
            shared = geometry.shared,
            kernarg_bytes = segment.len(),
        );
        let stack = device.settings.lock().stack;
        let sync_at = segment.len().next_multiple_of(64);
        let among = geometry.cooperative;
        let bytes = if among.is_some() { sync_at + cooperative::BLOCK_BYTES } else { segment.len() };
        let meeting = among.map(|_| cooperative::groups(&geometry));
        stream.dispatch(&kernel, meeting, bytes, |kernarg, queue| {
            if let Some(among) = &among {
                values.multigrid = kernarg + sync_at as u64;
                ffi::write_bytes(values.multigrid, &cooperative::block(&geometry, among));
            }
            values.queue = queue;
            signature.fill_hidden(&mut segment, &values);
            ffi::write_bytes(kernarg, &segment);
            let [x, y, z] = geometry.block.map(|size| size as u16);
            KernelDispatchPacket {
                setup: 3,
                workgroup_size_x: x,
                workgroup_size_y: y,
                workgroup_size_z: z,
                grid_size_x: geometry.grid[0],
                grid_size_y: geometry.grid[1],
                grid_size_z: geometry.grid[2],
                private_segment_size: kernel.private_bytes_with(stack),
                group_segment_size: group_bytes,
                kernel_object: kernel.object,
                kernarg_address: kernarg,
                ..KernelDispatchPacket::default()
            }
        })
    }
}

/// The geometry of a launch whose grid is given in work-groups; the sizes passed [`check`].
pub fn in_groups(grid: dim3, block: dim3, shared: u32) -> Geometry {
    let [gx, gy, gz] = grid.to_array();
    let [bx, by, bz] = block.to_array();
    Geometry {
        grid: [gx.wrapping_mul(bx), gy.wrapping_mul(by), gz.wrapping_mul(bz)],
        block: [bx, by, bz],
        shared,
        cooperative: None,
    }
}
