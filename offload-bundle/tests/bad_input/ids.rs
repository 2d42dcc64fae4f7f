//! Wrappers, entry IDs and target IDs.

use amd_codeobj::{TargetId, TargetIdError};
use offload_bundle::{EntryId, EntryIdError, Error, FatBinaryWrapper};

use crate::{Row, check, cuts, row};

#[test]
fn wrappers() {
    let mut good = b"FPIH\x01\0\0\0".to_vec();
    good.extend([7; 16]);
    let bad = |what, offset, found| Error::BadWrapper { what, offset, found };
    #[rustfmt::skip]
    let rows: Vec<Row> = vec![
        row("magic", &good, 0, b"XPIH", bad("magic", 0, 0x4849_5058)),
        row("magic of a wrapper of CUDA", &good, 0, &0x466243b1u32.to_le_bytes(), bad("magic", 0, 0x4662_43b1)),
        row("version 0", &good, 4, &[0], bad("version", 4, 0)),
        row("version 2", &good, 4, &[2], bad("version", 4, 2)),
        row("version 2^32 - 1", &good, 4, &[0xff; 4], bad("version", 4, 0xffff_ffff)),
    ];
    check(rows, FatBinaryWrapper::parse);
    check(cuts(&good, &[("fat binary wrapper", 0, 24)], |_| None), FatBinaryWrapper::parse);
}

#[test]
fn entry_ids() {
    let character = |character, offset| EntryIdError::BadCharacter { character, offset };
    let kind = |kind: &str| EntryIdError::UnknownKind { kind: kind.to_owned() };
    let triple =
        |triple: &str, offset, field| EntryIdError::BadTriple { triple: triple.to_owned(), offset, field };
    let target = |error| EntryIdError::BadTarget(error);
    let empty = || TargetIdError::NoProcessor { text: String::new() };
    #[rustfmt::skip]
    let rows = [
        ("", EntryIdError::Empty),
        ("hipv4", triple("", 6, "architecture")),
        ("hipv4-", triple("", 6, "architecture")),
        ("hipv4-amdgcn", triple("amdgcn", 6, "vendor")),
        ("hipv4-amdgcn-amd", triple("amdgcn-amd", 6, "system")),
        ("hipv4--amd-amdhsa--gfx90a", triple("-amd-amdhsa-", 6, "architecture")),
        ("host-x86_64--linux-", triple("x86_64--linux-", 5, "vendor")),
        ("cuda-nvptx64-nvidia-cuda--sm_70", kind("cuda")),
        ("HIPV4-amdgcn-amd-amdhsa--gfx90a", kind("HIPV4")),
        ("-amdgcn-amd-amdhsa--gfx90a", kind("")),
        ("hipv4-amdgcn-amd-amdhsa--gfx90a,gfx942", character(',', 31)),
        ("hipv4-amdgcn-amd-amdhsa--gfx90a ", character(' ', 31)),
        ("hipv4-amdgcn-amd-amdhsa--gfx90a\0", character('\0', 31)),
        ("hipv4-amdgcn-amd-amdhsa--gfx90ä", character('ä', 30)),
        ("hipv4-amdgcn-amd-amdhsa", target(empty())),
        ("hipv4-amdgcn-amd-amdhsa--", target(empty())),
    ];
    for (text, expected) in rows {
        assert_eq!(EntryId::parse(text).check(), Err(expected), "{text:?}");
    }
}

#[test]
fn target_ids() {
    let text = |text: &str| text.to_owned();
    #[rustfmt::skip]
    let rows = [
        ("", TargetIdError::NoProcessor { text: text("") }),
        (":xnack+", TargetIdError::NoProcessor { text: text(":xnack+") }),
        ("gfx90a+", TargetIdError::BadProcessor { text: text("gfx90a+"), character: '+', offset: 6 }),
        ("gfx\u{0}", TargetIdError::BadProcessor { text: text("gfx\u{0}"), character: '\u{0}', offset: 3 }),
        ("gfx90a:", TargetIdError::BadFeature { text: text("gfx90a:"), found: text(""), offset: 7 }),
        ("gfx90a:xnack", TargetIdError::BadFeature { text: text("gfx90a:xnack"), found: text("xnack"), offset: 7 }),
        ("gfx90a:xnack*", TargetIdError::BadFeature { text: text("gfx90a:xnack*"), found: text("xnack*"), offset: 7 }),
        ("gfx90a:XNACK+", TargetIdError::BadFeature { text: text("gfx90a:XNACK+"), found: text("XNACK+"), offset: 7 }),
        ("gfx90a:sramecc+:", TargetIdError::BadFeature { text: text("gfx90a:sramecc+:"), found: text(""), offset: 16 }),
        ("gfx90a:xnack+:xnack+", TargetIdError::Repeated { text: text("gfx90a:xnack+:xnack+"), feature: "xnack", offset: 14 }),
        ("gfx90a:xnack+:xnack-", TargetIdError::Repeated { text: text("gfx90a:xnack+:xnack-"), feature: "xnack", offset: 14 }),
        ("gfx1030:xnack-", TargetIdError::NotSupported { text: text("gfx1030:xnack-"), processor: text("gfx1030"), feature: "xnack", offset: 8 }),
        ("gfx900:sramecc+", TargetIdError::NotSupported { text: text("gfx900:sramecc+"), processor: text("gfx900"), feature: "sramecc", offset: 7 }),
    ];
    for (given, expected) in rows {
        assert_eq!(given.parse::<TargetId>(), Err(expected), "{given:?}");
    }
}
