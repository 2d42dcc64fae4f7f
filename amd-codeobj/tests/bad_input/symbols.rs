//! The dynamic section, symbols, hash tables, relocations and descriptors, found by address.

use amd_codeobj::{CodeObject, Error};
use parser_samples::{dynamic, patch, program, section, u64_at};

use crate::{HUGE, MOST, Row, check, good, read, row};

const SYMTAB: u64 = 6;
const STRTAB: u64 = 5;
const STRSZ: u64 = 10;
const HASH: u64 = 4;
const GNU_HASH: u64 = 0x6fff_fef5;
const RELA: u64 = 7;
const RELASZ: u64 = 8;
const RELAENT: u64 = 9;

fn not_mapped(what: &'static str, vaddr: u64, size: u64) -> Error {
    Error::NotMapped { what, vaddr, size }
}

fn field(what: &'static str, offset: u64, value: u64, why: &'static str) -> Error {
    Error::BadField { what, offset, value, why }
}

#[test]
fn each_entry_of_the_dynamic_section() {
    let data = &good();
    let value = |tag| dynamic(data, tag) + 8;
    let of = |tag| u64_at(data, value(tag));
    let relocations = |vaddr, size| not_mapped("dynamic relocations", vaddr, size);
    let names = |vaddr, size| not_mapped("dynamic string table", vaddr, size);
    #[rustfmt::skip]
    let rows: Vec<Row> = vec![
        row("DT_SYMTAB: 2^60", data, value(SYMTAB), &HUGE, not_mapped("dynamic symbol table", 1 << 60, 0)),
        row("DT_SYMTAB: u64::MAX", data, value(SYMTAB), &MOST, not_mapped("dynamic symbol table", u64::MAX, 0)),
        row("DT_STRTAB: 2^60", data, value(STRTAB), &HUGE, names(1 << 60, of(STRSZ))),
        row("DT_STRTAB: u64::MAX", data, value(STRTAB), &MOST, names(u64::MAX, of(STRSZ))),
        row("DT_STRSZ: 2^60", data, value(STRSZ), &HUGE, names(of(STRTAB), 1 << 60)),
        row("DT_STRSZ: u64::MAX", data, value(STRSZ), &MOST, names(of(STRTAB), u64::MAX)),
        row("DT_HASH: 2^60", data, value(HASH), &HUGE, not_mapped("hash table", 1 << 60, 8)),
        row("DT_HASH: u64::MAX", data, value(HASH), &MOST, not_mapped("hash table", u64::MAX, 8)),
        row("DT_RELA: 2^60", data, value(RELA), &HUGE, relocations(1 << 60, 24)),
        row("DT_RELA: u64::MAX", data, value(RELA), &MOST, relocations(u64::MAX, 24)),
        row("DT_RELASZ: 2^60", data, value(RELASZ), &HUGE, relocations(of(RELA), 1 << 60)),
        row("DT_RELASZ: u64::MAX", data, value(RELASZ), &MOST, relocations(of(RELA), u64::MAX)),
        row("DT_RELASZ: 25", data, value(RELASZ), &25u64.to_le_bytes(), field("dynamic relocations", of(RELA), 25, "not a whole number of Elf64_Rela records")),
        row("DT_RELAENT: 23", data, value(RELAENT), &23u64.to_le_bytes(), field("DT_RELAENT", u64_at(data, program(data, 2, 0) + 8), 23, "an Elf64_Rela has 24 bytes")),
        row("DT_RELAENT: 0", data, value(RELAENT), &[0; 8], field("DT_RELAENT", u64_at(data, program(data, 2, 0) + 8), 0, "an Elf64_Rela has 24 bytes")),
    ];
    check(rows, read);
}

#[test]
fn each_field_of_a_symbol() {
    let data = &good();
    let have = data.len() as u64;
    let table = u64_at(data, section(data, ".dynsym") + 0x18);
    let names = u64_at(data, section(data, ".dynstr") + 0x18);
    let size = u64_at(data, section(data, ".dynstr") + 0x20);
    // The second symbol is the first that is defined here.
    let symbol = table as usize + 2 * 24;
    let second = u64::from(parser_samples::u32_at(data, symbol));
    let name = |offset, why| Error::BadString { what: "symbol name", offset, why };
    let strsz = dynamic(data, STRSZ) + 8;
    let past = "its index is past the end of the string table";
    let count = section(data, ".dynsym") + 0x20;
    // The largest number of symbols whose size is still a number.
    let cut = |need| Error::Truncated { what: "symbol table", offset: table, need, have };
    let kd = data[symbol + 8..symbol + 16].to_vec();
    assert_eq!(kd, u64_at(data, section(data, ".rodata") + 0x18).to_le_bytes());
    #[rustfmt::skip]
    let rows: Vec<Row> = vec![
        row("st_name: one past the end", data, symbol, &(size as u32 + 1).to_le_bytes(), name(names + size + 1, past)),
        row("st_name: 2^32 - 1", data, symbol, &[0xff; 4], name(names + 0xffff_ffff, past)),
        row("name: not UTF-8", data, (names + second) as usize, &[0xff], name(names + second, "not UTF-8")),
        row("st_value of a descriptor: 2^60", data, symbol + 8, &HUGE, not_mapped("kernel descriptor", 1 << 60, 64)),
        row("st_value of a descriptor: the sum wraps round", data, symbol + 8, &MOST, not_mapped("kernel descriptor", u64::MAX, 64)),
        row("count: one more than the file has room for", data, count, &(have / 24 * 24 + 24).to_le_bytes(), cut(have / 24 * 24 + 24)),
        row("count: 2^60 bytes", data, count, &HUGE, cut((1 << 60) / 24 * 24)),
        row("count: u64::MAX bytes", data, count, &MOST, cut(u64::MAX / 24 * 24)),
    ];
    check(rows, read);
    let cut_name = patch(data, strsz, &(second + 3).to_le_bytes());
    let list = |data: &[u8]| CodeObject::parse(data)?.symbols()?.try_for_each(|symbol| symbol.map(|_| ()));
    assert_eq!(list(&cut_name), Err(name(names + second, "no NUL before the string table ends")));
    // A descriptor whose last byte is missing.
    let rodata = u64_at(data, section(data, ".rodata") + 0x18);
    let last = patch(data, symbol + 8, &(rodata + 65).to_le_bytes());
    assert_eq!(read(&last), Err(not_mapped("kernel descriptor", rodata + 65, 64)));
}

/// A code object without a section table: the number of symbols is found as a loader finds it.
fn without_sections(hash: bool, gnu_hash: bool) -> Vec<u8> {
    let mut object = parser_samples::CodeObject::new(5, 0x54c, "gfx942", &["first", "second"]);
    object.externals = vec!["elsewhere".to_owned()];
    (object.hash, object.gnu_hash, object.sections) = (hash, gnu_hash, false);
    let data = object.build();
    assert_eq!(read(&data), Ok(2 + 7 + 1));
    data
}

#[test]
fn each_field_of_the_hash_table() {
    let data = &without_sections(true, false);
    let have = data.len() as u64;
    let table = u64_at(data, dynamic(data, HASH) + 8);
    let at = table as usize;
    let symbols = u64_at(data, dynamic(data, SYMTAB) + 8);
    let buckets = u64::from(parser_samples::u32_at(data, at));
    let words = |count: u64| not_mapped("hash table", table, (2 + count) * 4);
    #[rustfmt::skip]
    let rows: Vec<Row> = vec![
        row("buckets: 2^32 - 1", data, at, &[0xff; 4], words(0xffff_ffff + 8)),
        row("buckets: none, so that nothing is found", data, at, &[0; 4], Error::NoSuchSymbol { name: "elsewhere".to_owned() }),
        row("symbols: 2^32 - 1", data, at + 4, &[0xff; 4], Error::Truncated { what: "symbol table", offset: symbols, need: 0xffff_ffff * 24, have }),
    ];
    check(rows, read);
    // Heads and links: each names a symbol that does not exist, one of another bucket, or itself, so that the chain
    // goes round for ever.
    for word in 0..buckets + 8 {
        for value in [0, 1, 7, 8, 0xffff_ffffu32] {
            let spoilt = patch(data, at + 8 + word as usize * 4, &value.to_le_bytes());
            let object = CodeObject::parse(&spoilt).expect("hash tables are read later");
            for name in ["first", "second.kd", "counter", "elsewhere", "nothing", ""] {
                match object.symbol(name) {
                    Ok(symbol) => assert_eq!(symbol.name, name),
                    Err(Error::NoSuchSymbol { .. } | Error::BadField { what: "symbol index", .. }) => {}
                    Err(other) => panic!("word {word} = {value:#x}, {name:?}: {other}"),
                }
            }
        }
    }
}

#[test]
fn chains_that_go_round_end() {
    let data = without_sections(true, false);
    let at = u64_at(&data, dynamic(&data, HASH) + 8) as usize;
    let buckets = parser_samples::u32_at(&data, at) as usize;
    // Every bucket begins with symbol 1, and 1 leads to 2, 2 to 1.
    let mut data = data;
    for bucket in 0..buckets {
        data = patch(&data, at + 8 + bucket * 4, &[1, 0, 0, 0]);
    }
    let chain = at + 8 + buckets * 4;
    let data = patch(&patch(&data, chain + 4, &[2, 0, 0, 0]), chain + 8, &[1, 0, 0, 0]);
    let error = CodeObject::parse(&data).and_then(|object| object.symbol("nothing").map(|_| ()));
    assert_eq!(error, Err(Error::NoSuchSymbol { name: "nothing".to_owned() }));
}

#[test]
fn each_field_of_the_gnu_hash_table() {
    let data = &without_sections(false, true);
    let table = u64_at(data, dynamic(data, GNU_HASH) + 8);
    let at = table as usize;
    let buckets = u64::from(parser_samples::u32_at(data, at));
    let bloom = u64::from(parser_samples::u32_at(data, at + 8));
    let chains = 16 + bloom * 8 + buckets * 4;
    let word = |vaddr| not_mapped("GNU hash table", vaddr, 4);
    let end = program_end(data);
    let value = dynamic(data, GNU_HASH) + 8;
    // Reading runs from word to word until the segment ends.
    let run_out = |from: u64| {
        word(from + (end - from).next_multiple_of(4) - if (end - from).is_multiple_of(4) { 0 } else { 4 })
    };
    #[rustfmt::skip]
    let rows: Vec<Row> = vec![
        row("DT_GNU_HASH: 2^60", data, value, &HUGE, word(1 << 60)),
        row("DT_GNU_HASH: u64::MAX", data, value, &MOST, word(u64::MAX)),
        row("buckets: 2^32 - 1", data, at, &[0xff; 4], run_out(table + 16 + bloom * 8)),
        row("Bloom filter: 2^32 - 1 words", data, at + 8, &[0xff; 4], word(table + 16 + 0xffff_ffff * 8)),
        row("a bucket: 2^32 - 1", data, at + 16 + bloom as usize * 8, &[0xff; 4], word(table + chains + (0xffff_ffff - 2) * 4)),
    ];
    check(rows, read);
    // A chain without an end runs into what follows: it ends with the segment at the latest.
    let links = data.len() - at - chains as usize;
    let mut endless = data.clone();
    endless[at + chains as usize..at + chains as usize + 6 * 4]
        .iter_mut()
        .step_by(4)
        .for_each(|byte| *byte &= !1);
    assert!(links > 6 * 4);
    match CodeObject::parse(&endless).and_then(|object| object.symbols().map(Iterator::count)) {
        Ok(count) => assert!(count > 6, "the names behind the table have an odd word"),
        Err(
            Error::NotMapped { what: "GNU hash table", .. } | Error::Truncated { what: "symbol table", .. },
        ) => {}
        Err(other) => panic!("{other}"),
    }
    // The number of the first symbol that is hashed, and the shift, may be anything.
    for (place, value) in [(4, 0u32), (4, 8), (4, u32::MAX), (12, 31), (12, 32), (12, u32::MAX)] {
        let spoilt = patch(data, at + place, &value.to_le_bytes());
        let object = CodeObject::parse(&spoilt).expect("hash tables are read later");
        if let Ok(symbol) = object.symbol("first") {
            assert_eq!(symbol.name, "first");
        }
    }
}

/// Where the first loadable segment's bytes end.
fn program_end(data: &[u8]) -> u64 {
    let header = program(data, 1, 0);
    u64_at(data, header + 16) + u64_at(data, header + 32)
}

/// Every name is the whole string table: a lookup reads as much of it as it was asked for, not all of it each time.
#[test]
fn symbols_that_share_one_long_name() {
    let long = "a".repeat(100_000);
    let mut object = parser_samples::CodeObject::new(5, 0x54c, "gfx942", &[]);
    (object.hash, object.gnu_hash) = (false, false);
    object.externals = vec![String::new(); 2000];
    object.externals[0].clone_from(&long);
    let mut data = object.build();
    let table = u64_at(&data, section(&data, ".dynsym") + 0x18) as usize;
    for index in 1..=2000 {
        data[table + index * 24..][..4].copy_from_slice(&1u32.to_le_bytes());
    }
    let object = CodeObject::parse(&data).expect("good headers");
    let names = object.symbols().expect("a table").map(|symbol| symbol.expect("a symbol").name);
    assert_eq!(names.filter(|name| *name == long).count(), 2000);
    for index in 0..1000 {
        let name = format!("nothing {index}");
        assert_eq!(object.symbol(&name), Err(Error::NoSuchSymbol { name }));
    }
    assert_eq!(object.symbol(&long).map(|symbol| symbol.index), Ok(1));
    // A part of a name is no name.
    assert!(object.symbol(&long[1..]).is_err());
}

/// A hash table is read word by word through thousands of segments: each is found, not searched for.
#[test]
fn thousands_of_segments() {
    const MORE: usize = 5000;
    let data = without_sections(false, true);
    let (old, count) = (u64_at(&data, 0x20) as usize, usize::from(parser_samples::u16_at(&data, 0x38)));
    let last = program(&data, 1, 2);
    let end = u64_at(&data, last + 16) + u64_at(&data, last + 40);
    let mut long = data.clone();
    let place = long.len() as u64;
    long.extend_from_within(old..old + count * 56);
    for index in 0..MORE as u64 {
        let mut header = [0; 56];
        header[..8].copy_from_slice(b"\x01\0\0\0\x04\0\0\0");
        header[16..24].copy_from_slice(&(end + 16 + index * 16).to_le_bytes());
        header[40..48].copy_from_slice(&8u64.to_le_bytes());
        long.extend(header);
    }
    let long = patch(&long, 0x20, &place.to_le_bytes());
    let long = patch(&long, 0x38, &((count + MORE) as u16).to_le_bytes());
    assert_eq!(read(&long), read(&data));
    let object = CodeObject::parse(&long).expect("good headers");
    assert_eq!(object.segments().len(), 3 + MORE);
    for (index, segment) in object.segments().iter().enumerate().skip(3) {
        assert_eq!(segment.vaddr, end + 16 + (index as u64 - 3) * 16);
        assert_eq!(object.segment_at(segment.vaddr + 7), Some(segment));
        assert_eq!(object.segment_at(segment.vaddr + 8), None);
    }
}
