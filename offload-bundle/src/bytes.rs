//! Checked access to the little-endian bytes of a file: the only way this crate reads. Errors count offsets from the
//! start of the file, wherever in it the bytes stand.

use core::ffi::CStr;

use crate::Error;

/// Some bytes, and where they stand in the file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bytes<'a> {
    pub data: &'a [u8],
    /// File offset of the first.
    pub base: u64,
}

impl<'a> Bytes<'a> {
    pub fn new(data: &'a [u8], base: u64) -> Bytes<'a> {
        Bytes { data, base }
    }

    pub fn len(&self) -> u64 {
        self.data.len() as u64
    }

    /// File offset of the byte at `offset`, for messages.
    pub fn place(&self, offset: u64) -> u64 {
        self.base.saturating_add(offset)
    }

    /// `size` bytes at `offset`, or the error that says where the data ends.
    pub fn slice(&self, what: &'static str, offset: u64, size: u64) -> Result<&'a [u8], Error> {
        let range = offset.checked_add(size).and_then(|end| {
            let (start, end) = (usize::try_from(offset).ok()?, usize::try_from(end).ok()?);
            self.data.get(start..end)
        });
        range.ok_or_else(|| Error::Truncated {
            what,
            offset: self.place(offset),
            need: size,
            have: self.place(self.len()),
        })
    }

    /// What follows `offset`; nothing if the data ends before it.
    pub fn from(&self, offset: u64) -> Bytes<'a> {
        let data = usize::try_from(offset).ok().and_then(|offset| self.data.get(offset..));
        Bytes { data: data.unwrap_or_default(), base: self.place(offset) }
    }

    fn array<const N: usize>(&self, what: &'static str, offset: u64) -> Result<[u8; N], Error> {
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.slice(what, offset, N as u64)?);
        Ok(bytes)
    }

    pub fn u16(&self, what: &'static str, offset: u64) -> Result<u16, Error> {
        Ok(u16::from_le_bytes(self.array(what, offset)?))
    }

    pub fn u32(&self, what: &'static str, offset: u64) -> Result<u32, Error> {
        Ok(u32::from_le_bytes(self.array(what, offset)?))
    }

    pub fn u64(&self, what: &'static str, offset: u64) -> Result<u64, Error> {
        Ok(u64::from_le_bytes(self.array(what, offset)?))
    }

    /// The NUL-terminated UTF-8 text at `offset`.
    pub fn text(&self, what: &'static str, offset: u64) -> Result<&'a str, Error> {
        let bad = |why| Error::Malformed { what, offset: self.place(offset), why };
        let rest = usize::try_from(offset).ok().and_then(|offset| self.data.get(offset..));
        let rest = rest.ok_or_else(|| bad("it starts past the end of its table"))?;
        let text = CStr::from_bytes_until_nul(rest).map_err(|_| bad("it has no end"))?;
        text.to_str().map_err(|_| bad("it is not UTF-8"))
    }
}
