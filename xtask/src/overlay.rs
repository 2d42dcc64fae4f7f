//! Device libraries and a compiler folder with the few things added that Debian's packages lack.
//!
//! Debian 12's device libraries have no `oclc_isa_version_942.bc`, and its hipcc (clang 15) does not know gfx942. The
//! first is one constant, made here with the compiler in use; for the second hipcc is pointed at a newer clang. Both
//! stand under `target/toolchain`, as links to the installed files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command};

use crate::error::Error;
use crate::toolchain::{self, Toolchain};
use crate::{exec, workspace};

/// The folder of device libraries to compile for `chips` with: the installed one, or a folder that completes it.
pub fn device_libs(tools: &Toolchain, chips: &[String]) -> Result<PathBuf, Error> {
    let file = |chip: &str| format!("oclc_isa_version_{}.bc", digits(chip));
    let lacks: Vec<&String> =
        chips.iter().filter(|chip| !tools.device_libs.join(file(chip)).exists()).collect();
    if lacks.is_empty() {
        return Ok(tools.device_libs.clone());
    }
    let dir = workspace::target().join("toolchain/device-libs");
    workspace::make_dir(&dir)?;
    for path in workspace::files(&tools.device_libs, &["bc"])? {
        workspace::link(&path, &dir.join(path.file_name().unwrap_or_default()))?;
    }
    for chip in lacks {
        let out = dir.join(file(chip));
        if !out.exists() {
            isa_version(&tools.clang, chip, &out)?;
        }
    }
    Ok(dir)
}

/// What follows `gfx` in a target ID: `942` of `gfx942:sramecc+`.
fn digits(chip: &str) -> &str {
    let processor = chip.split(':').next().unwrap_or(chip);
    processor.strip_prefix("gfx").unwrap_or(processor)
}

/// The number that the device libraries give a processor: major · 1000 + minor · 100 + stepping, of which minor and
/// stepping are one hexadecimal digit each.
fn isa_number(chip: &str) -> Option<u32> {
    let digits = digits(chip);
    let (rest, stepping) = digits.split_at_checked(digits.len().checked_sub(1)?)?;
    let (major, minor) = rest.split_at_checked(rest.len().checked_sub(1)?)?;
    let hex = |text| u32::from_str_radix(text, 16).ok();
    Some(major.parse::<u32>().ok()? * 1000 + hex(minor)? * 100 + hex(stepping)?)
}

/// Compiles the one constant of `oclc_isa_version_*.bc`.
fn isa_version(clang: &Path, chip: &str, out: &Path) -> Result<(), Error> {
    let number = isa_number(chip).ok_or_else(|| {
        Error::Other(format!("'{chip}' is no AMD target ID, such as gfx90a or gfx942:sramecc+"))
    })?;
    let source = out.with_extension("c");
    let text = format!(
        "__attribute__((visibility(\"protected\"), address_space(4))) const int __oclc_ISA_version = {number};\n"
    );
    workspace::write(&source, &text)?;
    // Made under another name and moved: several processes may need it at once.
    let made = out.with_extension(format!("bc.{}", process::id()));
    let mut command = Command::new(clang);
    command
        .args(["-x", "c", "--target=amdgcn-amd-amdhsa", "-nogpulib", "-O2", "-emit-llvm", "-c"])
        .arg(&source)
        .arg("-o")
        .arg(&made);
    exec::quiet(&mut command)?;
    fs::rename(&made, out).map_err(Error::at(out))
}

/// A folder to name in `HIP_CLANG_PATH` so that hipcc compiles for chips that its own clang does not know: the
/// programs of the newer clang, under the names that hipcc calls. `None` when hipcc needs no help.
pub fn hipcc_clang(tools: &Toolchain, hipcc: &Path, chips: &[String]) -> Result<Option<PathBuf>, Error> {
    let own_version = exec::text(Command::new(hipcc).arg("--version"))?;
    let own_dir = own_version.lines().find_map(|line| line.strip_prefix("InstalledDir: ")).map(PathBuf::from);
    let own_major = own_version.split("clang version ").nth(1).and_then(|rest| rest.split('.').next());
    let (Some(own_dir), Some(own_major)) = (own_dir, own_major) else {
        return Ok(None);
    };
    let names = [format!("clang-{own_major}"), format!("clang++-{own_major}")];
    let own = [own_dir.join(&names[0]), own_dir.join("clang")].into_iter().find(|path| path.exists());
    if own.is_none_or(|own| chips.iter().all(|chip| toolchain::knows_chip(&own, chip))) {
        return Ok(None);
    }
    let (Some(bin), Some(resources), Some(version)) = (
        toolchain::real_dir(&tools.clang),
        toolchain::resource_dir(&tools.clang),
        toolchain::clang_version(&tools.clang),
    ) else {
        return Ok(None);
    };
    let room = workspace::target().join("toolchain").join(format!("hipcc-clang-{version}"));
    let room_bin = room.join("bin");
    let room_lib = room.join("lib/clang");
    workspace::make_dir(&room_bin)?;
    workspace::make_dir(&room_lib)?;
    for entry in fs::read_dir(&bin).map_err(Error::at(&bin))? {
        let path = entry.map_err(Error::at(&bin))?.path();
        workspace::link(&path, &room_bin.join(path.file_name().unwrap_or_default()))?;
    }
    workspace::link(&bin.join("clang"), &room_bin.join(&names[0]))?;
    workspace::link(&bin.join("clang++"), &room_bin.join(&names[1]))?;
    // hipcc looks for libclang_rt.builtins under ../lib/clang/VERSION.
    workspace::link(&resources, &room_lib.join(&version))?;
    Ok(Some(room_bin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn isa_numbers_are_those_of_the_device_libraries() {
        for (chip, number) in [
            ("gfx90a", 9010),
            ("gfx942", 9402),
            ("gfx1030", 10300),
            ("gfx942:sramecc+:xnack-", 9402),
            ("gfx803", 8003),
        ] {
            assert_eq!(isa_number(chip), Some(number), "{chip}");
        }
        for text in ["", "gfx", "gfx9", "x", "gfxzzz"] {
            assert_eq!(isa_number(text), None, "{text}");
        }
    }
}
