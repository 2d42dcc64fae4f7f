//! Kernel descriptors against the `.amdhsa_` directives of the same kernels in clang-19's assembly, which are what the
//! compiler meant; our values come from the 64 bytes that the assembler and linker made of them.

mod common;

use std::collections::BTreeMap;

use amd_codeobj::{CodeObject, Generation, Isa, KernelDescriptor, SgprAllocation, TargetId};
use common::{compile, run};

type Directives = BTreeMap<String, u32>;

/// The directives of every kernel, without `.amdhsa_`.
fn directives(assembly: &str) -> BTreeMap<String, Directives> {
    let mut kernels = BTreeMap::new();
    let mut current: Option<(String, Directives)> = None;
    for line in assembly.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix(".amdhsa_kernel ") {
            current = Some((name.to_owned(), Directives::new()));
        } else if line == ".end_amdhsa_kernel" {
            kernels.extend(current.take());
        } else if let (Some((_, found)), Some(directive)) = (&mut current, line.strip_prefix(".amdhsa_")) {
            let (key, value) = directive.split_once(' ').unwrap();
            found.insert(key.to_owned(), value.parse().unwrap());
        }
    }
    kernels
}

fn round_up(value: u32, granule: u32) -> u32 {
    value.max(1).div_ceil(granule) * granule
}

fn compare(
    name: &str,
    descriptor: &KernelDescriptor,
    directives: &Directives,
    generation: &Generation,
    sgpr_count: u32,
) {
    let (rsrc1, rsrc2, rsrc3) = (descriptor.rsrc1, descriptor.rsrc2, descriptor.rsrc3);
    let properties = descriptor.properties;
    let flag = u32::from;
    let ours = |key: &str| -> Option<u32> {
        Some(match key {
            "group_segment_fixed_size" => descriptor.group_segment_fixed_size,
            "private_segment_fixed_size" => descriptor.private_segment_fixed_size,
            "kernarg_size" => descriptor.kernarg_size,
            "user_sgpr_count" => descriptor.user_sgpr_count(generation),
            "user_sgpr_private_segment_buffer" => flag(properties.enable_private_segment_buffer()),
            "user_sgpr_dispatch_ptr" => flag(properties.enable_dispatch_ptr()),
            "user_sgpr_queue_ptr" => flag(properties.enable_queue_ptr()),
            "user_sgpr_kernarg_segment_ptr" => flag(properties.enable_kernarg_segment_ptr()),
            "user_sgpr_dispatch_id" => flag(properties.enable_dispatch_id()),
            "user_sgpr_flat_scratch_init" => flag(properties.enable_flat_scratch_init()),
            "user_sgpr_private_segment_size" => flag(properties.enable_private_segment_size()),
            "user_sgpr_kernarg_preload_length" => descriptor.kernarg_preload.length(),
            "user_sgpr_kernarg_preload_offset" => descriptor.kernarg_preload.offset(),
            "wavefront_size32" => flag(descriptor.wave_size(generation) == 32),
            "uses_dynamic_stack" => flag(properties.uses_dynamic_stack()),
            "enable_private_segment" | "system_sgpr_private_segment_wavefront_offset" => {
                flag(rsrc2.enable_private_segment())
            }
            "system_sgpr_workgroup_id_x" => flag(rsrc2.enable_work_group_id_x()),
            "system_sgpr_workgroup_id_y" => flag(rsrc2.enable_work_group_id_y()),
            "system_sgpr_workgroup_id_z" => flag(rsrc2.enable_work_group_id_z()),
            "system_sgpr_workgroup_info" => flag(rsrc2.enable_work_group_info()),
            "system_vgpr_workitem_id" => rsrc2.work_item_id(),
            "accum_offset" => rsrc3.accum_offset(generation)?,
            "float_round_mode_32" => rsrc1.round_32(),
            "float_round_mode_16_64" => rsrc1.round_16_64(),
            "float_denorm_mode_32" => rsrc1.denorm_32(),
            "float_denorm_mode_16_64" => rsrc1.denorm_16_64(),
            "dx10_clamp" => flag(rsrc1.dx10_clamp(generation)),
            "ieee_mode" => flag(rsrc1.ieee_mode(generation)),
            "fp16_overflow" => flag(rsrc1.fp16_overflow(generation)),
            "round_robin_scheduling" => flag(rsrc1.work_group_round_robin(generation)),
            "workgroup_processor_mode" => flag(rsrc1.wgp_mode(generation)),
            "memory_ordered" => flag(rsrc1.memory_ordered(generation)),
            "forward_progress" => flag(rsrc1.forward_progress(generation)),
            "shared_vgpr_count" => rsrc3.shared_vgprs(generation),
            "tg_split" => flag(rsrc3.tg_split(generation)),
            key if key.starts_with("exception_") => rsrc2.exceptions(),
            // Counts that the descriptor holds in granules, below, and requests that only add to them.
            "next_free_vgpr"
            | "next_free_sgpr"
            | "reserve_vcc"
            | "reserve_flat_scratch"
            | "reserve_xnack_mask" => directives[key],
            other => panic!("{name}: directive {other} is not compared"),
        })
    };
    for (key, &theirs) in directives {
        assert_eq!(ours(key), Some(theirs), "{name}: {key} on {}", generation.name);
    }
    let granule = generation.vgpr_granule(descriptor.wave_size(generation));
    let vgprs = descriptor.allocated_vgprs(generation);
    assert_eq!(vgprs, round_up(directives["next_free_vgpr"], granule), "{name} on {}", generation.name);
    let sgprs = match generation.sgpr_allocation {
        SgprAllocation::Eights => round_up(sgpr_count, 8),
        SgprAllocation::Sixteens => round_up(sgpr_count, 16),
        SgprAllocation::Fixed(count) => count,
    };
    assert_eq!(descriptor.sgprs(generation), sgprs, "{name} on {}", generation.name);
    let fields =
        ["float_round_mode_32", "float_round_mode_16_64", "float_denorm_mode_32", "float_denorm_mode_16_64"];
    let mode = fields.iter().rev().fold(0, |mode, field| mode << 2 | directives[*field]);
    let flag = |key: &str, bit: u32| directives.get(key).copied().unwrap_or(0) << bit;
    let mode = mode | flag("dx10_clamp", 8) | flag("ieee_mode", 9) | flag("fp16_overflow", 23);
    assert_eq!(descriptor.mode(generation), mode, "{name} on {}", generation.name);
    descriptor.check(generation).unwrap();
    let used: u32 = descriptor.user_sgprs(generation).map(|(_, _, count)| count).sum();
    assert!(used <= directives["user_sgpr_count"], "{name} on {}", generation.name);
    if generation.has_unified_vgprs() {
        assert_eq!(descriptor.vgprs(generation) + descriptor.agprs(generation), vgprs);
    }
}

fn compare_object(target: &str, flags: &[&str]) -> usize {
    let built = compile("clang-19", target, flags);
    let bytes = built.bytes();
    let object = CodeObject::parse(&bytes).unwrap();
    let isa: &Isa = target.parse::<TargetId>().unwrap().isa().unwrap();
    let assembly = compile("clang-19", target, &[flags, &["-S"]].concat());
    let expected = directives(&String::from_utf8(assembly.bytes()).unwrap());
    let metadata = object.metadata().unwrap();
    let mut compared = 0;
    for symbol in object.symbols().unwrap().map(Result::unwrap) {
        let Some(name) = symbol.kernel_name() else { continue };
        let descriptor = object.kernel_descriptor(&symbol).unwrap();
        let kernel = metadata.kernel(name).unwrap();
        compare(name, &descriptor, &expected[name], isa.generation, kernel.sgpr_count);
        assert_eq!(descriptor.wave_size(isa.generation), kernel.wavefront_size);
        assert_eq!(descriptor.entry(symbol.value).unwrap(), object.symbol(name).unwrap().value);
        compared += 1;
    }
    assert_eq!(compared, expected.len());
    compared
}

#[test]
fn descriptors_are_what_the_compiler_meant() {
    let mut compared = 0;
    for target in [
        "gfx700",
        "gfx803",
        "gfx900",
        "gfx906",
        "gfx908",
        "gfx90a",
        "gfx90a:sramecc+:xnack+",
        "gfx942",
        "gfx1010",
        "gfx1030",
        "gfx1100",
        "gfx1201",
    ] {
        for level in ["-O0", "-O2"] {
            compared += compare_object(target, &[level]);
        }
    }
    assert_eq!(compared, 12 * 2 * 5);
}

#[test]
fn options_show_in_the_descriptor() {
    let mut compared = 0;
    for target in ["gfx1030", "gfx1100", "gfx1201"] {
        compared += compare_object(target, &["-O2", "-mwavefrontsize64"]);
        compared += compare_object(target, &["-O2", "-mcumode"]);
    }
    for target in ["gfx90a", "gfx942"] {
        compared += compare_object(target, &["-O2", "-mllvm", "-amdgpu-kernarg-preload-count=8"]);
        compared += compare_object(target, &["-O2", "-mtgsplit"]);
    }
    assert_eq!(compared, 10 * 5);
}

#[test]
fn readelf_agrees_that_the_object_is_one() {
    let built = compile("clang-19", "gfx90a", &["-O2"]);
    let text = run("llvm-readelf-19", &["-h", built.path()]);
    assert!(text.contains("EM_AMDGPU"));
}
