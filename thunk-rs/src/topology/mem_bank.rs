//! Memory banks: `nodes/N/mem_banks/I/properties`.

use std::fmt;

/// Sort of memory: `HSA_HEAPTYPE_*`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct HeapType(pub u32);

impl HeapType {
    /// Memory of the host.
    pub const SYSTEM: HeapType = HeapType(0);
    /// Memory of the GPU that the host can reach, all of it.
    pub const FRAME_BUFFER_PUBLIC: HeapType = HeapType(1);
    /// Memory of the GPU that the host cannot reach.
    pub const FRAME_BUFFER_PRIVATE: HeapType = HeapType(2);
    /// Global data share.
    pub const GPU_GDS: HeapType = HeapType(3);
    /// Local data share.
    pub const GPU_LDS: HeapType = HeapType(4);
    /// Scratch.
    pub const GPU_SCRATCH: HeapType = HeapType(5);

    /// Is it memory of the GPU?
    pub fn is_vram(self) -> bool {
        self == HeapType::FRAME_BUFFER_PUBLIC || self == HeapType::FRAME_BUFFER_PRIVATE
    }
}

impl fmt::Debug for HeapType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match *self {
            HeapType::SYSTEM => "SYSTEM",
            HeapType::FRAME_BUFFER_PUBLIC => "FRAME_BUFFER_PUBLIC",
            HeapType::FRAME_BUFFER_PRIVATE => "FRAME_BUFFER_PRIVATE",
            HeapType::GPU_GDS => "GPU_GDS",
            HeapType::GPU_LDS => "GPU_LDS",
            HeapType::GPU_SCRATCH => "GPU_SCRATCH",
            HeapType(other) => return write!(f, "HeapType({other})"),
        };
        f.write_str(name)
    }
}

impl TryFrom<u64> for HeapType {
    type Error = std::num::TryFromIntError;

    fn try_from(value: u64) -> Result<HeapType, Self::Error> {
        u32::try_from(value).map(HeapType)
    }
}

super::parse::properties! {
    /// A memory bank.
    pub struct MemBank {
        heap_type: HeapType = "What it is.";
        size_in_bytes: u64 = "Bytes.";
        flags: u32 = "Bit 0: hot-pluggable, bit 1: non-volatile.";
        width: u32 = "Of the bus, in bits.";
        mem_clk_max: u32 = "MHz.";
    }
}
