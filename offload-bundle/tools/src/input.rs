//! A file that holds fat binaries, and one of them opened: unpacked if need be, its entries at hand.

use std::path::Path;

use offload_bundle::{Bundle, Container, Entry, EntryId, Image, ImageKind, Located, code_id};

use crate::{Error, File};

/// A file that holds fat binaries.
pub(crate) struct Input {
    file: File,
}

/// A fat binary of a file.
pub(crate) struct Found<'a> {
    /// How many stand before it in the file.
    pub index: usize,
    /// Where it stands.
    pub located: Located<'a>,
    /// Its bytes, packed if it is.
    pub bytes: &'a [u8],
}

/// The entries of a fat binary.
pub(crate) struct Opened<'a>(Content<'a>);

enum Content<'a> {
    Raw(Bundle<'a>),
    Unpacked(Vec<u8>),
    /// A code object without a bundle, and the ID that it would have in one.
    Bare(&'a [u8], String),
}

impl Input {
    /// Maps a file.
    pub fn open(path: &Path) -> Result<Input, Error> {
        Ok(Input { file: File::open(path)? })
    }

    /// The file's name, as it was given.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// For `map_err`: an error of the library about this file.
    pub fn error(&self, source: offload_bundle::Error) -> Error {
        Error::Bundle { path: self.path().to_owned(), source }
    }

    /// The file's fat binaries one by one. Stops after the first error; a file without any has that for an error.
    pub fn images(&self) -> impl Iterator<Item = Result<Found<'_>, Error>> {
        let (images, error) = match Container::parse(&self.file) {
            Ok(container) => (Some(container.images()), None),
            Err(error) => (None, Some(Err(error))),
        };
        let mut index = 0;
        let mut all = error.into_iter().chain(images.into_iter().flatten());
        let mut end = false;
        std::iter::from_fn(move || {
            if end {
                return None;
            }
            let found = match all.next() {
                Some(Ok(located)) => Ok(self.found(index, located)),
                Some(Err(error)) => Err(self.error(error)),
                None if index == 0 => Err(self.nothing()),
                None => return None,
            };
            index += 1;
            end = found.is_err();
            Some(found)
        })
    }

    fn found<'a>(&'a self, index: usize, located: Located<'a>) -> Found<'a> {
        let end = located.offset.saturating_add(located.size);
        let bytes = match (usize::try_from(located.offset), usize::try_from(end)) {
            (Ok(start), Ok(end)) => self.file.get(start..end).unwrap_or_default(),
            _ => &[],
        };
        Found { index, located, bytes }
    }

    fn nothing(&self) -> Error {
        Error::Other(format!("{}: no fat binary in it", self.path().display()))
    }
}

impl<'a> Found<'a> {
    /// Raw, compressed, or a code object.
    pub fn kind(&self) -> ImageKind {
        self.located.image.kind()
    }

    /// Opens it; a compressed one that has more than `limit` bytes is refused.
    pub fn open(&self, limit: u64) -> Result<Opened<'a>, offload_bundle::Error> {
        Ok(Opened(match &self.located.image {
            Image::Raw(bundle) => Content::Raw(*bundle),
            Image::Compressed(compressed) => Content::Unpacked(compressed.decompress(limit)?),
            Image::CodeObject(object) => {
                let offset = self.located.offset;
                let target = object
                    .target_id()
                    .map_err(|source| offload_bundle::Error::CodeObject { offset, source })?;
                Content::Bare(self.bytes, code_id(&target))
            }
            _ => {
                let (offset, way_out) = (self.located.offset, "a newer version of this tool may");
                return Err(offload_bundle::Error::Unsupported {
                    what: "this kind of image",
                    offset,
                    way_out,
                });
            }
        }))
    }
}

impl Opened<'_> {
    /// The entries in order. A code object without a bundle is one, with the ID that it would have in a bundle.
    pub fn entries(&self) -> Result<Vec<Entry<'_>>, offload_bundle::Error> {
        Ok(match &self.0 {
            Content::Raw(bundle) => bundle.entries().collect(),
            Content::Unpacked(content) => Bundle::parse(content)?.entries().collect(),
            Content::Bare(data, id) => {
                let size = data.len() as u64;
                vec![Entry { index: 0, id: EntryId::parse(id), offset: 0, size, data }]
            }
        })
    }
}
