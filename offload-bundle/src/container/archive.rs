//! Static archives: members one after another, each behind a header of text. Names longer than the header's field
//! stand in a table of names (GNU, LLVM) or before the member's bytes (BSD, macOS).
//! Answers to `ar(5)` and to `llvm/lib/Object/Archive.cpp` for the variants.

use crate::Error;
use crate::bytes::Bytes;

const MAGIC: &[u8; 8] = b"!<arch>\n";
const THIN_MAGIC: &[u8; 8] = b"!<thin>\n";
const HEADER_SIZE: u64 = 60;

/// Whether these bytes are an archive.
pub(super) fn is_archive(file: Bytes<'_>) -> Result<bool, Error> {
    if file.data.starts_with(THIN_MAGIC) {
        return Err(Error::Unsupported {
            what: "a thin archive",
            offset: file.base,
            way_out: "it has only the names of its members: read those files, or make a whole archive of it",
        });
    }
    Ok(file.data.starts_with(MAGIC))
}

/// The members of an archive, read one by one, without its tables of symbols and names.
#[derive(Debug, Clone)]
pub(super) struct Members<'a> {
    file: Bytes<'a>,
    at: u64,
    /// GNU's table of long names.
    names: Bytes<'a>,
}

/// One member.
pub(super) struct Member<'a> {
    pub name: &'a str,
    pub bytes: Bytes<'a>,
}

impl<'a> Members<'a> {
    pub fn none() -> Members<'a> {
        let empty = Bytes::new(&[], 0);
        Members { file: empty, at: 0, names: empty }
    }

    pub fn new(file: Bytes<'a>) -> Members<'a> {
        Members { file, at: MAGIC.len() as u64, ..Members::none() }
    }

    /// The next member that is no table.
    pub fn read(&mut self) -> Result<Option<Member<'a>>, Error> {
        // Members start at even offsets; some writers leave the last one unpadded.
        while self.at < self.file.len() {
            let at = self.at;
            let header = self.file.slice("archive member header", at, HEADER_SIZE)?;
            if header[58..] != *b"`\n" {
                let why = "a member header ends with 60 0a";
                let value = u16::from_le_bytes([header[58], header[59]]).into();
                let offset = self.file.place(at + 58);
                return Err(Error::BadField { what: "end of an archive member header", offset, value, why });
            }
            let size = self.number(&header[48..58], at + 48, "archive member size")?;
            let start = at + HEADER_SIZE;
            let data = self.file.slice("archive member", start, size)?;
            let bytes = Bytes::new(data, self.file.place(start));
            self.at = (start + size).next_multiple_of(2);
            let field = header[..16].trim_ascii_end();
            match field {
                // Tables of symbols: GNU's, its 64-bit form, and (under names of its own) BSD's.
                b"/" | b"/SYM64/" => {}
                b"//" => self.names = bytes,
                _ => {
                    let member = self.member(field, at, bytes)?;
                    if !member.name.starts_with("__.SYMDEF") {
                        return Ok(Some(member));
                    }
                }
            }
        }
        Ok(None)
    }

    /// A member's name by the name field of its header, and its bytes.
    fn member(&self, field: &'a [u8], at: u64, bytes: Bytes<'a>) -> Result<Member<'a>, Error> {
        const WHAT: &str = "archive member name";
        let text = |name: &'a [u8], offset| {
            let offset = self.file.place(offset);
            core::str::from_utf8(name).map_err(|_| Error::Malformed {
                what: WHAT,
                offset,
                why: "it is not UTF-8",
            })
        };
        if let Some(length) = field.strip_prefix(b"#1/") {
            let length = self.number(length, at + 3, "length of an archive member's name")?;
            let name = bytes.slice(WHAT, 0, length)?;
            let end = name.iter().position(|&byte| byte == 0).unwrap_or(name.len());
            return Ok(Member { name: text(&name[..end], at + HEADER_SIZE)?, bytes: bytes.from(length) });
        }
        if let Some(index) = field.strip_prefix(b"/") {
            let index = self.number(index, at + 1, "index of an archive member's name")?;
            if index >= self.names.len() {
                let why = "it is past the end of the table of names";
                return Err(Error::BadField { what: WHAT, offset: self.file.place(at), value: index, why });
            }
            let rest = self.names.from(index);
            let end = rest.data.iter().position(|&byte| byte == b'\n').unwrap_or(rest.data.len());
            let name = rest.data[..end].strip_suffix(b"/").unwrap_or(&rest.data[..end]);
            return Ok(Member { name: text(name, rest.base - self.file.base)?, bytes });
        }
        Ok(Member { name: text(field.strip_suffix(b"/").unwrap_or(field), at)?, bytes })
    }

    /// A decimal number, padded with spaces.
    fn number(&self, field: &[u8], offset: u64, what: &'static str) -> Result<u64, Error> {
        let text = core::str::from_utf8(field.trim_ascii_end()).unwrap_or_default();
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse() {
            Ok(number) if digits => Ok(number),
            _ => Err(Error::Malformed {
                what,
                offset: self.file.place(offset),
                why: "it is no decimal number",
            }),
        }
    }
}
