//! The bit fields of a kernel descriptor: `compute_pgm_rsrc1/2/3`, kernel code properties, kernarg preload.
//! Answers to the tables of the same names in "Kernel Descriptor" of LLVM's AMDGPU guide.
//!
//! Fields that mean one thing everywhere are plain methods; those that depend on the generation take it.

use crate::bytes::{bit, bits};
use crate::{Generation, Rsrc3Fields, SgprAllocation};

/// `compute_pgm_rsrc1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rsrc1(pub u32);

impl Rsrc1 {
    /// Vector registers allocated to a wave of this size, AGPRs of a unified file included.
    pub fn vgprs(self, generation: &Generation, wave_size: u32) -> u32 {
        (bits(self.0, generation.vgpr_field_bits - 1, 0) + 1) * generation.vgpr_granule(wave_size)
    }

    /// Scalar registers allocated to a wave, VCC and the like included.
    pub fn sgprs(self, generation: &Generation) -> u32 {
        let field = bits(self.0, 9, 6);
        match generation.sgpr_allocation {
            SgprAllocation::Eights => (field + 1) * 8,
            SgprAllocation::Sixteens => (field / 2 + 1) * 16,
            SgprAllocation::Fixed(count) => count,
        }
    }

    /// Scheduling priority (the command processor sets it).
    pub const fn priority(self) -> u32 {
        bits(self.0, 11, 10)
    }

    /// Rounding of single precision: 0 nearest even, 1 up, 2 down, 3 to zero.
    pub const fn round_32(self) -> u32 {
        bits(self.0, 13, 12)
    }

    /// Rounding of half and double precision.
    pub const fn round_16_64(self) -> u32 {
        bits(self.0, 15, 14)
    }

    /// Denormals of single precision: 0 flush both, 1 flush results, 2 flush operands, 3 keep.
    pub const fn denorm_32(self) -> u32 {
        bits(self.0, 17, 16)
    }

    /// Denormals of half and double precision.
    pub const fn denorm_16_64(self) -> u32 {
        bits(self.0, 19, 18)
    }

    /// The eight bits above as they stand in MODE\[7:0\]: FP_ROUND, then FP_DENORM.
    pub const fn float_mode(self) -> u8 {
        bits(self.0, 19, 12) as u8
    }

    /// Privileged (the command processor sets it).
    pub const fn privileged(self) -> bool {
        bit(self.0, 20)
    }

    /// `DX10_CLAMP`: clamping turns NaN into zero. False where the bit means something else.
    pub fn dx10_clamp(self, generation: &Generation) -> bool {
        generation.has_dx10_clamp_and_ieee && bit(self.0, 21)
    }

    /// `WG_RR_EN`: waves of a work-group take turns. False where the bit means something else.
    pub fn work_group_round_robin(self, generation: &Generation) -> bool {
        !generation.has_dx10_clamp_and_ieee && bit(self.0, 21)
    }

    /// Single-step mode of a debugger.
    pub const fn debug_mode(self) -> bool {
        bit(self.0, 22)
    }

    /// `IEEE_MODE`: signalling NaNs are quieted. False where the bit means something else.
    pub fn ieee_mode(self, generation: &Generation) -> bool {
        generation.has_dx10_clamp_and_ieee && bit(self.0, 23)
    }

    /// `FP16_OVFL`: half-precision overflow gives the largest number. False where there is no such bit.
    pub fn fp16_overflow(self, generation: &Generation) -> bool {
        generation.has_fp16_overflow && bit(self.0, 26)
    }

    /// `WGP_MODE`: the waves of a work-group may spread over both compute units of a work-group processor.
    pub fn wgp_mode(self, generation: &Generation) -> bool {
        generation.has_wgp_mode && bit(self.0, 29)
    }

    /// `MEM_ORDERED`: loads and stores complete in order of their counters.
    pub fn memory_ordered(self, generation: &Generation) -> bool {
        generation.has_wgp_mode && bit(self.0, 30)
    }

    /// `FWD_PROGRESS`: every wave gets a turn, the oldest first.
    pub fn forward_progress(self, generation: &Generation) -> bool {
        generation.has_wgp_mode && bit(self.0, 31)
    }
}

/// `compute_pgm_rsrc2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rsrc2(pub u32);

impl Rsrc2 {
    /// The wave needs scratch: its offset in an SGPR, or flat scratch set up by hardware.
    pub const fn enable_private_segment(self) -> bool {
        bit(self.0, 0)
    }

    /// SGPRs that hold user data when a wave starts.
    pub fn user_sgpr_count(self, generation: &Generation) -> u32 {
        bits(self.0, generation.user_sgpr_count_bits, 1)
    }

    /// The work-group ID in x is given.
    pub const fn enable_work_group_id_x(self) -> bool {
        bit(self.0, 7)
    }

    /// The work-group ID in y is given.
    pub const fn enable_work_group_id_y(self) -> bool {
        bit(self.0, 8)
    }

    /// The work-group ID in z is given.
    pub const fn enable_work_group_id_z(self) -> bool {
        bit(self.0, 9)
    }

    /// The work-group information word is given.
    pub const fn enable_work_group_info(self) -> bool {
        bit(self.0, 10)
    }

    /// Work-item IDs that are given: 0 x, 1 x and y, 2 x, y and z (3 is undefined).
    pub const fn work_item_id(self) -> u32 {
        bits(self.0, 12, 11)
    }

    /// Exception on an address watch.
    pub const fn exception_address_watch(self) -> bool {
        bit(self.0, 13)
    }

    /// Exception on a memory violation.
    pub const fn exception_memory(self) -> bool {
        bit(self.0, 14)
    }

    /// LDS granules: zero in a descriptor, the command processor fills them from the packet.
    pub const fn lds_granules(self) -> u32 {
        bits(self.0, 23, 15)
    }

    /// Enabled arithmetic exceptions, lowest bit first: invalid, denormal operand, division by zero, overflow,
    /// underflow, inexact, integer division by zero.
    pub const fn exceptions(self) -> u32 {
        bits(self.0, 30, 24)
    }
}

/// `compute_pgm_rsrc3`. Each method answers zero or false where the generation lacks the field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rsrc3(pub u32);

impl Rsrc3 {
    /// First AGPR of a unified register file: the number of VGPRs before it.
    pub fn accum_offset(self, generation: &Generation) -> Option<u32> {
        (generation.rsrc3 == Rsrc3Fields::Accum).then(|| (bits(self.0, 5, 0) + 1) * 4)
    }

    /// `TG_SPLIT`: the waves of a work-group may run on several compute units (no LDS then).
    pub fn tg_split(self, generation: &Generation) -> bool {
        generation.rsrc3 == Rsrc3Fields::Accum && bit(self.0, 16)
    }

    /// VGPRs that both halves of a 64-lane wave share.
    pub fn shared_vgprs(self, generation: &Generation) -> u32 {
        match generation.rsrc3 {
            Rsrc3Fields::SharedVgpr | Rsrc3Fields::SharedVgprPrefetch => bits(self.0, 3, 0) * 8,
            _ => 0,
        }
    }

    /// Bytes of code to prefetch when a wave starts.
    pub fn prefetch_bytes(self, generation: &Generation) -> u32 {
        match generation.rsrc3 {
            Rsrc3Fields::SharedVgprPrefetch => bits(self.0, 9, 4) * 128,
            Rsrc3Fields::Prefetch | Rsrc3Fields::PrefetchNamedBarriers => bits(self.0, 11, 4) * 128,
            _ => 0,
        }
    }

    /// `GLG_EN`: group launch guarantee.
    pub fn group_launch_guarantee(self, generation: &Generation) -> bool {
        matches!(generation.rsrc3, Rsrc3Fields::Prefetch | Rsrc3Fields::PrefetchNamedBarriers)
            && bit(self.0, 13)
    }

    /// Named barriers, in units of four.
    pub fn named_barriers(self, generation: &Generation) -> u32 {
        if generation.rsrc3 == Rsrc3Fields::PrefetchNamedBarriers { bits(self.0, 16, 14) * 4 } else { 0 }
    }
}

/// `kernel_code_properties`: which user SGPRs are set up, and the wave size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KernelCodeProperties(pub u16);

impl KernelCodeProperties {
    const fn has(self, n: u32) -> bool {
        bit(self.0 as u32, n)
    }

    /// Buffer descriptor of the private segment: 4 SGPRs.
    pub const fn enable_private_segment_buffer(self) -> bool {
        self.has(0)
    }

    /// Address of the dispatch packet: 2 SGPRs.
    pub const fn enable_dispatch_ptr(self) -> bool {
        self.has(1)
    }

    /// Address of the queue: 2 SGPRs.
    pub const fn enable_queue_ptr(self) -> bool {
        self.has(2)
    }

    /// Address of the kernel arguments: 2 SGPRs.
    pub const fn enable_kernarg_segment_ptr(self) -> bool {
        self.has(3)
    }

    /// Dispatch ID: 2 SGPRs.
    pub const fn enable_dispatch_id(self) -> bool {
        self.has(4)
    }

    /// Flat scratch initialiser: 2 SGPRs.
    pub const fn enable_flat_scratch_init(self) -> bool {
        self.has(5)
    }

    /// Bytes of private segment a work-item: 1 SGPR.
    pub const fn enable_private_segment_size(self) -> bool {
        self.has(6)
    }

    /// Waves have 32 lanes, where the generation has the choice.
    pub const fn enable_wavefront_size32(self) -> bool {
        self.has(10)
    }

    /// Needs more scratch than the descriptor says: recursion or calls through pointers.
    pub const fn uses_dynamic_stack(self) -> bool {
        self.has(11)
    }
}

/// `kernarg_preload`: kernel arguments that are copied into user SGPRs before the wave starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KernargPreload(pub u16);

impl KernargPreload {
    /// How many 32-bit words; 0 for none.
    pub const fn length(self) -> u32 {
        bits(self.0 as u32, 6, 0)
    }

    /// From which 32-bit word of the kernel arguments on.
    pub const fn offset(self) -> u32 {
        bits(self.0 as u32, 15, 7)
    }
}
