//! ELF headers: the tables of segments and sections, bounded before they are read.
//! Answers to the gABI chapters "ELF Header", "Program Header" and "Sections".

use alloc::string::ToString;
use alloc::vec::Vec;

use goblin::container::{Container, Ctx, Endian};
use goblin::elf::Header;
use goblin::elf::program_header::ProgramHeader;
use goblin::elf::section_header::SectionHeader;

use crate::Error;
use crate::bytes::{slice, u64_at};

/// 64 bits, little endian: the only kind of code object.
pub(crate) const CTX: Ctx = Ctx { container: Container::Big, le: Endian::Little };
pub(crate) const HEADER_SIZE: u64 = 64;
pub(crate) const PROGRAM_HEADER_SIZE: u64 = 56;
pub(crate) const SECTION_HEADER_SIZE: u64 = 64;

pub(crate) fn elf_error(what: &'static str, offset: u64, error: &goblin::error::Error) -> Error {
    Error::Elf { what, offset, reason: error.to_string() }
}

fn check_entry_size(what: &'static str, offset: u64, found: u16, expected: u64) -> Result<(), Error> {
    if u64::from(found) == expected {
        return Ok(());
    }
    Err(Error::BadField { what, offset, value: found.into(), why: "not the size of this record in ELF64" })
}

pub(crate) fn program_headers(data: &[u8], header: &Header) -> Result<Vec<ProgramHeader>, Error> {
    let count = u64::from(header.e_phnum);
    if count == 0 || header.e_phoff == 0 {
        return Ok(Vec::new());
    }
    check_entry_size("e_phentsize", 0x36, header.e_phentsize, PROGRAM_HEADER_SIZE)?;
    slice(data, "program headers", header.e_phoff, count * PROGRAM_HEADER_SIZE)?;
    ProgramHeader::parse(data, header.e_phoff as usize, count as usize, CTX)
        .map_err(|e| elf_error("program headers", header.e_phoff, &e))
}

pub(crate) fn section_headers(data: &[u8], header: &Header) -> Result<Vec<SectionHeader>, Error> {
    if header.e_shoff == 0 {
        return Ok(Vec::new());
    }
    check_entry_size("e_shentsize", 0x3a, header.e_shentsize, SECTION_HEADER_SIZE)?;
    let count = match header.e_shnum {
        // More than 65,279 sections: the number stands in the first header's size.
        0 => u64_at(slice(data, "section headers", header.e_shoff, 64)?, "section count", 32)?,
        count => count.into(),
    };
    let size = count.checked_mul(SECTION_HEADER_SIZE).ok_or(Error::BadField {
        what: "section count",
        offset: header.e_shoff,
        value: count,
        why: "more sections than a file can hold",
    })?;
    slice(data, "section headers", header.e_shoff, size)?;
    SectionHeader::parse(data, header.e_shoff as usize, count as usize, CTX)
        .map_err(|e| elf_error("section headers", header.e_shoff, &e))
}
