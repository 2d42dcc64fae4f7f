//! What `inspect` and `kernels` tell about a code object, as it is printed in JSON. Keys of kernels and arguments are those
//! of LLVM's metadata, without the dot.

use amd_codeobj::{Arg, Kernel, KernelDescriptor, ObjectKind, Segment};
use serde::Serialize;

use super::names::Names;
use super::objects::Object;

/// A code object.
#[derive(Serialize)]
pub(super) struct CodeObjectReport<'a> {
    pub file: String,
    pub member: Option<&'a str>,
    pub section: Option<&'a str>,
    pub bundle: usize,
    pub kind: String,
    pub id: &'a str,
    pub size: usize,
    pub version: u8,
    pub target: Option<String>,
    pub r#type: &'static str,
    pub generic_version: u8,
    pub flags: u32,
    pub load_base: u64,
    pub load_size: u64,
    pub segments: Vec<SegmentReport>,
    pub kernels: Vec<KernelReport>,
    /// Why there are no kernels.
    pub error: Option<String>,
}

/// A loadable segment.
#[derive(Serialize)]
pub(super) struct SegmentReport {
    pub vaddr: u64,
    pub memory_size: u64,
    pub file_offset: u64,
    pub file_size: usize,
    pub align: u64,
    pub flags: String,
}

/// A kernel: what the compiler tells, and what its descriptor sets aside.
#[derive(Serialize)]
pub(super) struct KernelReport {
    #[serde(flatten)]
    pub resources: Resources,
    pub symbol: String,
    pub language: Option<String>,
    pub kernarg_segment_align: u32,
    pub reqd_workgroup_size: Option<[u32; 3]>,
    pub uses_dynamic_stack: bool,
    pub workgroup_processor_mode: Option<bool>,
    pub allocated_vgprs: Option<u32>,
    pub allocated_agprs: Option<u32>,
    pub allocated_sgprs: Option<u32>,
    pub args: Vec<ArgReport>,
}

/// What a kernel uses.
#[derive(Serialize)]
pub(super) struct Resources {
    pub name: String,
    pub demangled: String,
    pub vgpr_count: u32,
    pub agpr_count: u32,
    pub sgpr_count: u32,
    pub vgpr_spill_count: Option<u32>,
    pub sgpr_spill_count: Option<u32>,
    pub group_segment_fixed_size: u32,
    pub private_segment_fixed_size: u32,
    pub kernarg_segment_size: u32,
    pub wavefront_size: u32,
    pub max_flat_workgroup_size: u32,
    /// Waves on a SIMD: how many fit, how many there can be, what keeps more away.
    pub occupancy: Option<u32>,
    pub max_occupancy: Option<u32>,
    pub occupancy_limit: Option<&'static str>,
}

/// A kernel argument.
#[derive(Serialize)]
pub(super) struct ArgReport {
    pub name: Option<String>,
    pub type_name: Option<String>,
    pub offset: u32,
    pub size: u32,
    pub value_kind: String,
    pub hidden: bool,
    pub address_space: Option<String>,
    pub access: Option<String>,
}

impl Resources {
    pub fn new(object: &Object<'_>, kernel: &Kernel, names: &mut Names) -> Resources {
        let generation = object.code.isa().ok().map(|isa| isa.generation);
        let occupancy = generation.map(|generation| generation.occupancy(&kernel.resources()));
        Resources {
            demangled: names.demangle(&kernel.name).to_owned(),
            name: kernel.name.clone(),
            vgpr_count: kernel.vgpr_count,
            agpr_count: kernel.agpr_count,
            sgpr_count: kernel.sgpr_count,
            vgpr_spill_count: kernel.vgpr_spill_count,
            sgpr_spill_count: kernel.sgpr_spill_count,
            group_segment_fixed_size: kernel.group_segment_fixed_size,
            private_segment_fixed_size: kernel.private_segment_fixed_size,
            kernarg_segment_size: kernel.kernarg_segment_size,
            wavefront_size: kernel.wavefront_size,
            max_flat_workgroup_size: kernel.max_flat_workgroup_size,
            occupancy: occupancy.map(|occupancy| occupancy.waves),
            max_occupancy: occupancy.map(|occupancy| occupancy.max_waves),
            occupancy_limit: occupancy.map(|occupancy| occupancy.limit().as_str()),
        }
    }
}

impl KernelReport {
    fn new(object: &Object<'_>, kernel: &Kernel, names: &mut Names) -> KernelReport {
        let generation = object.code.isa().ok().map(|isa| isa.generation);
        let descriptor = descriptor(object, kernel);
        let allocated = |count: fn(&KernelDescriptor, &amd_codeobj::Generation) -> u32| {
            Some(count(descriptor.as_ref()?, generation?))
        };
        KernelReport {
            resources: Resources::new(object, kernel, names),
            symbol: kernel.symbol.clone(),
            language: kernel.language.clone(),
            kernarg_segment_align: kernel.kernarg_segment_align,
            reqd_workgroup_size: kernel.reqd_workgroup_size,
            uses_dynamic_stack: kernel.uses_dynamic_stack,
            workgroup_processor_mode: kernel.workgroup_processor_mode,
            allocated_vgprs: allocated(KernelDescriptor::vgprs),
            allocated_agprs: allocated(KernelDescriptor::agprs),
            allocated_sgprs: allocated(KernelDescriptor::sgprs),
            args: kernel.args.iter().map(ArgReport::new).collect(),
        }
    }
}

/// The descriptor of a kernel; a relocatable object has none that is finished.
fn descriptor(object: &Object<'_>, kernel: &Kernel) -> Option<KernelDescriptor> {
    let symbol = object.code.symbol(&kernel.symbol).ok()?;
    object.code.kernel_descriptor(&symbol).ok()
}

impl ArgReport {
    fn new(arg: &Arg) -> ArgReport {
        ArgReport {
            name: arg.name.clone(),
            type_name: arg.type_name.clone(),
            offset: arg.offset,
            size: arg.size,
            value_kind: arg.value_kind.to_string(),
            hidden: arg.value_kind.is_hidden(),
            address_space: arg.address_space.as_ref().map(ToString::to_string),
            access: arg.access.as_ref().or(arg.actual_access.as_ref()).map(ToString::to_string),
        }
    }
}

impl SegmentReport {
    fn new(segment: &Segment<'_>) -> SegmentReport {
        SegmentReport {
            vaddr: segment.vaddr,
            memory_size: segment.memsz,
            file_offset: segment.file_offset,
            file_size: segment.data.len(),
            align: segment.align,
            flags: segment.flags.to_string(),
        }
    }
}

impl<'a> CodeObjectReport<'a> {
    /// Reads all of it; `wanted` chooses kernels.
    pub fn new(object: &'a Object<'_>, names: &mut Names, wanted: Option<&str>) -> CodeObjectReport<'a> {
        let code = &object.code;
        let (kernels, error) = match code.metadata() {
            Ok(metadata) => (metadata.kernels, None),
            Err(error) => (Vec::new(), Some(error.to_string())),
        };
        let mut is_wanted =
            |name: &str| wanted.is_none_or(|part| name.contains(part) || names.demangle(name).contains(part));
        let kernels: Vec<Kernel> = kernels.into_iter().filter(|kernel| is_wanted(&kernel.name)).collect();
        CodeObjectReport {
            file: object.path.display().to_string(),
            member: object.member,
            section: object.section,
            bundle: object.bundle,
            kind: object.kind.to_string(),
            id: object.id.text,
            size: object.data.len(),
            version: code.version(),
            target: object.target().map(|target| target.to_string()),
            r#type: match code.kind() {
                ObjectKind::RELOCATABLE => "relocatable",
                ObjectKind::EXECUTABLE => "executable",
                ObjectKind::SHARED => "shared",
                _ => "other",
            },
            generic_version: code.generic_version(),
            flags: code.flags(),
            load_base: code.load_base(),
            load_size: code.load_size(),
            segments: code.segments().iter().map(SegmentReport::new).collect(),
            kernels: kernels.iter().map(|kernel| KernelReport::new(object, kernel, names)).collect(),
            error,
        }
    }
}
