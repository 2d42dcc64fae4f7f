//! The sections in which compilers put code for GPUs, found by name.
//! Answers to Clang's `CGCUDANV.cpp` and `OffloadBundler.cpp` for the names, and to ROCm's kpack tools for the newer.

use core::fmt;

use super::{archive, elf};
use crate::bytes::Bytes;
use crate::{EntryId, Error};

/// What a section is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SectionKind {
    /// Fat binaries, one after another.
    FatBinaries,
    /// [`FatBinaryWrapper`](crate::FatBinaryWrapper)s, the 24 bytes that a program registers for each fat binary. In an
    /// object file and in a position-independent program their pointers are filled in by relocations.
    Wrappers,
    /// A [`kpack::Reference`](crate::kpack::Reference): the code stands in `.kpack` files.
    KpackReference,
    /// One entry in a section of its own, whose name carries the ID: `-fgpu-rdc -c` puts bitcode there until the link.
    Entry,
    /// LLVM's newer format (`10 ff 10 ad`), as OpenMP and `--offload-new-driver` write it into objects: not read here.
    LlvmOffloading,
}

impl SectionKind {
    /// How the name of a section with one entry begins.
    const ENTRY_PREFIX: &'static str = "__CLANG_OFFLOAD_BUNDLE__";

    /// What a section of this name is for; `None` if it has nothing to do with offloading.
    pub fn of_name(name: &str) -> Option<SectionKind> {
        Some(match name {
            // The third is COFF's, cut to eight characters.
            ".hip_fatbin" | "__hip_fatbin" | ".hip_fat" => SectionKind::FatBinaries,
            ".hipFatBinSegment" | ".hipFatB" => SectionKind::Wrappers,
            ".rocm_kpack_ref" | ".kpackrf" => SectionKind::KpackReference,
            ".llvm.offloading" => SectionKind::LlvmOffloading,
            _ if name.starts_with(SectionKind::ENTRY_PREFIX) => SectionKind::Entry,
            _ => return None,
        })
    }
}

impl fmt::Display for SectionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SectionKind::FatBinaries => "fat binaries",
            SectionKind::Wrappers => "fat binary wrappers",
            SectionKind::KpackReference => "reference to .kpack archives",
            SectionKind::Entry => "entry of a bundle",
            SectionKind::LlvmOffloading => "LLVM offload binaries",
        })
    }
}

/// A section that has to do with offloading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Section<'a> {
    /// The archive member that it is in.
    pub member: Option<&'a str>,
    /// Its name.
    pub name: &'a str,
    /// What it is for.
    pub kind: SectionKind,
    /// Where its bytes start in the file.
    pub file_offset: u64,
    /// Its virtual address in the linked program; 0 in objects.
    pub address: u64,
    /// Its bytes; none if the file has none for it (`SHT_NOBITS`), as after its code was moved to `.kpack` files.
    pub data: &'a [u8],
}

impl<'a> Section<'a> {
    /// The ID in the name of a section with one entry.
    pub fn entry_id(&self) -> Option<EntryId<'a>> {
        self.name.strip_prefix(SectionKind::ENTRY_PREFIX).map(EntryId::parse)
    }
}

/// The sections of a file that have to do with offloading, read one by one; stops after the first error.
#[derive(Debug, Clone)]
pub struct Sections<'a> {
    members: archive::Members<'a>,
    headers: elf::Headers<'a>,
    member: Option<&'a str>,
}

impl<'a> Sections<'a> {
    pub(super) fn none() -> Sections<'a> {
        Sections { members: archive::Members::none(), headers: elf::Headers::none(), member: None }
    }

    pub(super) fn of_elf(file: Bytes<'a>) -> Sections<'a> {
        Sections { headers: elf::Headers::new(file), ..Sections::none() }
    }

    pub(super) fn of_archive(file: Bytes<'a>) -> Sections<'a> {
        Sections { members: archive::Members::new(file), ..Sections::none() }
    }

    fn read(&mut self) -> Result<Option<Section<'a>>, Error> {
        loop {
            while let Some(section) = self.headers.read()? {
                let Some(kind) = SectionKind::of_name(section.name) else { continue };
                let (file_offset, data) = section.bytes()?;
                let (name, address) = (section.name, section.address);
                return Ok(Some(Section { member: self.member, name, kind, file_offset, address, data }));
            }
            let Some(member) = self.members.read()? else { return Ok(None) };
            // Bitcode, text, bundles of objects: whatever is no ELF file of the host is passed over, as by linkers.
            if elf::is_host(member.bytes)? {
                self.member = Some(member.name);
                self.headers = elf::Headers::new(member.bytes);
            }
        }
    }
}

impl<'a> Iterator for Sections<'a> {
    type Item = Result<Section<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let section = self.read();
        if !matches!(section, Ok(Some(_))) {
            *self = Sections::none();
        }
        section.transpose()
    }
}

impl core::iter::FusedIterator for Sections<'_> {}
