//! What a fat binary is, by its first bytes, and walking over several that stand one after another in a section.

use std::fmt;

use amd_codeobj::CodeObject;

use crate::{Bundle, Compressed, Error};

/// What starts at some bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ImageKind {
    /// A raw bundle.
    Raw,
    /// A compressed bundle.
    Compressed {
        /// Its version.
        version: u16,
    },
    /// An ELF file.
    CodeObject,
}

impl fmt::Display for ImageKind {
    /// "raw", "ccob2", "code object".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImageKind::Raw => f.write_str("raw"),
            ImageKind::Compressed { version } => write!(f, "ccob{version}"),
            ImageKind::CodeObject => f.write_str("code object"),
        }
    }
}

/// A fat binary of any kind, opened.
#[derive(Debug, Clone)]
pub enum Image<'a> {
    /// A raw bundle.
    Raw(Bundle<'a>),
    /// A compressed bundle, still packed.
    Compressed(Compressed<'a>),
    /// A single code object without a bundle.
    CodeObject(Box<CodeObject<'a>>),
}

impl<'a> Image<'a> {
    /// Opens what starts at the first byte. The data may extend past it.
    pub fn recognise(data: &'a [u8]) -> Result<Image<'a>, Error> {
        if data.is_empty() {
            return Err(Error::Truncated { what: "fat binary", offset: 0, need: 4, have: 0 });
        }
        let starts = |magic: &[u8]| data.starts_with(magic) || magic.starts_with(data);
        if starts(Bundle::MAGIC) {
            Bundle::parse(data).map(Image::Raw)
        } else if starts(Compressed::MAGIC) {
            Compressed::parse(data).map(Image::Compressed)
        } else if starts(b"\x7fELF") {
            let object = CodeObject::parse(data).map_err(|source| Error::CodeObject { offset: 0, source })?;
            Ok(Image::CodeObject(Box::new(object)))
        } else {
            Err(Error::UnknownMagic { offset: 0, found: data.iter().take(8).copied().collect() })
        }
    }

    /// Which kind it is.
    pub fn kind(&self) -> ImageKind {
        match self {
            Image::Raw(bundle) => bundle.kind(),
            Image::Compressed(compressed) => compressed.kind(),
            Image::CodeObject(_) => ImageKind::CodeObject,
        }
    }

    /// How many bytes it takes.
    pub fn total_size(&self) -> Result<u64, Error> {
        match self {
            Image::Raw(bundle) => Ok(bundle.total_size()),
            Image::Compressed(compressed) => compressed.total_size(),
            Image::CodeObject(object) => Ok(object.file_size()),
        }
    }

    /// All fat binaries of a section: each by the size of the one before, over the zeros that align them. The magic is
    /// never searched for, since it may occur inside a payload.
    pub fn walk(section: &'a [u8]) -> Walk<'a> {
        Walk { section, at: 0 }
    }
}

/// A fat binary and its place in a section.
#[derive(Debug, Clone)]
pub struct Located<'a> {
    /// Where it starts.
    pub offset: u64,
    /// How many bytes it takes.
    pub size: u64,
    /// It.
    pub image: Image<'a>,
}

/// The fat binaries of a section, read one by one; stops after the first error. Offsets inside an error count from the
/// start of the fat binary that it is about, except for [`Error::UnknownMagic`] and [`Error::CodeObject`].
#[derive(Debug, Clone)]
pub struct Walk<'a> {
    section: &'a [u8],
    at: usize,
}

impl Walk<'_> {
    /// Where the next fat binary is looked for: after an error, where the one with the error starts.
    pub fn offset(&self) -> u64 {
        self.at as u64
    }
}

impl<'a> Iterator for Walk<'a> {
    type Item = Result<Located<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.section.get(self.at..)?;
        let Some(zeros) = rest.iter().position(|&byte| byte != 0) else {
            self.section = &[];
            return None;
        };
        self.at += zeros;
        let start = self.at as u64;
        let found = Image::recognise(&rest[zeros..]).and_then(|image| Ok((image.total_size()?, image)));
        match found {
            Ok((size, image)) => {
                // Every kind is at least as long as its magic, so the walk moves on.
                self.at = self.at.saturating_add(usize::try_from(size).unwrap_or(usize::MAX).max(1));
                Some(Ok(Located { offset: start, size, image }))
            }
            Err(error) => {
                self.section = &[];
                Some(Err(match error {
                    Error::UnknownMagic { found, .. } => Error::UnknownMagic { offset: start, found },
                    Error::CodeObject { source, .. } => Error::CodeObject { offset: start, source },
                    other => other,
                }))
            }
        }
    }
}
