//! What the tests share: files made with LLVM's tools, and running ours.
#![allow(dead_code, reason = "each test file uses its part")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

/// Runs a tool of LLVM's. One that is missing is an error with the way out, never a skip.
pub fn llvm(tool: &str, args: &[&str]) -> String {
    let output = Command::new(tool).args(args).output().unwrap_or_else(|error| {
        panic!("cannot run {tool}: {error}; install it with: apt-get install -y clang-19 clang-tools-19 lld-19 llvm-19")
    });
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{tool} {args:?} failed: {stderr}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A folder that is removed at the end of the process's last test that holds it.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// Compiles `inputs/kernels.hip` with these flags.
pub fn compile(output: &Path, flags: &[&str]) {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/inputs/kernels.hip");
    let mut args = vec!["-x", "hip", "-nogpulib", "-nogpuinc", "-O2", "-w", "-mcode-object-version=5"];
    args.extend(flags);
    args.extend([source, "-o", output.to_str().unwrap()]);
    llvm("clang-19", &args);
}

/// The same files for all tests of a file.
pub struct Files {
    /// A code object for gfx90a, with line tables.
    pub code: PathBuf,
    /// The same without being linked.
    pub relocatable: PathBuf,
    /// A host's object file with a fat binary for gfx90a:xnack-, gfx90a:xnack+ and gfx1100.
    pub object: PathBuf,
    /// The same, compressed.
    pub compressed: PathBuf,
    /// An archive of both.
    pub archive: PathBuf,
}

pub static FILES: LazyLock<Files> = LazyLock::new(|| {
    // A static is never dropped, so that a folder of its own would stay: the last run's is written over.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("amd-codeobj");
    std::fs::create_dir_all(&folder).unwrap();
    let path = |name: &str| folder.join(name);
    let files = Files {
        code: path("code.co"),
        relocatable: path("code.o"),
        object: path("fat.o"),
        compressed: path("compressed.o"),
        archive: path("fat.a"),
    };
    let text = |path: &PathBuf| path.to_str().unwrap().to_owned();
    let device = ["--offload-arch=gfx90a", "--cuda-device-only", "--no-gpu-bundle-output", "-g"];
    compile(&files.code, &device);
    let assembly = path("code.s");
    compile(&assembly, &[&device[..], &["-S"]].concat());
    let (assembly, relocatable) = (text(&assembly), text(&files.relocatable));
    let target = ["-target", "amdgcn-amd-amdhsa", "-mcpu=gfx90a", "-mcode-object-version=5", "-nogpulib"];
    llvm("clang-19", &[&target[..], &["-c", &assembly, "-o", &relocatable]].concat());
    let archs =
        ["--offload-arch=gfx90a:xnack-", "--offload-arch=gfx90a:xnack+", "--offload-arch=gfx1100", "-c"];
    compile(&files.object, &archs);
    compile(&files.compressed, &[&archs[..], &["--offload-compress"]].concat());
    // Members that are there already would be kept.
    let _ = std::fs::remove_file(&files.archive);
    let members = [text(&files.archive), text(&files.object), text(&files.compressed)];
    llvm("llvm-ar-19", &["rc", &members[0], &members[1], &members[2]]);
    files
});

/// What a tool of ours did.
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Ran {
        Ran {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// Runs `amd-codeobj`, with paths as words.
pub fn codeobj(words: &[&str]) -> Ran {
    Command::new(env!("CARGO_BIN_EXE_amd-codeobj")).args(words).output().unwrap().into()
}

/// The same, which must succeed without a word on stderr.
pub fn good(words: &[&str]) -> String {
    let ran = codeobj(words);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{words:?}");
    ran.stdout
}
