//! Symbols looked up: by index, by name through the hash tables, by address. Answers to the gABI chapter "Hash Table"
//! and to the description of `DT_GNU_HASH` in the GNU linker.

use alloc::borrow::ToOwned;

use crate::bytes::{slice, u32_at, u64_at};
use crate::dynamic::gnu_hash_layout;
use crate::symbol::SymbolTable;
use crate::{CodeObject, Error, KernelDescriptor, ObjectKind, Symbol, SymbolKind, Symbols};

impl<'a> CodeObject<'a> {
    /// The dynamic symbols, which are what the loader sees (those of a relocatable object: all symbols).
    pub fn symbols(&self) -> Result<Symbols<'a>, Error> {
        let table = self.symbol_table()?;
        Ok(Symbols { table, next: 1 })
    }

    /// All symbols, local ones and sections included: those of `.symtab`, or the dynamic ones where it has been stripped.
    pub fn all_symbols(&self) -> Result<Symbols<'a>, Error> {
        let table = self.static_symbol_table()?.map_or_else(|| self.symbol_table(), Ok)?;
        Ok(Symbols { table, next: 1 })
    }

    /// The dynamic symbol that a dynamic relocation names.
    pub fn symbol_by_index(&self, index: u32) -> Result<Symbol<'a>, Error> {
        self.symbol_table()?.get(index as usize)
    }

    /// The dynamic symbol of this name, through a hash table if there is one.
    pub fn symbol(&self, name: &str) -> Result<Symbol<'a>, Error> {
        let table = self.symbol_table()?;
        let found = match (self.dynamic.hash, self.dynamic.gnu_hash) {
            (Some(hash), _) => self.by_hash(&table, hash, name)?,
            (None, Some(hash)) => self.by_gnu_hash(&table, hash, name)?,
            (None, None) => table.find(name, 1..table.count)?,
        };
        found.ok_or_else(|| Error::NoSuchSymbol { name: name.to_owned() })
    }

    /// `DT_HASH`: numbers of buckets and chain links, the buckets, the links.
    fn by_hash(
        &self,
        table: &SymbolTable<'a>,
        address: u64,
        name: &str,
    ) -> Result<Option<Symbol<'a>>, Error> {
        const WHAT: &str = "hash table";
        let head = self.read(WHAT, address, 8)?;
        let (buckets, links) = (u64::from(u32_at(head, WHAT, 0)?), u64::from(u32_at(head, WHAT, 4)?));
        if buckets == 0 {
            return Ok(None);
        }
        let words = self.read(WHAT, address, (2 + buckets + links) * 4)?;
        let bucket = u64::from(sysv_hash(name.as_bytes())) % buckets;
        let mut index = u32_at(words, WHAT, (2 + bucket) * 4)?;
        // A chain that is longer than there are links goes round in a circle.
        for _ in 0..links {
            if index == 0 {
                return Ok(None);
            }
            if table.is_named(index as usize, name)? {
                return table.get(index as usize).map(Some);
            }
            index = u32_at(words, WHAT, (2 + buckets + u64::from(index)) * 4)?;
        }
        Ok(None)
    }

    /// `DT_GNU_HASH`: a Bloom filter, buckets with the first symbol of each, and the symbols' hashes in their order, the
    /// last of a bucket marked by bit 0. Undefined symbols stand before the first that is hashed.
    fn by_gnu_hash(
        &self,
        table: &SymbolTable<'a>,
        address: u64,
        name: &str,
    ) -> Result<Option<Symbol<'a>>, Error> {
        const WHAT: &str = "GNU hash table";
        let layout = gnu_hash_layout(self, address)?;
        let before = 1..(layout.first as usize).min(table.count);
        if layout.buckets == 0 || layout.bloom == 0 {
            return table.find(name, before);
        }
        let head = self.read(WHAT, address, layout.chains_at)?;
        let hash = gnu_hash(name.as_bytes());
        let filter = u64_at(head, WHAT, 16 + (u64::from(hash) / 64 % layout.bloom) * 8)?;
        let second = hash.checked_shr(layout.bloom_shift).unwrap_or(0);
        if filter >> (hash % 64) & filter >> (second % 64) & 1 == 0 {
            return table.find(name, before);
        }
        let mut index =
            u64::from(u32_at(head, WHAT, layout.buckets_at + u64::from(hash) % layout.buckets * 4)?);
        while index >= layout.first && index < table.count as u64 {
            let at = address.saturating_add(layout.chains_at + (index - layout.first) * 4);
            let link = u32_at(self.read(WHAT, at, 4)?, WHAT, 0)?;
            if link | 1 == hash | 1 && table.is_named(index as usize, name)? {
                return table.get(index as usize).map(Some);
            }
            if link & 1 != 0 {
                break;
            }
            index += 1;
        }
        table.find(name, before)
    }

    /// The function or variable at a virtual address: the smallest whose bytes hold it, or else the last symbol without
    /// a size (as hand-written assembly has them) before it in the same segment.
    pub fn symbol_at(&self, address: u64) -> Result<Option<Symbol<'a>>, Error> {
        let segment = match self.segment_at(address) {
            Some(segment) => segment.vaddr,
            // Nothing of an object that is not linked is in a segment.
            None if self.segments().is_empty() => 0,
            None => return Ok(None),
        };
        let (mut inside, mut before): (Option<Symbol<'a>>, Option<Symbol<'a>>) = (None, None);
        for symbol in self.all_symbols()? {
            let symbol = symbol?;
            let named = !matches!(symbol.kind, SymbolKind::SECTION | SymbolKind::FILE);
            if !named || !symbol.is_defined() || symbol.value > address || symbol.value < segment {
                continue;
            }
            if address - symbol.value < symbol.size {
                if inside.is_none_or(|best| symbol.size < best.size) {
                    inside = Some(symbol);
                }
            } else if symbol.size == 0 && before.is_none_or(|best| symbol.value >= best.value) {
                before = Some(symbol);
            }
        }
        Ok(inside.or(before))
    }

    /// The kernel whose code is at a virtual address, by the symbol of its descriptor ([`Symbol::kernel_name`]). `None`
    /// inside functions that kernels call.
    pub fn kernel_at(&self, address: u64) -> Result<Option<Symbol<'a>>, Error> {
        let mut found: Option<(u64, Symbol<'a>)> = None;
        for symbol in self.all_symbols()? {
            let symbol = symbol?;
            let entry = match symbol.kind {
                SymbolKind::AMDGPU_HSA_KERNEL => Some(symbol.value),
                _ if symbol.kernel_name().is_some() => self.kernel_descriptor(&symbol)?.entry(symbol.value),
                _ => None,
            };
            if let Some(entry) = entry.filter(|&entry| entry <= address)
                && found.is_none_or(|(best, _)| best < entry)
            {
                found = Some((entry, symbol));
            }
        }
        let same_segment = |entry| match (self.segment_at(address), self.segment_at(entry)) {
            (Some(a), Some(b)) => a.vaddr == b.vaddr,
            _ => false,
        };
        let Some((entry, kernel)) = found.filter(|&(entry, _)| same_segment(entry)) else { return Ok(None) };
        let function = self.symbol_at(address)?;
        Ok(function.is_none_or(|function| function.size == 0 || function.value == entry).then_some(kernel))
    }

    /// `size` bytes of what a symbol stands for, with their file offset.
    pub(crate) fn symbol_bytes(
        &self,
        what: &'static str,
        symbol: &Symbol<'_>,
        size: u64,
    ) -> Result<(&'a [u8], u64), Error> {
        if self.kind() == ObjectKind::RELOCATABLE {
            // Its symbols have no addresses, but places in their sections.
            let section = self.section_by_index(symbol.section.into())?;
            let bytes = slice(section.data, what, symbol.value, size)?;
            return Ok((bytes, section.offset.saturating_add(symbol.value)));
        }
        Ok((self.read(what, symbol.value, size)?, self.file_offset(what, symbol.value, size)?))
    }

    /// The descriptor that a `.kd` symbol points at. In a relocatable object its entry offset is still open.
    pub fn kernel_descriptor(&self, symbol: &Symbol<'_>) -> Result<KernelDescriptor, Error> {
        let (bytes, offset) =
            self.symbol_bytes("kernel descriptor", symbol, KernelDescriptor::SIZE as u64)?;
        KernelDescriptor::parse_at(bytes, offset)
    }
}

/// The hash function of `DT_HASH`.
fn sysv_hash(name: &[u8]) -> u32 {
    name.iter().fold(0, |hash: u32, &byte| {
        let hash = (hash << 4).wrapping_add(byte.into());
        let high = hash & 0xf000_0000;
        (hash ^ high >> 24) & !high
    })
}

/// The hash function of `DT_GNU_HASH`.
fn gnu_hash(name: &[u8]) -> u32 {
    name.iter().fold(5381, |hash: u32, &byte| hash.wrapping_mul(33).wrapping_add(byte.into()))
}
