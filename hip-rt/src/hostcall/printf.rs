//! `printf` and `fprintf(stderr)` of device code: from the words of a message to text.
//!
//! A message is a control word (bit 0: stderr), the format string padded to words, and the arguments: one word each,
//! strings inline and padded. The format is C's; each conversion goes to the C library, one at a time.

use super::cformat::{self, Spec, Value};

/// A decoded call.
#[derive(Debug, PartialEq, Eq)]
pub struct Printed {
    /// The text.
    pub text: Vec<u8>,
    /// Whether it goes to stderr, not stdout.
    pub to_stderr: bool,
}

/// Decodes a message. `None`: the control word has bits that this protocol does not know.
pub fn decode(words: &[u64]) -> Option<Printed> {
    let (&control, words) = words.split_first()?;
    if control & !1 != 0 {
        return None;
    }
    let mut words = Words { words };
    let format = words.text();
    Some(Printed { text: render(&format, &mut words), to_stderr: control & 1 != 0 })
}

/// The rest of a message.
struct Words<'a> {
    words: &'a [u64],
}

impl Words<'_> {
    fn next(&mut self) -> Option<u64> {
        let (&word, rest) = self.words.split_first()?;
        self.words = rest;
        Some(word)
    }

    /// A string in line: up to its NUL, and past the padding of its last word.
    fn text(&mut self) -> Vec<u8> {
        let mut text = Vec::new();
        while let Some(word) = self.next() {
            let bytes = word.to_le_bytes();
            if let Some(end) = bytes.iter().position(|byte| *byte == 0) {
                text.extend_from_slice(&bytes[..end]);
                return text;
            }
            text.extend_from_slice(&bytes);
        }
        text
    }
}

/// Walks the format. Where the message has no argument left for a conversion, the text ends.
fn render(format: &[u8], words: &mut Words<'_>) -> Vec<u8> {
    let mut out = Vec::with_capacity(format.len() + 32);
    let mut rest = format;
    loop {
        let Some(at) = rest.iter().position(|byte| *byte == b'%') else {
            out.extend_from_slice(rest);
            return out;
        };
        out.extend_from_slice(&rest[..at]);
        let spec = &rest[at + 1..];
        if spec.first() == Some(&b'%') {
            out.push(b'%');
            rest = &spec[1..];
            continue;
        }
        match convert(&mut out, spec, words) {
            Conversion::Done(used) => rest = &spec[used..],
            // Not a conversion of C: it stands in the text as it is.
            Conversion::NotOne => {
                out.push(b'%');
                rest = spec;
            }
            Conversion::NoArgument => return out,
        }
    }
}

enum Conversion {
    Done(usize),
    NotOne,
    NoArgument,
}

fn convert(out: &mut Vec<u8>, spec: &[u8], words: &mut Words<'_>) -> Conversion {
    let mut cursor = Cursor { text: spec, at: 0 };
    let flags = cursor.take_while(|byte| b"-+ #0'".contains(&byte));
    let Some(width) = cursor.number(words) else { return Conversion::NoArgument };
    let precision = if cursor.eat(b'.') {
        match cursor.number(words) {
            Some(number) => Some(number.unwrap_or(0)),
            None => return Conversion::NoArgument,
        }
    } else {
        None
    };
    let length = cursor.take_while(|byte| b"hlLqjzt".contains(&byte));
    let Some(conversion) = cursor.next() else { return Conversion::NotOne };
    let spec = Spec { flags, width, precision, conversion };
    if conversion == b's' {
        // A message that ends before its string is one with no argument left.
        if words.words.is_empty() {
            return Conversion::NoArgument;
        }
        let text = words.text();
        cformat::append(out, &spec, Value::Text(&text));
        return Conversion::Done(cursor.at);
    }
    if !b"diouxXcpnfFeEgGaA".contains(&conversion) {
        return Conversion::NotOne;
    }
    let Some(word) = words.next() else { return Conversion::NoArgument };
    match conversion {
        b'd' | b'i' => cformat::append(out, &spec, Value::Integer(signed(word, length))),
        b'o' | b'u' | b'x' | b'X' => {
            cformat::append(out, &spec, Value::Integer(unsigned(word, length) as i64))
        }
        b'c' => cformat::append(out, &spec, Value::Character(word as u8)),
        b'p' => cformat::append(out, &spec, Value::Pointer(word)),
        // `%n` has a pointer of the device as its argument: nothing is stored there.
        b'n' => {}
        _ => cformat::append(out, &spec, Value::Float(f64::from_bits(word))),
    }
    Conversion::Done(cursor.at)
}

/// What a signed conversion with this length modifier sees of the word.
fn signed(word: u64, length: &[u8]) -> i64 {
    match length {
        b"hh" => i64::from(word as i8),
        b"h" => i64::from(word as i16),
        b"" => i64::from(word as i32),
        _ => word as i64,
    }
}

/// What an unsigned conversion with this length modifier sees of the word.
fn unsigned(word: u64, length: &[u8]) -> u64 {
    match length {
        b"hh" => u64::from(word as u8),
        b"h" => u64::from(word as u16),
        b"" => u64::from(word as u32),
        _ => word,
    }
}

struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn next(&mut self) -> Option<u8> {
        let byte = self.text.get(self.at).copied()?;
        self.at += 1;
        Some(byte)
    }

    fn eat(&mut self, byte: u8) -> bool {
        let there = self.text.get(self.at) == Some(&byte);
        self.at += usize::from(there);
        there
    }

    fn take_while(&mut self, wanted: impl Fn(u8) -> bool) -> &'a [u8] {
        let start = self.at;
        while self.text.get(self.at).is_some_and(|byte| wanted(*byte)) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    /// Digits, or `*` with its argument. Outer `None`: the argument is missing.
    fn number(&mut self, words: &mut Words<'_>) -> Option<Option<i32>> {
        if self.eat(b'*') {
            return words.next().map(|word| Some(word as i32));
        }
        let digits = self.take_while(|byte| byte.is_ascii_digit());
        if digits.is_empty() {
            return Some(None);
        }
        let number = digits
            .iter()
            .fold(0i32, |number, digit| number.saturating_mul(10).saturating_add(i32::from(digit - b'0')));
        Some(Some(number))
    }
}

#[cfg(test)]
#[path = "printf_tests.rs"]
mod tests;
