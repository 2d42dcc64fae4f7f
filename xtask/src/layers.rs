//! `cargo xtask layers`: the crates depend on each other in one direction only. The permitted arrows stand here, and
//! nowhere else in code; ARCHITECTURE.md draws them.

use std::path::Path;
use std::process::ExitCode;

use cargo_metadata::{DependencyKind, MetadataCommand, Package};

use crate::error::Error;
use crate::{tidy, workspace};

/// Every crate of the workspace, the lowest first, with all crates of the workspace that it may depend on.
const ARROWS: &[(&str, &[&str])] = &[
    ("parser-samples", &[]),
    ("kfd-sys", &[]),
    ("hsa-sys", &[]),
    ("hip-sys", &[]),
    ("amd-codeobj", &[]),
    ("amdgpu-isa", &[]),
    ("offload-bundle", &["amd-codeobj"]),
    ("hiprtc-rs", &["offload-bundle"]),
    ("hiprtc", &["hiprtc-rs", "hip-sys"]),
    ("rocm-binutils", &["offload-bundle", "amd-codeobj", "amdgpu-isa"]),
    ("parser-checks", &["offload-bundle", "amd-codeobj", "parser-samples"]),
    ("amdgpu-emu", &["kfd-sys", "hsa-sys", "amd-codeobj", "amdgpu-isa"]),
    ("kfd-preload", &["amdgpu-emu", "kfd-sys"]),
    ("thunk-rs", &["kfd-sys", "amdgpu-emu"]),
    ("hsakmt", &["thunk-rs", "kfd-sys"]),
    ("rocr-rs", &["thunk-rs", "amd-codeobj", "hsa-sys"]),
    ("hsa-runtime64", &["rocr-rs", "hsa-sys"]),
    ("hip-rt", &["rocr-rs", "offload-bundle", "amd-codeobj", "hip-sys", "hiprtc"]),
    ("system-tests", &["rocr-rs", "amd-codeobj"]),
    ("xtask", &["hip-sys"]),
];

/// The crate and the one file of it that may name the emulator.
const CHOOSER: (&str, &str) = ("thunk-rs/src", "open.rs");

/// Folders of code above the kernel boundary, where nobody asks what the device is made of.
const ABOVE: &[&str] =
    &["thunk-rs/src", "thunk-rs/capi/src", "rocr-rs/src", "rocr-rs/capi/src", "hip-rt/src"];

/// Checks every arrow.
pub fn run() -> Result<ExitCode, Error> {
    let metadata = MetadataCommand::new()
        .manifest_path(workspace::root().join("Cargo.toml"))
        .no_deps()
        .exec()
        .map_err(|error| Error::Other(format!("cargo metadata: {error}")))?;
    let mut faults = Vec::new();
    for package in &metadata.packages {
        check(package, &mut faults);
    }
    for (name, arrows) in ARROWS {
        let package = metadata.packages.iter().find(|package| package.name == *name);
        for to in arrows.iter().filter(|to| package.is_some_and(|package| !depends_on(package, to))) {
            faults.push(format!("{name} -> {to}: permitted in xtask/src/layers.rs, but not there"));
        }
        if package.is_none() {
            faults.push(format!("{name} is listed in xtask/src/layers.rs, but is no crate of the workspace"));
        }
    }
    only_the_chooser_names_the_emulator(&mut faults)?;
    Ok(tidy::verdict("layers", &faults))
}

fn rank(name: &str) -> Option<usize> {
    ARROWS.iter().position(|(listed, _)| *listed == name)
}

/// Whether the crate itself, not only its tests, depends on another.
fn depends_on(package: &Package, to: &str) -> bool {
    let mut dependencies = package.dependencies.iter();
    dependencies.any(|dependency| dependency.name == to && dependency.kind != DependencyKind::Development)
}

fn check(package: &Package, faults: &mut Vec<String>) {
    let name = package.name.as_str();
    let Some(own) = rank(name) else {
        faults.push(format!("{name} is not listed in xtask/src/layers.rs: say what it may depend on"));
        return;
    };
    let allowed = ARROWS[own].1;
    for dependency in &package.dependencies {
        let to = dependency.name.as_str();
        let Some(rank) = rank(to).filter(|_| dependency.path.is_some()) else { continue };
        // Tests may stand on any layer below.
        let fine = match dependency.kind {
            DependencyKind::Development => rank < own,
            _ => allowed.contains(&to),
        };
        if !fine {
            faults.push(format!("{name} -> {to}: not a permitted arrow (permitted: {})", allowed.join(", ")));
        }
        if (name, to) == ("thunk-rs", "amdgpu-emu")
            && dependency.kind == DependencyKind::Normal
            && !dependency.optional
        {
            faults.push("thunk-rs -> amdgpu-emu: must be optional, behind the feature `emu`".to_owned());
        }
    }
}

fn only_the_chooser_names_the_emulator(faults: &mut Vec<String>) -> Result<(), Error> {
    for path in tidy::tracked()? {
        let is_above = ABOVE.iter().any(|folder| Path::new(&path).starts_with(folder));
        if !is_above || !path.ends_with(".rs") || Path::new(&path) == Path::new(CHOOSER.0).join(CHOOSER.1) {
            continue;
        }
        let code = tidy::code_of(&workspace::read(&workspace::root().join(&path))?);
        for (number, line) in code.lines().enumerate() {
            if tidy::words(line).any(|word| word == "amdgpu_emu" || word.contains("is_emulated")) {
                faults.push(format!(
                    "{path}:{}: only {}/{} may know of the emulator",
                    number + 1,
                    CHOOSER.0,
                    CHOOSER.1
                ));
            }
        }
    }
    Ok(())
}
