//! All fat binaries of a file, section after section.

use super::{Section, SectionKind, Sections};
use crate::kpack::Reference;
use crate::{Entry, Error, Image, Located, Walk};

/// The fat binaries of a file, read one by one; stops after the first error. Sections that are recognised but not read
/// are an error too, which comes last.
#[derive(Debug, Clone)]
pub struct Images<'a> {
    sections: Sections<'a>,
    walk: Option<Walk<'a>>,
    member: Option<&'a str>,
    section: Option<&'a str>,
    /// The member whose sections with entries are counted, and the count.
    entries: (Option<&'a str>, usize),
    unread: Option<Error>,
}

impl<'a> Images<'a> {
    pub(super) fn new(sections: Sections<'a>, walk: Option<Walk<'a>>) -> Images<'a> {
        Images { sections, walk, member: None, section: None, entries: (None, 0), unread: None }
    }

    fn read(&mut self) -> Result<Option<Located<'a>>, Error> {
        loop {
            if let Some(located) = self.walk.as_mut().and_then(Walk::next) {
                let (member, section) = (self.member, self.section);
                return Ok(Some(Located { member, section, ..located? }));
            }
            let Some(section) = self.sections.next().transpose()? else {
                return self.unread.take().map_or(Ok(None), Err);
            };
            if let Some(located) = self.enter(section)? {
                return Ok(Some(located));
            }
        }
    }

    /// Starts on a section; of some kinds it is one image as a whole.
    fn enter(&mut self, section: Section<'a>) -> Result<Option<Located<'a>>, Error> {
        (self.member, self.section) = (section.member, Some(section.name));
        match section.kind {
            SectionKind::FatBinaries => self.walk = Some(Walk::new(section.data, section.file_offset)),
            SectionKind::LlvmOffloading => {
                self.unread.get_or_insert(Error::Unsupported {
                    what: "section .llvm.offloading",
                    offset: section.file_offset,
                    way_out: "link the object first, or take it apart with clang-offload-packager",
                });
            }
            SectionKind::KpackReference => {
                let reference = Reference::parse_at(section.data, section.file_offset)?;
                return Ok(Some(self.located(section, Image::KpackReference(reference))));
            }
            SectionKind::Entry => {
                if self.entries.0 != section.member {
                    self.entries = (section.member, 0);
                }
                let Some(id) = section.entry_id() else { return Ok(None) };
                let (index, data) = (self.entries.1, section.data);
                self.entries.1 += 1;
                let entry = Entry { index, id, offset: 0, size: data.len() as u64, data };
                return Ok(Some(self.located(section, Image::Entry(entry))));
            }
            SectionKind::Wrappers => {}
        }
        Ok(None)
    }

    fn located(&self, section: Section<'a>, image: Image<'a>) -> Located<'a> {
        let (offset, size) = (section.file_offset, section.data.len() as u64);
        Located { member: section.member, section: Some(section.name), offset, size, image }
    }
}

impl<'a> Iterator for Images<'a> {
    type Item = Result<Located<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let located = self.read();
        if !matches!(located, Ok(Some(_))) {
            *self = Images::new(Sections::none(), None);
        }
        located.transpose()
    }
}

impl core::iter::FusedIterator for Images<'_> {}
