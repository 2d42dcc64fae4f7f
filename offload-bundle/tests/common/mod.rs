//! What the tests share: LLVM's tools, a writer of bundles for what those tools do not make, and a walk over everything
//! that can be read.
#![allow(dead_code, unused_imports, reason = "each test file uses its part")]

pub mod host;
pub mod kpack;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

use offload_bundle::{Bundle, Container, EntryId, FatBinaryWrapper, Image, Method, SectionKind, select};
use parser_samples::Packing;
pub use parser_samples::raw;

/// Runs a tool, whatever comes of it. A tool that is missing is an error with the way out, never a skip.
pub fn try_run(tool: &str, args: &[&str]) -> Output {
    Command::new(tool).args(args).output().unwrap_or_else(|error| {
        panic!("cannot run {tool}: {error}; install it with: apt-get install -y clang-19 clang-tools-19 lld-19 llvm-19")
    })
}

/// Runs a tool that must succeed, and returns its standard output.
pub fn run(tool: &str, args: &[&str]) -> String {
    let output = try_run(tool, args);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{tool} {args:?} failed: {stderr}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A file in the tests' temporary folder, removed when dropped.
pub struct Built(pub PathBuf);

impl Built {
    pub fn new(name: &str) -> Built {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let unique = format!("{}-{}-{name}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        Built(Path::new(env!("CARGO_TARGET_TMPDIR")).join(unique))
    }

    pub fn with(name: &str, bytes: &[u8]) -> Built {
        let built = Built::new(name);
        std::fs::write(&built.0, bytes).unwrap();
        built
    }

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

/// A code object, compiled from one kernel.
pub fn code_object(target: &str, version: u8) -> Vec<u8> {
    let source = Built::with("kernel.hip", b"__attribute__((global)) void k(int *p) { *p = 42; }\n");
    let built = Built::new("kernel.co");
    run(
        "clang-19",
        &[
            "-x",
            "hip",
            &format!("--offload-arch={target}"),
            "--cuda-device-only",
            "--no-gpu-bundle-output",
            "-nogpulib",
            "-nogpuinc",
            &format!("-mcode-object-version={version}"),
            source.path(),
            "-o",
            built.path(),
        ],
    );
    built.bytes()
}

/// A bundle made by clang-offload-bundler-19.
pub fn bundler(entries: &[(&str, &[u8])], extra: &[&str]) -> Vec<u8> {
    let inputs: Vec<_> = entries.iter().map(|(_, bytes)| Built::with("input", bytes)).collect();
    let output = Built::new("bundle");
    // The tool adds the dashes of a triple's missing field itself, and doubles the ID if they are there.
    let ids: Vec<_> = entries.iter().map(|(id, _)| id.strip_suffix("--").unwrap_or(id)).collect();
    let mut args = vec!["-type=o".to_owned(), format!("-targets={}", ids.join(","))];
    args.extend(inputs.iter().map(|input| format!("-input={}", input.path())));
    args.push(format!("-output={}", output.path()));
    args.extend(extra.iter().map(|&extra| extra.to_owned()));
    run("clang-offload-bundler-19", &args.iter().map(String::as_str).collect::<Vec<_>>());
    output.bytes()
}

/// A compressed bundle of any version and method.
pub fn compress(version: u16, method: Method, content: &[u8]) -> Vec<u8> {
    let packing = if method == Method::Zstd { Packing::Zstd } else { Packing::Zlib };
    parser_samples::compress(version, packing, content)
}

/// Reads everything that can be read, with a bound of 1 MiB on what is unpacked: nothing may panic, all must end.
pub fn walk(data: &[u8]) -> bool {
    let agent = "gfx90a:sramecc+:xnack-".parse().unwrap();
    let mut good = true;
    let (mut images, mut end) = (0, 0);
    for located in Image::walk(data) {
        let Ok(located) = located else {
            good = false;
            continue;
        };
        images += 1;
        assert!(located.offset >= end);
        end = located.offset + located.size;
        assert!(end <= data.len() as u64);
        let unpacked;
        let bundle = match located.image {
            Image::Raw(bundle) => bundle,
            Image::Compressed(compressed) => {
                let _ = compressed.prefix(4096);
                let _ = compressed.table(1 << 16);
                unpacked = match compressed.decompress(1 << 20) {
                    Ok(unpacked) => unpacked,
                    Err(error) => {
                        assert!(!error.to_string().is_empty());
                        good = false;
                        continue;
                    }
                };
                good &= compressed.check_hash(&unpacked).is_ok();
                let Ok(bundle) = Bundle::parse(&unpacked) else {
                    good = false;
                    continue;
                };
                bundle
            }
            Image::Kpack(archive) => {
                for kernel in archive.kernels() {
                    good &= kernel.and_then(|kernel| kernel.extract(1 << 20)).is_ok();
                }
                continue;
            }
            _ => continue,
        };
        assert_eq!(bundle.entries().count(), bundle.len());
        assert!(bundle.check().all(|finding| !finding.to_string().is_empty()));
        for entry in bundle.entries() {
            assert_eq!(entry.data.len() as u64, entry.size);
            let _ = (entry.id.target_id(), entry.id.is_spirv(), entry.id.label(), entry.id.check());
            let canonical = entry.id.canonical();
            assert_eq!(EntryId::parse(&canonical).canonical(), canonical, "{}", entry.id);
        }
        match select(bundle.entries(), &agent) {
            Ok(choice) => assert_eq!(choice.rejected.len() + 1, bundle.len()),
            Err(error) => {
                assert_eq!(error.rejected.len(), bundle.len());
                assert!(error.to_string().starts_with("no code for"));
            }
        }
    }
    good && images > 0
}

/// The same for a file of any shape: every section and every image, whose places must lie in the file.
pub fn walk_container(data: &[u8]) -> bool {
    let Ok(container) = Container::parse(data) else { return false };
    let mut good = true;
    for section in container.sections() {
        let Ok(section) = section else {
            good = false;
            continue;
        };
        if !section.data.is_empty() {
            assert_eq!(section.data, &data[section.file_offset as usize..][..section.data.len()]);
        }
        if section.kind == SectionKind::Wrappers {
            for wrapper in section.data.chunks(FatBinaryWrapper::SIZE) {
                good &= FatBinaryWrapper::parse(wrapper).is_ok();
            }
        }
        let _ = section.entry_id();
    }
    for located in container.images() {
        let Ok(located) = located else {
            good = false;
            continue;
        };
        let bytes = &data[located.offset as usize..][..located.size as usize];
        let by_magic = !matches!(located.image, Image::KpackReference(_) | Image::Entry(_));
        good &= !by_magic || walk(bytes);
    }
    good
}
