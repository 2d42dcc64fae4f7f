//! Bombs: small inputs that unpack, or promise to unpack, to very much. Each is refused with its error, and the memory of
//! the whole process, libraries in C included, stays within a bound. One test, so that nothing else runs in the process.

use std::io::Write;

use offload_bundle::kpack::Archive;
use offload_bundle::{Compressed, Container, Error, Method};
use parser_samples::{Packing, compress_as, patch};

const MB: u64 = 1 << 20;
/// What a caller allows.
const LIMIT: u64 = 4 * MB;
/// What all rows together may add to the process, in bytes: the limit, windows of decoders, and slack.
const MOST: u64 = 40 * MB;

/// The most memory that the process ever had, in bytes (`VmHWM` of proc(5)).
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has /proc");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("it has a high-water mark");
    let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse().expect("a number");
    kilobytes << 10
}

/// Zeros, packed as a stream, without ever having them in memory.
fn zeros(packing: Packing, megabytes: usize) -> Vec<u8> {
    let chunk = vec![0; MB as usize];
    let mut packed = Vec::new();
    match packing {
        Packing::Zlib => {
            let mut encoder = flate2::write::ZlibEncoder::new(&mut packed, flate2::Compression::fast());
            (0..megabytes).for_each(|_| encoder.write_all(&chunk).expect("memory can be written"));
            encoder.finish().expect("memory can be written");
        }
        Packing::Zstd => {
            let mut encoder = zstd::stream::write::Encoder::new(&mut packed, 1).expect("level 1 exists");
            encoder.set_pledged_src_size(Some(megabytes as u64 * MB)).expect("before the first byte");
            (0..megabytes).for_each(|_| encoder.write_all(&chunk).expect("memory can be written"));
            encoder.finish().expect("memory can be written");
        }
    }
    packed
}

fn too_large(size: u64) -> Error {
    Error::TooLarge { what: "the compressed bundle", offset: 0, size, limit: LIMIT }
}

/// A Zstandard frame that says what its content's size is, with one block that says it has `size` bytes of one value.
fn frame(content_size: u64, size: u32) -> Vec<u8> {
    // A size of eight bytes, a window as large as the content.
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0xe0];
    frame.extend(content_size.to_le_bytes());
    frame.extend(&(size << 3 | 1 << 1 | 1).to_le_bytes()[..3]);
    frame.push(0);
    frame
}

#[test]
fn bombs_are_refused_in_bounded_memory() {
    let zlib = zeros(Packing::Zlib, 256);
    let zstd = zeros(Packing::Zstd, 1024);
    assert!(zlib.len() < 2 * MB as usize && zstd.len() < MB as usize);
    // Ask for a window of 2^41 bytes, whatever the content.
    let window = [&[0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xf8][..], &frame(0, 1)[13..]].concat();
    let before = peak();
    let ccob = |packing, packed: &[u8], size: u64| compress_as(3, packing, packed, size, &[0; 8]);

    for (packing, packed, real) in [(Packing::Zlib, &zlib, 256 * MB), (Packing::Zstd, &zstd, 1024 * MB)] {
        // It says how large it is: no work is done.
        let honest = ccob(packing, packed, real);
        let compressed = Compressed::parse(&honest).expect("a good header");
        assert_eq!(compressed.decompress(LIMIT), Err(too_large(real)));
        // It says less: unpacking stops there.
        for size in [0, 1, 1000, LIMIT] {
            let liar = ccob(packing, packed, size);
            let error =
                Compressed::parse(&liar).and_then(|liar| liar.decompress(LIMIT)).expect_err("more comes out");
            let expected =
                Error::WrongLength { relation: "at least", found: size + 1, offset: 16, expected: size };
            assert_eq!(error, expected, "{packing:?} of {real} says {size}");
        }
        // It says more, and the caller allows anything: no memory is reserved on the promise.
        for size in [1 << 40, 1 << 60, u64::MAX] {
            let short = parser_samples::pack(packing, b"short");
            let liar = ccob(packing, &short, size);
            let error =
                Compressed::parse(&liar).and_then(|liar| liar.decompress(u64::MAX)).expect_err("a lie");
            let expected = Error::WrongLength { relation: "only", found: 5, offset: 16, expected: size };
            assert_eq!(error, expected, "{packing:?} says {size}");
        }
        // The first bytes of a large content are to be had without the rest.
        let start = compressed.prefix(4096).expect("zeros");
        assert!(start.len() == 4096 && start.iter().all(|&byte| byte == 0));
        let grown = peak() - before;
        assert!(grown <= MOST, "{packing:?}: the process has grown by {} MB", grown / MB);
    }

    for (name, packed, size) in [
        ("a frame that says 2^40 bytes", frame(1 << 40, 100), 1 << 40),
        ("a frame that says u64::MAX bytes", frame(u64::MAX, 100), u64::MAX),
        ("a frame that says 2^62 bytes, in a bundle that says 100", frame(1 << 62, 100), 100),
        ("a frame with a window of 2^41 bytes", window, 1000),
    ] {
        let data = ccob(Packing::Zstd, &packed, size);
        let compressed = Compressed::parse(&data).expect("a good header");
        let error = compressed.decompress(u64::MAX).expect_err(name);
        let corrupt = matches!(error, Error::Corrupt { method: Method::Zstd, offset: 32, .. });
        assert!(corrupt || matches!(error, Error::WrongLength { offset: 16, .. }), "{name}: {error}");
        assert!(compressed.prefix(4096).map_or(true, |prefix| prefix.len() <= 4096));
        assert!(compressed.table(LIMIT).map_or(true, |table| table.len() as u64 <= LIMIT));
    }

    // Version 1 does not say where it ends: the stream is run through, not kept.
    let v1 = compress_as(1, Packing::Zlib, &zlib, 256 * MB, &[0; 8]);
    let v1 = Compressed::parse(&v1).map(|v1| v1.total_size());
    assert_eq!(v1, Ok(Ok(20 + zlib.len() as u64)));

    // Counts in headers reserve nothing.
    let mut bundle = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    bundle.extend((1u64 << 60).to_le_bytes());
    assert!(
        matches!(Container::parse(&bundle), Err(Error::TooManyEntries { count, .. }) if count == 1 << 60)
    );
    let kpack = parser_samples::kpack("a#0", &[("gfx90a", b"code")], true);
    let kpack = patch(&kpack, 64, &[0xff; 4]);
    assert!(matches!(Archive::parse(&kpack), Err(Error::Truncated { .. })));

    let grown = peak() - before;
    assert!(grown <= MOST, "the process has grown by {} MB", grown / MB);
}
