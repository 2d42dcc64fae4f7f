//! One C program, `probe.c`, on the vendor's library and on ours: both must answer the same. It calls every function of
//! 5.2.3 in right and wrong ways, in a child of `fork` too, on the emulated device behind `/dev/kfd`.
//!
//! Needs the linked libraries (`cargo xtask dist`, which `cargo xtask test-gpu` runs and names in `ROCRS_DIST`) and the
//! vendor's (Debian: `apt-get install libhsakmt1 libhsakmt-dev`).

use std::path::{Path, PathBuf};
use std::process::Command;

/// The machines to probe: chips that the vendor's library knows.
const MACHINES: &[&str] = &["gfx90a", "gfx906", "gfx908,gfx908"];

/// Lines on which the two may differ, by how they begin, and why.
const MAY_DIFFER: &[(&str, &str)] = &[];

fn build(name: &str) -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(format!("{name}.c"));
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if !Path::new("/usr/include/hsakmt.h").exists() {
        eprintln!("SKIPPED: no /usr/include/hsakmt.h: apt-get install libhsakmt-dev libhsakmt1");
        return None;
    }
    let built = Command::new("cc")
        .args(["-O1", "-Wall", "-Werror", "-o"])
        .arg(&program)
        .arg(source)
        .args(["-lhsakmt", "-lpthread"])
        .status();
    assert!(built.expect("cc").success());
    Some(program)
}

/// What the program prints on a library: the one in `folder`, or the installed one.
fn says(program: &Path, dist: &Path, chips: &str, folder: Option<&Path>) -> Vec<String> {
    let mut command = Command::new(dist.join("../bin/amdgpu-emu"));
    command.args(["run", "--gpu", chips, "--"]).arg(program);
    command.env_remove("LD_LIBRARY_PATH").env("ROCRS_DEVICE", "kfd");
    if let Some(folder) = folder {
        command.env("LD_LIBRARY_PATH", folder);
    }
    let output = command.output().expect("amdgpu-emu");
    let text = String::from_utf8(output.stdout).unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{:?} on {folder:?}:\n{text}\n{said}", output.status);
    text.lines().map(str::to_owned).collect()
}

/// The folder of linked libraries.
fn dist() -> Option<PathBuf> {
    let dist = std::env::var_os("ROCRS_DIST").map(PathBuf::from);
    if dist.is_none() {
        eprintln!("SKIPPED: ROCRS_DIST does not say where the linked libraries are (cargo xtask dist)");
    }
    dist
}

#[test]
fn the_vendors_library_and_ours_answer_the_same() {
    let (Some(dist), Some(program)) = (dist(), build("probe")) else { return };
    for chips in MACHINES {
        let vendors = says(&program, &dist, chips, None);
        let ours = says(&program, &dist, chips, Some(&dist.join("../thunk")));
        assert!(vendors.len() > 500, "{} lines", vendors.len());
        for (number, (theirs, ours)) in vendors.iter().zip(&ours).enumerate() {
            let excused = MAY_DIFFER.iter().any(|(start, _)| theirs.starts_with(start));
            assert!(theirs == ours || excused, "{chips}, line {number}:\nvendor: {theirs}\nours:   {ours}");
        }
        assert_eq!(vendors.len(), ours.len(), "{chips}");
    }
}

#[test]
fn functions_after_5_2_3_answer_as_they_should() {
    let (Some(dist), Some(program)) = (dist(), build("newer")) else { return };
    for chips in MACHINES {
        says(&program, &dist, chips, Some(&dist.join("../thunk")));
    }
}

#[test]
fn children_of_a_program_whose_other_threads_use_the_library_go_on() {
    let (Some(dist), Some(program)) = (dist(), build("forks")) else { return };
    says(&program, &dist, "gfx90a", Some(&dist.join("../thunk")));
}
