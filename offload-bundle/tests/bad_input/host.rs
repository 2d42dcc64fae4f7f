//! ELF files of a host.

use offload_bundle::{Container, Error};
use parser_samples::{host, patch, section, u64_at};

use crate::{HUGE, MOST, Row, check, cuts, row};

/// A shared object with a raw bundle in `.hip_fatbin`.
fn good() -> Vec<u8> {
    host(&[parser_samples::raw(&[("hipv4-amdgcn-amd-amdhsa--gfx90a", b"code")], 8)])
}

/// Everything that the container tells, to the first error.
fn read(data: &[u8]) -> Result<(usize, usize), Error> {
    let container = Container::parse(data)?;
    let mut sections = 0;
    for section in container.sections() {
        sections += section.map(|_| 1)?;
    }
    let mut images = 0;
    for image in container.images() {
        images += image.map(|_| 1)?;
    }
    Ok((sections, images))
}

#[test]
fn the_good_one_is_good() {
    assert_eq!(read(&good()), Ok((2, 1)));
}

#[test]
fn each_field() {
    let data = &good();
    let have = data.len() as u64;
    let table = u64_at(data, 0x28);
    let fatbin = section(data, ".hip_fatbin");
    let (start, size) = (u64_at(data, fatbin + 0x18), u64_at(data, fatbin + 0x20));
    let names = section(data, ".shstrtab");
    let names_at = u64_at(data, names + 0x18);
    let hip = "HIP programs are ELF64, little endian";
    let unsupported = |what, offset| Error::Unsupported { what, offset, way_out: hip };
    let cut = |what, offset, need| Error::Truncated { what, offset, need, have };
    let field = |what, offset, value, why| Error::BadField { what, offset, value, why };
    let name = |offset, why| Error::Malformed { what: "section name", offset, why };
    let code = "section with device code";
    #[rustfmt::skip]
    let rows: Vec<Row> = vec![
        row("class: 32 bits", data, 4, &[1], unsupported("an ELF file that is not ELF64", 4)),
        row("class: none", data, 4, &[0], unsupported("an ELF file that is not ELF64", 4)),
        row("byte order: big", data, 5, &[2], unsupported("a big-endian ELF file", 5)),
        row("e_shoff: past the end", data, 0x28, &(have + 1).to_le_bytes(), cut("section headers", have + 1, 256)),
        row("e_shoff: 2^60", data, 0x28, &HUGE, cut("section headers", 1 << 60, 256)),
        row("e_shoff: u64::MAX", data, 0x28, &MOST, cut("section headers", u64::MAX, 256)),
        row("e_shentsize: 63", data, 0x3a, &[63, 0], field("e_shentsize", 0x3a, 63, "section headers of ELF64 have 64 bytes")),
        row("e_shentsize: 0", data, 0x3a, &[0, 0], field("e_shentsize", 0x3a, 0, "section headers of ELF64 have 64 bytes")),
        row("e_shnum: one more", data, 0x3c, &[5, 0], cut("section headers", table, 320)),
        row("e_shnum: 65279", data, 0x3c, &[0xff, 0xfe], cut("section headers", table, 0xfeff * 64)),
        row("e_shstrndx: past the end", data, 0x3e, &[4, 0], field("e_shstrndx", 0x3e, 4, "there is no such section")),
        row("section names: offset past the end", data, names + 0x18, &HUGE, cut("section names", 1 << 60, 41)),
        row("section names: size past the end", data, names + 0x20, &HUGE, cut("section names", names_at, 1 << 60)),
        row("section names: the sum wraps round", data, names + 0x20, &MOST, cut("section names", names_at, u64::MAX)),
        row("section names: without an end", data, names + 0x20, &[40], name(names_at + 31, "it has no end")),
        row("sh_name: past the end", data, fatbin, &[0xff; 4], name(names_at + 0xffff_ffff, "it starts past the end of its table")),
        row("section name: not UTF-8", data, names_at as usize + 2, &[0xff], name(names_at + 1, "it is not UTF-8")),
        row("sh_offset: past the end", data, fatbin + 0x18, &have.to_le_bytes(), cut(code, have, size)),
        row("sh_offset: 2^60", data, fatbin + 0x18, &HUGE, cut(code, 1 << 60, size)),
        row("sh_offset: the sum wraps round", data, fatbin + 0x18, &MOST, cut(code, u64::MAX, size)),
        row("sh_size: 2^60", data, fatbin + 0x20, &HUGE, cut(code, start, 1 << 60)),
        row("sh_size: u64::MAX", data, fatbin + 0x20, &MOST, cut(code, start, u64::MAX)),
        row("no fat binary in the section", data, start as usize, b"nonsense", Error::UnknownMagic { offset: start, found: b"nonsense".to_vec() }),
    ];
    check(rows, read);
}

/// More than 65,279 sections: their number and the index of their names stand in the first header.
#[test]
fn numbers_in_the_first_section_header() {
    let data = good();
    let (have, table) = (data.len() as u64, u64_at(&data, 0x28));
    let first = table as usize;
    let extended = patch(&patch(&data, 0x3c, &[0, 0, 0xff, 0xff]), first + 32, &4u64.to_le_bytes());
    let extended = patch(&extended, first + 40, &3u32.to_le_bytes());
    assert_eq!(read(&extended), Ok((2, 1)));
    let cut = |need| Error::Truncated { what: "section headers", offset: table, need, have };
    let names =
        |value| Error::BadField { what: "e_shstrndx", offset: 0x3e, value, why: "there is no such section" };
    #[rustfmt::skip]
    let rows: Vec<Row> = vec![
        row("count: one more", &extended, first + 32, &[5], cut(320)),
        row("count: 2^60", &extended, first + 32, &HUGE, cut(u64::MAX)),
        row("count: u64::MAX", &extended, first + 32, &MOST, cut(u64::MAX)),
        row("count: the product wraps round to 0", &extended, first + 32, &(1u64 << 58).to_le_bytes(), cut(u64::MAX)),
        row("names: past the end", &extended, first + 40, &[4], names(4)),
        row("names: u32::MAX", &extended, first + 40, &[0xff; 4], names(0xffff_ffff)),
        row("count: 0", &extended, first + 32, &[0], names(3)),
    ];
    check(rows, read);
}

#[test]
fn each_cut_of_the_header() {
    // The machine is looked at first, to know the file from a code object.
    let fields = [("ELF identification", 0, 16), ("ELF header", 18, 2), ("ELF header", 0, 64)];
    // Shorter than any magic: it could become any of the kinds.
    let special = |have| match have {
        0 => Some(Error::Truncated { what: "fat binary", offset: 0, need: 4, have: 0 }),
        1..4 => Some(Error::CodeObject {
            offset: 0,
            source: amd_codeobj::Error::Truncated { what: "ELF identification", offset: 0, need: 16, have },
        }),
        _ => None,
    };
    check(cuts(&good(), &fields, special), read);
}

#[test]
fn each_cut_of_the_file() {
    let data = good();
    for have in 64..data.len() {
        let error = read(&data[..have]).expect_err("the section headers stand at the end");
        assert!(matches!(error, Error::Truncated { what: "section headers", .. }), "{have}: {error}");
    }
}

#[test]
fn other_programs() {
    let way_out = "take its .hip_fat section out with llvm-objcopy and read that";
    let error = Error::Unsupported { what: "a Windows program", offset: 0, way_out };
    check(vec![("PE".to_owned(), b"MZ\x90\0".to_vec(), error)], read);
}
