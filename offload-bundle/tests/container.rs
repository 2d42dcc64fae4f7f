//! Host files of every shape, made by clang-19, ld.lld-19 and llvm-ar-19: what is in them is found, at its offset, and
//! files that are not sound give the error that names the place.

mod common;

use common::host::{archive, link, object, section, with_sections};
use common::{Built, code_object, compress, kpack, raw};
use offload_bundle::{
    Bundle, Container, ContainerKind, Error, FatBinaryWrapper, Image, ImageKind, Method, OffloadKind,
    SectionKind, Walk,
};

const RAW: ImageKind = ImageKind::Raw;
const CCOB: ImageKind = ImageKind::Compressed { version: 2 };

/// Section and kind of every fat binary; that its bytes start at the offset that it is said to have is checked.
fn images(file: &[u8]) -> Vec<(Option<&str>, ImageKind)> {
    let container = Container::parse(file).unwrap();
    let mut found = Vec::new();
    for located in container.images() {
        let located = located.unwrap();
        let bytes = &file[located.offset as usize..][..located.size as usize];
        match &located.image {
            Image::Raw(bundle) => {
                assert!(bytes.starts_with(Bundle::MAGIC));
                for entry in bundle.entries() {
                    let expected = &bytes[entry.offset as usize..][..entry.size as usize];
                    assert!(entry.size == 0 || entry.data == expected);
                }
            }
            Image::Compressed(_) => assert!(bytes.starts_with(b"CCOB")),
            Image::CodeObject(_) => assert!(bytes.starts_with(b"\x7fELF")),
            _ => {}
        }
        found.push((located.section, located.image.kind()));
    }
    found
}

fn targets(image: &Image<'_>) -> Vec<String> {
    let unpacked;
    let bundle = match image {
        Image::Raw(bundle) => *bundle,
        Image::Compressed(compressed) => {
            unpacked = compressed.decompress(1 << 20).unwrap();
            Bundle::parse(&unpacked).unwrap()
        }
        other => panic!("{}", other.kind()),
    };
    bundle.entries().skip(1).map(|entry| entry.id.target_text.to_owned()).collect()
}

#[test]
fn programs_and_libraries_of_several_translation_units() {
    let plain = object("plain", &["--offload-arch=gfx90a:xnack+", "--offload-arch=gfx90a:xnack-"]);
    let packed = object("packed", &["--offload-arch=gfx942", "--offload-compress"]);
    let third = object("third", &["--offload-arch=gfx1100", "--offload-arch=gfx1030"]);
    for flags in [&["-shared"][..], &["-pie"], &["-static"], &["-r"]] {
        let linked = link(&[&plain, &packed, &third], flags);
        let file = linked.bytes();
        let container = Container::parse(&file).unwrap();
        assert_eq!(container.kind(), ContainerKind::HostElf);
        let fat = Some(".hip_fatbin");
        assert_eq!(images(&file), [(fat, RAW), (fat, CCOB), (fat, RAW)], "{flags:?}");
        let found: Vec<_> = container.images().map(|located| targets(&located.unwrap().image)).collect();
        let expected = [&["gfx90a:xnack+", "gfx90a:xnack-"][..], &["gfx942"], &["gfx1030", "gfx1100"]];
        for (found, expected) in found.iter().zip(expected) {
            let mut found = found.clone();
            found.sort();
            assert_eq!(found, expected);
        }
        let sections: Vec<_> = container.sections().map(Result::unwrap).collect();
        assert_eq!(sections.len(), 2);
        for found in &sections {
            assert_eq!(found.data, section(&linked, found.name));
            assert_eq!(found.data, &file[found.file_offset as usize..][..found.data.len()]);
            assert_eq!((found.member, found.address == 0), (None, flags == ["-r"]));
        }
        let wrappers = sections.iter().find(|section| section.kind == SectionKind::Wrappers).unwrap();
        assert_eq!(wrappers.name, ".hipFatBinSegment");
        for wrapper in wrappers.data.chunks(FatBinaryWrapper::SIZE) {
            assert_eq!(FatBinaryWrapper::parse(wrapper).unwrap().magic, FatBinaryWrapper::HIPF);
        }
    }
}

#[test]
fn objects_of_any_host() {
    for host in ["x86_64-linux-gnu", "aarch64-linux-gnu", "powerpc64le-linux-gnu", "riscv64-linux-gnu"] {
        let target = format!("--target={host}");
        let built = object("k", &[&target, "--offload-arch=gfx942"]);
        assert_eq!(images(&built.bytes()), [(Some(".hip_fatbin"), RAW)], "{host}");
    }
}

/// Relocatable device code: until the link each object has bitcode in sections of its own; after it one fat binary.
#[test]
fn relocatable_device_code() {
    let flags = ["-fgpu-rdc", "--offload-arch=gfx90a", "--offload-arch=gfx942"];
    let (first, second) = (object("first", &flags), object("second", &flags));
    let file = first.bytes();
    let mut ids = Vec::new();
    for located in Container::parse(&file).unwrap().images() {
        let located = located.unwrap();
        let Image::Entry(entry) = located.image else { panic!("{}", located.image.kind()) };
        assert_eq!(entry.index, ids.len());
        if entry.id.kind != OffloadKind::Host {
            assert!(entry.data.starts_with(b"BC\xc0\xde"), "bitcode");
            ids.push((entry.id.kind, entry.id.target_text));
        }
    }
    assert_eq!(ids, [(OffloadKind::Hip, "gfx90a"), (OffloadKind::Hip, "gfx942")]);
    let linked = Built::new("rdc.so");
    let mut args = vec!["--hip-link", "-shared", "-nostdlib", "-Wno-unused-command-line-argument"];
    args.extend(flags);
    args.extend([first.path(), second.path(), "-o", linked.path()]);
    common::run("clang-19", &args);
    assert_eq!(images(&linked.bytes()), [(Some(".hip_fatbin"), RAW)]);
}

#[test]
fn archives_of_two_members() {
    let first = object("first", &["--offload-arch=gfx90a"]);
    // A name longer than the field in a member's header.
    let second = object("the_second_of_two_kernels", &["--offload-arch=gfx942", "--offload-compress"]);
    let text = Built::with("readme.txt", b"an odd number of bytes");
    let other = Built::with("other.bin", b"\x10\xff\x10\xad.");
    for format in ["gnu", "bsd", "darwin"] {
        for flags in ["rcs", "rcS"] {
            let built = archive(&[&text, &first, &other, &second], flags, format);
            let file = built.bytes();
            let container = Container::parse(&file).unwrap();
            assert_eq!(container.kind(), ContainerKind::Archive);
            let fat = Some(".hip_fatbin");
            assert_eq!(images(&file), [(fat, RAW), (fat, CCOB)], "{format} {flags}");
            let members: Vec<_> =
                container.images().map(|located| located.unwrap().member.unwrap()).collect();
            let names: Vec<_> =
                [&first, &second].map(|member| member.0.file_name().unwrap().to_str().unwrap()).into();
            assert_eq!(members, names, "{format} {flags}");
        }
    }
    let built = archive(&[&first, &second], "rcsT", "gnu");
    let error = Container::parse(&built.bytes()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a thin archive at offset 0x0 is not read: it has only the names of its members: read those files, or make a \
         whole archive of it"
    );
    assert_eq!(images(b"!<arch>\n"), []);
}

#[test]
fn bare_files_are_their_own_container() {
    let code = code_object("gfx942", 5);
    let bundle =
        raw(&[("host-x86_64-unknown-linux--", b""), ("hipv4-amdgcn-amd-amdhsa--gfx942", &code)], 4096);
    let archive = kpack::archive(&[("lib/a.so#0", "gfx942", &code)], true);
    for (bytes, kind) in [
        (bundle.clone(), RAW),
        (compress(2, Method::Zstd, &bundle), CCOB),
        (compress(1, Method::Zlib, &bundle), ImageKind::Compressed { version: 1 }),
        (code, ImageKind::CodeObject),
        (archive, ImageKind::Kpack),
    ] {
        let container = Container::parse(&bytes).unwrap();
        assert_eq!(container.kind(), ContainerKind::Bare);
        assert_eq!(container.sections().count(), 0);
        let located: Vec<_> = container.images().map(Result::unwrap).collect();
        assert_eq!(located.len(), 1);
        let found = (located[0].offset, located[0].size, located[0].image.kind(), located[0].section);
        assert_eq!(found, (0, bytes.len() as u64, kind, None));
    }
}

/// What ROCm's kpack tools make of a library: no code, a reference, wrappers of another magic.
#[test]
fn libraries_whose_code_was_moved_to_archives() {
    let plain = link(&[&object("k", &["--offload-arch=gfx942"])], &["-shared"]);
    let reference = kpack::reference("lib/libk.so", &["../.kpack/k_@GFXARCH@.kpack"]);
    let file = with_sections(&plain, &[(".rocm_kpack_ref", &reference)]).bytes();
    let located: Vec<_> = Container::parse(&file).unwrap().images().map(Result::unwrap).collect();
    let Image::KpackReference(found) = &located[1].image else { panic!() };
    assert_eq!(found.kernel_name, "lib/libk.so");
    assert_eq!(&file[located[1].offset as usize..][..located[1].size as usize], reference);
}

#[test]
fn sections_are_known_by_name() {
    for (name, kind) in [
        (".hip_fatbin", Some(SectionKind::FatBinaries)),
        ("__hip_fatbin", Some(SectionKind::FatBinaries)),
        (".hip_fat", Some(SectionKind::FatBinaries)),
        (".hipFatBinSegment", Some(SectionKind::Wrappers)),
        (".hipFatB", Some(SectionKind::Wrappers)),
        (".rocm_kpack_ref", Some(SectionKind::KpackReference)),
        (".kpackrf", Some(SectionKind::KpackReference)),
        (".llvm.offloading", Some(SectionKind::LlvmOffloading)),
        ("__CLANG_OFFLOAD_BUNDLE__hip-amdgcn-amd-amdhsa--gfx90a", Some(SectionKind::Entry)),
        (".text", None),
        (".rela.hipFatBinSegment", None),
        (".hip_gpubin_handle", None),
    ] {
        assert_eq!(SectionKind::of_name(name), kind, "{name}");
    }
}

/// What is recognised and not read is said once the rest has been given.
#[test]
fn the_newer_format_of_llvm_is_named() {
    let code = code_object("gfx942", 5);
    let bundle = raw(&[("hipv4-amdgcn-amd-amdhsa--gfx942", &code)], 4096);
    let host = object("k", &["--cuda-host-only", "--offload-arch=gfx942"]);
    let file =
        with_sections(&host, &[(".llvm.offloading", b"\x10\xff\x10\xad"), (".hip_fatbin", &bundle)]).bytes();
    let mut images = Container::parse(&file).unwrap().images();
    assert_eq!(images.next().unwrap().unwrap().image.kind(), RAW);
    let error = images.next().unwrap().unwrap_err();
    assert!(error.to_string().starts_with("section .llvm.offloading at offset"), "{error}");
    assert!(images.next().is_none());
}

#[test]
fn textual_bundles_are_named() {
    for (text, start) in [("\n# ", ""), ("; ", "; "), ("// ", "")] {
        let file = format!("{text}__CLANG_OFFLOAD_BUNDLE____START__ hip-amdgcn-amd-amdhsa--gfx90a\n{start}");
        let error = Container::parse(file.as_bytes()).unwrap_err();
        assert!(error.to_string().starts_with("a textual bundle at offset 0x0 is not read"), "{error}");
    }
    let built = object("k", &["-S", "--offload-arch=gfx90a"]);
    let error = Container::parse(&built.bytes()).unwrap_err();
    assert!(matches!(error, Error::Unsupported { what: "a textual bundle", .. }), "{error}");
}

#[test]
fn padding_is_skipped_and_bounded() {
    let bundle = raw(&[("hipv4-amdgcn-amd-amdhsa--gfx942", b"code")], 8);
    let padded = |zeros: u64| [&bundle[..], &vec![0; zeros as usize], &bundle].concat();
    for zeros in [0, 1, 63, 64, 65, 4096, Walk::MAX_PADDING - 1, Walk::MAX_PADDING] {
        let bytes = padded(zeros);
        let found: Vec<_> = Image::walk(&bytes).map(|located| located.unwrap().offset).collect();
        assert_eq!(found, [0, bundle.len() as u64 + zeros]);
    }
    let padding = Error::Padding { offset: bundle.len() as u64, limit: Walk::MAX_PADDING };
    for bytes in [padded(Walk::MAX_PADDING + 1), [&bundle[..], &vec![0; 3 << 20]].concat()] {
        let mut walk = Image::walk(&bytes);
        assert!(walk.next().unwrap().is_ok());
        assert_eq!(walk.next().unwrap().unwrap_err(), padding);
        assert!(walk.next().is_none());
    }
    let zeros = vec![0; Walk::MAX_PADDING as usize];
    assert_eq!(Image::walk(&zeros).count(), 0);
    assert_eq!(Image::walk(&[&bundle[..], &zeros].concat()).count(), 1);
}

/// Offsets in errors count from the start of the file, whatever the thing stands in.
#[test]
fn errors_count_from_the_start_of_the_file() {
    let built = object("k", &["--offload-arch=gfx942"]);
    let mut file = built.bytes();
    let found: Vec<_> = Container::parse(&file).unwrap().images().map(Result::unwrap).collect();
    let at = found[0].offset as usize;
    drop(found);
    file[at + 24..at + 32].copy_from_slice(&(1u64 << 60).to_le_bytes());
    let mut images = Container::parse(&file).unwrap().images();
    let error = images.next().unwrap().unwrap_err();
    assert!(matches!(error, Error::TooManyEntries { count, .. } if count == 1 << 60), "{error}");
    assert_eq!(error.offset(), at as u64 + 24);
    assert!(images.next().is_none());
}

#[test]
fn wrong_fields_of_host_files_are_named() {
    let good = object("k", &["--offload-arch=gfx942"]).bytes();
    let table = u64::from_le_bytes(good[0x28..0x30].try_into().unwrap()) as usize;
    let count = u16::from_le_bytes(good[0x3c..0x3e].try_into().unwrap()) as usize;
    let fat = Container::parse(&good).unwrap().sections().map(Result::unwrap).next().unwrap();
    let header = (0..count)
        .map(|index| table + 64 * index)
        .find(|&at| good[at + 24..at + 32] == fat.file_offset.to_le_bytes())
        .unwrap();
    let error = |at: usize, bytes: &[u8]| {
        let mut file = good.clone();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        match Container::parse(&file) {
            Ok(container) => container.images().find_map(Result::err).expect("an error").to_string(),
            Err(error) => error.to_string(),
        }
    };
    let big = (1u64 << 60).to_le_bytes();
    for (at, bytes, expected) in [
        (
            4,
            &[1][..],
            "an ELF file that is not ELF64 at offset 0x4 is not read: HIP programs are ELF64, little endian",
        ),
        (5, &[2], "a big-endian ELF file at offset 0x5 is not read: HIP programs are ELF64, little endian"),
        (0x3a, &[63, 0], "bad e_shentsize at offset 0x3a: 0x3f (section headers of ELF64 have 64 bytes)"),
        (0x3e, &[0xfe, 0xfe], "bad e_shstrndx at offset 0x3e: 0xfefe (there is no such section)"),
        (0x28, &big, "truncated section headers: "),
        (0x3c, &[0xff, 0xfe], "truncated section headers: "),
        (header + 24, &big, "truncated section with device code: "),
        (header + 32, &big, "truncated section with device code: "),
        (header, &[0xff; 4], "bad section name at offset"),
    ] {
        let error = error(at, bytes);
        assert!(error.starts_with(expected), "{error}");
    }
    for length in 0..good.len().min(0x200) {
        let file = &good[..length];
        let refused =
            Container::parse(file).map_or(true, |container| container.images().any(|it| it.is_err()));
        assert!(refused, "cut to {length} bytes");
    }
    // More sections than the header's field can count: the number stands in the first section header.
    let mut many = good.clone();
    many[0x3c..0x3e].copy_from_slice(&[0, 0]);
    many[table + 32..table + 40].copy_from_slice(&(count as u64).to_le_bytes());
    many[table + 40..table + 44]
        .copy_from_slice(&u32::from(u16::from_le_bytes([good[0x3e], good[0x3f]])).to_le_bytes());
    many[0x3e..0x40].copy_from_slice(&[0xff, 0xff]);
    assert_eq!(images(&many), [(Some(".hip_fatbin"), RAW)]);
    // The file has no bytes for a section: its code was moved away.
    let mut empty = good;
    empty[header + 4..header + 8].copy_from_slice(&8u32.to_le_bytes());
    assert_eq!(images(&empty), []);
}

#[test]
fn wrong_fields_of_archives_are_named() {
    let member = |name: &str, size: &str, data: &[u8]| {
        let mut bytes = format!("{name:16}{:12}{:6}{:6}{:8}{size:10}`\n", 0, 0, 0, 644).into_bytes();
        bytes.extend(data);
        bytes
    };
    let code = b"\x7fELF";
    for (members, expected) in [
        (member("a.o/", "x", b""), "bad archive member size at offset 0x38: it is no decimal number"),
        (member("a.o/", "", b""), "bad archive member size at offset 0x38: it is no decimal number"),
        (member("a.o/", "9999999999", b""), "truncated archive member: 9999999999 bytes at offset 0x44"),
        (
            member("a.o/", "4", code),
            "truncated ELF identification: 16 bytes at offset 0x44, but the data ends at 0x48",
        ),
        (member("a.o/", "4", code)[..59].to_vec(), "truncated archive member header: 60 bytes at offset 0x8"),
        (member("a.o/", "4\0\0\0", code), "bad archive member size at offset 0x38: it is no decimal number"),
        (
            member("/7", "0", b""),
            "bad archive member name at offset 0x8: 0x7 (it is past the end of the table of names)",
        ),
        (
            member("/x", "0", b""),
            "bad index of an archive member's name at offset 0x9: it is no decimal number",
        ),
        (member("#1/99", "4", b"abcd"), "truncated archive member name: 99 bytes at offset 0x44"),
        (member("#1/4", "4", b"\xff\xff\xff\xff"), "bad archive member name at offset 0x44: it is not UTF-8"),
        (
            member("a.o/", "1", b"x").into_iter().chain(*b"\nnonsense").collect(),
            "truncated archive member header",
        ),
    ] {
        let file = [b"!<arch>\n", &members[..]].concat();
        let mut sections = Container::parse(&file).unwrap().sections();
        let error = sections.find_map(Result::err).expect("an error").to_string();
        assert!(error.starts_with(expected), "{error}");
        assert!(sections.next().is_none());
    }
    let mut file = [b"!<arch>\n", &member("a.o/", "0", b"")[..]].concat();
    file[8 + 58] = b'x';
    let error = Container::parse(&file).unwrap().sections().next().unwrap().unwrap_err();
    assert!(error.to_string().starts_with("bad end of an archive member header at offset 0x42"), "{error}");
}

#[test]
fn other_files_are_named() {
    let error = Container::parse(b"MZ\x90\0").unwrap_err().to_string();
    assert!(error.starts_with("a Windows program at offset 0x0 is not read"), "{error}");
    assert!(matches!(Container::parse(b"nonsense"), Err(Error::UnknownMagic { offset: 0, .. })));
    assert!(matches!(Container::parse(b""), Err(Error::Truncated { .. })));
}
