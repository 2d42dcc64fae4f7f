//! Device libraries for chips that are newer than they are. Debian 12's have no `oclc_isa_version_942.bc`: one constant,
//! which is made here, in a folder with links to the installed files.

use crate::Error;
use crate::command::run;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of device libraries to compile for `target` with: the installed one, or one inside `room` that completes it.
pub fn for_target(clang: &Path, installed: &Path, target: &str, room: &Path) -> Result<PathBuf, Error> {
    let processor = target.split(':').next().unwrap_or(target);
    let digits = processor.strip_prefix("gfx").unwrap_or(processor);
    let file = format!("oclc_isa_version_{digits}.bc");
    let Some(number) = isa_number(digits).filter(|_| !installed.join(&file).exists()) else {
        // Names of processors are the compiler's to judge.
        return Ok(installed.to_owned());
    };
    let folder = room.join("device-libs");
    let io = |error| Error::Io { what: folder.display().to_string(), source: error };
    fs::create_dir_all(&folder).map_err(io)?;
    for entry in fs::read_dir(installed).map_err(io)? {
        let path = entry.map_err(io)?.path();
        symlink(&path, folder.join(path.file_name().unwrap_or_default())).map_err(io)?;
    }
    let source = room.join("isa_version.c");
    let text = format!(
        "__attribute__((visibility(\"protected\"), address_space(4))) const int __oclc_ISA_version = {number};\n"
    );
    fs::write(&source, text).map_err(io)?;
    let mut command = Command::new(clang);
    command.args(["-x", "c", "--target=amdgcn-amd-amdhsa", "-nogpulib", "-O2", "-emit-llvm", "-c"]);
    run(command.arg(&source).arg("-o").arg(folder.join(&file)), room)?;
    Ok(folder)
}

/// The number that the device libraries give a processor: major · 1000 + minor · 100 + stepping, of which minor and stepping
/// are one hexadecimal digit each.
fn isa_number(digits: &str) -> Option<u32> {
    let (rest, stepping) = digits.split_at_checked(digits.len().checked_sub(1)?)?;
    let (major, minor) = rest.split_at_checked(rest.len().checked_sub(1)?)?;
    let hex = |text| u32::from_str_radix(text, 16).ok();
    Some(major.parse::<u32>().ok()?.checked_mul(1000)? + hex(minor)? * 100 + hex(stepping)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn isa_numbers_are_those_of_the_device_libraries() {
        for (digits, number) in [("90a", 9010), ("942", 9402), ("1030", 10300), ("803", 8003)] {
            assert_eq!(isa_number(digits), Some(number), "{digits}");
        }
        for text in ["", "9", "x", "zzz", "9999999999zz"] {
            assert_eq!(isa_number(text), None, "{text}");
        }
    }
}
