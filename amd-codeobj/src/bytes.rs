//! Checked access to little-endian bytes: the only way this crate reads from a file.

use core::ffi::CStr;

use crate::Error;

/// `size` bytes at `offset`, or the error that says where the data ends.
pub(crate) fn slice<'a>(
    data: &'a [u8],
    what: &'static str,
    offset: u64,
    size: u64,
) -> Result<&'a [u8], Error> {
    let truncated = Error::Truncated { what, offset, need: size, have: data.len() as u64 };
    let Some(end) = offset.checked_add(size) else { return Err(truncated) };
    let (Ok(start), Ok(end)) = (usize::try_from(offset), usize::try_from(end)) else { return Err(truncated) };
    data.get(start..end).ok_or(truncated)
}

pub(crate) fn array<const N: usize>(data: &[u8], what: &'static str, offset: u64) -> Result<[u8; N], Error> {
    let mut bytes = [0; N];
    bytes.copy_from_slice(slice(data, what, offset, N as u64)?);
    Ok(bytes)
}

pub(crate) fn u16_at(data: &[u8], what: &'static str, offset: u64) -> Result<u16, Error> {
    Ok(u16::from_le_bytes(array(data, what, offset)?))
}

pub(crate) fn u32_at(data: &[u8], what: &'static str, offset: u64) -> Result<u32, Error> {
    Ok(u32::from_le_bytes(array(data, what, offset)?))
}

pub(crate) fn u64_at(data: &[u8], what: &'static str, offset: u64) -> Result<u64, Error> {
    Ok(u64::from_le_bytes(array(data, what, offset)?))
}

pub(crate) fn i64_at(data: &[u8], what: &'static str, offset: u64) -> Result<i64, Error> {
    Ok(i64::from_le_bytes(array(data, what, offset)?))
}

/// The NUL-terminated UTF-8 name at `index` of a string table that starts at file offset `table_offset`.
pub(crate) fn name_at<'a>(
    table: &'a [u8],
    table_offset: u64,
    what: &'static str,
    index: u64,
) -> Result<&'a str, Error> {
    let bad = |why| Error::BadString { what, offset: table_offset.saturating_add(index), why };
    let rest = usize::try_from(index).ok().and_then(|index| table.get(index..));
    let rest = rest.ok_or_else(|| bad("its index is past the end of the string table"))?;
    let name = CStr::from_bytes_until_nul(rest).map_err(|_| bad("no NUL before the string table ends"))?;
    name.to_str().map_err(|_| bad("not UTF-8"))
}

/// Bits `low..=high` of a word.
pub(crate) const fn bits(word: u32, high: u32, low: u32) -> u32 {
    (word >> low) & (u32::MAX >> (31 - (high - low)))
}

/// Bit `n` of a word.
pub(crate) const fn bit(word: u32, n: u32) -> bool {
    (word >> n) & 1 != 0
}
