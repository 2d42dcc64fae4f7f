//! `unpack`: names that are stable and safe whatever the IDs say.

use std::path::Path;

use offload_bundle::{CcobVersion, Method};

use crate::common::{FILES, compile, llvm};
use crate::tool::{Folder, GFX90A, bad, bytes, ccob, concatenated, entries, good, names, raw, tool};

#[test]
fn every_entry_gets_a_file() {
    let folder = Folder::new();
    let content = raw(&entries());
    let packed = ccob(CcobVersion::V2, Method::Zstd, &content);
    let file = folder.with("file", concatenated(&[&content, &packed]));
    let to = folder.path("made/here");
    let expected = [
        ("0-hipv4-amdgcn-amd-amdhsa--gfx90a@sramecc+@xnack-.co", 1, "600 B"),
        ("0-hipv4-amdgcn-amd-amdhsa--gfx942.co", 2, "4.9 KiB"),
        ("1-hipv4-amdgcn-amd-amdhsa--gfx90a@sramecc+@xnack-.co", 1, "600 B"),
        ("1-hipv4-amdgcn-amd-amdhsa--gfx942.co", 2, "4.9 KiB"),
    ];
    // Twice: what is there is written over.
    for _ in 0..2 {
        let printed: String =
            expected.iter().map(|(name, _, size)| format!("{to}/{name}  {size}\n")).collect();
        assert_eq!(good(&["unpack", &file, "-d", &to]), printed);
        assert_eq!(names(&to), expected.map(|(name, _, _)| name));
        for (name, entry, _) in expected {
            assert_eq!(std::fs::read(Path::new(&to).join(name)).unwrap(), entries()[entry].1);
        }
    }
    let to = folder.path("one");
    good(&["unpack", &file, "-d", &to, "--bundle", "1"]);
    assert_eq!(names(&to), expected[2..].iter().map(|(name, _, _)| *name).collect::<Vec<_>>());
}

#[test]
fn hostile_ids_stay_in_the_folder() {
    let folder = Folder::new();
    let long = "hipv4-amdgcn-amd-amdhsa--gfx90a".repeat(3000);
    let ids = [
        "../../etc/x",
        "/etc/passwd",
        "..",
        ".",
        "a/../../../x",
        "a\\..\\b",
        "nul\0byte",
        "line\nbreak",
        "\u{202e}gpj",
        "",
        "",
        GFX90A,
        GFX90A,
        "-rf",
        "~root",
        "$(reboot)",
        &long,
        &long,
    ];
    let hostile: Vec<_> = ids.iter().enumerate().map(|(n, id)| (*id, vec![n as u8; n + 1])).collect();
    let file = folder.with("file", raw(&hostile));
    let to = folder.path("to");
    good(&["unpack", &file, "-d", &to]);
    assert_eq!(folder.names(), ["file", "to"]);
    let cut = &long[..160];
    let expected = [
        "0-.._.._etc_x.bin".to_owned(),
        "0-_etc_passwd.bin".to_owned(),
        "0-...bin".to_owned(),
        "0-..bin".to_owned(),
        "0-a_.._.._.._x.bin".to_owned(),
        "0-a_.._b.bin".to_owned(),
        "0-nul_byte.bin".to_owned(),
        "0-line_break.bin".to_owned(),
        "0-_gpj.bin".to_owned(),
        "0-no-id.bin".to_owned(),
        "0-no-id~2.bin".to_owned(),
        "0-hipv4-amdgcn-amd-amdhsa--gfx90a@sramecc+@xnack-.co".to_owned(),
        "0-hipv4-amdgcn-amd-amdhsa--gfx90a@sramecc+@xnack-~2.co".to_owned(),
        "0--rf.bin".to_owned(),
        "0-_root.bin".to_owned(),
        "0-__reboot_.bin".to_owned(),
        format!("0-{cut}.co"),
        format!("0-{cut}~2.co"),
    ];
    let mut sorted = expected.clone();
    sorted.sort();
    assert_eq!(names(&to), sorted);
    for (name, (_, data)) in expected.iter().zip(&hostile) {
        assert_eq!(std::fs::read(Path::new(&to).join(name)).unwrap(), *data, "{name}");
    }
}

/// A link that waits in the folder under the name of an entry leads nobody astray.
#[test]
fn links_are_replaced_not_followed() {
    let folder = Folder::new();
    let file = folder.with("file", raw(&entries()));
    let precious = folder.with("precious", "as it was");
    let to = folder.path("to");
    std::fs::create_dir(&to).unwrap();
    let name = format!("{to}/0-hipv4-amdgcn-amd-amdhsa--gfx942.co");
    std::os::unix::fs::symlink(&precious, &name).unwrap();
    good(&["unpack", &file, "-d", &to]);
    assert_eq!(std::fs::read(&precious).unwrap(), b"as it was");
    assert!(std::fs::symlink_metadata(&name).unwrap().is_file());
}

#[test]
fn other_bundles_come_out_when_one_is_broken() {
    let folder = Folder::new();
    let content = raw(&entries());
    let mut packed = ccob(CcobVersion::V2, Method::Zstd, &content);
    // The hash: everything unpacks, but not to what was packed.
    packed[16] ^= 1;
    let file = folder.with("file", concatenated(&[&packed, &content]));
    let to = folder.path("to");
    let ran = tool(&["unpack", &file, "-d", &to]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("the compressed bundle's hash at offset 0x10 is "), "{}", ran.stderr);
    assert_eq!(ran.stdout.lines().count(), 2);
    assert!(names(&to).iter().all(|name| name.starts_with("1-")));
}

#[test]
fn host_objects_and_archives() {
    let folder = Folder::new();
    let to = folder.path("to");
    good(&["unpack", FILES.archive.to_str().unwrap(), "-d", &to]);
    let made = names(&to);
    assert_eq!(made.len(), 6);
    for target in ["gfx1100", "gfx90a@xnack+", "gfx90a@xnack-"] {
        for (bundle, file) in [&FILES.object, &FILES.compressed].into_iter().enumerate() {
            let read = std::fs::read(format!("{to}/{bundle}-hipv4-amdgcn-amd-amdhsa--{target}.co")).unwrap();
            let id = target.replace('@', ":");
            assert!(read == bytes(&["extract", file.to_str().unwrap(), "--id", &id]), "{bundle} {target}");
        }
    }
}

/// `-fgpu-rdc -c` puts each entry into a section of its own, as bitcode: together they are one bundle. LLVM's bundler
/// takes out the same.
#[test]
fn sections_with_one_entry_each() {
    let folder = Folder::new();
    let object = folder.path("rdc.o");
    let targets = ["--offload-arch=gfx90a", "--offload-arch=gfx942", "-fgpu-rdc", "-c"];
    compile(Path::new(&object), &targets);
    let listed: serde_json::Value = serde_json::from_str(&good(&["ls", "--json", &object])).unwrap();
    for row in listed.as_array().unwrap() {
        assert_eq!((&row["bundle"], &row["kind"]), (&0.into(), &"entry".into()));
        let section = format!("__CLANG_OFFLOAD_BUNDLE__{}", row["id"].as_str().unwrap());
        assert_eq!(row["section"], section);
    }
    let to = folder.path("to");
    good(&["unpack", &object, "-d", &to]);
    let made = [
        "0-hip-amdgcn-amd-amdhsa--gfx90a.bc",
        "0-hip-amdgcn-amd-amdhsa--gfx942.bc",
        "0-host-x86_64-pc-linux-gnu-.bin",
    ];
    assert_eq!(names(&to), made);
    for target in ["gfx90a", "gfx942"] {
        let (targets, input) =
            (format!("-targets=hip-amdgcn-amd-amdhsa--{target}"), format!("-input={object}"));
        let taken = folder.path("taken");
        let output = format!("-output={taken}");
        llvm("clang-offload-bundler-19", &["-unbundle", "-type=o", &targets, &input, &output]);
        let ours = std::fs::read(format!("{to}/0-hip-amdgcn-amd-amdhsa--{target}.bc")).unwrap();
        assert!(std::fs::read(taken).unwrap() == ours, "{target}");
    }
    // As a bundle it reads as before.
    let out = folder.path("out");
    good(&["repack", &object, "-o", &out]);
    assert_eq!(bytes(&["extract", &out, "--id", "gfx942"]), bytes(&["extract", &object, "--id", "gfx942"]));
}

#[test]
fn folders_that_cannot_be_made() {
    let folder = Folder::new();
    let file = folder.with("file", raw(&entries()));
    let error = bad(1, &["unpack", &file, "-d", &file]);
    assert_eq!(error, format!("offload-bundle: {file}: File exists (os error 17)\n"));
    bad(2, &["unpack", &file]);
}
