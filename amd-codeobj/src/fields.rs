//! The bit fields of a kernel descriptor as a table: names, bits, and the generations that have them, for printing and
//! for checks. Names are those of "Kernel Descriptor" in LLVM's AMDGPU guide.

use crate::bytes::bits;
use crate::{Generation, KernelDescriptor, Rsrc3Fields};

/// A word of the descriptor that is made of fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Word {
    /// `compute_pgm_rsrc1`.
    Rsrc1,
    /// `compute_pgm_rsrc2`.
    Rsrc2,
    /// `compute_pgm_rsrc3`.
    Rsrc3,
    /// `kernel_code_properties`.
    Properties,
    /// `kernarg_preload`.
    Preload,
}

impl Word {
    /// In order of the table.
    pub const ALL: [Word; 5] = [Word::Rsrc1, Word::Rsrc2, Word::Rsrc3, Word::Properties, Word::Preload];

    /// Its name in the guide.
    pub const fn name(self) -> &'static str {
        match self {
            Word::Rsrc1 => "COMPUTE_PGM_RSRC1",
            Word::Rsrc2 => "COMPUTE_PGM_RSRC2",
            Word::Rsrc3 => "COMPUTE_PGM_RSRC3",
            Word::Properties => "KERNEL_CODE_PROPERTIES",
            Word::Preload => "KERNARG_PRELOAD",
        }
    }

    /// Its offset in the descriptor, in bytes.
    pub const fn offset(self) -> u64 {
        match self {
            Word::Rsrc3 => 44,
            Word::Rsrc1 => 48,
            Word::Rsrc2 => 52,
            Word::Properties => 56,
            Word::Preload => 58,
        }
    }

    const fn of(self, descriptor: &KernelDescriptor) -> u32 {
        match self {
            Word::Rsrc1 => descriptor.rsrc1.0,
            Word::Rsrc2 => descriptor.rsrc2.0,
            Word::Rsrc3 => descriptor.rsrc3.0,
            Word::Properties => descriptor.properties.0 as u32,
            Word::Preload => descriptor.kernarg_preload.0 as u32,
        }
    }
}

/// A field of the descriptor.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// The word that it is in.
    pub word: Word,
    /// Its name.
    pub name: &'static str,
    /// Its highest bit.
    pub high: u32,
    /// Its lowest bit.
    pub low: u32,
    exists: fn(&Generation) -> bool,
}

impl Field {
    /// The fields of every generation, in order of word and bit. Two that share bits never exist in one generation.
    pub fn all() -> &'static [Field] {
        &FIELDS
    }

    /// The generation has this field.
    pub fn exists_in(&self, generation: &Generation) -> bool {
        (self.exists)(generation)
    }

    /// Its value in a descriptor.
    pub const fn of(&self, descriptor: &KernelDescriptor) -> u32 {
        bits(self.word.of(descriptor), self.high, self.low)
    }

    /// Its bits in the word.
    pub const fn mask(&self) -> u32 {
        (u32::MAX >> (31 - (self.high - self.low))) << self.low
    }
}

impl KernelDescriptor {
    /// The fields that this generation has, with their values.
    pub fn fields(&self, generation: &Generation) -> impl Iterator<Item = (&'static Field, u32)> {
        FIELDS
            .iter()
            .filter(move |field| field.exists_in(generation))
            .map(move |field| (field, field.of(self)))
    }

    /// Bits that are set, though they belong to no field that this generation has, by word.
    pub fn unknown_bits(&self, generation: &Generation) -> impl Iterator<Item = (Word, u32)> {
        Word::ALL.into_iter().filter_map(move |word| {
            let known = FIELDS.iter().filter(|field| field.word == word && field.exists_in(generation));
            let unknown = word.of(self) & !known.fold(0, |mask, field| mask | field.mask());
            (unknown != 0).then_some((word, unknown))
        })
    }
}

const fn field(
    word: Word,
    name: &'static str,
    high: u32,
    low: u32,
    exists: fn(&Generation) -> bool,
) -> Field {
    Field { word, name, high, low, exists }
}

const ALL: fn(&Generation) -> bool = |_| true;
const SCRATCH_BY_CODE: fn(&Generation) -> bool = |g| !g.has_architected_flat_scratch;
const WAVE32_OR_64: fn(&Generation) -> bool = |g| g.wave32;
const CLAMP_AND_IEEE: fn(&Generation) -> bool = |g| g.has_dx10_clamp_and_ieee;
const ROUND_ROBIN: fn(&Generation) -> bool = |g| !g.has_dx10_clamp_and_ieee;
const FP16_OVERFLOW: fn(&Generation) -> bool = |g| g.has_fp16_overflow;
const WGP_MODE: fn(&Generation) -> bool = |g| g.has_wgp_mode;
const ACCUM: fn(&Generation) -> bool = |g| g.rsrc3 == Rsrc3Fields::Accum;
const SHARED_VGPR: fn(&Generation) -> bool =
    |g| matches!(g.rsrc3, Rsrc3Fields::SharedVgpr | Rsrc3Fields::SharedVgprPrefetch);
const SMALL_PREFETCH: fn(&Generation) -> bool = |g| g.rsrc3 == Rsrc3Fields::SharedVgprPrefetch;
const PREFETCH: fn(&Generation) -> bool =
    |g| matches!(g.rsrc3, Rsrc3Fields::Prefetch | Rsrc3Fields::PrefetchNamedBarriers);
const IMAGE_OP: fn(&Generation) -> bool = |g| SMALL_PREFETCH(g) || PREFETCH(g);
const NAMED_BARRIERS: fn(&Generation) -> bool = |g| g.rsrc3 == Rsrc3Fields::PrefetchNamedBarriers;
const PRELOAD: fn(&Generation) -> bool = |g| g.has_kernarg_preload;
const NARROW_VGPRS: fn(&Generation) -> bool = |g| g.vgpr_field_bits == 6;
const WIDE_VGPRS: fn(&Generation) -> bool = |g| g.vgpr_field_bits == 7;
const NARROW_USER: fn(&Generation) -> bool = |g| g.user_sgpr_count_bits == 5;
const WIDE_USER: fn(&Generation) -> bool = |g| g.user_sgpr_count_bits == 6;
const TRAP_HANDLER: fn(&Generation) -> bool = |g| g.has_dx10_clamp_and_ieee;
const DYNAMIC_VGPR: fn(&Generation) -> bool = |g| g.rsrc3 == Rsrc3Fields::Prefetch;
const SGPR_COUNT: fn(&Generation) -> bool = NARROW_VGPRS;

#[rustfmt::skip]
static FIELDS: [Field; 66] = [
    field(Word::Rsrc1, "GRANULATED_WORKITEM_VGPR_COUNT", 5, 0, NARROW_VGPRS),
    field(Word::Rsrc1, "GRANULATED_WORKITEM_VGPR_COUNT", 6, 0, WIDE_VGPRS),
    field(Word::Rsrc1, "GRANULATED_WAVEFRONT_SGPR_COUNT", 9, 6, SGPR_COUNT),
    field(Word::Rsrc1, "PRIORITY", 11, 10, ALL),
    field(Word::Rsrc1, "FLOAT_ROUND_MODE_32", 13, 12, ALL),
    field(Word::Rsrc1, "FLOAT_ROUND_MODE_16_64", 15, 14, ALL),
    field(Word::Rsrc1, "FLOAT_DENORM_MODE_32", 17, 16, ALL),
    field(Word::Rsrc1, "FLOAT_DENORM_MODE_16_64", 19, 18, ALL),
    field(Word::Rsrc1, "PRIV", 20, 20, ALL),
    field(Word::Rsrc1, "ENABLE_DX10_CLAMP", 21, 21, CLAMP_AND_IEEE),
    field(Word::Rsrc1, "ENABLE_WG_RR_EN", 21, 21, ROUND_ROBIN),
    field(Word::Rsrc1, "DEBUG_MODE", 22, 22, ALL),
    field(Word::Rsrc1, "ENABLE_IEEE_MODE", 23, 23, CLAMP_AND_IEEE),
    field(Word::Rsrc1, "DISABLE_PERF", 23, 23, ROUND_ROBIN),
    field(Word::Rsrc1, "BULKY", 24, 24, ALL),
    field(Word::Rsrc1, "CDBG_USER", 25, 25, ALL),
    field(Word::Rsrc1, "FP16_OVFL", 26, 26, FP16_OVERFLOW),
    field(Word::Rsrc1, "FLAT_SCRATCH_IS_NV", 27, 27, NAMED_BARRIERS),
    field(Word::Rsrc1, "WGP_MODE", 29, 29, WGP_MODE),
    field(Word::Rsrc1, "MEM_ORDERED", 30, 30, WGP_MODE),
    field(Word::Rsrc1, "FWD_PROGRESS", 31, 31, WGP_MODE),
    field(Word::Rsrc2, "ENABLE_PRIVATE_SEGMENT", 0, 0, ALL),
    field(Word::Rsrc2, "USER_SGPR_COUNT", 5, 1, NARROW_USER),
    field(Word::Rsrc2, "USER_SGPR_COUNT", 6, 1, WIDE_USER),
    field(Word::Rsrc2, "ENABLE_TRAP_HANDLER", 6, 6, TRAP_HANDLER),
    field(Word::Rsrc2, "ENABLE_DYNAMIC_VGPR", 6, 6, DYNAMIC_VGPR),
    field(Word::Rsrc2, "ENABLE_SGPR_WORKGROUP_ID_X", 7, 7, ALL),
    field(Word::Rsrc2, "ENABLE_SGPR_WORKGROUP_ID_Y", 8, 8, ALL),
    field(Word::Rsrc2, "ENABLE_SGPR_WORKGROUP_ID_Z", 9, 9, ALL),
    field(Word::Rsrc2, "ENABLE_SGPR_WORKGROUP_INFO", 10, 10, ALL),
    field(Word::Rsrc2, "ENABLE_VGPR_WORKITEM_ID", 12, 11, ALL),
    field(Word::Rsrc2, "ENABLE_EXCEPTION_ADDRESS_WATCH", 13, 13, ALL),
    field(Word::Rsrc2, "ENABLE_EXCEPTION_MEMORY", 14, 14, ALL),
    field(Word::Rsrc2, "GRANULATED_LDS_SIZE", 23, 15, ALL),
    field(Word::Rsrc2, "ENABLE_EXCEPTION_IEEE_754_FP_INVALID_OPERATION", 24, 24, ALL),
    field(Word::Rsrc2, "ENABLE_EXCEPTION_FP_DENORMAL_SOURCE", 25, 25, ALL),
    field(Word::Rsrc2, "ENABLE_EXCEPTION_IEEE_754_FP_DIVISION_BY_ZERO", 26, 26, ALL),
    field(Word::Rsrc2, "ENABLE_EXCEPTION_IEEE_754_FP_OVERFLOW", 27, 27, ALL),
    field(Word::Rsrc2, "ENABLE_EXCEPTION_IEEE_754_FP_UNDERFLOW", 28, 28, ALL),
    field(Word::Rsrc2, "ENABLE_EXCEPTION_IEEE_754_FP_INEXACT", 29, 29, ALL),
    field(Word::Rsrc2, "ENABLE_EXCEPTION_INT_DIVIDE_BY_ZERO", 30, 30, ALL),
    field(Word::Rsrc2, "WGP_TAKEOVER", 31, 31, PREFETCH),
    field(Word::Rsrc3, "ACCUM_OFFSET", 5, 0, ACCUM),
    field(Word::Rsrc3, "TG_SPLIT", 16, 16, ACCUM),
    field(Word::Rsrc3, "SHARED_VGPR_COUNT", 3, 0, SHARED_VGPR),
    field(Word::Rsrc3, "INST_PREF_SIZE", 9, 4, SMALL_PREFETCH),
    field(Word::Rsrc3, "INST_PREF_SIZE", 11, 4, PREFETCH),
    field(Word::Rsrc3, "TRAP_ON_START", 10, 10, SMALL_PREFETCH),
    field(Word::Rsrc3, "TRAP_ON_END", 11, 11, SMALL_PREFETCH),
    field(Word::Rsrc3, "GLG_EN", 13, 13, PREFETCH),
    field(Word::Rsrc3, "NAMED_BAR_CNT", 16, 14, NAMED_BARRIERS),
    field(Word::Rsrc3, "ENABLE_DYNAMIC_VGPR", 17, 17, NAMED_BARRIERS),
    field(Word::Rsrc3, "TCP_SPLIT", 20, 18, NAMED_BARRIERS),
    field(Word::Rsrc3, "ENABLE_DIDT_THROTTLE", 21, 21, NAMED_BARRIERS),
    field(Word::Rsrc3, "IMAGE_OP", 31, 31, IMAGE_OP),
    field(Word::Properties, "ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER", 0, 0, SCRATCH_BY_CODE),
    field(Word::Properties, "ENABLE_SGPR_DISPATCH_PTR", 1, 1, ALL),
    field(Word::Properties, "ENABLE_SGPR_QUEUE_PTR", 2, 2, ALL),
    field(Word::Properties, "ENABLE_SGPR_KERNARG_SEGMENT_PTR", 3, 3, ALL),
    field(Word::Properties, "ENABLE_SGPR_DISPATCH_ID", 4, 4, ALL),
    field(Word::Properties, "ENABLE_SGPR_FLAT_SCRATCH_INIT", 5, 5, SCRATCH_BY_CODE),
    field(Word::Properties, "ENABLE_SGPR_PRIVATE_SEGMENT_SIZE", 6, 6, ALL),
    field(Word::Properties, "ENABLE_WAVEFRONT_SIZE32", 10, 10, WAVE32_OR_64),
    field(Word::Properties, "USES_DYNAMIC_STACK", 11, 11, ALL),
    field(Word::Preload, "LENGTH", 6, 0, PRELOAD),
    field(Word::Preload, "OFFSET", 15, 7, PRELOAD),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Isa;

    #[test]
    fn fields_of_a_generation_share_no_bits() {
        for isa in Isa::all() {
            for word in Word::ALL {
                let fields = Field::all().iter().filter(|f| f.word == word && f.exists_in(isa.generation));
                let mut seen = 0;
                for field in fields {
                    assert_eq!(seen & field.mask(), 0, "{} of {}", field.name, isa.name);
                    seen |= field.mask();
                }
            }
        }
    }
}
