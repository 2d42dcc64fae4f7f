//! Metadata, symbols, relocations and segments against what `llvm-readelf-19` prints of the same files.

mod common;

use std::collections::BTreeMap;

use amd_codeobj::metadata::Value;
use amd_codeobj::{CodeObject, Metadata};
use common::{Built, hex, input, object, rows, run, temporary};

/// Every leaf of a document: path and text.
type Flat = BTreeMap<String, String>;

/// The YAML that llvm-readelf prints, as far as that goes: maps, lists and scalars by indentation.
fn flatten_yaml(text: &str) -> Flat {
    let body = text.split_once("---\n").expect("no metadata printed").1.split_once("\n...").unwrap().0;
    let mut flat = Flat::new();
    // Open containers: their indentation, their path, and for a list the number of its next element.
    let mut open: Vec<(usize, String, usize)> = vec![(0, String::new(), 0)];
    for line in body.lines() {
        let mut rest = line.trim_start();
        let mut indent = line.len() - rest.len();
        while let Some(item) = rest.strip_prefix("- ") {
            while open.last().is_some_and(|(at, ..)| *at > indent) {
                open.pop();
            }
            let (_, path, next) = open.last_mut().unwrap();
            let path = format!("{path}[{next}]");
            *next += 1;
            let trimmed = item.trim_start();
            indent += rest.len() - trimmed.len();
            open.push((indent, path, 0));
            rest = trimmed;
        }
        while open.last().is_some_and(|(at, ..)| *at > indent) {
            open.pop();
        }
        let path = open.last().unwrap().1.clone();
        match rest.split_once(':').filter(|(key, _)| !key.contains(['\'', '"'])) {
            Some((key, value)) => {
                let path = format!("{path}{}{key}", if key.starts_with('.') { "" } else { "/" });
                match value.trim() {
                    "" => open.push((indent + 1, path, 0)),
                    value => drop(flat.insert(path, scalar(value))),
                }
            }
            None => drop(flat.insert(path, scalar(rest))),
        }
    }
    flat
}

/// A scalar without its quotes; 0 and 1 stand for booleans in some keys, so booleans are made numbers.
fn scalar(text: &str) -> String {
    let text = text.strip_prefix("!str ").unwrap_or(text);
    let text = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')).unwrap_or(text);
    match text {
        "false" => "0".to_owned(),
        "true" => "1".to_owned(),
        other => other.to_owned(),
    }
}

/// The same of our typed metadata: what is at its default is left out, as it may be left out of the file.
fn flatten(metadata: &Metadata) -> Flat {
    let mut flat = Flat::new();
    let mut put = |path: String, value: Option<String>| {
        if let Some(value) = value {
            flat.insert(path, value);
        }
    };
    let flag = |value: bool| value.then(|| "1".to_owned());
    put("/amdhsa.version[0]".into(), Some(metadata.version.0.to_string()));
    put("/amdhsa.version[1]".into(), Some(metadata.version.1.to_string()));
    put("/amdhsa.target".into(), metadata.target.clone());
    for (index, text) in metadata.printf.iter().enumerate() {
        put(format!("/amdhsa.printf[{index}]"), Some(text.clone()));
    }
    for (index, kernel) in metadata.kernels.iter().enumerate() {
        let path = format!("/amdhsa.kernels[{index}]");
        let mut field = |key: &str, value: Option<String>| put(format!("{path}.{key}"), value);
        field("name", Some(kernel.name.clone()));
        field("symbol", Some(kernel.symbol.clone()));
        field("language", kernel.language.clone());
        field("vec_type_hint", kernel.vec_type_hint.clone());
        field("device_enqueue_symbol", kernel.device_enqueue_symbol.clone());
        field("kind", kernel.kind.clone());
        for (key, value) in [
            ("kernarg_segment_size", kernel.kernarg_segment_size),
            ("kernarg_segment_align", kernel.kernarg_segment_align),
            ("group_segment_fixed_size", kernel.group_segment_fixed_size),
            ("private_segment_fixed_size", kernel.private_segment_fixed_size),
            ("max_flat_workgroup_size", kernel.max_flat_workgroup_size),
            ("wavefront_size", kernel.wavefront_size),
            ("sgpr_count", kernel.sgpr_count),
            ("vgpr_count", kernel.vgpr_count),
        ] {
            field(key, Some(value.to_string()));
        }
        field(
            "agpr_count",
            Some(kernel.agpr_count).filter(|&count| count != 0).map(|count| count.to_string()),
        );
        field("sgpr_spill_count", kernel.sgpr_spill_count.map(|count| count.to_string()));
        field("vgpr_spill_count", kernel.vgpr_spill_count.map(|count| count.to_string()));
        field("uses_dynamic_stack", flag(kernel.uses_dynamic_stack));
        field("uniform_work_group_size", flag(kernel.uniform_work_group_size));
        field(
            "workgroup_processor_mode",
            kernel.workgroup_processor_mode.map(|mode| u8::from(mode).to_string()),
        );
        let lists = [
            ("language_version", kernel.language_version.map(|list| list.to_vec())),
            ("reqd_workgroup_size", kernel.reqd_workgroup_size.map(|list| list.to_vec())),
            ("workgroup_size_hint", kernel.workgroup_size_hint.map(|list| list.to_vec())),
        ];
        for (key, list) in lists {
            for (index, value) in list.into_iter().flatten().enumerate() {
                field(&format!("{key}[{index}]"), Some(value.to_string()));
            }
        }
        for (key, value) in &kernel.other {
            let text = match value {
                Value::Unsigned(number) => number.to_string(),
                Value::String(text) => scalar(text),
                other => panic!("{key}: {other:?}"),
            };
            field(&key[1..], Some(text));
        }
        for (index, arg) in kernel.args.iter().enumerate() {
            let mut field =
                |key: &str, value: Option<String>| put(format!("{path}.args[{index}].{key}"), value);
            assert!(arg.other.is_empty(), "{:?}", arg.other);
            field("name", arg.name.clone());
            field("type_name", arg.type_name.clone());
            field("offset", Some(arg.offset.to_string()));
            field("size", Some(arg.size.to_string()));
            field("value_kind", Some(arg.value_kind.to_string()));
            field("pointee_align", arg.pointee_align.map(|align| align.to_string()));
            field("address_space", arg.address_space.as_ref().map(ToString::to_string));
            field("access", arg.access.as_ref().map(ToString::to_string));
            field("actual_access", arg.actual_access.as_ref().map(ToString::to_string));
            field("is_const", flag(arg.is_const));
            field("is_restrict", flag(arg.is_restrict));
            field("is_volatile", flag(arg.is_volatile));
            field("is_pipe", flag(arg.is_pipe));
        }
    }
    flat
}

/// Keys that may be left out at their defaults.
fn is_default(path: &str, value: &str) -> bool {
    let key = path.rsplit('.').next().unwrap_or(path);
    let may_be_absent = ["agpr_count", "uses_dynamic_stack", "uniform_work_group_size"].contains(&key);
    value == "0" && (may_be_absent || key.starts_with("is_"))
}

fn compare_metadata(built: &Built) -> Metadata {
    let bytes = built.bytes();
    let metadata = CodeObject::parse(&bytes).unwrap().metadata().unwrap();
    let mut theirs = flatten_yaml(&run("llvm-readelf-19", &["--notes", built.path()]));
    theirs.retain(|path, value| !is_default(path, value));
    let ours = flatten(&metadata);
    assert!(theirs.len() > 20, "the YAML reader of this test found {theirs:?}");
    assert_eq!(ours, theirs);
    assert!(metadata.other.is_empty());
    metadata
}

const TARGETS: [&str; 9] =
    ["gfx803", "gfx900", "gfx906", "gfx908", "gfx90a:xnack-", "gfx942", "gfx1030", "gfx1100", "gfx1201"];

#[test]
fn metadata_is_what_readelf_prints() {
    for target in TARGETS {
        for version in [4, 5, 6] {
            let metadata = compare_metadata(&object(target, version));
            assert_eq!(metadata.kernels.len(), 5);
            let minor = if version == 4 { 1 } else { 2 };
            assert_eq!(metadata.version, (1, minor));
        }
    }
}

#[test]
fn metadata_of_opencl_arguments_is_what_readelf_prints() {
    for target in ["gfx90a", "gfx1100"] {
        for version in ["4", "5"] {
            let built = Built(temporary("arguments.co"));
            let (cpu, version) = (format!("-mcpu={target}"), format!("-mcode-object-version={version}"));
            let source = input("arguments.cl");
            run(
                "clang-19",
                &[
                    "-target",
                    "amdgcn-amd-amdhsa",
                    &cpu,
                    &version,
                    "-nogpulib",
                    "-cl-std=CL2.0",
                    "-O2",
                    "-cl-kernel-arg-info",
                    "-Xclang",
                    "-finclude-default-header",
                    &source,
                    "-o",
                    built.path(),
                ],
            );
            let metadata = compare_metadata(&built);
            let kernel = &metadata.kernels[0];
            assert_eq!(kernel.reqd_workgroup_size, Some([64, 2, 1]));
            assert_eq!(kernel.args[0].name.as_deref(), Some("x"));
        }
    }
}

#[test]
fn symbols_are_those_that_readelf_prints() {
    for target in TARGETS {
        for version in [4, 5] {
            let built = object(target, version);
            let bytes = built.bytes();
            let object = CodeObject::parse(&bytes).unwrap();
            let text = run("llvm-readelf-19", &["--dyn-syms", "-W", built.path()]);
            let theirs: Vec<_> =
                rows(&text, |row| row.len() == 8 && row[0].ends_with(':') && row[0] != "Num:").collect();
            let ours: Vec<_> = object.symbols().unwrap().collect::<Result<_, _>>().unwrap();
            assert_eq!(ours.len(), theirs.len());
            for (ours, theirs) in ours.iter().zip(theirs) {
                assert_eq!(format!("{}:", ours.index), theirs[0]);
                assert_eq!((ours.value, ours.size), (hex(theirs[1]), theirs[2].parse().unwrap()));
                assert_eq!(
                    [ours.kind.to_string(), ours.binding.to_string(), ours.visibility.to_string()],
                    theirs[3..6]
                );
                let section = if ours.is_defined() { ours.section.to_string() } else { "UND".to_owned() };
                assert_eq!((section.as_str(), ours.name), (theirs[6], theirs[7]));
            }
        }
    }
}

#[test]
fn segments_and_relocations_are_those_that_readelf_prints() {
    for target in TARGETS {
        let built = object(target, 5);
        let bytes = built.bytes();
        let object = CodeObject::parse(&bytes).unwrap();
        let text = run("llvm-readelf-19", &["-l", "-r", "-W", built.path()]);
        let theirs: Vec<_> = rows(&text, |row| row.first() == Some(&"LOAD")).collect();
        assert_eq!(object.segments().len(), theirs.len());
        for (ours, theirs) in object.segments().iter().zip(theirs) {
            assert_eq!(
                [ours.file_offset, ours.vaddr, ours.data.len() as u64, ours.memsz],
                [hex(theirs[1]), hex(theirs[2]), hex(theirs[4]), hex(theirs[5])]
            );
            let flags = theirs[6..theirs.len() - 1].concat();
            assert_eq!(ours.flags.is_executable(), flags.contains('E'));
            assert_eq!(ours.flags.is_writable(), flags.contains('W'));
            assert_eq!(ours.align, hex(theirs[theirs.len() - 1]));
        }
        let last = object.segments().last().unwrap();
        assert_eq!(object.load_size(), last.end() - object.load_base());
        let theirs: Vec<_> =
            rows(&text, |row| row.get(2).is_some_and(|kind| kind.starts_with("R_AMDGPU"))).collect();
        let ours: Vec<_> = object.relocations().unwrap().collect::<Result<_, _>>().unwrap();
        assert!(!ours.is_empty());
        assert_eq!(ours.len(), theirs.len());
        for (ours, theirs) in ours.iter().zip(theirs) {
            assert_eq!((ours.offset, ours.kind.to_string().as_str()), (hex(theirs[0]), theirs[2]));
            match ours.symbol {
                0 => assert_eq!(ours.addend as u64, hex(theirs[3])),
                symbol => assert_eq!(object.symbol_by_index(symbol).unwrap().name, theirs[4]),
            }
        }
        assert_eq!(object.file_size(), bytes.len() as u64);
    }
}
