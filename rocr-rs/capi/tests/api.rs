//! Each exported function is called by a program of this folder, on the vendor's library and on ours, or stands in a list
//! with the reason why it does nothing. `api.c` calls what no other program does.

mod common;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{Library, build, command, dist, lines};
use hsa_runtime64::exports::{TABLE_ONLY, implemented, not_implemented};

/// Why functions do nothing, by how their names begin.
const STUBS: &[(&str, &str)] = &[
    (
        "hsa_ext_program_",
        "a finalizer compiles HSAIL, which no compiler makes any more; the vendor ships none",
    ),
    (
        "hsa_amd_image_create",
        "images of graphics drivers are tiled, as metadata of the driver says; all images here are linear",
    ),
    ("hsa_amd_spm_", "counters of the hardware that only AMD's own kernel driver has"),
    ("hsa_ven_amd_pcs_", "samples of program counters, which only AMD's own kernel driver takes"),
    ("hsa_amd_enable_logging", "the library has `tracing` events"),
];

/// Lines on which the two may differ, by how they begin, and why.
#[rustfmt::skip]
const MAY_DIFFER: &[(&str, &str)] = &[
    ("hsa_code_object_reader_create_from_file(-1,", "the manual: INVALID_FILE"),
    ("hsa_code_object_get_info(code, HSA_CODE_OBJECT_INFO_", "5.2.3 knows this of code objects before version 3 only"),
];

const KERNELS: &str = r#"
#define G __attribute__((address_space(1)))
__attribute__((amdgpu_kernel)) void scale(G float *p, float k) {
  unsigned i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  p[i] = p[i] * k;
}
G int counter = 41;
G int zeroes[1000];
"#;

/// A code object of the version that 5.2.3 knows.
fn code_object(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, object) = (folder.join(format!("{name}.c")), folder.join(format!("{name}.co")));
    std::fs::write(&source, KERNELS).unwrap();
    let found = ["clang-19", "clang"].into_iter().find(|clang| {
        Command::new(clang).arg("--version").output().is_ok_and(|output| output.status.success())
    });
    let clang = found.expect("this test compiles a kernel: apt-get install -y clang-19 lld-19");
    let compiled = Command::new(clang)
        .args(["-x", "c", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx90a", "-nogpulib", "-ffreestanding"])
        .args(["-O2", "-fvisibility=default", "-mcode-object-version=4"])
        .arg(&source)
        .arg("-o")
        .arg(&object)
        .status();
    assert!(compiled.unwrap().success());
    object
}

#[test]
fn both_libraries_answer_the_same() {
    let Some(dist) = dist() else { return };
    let Some(program) = build("api.c", "hsa-api", &["-ldl"]) else { return };
    let object = code_object("hsa-api-kernels");
    let [vendors, mut ours] = [Library::Vendors, Library::Ours]
        .map(|library| lines(command(&program, &dist, "gfx90a", library).arg(&object)));
    ours.retain(|line| !line.starts_with("newer "));
    assert!(vendors.len() > 380, "{} lines", vendors.len());
    let differing: Vec<String> = vendors
        .iter()
        .zip(&ours)
        .filter(|(theirs, ours)| theirs != ours)
        .filter(|(theirs, _)| !MAY_DIFFER.iter().any(|(start, _)| theirs.starts_with(start)))
        .map(|(theirs, ours)| format!("vendor: {theirs}\nours:   {ours}\n"))
        .collect();
    assert!(differing.is_empty(), "{}", differing.concat());
    assert_eq!(ours.len(), vendors.len());
}

/// What 5.2.3 does not have, as `hsa_ext_amd.h` of newer releases says.
#[test]
fn newer_functions_check_their_arguments() {
    let Some(dist) = dist() else { return };
    let Some(program) = build("api.c", "hsa-api-newer", &["-ldl"]) else { return };
    let object = code_object("hsa-api-newer-kernels");
    let said = lines(command(&program, &dist, "gfx90a", Library::Ours).arg(&object));
    let newer: Vec<&str> = said.iter().filter_map(|line| line.strip_prefix("newer ")).collect();
    let wanted = [
        "hsa_amd_queue_get_info: 0",
        "hsa_amd_queue_get_info: 0",
        "hsa_amd_queue_get_info: 0x1001",
        "hsa_amd_queue_get_info: 0x1001",
        "hsa_amd_queue_get_info: 0x1007",
        // No agent reclaims scratch memory.
        "hsa_amd_agent_set_async_scratch_limit: 0x1001",
        "hsa_amd_agent_set_async_scratch_limit: 0x1004",
        "hsa_amd_memory_copy_engine_status: 0x1004",
        "hsa_amd_memory_copy_engine_status: 0x1001",
        "hsa_amd_memory_get_preferred_copy_engine: 0x1004",
        "hsa_amd_memory_get_preferred_copy_engine: 0x1001",
        "hsa_amd_memory_async_copy_on_engine: 0x1001",
        "hsa_amd_signal_wait_all: 0",
        "hsa_ext_sampler_create_v2: 0x1004",
        "hsa_ext_sampler_create_v2: 0x1001",
    ];
    assert_eq!(newer, wanted);
}

/// The names of the library's functions that the programs of this folder refer to once they are compiled, or look up.
fn called() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut names = BTreeSet::new();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let source = path.file_name().unwrap().to_string_lossy().into_owned();
        if !source.ends_with(".c") && !source.ends_with(".cpp") {
            continue;
        }
        let object = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("hsa-calls-{source}.o"));
        let built = Command::new(common::compiler(&source))
            .args(["-c", "-w", "-O1", "-fPIC", "-DAMD_INTERNAL_BUILD", "-I/usr/include/hsa", "-o"])
            .arg(&object)
            .arg(&path)
            .status();
        assert!(built.expect("a C compiler").success(), "{source}");
        let output = Command::new("nm").arg("-u").arg(&object).output().expect("nm, of binutils");
        let text = String::from_utf8(output.stdout).unwrap();
        names.extend(text.split_whitespace().filter(|name| name.starts_with("hsa_")).map(str::to_owned));
        // Newer functions are looked up by name, and those of tools through a table.
        let text = std::fs::read_to_string(&path).unwrap();
        let looked_up = text.split('"').filter(|word| word.starts_with("hsa_") && !word.contains(' '));
        names.extend(looked_up.map(str::to_owned));
        let slots = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        let slots =
            slots.filter_map(|word| word.strip_suffix("_fn")).filter(|name| TABLE_ONLY.contains(name));
        names.extend(slots.map(str::to_owned));
    }
    names
}

#[test]
fn each_function_is_called_or_has_a_reason() {
    if !Path::new("/usr/include/hsa/hsa.h").exists() {
        eprintln!("SKIPPED: no hsa/hsa.h: apt-get install libhsa-runtime-dev");
        return;
    }
    let called = called();
    let missing: Vec<_> = implemented().into_iter().filter(|name| !called.contains(*name)).collect();
    assert!(missing.is_empty(), "no program of this folder calls {missing:#?}");
    let reason = |name: &str| STUBS.iter().find(|(start, _)| name.starts_with(start)).map(|(_, why)| *why);
    for name in not_implemented() {
        assert!(reason(name).is_some(), "{name} does nothing, and nothing here says why");
    }
    for (start, _) in STUBS {
        assert!(not_implemented().iter().any(|name| name.starts_with(start)), "{start} does what it says");
    }
}
