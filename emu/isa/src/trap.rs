//! Why a wave stopped: typed, with the place.

use core::fmt;

use crate::mem::Access;

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TrapKind {
    /// No instruction of this generation has this encoding.
    IllegalInstruction {
        /// The words at the program counter.
        words: [u32; 2],
    },
    /// An instruction that the generation has and this engine does not run.
    NotImplemented {
        /// The mnemonic, with what of it is missing.
        mnemonic: String,
        /// The words at the program counter.
        words: [u32; 2],
    },
    /// A load, store, atomic or instruction fetch at an address that is not mapped with the right.
    MemoryFault {
        /// The address.
        va: u64,
        /// What was tried.
        access: Access,
    },
    /// An address outside the LDS that the work-group has, or outside the wave's scratch.
    OutOfAperture {
        /// `"LDS"` or `"scratch"`.
        segment: &'static str,
        /// Offset in it, in bytes.
        offset: u64,
        /// Its size, in bytes.
        size: u64,
    },
    /// `s_trap 2`: `__builtin_trap`, `abort` or a failed `assert`.
    Abort,
    /// `s_trap` with another number.
    Trap(u8),
}

/// A stopped wave: what, where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trap {
    /// What went wrong.
    pub kind: TrapKind,
    /// Address of the instruction.
    pub pc: u64,
    /// The first lane concerned, where one is to blame.
    pub lane: Option<u8>,
}

impl fmt::Display for TrapKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TrapKind::IllegalInstruction { words } => {
                write!(f, "illegal instruction {:08x} {:08x}", words[0], words[1])
            }
            TrapKind::NotImplemented { mnemonic, words } => {
                write!(f, "instruction not implemented: {mnemonic} ({:08x} {:08x})", words[0], words[1])
            }
            TrapKind::MemoryFault { va, access } => {
                write!(f, "memory fault: {access} at {va:#x}, not mapped for it")
            }
            TrapKind::OutOfAperture { segment, offset, size } => {
                write!(f, "{segment} access at offset {offset:#x}, beyond its {size} bytes")
            }
            TrapKind::Abort => f.write_str("abort (s_trap 2: assert, abort or __builtin_trap)"),
            TrapKind::Trap(n) => write!(f, "s_trap {n}"),
        }
    }
}

impl fmt::Display for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at pc {:#x}", self.kind, self.pc)?;
        match self.lane {
            Some(lane) => write!(f, ", lane {lane}"),
            None => Ok(()),
        }
    }
}
