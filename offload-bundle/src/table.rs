//! The table of a raw bundle: for each entry its offset, its size and its ID.
//! Answers to "Bundled Code Object Layout" in the manual of Clang's offload bundler.

use crate::bytes::Bytes;
use crate::{EntryId, Error};

const MAGIC: &[u8; 24] = b"__CLANG_OFFLOAD_BUNDLE__";
const COUNT_OFFSET: u64 = 24;
const TABLE_OFFSET: u64 = 32;
/// Offset, size and length of the ID.
const RECORD_SIZE: u64 = 24;

/// The table of a bundle, without its payload: what a listing needs. It has been checked from end to end: every ID is
/// text. Whether the entries' bytes are there is for [`Bundle`](crate::Bundle) to say.
#[derive(Debug, Clone, Copy)]
pub struct Table<'a> {
    pub(crate) bytes: Bytes<'a>,
    count: u64,
    end: u64,
}

/// What the table says of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record<'a> {
    /// Its place in the table.
    pub index: usize,
    /// Its ID, taken apart.
    pub id: EntryId<'a>,
    /// Where its bytes start in the bundle.
    pub offset: u64,
    /// How many it has.
    pub size: u64,
    /// Where this record stands in the file; for errors and findings.
    pub record_offset: u64,
}

/// The records of a table in order.
#[derive(Debug, Clone)]
pub struct Records<'a> {
    bytes: Bytes<'a>,
    at: u64,
    index: u64,
    count: u64,
}

impl<'a> Table<'a> {
    /// Reads the table of a bundle.
    pub fn parse(data: &'a [u8]) -> Result<Table<'a>, Error> {
        Table::parse_at(data, 0)
    }

    /// The same for a bundle that stands at some offset of a file: errors count from the start of the file.
    pub fn parse_at(data: &'a [u8], file_offset: u64) -> Result<Table<'a>, Error> {
        let bytes = Bytes::new(data, file_offset);
        let magic = data.get(..MAGIC.len()).unwrap_or(data);
        if !MAGIC.starts_with(magic) || magic.is_empty() {
            let found = data.iter().take(8).copied().collect();
            return Err(Error::UnknownMagic { offset: file_offset, found });
        }
        bytes.slice("bundle magic", 0, COUNT_OFFSET)?;
        let count = bytes.u64("bundle entry count", COUNT_OFFSET)?;
        let most = bytes.len().saturating_sub(TABLE_OFFSET) / RECORD_SIZE;
        if count > most {
            return Err(Error::TooManyEntries { offset: bytes.place(COUNT_OFFSET), count, most });
        }
        let mut records = Records { bytes, at: TABLE_OFFSET, index: 0, count };
        while records.index < count {
            records.read()?;
        }
        Ok(Table { bytes, count, end: records.at })
    }

    /// Bytes from the magic to the end of the table.
    pub fn size(&self) -> u64 {
        self.end
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// There are no entries.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// What it says of each entry.
    pub fn records(&self) -> Records<'a> {
        Records { bytes: self.bytes, at: TABLE_OFFSET, index: 0, count: self.count }
    }
}

impl<'a> Records<'a> {
    fn read(&mut self) -> Result<Record<'a>, Error> {
        let (at, index, bytes) = (self.at, self.index, self.bytes);
        let offset = bytes.u64("bundle entry offset", at)?;
        let size = bytes.u64("bundle entry size", at + 8)?;
        let id_size = bytes.u64("bundle entry ID length", at + 16)?;
        let id_offset = at + RECORD_SIZE;
        let id = bytes.slice("bundle entry ID", id_offset, id_size)?;
        let not_text = |_| Error::IdNotText { index, offset: bytes.place(id_offset) };
        let id = EntryId::parse(core::str::from_utf8(id).map_err(not_text)?);
        self.at = id_offset + id_size;
        self.index += 1;
        Ok(Record { index: index as usize, id, offset, size, record_offset: bytes.place(at) })
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Record<'a>> {
        if self.index >= self.count {
            return None;
        }
        // `Table::parse` has read every record of this very data once.
        let record = self.read().ok();
        if record.is_none() {
            self.index = self.count;
        }
        record
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = (self.count - self.index) as usize;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Records<'_> {}
impl core::iter::FusedIterator for Records<'_> {}
