//! Programs compiled for HIP 5, 6 and 7: each gets its own layouts, numbers and error rules from the library that it is
//! linked with, `libamdhip64.so.5`, `.6` or `.7`.

use std::process::Command;
use system_tests::{dist, on_our_libraries, root, stdout, tool};

#[test]
fn each_version_has_its_own_abi() {
    let folder = tempfile::tempdir().unwrap();
    for major in [5, 6, 7] {
        let program = folder.path().join(format!("abi{major}"));
        let mut cc = Command::new(tool(&["cc", "gcc"], "gcc"));
        cc.args(["-std=gnu11", "-Wall", "-Werror", "-o"]).arg(&program).arg(format!("-DMAJOR={major}"));
        cc.arg(root().join("tests/hip/abi.c")).arg(dist().join(format!("libamdhip64.so.{major}")));
        stdout(&mut cc);
        let said = stdout(&mut on_our_libraries(&program, "emu:gfx90a"));
        assert_eq!(said, format!("HIP {major}: all as it should be\n"));
    }
}

/// What came after 5.2.3 has no program in `tests/kernels`, which AMD's library of that version runs too.
#[test]
fn later_functions_do_what_they_should_in_each_version() {
    let folder = tempfile::tempdir().unwrap();
    for major in [5, 6, 7] {
        let program = folder.path().join(format!("later{major}"));
        let mut cc = Command::new(tool(&["cc", "gcc"], "gcc"));
        cc.args(["-std=gnu11", "-Wall", "-Werror", "-o"]).arg(&program);
        cc.arg(root().join("tests/hip/later.c")).arg(dist().join(format!("libamdhip64.so.{major}")));
        stdout(&mut cc);
        let said = stdout(&mut on_our_libraries(&program, "emu:gfx90a"));
        assert!(said.ends_with(" checks: all as it should be\n"), "HIP {major}: {said}");
    }
}

#[test]
fn the_name_without_a_version_is_the_newest_or_the_folders() {
    for (folder, soname) in [("lib", 7), ("hip5", 5), ("hip6", 6), ("hip7", 7)] {
        let link = dist().join("..").join(folder).join("libamdhip64.so");
        let file = link.canonicalize().unwrap_or_else(|error| panic!("{}: {error}", link.display()));
        assert!(
            file.ends_with(format!("libamdhip64.so.{soname}")),
            "{} is {}",
            link.display(),
            file.display()
        );
    }
}
