//! `ls`: the shape of its JSON, its table, and what it does with files that are wrong or hostile.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use offload_bundle::{CcobVersion, Method};
use serde_json::{Value, json};

use crate::common::FILES;
use crate::tool::{Folder, GFX90A, GFX942, HOST, TOOL, bad, ccob, concatenated, entries, good, raw, tool};

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// The text itself: names, order, and numbers as numbers.
#[test]
fn json_of_a_raw_bundle() {
    let folder = Folder::new();
    let file = folder.with("raw.hipfb", raw(&entries()[1..2]));
    assert_eq!(
        good(&["ls", "--json", &file]),
        format!(
            r#"[
  {{
    "file": "{file}",
    "member": null,
    "section": null,
    "bundle": 0,
    "kind": "raw",
    "bundle_offset": 0,
    "id": "hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-",
    "target": "gfx90a:sramecc+:xnack-",
    "offset": 4096,
    "size": 600,
    "compressed_size": null
  }}
]
"#
        )
    );
}

#[test]
fn json_of_bundles_of_every_kind() {
    let folder = Folder::new();
    let content = raw(&entries());
    let v2 = ccob(CcobVersion::V2, Method::Zlib, &content);
    let v3 = ccob(CcobVersion::V3, Method::Zstd, &content);
    let file = folder.with("all.hipfb", concatenated(&[&content, &v2, &v3]));
    let listed = parsed(&good(&["ls", "--json", &file]));
    let rows = listed.as_array().unwrap();
    assert_eq!(rows.len(), 9);
    let second = content.len().next_multiple_of(4096);
    let third = second + 4096;
    for (row, (bundle, kind, start, packed)) in rows.chunks(3).zip([
        (0, "raw", 0, Value::Null),
        (1, "ccob2", second, json!(v2.len())),
        (2, "ccob3", third, json!(v3.len())),
    ]) {
        let entry = |id: &str, target: Value, offset: u64, size: u64| {
            json!({
                "file": file, "member": null, "section": null, "bundle": bundle, "kind": kind,
                "bundle_offset": start, "id": id, "target": target, "offset": offset, "size": size,
                "compressed_size": packed,
            })
        };
        assert_eq!(row[0], entry(HOST, Value::Null, 4096, 0));
        assert_eq!(row[1], entry(GFX90A, json!("gfx90a:sramecc+:xnack-"), 4096, 600));
        assert_eq!(row[2], entry(GFX942, json!("gfx942"), 8192, 5000));
    }
}

/// Offsets of raw entries are those of the file, wherever the bundle stands in it.
#[test]
fn offsets_lead_to_the_bytes() {
    for path in [&FILES.object, &FILES.archive] {
        let file = std::fs::read(path).unwrap();
        let listed = parsed(&good(&["ls", "--json", path.to_str().unwrap()]));
        let code: Vec<_> = listed.as_array().unwrap().iter().filter(|row| row["size"] != 0).collect();
        assert!(code.len() >= 3);
        for row in code.iter().filter(|row| row["kind"] == "raw") {
            let start = row["offset"].as_u64().unwrap() as usize;
            assert_eq!(file[start..start + 4], *b"\x7fELF");
            assert_eq!(row["section"], ".hip_fatbin");
        }
    }
}

#[test]
fn members_of_an_archive_are_named() {
    let listed = parsed(&good(&["ls", "--json", FILES.archive.to_str().unwrap()]));
    let places: Vec<_> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            (row["bundle"].as_u64().unwrap(), row["member"].as_str().unwrap(), row["kind"].as_str().unwrap())
        })
        .collect();
    let expected = [[(0, "fat.o", "raw"); 4], [(1, "compressed.o", "ccob2"); 4]].concat();
    assert_eq!(places, expected);
}

/// It gets the ID that it would have in a bundle.
#[test]
fn a_code_object_without_a_bundle() {
    let file = FILES.code.to_str().unwrap();
    let size = std::fs::metadata(file).unwrap().len();
    let listed = parsed(&good(&["ls", "--json", file]));
    let expected = json!([{
        "file": file, "member": null, "section": null, "bundle": 0, "kind": "code object", "bundle_offset": 0,
        "id": "hipv4-amdgcn-amd-amdhsa--gfx90a", "target": "gfx90a", "offset": 0, "size": size,
        "compressed_size": null,
    }]);
    assert_eq!(listed, expected);
}

#[test]
fn a_table_for_people() {
    let folder = Folder::new();
    let content = raw(&entries());
    let plain = folder.with("raw", &content);
    let table = "\
bundle  kind  entry                                            offset     size
     0  raw   host-x86_64-unknown-linux--                      0x1000      0 B
     0  raw   hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-  0x1000    600 B
     0  raw   hipv4-amdgcn-amd-amdhsa--gfx942                  0x2000  4.9 KiB
";
    assert_eq!(good(&["ls", &plain]), table);
    let packed = folder.with("packed", ccob(CcobVersion::V2, Method::Zstd, &content));
    let size = std::fs::metadata(&packed).unwrap().len();
    let listed = good(&["ls", &packed]);
    assert!(listed.starts_with("bundle  kind   entry "), "{listed}");
    assert!(listed.ends_with(&format!("0x2000  4.9 KiB       {size} B\n")), "{listed}");
    // Several files: each under its name.
    let both = good(&["ls", &plain, &packed]);
    assert_eq!(both, format!("{plain}:\n{table}\n{packed}:\n{listed}"));
}

/// The sizes of compressed bundles are known without unpacking, so those behind a broken one are found.
#[test]
fn everything_readable_is_listed_before_the_error() {
    let folder = Folder::new();
    let content = raw(&entries());
    let mut broken = ccob(CcobVersion::V2, Method::Zstd, &content);
    broken[24..].fill(0xff);
    let file = folder.with("broken", concatenated(&[&content, &broken, &content]));
    for json in [false, true] {
        let words = if json { vec!["ls", "--json", &file] } else { vec!["ls", &file] };
        let ran = tool(&words);
        assert_eq!(ran.code, 1);
        let start = content.len().next_multiple_of(4096);
        let expected = format!(
            "offload-bundle: {file}: corrupt zstd data at offset {:#x}, after 0 unpacked bytes: ",
            start + 24
        );
        assert!(ran.stderr.starts_with(&expected), "{}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1);
        if json {
            let bundles: Vec<_> =
                parsed(&ran.stdout).as_array().unwrap().iter().map(|row| row["bundle"].as_u64()).collect();
            assert_eq!(bundles, [0, 0, 0, 2, 2, 2].map(Some));
        } else {
            assert_eq!(ran.stdout.lines().count(), 7);
        }
    }
    // Where something else than a bundle begins, nothing further can be found.
    let file = folder.with("noise", concatenated(&[&content, b"noise", &content]));
    let ran = tool(&["ls", &file]);
    assert_eq!((ran.code, ran.stdout.lines().count()), (1, 4));
    assert!(ran.stderr.starts_with(&format!("offload-bundle: {file}: not a fat binary: ")), "{}", ran.stderr);
}

/// A file that is wrong does not keep the others from being listed.
#[test]
fn several_files_of_which_some_are_wrong() {
    let folder = Folder::new();
    let file = folder.with("raw", raw(&entries()));
    let missing = folder.path("missing");
    let ran = tool(&["ls", "--json", &missing, &file, TOOL]);
    assert_eq!(ran.code, 1);
    assert_eq!(parsed(&ran.stdout).as_array().unwrap().len(), 3);
    assert_eq!(
        ran.stderr,
        format!(
            "offload-bundle: {missing}: No such file or directory (os error 2)\n\
             offload-bundle: {TOOL}: there is no fat binary in it\n"
        )
    );
}

#[test]
fn files_that_are_none() {
    let folder = Folder::new();
    let here = folder.path("");
    assert_eq!(bad(1, &["ls", &here]), format!("offload-bundle: {here}: is a directory\n"));
    let text = folder.with("text", "hello, world\n");
    assert_eq!(
        bad(1, &["ls", &text]),
        format!(
            "offload-bundle: {text}: not a fat binary: [68, 65, 6c, 6c, 6f, 2c, 20, 77] at offset 0x0 starts no \
             bundle, compressed bundle, ELF file or .kpack archive\n"
        )
    );
    let empty = folder.with("empty", "");
    assert_eq!(
        bad(1, &["ls", &empty]),
        format!(
            "offload-bundle: {empty}: truncated fat binary: 4 bytes at offset 0x0, but the data ends at 0x0\n"
        )
    );
    let content = raw(&entries());
    let cut = folder.with("cut", &content[..9000]);
    assert_eq!(
        bad(1, &["ls", &cut]),
        format!(
            "offload-bundle: {cut}: entry 2 ({GFX942}) at offset 0x9a claims bytes 0x2000 + 0x1388 of its bundle, but the data ends \
             at 0x2328\n"
        )
    );
}

/// A reader that has seen enough is no error.
#[test]
fn a_closed_pipe_is_fine() {
    let folder = Folder::new();
    let many: Vec<_> = (0..5000).map(|n| (format!("hipv4-amdgcn-amd-amdhsa--gfx{n}"), vec![1])).collect();
    let file = folder.with("many", raw(&many));
    for words in [vec!["ls", &file], vec!["ls", "--json", &file], vec!["why", "--agent", "gfx90a", &file]] {
        let mut child =
            Command::new(TOOL).args(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(!line.is_empty());
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        assert_eq!((child.wait().unwrap().code(), stderr.as_str()), (Some(0), ""), "{words:?}");
    }
}

/// IDs may be anything. JSON has them as they are; a terminal is not sent control characters.
#[test]
fn hostile_ids() {
    let folder = Folder::new();
    let id = "hip\u{1b}[2J\n\0-x";
    let file = folder.with("hostile", raw(&[(id, vec![1])]));
    assert_eq!(parsed(&good(&["ls", "--json", &file]))[0]["id"], id);
    let table = good(&["ls", &file]);
    assert!(table.contains("hip\\u{1b}[2J\\n\\0-x"), "{table}");
    assert_eq!(table.lines().count(), 2);
}

#[test]
fn wrong_usage() {
    for words in [vec![], vec!["ls"], vec!["list", "x"], vec!["ls", "--yaml", "x"]] {
        let ran = tool(&words);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{words:?}");
    }
    for word in ["--help", "--version"] {
        assert!(good(&[word]).contains("offload-bundle"));
    }
}
