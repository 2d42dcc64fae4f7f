//! What the tests share: runtimes on emulated GPUs, and code objects compiled when a test runs.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::{path::Path, process::Command, sync::Arc};

use rocr_rs::{Agent, OpenOptions, Runtime};

/// The chips that tests run on.
pub const CHIPS: &[&str] = &["gfx90a", "gfx942"];

/// A runtime on one emulated GPU.
pub fn emulated(chip: &str) -> (Arc<Runtime>, Agent) {
    let options = OpenOptions { device: Some(format!("emu:{chip}")), ..OpenOptions::default() };
    let runtime = Runtime::open(&options).unwrap_or_else(|error| panic!("emulated {chip}: {error}"));
    let agent = runtime.gpu_agents().first().cloned().expect("an emulated GPU has an agent");
    (runtime, agent)
}

/// Compiles C for a chip. A test that needs a compiler fails without one.
pub fn compile(chip: &str, source: &str, flags: &[&str]) -> Vec<u8> {
    let clang = ["clang-19", "clang"].into_iter().find(|name| {
        std::env::var_os("PATH")
            .is_some_and(|path| std::env::split_paths(&path).any(|dir| Path::new(&dir).join(name).exists()))
    });
    let clang = clang.expect("this test compiles kernels: apt-get install -y clang-19 lld-19");
    let dir = tempfile::tempdir().expect("a temporary folder");
    let (input, output) = (dir.path().join("kernel.c"), dir.path().join("kernel.co"));
    std::fs::write(&input, source).expect("writing the source");
    let result = Command::new(clang)
        .args([
            "-x",
            "c",
            "-target",
            "amdgcn-amd-amdhsa",
            &format!("-mcpu={chip}"),
            "-nogpulib",
            "-ffreestanding",
        ])
        .args(["-O2", "-fvisibility=default"])
        .args(flags)
        .arg(&input)
        .arg("-o")
        .arg(&output)
        .output()
        .expect("running clang");
    assert!(result.status.success(), "{}", String::from_utf8_lossy(&result.stderr));
    std::fs::read(&output).expect("the code object")
}

/// Resident memory of this process, in KiB.
pub fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("/proc/self/status");
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("VmRSS");
    line.split_whitespace().nth(1).and_then(|n| n.parse().ok()).expect("a number")
}
