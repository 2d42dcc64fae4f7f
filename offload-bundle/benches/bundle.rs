//! How long it takes to list, to choose from, and to unpack fat binaries.

#![allow(missing_docs, reason = "criterion's macro makes a public function without any")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use offload_bundle::{Bundle, Compressed, Container, Image, select};
use parser_samples::{Packing, compress, host, raw};

const TARGETS: [&str; 20] = [
    "gfx803",
    "gfx900:xnack-",
    "gfx900:xnack+",
    "gfx906:sramecc-:xnack-",
    "gfx906:sramecc+:xnack-",
    "gfx908:xnack-",
    "gfx908:xnack+",
    "gfx90a:xnack-",
    "gfx90a:xnack+",
    "gfx942:xnack-",
    "gfx942:xnack+",
    "gfx950",
    "gfx1010",
    "gfx1030",
    "gfx1031",
    "gfx1100",
    "gfx1101",
    "gfx1200",
    "gfx9-4-generic",
    "gfx11-generic",
];

fn ids() -> Vec<String> {
    TARGETS.iter().map(|target| format!("hipv4-amdgcn-amd-amdhsa--{target}")).collect()
}

/// A bundle for all targets, each with so many bytes of code.
fn bundle(bytes: usize) -> Vec<u8> {
    let (ids, code) = (ids(), vec![0x5a; bytes]);
    let mut entries: Vec<(&str, &[u8])> = vec![("host-x86_64-unknown-linux--", b"")];
    entries.extend(ids.iter().map(|id| (id.as_str(), code.as_slice())));
    raw(&entries, 4096)
}

/// Bytes that compress about as well as machine code does: words from a small set, with noise.
fn content(size: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let words: Vec<u64> = (0..512).map(|_| next()).collect();
    let mut bytes = Vec::with_capacity(size + 8);
    while bytes.len() < size {
        let number = next();
        let word = if number & 7 == 0 { number } else { words[(number >> 8) as usize % words.len()] };
        bytes.extend(word.to_le_bytes());
    }
    bytes.truncate(size);
    bytes
}

fn list(c: &mut Criterion) {
    let library = host(&vec![bundle(8192); 111]);
    let mut group = c.benchmark_group("list");
    group.throughput(Throughput::Elements(111));
    group.bench_function("a library of 111 bundles of 21 entries", |b| {
        b.iter(|| {
            let container = Container::parse(black_box(&library)).expect("a good sample");
            let images = container.images().map(|located| located.expect("a bundle").image);
            let entries = images.map(|image| match image {
                Image::Raw(bundle) => bundle.entries().map(|entry| entry.id.text.len()).sum::<usize>(),
                _ => 0,
            });
            entries.sum::<usize>()
        });
    });
    group.finish();
}

fn small_things(c: &mut Criterion) {
    let raw = bundle(4096);
    let packed = compress(3, Packing::Zstd, &raw);
    c.bench_function("recognise a bundle of 21 entries", |b| {
        b.iter(|| Image::recognise(black_box(&raw)).map(|image| image.kind()));
    });
    c.bench_function("header of a compressed bundle", |b| {
        b.iter(|| Compressed::parse(black_box(&packed)).map(|compressed| compressed.uncompressed_size()));
    });
    let bundle = Bundle::parse(&raw).expect("a good sample");
    let agent = "gfx942:sramecc+:xnack-".parse().expect("a target ID");
    c.bench_function("select of 21 entries", |b| {
        b.iter(|| select(bundle.entries(), black_box(&agent)).map(|choice| choice.entry.index));
    });
}

fn unpack(c: &mut Criterion) {
    let content = content(100 << 20);
    let mut group = c.benchmark_group("decompress 100 MiB");
    group.sample_size(10).throughput(Throughput::Bytes(content.len() as u64));
    for packing in [Packing::Zstd, Packing::Zlib] {
        let packed = compress(3, packing, &content);
        group.bench_function(format!("{packing:?}"), |b| {
            b.iter(|| {
                let compressed = Compressed::parse(black_box(&packed)).expect("a good sample");
                compressed.decompress(1 << 30).map(|content| content.len())
            });
        });
    }
    group.finish();
}

criterion_group!(benches, list, small_things, unpack);
criterion_main!(benches);
