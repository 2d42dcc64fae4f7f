//! MessagePack, read token by token: bounded in depth and memory, and no tree where the reader knows what comes.
//! Answers to the MessagePack specification; the format bytes are `rmp`'s.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};

use rmp::Marker;

use super::MAX_DEPTH;
use super::path::Path;
use crate::Error;

/// One token: a scalar with its content, or the head of a container with its number of elements.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Token<'a> {
    Nil,
    Boolean(bool),
    /// An integer that fits 64 bits without sign.
    Unsigned(u64),
    /// An integer below zero.
    Negative(i64),
    Float(f64),
    /// A string that is UTF-8.
    Str(&'a str),
    /// A string that is not.
    RawStr(&'a [u8]),
    Binary(&'a [u8]),
    Ext(i8, &'a [u8]),
    Array(usize),
    /// Pairs of key and value.
    Map(usize),
}

impl Token<'_> {
    /// What it is, for messages.
    pub(crate) fn describe(&self) -> String {
        match *self {
            Token::Nil => "nil".to_owned(),
            Token::Boolean(value) => value.to_string(),
            Token::Unsigned(value) => value.to_string(),
            Token::Negative(value) => value.to_string(),
            Token::Float(_) => "a floating-point number".to_owned(),
            Token::Str(text) => format!("the string {:?}", text.chars().take(60).collect::<String>()),
            Token::RawStr(_) => "a string that is not UTF-8".to_owned(),
            Token::Binary(_) => "binary data".to_owned(),
            Token::Ext(..) => "an extension value".to_owned(),
            Token::Array(count) => format!("an array of {count}"),
            Token::Map(count) => format!("a map of {count}"),
        }
    }
}

/// Where reading is in a document.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Place of `bytes` in the file, for errors.
    offset: u64,
    /// Elements of open containers that are still to come. Each takes a byte at least, so that a container that claims
    /// more than there are bytes is refused before anything is allocated for it, however they are nested.
    pending: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8], offset: u64) -> Reader<'a> {
        Reader { bytes, at: 0, offset, pending: 1 }
    }

    fn error(&self, at: usize, reason: &'static str) -> Error {
        Error::MessagePack { offset: self.offset.saturating_add(at as u64), reason }
    }

    /// Capacity for `count` elements of which each takes `least` bytes, as far as the bytes that are left allow.
    pub(crate) fn capacity(&self, count: usize, least: usize) -> usize {
        count.min((self.bytes.len() - self.at) / least)
    }

    fn take(&mut self, start: usize, count: usize) -> Result<&'a [u8], Error> {
        let end = self.at.checked_add(count);
        let taken = end.and_then(|end| self.bytes.get(self.at..end));
        let taken = taken.ok_or_else(|| self.error(start, "it ends inside a value"))?;
        self.at += count;
        Ok(taken)
    }

    /// A big-endian number of `N` bytes.
    fn number<const N: usize>(&mut self, start: usize) -> Result<u64, Error> {
        let mut bytes = [0; 8];
        bytes[8 - N..].copy_from_slice(self.take(start, N)?);
        Ok(u64::from_be_bytes(bytes))
    }

    fn signed<const N: usize>(&mut self, start: usize) -> Result<Token<'a>, Error> {
        let shift = 64 - 8 * N as u32;
        let value = (self.number::<N>(start)? << shift).cast_signed() >> shift;
        Ok(u64::try_from(value).map_or(Token::Negative(value), Token::Unsigned))
    }

    fn text(&mut self, start: usize, length: u64) -> Result<Token<'a>, Error> {
        let bytes = self.content(start, length)?;
        Ok(core::str::from_utf8(bytes).map_or(Token::RawStr(bytes), Token::Str))
    }

    fn content(&mut self, start: usize, length: u64) -> Result<&'a [u8], Error> {
        self.take(start, usize::try_from(length).unwrap_or(usize::MAX))
    }

    fn extension(&mut self, start: usize, length: u64) -> Result<Token<'a>, Error> {
        let kind = self.number::<1>(start)? as u8;
        Ok(Token::Ext(kind.cast_signed(), self.content(start, length)?))
    }

    /// Opens a container of `count` entries of `each` values.
    fn container(&mut self, start: usize, count: u64, each: usize) -> Result<usize, Error> {
        let left = self.bytes.len() - self.at;
        let count = usize::try_from(count).ok();
        let pending = count.and_then(|count| count.checked_mul(each)?.checked_add(self.pending));
        match (count, pending.filter(|&pending| pending <= left)) {
            (Some(count), Some(pending)) => {
                self.pending = pending;
                Ok(count)
            }
            _ => Err(self.error(start, "a container has more elements than there are bytes left")),
        }
    }

    /// The next token.
    pub(crate) fn token(&mut self) -> Result<Token<'a>, Error> {
        let start = self.at;
        let marker = Marker::from_u8(self.number::<1>(start)? as u8);
        self.pending = self.pending.saturating_sub(1);
        let length = match marker {
            Marker::FixStr(length) => return self.text(start, length.into()),
            Marker::FixPos(value) => return Ok(Token::Unsigned(value.into())),
            Marker::FixNeg(value) => return Ok(Token::Negative(value.into())),
            Marker::FixMap(count) => return self.container(start, count.into(), 2).map(Token::Map),
            Marker::FixArray(count) => return self.container(start, count.into(), 1).map(Token::Array),
            Marker::Null => return Ok(Token::Nil),
            Marker::True => return Ok(Token::Boolean(true)),
            Marker::False => return Ok(Token::Boolean(false)),
            Marker::U8 => return self.number::<1>(start).map(Token::Unsigned),
            Marker::U16 => return self.number::<2>(start).map(Token::Unsigned),
            Marker::U32 => return self.number::<4>(start).map(Token::Unsigned),
            Marker::U64 => return self.number::<8>(start).map(Token::Unsigned),
            Marker::I8 => return self.signed::<1>(start),
            Marker::I16 => return self.signed::<2>(start),
            Marker::I32 => return self.signed::<4>(start),
            Marker::I64 => return self.signed::<8>(start),
            Marker::F32 => {
                return self.number::<4>(start).map(|bits| Token::Float(f32::from_bits(bits as u32).into()));
            }
            Marker::F64 => return self.number::<8>(start).map(|bits| Token::Float(f64::from_bits(bits))),
            Marker::FixExt1 => 1,
            Marker::FixExt2 => 2,
            Marker::FixExt4 => 4,
            Marker::FixExt8 => 8,
            Marker::FixExt16 => 16,
            Marker::Str8 | Marker::Bin8 | Marker::Ext8 => self.number::<1>(start)?,
            Marker::Str16 | Marker::Bin16 | Marker::Ext16 | Marker::Array16 | Marker::Map16 => {
                self.number::<2>(start)?
            }
            Marker::Str32 | Marker::Bin32 | Marker::Ext32 | Marker::Array32 | Marker::Map32 => {
                self.number::<4>(start)?
            }
            Marker::Reserved => return Err(self.error(start, "the byte 0xc1 means nothing")),
        };
        match marker {
            Marker::Str8 | Marker::Str16 | Marker::Str32 => self.text(start, length),
            Marker::Bin8 | Marker::Bin16 | Marker::Bin32 => self.content(start, length).map(Token::Binary),
            Marker::Array16 | Marker::Array32 => self.container(start, length, 1).map(Token::Array),
            Marker::Map16 | Marker::Map32 => self.container(start, length, 2).map(Token::Map),
            _ => self.extension(start, length),
        }
    }

    /// The next token inside `depth` containers: none opens where the limit is reached.
    pub(crate) fn token_within(&mut self, depth: usize) -> Result<Token<'a>, Error> {
        let start = self.at;
        match self.token()? {
            Token::Array(_) | Token::Map(_) if depth >= MAX_DEPTH => {
                Err(self.error(start, "it nests too deep"))
            }
            token => Ok(token),
        }
    }

    /// The head of a map.
    pub(crate) fn map(&mut self, path: &Path<'_>) -> Result<usize, Error> {
        match self.token()? {
            Token::Map(count) => Ok(count),
            other => Err(path.bad(other.describe(), "a map")),
        }
    }

    /// The head of an array.
    pub(crate) fn array(&mut self, path: &Path<'_>) -> Result<usize, Error> {
        match self.token()? {
            Token::Array(count) => Ok(count),
            other => Err(path.bad(other.describe(), "an array")),
        }
    }

    /// A key of a map: a string.
    pub(crate) fn key(&mut self, path: &Path<'_>) -> Result<&'a str, Error> {
        match self.token()? {
            Token::Str(key) => Ok(key),
            other => Err(path.bad(other.describe(), "a string as a map's key")),
        }
    }
}
