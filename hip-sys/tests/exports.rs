//! The table of exports against the vendor's library, where one is installed, and against itself.

use hip_sys::Major;
use hip_sys::exports::{EXPORTS, NODES, rtc_exports, version_script};
use std::collections::BTreeSet;
use std::process::Command;

#[test]
fn names_are_unique_and_their_nodes_known() {
    let names: BTreeSet<_> = EXPORTS.iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), EXPORTS.len());
    for (name, node) in EXPORTS {
        assert!(NODES.contains(node), "{name} stands at {node}");
    }
}

#[test]
fn the_version_script_holds_each_name_once_and_chains_the_nodes() {
    let script = version_script(Major::Five);
    assert!(script.contains("} hip_4.2;\n"));
    assert_eq!(script.matches("    hipMalloc;\n").count(), 1);
    assert_eq!(script.matches("local:").count(), 1);
    assert_eq!(script.matches("    hiprtcCompileProgram;\n").count(), 1);
    assert!(!version_script(Major::Seven).contains("hiprtc"));
    assert_eq!(rtc_exports().count(), 18);
}

#[test]
fn every_export_of_the_installed_library_is_here_at_the_same_node() {
    let library = "/usr/lib/x86_64-linux-gnu/libamdhip64.so.5";
    let Ok(output) = Command::new("readelf").args(["--dyn-syms", "-W", library]).output() else { return };
    let text = String::from_utf8_lossy(&output.stdout);
    let ours: BTreeSet<_> = EXPORTS.iter().copied().collect();
    let mut compared = 0;
    for line in text.lines().filter(|line| !line.contains(" UND ")) {
        let Some((name, node)) = line.split_whitespace().last().and_then(|word| word.split_once("@@hip_"))
        else {
            continue;
        };
        assert!(ours.contains(&(name, format!("hip_{node}").as_str())), "{name}@hip_{node}");
        compared += 1;
    }
    assert!(compared == 0 || compared >= 409, "{compared} names compared");
}
