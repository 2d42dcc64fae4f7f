//! The stack as applications meet it, layer by layer: what the tests of this package share.
//!
//! The tests use the libraries that `cargo xtask dist` links, and the compilers of the machine. What is missing fails
//! a test with the command that provides it; nothing is skipped in silence.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The root of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).to_path_buf()
}

/// The folder of our drop-in libraries.
///
/// # Panics
/// When they have not been linked.
pub fn dist() -> PathBuf {
    let target =
        env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |dir| root().join(dir));
    let dir = env::var_os("ROCRS_DIST").map_or_else(|| target.join("dist/lib"), PathBuf::from);
    assert!(
        dir.join("libamdhip64.so.5").exists(),
        "no libraries in {}: run `cargo xtask dist`",
        dir.display()
    );
    dir
}

/// A program that a test needs, by any of its names.
///
/// # Panics
/// When none of them is installed.
pub fn tool(names: &[&str], package: &str) -> PathBuf {
    let path = env::var_os("PATH").unwrap_or_default();
    let found = names.iter().flat_map(|name| env::split_paths(&path).map(move |dir| dir.join(name)));
    found
        .into_iter()
        .find(|file| file.is_file())
        .unwrap_or_else(|| panic!("{} not found: apt-get install {package}", names.join(" or ")))
}

/// Runs a command that must succeed, and returns what it wrote to stdout.
///
/// # Panics
/// When it does not.
pub fn stdout(command: &mut Command) -> String {
    let output = output(command);
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Runs a command to its end.
///
/// # Panics
/// When it cannot be started.
pub fn output(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// Compiles a C program against our `libamdhip64.so.5`. It declares what it calls, so that it needs no headers.
pub fn c_program(source: &str, folder: &Path) -> PathBuf {
    let source = root().join("tests").join(source);
    let program = folder.join(source.file_stem().unwrap_or_default());
    let mut cc = Command::new(tool(&["cc", "gcc"], "gcc"));
    cc.args(["-std=gnu11", "-Wall", "-Werror", "-o"])
        .arg(&program)
        .arg(&source)
        .arg(dist().join("libamdhip64.so.5"));
    stdout(&mut cc);
    program
}

/// A command that runs on our libraries and on the given device.
pub fn on_our_libraries(program: &Path, device: &str) -> Command {
    let mut command = Command::new(program);
    command.env("LD_LIBRARY_PATH", dist()).env("ROCRS_DEVICE", device);
    command
}

/// Compiles the device side of a HIP source that includes nothing: a raw code object, or a bundle.
pub fn device_code(source: &str, chips: &[&str], flags: &[&str], out: &Path) {
    let mut clang = Command::new(tool(&["clang++-19"], "clang-19 lld-19 clang-tools-19"));
    clang.args(["-x", "hip", "--offload-device-only", "-nogpulib", "-nogpuinc", "-O2", "-o"]).arg(out);
    clang.args(chips.iter().map(|chip| format!("--offload-arch={chip}"))).args(flags);
    stdout(clang.arg(root().join("tests").join(source)));
}
