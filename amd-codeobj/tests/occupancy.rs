//! Occupancy against what clang-19 prints with `-Rpass-analysis=kernel-resource-usage`: kernels that use registers, LDS and
//! work-group sizes on both sides of each step, for every register file and wave size.

mod common;

use std::collections::BTreeMap;
use std::fmt::Write;

use amd_codeobj::{CodeObject, Kernel, Limit, TargetId};
use common::{Built, run_both, temporary};

/// A kernel that uses registers up to `v[vgprs-1]` and `s[sgprs-1]`, and `lds` bytes.
fn kernel(name: &str, vgprs: u32, sgprs: u32, lds: u32, group: u32) -> String {
    let shared = match lds {
        0 => String::new(),
        _ => format!(
            "__attribute__((shared)) static char t[{lds}]; t[x[1]] = 1; __builtin_amdgcn_s_barrier(); x[2] = t[x[3]];"
        ),
    };
    format!(
        "extern \"C\" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size({group}, {group})))\n\
         void {name}(volatile int *x) {{ {shared} asm volatile(\"\" ::: \"v{}\", \"s{}\"); x[0] = 1; }}\n",
        vgprs - 1,
        sgprs - 1
    )
}

fn source() -> String {
    let mut source = String::new();
    for vgprs in (8..=256).step_by(4).chain([25, 29, 33, 37, 41, 49, 65, 85, 97, 121, 129, 145, 193]) {
        source += &kernel(&format!("v{vgprs}"), vgprs, 16, 0, 64);
    }
    for sgprs in (16..=96).step_by(2).chain([100]) {
        source += &kernel(&format!("s{sgprs}"), 8, sgprs, 0, 64);
    }
    for lds in [512, 1024, 4096, 6144, 8192, 12288, 16384, 20480, 32768, 65536] {
        for group in [32, 64, 96, 128, 192, 256, 512, 1024] {
            let _ = write!(source, "{}", kernel(&format!("l{lds}_{group}"), 8, 16, lds, group));
        }
    }
    source
}

/// Occupancy by kernel, as clang's remarks have it.
fn remarks(text: &str) -> BTreeMap<String, u32> {
    let mut found = BTreeMap::new();
    let mut name = "";
    for line in text.lines() {
        let value = |key: &str| line.split_once(key).and_then(|(_, rest)| rest.split_whitespace().next());
        if let Some(function) = value("Function Name: ") {
            name = function;
        } else if let Some(waves) = value("Occupancy [waves/SIMD]: ") {
            found.insert(name.to_owned(), waves.parse().unwrap());
        }
    }
    found
}

fn compare(target: &str, flags: &[&str]) -> usize {
    let input = Built(temporary("occupancy.hip"));
    std::fs::write(&input.0, source()).unwrap();
    let built = Built(temporary("occupancy.co"));
    let arch = format!("--offload-arch={target}");
    let mut args = vec!["-x", "hip", &arch, "--cuda-device-only", "--no-gpu-bundle-output", "-nogpulib"];
    args.extend([
        "-nogpuinc",
        "-O2",
        "-Rpass-analysis=kernel-resource-usage",
        input.path(),
        "-o",
        built.path(),
    ]);
    args.extend(flags);
    let theirs = remarks(&run_both("clang-19", &args).1);
    let bytes = built.bytes();
    let object = CodeObject::parse(&bytes).unwrap();
    let isa = target.parse::<TargetId>().unwrap().isa().unwrap();
    let metadata = object.metadata().unwrap();
    assert!(theirs.len() > 150 && theirs.len() == metadata.kernels.len());
    for Kernel { name, .. } in &metadata.kernels {
        let kernel = metadata.kernel(name).unwrap();
        let symbol = object.symbol(&kernel.symbol).unwrap();
        let descriptor = object.kernel_descriptor(&symbol).unwrap();
        let from_descriptor = descriptor.resources(isa.generation, kernel.max_flat_workgroup_size);
        // What the metadata says is not yet rounded up to what is allocated.
        for resources in [kernel.resources(), from_descriptor] {
            let ours = isa.generation.occupancy(&resources);
            // LLVM does not round scalar registers up, see `Generation::occupancy`.
            let theirs = match (kernel.sgpr_count, theirs[name]) {
                (81..=88, 9) => 8,
                (97..=100, 8) if isa.generation.compute_unit.sgprs.is_some() => 7,
                (_, theirs) => theirs,
            };
            assert_eq!(ours.waves, theirs, "{name} on {target} {flags:?}: {resources:?} {ours:?}");
        }
    }
    theirs.len()
}

#[test]
fn occupancy_is_what_the_compiler_prints() {
    for target in [
        "gfx803",
        "gfx900",
        "gfx906",
        "gfx908",
        "gfx90a",
        "gfx942",
        "gfx1010",
        "gfx1030",
        "gfx1100",
        "gfx1102",
        "gfx1150",
        "gfx1151",
        "gfx1152",
        "gfx1200",
        "gfx11-generic",
        "gfx12-generic",
    ] {
        let version =
            if target.ends_with("generic") { "-mcode-object-version=6" } else { "-mcode-object-version=5" };
        compare(target, &[version]);
    }
}

#[test]
fn occupancy_follows_wave_size_and_mode() {
    for target in ["gfx1010", "gfx1030", "gfx1100", "gfx1200"] {
        compare(target, &["-mwavefrontsize64"]);
        compare(target, &["-mcumode"]);
    }
}

#[test]
fn the_limit_is_named() {
    let generation = "gfx90a".parse::<TargetId>().unwrap().isa().unwrap().generation;
    let small = amd_codeobj::Resources {
        wave_size: 64,
        vgprs: 8,
        sgprs: 16,
        lds: 0,
        work_group_size: 256,
        wgp_mode: false,
    };
    let limit = |resources| generation.occupancy(&resources).limit();
    assert_eq!(limit(small), Limit::Waves);
    assert_eq!(limit(amd_codeobj::Resources { vgprs: 512, ..small }), Limit::Vgprs);
    assert_eq!(limit(amd_codeobj::Resources { lds: 65536, ..small }), Limit::WorkGroups);
    // 104 of 800 scalar registers, 112 when rounded up: seven waves of the eight that fit.
    assert_eq!(limit(amd_codeobj::Resources { sgprs: 104, ..small }), Limit::Sgprs);
    let nonsense = amd_codeobj::Resources {
        wave_size: 0,
        vgprs: u32::MAX,
        sgprs: u32::MAX,
        lds: u32::MAX,
        work_group_size: u32::MAX,
        wgp_mode: true,
    };
    for isa in amd_codeobj::Isa::all() {
        assert_eq!(isa.generation.occupancy(&nonsense).waves, 1, "{}", isa.name);
    }
}
