//! Symbols of a code object: kernels' descriptors, variables, externals. Answers to the gABI chapter "Symbol Table"
//! and to "Symbols" of LLVM's AMDGPU guide.

use core::fmt;
use core::ops::Range;

use goblin::elf::sym::Symtab;

use crate::Error;
use crate::bytes::{name_at, slice};
use crate::headers::{CTX, elf_error};

/// `STT_*`: what a symbol stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SymbolKind(pub u8);

impl SymbolKind {
    /// Not said; an undefined symbol of this kind is defined elsewhere.
    pub const NOTYPE: SymbolKind = SymbolKind(0);
    /// A variable, or a kernel's descriptor.
    pub const OBJECT: SymbolKind = SymbolKind(1);
    /// Machine code.
    pub const FUNC: SymbolKind = SymbolKind(2);
    /// A section.
    pub const SECTION: SymbolKind = SymbolKind(3);
    /// A source file's name.
    pub const FILE: SymbolKind = SymbolKind(4);
    /// An uninitialised common block.
    pub const COMMON: SymbolKind = SymbolKind(5);
    /// Thread-local (never seen on a GPU).
    pub const TLS: SymbolKind = SymbolKind(6);
    /// A kernel of code objects v2.
    pub const AMDGPU_HSA_KERNEL: SymbolKind = SymbolKind(10);
}

impl fmt::Display for SymbolKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            SymbolKind::NOTYPE => f.write_str("NOTYPE"),
            SymbolKind::OBJECT => f.write_str("OBJECT"),
            SymbolKind::FUNC => f.write_str("FUNC"),
            SymbolKind::SECTION => f.write_str("SECTION"),
            SymbolKind::FILE => f.write_str("FILE"),
            SymbolKind::COMMON => f.write_str("COMMON"),
            SymbolKind::TLS => f.write_str("TLS"),
            SymbolKind::AMDGPU_HSA_KERNEL => f.write_str("AMDGPU_HSA_KERNEL"),
            SymbolKind(other) => write!(f, "STT {other}"),
        }
    }
}

/// `STB_*`: who sees a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Binding(pub u8);

impl Binding {
    /// This file only.
    pub const LOCAL: Binding = Binding(0);
    /// Everyone.
    pub const GLOBAL: Binding = Binding(1);
    /// Everyone, and others may define it too.
    pub const WEAK: Binding = Binding(2);
}

impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Binding::LOCAL => f.write_str("LOCAL"),
            Binding::GLOBAL => f.write_str("GLOBAL"),
            Binding::WEAK => f.write_str("WEAK"),
            Binding(other) => write!(f, "STB {other}"),
        }
    }
}

/// `STV_*`: whether another module may take the symbol's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Visibility(pub u8);

impl Visibility {
    /// As the binding says.
    pub const DEFAULT: Visibility = Visibility(0);
    /// For the processor.
    pub const INTERNAL: Visibility = Visibility(1);
    /// Not seen outside.
    pub const HIDDEN: Visibility = Visibility(2);
    /// Seen, but not replaced.
    pub const PROTECTED: Visibility = Visibility(3);
}

impl fmt::Display for Visibility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Visibility::DEFAULT => f.write_str("DEFAULT"),
            Visibility::INTERNAL => f.write_str("INTERNAL"),
            Visibility::HIDDEN => f.write_str("HIDDEN"),
            Visibility::PROTECTED => f.write_str("PROTECTED"),
            Visibility(other) => write!(f, "STV {other}"),
        }
    }
}

/// One symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Symbol<'a> {
    /// Its place in the table, which relocations name.
    pub index: u32,
    /// Its name; empty for section symbols and the null symbol.
    pub name: &'a str,
    /// Its virtual address in the code object (add the load delta).
    pub value: u64,
    /// Its size in bytes.
    pub size: u64,
    /// What it stands for.
    pub kind: SymbolKind,
    /// Who sees it.
    pub binding: Binding,
    /// Whether it may be replaced.
    pub visibility: Visibility,
    /// The section it is in (`SHN_*`).
    pub section: u16,
}

impl<'a> Symbol<'a> {
    /// It is defined in this code object (otherwise the loader must be told its address).
    pub fn is_defined(&self) -> bool {
        self.section != 0
    }

    /// Whether its value is a number and no address (`SHN_ABS`).
    pub fn is_absolute(&self) -> bool {
        const SHN_ABS: u16 = 0xfff1;
        self.section == SHN_ABS
    }

    /// The kernel's name, if this is a kernel descriptor: `<kernel>.kd`.
    pub fn kernel_name(&self) -> Option<&'a str> {
        let named = self.is_defined() && self.kind == SymbolKind::OBJECT;
        if named { self.name.strip_suffix(".kd") } else { None }
    }

    /// It is a variable: an object that is not a kernel descriptor.
    pub fn is_variable(&self) -> bool {
        self.kind == SymbolKind::OBJECT && !self.name.ends_with(".kd")
    }
}

/// The symbols of a table, read one by one, the null symbol left out; stops after the first error.
#[derive(Debug)]
pub struct Symbols<'a> {
    pub(crate) table: SymbolTable<'a>,
    pub(crate) next: usize,
}

/// Where a symbol table and its names lie.
#[derive(Debug, Default)]
pub(crate) struct SymbolTable<'a> {
    pub(crate) symbols: Symtab<'a>,
    pub(crate) count: usize,
    pub(crate) offset: u64,
    pub(crate) names: &'a [u8],
    pub(crate) names_offset: u64,
}

impl<'a> SymbolTable<'a> {
    /// A table of `symbols` (file offset and number) whose names lie in `names` (file offset and size).
    pub(crate) fn new(
        data: &'a [u8],
        symbols: (u64, u64),
        names: (u64, u64),
    ) -> Result<SymbolTable<'a>, Error> {
        let ((offset, count), (names_offset, names_size)) = (symbols, names);
        let size = count.checked_mul(SYMBOL_SIZE).ok_or(Error::BadField {
            what: "symbol count",
            offset,
            value: count,
            why: "more symbols than a file can hold",
        })?;
        slice(data, "symbol table", offset, size)?;
        let names = slice(data, "string table", names_offset, names_size)?;
        let symbols = match count {
            0 => Symtab::default(),
            _ => Symtab::parse(data, offset as usize, count as usize, CTX)
                .map_err(|e| elf_error("symbol table", offset, &e))?,
        };
        Ok(SymbolTable { symbols, count: count as usize, offset, names, names_offset })
    }

    /// The first symbol of this name among those of these indices.
    pub(crate) fn find(&self, name: &str, indices: Range<usize>) -> Result<Option<Symbol<'a>>, Error> {
        for index in indices {
            if self.is_named(index, name)? {
                return self.get(index).map(Some);
            }
        }
        Ok(None)
    }

    /// Whether the symbol has this name: as much is read as the two have in common, since in a crafted file every name
    /// may be the whole string table.
    pub(crate) fn is_named(&self, index: usize, name: &str) -> Result<bool, Error> {
        let symbol = self.symbols.get(index).filter(|_| index < self.count);
        let start = symbol.ok_or_else(|| self.beyond(index))?.st_name;
        if start == 0 {
            return Ok(name.is_empty());
        }
        let rest = self.names.get(start..).and_then(|rest| rest.strip_prefix(name.as_bytes()));
        Ok(rest.is_some_and(|rest| rest.first() == Some(&0)))
    }

    fn beyond(&self, index: usize) -> Error {
        Error::BadField {
            what: "symbol index",
            offset: self.offset,
            value: index as u64,
            why: "past the end of the symbol table",
        }
    }

    pub(crate) fn get(&self, index: usize) -> Result<Symbol<'a>, Error> {
        let offset = self.offset.saturating_add((index as u64).saturating_mul(SYMBOL_SIZE));
        let symbol = self.symbols.get(index).filter(|_| index < self.count);
        let symbol = symbol.ok_or_else(|| self.beyond(index))?;
        let name = match symbol.st_name {
            0 => "",
            name => name_at(self.names, self.names_offset, "symbol name", name as u64)?,
        };
        let section = u16::try_from(symbol.st_shndx).map_err(|_| Error::BadField {
            what: "symbol section",
            offset,
            value: symbol.st_shndx as u64,
            why: "not a section index",
        })?;
        Ok(Symbol {
            index: index as u32,
            name,
            value: symbol.st_value,
            size: symbol.st_size,
            kind: SymbolKind(symbol.st_type()),
            binding: Binding(symbol.st_bind()),
            visibility: Visibility(symbol.st_other & 3),
            section,
        })
    }
}

/// Bytes of an `Elf64_Sym`.
pub(crate) const SYMBOL_SIZE: u64 = 24;

impl<'a> Iterator for Symbols<'a> {
    type Item = Result<Symbol<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.table.count {
            return None;
        }
        let symbol = self.table.get(self.next);
        self.next = if symbol.is_ok() { self.next + 1 } else { self.table.count };
        Some(symbol)
    }
}
