//! Values of the metadata: as a tree, for keys that are not known here and for printing, and as the types of known keys.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use super::path::Path;
use super::reader::{Reader, Token};
use crate::Error;

/// A MessagePack value as it stands.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Nothing.
    Nil,
    /// `true` or `false`.
    Boolean(bool),
    /// An integer, zero or more.
    Unsigned(u64),
    /// An integer below zero.
    Negative(i64),
    /// A floating-point number (single precision is widened).
    Float(f64),
    /// Text.
    String(String),
    /// A string that is not UTF-8.
    RawString(Vec<u8>),
    /// Bytes.
    Binary(Vec<u8>),
    /// A list.
    Array(Vec<Value>),
    /// Keys and values, in the order of the file.
    Map(Vec<(Value, Value)>),
    /// An extension: its type and its bytes.
    Ext(i8, Vec<u8>),
}

impl Value {
    /// Reads a whole document into a tree; `offset` is its place in the file, for errors.
    pub fn parse(bytes: &[u8], offset: u64) -> Result<Value, Error> {
        Value::read(&mut Reader::new(bytes, offset), 0)
    }

    /// The next value, inside `depth` containers.
    pub(crate) fn read(reader: &mut Reader<'_>, depth: usize) -> Result<Value, Error> {
        Ok(match reader.token_within(depth)? {
            Token::Nil => Value::Nil,
            Token::Boolean(value) => Value::Boolean(value),
            Token::Unsigned(value) => Value::Unsigned(value),
            Token::Negative(value) => Value::Negative(value),
            Token::Float(value) => Value::Float(value),
            Token::Str(text) => Value::String(text.to_owned()),
            Token::RawStr(bytes) => Value::RawString(bytes.to_vec()),
            Token::Binary(bytes) => Value::Binary(bytes.to_vec()),
            Token::Ext(kind, bytes) => Value::Ext(kind, bytes.to_vec()),
            Token::Array(count) => {
                let mut items = Vec::with_capacity(count);
                for _ in 0..count {
                    items.push(Value::read(reader, depth + 1)?);
                }
                Value::Array(items)
            }
            Token::Map(count) => {
                let mut pairs = Vec::with_capacity(count);
                for _ in 0..count {
                    pairs.push((Value::read(reader, depth + 1)?, Value::read(reader, depth + 1)?));
                }
                Value::Map(pairs)
            }
        })
    }

    /// The text, if it is a string.
    pub fn as_str(&self) -> Option<&str> {
        if let Value::String(text) = self { Some(text) } else { None }
    }

    /// The number, if it is an integer of zero or more.
    pub fn as_u64(&self) -> Option<u64> {
        if let Value::Unsigned(number) = self { Some(*number) } else { None }
    }

    /// The value of a key, if this is a map that has it.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let Value::Map(pairs) = self else { return None };
        pairs.iter().find(|(found, _)| found.as_str() == Some(key)).map(|(_, value)| value)
    }
}

/// A type that a metadata value can have.
pub(crate) trait FromMetadata: Sized {
    /// Least bytes that one takes in the file: bounds what is allocated for a list before it is read.
    const LEAST_BYTES: usize = 1;

    fn read(reader: &mut Reader<'_>, path: &Path<'_>) -> Result<Self, Error>;
}

impl FromMetadata for u32 {
    fn read(reader: &mut Reader<'_>, path: &Path<'_>) -> Result<u32, Error> {
        let token = reader.token()?;
        let number = if let Token::Unsigned(number) = token { u32::try_from(number).ok() } else { None };
        number.ok_or_else(|| path.bad(token.describe(), "an integer of 32 bits without sign"))
    }
}

impl FromMetadata for bool {
    /// Compilers write booleans, and 0 or 1 for some keys.
    fn read(reader: &mut Reader<'_>, path: &Path<'_>) -> Result<bool, Error> {
        match reader.token()? {
            Token::Boolean(value) => Ok(value),
            Token::Unsigned(number @ (0 | 1)) => Ok(number == 1),
            other => Err(path.bad(other.describe(), "a boolean")),
        }
    }
}

/// The text of a string.
pub(crate) fn text<'a>(reader: &mut Reader<'a>, path: &Path<'_>) -> Result<&'a str, Error> {
    match reader.token()? {
        Token::Str(text) => Ok(text),
        other => Err(path.bad(other.describe(), "a string")),
    }
}

impl FromMetadata for String {
    fn read(reader: &mut Reader<'_>, path: &Path<'_>) -> Result<String, Error> {
        text(reader, path).map(str::to_owned)
    }
}

impl<T: FromMetadata> FromMetadata for Vec<T> {
    fn read(reader: &mut Reader<'_>, path: &Path<'_>) -> Result<Vec<T>, Error> {
        let count = reader.array(path)?;
        let mut list = Vec::with_capacity(reader.capacity(count, T::LEAST_BYTES));
        for index in 0..count {
            list.push(T::read(reader, &Path::Index(path, index))?);
        }
        Ok(list)
    }
}

impl<const N: usize> FromMetadata for [u32; N] {
    fn read(reader: &mut Reader<'_>, path: &Path<'_>) -> Result<[u32; N], Error> {
        let count = reader.array(path)?;
        if count != N {
            let found = Token::Array(count).describe();
            return Err(path.bad(found, "an array of the documented length"));
        }
        let mut list = [0; N];
        for (index, item) in list.iter_mut().enumerate() {
            *item = u32::read(reader, &Path::Index(path, index))?;
        }
        Ok(list)
    }
}

/// Keys that are not known, by name; one that stands twice is refused.
pub(crate) fn sorted(
    mut other: Vec<(String, Value)>,
    path: &Path<'_>,
) -> Result<Vec<(String, Value)>, Error> {
    other.sort_by(|a, b| a.0.cmp(&b.0));
    match other.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => Err(path.key(&pair[0].0).duplicate()),
        None => Ok(other),
    }
}

/// Reads a map into a struct in one pass: a key that is known goes to its field, others to `other`. A field is `required`,
/// `optional` (an `Option`), or takes its type's default where the key is absent. A key that stands twice is refused.
macro_rules! read_map {
    ($reader:expr, $path:expr, $type:ident { $($field:ident: $key:literal $need:ident,)* }) => {{
        let (reader, path): (&mut Reader<'_>, &Path<'_>) = ($reader, $path);
        $(let mut $field = None;)*
        let mut other = alloc::vec::Vec::new();
        for _ in 0..reader.map(path)? {
            match reader.key(path)? {
                $($key => {
                    let path = path.key($key);
                    if $field.is_some() {
                        return Err(path.duplicate());
                    }
                    $field = Some(FromMetadata::read(reader, &path)?);
                })*
                unknown => other.push((alloc::string::String::from(unknown), Value::read(reader, 0)?)),
            }
        }
        $type {
            $($field: read_map!(@$need $field, path.key($key)),)*
            other: sorted(other, path)?,
        }
    }};
    (@required $field:ident, $path:expr) => { $field.ok_or_else(|| $path.missing())? };
    (@optional $field:ident, $path:expr) => { $field };
    (@default $field:ident, $path:expr) => { $field.unwrap_or_default() };
}
pub(crate) use read_map;
