//! Raw bundles: `__CLANG_OFFLOAD_BUNDLE__`, a table of entries, their bytes.
//! Answers to "Bundled Code Object Layout" in the manual of Clang's offload bundler.

use crate::bytes::Bytes;
use crate::{EntryId, Error, ImageKind};

const COUNT_OFFSET: u64 = 24;
const TABLE_OFFSET: u64 = 32;
/// Offset, size and length of the ID.
const RECORD_SIZE: u64 = 24;

/// A raw bundle. Its table has been checked from end to end: every ID is text, every entry's bytes are there.
#[derive(Debug, Clone, Copy)]
pub struct Bundle<'a> {
    bytes: Bytes<'a>,
    count: u64,
    total_size: u64,
}

/// One entry of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry<'a> {
    /// Its place in the table.
    pub index: usize,
    /// Its ID, taken apart.
    pub id: EntryId<'a>,
    /// Where its bytes start in the bundle.
    pub offset: u64,
    /// How many it has. Host entries of HIP have none.
    pub size: u64,
    /// The bytes.
    pub data: &'a [u8],
}

/// The entries of a bundle in table order.
#[derive(Debug, Clone)]
pub struct Entries<'a> {
    bytes: Bytes<'a>,
    at: u64,
    index: u64,
    count: u64,
}

impl<'a> Bundle<'a> {
    /// The first 24 bytes.
    pub const MAGIC: &'static [u8; 24] = b"__CLANG_OFFLOAD_BUNDLE__";

    /// Reads the table of a bundle. The data may extend past it: see [`Bundle::total_size`].
    pub fn parse(data: &'a [u8]) -> Result<Bundle<'a>, Error> {
        Bundle::parse_at(data, 0)
    }

    /// The same for a bundle that stands at some offset of a file: errors count from the start of the file.
    pub fn parse_at(data: &'a [u8], file_offset: u64) -> Result<Bundle<'a>, Error> {
        let bytes = Bytes::new(data, file_offset);
        let magic = data.get(..Self::MAGIC.len()).unwrap_or(data);
        if !Self::MAGIC.starts_with(magic) || magic.is_empty() {
            let found = data.iter().take(8).copied().collect();
            return Err(Error::UnknownMagic { offset: file_offset, found });
        }
        bytes.slice("bundle magic", 0, COUNT_OFFSET)?;
        let count = bytes.u64("bundle entry count", COUNT_OFFSET)?;
        let most = bytes.len().saturating_sub(TABLE_OFFSET) / RECORD_SIZE;
        if count > most {
            return Err(Error::TooManyEntries { offset: bytes.place(COUNT_OFFSET), count, most });
        }
        let mut walk = Entries { bytes, at: TABLE_OFFSET, index: 0, count };
        let mut end = TABLE_OFFSET;
        while walk.index < count {
            let entry = walk.read()?;
            if entry.size != 0 {
                end = end.max(entry.offset + entry.size);
            }
        }
        Ok(Bundle { bytes, count, total_size: end.max(walk.at) })
    }

    /// [`ImageKind::Raw`].
    pub fn kind(&self) -> ImageKind {
        ImageKind::Raw
    }

    /// From the magic to the end of the last entry's bytes: nothing in the header says it.
    pub fn total_size(&self) -> u64 {
        self.total_size
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// There are no entries.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The entries in table order.
    pub fn entries(&self) -> Entries<'a> {
        Entries { bytes: self.bytes, at: TABLE_OFFSET, index: 0, count: self.count }
    }
}

impl<'a> Entries<'a> {
    fn read(&mut self) -> Result<Entry<'a>, Error> {
        let (at, index) = (self.at, self.index);
        let offset = self.bytes.u64("bundle entry offset", at)?;
        let size = self.bytes.u64("bundle entry size", at + 8)?;
        let id_size = self.bytes.u64("bundle entry ID length", at + 16)?;
        let id_offset = at + RECORD_SIZE;
        let id = self.bytes.slice("bundle entry ID", id_offset, id_size)?;
        let id = std::str::from_utf8(id)
            .map_err(|_| Error::IdNotText { index, offset: self.bytes.place(id_offset) })?;
        let data = match size {
            0 => &[][..],
            _ => self.bytes.slice("entry", offset, size).map_err(|_| {
                let (at, have) = (self.bytes.place(at), self.bytes.len());
                Error::EntryOutOfBounds { index, id: id.to_owned(), at, offset, size, have }
            })?,
        };
        self.at = id_offset + id_size;
        self.index += 1;
        Ok(Entry { index: index as usize, id: EntryId::parse(id), offset, size, data })
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = Entry<'a>;

    fn next(&mut self) -> Option<Entry<'a>> {
        if self.index >= self.count {
            return None;
        }
        // `Bundle::parse` has read every record of this very data once.
        let entry = self.read().ok();
        if entry.is_none() {
            self.index = self.count;
        }
        entry
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = (self.count - self.index) as usize;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Entries<'_> {}
