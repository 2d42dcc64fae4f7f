//! What we make: LLVM's bundler makes the same raw bytes, reads both forms back, and what is written reads as it was.

mod common;

use std::collections::BTreeSet;

use common::{Built, bundler, code_object, run, try_run};
use offload_bundle::{
    Bundle, BundleBuilder, CcobVersion, CompressOptions, Compressed, DEFAULT_LIMIT, HOST_ID, Method,
    WriteError, compress,
};
use proptest::prelude::*;

const TARGETS: [&str; 3] = ["gfx90a:sramecc+:xnack-", "gfx942", "gfx1030"];

/// A host entry and code for three targets.
fn entries() -> Vec<(String, Vec<u8>)> {
    let device = |target: &&str| (format!("hipv4-amdgcn-amd-amdhsa--{target}"), code_object(target, 5));
    [(HOST_ID.to_owned(), Vec::new())].into_iter().chain(TARGETS.iter().map(device)).collect()
}

fn builder(entries: &[(String, Vec<u8>)]) -> BundleBuilder<'_> {
    let mut builder = BundleBuilder::new();
    for (id, bytes) in entries {
        builder.add(id, bytes).unwrap();
    }
    builder
}

fn options(version: CcobVersion, method: Method) -> CompressOptions {
    CompressOptions { version, method, ..CompressOptions::default() }
}

/// What the other tool lists, as a set: its order is that of a hash table.
fn listed(file: &Built) -> BTreeSet<String> {
    run("clang-offload-bundler-19", &["-type=o", "-list", &format!("-input={}", file.path())])
        .lines()
        .map(str::to_owned)
        .collect()
}

/// What the other tool takes out for a target.
fn unbundled(file: &Built, id: &str) -> Vec<u8> {
    let output = Built::new("unbundled");
    let (targets, input, to) =
        (format!("-targets={id}"), format!("-input={}", file.path()), format!("-output={}", output.path()));
    run("clang-offload-bundler-19", &["-unbundle", "-type=o", &targets, &input, &to]);
    output.bytes()
}

#[test]
fn raw_bundles_have_the_bytes_of_the_other_tool() {
    let entries = entries();
    let borrowed: Vec<_> = entries.iter().map(|(id, bytes)| (id.as_str(), bytes.as_slice())).collect();
    for align in [1u64, 64, 4096] {
        let theirs = bundler(&borrowed, &[&format!("-bundle-align={align}")]);
        let mut builder = builder(&entries);
        let ours = builder.align(align).unwrap().to_vec().unwrap();
        assert!(ours == theirs, "alignment {align}");
        assert_eq!(builder.size().unwrap(), theirs.len() as u64);
        // And what was read is written as it was.
        let read = Bundle::parse(&theirs).unwrap();
        let again = BundleBuilder::from_bundle(&read).align(align).unwrap().to_vec().unwrap();
        assert!(again == theirs, "alignment {align}, repacked");
    }
}

#[test]
fn the_other_tool_reads_what_we_make() {
    let entries = entries();
    let builder = builder(&entries);
    let mut made = vec![builder.to_vec().unwrap()];
    for method in [Method::Zlib, Method::Zstd] {
        let mut bytes = Vec::new();
        let options = options(CcobVersion::V2, method);
        let size = builder.write_compressed(&options, &mut bytes).unwrap();
        assert_eq!(size, bytes.len() as u64);
        assert_eq!(bytes, compress(&made[0], &options).unwrap(), "{method}");
        made.push(bytes);
    }
    let ids: BTreeSet<String> = entries.iter().map(|(id, _)| id.clone()).collect();
    for bytes in made {
        let file = Built::with("made", &bytes);
        assert_eq!(listed(&file), ids);
        for (id, data) in entries.iter().skip(1) {
            assert!(unbundled(&file, id) == *data, "{id}");
        }
    }
}

/// LLVM 19 knows versions 1 and 2 only. It takes version 3 for version 2, whose fields stand elsewhere, and fails: when
/// this test fails, a newer tool has come that can judge version 3 as well.
#[test]
fn the_other_tool_does_not_know_version_3() {
    let entries = entries();
    let mut bytes = Vec::new();
    builder(&entries).write_compressed(&options(CcobVersion::V3, Method::Zstd), &mut bytes).unwrap();
    let file = Built::with("v3", &bytes);
    let input = format!("-input={}", file.path());
    let output = try_run("clang-offload-bundler-19", &["-type=o", "-list", &input]);
    assert!(!output.status.success(), "clang-offload-bundler-19 reads version 3");
    let compressed = Compressed::parse(&bytes).unwrap();
    let content = compressed.decompress(DEFAULT_LIMIT).unwrap();
    compressed.check_hash(&content).unwrap();
    assert_eq!(content, builder(&entries).to_vec().unwrap());
}

/// The same content gets the same header from LLVM: version, method, size and hash (the stream may differ).
#[test]
fn headers_are_those_of_the_other_tool() {
    let entries = entries();
    let borrowed: Vec<_> = entries.iter().map(|(id, bytes)| (id.as_str(), bytes.as_slice())).collect();
    let theirs = bundler(&borrowed, &["-compress", "-bundle-align=4096"]);
    let mut ours = Vec::new();
    builder(&entries).write_compressed(&CompressOptions::default(), &mut ours).unwrap();
    assert_eq!(ours[..8], theirs[..8], "magic, version, method");
    assert_eq!(ours[12..24], theirs[12..24], "size of the content, hash");
    assert_eq!(ours[8..12], (ours.len() as u32).to_le_bytes());
}

#[test]
fn entries_are_added_replaced_and_removed_in_order() {
    let mut builder = BundleBuilder::new();
    builder.add("hipv4-amdgcn-amd-amdhsa--gfx942", vec![1]).unwrap();
    builder.add_code(&"gfx90a:xnack-:sramecc+".parse().unwrap(), b"two").unwrap();
    builder.add_host().unwrap();
    let ids = |builder: &BundleBuilder<'_>| -> Vec<String> {
        builder.entries().iter().map(|entry| entry.id().text.to_owned()).collect()
    };
    let all = [HOST_ID, "hipv4-amdgcn-amd-amdhsa--gfx942", "hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-"];
    assert_eq!(ids(&builder), all);
    assert_eq!(*builder.replace(all[1], b"one").unwrap(), [1]);
    assert_eq!(ids(&builder), all);
    assert_eq!(builder.remove(HOST_ID).unwrap().bytes(), b"");
    assert_eq!(ids(&builder), all[1..]);
    assert_eq!(builder.entries()[0].bytes(), b"one");
    let bytes = builder.to_vec().unwrap();
    let bundle = Bundle::parse(&bytes).unwrap();
    let read: Vec<_> = bundle.entries().map(|entry| (entry.offset, entry.data)).collect();
    assert_eq!(read, [(4096, &b"one"[..]), (8192, b"two")]);
}

#[test]
fn what_cannot_be_made_is_refused() {
    let id = |target: &str| format!("hipv4-amdgcn-amd-amdhsa--{target}");
    let mut builder = BundleBuilder::new();
    builder.add(id("gfx90a"), b"code").unwrap();
    let error = builder.add(id("gfx90a"), b"").unwrap_err();
    assert_eq!(
        error.to_string(),
        "entry hipv4-amdgcn-amd-amdhsa--gfx90a is there already: replace or remove it first"
    );
    let error = builder.add(id("gfx90a:xnack-"), b"").unwrap_err();
    assert_eq!(
        error.to_string(),
        "entries hipv4-amdgcn-amd-amdhsa--gfx90a and hipv4-amdgcn-amd-amdhsa--gfx90a:xnack- conflict: for one \
         processor a feature is either on or off in every entry or in none"
    );
    assert!(matches!(builder.add("gfx90a", b""), Err(WriteError::BadId { .. })));
    let error = builder.remove(&id("gfx942")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no entry hipv4-amdgcn-amd-amdhsa--gfx942; there are: hipv4-amdgcn-amd-amdhsa--gfx90a"
    );
    for align in [0, 3, 4095] {
        let error = builder.align(align).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("bad alignment {align}: it must be a power of two, of at least 1")
        );
    }
    builder.align(1 << 63).unwrap();
    let error = builder.to_vec().unwrap_err();
    assert!(
        matches!(&error, WriteError::Io(error) if error.kind() == std::io::ErrorKind::OutOfMemory),
        "{error}"
    );
    builder.add(id("gfx942"), b"code").unwrap();
    assert_eq!(
        builder.size().unwrap_err().to_string(),
        "the bundle is too large: with alignment 9223372036854775808 the offset of entry \
         hipv4-amdgcn-amd-amdhsa--gfx942 does not fit 64 bits"
    );
    assert_eq!(builder.entries().len(), 2, "what was refused left nothing behind");

    for (method, level) in [(Method::Zlib, 10), (Method::Zstd, 23), (Method::Zstd, -1)] {
        let options = CompressOptions { level: Some(level), ..options(CcobVersion::V2, method) };
        let error = compress(b"", &options).unwrap_err();
        assert!(matches!(error, WriteError::BadLevel { .. }), "{error}");
    }
}

/// Clang refuses the same two mixtures.
#[test]
fn the_other_tool_refuses_the_same() {
    let file = Built::with("code", b"code");
    let output = Built::new("bundle");
    for (second, message) in [
        ("hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-", "Cannot bundle inputs with conflicting targets"),
        ("hipv4-amdgcn-amd-amdhsa--gfx90a", "Duplicate targets are not allowed"),
        ("cuda-amdgcn-amd-amdhsa--gfx90a", "invalid target"),
    ] {
        let targets = format!("-targets=host-x86_64-unknown-linux,hipv4-amdgcn-amd-amdhsa--gfx90a,{second}");
        let (input, to) = (format!("-input={}", file.path()), format!("-output={}", output.path()));
        let theirs = try_run("clang-offload-bundler-19", &["-type=o", &targets, &input, &input, &input, &to]);
        assert!(!theirs.status.success());
        let stderr = String::from_utf8_lossy(&theirs.stderr);
        assert!(stderr.contains(message), "{stderr}");
        let mut builder = BundleBuilder::new();
        builder.add("hipv4-amdgcn-amd-amdhsa--gfx90a", b"code").unwrap();
        builder.add(second, b"code").unwrap_err();
    }
}

/// The check comes before any work: the content is 4.25 GiB of the same zeros, which are never touched.
#[test]
fn four_gib_need_version_3() {
    let zeros = vec![0u8; 256 << 20];
    let mut builder = BundleBuilder::new();
    for xnack in ["+", "-"] {
        for sramecc in ["+", "-"] {
            for processor in ["gfx90a", "gfx942", "gfx950", "gfx940"] {
                let id = format!("hipv4-amdgcn-amd-amdhsa--{processor}:sramecc{sramecc}:xnack{xnack}");
                builder.add(id, &zeros).unwrap();
            }
        }
    }
    let error =
        builder.write_compressed(&CompressOptions::default(), std::io::sink()).unwrap_err().to_string();
    assert_eq!(
        error,
        "a content of 4294971392 bytes does not fit version 2 of the compressed form (4 GiB): use version 3"
    );
}

/// A full disk: the error of the system comes through, from the raw form and from the compressed.
#[test]
fn errors_of_writing_come_through() {
    struct Full(usize);
    impl std::io::Write for Full {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            match self.0.min(bytes.len()) {
                0 => Err(std::io::ErrorKind::StorageFull.into()),
                taken => {
                    self.0 -= taken;
                    Ok(taken)
                }
            }
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut builder = BundleBuilder::new();
    builder.add_host().unwrap().add("hipv4-amdgcn-amd-amdhsa--gfx90a", b"code").unwrap();
    for room in [0, 10, 100, 4096, 4099] {
        let error = builder.write(Full(room)).unwrap_err();
        assert!(
            matches!(&error, WriteError::Io(error) if error.kind() == std::io::ErrorKind::StorageFull),
            "{error}"
        );
    }
    for room in [0, 10, 40] {
        builder.write_compressed(&CompressOptions::default(), Full(room)).unwrap_err();
    }
    assert_eq!(builder.write(Full(4100)).unwrap(), 4100);
}

fn any_target() -> impl Strategy<Value = String> {
    prop_oneof![
        "gfx(900|906|90a|942)(:sramecc[+-])?(:xnack[+-])?",
        "gfx(1030|1100|1201)",
        "gfx(9|9-4|11)-generic",
        "gfx[1-9][0-9]{3}[a-f]?",
    ]
}

fn any_id() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => any_target().prop_map(|target| format!("hipv4-amdgcn-amd-amdhsa--{target}")),
        1 => any_target().prop_map(|target| format!("hip-amdgcn-amd-amdhsa-{target}")),
        1 => Just(HOST_ID.to_owned()),
        1 => Just("hip-spirv64-amd-amdhsa--amdgcnspirv".to_owned()),
        1 => Just("openmp-nvptx64-nvidia-cuda".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Write, read, equal: any entries, alignment, version, method and level; compressed or not.
    #[test]
    fn what_is_written_reads_as_it_was(
        entries in prop::collection::vec((any_id(), prop::collection::vec(any::<u8>(), 0..3000)), 0..8),
        align in 0u32..16,
        version in prop_oneof![Just(CcobVersion::V2), Just(CcobVersion::V3)],
        method in prop_oneof![Just(Method::Zlib), Just(Method::Zstd)],
        level in prop::option::of(1i32..10),
        long_distance: bool,
    ) {
        let mut builder = BundleBuilder::new();
        builder.align(1 << align).unwrap();
        let mut kept = Vec::new();
        for (id, bytes) in &entries {
            // Random IDs repeat, conflict, or name features in a way that no chip has: those are refused.
            if builder.add(id, bytes).is_ok() {
                kept.push((id.as_str(), bytes.as_slice()));
            }
        }
        let raw = builder.to_vec().unwrap();
        prop_assert_eq!(raw.len() as u64, builder.size().unwrap());
        let bundle = Bundle::parse(&raw).unwrap();
        let read: Vec<_> = bundle.entries().map(|entry| (entry.id.text, entry.data)).collect();
        prop_assert_eq!(&read, &kept);
        prop_assert!(bundle.entries().all(|entry| entry.offset % (1 << align) == 0));
        prop_assert_eq!(&BundleBuilder::from_bundle(&bundle).align(1 << align).unwrap().to_vec().unwrap(), &raw);

        let options = CompressOptions { version, method, level, long_distance };
        let mut packed = Vec::new();
        builder.write_compressed(&options, &mut packed).unwrap();
        let compressed = Compressed::parse(&packed).unwrap();
        prop_assert_eq!(compressed.total_size().unwrap(), packed.len() as u64);
        prop_assert_eq!(compressed.version(), if version == CcobVersion::V2 { 2 } else { 3 });
        prop_assert_eq!(compressed.method(), method);
        let content = compressed.decompress(DEFAULT_LIMIT).unwrap();
        compressed.check_hash(&content).unwrap();
        prop_assert_eq!(content, raw);
    }
}
