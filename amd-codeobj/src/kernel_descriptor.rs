//! The kernel descriptor: 64 bytes at symbol `<kernel>.kd` that tell the hardware how to start a kernel's waves.
//! Answers to "Kernel Descriptor" of LLVM's AMDGPU guide.

use crate::bytes::{i64_at, slice, u16_at, u32_at};
use crate::{AccVgprs, Error, Generation, KernargPreload, KernelCodeProperties, Rsrc1, Rsrc2, Rsrc3};

/// A kernel descriptor. Fields are raw; methods say what they mean for a generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelDescriptor {
    /// Bytes of LDS that the kernel needs, dynamic LDS not counted.
    pub group_segment_fixed_size: u32,
    /// Bytes of scratch that each work-item needs.
    pub private_segment_fixed_size: u32,
    /// Bytes of kernel arguments; 0 if not said.
    pub kernarg_size: u32,
    /// From the descriptor's address to the first instruction.
    pub entry_offset: i64,
    /// `compute_pgm_rsrc1`.
    pub rsrc1: Rsrc1,
    /// `compute_pgm_rsrc2`.
    pub rsrc2: Rsrc2,
    /// `compute_pgm_rsrc3`.
    pub rsrc3: Rsrc3,
    /// `kernel_code_properties`.
    pub properties: KernelCodeProperties,
    /// `kernarg_preload`.
    pub kernarg_preload: KernargPreload,
}

impl KernelDescriptor {
    /// Its size, and its alignment in memory.
    pub const SIZE: usize = 64;

    /// Reads a descriptor from its first 64 bytes. Any 64 bytes are a descriptor: see [`KernelDescriptor::check`].
    pub fn parse(bytes: &[u8]) -> Result<KernelDescriptor, Error> {
        KernelDescriptor::parse_at(bytes, 0)
    }

    /// As `parse`, with the offset for the error.
    pub(crate) fn parse_at(bytes: &[u8], offset: u64) -> Result<KernelDescriptor, Error> {
        const WHAT: &str = "kernel descriptor";
        let need = KernelDescriptor::SIZE as u64;
        let bytes = slice(bytes, WHAT, 0, need).map_err(|_| Error::Truncated {
            what: WHAT,
            offset,
            need,
            have: offset + bytes.len() as u64,
        })?;
        Ok(KernelDescriptor {
            group_segment_fixed_size: u32_at(bytes, WHAT, 0)?,
            private_segment_fixed_size: u32_at(bytes, WHAT, 4)?,
            kernarg_size: u32_at(bytes, WHAT, 8)?,
            entry_offset: i64_at(bytes, WHAT, 16)?,
            rsrc3: Rsrc3(u32_at(bytes, WHAT, 44)?),
            rsrc1: Rsrc1(u32_at(bytes, WHAT, 48)?),
            rsrc2: Rsrc2(u32_at(bytes, WHAT, 52)?),
            properties: KernelCodeProperties(u16_at(bytes, WHAT, 56)?),
            kernarg_preload: KernargPreload(u16_at(bytes, WHAT, 58)?),
        })
    }

    /// Lanes of its waves.
    pub fn wave_size(&self, generation: &Generation) -> u32 {
        match (generation.wave32, generation.wave64) {
            (true, true) if self.properties.enable_wavefront_size32() => 32,
            (true, false) => 32,
            _ => 64,
        }
    }

    /// All vector registers allocated to a wave, AGPRs of a unified file included.
    pub fn allocated_vgprs(&self, generation: &Generation) -> u32 {
        self.rsrc1.vgprs(generation, self.wave_size(generation))
    }

    /// VGPRs of a wave: the first part of a unified file, all that is allocated otherwise.
    pub fn vgprs(&self, generation: &Generation) -> u32 {
        let allocated = self.allocated_vgprs(generation);
        self.rsrc3.accum_offset(generation).map_or(allocated, |offset| offset.min(allocated))
    }

    /// AGPRs of a wave: the rest of a unified file, as many as VGPRs where they are a file of their own.
    pub fn agprs(&self, generation: &Generation) -> u32 {
        let allocated = self.allocated_vgprs(generation);
        match generation.acc_vgprs {
            AccVgprs::None => 0,
            AccVgprs::Separate => allocated,
            AccVgprs::Unified => allocated - self.vgprs(generation),
        }
    }

    /// SGPRs of a wave.
    pub fn sgprs(&self, generation: &Generation) -> u32 {
        self.rsrc1.sgprs(generation)
    }

    /// User SGPRs, preloaded kernel arguments included.
    pub fn user_sgpr_count(&self, generation: &Generation) -> u32 {
        self.rsrc2.user_sgpr_count(generation)
    }

    /// The MODE register that its waves start with: FP_ROUND and FP_DENORM in bits 7:0, DX10_CLAMP 8, IEEE 9,
    /// EXCP_EN 18:12, FP16_OVFL 23.
    pub fn mode(&self, generation: &Generation) -> u32 {
        u32::from(self.rsrc1.float_mode())
            | u32::from(self.rsrc1.dx10_clamp(generation)) << 8
            | u32::from(self.rsrc1.ieee_mode(generation)) << 9
            | self.rsrc2.exceptions() << 12
            | u32::from(self.rsrc1.fp16_overflow(generation)) << 23
    }

    /// The user SGPRs in the order in which they are loaded.
    pub fn user_sgprs(&self, generation: &Generation) -> UserSgprs {
        let preload = if generation.has_kernarg_preload { self.kernarg_preload.length() } else { 0 };
        UserSgprs { properties: self.properties, preload, step: 0, first: 0 }
    }

    /// Address of the first instruction, given the descriptor's.
    pub fn entry(&self, descriptor_address: u64) -> Option<u64> {
        descriptor_address.checked_add_signed(self.entry_offset)
    }

    /// Checks that the fields make sense for the generation: what no compiler emits is refused with the field's offset
    /// in the descriptor.
    pub fn check(&self, generation: &Generation) -> Result<(), Error> {
        let bad = |what, offset, value: u32, why| {
            Err(Error::BadField { what, offset, value: u64::from(value), why })
        };
        let properties = u32::from(self.properties.0);
        if generation.has_architected_flat_scratch
            && (self.properties.enable_private_segment_buffer() || self.properties.enable_flat_scratch_init())
        {
            let why = "private segment buffer or flat scratch initialiser where hardware sets scratch up";
            return bad("kernel_code_properties", 56, properties, why);
        }
        if self.properties.enable_wavefront_size32() && !generation.wave32 {
            return bad("kernel_code_properties", 56, properties, "32-lane waves do not exist here");
        }
        if self.rsrc2.work_item_id() == 3 {
            return bad("compute_pgm_rsrc2", 52, self.rsrc2.0, "work-item ID mode 3 is undefined");
        }
        let allocated = self.allocated_vgprs(generation);
        if allocated > generation.max_vgprs {
            return bad("compute_pgm_rsrc1", 48, self.rsrc1.0, "more vector registers than a wave can have");
        }
        if self.rsrc3.accum_offset(generation).is_some_and(|offset| offset > allocated) {
            return bad(
                "compute_pgm_rsrc3",
                44,
                self.rsrc3.0,
                "ACCUM_OFFSET is past the allocated registers",
            );
        }
        if self.entry_offset % 4 != 0 {
            return bad("entry offset", 16, self.entry_offset as u32, "not a multiple of four");
        }
        let used: u32 = self.user_sgprs(generation).map(|(_, _, count)| count).sum();
        if used > self.user_sgpr_count(generation) {
            return bad(
                "compute_pgm_rsrc2",
                52,
                self.rsrc2.0,
                "fewer user SGPRs than the properties ask for",
            );
        }
        Ok(())
    }
}

/// What a user SGPR (or a row of them) holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UserSgpr {
    /// Buffer descriptor of the private segment.
    PrivateSegmentBuffer,
    /// Address of the dispatch packet.
    DispatchPtr,
    /// Address of the `amd_queue_t`.
    QueuePtr,
    /// Address of the kernel arguments.
    KernargSegmentPtr,
    /// Dispatch ID.
    DispatchId,
    /// Flat scratch initialiser.
    FlatScratchInit,
    /// Bytes of private segment a work-item.
    PrivateSegmentSize,
    /// Preloaded kernel arguments.
    KernargPreload,
}

/// User SGPRs in loading order: what, first SGPR, how many.
#[derive(Debug, Clone)]
pub struct UserSgprs {
    properties: KernelCodeProperties,
    preload: u32,
    step: usize,
    first: u32,
}

impl Iterator for UserSgprs {
    type Item = (UserSgpr, u32, u32);

    fn next(&mut self) -> Option<Self::Item> {
        let p = self.properties;
        loop {
            let (what, count, present) = match self.step {
                0 => (UserSgpr::PrivateSegmentBuffer, 4, p.enable_private_segment_buffer()),
                1 => (UserSgpr::DispatchPtr, 2, p.enable_dispatch_ptr()),
                2 => (UserSgpr::QueuePtr, 2, p.enable_queue_ptr()),
                3 => (UserSgpr::KernargSegmentPtr, 2, p.enable_kernarg_segment_ptr()),
                4 => (UserSgpr::DispatchId, 2, p.enable_dispatch_id()),
                5 => (UserSgpr::FlatScratchInit, 2, p.enable_flat_scratch_init()),
                6 => (UserSgpr::PrivateSegmentSize, 1, p.enable_private_segment_size()),
                7 => (UserSgpr::KernargPreload, self.preload, self.preload != 0),
                _ => return None,
            };
            self.step += 1;
            if present {
                let first = self.first;
                self.first += count;
                return Some((what, first, count));
            }
        }
    }
}
