//! Any file that holds code for a GPU, opened: a program, library or object of the host, a static archive of objects, or
//! a fat binary, code object or `.kpack` archive as it is.
//!
//! Of a file only headers are read: the table of sections and their names, headers of archive members, headers of fat
//! binaries. A library of a gigabyte that is mapped into memory stays on disk.

mod archive;
mod elf;
mod images;
mod section;

use core::fmt;

pub use images::Images;
pub use section::{Section, SectionKind, Sections};

use crate::bytes::Bytes;
use crate::{Error, Image, Walk};

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ContainerKind {
    /// An ELF file for a host: executable, shared object, relocatable object.
    HostElf,
    /// A static archive (`.a`), GNU's or BSD's.
    Archive,
    /// No container: a fat binary, a code object, a `.kpack` archive.
    Bare,
}

impl fmt::Display for ContainerKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ContainerKind::HostElf => "host ELF file",
            ContainerKind::Archive => "static archive",
            ContainerKind::Bare => "bare fat binary",
        })
    }
}

/// A file that holds code for a GPU.
///
/// ```
/// use offload_bundle::{Container, ContainerKind};
/// let file = [&b"__CLANG_OFFLOAD_BUNDLE__"[..], &[0; 8]].concat();
/// let container = Container::parse(&file)?;
/// assert_eq!(container.kind(), ContainerKind::Bare);
/// for located in container.images() {
///     let located = located?;
///     println!("{:#x}: {}, {} bytes", located.offset, located.image.kind(), located.size);
/// }
/// # Ok::<(), offload_bundle::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Container<'a> {
    bytes: Bytes<'a>,
    kind: ContainerKind,
}

impl<'a> Container<'a> {
    /// Opens a file by its first bytes.
    pub fn parse(data: &'a [u8]) -> Result<Container<'a>, Error> {
        let bytes = Bytes::new(data, 0);
        let kind = if archive::is_archive(bytes)? {
            ContainerKind::Archive
        } else if elf::is_host(bytes)? {
            ContainerKind::HostElf
        } else if data.starts_with(b"MZ") {
            return Err(Error::Unsupported {
                what: "a Windows program",
                offset: 0,
                way_out: "take its .hip_fat section out with llvm-objcopy and read that",
            });
        } else {
            // Whatever is wrong with it is said now, not by the first step of an iterator.
            if data.first() != Some(&0) {
                Image::recognise(data)?;
            }
            ContainerKind::Bare
        };
        Ok(Container { bytes, kind })
    }

    /// What the file is.
    pub fn kind(&self) -> ContainerKind {
        self.kind
    }

    /// The sections of the host's ELF files that have to do with offloading, in file order: none in a bare file.
    pub fn sections(&self) -> Sections<'a> {
        match self.kind {
            ContainerKind::HostElf => Sections::of_elf(self.bytes),
            ContainerKind::Archive => Sections::of_archive(self.bytes),
            ContainerKind::Bare => Sections::none(),
        }
    }

    /// Every fat binary, wherever it stands; offsets count from the start of the file.
    pub fn images(&self) -> Images<'a> {
        match self.kind {
            ContainerKind::Bare => Images::new(self.sections(), Some(Walk::new(self.bytes.data, 0))),
            _ => Images::new(self.sections(), None),
        }
    }
}
