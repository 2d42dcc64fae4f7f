//! `.kpack` archives and references to them: what is written is read, and what is wrong is named.

mod common;

use amd_codeobj::{CodeObject, TargetId};
use common::code_object;
use common::kpack::{archive, map, pack, reference};
use offload_bundle::kpack::{Archive, Reference, Scheme};
use offload_bundle::{Error, Image, ImageKind};
use rmpv::Value;

const LIMIT: u64 = 1 << 20;

#[test]
fn archives_of_both_schemes() {
    let targets = ["gfx90a:xnack-", "gfx90a:xnack+", "gfx942"];
    let codes = targets.map(|target| code_object(target, 5));
    let kernels: Vec<_> = targets
        .iter()
        .zip(&codes)
        .map(|(target, code)| ("lib/librand.so#0", *target, code.as_slice()))
        .collect();
    let more = [&kernels[..], &[("lib/librand.so#1", "gfx942", codes[2].as_slice())]].concat();
    for (zstd, scheme) in [(false, Scheme::None), (true, Scheme::ZstdPerKernel)] {
        let mut bytes = archive(&more, zstd);
        let length = bytes.len() as u64;
        bytes.extend(b"what follows");
        let Image::Kpack(opened) = Image::recognise(&bytes).unwrap() else { panic!() };
        assert_eq!((opened.scheme(), opened.total_size()), (scheme, length));
        assert_eq!((opened.group_name(), opened.family()), ("rand", "gfx94X"));
        assert_eq!(opened.targets(), ["gfx942", "gfx90a"]);
        let found: Vec<_> = opened.kernels().map(Result::unwrap).collect();
        assert_eq!(found.len(), more.len());
        for (kernel, (binary, target, code)) in found.iter().zip(&more) {
            assert_eq!((kernel.binary, kernel.target, kernel.kind), (*binary, *target, Some("hsaco")));
            assert_eq!(kernel.original_size, Some(code.len() as u64));
            assert!(kernel.extract(LIMIT).unwrap() == *code);
            assert_eq!(&bytes[kernel.file_offset as usize..][..kernel.packed.len()], kernel.packed);
            let refused = kernel.extract(100).unwrap_err();
            assert!(matches!(refused, Error::TooLarge { limit: 100, .. }), "{refused}");
        }
        for (agent, expected) in [
            ("gfx90a:sramecc+:xnack-", Some("gfx90a:xnack-")),
            ("gfx90a:sramecc+:xnack+", Some("gfx90a:xnack+")),
            ("gfx942:sramecc+:xnack-", Some("gfx942")),
            ("gfx1100", None),
        ] {
            let agent: TargetId = agent.parse().unwrap();
            let kernel = opened.find("lib/librand.so#0", &agent).unwrap();
            assert_eq!(kernel.as_ref().map(|kernel| kernel.target), expected);
            let Some(kernel) = kernel else { continue };
            let code = kernel.extract(LIMIT).unwrap();
            assert_eq!(
                CodeObject::parse(&code).unwrap().target_id().unwrap(),
                kernel.target.parse().unwrap()
            );
            assert!(opened.find("lib/librand.so#2", &agent).unwrap().is_none());
        }
    }
}

#[test]
fn references_say_where_to_look() {
    let mut bytes = reference("lib/librand.so", &["../.kpack/rand_@GFXARCH@.kpack", "../.kpack/rand.kpack"]);
    let length = bytes.len() as u64;
    bytes.extend([0; 9]);
    let read = Reference::parse(&bytes).unwrap();
    assert_eq!((read.kernel_name, read.size()), ("lib/librand.so", length));
    assert_eq!(read.archive_key(3), "lib/librand.so#3");
    assert_eq!(
        read.archives_for(&"gfx90a:sramecc+:xnack-".parse().unwrap()),
        [
            "../.kpack/rand_gfx90a:sramecc+:xnack-.kpack",
            "../.kpack/rand_gfx90a:sramecc+.kpack",
            "../.kpack/rand_gfx90a:xnack-.kpack",
            "../.kpack/rand_gfx90a.kpack",
            "../.kpack/rand.kpack",
        ]
    );
    let expected =
        ["../.kpack/rand_gfx1100.kpack", "../.kpack/rand_gfx11-generic.kpack", "../.kpack/rand.kpack"];
    assert_eq!(read.archives_for(&"gfx1100".parse().unwrap()), expected);
}

#[test]
fn wrong_references_are_named() {
    let name = || ("kernel_name", Value::from("k"));
    let paths = |paths| ("kpack_search_paths", paths);
    for (value, expected) in [
        (map(vec![name()]), "the kpack reference at offset 0x100 lacks kpack_search_paths"),
        (map(vec![paths(Value::Array(vec![]))]), "the kpack reference at offset 0x100 lacks kernel_name"),
        (Value::Nil, "bad kpack reference at offset 0x100: a map was expected"),
        (map(vec![("kernel_name", 1.into())]), "bad kpack reference at offset 0x10d: text was expected"),
        (map(vec![paths("x".into())]), "bad kpack reference at offset 0x114: an array was expected"),
        (
            map(vec![paths(Value::Array(vec![Value::Nil]))]),
            "bad kpack reference at offset 0x115: text was expected",
        ),
        (Value::Map(vec![(1.into(), 2.into())]), "bad kpack reference at offset 0x101: text was expected"),
    ] {
        assert_eq!(Reference::parse_at(&pack(&value), 0x100).unwrap_err().to_string(), expected);
    }
    let good = reference("k", &["a", "b"]);
    for length in 0..good.len() {
        let error = Reference::parse(&good[..length]).unwrap_err();
        assert!(matches!(error, Error::Truncated { what: "kpack reference", .. }), "{error}");
    }
    // Counts and sizes that no file can keep, and the one byte that MessagePack does not use.
    for bytes in
        [&b"\xdf\xff\xff\xff\xff"[..], b"\x81\xdb\xff\xff\xff\xff", b"\x81\xa1x\xdd\xff\xff\xff\xff\xc0"]
    {
        assert!(matches!(Reference::parse(bytes), Err(Error::Truncated { .. })));
    }
    let error = Reference::parse(b"\x81\xa1x\xc1").unwrap_err();
    assert_eq!(error.to_string(), "bad kpack reference at offset 0x3: byte c1 is no MessagePack");
}

/// Every kind of value may stand under a key that is not known.
#[test]
fn other_values_are_passed_over() {
    let every = Value::Array(vec![
        Value::Nil,
        true.into(),
        (-1).into(),
        (-1000).into(),
        (-100_000).into(),
        i64::MIN.into(),
        200.into(),
        60_000.into(),
        u32::MAX.into(),
        u64::MAX.into(),
        1.5f32.into(),
        1.5f64.into(),
        Value::Binary(vec![0; 300]),
        Value::Binary(vec![0; 3]),
        Value::Binary(vec![0; 70_000]),
        "x".repeat(40).into(),
        "x".repeat(400).into(),
        "x".repeat(70_000).into(),
        Value::Ext(1, vec![0; 1]),
        Value::Ext(1, vec![0; 16]),
        Value::Ext(1, vec![0; 17]),
        Value::Ext(1, vec![0; 300]),
        Value::Array(vec![Value::Nil; 20]),
        Value::Array(vec![Value::Nil; 70_000]),
        Value::Map(vec![(Value::Nil, Value::Nil); 20]),
        Value::Map(vec![(Value::Nil, Value::Nil); 70_000]),
    ]);
    let nested = (0..100_000).fold(vec![0x90], |mut inner, _| {
        inner.push(0x91);
        inner
    });
    let nested: Vec<u8> = nested.into_iter().rev().collect();
    let mut bytes = b"\x84".to_vec();
    bytes.extend(pack(&"first".into()));
    bytes.extend(pack(&every));
    bytes.extend(pack(&"second".into()));
    bytes.extend(nested);
    bytes.extend(&reference("k", &["path"])[1..]);
    let read = Reference::parse(&bytes).unwrap();
    assert_eq!(
        (read.kernel_name, &read.search_paths[..], read.size()),
        ("k", &["path"][..], bytes.len() as u64)
    );
}

#[test]
fn wrong_fields_of_archives_are_named() {
    let good = archive(&[("a#0", "gfx90a", b"first"), ("b#0", "gfx942", b"second")], true);
    let table = u64::from_le_bytes(good[8..16].try_into().unwrap());
    let open = |bytes: &[u8]| -> Result<(), Error> {
        let archive = Archive::parse(bytes)?;
        for kernel in archive.kernels() {
            kernel?.extract(LIMIT)?;
        }
        Ok(())
    };
    open(&good).unwrap();
    let with = |at: usize, bytes: &[u8]| {
        let mut file = good.clone();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        open(&file).unwrap_err().to_string()
    };
    assert!(with(0, b"X").starts_with("not a fat binary"));
    assert_eq!(with(4, &[2]), "bad version of a .kpack archive at offset 0x4: 0x2 (only 1 is known)");
    let outside = |at: u64| {
        format!("bad TOC offset at offset 0x8: {at:#x} (the table of contents is not within the file)")
    };
    for at in [0, 15, good.len() as u64, 1 << 60, u64::MAX] {
        assert_eq!(with(8, &at.to_le_bytes()), outside(at));
    }
    assert!(with(64, &[3]).starts_with("truncated zstd frames of a .kpack archive"));
    assert!(with(64, &[0xff; 4]).starts_with("truncated zstd frames of a .kpack archive"));
    assert!(with(68, &[0xff; 4]).starts_with("truncated zstd frames of a .kpack archive"));
    assert_eq!(
        with(64, &[1]),
        format!(
            "bad ordinal of a code object at offset {:#x}: 0x1 (the archive does not have so many)",
            find(&good, b"ordinal\x01") + 7
        )
    );
    assert!(with(72, &[0; 4]).starts_with("corrupt zstd data at offset 0x48, after 0 unpacked bytes"));
    let at = find(&good, b"\xadoriginal_size\x05");
    assert!(
        with(at + 14, &[6]).contains("unpacks to only 5 bytes, but 6 are promised"),
        "{}",
        with(at + 14, &[6])
    );
    assert!(with(at + 14, &[4]).contains("unpacks to at least 5 bytes, but 4 are promised"));
    let place = find(&good, b"\xa6gfx90a\x83");
    assert_eq!(
        with(at + 1, b"X"),
        format!("the table of contents of a .kpack archive at offset {place:#x} lacks original_size")
    );
    let scheme = find(&good, b"zstd-per-kernel");
    assert_eq!(
        with(scheme, b"lz4-"),
        format!(
            "bad table of contents of a .kpack archive at offset {:#x}: a compression scheme that is not known",
            scheme - 1
        )
    );
    for key in ["zstd_offset", "zstd_size"] {
        let expected = format!("the table of contents of a .kpack archive at offset {table:#x} lacks {key}");
        assert_eq!(with(find(&good, key.as_bytes()), b"X"), expected);
    }
    for length in 0..good.len() {
        assert!(open(&good[..length]).is_err(), "cut to {length} bytes");
    }
}

#[test]
fn wrong_blobs_are_named() {
    let good = archive(&[("a#0", "gfx90a", b"first")], false);
    let with = |at: usize, bytes: &[u8]| {
        let mut file = good.clone();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        Archive::parse(&file).unwrap_err().to_string()
    };
    let blob = find(&good, b"\x82\xa6offset");
    assert_eq!(
        with(blob + 2, b"X"),
        format!("the blob in a .kpack archive at offset {blob:#x} lacks offset")
    );
    let size = find(&good, b"\xa4size\x05");
    assert_eq!(with(size + 1, b"X"), format!("the blob in a .kpack archive at offset {blob:#x} lacks size"));
    let blobs = find(&good, b"\xa5blobs");
    assert!(with(blobs + 1, b"X").contains("lacks blobs"));
    let far = pack(&map(vec![
        ("compression_scheme", "none".into()),
        ("blobs", Value::Array(vec![map(vec![("offset", (1u64 << 60).into()), ("size", 1.into())])])),
    ]));
    let mut file = b"KPAK\x01\0\0\0\x10\0\0\0\0\0\0\0".to_vec();
    file.extend(far);
    let error = Archive::parse(&file).unwrap_err();
    assert!(matches!(error, Error::Truncated { offset, .. } if offset == 1 << 60), "{error}");
}

/// A bomb: the table promises little, or more than is allowed.
#[test]
fn bombs_are_refused() {
    let zeros = vec![0; 64 << 20];
    let bytes = archive(&[("a#0", "gfx90a", &zeros)], true);
    assert!(bytes.len() < 1 << 16);
    let opened = Archive::parse(&bytes).unwrap();
    let kernel = opened.kernels().next().unwrap().unwrap();
    let refused = kernel.extract(LIMIT).unwrap_err();
    assert!(matches!(refused, Error::TooLarge { size, limit: LIMIT, .. } if size == 64 << 20), "{refused}");
    assert_eq!(Image::recognise(&bytes).unwrap().kind(), ImageKind::Kpack);
}

fn find(bytes: &[u8], part: &[u8]) -> usize {
    bytes.windows(part.len()).position(|window| window == part).unwrap()
}
