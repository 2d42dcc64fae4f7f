//! Raw bundles: `__CLANG_OFFLOAD_BUNDLE__`, a table of entries, their bytes.
//! Answers to "Bundled Code Object Layout" in the manual of Clang's offload bundler.

use alloc::borrow::ToOwned;

use crate::table::Records;
use crate::{EntryId, Error, ImageKind, Record, Table};

/// A raw bundle. Its table has been checked from end to end: every ID is text, every entry's bytes are there.
///
/// Entries may overlap each other and the table: a reader takes each by its offset, as LLVM's and the HIP runtime do.
/// [`Bundle::check`] tells of it.
#[derive(Debug, Clone, Copy)]
pub struct Bundle<'a> {
    pub(crate) table: Table<'a>,
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
    table: Table<'a>,
    records: Records<'a>,
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
        let table = Table::parse_at(data, file_offset)?;
        let mut total_size = table.size();
        for record in table.records() {
            let entry = Entry::new(&table, record)?;
            if entry.size != 0 {
                total_size = total_size.max(entry.offset + entry.size);
            }
        }
        Ok(Bundle { table, total_size })
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
        self.table.len()
    }

    /// There are no entries.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// Its table alone.
    pub fn table(&self) -> Table<'a> {
        self.table
    }

    /// The entries in table order.
    pub fn entries(&self) -> Entries<'a> {
        Entries { table: self.table, records: self.table.records() }
    }
}

impl<'a> Entry<'a> {
    fn new(table: &Table<'a>, record: Record<'a>) -> Result<Entry<'a>, Error> {
        let Record { index, id, offset, size, record_offset } = record;
        let data = match size {
            // Wherever it should be: HIP's host entries stand at the offset of the first code object.
            0 => &[][..],
            _ => table.bytes.slice("entry", offset, size).map_err(|_| {
                let (id, have) = (id.text.to_owned(), table.bytes.len());
                Error::EntryOutOfBounds { index: index as u64, id, at: record_offset, offset, size, have }
            })?,
        };
        Ok(Entry { index, id, offset, size, data })
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = Entry<'a>;

    fn next(&mut self) -> Option<Entry<'a>> {
        // `Bundle::parse` has found the bytes of every entry of this very data once.
        Entry::new(&self.table, self.records.next()?).ok()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.records.size_hint()
    }
}

impl ExactSizeIterator for Entries<'_> {}
impl core::iter::FusedIterator for Entries<'_> {}
