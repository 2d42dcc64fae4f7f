//! MessagePack, read in place: strings are borrowed, containers are walked over without being built, so that neither
//! depth nor a count in a header costs memory. Answers to the MessagePack specification; `rmp` knows its markers.

use rmp::Marker;

use crate::Error;
use crate::bytes::Bytes;

/// A place in some MessagePack.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reader<'a> {
    bytes: Bytes<'a>,
    at: u64,
    /// What is read, for messages.
    what: &'static str,
}

/// A value; of a container only its head: the elements follow.
enum Value<'a> {
    Map(u32),
    Array(u32),
    Text(&'a [u8]),
    Unsigned(u64),
    Other,
}

impl<'a> Reader<'a> {
    pub fn new(bytes: Bytes<'a>, what: &'static str) -> Reader<'a> {
        Reader { bytes, at: 0, what }
    }

    /// Bytes read so far.
    pub fn position(&self) -> u64 {
        self.at
    }

    /// File offset of what comes next.
    pub fn place(&self) -> u64 {
        self.bytes.place(self.at)
    }

    /// An error about the value that starts at a file offset.
    pub fn bad(&self, offset: u64, why: &'static str) -> Error {
        Error::Malformed { what: self.what, offset, why }
    }

    fn take(&mut self, size: u64) -> Result<&'a [u8], Error> {
        let bytes = self.bytes.slice(self.what, self.at, size)?;
        self.at += size;
        Ok(bytes)
    }

    fn number(&mut self, size: u64) -> Result<u64, Error> {
        Ok(self.take(size)?.iter().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    fn count(&mut self, size: u64) -> Result<u32, Error> {
        // Two or four bytes: it fits.
        Ok(self.number(size)? as u32)
    }

    fn value(&mut self) -> Result<Value<'a>, Error> {
        let start = self.place();
        let marker = Marker::from_u8(self.take(1)?[0]);
        Ok(match marker {
            Marker::FixPos(number) => Value::Unsigned(number.into()),
            Marker::U8 => Value::Unsigned(self.number(1)?),
            Marker::U16 => Value::Unsigned(self.number(2)?),
            Marker::U32 => Value::Unsigned(self.number(4)?),
            Marker::U64 => Value::Unsigned(self.number(8)?),
            Marker::FixMap(count) => Value::Map(count.into()),
            Marker::Map16 => Value::Map(self.count(2)?),
            Marker::Map32 => Value::Map(self.count(4)?),
            Marker::FixArray(count) => Value::Array(count.into()),
            Marker::Array16 => Value::Array(self.count(2)?),
            Marker::Array32 => Value::Array(self.count(4)?),
            Marker::FixStr(size) => Value::Text(self.take(size.into())?),
            Marker::Str8 => Value::Text(self.sized(1)?),
            Marker::Str16 => Value::Text(self.sized(2)?),
            Marker::Str32 => Value::Text(self.sized(4)?),
            Marker::Null | Marker::True | Marker::False | Marker::FixNeg(_) => Value::Other,
            Marker::I8 => self.other(1)?,
            Marker::I16 => self.other(2)?,
            Marker::I32 | Marker::F32 => self.other(4)?,
            Marker::I64 | Marker::F64 => self.other(8)?,
            Marker::Bin8 => self.other_sized(1, 0)?,
            Marker::Bin16 => self.other_sized(2, 0)?,
            Marker::Bin32 => self.other_sized(4, 0)?,
            // One byte says which extension it is.
            Marker::FixExt1 => self.other(1 + 1)?,
            Marker::FixExt2 => self.other(1 + 2)?,
            Marker::FixExt4 => self.other(1 + 4)?,
            Marker::FixExt8 => self.other(1 + 8)?,
            Marker::FixExt16 => self.other(1 + 16)?,
            Marker::Ext8 => self.other_sized(1, 1)?,
            Marker::Ext16 => self.other_sized(2, 1)?,
            Marker::Ext32 => self.other_sized(4, 1)?,
            Marker::Reserved => return Err(self.bad(start, "byte c1 is no MessagePack")),
        })
    }

    fn sized(&mut self, bytes: u64) -> Result<&'a [u8], Error> {
        let size = self.number(bytes)?;
        self.take(size)
    }

    fn other(&mut self, size: u64) -> Result<Value<'a>, Error> {
        self.take(size).map(|_| Value::Other)
    }

    fn other_sized(&mut self, bytes: u64, more: u64) -> Result<Value<'a>, Error> {
        let size = self.number(bytes)? + more;
        self.other(size)
    }

    /// Passes over one value with everything in it.
    pub fn skip(&mut self) -> Result<(), Error> {
        let mut left: u64 = 1;
        while left > 0 {
            left -= 1;
            left = left.saturating_add(match self.value()? {
                Value::Map(count) => 2 * u64::from(count),
                Value::Array(count) => count.into(),
                _ => 0,
            });
        }
        Ok(())
    }

    /// A map's number of pairs; keys and values follow.
    pub fn map(&mut self) -> Result<u32, Error> {
        let start = self.place();
        match self.value()? {
            Value::Map(count) => Ok(count),
            _ => Err(self.bad(start, "a map was expected")),
        }
    }

    /// An array's length; the elements follow.
    pub fn array(&mut self) -> Result<u32, Error> {
        let start = self.place();
        match self.value()? {
            Value::Array(count) => Ok(count),
            _ => Err(self.bad(start, "an array was expected")),
        }
    }

    pub fn text(&mut self) -> Result<&'a str, Error> {
        let start = self.place();
        match self.value()? {
            Value::Text(text) => {
                core::str::from_utf8(text).map_err(|_| self.bad(start, "text that is not UTF-8"))
            }
            _ => Err(self.bad(start, "text was expected")),
        }
    }

    pub fn unsigned(&mut self) -> Result<u64, Error> {
        let start = self.place();
        match self.value()? {
            Value::Unsigned(number) => Ok(number),
            _ => Err(self.bad(start, "a number that is not negative was expected")),
        }
    }
}
