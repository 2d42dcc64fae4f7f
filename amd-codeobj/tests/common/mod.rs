//! What the tests share: LLVM's tools, objects compiled with them, and a walk over everything that can be read.
#![allow(dead_code, reason = "each test file uses its part")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use amd_codeobj::{CodeObject, Isa};

/// Runs a tool and returns its standard output. A tool that is missing is an error with the way out, never a skip.
pub fn run(tool: &str, args: &[&str]) -> String {
    run_both(tool, args).0
}

/// The same with what it says on standard error.
pub fn run_both(tool: &str, args: &[&str]) -> (String, String) {
    let output = Command::new(tool).args(args).output().unwrap_or_else(|error| {
        panic!("cannot run {tool}: {error}; install it with: apt-get install -y clang-19 lld-19 llvm-19 clang-15 lld-15")
    });
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{tool} {args:?} failed: {stderr}");
    (String::from_utf8_lossy(&output.stdout).into_owned(), stderr.into_owned())
}

/// A file name in the tests' temporary folder that no other test uses.
pub fn temporary(name: &str) -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let unique = format!("{}-{}-{name}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(unique)
}

/// A file that is removed when dropped.
pub struct Built(pub PathBuf);

impl Built {
    pub fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }

    pub fn bytes(&self) -> Vec<u8> {
        std::fs::read(&self.0).unwrap()
    }
}

impl Drop for Built {
    fn drop(&mut self) {
        // It may never have been written.
        let _ = std::fs::remove_file(&self.0);
    }
}

pub fn input(name: &str) -> String {
    format!("{}/tests/inputs/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Compiles `tests/inputs/kernels.hip` for a target ID.
pub fn compile(clang: &str, target: &str, extra: &[&str]) -> Built {
    compile_source("kernels.hip", clang, target, extra)
}

/// Compiles a HIP source of `tests/inputs` for a target ID.
pub fn compile_source(source: &str, clang: &str, target: &str, extra: &[&str]) -> Built {
    let built = Built(temporary("kernels.co"));
    let arch = format!("--offload-arch={target}");
    let source = input(source);
    let mut args =
        vec!["-x", "hip", &arch, "--cuda-device-only", "--no-gpu-bundle-output", "-nogpulib", "-nogpuinc"];
    args.extend(extra);
    args.extend([source.as_str(), "-o", built.path()]);
    run(clang, &args);
    built
}

/// Code object of a version, compiled with clang-19 at -O2.
pub fn object(target: &str, version: u8) -> Built {
    compile("clang-19", target, &["-O2", &format!("-mcode-object-version={version}")])
}

/// Columns of the lines of a table that readelf prints, after the heading.
pub fn rows<'t>(text: &'t str, starts: impl Fn(&[&str]) -> bool + 't) -> impl Iterator<Item = Vec<&'t str>> {
    text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>()).filter(move |row| starts(row))
}

/// A number that readelf prints.
pub fn hex(text: &str) -> u64 {
    u64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap()
}

/// Reads everything that can be read, whatever comes of it: nothing may panic, and every iterator must end.
pub fn walk(data: &[u8]) -> bool {
    let Ok(object) = CodeObject::parse(data) else { return false };
    let mut good = object.isa().is_ok() & object.target_id().is_ok();
    assert!((2..=6).contains(&object.version()));
    assert!(object.file_size() <= data.len() as u64);
    let _ = (object.kind(), object.flags(), object.generic_version());
    let _ = (object.load_base(), object.load_size());
    for segment in object.segments() {
        assert!(segment.data.len() as u64 <= segment.memsz);
        assert!(segment.vaddr >= object.load_base());
        assert!(segment.end() - object.load_base() <= object.load_size());
        good &= object.read("first byte", segment.vaddr, 1).is_ok() || segment.data.is_empty();
    }
    good &= object.notes().all(|note| note.is_ok());
    for section in object.sections() {
        good &= section.is_ok();
        if let Ok(section) = section {
            good &= object.section_by_index(section.index) == Ok(section);
        }
    }
    for table in object.relocation_sections() {
        let Ok(table) = table else {
            good = false;
            continue;
        };
        match table.relocations() {
            Ok(list) => {
                list.for_each(|each| good &= each.is_ok_and(|each| table.symbol(each.symbol).is_ok()))
            }
            Err(_) => good = false,
        }
    }
    let _ = object.metadata_text();
    #[cfg(feature = "dwarf")]
    {
        good &= object.lines_within(1 << 20).is_ok();
    }
    for address in [0, object.load_base(), object.load_base() + object.load_size() / 2, u64::MAX] {
        let _ = (object.symbol_at(address), object.kernel_at(address), object.segment_at(address));
    }
    match object.all_symbols() {
        Ok(symbols) => symbols.for_each(|symbol| good &= symbol.is_ok()),
        Err(_) => good = false,
    }
    match object.metadata() {
        Ok(metadata) => {
            for kernel in &metadata.kernels {
                let _ = (kernel.explicit_args().count(), metadata.kernel(&kernel.name));
            }
        }
        Err(error) => {
            let _ = error.to_string();
            good = false;
        }
    }
    match object.symbols() {
        Ok(symbols) => {
            for symbol in symbols {
                let Ok(symbol) = symbol else {
                    good = false;
                    continue;
                };
                let _ = (symbol.is_variable(), symbol.is_defined(), symbol.kernel_name());
                good &= object.symbol(symbol.name).is_ok();
                match object.kernel_descriptor(&symbol) {
                    Ok(descriptor) => {
                        if let Ok(isa) = object.isa() {
                            let _ = descriptor.fields(isa.generation).count();
                            let _ = descriptor.unknown_bits(isa.generation).count();
                        }
                        for isa in Isa::all().iter().step_by(5) {
                            let generation = isa.generation;
                            let checked = descriptor.check(generation);
                            let occupancy = generation.occupancy(&descriptor.resources(generation, 1024));
                            assert!((1..=occupancy.max_waves).contains(&occupancy.waves));
                            let _ = occupancy.limit();
                            let vgprs = descriptor.vgprs(generation) + descriptor.agprs(generation);
                            let _ =
                                (checked, vgprs, descriptor.sgprs(generation), descriptor.mode(generation));
                            let _ =
                                (descriptor.user_sgprs(generation).count(), descriptor.entry(symbol.value));
                        }
                    }
                    Err(_) => good &= symbol.kernel_name().is_none(),
                }
            }
        }
        Err(_) => good = false,
    }
    match object.relocations() {
        Ok(relocations) => {
            for relocation in relocations {
                match relocation {
                    Ok(relocation) => good &= object.symbol_by_index(relocation.symbol).is_ok(),
                    Err(_) => good = false,
                }
            }
        }
        Err(_) => good = false,
    }
    good
}
