//! Raw and compressed bundles. Answers to "Bundled Code Object Layout" and "Compression and Decompression" in the manual
//! of Clang's offload bundler.

use std::io::Write;

use md5::{Digest, Md5};

/// How a bundle is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// Method 0.
    Zlib,
    /// Method 1.
    Zstd,
}

/// A raw bundle: IDs and bytes in this order, the bytes of each entry aligned.
pub fn raw(entries: &[(&str, &[u8])], align: usize) -> Vec<u8> {
    let table: usize = entries.iter().map(|(id, _)| 24 + id.len()).sum();
    let mut at = 32 + table;
    let mut bytes = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    bytes.extend((entries.len() as u64).to_le_bytes());
    for (id, data) in entries {
        at = at.next_multiple_of(align);
        for word in [at, data.len(), id.len()] {
            bytes.extend((word as u64).to_le_bytes());
        }
        bytes.extend(id.as_bytes());
        at += data.len();
    }
    for (_, data) in entries {
        bytes.resize(bytes.len().next_multiple_of(align), 0);
        bytes.extend(*data);
    }
    bytes
}

/// Bytes as a zlib stream or a Zstandard frame.
pub fn pack(packing: Packing, content: &[u8]) -> Vec<u8> {
    match packing {
        Packing::Zlib => {
            let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
            encoder.write_all(content).expect("memory can be written");
            encoder.finish().expect("memory can be written")
        }
        Packing::Zstd => zstd::encode_all(content, 3).expect("memory can be read"),
    }
}

/// A compressed bundle of a version (1, 2 or 3).
pub fn compress(version: u16, packing: Packing, content: &[u8]) -> Vec<u8> {
    compress_as(version, packing, &pack(packing, content), content.len() as u64, &Md5::digest(content))
}

/// A compressed bundle whose header says what it is told to say. `hash` has at least eight bytes.
pub fn compress_as(version: u16, packing: Packing, packed: &[u8], size: u64, hash: &[u8]) -> Vec<u8> {
    let mut bytes = b"CCOB".to_vec();
    bytes.extend(version.to_le_bytes());
    bytes.extend(u16::from(packing == Packing::Zstd).to_le_bytes());
    match version {
        1 => bytes.extend((size as u32).to_le_bytes()),
        2 => {
            bytes.extend((packed.len() as u32 + 24).to_le_bytes());
            bytes.extend((size as u32).to_le_bytes());
        }
        _ => {
            bytes.extend((packed.len() as u64 + 32).to_le_bytes());
            bytes.extend(size.to_le_bytes());
        }
    }
    bytes.extend(&hash[..8]);
    bytes.extend(packed);
    bytes
}
