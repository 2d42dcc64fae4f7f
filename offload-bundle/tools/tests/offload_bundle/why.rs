//! `why`: the chosen entry is marked, every other one has its reason.

use crate::common::FILES;
use crate::tool::{Folder, GFX90A, GFX942, HOST, concatenated, entries, good, raw, tool};

#[test]
fn each_entry_has_its_line() {
    let folder = Folder::new();
    let mut all = entries();
    all.push(("openmp-amdgcn-amd-amdhsa--gfx90a", vec![1]));
    all.push(("hip-spirv64-amd-amdhsa--amdgcnspirv", vec![1]));
    let file = folder.with("file", raw(&all));
    assert_eq!(
        good(&["why", "--agent", "gfx90a", &file]),
        format!(
            "bundle 0 (raw, at 0x0), on gfx90a:sramecc+:xnack-:\n  \
               {HOST}: it is host code\n\
             * {GFX90A}: chosen: same target ID\n  \
               {GFX942}: compiled for gfx942, not for gfx90a\n  \
               openmp-amdgcn-amd-amdhsa--gfx90a: its kind is openmp, not hip or hipv4\n  \
               hip-spirv64-amd-amdhsa--amdgcnspirv: it is SPIR-V, which would have to be compiled for the agent\n"
        )
    );
    let ran = tool(&["why", "--agent", "gfx90a:xnack+", &file]);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    assert!(
        ran.stdout.contains(&format!("  {GFX90A}: compiled for xnack off, but the agent has xnack on\n"))
    );
    assert!(ran.stdout.ends_with("no code for gfx90a:sramecc+:xnack+\n"), "{}", ran.stdout);
}

/// A program needs code from all of its bundles.
#[test]
fn several_bundles() {
    let folder = Folder::new();
    let all = entries();
    let file = folder.with("file", concatenated(&[&raw(&all), &raw(&all[..2])]));
    let said = good(&["why", "--agent", "gfx90a", &file]);
    assert!(said.ends_with("\nall 2 bundles have code for gfx90a:sramecc+:xnack-\n"), "{said}");
    let ran = tool(&["why", "--agent", "gfx942", &file]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout.ends_with("\n1 of 2 bundles has no code for gfx942:sramecc+:xnack-\n"),
        "{}",
        ran.stdout
    );
}

#[test]
fn host_objects_raw_and_compressed() {
    for file in [&FILES.object, &FILES.compressed] {
        let said = good(&["why", "--agent", "gfx90a:xnack+", file.to_str().unwrap()]);
        let chosen: Vec<_> = said.lines().filter(|line| line.starts_with('*')).collect();
        assert_eq!(
            chosen,
            ["* hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+: chosen: same processor, compatible features"]
        );
    }
}
