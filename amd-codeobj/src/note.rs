//! ELF notes: owner, type, content. AMD's owners are "AMD" (code object v2) and "AMDGPU" (v3 and later).

use alloc::vec::Vec;

use crate::Error;
use crate::bytes::{slice, u32_at};

/// Owner and type of the MessagePack metadata of code objects v3 and later.
pub const METADATA: (&[u8], u32) = (b"AMDGPU", 32);
/// Owner and type of the YAML metadata of code objects v2.
pub const METADATA_V2: (&[u8], u32) = (b"AMD", 10);

/// Owner and type of the processor's version in code objects v2.
pub const ISA_VERSION_V2: (&[u8], u32) = (b"AMD", 3);

/// Major, minor and stepping of the processor, from the content of a note [`ISA_VERSION_V2`]: two lengths of names, the
/// three numbers, the names of vendor and architecture.
pub(crate) fn isa_version(note: &Note<'_>) -> Result<(u32, u32, u32), Error> {
    const WHAT: &str = "ISA version note";
    let number = |at| u32_at(note.desc, WHAT, at);
    Ok((number(4)?, number(8)?, number(12)?))
}

/// One note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Note<'a> {
    /// Its owner, without the NUL.
    pub owner: &'a [u8],
    /// Its type, which means something to the owner.
    pub kind: u32,
    /// Its content.
    pub desc: &'a [u8],
    /// Where the content starts in the file.
    pub desc_offset: u64,
}

/// The notes of a code object, read one by one; stops after the first error.
#[derive(Debug, Clone)]
pub struct Notes<'a> {
    pub(crate) data: &'a [u8],
    /// Regions of the file that hold notes: offset, size, alignment.
    pub(crate) regions: alloc::vec::IntoIter<(u64, u64, u64)>,
    pub(crate) at: u64,
    pub(crate) end: u64,
    pub(crate) align: u64,
}

impl<'a> Notes<'a> {
    pub(crate) fn new(data: &'a [u8], regions: Vec<(u64, u64, u64)>) -> Notes<'a> {
        Notes { data, regions: regions.into_iter(), at: 0, end: 0, align: 4 }
    }

    fn read(&mut self) -> Result<Note<'a>, Error> {
        let region = slice(self.data, "note", 0, self.end)?;
        let name_size = u64::from(u32_at(region, "note header", self.at)?);
        let desc_size = u64::from(u32_at(region, "note header", self.at + 4)?);
        let kind = u32_at(region, "note header", self.at + 8)?;
        let name_offset = self.at + 12;
        let name = slice(region, "note owner", name_offset, name_size)?;
        let desc_offset = pad(name_offset + name_size, self.align);
        let desc = slice(region, "note content", desc_offset, desc_size)?;
        self.at = pad(desc_offset + desc_size, self.align);
        Ok(Note { owner: name.strip_suffix(b"\0").unwrap_or(name), kind, desc, desc_offset })
    }

    fn stop(&mut self) {
        self.at = self.end;
        self.regions = Vec::new().into_iter();
    }
}

/// Sizes come from 32-bit fields inside a slice, so the sums do not come near the end of u64.
fn pad(offset: u64, align: u64) -> u64 {
    offset.saturating_add(align - 1) & !(align - 1)
}

impl<'a> Iterator for Notes<'a> {
    type Item = Result<Note<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.at >= self.end {
            let (offset, size, align) = self.regions.next()?;
            if let Err(error) = slice(self.data, "note segment", offset, size) {
                self.stop();
                return Some(Err(error));
            }
            (self.at, self.end, self.align) = (offset, offset + size, if align == 8 { 8 } else { 4 });
        }
        let note = self.read();
        if note.is_err() {
            self.stop();
        }
        Some(note)
    }
}
