//! A code object: an ELF file for an AMD GPU, opened. Answers to "ELF Code Object" of LLVM's AMDGPU guide.

use goblin::container::{Container, Ctx, Endian};
use goblin::elf::program_header::ProgramHeader;
use goblin::elf::reloc::RelocSection;
use goblin::elf::section_header::SectionHeader;
use goblin::elf::sym::Symtab;
use goblin::elf::{Elf, Header, dynamic, program_header, section_header};

use crate::bytes::{slice, u32_at, u64_at};
use crate::relocation::RELA_SIZE;
use crate::symbol::{SYMBOL_SIZE, SymbolTable};
use crate::{
    Error, Feature, Isa, KernelDescriptor, Mach, Metadata, Note, Notes, Relocations, Segment, SegmentFlags,
    Symbol, Symbols, TargetId, note,
};

const CTX: Ctx = Ctx { container: Container::Big, le: Endian::Little };
const EM_AMDGPU: u16 = 224;
const ELFOSABI_AMDGPU_HSA: u8 = 64;
const HEADER_SIZE: u64 = 64;
const PROGRAM_HEADER_SIZE: u64 = 56;
const SECTION_HEADER_SIZE: u64 = 64;
/// More address space than any GPU has: a plan beyond it is nonsense.
const MAX_LOAD_SIZE: u64 = 1 << 47;

/// `e_type`: linked or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ObjectKind(pub u16);

impl ObjectKind {
    /// Not linked: cannot be loaded.
    pub const RELOCATABLE: ObjectKind = ObjectKind(1);
    /// Linked as an executable (code objects v2, and v1 before).
    pub const EXECUTABLE: ObjectKind = ObjectKind(2);
    /// Linked: what the loader takes.
    pub const SHARED: ObjectKind = ObjectKind(3);
}

/// A code object in memory. Headers, segments and sections are checked when it is parsed; the rest is read when asked.
#[derive(Debug, Clone)]
pub struct CodeObject<'a> {
    data: &'a [u8],
    header: Header,
    segments: Vec<Segment<'a>>,
    programs: Vec<ProgramHeader>,
    sections: Vec<SectionHeader>,
    dynamic: Dynamic,
}

/// The entries of the dynamic section that matter, as virtual addresses and sizes.
#[derive(Debug, Clone, Default)]
struct Dynamic {
    symtab: Option<u64>,
    strtab: Option<u64>,
    strsz: u64,
    hash: Option<u64>,
    gnu_hash: Option<u64>,
    rela: Option<u64>,
    relasz: u64,
    jmprel: Option<u64>,
    pltrelsz: u64,
}

impl<'a> CodeObject<'a> {
    /// Opens a code object. The data may be longer than the file: see [`CodeObject::file_size`].
    pub fn parse(data: &'a [u8]) -> Result<CodeObject<'a>, Error> {
        let ident = slice(data, "ELF identification", 0, 16).or_else(|error| match data.get(..4) {
            Some(magic) if magic != b"\x7fELF" => Ok(magic),
            _ => Err(error),
        })?;
        if ident[..4] != *b"\x7fELF" {
            return Err(Error::NotElf { found: [ident[0], ident[1], ident[2], ident[3]] });
        }
        let expect = |what, offset, found: u64, expected: u64| match found == expected {
            true => Ok(()),
            false => Err(Error::NotAmdGpu { what, offset, found, expected }),
        };
        expect("ELF class", 4, ident[4].into(), 2)?;
        expect("ELF byte order", 5, ident[5].into(), 1)?;
        slice(data, "ELF header", 0, HEADER_SIZE)?;
        let header = Elf::parse_header(data).map_err(|e| elf_error("ELF header", 0, &e))?;
        expect("machine", 0x12, header.e_machine.into(), EM_AMDGPU.into())?;
        expect("OS ABI", 7, ident[7].into(), ELFOSABI_AMDGPU_HSA.into())?;
        if ident[8] > 4 {
            return Err(Error::UnknownVersion { abi_version: ident[8] });
        }
        let programs = program_headers(data, &header)?;
        let sections = section_headers(data, &header)?;
        let segments = load_segments(data, &header, &programs)?;
        let mut object =
            CodeObject { data, header, segments, programs, sections, dynamic: Dynamic::default() };
        object.dynamic = object.read_dynamic()?;
        Ok(object)
    }

    /// The bytes it was parsed from.
    pub fn data(&self) -> &'a [u8] {
        self.data
    }

    /// Code object version, 2 to 6.
    pub fn version(&self) -> u8 {
        self.header.e_ident[8] + 2
    }

    /// Linked or relocatable.
    pub fn kind(&self) -> ObjectKind {
        ObjectKind(self.header.e_type)
    }

    /// `e_flags` as they stand.
    pub fn flags(&self) -> u32 {
        self.header.e_flags
    }

    /// The processor's number.
    pub fn mach(&self) -> Mach {
        Mach((self.header.e_flags & 0xff) as u8)
    }

    /// The processor's row.
    pub fn isa(&self) -> Result<&'static Isa, Error> {
        Isa::by_mach(self.mach()).ok_or(Error::UnknownMachine { mach: self.mach().0 })
    }

    /// Version of a generic target's code (v6); 0 for others.
    pub fn generic_version(&self) -> u8 {
        if self.version() >= 6 { (self.header.e_flags >> 24) as u8 } else { 0 }
    }

    /// The target ID that `e_flags` spell.
    pub fn target_id(&self) -> Result<TargetId, Error> {
        let isa = self.isa()?;
        let flags = self.header.e_flags;
        let set = |supported, bit: u32| match (supported, flags & bit != 0) {
            (_, true) => Feature::On,
            (true, false) => Feature::Off,
            (false, false) => Feature::Unsupported,
        };
        let field = |shift: u32| match (flags >> shift) & 3 {
            0 => Feature::Unsupported,
            1 => Feature::Any,
            2 => Feature::Off,
            _ => Feature::On,
        };
        let (sramecc, xnack) = match self.version() {
            2 => (Feature::Unsupported, set(isa.supports_xnack, 0x1)),
            3 => (set(isa.supports_sramecc, 0x200), set(isa.supports_xnack, 0x100)),
            _ => (field(10), field(8)),
        };
        Ok(TargetId { processor: isa.name.to_owned(), sramecc, xnack })
    }

    /// Bytes of the ELF file itself, from its headers: for code objects in memory whose length nobody told.
    pub fn file_size(&self) -> u64 {
        let table = |offset: u64, count: usize, size: u64| match count {
            0 => 0,
            _ => offset.saturating_add((count as u64).saturating_mul(size)),
        };
        let sections = self.sections.iter().filter(|s| s.sh_type != section_header::SHT_NOBITS);
        let ends = sections.map(|s| s.sh_offset.saturating_add(s.sh_size));
        let programs = self.programs.iter().map(|p| p.p_offset.saturating_add(p.p_filesz));
        let tables = [
            HEADER_SIZE,
            table(self.header.e_phoff, self.programs.len(), PROGRAM_HEADER_SIZE),
            table(self.header.e_shoff, self.sections.len(), SECTION_HEADER_SIZE),
        ];
        ends.chain(programs).chain(tables).max().unwrap_or(HEADER_SIZE).min(self.data.len() as u64)
    }

    /// The loadable segments in order of address.
    pub fn segments(&self) -> &[Segment<'a>] {
        &self.segments
    }

    /// First virtual address that is loaded.
    pub fn load_base(&self) -> u64 {
        self.segments.first().map_or(0, |segment| segment.vaddr)
    }

    /// Bytes from the first to the last virtual address that is loaded: one allocation holds all segments.
    pub fn load_size(&self) -> u64 {
        self.segments.last().map_or(0, |last| last.end().saturating_sub(self.load_base()))
    }

    /// `size` file bytes at a virtual address.
    pub fn read(&self, what: &'static str, vaddr: u64, size: u64) -> Result<&'a [u8], Error> {
        let unmapped = Error::NotMapped { what, vaddr, size };
        let Some(segment) = self.segments.iter().rev().find(|segment| segment.vaddr <= vaddr) else {
            return Err(unmapped);
        };
        slice(segment.data, what, vaddr - segment.vaddr, size).map_err(|_| unmapped)
    }

    /// File offset of a virtual address.
    fn file_offset(&self, what: &'static str, vaddr: u64, size: u64) -> Result<u64, Error> {
        self.read(what, vaddr, size)?;
        let segment = self.segments.iter().rev().find(|segment| segment.vaddr <= vaddr);
        segment.map(|segment| segment.file_offset + (vaddr - segment.vaddr)).ok_or(Error::NotMapped {
            what,
            vaddr,
            size,
        })
    }

    /// The notes.
    pub fn notes(&self) -> Notes<'a> {
        let mut regions: Vec<_> = self
            .programs
            .iter()
            .filter(|program| program.p_type == program_header::PT_NOTE)
            .map(|program| (program.p_offset, program.p_filesz, program.p_align))
            .collect();
        if regions.is_empty() {
            let notes = self.sections.iter().filter(|section| section.sh_type == section_header::SHT_NOTE);
            regions = notes.map(|note| (note.sh_offset, note.sh_size, note.sh_addralign)).collect();
        }
        Notes::new(self.data, regions)
    }

    /// The metadata note, still packed.
    pub fn metadata_note(&self) -> Result<Note<'a>, Error> {
        for note in self.notes() {
            let note = note?;
            if (note.owner, note.kind) == note::METADATA {
                return Ok(note);
            }
            if self.version() == 2 && (note.owner, note.kind) == note::METADATA_V2 {
                return Err(Error::MetadataV2 { offset: note.desc_offset });
            }
        }
        Err(Error::NoMetadata { version: self.version() })
    }

    /// The metadata: kernels, their arguments and resources.
    pub fn metadata(&self) -> Result<Metadata, Error> {
        let note = self.metadata_note()?;
        Metadata::parse(note.desc, note.desc_offset)
    }

    /// The dynamic symbols (those of a relocatable object: all symbols).
    pub fn symbols(&self) -> Result<Symbols<'a>, Error> {
        let table = self.symbol_table()?;
        Ok(Symbols { table, next: 1 })
    }

    /// The dynamic symbol that a relocation names.
    pub fn symbol_at(&self, index: u32) -> Result<Symbol<'a>, Error> {
        self.symbol_table()?.get(index as usize)
    }

    /// The dynamic symbol of this name.
    pub fn symbol(&self, name: &str) -> Result<Symbol<'a>, Error> {
        for symbol in self.symbols()? {
            let symbol = symbol?;
            if symbol.name == name {
                return Ok(symbol);
            }
        }
        Err(Error::NoSuchSymbol { name: name.to_owned() })
    }

    /// The descriptor that a `.kd` symbol points at.
    pub fn kernel_descriptor(&self, symbol: &Symbol<'_>) -> Result<KernelDescriptor, Error> {
        let bytes = self.read("kernel descriptor", symbol.value, KernelDescriptor::SIZE as u64)?;
        let offset = self.file_offset("kernel descriptor", symbol.value, KernelDescriptor::SIZE as u64)?;
        KernelDescriptor::parse_at(bytes, offset)
    }

    /// The dynamic relocations.
    pub fn relocations(&self) -> Result<Relocations<'a>, Error> {
        let dynamic = &self.dynamic;
        let mut tables = Vec::new();
        for (what, address, size) in [
            ("dynamic relocations", dynamic.rela, dynamic.relasz),
            ("PLT relocations", dynamic.jmprel, dynamic.pltrelsz),
        ] {
            let Some(address) = address.filter(|_| size != 0) else { continue };
            let offset = self.file_offset(what, address, size)?;
            if size % RELA_SIZE != 0 {
                let why = "not a whole number of Elf64_Rela records";
                return Err(Error::BadField { what, offset, value: size, why });
            }
            // Both fit: `file_offset` has read that many bytes from memory.
            let table = RelocSection::parse(self.data, offset as usize, size as usize, true, CTX)
                .map_err(|e| elf_error(what, offset, &e))?;
            tables.push((table, offset));
        }
        Ok(Relocations { tables, table: 0, next: 0 })
    }

    fn read_dynamic(&self) -> Result<Dynamic, Error> {
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
    fn symbol_table(&self) -> Result<SymbolTable<'a>, Error> {
        let (offset, count, names_offset, names_size) = match (self.dynamic.symtab, self.dynamic.strtab) {
            (Some(symtab), Some(strtab)) => {
                let offset = self.file_offset("dynamic symbol table", symtab, 0)?;
                let names = self.file_offset("dynamic string table", strtab, self.dynamic.strsz)?;
                (offset, self.dynamic_symbol_count(offset)?, names, self.dynamic.strsz)
            }
            _ => match self.section_symbols()? {
                Some(found) => found,
                None => (0, 0, 0, 0),
            },
        };
        let size = count.checked_mul(SYMBOL_SIZE).ok_or(Error::BadField {
            what: "symbol count",
            offset,
            value: count,
            why: "more symbols than a file can hold",
        })?;
        slice(self.data, "symbol table", offset, size)?;
        let names = slice(self.data, "string table", names_offset, names_size)?;
        let symbols = match count {
            0 => Symtab::default(),
            _ => Symtab::parse(self.data, offset as usize, count as usize, CTX)
                .map_err(|e| elf_error("symbol table", offset, &e))?,
        };
        Ok(SymbolTable { symbols, count: count as usize, offset, names, names_offset })
    }

    fn section_symbols(&self) -> Result<Option<(u64, u64, u64, u64)>, Error> {
        let of_type = |kind| self.sections.iter().find(|section| section.sh_type == kind);
        let table = of_type(section_header::SHT_DYNSYM).or_else(|| of_type(section_header::SHT_SYMTAB));
        let Some(table) = table else { return Ok(None) };
        let names = self.sections.get(table.sh_link as usize).ok_or(Error::BadField {
            what: "string table of the symbol table",
            offset: table.sh_offset,
            value: table.sh_link.into(),
            why: "no such section",
        })?;
        Ok(Some((table.sh_offset, table.sh_size / SYMBOL_SIZE, names.sh_offset, names.sh_size)))
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
        const WHAT: &str = "GNU hash table";
        let word = |at: u64| -> Result<u64, Error> {
            let at =
                address.checked_add(at).ok_or(Error::NotMapped { what: WHAT, vaddr: address, size: at })?;
            Ok(u32_at(self.read(WHAT, at, 4)?, WHAT, 0)?.into())
        };
        let (buckets, first, bloom) = (word(0)?, word(4)?, word(8)?);
        let buckets_at = 16 + bloom * 8;
        let chains_at = buckets_at + buckets * 4;
        let mut last = 0;
        for bucket in 0..buckets {
            last = last.max(word(buckets_at + bucket * 4)?);
        }
        if last < first {
            return Ok(first);
        }
        while word(chains_at + (last - first) * 4)? & 1 == 0 {
            last += 1;
        }
        Ok(last + 1)
    }
}

fn elf_error(what: &'static str, offset: u64, error: &goblin::error::Error) -> Error {
    Error::Elf { what, offset, reason: error.to_string() }
}

fn check_entry_size(what: &'static str, offset: u64, found: u16, expected: u64) -> Result<(), Error> {
    if u64::from(found) == expected {
        return Ok(());
    }
    Err(Error::BadField { what, offset, value: found.into(), why: "not the size of this record in ELF64" })
}

fn program_headers(data: &[u8], header: &Header) -> Result<Vec<ProgramHeader>, Error> {
    let count = u64::from(header.e_phnum);
    if count == 0 || header.e_phoff == 0 {
        return Ok(Vec::new());
    }
    check_entry_size("e_phentsize", 0x36, header.e_phentsize, PROGRAM_HEADER_SIZE)?;
    slice(data, "program headers", header.e_phoff, count * PROGRAM_HEADER_SIZE)?;
    ProgramHeader::parse(data, header.e_phoff as usize, count as usize, CTX)
        .map_err(|e| elf_error("program headers", header.e_phoff, &e))
}

fn section_headers(data: &[u8], header: &Header) -> Result<Vec<SectionHeader>, Error> {
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

fn load_segments<'a>(
    data: &'a [u8],
    header: &Header,
    programs: &[ProgramHeader],
) -> Result<Vec<Segment<'a>>, Error> {
    let mut segments: Vec<Segment<'a>> = Vec::new();
    for (index, program) in programs.iter().enumerate() {
        if program.p_type != program_header::PT_LOAD {
            continue;
        }
        let offset = header.e_phoff + index as u64 * PROGRAM_HEADER_SIZE;
        let bad = |what, value, why| Error::BadField { what, offset, value, why };
        if program.p_filesz > program.p_memsz {
            return Err(bad("p_filesz", program.p_filesz, "larger than p_memsz"));
        }
        let bytes = slice(data, "loadable segment", program.p_offset, program.p_filesz)?;
        let Some(end) = program.p_vaddr.checked_add(program.p_memsz) else {
            return Err(bad("p_memsz", program.p_memsz, "the segment ends past the last address"));
        };
        if let Some(last) = segments.last() {
            if program.p_vaddr < last.end() {
                return Err(bad(
                    "p_vaddr",
                    program.p_vaddr,
                    "the segment overlaps or precedes the one before",
                ));
            }
        }
        let base = segments.first().map_or(program.p_vaddr, |first| first.vaddr);
        if end - base > MAX_LOAD_SIZE {
            return Err(bad(
                "p_vaddr",
                program.p_vaddr,
                "the segments span more memory than a GPU can address",
            ));
        }
        if program.p_align > 1 && !program.p_align.is_power_of_two() {
            return Err(bad("p_align", program.p_align, "not a power of two"));
        }
        segments.push(Segment {
            vaddr: program.p_vaddr,
            memsz: program.p_memsz,
            file_offset: program.p_offset,
            data: bytes,
            align: program.p_align.max(1),
            flags: SegmentFlags(program.p_flags),
        });
    }
    Ok(segments)
}
