//! The emulated device behind `/dev/kfd`, as a program meets it that knows nothing of this workspace.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use system_tests::{dist, output, root, stdout, tool};

/// A command on the emulated GPUs, with arguments.
fn run(gpus: &str, program: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(dist().join("../bin/amdgpu-emu"));
    command.args(["run", "--gpu", gpus, "--"]).arg(program).args(arguments).env("ROCRS_QUIET", "1");
    command
}

fn probe(folder: &Path) -> PathBuf {
    let program = folder.join("probe");
    let mut cc = Command::new(tool(&["cc", "gcc"], "gcc"));
    cc.args(["-std=gnu11", "-Wall", "-Werror", "-O1", "-pthread", "-o"]).arg(&program);
    stdout(cc.arg(root().join("tests/kfd/probe.c")));
    program
}

#[test]
fn a_program_meets_files_descriptors_children_and_memory() {
    let folder = tempfile::tempdir().unwrap();
    let probe = probe(folder.path());
    assert_eq!(stdout(&mut run("gfx90a", &probe, &["files"])), "nodes 2\n");
    assert_eq!(stdout(&mut run("gfx90a,gfx906", &probe, &["files"])), "nodes 3\n");
    for part in ["descriptors", "children", "memory"] {
        assert_eq!(stdout(&mut run("gfx908", &probe, &[part])), format!("{part}\n"));
    }
}

#[test]
fn random_calls_of_many_threads_leave_the_program_alive() {
    let folder = tempfile::tempdir().unwrap();
    let probe = probe(folder.path());
    assert_eq!(stdout(&mut run("gfx90a", &probe, &["storm", "24", "3"])), "storm\n");
}

#[test]
fn the_library_alone_makes_its_own_files_and_removes_them() {
    let folder = tempfile::tempdir().unwrap();
    let probe = probe(folder.path());
    let temporary = folder.path().join("tmp");
    std::fs::create_dir(&temporary).unwrap();
    let mut command = Command::new(&probe);
    command.arg("files").env("LD_PRELOAD", dist().join("libkfd_preload.so"));
    command.env("ROCRS_EMU_GPUS", "gfx900").env("TMPDIR", &temporary);
    assert_eq!(stdout(&mut command), "nodes 2\n");
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0, "a folder is left");
    // A chip that there is not: said on stderr, and no device.
    command.env("ROCRS_EMU_GPUS", "gfx1");
    let output = output(&mut command);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("ROCRS_EMU_GPUS: `gfx1` is no"));
}

#[test]
fn a_program_keeps_its_own_signals_and_needs_no_stderr() {
    let folder = tempfile::tempdir().unwrap();
    let probe = probe(folder.path());
    assert_eq!(stdout(&mut run("gfx90a", &probe, &["signals"])), "signals\n");
    let mut command = run("gfx90a", &probe, &["deaf"]);
    assert_eq!(stdout(command.env_remove("ROCRS_QUIET")), "deaf\n");
}

#[test]
fn threads_that_open_the_device_first_make_one_folder() {
    let folder = tempfile::tempdir().unwrap();
    let probe = probe(folder.path());
    let temporary = folder.path().join("tmp");
    std::fs::create_dir(&temporary).unwrap();
    for _ in 0..20 {
        let mut command = Command::new(&probe);
        command.arg("race").env("LD_PRELOAD", dist().join("libkfd_preload.so")).env("ROCRS_QUIET", "1");
        assert_eq!(stdout(command.env("TMPDIR", &temporary)), "race\n");
        assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0, "a folder is left");
    }
    assert_eq!(stdout(&mut run("gfx90a", &probe, &["changes"])), "changes\n");
}

#[test]
fn the_host_s_root_is_no_folder_of_the_devices() {
    let folder = tempfile::tempdir().unwrap();
    let probe = probe(folder.path());
    // Where the host has a device, the variable is refused; where it has none, it says nothing.
    let mut command = Command::new(&probe);
    command.arg("race").env("LD_PRELOAD", dist().join("libkfd_preload.so")).env("ROCRS_EMU_ROOT", "/");
    let output = output(command.env("ROCRS_QUIET", "1"));
    assert!(output.status.code().is_some(), "{output:?}");
    if !Path::new("/dev/kfd").exists() {
        assert_eq!(String::from_utf8_lossy(&output.stdout), "race\n", "{output:?}");
    }
}

#[test]
fn traces_of_many_threads_are_whole_lines() {
    let folder = tempfile::tempdir().unwrap();
    let probe = probe(folder.path());
    let trace = folder.path().join("trace");
    let mut traced = Command::new(dist().join("../bin/amdgpu-emu"));
    // Two processes, each with threads, to one file.
    let both = format!("{0} storm 8 1 & {0} storm 8 1; wait", probe.display());
    traced.arg("run").arg("--trace").arg(&trace).args(["--", "sh", "-c", &both]).env("ROCRS_QUIET", "1");
    stdout(&mut traced);
    let text = std::fs::read_to_string(&trace).unwrap();
    assert!(text.lines().count() > 1000);
    for line in text.lines() {
        let (micros, call) = line.trim_start().split_once(' ').unwrap_or_default();
        let whole = micros.bytes().all(|byte| byte.is_ascii_digit()) && line.matches(" -> ").count() == 1;
        assert!(whole && !call.is_empty(), "{line:?}");
    }
}

/// Whenever it comes: before the command runs, and once it does.
#[test]
fn a_signal_to_the_starter_ends_the_command_and_leaves_no_files() {
    let folder = tempfile::tempdir().unwrap();
    for after in (0..40).map(|tenths| Some(Duration::from_micros(100 * tenths))).chain([None]) {
        let temporary = folder.path().join(format!("{after:?}"));
        std::fs::create_dir(&temporary).unwrap();
        let begun = temporary.with_extension("begun");
        let script = "echo > \"$0\"; exec sleep 100";
        let mut command = run("gfx90a", Path::new("sh"), &["-c", script, begun.to_str().unwrap()]);
        let mut started = command.env("TMPDIR", &temporary).spawn().unwrap();
        // Caught before there is anything to remove.
        while !catches_sigterm(started.id()) {
            std::thread::yield_now();
        }
        match after {
            Some(time) => std::thread::sleep(time),
            None => {
                while !begun.exists() {
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
        }
        stdout(Command::new("sh").args(["-c", &format!("kill {}", started.id())]));
        assert_eq!(started.wait().unwrap().code(), Some(128 + 15), "after {after:?}");
        assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0, "a folder is left after {after:?}");
    }
}

/// See proc_pid_status(5): bit 14 of the mask is SIGTERM.
fn catches_sigterm(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
    u64::from_str_radix(mask.trim(), 16).unwrap() >> 14 & 1 == 1
}

#[test]
fn the_starter_passes_status_trace_and_table_on() {
    let folder = tempfile::tempdir().unwrap();
    let probe = probe(folder.path());
    let code = |command: &mut Command| output(command).status.code();
    assert_eq!(code(&mut run("gfx90a", Path::new("sh"), &["-c", "exit 7"])), Some(7));
    assert_eq!(code(&mut run("gfx90a", Path::new("sh"), &["-c", "kill -ABRT $$"])), Some(134));
    assert_eq!(code(&mut run("gfx90a", Path::new("/no/such/program"), &[])), Some(127));
    assert_eq!(code(&mut run("gfx1", Path::new("true"), &[])), Some(1));
    let trace = folder.path().join("trace");
    let mut traced = Command::new(dist().join("../bin/amdgpu-emu"));
    traced.arg("run").arg("--trace").arg(&trace).arg("--").arg(&probe).arg("memory");
    stdout(&mut traced);
    let text = std::fs::read_to_string(&trace).unwrap();
    for call in ["ACQUIRE_VM", "ALLOC_MEMORY_OF_GPU", "-> EBUSY", "-> ENOMEM", "mmap Render(128)"] {
        assert!(text.contains(call), "no {call} in\n{text}");
    }
    let mut info = Command::new(dist().join("../bin/amdgpu-emu"));
    info.args(["info", "--gpu", "gfx90a,gfx908"]);
    let table = stdout(&mut info);
    assert!(table.contains("gfx90a") && table.contains("gfx908") && table.contains("/dev/dri/renderD129"));
    assert!(stdout(info.arg("--json")).contains("\"gfx_target_version\": 90008"));
}
