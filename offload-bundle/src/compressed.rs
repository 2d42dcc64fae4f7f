//! Compressed bundles: `CCOB`, versions 1 to 3, zlib or zstd. Answers to `CompressedOffloadBundle` in
//! `clang/lib/Driver/OffloadBundler.cpp`; its manual describes the fields under "Compression and Decompression".

use std::fmt;
use std::io::Read;

use md5::{Digest, Md5};

use crate::bytes::Bytes;
use crate::{Error, ImageKind};

/// A sane bound for [`Compressed::decompress`]: larger than any fat binary seen, smaller than memory.
pub const DEFAULT_LIMIT: u64 = 4 << 30;

/// Memory is reserved in steps of at most this many bytes before data has proved that it needs more.
const FIRST_RESERVE: u64 = 1 << 20;

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
    method: Method,
    /// Said by the header; version 1 does not.
    total_size: Option<u64>,
    uncompressed_size: u64,
    hash: u64,
    header_size: u64,
    /// From the end of the header to the end of the bundle (version 1: of the data).
    packed: &'a [u8],
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
        Ok(Compressed {
            file_offset,
            version,
            method,
            total_size,
            uncompressed_size,
            hash,
            header_size,
            packed,
        })
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
        self.method
    }

    /// Bytes of the bundle, header included. Version 1 does not say: there the end of the compressed stream is looked
    /// for, without keeping what it unpacks to.
    pub fn total_size(&self) -> Result<u64, Error> {
        match self.total_size {
            Some(size) => Ok(size),
            None => Ok(self.header_size + self.stream_length()?),
        }
    }

    /// Bytes of the content, as the header says.
    pub fn uncompressed_size(&self) -> u64 {
        self.uncompressed_size
    }

    /// The header's hash: the first eight bytes of the content's MD5.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// The content, whole. Refused before work is done if the header says that it is larger than `limit`; never more
    /// is unpacked than the header says.
    pub fn decompress(&self, limit: u64) -> Result<Vec<u8>, Error> {
        if self.uncompressed_size > limit {
            return Err(Error::TooLarge {
                what: "the compressed bundle",
                offset: self.file_offset,
                size: self.uncompressed_size,
                limit,
            });
        }
        let content = self.unpack(self.uncompressed_size)?;
        let found = content.len() as u64;
        if found != self.uncompressed_size {
            return Err(
                self.wrong_length(if found > self.uncompressed_size { "at least" } else { "only" }, found)
            );
        }
        Ok(content)
    }

    /// The first `size` bytes of the content, or all if there are fewer: enough for the entry table of a large bundle.
    pub fn prefix(&self, size: u64) -> Result<Vec<u8>, Error> {
        let mut content = self.unpack(size.min(self.uncompressed_size))?;
        content.truncate(usize::try_from(size).unwrap_or(usize::MAX));
        Ok(content)
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

    /// Unpacks at most `most` bytes and one more, by which a content that is too long shows.
    fn unpack(&self, most: u64) -> Result<Vec<u8>, Error> {
        let reserve = most.min(FIRST_RESERVE.max(self.packed.len() as u64)).saturating_add(1);
        let mut content = Vec::with_capacity(usize::try_from(reserve).unwrap_or(0));
        let result = match self.method {
            Method::Zlib => flate2::read::ZlibDecoder::new(self.packed)
                .take(most.saturating_add(1))
                .read_to_end(&mut content),
            Method::Zstd => zstd::stream::read::Decoder::with_buffer(self.packed).and_then(|decoder| {
                decoder.single_frame().take(most.saturating_add(1)).read_to_end(&mut content)
            }),
        };
        match result {
            Ok(_) => Ok(content),
            Err(error) => Err(self.corrupt(content.len() as u64, error.to_string())),
        }
    }

    /// Bytes of the compressed stream at the start of `packed`.
    fn stream_length(&self) -> Result<u64, Error> {
        match self.method {
            Method::Zstd => zstd::zstd_safe::find_frame_compressed_size(self.packed)
                .map(|length| length as u64)
                .map_err(|code| self.corrupt(0, zstd::zstd_safe::get_error_name(code).to_owned())),
            Method::Zlib => {
                let mut decoder = flate2::read::ZlibDecoder::new(self.packed);
                let mut bounded = decoder.by_ref().take(self.uncompressed_size.saturating_add(1));
                let produced = std::io::copy(&mut bounded, &mut std::io::sink())
                    .map_err(|error| self.corrupt(0, error.to_string()))?;
                if produced > self.uncompressed_size {
                    return Err(self.wrong_length("at least", produced));
                }
                Ok(decoder.total_in())
            }
        }
    }

    fn wrong_length(&self, relation: &'static str, found: u64) -> Error {
        let field = self.header_size - 8 - if self.version == 3 { 8 } else { 4 };
        let offset = self.file_offset + field;
        Error::WrongLength { relation, found, offset, expected: self.uncompressed_size }
    }

    fn corrupt(&self, produced: u64, reason: String) -> Error {
        Error::Corrupt { method: self.method, offset: self.file_offset + self.header_size, produced, reason }
    }
}
