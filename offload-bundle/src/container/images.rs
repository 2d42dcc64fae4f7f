//! All fat binaries of a file, section after section.

use super::{Section, SectionKind, Sections};
use crate::{Error, Located, Walk};

/// The fat binaries of a file, read one by one; stops after the first error. Sections that are recognised but not read
/// are an error too, which comes last.
#[derive(Debug, Clone)]
pub struct Images<'a> {
    sections: Sections<'a>,
    walk: Option<Walk<'a>>,
    member: Option<&'a str>,
    section: Option<&'a str>,
    unread: Option<Error>,
}

impl<'a> Images<'a> {
    pub(super) fn new(sections: Sections<'a>, walk: Option<Walk<'a>>) -> Images<'a> {
        Images { sections, walk, member: None, section: None, unread: None }
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
            self.enter(section);
        }
    }

    fn enter(&mut self, section: Section<'a>) {
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
            SectionKind::Wrappers | SectionKind::KpackReference | SectionKind::Entry => {}
        }
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
