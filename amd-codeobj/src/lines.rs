//! From an address to a line of the source, for code objects built with `-g`: file, line, column, function, and the
//! functions that were inlined there. Answers to DWARF 4 and 5 (read by gimli and addr2line) and to the gABI chapter
//! "Section Compression".

use std::io::{self, Read};
use std::sync::Arc;

use gimli::{EndianArcSlice, LittleEndian, SectionId};

use crate::bytes::{slice, u32_at, u64_at};
use crate::{CodeObject, Error, ObjectKind, RelocationKind, Section};

/// Bytes of an `Elf64_Chdr`.
const COMPRESSION_HEADER: u64 = 24;
/// Least window that zstd may use: what its strongest levels take for content of any size.
const ZSTD_WINDOW_LOG: u32 = 23;
/// Greatest window: zstd's own limit.
const MAX_ZSTD_WINDOW_LOG: u32 = 27;

/// The line table and the functions of a code object. Owns its data; what it reads, it keeps for the next question.
pub struct Lines {
    context: addr2line::Context<EndianArcSlice<LittleEndian>>,
    /// Where the debug information starts in the file, for errors.
    offset: u64,
}

/// A place in the source.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Frame {
    /// The function, as the linker names it (mangled).
    pub function: Option<String>,
    /// The file, with its folder as the compiler was told.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: Option<u32>,
    /// The column in bytes, from 1.
    pub column: Option<u32>,
}

impl Lines {
    /// Most bytes that compressed sections may take in memory, if the caller sets no other bound.
    pub const DEFAULT_LIMIT: u64 = 256 << 20;

    /// The places in the source that an instruction comes from, by its virtual address in the code object: the innermost
    /// inlined function first, the function that is really there last. Empty where the table says nothing.
    pub fn find(&self, address: u64) -> Result<Vec<Frame>, Error> {
        let bad = |error: gimli::Error| Error::Dwarf { offset: self.offset, reason: error.to_string() };
        let mut frames = self.context.find_frames(address).skip_all_loads().map_err(bad)?;
        let mut found = Vec::new();
        while let Some(frame) = frames.next().map_err(bad)? {
            let function = match &frame.function {
                Some(function) => Some(function.raw_name().map_err(bad)?.into_owned()),
                None => None,
            };
            let location = frame.location.as_ref();
            found.push(Frame {
                function,
                file: location.and_then(|location| location.file).map(str::to_owned),
                line: location.and_then(|location| location.line),
                column: location.and_then(|location| location.column),
            });
        }
        // No function and no line: the address is in no compilation unit.
        found.retain(|frame| *frame != Frame::default());
        Ok(found)
    }
}

impl<'a> CodeObject<'a> {
    /// The line table; `None` if the code object was built without `-g`. Compressed sections are unpacked as far as
    /// [`Lines::DEFAULT_LIMIT`].
    pub fn lines(&self) -> Result<Option<Lines>, Error> {
        self.lines_within(Lines::DEFAULT_LIMIT)
    }

    /// As [`CodeObject::lines`], with another bound on what compressed sections may take in memory, in bytes in all.
    pub fn lines_within(&self, limit: u64) -> Result<Option<Lines>, Error> {
        let mut sections = Vec::new();
        for section in self.sections() {
            let section = section?;
            if section.name.starts_with(".debug_") {
                sections.push(section);
            }
        }
        let find = |id: SectionId| sections.iter().find(|section| section.name == id.name());
        let Some(info) = find(SectionId::DebugInfo) else { return Ok(None) };
        let offset = info.offset;
        let mut left = limit;
        let load = |id: SectionId| -> Result<_, Error> {
            let bytes = match find(id) {
                Some(section) => self.debug_section(section, &mut left)?,
                None => Arc::default(),
            };
            Ok(EndianArcSlice::new(bytes, LittleEndian))
        };
        let dwarf = gimli::Dwarf::load(load)?;
        let context = addr2line::Context::from_dwarf(dwarf)
            .map_err(|error| Error::Dwarf { offset, reason: error.to_string() })?;
        Ok(Some(Lines { context, offset }))
    }

    /// The content of a section of debug information: unpacked, and relocated if the linker has not done so.
    fn debug_section(&self, section: &Section<'a>, left: &mut u64) -> Result<Arc<[u8]>, Error> {
        if !section.flags.is_compressed() && self.kind() != ObjectKind::RELOCATABLE {
            return Ok(section.data.into());
        }
        let mut bytes = match section.flags.is_compressed() {
            true => unpack(section, left)?,
            false => section.data.to_vec(),
        };
        if self.kind() == ObjectKind::RELOCATABLE {
            self.relocate_debug_section(section.index, &mut bytes)?;
        }
        Ok(bytes.into())
    }

    /// Applies the relocations of a section, as if every section were loaded at address 0.
    fn relocate_debug_section(&self, index: u32, bytes: &mut [u8]) -> Result<(), Error> {
        for table in self.relocation_sections() {
            let table = table?;
            if table.section.info != index {
                continue;
            }
            for relocation in table.relocations()? {
                let relocation = relocation?;
                let size = match relocation.kind {
                    RelocationKind::ABS64 => 8,
                    RelocationKind::ABS32 | RelocationKind::ABS32_LO => 4,
                    _ => continue,
                };
                let value = table.symbol(relocation.symbol)?.value.wrapping_add_signed(relocation.addend);
                let place = usize::try_from(relocation.offset).ok();
                let place = place.and_then(|start| bytes.get_mut(start..start.checked_add(size)?));
                let place = place.ok_or(Error::BadField {
                    what: "r_offset",
                    offset: table.section.offset,
                    value: relocation.offset,
                    why: "past the end of the section that is relocated",
                })?;
                place.copy_from_slice(&value.to_le_bytes()[..size]);
            }
        }
        Ok(())
    }
}

/// Unpacks a section that starts with an `Elf64_Chdr`, and takes its size from what is `left` of the caller's limit.
fn unpack(section: &Section<'_>, left: &mut u64) -> Result<Vec<u8>, Error> {
    const WHAT: &str = "compressed section";
    let bad = |what, at, value, why| Error::BadField { what, offset: section.offset + at, value, why };
    let kind = u32_at(section.data, WHAT, 0)?;
    let size = u64_at(section.data, WHAT, 8)?;
    let packed = slice(
        section.data,
        WHAT,
        COMPRESSION_HEADER,
        (section.data.len() as u64).saturating_sub(COMPRESSION_HEADER),
    )?;
    *left = left.checked_sub(size).ok_or(bad("ch_size", 8, size, "unpacks to more than the limit"))?;
    let (unpacked, sized): (io::Result<Vec<u8>>, _) = match kind {
        1 => (read(flate2::read::ZlibDecoder::new(packed), size), "zlib"),
        2 => (read_zstd(packed, size), "zstd"),
        other => return Err(bad("ch_type", 0, other.into(), "neither zlib (1) nor zstd (2)")),
    };
    let unpacked = unpacked.map_err(|error| Error::Dwarf {
        offset: section.offset,
        reason: format!("section {} is not well-formed {sized}: {error}", section.name),
    })?;
    if unpacked.len() as u64 != size {
        return Err(bad("ch_size", 8, size, "not the size that the content unpacks to"));
    }
    Ok(unpacked)
}

fn read_zstd(packed: &[u8], size: u64) -> io::Result<Vec<u8>> {
    let mut decoder = zstd::stream::read::Decoder::new(packed)?;
    let log = u64::BITS - size.leading_zeros();
    decoder.window_log_max(log.clamp(ZSTD_WINDOW_LOG, MAX_ZSTD_WINDOW_LOG))?;
    read(decoder, size)
}

/// Reads one byte more than `size` at most, into memory that grows with what is there.
fn read(reader: impl Read, size: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(size.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}
