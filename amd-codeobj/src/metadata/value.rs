//! Typed reading of MessagePack values: each refusal names the path of the key that it is about.

use std::fmt;

use rmpv::{Value, ValueRef};

use crate::Error;

/// Where in the metadata we are; printed only when something is wrong.
pub(crate) enum Path<'p> {
    /// The root, with the note's offset in the file.
    Root(u64),
    /// A key of a map.
    Key(&'p Path<'p>, &'p str),
    /// An element of an array.
    Index(&'p Path<'p>, usize),
}

impl Path<'_> {
    pub(crate) fn key<'p>(&'p self, key: &'p str) -> Path<'p> {
        Path::Key(self, key)
    }

    fn offset(&self) -> u64 {
        match self {
            Path::Root(offset) => *offset,
            Path::Key(parent, _) | Path::Index(parent, _) => parent.offset(),
        }
    }

    pub(crate) fn bad(&self, found: impl fmt::Display, expected: &'static str) -> Error {
        Error::BadValue { offset: self.offset(), path: self.to_string(), found: found.to_string(), expected }
    }

    pub(crate) fn missing(&self) -> Error {
        Error::MissingKey { offset: self.offset(), path: self.to_string() }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Path::Root(_) => f.write_str("the root"),
            // Keys start with a dot of their own, those of the root do not.
            Path::Key(Path::Root(_), key) => f.write_str(key),
            Path::Key(parent, key) => write!(f, "{parent}{key}"),
            Path::Index(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}

/// What a value is, for messages.
pub(super) fn describe(value: &ValueRef<'_>) -> String {
    match value {
        ValueRef::Nil => "nil".to_owned(),
        ValueRef::Boolean(value) => value.to_string(),
        ValueRef::Integer(value) => value.to_string(),
        ValueRef::F32(_) | ValueRef::F64(_) => "a floating-point number".to_owned(),
        ValueRef::String(text) => match text.as_str() {
            Some(text) => format!("the string {:?}", text.chars().take(60).collect::<String>()),
            None => "a string that is not UTF-8".to_owned(),
        },
        ValueRef::Binary(_) => "binary data".to_owned(),
        ValueRef::Array(items) => format!("an array of {}", items.len()),
        ValueRef::Map(pairs) => format!("a map of {}", pairs.len()),
        ValueRef::Ext(..) => "an extension value".to_owned(),
    }
}

/// A type that a metadata value can have.
pub(crate) trait FromValue: Sized {
    fn from_value(value: ValueRef<'_>, path: &Path<'_>) -> Result<Self, Error>;
}

impl FromValue for u32 {
    fn from_value(value: ValueRef<'_>, path: &Path<'_>) -> Result<u32, Error> {
        let number = match &value {
            ValueRef::Integer(number) => number.as_u64().and_then(|number| u32::try_from(number).ok()),
            _ => None,
        };
        number.ok_or_else(|| path.bad(describe(&value), "an integer of 32 bits without sign"))
    }
}

impl FromValue for bool {
    /// Compilers write booleans, and 0 or 1 for some keys.
    fn from_value(value: ValueRef<'_>, path: &Path<'_>) -> Result<bool, Error> {
        match &value {
            ValueRef::Boolean(value) => Ok(*value),
            ValueRef::Integer(number) if number.as_u64().is_some_and(|number| number <= 1) => {
                Ok(number.as_u64() == Some(1))
            }
            _ => Err(path.bad(describe(&value), "a boolean")),
        }
    }
}

impl FromValue for String {
    fn from_value(value: ValueRef<'_>, path: &Path<'_>) -> Result<String, Error> {
        match &value {
            ValueRef::String(text) if text.is_str() => Ok(text.as_str().unwrap_or_default().to_owned()),
            _ => Err(path.bad(describe(&value), "a string")),
        }
    }
}

impl<T: FromValue> FromValue for Vec<T> {
    fn from_value(value: ValueRef<'_>, path: &Path<'_>) -> Result<Vec<T>, Error> {
        Ok(list(Some(value), path, T::from_value)?.unwrap_or_default())
    }
}

impl<const N: usize> FromValue for [u32; N] {
    fn from_value(value: ValueRef<'_>, path: &Path<'_>) -> Result<[u32; N], Error> {
        let found: Vec<u32> = FromValue::from_value(value, path)?;
        let length = found.len();
        found
            .try_into()
            .map_err(|_| path.bad(format!("an array of {length}"), "an array of the documented length"))
    }
}

/// The elements of an array, each read by `read`.
pub(crate) fn list<T>(
    value: Option<ValueRef<'_>>,
    path: &Path<'_>,
    read: impl Fn(ValueRef<'_>, &Path<'_>) -> Result<T, Error>,
) -> Result<Option<Vec<T>>, Error> {
    match value {
        None => Ok(None),
        Some(ValueRef::Array(items)) => {
            let read = |(index, item)| read(item, &Path::Index(path, index));
            items.into_iter().enumerate().map(read).collect::<Result<_, _>>().map(Some)
        }
        Some(other) => Err(path.bad(describe(&other), "an array")),
    }
}

/// A map whose known keys are taken out one by one; what is left is kept as unknown.
pub(crate) struct Map<'a>(Vec<(ValueRef<'a>, ValueRef<'a>)>);

impl<'a> Map<'a> {
    pub(crate) fn new(value: ValueRef<'a>, path: &Path<'_>) -> Result<Map<'a>, Error> {
        match value {
            ValueRef::Map(pairs) => Ok(Map(pairs)),
            other => Err(path.bad(describe(&other), "a map")),
        }
    }

    pub(crate) fn take(&mut self, key: &str) -> Option<ValueRef<'a>> {
        let is_key =
            |found: &ValueRef<'_>| matches!(found, ValueRef::String(text) if text.as_str() == Some(key));
        let index = self.0.iter().position(|(found, _)| is_key(found))?;
        Some(self.0.swap_remove(index).1)
    }

    pub(crate) fn optional<T: FromValue>(&mut self, key: &str, path: &Path<'_>) -> Result<Option<T>, Error> {
        self.take(key).map(|value| T::from_value(value, &path.key(key))).transpose()
    }

    pub(crate) fn required<T: FromValue>(&mut self, key: &str, path: &Path<'_>) -> Result<T, Error> {
        self.optional(key, path)?.ok_or_else(|| path.key(key).missing())
    }

    pub(crate) fn into_other(self, path: &Path<'_>) -> Result<Vec<(String, Value)>, Error> {
        let pair = |(key, value): (ValueRef<'_>, ValueRef<'_>)| match &key {
            ValueRef::String(text) if text.is_str() => {
                Ok((text.as_str().unwrap_or_default().to_owned(), value.to_owned()))
            }
            _ => Err(path.bad(describe(&key), "a string as a map's key")),
        };
        let mut other: Vec<(String, Value)> = self.0.into_iter().map(pair).collect::<Result<_, _>>()?;
        other.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(other)
    }
}
