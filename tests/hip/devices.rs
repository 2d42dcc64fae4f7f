//! What `ROCRS_DEVICE` chooses, as a program sees it.

use std::path::Path;

use system_tests::{c_program, on_our_libraries, output, stdout};

#[test]
fn two_emulated_gpus() {
    let folder = tempfile::tempdir().unwrap();
    let probe = c_program("hip/probe.c", folder.path());
    assert_eq!(stdout(on_our_libraries(&probe, "emu:gfx90a,gfx942").arg("count")), "0 2\n");
    assert_eq!(stdout(on_our_libraries(&probe, "emu:gfx942").arg("count")), "0 1\n");
}

#[test]
fn hardware_is_found_or_an_error_says_path_and_reason() {
    let folder = tempfile::tempdir().unwrap();
    let probe = c_program("hip/probe.c", folder.path());
    let output = output(on_our_libraries(&probe, "kfd").arg("count"));
    assert!(output.status.success(), "{}", output.status);
    let said = String::from_utf8_lossy(&output.stdout);
    let message = String::from_utf8_lossy(&output.stderr);
    let driver = Path::new("/dev/kfd").exists();
    if let Some(count) = said.trim().strip_prefix("0 ") {
        assert!(driver && count.parse::<u32>().is_ok_and(|count| count > 0), "{said}");
        return;
    }
    assert!(said.starts_with("100 "), "hipErrorNoDevice is 100, and this is {said}");
    assert!(message.contains("/dev/kfd"), "no path in: {message}");
    // The driver may be there without a GPU, or without leave to open it.
    let absent = message.contains("ENOENT") || message.contains("No such file");
    assert!(driver || absent, "no reason in: {message}");
}

#[test]
fn an_unknown_chip_is_an_error_that_lists_the_known_ones() {
    let folder = tempfile::tempdir().unwrap();
    let probe = c_program("hip/probe.c", folder.path());
    let output = output(on_our_libraries(&probe, "emu:gfx1").arg("count"));
    assert!(output.status.success(), "{}", output.status);
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("100 "));
    let message = String::from_utf8_lossy(&output.stderr);
    for name in ["gfx1", "gfx90a", "gfx942"] {
        assert!(message.contains(name), "no {name} in: {message}");
    }
}
