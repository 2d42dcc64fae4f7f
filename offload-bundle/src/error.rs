//! What can be wrong with a fat binary. Each variant names the thing that was read and its offset.

use alloc::string::String;
use alloc::vec::Vec;

use crate::Method;

/// A fat binary that cannot be read, and where reading stopped. Offsets count from the start of the file (or of the
/// bytes that were given); inside what was unpacked, from the start of that.
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
    /// Neither a bundle, nor a compressed bundle, nor an ELF file, nor a `.kpack` archive.
    #[error(
        "not a fat binary: {found:02x?} at offset {offset:#x} starts no bundle, compressed bundle, ELF file or .kpack archive"
    )]
    UnknownMagic {
        /// Where it stands.
        offset: u64,
        /// The first bytes.
        found: Vec<u8>,
    },
    /// More entries than the data could hold.
    #[error(
        "bad bundle: entry count {count} at offset {offset:#x}, but the data has room for at most {most}"
    )]
    TooManyEntries {
        /// Where the number stands.
        offset: u64,
        /// The number in the header.
        count: u64,
        /// The most that fit.
        most: u64,
    },
    /// An entry whose bytes are not all there.
    #[error(
        "entry {index} ({id}) at offset {at:#x} claims bytes {offset:#x} + {size:#x} of its bundle, but the data ends at {have:#x}"
    )]
    EntryOutOfBounds {
        /// Which entry.
        index: u64,
        /// Its ID.
        id: String,
        /// Where its table record starts.
        at: u64,
        /// Where its bytes should start in the bundle.
        offset: u64,
        /// How many bytes it should have.
        size: u64,
        /// Length of the data, from the start of the bundle.
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
    #[error("unknown version {version} of a compressed bundle at offset {offset:#x} (1, 2 and 3 are known)")]
    UnknownVersion {
        /// Where it stands.
        offset: u64,
        /// The number found.
        version: u16,
    },
    /// A compression method that is not known.
    #[error("unknown compression method {method} at offset {offset:#x} (0 is zlib, 1 is zstd)")]
    UnknownMethod {
        /// Where it stands.
        offset: u64,
        /// The number found.
        method: u16,
    },
    /// A field of a header holds a value that cannot be.
    #[error("bad {what} at offset {offset:#x}: {value:#x} ({why})")]
    BadField {
        /// Which field.
        what: &'static str,
        /// Where it stands.
        offset: u64,
        /// Its value.
        value: u64,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Something that is not written as it should be.
    #[error("bad {what} at offset {offset:#x}: {why}")]
    Malformed {
        /// What it is.
        what: &'static str,
        /// Where it starts.
        offset: u64,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A key that has to be in a MessagePack map is not.
    #[error("the {what} at offset {offset:#x} lacks {key}")]
    MissingKey {
        /// What the map is.
        what: &'static str,
        /// Where it starts.
        offset: u64,
        /// The key.
        key: &'static str,
    },
    /// Something that is recognised but not read here.
    #[error("{what} at offset {offset:#x} is not read: {way_out}")]
    Unsupported {
        /// The thing.
        what: &'static str,
        /// Where it starts.
        offset: u64,
        /// What can be done.
        way_out: &'static str,
    },
    /// So many zeros that they do not align anything.
    #[error("more than {limit} zeros at offset {offset:#x}, where a fat binary should start")]
    Padding {
        /// Where they start.
        offset: u64,
        /// The most that are skipped.
        limit: u64,
    },
    /// The bundle unpacks to more than the caller allows.
    #[error("{what} at offset {offset:#x} unpacks to {size} bytes, more than the limit of {limit}")]
    TooLarge {
        /// What is packed.
        what: &'static str,
        /// Where it starts.
        offset: u64,
        /// What the header says.
        size: u64,
        /// The caller's bound.
        limit: u64,
    },
    /// The compressed data is corrupt.
    #[error("corrupt {method} data at offset {offset:#x}, after {produced} unpacked bytes: {reason}")]
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
    /// This build of the library does not unpack the method.
    #[error(
        "{size} bytes in {method} at offset {offset:#x} are not unpacked: build with the cargo feature {method}"
    )]
    NotBuilt {
        /// The method, which is the feature's name.
        method: Method,
        /// Where the packed data starts.
        offset: u64,
        /// What it unpacks to.
        size: u64,
    },
    /// The data unpacks to another number of bytes than was promised.
    #[error(
        "the data unpacks to {relation} {found} bytes, but {expected} are promised at offset {offset:#x}"
    )]
    WrongLength {
        /// "at least" or "only".
        relation: &'static str,
        /// Bytes that came out.
        found: u64,
        /// Where the promise stands.
        offset: u64,
        /// The promise.
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

impl Error {
    /// Where in the file the thing stands that the error is about.
    pub fn offset(&self) -> u64 {
        match *self {
            Error::Truncated { offset, .. }
            | Error::UnknownMagic { offset, .. }
            | Error::TooManyEntries { offset, .. }
            | Error::EntryOutOfBounds { at: offset, .. }
            | Error::IdNotText { offset, .. }
            | Error::UnknownVersion { offset, .. }
            | Error::UnknownMethod { offset, .. }
            | Error::BadField { offset, .. }
            | Error::Malformed { offset, .. }
            | Error::MissingKey { offset, .. }
            | Error::Unsupported { offset, .. }
            | Error::Padding { offset, .. }
            | Error::TooLarge { offset, .. }
            | Error::Corrupt { offset, .. }
            | Error::NotBuilt { offset, .. }
            | Error::WrongLength { offset, .. }
            | Error::WrongHash { offset, .. }
            | Error::CodeObject { offset, .. }
            | Error::BadWrapper { offset, .. } => offset,
        }
    }
}
