//! Programs that compile kernels at run time, linked as programs for HIP 5, 6 and 7 are.

use std::path::Path;
use std::process::Command;
use system_tests::{dist, on_our_libraries, output, root, stdout, tool};

fn program(folder: &Path, major: u32, libraries: &[&str]) -> Command {
    let program = folder.join(format!("hiprtc{major}"));
    let mut cc = Command::new(tool(&["cc", "gcc"], "gcc"));
    cc.args(["-std=gnu11", "-Wall", "-Werror", "-o"]).arg(&program).arg(root().join("tests/hip/hiprtc.c"));
    stdout(cc.args(libraries.iter().map(|name| dist().join(format!("{name}.so.{major}")))));
    let mut command = on_our_libraries(&program, "emu:gfx90a");
    command.arg(folder.join("two.bc")).env("ROCRS_HIPRTC_CACHE", folder.join("cache"));
    command
}

#[test]
fn programs_are_compiled_linked_and_run() {
    let folder = tempfile::tempdir().unwrap();
    // HIP 5 has it in the runtime, HIP 7 has it in its own library alone.
    let versions: [(u32, &[&str]); 3] =
        [(5, &["libamdhip64"]), (6, &["libhiprtc", "libamdhip64"]), (7, &["libhiprtc", "libamdhip64"])];
    for (major, libraries) in versions {
        let said = stdout(&mut program(folder.path(), major, libraries));
        assert_eq!(said, "hiprtc: all as it should be\n", "HIP {major}");
    }
    // All three compiled the same four programs, of which one does not compile.
    assert_eq!(std::fs::read_dir(folder.path().join("cache")).unwrap().count(), 3);
}

#[test]
fn without_a_compiler_the_log_says_what_was_looked_for() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = program(folder.path(), 7, &["libhiprtc", "libamdhip64"]);
    let said = output(command.env("ROCRS_CLANG", "/no/such/clang++"));
    assert!(!said.status.success());
    let text = String::from_utf8_lossy(&said.stdout);
    assert!(text.contains("ROCRS_CLANG=/no/such/clang++: there is no such program"), "{text}");
}
