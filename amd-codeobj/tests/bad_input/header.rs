//! The ELF header and the program headers.

use amd_codeobj::{CodeObject, Error};
use parser_samples::{program, u64_at};

use crate::{HUGE, MOST, Row, check, good, read, row};

fn cut(what: &'static str, offset: u64, need: u64, have: u64) -> Error {
    Error::Truncated { what, offset, need, have }
}

fn field(what: &'static str, offset: u64, value: u64, why: &'static str) -> Error {
    Error::BadField { what, offset, value, why }
}

#[test]
fn each_field_of_the_elf_header() {
    let data = &good();
    let have = data.len() as u64;
    let (programs, sections) = (u64_at(data, 0x20), u64_at(data, 0x28));
    let amdgpu = |what, offset, found, expected| Error::NotAmdGpu { what, offset, found, expected };
    let (record, phnum, shnum) = ("not the size of this record in ELF64", 7, 12);
    #[rustfmt::skip]
    let rows: Vec<Row> = vec![
        row("magic", data, 0, b"\x7fELG", Error::NotElf { found: *b"\x7fELG" }),
        row("class: 32 bits", data, 4, &[1], amdgpu("ELF class", 4, 1, 2)),
        row("class: none", data, 4, &[0], amdgpu("ELF class", 4, 0, 2)),
        row("byte order: big", data, 5, &[2], amdgpu("ELF byte order", 5, 2, 1)),
        row("byte order: none", data, 5, &[0], amdgpu("ELF byte order", 5, 0, 1)),
        row("OS ABI: none", data, 7, &[0], amdgpu("OS ABI", 7, 0, 64)),
        row("OS ABI: PAL", data, 7, &[65], amdgpu("OS ABI", 7, 65, 64)),
        row("ABI version: 5", data, 8, &[5], Error::UnknownVersion { abi_version: 5 }),
        row("ABI version: 255", data, 8, &[255], Error::UnknownVersion { abi_version: 255 }),
        row("machine: x86-64", data, 0x12, &[62, 0], amdgpu("machine", 0x12, 62, 224)),
        row("machine: 65535", data, 0x12, &[0xff, 0xff], amdgpu("machine", 0x12, 0xffff, 224)),
        row("e_flags: no processor", data, 0x30, &[0], Error::UnknownMachine { mach: 0 }),
        row("e_flags: a reserved processor", data, 0x30, &[0x27], Error::UnknownMachine { mach: 0x27 }),
        row("e_flags: the largest processor", data, 0x30, &[0xff], Error::UnknownMachine { mach: 0xff }),
        row("e_phoff: past the end", data, 0x20, &have.to_le_bytes(), cut("program headers", have, phnum * 56, have)),
        row("e_phoff: 2^60", data, 0x20, &HUGE, cut("program headers", 1 << 60, phnum * 56, have)),
        row("e_phoff: the sum wraps round", data, 0x20, &MOST, cut("program headers", u64::MAX, phnum * 56, have)),
        row("e_phentsize: 55", data, 0x36, &[55, 0], field("e_phentsize", 0x36, 55, record)),
        row("e_phentsize: 0", data, 0x36, &[0, 0], field("e_phentsize", 0x36, 0, record)),
        row("e_phnum: 65535", data, 0x38, &[0xff, 0xff], cut("program headers", programs, 0xffff * 56, have)),
        row("e_shoff: past the end", data, 0x28, &have.to_le_bytes(), cut("section headers", have, shnum * 64, have)),
        row("e_shoff: 2^60", data, 0x28, &HUGE, cut("section headers", 1 << 60, shnum * 64, have)),
        row("e_shoff: the sum wraps round", data, 0x28, &MOST, cut("section headers", u64::MAX, shnum * 64, have)),
        row("e_shentsize: 65", data, 0x3a, &[65, 0], field("e_shentsize", 0x3a, 65, record)),
        row("e_shentsize: 0", data, 0x3a, &[0, 0], field("e_shentsize", 0x3a, 0, record)),
        row("e_shnum: one more", data, 0x3c, &[13, 0], cut("section headers", sections, 13 * 64, have)),
        row("e_shnum: 65279", data, 0x3c, &[0xff, 0xfe], cut("section headers", sections, 0xfeff * 64, have)),
        row("e_shstrndx: past the end", data, 0x3e, &[12, 0], field("e_shstrndx", 0x3e, 12, "no such section")),
    ];
    check(rows, read);
}

#[test]
fn each_cut_of_the_elf_header() {
    let data = good();
    for have in 0..64 {
        let expected = match have {
            0..16 => cut("ELF identification", 0, 16, have),
            _ => cut("ELF header", 0, 64, have),
        };
        assert_eq!(
            CodeObject::parse(&data[..have as usize]).expect_err("no header"),
            expected,
            "cut to {have}"
        );
    }
    // The program headers follow; cut there, the sections at the end are missing too, but are read later.
    for have in 64..64 + 7 * 56 {
        let expected = cut("program headers", 64, 7 * 56, have);
        assert_eq!(
            CodeObject::parse(&data[..have as usize]).expect_err("no headers"),
            expected,
            "cut to {have}"
        );
    }
    let sections = u64_at(&data, 0x28);
    for have in 64 + 7 * 56..data.len() as u64 {
        let expected = cut("section headers", sections, 12 * 64, have);
        assert_eq!(
            CodeObject::parse(&data[..have as usize]).expect_err("no sections"),
            expected,
            "cut to {have}"
        );
    }
}

#[test]
fn each_field_of_the_program_headers() {
    let data = &good();
    let have = data.len() as u64;
    let (first, text, last) = (program(data, 1, 0), program(data, 1, 1), program(data, 1, 2));
    let (dynamic, note) = (program(data, 2, 0), program(data, 4, 0));
    let number = |at: usize| u64_at(data, at);
    let load = |offset, need| cut("loadable segment", offset, need, have);
    let bad = |what, header: usize, value, why| field(what, header as u64, value, why);
    let overlap = "the segment overlaps or precedes the one before";
    let span = "the segments span more memory than a GPU can address";
    let past = "the segment ends past the last address";
    #[rustfmt::skip]
    let rows: Vec<Row> = vec![
        row("p_offset: past the end", data, text + 8, &have.to_le_bytes(), load(have, number(text + 32))),
        row("p_offset: 2^60", data, text + 8, &HUGE, load(1 << 60, number(text + 32))),
        row("p_offset: the sum wraps round", data, text + 8, &MOST, load(u64::MAX, number(text + 32))),
        row("p_vaddr: before the last segment", data, text + 16, &[0; 8], bad("p_vaddr", text, 0, overlap)),
        row("p_vaddr: inside the last segment", data, text + 16, &(number(first + 40) - 1).to_le_bytes(), bad("p_vaddr", text, number(first + 40) - 1, overlap)),
        row("p_vaddr: the same as another's", data, last + 16, &number(text + 16).to_le_bytes(), bad("p_vaddr", last, number(text + 16), overlap)),
        row("p_vaddr: 2^60", data, last + 16, &HUGE, bad("p_vaddr", last, 1 << 60, span)),
        row("p_vaddr: the sum wraps round", data, text + 16, &MOST, bad("p_memsz", text, number(text + 40), past)),
        row("p_filesz: larger than p_memsz", data, text + 32, &(number(text + 40) + 1).to_le_bytes(), bad("p_filesz", text, number(text + 40) + 1, "larger than p_memsz")),
        row("p_filesz: 2^60", data, text + 32, &HUGE, bad("p_filesz", text, 1 << 60, "larger than p_memsz")),
        row("p_filesz: u64::MAX", data, text + 32, &MOST, bad("p_filesz", text, u64::MAX, "larger than p_memsz")),
        row("p_memsz: up to the next segment and beyond", data, text + 40, &0x2000u64.to_le_bytes(), bad("p_vaddr", last, number(last + 16), overlap)),
        row("p_memsz: 2^60", data, last + 40, &HUGE, bad("p_vaddr", last, number(last + 16), span)),
        row("p_memsz: the sum wraps round", data, last + 40, &MOST, bad("p_memsz", last, u64::MAX, past)),
        row("p_align: 3", data, text + 48, &3u64.to_le_bytes(), bad("p_align", text, 3, "not a power of two")),
        row("p_align: u64::MAX", data, text + 48, &MOST, bad("p_align", text, u64::MAX, "not a power of two")),
        row("dynamic section: p_offset 2^60", data, dynamic + 8, &HUGE, cut("dynamic section", 1 << 60, number(dynamic + 32), have)),
        row("dynamic section: p_filesz 2^60", data, dynamic + 32, &HUGE, cut("dynamic section", number(dynamic + 8), 1 << 60, have)),
        row("dynamic section: the sum wraps round", data, dynamic + 32, &MOST, cut("dynamic section", number(dynamic + 8), u64::MAX, have)),
        row("notes: p_offset 2^60", data, note + 8, &HUGE, cut("note segment", 1 << 60, number(note + 32), have)),
        row("notes: p_filesz u64::MAX", data, note + 32, &MOST, cut("note segment", number(note + 8), u64::MAX, have)),
    ];
    check(rows, read);
}

/// A segment may lie where it likes in the file, even where another does: memory is what must not overlap.
#[test]
fn segments_may_share_their_bytes() {
    let data = good();
    let (text, last) = (program(&data, 1, 1), program(&data, 1, 2));
    let shared = parser_samples::patch(&data, text + 8, &u64_at(&data, last + 8).to_le_bytes());
    let object = CodeObject::parse(&shared).expect("it can be loaded");
    assert_eq!(object.segments()[1].file_offset, object.segments()[2].file_offset);
}

/// Any 64 bytes are a kernel descriptor; fewer are none.
#[test]
fn each_cut_of_a_kernel_descriptor() {
    for have in 0..64 {
        let error =
            amd_codeobj::KernelDescriptor::parse(&[0xff; 64][..have as usize]).expect_err("too short");
        assert_eq!(error, cut("kernel descriptor", 0, 64, have));
    }
    assert!(amd_codeobj::KernelDescriptor::parse(&[0xff; 64]).is_ok());
}
