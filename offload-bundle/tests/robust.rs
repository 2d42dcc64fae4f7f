//! No input makes the readers panic, hang, or use more memory than they were allowed: noise, truncations, flipped bits.
//! Which error each wrong field gives stands in `bad_input`, bombs in `memory`.

mod common;

use std::sync::OnceLock;

use common::{code_object, compress, host, kpack, raw, walk, walk_container};
use offload_bundle::kpack as kpack_reader;
use offload_bundle::{Bundle, Compressed, EntryId, Error, FatBinaryWrapper, Image, Method, Table};
use proptest::prelude::*;

const A: &str = "hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-";
const B: &str = "hip-amdgcn-amd-amdhsa--gfx942";

fn plain() -> &'static [u8] {
    static BUNDLE: OnceLock<Vec<u8>> = OnceLock::new();
    BUNDLE.get_or_init(|| {
        let code = code_object("gfx942", 5);
        raw(&[("host-x86_64-unknown-linux--", b""), (A, b"some bytes that stand for code"), (B, &code)], 64)
    })
}

/// Every kind of fat binary, small.
fn all_kinds() -> Vec<Vec<u8>> {
    let mut kinds = vec![plain().to_vec()];
    for version in [1, 2, 3] {
        for method in [Method::Zlib, Method::Zstd] {
            kinds.push(compress(version, method, plain()));
        }
    }
    let code = &plain()[..300];
    for zstd in [false, true] {
        kinds.push(kpack::archive(&[("a.so#0", "gfx942", code), ("a.so#0", "gfx90a", b"more code")], zstd));
    }
    kinds
}

#[test]
fn real_ones_are_walked_without_an_error() {
    for kind in all_kinds() {
        assert!(walk(&kind));
    }
    assert!(walk(&all_kinds().concat()));
}

#[test]
fn every_truncation_is_refused() {
    for kind in all_kinds() {
        for length in 0..kind.len() {
            assert!(!walk(&kind[..length]), "cut to {length} of {} bytes, it still reads well", kind.len());
        }
    }
}

#[test]
fn every_bit_of_headers_and_packed_data_may_flip() {
    for mut kind in all_kinds() {
        for at in 0..kind.len().min(600) {
            for bit in 0..8 {
                kind[at] ^= 1 << bit;
                walk(&kind);
                kind[at] ^= 1 << bit;
            }
        }
    }
}

/// A host's object with a fat binary, a reference to archives, and an entry of its own; and an archive of it.
fn host_files() -> &'static [Vec<u8>; 2] {
    static FILES: OnceLock<[Vec<u8>; 2]> = OnceLock::new();
    FILES.get_or_init(|| {
        let object = host::object("k", &["--cuda-host-only", "--offload-arch=gfx942"]);
        let reference = kpack::reference("lib/libk.so", &["../.kpack/k_@GFXARCH@.kpack"]);
        let packed = compress(2, Method::Zstd, plain());
        let sections: [(&str, &[u8]); 4] = [
            (".hip_fatbin", plain()),
            ("__hip_fatbin", &packed),
            (".rocm_kpack_ref", &reference),
            ("__CLANG_OFFLOAD_BUNDLE__hip-amdgcn-amd-amdhsa--gfx942", b"BC"),
        ];
        let object = host::with_sections(&object, &sections);
        let archive = host::archive(&[&object, &object], "rcs", "gnu");
        [object.bytes(), archive.bytes()]
    })
}

/// The bytes of a host file that are headers: those of the file and of members, and the sections of an object.
fn headers(file: &[u8]) -> Vec<usize> {
    const EM_X86_64: u8 = 62;
    let mut headers: Vec<usize> = (0..200).collect();
    for start in 0..file.len() - 64 {
        if file[start..].starts_with(b"\x7fELF") && file[start + 18] == EM_X86_64 {
            headers.extend(start.saturating_sub(60)..start + 64);
        }
    }
    if file.starts_with(b"\x7fELF") {
        let table = u64::from_le_bytes(file[0x28..0x30].try_into().unwrap()) as usize;
        headers.extend(table..file.len());
    }
    headers
}

#[test]
fn host_files_are_walked_without_an_error() {
    for file in host_files() {
        assert!(walk_container(file));
    }
}

#[test]
fn every_byte_of_the_headers_of_host_files_may_change() {
    for file in host_files() {
        let mut data = file.clone();
        let headers = headers(file);
        assert!(headers.len() > 400);
        for at in headers {
            for value in [0, 0xff, data[at] ^ 0x10] {
                let before = std::mem::replace(&mut data[at], value);
                walk_container(&data);
                data[at] = before;
            }
        }
        for length in (0..file.len()).step_by(41) {
            walk_container(&file[..length]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn noise_is_refused(data in prop::collection::vec(any::<u8>(), 0..512)) {
        walk(&data);
        walk_container(&data);
        let _ = (kpack_reader::Reference::parse(&data), Table::parse(&data));
        let _ = Bundle::parse(&data);
        let _ = Compressed::parse(&data);
        let _ = FatBinaryWrapper::parse(&data);
    }

    #[test]
    fn noise_behind_a_magic_is_refused(
        magic in prop::sample::select(vec![&Bundle::MAGIC[..], b"KPAK\x01\0\0\0", b"\x7fELF\x02\x01\x01\0", b"!<arch>\n", b"CCOB\x01\0\0\0", b"CCOB\x02\0\x01\0", b"CCOB\x03\0\0\0", b"CCOB\x03\0\x01\0"]),
        sizes in prop::collection::vec(prop_oneof![any::<u64>(), 0u64..200], 0..8),
        rest in prop::collection::vec(any::<u8>(), 0..512),
    ) {
        let mut data = magic.to_vec();
        data.extend(sizes.iter().flat_map(|size| size.to_le_bytes()));
        data.extend(rest);
        walk(&data);
        walk_container(&data);
    }

    #[test]
    fn changed_words(
        kind in 0usize..9,
        changes in prop::collection::vec((0usize..700, prop_oneof![any::<u64>(), 0u64..200, Just(u64::MAX), Just(1 << 60)]), 1..8),
    ) {
        let mut data = all_kinds().swap_remove(kind);
        for (at, word) in changes {
            let at = at.min(data.len() - 8);
            data[at..at + 8].copy_from_slice(&word.to_le_bytes());
        }
        walk(&data);
    }

    #[test]
    fn what_is_written_is_read(
        entries in prop::collection::vec(("\\PC{0,40}", prop::collection::vec(any::<u8>(), 0..200)), 0..12),
        align in prop::sample::select(vec![1usize, 8, 64, 4096]),
        version in 1u16..4,
        zstd in any::<bool>(),
        trailing in prop::collection::vec(any::<u8>(), 0..64),
    ) {
        let entries: Vec<(&str, &[u8])> = entries.iter().map(|(id, data)| (id.as_str(), data.as_slice())).collect();
        let content = raw(&entries, align);
        let mut longer = content.clone();
        longer.extend(&trailing);
        let bundle = Bundle::parse(&longer).unwrap();
        let found: Vec<_> = bundle.entries().map(|entry| (entry.id.text, entry.data)).collect();
        prop_assert_eq!(&found, &entries);
        prop_assert!(bundle.total_size() <= content.len() as u64);
        let method = if zstd { Method::Zstd } else { Method::Zlib };
        let packed = compress(version, method, &content);
        let mut longer = packed.clone();
        longer.extend(&trailing);
        let compressed = Compressed::parse(&longer).unwrap();
        prop_assert_eq!(compressed.total_size().unwrap(), packed.len() as u64);
        let unpacked = compressed.decompress(content.len() as u64).unwrap();
        prop_assert!(compressed.check_hash(&unpacked).is_ok());
        prop_assert_eq!(unpacked, content);
    }

    #[test]
    fn any_text_is_an_entry_id(text in "\\PC{0,60}|(hip|hipv4|host)(-[a-z0-9_]{0,8}){0,6}(:[a-z]{1,7}[+-]?){0,3}") {
        let id = EntryId::parse(&text);
        let mut joined = id.kind.as_str().to_owned();
        for part in [id.triple, id.target_text] {
            if text.len() > joined.len() {
                joined = format!("{joined}-{part}");
            }
        }
        prop_assert!(text == joined || text == format!("{joined}-"), "{text:?} was taken apart as {id:?}");
    }
}

#[test]
fn other_things_are_named() {
    let error = Image::recognise(b"\x7fELF\x02\x01\x01\0").unwrap_err();
    assert!(error.to_string().contains("code object at offset 0x0: truncated ELF identification"), "{error}");
    let error = Image::recognise(b"MZ and so on").unwrap_err();
    assert!(error.to_string().contains("not a fat binary"), "{error}");
    assert!(matches!(Image::recognise(b""), Err(Error::Truncated { .. })));
    assert!(matches!(Image::recognise(b"__CLANG_OFF"), Err(Error::Truncated { .. })));
}
