//! `.kpack` archives and references to them.

use offload_bundle::kpack::{Archive, Reference};
use offload_bundle::{Error, Method};
use parser_samples::{find, kpack, kpack_reference, patch, u64_at};

use crate::{HUGE, MOST, Row, check, row};

const BINARY: &str = "lib/libsample.so#0";
const CODE: &[u8] = b"code that stands for a code object ......................";

fn good(zstd: bool) -> Vec<u8> {
    kpack(BINARY, &[("gfx90a", CODE), ("gfx942", CODE)], zstd)
}

/// Everything that the archive tells, to the first error.
fn read(data: &[u8]) -> Result<usize, Error> {
    let archive = Archive::parse(data)?;
    let mut bytes = 0;
    for kernel in archive.kernels() {
        bytes += kernel?.extract(1 << 16)?.len();
    }
    Ok(bytes)
}

#[test]
fn the_good_ones_are_good() {
    for zstd in [false, true] {
        assert_eq!(read(&good(zstd)), Ok(2 * CODE.len()));
    }
}

#[test]
fn each_field() {
    let data = &good(true);
    let have = data.len() as u64;
    let toc = u64_at(data, 8);
    let version = |value| Error::BadField {
        what: "version of a .kpack archive",
        offset: 4,
        value,
        why: "only 1 is known",
    };
    let toc_at = |value| Error::BadField {
        what: "TOC offset",
        offset: 8,
        value,
        why: "the table of contents is not within the file",
    };
    let frames =
        |offset, need, have| Error::Truncated { what: "zstd frames of a .kpack archive", offset, need, have };
    let bad = |offset, why| Error::Malformed { what: "table of contents of a .kpack archive", offset, why };
    let lacks =
        |offset, key| Error::MissingKey { what: "table of contents of a .kpack archive", offset, key };
    let after = |key: &str| find(data, key.as_bytes()) + key.len();
    let scheme = after("compression_scheme");
    let first = after("ordinal");
    let size = after("original_size");
    let frame = 64 + 4 + 4;
    let record = find(data, b"\xa6gfx90a\x83") as u64;
    #[rustfmt::skip]
    let rows: Vec<Row> = vec![
        row("magic", data, 0, b"KPAX", Error::UnknownMagic { offset: 0, found: b"KPAX".to_vec() }),
        row("version 0", data, 4, &[0], version(0)),
        row("version 2", data, 4, &[2], version(2)),
        row("version 2^32 - 1", data, 4, &[0xff; 4], version(0xffff_ffff)),
        row("TOC offset: 0", data, 8, &[0; 8], toc_at(0)),
        row("TOC offset: in the header", data, 8, &15u64.to_le_bytes(), toc_at(15)),
        row("TOC offset: at the end", data, 8, &have.to_le_bytes(), toc_at(have)),
        row("TOC offset: 2^60", data, 8, &HUGE, toc_at(1 << 60)),
        row("TOC offset: u64::MAX", data, 8, &MOST, toc_at(u64::MAX)),
        row("TOC: no map", data, toc as usize, &[0xc0], bad(toc, "a map was expected")),
        row("TOC: not MessagePack", data, toc as usize, &[0xc1], bad(toc, "byte c1 is no MessagePack")),
        row("TOC: empty, so that code stands there as it is", data, toc as usize, &[0x80], lacks(toc, "blobs")),
        row("scheme: not known", data, scheme + 1, b"lz4d", bad(scheme as u64, "a compression scheme that is not known")),
        row("scheme: no text", data, scheme, &[0xc0], bad(scheme as u64, "text was expected")),
        row("scheme: not UTF-8", data, scheme + 1, &[0xff], bad(scheme as u64, "text that is not UTF-8")),
        row("zstd_offset: missing", data, find(data, b"zstd_offset"), b"zstd_offseX", lacks(toc, "zstd_offset")),
        row("zstd_size: missing", data, find(data, b"zstd_size"), b"zstd_sizX", lacks(toc, "zstd_size")),
        row("zstd_offset: no number", data, after("zstd_offset"), &[0xc0], bad(after("zstd_offset") as u64, "a number that is not negative was expected")),
        row("zstd_offset: negative", data, after("zstd_offset"), &[0xff], bad(after("zstd_offset") as u64, "a number that is not negative was expected")),
        row("frames: count 2^32 - 1", data, 64, &[0xff; 4], frames(toc, 4, toc)),
        row("frames: one too many", data, 64, &[3], frames(toc, 4, toc)),
        row("frames: size 2^32 - 1", data, 68, &[0xff; 4], frames(frame, 0xffff_ffff, toc)),
        row("ordinal: one past the last", data, first, &[2], Error::BadField { what: "ordinal of a code object", offset: first as u64, value: 2, why: "the archive does not have so many" }),
        row("ordinal: missing", data, first - 3, b"naX", lacks(record, "ordinal")),
        row("original_size: one less", data, size, &[CODE.len() as u8 - 1], Error::WrongLength { relation: "at least", found: CODE.len() as u64, offset: record, expected: CODE.len() as u64 - 1 }),
        row("original_size: one more", data, size, &[CODE.len() as u8 + 1], Error::WrongLength { relation: "only", found: CODE.len() as u64, offset: record, expected: CODE.len() as u64 + 1 }),
        row("original_size: missing", data, size - 3, b"izX", lacks(record, "original_size")),
    ];
    check(rows, read);
    let spoilt = patch(data, frame as usize, &[0; 4]);
    let error = read(&spoilt).expect_err("the frame's magic is gone");
    assert!(matches!(error, Error::Corrupt { method: Method::Zstd, offset: 72, .. }), "{error}");
}

/// Sizes that no small number can have: the table of contents is written anew with them.
#[test]
fn large_numbers() {
    let data = good(false);
    let have = data.len() as u64;
    let offset = find(&data, b"\xa6offset") + 7;
    let size = offset + 1 + 5;
    // A number of one byte gives way to one of nine.
    let with = |at: usize, value: u64| [&data[..at], &[0xcf], &value.to_be_bytes(), &data[at + 1..]].concat();
    let cut = |offset, need| Error::Truncated {
        what: "code object in a .kpack archive",
        offset,
        need,
        have: have + 8,
    };
    let need = CODE.len() as u64;
    #[rustfmt::skip]
    let rows: Vec<Row> = vec![
        ("offset: past the end".to_owned(), with(offset, have + 8), cut(have + 8, need)),
        ("offset: 2^60".to_owned(), with(offset, 1 << 60), cut(1 << 60, need)),
        ("offset: the sum wraps round".to_owned(), with(offset, u64::MAX), cut(u64::MAX, need)),
        ("size: 2^60".to_owned(), with(size, 1 << 60), cut(64, 1 << 60)),
        ("size: u64::MAX".to_owned(), with(size, u64::MAX), cut(64, u64::MAX)),
    ];
    check(rows, read);
    let zstd = good(true);
    let size = find(&zstd, b"original_size") + 13;
    let large = [&zstd[..size], &[0xcf], &(1u64 << 60).to_be_bytes(), &zstd[size + 1..]].concat();
    let error = read(&large).expect_err("too large");
    let what = "a code object in a .kpack archive";
    assert_eq!(error, Error::TooLarge { what, offset: 72, size: 1 << 60, limit: 1 << 16 });
}

#[test]
fn each_cut() {
    for zstd in [false, true] {
        let data = good(zstd);
        let toc = u64_at(&data, 8);
        for have in 0..data.len() as u64 {
            let error = read(&data[..have as usize]).expect_err("something is missing");
            let expected = match have {
                0 => matches!(error, Error::UnknownMagic { .. }),
                1..8 => matches!(error, Error::Truncated { offset: 4, need: 4, .. }),
                8..16 => matches!(error, Error::Truncated { offset: 8, need: 8, .. }),
                _ if have <= toc => matches!(error, Error::BadField { what: "TOC offset", offset: 8, .. }),
                _ => matches!(error, Error::Truncated { offset, .. } if offset >= toc && offset <= have),
            };
            assert!(expected, "cut to {have} bytes: {error}");
        }
    }
}

/// Counts and depths cost nothing: the walk ends with the data.
#[test]
fn counts_and_depths() {
    let toc = |bytes: &[u8]| [&b"KPAK\x01\0\0\0\x10\0\0\0\0\0\0\0"[..], bytes].concat();
    let what = "table of contents of a .kpack archive";
    let cut = |offset, have| Error::Truncated { what, offset, need: 1, have };
    let deep = [&b"\x81\xa3new"[..], &[0x91; 100_000]].concat();
    let wide = b"\x81\xa3new\xdd\xff\xff\xff\xff".to_vec();
    let maps = b"\x81\xa3new\xdf\xff\xff\xff\xff\xdf\xff\xff\xff\xff".to_vec();
    #[rustfmt::skip]
    let rows: Vec<Row> = vec![
        ("a map of 2^32 - 1 pairs".to_owned(), toc(&[0xdf, 0xff, 0xff, 0xff, 0xff]), cut(21, 21)),
        ("arrays, 100,000 deep".to_owned(), toc(&deep), cut(100_021, 100_021)),
        ("an array of 2^32 - 1".to_owned(), toc(&wide), cut(26, 26)),
        ("maps of 2^32 - 1 in one another".to_owned(), toc(&maps), cut(31, 31)),
    ];
    check(rows, read);
}

#[test]
fn references() {
    let good = kpack_reference("lib/libsample.so", &["a", "b"]);
    let lacks = |key| Error::MissingKey { what: "kpack reference", offset: 0, key };
    let bad = |offset: usize, why| Error::Malformed { what: "kpack reference", offset: offset as u64, why };
    let name = find(&good, b"kernel_name");
    let paths = find(&good, b"kpack_search_paths");
    #[rustfmt::skip]
    let rows: Vec<Row> = vec![
        row("no map", &good, 0, &[0x92], bad(0, "a map was expected")),
        row("a key that is no text", &good, 1, &[0xc0], bad(1, "text was expected")),
        row("no name", &good, name, b"K", lacks("kernel_name")),
        row("no paths", &good, paths, b"K", lacks("kpack_search_paths")),
        row("the name is no text", &good, name + 11, &[0xc3], bad(name + 11, "text was expected")),
        row("the name is not UTF-8", &good, name + 12, &[0xff], bad(name + 11, "text that is not UTF-8")),
        row("the paths are no array", &good, paths + 18, &[0xa2], bad(paths + 18, "an array was expected")),
        row("more paths than there are", &good, paths + 18, &[0x93], Error::Truncated { what: "kpack reference", offset: good.len() as u64, need: 1, have: good.len() as u64 }),
    ];
    check(rows, |data| Reference::parse(data).map(|reference| reference.search_paths.len()));
    for have in 0..good.len() {
        let error = Reference::parse(&good[..have]).expect_err("something is missing");
        assert!(matches!(error, Error::Truncated { what: "kpack reference", .. }), "cut to {have}: {error}");
    }
}
