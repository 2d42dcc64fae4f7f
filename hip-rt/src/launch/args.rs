//! Kernel arguments: where the metadata wants each, and copying them there.

use crate::error::Result;
use crate::ffi;
use crate::launch::hidden::{self, Hidden};
use amd_codeobj::{Kernel as Metadata, ValueKind};
use hip_sys::hipError_t;
use std::ffi::c_void;

/// More than this no kernel has; metadata that says so is damaged.
const LONGEST_SEGMENT: usize = 1 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Explicit {
    offset: usize,
    size: usize,
    /// The alignment of the LDS array that the argument sizes (`dynamic_shared_pointer`).
    dynamic: Option<u32>,
}

/// What a kernel expects in its argument segment.
#[derive(Debug, Clone, Default)]
pub struct Signature {
    explicit: Vec<Explicit>,
    hidden: Vec<Hidden>,
    bytes: usize,
}

/// Arguments as a caller passes them.
#[derive(Debug, Clone, Copy)]
pub enum Arguments<'a> {
    /// An array with a pointer to each argument; may be null when there are none.
    Pointers(ffi::In<*const c_void>),
    /// The arguments laid out as the kernel expects them.
    Packed(&'a [u8]),
}

impl Signature {
    /// The signature that a kernel's metadata gives it.
    pub fn new(metadata: &Metadata) -> Result<Self> {
        let mut explicit = Vec::new();
        let mut hidden = Vec::new();
        let mut end = metadata.kernarg_segment_size as usize;
        for arg in &metadata.args {
            let (offset, size) = (arg.offset as usize, arg.size as usize);
            end = end.max(offset.saturating_add(size));
            if arg.value_kind.is_hidden() {
                hidden.push(Hidden { offset, size, kind: arg.value_kind.clone() });
            } else {
                let dynamic = (arg.value_kind == ValueKind::DynamicSharedPointer)
                    .then(|| arg.pointee_align.unwrap_or(1).max(1));
                explicit.push(Explicit { offset, size, dynamic });
            }
        }
        if end > LONGEST_SEGMENT {
            return Err(hipError_t::INVALID_KERNEL_FILE);
        }
        Ok(Self { explicit, hidden, bytes: end })
    }

    /// Bytes of the segment.
    pub fn segment_bytes(&self) -> usize {
        self.bytes
    }

    /// How many arguments a caller passes.
    pub fn explicit_count(&self) -> usize {
        self.explicit.len()
    }

    /// Where each of them lies in the segment.
    pub fn offsets(&self) -> impl Iterator<Item = usize> {
        self.explicit.iter().map(|explicit| explicit.offset)
    }

    /// Bytes up to the end of the last argument that a caller passes.
    pub fn explicit_bytes(&self) -> usize {
        self.explicit.iter().map(|explicit| explicit.offset + explicit.size).max().unwrap_or(0)
    }

    /// Whether device code may call the host.
    pub fn wants_hostcall(&self) -> bool {
        self.wants(&ValueKind::HiddenHostcallBuffer)
    }

    /// Whether device code may allocate.
    pub fn wants_heap(&self) -> bool {
        self.wants(&ValueKind::HiddenHeapV1)
    }

    /// Whether device code prints into a buffer.
    pub fn wants_printf_buffer(&self) -> bool {
        self.wants(&ValueKind::HiddenPrintfBuffer)
    }

    fn wants(&self, kind: &ValueKind) -> bool {
        self.hidden.iter().any(|hidden| hidden.kind == *kind)
    }

    /// Copies the caller's arguments into the segment. Returns the LDS bytes that they ask for.
    pub fn pack(&self, segment: &mut [u8], arguments: &Arguments<'_>, group_bytes: u32) -> Result<u32> {
        let mut lds = group_bytes;
        for (index, explicit) in self.explicit.iter().enumerate() {
            let place = segment
                .get_mut(explicit.offset..explicit.offset + explicit.size)
                .ok_or(hipError_t::INVALID_KERNEL_FILE)?;
            match arguments {
                Arguments::Pointers(pointers) => {
                    if !ffi::read_bytes(pointers.at(index)?, place) {
                        return Err(hipError_t::INVALID_VALUE);
                    }
                }
                Arguments::Packed(packed) => {
                    // A caller's buffer may end with its last argument, before the segment's padding.
                    let from = packed.get(explicit.offset..).unwrap_or_default();
                    let len = from.len().min(place.len());
                    place[..len].copy_from_slice(&from[..len]);
                }
            }
            if let Some(align) = explicit.dynamic {
                let wanted = place.iter().rev().fold(0u64, |value, byte| value << 8 | u64::from(*byte));
                lds = lds.checked_next_multiple_of(align).ok_or(hipError_t::INVALID_VALUE)?;
                let at = lds.to_le_bytes();
                place.fill(0);
                let len = place.len().min(at.len());
                place[..len].copy_from_slice(&at[..len]);
                let wanted = u32::try_from(wanted).map_err(|_| hipError_t::INVALID_VALUE)?;
                lds = lds.checked_add(wanted).ok_or(hipError_t::INVALID_VALUE)?;
            }
        }
        Ok(lds - group_bytes)
    }

    /// Writes the hidden arguments into the segment.
    pub fn fill_hidden(&self, segment: &mut [u8], values: &hidden::Values) {
        for hidden in &self.hidden {
            hidden.write(segment, values);
        }
    }
}

#[cfg(test)]
#[path = "args_tests.rs"]
mod tests;
