//! Which compiler: found in the same order in which `cargo xtask` finds it for the project's own kernels.
//!
//! 1. `ROCRS_CLANG`, a clang++ by its path or its name in `PATH`. One that is not there is an error.
//! 2. `HIP_CLANG_PATH`, the folder of a clang++.
//! 3. `llvm/bin/clang++` of ROCm: `ROCM_PATH`, `HIP_PATH`, `/opt/rocm*` with the latest first, then the headers' own.
//! 4. Debian's clang: 19, 20, 21, 18, 17; then `clang++` in `PATH`.
//!
//! HIP's headers are those of `ROCM_PATH`, `HIP_PATH`, `/opt/rocm*` or `/usr`; the device libraries those of
//! `HIP_DEVICE_LIB_PATH`, of the same ROCm, of the clang itself, or Debian's.

use crate::Error;
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The Debian clang releases that are looked for, the best-tried one first.
const RELEASES: &[&str] = &["19", "20", "21", "18", "17"];

const REMEDY: &str = "On Debian: apt-get install clang-19 lld-19 libamdhip64-dev rocm-device-libs; elsewhere set ROCRS_CLANG \
                      to a clang++ with the AMDGPU target, and ROCM_PATH to the folder of include/hip";

/// What compiles.
#[derive(Debug, Clone)]
pub struct Compiler {
    /// `clang++`.
    pub clang: PathBuf,
    /// The folder that holds `include/hip/hip_runtime.h`.
    pub rocm: PathBuf,
    /// The folder that holds `ocml.bc` and its companions.
    pub device_libs: PathBuf,
}

impl Compiler {
    /// Looks for it.
    pub fn find() -> Result<Self, Error> {
        Self::find_with(&|name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from))
    }

    fn find_with(variable: &dyn Fn(&str) -> Option<PathBuf>) -> Result<Self, Error> {
        let installs = installs(variable);
        let mut roots = installs.clone();
        roots.push("/usr".into());
        let rocm = first("HIP header (include/hip/hip_runtime.h)", roots, |dir| {
            dir.join("include/hip/hip_runtime.h").is_file()
        })?;
        let clang = clang(&installs, &rocm, variable)?;
        let mut folders: Vec<PathBuf> = variable("HIP_DEVICE_LIB_PATH").into_iter().collect();
        folders.push(rocm.join("amdgcn/bitcode"));
        if let Some(own) = resource_dir(&clang) {
            folders.extend([own.join("lib/amdgcn/bitcode"), own.join("amdgcn/bitcode")]);
        }
        folders.push("/usr/lib/x86_64-linux-gnu/amdgcn/bitcode".into());
        let device_libs = first("device library (ocml.bc)", folders, |dir| dir.join("ocml.bc").is_file())?;
        Ok(Self { clang, rocm, device_libs })
    }

    /// What tells this compiler from another one at the same place: for the cache.
    pub(crate) fn identity(&self) -> String {
        let program = self.clang.canonicalize().unwrap_or_else(|_| self.clang.clone());
        format!(
            "{} {} {} {}",
            program.display(),
            crate::cache::stamp(&program).unwrap_or_default(),
            self.rocm.display(),
            self.device_libs.display()
        )
    }
}

fn first(
    what: &'static str,
    candidates: Vec<PathBuf>,
    mut good: impl FnMut(&Path) -> bool,
) -> Result<PathBuf, Error> {
    match candidates.iter().find(|path| good(path)) {
        Some(found) => Ok(found.clone()),
        None => Err(Error::Missing { what, searched: candidates, remedy: REMEDY }),
    }
}

/// ROCm installs: those that the environment names, then those under `/opt`, the latest first.
fn installs(variable: &dyn Fn(&str) -> Option<PathBuf>) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        ["ROCM_PATH", "HIP_PATH"].iter().filter_map(|name| variable(name)).collect();
    let mut opt: Vec<PathBuf> = std::fs::read_dir("/opt")
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("rocm")))
        .collect();
    opt.sort();
    found.extend(opt.into_iter().rev());
    found
}

fn clang(
    installs: &[PathBuf],
    rocm: &Path,
    variable: &dyn Fn(&str) -> Option<PathBuf>,
) -> Result<PathBuf, Error> {
    if let Some(named) = variable("ROCRS_CLANG") {
        let bare = named.to_str().filter(|name| !name.contains('/')).and_then(|name| in_path(name, variable));
        let error =
            |why| Error::Environment { variable: "ROCRS_CLANG", value: named.display().to_string(), why };
        let path = if named.is_file() { Some(named.clone()) } else { bare };
        let path = path.ok_or_else(|| error("there is no such program"))?;
        return if makes_gpu_code(&path) { Ok(path) } else { Err(error("it makes no code for AMD GPUs")) };
    }
    let mut candidates: Vec<PathBuf> =
        variable("HIP_CLANG_PATH").map(|dir| dir.join("clang++")).into_iter().collect();
    candidates.extend(installs.iter().map(|dir| dir.join("llvm/bin/clang++")));
    candidates.push(rocm.join("llvm/bin/clang++"));
    for release in RELEASES {
        candidates.push(format!("/usr/lib/llvm-{release}/bin/clang++").into());
        candidates.extend(in_path(&format!("clang++-{release}"), variable));
    }
    candidates.extend(in_path("clang++", variable));
    first("clang++ with the AMDGPU target", candidates, |path| path.is_file() && makes_gpu_code(path))
}

/// A program by its name, in PATH.
fn in_path(name: &str, variable: &dyn Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    env::split_paths(&variable("PATH")?).map(|dir| dir.join(name)).find(|path| path.is_file())
}

fn makes_gpu_code(clang: &Path) -> bool {
    let mut command = Command::new(clang);
    command.arg("--print-targets").stdin(Stdio::null()).stderr(Stdio::null());
    command.output().is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("amdgcn"))
}

fn resource_dir(clang: &Path) -> Option<PathBuf> {
    let mut command = Command::new(clang);
    let output =
        command.arg("-print-resource-dir").stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    Some(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clang_that_is_named_and_not_there_is_an_error() {
        let found = Compiler::find_with(&|name| (name == "ROCRS_CLANG").then(|| "/no/clang++".into()));
        let said = found.unwrap_err().to_string();
        assert_eq!(said, "ROCRS_CLANG=/no/clang++: there is no such program");
    }

    #[test]
    fn what_was_searched_is_named() {
        let said = first("clang++", vec!["/a/clang++".into(), "/b/clang++".into()], |_| false).unwrap_err();
        let said = said.to_string();
        assert!(
            said.starts_with("no clang++ was found; looked at: /a/clang++, /b/clang++. On Debian: "),
            "{said}"
        );
    }
}
