//! Lines of the source against `llvm-symbolizer-19`: every fourth byte of the code, with inlined functions, for DWARF 4 and
//! 5, plain and compressed sections, linked and relocatable objects.
#![cfg(feature = "dwarf")]

mod common;

use amd_codeobj::{CodeObject, Error, Frame, Lines, ObjectKind};
use common::{Built, compile, compile_source, input, run, temporary};

/// What llvm-symbolizer says of addresses: its JSON, one object an address.
fn symbolize(path: &str, addresses: &[u64]) -> Vec<Vec<Frame>> {
    let mut args = vec![format!("--obj={path}"), "--no-demangle".into(), "--output-style=JSON".into()];
    args.extend(addresses.iter().map(|address| format!("{address:#x}")));
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let text = run("llvm-symbolizer-19", &args);
    let root: serde_json::Value = serde_json::from_str(&text).unwrap();
    let word = |value: &serde_json::Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let number = |value: &serde_json::Value| value.as_u64().filter(|&number| number != 0).map(|n| n as u32);
    let frame = |frame: &serde_json::Value| Frame {
        function: word(&frame["FunctionName"]),
        file: word(&frame["FileName"]),
        line: number(&frame["Line"]),
        // addr2line gives no column where there is no line.
        column: number(&frame["Line"]).and_then(|_| number(&frame["Column"])),
    };
    let frames = |entry: &serde_json::Value| {
        let frames = entry["Symbol"].as_array().unwrap().iter().map(frame);
        frames.filter(|frame| *frame != Frame::default()).collect()
    };
    root.as_array().unwrap().iter().map(frames).collect()
}

/// addr2line gives line 0 and column 0 as they stand in the table, llvm-symbolizer's JSON has 0 for "none".
fn without_zeros(frame: Frame) -> Frame {
    Frame {
        line: frame.line.filter(|&line| line != 0),
        column: frame.column.filter(|&column| column != 0),
        ..frame
    }
}

/// Of a relocatable object llvm-symbolizer takes the name of any symbol at the address, whatever section that is in.
fn without_function(frame: Frame) -> Frame {
    Frame { function: None, ..frame }
}

/// Compares all code; returns the numbers of addresses with a line, and with an inlined function.
fn compare(built: &Built, range: (u64, u64)) -> (usize, usize) {
    let bytes = built.bytes();
    let object = CodeObject::parse(&bytes).unwrap();
    let lines = object.lines().unwrap().expect("built with -g");
    let addresses: Vec<u64> = (range.0..range.1).step_by(4).collect();
    let (mut with_line, mut inlined) = (0, 0);
    for (address, theirs) in addresses.iter().zip(symbolize(built.path(), &addresses)) {
        let mut ours: Vec<Frame> = lines.find(*address).unwrap().into_iter().map(without_zeros).collect();
        let mut theirs = theirs;
        if object.kind() == ObjectKind::RELOCATABLE {
            ours = ours.into_iter().map(without_function).collect();
            theirs = theirs.into_iter().map(without_function).collect();
        }
        // Between functions llvm-symbolizer falls back on the symbol table.
        if ours.is_empty() {
            assert!(theirs.iter().all(|frame| frame.line.is_none()), "{address:#x}: {theirs:?}");
            continue;
        }
        assert_eq!(ours, theirs, "{address:#x}");
        with_line += usize::from(ours[0].line.is_some());
        inlined += usize::from(ours.len() > 1);
    }
    (with_line, inlined)
}

/// Addresses of the machine code.
fn code(built: &Built) -> (u64, u64) {
    let bytes = built.bytes();
    let text = CodeObject::parse(&bytes).unwrap().section(".text").unwrap().unwrap();
    (text.address, text.address + text.size)
}

#[test]
fn lines_are_those_that_the_symbolizer_prints() {
    for target in ["gfx90a", "gfx1100"] {
        for flags in [["-O0", "-gdwarf-5"], ["-O2", "-gdwarf-5"], ["-O2", "-gdwarf-4"]] {
            let built = compile_source("lines.hip", "clang-19", target, &flags);
            let (with_line, inlined) = compare(&built, code(&built));
            assert!(with_line > 40, "{target} {flags:?}: {with_line}");
            assert!(inlined > 0 || flags[0] == "-O0", "{target} {flags:?}");
        }
    }
}

#[test]
fn compressed_sections_are_unpacked() {
    let plain = compile("clang-19", "gfx90a", &["-O2", "-g"]);
    for format in ["zlib", "zstd"] {
        let built = Built(temporary("compressed.co"));
        let option = format!("--compress-debug-sections={format}");
        run("llvm-objcopy-19", &[&option, plain.path(), built.path()]);
        let bytes = built.bytes();
        let object = CodeObject::parse(&bytes).unwrap();
        let info = object.section(".debug_info").unwrap().unwrap();
        assert!(info.flags.is_compressed());
        assert!(compare(&built, code(&built)).0 > 100);
        // A bound that is too low is an error with the section's place.
        let error = object.lines_within(64).err().unwrap();
        assert!(error.to_string().contains("unpacks to more than the limit"), "{error}");
        // A size that is a lie.
        for (size, expected) in [(1 << 60, "more than the limit"), (5, "not the size")] {
            let mut bytes = bytes.clone();
            let at = info.offset as usize + 8;
            bytes[at..at + 8].copy_from_slice(&u64::to_le_bytes(size));
            let error = CodeObject::parse(&bytes).unwrap().lines().err().unwrap();
            assert!(error.to_string().contains(expected), "{error}");
        }
        let mut bytes = bytes.clone();
        bytes[info.offset as usize] = 9;
        assert!(matches!(
            CodeObject::parse(&bytes).unwrap().lines(),
            Err(Error::BadField { what: "ch_type", .. })
        ));
        let mut bytes = built.bytes();
        bytes[info.offset as usize + 30..][..8].fill(0xff);
        assert!(CodeObject::parse(&bytes).unwrap().lines().is_err());
    }
}

#[test]
fn relocatable_objects_have_lines() {
    let built = Built(temporary("lines.o"));
    let source = input("arguments.cl");
    run(
        "clang-19",
        &[
            "-target",
            "amdgcn-amd-amdhsa",
            "-mcpu=gfx90a",
            "-nogpulib",
            "-cl-std=CL2.0",
            "-O1",
            "-g",
            "-c",
            "-Xclang",
            "-finclude-default-header",
            &source,
            "-o",
            built.path(),
        ],
    );
    assert!(compare(&built, code(&built)).0 > 10);
}

#[test]
fn an_object_without_lines_says_so() {
    let built = compile("clang-19", "gfx90a", &["-O2"]);
    let bytes = built.bytes();
    assert!(CodeObject::parse(&bytes).unwrap().lines().unwrap().is_none());
}

#[test]
fn damaged_debug_information_is_an_error_or_nothing() {
    let built = compile("clang-19", "gfx90a", &["-O2", "-g"]);
    let bytes = built.bytes();
    let object = CodeObject::parse(&bytes).unwrap();
    let (start, end) = code(&built);
    let ask =
        |lines: &Lines| (start..end).step_by(64).filter(|&address| lines.find(address).is_err()).count();
    assert_eq!(ask(&object.lines().unwrap().unwrap()), 0);
    for name in [
        ".debug_info",
        ".debug_abbrev",
        ".debug_line",
        ".debug_rnglists",
        ".debug_addr",
        ".debug_str_offsets",
    ] {
        let section = object.section(name).unwrap().unwrap();
        for step in 0..section.size.min(200) {
            let mut bytes = bytes.clone();
            bytes[(section.offset + step * section.size / section.size.min(200)) as usize] ^= 0xff;
            if let Ok(Some(lines)) = CodeObject::parse(&bytes).unwrap().lines() {
                ask(&lines);
            }
        }
    }
}
