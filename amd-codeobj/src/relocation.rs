//! Dynamic relocations: what the loader patches. Answers to "Relocation Records" of LLVM's AMDGPU guide.

use std::fmt;

use goblin::elf::reloc::RelocSection;

use crate::Error;

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

/// One dynamic relocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Relocation {
    /// Virtual address in the code object of what is patched.
    pub offset: u64,
    /// How.
    pub kind: RelocationKind,
    /// Index into the dynamic symbol table; 0 for none. See [`crate::CodeObject::symbol_at`].
    pub symbol: u32,
    /// Added to the symbol's address or to the load delta.
    pub addend: i64,
}

/// The dynamic relocations, read one by one; stops after the first error.
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
