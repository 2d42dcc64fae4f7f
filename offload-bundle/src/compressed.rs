//! Compressed bundles: `CCOB`, versions 1 to 3, zlib or zstd. Answers to `CompressedOffloadBundle` in
//! `clang/lib/Driver/OffloadBundler.cpp`; its manual describes the fields under "Compression and Decompression".

use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;

use md5::{Digest, Md5};

use crate::bytes::Bytes;
use crate::unpack::Packed;
use crate::{Error, ImageKind, Table};

/// A sane bound for [`Compressed::decompress`]: larger than any fat binary seen, smaller than memory.
pub const DEFAULT_LIMIT: u64 = 4 << 30;

/// How the content is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    /// zlib (RFC 1950).
    Zlib,
    /// Zstandard (RFC 8878).
    Zstd,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Method::Zlib => "zlib",
            Method::Zstd => "zstd",
        })
    }
}

/// A compressed bundle, still packed. Only its header has been read.
#[derive(Debug, Clone, Copy)]
pub struct Compressed<'a> {
    file_offset: u64,
    version: u16,
    /// Said by the header; version 1 does not.
    total_size: Option<u64>,
    hash: u64,
    header_size: u64,
    /// From the end of the header to the end of the bundle (version 1: of the data).
    packed: Packed<'a>,
}

impl<'a> Compressed<'a> {
    /// The first four bytes.
    pub const MAGIC: &'static [u8; 4] = b"CCOB";

    /// Reads the header. The data may extend past the bundle: see [`Compressed::total_size`].
    pub fn parse(data: &'a [u8]) -> Result<Compressed<'a>, Error> {
        Compressed::parse_at(data, 0)
    }

    /// The same for a bundle that stands at some offset of a file: errors count from the start of the file.
    pub fn parse_at(data: &'a [u8], file_offset: u64) -> Result<Compressed<'a>, Error> {
        const WHAT: &str = "header of a compressed bundle";
        let bytes = Bytes::new(data, file_offset);
        let magic = data.get(..4).unwrap_or(data);
        if !Self::MAGIC.starts_with(magic) || magic.is_empty() {
            return Err(Error::UnknownMagic { offset: file_offset, found: magic.to_vec() });
        }
        let version = bytes.u16(WHAT, 4)?;
        let method = bytes.u16(WHAT, 6)?;
        let (header_size, total_size, uncompressed_size) = match version {
            1 => (20, None, bytes.u32(WHAT, 8)?.into()),
            2 => (24, Some(bytes.u32(WHAT, 8)?.into()), bytes.u32(WHAT, 12)?.into()),
            3 => (32, Some(bytes.u64(WHAT, 8)?), bytes.u64(WHAT, 16)?),
            _ => return Err(Error::UnknownVersion { offset: bytes.place(4), version }),
        };
        let method = match method {
            0 => Method::Zlib,
            1 => Method::Zstd,
            _ => return Err(Error::UnknownMethod { offset: bytes.place(6), method }),
        };
        let hash = bytes.u64(WHAT, header_size - 8)?;
        let end = total_size.unwrap_or(bytes.len());
        if end < header_size {
            let (what, why) = ("total size of a compressed bundle", "smaller than the header");
            return Err(Error::BadField { what, offset: bytes.place(8), value: end, why });
        }
        let packed = bytes.slice("compressed bundle", header_size, end - header_size)?;
        let packed =
            Packed { method, bytes: Bytes::new(packed, bytes.place(header_size)), size: uncompressed_size };
        Ok(Compressed { file_offset, version, total_size, hash, header_size, packed })
    }

    /// [`ImageKind::Compressed`] with the version.
    pub fn kind(&self) -> ImageKind {
        ImageKind::Compressed { version: self.version }
    }

    /// 1, 2 or 3.
    pub fn version(&self) -> u16 {
        self.version
    }

    /// How it is compressed.
    pub fn method(&self) -> Method {
        self.packed.method
    }

    /// Bytes of the bundle, header included. Version 1 does not say: there the end of the compressed stream is looked
    /// for, without keeping what it unpacks to.
    pub fn total_size(&self) -> Result<u64, Error> {
        match self.total_size {
            Some(size) => Ok(size),
            None => Ok(self.header_size + self.packed.stream_length()?),
        }
    }

    /// Bytes of the content, as the header says.
    pub fn uncompressed_size(&self) -> u64 {
        self.packed.size
    }

    /// The header's hash: the first eight bytes of the content's MD5.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// The content, whole. Refused before work is done if the header says that it is larger than `limit`; never more
    /// is unpacked than the header says.
    pub fn decompress(&self, limit: u64) -> Result<Vec<u8>, Error> {
        if self.packed.size > limit {
            let (what, offset, size) = ("the compressed bundle", self.file_offset, self.packed.size);
            return Err(Error::TooLarge { what, offset, size, limit });
        }
        let content = self.packed.unpack(self.packed.size)?;
        let found = content.len() as u64;
        match found.cmp(&self.packed.size) {
            Ordering::Less => Err(self.wrong_length("only", found)),
            Ordering::Equal => Ok(content),
            Ordering::Greater => Err(self.wrong_length("at least", found)),
        }
    }

    /// The first `size` bytes of the content, or all if there are fewer.
    pub fn prefix(&self, size: u64) -> Result<Vec<u8>, Error> {
        let size = size.min(self.packed.size);
        let mut content = self.packed.unpack(size)?;
        content.truncate(usize::try_from(size).unwrap_or(usize::MAX));
        Ok(content)
    }

    /// As much of the content as its table of entries takes: what listing needs, whatever the payload's size.
    /// [`Table::parse`](crate::Table::parse) reads it. A table of more than `limit` bytes is refused.
    pub fn table(&self, limit: u64) -> Result<Vec<u8>, Error> {
        // The table of a bundle for each processor there is takes less; device code starts behind it at 4096.
        let mut size = 4096;
        loop {
            let content = self.prefix(size)?;
            let complete = (content.len() as u64) < size || content.len() as u64 == self.packed.size;
            match Table::parse(&content) {
                Err(Error::Truncated { .. } | Error::TooManyEntries { .. }) if !complete => {
                    if size >= limit {
                        let (what, offset) = ("the table of a compressed bundle", self.file_offset);
                        return Err(Error::TooLarge { what, offset, size, limit });
                    }
                    size = size.saturating_mul(4).min(limit);
                }
                _ => return Ok(content),
            }
        }
    }

    /// Checks that unpacked content is what was packed. LLVM does so only when asked to be verbose, the runtime never.
    pub fn check_hash(&self, content: &[u8]) -> Result<(), Error> {
        let digest = Md5::digest(content);
        let found = Bytes::new(&digest, 0).u64("MD5", 0)?;
        if found != self.hash {
            return Err(Error::WrongHash {
                offset: self.file_offset + self.header_size - 8,
                expected: self.hash,
                found,
            });
        }
        Ok(())
    }

    fn wrong_length(&self, relation: &'static str, found: u64) -> Error {
        let field = self.header_size - 8 - if self.version == 3 { 8 } else { 4 };
        let offset = self.file_offset + field;
        Error::WrongLength { relation, found, offset, expected: self.packed.size }
    }
}
