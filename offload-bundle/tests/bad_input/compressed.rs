//! Compressed bundles.

use offload_bundle::{Compressed, Error, Method, Table};
use parser_samples::{Packing, compress, compress_as, pack, patch};

use crate::{HUGE, HeaderField, MOST, Row, check, cuts, row};

const CONTENT: &[u8] =
    b"content that is long enough to be worth some bytes: ........................................";

/// Where a field starts, and its width.
type Place = (usize, usize);

/// Version, total size, uncompressed size, bytes of the header.
#[rustfmt::skip]
const LAYOUTS: [(u16, Option<Place>, Place, usize); 3] = [
    (1, None, (8, 4), 20),
    (2, Some((8, 4)), (12, 4), 24),
    (3, Some((8, 8)), (16, 8), 32),
];

const PACKINGS: [(Packing, Method); 2] = [(Packing::Zlib, Method::Zlib), (Packing::Zstd, Method::Zstd)];

fn read(data: &[u8]) -> Result<Vec<u8>, Error> {
    let compressed = Compressed::parse(data)?;
    compressed.total_size()?;
    let content = compressed.decompress(1 << 20)?;
    compressed.check_hash(&content)?;
    Ok(content)
}

#[test]
fn each_field() {
    for (version, total, (size_at, size_width), header) in LAYOUTS {
        for (packing, _) in PACKINGS {
            let data = &compress(version, packing, CONTENT);
            assert_eq!(read(data).as_deref(), Ok(CONTENT));
            let have = data.len() as u64;
            let number = |value: u64, width: usize| value.to_le_bytes()[..width].to_vec();
            let body = header as u64;
            let cut = |need: u64| Error::Truncated { what: "compressed bundle", offset: body, need, have };
            let small = |value| Error::BadField {
                what: "total size of a compressed bundle",
                offset: 8,
                value,
                why: "smaller than the header",
            };
            let length = |relation, found, expected| Error::WrongLength {
                relation,
                found,
                offset: size_at as u64,
                expected,
            };
            let large =
                |size| Error::TooLarge { what: "the compressed bundle", offset: 0, size, limit: 1 << 20 };
            let content = CONTENT.len() as u64;
            let version_is = |version| Error::UnknownVersion { offset: 4, version };
            let method_is = |method| Error::UnknownMethod { offset: 6, method };
            let hash = u64::from_le_bytes(data[header - 8..header].try_into().expect("eight bytes"));
            #[rustfmt::skip]
            let mut rows: Vec<Row> = vec![
                row("magic", data, 3, b"X", Error::UnknownMagic { offset: 0, found: b"CCOX".to_vec() }),
                row("version 0", data, 4, &[0, 0], version_is(0)),
                row("version 4", data, 4, &[4, 0], version_is(4)),
                row("version 65535", data, 4, &[0xff, 0xff], version_is(0xffff)),
                row("method 2", data, 6, &[2, 0], method_is(2)),
                row("method 65535", data, 6, &[0xff, 0xff], method_is(0xffff)),
                row("uncompressed size: past the limit", data, size_at, &number((1 << 20) + 1, size_width), large((1 << 20) + 1)),
                row("hash", data, header - 8, &[0; 8], Error::WrongHash { offset: body - 8, expected: 0, found: hash }),
            ];
            // Version 1 has no total size: there the stream's end is looked for, and not found in less.
            if let Some((at, width)) = total {
                #[rustfmt::skip]
                rows.extend([
                    row("uncompressed size: one less", data, size_at, &number(content - 1, size_width), length("at least", content, content - 1)),
                    row("uncompressed size: 0", data, size_at, &number(0, size_width), length("at least", 1, 0)),
                    row("total size: 0", data, at, &number(0, width), small(0)),
                    row("total size: one less than the header", data, at, &number(body - 1, width), small(body - 1)),
                    row("total size: one more", data, at, &number(have + 1, width), cut(have + 1 - body)),
                    row("total size: u32::MAX", data, at, &number(u32::MAX.into(), width), cut(u64::from(u32::MAX) - body)),
                ]);
                if width == 8 {
                    rows.push(row("total size: 2^60", data, at, &HUGE, cut((1 << 60) - body)));
                    rows.push(row("total size: u64::MAX", data, at, &MOST, cut(u64::MAX - body)));
                    rows.push(row("uncompressed size: 2^60", data, size_at, &HUGE, large(1 << 60)));
                    rows.push(row("uncompressed size: u64::MAX", data, size_at, &MOST, large(u64::MAX)));
                }
            }
            rows.push(row(
                "uncompressed size: one more",
                data,
                size_at,
                &number(content + 1, size_width),
                length("only", content, content + 1),
            ));
            for (name, ..) in &mut rows {
                *name = format!("version {version}, {packing:?}, {name}");
            }
            check(rows, read);
        }
    }
}

#[test]
fn each_cut() {
    const WHAT: &str = "header of a compressed bundle";
    for (version, total, (size_at, size_width), header) in LAYOUTS {
        let data = compress(version, Packing::Zstd, CONTENT);
        let mut fields: Vec<HeaderField> = vec![(WHAT, 4, 2), (WHAT, 6, 2)];
        fields.extend(total.map(|(at, width)| (WHAT, at as u64, width as u64)));
        fields.push((WHAT, size_at as u64, size_width as u64));
        fields.push((WHAT, header as u64 - 8, 8));
        if total.is_some() {
            fields.push(("compressed bundle", header as u64, (data.len() - header) as u64));
        }
        let magic = |have| (have == 0).then(|| Error::UnknownMagic { offset: 0, found: Vec::new() });
        check(cuts(&data, &fields, magic), read);
    }
}

/// Every cut of a stream is corrupt, or gives less than is promised; what comes out is never taken for the whole.
#[test]
fn each_cut_of_the_stream() {
    for (packing, method) in PACKINGS {
        let packed = pack(packing, CONTENT);
        for length in 0..packed.len() {
            let data = compress_as(3, packing, &packed[..length], CONTENT.len() as u64, &[0; 8]);
            match read(&data) {
                Err(Error::Corrupt { method: found, offset: 32, .. }) if found == method => {}
                Err(Error::WrongLength { relation: "only", offset: 16, found, .. }) => {
                    assert!(found < CONTENT.len() as u64);
                }
                // The checksum of a zlib stream comes last: it may be missing, the content is there.
                Err(Error::WrongHash { offset: 24, .. }) if packed.len() - length <= 4 => {}
                other => panic!("{packing:?} cut to {length} bytes: {other:?}"),
            }
        }
    }
}

#[test]
fn each_byte_of_the_stream_may_change() {
    for (packing, _) in PACKINGS {
        let good = compress(3, packing, CONTENT);
        for at in 32..good.len() {
            for bit in 0..8 {
                let data = patch(&good, at, &[good[at] ^ 1 << bit]);
                // Bits that nothing depends on: the content comes out as it was packed.
                if let Ok(content) = read(&data) {
                    assert_eq!(content, CONTENT, "{packing:?}, bit {bit} at {at:#x}");
                }
            }
        }
    }
}

/// A bundle inside a compressed one is as good or bad as any.
#[test]
fn content_that_is_no_bundle() {
    let data = compress(3, Packing::Zstd, CONTENT);
    let compressed = Compressed::parse(&data).expect("a good header");
    let table = compressed.table(1 << 20).expect("the content, since it is no table");
    let error = Table::parse(&table).expect_err("it is no table");
    assert_eq!(error, Error::UnknownMagic { offset: 0, found: b"content ".to_vec() });
    // A table that never ends is refused at the caller's bound.
    let mut endless = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    endless.extend((1u64 << 60).to_le_bytes());
    endless.resize(1 << 20, 0);
    let data = compress(3, Packing::Zstd, &endless);
    let error =
        Compressed::parse(&data).expect("a good header").table(1 << 16).expect_err("too long a table");
    let what = "the table of a compressed bundle";
    assert_eq!(error, Error::TooLarge { what, offset: 0, size: 1 << 16, limit: 1 << 16 });
}
