//! MACH values and target features against `llvm-mc-19`: an empty object for every processor that it knows.

mod common;

use std::collections::BTreeMap;

use amd_codeobj::{CodeObject, Feature, Isa, Mach, ObjectKind, TargetId};
use common::{Built, compile, object, run, temporary};

/// Processors that LLVM 19 does not know yet.
const NEWER_THAN_LLVM_19: [&str; 13] = [
    "gfx950",
    "gfx1153",
    "gfx1154",
    "gfx1170",
    "gfx1171",
    "gfx1172",
    "gfx1250",
    "gfx1251",
    "gfx1310",
    "gfx9-4-generic",
    "gfx11-7-generic",
    "gfx12-5-generic",
    "gfx13-generic",
];

fn assemble(processor: &str, version: u8, features: &str) -> Built {
    let built = Built(temporary("empty.o"));
    run(
        "llvm-mc-19",
        &[
            "-triple=amdgcn-amd-amdhsa",
            &format!("-mcpu={processor}"),
            &format!("-mattr={features}"),
            &format!("--amdhsa-code-object-version={version}"),
            "-filetype=obj",
            "/dev/null",
            "-o",
            built.path(),
        ],
    );
    built
}

#[test]
fn every_processor_of_llvm_19_has_its_row() {
    let mut checked = 0;
    for isa in Isa::all().iter().filter(|isa| !NEWER_THAN_LLVM_19.contains(&isa.name)) {
        let built = assemble(isa.name, 6, "");
        let bytes = built.bytes();
        let object = CodeObject::parse(&bytes).unwrap();
        assert_eq!(object.isa().unwrap(), isa);
        assert_eq!(object.kind(), ObjectKind::RELOCATABLE);
        assert_eq!(object.version(), 6);
        assert_eq!(object.generic_version(), u8::from(isa.is_generic), "{}", isa.name);
        // LLVM writes "any" for a feature that the processor has, "unsupported" for one that it lacks.
        assert_eq!(object.target_id().unwrap(), TargetId::any(isa));
        checked += 1;
    }
    assert_eq!(checked, Isa::all().len() - NEWER_THAN_LLVM_19.len());
}

#[test]
fn the_wave_sizes_are_those_that_llvm_19_takes() {
    for isa in Isa::all().iter().filter(|isa| !NEWER_THAN_LLVM_19.contains(&isa.name)) {
        for (size, has) in [(32, isa.generation.wave32), (64, isa.generation.wave64)] {
            // An object file needs the wave size in its kernel descriptor only: assemble one.
            let source = temporary("kernel.s");
            let accum = if isa.generation.has_unified_vgprs() { ".amdhsa_accum_offset 4\n" } else { "" };
            let wave = if isa.generation.wave32 {
                format!(".amdhsa_wavefront_size32 {}\n", u8::from(size == 32))
            } else {
                String::new()
            };
            std::fs::write(
                &source,
                format!(".text\nk:\ns_endpgm\n.rodata\n.amdhsa_kernel k\n.amdhsa_next_free_vgpr 1\n.amdhsa_next_free_sgpr 1\n{accum}{wave}.end_amdhsa_kernel\n"),
            )
            .unwrap();
            let source = Built(source);
            let built = Built(temporary("kernel.o"));
            let feature = if isa.generation.wave32 {
                format!("-mattr=+wavefrontsize{size}")
            } else {
                "-mattr=".to_owned()
            };
            if !has {
                continue;
            }
            run(
                "llvm-mc-19",
                &[
                    "-triple=amdgcn-amd-amdhsa",
                    &format!("-mcpu={}", isa.name),
                    &feature,
                    "--amdhsa-code-object-version=6",
                    "-filetype=obj",
                    source.path(),
                    "-o",
                    built.path(),
                ],
            );
            let bytes = built.bytes();
            let object = CodeObject::parse(&bytes).unwrap();
            let symbol = object.symbol("k.kd").unwrap();
            // A relocatable object has no addresses: the descriptor is the section's first 64 bytes.
            let rodata = find_descriptor(&bytes);
            let descriptor = amd_codeobj::KernelDescriptor::parse(rodata).unwrap();
            assert_eq!(descriptor.wave_size(isa.generation), size, "{}", isa.name);
            assert_eq!(symbol.size, 64);
        }
    }
}

/// The bytes of `.rodata`, found through the section headers.
fn find_descriptor(data: &[u8]) -> &[u8] {
    let u64_at = |at: usize| u64::from_le_bytes(data[at..at + 8].try_into().unwrap()) as usize;
    let u16_at = |at: usize| u16::from_le_bytes(data[at..at + 2].try_into().unwrap()) as usize;
    let (table, count) = (u64_at(0x28), u16_at(0x3c));
    let sections = (0..count).map(|index| table + index * 64);
    let found = sections.map(|at| (u64_at(at + 8), u64_at(at + 24), u64_at(at + 32)));
    // SHF_ALLOC only, 64 bytes.
    let (_, offset, size) = found.into_iter().find(|&(flags, _, size)| flags == 2 && size == 64).unwrap();
    &data[offset..offset + size]
}

#[test]
fn features_are_read_from_the_flags_of_every_version() {
    for version in [4, 5, 6] {
        for text in [
            "gfx90a",
            "gfx90a:xnack+",
            "gfx90a:sramecc-",
            "gfx90a:sramecc+:xnack-",
            "gfx942:sramecc-:xnack+",
            "gfx1030",
            "gfx1010:xnack-",
        ] {
            let target: TargetId = text.parse().unwrap();
            let built = object(text, version);
            let bytes = built.bytes();
            let object = CodeObject::parse(&bytes).unwrap();
            assert_eq!(object.version(), version);
            assert_eq!(object.target_id().unwrap(), target);
            let written = object.metadata().unwrap().target.unwrap();
            assert_eq!(written, format!("amdgcn-amd-amdhsa--{text}"));
        }
    }
}

#[test]
fn older_versions_are_recognised() {
    for version in [2, 3] {
        let built = compile(
            "clang-15",
            "gfx906",
            &["-O2", "-Wno-deprecated", &format!("-mcode-object-version={version}")],
        );
        let bytes = built.bytes();
        let object = CodeObject::parse(&bytes).unwrap();
        assert_eq!(object.version(), version);
        let target = object.target_id().unwrap();
        assert_eq!(
            (target.processor.as_str(), target.sramecc, target.xnack),
            ("gfx906", Feature::On, Feature::On)
        );
        match version {
            2 => assert!(object.metadata().unwrap_err().to_string().contains("YAML")),
            _ => {
                let metadata = object.metadata().unwrap();
                assert_eq!((metadata.version, &metadata.target), ((1, 0), &None));
                assert!(metadata.kernel("saxpy").is_some());
            }
        }
    }
}

/// The settings of `.amd_kernel_code_t` that clang-15 prints for each kernel.
fn kernel_codes(assembly: &str) -> BTreeMap<String, BTreeMap<String, u64>> {
    let mut kernels = BTreeMap::new();
    let mut name = "";
    for line in assembly.lines() {
        if let Some((key, value)) = line.trim().split_once(" = ") {
            let of = kernels.entry(name.to_owned()).or_insert_with(BTreeMap::new);
            if let Ok(value) = value.parse() {
                of.insert(key.to_owned(), value);
            }
        } else if let Some(label) =
            line.strip_suffix(':').or_else(|| line.split_once(": ").map(|(label, _)| label))
            && !label.starts_with(['.', '\t', ';'])
        {
            name = label;
        }
    }
    kernels
}

#[test]
fn kernels_of_version_2_are_what_the_compiler_meant() {
    for target in ["gfx803", "gfx906"] {
        let flags = ["-O2", "-Wno-deprecated", "-mcode-object-version=2"];
        let assembly = compile("clang-15", target, &[&flags[..], &["-S"]].concat());
        let expected = kernel_codes(&String::from_utf8(assembly.bytes()).unwrap());
        let built = compile("clang-15", target, &flags);
        let bytes = built.bytes();
        let object = CodeObject::parse(&bytes).unwrap();
        let mut compared = 0;
        for symbol in object.symbols().unwrap().map(Result::unwrap) {
            let Some(code) = object.kernel_code(&symbol).unwrap() else { continue };
            let theirs = &expected[symbol.name];
            for (key, ours) in [
                ("amd_code_version_major", u64::from(code.version.0)),
                ("amd_code_version_minor", u64::from(code.version.1)),
                ("amd_machine_version_major", u64::from(code.machine_version.0)),
                ("kernel_code_entry_byte_offset", code.entry_offset as u64),
                ("granulated_workitem_vgpr_count", u64::from(code.rsrc1.0 & 0x3f)),
                ("granulated_wavefront_sgpr_count", u64::from(code.rsrc1.0 >> 6 & 0xf)),
                ("float_mode", u64::from(code.rsrc1.float_mode())),
                ("enable_sgpr_workgroup_id_y", u64::from(code.rsrc2.enable_work_group_id_y())),
                ("enable_sgpr_kernarg_segment_ptr", u64::from(code.code_properties >> 3 & 1)),
                ("workitem_private_segment_byte_size", u64::from(code.workitem_private_segment_byte_size)),
                ("workgroup_group_segment_byte_size", u64::from(code.workgroup_group_segment_byte_size)),
                ("kernarg_segment_byte_size", code.kernarg_segment_byte_size),
                ("wavefront_sgpr_count", u64::from(code.wavefront_sgpr_count)),
                ("workitem_vgpr_count", u64::from(code.workitem_vgpr_count)),
                ("kernarg_segment_alignment", u64::from(code.kernarg_segment_alignment.trailing_zeros())),
                ("wavefront_size", u64::from(code.wavefront_size.trailing_zeros())),
            ] {
                assert_eq!(ours, theirs[key], "{key} of {} on {target}", symbol.name);
            }
            let entry = symbol.value.wrapping_add_signed(code.entry_offset);
            assert_eq!(object.kernel_at(entry).unwrap().unwrap().name, symbol.name);
            compared += 1;
        }
        assert_eq!(compared, 5);
        let text = object.metadata_text().unwrap().unwrap();
        assert!(text.starts_with("---\nVersion:") && text.trim_end().ends_with("..."), "{text}");
        // As compilers from before the MACH field left it: the note names the processor.
        let mut old = bytes.clone();
        old[0x30..0x34].copy_from_slice(&1u32.to_le_bytes());
        let old = CodeObject::parse(&old).unwrap();
        assert_eq!(old.target_id().unwrap().processor, target);
        assert_eq!(old.mach(), Mach(1));
    }
}
