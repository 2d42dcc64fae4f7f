//! Hidden arguments: what the compiler adds behind a kernel's own arguments. AMDGPUUsage, "Code Object V4/V5 Metadata".
//!
//! Version 4 has seven of eight bytes, version 5 a block of 256 bytes. The metadata says where each one that the
//! kernel uses lies, and that is all that counts here.

use crate::launch::Geometry;
use amd_codeobj::ValueKind;

/// Upper halves of the LDS and scratch apertures, the same on every device of KFD. Only code before gfx9 asks.
const SHARED_BASE: u32 = 0x1_0000;
const PRIVATE_BASE: u32 = 0x2_0000;

/// One hidden argument of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hidden {
    /// Where it lies.
    pub offset: usize,
    /// Its bytes.
    pub size: usize,
    /// What it is.
    pub kind: ValueKind,
}

/// What the hidden arguments of one launch are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Values {
    geometry: Geometry,
    /// Address of the hostcall buffer.
    pub hostcall: u64,
    /// Address of the printf buffer.
    pub printf: u64,
    /// Address of the device heap.
    pub heap: u64,
    /// Address of the grid's synchronisation block.
    pub multigrid: u64,
    /// Address of the queue's `amd_queue_t`.
    pub queue: u64,
}

impl Values {
    /// The values that the geometry gives; addresses are 0.
    pub fn new(geometry: Geometry) -> Self {
        Self { geometry, hostcall: 0, printf: 0, heap: 0, multigrid: 0, queue: 0 }
    }

    fn of(&self, kind: &ValueKind) -> u64 {
        let Geometry { grid, block, shared, .. } = self.geometry;
        let groups = |at: usize| u64::from(grid[at] / block[at].max(1));
        let rest = |at: usize| u64::from(grid[at] % block[at].max(1));
        match kind {
            ValueKind::HiddenBlockCountX => groups(0),
            ValueKind::HiddenBlockCountY => groups(1),
            ValueKind::HiddenBlockCountZ => groups(2),
            ValueKind::HiddenGroupSizeX => u64::from(block[0]),
            ValueKind::HiddenGroupSizeY => u64::from(block[1]),
            ValueKind::HiddenGroupSizeZ => u64::from(block[2]),
            ValueKind::HiddenRemainderX => rest(0),
            ValueKind::HiddenRemainderY => rest(1),
            ValueKind::HiddenRemainderZ => rest(2),
            // HIP always has three.
            ValueKind::HiddenGridDims => 3,
            ValueKind::HiddenPrintfBuffer => self.printf,
            ValueKind::HiddenHostcallBuffer => self.hostcall,
            ValueKind::HiddenMultigridSyncArg => self.multigrid,
            ValueKind::HiddenHeapV1 => self.heap,
            ValueKind::HiddenDynamicLdsSize => u64::from(shared),
            ValueKind::HiddenPrivateBase => u64::from(PRIVATE_BASE),
            ValueKind::HiddenSharedBase => u64::from(SHARED_BASE),
            ValueKind::HiddenQueuePtr => self.queue,
            // Offsets, default queue and completion action: HIP has none of them.
            _ => 0,
        }
    }
}

impl Hidden {
    /// Writes the argument into the segment; one that the segment has no room for is left out.
    pub fn write(&self, segment: &mut [u8], values: &Values) {
        let bytes = values.of(&self.kind).to_le_bytes();
        let len = self.size.min(bytes.len());
        if let Some(place) = self.offset.checked_add(len).and_then(|end| segment.get_mut(self.offset..end)) {
            place.copy_from_slice(&bytes[..len]);
        }
    }
}
