//! No input makes the reader panic, hang or read out of bounds: noise, truncations, flipped bits, wrong header fields.

mod common;

use std::sync::OnceLock;

use amd_codeobj::metadata::Value;
use amd_codeobj::{CodeObject, Error, KernelDescriptor, Metadata, TargetId};
use common::{object, walk};
use proptest::prelude::*;

fn real() -> &'static [u8] {
    static OBJECT: OnceLock<Vec<u8>> = OnceLock::new();
    OBJECT.get_or_init(|| object("gfx90a", 5).bytes())
}

#[test]
fn a_real_object_is_walked_without_an_error() {
    for target in ["gfx90a", "gfx942:xnack-", "gfx1030", "gfx1100", "gfx1201"] {
        for version in [4, 5, 6] {
            assert!(walk(&object(target, version).bytes()), "{target} v{version}");
        }
    }
}

#[test]
fn every_truncation_is_refused_or_read() {
    let whole = real();
    for length in 0..whole.len() {
        let good = walk(&whole[..length]);
        assert!(!good, "cut to {length} of {} bytes, it still reads well", whole.len());
    }
    assert!(walk(whole));
}

#[test]
fn trailing_data_is_no_part_of_the_object() {
    let mut longer = real().to_vec();
    longer.extend([0xa5; 4096]);
    let object = CodeObject::parse(&longer).unwrap();
    assert_eq!(object.file_size(), real().len() as u64);
}

#[test]
fn every_single_bit_of_the_headers_may_flip() {
    let mut bytes = real().to_vec();
    // ELF header, program headers, note, dynamic symbols, hash tables: everything before the code.
    for at in 0..0xa00 {
        for bit in 0..8 {
            bytes[at] ^= 1 << bit;
            walk(&bytes);
            bytes[at] ^= 1 << bit;
        }
    }
    // Section headers.
    let sections = u64::from_le_bytes(bytes[0x28..0x30].try_into().unwrap()) as usize;
    for at in sections..bytes.len() {
        for bit in 0..8 {
            bytes[at] ^= 1 << bit;
            walk(&bytes);
            bytes[at] ^= 1 << bit;
        }
    }
    assert!(walk(&bytes));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn noise_is_refused(data in prop::collection::vec(any::<u8>(), 0..512)) {
        walk(&data);
        let _ = Metadata::parse(&data, 0);
        let _ = KernelDescriptor::parse(&data);
    }

    #[test]
    fn noise_behind_a_good_identification_is_refused(data in prop::collection::vec(any::<u8>(), 64..2048)) {
        let mut data = data;
        data[..20].copy_from_slice(&real()[..20]);
        walk(&data);
    }

    #[test]
    fn a_real_object_with_changed_words(
        changes in prop::collection::vec((0usize..0x1400, prop_oneof![any::<u64>(), 0u64..64, Just(u64::MAX), Just(1 << 60)]), 1..12),
    ) {
        let mut data = real().to_vec();
        for (at, word) in changes {
            let at = at.min(data.len() - 8);
            data[at..at + 8].copy_from_slice(&word.to_le_bytes());
        }
        walk(&data);
    }

    #[test]
    fn metadata_with_changed_bytes(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)) {
        let object = CodeObject::parse(real()).unwrap();
        let mut desc = object.metadata_note().unwrap().desc.to_vec();
        for (index, byte) in changes {
            let at = index.index(desc.len());
            desc[at] = byte;
        }
        let _ = Metadata::parse(&desc, 0);
    }

    #[test]
    fn target_ids_are_printed_as_they_are_read(
        row in 0..amd_codeobj::Isa::all().len(),
        sramecc in 0..3, xnack in 0..3,
    ) {
        let processor = &amd_codeobj::Isa::all()[row];
        let mut text = processor.name.to_owned();
        for (name, supported, state) in [("sramecc", processor.supports_sramecc, sramecc), ("xnack", processor.supports_xnack, xnack)] {
            if supported && state != 0 {
                text += &format!(":{name}{}", if state == 1 { '+' } else { '-' });
            }
        }
        let target: TargetId = text.parse().unwrap();
        prop_assert_eq!(target.to_string(), text);
        prop_assert_eq!(target.isa(), Some(processor));
    }

    #[test]
    fn any_text_is_a_target_id_or_refused(text in "[a-z0-9:+-]{0,24}|\\PC{0,24}") {
        if let Ok(target) = text.parse::<TargetId>() {
            let printed = target.to_string();
            prop_assert_eq!(printed.parse::<TargetId>().unwrap(), target);
        }
    }
}

fn with(at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut data = real().to_vec();
    data[at..at + bytes.len()].copy_from_slice(bytes);
    data
}

/// File offset of the program header of a type, the `nth`.
fn program(kind: u32, nth: usize) -> usize {
    let data = real();
    (0..usize::from(data[0x38]))
        .map(|index| 0x40 + index * 56)
        .filter(|&at| u32::from_le_bytes(data[at..at + 4].try_into().unwrap()) == kind)
        .nth(nth)
        .unwrap()
}

/// File offset of the dynamic entry with a tag.
fn dynamic(tag: u64) -> usize {
    let data = real();
    let header = program(2, 0);
    let at = u64::from_le_bytes(data[header + 8..header + 16].try_into().unwrap()) as usize;
    (at..).step_by(16).find(|&at| data[at..at + 8] == tag.to_le_bytes()).unwrap()
}

/// One wrong value, and a part of the error that it must give.
#[test]
fn each_wrong_header_field_gives_its_error() {
    let huge = (1u64 << 60).to_le_bytes();
    let load = program(1, 1);
    for (what, data, expected) in [
        ("magic", with(0, b"\x7fELG"), "not an ELF file"),
        ("class", with(4, &[1]), "ELF class at offset 0x4"),
        ("byte order", with(5, &[2]), "ELF byte order at offset 0x5"),
        ("OS ABI", with(7, &[3]), "OS ABI at offset 0x7"),
        ("ABI version", with(8, &[9]), "unknown code object version"),
        ("machine", with(0x12, &[62, 0]), "machine at offset 0x12 is 62"),
        ("e_phoff", with(0x20, &huge), "truncated program headers"),
        ("e_shoff", with(0x28, &huge), "truncated section headers"),
        ("e_phentsize", with(0x36, &[55]), "e_phentsize"),
        ("e_phnum", with(0x38, &[0xff, 0xff]), "truncated program headers"),
        ("e_shentsize", with(0x3a, &[1]), "e_shentsize"),
        ("e_shnum", with(0x3c, &[0xff, 0xff]), "truncated section headers"),
        ("p_offset", with(load + 8, &huge), "truncated loadable segment"),
        ("p_vaddr", with(load + 16, &huge), "span more memory"),
        ("p_vaddr before", with(load + 16, &[0; 8]), "overlaps or precedes"),
        ("p_vaddr at the end", with(load + 16, &[0xff; 8]), "ends past the last address"),
        ("p_filesz", with(load + 32, &huge), "larger than p_memsz"),
        ("p_memsz", with(load + 40, &huge), "span more memory"),
        ("p_align", with(load + 48, &[3]), "not a power of two"),
        ("dynamic section", with(program(2, 0) + 8, &huge), "truncated dynamic section"),
        ("DT_RELAENT", with(dynamic(9) + 8, &[23]), "DT_RELAENT"),
    ] {
        let error = CodeObject::parse(&data).expect_err(what).to_string();
        assert!(error.contains(expected), "{what}: {error}");
    }
}

#[test]
fn each_wrong_table_gives_its_error_when_it_is_read() {
    let huge = (1u64 << 60).to_le_bytes();
    let check =
        |what: &str, data: Vec<u8>, read: &dyn Fn(&CodeObject<'_>) -> Option<Error>, expected: &str| {
            let object = CodeObject::parse(&data).expect(what);
            let error = read(&object).expect(what).to_string();
            assert!(error.contains(expected), "{what}: {error}");
        };
    let symbols = |object: &CodeObject<'_>| {
        object.symbols().map(|list| list.filter_map(Result::err).next()).unwrap_or_else(Some)
    };
    let relocations = |object: &CodeObject<'_>| {
        object.relocations().map(|list| list.filter_map(Result::err).next()).unwrap_or_else(Some)
    };
    let metadata = |object: &CodeObject<'_>| object.metadata().err();
    check("DT_SYMTAB", with(dynamic(6) + 8, &huge), &symbols, "dynamic symbol table");
    check("DT_STRTAB", with(dynamic(5) + 8, &huge), &symbols, "dynamic string table");
    check("DT_STRSZ", with(dynamic(10) + 8, &huge), &symbols, "dynamic string table");
    check("DT_STRSZ", with(dynamic(10) + 8, &[1, 0]), &symbols, "past the end of the string table");
    check("DT_RELA", with(dynamic(7) + 8, &huge), &relocations, "dynamic relocations");
    check("DT_RELASZ", with(dynamic(8) + 8, &huge), &relocations, "dynamic relocations");
    check("DT_RELASZ", with(dynamic(8) + 8, &[25]), &relocations, "dynamic relocations");
    check("note offset", with(program(4, 0) + 8, &huge), &metadata, "truncated note segment");
    check("note size", with(program(4, 0) + 32, &[4, 0, 0, 0]), &metadata, "truncated note header");
    let note = CodeObject::parse(real()).unwrap().metadata_note().unwrap().desc_offset as usize;
    check("note owner", with(note - 8, b"AMDGPV"), &metadata, "no AMDGPU metadata note");
    check("note owner length", with(note - 20, &[0xff; 4]), &metadata, "truncated note owner");
    check("note length", with(note - 16, &[0xff; 4]), &metadata, "truncated note content");
    check("metadata root", with(note, &[0xc0]), &metadata, "the root is nil, expected a map");
    check("metadata map length", with(note, &[0xdf]), &metadata, "not well-formed MessagePack");
    let kernel_size = find(b".kernarg_segment_size");
    check(
        "unknown key",
        with(kernel_size, b".kernarg_segment_sizX"),
        &metadata,
        "amdhsa.kernels[0].kernarg_segment_size",
    );
    let size = find(b".wavefront_size") + b".wavefront_size".len();
    check("nil for a number", with(size, &[0xc0]), &metadata, ".wavefront_size is nil, expected an integer");
    let object = with(0x30, &[0xf0]);
    let error = CodeObject::parse(&object).unwrap().target_id().unwrap_err();
    assert_eq!(error, Error::UnknownMachine { mach: 0xf0 });
}

fn find(needle: &[u8]) -> usize {
    real().windows(needle.len()).position(|window| window == needle).unwrap()
}

#[test]
fn deep_nesting_in_metadata_is_refused() {
    let mut nested = vec![0x81, 0xa1, b'x'];
    nested.extend(vec![0x91; 100_000]);
    assert!(matches!(Metadata::parse(&nested, 7), Err(Error::MessagePack { offset: 7.., .. })));
}

#[test]
fn unknown_keys_are_kept() {
    // {"amdhsa.version": [1, 2], "amdhsa.kernels": [], "amdhsa.new": 5}
    let mut text = vec![0x83, 0xae];
    text.extend(b"amdhsa.version\x92\x01\x02\xaeamdhsa.kernels\x90\xaaamdhsa.new\x05");
    let metadata = Metadata::parse(&text, 0).unwrap();
    assert_eq!(metadata.version, (1, 2));
    assert_eq!(metadata.other, [("amdhsa.new".to_owned(), Value::Unsigned(5))]);
}

#[test]
fn a_short_descriptor_is_refused() {
    for length in 0..64 {
        let bytes = vec![0; length];
        let error = KernelDescriptor::parse(&bytes).unwrap_err();
        let have = length as u64;
        assert_eq!(error, Error::Truncated { what: "kernel descriptor", offset: 0, need: 64, have });
    }
}
