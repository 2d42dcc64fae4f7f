//! One C program, `probe.c`, on the vendor's library and on ours: every attribute and some two hundred calls with wrong
//! arguments, on the emulated device behind `/dev/kfd`. Where the two differ, the reason stands here.
//!
//! Needs the linked libraries (`cargo xtask dist`, which `cargo xtask test-gpu` runs and names in `ROCRS_DIST`) and the
//! vendor's (Debian: `apt-get install libhsa-runtime64-1 libhsa-runtime-dev`).

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The machines to probe: chips that the vendor's library knows.
const MACHINES: &[&str] = &["gfx90a", "gfx906", "gfx908"];

/// Lines on which the two may differ, by how they begin, and why.
#[rustfmt::skip]
const MAY_DIFFER: &[(&str, &str)] = &[
    ("system 0 0x7:", "the vendor's mask has bits for the finalizer's sake, and shifts those of AMD's extensions by one"),
    ("agent 1 0x14:", "as above"),
    ("extension 0 version", "no finalizer: the vendor's library says yes, and then has none"),
    ("extension 0x200 version", "no profiler: as above"),
    ("extension 0x201 version 1:", "the vendor's library says 1.0 and has the table of 1.3; ours says so"),
    ("extension 0x202 version", "aqlprofile is another library, which the vendor's looks for in vain"),
    ("agent 1 extension 0:", "as above"), ("agent 1 extension 0 major:", "as above"),
    ("agent 1 extension 0x2", "as above: the vendor's says yes of everything"),
    ("agent 1 extension 0x3", "as above"),
    ("status 0x2d:", "HSA_STATUS_ERROR_OUT_OF_REGISTERS is newer than 5.2.3"),
    ("cache ", "the manual says that the name is text and the size bytes; 5.2.3 gives a pointer and KiB"),
    ("agent 1 0x300b:", "5.2.3 gives the chip's number for want of a break"),
    ("hsa_agent_major_extension_supported(0, gpu, 1, NULL, &result):", "5.2.3 crashes"),
    ("hsa_signal_group_create(1, &signal, 0, NULL, NULL):", "5.2.3 crashes"),
    ("hsa_queue_create(cpu,", "the manual: INVALID_QUEUE_CREATION when the agent has no queues of that type"),
    ("hsa_executable_load_agent_code_object(executable, no_agent,", "the manual: INVALID_AGENT"),
    ("hsa_executable_agent_global_variable_define(executable, no_agent,", "the manual: INVALID_AGENT"),
    ("hsa_code_object_deserialize(", "not implemented; deprecated"),
    ("hsa_system_get_extension_table(0x201, 1, 3", "see above"),
];

/// The program, under a name of its own: tests run at the same time.
fn build(name: &str) -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/probe.c");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let vendors = Path::new("/usr/lib/x86_64-linux-gnu/libhsa-runtime64.so");
    if !Path::new("/usr/include/hsa/hsa.h").exists() || !vendors.exists() {
        eprintln!("SKIPPED: no hsa/hsa.h: apt-get install libhsa-runtime-dev libhsa-runtime64-1");
        return None;
    }
    let built = Command::new("cc")
        .args(["-O1", "-w", "-o"])
        .arg(&program)
        .arg(source)
        .args(["-lhsa-runtime64", "-lpthread"])
        .status();
    assert!(built.expect("cc").success());
    Some(program)
}

/// Runs a command that has 20 seconds: one that hangs fails, and holds nothing up.
fn limited(command: &Command) -> Output {
    let mut limited = Command::new("timeout");
    limited.args(["-s", "KILL", "20"]).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => limited.env(name, value),
            None => limited.env_remove(name),
        };
    }
    limited.output().expect("timeout, of coreutils")
}

/// What the program prints on a library: the one in `folder`, or the installed one.
fn says(program: &Path, dist: &Path, chips: &str, folder: Option<&Path>) -> Vec<String> {
    let mut command = Command::new(dist.join("../bin/amdgpu-emu"));
    command.args(["run", "--gpu", chips, "--"]).arg(program);
    command.env_remove("LD_LIBRARY_PATH").env("ROCRS_DEVICE", "kfd");
    if let Some(folder) = folder {
        command.env("LD_LIBRARY_PATH", folder);
    }
    let output = limited(&command);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{:?} on {folder:?}:\n{text}\n{said}", output.status);
    text.lines().map(str::to_owned).collect()
}

#[test]
fn the_vendors_library_and_ours_answer_the_same() {
    let Some(dist) = std::env::var_os("ROCRS_DIST").map(PathBuf::from) else {
        eprintln!("SKIPPED: ROCRS_DIST does not say where the linked libraries are (cargo xtask dist)");
        return;
    };
    let Some(program) = build("hsa-probe") else { return };
    for chips in MACHINES {
        let vendors = says(&program, &dist, chips, None);
        let ours = says(&program, &dist, chips, Some(&dist.join("../rocr")));
        assert!(vendors.len() > 800, "{} lines", vendors.len());
        let differing: Vec<_> = vendors
            .iter()
            .zip(&ours)
            .filter(|(theirs, ours)| theirs != ours)
            .filter(|(theirs, _)| !MAY_DIFFER.iter().any(|(start, _)| theirs.starts_with(start)))
            .map(|(theirs, ours)| format!("vendor: {theirs}\nours:   {ours}\n"))
            .collect();
        assert!(differing.is_empty(), "{chips}:\n{}", differing.concat());
        assert_eq!(vendors.len(), ours.len(), "{chips}");
    }
}

#[test]
fn the_device_in_the_process_answers_as_the_one_behind_kfd() {
    let Some(dist) = std::env::var_os("ROCRS_DIST").map(PathBuf::from) else {
        eprintln!("SKIPPED: ROCRS_DIST does not say where the linked libraries are (cargo xtask dist)");
        return;
    };
    let Some(program) = build("hsa-probe-in-process") else { return };
    let folder = dist.join("../rocr");
    let behind = says(&program, &dist, "gfx90a", Some(&folder));
    let mut command = Command::new(&program);
    command.env("LD_LIBRARY_PATH", &folder).env("ROCRS_DEVICE", "emu:gfx90a").env("ROCRS_QUIET", "1");
    let output = limited(&command);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    // A host whose sysfs is not mounted, as in a bare container, has no caches to tell of; `amdgpu-emu` shows some then.
    let bare = !Path::new("/sys/devices/system/cpu/cpu0/cache/index0/level").exists();
    let of_caches = ["agent 0 0x12:", "agent 0 caches:", "cache "];
    // The serial number is made anew for each run.
    let is_same = |line: &&str| {
        !(line.starts_with("agent 1 0xa011:")
            || bare && of_caches.iter().any(|start| line.starts_with(start)))
    };
    let within: Vec<&str> = text.lines().filter(is_same).collect();
    let behind: Vec<&str> = behind.iter().map(String::as_str).filter(is_same).collect();
    assert_eq!(within, behind);
}
