//! `extract`: the entry by ID or by agent, from raw, compressed and host files; and what it says when the choice is not
//! clear.

use offload_bundle::{CcobVersion, Method};

use crate::common::FILES;
use crate::tool::{Folder, GFX90A, GFX942, HOST, bad, bytes, ccob, concatenated, entries, good, raw};

#[test]
fn entries_by_id_and_agent() {
    let folder = Folder::new();
    let content = raw(&entries());
    for file in [
        content.clone(),
        ccob(CcobVersion::V2, Method::Zlib, &content),
        ccob(CcobVersion::V2, Method::Zstd, &content),
        ccob(CcobVersion::V3, Method::Zstd, &content),
    ] {
        let file = folder.with("file", file);
        for (words, expected) in [
            (["--id", GFX90A], &entries()[1].1),
            (["--id", "gfx90a:xnack-:sramecc+"], &entries()[1].1),
            (["--id", "gfx942"], &entries()[2].1),
            (["--agent", "gfx90a"], &entries()[1].1),
            (["--agent", "gfx942:sramecc+:xnack+"], &entries()[2].1),
            (["--id", HOST], &entries()[0].1),
        ] {
            assert_eq!(bytes(&[&["extract", &file][..], &words].concat()), *expected, "{words:?}");
            let out = folder.path("out");
            assert_eq!(good(&[&["extract", &file, "-o", &out][..], &words].concat()), "");
            assert_eq!(std::fs::read(out).unwrap(), *expected, "{words:?}");
        }
    }
}

/// What stands in the object is what clang put there.
#[test]
fn code_objects_of_a_host_object() {
    for file in [&FILES.object, &FILES.compressed] {
        for target in ["gfx90a:xnack-", "gfx90a:xnack+", "gfx1100"] {
            let code = bytes(&["extract", file.to_str().unwrap(), "--id", target]);
            let object = amd_codeobj::CodeObject::parse(&code).unwrap();
            assert_eq!(object.target_id().unwrap().to_string(), target);
            assert_eq!(object.file_size(), code.len() as u64);
        }
    }
}

#[test]
fn a_code_object_without_a_bundle_comes_out_as_it_is() {
    let file = FILES.code.to_str().unwrap();
    let expected = std::fs::read(file).unwrap();
    assert!(bytes(&["extract", file]) == expected);
    assert!(bytes(&["extract", file, "--agent", "gfx90a"]) == expected);
}

#[test]
fn the_choice_must_be_clear() {
    let folder = Folder::new();
    let content = raw(&entries());
    let one = folder.with("one", &content);
    assert_eq!(
        bad(1, &["extract", &one]),
        format!(
            "offload-bundle: {one}: bundle 0 (raw, at 0x0) has several entries: {GFX90A}, {GFX942}; choose one with \
             --id or --agent\n"
        )
    );
    for words in [["--id", "gfx1100"], ["--agent", "gfx1100"]] {
        let what = if words[0] == "--id" { "entry gfx1100" } else { "code for gfx1100" };
        assert_eq!(
            bad(1, &[&["extract", &one][..], &words].concat()),
            format!("offload-bundle: {one}: there is no {what}; there is {GFX90A}, {GFX942}, {HOST}\n")
        );
    }
    let packed = ccob(CcobVersion::V2, Method::Zstd, &content);
    let two = folder.with("two", concatenated(&[&content, &packed]));
    let second = content.len().next_multiple_of(4096);
    for words in [["--id", "gfx942"], ["--agent", "gfx942"]] {
        let what = if words[0] == "--id" { "entry gfx942" } else { "code for gfx942:sramecc+:xnack-" };
        assert_eq!(
            bad(1, &[&["extract", &two][..], &words].concat()),
            format!(
                "offload-bundle: {two}: {what} is in bundle 0 (raw, at 0x0) and in bundle 1 (ccob2, at \
                 {second:#x}): choose one with --bundle\n"
            )
        );
        let words = [&["extract", &two, "--bundle", "1"][..], &words].concat();
        assert_eq!(bytes(&words), entries()[2].1);
    }
    assert_eq!(
        bad(1, &["extract", &two, "--bundle", "2", "--id", "gfx942"]),
        format!("offload-bundle: {two}: there is no bundle 2: they are counted from 0 to 1\n")
    );
    bad(2, &["extract", &two, "--id", "gfx942", "--agent", "gfx942"]);
    bad(2, &["extract", &two, "--agent", "gfx942:what"]);
}

/// Nothing is written and nothing left when an entry cannot be had.
#[test]
fn what_cannot_be_unpacked_is_not_written() {
    let folder = Folder::new();
    let content = raw(&entries());
    let packed = ccob(CcobVersion::V3, Method::Zstd, &content);
    let file = folder.with("file", &packed);
    let cut = folder.with("cut", &packed[..packed.len() - 1]);
    let out = folder.with("out", "as it was");
    for words in [["--id", "gfx942"], ["--agent", "gfx942"]] {
        let limited = [&["extract", &file, "-o", &out, "--limit", "8192"][..], &words].concat();
        assert!(bad(1, &limited).contains("more than the limit of 8192"), "{words:?}");
        let cut = [&["extract", &cut, "-o", &out][..], &words].concat();
        assert!(bad(1, &cut).contains("truncated compressed bundle"), "{words:?}");
    }
    assert_eq!(std::fs::read(&out).unwrap(), b"as it was");
    assert_eq!(folder.names(), ["cut", "file", "out"]);
}
