//! What can be wrong with a fat binary. Each variant names the thing that was read and its offset.

use crate::Method;

/// A fat binary that cannot be read, and where reading stopped. Offsets count from the first byte of the bundle.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The data ends inside something.
    #[error("truncated {what}: {need} bytes at offset {offset:#x}, but the data ends at {have:#x}")]
    Truncated {
        /// What was being read.
        what: &'static str,
        /// Where it starts.
        offset: u64,
        /// How many bytes it takes.
        need: u64,
        /// Length of the data.
        have: u64,
    },
    /// Neither a bundle, nor a compressed bundle, nor an ELF file.
    #[error(
        "not a fat binary: {found:02x?} at offset {offset:#x} starts no bundle, compressed bundle or ELF file"
    )]
    UnknownMagic {
        /// Where it stands.
        offset: u64,
        /// The first bytes.
        found: Vec<u8>,
    },
    /// More entries than the data could hold.
    #[error("bad bundle: entry count {count} at offset 0x18, but the data has room for at most {most}")]
    TooManyEntries {
        /// The number in the header.
        count: u64,
        /// The most that fit.
        most: u64,
    },
    /// An entry whose bytes are not all there.
    #[error(
        "entry {index} ({id}) at offset {at:#x} claims bytes {offset:#x} + {size:#x}, but the data ends at {have:#x}"
    )]
    EntryOutOfBounds {
        /// Which entry.
        index: u64,
        /// Its ID.
        id: String,
        /// Where its table record starts.
        at: u64,
        /// Where its bytes should start.
        offset: u64,
        /// How many bytes it should have.
        size: u64,
        /// Length of the data.
        have: u64,
    },
    /// An entry ID that is not UTF-8.
    #[error("the ID of entry {index} at offset {offset:#x} is not UTF-8")]
    IdNotText {
        /// Which entry.
        index: u64,
        /// Where the ID starts.
        offset: u64,
    },
    /// A compressed bundle of a version that is not known.
    #[error("unknown version {version} of a compressed bundle at offset 0x4 (1, 2 and 3 are known)")]
    UnknownVersion {
        /// The number found.
        version: u16,
    },
    /// A compression method that is not known.
    #[error("unknown compression method {method} at offset 0x6 (0 is zlib, 1 is zstd)")]
    UnknownMethod {
        /// The number found.
        method: u16,
    },
    /// A size in the header of a compressed bundle that cannot be.
    #[error("bad {what} {value} at offset {offset:#x} of a compressed bundle: {why}")]
    BadSize {
        /// Which size.
        what: &'static str,
        /// Where it stands.
        offset: u64,
        /// Its value.
        value: u64,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The bundle unpacks to more than the caller allows.
    #[error("the compressed bundle unpacks to {size} bytes, more than the limit of {limit}")]
    TooLarge {
        /// What the header says.
        size: u64,
        /// The caller's bound.
        limit: u64,
    },
    /// The compressed data is corrupt.
    #[error(
        "corrupt {method} data at offset {offset:#x} of a compressed bundle, after {produced} bytes: {reason}"
    )]
    Corrupt {
        /// The method.
        method: Method,
        /// Where the data starts.
        offset: u64,
        /// How much could be unpacked.
        produced: u64,
        /// What the library says.
        reason: String,
    },
    /// The data unpacks to another number of bytes than the header says.
    #[error(
        "the compressed bundle unpacks to {relation} {found} bytes, its header at offset {offset:#x} says {expected}"
    )]
    WrongLength {
        /// "at least" or "only".
        relation: &'static str,
        /// Bytes that came out.
        found: u64,
        /// Where the header's number stands.
        offset: u64,
        /// The header's number.
        expected: u64,
    },
    /// The unpacked bytes are not those that were packed.
    #[error(
        "the compressed bundle's hash at offset {offset:#x} is {expected:016x}, its content has {found:016x}"
    )]
    WrongHash {
        /// Where the hash stands.
        offset: u64,
        /// The header's hash.
        expected: u64,
        /// The content's.
        found: u64,
    },
    /// The ELF file among the bundles cannot be read.
    #[error("code object at offset {offset:#x}: {source}")]
    CodeObject {
        /// Where it starts.
        offset: u64,
        /// What is wrong with it.
        source: amd_codeobj::Error,
    },
    /// A wrapper that is not one.
    #[error("bad fat binary wrapper: {what} at offset {offset:#x} is {found:#x}")]
    BadWrapper {
        /// The field.
        what: &'static str,
        /// Its offset in the wrapper.
        offset: u64,
        /// Its value.
        found: u64,
    },
}

/// `size` bytes at `offset`, or the error that says where the data ends.
pub(crate) fn slice<'a>(
    data: &'a [u8],
    what: &'static str,
    offset: u64,
    size: u64,
) -> Result<&'a [u8], Error> {
    let truncated = Error::Truncated { what, offset, need: size, have: data.len() as u64 };
    let Some(end) = offset.checked_add(size) else { return Err(truncated) };
    let (Ok(start), Ok(end)) = (usize::try_from(offset), usize::try_from(end)) else { return Err(truncated) };
    data.get(start..end).ok_or(truncated)
}

fn array<const N: usize>(data: &[u8], what: &'static str, offset: u64) -> Result<[u8; N], Error> {
    let mut bytes = [0; N];
    bytes.copy_from_slice(slice(data, what, offset, N as u64)?);
    Ok(bytes)
}

pub(crate) fn u16_at(data: &[u8], what: &'static str, offset: u64) -> Result<u16, Error> {
    Ok(u16::from_le_bytes(array(data, what, offset)?))
}

pub(crate) fn u32_at(data: &[u8], what: &'static str, offset: u64) -> Result<u32, Error> {
    Ok(u32::from_le_bytes(array(data, what, offset)?))
}

pub(crate) fn u64_at(data: &[u8], what: &'static str, offset: u64) -> Result<u64, Error> {
    Ok(u64::from_le_bytes(array(data, what, offset)?))
}
