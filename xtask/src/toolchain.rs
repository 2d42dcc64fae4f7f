//! Finds what compiles HIP programs: clang, hipcc, the HIP headers, the device libraries.
//!
//! In this order: what the environment names (`ROCRS_CLANG`, `ROCRS_HIPCC`, `HIP_CLANG_PATH`, `ROCM_PATH`, `HIP_PATH`,
//! `HIP_DEVICE_LIB_PATH`), ROCm installs under `/opt`, the packages of Debian.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::Error;
use crate::{exec, packages};

/// The Debian clang releases that we look for, the best-tried one first.
const CLANG_RELEASES: &[&str] = &["19", "20", "21", "18", "17"];

/// What compiles HIP programs on this machine.
#[derive(Debug, Clone)]
pub struct Toolchain {
    /// `clang++`.
    pub clang: PathBuf,
    /// `hipcc`, if there is one.
    pub hipcc: Option<PathBuf>,
    /// The folder that holds `include/hip/hip_runtime.h`.
    pub rocm: PathBuf,
    /// Major version of the headers, which is also the number in the library's SONAME.
    pub hip_major: u32,
    /// The folder that holds `ocml.bc` and its companions.
    pub device_libs: PathBuf,
    /// The folder that holds the vendor's `libamdhip64.so`, if it is there to link against.
    pub hip_lib: Option<PathBuf>,
}

impl Toolchain {
    /// Finds the toolchain, installing Debian's packages when something is missing and that is possible.
    pub fn find() -> Result<Toolchain, Error> {
        match Toolchain::look() {
            Ok(found) => Ok(found),
            Err(what) => {
                packages::install(&what, packages::TOOLCHAIN)?;
                Toolchain::look().map_err(|what| Error::Missing {
                    what: format!("{what} (after the packages were installed)"),
                    install: packages::install_command(packages::TOOLCHAIN),
                })
            }
        }
    }

    /// Looks, and names the first thing that is missing.
    fn look() -> Result<Toolchain, String> {
        let rocm = rocm().ok_or("HIP's headers (include/hip/hip_runtime.h)")?;
        let clang = clang(&rocm).ok_or("clang++ with the AMDGPU target")?;
        let device_libs = device_libs(&rocm, &clang).ok_or("ROCm's device libraries (ocml.bc)")?;
        // The driver needs a linker for the device side, beside itself or in PATH.
        if !has_lld(&clang) {
            return Err("lld, which links device code".to_owned());
        }
        let hip_lib = ["lib", "lib64", "lib/x86_64-linux-gnu"]
            .iter()
            .map(|dir| rocm.join(dir))
            .find(|dir| dir.join("libamdhip64.so").exists());
        Ok(Toolchain { hipcc: hipcc(&rocm), hip_major: hip_major(&rocm), clang, rocm, device_libs, hip_lib })
    }

    /// `hipcc`, installed if need be.
    pub fn hipcc(&mut self) -> Result<PathBuf, Error> {
        if self.hipcc.is_none() {
            packages::install("hipcc", packages::TOOLCHAIN)?;
            self.hipcc = hipcc(&self.rocm);
        }
        self.hipcc.clone().ok_or_else(|| Error::Missing {
            what: "hipcc".to_owned(),
            install: packages::install_command(&["hipcc"]),
        })
    }
}

/// Whether this clang can make code for a chip.
pub fn knows_chip(clang: &Path, chip: &str) -> bool {
    // A target ID names the processor before the first colon.
    let processor = chip.split(':').next().unwrap_or(chip);
    Command::new(clang)
        .args(["-x", "c", "--target=amdgcn-amd-amdhsa", "-nogpulib", "-S", "-emit-llvm", "-o", "/dev/null"])
        .arg(format!("-mcpu={processor}"))
        .arg("/dev/null")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// The folder of a clang's own headers and libraries.
pub fn resource_dir(clang: &Path) -> Option<PathBuf> {
    let text = exec::text(Command::new(clang).arg("-print-resource-dir")).ok()?;
    Some(PathBuf::from(text.trim()))
}

/// The version that a clang states, such as `19.1.7`.
pub fn clang_version(clang: &Path) -> Option<String> {
    let text = exec::text(Command::new(clang).arg("--version")).ok()?;
    let rest = text.split("clang version ").nth(1)?;
    Some(rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect())
}

/// The folder that a program really lives in, behind all links.
pub fn real_dir(program: &Path) -> Option<PathBuf> {
    Some(fs::canonicalize(program).ok()?.parent()?.to_path_buf())
}

fn from_env(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// A program by its name, in PATH.
fn in_path(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|dir| dir.join(name)).find(|path| path.is_file())
}

/// ROCm installs: those that the environment names, then those under `/opt`, the latest first.
fn installs() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        ["ROCM_PATH", "HIP_PATH"].iter().filter_map(|name| from_env(name)).collect();
    let mut opt: Vec<PathBuf> = fs::read_dir("/opt")
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("rocm")))
        .collect();
    opt.sort();
    found.extend(opt.into_iter().rev());
    found
}

fn rocm() -> Option<PathBuf> {
    let usr = std::iter::once(PathBuf::from("/usr"));
    installs().into_iter().chain(usr).find(|dir| dir.join("include/hip/hip_runtime.h").is_file())
}

fn clang(rocm: &Path) -> Option<PathBuf> {
    if let Some(named) = from_env("ROCRS_CLANG") {
        return named.is_file().then_some(named).or_else(|| in_path(&env::var("ROCRS_CLANG").ok()?));
    }
    let mut candidates = Vec::new();
    candidates.extend(from_env("HIP_CLANG_PATH").map(|dir| dir.join("clang++")));
    candidates.extend(installs().iter().map(|dir| dir.join("llvm/bin/clang++")));
    candidates.push(rocm.join("llvm/bin/clang++"));
    for release in CLANG_RELEASES {
        candidates.push(PathBuf::from(format!("/usr/lib/llvm-{release}/bin/clang++")));
        candidates.extend(in_path(&format!("clang++-{release}")));
    }
    candidates.extend(in_path("clang++"));
    candidates.into_iter().find(|path| path.is_file() && knows_chip(path, "gfx900"))
}

fn hipcc(rocm: &Path) -> Option<PathBuf> {
    from_env("ROCRS_HIPCC")
        .or_else(|| Some(rocm.join("bin/hipcc")))
        .filter(|path| path.is_file())
        .or_else(|| in_path("hipcc"))
}

fn device_libs(rocm: &Path, clang: &Path) -> Option<PathBuf> {
    let mut candidates: Vec<PathBuf> = from_env("HIP_DEVICE_LIB_PATH").into_iter().collect();
    candidates.push(rocm.join("amdgcn/bitcode"));
    candidates.extend(resource_dir(clang).map(|dir| dir.join("lib/amdgcn/bitcode")));
    candidates.extend(resource_dir(clang).map(|dir| dir.join("amdgcn/bitcode")));
    candidates.push(PathBuf::from("/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"));
    candidates.into_iter().find(|dir| dir.join("ocml.bc").is_file())
}

fn has_lld(clang: &Path) -> bool {
    let beside = real_dir(clang).is_some_and(|dir| dir.join("lld").exists() || dir.join("ld.lld").exists());
    beside || in_path("ld.lld").is_some()
}

/// The major version in `hip/hip_version.h`.
fn hip_major(rocm: &Path) -> u32 {
    let text = fs::read_to_string(rocm.join("include/hip/hip_version.h")).unwrap_or_default();
    text.lines()
        .filter_map(|line| line.trim().strip_prefix("#define HIP_VERSION_MAJOR"))
        .find_map(|rest| rest.trim().parse().ok())
        .unwrap_or(5)
}
