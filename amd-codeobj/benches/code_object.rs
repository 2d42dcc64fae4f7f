//! How long reading a code object takes: the whole, its metadata by kernel, a symbol by name, target IDs.

#![allow(missing_docs, reason = "criterion's macro makes a public function without any")]

use std::hint::black_box;

use amd_codeobj::metadata::yaml;
use amd_codeobj::{CodeObject, KernelDescriptor, Metadata, TargetId};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

/// A code object with so many kernels, and their names.
fn object(kernels: usize) -> (Vec<u8>, Vec<String>) {
    let names: Vec<String> = (0..kernels).map(|index| format!("_Z6kernel{index}PfS_ii")).collect();
    let references: Vec<&str> = names.iter().map(String::as_str).collect();
    (parser_samples::CodeObject::new(5, 0x54c, "gfx942", &references).build(), names)
}

fn open(c: &mut Criterion) {
    let (data, _) = object(100);
    c.bench_function("CodeObject::parse", |b| {
        b.iter(|| CodeObject::parse(black_box(&data)).map(|o| o.file_size()))
    });
}

fn metadata(c: &mut Criterion) {
    let mut group = c.benchmark_group("metadata");
    for kernels in [1, 100, 10_000] {
        let (data, _) = object(kernels);
        let object = CodeObject::parse(&data).expect("a good sample");
        let desc = object.metadata_note().expect("with metadata").desc;
        group.throughput(Throughput::Elements(kernels as u64));
        group.bench_function(BenchmarkId::new("typed", kernels), |b| {
            b.iter(|| Metadata::parse(black_box(desc), 0).map(|metadata| metadata.kernels.len()));
        });
        group.bench_function(BenchmarkId::new("yaml", kernels), |b| {
            b.iter(|| yaml(black_box(desc), 0).map(|text| text.len()));
        });
    }
    group.finish();
}

fn symbols(c: &mut Criterion) {
    let (data, names) = object(10_000);
    let object = CodeObject::parse(&data).expect("a good sample");
    let name = format!("{}.kd", names[7_777]);
    c.bench_function("symbol by name of 20,000", |b| {
        b.iter(|| object.symbol(black_box(&name)).map(|s| s.value))
    });
    let symbol = object.symbol(&name).expect("it is there");
    c.bench_function("descriptor of a symbol", |b| b.iter(|| object.kernel_descriptor(black_box(&symbol))));
    c.bench_function("all symbols of 20,000", |b| {
        b.iter(|| object.symbols().map(|list| list.flatten().count()))
    });
}

fn small_things(c: &mut Criterion) {
    let bytes = parser_samples::descriptor(0x00af_0081, 0x84, 3, 8);
    c.bench_function("KernelDescriptor::parse", |b| b.iter(|| KernelDescriptor::parse(black_box(&bytes))));
    let text = "gfx90a:sramecc+:xnack-";
    c.bench_function("TargetId::parse", |b| b.iter(|| black_box(text).parse::<TargetId>()));
    let agent: TargetId = text.parse().expect("a target ID");
    let code: TargetId = "gfx90a:xnack-".parse().expect("a target ID");
    c.bench_function("TargetId::fits", |b| b.iter(|| black_box(&code).fits(black_box(&agent))));
}

criterion_group!(benches, open, metadata, symbols, small_things);
criterion_main!(benches);
