//! Debug information, packed or not.

use amd_codeobj::{CodeObject, Error};
use parser_samples::{Packing, patch, section, u64_at};

use crate::{HUGE, MOST, Row, check, row};

fn good(packing: Option<Packing>) -> Vec<u8> {
    let mut object = parser_samples::CodeObject::new(5, 0x54c, "gfx942", &["kernel"]).with_lines();
    object.debug_packing = packing;
    object.build()
}

/// The line of the kernel's first instruction.
fn read(data: &[u8]) -> Result<Option<u32>, Error> {
    let object = CodeObject::parse(data)?;
    let text = object.section(".text")?.map_or(0, |section| section.address);
    let lines = object.lines_within(1 << 20)?;
    let frames = lines.map(|lines| lines.find(text)).transpose()?.unwrap_or_default();
    Ok(frames.first().and_then(|frame| frame.line))
}

#[test]
fn each_field_of_a_compressed_section() {
    for (packing, kind) in [(Packing::Zlib, 1), (Packing::Zstd, 2)] {
        let data = &good(Some(packing));
        assert_eq!(read(data), Ok(Some(10)));
        let header = section(data, ".debug_line");
        let (start, size) = (u64_at(data, header + 0x18), u64_at(data, header + 0x20));
        let at = start as usize;
        let real = u64_at(data, at + 8);
        let bad = |what, offset, value, why| Error::BadField { what, offset, value, why };
        let (other, limit) = ("neither zlib (1) nor zstd (2)", "unpacks to more than the limit");
        let wrong = "not the size that the content unpacks to";
        assert_eq!(u64_at(data, at), kind);
        #[rustfmt::skip]
        let rows: Vec<Row> = vec![
            row("ch_type: 0", data, at, &[0], bad("ch_type", start, 0, other)),
            row("ch_type: 3", data, at, &[3], bad("ch_type", start, 3, other)),
            row("ch_type: 2^32 - 1", data, at, &[0xff; 4], bad("ch_type", start, 0xffff_ffff, other)),
            row("ch_size: one less", data, at + 8, &(real - 1).to_le_bytes(), bad("ch_size", start + 8, real - 1, wrong)),
            row("ch_size: one more", data, at + 8, &(real + 1).to_le_bytes(), bad("ch_size", start + 8, real + 1, wrong)),
            row("ch_size: 0", data, at + 8, &[0; 8], bad("ch_size", start + 8, 0, wrong)),
            row("ch_size: 2^60", data, at + 8, &HUGE, bad("ch_size", start + 8, 1 << 60, limit)),
            row("ch_size: u64::MAX", data, at + 8, &MOST, bad("ch_size", start + 8, u64::MAX, limit)),
        ];
        check(rows, read);
        let garbage = patch(data, at + 24, &[0xff; 8]);
        assert!(matches!(read(&garbage), Err(Error::Dwarf { offset, .. }) if offset == start));
        // Cut at every byte: in the header, or in the stream.
        for length in 0..size {
            let cut = patch(data, header + 0x20, &length.to_le_bytes());
            match read(&cut) {
                Err(Error::Truncated { what: "compressed section", .. }) if length < 24 => {}
                Err(Error::Dwarf { .. } | Error::BadField { what: "ch_size", .. }) if length >= 24 => {}
                // The checksum of a zlib stream comes last: it may be missing, the content is there.
                Ok(Some(10)) if packing == Packing::Zlib && size - length <= 4 => {}
                other => panic!("{packing:?} cut to {length} bytes: {other:?}"),
            }
        }
    }
}

#[test]
fn every_byte_of_the_debug_sections_may_change() {
    let good = good(None);
    for name in [".debug_abbrev", ".debug_info", ".debug_line"] {
        let header = section(&good, name);
        let (at, size) = (u64_at(&good, header + 0x18) as usize, u64_at(&good, header + 0x20) as usize);
        for place in at..at + size {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                // Whatever comes of it; errors point at the debug information.
                if let Err(error) = read(&patch(&good, place, &[value])) {
                    assert!(matches!(error, Error::Dwarf { .. }), "{name} at {place:#x}: {error}");
                }
            }
        }
    }
}
