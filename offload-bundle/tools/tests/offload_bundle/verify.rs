//! `verify`: good files are called good, and what is wrong is told with its place.

use offload_bundle::{CcobVersion, Method};

use crate::common::FILES;
use crate::tool::{Folder, GFX90A, GFX942, HOST, TOOL, ccob, concatenated, good, raw, tool};

/// Code objects as clang makes them, by the ID that they belong under.
fn code() -> Vec<(&'static str, Vec<u8>)> {
    let code = std::fs::read(&FILES.code).unwrap();
    vec![(HOST, Vec::new()), ("hipv4-amdgcn-amd-amdhsa--gfx90a", code)]
}

/// What it says of one file, which is not good.
fn findings(path: &str) -> Vec<String> {
    let ran = tool(&["verify", path]);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""), "{}", ran.stdout);
    let line = |line: &str| line.strip_prefix(&format!("{path}: ")).unwrap_or(line).to_owned();
    ran.stdout.lines().map(line).collect()
}

#[test]
fn what_the_compiler_makes_is_good() {
    for (file, bundles, entries, code_objects) in [
        (&FILES.code, "1 bundle", "1 entry", "1 code object"),
        (&FILES.object, "1 bundle", "4 entries", "3 code objects"),
        (&FILES.compressed, "1 bundle", "4 entries", "3 code objects"),
        (&FILES.archive, "2 bundles", "8 entries", "6 code objects"),
    ] {
        let file = file.to_str().unwrap();
        assert_eq!(good(&["verify", file]), format!("{file}: good: {bundles}, {entries}, {code_objects}\n"));
    }
}

#[test]
fn what_we_make_is_good() {
    let folder = Folder::new();
    let content = raw(&code());
    let v2 = ccob(CcobVersion::V2, Method::Zlib, &content);
    let v3 = ccob(CcobVersion::V3, Method::Zstd, &content);
    let file = folder.with("file", concatenated(&[&content, &v2, &v3]));
    assert_eq!(good(&["verify", &file]), format!("{file}: good: 3 bundles, 6 entries, 3 code objects\n"));
}

/// Every byte of a hash, of a table and of a code object counts; here one of each.
#[test]
fn what_is_wrong_is_told_with_its_place() {
    let folder = Folder::new();
    let content = raw(&code());

    let mut hash = ccob(CcobVersion::V3, Method::Zstd, &content);
    hash[24] ^= 1;
    let told = findings(&folder.with("hash", &hash));
    assert_eq!(told.len(), 1);
    assert!(told[0].starts_with("the compressed bundle's hash at offset 0x18 is "), "{told:?}");

    let told = findings(&folder.with("target", raw(&[(GFX942, code()[1].1.clone())])));
    assert_eq!(
        told,
        [format!(
            "bundle 0 (raw, at 0x0): error: entry 0 ({GFX942}) at offset 0x20: its ID says gfx942, but its code \
             object is for gfx90a"
        )]
    );

    let told = findings(&folder.with("noise", raw(&[(GFX90A, vec![1; 100])])));
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("at offset 0x20: it is no readable code object: not an ELF file"), "{told:?}");

    let told = findings(&folder.with("cut", &content[..content.len() - 1]));
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0].starts_with("entry 1 (hipv4-amdgcn-amd-amdhsa--gfx90a) at offset 0x53 claims bytes"),
        "{told:?}"
    );

    let twice = [code()[1].clone(), code()[1].clone()];
    let told = findings(&folder.with("twice", raw(&twice)));
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].ends_with("entry 0 has the same ID and is taken instead"), "{told:?}");

    let told = findings(&folder.with("second", concatenated(&[&content, b"noise"])));
    assert_eq!(told.len(), 1, "{told:?}");
    let start = content.len().next_multiple_of(4096);
    assert!(
        told[0].ends_with(&format!(
            "at offset {start:#x} starts no bundle, compressed bundle, ELF file or .kpack archive"
        )),
        "{told:?}"
    );

    let told = findings(TOOL);
    assert_eq!(told, ["there is no fat binary in it"]);
    let told = findings(&folder.path("missing"));
    assert_eq!(told, ["No such file or directory (os error 2)"]);
}

/// Code behind a good header is looked at too: here a kernel whose descriptor is not where the metadata says.
#[test]
fn code_objects_are_read_to_the_end() {
    let folder = Folder::new();
    let mut all = code();
    let symbol = b"_Z5saxpyfPKfPfi.kd";
    let code = &mut all[1].1;
    let at = code.windows(symbol.len()).position(|window| window == symbol).unwrap();
    code[at + 2] = b'6';
    let told = findings(&folder.with("metadata", raw(&all)));
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0].starts_with(
            "bundle 0 (raw, at 0x0): error: entry 1 (hipv4-amdgcn-amd-amdhsa--gfx90a): in its code object: "
        ),
        "{told:?}"
    );
}

/// Unusual, but fine for every reader: told, and good all the same.
#[test]
fn notes_do_not_make_a_file_bad() {
    let folder = Folder::new();
    let all = code();
    let mut builder = offload_bundle::BundleBuilder::from_entries(all.iter().map(|(id, bytes)| (*id, bytes)));
    let file = folder.with("file", builder.align(64).unwrap().to_vec().unwrap());
    let said = good(&["verify", &file]);
    let lines: Vec<_> = said.lines().collect();
    assert_eq!(lines.len(), 2, "{said}");
    assert!(
        lines[0].contains(": note: entry 1 ") && lines[0].ends_with("which is no multiple of 4096"),
        "{said}"
    );
    assert!(lines[1].ends_with(": good: 1 bundle, 2 entries, 1 code object"), "{said}");
}

/// The wrapper that a program registers must be one.
#[test]
fn wrappers_are_checked() {
    let folder = Folder::new();
    let mut object = std::fs::read(&FILES.object).unwrap();
    let at = object.windows(8).position(|window| window == b"FPIH\x01\0\0\0").unwrap();
    object[at + 4] = 9;
    let told = findings(&folder.with("object", object));
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0].starts_with(&format!(
            "wrapper 0 in .hipFatBinSegment at {at:#x}: bad fat binary wrapper: version"
        )),
        "{told:?}"
    );
}
