//! Relocations: those that the loader applies, and those that the linker has applied or will. Answers to "Relocation Records" of LLVM's AMDGPU guide.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use goblin::elf::reloc::RelocSection;
use goblin::elf::section_header;

use crate::bytes::slice;
use crate::headers::{CTX, elf_error};
use crate::symbol::SymbolTable;
use crate::{CodeObject, Error, Section, Symbol};

/// `R_AMDGPU_*`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RelocationKind(pub u32);

impl RelocationKind {
    /// Nothing to do.
    pub const NONE: RelocationKind = RelocationKind(0);
    /// Low 32 bits of symbol + addend.
    pub const ABS32_LO: RelocationKind = RelocationKind(1);
    /// High 32 bits of symbol + addend.
    pub const ABS32_HI: RelocationKind = RelocationKind(2);
    /// Symbol + addend, 64 bits.
    pub const ABS64: RelocationKind = RelocationKind(3);
    /// Symbol + addend - place, 32 bits.
    pub const REL32: RelocationKind = RelocationKind(4);
    /// Symbol + addend - place, 64 bits.
    pub const REL64: RelocationKind = RelocationKind(5);
    /// Symbol + addend, 32 bits.
    pub const ABS32: RelocationKind = RelocationKind(6);
    /// Distance to the symbol's entry in the global offset table.
    pub const GOTPCREL: RelocationKind = RelocationKind(7);
    /// Its low 32 bits.
    pub const GOTPCREL32_LO: RelocationKind = RelocationKind(8);
    /// Its high 32 bits.
    pub const GOTPCREL32_HI: RelocationKind = RelocationKind(9);
    /// Low 32 bits of symbol + addend - place.
    pub const REL32_LO: RelocationKind = RelocationKind(10);
    /// High 32 bits of symbol + addend - place.
    pub const REL32_HI: RelocationKind = RelocationKind(11);
    /// Load delta + addend, 64 bits: the usual one.
    pub const RELATIVE64: RelocationKind = RelocationKind(13);
    /// A branch distance in words.
    pub const REL16: RelocationKind = RelocationKind(14);

    /// Bytes that the loader writes for it; 0 for `NONE`, `None` for kinds that do not occur in loadable objects.
    pub const fn width(self) -> Option<u64> {
        match self {
            RelocationKind::NONE => Some(0),
            RelocationKind::ABS32_LO | RelocationKind::ABS32_HI | RelocationKind::ABS32 => Some(4),
            RelocationKind::ABS64 | RelocationKind::RELATIVE64 => Some(8),
            _ => None,
        }
    }
}

impl fmt::Display for RelocationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match *self {
            RelocationKind::NONE => "NONE",
            RelocationKind::ABS32_LO => "ABS32_LO",
            RelocationKind::ABS32_HI => "ABS32_HI",
            RelocationKind::ABS64 => "ABS64",
            RelocationKind::REL32 => "REL32",
            RelocationKind::REL64 => "REL64",
            RelocationKind::ABS32 => "ABS32",
            RelocationKind::GOTPCREL => "GOTPCREL",
            RelocationKind::GOTPCREL32_LO => "GOTPCREL32_LO",
            RelocationKind::GOTPCREL32_HI => "GOTPCREL32_HI",
            RelocationKind::REL32_LO => "REL32_LO",
            RelocationKind::REL32_HI => "REL32_HI",
            RelocationKind::RELATIVE64 => "RELATIVE64",
            RelocationKind::REL16 => "REL16",
            RelocationKind(other) => return write!(f, "R_AMDGPU {other}"),
        };
        write!(f, "R_AMDGPU_{name}")
    }
}

/// One relocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Relocation {
    /// Virtual address in the code object of what is patched; in a relocatable object, its place in the section.
    pub offset: u64,
    /// How.
    pub kind: RelocationKind,
    /// Index into the symbol table (of a dynamic relocation, the dynamic one); 0 for none. See [`CodeObject::symbol_by_index`].
    pub symbol: u32,
    /// Added to the symbol's address or to the load delta.
    pub addend: i64,
}

/// Relocations, read one by one; stops after the first error.
#[derive(Debug)]
pub struct Relocations<'a> {
    /// `.rela.dyn`, then `.rela.plt`, with their file offsets.
    pub(crate) tables: Vec<(RelocSection<'a>, u64)>,
    pub(crate) table: usize,
    pub(crate) next: usize,
}

impl Iterator for Relocations<'_> {
    type Item = Result<Relocation, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (table, offset) = self.tables.get(self.table)?;
            let Some(reloc) = table.get(self.next) else {
                (self.table, self.next) = (self.table + 1, 0);
                continue;
            };
            let symbol = u32::try_from(reloc.r_sym).map_err(|_| Error::BadField {
                what: "relocation symbol",
                offset: offset.saturating_add(self.next as u64 * RELA_SIZE),
                value: reloc.r_sym as u64,
                why: "not a symbol index",
            });
            self.next += 1;
            if symbol.is_err() {
                self.tables.clear();
            }
            return Some(symbol.map(|symbol| Relocation {
                offset: reloc.r_offset,
                kind: RelocationKind(reloc.r_type),
                symbol,
                addend: reloc.r_addend.unwrap_or(0),
            }));
        }
    }
}

/// Bytes of an `Elf64_Rela`.
pub(crate) const RELA_SIZE: u64 = 24;

impl<'a> CodeObject<'a> {
    /// The dynamic relocations: those that the loader applies.
    pub fn relocations(&self) -> Result<Relocations<'a>, Error> {
        let dynamic = &self.dynamic;
        let mut tables = Vec::new();
        for (what, address, size) in [
            ("dynamic relocations", dynamic.rela, dynamic.relasz),
            ("PLT relocations", dynamic.jmprel, dynamic.pltrelsz),
        ] {
            let Some(address) = address.filter(|_| size != 0) else { continue };
            let offset = self.file_offset(what, address, size)?;
            tables.push((relocation_table(self.data, what, offset, size)?, offset));
        }
        Ok(Relocations { tables, table: 0, next: 0 })
    }

    /// Every section of relocations, dynamic or not, with its own symbols: what a linker reads of relocatable objects
    /// and `--emit-relocs` leaves in linked ones. Stops after the first error.
    pub fn relocation_sections(&self) -> impl Iterator<Item = Result<RelocationSection<'a>, Error>> {
        let sections = self.sections().filter(|section| {
            section.as_ref().map_or(true, |section| section.kind.0 == section_header::SHT_RELA)
        });
        let mut read = sections.map(|section| self.relocation_section(section?));
        let mut failed = false;
        core::iter::from_fn(move || {
            let section = if failed { None } else { read.next() };
            failed |= section.as_ref().is_none_or(Result::is_err);
            section
        })
    }

    fn relocation_section(&self, section: Section<'a>) -> Result<RelocationSection<'a>, Error> {
        let symbols = match self.sections.get(section.link as usize) {
            Some(table) if section.link != 0 => self.symbols_of(table)?,
            _ => SymbolTable::default(),
        };
        Ok(RelocationSection { data: self.data, section, symbols })
    }
}

/// A section of relocations.
#[derive(Debug)]
pub struct RelocationSection<'a> {
    data: &'a [u8],
    /// The section; its `info` is the index of the section that the relocations apply to, 0 for none in particular.
    pub section: Section<'a>,
    symbols: SymbolTable<'a>,
}

impl<'a> RelocationSection<'a> {
    /// Its relocations.
    pub fn relocations(&self) -> Result<Relocations<'a>, Error> {
        let (offset, size) = (self.section.offset, self.section.size);
        let table = relocation_table(self.data, "relocation section", offset, size)?;
        Ok(Relocations { tables: vec![(table, offset)], table: 0, next: 0 })
    }

    /// The symbol that one of its relocations names; index 0 is the null symbol.
    pub fn symbol(&self, index: u32) -> Result<Symbol<'a>, Error> {
        self.symbols.get(index as usize)
    }
}

fn relocation_table<'a>(
    data: &'a [u8],
    what: &'static str,
    offset: u64,
    size: u64,
) -> Result<RelocSection<'a>, Error> {
    if !size.is_multiple_of(RELA_SIZE) {
        let why = "not a whole number of Elf64_Rela records";
        return Err(Error::BadField { what, offset, value: size, why });
    }
    slice(data, what, offset, size)?;
    RelocSection::parse(data, offset as usize, size as usize, true, CTX)
        .map_err(|e| elf_error(what, offset, &e))
}
