//! A code object: an ELF file for an AMD GPU, opened. Answers to "ELF Code Object" of LLVM's AMDGPU guide.

use alloc::borrow::ToOwned;
use alloc::vec::Vec;

use goblin::elf::program_header::{self, ProgramHeader};
use goblin::elf::section_header::{self, SectionHeader};
use goblin::elf::{Elf, Header};

use crate::bytes::slice;
use crate::dynamic::Dynamic;
use crate::headers::{
    HEADER_SIZE, PROGRAM_HEADER_SIZE, SECTION_HEADER_SIZE, elf_error, program_headers, section_headers,
};
use crate::load::load_segments;
use crate::{Error, Feature, Isa, Mach, Metadata, Note, Notes, Segment, TargetId, note};

const EM_AMDGPU: u16 = 224;
const ELFOSABI_AMDGPU_HSA: u8 = 64;

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

/// Machine code: see [`CodeObject::code`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code<'a> {
    /// The section, as symbols name it; 0 for a segment.
    pub section: u16,
    /// The virtual address of the first byte; 0 in relocatable objects.
    pub address: u64,
    /// The code.
    pub data: &'a [u8],
}

/// A code object in memory. Headers, segments and sections are checked when it is parsed; the rest is read when asked.
#[derive(Debug, Clone)]
pub struct CodeObject<'a> {
    pub(crate) data: &'a [u8],
    pub(crate) header: Header,
    segments: Vec<Segment<'a>>,
    pub(crate) programs: Vec<ProgramHeader>,
    pub(crate) sections: Vec<SectionHeader>,
    pub(crate) dynamic: Dynamic,
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

    /// The processor's number; 0 in code objects v2 whose notes alone name it.
    pub fn mach(&self) -> Mach {
        Mach((self.header.e_flags & 0xff) as u8)
    }

    /// The processor's row.
    pub fn isa(&self) -> Result<&'static Isa, Error> {
        let unknown = Error::UnknownMachine { mach: self.mach().0 };
        match Isa::by_mach(self.mach()) {
            Some(isa) => Ok(isa),
            None if self.version() == 2 => self.isa_of_note()?.ok_or(unknown),
            None => Err(unknown),
        }
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
            // Flags from before MACH: bit 0 is XNACK, bit 1 a trap handler.
            2 if Isa::by_mach(self.mach()).is_none() => {
                (Feature::default_for(isa.supports_sramecc), set(isa.supports_xnack, 1))
            }
            2 | 3 => (set(isa.supports_sramecc, 0x200), set(isa.supports_xnack, 0x100)),
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

    /// The parts that hold machine code, in order of address: sections, or where there are none, segments.
    pub fn code(&self) -> Result<Vec<Code<'a>>, Error> {
        let executable = u64::from(section_header::SHF_EXECINSTR);
        let mut code = Vec::new();
        for (section, s) in (0..=u16::MAX).zip(&self.sections) {
            if s.sh_flags & executable != 0 && s.sh_type != section_header::SHT_NOBITS {
                let data = slice(self.data, "code", s.sh_offset, s.sh_size)?;
                s.sh_addr.checked_add(s.sh_size).ok_or(Error::BadField {
                    what: "address of the code section",
                    offset: s.sh_offset,
                    value: s.sh_addr,
                    why: "it wraps round",
                })?;
                code.push(Code { section, address: s.sh_addr, data });
            }
        }
        if code.is_empty() {
            let segments = self.segments.iter().filter(|s| s.flags.is_executable());
            code.extend(segments.map(|s| Code { section: 0, address: s.vaddr, data: s.data }));
        }
        code.sort_by_key(|part| part.address);
        Ok(code)
    }

    fn segment_before(&self, vaddr: u64) -> Option<&Segment<'a>> {
        // They are in order of address, and a crafted file has thousands.
        let after = self.segments.partition_point(|segment| segment.vaddr <= vaddr);
        self.segments.get(after.checked_sub(1)?)
    }

    /// The loadable segment that a virtual address lies in.
    pub fn segment_at(&self, vaddr: u64) -> Option<&Segment<'a>> {
        self.segment_before(vaddr).filter(|segment| vaddr < segment.end())
    }

    /// `size` file bytes at a virtual address.
    pub fn read(&self, what: &'static str, vaddr: u64, size: u64) -> Result<&'a [u8], Error> {
        let unmapped = Error::NotMapped { what, vaddr, size };
        let Some(segment) = self.segment_before(vaddr) else { return Err(unmapped) };
        slice(segment.data, what, vaddr - segment.vaddr, size).map_err(|_| unmapped)
    }

    /// File offset of a virtual address.
    pub(crate) fn file_offset(&self, what: &'static str, vaddr: u64, size: u64) -> Result<u64, Error> {
        self.read(what, vaddr, size)?;
        self.segment_before(vaddr)
            .map(|segment| segment.file_offset + (vaddr - segment.vaddr))
            .ok_or(Error::NotMapped { what, vaddr, size })
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

    /// The YAML text of a v2 code object's metadata; `None` in later versions, whose metadata is not text.
    pub fn metadata_text(&self) -> Result<Option<&'a str>, Error> {
        for note in self.notes() {
            let note = note?;
            if self.version() == 2 && (note.owner, note.kind) == note::METADATA_V2 {
                let bad = Error::BadString { what: "metadata", offset: note.desc_offset, why: "not UTF-8" };
                let text = note.desc.split(|&byte| byte == 0).next().unwrap_or_default();
                return Ok(Some(core::str::from_utf8(text).map_err(|_| bad)?));
            }
        }
        Ok(None)
    }

    /// The metadata: kernels, their arguments and resources.
    pub fn metadata(&self) -> Result<Metadata, Error> {
        let note = self.metadata_note()?;
        Metadata::parse(note.desc, note.desc_offset)
    }
}
