//! The dynamic section and the tables that it leads to, found as a loader finds them: by address, not by section.
//! Answers to the gABI chapters "Dynamic Section" and "Hash Table".

use goblin::elf::section_header::SectionHeader;
use goblin::elf::{dynamic, program_header, section_header};

use crate::bytes::{slice, u32_at, u64_at};
use crate::relocation::RELA_SIZE;
use crate::symbol::{SYMBOL_SIZE, SymbolTable};
use crate::{CodeObject, Error};

/// The entries of the dynamic section that matter, as virtual addresses and sizes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Dynamic {
    pub(crate) symtab: Option<u64>,
    pub(crate) strtab: Option<u64>,
    pub(crate) strsz: u64,
    pub(crate) hash: Option<u64>,
    pub(crate) gnu_hash: Option<u64>,
    pub(crate) rela: Option<u64>,
    pub(crate) relasz: u64,
    pub(crate) jmprel: Option<u64>,
    pub(crate) pltrelsz: u64,
}

impl<'a> CodeObject<'a> {
    pub(crate) fn read_dynamic(&self) -> Result<Dynamic, Error> {
        let mut found = Dynamic::default();
        let Some(header) = self.programs.iter().find(|p| p.p_type == program_header::PT_DYNAMIC) else {
            return Ok(found);
        };
        let entries = slice(self.data, "dynamic section", header.p_offset, header.p_filesz)?;
        let mut rela_entry = RELA_SIZE;
        for index in 0..entries.len() as u64 / 16 {
            let tag = u64_at(entries, "dynamic entry", index * 16)?;
            let value = u64_at(entries, "dynamic entry", index * 16 + 8)?;
            match tag {
                dynamic::DT_NULL => break,
                dynamic::DT_SYMTAB => found.symtab = Some(value),
                dynamic::DT_STRTAB => found.strtab = Some(value),
                dynamic::DT_STRSZ => found.strsz = value,
                dynamic::DT_HASH => found.hash = Some(value),
                dynamic::DT_GNU_HASH => found.gnu_hash = Some(value),
                dynamic::DT_RELA => found.rela = Some(value),
                dynamic::DT_RELASZ => found.relasz = value,
                dynamic::DT_RELAENT => rela_entry = value,
                dynamic::DT_JMPREL => found.jmprel = Some(value),
                dynamic::DT_PLTRELSZ => found.pltrelsz = value,
                _ => {}
            }
        }
        if rela_entry != RELA_SIZE {
            return Err(Error::BadField {
                what: "DT_RELAENT",
                offset: header.p_offset,
                value: rela_entry,
                why: "an Elf64_Rela has 24 bytes",
            });
        }
        Ok(found)
    }

    /// The dynamic symbol table as a loader finds it; in a relocatable object, the section table's.
    pub(crate) fn symbol_table(&self) -> Result<SymbolTable<'a>, Error> {
        match (self.dynamic.symtab, self.dynamic.strtab) {
            (Some(symtab), Some(strtab)) => {
                let offset = self.file_offset("dynamic symbol table", symtab, 0)?;
                let names = self.file_offset("dynamic string table", strtab, self.dynamic.strsz)?;
                let count = self.dynamic_symbol_count(offset)?;
                SymbolTable::new(self.data, (offset, count), (names, self.dynamic.strsz))
            }
            _ => {
                let tables = [section_header::SHT_DYNSYM, section_header::SHT_SYMTAB];
                let table = tables.iter().find_map(|&kind| self.section_of_kind(kind));
                Ok(table.map(|table| self.symbols_of(table)).transpose()?.unwrap_or_default())
            }
        }
    }

    /// The symbol table of the linker.
    pub(crate) fn static_symbol_table(&self) -> Result<Option<SymbolTable<'a>>, Error> {
        self.section_of_kind(section_header::SHT_SYMTAB).map(|table| self.symbols_of(table)).transpose()
    }

    fn section_of_kind(&self, kind: u32) -> Option<&SectionHeader> {
        self.sections.iter().find(|section| section.sh_type == kind)
    }

    /// The symbols that lie in a section, with the names that it links to.
    pub(crate) fn symbols_of(&self, table: &SectionHeader) -> Result<SymbolTable<'a>, Error> {
        let names = self.sections.get(table.sh_link as usize).ok_or(Error::BadField {
            what: "string table of the symbol table",
            offset: table.sh_offset,
            value: table.sh_link.into(),
            why: "no such section",
        })?;
        let symbols = (table.sh_offset, table.sh_size / SYMBOL_SIZE);
        SymbolTable::new(self.data, symbols, (names.sh_offset, names.sh_size))
    }

    /// Number of dynamic symbols: nothing says it directly, so from the section header, DT_HASH, or DT_GNU_HASH.
    fn dynamic_symbol_count(&self, symtab_offset: u64) -> Result<u64, Error> {
        let section = self.sections.iter().find(|section| {
            section.sh_type == section_header::SHT_DYNSYM && section.sh_offset == symtab_offset
        });
        if let Some(section) = section {
            return Ok(section.sh_size / SYMBOL_SIZE);
        }
        if let Some(hash) = self.dynamic.hash {
            let table = self.read("hash table", hash, 8)?;
            return Ok(u32_at(table, "hash table", 4)?.into());
        }
        match self.dynamic.gnu_hash {
            Some(hash) => self.gnu_hash_symbol_count(hash),
            None => Ok(0),
        }
    }

    /// The last symbol of the last chain of a GNU hash table, plus one.
    fn gnu_hash_symbol_count(&self, address: u64) -> Result<u64, Error> {
        let layout = gnu_hash_layout(self, address)?;
        let mut last = 0;
        for bucket in 0..layout.buckets {
            last = last.max(gnu_hash_word(self, address, layout.buckets_at + bucket * 4)?);
        }
        if last < layout.first {
            return Ok(layout.first);
        }
        while gnu_hash_word(self, address, layout.chains_at + (last - layout.first) * 4)? & 1 == 0 {
            last += 1;
        }
        Ok(last + 1)
    }
}

/// The head of a GNU hash table, and where its parts start, counted from the table's address.
pub(crate) struct GnuHash {
    pub(crate) buckets: u64,
    /// Index of the first symbol that is hashed.
    pub(crate) first: u64,
    /// Words of 64 bits in the Bloom filter.
    pub(crate) bloom: u64,
    pub(crate) bloom_shift: u32,
    pub(crate) buckets_at: u64,
    pub(crate) chains_at: u64,
}

pub(crate) fn gnu_hash_layout(object: &CodeObject<'_>, address: u64) -> Result<GnuHash, Error> {
    let word = |at| gnu_hash_word(object, address, at);
    let (buckets, first, bloom, shift) = (word(0)?, word(4)?, word(8)?, word(12)?);
    // Sums of 32-bit numbers in 64 bits.
    let buckets_at = 16 + bloom * 8;
    let chains_at = buckets_at + buckets * 4;
    Ok(GnuHash { buckets, first, bloom, bloom_shift: shift as u32, buckets_at, chains_at })
}

fn gnu_hash_word(object: &CodeObject<'_>, address: u64, at: u64) -> Result<u64, Error> {
    const WHAT: &str = "GNU hash table";
    let at = address.checked_add(at).ok_or(Error::NotMapped { what: WHAT, vaddr: address, size: at })?;
    Ok(u32_at(object.read(WHAT, at, 4)?, WHAT, 0)?.into())
}
