//! `.kpack` archives: a header, packed code objects, and a table of contents in MessagePack at the end.
//! Answers to `python/rocm_kpack/kpack.py` and `compression.py`, which write them.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::fmt;

use amd_codeobj::TargetId;

use super::msgpack::Reader;
use crate::bytes::Bytes;
use crate::unpack::Packed;
use crate::{Error, Method};

const WHAT: &str = "table of contents of a .kpack archive";
const HEADER_SIZE: u64 = 16;
const VERSION: u32 = 1;

/// How the code objects of an archive are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scheme {
    /// As they are.
    None,
    /// Each one a Zstandard frame of its own.
    ZstdPerKernel,
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scheme::None => "none",
            Scheme::ZstdPerKernel => "zstd-per-kernel",
        })
    }
}

/// A `.kpack` archive, opened. Its table of contents has been read; the code objects are read when asked.
#[derive(Debug, Clone)]
pub struct Archive<'a> {
    bytes: Bytes<'a>,
    group_name: &'a str,
    family: &'a str,
    targets: Vec<&'a str>,
    scheme: Scheme,
    /// Where the packed code objects stand, by their number: offset and size, within the data.
    blobs: Vec<(u64, u64)>,
    contents: Option<Reader<'a>>,
    total_size: u64,
}

/// A code object of an archive.
#[derive(Debug, Clone)]
pub struct Kernel<'a> {
    /// The program or library that it belongs to, with the number of the translation unit: `lib/librocrand.so.1#0`.
    pub binary: &'a str,
    /// The target ID that it was compiled for.
    pub target: &'a str,
    /// What it is: "hsaco".
    pub kind: Option<&'a str>,
    /// Its number in the archive.
    pub ordinal: u64,
    /// How many bytes it has when unpacked, if the table says so.
    pub original_size: Option<u64>,
    /// Where it stands in the file.
    pub file_offset: u64,
    /// Its bytes as they stand there.
    pub packed: &'a [u8],
    scheme: Scheme,
    /// Where the table speaks of it.
    record_offset: u64,
}

impl<'a> Archive<'a> {
    /// The first four bytes.
    pub const MAGIC: &'static [u8; 4] = b"KPAK";

    /// Opens an archive. The data may extend past it: see [`Archive::total_size`].
    pub fn parse(data: &'a [u8]) -> Result<Archive<'a>, Error> {
        Archive::parse_at(data, 0)
    }

    /// The same for an archive that stands at some offset of a file: errors count from the start of the file.
    pub fn parse_at(data: &'a [u8], file_offset: u64) -> Result<Archive<'a>, Error> {
        const HEADER: &str = "header of a .kpack archive";
        let bytes = Bytes::new(data, file_offset);
        let magic = data.get(..4).unwrap_or(data);
        if !Self::MAGIC.starts_with(magic) || magic.is_empty() {
            return Err(Error::UnknownMagic { offset: file_offset, found: magic.to_vec() });
        }
        let version = bytes.u32(HEADER, 4)?;
        if version != VERSION {
            let (what, offset, why) = ("version of a .kpack archive", bytes.place(4), "only 1 is known");
            return Err(Error::BadField { what, offset, value: version.into(), why });
        }
        let at = bytes.u64(HEADER, 8)?;
        if at < HEADER_SIZE || at >= bytes.len() {
            let why = "the table of contents is not within the file";
            return Err(Error::BadField { what: "TOC offset", offset: bytes.place(8), value: at, why });
        }
        let mut archive = Archive {
            bytes,
            group_name: "",
            family: "",
            targets: Vec::new(),
            scheme: Scheme::None,
            blobs: Vec::new(),
            contents: None,
            total_size: 0,
        };
        archive.read_table(bytes.from(at))?;
        Ok(archive)
    }

    fn read_table(&mut self, table: Bytes<'a>) -> Result<(), Error> {
        let mut reader = Reader::new(table, WHAT);
        let (mut blobs, mut zstd_offset, mut zstd_size) = (None, None, None);
        for _ in 0..reader.map()? {
            match reader.text()? {
                "compression_scheme" => {
                    let offset = reader.place();
                    self.scheme = match reader.text()? {
                        "none" => Scheme::None,
                        "zstd-per-kernel" => Scheme::ZstdPerKernel,
                        _ => return Err(reader.bad(offset, "a compression scheme that is not known")),
                    };
                }
                "group_name" => self.group_name = reader.text()?,
                "gfx_arch_family" => self.family = reader.text()?,
                "gfx_arches" => {
                    for _ in 0..reader.array()? {
                        self.targets.push(reader.text()?);
                    }
                }
                "zstd_offset" => zstd_offset = Some(reader.unsigned()?),
                "zstd_size" => zstd_size = Some(reader.unsigned()?),
                key => {
                    let start = reader;
                    reader.skip()?;
                    match key {
                        "blobs" => blobs = Some(start),
                        "toc" => self.contents = Some(start),
                        _ => {}
                    }
                }
            }
        }
        let missing = |key| Error::MissingKey { what: WHAT, offset: table.base, key };
        match self.scheme {
            Scheme::None => self.read_blobs(blobs.ok_or_else(|| missing("blobs"))?)?,
            Scheme::ZstdPerKernel => {
                let offset = zstd_offset.ok_or_else(|| missing("zstd_offset"))?;
                self.read_frames(offset, zstd_size.ok_or_else(|| missing("zstd_size"))?)?;
            }
        }
        let ends = self.blobs.iter().map(|(offset, size)| offset + size);
        let end = table.base - self.bytes.base + reader.position();
        self.total_size = ends.fold(end, u64::max);
        Ok(())
    }

    /// Without compression a list says where each code object stands.
    fn read_blobs(&mut self, mut reader: Reader<'a>) -> Result<(), Error> {
        for _ in 0..reader.array()? {
            let place = reader.place();
            let missing = |key| Error::MissingKey { what: "blob in a .kpack archive", offset: place, key };
            let (mut offset, mut size) = (None, None);
            for _ in 0..reader.map()? {
                match reader.text()? {
                    "offset" => offset = Some(reader.unsigned()?),
                    "size" => size = Some(reader.unsigned()?),
                    _ => reader.skip()?,
                }
            }
            let offset = offset.ok_or_else(|| missing("offset"))?;
            let size = size.ok_or_else(|| missing("size"))?;
            self.bytes.slice("code object in a .kpack archive", offset, size)?;
            self.blobs.push((offset, size));
        }
        Ok(())
    }

    /// With compression they stand one after another, each behind its size.
    fn read_frames(&mut self, offset: u64, size: u64) -> Result<(), Error> {
        const FRAMES: &str = "zstd frames of a .kpack archive";
        let frames = Bytes::new(self.bytes.slice(FRAMES, offset, size)?, self.bytes.place(offset));
        let count = frames.u32(FRAMES, 0)?;
        let mut at = 4;
        for _ in 0..count {
            let size = frames.u32(FRAMES, at)?.into();
            frames.slice(FRAMES, at + 4, size)?;
            self.blobs.push((offset + at + 4, size));
            at += 4 + size;
        }
        Ok(())
    }

    /// The name of the build's group ("blas"); empty if the archive does not say.
    pub fn group_name(&self) -> &'a str {
        self.group_name
    }

    /// The family of targets ("gfx110X-all"); empty if the archive does not say.
    pub fn family(&self) -> &'a str {
        self.family
    }

    /// The target IDs that the archive says it has code for.
    pub fn targets(&self) -> &[&'a str] {
        &self.targets
    }

    /// How the code objects are kept.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// From the magic to the end of the table of contents.
    pub fn total_size(&self) -> u64 {
        self.total_size
    }

    /// The code objects, in the order of the table of contents.
    pub fn kernels(&self) -> Kernels<'_, 'a> {
        Kernels { archive: self, reader: self.contents, binaries: None, binary: "", targets: 0 }
    }

    /// The code object for an agent of a program's translation unit (see
    /// [`Reference::archive_key`](super::Reference::archive_key)): for its own processor before generic, the more
    /// specific first. `None` if this archive has none that runs on it.
    pub fn find(&self, binary: &str, agent: &TargetId) -> Result<Option<Kernel<'a>>, Error> {
        let mut best = None;
        for kernel in self.kernels() {
            let kernel = kernel?;
            let Some(target) = kernel.target.parse::<TargetId>().ok().filter(|_| kernel.binary == binary)
            else {
                continue;
            };
            let Ok(fit) = target.fits(agent) else { continue };
            let rank = (fit, target.explicit_features());
            if best.as_ref().is_none_or(|(other, _)| rank > *other) {
                best = Some((rank, kernel));
            }
        }
        Ok(best.map(|(_, kernel)| kernel))
    }
}

impl<'a> Kernel<'a> {
    /// The code object, unpacked if it is packed. One of more than `limit` bytes is refused before work is done.
    pub fn extract(&self, limit: u64) -> Result<Cow<'a, [u8]>, Error> {
        let refuse = |size| {
            let (what, offset) = ("a code object in a .kpack archive", self.file_offset);
            Error::TooLarge { what, offset, size, limit }
        };
        let size = match self.scheme {
            Scheme::None => Some(self.packed.len() as u64),
            Scheme::ZstdPerKernel => self.original_size,
        };
        let missing = || Error::MissingKey { what: WHAT, offset: self.record_offset, key: "original_size" };
        let size = size.ok_or_else(missing)?;
        if size > limit {
            return Err(refuse(size));
        }
        if self.scheme == Scheme::None {
            return Ok(Cow::Borrowed(self.packed));
        }
        let bytes = Bytes::new(self.packed, self.file_offset);
        let content = Packed { method: Method::Zstd, bytes, size }.unpack(size)?;
        let found = content.len() as u64;
        if found != size {
            let relation = if found > size { "at least" } else { "only" };
            return Err(Error::WrongLength { relation, found, offset: self.record_offset, expected: size });
        }
        Ok(Cow::Owned(content))
    }
}

/// The code objects of an archive, read one by one; stops after the first error.
#[derive(Debug, Clone)]
pub struct Kernels<'archive, 'a> {
    archive: &'archive Archive<'a>,
    /// Nothing when the table is at its end.
    reader: Option<Reader<'a>>,
    /// How many binaries are left; not known before the first step.
    binaries: Option<u32>,
    binary: &'a str,
    /// How many targets of the binary are left.
    targets: u32,
}

impl<'a> Kernels<'_, 'a> {
    fn read(&mut self) -> Result<Option<Kernel<'a>>, Error> {
        let Some(reader) = &mut self.reader else { return Ok(None) };
        let mut binaries = match self.binaries {
            Some(left) => left,
            None => reader.map()?,
        };
        while self.targets == 0 {
            if binaries == 0 {
                return Ok(None);
            }
            binaries -= 1;
            self.binary = reader.text()?;
            self.targets = reader.map()?;
        }
        self.binaries = Some(binaries);
        self.targets -= 1;
        let record_offset = reader.place();
        let target = reader.text()?;
        let (mut kind, mut ordinal, mut original_size) = (None, None, None);
        for _ in 0..reader.map()? {
            match reader.text()? {
                "type" => kind = Some(reader.text()?),
                "ordinal" => ordinal = Some((reader.place(), reader.unsigned()?)),
                "original_size" => original_size = Some(reader.unsigned()?),
                _ => reader.skip()?,
            }
        }
        let missing = || Error::MissingKey { what: WHAT, offset: record_offset, key: "ordinal" };
        let (place, ordinal) = ordinal.ok_or_else(missing)?;
        let blob = usize::try_from(ordinal).ok().and_then(|ordinal| self.archive.blobs.get(ordinal));
        let &(offset, size) = blob.ok_or(Error::BadField {
            what: "ordinal of a code object",
            offset: place,
            value: ordinal,
            why: "the archive does not have so many",
        })?;
        Ok(Some(Kernel {
            binary: self.binary,
            target,
            kind,
            ordinal,
            original_size,
            file_offset: self.archive.bytes.place(offset),
            packed: self.archive.bytes.slice("code object in a .kpack archive", offset, size)?,
            scheme: self.archive.scheme,
            record_offset,
        }))
    }
}

impl<'a> Iterator for Kernels<'_, 'a> {
    type Item = Result<Kernel<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let kernel = self.read();
        if !matches!(kernel, Ok(Some(_))) {
            self.reader = None;
        }
        kernel.transpose()
    }
}

impl core::iter::FusedIterator for Kernels<'_, '_> {}
