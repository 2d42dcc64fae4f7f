//! Looking over a bundle that can be read for what is odd or wrong about it all the same: what a linter tells, what
//! `offload-bundle verify` prints.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use amd_codeobj::{CodeObject, Feature, TargetId};

use crate::{Bundle, Entry, EntryIdError, OffloadKind};

/// How clang aligns HIP's code objects in a bundle (`-bundle-align=4096`), so that pages can be mapped.
const HIP_ALIGNMENT: u64 = 4096;

/// How bad something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Unusual; every reader copes.
    Note,
    /// Readers may take it differently.
    Warning,
    /// It does not work.
    Error,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Level::Note => "note",
            Level::Warning => "warning",
            Level::Error => "error",
        })
    }
}

/// What can be odd or wrong about an entry of a bundle that can be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The ID does not follow the grammar.
    #[error("its ID is not understood: {0}")]
    BadId(#[from] EntryIdError),
    /// The ID is understood, but usually written otherwise; runtimes that compare text do not find it.
    #[error("its ID is usually written {canonical}")]
    NotCanonical {
        /// The usual form.
        canonical: String,
    },
    /// Another entry has the same ID; readers take the first.
    #[error("entry {first} has the same ID and is taken instead")]
    Repeated {
        /// The first with this ID.
        first: usize,
    },
    /// The entry begins inside the header or the table.
    #[error("its bytes start at {start:#x}, but the table ends at {table_end:#x}")]
    InTable {
        /// Where its bytes start in the bundle.
        start: u64,
        /// Where the table ends.
        table_end: u64,
    },
    /// Some of its bytes belong to another entry too.
    #[error("its bytes overlap those of entry {other}")]
    Overlaps {
        /// The other.
        other: usize,
    },
    /// All of its bytes are those of another entry too.
    #[error("its bytes are those of entry {other}")]
    Shared {
        /// The other.
        other: usize,
    },
    /// The entry is for HIP and not aligned as clang aligns it.
    #[error("its bytes start at {start:#x}, which is no multiple of 4096")]
    Misaligned {
        /// Where its bytes start in the bundle.
        start: u64,
    },
    /// Device code without bytes.
    #[error("it is for a GPU and has no bytes")]
    Empty,
    /// HIP's code that is no code object.
    #[error("it is no readable code object: {0}")]
    BadCodeObject(#[from] amd_codeobj::Error),
    /// The code object was compiled for something else than the ID says.
    #[error("its ID says {said}, but its code object is for {found}")]
    WrongTarget {
        /// The ID's target.
        said: TargetId,
        /// The code object's.
        found: TargetId,
    },
}

impl Fault {
    /// How bad it is.
    pub fn level(&self) -> Level {
        match self {
            Fault::NotCanonical { .. } | Fault::Shared { .. } | Fault::Misaligned { .. } => Level::Note,
            Fault::BadId(_) | Fault::Repeated { .. } | Fault::Overlaps { .. } | Fault::Empty => {
                Level::Warning
            }
            Fault::InTable { .. } | Fault::BadCodeObject(_) | Fault::WrongTarget { .. } => Level::Error,
        }
    }
}

/// Something odd or wrong about an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding<'a> {
    /// The entry's place in the table.
    pub index: usize,
    /// Its ID.
    pub id: &'a str,
    /// Where its record stands in the file.
    pub offset: u64,
    /// What it is.
    pub fault: Fault,
}

impl fmt::Display for Finding<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { index, id, offset, fault } = self;
        write!(f, "{}: entry {index} ({id}) at offset {offset:#x}: {fault}", fault.level())
    }
}

impl<'a> Bundle<'a> {
    /// What is odd or wrong about this bundle although it can be read, in table order. That an entry without bytes
    /// stands anywhere, as HIP's host entries do, is neither.
    pub fn check(&self) -> impl Iterator<Item = Finding<'a>> + use<'a> {
        let entries: Vec<_> = self.entries().collect();
        let faults = [self.of_places(&entries), of_ids(&entries), of_code(&entries)];
        let mut faults: Vec<_> = faults.into_iter().flatten().collect();
        // Stable: of one entry's faults those of its place come first.
        faults.sort_by_key(|(index, _)| *index);
        let mut records = self.table().records().peekable();
        faults.into_iter().filter_map(move |(index, fault)| {
            while records.next_if(|record| record.index < index).is_some() {}
            let record = records.peek()?;
            Some(Finding { index, id: record.id.text, offset: record.record_offset, fault })
        })
    }

    fn of_places(&self, entries: &[Entry<'a>]) -> Vec<(usize, Fault)> {
        let mut faults = Vec::new();
        let table_end = self.table().size();
        let mut filled: Vec<&Entry<'_>> = entries.iter().filter(|entry| entry.size != 0).collect();
        for &Entry { index, offset: start, ref id, .. } in filled.iter().copied() {
            if start < table_end {
                faults.push((index, Fault::InTable { start, table_end }));
            }
            if id.kind.is_hip() && start % HIP_ALIGNMENT != 0 {
                faults.push((index, Fault::Misaligned { start }));
            }
        }
        filled.sort_by_key(|entry| entry.offset);
        let mut furthest: Option<&Entry<'_>> = None;
        for entry in filled {
            if let Some(before) = furthest.filter(|before| entry.offset < before.offset + before.size) {
                let same = (entry.offset, entry.size) == (before.offset, before.size);
                let other = before.index;
                faults.push((
                    entry.index,
                    if same { Fault::Shared { other } } else { Fault::Overlaps { other } },
                ));
            }
            if furthest.is_none_or(|before| before.offset + before.size < entry.offset + entry.size) {
                furthest = Some(entry);
            }
        }
        faults
    }
}

fn of_ids(entries: &[Entry<'_>]) -> Vec<(usize, Fault)> {
    let mut faults = Vec::new();
    let mut canonical: Vec<_> = entries.iter().map(|entry| (entry.id.canonical(), entry.index)).collect();
    for (entry, (canonical, index)) in entries.iter().zip(&canonical) {
        match entry.id.check() {
            Err(error) => faults.push((*index, error.into())),
            Ok(()) if canonical != entry.id.text => {
                faults.push((*index, Fault::NotCanonical { canonical: canonical.clone() }));
            }
            Ok(()) => {}
        }
    }
    canonical.sort();
    for same in canonical.chunk_by(|(a, _), (b, _)| a == b) {
        let (_, first) = same[0];
        faults.extend(same[1..].iter().map(|(_, index)| (*index, Fault::Repeated { first })));
    }
    faults
}

/// IDs of `hip` and `hcc` may leave features open that code objects before v4 cannot: those have them on or off.
fn agrees(kind: OffloadKind<'_>, said: &TargetId, found: &TargetId) -> bool {
    let feature = |said, found| said == found || said == Feature::Any;
    match kind {
        OffloadKind::HipV4 => said == found,
        _ => {
            said.processor == found.processor
                && feature(said.sramecc, found.sramecc)
                && feature(said.xnack, found.xnack)
        }
    }
}

fn of_code(entries: &[Entry<'_>]) -> Vec<(usize, Fault)> {
    let fault = |entry: &Entry<'_>| {
        if !entry.id.kind.is_hip() || !entry.id.is_amdgcn() {
            return None;
        }
        if entry.data.is_empty() {
            return Some(Fault::Empty);
        }
        let found = CodeObject::parse(entry.data).and_then(|object| object.target_id());
        match (found, &entry.id.target) {
            (Err(error), _) => Some(error.into()),
            (Ok(found), Some(said)) if !agrees(entry.id.kind, said, &found) => {
                Some(Fault::WrongTarget { said: said.clone(), found })
            }
            _ => None,
        }
    };
    entries.iter().filter_map(|entry| Some((entry.index, fault(entry)?))).collect()
}
