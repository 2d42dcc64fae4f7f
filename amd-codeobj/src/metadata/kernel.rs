//! Metadata of one kernel: "AMDHSA Code Object Kernel Metadata Map" of LLVM's AMDGPU guide.

use rmpv::{Value, ValueRef};

use super::Arg;
use super::value::{self, Map, Path};
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
    /// Keys that are not known here, as they stand.
    pub other: Vec<(String, Value)>,
}

impl Kernel {
    pub(super) fn parse(value: ValueRef<'_>, path: &Path<'_>) -> Result<Kernel, Error> {
        let mut map = Map::new(value, path)?;
        let args_path = path.key(".args");
        Ok(Kernel {
            name: map.required(".name", path)?,
            symbol: map.required(".symbol", path)?,
            language: map.optional(".language", path)?,
            language_version: map.optional(".language_version", path)?,
            args: value::list(map.take(".args"), &args_path, Arg::parse)?.unwrap_or_default(),
            reqd_workgroup_size: map.optional(".reqd_workgroup_size", path)?,
            workgroup_size_hint: map.optional(".workgroup_size_hint", path)?,
            vec_type_hint: map.optional(".vec_type_hint", path)?,
            device_enqueue_symbol: map.optional(".device_enqueue_symbol", path)?,
            kernarg_segment_size: map.required(".kernarg_segment_size", path)?,
            kernarg_segment_align: map.required(".kernarg_segment_align", path)?,
            group_segment_fixed_size: map.required(".group_segment_fixed_size", path)?,
            private_segment_fixed_size: map.required(".private_segment_fixed_size", path)?,
            max_flat_workgroup_size: map.required(".max_flat_workgroup_size", path)?,
            wavefront_size: map.required(".wavefront_size", path)?,
            sgpr_count: map.required(".sgpr_count", path)?,
            vgpr_count: map.required(".vgpr_count", path)?,
            agpr_count: map.optional(".agpr_count", path)?.unwrap_or(0),
            sgpr_spill_count: map.optional(".sgpr_spill_count", path)?,
            vgpr_spill_count: map.optional(".vgpr_spill_count", path)?,
            kind: map.optional(".kind", path)?,
            uses_dynamic_stack: map.optional(".uses_dynamic_stack", path)?.unwrap_or(false),
            workgroup_processor_mode: map.optional(".workgroup_processor_mode", path)?,
            uniform_work_group_size: map.optional(".uniform_work_group_size", path)?.unwrap_or(false),
            other: map.into_other(path)?,
        })
    }

    /// The arguments that the program passes, in order.
    pub fn explicit_args(&self) -> impl Iterator<Item = &Arg> {
        self.args.iter().filter(|arg| !arg.value_kind.is_hidden())
    }

    /// The hidden argument of this kind.
    pub fn hidden_arg(&self, kind: &super::ValueKind) -> Option<&Arg> {
        self.args.iter().find(|arg| arg.value_kind == *kind)
    }
}
