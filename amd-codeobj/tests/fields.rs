//! The table of descriptor fields against `llvm-objdump-19`, which prints the `.amdhsa_` directives that give the same 64
//! bytes: as the compiler makes descriptors, and with each field in turn at another value.

mod common;

use std::collections::{BTreeMap, BTreeSet};

use amd_codeobj::{CodeObject, Field, Generation, KernelDescriptor, SgprAllocation, TargetId, Word};
use common::{Built, object, run, temporary};

/// Fields that objdump refuses to print unless they are zero, or that no directive sets.
const NOT_PRINTED: [&str; 13] = [
    "PRIORITY",
    "PRIV",
    "DEBUG_MODE",
    "BULKY",
    "CDBG_USER",
    "DISABLE_PERF",
    "USER_SGPR_COUNT",
    "ENABLE_TRAP_HANDLER",
    "ENABLE_DYNAMIC_VGPR",
    "ENABLE_EXCEPTION_ADDRESS_WATCH",
    "ENABLE_EXCEPTION_MEMORY",
    "GRANULATED_LDS_SIZE",
    "WGP_TAKEOVER",
];

/// The directives of each kernel, without `.amdhsa_`; fields without one stand in comments under their names.
fn directives(built: &Built, mcpu: &str) -> BTreeMap<String, BTreeMap<String, u32>> {
    let text = run("llvm-objdump-19", &["-D", "-j", ".rodata", mcpu, built.path()]);
    let mut kernels = BTreeMap::new();
    let mut current = String::new();
    for line in text.lines().map(str::trim) {
        let directive = line.strip_prefix(".amdhsa_").or_else(|| line.strip_prefix("; "));
        let Some((key, value)) = directive.and_then(|directive| directive.split_once(' ')) else { continue };
        if key == "kernel" {
            current = value.to_owned();
        } else if let Ok(value) = value.parse() {
            kernels.entry(current.clone()).or_insert_with(BTreeMap::new).insert(key.to_owned(), value);
        }
    }
    kernels
}

/// The directive of a field.
fn directive(field: &Field) -> String {
    let name = field.name.to_lowercase();
    let renamed = match field.name {
        "ENABLE_DX10_CLAMP" => "dx10_clamp",
        "ENABLE_IEEE_MODE" => "ieee_mode",
        "ENABLE_WG_RR_EN" => "round_robin_scheduling",
        "FP16_OVFL" => "fp16_overflow",
        "WGP_MODE" => "workgroup_processor_mode",
        "MEM_ORDERED" => "memory_ordered",
        "FWD_PROGRESS" => "forward_progress",
        "ENABLE_VGPR_WORKITEM_ID" => "system_vgpr_workitem_id",
        "ENABLE_EXCEPTION_IEEE_754_FP_INVALID_OPERATION" => "exception_fp_ieee_invalid_op",
        "ENABLE_EXCEPTION_FP_DENORMAL_SOURCE" => "exception_fp_denorm_src",
        "ENABLE_EXCEPTION_IEEE_754_FP_DIVISION_BY_ZERO" => "exception_fp_ieee_div_zero",
        "ENABLE_EXCEPTION_IEEE_754_FP_OVERFLOW" => "exception_fp_ieee_overflow",
        "ENABLE_EXCEPTION_IEEE_754_FP_UNDERFLOW" => "exception_fp_ieee_underflow",
        "ENABLE_EXCEPTION_IEEE_754_FP_INEXACT" => "exception_fp_ieee_inexact",
        "ENABLE_EXCEPTION_INT_DIVIDE_BY_ZERO" => "exception_int_div_zero",
        "ENABLE_WAVEFRONT_SIZE32" => "wavefront_size32",
        "INST_PREF_SIZE" | "TRAP_ON_START" | "TRAP_ON_END" | "IMAGE_OP" | "GLG_EN" => field.name,
        "LENGTH" | "OFFSET" => return format!("user_sgpr_kernarg_preload_{name}"),
        _ => match (field.word, name.strip_prefix("enable_sgpr_")) {
            (Word::Properties, Some(rest)) => return format!("user_sgpr_{rest}"),
            (_, Some(rest)) => return format!("system_sgpr_{rest}"),
            _ => &name,
        },
    };
    renamed.to_owned()
}

/// Compares one descriptor, and returns the fields that were compared.
fn compare(
    descriptor: &KernelDescriptor,
    theirs: &BTreeMap<String, u32>,
    generation: &Generation,
) -> BTreeSet<&'static str> {
    let mut compared = BTreeSet::new();
    for (field, value) in descriptor.fields(generation) {
        let (key, value) = match field.name {
            "GRANULATED_WORKITEM_VGPR_COUNT" => {
                ("next_free_vgpr".to_owned(), descriptor.allocated_vgprs(generation))
            }
            "GRANULATED_WAVEFRONT_SGPR_COUNT" => match generation.sgpr_allocation {
                // objdump has granules of eight, as the field does.
                SgprAllocation::Eights | SgprAllocation::Sixteens => {
                    ("next_free_sgpr".to_owned(), (value + 1) * 8)
                }
                SgprAllocation::Fixed(_) => continue,
            },
            "ACCUM_OFFSET" => ("accum_offset".to_owned(), (value + 1) * 4),
            "ENABLE_PRIVATE_SEGMENT" if !generation.has_architected_flat_scratch => {
                ("system_sgpr_private_segment_wavefront_offset".to_owned(), value)
            }
            _ => (directive(field), value),
        };
        if let Some(&theirs) = theirs.get(&key).or_else(|| theirs.get(field.name)) {
            assert_eq!(value, theirs, "{} is {key} on {}", field.name, generation.name);
            compared.insert(field.name);
        }
    }
    compared
}

fn descriptors(bytes: &[u8]) -> Vec<(String, u64, KernelDescriptor)> {
    let object = CodeObject::parse(bytes).unwrap();
    let segment = object.segments()[0];
    let symbols = object.symbols().unwrap().map(Result::unwrap);
    let kernels = symbols.filter(|symbol| symbol.kernel_name().is_some());
    kernels
        .map(|symbol| {
            let name = symbol.kernel_name().unwrap().to_owned();
            let offset = symbol.value - segment.vaddr + segment.file_offset;
            (name, offset, object.kernel_descriptor(&symbol).unwrap())
        })
        .collect()
}

fn compare_object(built: &Built, mcpu: &str, generation: &Generation) -> BTreeSet<&'static str> {
    let theirs = directives(built, mcpu);
    let mut compared = BTreeSet::new();
    for (name, _, descriptor) in descriptors(&built.bytes()) {
        // A descriptor that objdump refuses is printed as bytes.
        if let Some(theirs) = theirs.get(&name) {
            compared.extend(compare(&descriptor, theirs, generation));
        }
    }
    compared
}

#[test]
fn each_field_is_where_objdump_reads_it() {
    for target in ["gfx803", "gfx906", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"] {
        let isa = target.parse::<TargetId>().unwrap().isa().unwrap();
        let generation = isa.generation;
        let mcpu = format!("--mcpu={target}");
        let built = object(target, 5);
        let bytes = built.bytes();
        let mut compared = compare_object(&built, &mcpu, generation);
        let fields: Vec<&Field> = Field::all()
            .iter()
            .filter(|field| field.exists_in(generation) && !NOT_PRINTED.contains(&field.name))
            .collect();
        let kernels = descriptors(&bytes);
        // As many fields at a time as there are kernels, each with all its bits flipped.
        for some in fields.chunks(kernels.len()) {
            let mut changed = bytes.clone();
            for (field, (_, offset, _)) in some.iter().zip(&kernels) {
                let at = (offset + field.word.offset()) as usize;
                for (byte, mask) in changed[at..at + 4].iter_mut().zip(field.mask().to_le_bytes()) {
                    *byte ^= mask;
                }
            }
            let built = Built(temporary("changed.co"));
            std::fs::write(&built.0, &changed).unwrap();
            for (field, ((_, _, before), (_, _, after))) in
                some.iter().zip(kernels.iter().zip(descriptors(&changed)))
            {
                assert_eq!(field.of(before) ^ field.of(&after), field.mask() >> field.low, "{}", field.name);
            }
            compared.extend(compare_object(&built, &mcpu, generation));
        }
        let missing: Vec<_> =
            fields.iter().map(|field| field.name).filter(|name| !compared.contains(name)).collect();
        let expected: &[&str] = match generation.sgpr_allocation {
            SgprAllocation::Fixed(_) => &["GRANULATED_WAVEFRONT_SGPR_COUNT"],
            _ => &[],
        };
        assert_eq!(missing, expected, "{target}");
    }
}

#[test]
fn bits_of_no_field_are_told() {
    let mut bytes = [0; 64];
    let generation = "gfx90a".parse::<TargetId>().unwrap().isa().unwrap().generation;
    let unknown = |bytes: &[u8]| -> Vec<(Word, u32)> {
        KernelDescriptor::parse(bytes).unwrap().unknown_bits(generation).collect()
    };
    assert_eq!(unknown(&bytes), []);
    bytes[48 + 3] = 0x20 | 0x04;
    bytes[56] = 0x80 | 0x01;
    assert_eq!(unknown(&bytes), [(Word::Rsrc1, 1 << 29), (Word::Properties, 0x80)]);
}
