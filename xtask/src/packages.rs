//! The Debian packages that the toolchain consists of, and how they get onto the machine.

use std::process::Command;
use std::time::Duration;

use indicatif::ProgressBar;

use crate::error::Error;
use crate::exec;

/// What compiling a HIP program needs, with either driver.
pub const TOOLCHAIN: &[&str] = &[
    "clang-19",
    "clang-tools-19",
    "lld-19",
    "llvm-19",
    "libclang-rt-19-dev",
    "hipcc",
    "libamdhip64-dev",
    "rocm-device-libs",
    "binutils",
];

/// What our own tests use besides: the headers that the ABI crates are compared with, and bindgen's libclang.
pub const TESTS: &[&str] = &["libclang1-19", "libhsa-runtime-dev", "libhsakmt-dev", "linux-libc-dev"];

/// Debian's libraries of kernels and of headers, of which a program can say that it uses them.
pub const LIBRARIES: &[&str] =
    &["librocprim-dev", "librocrand1", "librocrand-dev", "librocsparse0", "librocsparse-dev"];

/// AMD's own user space, which runs on the emulated device: rocminfo, HIP, the HSA runtime, the thunk.
pub const VENDOR: &[&str] =
    &["rocminfo", "libamdhip64-5", "libhsa-runtime64-1", "libhsakmt1", "libdrm-amdgpu1", "kmod"];

/// The one command that installs packages.
pub fn install_command(packages: &[&str]) -> String {
    format!("apt-get update && apt-get install -y --no-install-recommends {}", packages.join(" "))
}

/// Whether a package is installed, as dpkg has it.
fn installed(package: &str) -> bool {
    Command::new("dpkg-query")
        .args(["-W", "-f", "${db:Status-Status}", package])
        .output()
        .is_ok_and(|output| output.status.success() && output.stdout.starts_with(b"installed"))
}

/// Those of the packages that are not installed.
pub fn missing(packages: &[&'static str]) -> Vec<&'static str> {
    packages.iter().copied().filter(|name| !installed(name)).collect()
}

/// Installs those of the packages that are missing.
pub fn require(packages: &[&'static str]) -> Result<(), Error> {
    let missing = missing(packages);
    if missing.is_empty() { Ok(()) } else { install(&missing.join(", "), &missing) }
}

/// Installs packages when this is Debian and we are root; otherwise says what to type.
pub fn install(what: &str, packages: &[&str]) -> Result<(), Error> {
    let missing = || Error::Missing { what: what.to_owned(), install: sudo(&install_command(packages)) };
    let is_root = exec::text(Command::new("id").arg("-u")).is_ok_and(|uid| uid.trim() == "0");
    let has_apt = Command::new("apt-get").arg("--version").output().is_ok();
    if !is_root || !has_apt {
        return Err(missing());
    }
    eprintln!("xtask: {what} not found; installing {}", packages.join(" "));
    let apt = || {
        let mut command = Command::new("apt-get");
        command.env("DEBIAN_FRONTEND", "noninteractive");
        command
    };
    let spinner = ProgressBar::new_spinner().with_message("apt-get");
    spinner.enable_steady_tick(Duration::from_millis(200));
    exec::quiet(apt().args(["update", "-qq"]))?;
    exec::quiet(apt().args(["install", "-y", "-qq", "--no-install-recommends"]).args(packages))?;
    spinner.finish_and_clear();
    Ok(())
}

fn sudo(command: &str) -> String {
    format!("sudo sh -c '{command}'")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace;

    #[test]
    fn the_page_on_the_toolchain_lists_its_packages() {
        let page = workspace::read(&workspace::root().join("docs/toolchain.md")).unwrap();
        let words: Vec<&str> = page.split_whitespace().collect();
        let list = words.join(" ");
        assert!(list.contains(&format!("The packages: `{}`.", TOOLCHAIN.join(" "))));
    }
}
