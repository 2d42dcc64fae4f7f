//! Metadata of one kernel: "AMDHSA Code Object Kernel Metadata Map" of LLVM's AMDGPU guide.

use alloc::string::String;
use alloc::vec::Vec;

use super::path::Path;
use super::reader::Reader;
use super::value::{FromMetadata, read_map, sorted};
use super::{Arg, Value};
use crate::Error;

/// What the compiler tells about a kernel. Keys that the guide calls required are plain fields.
#[derive(Debug, Clone, PartialEq)]
pub struct Kernel {
    /// The kernel's (mangled) name.
    pub name: String,
    /// The symbol of its descriptor: `<name>.kd`.
    pub symbol: String,
    /// "HIP", "OpenCL C", …
    pub language: Option<String>,
    /// Major and minor version of the language.
    pub language_version: Option<[u32; 2]>,
    /// The arguments in order, hidden ones included.
    pub args: Vec<Arg>,
    /// The only work-group size it may be started with.
    pub reqd_workgroup_size: Option<[u32; 3]>,
    /// The work-group size it was written for.
    pub workgroup_size_hint: Option<[u32; 3]>,
    /// The vector type it was written for.
    pub vec_type_hint: Option<String>,
    /// Handle for device-side enqueue.
    pub device_enqueue_symbol: Option<String>,
    /// Bytes of kernel arguments.
    pub kernarg_segment_size: u32,
    /// Their alignment.
    pub kernarg_segment_align: u32,
    /// Bytes of LDS, dynamic LDS not counted.
    pub group_segment_fixed_size: u32,
    /// Bytes of scratch a work-item.
    pub private_segment_fixed_size: u32,
    /// Most work-items of a work-group.
    pub max_flat_workgroup_size: u32,
    /// Lanes of a wave.
    pub wavefront_size: u32,
    /// SGPRs used.
    pub sgpr_count: u32,
    /// VGPRs used, AGPRs of a unified file included.
    pub vgpr_count: u32,
    /// AGPRs used; 0 where there are none.
    pub agpr_count: u32,
    /// SGPRs stored to VGPRs or scratch.
    pub sgpr_spill_count: Option<u32>,
    /// VGPRs stored to scratch.
    pub vgpr_spill_count: Option<u32>,
    /// "normal", "init" (runs before others) or "fini".
    pub kind: Option<String>,
    /// Scratch can be more than `private_segment_fixed_size`: recursion, calls through pointers.
    pub uses_dynamic_stack: bool,
    /// `WGP_MODE` of the descriptor.
    pub workgroup_processor_mode: Option<bool>,
    /// Work-groups must all be full.
    pub uniform_work_group_size: bool,
    /// The only cluster size, in work-groups, that it may be started with.
    pub cluster_dims: Option<[u32; 3]>,
    /// Keys that are not known here, as they stand.
    pub other: Vec<(String, Value)>,
}

impl FromMetadata for Kernel {
    /// The names of the required keys alone have more.
    const LEAST_BYTES: usize = 128;

    fn read(reader: &mut Reader<'_>, path: &Path<'_>) -> Result<Kernel, Error> {
        Ok(read_map!(reader, path, Kernel {
            name: ".name" required,
            symbol: ".symbol" required,
            language: ".language" optional,
            language_version: ".language_version" optional,
            args: ".args" default,
            reqd_workgroup_size: ".reqd_workgroup_size" optional,
            workgroup_size_hint: ".workgroup_size_hint" optional,
            vec_type_hint: ".vec_type_hint" optional,
            device_enqueue_symbol: ".device_enqueue_symbol" optional,
            kernarg_segment_size: ".kernarg_segment_size" required,
            kernarg_segment_align: ".kernarg_segment_align" required,
            group_segment_fixed_size: ".group_segment_fixed_size" required,
            private_segment_fixed_size: ".private_segment_fixed_size" required,
            max_flat_workgroup_size: ".max_flat_workgroup_size" required,
            wavefront_size: ".wavefront_size" required,
            sgpr_count: ".sgpr_count" required,
            vgpr_count: ".vgpr_count" required,
            agpr_count: ".agpr_count" default,
            sgpr_spill_count: ".sgpr_spill_count" optional,
            vgpr_spill_count: ".vgpr_spill_count" optional,
            kind: ".kind" optional,
            uses_dynamic_stack: ".uses_dynamic_stack" default,
            workgroup_processor_mode: ".workgroup_processor_mode" optional,
            uniform_work_group_size: ".uniform_work_group_size" default,
            cluster_dims: ".cluster_dims" optional,
        }))
    }
}

impl Kernel {
    /// The arguments that the program passes, in order.
    pub fn explicit_args(&self) -> impl Iterator<Item = &Arg> {
        self.args.iter().filter(|arg| !arg.value_kind.is_hidden())
    }

    /// The hidden argument of this kind.
    pub fn hidden_arg(&self, kind: &super::ValueKind) -> Option<&Arg> {
        self.args.iter().find(|arg| arg.value_kind == *kind)
    }
}
