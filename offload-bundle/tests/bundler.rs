//! Bundles made by `clang-offload-bundler-19` and by clang-19 itself read the same here and there, and what we make
//! that tool reads.

mod common;

use std::collections::BTreeSet;

use amd_codeobj::CodeObject;
use common::{Built, bundler, code_object, compress, raw, run};
use offload_bundle::{
    Bundle, Compressed, DEFAULT_LIMIT, FatBinaryWrapper, Image, ImageKind, Method, OffloadKind, Table,
};

const HOST: &str = "host-x86_64-unknown-linux--";
const TARGETS: [&str; 4] = ["gfx90a:sramecc+:xnack-", "gfx90a:sramecc+:xnack+", "gfx942", "gfx1030"];

/// A host entry and four code objects.
fn entries() -> Vec<(String, Vec<u8>)> {
    let device = |target: &&str| (format!("hipv4-amdgcn-amd-amdhsa--{target}"), code_object(target, 5));
    let mut entries = vec![(HOST.to_owned(), Vec::new())];
    entries.extend(TARGETS.iter().map(device));
    entries
}

fn borrowed(entries: &[(String, Vec<u8>)]) -> Vec<(&str, &[u8])> {
    entries.iter().map(|(id, bytes)| (id.as_str(), bytes.as_slice())).collect()
}

fn assert_holds(bundle: &Bundle<'_>, entries: &[(&str, &[u8])]) {
    let ids: Vec<_> = bundle.entries().map(|entry| entry.id.text).collect();
    assert_eq!(ids, entries.iter().map(|(id, _)| *id).collect::<Vec<_>>());
    for (entry, (id, data)) in bundle.entries().zip(entries) {
        assert!(entry.data == *data, "the bytes of {id} differ");
    }
    assert_eq!(bundle.len(), entries.len());
}

/// What the other tool lists, as a set: its order is that of a hash table.
fn listed(bytes: &[u8]) -> BTreeSet<String> {
    let file = Built::with("listed", bytes);
    run("clang-offload-bundler-19", &["-type=o", "-list", &format!("-input={}", file.path())])
        .lines()
        .map(str::to_owned)
        .collect()
}

/// What the other tool takes out for a target.
fn unbundled(bytes: &[u8], id: &str) -> Vec<u8> {
    let (file, output) = (Built::with("bundle", bytes), Built::new("unbundled"));
    run(
        "clang-offload-bundler-19",
        &[
            "-unbundle",
            "-type=o",
            &format!("-targets={id}"),
            &format!("-input={}", file.path()),
            &format!("-output={}", output.path()),
        ],
    );
    output.bytes()
}

#[test]
fn raw_bundles_of_any_alignment() {
    let entries = entries();
    let entries = borrowed(&entries);
    for align in [1usize, 64, 4096] {
        let bytes = bundler(&entries, &[&format!("-bundle-align={align}")]);
        let bundle = Bundle::parse(&bytes).unwrap();
        assert_holds(&bundle, &entries);
        assert_eq!(bundle.total_size(), bytes.len() as u64);
        assert_eq!(listed(&bytes), bundle.entries().map(|entry| entry.id.text.to_owned()).collect());
        for entry in bundle.entries().skip(1) {
            assert_eq!(entry.offset % align as u64, 0);
            assert_eq!(unbundled(&bytes, entry.id.text), entry.data);
        }
    }
}

#[test]
fn compressed_bundles() {
    let entries = entries();
    let entries = borrowed(&entries);
    for level in ["-compression-level=1", "-compression-level=19"] {
        let bytes = bundler(&entries, &["-compress", level, "-bundle-align=4096"]);
        let compressed = Compressed::parse(&bytes).unwrap();
        assert_eq!((compressed.version(), compressed.method()), (2, Method::Zstd));
        assert_eq!(compressed.total_size(), Ok(bytes.len() as u64));
        let content = compressed.decompress(DEFAULT_LIMIT).unwrap();
        compressed.check_hash(&content).unwrap();
        assert_holds(&Bundle::parse(&content).unwrap(), &entries);
        assert_eq!(compressed.prefix(100).unwrap(), content[..100]);
        assert_eq!(compressed.prefix(u64::MAX).unwrap(), content);
        let head = compressed.table(1 << 20).unwrap();
        assert!(head.len() < content.len(), "{} bytes for the table", head.len());
        let listed: Vec<_> = Table::parse(&head).unwrap().records().collect();
        for (record, entry) in listed.iter().zip(Bundle::parse(&content).unwrap().entries()) {
            assert_eq!((&record.id, record.offset, record.size), (&entry.id, entry.offset, entry.size));
        }
        assert_eq!(listed.len(), entries.len());
    }
}

#[test]
fn what_we_make_the_other_tool_reads() {
    let entries = entries();
    let entries = borrowed(&entries);
    let content = raw(&entries, 4096);
    let ids: BTreeSet<String> = entries.iter().map(|(id, _)| (*id).to_owned()).collect();
    let mut made = vec![content.clone()];
    for method in [Method::Zlib, Method::Zstd] {
        for version in [1, 2] {
            made.push(compress(version, method, &content));
        }
    }
    for bytes in made {
        assert_eq!(listed(&bytes), ids);
        for (id, data) in entries.iter().skip(1) {
            assert_eq!(unbundled(&bytes, id), *data);
        }
    }
}

#[test]
fn every_version_and_method() {
    let entries = entries();
    let entries = borrowed(&entries);
    let content = raw(&entries, 4096);
    for version in [1, 2, 3] {
        for method in [Method::Zlib, Method::Zstd] {
            let mut bytes = compress(version, method, &content);
            let length = bytes.len() as u64;
            // The next thing in memory is not part of the bundle.
            bytes.extend(b"CCOBtrailing");
            let Image::Compressed(compressed) = Image::recognise(&bytes).unwrap() else { panic!() };
            assert_eq!(compressed.kind(), ImageKind::Compressed { version });
            assert_eq!(compressed.method(), method);
            assert_eq!(compressed.total_size(), Ok(length), "v{version} {method}");
            let unpacked = compressed.decompress(DEFAULT_LIMIT).unwrap();
            assert_eq!(unpacked, content);
            compressed.check_hash(&unpacked).unwrap();
        }
    }
}

/// What clang-19 writes into the program: a host entry first, at the offset of the first code object.
#[test]
fn fat_binaries_of_the_compiler() {
    let source = Built::with("kernel.hip", b"__attribute__((global)) void k(int *p) { *p = 42; }\n");
    for (flag, kind) in [
        ("--no-offload-compress", ImageKind::Raw),
        ("--offload-compress", ImageKind::Compressed { version: 2 }),
    ] {
        let built = Built::new("kernel.hipfb");
        run(
            "clang-19",
            &[
                "-x",
                "hip",
                "--offload-arch=gfx90a:xnack-",
                "--offload-arch=gfx90a:xnack+",
                "--offload-arch=gfx942",
                "--offload-arch=gfx1100",
                "--cuda-device-only",
                "--gpu-bundle-output",
                "-nogpulib",
                "-nogpuinc",
                flag,
                source.path(),
                "-o",
                built.path(),
            ],
        );
        let bytes = built.bytes();
        let image = Image::recognise(&bytes).unwrap();
        assert_eq!(image.kind(), kind);
        assert_eq!(image.total_size(), Ok(bytes.len() as u64));
        let unpacked;
        let bundle = match image {
            Image::Raw(bundle) => bundle,
            Image::Compressed(compressed) => {
                unpacked = compressed.decompress(DEFAULT_LIMIT).unwrap();
                Bundle::parse(&unpacked).unwrap()
            }
            other => panic!("{}", other.kind()),
        };
        let entries: Vec<_> = bundle.entries().collect();
        assert_eq!(entries[0].id.kind, OffloadKind::Host);
        assert_eq!((entries[0].size, entries[0].offset), (0, entries[1].offset));
        assert_eq!(entries.len(), 5);
        for entry in &entries[1..] {
            assert_eq!(entry.id.kind, OffloadKind::HipV4);
            let object = CodeObject::parse(entry.data).unwrap();
            assert_eq!(Some(object.target_id().unwrap()), entry.id.target);
            assert_eq!(object.file_size(), entry.size);
        }
    }
}

/// LLVM 19 writes a host's ID twice when its triple has an environment: it reads as a host entry all the same.
#[test]
fn the_doubled_host_id_of_llvm_19() {
    let bytes = bundler(
        &[("host-x86_64-unknown-linux-gnu-", b""), ("hipv4-amdgcn-amd-amdhsa--gfx90a", b"code")],
        &[],
    );
    let bundle = Bundle::parse(&bytes).unwrap();
    let host = bundle.entries().next().unwrap();
    assert_eq!((host.id.kind, host.id.target), (OffloadKind::Host, None));
}

#[test]
fn a_section_with_several_fat_binaries() {
    let (a, b) = (code_object("gfx90a", 5), code_object("gfx942", 5));
    let first = raw(&[(HOST, b""), ("hipv4-amdgcn-amd-amdhsa--gfx90a", &a)], 4096);
    // Its payload holds the magic text, which must not be taken for a bundle.
    let second =
        raw(&[("hipv4-amdgcn-amd-amdhsa--gfx942", &[Bundle::MAGIC.as_slice(), b"CCOB", &b].concat())], 4096);
    let third = compress(2, Method::Zstd, &first);
    let fourth = compress(1, Method::Zlib, &second);
    let fifth = compress(1, Method::Zstd, &second);
    let mut section = Vec::new();
    let mut expected = Vec::new();
    for (kind, part) in [
        (ImageKind::Raw, &first),
        (ImageKind::Raw, &second),
        (ImageKind::Compressed { version: 2 }, &third),
        (ImageKind::Compressed { version: 1 }, &fourth),
        (ImageKind::CodeObject, &b),
        (ImageKind::Compressed { version: 1 }, &fifth),
        (ImageKind::Raw, &first),
    ] {
        section.resize(section.len().next_multiple_of(4096), 0);
        expected.push((kind, section.len() as u64, part.len() as u64));
        section.extend(part);
    }
    section.resize(section.len() + 4096, 0);
    let found: Vec<_> = Image::walk(&section)
        .map(|located| located.map(|it| (it.image.kind(), it.offset, it.size)).unwrap())
        .collect();
    assert_eq!(found, expected);
}

/// A library of two translation units: two wrappers, two fat binaries in one section.
#[test]
fn a_host_library_of_two_translation_units() {
    let mut objects = Vec::new();
    for (name, flag) in [("first", "--no-offload-compress"), ("second", "--offload-compress")] {
        let source = Built::with(
            "unit.hip",
            format!(
                "struct dim3 {{ unsigned x, y, z; }};\n\
                 extern \"C\" int hipLaunchKernel(const void *, dim3, dim3, void **, unsigned long, struct s *);\n\
                 extern \"C\" int __hipPopCallConfiguration(dim3 *, dim3 *, unsigned long *, void *);\n\
                 __attribute__((global)) void {name}(int *p) {{ *p = 42; }}\n"
            )
            .as_bytes(),
        );
        let object = Built::new("unit.o");
        run(
            "clang-19",
            &[
                "-x",
                "hip",
                "--offload-arch=gfx90a",
                "--offload-arch=gfx942",
                "-nogpulib",
                "-nogpuinc",
                "-fPIC",
                "-c",
                flag,
                source.path(),
                "-o",
                object.path(),
            ],
        );
        objects.push(object);
    }
    let library = Built::new("library.so");
    run("ld.lld-19", &["-shared", objects[0].path(), objects[1].path(), "-o", library.path()]);
    let section = |name: &str| {
        let dumped = Built::new("section");
        run(
            "llvm-objcopy-19",
            &[&format!("--dump-section={name}={}", dumped.path()), library.path(), "/dev/null"],
        );
        dumped.bytes()
    };
    let fat_binaries = section(".hip_fatbin");
    let found: Vec<_> = Image::walk(&fat_binaries).map(Result::unwrap).collect();
    let kinds: Vec<_> = found.iter().map(|located| located.image.kind()).collect();
    assert_eq!(kinds, [ImageKind::Raw, ImageKind::Compressed { version: 2 }]);
    assert_eq!(found[0].offset, 0);
    assert_eq!(found[1].offset % 4096, 0);
    let wrappers = section(".hipFatBinSegment");
    assert_eq!(wrappers.len(), 2 * FatBinaryWrapper::SIZE);
    for wrapper in wrappers.chunks(FatBinaryWrapper::SIZE) {
        assert_eq!(FatBinaryWrapper::parse(wrapper).unwrap().magic, FatBinaryWrapper::HIPF);
    }
}
