//! Code objects: everything that can be read from one is read, and lies inside it.

use amd_codeobj::{CodeObject, Symbol, Symbols};

use crate::iter::drain;
use crate::{LIMIT, descriptor, metadata};

/// How many symbols are looked up in each object: a lookup may be a walk over all of them.
const LOOKUPS: usize = 16;

/// Walks headers, segments, sections, notes, metadata, symbols, descriptors and relocations.
pub fn code_object(data: &[u8]) {
    let object = match CodeObject::parse(data) {
        Ok(object) => object,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    assert!((2..=6).contains(&object.version()));
    assert!(object.file_size() <= data.len() as u64);
    assert_eq!(object.isa().is_ok(), object.target_id().is_ok());
    if let Ok(target) = object.target_id() {
        assert!(!target.to_string().is_empty());
    }
    let size = data.len();
    segments(&object);
    sections(&object, size);
    drain("notes", size / 12 + 1, object.notes(), |note| {
        assert!(note.desc_offset + note.desc.len() as u64 <= size as u64);
    });
    match object.metadata() {
        Ok(found) => metadata::read(&found),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    let _ = (object.metadata_yaml(), object.metadata_text());
    if let Ok(list) = object.symbols() {
        dynamic_symbols(&object, list, size);
    }
    if let Ok(list) = object.all_symbols() {
        drain("all symbols", size / 24, list, |symbol| descriptors(&object, &symbol));
    }
    // The fuzzer reads this name here and puts it into the file.
    assert!(object.symbol("no such symbol").map_or(true, |symbol| symbol.name == "no such symbol"));
    relocations(&object, size);
    lines(&object);
}

fn lines(object: &CodeObject<'_>) {
    let Ok(Some(lines)) = object.lines_within(LIMIT) else { return };
    for segment in object.segments().iter().take(LOOKUPS) {
        for address in [segment.vaddr, segment.vaddr.wrapping_add(4), segment.end()] {
            if let Ok(frames) = lines.find(address) {
                assert!(frames.iter().all(|frame| *frame != amd_codeobj::Frame::default()));
            }
        }
    }
}

fn segments(object: &CodeObject<'_>) {
    let mut end = object.load_base();
    for segment in object.segments() {
        assert!(segment.vaddr >= end, "segments overlap");
        end = segment.end();
        assert!(segment.data.len() as u64 <= segment.memsz);
        assert!(segment.file_offset + segment.data.len() as u64 <= object.data().len() as u64);
        // A segment without memory has no address of its own.
        if segment.memsz != 0 {
            let length = segment.data.len() as u64;
            assert_eq!(object.read("segment", segment.vaddr, length), Ok(segment.data));
            assert!(object.read("segment", segment.vaddr, length + 1).is_err());
            assert_eq!(object.segment_at(segment.vaddr), Some(segment));
        }
    }
    assert_eq!(object.load_base() + object.load_size(), end);
}

fn sections(object: &CodeObject<'_>, size: usize) {
    let mut found = 0;
    drain("sections", size / 64, object.sections(), |section| {
        assert!(section.data.len() <= size);
        if found < LOOKUPS {
            found += 1;
            assert_eq!(object.section_by_index(section.index), Ok(section));
            let named = object.section(section.name).expect("the sections up to this one were read");
            assert!(named.is_some_and(|first| first.name == section.name && first.index <= section.index));
        }
    });
    assert!(object.section_by_index(u32::MAX).is_err());
}

fn dynamic_symbols(object: &CodeObject<'_>, symbols: Symbols<'_>, size: usize) {
    let mut looked_up = 0;
    drain("symbols", size / 24, symbols, |symbol| {
        assert!(!(symbol.is_variable() && symbol.kernel_name().is_some()));
        descriptors(object, &symbol);
        if looked_up < LOOKUPS {
            looked_up += 1;
            assert_eq!(object.symbol_by_index(symbol.index), Ok(symbol));
            if let Ok(found) = object.symbol(symbol.name) {
                assert_eq!(found.name, symbol.name);
            }
            // These walk over all symbols.
            if looked_up <= 2 {
                let _ = (object.symbol_at(symbol.value), object.kernel_at(symbol.value));
            }
        }
    });
}

fn descriptors(object: &CodeObject<'_>, symbol: &Symbol<'_>) {
    let _ = (symbol.kind.to_string(), symbol.binding.to_string(), symbol.visibility.to_string());
    if symbol.kernel_name().is_some()
        && let Ok(found) = object.kernel_descriptor(symbol)
    {
        descriptor::all_values(&found, 256);
    }
}

fn relocations(object: &CodeObject<'_>, size: usize) {
    if let Ok(relocations) = object.relocations() {
        let mut looked_up = 0;
        drain("relocations", 2 * size / 24, relocations, |relocation| {
            let _ = relocation.kind.to_string();
            if looked_up < LOOKUPS {
                looked_up += 1;
                let _ = object.symbol_by_index(relocation.symbol);
            }
        });
    }
    let mut looked_up = 0;
    drain("relocation sections", size / 64, object.relocation_sections(), |section| {
        // Many sections may claim the same bytes.
        if looked_up < LOOKUPS
            && let Ok(relocations) = section.relocations()
        {
            looked_up += 1;
            drain("relocations of a section", size / 24, relocations.take(LOOKUPS), |relocation| {
                let _ = section.symbol(relocation.symbol);
            });
        }
    });
}
