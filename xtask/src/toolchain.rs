//! Finds what compiles HIP programs: clang, hipcc, the HIP headers, the device libraries.
//!
//! In this order: what the environment names (`ROCRS_CLANG`, `ROCRS_HIPCC`, `HIP_CLANG_PATH`, `ROCM_PATH`, `HIP_PATH`,
//! `HIP_DEVICE_LIB_PATH`), ROCm installs under `/opt`, the packages of Debian. A variable of ours that names no program is
//! an error; of the others, which may be set for other programs, a word says what they lack.

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

/// Why there is no toolchain.
enum Lack {
    /// A thing that packages bring.
    Absent(&'static str),
    /// What the environment names is not there.
    Named(Error),
}

impl Toolchain {
    /// Finds the toolchain, installing Debian's packages when something is missing and that is possible.
    pub fn find() -> Result<Toolchain, Error> {
        match Toolchain::look() {
            Ok(found) => Ok(found),
            Err(Lack::Named(error)) => Err(error),
            Err(Lack::Absent(what)) => {
                packages::install(what, packages::TOOLCHAIN)?;
                Toolchain::look().map_err(|lack| match lack {
                    Lack::Named(error) => error,
                    Lack::Absent(what) => Error::Missing {
                        what: format!("{what} (after the packages were installed)"),
                        install: packages::install_command(packages::TOOLCHAIN),
                    },
                })
            }
        }
    }

    /// Looks, and names the first thing that is missing.
    fn look() -> Result<Toolchain, Lack> {
        let rocm = rocm().ok_or(Lack::Absent("HIP's headers (include/hip/hip_runtime.h)"))?;
        let clang =
            clang(&rocm).map_err(Lack::Named)?.ok_or(Lack::Absent("clang++ with the AMDGPU target"))?;
        let device_libs =
            device_libs(&rocm, &clang).ok_or(Lack::Absent("ROCm's device libraries (ocml.bc)"))?;
        // The driver needs a linker for the device side, beside itself or in PATH.
        if !has_lld(&clang) {
            return Err(Lack::Absent("lld, which links device code"));
        }
        let hip_lib = ["lib", "lib64", "lib/x86_64-linux-gnu"]
            .iter()
            .map(|dir| rocm.join(dir))
            .find(|dir| dir.join("libamdhip64.so").exists());
        let hipcc = hipcc(&rocm).map_err(Lack::Named)?;
        Ok(Toolchain { hipcc, hip_major: hip_major(&rocm), clang, rocm, device_libs, hip_lib })
    }

    /// `hipcc`, installed if need be.
    pub fn hipcc(&mut self) -> Result<PathBuf, Error> {
        if self.hipcc.is_none() {
            packages::install("hipcc", packages::TOOLCHAIN)?;
            self.hipcc = hipcc(&self.rocm)?;
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

/// The program that a variable of ours names, by its path or by its name in PATH. None when it names nothing.
fn named(variable: &str, value: Option<PathBuf>) -> Result<Option<PathBuf>, Error> {
    let Some(value) = value else { return Ok(None) };
    if value.is_file() {
        return Ok(Some(value));
    }
    let bare = value.to_str().filter(|name| !name.contains('/')).and_then(in_path);
    bare.map(Some)
        .ok_or_else(|| Error::Other(format!("{variable}={}: there is no such program", value.display())))
}

/// Says so when a variable that is not ours alone named a folder, and another one has what was looked for.
fn passed_over(variable: &str, named: Option<PathBuf>, found: Option<&Path>) -> Option<String> {
    let named = named?;
    let found = found.filter(|found| !found.starts_with(&named))?;
    let (named, found) = (named.display(), found.display());
    Some(format!("xtask: {variable}={named} has not what is looked for there; taking {found}"))
}

fn say_passed_over(variable: &str, found: Option<&Path>) {
    passed_over(variable, from_env(variable), found).into_iter().for_each(|line| eprintln!("{line}"));
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
    let found = installs().into_iter().chain(usr).find(|dir| dir.join("include/hip/hip_runtime.h").is_file());
    let variable = if from_env("ROCM_PATH").is_some() { "ROCM_PATH" } else { "HIP_PATH" };
    say_passed_over(variable, found.as_deref());
    found
}

fn clang(rocm: &Path) -> Result<Option<PathBuf>, Error> {
    if let Some(named) = named("ROCRS_CLANG", from_env("ROCRS_CLANG"))? {
        if !knows_chip(&named, "gfx900") {
            let named = named.display();
            return Err(Error::Other(format!("ROCRS_CLANG={named}: it makes no code for AMD GPUs")));
        }
        return Ok(Some(named));
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
    let found = candidates.into_iter().find(|path| path.is_file() && knows_chip(path, "gfx900"));
    say_passed_over("HIP_CLANG_PATH", found.as_deref());
    Ok(found)
}

fn hipcc(rocm: &Path) -> Result<Option<PathBuf>, Error> {
    let named = named("ROCRS_HIPCC", from_env("ROCRS_HIPCC"))?;
    Ok(named
        .or_else(|| Some(rocm.join("bin/hipcc")).filter(|path| path.is_file()))
        .or_else(|| in_path("hipcc")))
}

fn device_libs(rocm: &Path, clang: &Path) -> Option<PathBuf> {
    let mut candidates: Vec<PathBuf> = from_env("HIP_DEVICE_LIB_PATH").into_iter().collect();
    candidates.push(rocm.join("amdgcn/bitcode"));
    candidates.extend(resource_dir(clang).map(|dir| dir.join("lib/amdgcn/bitcode")));
    candidates.extend(resource_dir(clang).map(|dir| dir.join("amdgcn/bitcode")));
    candidates.push(PathBuf::from("/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"));
    let found = candidates.into_iter().find(|dir| dir.join("ocml.bc").is_file());
    say_passed_over("HIP_DEVICE_LIB_PATH", found.as_deref());
    found
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_that_names_no_program_is_an_error_with_name_and_path() {
        for value in ["/usr/bin/clang++-1999", "clang++-1999", "/usr/bin"] {
            let said = named("ROCRS_CLANG", Some(PathBuf::from(value))).unwrap_err().to_string();
            assert_eq!(said, format!("ROCRS_CLANG={value}: there is no such program"));
        }
        let sh = named("ROCRS_HIPCC", Some(PathBuf::from("sh"))).unwrap().unwrap();
        assert_eq!(named("ROCRS_HIPCC", Some(sh.clone())).unwrap(), Some(sh));
        assert_eq!(named("ROCRS_HIPCC", None).unwrap(), None);
    }

    #[test]
    fn a_folder_that_is_passed_over_is_named() {
        let found = Path::new("/usr/lib/llvm-19/bin/clang++");
        let said = |named: &str| passed_over("HIP_CLANG_PATH", Some(PathBuf::from(named)), Some(found));
        assert!(said("/opt/none").is_some_and(|line| line.contains("HIP_CLANG_PATH=/opt/none ")));
        assert_eq!(said("/usr/lib/llvm-19/bin"), None);
        assert_eq!(passed_over("HIP_CLANG_PATH", None, Some(found)), None);
    }
}
