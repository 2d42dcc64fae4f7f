//! Where in the metadata reading is, so that each refusal names the key that it is about.

use alloc::string::ToString;
use core::fmt;

use crate::Error;

/// A place in the document; printed only when something is wrong.
#[derive(Debug)]
pub(crate) enum Path<'p> {
    /// The root, with the note's offset in the file.
    Root(u64),
    /// A key of a map.
    Key(&'p Path<'p>, &'p str),
    /// An element of an array.
    Index(&'p Path<'p>, usize),
}

impl Path<'_> {
    pub(crate) fn key<'p>(&'p self, key: &'p str) -> Path<'p> {
        Path::Key(self, key)
    }

    fn offset(&self) -> u64 {
        match self {
            Path::Root(offset) => *offset,
            Path::Key(parent, _) | Path::Index(parent, _) => parent.offset(),
        }
    }

    pub(crate) fn bad(&self, found: impl fmt::Display, expected: &'static str) -> Error {
        Error::BadValue { offset: self.offset(), path: self.to_string(), found: found.to_string(), expected }
    }

    pub(crate) fn missing(&self) -> Error {
        Error::MissingKey { offset: self.offset(), path: self.to_string() }
    }

    pub(crate) fn duplicate(&self) -> Error {
        Error::DuplicateKey { offset: self.offset(), path: self.to_string() }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Path::Root(_) => f.write_str("the root"),
            // Keys start with a dot of their own, those of the root do not.
            Path::Key(Path::Root(_), key) => f.write_str(key),
            Path::Key(parent, key) => write!(f, "{parent}{key}"),
            Path::Index(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}
