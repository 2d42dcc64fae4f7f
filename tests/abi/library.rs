//! `libamdhip64.so` as the loader sees it: SONAMEs, symbol versions, what it needs itself.

use hip_sys::Major;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use system_tests::{dist, stdout, tool};

/// Every defined dynamic symbol with its default version.
fn exports(library: &Path) -> BTreeMap<String, String> {
    let readelf = tool(&["readelf"], "binutils");
    let text = stdout(Command::new(readelf).args(["--dyn-syms", "-W"]).arg(library));
    text.lines()
        .filter_map(|line| {
            let columns: Vec<&str> = line.split_whitespace().collect();
            let (name, section) = (columns.get(7)?, columns.get(6)?);
            let (name, version) = name.split_once("@@")?;
            // The version nodes are themselves symbols, absolute ones.
            (*section != "UND" && *section != "ABS").then(|| (name.to_owned(), version.to_owned()))
        })
        .collect()
}

fn dynamic(library: &Path, tag: &str) -> Vec<String> {
    let readelf = tool(&["readelf"], "binutils");
    let text = stdout(Command::new(readelf).args(["-d", "-W"]).arg(library));
    let tag = format!("({tag})");
    text.lines()
        .filter(|line| line.contains(&tag))
        .filter_map(|line| Some(line.split_once('[')?.1.split_once(']')?.0.to_owned()))
        .collect()
}

#[test]
fn each_name_stands_at_its_version() {
    for &major in Major::ALL {
        let library = dist().join(format!("libamdhip64.so.{}", major.number()));
        let ours = exports(&library);
        let wrong: Vec<String> = hip_sys::exports::exports(major)
            .filter(|(name, node)| ours.get(*name).is_none_or(|version| version != node))
            .map(|(name, node)| format!("{name}@@{node} (is {:?})", ours.get(name)))
            .collect();
        assert!(wrong.is_empty(), "{}: {} names: {}", library.display(), wrong.len(), wrong.join(", "));
    }
}

#[test]
fn nothing_else_is_exported() {
    for &major in Major::ALL {
        let more: Vec<String> = exports(&dist().join(format!("libamdhip64.so.{}", major.number())))
            .into_keys()
            .filter(|name| !hip_sys::exports::exports(major).any(|(listed, _)| listed == name))
            .collect();
        assert!(more.is_empty(), "{major:?}: {}", more.join(", "));
    }
}

#[test]
fn version_nodes_are_chained() {
    let readelf = tool(&["readelf"], "binutils");
    let text = stdout(Command::new(readelf).args(["-V", "-W"]).arg(dist().join("libamdhip64.so.5")));
    for pair in hip_sys::exports::NODES.windows(2) {
        let (parent, node) = (pair[0], pair[1]);
        let at = text.lines().position(|line| line.ends_with(&format!("Name: {node}")));
        let at = at.unwrap_or_else(|| panic!("no version node {node}"));
        let next = text.lines().nth(at + 1).unwrap_or_default();
        assert!(
            next.contains("Parent 1") && next.ends_with(parent),
            "{node} does not inherit {parent}: {next}"
        );
    }
}

#[test]
fn sonames_are_those_that_programs_ask_for() {
    for major in [5, 6, 7] {
        let name = format!("libamdhip64.so.{major}");
        assert_eq!(dynamic(&dist().join(&name), "SONAME"), [name]);
    }
}

#[test]
fn nothing_of_rocm_is_needed() {
    for library in dynamic(&dist().join("libamdhip64.so.5"), "NEEDED") {
        let stem = library.split(".so").next().unwrap_or_default();
        let plain = ["libc", "libm", "libgcc_s", "libdl", "libpthread", "librt", "ld-linux-x86-64"];
        assert!(plain.contains(&stem), "needs {library}");
    }
}

#[test]
fn all_that_the_vendors_library_exports_is_there() {
    let vendor = Path::new("/usr/lib/x86_64-linux-gnu/libamdhip64.so.5");
    assert!(vendor.exists(), "no {} to compare with: apt-get install libamdhip64-5", vendor.display());
    let ours = exports(&dist().join("libamdhip64.so.5"));
    let lacking: Vec<String> = exports(vendor)
        .into_iter()
        .filter(|(name, version)| ours.get(name) != Some(version))
        .map(|(name, version)| format!("{name}@@{version}"))
        .collect();
    assert!(lacking.is_empty(), "{}: {}", lacking.len(), lacking.join(", "));
}
