//! What a fat binary is, by its first bytes.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use core::fmt;

use amd_codeobj::CodeObject;

use crate::kpack::{Archive, Reference};
use crate::{Bundle, Compressed, Entry, Error, Walk};

/// What starts at some bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
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
    /// A `.kpack` archive.
    Kpack,
    /// A reference to `.kpack` archives.
    KpackReference,
    /// An entry in a section of its own.
    Entry,
}

impl fmt::Display for ImageKind {
    /// "raw", "ccob2", "code object".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImageKind::Raw => f.write_str("raw"),
            ImageKind::Compressed { version } => write!(f, "ccob{version}"),
            ImageKind::CodeObject => f.write_str("code object"),
            ImageKind::Kpack => f.write_str("kpack"),
            ImageKind::KpackReference => f.write_str("kpack reference"),
            ImageKind::Entry => f.write_str("entry"),
        }
    }
}

/// A fat binary of any kind, opened.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Image<'a> {
    /// A raw bundle.
    Raw(Bundle<'a>),
    /// A compressed bundle, still packed.
    Compressed(Compressed<'a>),
    /// A single code object without a bundle.
    CodeObject(Box<CodeObject<'a>>),
    /// A `.kpack` archive.
    Kpack(Box<Archive<'a>>),
    /// A reference to `.kpack` archives, which a program has in place of fat binaries. It has no magic: it is found by
    /// its section.
    KpackReference(Reference<'a>),
    /// An entry that no bundle holds yet, found by its section: objects of `-fgpu-rdc -c` have bitcode there.
    Entry(Entry<'a>),
}

impl<'a> Image<'a> {
    /// Opens what starts at the first byte. The data may extend past it.
    pub fn recognise(data: &'a [u8]) -> Result<Image<'a>, Error> {
        Image::recognise_at(data, 0)
    }

    /// The same for something that stands at some offset of a file: errors count from the start of the file.
    pub fn recognise_at(data: &'a [u8], file_offset: u64) -> Result<Image<'a>, Error> {
        let offset = file_offset;
        if data.is_empty() {
            return Err(Error::Truncated { what: "fat binary", offset, need: 4, have: offset });
        }
        let starts = |magic: &[u8]| data.starts_with(magic) || magic.starts_with(data);
        if starts(Bundle::MAGIC) {
            Bundle::parse_at(data, offset).map(Image::Raw)
        } else if starts(Compressed::MAGIC) {
            Compressed::parse_at(data, offset).map(Image::Compressed)
        } else if starts(b"\x7fELF") {
            let object = CodeObject::parse(data).map_err(|source| Error::CodeObject { offset, source })?;
            Ok(Image::CodeObject(Box::new(object)))
        } else if starts(Archive::MAGIC) {
            Ok(Image::Kpack(Box::new(Archive::parse_at(data, offset)?)))
        } else if is_textual(data) {
            let way_out = "take it apart with clang-offload-bundler -unbundle -type=s (ii, ll)";
            Err(Error::Unsupported { what: "a textual bundle", offset, way_out })
        } else {
            Err(Error::UnknownMagic { offset, found: data.iter().take(8).copied().collect() })
        }
    }

    /// The bytes of the bundle in it, unpacked if they are packed, for [`Bundle::parse`]; `None` if it is no bundle. One
    /// that unpacks to more than `limit` bytes is refused.
    pub fn bundle_bytes(&self, limit: u64) -> Result<Option<Cow<'a, [u8]>>, Error> {
        match self {
            Image::Raw(bundle) => Ok(Some(Cow::Borrowed(bundle.table.bytes.data))),
            Image::Compressed(compressed) => compressed.decompress(limit).map(Cow::Owned).map(Some),
            _ => Ok(None),
        }
    }

    /// Which kind it is.
    pub fn kind(&self) -> ImageKind {
        match self {
            Image::Raw(bundle) => bundle.kind(),
            Image::Compressed(compressed) => compressed.kind(),
            Image::CodeObject(_) => ImageKind::CodeObject,
            Image::Kpack(_) => ImageKind::Kpack,
            Image::KpackReference(_) => ImageKind::KpackReference,
            Image::Entry(_) => ImageKind::Entry,
        }
    }

    /// How many bytes it takes.
    pub fn total_size(&self) -> Result<u64, Error> {
        match self {
            Image::Raw(bundle) => Ok(bundle.total_size()),
            Image::Compressed(compressed) => compressed.total_size(),
            Image::CodeObject(object) => Ok(object.file_size()),
            Image::Kpack(archive) => Ok(archive.total_size()),
            Image::KpackReference(reference) => Ok(reference.size()),
            Image::Entry(entry) => Ok(entry.size),
        }
    }

    /// All fat binaries of a section: each by the size of the one before, over the zeros that align them. The magic is
    /// never searched for, since it may occur inside a payload.
    pub fn walk(section: &'a [u8]) -> Walk<'a> {
        Walk::new(section, 0)
    }
}

/// Assembly, LLVM's text or preprocessed source of several targets, each behind a comment of that language.
fn is_textual(data: &[u8]) -> bool {
    let line = data.trim_ascii_start();
    let comment = ["#", ";", "//"].iter().find_map(|start| line.strip_prefix(start.as_bytes()));
    comment.is_some_and(|text| text.starts_with(b" __CLANG_OFFLOAD_BUNDLE____START__ "))
}
