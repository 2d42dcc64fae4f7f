//! A bundle in the making: entries in order, then the table and the bytes.

use std::borrow::Cow;
use std::io::{self, Write};

use amd_codeobj::TargetId;

use super::compress::Packer;
use super::id::conflict;
use super::{CompressOptions, HOST_ID, WriteError, check_id, code_id};
use crate::{Bundle, EntryId};

/// Magic and count, then 24 bytes and the ID for each entry.
const TABLE_OFFSET: u64 = 32;
const RECORD_SIZE: u64 = 24;

/// An entry of a bundle to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEntry<'a> {
    id: Cow<'a, str>,
    bytes: Cow<'a, [u8]>,
}

impl NewEntry<'_> {
    /// Its ID.
    pub fn id(&self) -> EntryId<'_> {
        EntryId::parse(&self.id)
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Makes a bundle.
///
/// ```
/// use offload_bundle::{Bundle, BundleBuilder, CompressOptions};
/// let mut builder = BundleBuilder::new();
/// builder.add_host()?.add("hipv4-amdgcn-amd-amdhsa--gfx90a", b"code")?;
/// let raw = builder.to_vec()?;
/// assert_eq!(Bundle::parse(&raw).unwrap().len(), 2);
/// builder.write_compressed(&CompressOptions::default(), std::io::sink())?;
/// # Ok::<(), offload_bundle::WriteError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleBuilder<'a> {
    entries: Vec<NewEntry<'a>>,
    align: u64,
}

impl Default for BundleBuilder<'_> {
    fn default() -> Self {
        BundleBuilder::new()
    }
}

impl<'a> BundleBuilder<'a> {
    /// What HIP's compilers align code objects to, in bytes: a loader can map them.
    pub const DEFAULT_ALIGN: u64 = 4096;

    /// No entries yet, aligned to [`BundleBuilder::DEFAULT_ALIGN`].
    pub fn new() -> Self {
        BundleBuilder { entries: Vec::new(), align: Self::DEFAULT_ALIGN }
    }

    /// Begins with the entries of a bundle as they stand: see [`BundleBuilder::from_entries`].
    pub fn from_bundle(bundle: &Bundle<'a>) -> Self {
        BundleBuilder::from_entries(bundle.entries().map(|entry| (entry.id.text, entry.data)))
    }

    /// Begins with entries from elsewhere, by ID and bytes. What is there already is not judged, so that whatever can be
    /// read can be repacked.
    pub fn from_entries<I, B>(entries: impl IntoIterator<Item = (I, B)>) -> Self
    where
        I: Into<Cow<'a, str>>,
        B: Into<Cow<'a, [u8]>>,
    {
        let entry = |(id, bytes): (I, B)| NewEntry { id: id.into(), bytes: bytes.into() };
        BundleBuilder { entries: entries.into_iter().map(entry).collect(), align: Self::DEFAULT_ALIGN }
    }

    /// Aligns every entry's bytes to so many bytes, a power of two.
    pub fn align(&mut self, align: u64) -> Result<&mut Self, WriteError> {
        if !align.is_power_of_two() {
            return Err(WriteError::BadAlignment { align });
        }
        self.align = align;
        Ok(self)
    }

    /// Adds the empty host entry that HIP's bundles begin with, in first place.
    pub fn add_host(&mut self) -> Result<&mut Self, WriteError> {
        let host = self.checked(HOST_ID.into(), Cow::Borrowed(&[]))?;
        self.entries.insert(0, host);
        Ok(self)
    }

    /// Adds an entry behind the others. Refused: an ID that is there already, one that [`check_id`] refuses, and one
    /// that pins other features of a processor than the entries that are there.
    pub fn add(
        &mut self,
        id: impl Into<Cow<'a, str>>,
        bytes: impl Into<Cow<'a, [u8]>>,
    ) -> Result<&mut Self, WriteError> {
        let entry = self.checked(id.into(), bytes.into())?;
        self.entries.push(entry);
        Ok(self)
    }

    /// Adds HIP code for a target: see [`BundleBuilder::add`].
    pub fn add_code(
        &mut self,
        target: &TargetId,
        bytes: impl Into<Cow<'a, [u8]>>,
    ) -> Result<&mut Self, WriteError> {
        self.add(code_id(target), bytes)
    }

    /// Gives an entry other bytes, in its place, and returns the old ones.
    pub fn replace(
        &mut self,
        id: &str,
        bytes: impl Into<Cow<'a, [u8]>>,
    ) -> Result<Cow<'a, [u8]>, WriteError> {
        let place = self.place(id)?;
        Ok(std::mem::replace(&mut self.entries[place].bytes, bytes.into()))
    }

    /// Takes an entry out.
    pub fn remove(&mut self, id: &str) -> Result<NewEntry<'a>, WriteError> {
        let place = self.place(id)?;
        Ok(self.entries.remove(place))
    }

    /// The entries in order.
    pub fn entries(&self) -> &[NewEntry<'a>] {
        &self.entries
    }

    /// How many bytes the raw bundle will have.
    pub fn size(&self) -> Result<u64, WriteError> {
        Ok(self.layout()?.1)
    }

    /// Writes the raw bundle and returns its size. Nothing is written if it cannot be laid out.
    pub fn write(&self, mut to: impl Write) -> Result<u64, WriteError> {
        let (offsets, size) = self.layout()?;
        to.write_all(Bundle::MAGIC)?;
        to.write_all(&(self.entries.len() as u64).to_le_bytes())?;
        for (entry, offset) in self.entries.iter().zip(&offsets) {
            for word in [*offset, entry.bytes.len() as u64, entry.id.len() as u64] {
                to.write_all(&word.to_le_bytes())?;
            }
            to.write_all(entry.id.as_bytes())?;
        }
        let mut at = self.table_end();
        for (entry, offset) in self.entries.iter().zip(offsets) {
            io::copy(&mut io::Read::take(io::repeat(0), offset - at), &mut to)?;
            to.write_all(&entry.bytes)?;
            at = offset + entry.bytes.len() as u64;
        }
        to.flush()?;
        Ok(size)
    }

    /// The raw bundle in memory; an alignment that asks for more than there is, is an error of the system.
    pub fn to_vec(&self) -> Result<Vec<u8>, WriteError> {
        let mut bytes = Vec::new();
        let out_of_memory = io::Error::from(io::ErrorKind::OutOfMemory);
        match usize::try_from(self.size()?).map(|size| bytes.try_reserve_exact(size)) {
            Ok(Ok(())) => {}
            _ => return Err(out_of_memory.into()),
        }
        self.write(&mut bytes)?;
        Ok(bytes)
    }

    /// Writes the bundle compressed and returns its size. Only the compressed form is held in memory, never the raw
    /// one; nothing is written if it cannot be made.
    pub fn write_compressed(&self, options: &CompressOptions, mut to: impl Write) -> Result<u64, WriteError> {
        let mut packer = Packer::new(options, self.size()?)?;
        self.write(&mut packer)?;
        let (header, packed) = packer.finish()?;
        to.write_all(&header)?;
        to.write_all(&packed)?;
        to.flush()?;
        Ok((header.len() + packed.len()) as u64)
    }

    /// Where each entry's bytes go, and where the last ends.
    fn layout(&self) -> Result<(Vec<u64>, u64), WriteError> {
        let mut offsets = Vec::with_capacity(self.entries.len());
        let mut end = self.table_end();
        for entry in &self.entries {
            let too_large = || WriteError::TooLarge { id: entry.id.clone().into_owned(), align: self.align };
            let offset = end.checked_next_multiple_of(self.align).ok_or_else(too_large)?;
            end = offset.checked_add(entry.bytes.len() as u64).ok_or_else(too_large)?;
            offsets.push(offset);
        }
        Ok((offsets, end))
    }

    /// IDs in memory are far from filling 64 bits.
    fn table_end(&self) -> u64 {
        TABLE_OFFSET + self.entries.iter().map(|entry| RECORD_SIZE + entry.id.len() as u64).sum::<u64>()
    }

    fn place(&self, id: &str) -> Result<usize, WriteError> {
        self.entries.iter().position(|entry| entry.id == id).ok_or_else(|| WriteError::NoSuchEntry {
            id: id.to_owned(),
            have: self.entries.iter().map(|entry| entry.id.clone().into_owned()).collect(),
        })
    }

    fn checked(&self, id: Cow<'a, str>, bytes: Cow<'a, [u8]>) -> Result<NewEntry<'a>, WriteError> {
        check_id(&id)?;
        if self.entries.iter().any(|entry| entry.id == id) {
            return Err(WriteError::DuplicateId { id: id.into_owned() });
        }
        if let Some(first) = self.entries.iter().find(|entry| conflict(&entry.id, &id)) {
            return Err(WriteError::Conflict { first: first.id.to_string(), second: id.into_owned() });
        }
        Ok(NewEntry { id, bytes })
    }
}
