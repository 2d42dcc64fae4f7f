//! Sections: the linker's view of the file, which the loader does not need. Answers to the gABI chapter "Sections".

use core::fmt;

use goblin::elf::section_header::{self, SectionHeader};

use crate::bytes::{name_at, slice};
use crate::{CodeObject, Error};

/// `SHT_*`: what a section holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SectionKind(pub u32);

impl SectionKind {
    /// Nothing: the entry is not used.
    pub const NULL: SectionKind = SectionKind(section_header::SHT_NULL);
    /// Code or data.
    pub const PROGBITS: SectionKind = SectionKind(section_header::SHT_PROGBITS);
    /// All symbols.
    pub const SYMTAB: SectionKind = SectionKind(section_header::SHT_SYMTAB);
    /// Names.
    pub const STRTAB: SectionKind = SectionKind(section_header::SHT_STRTAB);
    /// Relocations with addends.
    pub const RELA: SectionKind = SectionKind(section_header::SHT_RELA);
    /// Hash table of the dynamic symbols.
    pub const HASH: SectionKind = SectionKind(section_header::SHT_HASH);
    /// What the loader is told.
    pub const DYNAMIC: SectionKind = SectionKind(section_header::SHT_DYNAMIC);
    /// Notes.
    pub const NOTE: SectionKind = SectionKind(section_header::SHT_NOTE);
    /// Zeros that take no place in the file.
    pub const NOBITS: SectionKind = SectionKind(section_header::SHT_NOBITS);
    /// Symbols for the loader.
    pub const DYNSYM: SectionKind = SectionKind(section_header::SHT_DYNSYM);
    /// GNU hash table of the dynamic symbols.
    pub const GNU_HASH: SectionKind = SectionKind(section_header::SHT_GNU_HASH);
}

impl fmt::Display for SectionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            SectionKind::NULL => f.write_str("NULL"),
            SectionKind::PROGBITS => f.write_str("PROGBITS"),
            SectionKind::SYMTAB => f.write_str("SYMTAB"),
            SectionKind::STRTAB => f.write_str("STRTAB"),
            SectionKind::RELA => f.write_str("RELA"),
            SectionKind::HASH => f.write_str("HASH"),
            SectionKind::DYNAMIC => f.write_str("DYNAMIC"),
            SectionKind::NOTE => f.write_str("NOTE"),
            SectionKind::NOBITS => f.write_str("NOBITS"),
            SectionKind::DYNSYM => f.write_str("DYNSYM"),
            SectionKind::GNU_HASH => f.write_str("GNU_HASH"),
            SectionKind(other) => write!(f, "SHT {other:#x}"),
        }
    }
}

/// `SHF_*`: rights and properties of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SectionFlags(pub u64);

impl SectionFlags {
    /// Variables.
    pub const fn is_writable(self) -> bool {
        self.0 & 1 != 0
    }

    /// Part of what is loaded.
    pub const fn is_allocated(self) -> bool {
        self.0 & 2 != 0
    }

    /// Machine code.
    pub const fn is_executable(self) -> bool {
        self.0 & 4 != 0
    }

    /// The content is compressed and starts with an `Elf64_Chdr`.
    pub const fn is_compressed(self) -> bool {
        self.0 & 0x800 != 0
    }
}

/// One section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Section<'a> {
    /// Its place in the section table, which symbols name.
    pub index: u32,
    /// Its name; empty where the file has no section names.
    pub name: &'a str,
    /// What it holds.
    pub kind: SectionKind,
    /// Rights and properties.
    pub flags: SectionFlags,
    /// Its virtual address; 0 if it is not loaded, and in relocatable objects.
    pub address: u64,
    /// Where it starts in the file.
    pub offset: u64,
    /// Its size in memory in bytes; sections of kind [`SectionKind::NOBITS`] have no bytes in the file.
    pub size: u64,
    /// Another section that it needs: the names of a symbol table, the symbols of relocations.
    pub link: u32,
    /// Number of local symbols, or the section that relocations apply to.
    pub info: u32,
    /// Alignment.
    pub align: u64,
    /// Bytes of an entry, if it is a table.
    pub entry_size: u64,
    /// Its bytes in the file.
    pub data: &'a [u8],
}

/// The sections in order, the null section included; stops after the first error.
#[derive(Debug, Clone)]
pub struct Sections<'o, 'a> {
    object: &'o CodeObject<'a>,
    names: Result<(&'a [u8], u64), Error>,
    next: usize,
}

impl<'a> Iterator for Sections<'_, 'a> {
    type Item = Result<Section<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let header = self.object.sections.get(self.next)?;
        let names = self.names.clone();
        let section = names.and_then(|names| self.object.section_of(self.next, header, names));
        self.next = if section.is_ok() { self.next + 1 } else { usize::MAX };
        Some(section)
    }
}

impl<'a> CodeObject<'a> {
    /// The sections; none where the section table has been stripped.
    pub fn sections(&self) -> Sections<'_, 'a> {
        Sections { object: self, names: self.section_names(), next: 0 }
    }

    /// The first section of this name.
    pub fn section(&self, name: &str) -> Result<Option<Section<'a>>, Error> {
        self.sections().find(|section| section.as_ref().map_or(true, |s| s.name == name)).transpose()
    }

    /// The section of this index.
    pub fn section_by_index(&self, index: u32) -> Result<Section<'a>, Error> {
        let header = self.sections.get(index as usize).ok_or(Error::BadField {
            what: "section index",
            offset: self.header.e_shoff,
            value: index.into(),
            why: "past the end of the section table",
        })?;
        self.section_of(index as usize, header, self.section_names()?)
    }

    fn section_of(
        &self,
        index: usize,
        header: &SectionHeader,
        (names, names_offset): (&'a [u8], u64),
    ) -> Result<Section<'a>, Error> {
        let kind = SectionKind(header.sh_type);
        let data = match kind {
            SectionKind::NULL | SectionKind::NOBITS => &[],
            _ => slice(self.data, "section", header.sh_offset, header.sh_size)?,
        };
        let name = match header.sh_name {
            0 => "",
            name => name_at(names, names_offset, "section name", name as u64)?,
        };
        Ok(Section {
            index: index as u32,
            name,
            kind,
            flags: SectionFlags(header.sh_flags),
            address: header.sh_addr,
            offset: header.sh_offset,
            size: header.sh_size,
            link: header.sh_link,
            info: header.sh_info,
            align: header.sh_addralign,
            entry_size: header.sh_entsize,
            data,
        })
    }

    /// The string table of section names and where it starts.
    fn section_names(&self) -> Result<(&'a [u8], u64), Error> {
        const SHN_XINDEX: u16 = 0xffff;
        let index = match self.header.e_shstrndx {
            // Past 65,279 sections: the index stands in the first header.
            SHN_XINDEX => self.sections.first().map_or(0, |first| first.sh_link as usize),
            index => index.into(),
        };
        if index == 0 || self.sections.is_empty() {
            return Ok((&[], 0));
        }
        let header = self.sections.get(index).ok_or(Error::BadField {
            what: "e_shstrndx",
            offset: 0x3e,
            value: index as u64,
            why: "no such section",
        })?;
        Ok((slice(self.data, "section names", header.sh_offset, header.sh_size)?, header.sh_offset))
    }
}
