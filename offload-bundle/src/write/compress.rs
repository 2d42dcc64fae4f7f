//! Compressing a bundle: a header that says the size, the size of the content and its hash, then one zlib or zstd stream.

use std::io::{self, Write};

use md5::{Digest, Md5};

use super::WriteError;
use crate::{Compressed, Method};

/// The versions of the compressed form that are written. Version 1 does not say where the bundle ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CcobVersion {
    /// Sizes of 32 bits. LLVM 19 and the runtimes of ROCm 6 read it.
    V2,
    /// Sizes of 64 bits. LLVM 21 and ROCm 7 read it.
    V3,
}

/// How to compress a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompressOptions {
    /// Which header.
    pub version: CcobVersion,
    /// Which compression.
    pub method: Method,
    /// How hard to try: zlib 0 to 9, zstd 1 to 22. None: what LLVM takes, 9 for zlib and 3 for zstd.
    pub level: Option<i32>,
    /// zstd only: look for repetitions far back. Code objects for related targets share much; LLVM does so too.
    pub long_distance: bool,
}

impl Default for CompressOptions {
    /// As LLVM 19 does it: version 2, which everybody reads, with zstd.
    fn default() -> Self {
        CompressOptions { version: CcobVersion::V2, method: Method::Zstd, level: None, long_distance: true }
    }
}

impl CompressOptions {
    /// Checks that the method has such a level.
    pub fn check(&self) -> Result<(), WriteError> {
        self.level().map(|_| ())
    }

    fn level(&self) -> Result<i32, WriteError> {
        let (least, most, usual) = match self.method {
            Method::Zlib => (0, 9, 9),
            Method::Zstd => (1, 22, 3),
        };
        let level = self.level.unwrap_or(usual);
        if !(least..=most).contains(&level) {
            return Err(WriteError::BadLevel { method: self.method, level, least, most });
        }
        Ok(level)
    }
}

/// Compresses the bytes of a raw bundle as they are.
pub fn compress(content: &[u8], options: &CompressOptions) -> Result<Vec<u8>, WriteError> {
    let mut packer = Packer::new(options, content.len() as u64)?;
    packer.write_all(content)?;
    let (mut bundle, packed) = packer.finish()?;
    bundle.extend(packed);
    Ok(bundle)
}

/// Takes a content of known size piece by piece: what is written to it is hashed and compressed.
pub(super) struct Packer {
    version: CcobVersion,
    method: Method,
    size: u64,
    hash: Md5,
    encoder: Encoder,
}

enum Encoder {
    Zlib(flate2::write::ZlibEncoder<Vec<u8>>),
    Zstd(zstd::stream::write::Encoder<'static, Vec<u8>>),
}

impl Packer {
    /// For a content of `size` bytes.
    pub(super) fn new(options: &CompressOptions, size: u64) -> Result<Packer, WriteError> {
        let level = options.level()?;
        if options.version == CcobVersion::V2 && u32::try_from(size).is_err() {
            return Err(WriteError::TooLargeForVersion2 { what: "a content", size });
        }
        let encoder = match options.method {
            Method::Zlib => {
                let level = flate2::Compression::new(level.unsigned_abs());
                Encoder::Zlib(flate2::write::ZlibEncoder::new(Vec::new(), level))
            }
            Method::Zstd => {
                let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), level)?;
                encoder.long_distance_matching(options.long_distance)?;
                encoder.set_pledged_src_size(Some(size))?;
                Encoder::Zstd(encoder)
            }
        };
        let (version, method) = (options.version, options.method);
        Ok(Packer { version, method, size, hash: Md5::new(), encoder })
    }

    /// The header, and what follows it.
    pub(super) fn finish(self) -> Result<(Vec<u8>, Vec<u8>), WriteError> {
        let packed = match self.encoder {
            Encoder::Zlib(encoder) => encoder.finish()?,
            Encoder::Zstd(encoder) => encoder.finish()?,
        };
        let method: u16 = match self.method {
            Method::Zlib => 0,
            Method::Zstd => 1,
        };
        let mut header = Compressed::MAGIC.to_vec();
        match self.version {
            CcobVersion::V2 => {
                let too_large = |what, size| WriteError::TooLargeForVersion2 { what, size };
                let total = packed.len() as u64 + 24;
                let total32 = u32::try_from(total).map_err(|_| too_large("a compressed bundle", total))?;
                let size32 = u32::try_from(self.size).map_err(|_| too_large("a content", self.size))?;
                header.extend(2u16.to_le_bytes());
                header.extend(method.to_le_bytes());
                header.extend(total32.to_le_bytes());
                header.extend(size32.to_le_bytes());
            }
            CcobVersion::V3 => {
                header.extend(3u16.to_le_bytes());
                header.extend(method.to_le_bytes());
                header.extend((packed.len() as u64 + 32).to_le_bytes());
                header.extend(self.size.to_le_bytes());
            }
        }
        // Read as a little-endian number, the first eight bytes of the digest are the hash: they are written as they are.
        header.extend(&self.hash.finalize()[..8]);
        Ok((header, packed))
    }
}

impl Write for Packer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = match &mut self.encoder {
            Encoder::Zlib(encoder) => encoder.write(bytes)?,
            Encoder::Zstd(encoder) => encoder.write(bytes)?,
        };
        self.hash.update(&bytes[..taken]);
        Ok(taken)
    }

    /// Nothing to do: the stream is complete with [`Packer::finish`], and a flush in between would cost compression.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
