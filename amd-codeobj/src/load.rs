//! What the loader needs: loadable segments, their rights, and the size of the whole.
//! Answers to the gABI chapter "Program Loading" and to "Code Object Loading" in ROCr's loader.

use alloc::vec::Vec;
use core::fmt;

use goblin::elf::Header;
use goblin::elf::program_header::{PT_LOAD, ProgramHeader};

use crate::Error;
use crate::bytes::slice;
use crate::headers::PROGRAM_HEADER_SIZE;

/// More address space than any GPU has: a plan beyond it is nonsense.
const MAX_LOAD_SIZE: u64 = 1 << 47;

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

/// The `PT_LOAD` segments, checked: in order, apart, inside the file.
pub(crate) fn load_segments<'a>(
    data: &'a [u8],
    header: &Header,
    programs: &[ProgramHeader],
) -> Result<Vec<Segment<'a>>, Error> {
    let mut segments: Vec<Segment<'a>> = Vec::new();
    for (index, program) in programs.iter().enumerate() {
        if program.p_type != PT_LOAD {
            continue;
        }
        let offset = header.e_phoff + index as u64 * PROGRAM_HEADER_SIZE;
        let bad = |what, value, why| Error::BadField { what, offset, value, why };
        if program.p_filesz > program.p_memsz {
            return Err(bad("p_filesz", program.p_filesz, "larger than p_memsz"));
        }
        let bytes = slice(data, "loadable segment", program.p_offset, program.p_filesz)?;
        let Some(end) = program.p_vaddr.checked_add(program.p_memsz) else {
            return Err(bad("p_memsz", program.p_memsz, "the segment ends past the last address"));
        };
        if let Some(last) = segments.last()
            && program.p_vaddr < last.end()
        {
            return Err(bad("p_vaddr", program.p_vaddr, "the segment overlaps or precedes the one before"));
        }
        let base = segments.first().map_or(program.p_vaddr, |first| first.vaddr);
        if end - base > MAX_LOAD_SIZE {
            return Err(bad(
                "p_vaddr",
                program.p_vaddr,
                "the segments span more memory than a GPU can address",
            ));
        }
        if program.p_align > 1 && !program.p_align.is_power_of_two() {
            return Err(bad("p_align", program.p_align, "not a power of two"));
        }
        segments.push(Segment {
            vaddr: program.p_vaddr,
            memsz: program.p_memsz,
            file_offset: program.p_offset,
            data: bytes,
            align: program.p_align.max(1),
            flags: SegmentFlags(program.p_flags),
        });
    }
    Ok(segments)
}
