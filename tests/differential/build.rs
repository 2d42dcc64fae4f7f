//! Compiles a translation unit for the host and for a chip.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{fs, io};

use amd_codeobj::{CodeObject, SymbolKind};

/// The compiler, and where the device libraries are.
#[derive(Debug, Clone)]
pub struct Compiler {
    pub clang: PathBuf,
    pub device_libs: PathBuf,
    /// Further flags for the device side.
    pub flags: Vec<String>,
}

/// Why there is nothing to compare.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{command}\n{said}")]
    Compiler { command: String, said: String },
    /// It does so now and then, on programs that are in order (compiler-bugs.md 7).
    #[error("the compiler crashed: {command}")]
    Crash { command: String },
    #[error("the host's program {}: {what}", path.display())]
    Host { path: PathBuf, what: String },
    #[error("what the compiler made: {0}")]
    CodeObject(#[from] amd_codeobj::Error),
}

pub fn at(path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::Io { path, source }
}

/// What both sides are compiled with: integers wrap, each operation rounds on its own; a crash leaves no files behind.
const BOTH: &[&str] = &[
    "-std=c++17",
    "-w",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-ffp-contract=off",
    "-fno-exceptions",
    "-fno-crash-diagnostics",
];

impl Compiler {
    pub fn host(&self, source: &Path, out: &Path) -> Result<(), Error> {
        let mut clang = Command::new(&self.clang);
        clang.args(["-x", "c++", "-O1", "-Xclang", "-ffloat16-excess-precision=none"]).args(BOTH);
        run(clang.arg(source).arg("-o").arg(out).arg("-lm"))
    }

    /// The command for the device side, without the output.
    pub fn device_command(&self, source: &Path, chip: &str, opt: u8) -> Command {
        let mut clang = Command::new(&self.clang);
        clang.args(["-x", "hip", "--offload-device-only", "--no-gpu-bundle-output", "-nogpuinc"]).args(BOTH);
        clang.arg(format!("--offload-arch={chip}")).arg(format!("-O{opt}"));
        clang
            .arg(format!("--hip-device-lib-path={}", self.device_libs.display()))
            .args(&self.flags)
            .arg(source);
        clang
    }

    pub fn device(&self, source: &Path, chip: &str, opt: u8, out: &Path) -> Result<Vec<u8>, Error> {
        run(self.device_command(source, chip, opt).arg("-o").arg(out))?;
        fs::read(out).map_err(at(out))
    }
}

fn run(command: &mut Command) -> Result<(), Error> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|source| Error::Io { path: PathBuf::from(command.get_program()), source })?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let command = line(command);
    Err(if said.contains("PLEASE submit a bug report") {
        Error::Crash { command }
    } else {
        Error::Compiler { command, said }
    })
}

/// The functions, kernels apart, that are longer than a branch reaches: their return address is lost (compiler-bugs.md 9).
pub fn long_functions(code: &[u8]) -> Result<Vec<String>, Error> {
    /// `s_branch` has 16 bits, signed, for words.
    const REACH: u64 = 4 << 15;
    let object = CodeObject::parse(code)?;
    let mut names = Vec::new();
    for symbol in object.all_symbols()? {
        let symbol = symbol?;
        let is_kernel = object.symbol(&format!("{}.kd", symbol.name)).is_ok();
        if symbol.kind == SymbolKind::FUNC && symbol.size > REACH && !is_kernel {
            names.push(symbol.name.to_owned());
        }
    }
    Ok(names)
}

/// The command as a person would type it.
pub fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

/// Runs the host's program: inputs of all functions in, their outputs out.
pub fn run_host(program: &Path, input: &[u64], folder: &Path) -> Result<Vec<u64>, Error> {
    let (from, to) = (folder.join("in"), folder.join("out"));
    let bytes: Vec<u8> = input.iter().flat_map(|word| word.to_le_bytes()).collect();
    fs::write(&from, bytes).map_err(at(&from))?;
    let status = Command::new(program).arg(&from).arg(&to).status().map_err(at(program))?;
    if !status.success() {
        return Err(Error::Host { path: program.to_owned(), what: status.to_string() });
    }
    let bytes = fs::read(&to).map_err(at(&to))?;
    Ok(bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect())
}
