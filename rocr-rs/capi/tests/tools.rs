//! The tables of functions that tools intercept: laid out as the installed `hsa_api_trace.h` has them, and a tool sees of
//! a program on our library what it sees on the vendor's.

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use common::{Library, build, command, dist, limited, lines};
use hsa_runtime64::exports::{
    AmdExtTable, CoreApiTable, FinalizerExtTable, ImageExtTable, PcSamplingExtTable, TABLE_ONLY, implemented,
    not_implemented,
};

/// Our tables, each with the offsets of its slots and its size.
type Table = (&'static str, Vec<(&'static str, usize)>, usize);
fn tables() -> [Table; 4] {
    [
        ("CoreApiTable", CoreApiTable::offsets(), size_of::<CoreApiTable>()),
        ("AmdExtTable", AmdExtTable::offsets(), size_of::<AmdExtTable>()),
        ("FinalizerExtTable", FinalizerExtTable::offsets(), size_of::<FinalizerExtTable>()),
        ("ImageExtTable", ImageExtTable::offsets(), size_of::<ImageExtTable>()),
    ]
}

/// `Offset of field` and `Size of` of the header, by struct and by field.
fn header() -> Option<BTreeMap<String, usize>> {
    let path = "/usr/include/hsa/hsa_api_trace.h";
    if !Path::new(path).exists() {
        eprintln!("SKIPPED: no {path}: apt-get install libhsa-runtime-dev");
        return None;
    }
    let text = bindgen::builder()
        .header_contents("trace.hpp", "#include <hsa/hsa_api_trace.h>\n")
        .clang_args(["-x", "c++", "-DAMD_INTERNAL_BUILD", "-I/usr/include/hsa"])
        .allowlist_type("HsaApiTable|.*Table")
        .formatter(bindgen::Formatter::None)
        .generate()
        .expect("bindgen reads the header")
        .to_string();
    let mut found = BTreeMap::new();
    for piece in text.split("[\"").skip(1) {
        let Some((label, rest)) = piece.split_once("\"]") else { continue };
        let number = rest.split("usize").next().and_then(|text| text.rsplit('-').next()?.trim().parse().ok());
        if let Some(number) = number {
            found.insert(label.to_owned(), number);
        }
    }
    Some(found)
}

#[test]
fn the_tables_begin_as_the_header_has_them() {
    let Some(header) = header() else { return };
    for (table, slots, size) in tables() {
        let prefix = format!("Offset of field: {table}::");
        let known: BTreeMap<&str, usize> = header
            .iter()
            .filter_map(|(label, offset)| Some((label.strip_prefix(&prefix)?.strip_suffix("_fn")?, *offset)))
            .collect();
        let theirs = header[&format!("Size of {table}")];
        assert_eq!(known.len(), (theirs - 16) / 8, "{table}");
        let (old, new): (Vec<_>, Vec<_>) = slots.into_iter().partition(|(_, offset)| *offset < theirs);
        assert_eq!(old.into_iter().collect::<BTreeMap<_, _>>(), known, "{table}");
        // What follows is newer, and nothing has room without a name.
        assert_eq!(size, theirs + 8 * new.len(), "{table}");
        assert!(new.iter().all(|(name, _)| !known.contains_key(name)), "{table}");
    }
    assert_eq!(header["Offset of field: HsaApiTable::image_ext_"], 40);
}

#[test]
fn every_function_is_in_a_table_but_for_older_names() {
    let mut slots: Vec<&str> =
        tables().into_iter().flat_map(|(_, slots, _)| slots).map(|slot| slot.0).collect();
    slots.extend(PcSamplingExtTable::offsets().into_iter().map(|slot| slot.0));
    let all: Vec<&str> = implemented().into_iter().chain(not_implemented()).collect();
    let without: Vec<&str> = all.iter().copied().filter(|name| !slots.contains(name)).collect();
    for name in without {
        let older = ["_acquire", "_release", "_acq_rel"].iter().any(|end| name.ends_with(end));
        assert!(older || name == "hsa_amd_image_get_info_max_dim", "{name}");
    }
    assert!(TABLE_ONLY.iter().all(|name| slots.contains(name)));
}

/// The tool, and one that does not want to run.
fn build_tools(name: &str) -> Option<[PathBuf; 2]> {
    let common = ["-shared", "-fPIC", "-DAMD_INTERNAL_BUILD", "-I/usr/include/hsa"];
    let tool = build("tool.cpp", &format!("{name}.so"), &common)?;
    let refuses = [&common[..], &["-DREFUSES"]].concat();
    Some([tool, build("tool.cpp", &format!("{name}-refuses.so"), &refuses)?])
}

#[test]
fn a_tool_sees_the_same_on_the_vendors_library_and_on_ours() {
    let Some(dist) = dist() else { return };
    let Some(program) = build("intercepted.c", "hsa-intercepted", &[]) else { return };
    let Some([tool, _]) = build_tools("hsa-tool") else { return };
    let list = format!("/nonexistent.so {}", tool.display());
    let [vendors, ours] = [Library::Vendors, Library::Ours]
        .map(|library| lines(command(&program, &dist, "gfx90a", library).env("HSA_TOOLS_LIB", &list)));
    assert_eq!(ours, vendors);
    for line in [
        "tool: empty slots: core 0, finalizer 0, image 0",
        // What the tool's functions made of it.
        "signal 0 1005",
        "queue 0 256",
        "tool: OnUnload 0: 1 signals, 1 queues, 2 stores, 2 loads, 1 allocations",
    ] {
        assert_eq!(ours.iter().filter(|ours| *ours == line).count(), 2, "{line}: {ours:#?}");
    }
    let without = lines(&command(&program, &dist, "gfx90a", Library::Ours));
    assert!(without.contains(&"signal 0 5".to_owned()) && without.contains(&"queue 0 128".to_owned()));
}

/// The vendor's library calls into the closed tool when it ends.
#[test]
fn a_tool_that_refuses_is_named_to_the_next() {
    let Some(dist) = dist() else { return };
    let Some(program) = build("intercepted.c", "hsa-intercepted-refused", &[]) else { return };
    let Some([tool, refuses]) = build_tools("hsa-tool-refused") else { return };
    let mut command = command(&program, &dist, "gfx90a", Library::Ours);
    command.env("HSA_TOOLS_LIB", format!("{} {} /nonexistent.so", refuses.display(), tool.display()));
    let said = lines(&command);
    assert_eq!(said[1], "tool: OnLoad version 1, 1 failed before");
    assert_eq!(said[2], "tool: failed: hsa-tool-refused-refuses.so");
    let stderr = String::from_utf8(limited(&command, 20).stderr).unwrap();
    assert!(stderr.contains("refuses.so") && stderr.contains("/nonexistent.so: cannot open"), "{stderr}");
    command.env("HSA_TOOLS_REPORT_LOAD_FAILURE", "0");
    let stderr = String::from_utf8(limited(&command, 20).stderr).unwrap();
    assert!(!stderr.contains("refuses.so") && !stderr.contains("/nonexistent.so"), "{stderr}");
}
