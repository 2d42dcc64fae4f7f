//! Walking over the fat binaries of a section: linkers put those of all translation units one after another, each
//! aligned by zeros.

use crate::bytes::Bytes;
use crate::{Error, Image};

/// A fat binary and its place.
#[derive(Debug, Clone)]
pub struct Located<'a> {
    /// The archive member that it is in.
    pub member: Option<&'a str>,
    /// The section that it is in.
    pub section: Option<&'a str>,
    /// Where it starts in the file, or in the bytes that are walked over.
    pub offset: u64,
    /// How many bytes it takes.
    pub size: u64,
    /// It.
    pub image: Image<'a>,
}

/// The fat binaries of a section, read one by one; stops after the first error.
#[derive(Debug, Clone)]
pub struct Walk<'a> {
    section: Bytes<'a>,
    at: u64,
    end: bool,
}

impl<'a> Walk<'a> {
    /// The most zeros that are skipped between two fat binaries: no linker aligns to more than this. Padding beyond it
    /// is an error, so that a section of nothing but zeros is not read from end to end.
    pub const MAX_PADDING: u64 = 2 << 20;

    /// Walks over a section that stands at some offset of a file.
    pub fn new(section: &'a [u8], file_offset: u64) -> Walk<'a> {
        Walk { section: Bytes::new(section, file_offset), at: 0, end: false }
    }

    /// Where the next fat binary is looked for: after an error, where the one with the error starts.
    pub fn offset(&self) -> u64 {
        self.section.place(self.at)
    }

    fn read(&mut self) -> Result<Option<Located<'a>>, Error> {
        let rest = self.section.from(self.at);
        let Some(zeros) = leading_zeros(rest.data) else {
            if rest.len() > Walk::MAX_PADDING {
                return Err(Error::Padding { offset: self.offset(), limit: Walk::MAX_PADDING });
            }
            return Ok(None);
        };
        self.at += zeros;
        let rest = rest.from(zeros);
        let image = Image::recognise_at(rest.data, rest.base)?;
        let size = image.total_size()?;
        // Every kind is at least as long as its magic, so the walk moves on.
        self.at = self.at.saturating_add(size.max(1));
        Ok(Some(Located { member: None, section: None, offset: rest.base, size, image }))
    }
}

/// How many zeros the data starts with; `None` if there is nothing else as far as one looks.
fn leading_zeros(data: &[u8]) -> Option<u64> {
    const STEP: usize = 64;
    let most = data.len().min(Walk::MAX_PADDING as usize + 1);
    let steps =
        data[..most].chunks(STEP).take_while(|step| step.iter().fold(0, |any, &byte| any | byte) == 0);
    let start = steps.map(<[u8]>::len).sum::<usize>();
    data[start..most].iter().position(|&byte| byte != 0).map(|zeros| (start + zeros) as u64)
}

impl<'a> Iterator for Walk<'a> {
    type Item = Result<Located<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.end {
            return None;
        }
        let located = self.read();
        self.end = !matches!(located, Ok(Some(_)));
        located.transpose()
    }
}

impl core::iter::FusedIterator for Walk<'_> {}
