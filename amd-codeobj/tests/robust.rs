//! No input makes the reader panic, hang or read out of bounds: noise, truncations, flipped bits. Which error each
//! wrong field gives stands in `bad_input`.

mod common;

use std::sync::OnceLock;

use amd_codeobj::metadata::Value;
use amd_codeobj::{CodeObject, KernelDescriptor, Metadata, TargetId};
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

#[test]
fn unknown_keys_are_kept() {
    // {"amdhsa.version": [1, 2], "amdhsa.kernels": [], "amdhsa.new": 5}
    let mut text = vec![0x83, 0xae];
    text.extend(b"amdhsa.version\x92\x01\x02\xaeamdhsa.kernels\x90\xaaamdhsa.new\x05");
    let metadata = Metadata::parse(&text, 0).unwrap();
    assert_eq!(metadata.version, (1, 2));
    assert_eq!(metadata.other, [("amdhsa.new".to_owned(), Value::Unsigned(5))]);
}
