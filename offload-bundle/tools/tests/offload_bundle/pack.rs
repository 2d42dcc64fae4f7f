//! `pack`: what it makes, LLVM's bundler reads; where it writes, and what it leaves when it cannot.

use std::collections::BTreeSet;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::process::{Command, Stdio};

use offload_bundle::{Bundle, Compressed, Method};

use crate::common::llvm;
use crate::tool::{Folder, GFX90A, GFX942, HOST, TOOL, bad, bytes, good, tool};

/// A folder with two files to pack.
fn inputs() -> (Folder, [String; 2]) {
    let folder = Folder::new();
    let words = [
        format!("gfx90a:xnack-:sramecc+={}", folder.with("a.co", [0x90; 600])),
        format!("{GFX942}={}", folder.with("b.co", [0x42; 5000])),
    ];
    (folder, words)
}

#[test]
fn the_other_tool_reads_it() {
    let (folder, [a, b]) = inputs();
    let out = folder.path("out");
    let input = format!("-input={out}");
    let forms: [&[&str]; 6] = [
        &[],
        &["--align", "64"],
        &["--compress"],
        &["--compress=zlib"],
        &["--compress=zstd", "--level", "19"],
        &["--compress=zlib", "--level", "1", "--ccob", "2"],
    ];
    for form in forms {
        good(&[&["pack", "-o", &out, &a, &b][..], form].concat());
        let listed = llvm("clang-offload-bundler-19", &["-type=o", "-list", &input]);
        let listed: BTreeSet<_> = listed.lines().collect();
        assert_eq!(listed, BTreeSet::from([HOST, GFX90A, GFX942]), "{form:?}");
        for (id, expected) in [(GFX90A, vec![0x90; 600]), (GFX942, vec![0x42; 5000])] {
            let taken = folder.path("taken");
            let (targets, output) = (format!("-targets={id}"), format!("-output={taken}"));
            llvm("clang-offload-bundler-19", &["-unbundle", "-type=o", &targets, &input, &output]);
            assert!(std::fs::read(taken).unwrap() == expected, "{form:?}");
        }
    }
}

#[test]
fn the_form_is_the_one_that_was_asked_for() {
    let (folder, [a, b]) = inputs();
    let out = folder.path("out");
    good(&["pack", "-o", &out, &a, &b, "--align=256"]);
    let raw = std::fs::read(&out).unwrap();
    let bundle = Bundle::parse(&raw).unwrap();
    let placed: Vec<_> = bundle.entries().map(|entry| (entry.id.text, entry.offset)).collect();
    assert_eq!(placed, [(HOST, 256), (GFX90A, 256), (GFX942, 1024)]);
    for (words, version, method) in [
        (["--compress", "--ccob=3"], 3, Method::Zstd),
        (["--compress=zlib", "--ccob=3"], 3, Method::Zlib),
        (["--compress=zlib", "--ccob=2"], 2, Method::Zlib),
    ] {
        good(&[&["pack", "-o", &out, &a, &b, "--align=256"][..], &words].concat());
        let packed = std::fs::read(&out).unwrap();
        let compressed = Compressed::parse(&packed).unwrap();
        assert_eq!((compressed.version(), compressed.method()), (version, method));
        assert!(compressed.decompress(1 << 20).unwrap() == raw);
    }
}

#[test]
fn the_host_entry() {
    let (folder, [a, _]) = inputs();
    let ids = |words: &[&str]| -> Vec<String> {
        let made = bytes(&[&["pack", "-o", "-"][..], words].concat());
        Bundle::parse(&made).unwrap().entries().map(|entry| entry.id.text.to_owned()).collect()
    };
    assert_eq!(ids(&[&a]), [HOST, GFX90A]);
    assert_eq!(ids(&[&a, "--no-host"]), [GFX90A]);
    let given = format!("host-x86_64-unknown-linux-gnu-={}", folder.with("empty", ""));
    assert_eq!(ids(&[&given, &a]), ["host-x86_64-unknown-linux-gnu-", GFX90A]);
}

#[test]
fn what_is_refused() {
    let (folder, [a, b]) = inputs();
    let out = folder.with("out", "as it was");
    for (words, message) in [
        (vec!["gfx90a"], "it must be ID=FILE, as gfx90a=kernels.co"),
        (vec!["gfx90a="], "it must be ID=FILE, as gfx90a=kernels.co"),
        (vec!["gfx90a:fast+=x"], "\"fast+\" at offset 7 of target ID \"gfx90a:fast+\" is none of"),
        (vec!["gfx1030:xnack+=x"], "gfx1030 has no target feature xnack"),
        (vec!["nonsense=x"], "\"nonsense\" is no entry ID and no target ID"),
        (vec!["hip-amdgcn=x"], "bad entry ID \"hip-amdgcn\""),
        (vec![&a, "--align", "100"], "bad alignment 100: it must be a power of two, of at least 1"),
        (vec![&a, "--compress=lzma"], "[possible values: zstd, zlib]"),
        (vec![&a, "--compress", "--ccob=1"], "[possible values: 2, 3]"),
        (vec![&a, "--compress", "--level=23"], "bad compression level 23: zstd has 1 to 22"),
        (vec![&a, "--compress=zlib", "--level=-1"], "bad compression level -1: zlib has 0 to 9"),
        (vec![&a, "--level=3"], "--compress"),
        (vec![], "<ID=FILE>..."),
    ] {
        let error = bad(2, &[&["pack", "-o", &out][..], &words].concat());
        assert!(error.contains(message), "{words:?}: {error}");
    }
    let pinned = format!("gfx942:xnack-={}", folder.path("a.co"));
    for (words, message) in [
        (vec![a.as_str(), &a], format!("{out}: entry {GFX90A} is there already: replace or remove it first")),
        (
            vec![&b, &pinned],
            format!(
                "{out}: entries {GFX942} and {GFX942}:xnack- conflict: for one processor a feature is either on or \
                 off in every entry or in none"
            ),
        ),
        (vec!["gfx90a=/nowhere"], "/nowhere: No such file or directory (os error 2)".to_owned()),
    ] {
        assert_eq!(
            bad(1, &[&["pack", "-o", &out][..], &words].concat()),
            format!("offload-bundle: {message}\n")
        );
    }
    assert_eq!(std::fs::read(&out).unwrap(), b"as it was");
    assert_eq!(folder.names(), ["a.co", "b.co", "out"]);
}

#[test]
fn where_it_cannot_write() {
    let (folder, [a, _]) = inputs();
    let out = folder.path("missing/out");
    assert_eq!(
        bad(1, &["pack", "-o", &out, &a]),
        format!("offload-bundle: {out}: No such file or directory (os error 2)\n")
    );
    let here = folder.path("");
    assert_eq!(bad(1, &["pack", "-o", &here, &a]), format!("offload-bundle: {here}: is a directory\n"));
    assert_eq!(folder.names(), ["a.co", "b.co"]);
}

/// A full disk, and devices in general: they are written to, never replaced by a file.
#[test]
fn devices_are_not_replaced() {
    let (_folder, [a, _]) = inputs();
    for form in [&[][..], &["--compress"]] {
        let error = bad(1, &[&["pack", "-o", "/dev/full", &a][..], form].concat());
        assert_eq!(error, "offload-bundle: /dev/full: No space left on device (os error 28)\n");
        good(&[&["pack", "-o", "/dev/null", &a][..], form].concat());
    }
    for device in ["/dev/full", "/dev/null"] {
        assert!(std::fs::metadata(device).unwrap().file_type().is_char_device());
    }
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = Command::new(TOOL).args(["pack", "-o", "-", &a]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(stderr, "offload-bundle: standard output: No space left on device (os error 28)\n");
}

/// A new file has the rights of any new file, a link stays a link, and a reader of the old file keeps the old file.
#[test]
fn files_are_made_as_others_are() {
    let (folder, [a, b]) = inputs();
    let out = folder.path("out");
    good(&["pack", "-o", &out, &a]);
    let other = folder.with("other", "");
    let mode = |path: &str| std::fs::metadata(path).unwrap().mode();
    assert_eq!(mode(&out), mode(&other));

    let link = folder.path("link");
    std::os::unix::fs::symlink(&out, &link).unwrap();
    let before = std::fs::File::open(&out).unwrap();
    let length = before.metadata().unwrap().len();
    good(&["pack", "-o", &link, &a, &b]);
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_ne!(std::fs::metadata(&out).unwrap().len(), length);
    assert_eq!(before.metadata().unwrap().len(), length);
    assert_eq!(folder.names(), ["a.co", "b.co", "link", "other", "out"]);
}

/// A reader that has seen enough is no error here either.
#[test]
fn a_closed_pipe_is_fine() {
    let folder = Folder::new();
    let large = format!("gfx90a={}", folder.with("large", vec![1; 1 << 20]));
    let mut child = Command::new(TOOL)
        .args(["pack", "-o", "-", &large])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn help_has_examples() {
    for word in ["ls", "extract", "unpack", "pack", "repack", "why", "verify"] {
        let ran = tool(&[word, "--help"]);
        assert_eq!(ran.code, 0);
        assert!(ran.stdout.contains(&format!("Examples:\n  offload-bundle {word} ")), "{}", ran.stdout);
        let longest = ran.stdout.lines().map(str::len).max().unwrap();
        assert!(ran.stdout.contains("Usage:") && longest > 20);
    }
}
