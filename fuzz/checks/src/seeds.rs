//! The inputs that fuzzing starts from: small good files of every kind, and some that are bad in an instructive way.
//! Always the same, so that a run can be repeated.

use offload_bundle::{BundleBuilder, CcobVersion, CompressOptions, Method};
use parser_samples::{
    CodeObject, Packing, Relocation, archive, compress, descriptor, host, kpack, kpack_reference, metadata,
    msgpack, raw,
};

/// A seed: the check it is for, its name, its bytes.
pub type Seed = (&'static str, String, Vec<u8>);

const A: &str = "hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-";
const B: &str = "hip-amdgcn-amd-amdhsa--gfx906";
const C: &str = "hipv4-amdgcn-amd-amdhsa--gfx11-generic";
const HOST: &str = "host-x86_64-unknown-linux-gnu-";

/// Code objects of each version: name, bytes.
pub fn code_objects() -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for (version, flags, target) in [
        (3, 0x230, "gfx908"),
        (4, 0x53f, "gfx90a"),
        (5, 0x54c, "gfx942"),
        (5, 0x036, "gfx1030"),
        (6, 0x100_0054, "gfx11-generic"),
    ] {
        let object = CodeObject::new(version, flags, target, &["_Z6kernelPfi", "other"]);
        found.push((format!("v{version}-{target}"), object.build()));
    }
    let mut object = CodeObject::new(5, 0x54c, "gfx942", &["many", "more", "kernels", "of", "one", "object"]);
    object.externals = vec!["elsewhere".to_owned()];
    object.relocations.push(Relocation { at: 0, kind: 3, symbol: 1, addend: -8 });
    found.push(("externals".to_owned(), object.build()));
    object.hash = false;
    found.push(("gnu-hash-only".to_owned(), object.build()));
    (object.hash, object.gnu_hash) = (true, false);
    found.push(("hash-only".to_owned(), object.build()));
    object.sections = false;
    found.push(("no-sections".to_owned(), object.build()));
    (object.hash, object.gnu_hash) = (false, true);
    found.push(("no-sections-gnu-hash".to_owned(), object.build()));
    let mut lines = CodeObject::new(5, 0x54c, "gfx942", &["kernel"]).with_lines();
    found.push(("lines".to_owned(), lines.build()));
    for (word, packing) in [("zlib", Packing::Zlib), ("zstd", Packing::Zstd)] {
        lines.debug_packing = Some(packing);
        found.push((format!("lines-{word}"), lines.build()));
    }
    let mut old = CodeObject::new(2, 0x02a, "gfx803", &["old"]);
    old.metadata = b"---\nVersion: [ 1, 0 ]\n...\n".to_vec();
    found.push(("v2".to_owned(), old.build()));
    found
}

fn bundles() -> Vec<(String, Vec<u8>)> {
    let objects = code_objects();
    let entries: [(&str, &[u8]); 4] =
        [(HOST, b""), (A, &objects[1].1), (B, &objects[0].1), (C, &objects[4].1)];
    let small: [(&str, &[u8]); 3] = [(HOST, b""), (A, b"some bytes"), (B, b"and others")];
    vec![
        ("objects".to_owned(), raw(&entries, 64)),
        ("small".to_owned(), raw(&small, 8)),
        ("aligned".to_owned(), raw(&small, 4096)),
        ("empty".to_owned(), raw(&[], 8)),
        ("spirv".to_owned(), raw(&[("hip-spirv64-amd-amdhsa--amdgcnspirv", b"\x03\x02\x23\x07")], 8)),
    ]
}

/// The bundles and their compressed forms as our own writer makes them.
fn written() -> Vec<(String, Vec<u8>)> {
    let objects = code_objects();
    let mut builder = BundleBuilder::new();
    builder.align(64).expect("a power of two");
    builder.add_host().expect("the first entry");
    for (target, (_, object)) in [("gfx908", &objects[0]), ("gfx90a", &objects[1]), ("gfx942", &objects[2])] {
        let target = target.parse().expect("a target ID");
        builder.add_code(&target, object).expect("a new entry");
    }
    let mut found = vec![("written".to_owned(), builder.to_vec().expect("a bundle"))];
    for (version, word) in [(CcobVersion::V2, "v2"), (CcobVersion::V3, "v3")] {
        for method in [Method::Zlib, Method::Zstd] {
            let options = CompressOptions { version, method, ..CompressOptions::default() };
            let mut packed = Vec::new();
            builder.write_compressed(&options, &mut packed).expect("a compressed bundle");
            found.push((format!("written-{word}-{method}"), packed));
        }
    }
    found
}

/// Every seed.
pub fn all() -> Vec<Seed> {
    let mut seeds = Vec::new();
    fat_binaries(&mut seeds);
    containers(&mut seeds);
    let ids = [
        A,
        B,
        C,
        HOST,
        "openmp-amdgcn-amd-amdhsa--gfx90a",
        "hip-spirv64-amd-amdhsa--amdgcnspirv",
        "gfx942:xnack+",
        "",
    ];
    for (index, id) in ids.into_iter().enumerate() {
        seeds.push(("entry_id", index.to_string(), id.as_bytes().to_vec()));
    }
    for (name, data) in code_objects() {
        seeds.push(("code_object", name, data));
    }
    let nested = (0..40).fold(rmpv::Value::Nil, |inner, _| rmpv::Value::Array(vec![inner]));
    for (name, data) in [
        ("one", metadata(1, "amdgcn-amd-amdhsa--gfx90a", &["kernel"])),
        ("three", metadata(2, "amdgcn-amd-amdhsa--gfx942:xnack+", &["a", "b", "c"])),
        ("none", metadata(0, "amdgcn-amd-amdhsa--gfx908", &[])),
        ("nested", msgpack(&nested)),
    ] {
        seeds.push(("metadata", name.to_owned(), data));
    }
    for (name, words) in [
        ("gfx9", descriptor(0x00af_0081, 0x84, 3, 8)),
        ("gfx11", descriptor(0x60af_0001, 0x84, 0x10, 0x408)),
        ("ones", [0xff; 64]),
        ("zeros", [0; 64]),
    ] {
        seeds.push(("kernel_descriptor", name.to_owned(), words.to_vec()));
    }
    seeds
}

fn fat_binaries(seeds: &mut Vec<Seed>) {
    for (name, bundle) in bundles() {
        for version in 1..=3 {
            for (word, packing) in [("zlib", Packing::Zlib), ("zstd", Packing::Zstd)] {
                seeds.push((
                    "ccob",
                    format!("{name}-v{version}-{word}"),
                    compress(version, packing, &bundle),
                ));
            }
        }
        for agent in [14, 0x4e, 0x80] {
            seeds.push(("select", format!("{name}-{agent}"), [&[agent], &bundle[..]].concat()));
        }
        seeds.push(("bundle", name, bundle));
    }
    for (name, data) in written() {
        seeds.push((if data.starts_with(b"CCOB") { "ccob" } else { "bundle" }, name, data));
    }
}

fn archives() -> Vec<(String, Vec<u8>)> {
    let objects = code_objects();
    let entries: [(&str, &[u8]); 2] = [("gfx90a:xnack+", &objects[1].1), ("gfx942", b"not a code object")];
    vec![
        ("kpack-zstd".to_owned(), kpack("lib/libsample.so#0", &entries, true)),
        ("kpack-none".to_owned(), kpack("lib/libsample.so#0", &entries, false)),
        ("kpack-empty".to_owned(), kpack("lib/libsample.so#0", &[], true)),
    ]
}

fn containers(seeds: &mut Vec<Seed>) {
    let parts = [bundles(), written(), archives(), code_objects()].concat();
    let mut section = Vec::new();
    for (_, part) in &parts {
        section.resize(section.len().next_multiple_of(64), 0);
        section.extend(part);
    }
    let shared = host(&[parts[1].1.clone(), parts[6].1.clone()]);
    let reference = kpack_reference("lib/libsample.so", &["../.kpack/sample_@GFXARCH@.kpack", "all.kpack"]);
    let members: [(&str, &[u8]); 3] =
        [("a.o", &shared), ("a name that is long.o", &shared), ("text", b"odd")];
    seeds.push(("container", "archive".to_owned(), archive(&members)));
    seeds.push(("container", "section".to_owned(), section));
    seeds.push(("container", "host".to_owned(), shared));
    seeds.push(("kpack", "reference".to_owned(), reference));
    for (name, data) in archives() {
        seeds.push(("kpack", name, data));
    }
    for (name, data) in parts {
        seeds.push(("container", format!("bare-{name}"), data));
    }
}
