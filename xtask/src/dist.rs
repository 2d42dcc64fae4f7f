//! `cargo xtask dist`: links the drop-in libraries, with the SONAMEs and symbol versions that programs ask for.
//!
//! A Rust cdylib carries no GNU symbol versions, so the static library is linked once more by the C compiler, under the
//! version script of [`hip_sys::exports`], or the one of a library below HIP ([`BELOW_HIP`]). `target/dist/lib` is a folder
//! for `LD_LIBRARY_PATH`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use hip_sys::{Major, exports};

use crate::error::Error;
use crate::{exec, workspace};

/// Builds what is out of date and returns the folder of libraries.
pub fn dist() -> Result<PathBuf, Error> {
    // In one go: built one by one, they would have the emulator twice, with other features of the crates below.
    build(&["-p", "hip-rt", "-p", "hiprtc", "-p", "hsa-runtime64", "-p", "hsakmt", "-p", "kfd-preload"])?;
    let archive = workspace::target().join("release/libhip_rt.a");
    let lib = workspace::target().join("dist/lib");
    let work = workspace::target().join("dist/link");
    workspace::make_dir(&lib)?;
    workspace::make_dir(&work)?;
    for &major in Major::ALL {
        hip(major, &archive, &lib, &work)?;
    }
    for library in BELOW_HIP {
        below(library, &lib)?;
    }
    let bin = workspace::target().join("dist/bin");
    workspace::make_dir(&bin)?;
    for (name, folder) in [("libkfd_preload.so", &lib), ("amdgpu-emu", &bin)] {
        copy_if_newer(&workspace::target().join("release").join(name), &folder.join(name))?;
    }
    Ok(lib)
}

/// Links the HIP library of one version. All are one code, which reads in its SONAME whose ABI it speaks. In a folder of
/// its own each lies once more, with the name that programs open which do not know of versions; beside the others the
/// newest has that name.
fn hip(major: Major, archive: &Path, lib: &Path, work: &Path) -> Result<(), Error> {
    let soname = format!("libamdhip64.so.{}", major.number());
    let script = work.join(format!("{soname}.map"));
    let text = exports::version_script(major);
    if fs::read_to_string(&script).ok().as_deref() != Some(&text) {
        workspace::write(&script, &text)?;
    }
    let out = lib.join(&soname);
    if modified(&out) <= modified(archive).max(modified(&script)) {
        shared(archive, &script, exports::exports(major).map(|(name, _)| name), &out, &[])?;
    }
    links(major, lib, "libamdhip64.so")?;
    if major == Major::Five {
        return Ok(());
    }
    // Its names carry no versions.
    let script = work.join("libhiprtc.map");
    let names: String = exports::rtc_exports().map(|name| format!("    {name};\n")).collect();
    let text = format!("{{\nglobal:\n{names}local:\n    *;\n}};\n");
    if fs::read_to_string(&script).ok().as_deref() != Some(&text) {
        workspace::write(&script, &text)?;
    }
    let archive = archive.with_file_name("libhiprtc.a");
    let out = lib.join(format!("libhiprtc.so.{}", major.number()));
    if modified(&out) <= modified(&archive).max(modified(&script)) {
        shared(&archive, &script, exports::rtc_exports(), &out, &[])?;
    }
    links(major, lib, "libhiprtc.so")
}

/// The name without a version: in the version's own folder, and beside the libraries, where the last one has it.
fn links(major: Major, lib: &Path, name: &str) -> Result<(), Error> {
    let soname = format!("{name}.{}", major.number());
    let alone = lib.join(format!("../hip{}", major.number()));
    workspace::make_dir(&alone)?;
    let beside = Path::new("../lib").join(&soname);
    workspace::link(&beside, &alone.join(&soname))?;
    workspace::link(&beside, &alone.join(name))?;
    if Some(&major) == Major::ALL.last() {
        workspace::link(Path::new(&soname), &lib.join(name))?;
    }
    Ok(())
}

/// A library below HIP.
struct Below {
    /// The static library.
    archive: &'static str,
    /// The version script, from the root of the workspace: the list of its exports.
    map: &'static str,
    soname: &'static str,
    /// The folder where it lies once more, alone: for those who want AMD's libraries above it.
    alone: &'static str,
}

const BELOW_HIP: &[Below] = &[
    Below {
        archive: "libhsakmt.a",
        map: "thunk-rs/capi/libhsakmt.map",
        soname: "libhsakmt.so.1",
        alone: "thunk",
    },
    Below {
        archive: "libhsa_runtime64.a",
        map: "rocr-rs/capi/libhsa-runtime64.map",
        soname: "libhsa-runtime64.so.1",
        alone: "rocr",
    },
];

/// Links a library below HIP.
fn below(library: &Below, lib: &Path) -> Result<(), Error> {
    let archive = workspace::target().join("release").join(library.archive);
    let script = workspace::root().join(library.map);
    let out = lib.join(library.soname);
    let alone = lib.join("..").join(library.alone);
    workspace::make_dir(&alone)?;
    workspace::link(&Path::new("../lib").join(library.soname), &alone.join(library.soname))?;
    if modified(&out) > modified(&archive).max(modified(&script)) {
        return Ok(());
    }
    let text = workspace::read(&script)?;
    let names = text.lines().filter_map(|line| line.trim().strip_suffix(';')).filter(|name| *name != "*");
    // They leave threads, or handlers of `fork` with the C library, and so must stay loaded.
    shared(&archive, &script, names.filter(|name| *name != "}"), &out, &["-Wl,-z,nodelete"])
}

/// Copies a file, in one step for whoever has it open, unless the copy is up to date.
fn copy_if_newer(from: &Path, to: &Path) -> Result<(), Error> {
    if modified(to) > modified(from) {
        return Ok(());
    }
    let made = to.with_extension("new");
    fs::copy(from, &made).map_err(Error::at(from))?;
    fs::rename(&made, to).map_err(Error::at(to))
}

/// Builds packages in release mode, with cargo's own progress on stderr.
fn build(arguments: &[&str]) -> Result<(), Error> {
    let mut command = Command::new(workspace::cargo());
    command.args(["build", "--release"]).args(arguments).current_dir(workspace::root());
    // On a terminal cargo shows its progress; elsewhere it speaks only when something is wrong.
    if !std::io::IsTerminal::is_terminal(&std::io::stderr()) {
        command.arg("--quiet");
    }
    exec::loud(&mut command)
}

fn modified(path: &Path) -> SystemTime {
    fs::metadata(path).and_then(|meta| meta.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
}

/// Links a static library to a shared one that exports `names` as the version script says.
fn shared<'a>(
    archive: &Path,
    script: &Path,
    names: impl Iterator<Item = &'a str>,
    out: &Path,
    flags: &[&str],
) -> Result<(), Error> {
    let soname = out.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let defined = defined_symbols(archive)?;
    let (have, lack): (Vec<&str>, Vec<&str>) = names.partition(|name| defined.contains(*name));
    if let [first, ..] = lack.as_slice() {
        eprintln!("xtask: {soname} lacks {} names of {}, {first} among them", lack.len(), script.display());
    }
    // One `-u` a name draws the member that defines it out of the archive; too many for a command line.
    let roots = workspace::target().join("dist/link").join(format!("{soname}.roots"));
    workspace::write(&roots, &have.iter().map(|name| format!("-Wl,-u,{name}\n")).collect::<String>())?;
    let made = out.with_extension("new");
    let mut command = Command::new("cc");
    command
        .args(["-shared", "-o"])
        .arg(&made)
        .arg(format!("@{}", roots.display()))
        .arg(archive)
        .arg(format!("-Wl,-soname,{soname}"))
        .arg(format!("-Wl,--version-script,{}", script.display()))
        .args([
            "-Wl,--gc-sections",
            "-Wl,--strip-debug",
            "-Wl,-z,defs",
            "-Wl,-z,relro,-z,now",
            "-Wl,-Bsymbolic",
            "-Wl,--as-needed",
        ])
        .args(flags)
        .args(["-lgcc_s", "-lutil", "-lrt", "-lpthread", "-lm", "-ldl", "-lc"]);
    exec::quiet(&mut command)?;
    fs::rename(&made, out).map_err(Error::at(out))
}

/// The global symbols that an archive defines.
fn defined_symbols(archive: &Path) -> Result<BTreeSet<String>, Error> {
    let text = exec::text(Command::new("nm").args(["-g", "--defined-only", "-P"]).arg(archive))?;
    Ok(text.lines().filter_map(|line| Some(line.split_once(' ')?.0.to_owned())).collect())
}
