//! Why a bundle cannot be made.

use crate::Method;

/// A bundle that was refused or could not be written, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// Two entries of one ID: readers would find the first only.
    #[error("entry {id} is there already: replace or remove it first")]
    DuplicateId {
        /// The ID.
        id: String,
    },
    /// An ID that readers would not understand.
    #[error("bad entry ID {id:?}: {why}")]
    BadId {
        /// The ID.
        id: String,
        /// What is wrong with it.
        why: String,
    },
    /// One processor with a feature pinned in one entry and left open in the other. Clang refuses it too: an agent
    /// would fit both.
    #[error(
        "entries {first} and {second} conflict: for one processor a feature is either on or off in every entry or in none"
    )]
    Conflict {
        /// The entry that was there.
        first: String,
        /// The one that was to be added.
        second: String,
    },
    /// There is no such entry to remove or replace.
    #[error("there is no entry {id}; there are: {}", if .have.is_empty() { "none".to_owned() } else { .have.join(", ") })]
    NoSuchEntry {
        /// The ID that was asked for.
        id: String,
        /// Those that are there.
        have: Vec<String>,
    },
    /// An alignment that is no power of two.
    #[error("bad alignment {align}: it must be a power of two, of at least 1")]
    BadAlignment {
        /// The number.
        align: u64,
    },
    /// The offsets do not fit 64 bits.
    #[error("the bundle is too large: with alignment {align} the offset of entry {id} does not fit 64 bits")]
    TooLarge {
        /// The entry that lies too far.
        id: String,
        /// The alignment.
        align: u64,
    },
    /// Version 2 of the compressed form counts in 32 bits.
    #[error("{what} of {size} bytes does not fit version 2 of the compressed form (4 GiB): use version 3")]
    TooLargeForVersion2 {
        /// "a content" or "a compressed bundle".
        what: &'static str,
        /// Its size.
        size: u64,
    },
    /// A compression level that the method does not have.
    #[error("bad compression level {level}: {method} has {least} to {most}")]
    BadLevel {
        /// The method.
        method: Method,
        /// The number.
        level: i32,
        /// The lowest.
        least: i32,
        /// The highest.
        most: i32,
    },
    /// The bytes cannot be compressed or written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}
