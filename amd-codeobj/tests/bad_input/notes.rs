//! Notes.

use amd_codeobj::{CodeObject, Error};
use parser_samples::{patch, program, u64_at};

use crate::{Row, check, good, row};

fn read(data: &[u8]) -> Result<usize, Error> {
    let object = CodeObject::parse(data)?;
    for note in object.notes() {
        note?;
    }
    Ok(object.metadata_note()?.desc.len())
}

#[test]
fn each_field() {
    let data = &good();
    let header = program(data, 4, 0);
    let (at, size) = (u64_at(data, header + 8), u64_at(data, header + 32));
    let note = at as usize;
    let end = at + size;
    let desc = read(data).expect("good") as u64;
    let cut = |what, offset, need| Error::Truncated { what, offset, need, have: end };
    let none = || Error::NoMetadata { version: 5 };
    #[rustfmt::skip]
    let rows: Vec<Row> = vec![
        row("length of the owner: past the end", data, note, &(size as u32).to_le_bytes(), cut("note owner", at + 12, size)),
        row("length of the owner: 2^32 - 1", data, note, &[0xff; 4], cut("note owner", at + 12, 0xffff_ffff)),
        row("length of the owner: it takes the content", data, note, &((size - 12) as u32).to_le_bytes(), cut("note content", end, desc)),
        row("length of the owner: 0, so that a note is left over", data, note, &[0; 4], cut("note header", end, 4)),
        row("length of the content: past the end", data, note + 4, &(size as u32).to_le_bytes(), cut("note content", at + 20, size)),
        row("length of the content: 2^32 - 1", data, note + 4, &[0xff; 4], cut("note content", at + 20, 0xffff_ffff)),
        row("type: another", data, note + 8, &[33], none()),
        row("type: 2^32 - 1", data, note + 8, &[0xff; 4], none()),
        row("owner: another", data, note + 12, b"AMDGPV", none()),
        row("owner: not UTF-8", data, note + 12, &[0xff], none()),
        row("owner: of code objects v2", data, note + 12, b"AMD\0\0\0", none()),
    ];
    check(rows, read);
}

#[test]
fn each_cut_of_the_header() {
    let data = &good();
    let header = program(data, 4, 0);
    let at = u64_at(data, header + 8);
    for size in 0..20u64 {
        let spoilt = patch(data, header + 32, &size.to_le_bytes());
        let cut = |what, offset, need| Error::Truncated { what, offset, need, have: at + size };
        let expected = match size {
            0 => Error::NoMetadata { version: 5 },
            1..4 => cut("note header", at, 4),
            4..8 => cut("note header", at + 4, 4),
            8..12 => cut("note header", at + 8, 4),
            12..19 => cut("note owner", at + 12, 7),
            _ => cut("note content", at + 20, u64::from(parser_samples::u32_at(data, at as usize + 4))),
        };
        assert_eq!(read(&spoilt), Err(expected), "cut to {size} bytes");
    }
}

#[test]
fn a_note_of_zeros_is_a_note() {
    // Twelve zeros: no owner, no content; a region full of them ends.
    let data = good();
    let header = program(&data, 4, 0);
    let (at, size) = (u64_at(&data, header + 8) as usize, u64_at(&data, header + 32) as usize);
    let zeros = patch(&data, at, &vec![0; size]);
    let object = CodeObject::parse(&zeros).expect("good headers");
    let notes = object.notes().take_while(Result::is_ok).count();
    assert_eq!(notes, size / 12);
}
