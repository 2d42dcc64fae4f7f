//! The section table.

use amd_codeobj::{CodeObject, Error};
use parser_samples::{patch, section, u32_at, u64_at};

use crate::{HUGE, MOST, Row, check, good, row};

/// All sections, and all sections of relocations with theirs.
fn read(data: &[u8]) -> Result<usize, Error> {
    let object = CodeObject::parse(data)?;
    let mut count = 0;
    for section in object.sections() {
        count += section.map(|_| 1)?;
    }
    for section in object.relocation_sections() {
        let section = section?;
        for relocation in section.relocations()? {
            section.symbol(relocation?.symbol)?;
            count += 1;
        }
    }
    Ok(count)
}

#[test]
fn each_field() {
    let data = &good();
    assert_eq!(read(data), Ok(12 + 1));
    let have = data.len() as u64;
    let (text, rela, dynsym) = (section(data, ".text"), section(data, ".rela.dyn"), section(data, ".dynsym"));
    let names = section(data, ".shstrtab");
    let at = |header: usize| u64_at(data, header + 0x18);
    let size = |header: usize| u64_at(data, header + 0x20);
    let cut = |what, offset, need| Error::Truncated { what, offset, need, have };
    let name = |offset, why| Error::BadString { what: "section name", offset, why };
    let bad = |what, offset, value, why| Error::BadField { what, offset, value, why };
    let past = "its index is past the end of the string table";
    #[rustfmt::skip]
    let rows: Vec<Row> = vec![
        row("sh_name: past the end", data, text, &[0xff; 4], name(at(names) + 0xffff_ffff, past)),
        row("name: not UTF-8", data, (at(names) + 1) as usize, &[0xff], name(at(names) + 1, "not UTF-8")),
        row("names: without an end", data, names + 0x20, &(size(names) - 1).to_le_bytes(), name(at(names) + size(names) - 10, "no NUL before the string table ends")),
        row("names: sh_offset 2^60", data, names + 0x18, &HUGE, cut("section names", 1 << 60, size(names))),
        row("names: sh_size u64::MAX", data, names + 0x20, &MOST, cut("section names", at(names), u64::MAX)),
        row("sh_offset: past the end", data, text + 0x18, &have.to_le_bytes(), cut("section", have, size(text))),
        row("sh_offset: 2^60", data, text + 0x18, &HUGE, cut("section", 1 << 60, size(text))),
        row("sh_offset: the sum wraps round", data, text + 0x18, &MOST, cut("section", u64::MAX, size(text))),
        row("sh_size: 2^60", data, text + 0x20, &HUGE, cut("section", at(text), 1 << 60)),
        row("sh_size: the sum wraps round", data, text + 0x20, &MOST, cut("section", at(text), u64::MAX)),
        row("relocations: size 25", data, rela + 0x20, &25u64.to_le_bytes(), bad("relocation section", at(rela), 25, "not a whole number of Elf64_Rela records")),
        row("relocations: symbols in section 0xffffffff", data, rela + 0x28, &[0xff; 4], bad("symbol index", 0, 0, "past the end of the symbol table")),
        row("symbols: names in no section", data, dynsym + 0x28, &[0xff; 4], bad("string table of the symbol table", at(dynsym), 0xffff_ffff, "no such section")),
        row("symbols: sh_offset 2^60", data, dynsym + 0x18, &HUGE, cut("section", 1 << 60, size(dynsym))),
        row("symbol of a relocation: past the end", data, at(rela) as usize + 12, &[8], bad("symbol index", at(dynsym), 8, "past the end of the symbol table")),
        row("symbol of a relocation: 2^32 - 1", data, at(rela) as usize + 12, &[0xff; 4], bad("symbol index", at(dynsym), 0xffff_ffff, "past the end of the symbol table")),
    ];
    check(rows, read);
}

#[test]
fn code_that_wraps_round() {
    let data = &good();
    let text = section(data, ".text");
    let offset = u64_at(data, text + 0x18);
    let code = |data: &[u8]| CodeObject::parse(data)?.code().map(|code| code.len());
    assert_eq!(code(data), Ok(1));
    let error = Error::BadField {
        what: "address of the code section",
        offset,
        value: u64::MAX,
        why: "it wraps round",
    };
    check(vec![row("sh_addr: u64::MAX", data, text + 0x10, &MOST, error)], code);
}

/// More than 65,279 sections: their number and the index of their names stand in the first header.
#[test]
fn numbers_in_the_first_section_header() {
    let data = good();
    let (have, table) = (data.len() as u64, u64_at(&data, 0x28));
    let first = table as usize;
    let extended = patch(&data, 0x3c, &[0, 0, 0xff, 0xff]);
    let extended = patch(&extended, first + 32, &12u64.to_le_bytes());
    let extended = patch(&extended, first + 40, &11u32.to_le_bytes());
    assert_eq!(read(&extended), Ok(12 + 1));
    let cut = |need| Error::Truncated { what: "section headers", offset: table, need, have };
    let bad = |what, offset, value, why| Error::BadField { what, offset, value, why };
    let many = |value| bad("section count", table, value, "more sections than a file can hold");
    #[rustfmt::skip]
    let rows: Vec<Row> = vec![
        row("count: one more", &extended, first + 32, &[13], cut(13 * 64)),
        row("count: 2^32", &extended, first + 32, &(1u64 << 32).to_le_bytes(), cut(1 << 38)),
        row("count: 2^58, the product wraps round to 0", &extended, first + 32, &(1u64 << 58).to_le_bytes(), many(1 << 58)),
        row("count: 2^60", &extended, first + 32, &HUGE, many(1 << 60)),
        row("count: u64::MAX", &extended, first + 32, &MOST, many(u64::MAX)),
        row("names: past the end", &extended, first + 40, &[12], bad("e_shstrndx", 0x3e, 12, "no such section")),
        row("names: u32::MAX", &extended, first + 40, &[0xff; 4], bad("e_shstrndx", 0x3e, 0xffff_ffff, "no such section")),
    ];
    check(rows, read);
}

#[test]
fn sections_without_bytes_may_claim_any_place() {
    let data = good();
    let text = section(&data, ".text");
    assert_eq!(u32_at(&data, text + 4), 1);
    // SHT_NOBITS.
    let nobits = patch(&patch(&data, text + 4, &[8]), text + 0x20, &HUGE);
    let object = CodeObject::parse(&nobits).expect("nothing of it is read");
    let section = object.section(".text").expect("readable").expect("there");
    assert_eq!((section.size, section.data), (1 << 60, &[][..]));
}

/// Two sections of relocations whose symbols cannot be read: the first error is the last item.
#[test]
fn sections_of_relocations_stop_after_an_error() {
    let data = good();
    let (first, symbols) = (section(&data, ".data"), section(&data, ".dynsym"));
    let two = patch(&patch(&data, first + 4, &[4]), first + 0x28, &[2]);
    let spoilt = patch(&two, symbols + 0x28, &[0xff; 4]);
    let object = CodeObject::parse(&spoilt).expect("good headers");
    let errors = object.relocation_sections().map(|section| section.expect_err("no names"));
    let (what, offset) = ("string table of the symbol table", u64_at(&data, symbols + 0x18));
    let expected = Error::BadField { what, offset, value: 0xffff_ffff, why: "no such section" };
    assert_eq!(errors.collect::<Vec<_>>(), [expected]);
}
