//! `repack`: from host files to fat binaries, between forms, with entries added and removed.

use offload_bundle::{Bundle, CcobVersion, Compressed, Container, Image, Method};

use crate::common::{FILES, llvm};
use crate::tool::{Folder, GFX90A, GFX942, HOST, bad, bytes, ccob, concatenated, entries, good, raw};

/// The entries of every bundle of a file.
fn contents(path: &str) -> Vec<Vec<(String, Vec<u8>)>> {
    let file = std::fs::read(path).unwrap();
    let images = Container::parse(&file).unwrap().images();
    images
        .map(|located| {
            let located = located.unwrap();
            assert_eq!(located.offset % 4096, 0, "bundles start at pages");
            let content = located.image.bundle_bytes(1 << 30).unwrap().unwrap();
            let bundle = Bundle::parse(&content).unwrap();
            bundle.entries().map(|entry| (entry.id.text.to_owned(), entry.data.to_vec())).collect()
        })
        .collect()
}

fn kinds(path: &str) -> Vec<String> {
    let file = std::fs::read(path).unwrap();
    let images = Container::parse(&file).unwrap().images();
    images.map(|located| located.unwrap().image.kind().to_string()).collect()
}

/// A host's fat binaries as a file that LLVM's bundler reads: of its section, it does not say where one ends.
#[test]
fn the_fat_binary_of_a_host_object() {
    let folder = Folder::new();
    let out = folder.path("out.hipfb");
    for (file, kind) in [(&FILES.object, "raw"), (&FILES.compressed, "ccob2")] {
        let file = file.to_str().unwrap();
        good(&["repack", file, "-o", &out]);
        assert_eq!(kinds(&out), [kind]);
        let section = folder.path("section");
        llvm("llvm-objcopy-19", &["--dump-section", &format!(".hip_fatbin={section}"), file, "/dev/null"]);
        let section = std::fs::read(section).unwrap();
        let made = std::fs::read(&out).unwrap();
        assert!(section.starts_with(&made), "unchanged bundles are copied as they are");
        assert!(section[made.len()..].iter().all(|&byte| byte == 0));
        let listed = llvm("clang-offload-bundler-19", &["-type=o", "-list", &format!("-input={out}")]);
        assert_eq!(listed.lines().count(), 4);
    }
}

#[test]
fn an_archive_becomes_one_file_of_several_bundles() {
    let folder = Folder::new();
    let out = folder.path("out.hipfb");
    let archive = FILES.archive.to_str().unwrap();
    good(&["repack", archive, "-o", &out]);
    assert_eq!(kinds(&out), ["raw", "ccob2"]);
    let made = contents(&out);
    let alone = folder.path("alone");
    for (file, made) in [&FILES.object, &FILES.compressed].into_iter().zip(&made) {
        good(&["repack", file.to_str().unwrap(), "-o", &alone]);
        assert!(contents(&alone) == std::slice::from_ref(made));
    }
    good(&["repack", archive, "-o", &out, "--bundle", "1", "--raw"]);
    assert_eq!(kinds(&out), ["raw"]);
    assert!(contents(&out) == made[1..]);
}

#[test]
fn between_all_forms_nothing_is_lost() {
    let folder = Folder::new();
    let content = raw(&entries());
    let (a, b) = (folder.with("a", &content), folder.path("b"));
    let forms: [(&[&str], &str, Method); 5] = [
        (&["--compress"], "ccob2", Method::Zstd),
        (&["--compress=zlib", "--ccob=3"], "ccob3", Method::Zlib),
        (&["--compress=zstd", "--ccob=3", "--level=9"], "ccob3", Method::Zstd),
        (&["--compress=zlib"], "ccob2", Method::Zlib),
        (&["--raw"], "raw", Method::Zlib),
    ];
    // Each from the one before, and in place.
    for (form, kind, method) in forms {
        good(&[&["repack", &a, "-o", &a][..], form].concat());
        let made = std::fs::read(&a).unwrap();
        match Image::recognise(&made).unwrap() {
            Image::Compressed(compressed) => {
                assert_eq!((compressed.kind().to_string().as_str(), compressed.method()), (kind, method));
                assert!(compressed.decompress(1 << 20).unwrap() == content);
            }
            Image::Raw(_) => assert!(kind == "raw" && made == content),
            _ => panic!("{form:?}"),
        }
        // Without a form it stays what it is, to the byte.
        good(&["repack", &a, "-o", &b]);
        assert_eq!(std::fs::read(&b).unwrap(), made, "{form:?}");
    }
    assert_eq!(folder.names(), ["a", "b"]);
}

#[test]
fn entries_are_added_replaced_and_removed() {
    let folder = Folder::new();
    let content = raw(&entries());
    let new = folder.with("new.co", [7; 70]);
    let out = folder.path("out");
    for file in [content.clone(), ccob(CcobVersion::V2, Method::Zlib, &content)] {
        let file = folder.with("file", file);
        let entry = |id: &str, bytes: Vec<u8>| (id.to_owned(), bytes);
        let all = entries();
        let words = ["--add", &format!("gfx1100={new}"), "--add", &format!("gfx942={new}")];
        good(&[&["repack", &file, "-o", &out][..], &words].concat());
        let gfx1100 = entry("hipv4-amdgcn-amd-amdhsa--gfx1100", vec![7; 70]);
        let added =
            vec![entry(HOST, vec![]), entry(GFX90A, all[1].1.clone()), entry(GFX942, vec![7; 70]), gfx1100];
        assert_eq!(contents(&out), [added]);
        // The form stays, down to the method.
        assert_eq!(kinds(&out), kinds(&file));
        if let Image::Compressed(compressed) = Image::recognise(&std::fs::read(&out).unwrap()).unwrap() {
            assert_eq!(compressed.method(), Method::Zlib);
        }
        good(&["repack", &file, "-o", &out, "--remove", "gfx90a:xnack-:sramecc+", "--remove", HOST]);
        assert_eq!(contents(&out), [vec![entry(GFX942, all[2].1.clone())]]);
        good(&["repack", &file, "-o", &out, "--align", "64", "--raw"]);
        let made = std::fs::read(&out).unwrap();
        let offsets: Vec<_> = Bundle::parse(&made).unwrap().entries().map(|entry| entry.offset).collect();
        assert_eq!(offsets, [256, 256, 896]);
    }
}

/// It becomes an entry of a bundle of its own, behind a host entry.
#[test]
fn a_code_object_becomes_a_bundle() {
    let folder = Folder::new();
    let out = folder.path("out");
    let code = FILES.code.to_str().unwrap();
    good(&["repack", code, "-o", &out, "--compress"]);
    assert_eq!(kinds(&out), ["ccob2"]);
    let expected = vec![
        (HOST.to_owned(), vec![]),
        ("hipv4-amdgcn-amd-amdhsa--gfx90a".to_owned(), std::fs::read(code).unwrap()),
    ];
    assert!(contents(&out) == [expected]);
}

#[test]
fn what_cannot_be_repacked_leaves_what_was_there() {
    let folder = Folder::new();
    let content = raw(&entries());
    let mut broken = ccob(CcobVersion::V2, Method::Zstd, &content);
    broken[16] ^= 1;
    let two = folder.with("two", concatenated(&[&content, &broken]));
    let one = folder.with("one", &content);
    let out = folder.with("out", "as it was");
    let hash = Compressed::parse(&broken).unwrap().hash();
    let start = content.len().next_multiple_of(4096);
    for (words, message) in [
        (
            vec![two.as_str()],
            format!(
                "{two}: the compressed bundle's hash at offset {:#x} is {hash:016x}, its content has {:016x}",
                start + 16,
                hash ^ 1
            ),
        ),
        (vec![&one, "--remove", "gfx1100"], format!("{one}: there is no entry gfx1100 to remove")),
        (
            vec![&two, "--add", &format!("gfx1100={one}")],
            format!("{two}: there are 2 bundles: say with --bundle which to add to"),
        ),
        (
            vec![&one, "--add", &format!("gfx942:xnack+={one}")],
            format!(
                "{out}: entries {GFX942} and {GFX942}:xnack+ conflict: for one processor a feature is either on or \
                 off in every entry or in none"
            ),
        ),
        (vec![&one, "--bundle", "4"], format!("{one}: there is no bundle 4: they are counted from 0 to 0")),
    ] {
        let words = [&["repack", "-o", &out][..], &words].concat();
        assert_eq!(bad(1, &words), format!("offload-bundle: {message}\n"));
    }
    assert_eq!(std::fs::read(&out).unwrap(), b"as it was");
    assert_eq!(folder.names(), ["one", "out", "two"]);
    bad(2, &["repack", &one, "-o", &out, "--raw", "--compress"]);
    assert_eq!(bytes(&["repack", &one, "-o", "-"]), content);
}
