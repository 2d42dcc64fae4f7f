//! One conversion of `printf`, done by the C library: `snprintf` with a specification that this file builds itself, so
//! that nothing a device sends can make the C library read an argument that is not there.

#![allow(
    unsafe_code,
    reason = "snprintf is variadic; the specification and its one argument are made to agree here"
)]

use std::ffi::{CString, c_char, c_int};

/// Wider than this nothing is padded: a device that asks for more is in error, and the host's memory is at stake.
pub const WIDEST: i32 = 1 << 20;

/// The value of one conversion.
#[derive(Debug, Clone, Copy)]
pub enum Value<'a> {
    /// For `d i`, and with its sign dropped `o u x X`.
    Integer(i64),
    /// For `c`.
    Character(u8),
    /// For `e f g a` and their capitals.
    Float(f64),
    /// For `p`.
    Pointer(u64),
    /// For `s`: text that ends at its first NUL, or at its end.
    Text(&'a [u8]),
}

/// A parsed conversion specification without its length modifier.
#[derive(Debug, Clone, Copy)]
pub struct Spec<'a> {
    /// Some of `-+ #0'`.
    pub flags: &'a [u8],
    /// The least number of characters; negative means left-justified.
    pub width: Option<i32>,
    /// The precision; negative means none.
    pub precision: Option<i32>,
    /// The conversion letter, one that fits the value.
    pub conversion: u8,
}

/// Appends what the C library makes of `value`.
pub fn append(out: &mut Vec<u8>, spec: &Spec<'_>, value: Value<'_>) {
    let mut text = vec![b'%'];
    text.extend(spec.flags.iter().filter(|flag| b"-+ #0'".contains(flag)));
    // A negative width is a '-' flag; a negative precision is none.
    if spec.width.is_some_and(|width| width < 0) {
        text.push(b'-');
    }
    let width = spec.width.map(|width| width.saturating_abs().min(WIDEST));
    let precision = spec.precision.filter(|precision| *precision >= 0).map(|precision| precision.min(WIDEST));
    if let Some(width) = width.filter(|width| *width > 0) {
        text.extend(width.to_string().bytes());
    }
    if let Some(precision) = precision {
        text.push(b'.');
        text.extend(precision.to_string().bytes());
    }
    let allowed: &[u8] = match value {
        Value::Integer(_) => {
            text.extend(b"ll");
            b"dioux X"
        }
        Value::Character(_) => b"c",
        Value::Float(_) => b"fFeEgGaA",
        Value::Pointer(_) => b"p",
        Value::Text(_) => b"s",
    };
    if !allowed.contains(&spec.conversion) || spec.conversion == b' ' {
        return;
    }
    text.push(spec.conversion);
    let Ok(format) = CString::new(text) else { return };
    let string;
    match value {
        Value::Integer(value) => print(out, |to, len| {
            // SAFETY: `to` holds `len` bytes; the format has one conversion, of a `long long`.
            unsafe { libc::snprintf(to, len, format.as_ptr(), value) }
        }),
        Value::Character(value) => print(out, |to, len| {
            // SAFETY: as above, with an `int`.
            unsafe { libc::snprintf(to, len, format.as_ptr(), c_int::from(value)) }
        }),
        Value::Float(value) => print(out, |to, len| {
            // SAFETY: as above, with a `double`.
            unsafe { libc::snprintf(to, len, format.as_ptr(), value) }
        }),
        Value::Pointer(value) => print(out, |to, len| {
            // SAFETY: as above, with a pointer, which is printed and not followed.
            unsafe {
                libc::snprintf(to, len, format.as_ptr(), std::ptr::without_provenance::<u8>(value as usize))
            }
        }),
        Value::Text(bytes) => {
            let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
            string = CString::new(&bytes[..end]).unwrap_or_default();
            print(out, |to, len| {
                // SAFETY: as above, with a string that ends with NUL.
                unsafe { libc::snprintf(to, len, format.as_ptr(), string.as_ptr()) }
            });
        }
    }
}

/// Runs `snprintf` into a small buffer first, then into one of the size it asked for.
fn print(out: &mut Vec<u8>, snprintf: impl Fn(*mut c_char, usize) -> c_int) {
    let mut small = [0u8; 128];
    let needed = usize::try_from(snprintf(small.as_mut_ptr().cast(), small.len())).unwrap_or(0);
    if needed < small.len() {
        out.extend_from_slice(&small[..needed]);
        return;
    }
    let mut large = vec![0u8; needed + 1];
    let written = usize::try_from(snprintf(large.as_mut_ptr().cast(), large.len())).unwrap_or(0);
    out.extend_from_slice(&large[..written.min(needed)]);
}
