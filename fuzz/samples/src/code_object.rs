//! A small code object, laid out as lld does it: headers, note, tables and constants in a segment that is only read,
//! then code, then the dynamic section. Answers to "ELF Code Object" of LLVM's AMDGPU guide and to the gABI.

use crate::Packing;

const HEADER: usize = 0x40;
const PROGRAM: usize = 56;
const SYMBOL: usize = 24;
/// Each segment starts a page further in memory than in the file.
const PAGE: u64 = 0x1000;

/// A kernel: code and descriptor.
#[derive(Debug, Clone)]
pub struct Kernel {
    /// Its name; the descriptor's symbol is `<name>.kd`.
    pub name: String,
    /// The 64 bytes of its descriptor. The entry offset is filled in when the object is built.
    pub descriptor: [u8; 64],
}

/// A dynamic relocation.
#[derive(Debug, Clone, Copy)]
pub struct Relocation {
    /// Offset in the writable data.
    pub at: u64,
    /// `R_AMDGPU_*`.
    pub kind: u32,
    /// Index of the symbol.
    pub symbol: u32,
    /// Addend.
    pub addend: i64,
}

/// What a code object is made of.
#[derive(Debug, Clone)]
pub struct CodeObject {
    /// Code object version, 2 to 6.
    pub version: u8,
    /// `e_flags`.
    pub flags: u32,
    /// The kernels.
    pub kernels: Vec<Kernel>,
    /// Names of variables (eight bytes each) in the writable data.
    pub variables: Vec<String>,
    /// Names of symbols that are defined elsewhere.
    pub externals: Vec<String>,
    /// Content of the metadata note.
    pub metadata: Vec<u8>,
    /// The relocations.
    pub relocations: Vec<Relocation>,
    /// With `DT_HASH`.
    pub hash: bool,
    /// With `DT_GNU_HASH`.
    pub gnu_hash: bool,
    /// With a section table.
    pub sections: bool,
    /// Further sections that are not loaded, such as `.debug_line`.
    pub debug: Vec<(String, Vec<u8>)>,
    /// How those are compressed.
    pub debug_packing: Option<Packing>,
}

/// A descriptor with these words in it: `compute_pgm_rsrc1`, `2` and `3`, and the code properties.
pub fn descriptor(rsrc1: u32, rsrc2: u32, rsrc3: u32, properties: u16) -> [u8; 64] {
    let mut bytes = [0; 64];
    bytes[0..4].copy_from_slice(&1024u32.to_le_bytes());
    bytes[4..8].copy_from_slice(&16u32.to_le_bytes());
    bytes[8..12].copy_from_slice(&272u32.to_le_bytes());
    bytes[44..48].copy_from_slice(&rsrc3.to_le_bytes());
    bytes[48..52].copy_from_slice(&rsrc1.to_le_bytes());
    bytes[52..56].copy_from_slice(&rsrc2.to_le_bytes());
    bytes[56..58].copy_from_slice(&properties.to_le_bytes());
    bytes
}

impl CodeObject {
    /// A code object of a version with kernels of these names, for the processor and features that `flags` spell.
    pub fn new(version: u8, flags: u32, target: &str, kernels: &[&str]) -> CodeObject {
        let minor = u32::from(version).saturating_sub(3).min(2);
        let triple = format!("amdgcn-amd-amdhsa--{target}");
        // 16 VGPRs in either granule, 32 SGPRs, kernel argument pointer, work-group ID x, work-item ID x.
        let words = descriptor(0x00af_0081, 0x0000_0084, 0x0000_0003, 0x0008);
        let kernel = |name: &&str| Kernel { name: (*name).to_owned(), descriptor: words };
        CodeObject {
            version,
            flags,
            kernels: kernels.iter().map(kernel).collect(),
            variables: vec!["counter".to_owned(), "table".to_owned()],
            externals: Vec::new(),
            metadata: super::metadata(minor, &triple, kernels),
            relocations: vec![Relocation { at: 8, kind: 13, symbol: 0, addend: 0x1900 }],
            hash: true,
            gnu_hash: true,
            sections: true,
            debug: Vec::new(),
            debug_packing: None,
        }
    }

    /// With debug information for the code of the first kernel.
    pub fn with_lines(mut self) -> CodeObject {
        // Where the code stands does not depend on what follows it.
        let laid_out = self.build();
        let address = crate::u64_at(&laid_out, crate::section(&laid_out, ".text") + 0x10);
        self.debug = crate::dwarf(address, 16);
        self
    }

    /// Lays it out.
    pub fn build(&self) -> Vec<u8> {
        let mut names = Names(vec![0]);
        let mut list: Vec<(String, Symbol)> = Vec::new();
        for (index, kernel) in self.kernels.iter().enumerate() {
            let index = index as u64;
            let place =
                |base, step, size, kind, section| Symbol { base, offset: index * step, size, kind, section };
            list.push((format!("{}.kd", kernel.name), place(Base::Rodata, 64, 64, 0x11, 6)));
            list.push((kernel.name.clone(), place(Base::Text, 256, 4, 0x12, 7)));
        }
        for (index, name) in self.variables.iter().enumerate() {
            let symbol =
                Symbol { base: Base::Data, offset: index as u64 * 8, size: 8, kind: 0x11, section: 8 };
            list.push((name.clone(), symbol));
        }
        // Those that are defined elsewhere come first, and a GNU hash table leaves them out.
        let external = Symbol { base: Base::Nowhere, offset: 0, size: 0, kind: 0x10, section: 0 };
        let undefined: Vec<_> = self.externals.iter().map(|name| (name.clone(), external)).collect();
        let buckets = (list.len() as u32 / 4).max(1);
        list.sort_by_key(|(name, _)| gnu(name) % buckets);
        let first = undefined.len() + 1;
        let symbols: Vec<_> = undefined.into_iter().chain(list).collect();
        let indices: Vec<u32> = symbols.iter().map(|(name, _)| names.add(name)).collect();

        let mut programs = vec![PT_PHDR, PT_LOAD, PT_LOAD, PT_LOAD, PT_DYNAMIC, PT_NOTE, PT_GNU_STACK];
        if self.version < 3 {
            programs.retain(|&kind| kind != PT_PHDR);
        }
        let mut file = vec![0; HEADER + programs.len() * PROGRAM];
        let mut part = |bytes: &[u8], align: usize| {
            file.resize(file.len().next_multiple_of(align), 0);
            let at = file.len() as u64;
            file.extend_from_slice(bytes);
            (at, bytes.len() as u64)
        };
        let note = part(&self.note(), 4);
        let symtab = part(&vec![0; (symbols.len() + 1) * SYMBOL], 8);
        let gnu_hash = part(&if self.gnu_hash { gnu_table(&symbols, first, buckets) } else { Vec::new() }, 8);
        let hash = part(&if self.hash { sysv_table(&symbols) } else { Vec::new() }, 4);
        let strtab = part(&names.0, 1);
        let rela = part(&vec![0; self.relocations.len() * 24], 8);
        let rodata = part(&vec![0; self.kernels.len() * 64], 64);
        let read_only = (0, rodata.0 + rodata.1);
        let text = part(&code(self.kernels.len()), 256);
        let data = part(&vec![0; self.variables.len().max(2) * 8], 16);
        let text_vaddr = text.0 + PAGE;
        let data_vaddr = data.0 + 2 * PAGE;
        let entries: Vec<(u64, u64)> = [
            (7, rela.0, !self.relocations.is_empty()),
            (8, rela.1, !self.relocations.is_empty()),
            (9, 24, !self.relocations.is_empty()),
            (6, symtab.0, true),
            (11, SYMBOL as u64, true),
            (5, strtab.0, true),
            (10, strtab.1, true),
            (0x6fff_fef5, gnu_hash.0, self.gnu_hash),
            (4, hash.0, self.hash),
            (0, 0, true),
        ]
        .into_iter()
        .filter_map(|(tag, value, present)| present.then_some((tag, value)))
        .collect();
        let entries: Vec<u8> = entries
            .iter()
            .flat_map(|(tag, value)| [tag.to_le_bytes(), value.to_le_bytes()])
            .flatten()
            .collect();
        let dynamic = part(&entries, 16);
        let writable = (data.0, dynamic.0 + dynamic.1 - data.0);

        for (index, (_, symbol)) in symbols.iter().enumerate() {
            let base = match symbol.base {
                Base::Nowhere => 0,
                Base::Rodata => rodata.0,
                Base::Text => text_vaddr,
                Base::Data => data_vaddr,
            };
            let at = symtab.0 as usize + (index + 1) * SYMBOL;
            put(&mut file, at, &indices[index].to_le_bytes());
            // The symbols of kernels and variables are protected, as HIP's are.
            put(&mut file, at + 4, &[symbol.kind, if symbol.section == 0 { 0 } else { 3 }]);
            put(&mut file, at + 6, &symbol.section.to_le_bytes());
            put(&mut file, at + 8, &(base + symbol.offset).to_le_bytes());
            put(&mut file, at + 16, &symbol.size.to_le_bytes());
        }
        for (index, relocation) in self.relocations.iter().enumerate() {
            let at = rela.0 as usize + index * 24;
            put(&mut file, at, &(data_vaddr + relocation.at).to_le_bytes());
            put(&mut file, at + 8, &relocation.kind.to_le_bytes());
            put(&mut file, at + 12, &relocation.symbol.to_le_bytes());
            put(&mut file, at + 16, &relocation.addend.to_le_bytes());
        }
        for (index, kernel) in self.kernels.iter().enumerate() {
            let at = rodata.0 as usize + index * 64;
            let entry = text_vaddr + index as u64 * 256 - at as u64;
            put(&mut file, at, &kernel.descriptor);
            put(&mut file, at + 16, &entry.to_le_bytes());
        }
        let headers = (HEADER as u64, (programs.len() * PROGRAM) as u64);
        let mut loads = 0;
        for (index, &kind) in programs.iter().enumerate() {
            let ((offset, size), vaddr, flags, align) = match kind {
                PT_PHDR => (headers, headers.0, 4u32, 8),
                PT_LOAD => {
                    loads += 1;
                    match loads {
                        1 => (read_only, 0, 4, PAGE),
                        2 => (text, text_vaddr, 5, PAGE),
                        _ => (writable, data_vaddr, 6, PAGE),
                    }
                }
                PT_DYNAMIC => (dynamic, dynamic.0 + 2 * PAGE, 6, 8),
                PT_NOTE => (note, note.0, 4, 4),
                _ => ((0, 0), 0, 6, 0),
            };
            let at = HEADER + index * PROGRAM;
            put(&mut file, at, &kind.to_le_bytes());
            put(&mut file, at + 4, &flags.to_le_bytes());
            for (field, value) in [offset, vaddr, vaddr, size, size, align].into_iter().enumerate() {
                put(&mut file, at + 8 + field * 8, &value.to_le_bytes());
            }
        }
        let mut sections = vec![
            Section::new(".note", 7, 2, 0, note, 0, 4),
            Section::new(".dynsym", 11, 2, 0, symtab, SYMBOL as u64, 8),
            Section::new(".gnu.hash", 0x6fff_fff6, 2, 0, gnu_hash, 0, 8),
            Section::new(".hash", 5, 2, 0, hash, 4, 4),
            Section::new(".dynstr", 3, 2, 0, strtab, 0, 1),
            Section::new(".rodata", 1, 2, 0, rodata, 0, 64),
            Section::new(".text", 1, 6, PAGE, text, 0, 256),
            Section::new(".data", 1, 3, 2 * PAGE, data, 0, 16),
            Section::new(".dynamic", 6, 3, 2 * PAGE, dynamic, 16, 16),
            Section::new(".rela.dyn", 4, 2, 0, rela, 24, 8),
        ];
        for (name, link) in
            [(".dynsym", 5), (".gnu.hash", 2), (".hash", 2), (".dynamic", 5), (".rela.dyn", 2)]
        {
            if let Some(section) = sections.iter_mut().find(|section| section.name == name) {
                section.link = link;
            }
        }
        for (name, bytes) in &self.debug {
            let at = file.len();
            let flags = self.debug_packing.map_or(0, |_| 0x800);
            match self.debug_packing {
                None => file.extend(bytes),
                Some(packing) => {
                    // Elf64_Chdr: type, nothing, size, alignment.
                    file.extend(if packing == Packing::Zlib { 1u64 } else { 2 }.to_le_bytes());
                    file.extend((bytes.len() as u64).to_le_bytes());
                    file.extend(1u64.to_le_bytes());
                    file.extend(crate::pack(packing, bytes));
                }
            }
            let place = (at as u64, (file.len() - at) as u64);
            sections.push(Section::new(name, 1, flags, 0, place, 0, 1));
        }
        let table = if self.sections { Some(section_table(&mut file, sections)) } else { None };
        self.header(&mut file, programs.len() as u16, table);
        file
    }

    fn note(&self) -> Vec<u8> {
        let (owner, kind): (&[u8], u32) = if self.version < 3 { (b"AMD\0", 10) } else { (b"AMDGPU\0", 32) };
        let mut note = Vec::new();
        note.extend((owner.len() as u32).to_le_bytes());
        note.extend((self.metadata.len() as u32).to_le_bytes());
        note.extend(kind.to_le_bytes());
        note.extend(owner);
        note.resize(note.len().next_multiple_of(4), 0);
        note.extend(&self.metadata);
        note.resize(note.len().next_multiple_of(4), 0);
        note
    }

    fn header(&self, file: &mut [u8], programs: u16, table: Option<(u64, u16)>) {
        let (sections, count) = table.unwrap_or((0, 0));
        put(file, 0, b"\x7fELF\x02\x01\x01\x40");
        put(file, 8, &[self.version - 2]);
        put(file, 0x10, &3u16.to_le_bytes());
        put(file, 0x12, &224u16.to_le_bytes());
        put(file, 0x14, &1u32.to_le_bytes());
        put(file, 0x20, &(HEADER as u64).to_le_bytes());
        put(file, 0x28, &sections.to_le_bytes());
        put(file, 0x30, &self.flags.to_le_bytes());
        for (at, value) in
            [(0x34, HEADER as u16), (0x36, PROGRAM as u16), (0x38, programs), (0x3a, 64), (0x3c, count)]
        {
            put(file, at, &value.to_le_bytes());
        }
        put(file, 0x3e, &count.saturating_sub(1).to_le_bytes());
    }
}

const PT_LOAD: u32 = 1;
const PT_DYNAMIC: u32 = 2;
const PT_NOTE: u32 = 4;
const PT_PHDR: u32 = 6;
const PT_GNU_STACK: u32 = 0x6474_e551;

/// What a symbol's value counts from.
#[derive(Debug, Clone, Copy)]
enum Base {
    Nowhere,
    Rodata,
    Text,
    Data,
}

#[derive(Debug, Clone, Copy)]
struct Symbol {
    base: Base,
    offset: u64,
    size: u64,
    /// Binding and type.
    kind: u8,
    section: u16,
}

/// A string table.
struct Names(Vec<u8>);

impl Names {
    fn add(&mut self, name: &str) -> u32 {
        let at = self.0.len() as u32;
        self.0.extend(name.as_bytes());
        self.0.push(0);
        at
    }
}

struct Section {
    name: String,
    kind: u32,
    flags: u64,
    vaddr: u64,
    place: (u64, u64),
    link: u32,
    entry: u64,
    align: u64,
}

impl Section {
    fn new(
        name: &str,
        kind: u32,
        flags: u64,
        delta: u64,
        place: (u64, u64),
        entry: u64,
        align: u64,
    ) -> Section {
        let vaddr = if flags & 2 != 0 { place.0 + delta } else { 0 };
        Section { name: name.to_owned(), kind, flags, vaddr, place, link: 0, entry, align }
    }
}

fn put(file: &mut [u8], at: usize, bytes: &[u8]) {
    file[at..at + bytes.len()].copy_from_slice(bytes);
}

/// `s_endpgm` at each kernel's place.
fn code(kernels: usize) -> Vec<u8> {
    let mut text = Vec::new();
    for _ in 0..kernels.max(1) {
        text.resize(text.len().next_multiple_of(256), 0);
        text.extend(0xbf81_0000u32.to_le_bytes());
    }
    text
}

/// Appends the section table and its names: where it is, how many sections.
fn section_table(file: &mut Vec<u8>, mut sections: Vec<Section>) -> (u64, u16) {
    let mut names = Names(vec![0]);
    sections.push(Section::new(".shstrtab", 3, 0, 0, (0, 0), 0, 1));
    let indices: Vec<u32> = sections.iter().map(|section| names.add(&section.name)).collect();
    if let Some(last) = sections.last_mut() {
        last.place = (file.len() as u64, names.0.len() as u64);
    }
    file.extend(&names.0);
    file.resize(file.len().next_multiple_of(8), 0);
    let at = file.len() as u64;
    file.resize(file.len() + 64, 0);
    for (section, name) in sections.iter().zip(indices) {
        file.extend(name.to_le_bytes());
        file.extend(section.kind.to_le_bytes());
        for word in [section.flags, section.vaddr, section.place.0, section.place.1] {
            file.extend(word.to_le_bytes());
        }
        file.extend(section.link.to_le_bytes());
        file.extend(0u32.to_le_bytes());
        file.extend(section.align.to_le_bytes());
        file.extend(section.entry.to_le_bytes());
    }
    (at, sections.len() as u16 + 1)
}

fn gnu(name: &str) -> u32 {
    name.bytes().fold(5381u32, |hash, byte| hash.wrapping_mul(33).wrapping_add(byte.into()))
}

fn sysv(name: &str) -> u32 {
    name.bytes().fold(0u32, |hash, byte| {
        let hash = (hash << 4).wrapping_add(byte.into());
        let high = hash & 0xf000_0000;
        (hash ^ (high >> 24)) & !high
    })
}

/// `DT_GNU_HASH`: the symbols from `first` on stand in the order of their buckets.
fn gnu_table(symbols: &[(String, Symbol)], first: usize, buckets: u32) -> Vec<u8> {
    let hashes: Vec<u32> = symbols[first - 1..].iter().map(|(name, _)| gnu(name)).collect();
    let words = (hashes.len() / 8).max(1).next_power_of_two();
    let shift = 26;
    let mut bloom = vec![0u64; words];
    for hash in &hashes {
        let word = (hash / 64) as usize & (words - 1);
        bloom[word] |= 1 << (hash % 64) | 1 << ((hash >> shift) % 64);
    }
    let mut table = Vec::new();
    for word in [buckets, first as u32, words as u32, shift] {
        table.extend(word.to_le_bytes());
    }
    bloom.iter().for_each(|word| table.extend(word.to_le_bytes()));
    for bucket in 0..buckets {
        let start = hashes.iter().position(|hash| hash % buckets == bucket);
        table.extend(start.map_or(0, |start| (first + start) as u32).to_le_bytes());
    }
    for (index, hash) in hashes.iter().enumerate() {
        let is_last = hashes.get(index + 1).is_none_or(|next| next % buckets != hash % buckets);
        table.extend((hash & !1 | u32::from(is_last)).to_le_bytes());
    }
    table
}

/// `DT_HASH`.
fn sysv_table(symbols: &[(String, Symbol)]) -> Vec<u8> {
    let count = symbols.len() + 1;
    let buckets = count.div_ceil(2);
    let (mut heads, mut chains) = (vec![0u32; buckets], vec![0u32; count]);
    for (index, (name, _)) in symbols.iter().enumerate() {
        let bucket = sysv(name) as usize % buckets;
        chains[index + 1] = heads[bucket];
        heads[bucket] = index as u32 + 1;
    }
    [buckets as u32, count as u32]
        .iter()
        .chain(&heads)
        .chain(&chains)
        .flat_map(|word| word.to_le_bytes())
        .collect()
}
