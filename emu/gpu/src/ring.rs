//! Where packets come from: rings, and streams of dwords in rings and in indirect buffers.

use hsa_sys::PACKET_BYTES;

use crate::vm::{Fault, PageTable};

/// Bytes of a dword.
pub(crate) const DWORD: u64 = 4;

/// A ring of packets. None is empty: `CREATE_QUEUE` and `UPDATE_QUEUE` see to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ring {
    pub(crate) va: u64,
    pub(crate) bytes: u32,
}

impl Ring {
    /// Address of the slot of AQL packet `index`.
    pub(crate) fn slot(self, index: u64) -> u64 {
        let packets = u64::from(self.bytes) / PACKET_BYTES as u64;
        self.va + (index % packets.max(1)) * PACKET_BYTES as u64
    }

    /// How many dwords there are.
    pub(crate) fn dwords(self) -> u64 {
        (u64::from(self.bytes) / DWORD).max(1)
    }
}

/// Dwords by number, from where the source stands.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Source {
    /// The ring, from a byte offset that only grows.
    Ring(Ring, u64),
    /// An indirect buffer, from an address.
    Buffer(u64),
}

impl Source {
    /// Address of the dword that is `index` dwords on.
    pub(crate) fn va(self, index: u32) -> u64 {
        let ahead = u64::from(index) * DWORD;
        match self {
            Source::Ring(ring, at) => ring.va + at.wrapping_add(ahead) % u64::from(ring.bytes.max(1)),
            Source::Buffer(at) => at.wrapping_add(ahead),
        }
    }

    /// The dword that is `index` dwords on.
    pub(crate) fn dword(self, table: &PageTable, index: u32) -> Result<u32, Fault> {
        table.load_u32(self.va(index))
    }

    /// What ends the packets of this source.
    pub(crate) fn end_name(self) -> &'static str {
        match self {
            Source::Ring(..) => "the write pointer",
            Source::Buffer(_) => "the end of the indirect buffer",
        }
    }
}
