//! The tool `amdgpu-isa`, as people and scripts call it. What LLVM's disassembler prints is the measure.

mod common;

use std::path::Path;
use std::process::Command;

use common::{FILES, Ran, folder, llvm};
use serde_json::Value;

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn isa(words: &[&str]) -> Ran {
    Command::new(env!("CARGO_BIN_EXE_amdgpu-isa")).args(words).output().unwrap().into()
}

fn good(words: &[&str]) -> String {
    let ran = isa(words);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{words:?}: {}", ran.stdout);
    ran.stdout
}

/// Address and text of each instruction, as LLVM has them.
fn objdump(code: &Path) -> Vec<(u64, String)> {
    let listing = llvm("llvm-objdump-19", &["-d", "-z", text(code)]);
    let line = |line: &str| {
        let (text, rest) = line.strip_prefix('\t')?.split_once("// ")?;
        let address = u64::from_str_radix(rest.split_once(':')?.0, 16).ok()?;
        Some((address, text.trim_end().to_owned()))
    };
    listing.lines().filter_map(line).collect()
}

fn assemble(name: &str, source: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = folder();
    let (input, output) = (folder.path().join("code.s"), folder.path().join(name));
    std::fs::write(&input, source).unwrap();
    let target = ["-triple=amdgcn-amd-amdhsa", "-mcpu=gfx90a", "-filetype=obj"];
    llvm("llvm-mc-19", &[&target[..], &[text(&input), "-o", text(&output)]].concat());
    (folder, output)
}

#[test]
fn plain_listings_are_llvms() {
    for code in [&FILES.code, &FILES.relocatable] {
        let ours: Vec<(u64, String)> = good(&["disasm", "--plain", text(code)])
            .lines()
            .map(|line| {
                let (address, text) = line.split_once(": ").unwrap();
                (u64::from_str_radix(address, 16).unwrap(), text.to_owned())
            })
            .collect();
        let theirs = objdump(code);
        assert!(theirs.len() > 40);
        assert_eq!(ours, theirs);
    }
}

#[test]
fn listings_name_symbols_and_targets() {
    let (_folder, code) = assemble("code.o", "first:\ns_nop 0\nsecond:\ns_branch first\n.long 0xffffffff\n");
    let page = good(&["disasm", text(&code)]);
    let words: Vec<Vec<&str>> = page.lines().map(|line| line.split_whitespace().collect()).collect();
    for line in [
        &["0000000000000000", "<first>:"][..],
        &["s_nop", "0", "//", "000000000000:", "BF800000"],
        &["0000000000000004", "<second>:"],
        &["s_branch", "65534", "//", "000000000004:", "BF82FFFE", "<first>"],
        &[".long", "0xffffffff", "//", "000000000008:", "FFFFFFFF"],
    ] {
        assert!(words.iter().any(|words| words == line), "{line:?} is not in\n{page}");
    }
}

#[test]
fn json_has_every_instruction() {
    let code = text(&FILES.code);
    let symbols: Vec<Value> = serde_json::from_str(&good(&["disasm", "--json", code])).unwrap();
    let saxpy = symbols.iter().find(|s| s["name"] == "_Z5saxpyfPKfPfi").unwrap();
    assert_eq!((&saxpy["file"], &saxpy["target"]), (&code.into(), &"gfx90a".into()));
    let theirs = objdump(&FILES.code);
    let all: Vec<(u64, String)> = symbols
        .iter()
        .flat_map(|s| s["instructions"].as_array().unwrap())
        .map(|i| (i["address"].as_u64().unwrap(), i["text"].as_str().unwrap().to_owned()))
        .collect();
    assert_eq!(all, theirs);
    let first = &saxpy["instructions"][0];
    assert_eq!(first["address"], saxpy["address"]);
    assert!(first["bytes"].as_str().unwrap().len() >= 8);
}

#[test]
fn fat_binaries_are_compared_entry_by_entry() {
    for file in [&FILES.object, &FILES.compressed] {
        let page = good(&["compare", "--entry", "gfx90a:xnack-", text(file)]);
        let row: Vec<&str> = page.lines().nth(1).unwrap().split_whitespace().collect();
        assert_eq!((row[0], row[1], row[3]), ("gfx90a", "1", "0"), "{page}");
    }
    // What is not known is said, and the rest goes on.
    let ran = isa(&["compare", text(&FILES.object)]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("the instruction set of gfx1100 is not known"), "{}", ran.stderr);
    let row: Vec<&str> = ran.stdout.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!((row[0], row[1], row[3]), ("gfx90a", "2", "0"), "{}", ran.stdout);
}

#[test]
fn coverage_fails_for_what_is_not_run() {
    let code = text(&FILES.code);
    let page = good(&["coverage", "--all", code]);
    assert!(page.lines().any(|l| l.split_whitespace().eq(["s_endpgm", "2", "runs"])), "{page}");
    let report: Value = serde_json::from_str(&good(&["coverage", "--json", code])).unwrap();
    assert_eq!((&report["objects"], &report["runs"]), (&1.into(), &true.into()));
    assert_eq!(report["instructions"], objdump(&FILES.code).len());

    let (_folder, bad) = assemble("bad.o", "s_rfe_b64 s[0:1]\n.long 0xffffffff\n.long 0xfffffffe\n");
    let ran = isa(&["coverage", text(&bad)]);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    let row: Vec<&str> = ran.stdout.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(row, ["gfx90a", "1", "1", "1", "1", "1", "2"]);
    assert!(ran.stdout.contains("s_rfe_b64"), "{}", ran.stdout);
    assert!(ran.stdout.contains("at 0x4: ffffffff fffffffe"), "{}", ran.stdout);
}

#[test]
fn the_index_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/isa/index.md");
    let page = std::fs::read_to_string(path).unwrap();
    assert!(page == good(&["index"]), "make it anew: amdgpu-isa index > docs/isa/index.md");
}
