//! Scalars as LLVM's YAML writer has them: their text, when they need quotes, when a tag must say what they are.
//! Answers to `needsQuotes` in LLVM's `YAMLTraits.h`, to `escape` in `YAMLParser.cpp`, and to `getYAMLTag` in
//! `MsgPackDocumentYAML.cpp`.

use alloc::borrow::{Cow, ToOwned};
use alloc::format;
use alloc::string::{String, ToString};
use core::cmp::Ordering;
use core::fmt::Write;

use unicode_general_category::{GeneralCategory, get_general_category};

use super::super::path::Path;
use super::super::reader::Token;
use crate::Error;

/// What stands around a scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quotes {
    None,
    Single,
    Double,
}

/// A value without parts. The order of the kinds is that of LLVM's keys.
#[derive(Debug, Clone, Copy)]
pub(super) enum Scalar<'v> {
    Int(i64),
    UInt(u64),
    Nil,
    Boolean(bool),
    Float(f64),
    String(&'v [u8]),
}

impl<'v> Scalar<'v> {
    pub(super) fn new(token: Token<'v>, path: &Path<'_>) -> Result<Scalar<'v>, Error> {
        Ok(match token {
            Token::Nil => Scalar::Nil,
            Token::Boolean(value) => Scalar::Boolean(value),
            Token::Unsigned(number) => Scalar::UInt(number),
            Token::Negative(number) => Scalar::Int(number),
            Token::Float(value) => Scalar::Float(value),
            Token::Str(text) => Scalar::String(text.as_bytes()),
            Token::RawStr(bytes) => Scalar::String(bytes),
            other => return Err(path.bad(other.describe(), "a scalar that YAML can show")),
        })
    }

    fn kind(&self) -> u8 {
        match self {
            Scalar::Int(_) => 0,
            Scalar::UInt(_) => 1,
            Scalar::Nil => 2,
            Scalar::Boolean(_) => 3,
            Scalar::Float(_) => 4,
            Scalar::String(_) => 5,
        }
    }

    /// The order in which LLVM keeps the keys of a map: by kind, then by value.
    pub(super) fn cmp_as_key(&self, other: &Scalar<'_>) -> Ordering {
        match (self, other) {
            (Scalar::Int(a), Scalar::Int(b)) => a.cmp(b),
            (Scalar::UInt(a), Scalar::UInt(b)) => a.cmp(b),
            (Scalar::Boolean(a), Scalar::Boolean(b)) => a.cmp(b),
            (Scalar::Float(a), Scalar::Float(b)) => a.total_cmp(b),
            (Scalar::String(a), Scalar::String(b)) => a.cmp(b),
            _ => self.kind().cmp(&other.kind()),
        }
    }

    /// The text, without quotes.
    fn text(&self) -> Cow<'v, [u8]> {
        let text = match self {
            Scalar::Int(number) => number.to_string(),
            Scalar::UInt(number) => number.to_string(),
            Scalar::Nil => String::new(),
            Scalar::Boolean(value) => value.to_string(),
            Scalar::Float(value) => exponent(*value),
            Scalar::String(text) => return Cow::Borrowed(text),
        };
        Cow::Owned(text.into_bytes())
    }

    /// The text for messages.
    pub(super) fn to_lossy(self) -> String {
        String::from_utf8_lossy(&self.text()).into_owned()
    }

    /// What a reader of the text must be told to get the same kind of value back.
    pub(super) fn tag(&self) -> Option<&'static str> {
        match self {
            Scalar::Nil => Some("!nil"),
            Scalar::String(text) => reads_as_other(text).then_some("!str"),
            _ => None,
        }
    }

    /// The quotes of a value. Numbers and booleans have none: their tag or their look says what they are.
    pub(super) fn quotes(&self) -> Quotes {
        match self {
            Scalar::Nil => Quotes::Single,
            Scalar::String(text) => needs_quotes(text, true),
            _ => Quotes::None,
        }
    }

    pub(super) fn write(&self, out: &mut String, quotes: Quotes) {
        match self {
            // Most values are numbers: straight to the text. Writing to a string does not fail.
            Scalar::UInt(number) => drop(write!(out, "{number}")),
            other => write(&other.text(), out, quotes),
        }
    }

    /// Writes it as a key, which is a C string to LLVM, and returns its length for the column of the value.
    pub(super) fn write_key(&self, out: &mut String) -> usize {
        let text = self.text();
        let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
        write(text, out, needs_quotes(text, false));
        text.len()
    }
}

/// As `String::from_utf8_lossy`, which looks at each byte of good text too.
fn lossy(text: &[u8]) -> Cow<'_, str> {
    core::str::from_utf8(text).map_or_else(|_| String::from_utf8_lossy(text), Cow::Borrowed)
}

fn write(text: &[u8], out: &mut String, quotes: Quotes) {
    match quotes {
        // Only ASCII goes without double quotes.
        Quotes::None => out.push_str(&lossy(text)),
        Quotes::Single => {
            out.push('\'');
            out.push_str(&String::from_utf8_lossy(text).replace('\'', "''"));
            out.push('\'');
        }
        Quotes::Double => {
            out.push('"');
            escape(text, out);
            out.push('"');
        }
    }
}

/// C's `%e`.
fn exponent(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "INF" } else { "-INF" }.to_owned();
    }
    let text = format!("{value:.6e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs())
}

/// Which quotes a text needs; `as_string`: also those that keep it from being read as a number, boolean or null.
fn needs_quotes(text: &[u8], as_string: bool) -> Quotes {
    let [first, ..] = text else { return Quotes::Single };
    let last = text.last().unwrap_or(first);
    let mut quotes = Quotes::None;
    let other_kind = || {
        matches!(text, b"null" | b"Null" | b"NULL" | b"~")
            || matches!(text, b"true" | b"True" | b"TRUE" | b"false" | b"False" | b"FALSE")
            || is_yaml_number(text)
    };
    if is_space(*first)
        || is_space(*last)
        || (as_string && other_kind())
        // The NUL is among them since LLVM asks `strchr`.
        || b"-?:\\,[]{}#&*!|>'\"%@`\0".contains(first)
    {
        quotes = Quotes::Single;
    }
    for byte in text {
        match byte {
            byte if byte.is_ascii_alphanumeric() => {}
            b'_' | b'-' | b'^' | b'.' | b',' | b' ' | b'\t' => {}
            0..=0x1f | 0x7f.. => return Quotes::Double,
            _ => quotes = Quotes::Single,
        }
    }
    quotes
}

/// C's `isspace`.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

fn skip_digits(text: &[u8]) -> &[u8] {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    &text[digits..]
}

fn skip_sign(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"+").or(text.strip_prefix(b"-")).unwrap_or(text)
}

/// A number to YAML 1.2, as LLVM sees it.
fn is_yaml_number(text: &[u8]) -> bool {
    if matches!(text, b"" | b"+" | b"-") {
        return false;
    }
    let tail = skip_sign(text);
    if matches!(text, b".nan" | b".NaN" | b".NAN") || matches!(tail, b".inf" | b".Inf" | b".INF") {
        return true;
    }
    let all = |digits: &[u8], is_digit: fn(&u8) -> bool| !digits.is_empty() && digits.iter().all(is_digit);
    if let Some(digits) = text.strip_prefix(b"0o") {
        return all(digits, |byte| matches!(byte, b'0'..=b'7'));
    }
    if let Some(digits) = text.strip_prefix(b"0x") {
        return all(digits, u8::is_ascii_hexdigit);
    }
    match tail {
        // LLVM asks `strchr` for a digit, which finds the NUL as well.
        [b'.'] => return false,
        [b'.', next, ..] if !next.is_ascii_digit() && *next != 0 => return false,
        [b'e' | b'E', ..] => return false,
        _ => {}
    }
    let mut rest = skip_digits(tail);
    if let Some(fraction) = rest.strip_prefix(b".") {
        rest = skip_digits(fraction);
    }
    match rest {
        [] => true,
        [b'e' | b'E', exponent @ ..] => {
            let digits = skip_sign(exponent);
            !exponent.is_empty()
                && (digits.len() == exponent.len() || !digits.is_empty())
                && skip_digits(digits).is_empty()
        }
        _ => false,
    }
}

/// LLVM's reader would take the text for an integer, a boolean or a floating-point number.
fn reads_as_other(text: &[u8]) -> bool {
    // Most texts are words that start with a letter no boolean, infinity or NaN starts with.
    let word =
        text.first().is_some_and(|first| first.is_ascii_alphabetic() && !b"fintoy".contains(&(first | 0x20)));
    !word && (is_integer(text) || is_boolean(text) || is_c_float(text))
}

/// The booleans of YAML 1.1.
fn is_boolean(text: &[u8]) -> bool {
    const WORDS: [&str; 8] = ["y", "n", "on", "no", "off", "yes", "true", "false"];
    let [first, rest @ ..] = text else { return false };
    let lower = rest.iter().all(u8::is_ascii_lowercase);
    let upper = first.is_ascii_uppercase() && rest.iter().all(u8::is_ascii_uppercase);
    (lower || upper) && WORDS.iter().any(|word| text.eq_ignore_ascii_case(word.as_bytes()))
}

/// An integer of 64 bits with C's prefixes, with a minus sign or without.
fn is_integer(text: &[u8]) -> bool {
    let magnitude = |text: &[u8]| {
        let (radix, digits) = match text {
            [b'0', b'x' | b'X', digits @ ..] => (16, digits),
            [b'0', b'b' | b'B', digits @ ..] => (2, digits),
            [b'0', b'o', digits @ ..] => (8, digits),
            [b'0', digits @ ..] if digits.first().is_some_and(u8::is_ascii_digit) => (8, digits),
            digits => (10, digits),
        };
        let digits = core::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
        u64::from_str_radix(digits, radix).ok()
    };
    match text.strip_prefix(b"-") {
        Some(text) => magnitude(text).is_some_and(|number| number <= i64::MIN.unsigned_abs()),
        None => magnitude(text).is_some(),
    }
}

/// `strtod` takes it to its end, or to the NUL in it. The empty text counts: nothing is left of it.
fn is_c_float(text: &[u8]) -> bool {
    let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
    if text.is_empty() {
        return true;
    }
    let text = &text[text.iter().take_while(|&&byte| is_space(byte)).count()..];
    let text = skip_sign(text).to_ascii_lowercase();
    if matches!(&text[..], b"inf" | b"infinity" | b"nan") {
        return true;
    }
    if let Some(payload) = text.strip_prefix(b"nan(").and_then(|rest| rest.strip_suffix(b")")) {
        return payload.iter().all(|&byte| byte.is_ascii_alphanumeric() || byte == b'_');
    }
    let (digits, is_digit, mark): (&[u8], fn(&u8) -> bool, u8) = match &text[..] {
        [b'0', b'x', digits @ ..] => (digits, u8::is_ascii_hexdigit, b'p'),
        digits => (digits, u8::is_ascii_digit, b'e'),
    };
    let count = |text: &[u8]| text.iter().take_while(|byte| is_digit(byte)).count();
    let whole = count(digits);
    let mut rest = &digits[whole..];
    let mut fraction = 0;
    if let Some(after) = rest.strip_prefix(b".") {
        fraction = count(after);
        rest = &after[fraction..];
    }
    if whole + fraction == 0 {
        return false;
    }
    match rest {
        [] => true,
        [found, exponent @ ..] if *found == mark => {
            let digits = skip_sign(exponent);
            !digits.is_empty() && skip_digits(digits).is_empty()
        }
        _ => false,
    }
}

/// The inside of double quotes. What is not UTF-8 becomes U+FFFD and ends the text.
fn escape(text: &[u8], out: &mut String) {
    let valid = match core::str::from_utf8(text) {
        Ok(text) => text,
        Err(error) => core::str::from_utf8(&text[..error.valid_up_to()]).unwrap_or_default(),
    };
    for c in valid.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '"' => out.push_str("\\\""),
            '\0' => out.push_str("\\0"),
            '\x07' => out.push_str("\\a"),
            '\x08' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\x0b' => out.push_str("\\v"),
            '\x0c' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            '\x1b' => out.push_str("\\e"),
            '\u{85}' => out.push_str("\\N"),
            '\u{a0}' => out.push_str("\\_"),
            '\u{2028}' => out.push_str("\\L"),
            '\u{2029}' => out.push_str("\\P"),
            ' '..='\x7f' => out.push(c),
            c if is_printable(c) => out.push(c),
            c => {
                // Writing to a string does not fail.
                let _ = match u32::from(c) {
                    code @ ..=0xff => write!(out, "\\x{code:02X}"),
                    code @ ..=0xffff => write!(out, "\\u{code:04X}"),
                    code => write!(out, "\\U{code:08X}"),
                };
            }
        }
    }
    if valid.len() < text.len() {
        out.push(char::REPLACEMENT_CHARACTER);
    }
}

/// Letters, marks, numbers, punctuation, symbols, spaces, and the soft hyphen.
fn is_printable(c: char) -> bool {
    use GeneralCategory as G;
    c == '\u{ad}'
        || !matches!(
            get_general_category(c),
            G::Control
                | G::Format
                | G::Surrogate
                | G::PrivateUse
                | G::Unassigned
                | G::LineSeparator
                | G::ParagraphSeparator
        )
}
