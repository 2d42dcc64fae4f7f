//! What the loader needs: loadable segments, their rights, and the size of the whole.
//! Answers to the gABI chapter "Program Loading" and to "Code Object Loading" in ROCr's loader.

use std::fmt;

/// `PF_*`: rights of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SegmentFlags(pub u32);

impl SegmentFlags {
    /// Machine code.
    pub const fn is_executable(self) -> bool {
        self.0 & 1 != 0
    }

    /// Variables.
    pub const fn is_writable(self) -> bool {
        self.0 & 2 != 0
    }

    /// Can be read (always so on a GPU).
    pub const fn is_readable(self) -> bool {
        self.0 & 4 != 0
    }
}

impl fmt::Display for SegmentFlags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flag = |set, letter| if set { letter } else { '-' };
        let (r, w, x) = (self.is_readable(), self.is_writable(), self.is_executable());
        write!(f, "{}{}{}", flag(r, 'r'), flag(w, 'w'), flag(x, 'x'))
    }
}

/// A `PT_LOAD` segment. Its file bytes lie inside the file and are no longer than its memory: parsing has checked it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment<'a> {
    /// First virtual address.
    pub vaddr: u64,
    /// Bytes in memory; those past `data` are zero.
    pub memsz: u64,
    /// Where `data` starts in the file.
    pub file_offset: u64,
    /// The file bytes to copy.
    pub data: &'a [u8],
    /// Alignment.
    pub align: u64,
    /// Rights.
    pub flags: SegmentFlags,
}

impl Segment<'_> {
    /// One past the last virtual address (parsing has checked that it exists).
    pub const fn end(&self) -> u64 {
        self.vaddr.saturating_add(self.memsz)
    }
}
