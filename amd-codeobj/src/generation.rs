//! Generations of the instruction set as rows of named properties: what a kernel descriptor's bits mean and the state
//! that a wave starts with. Answers to "Processors", "Target Features" and "Kernel Descriptor" of LLVM's AMDGPU guide.
//!
//! Code asks for a property by name; it never compares gfx numbers. Where chips of one marketing generation differ
//! (gfx900 and gfx90a, say) they are two rows.

use crate::{ComputeUnit, ScratchLayout, scratch};

/// How the number of scalar registers follows from the descriptor's SGPR field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SgprAllocation {
    /// Granules of eight: `(field + 1) * 8`.
    Eights,
    /// Granules of sixteen, stored as even numbers: `(field / 2 + 1) * 16`.
    Sixteens,
    /// Every wave gets this many; the field is reserved.
    Fixed(u32),
}

/// Accumulation registers (AGPRs) beside the vector registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccVgprs {
    /// There are none.
    None,
    /// A second file of the same size as the wave's VGPRs.
    Separate,
    /// One file; `ACCUM_OFFSET` says where AGPRs start.
    Unified,
}

/// Which fields `compute_pgm_rsrc3` has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rsrc3Fields {
    /// The word is reserved.
    None,
    /// `ACCUM_OFFSET`, `TG_SPLIT`.
    Accum,
    /// `SHARED_VGPR_COUNT`.
    SharedVgpr,
    /// `SHARED_VGPR_COUNT`, six bits of `INST_PREF_SIZE`, `TRAP_ON_START`, `TRAP_ON_END`, `IMAGE_OP`.
    SharedVgprPrefetch,
    /// Eight bits of `INST_PREF_SIZE`, `GLG_EN`, `IMAGE_OP`.
    Prefetch,
    /// As `Prefetch`, with `NAMED_BAR_CNT`, `DYNAMIC_VGPR`, `TCP_SPLIT`, `DIDT_THROTTLE`.
    PrefetchNamedBarriers,
}

/// A generation: the properties that its chips share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generation {
    /// For messages: "gfx9", "gfx90a", "gfx11".
    pub name: &'static str,
    /// Waves of 32 lanes can run.
    pub wave32: bool,
    /// Waves of 64 lanes can run.
    pub wave64: bool,
    /// Unit of the descriptor's VGPR field for a wave of 64 lanes (0 where there are none).
    pub vgpr_granule_wave64: u32,
    /// Unit of the descriptor's VGPR field for a wave of 32 lanes (0 where there are none).
    pub vgpr_granule_wave32: u32,
    /// Width of the descriptor's VGPR field in bits.
    pub vgpr_field_bits: u32,
    /// Most vector registers a wave can address, AGPRs of a unified file included.
    pub max_vgprs: u32,
    /// How many scalar registers a wave gets.
    pub sgpr_allocation: SgprAllocation,
    /// Scalar registers that code can name as `s[n]`.
    pub addressable_sgprs: u32,
    /// Accumulation registers.
    pub acc_vgprs: AccVgprs,
    /// The three work-item IDs arrive packed in `v0`: x, y << 10, z << 20.
    pub has_packed_work_item_ids: bool,
    /// Hardware sets the flat scratch base; there is no private segment buffer and no prologue.
    pub has_architected_flat_scratch: bool,
    /// Work-group IDs arrive in trap temporaries instead of SGPRs.
    pub has_work_group_ids_in_ttmp: bool,
    /// Kernel arguments can be preloaded into user SGPRs.
    pub has_kernarg_preload: bool,
    /// Code reads the LDS and scratch apertures from registers.
    pub has_aperture_registers: bool,
    /// `WGP_MODE`, `MEM_ORDERED` and `FWD_PROGRESS` exist.
    pub has_wgp_mode: bool,
    /// `DX10_CLAMP` and `IEEE_MODE` exist (otherwise those bits are `WG_RR_EN` and `DISABLE_PERF`).
    pub has_dx10_clamp_and_ieee: bool,
    /// `FP16_OVFL` exists.
    pub has_fp16_overflow: bool,
    /// Width of the descriptor's user SGPR count in bits.
    pub user_sgpr_count_bits: u32,
    /// Fields of `compute_pgm_rsrc3`.
    pub rsrc3: Rsrc3Fields,
    /// Unit in which LDS is allocated, in bytes.
    pub lds_granule: u32,
    /// Most LDS that one work-group can have, in bytes.
    pub max_lds: u32,
    /// What the waves of a compute unit share.
    pub compute_unit: ComputeUnit,
    /// How it is told of scratch memory; `None` where that is not known here.
    pub scratch: Option<ScratchLayout>,
}

impl Generation {
    /// Unit of the descriptor's VGPR field at this wave size; 0 if such waves do not exist here.
    pub const fn vgpr_granule(&self, wave_size: u32) -> u32 {
        if wave_size == 32 { self.vgpr_granule_wave32 } else { self.vgpr_granule_wave64 }
    }

    /// VGPRs and AGPRs are one file.
    pub fn has_unified_vgprs(&self) -> bool {
        self.acc_vgprs == AccVgprs::Unified
    }

    /// There are AGPRs.
    pub fn has_agprs(&self) -> bool {
        self.acc_vgprs != AccVgprs::None
    }
}

const GFX6_UNIT: ComputeUnit = ComputeUnit {
    simds: 4,
    max_waves: 10,
    vgprs_wave64: 256,
    vgprs_wave32: 0,
    vgpr_unit_wave64: 4,
    vgpr_unit_wave32: 0,
    sgprs: Some(512),
    sgpr_unit: 8,
    lds: 64 << 10,
    barriers: 16,
};
const GFX8_UNIT: ComputeUnit = ComputeUnit { sgprs: Some(800), sgpr_unit: 16, ..GFX6_UNIT };
const GFX90A_UNIT: ComputeUnit =
    ComputeUnit { max_waves: 8, vgprs_wave64: 512, vgpr_unit_wave64: 8, ..GFX8_UNIT };
const GFX950_UNIT: ComputeUnit = ComputeUnit { lds: 160 << 10, ..GFX90A_UNIT };
const GFX10_UNIT: ComputeUnit = ComputeUnit {
    simds: 2,
    max_waves: 20,
    vgprs_wave64: 512,
    vgprs_wave32: 1024,
    vgpr_unit_wave64: 4,
    vgpr_unit_wave32: 8,
    sgprs: None,
    ..GFX6_UNIT
};
const GFX10_3_UNIT: ComputeUnit =
    ComputeUnit { max_waves: 16, vgpr_unit_wave64: 8, vgpr_unit_wave32: 16, ..GFX10_UNIT };
const LARGE_UNIT: ComputeUnit = ComputeUnit {
    vgprs_wave64: 768,
    vgprs_wave32: 1536,
    vgpr_unit_wave64: 12,
    vgpr_unit_wave32: 24,
    ..GFX10_3_UNIT
};
/// LDS belongs to the work-group processor as a whole here; half of it stands for each of its compute units.
const GFX125_UNIT: ComputeUnit = ComputeUnit { lds: 160 << 10, ..GFX10_3_UNIT };

const GFX6: Generation = Generation {
    name: "gfx6",
    wave32: false,
    wave64: true,
    vgpr_granule_wave64: 4,
    vgpr_granule_wave32: 0,
    vgpr_field_bits: 6,
    max_vgprs: 256,
    sgpr_allocation: SgprAllocation::Eights,
    addressable_sgprs: 104,
    acc_vgprs: AccVgprs::None,
    has_packed_work_item_ids: false,
    has_architected_flat_scratch: false,
    has_work_group_ids_in_ttmp: false,
    has_kernarg_preload: false,
    has_aperture_registers: false,
    has_wgp_mode: false,
    has_dx10_clamp_and_ieee: true,
    has_fp16_overflow: false,
    user_sgpr_count_bits: 5,
    rsrc3: Rsrc3Fields::None,
    lds_granule: 256,
    max_lds: 32 << 10,
    compute_unit: GFX6_UNIT,
    scratch: None,
};
const GFX7: Generation = Generation { name: "gfx7", lds_granule: 512, max_lds: 64 << 10, ..GFX6 };
const GFX8: Generation = Generation { name: "gfx8", addressable_sgprs: 102, compute_unit: GFX8_UNIT, ..GFX7 };
const GFX9: Generation = Generation {
    name: "gfx9",
    sgpr_allocation: SgprAllocation::Sixteens,
    has_aperture_registers: true,
    has_fp16_overflow: true,
    scratch: Some(scratch::GFX9),
    ..GFX8
};
const GFX908: Generation = Generation { name: "gfx908", acc_vgprs: AccVgprs::Separate, ..GFX9 };
const GFX90A: Generation = Generation {
    name: "gfx90a",
    vgpr_granule_wave64: 8,
    max_vgprs: 512,
    acc_vgprs: AccVgprs::Unified,
    has_packed_work_item_ids: true,
    has_kernarg_preload: true,
    rsrc3: Rsrc3Fields::Accum,
    compute_unit: GFX90A_UNIT,
    ..GFX9
};
const GFX940: Generation = Generation { name: "gfx940", has_architected_flat_scratch: true, ..GFX90A };
const GFX950: Generation =
    Generation { name: "gfx950", lds_granule: 1280, max_lds: 160 << 10, compute_unit: GFX950_UNIT, ..GFX940 };
const GFX10: Generation = Generation {
    name: "gfx10",
    wave32: true,
    vgpr_granule_wave32: 8,
    sgpr_allocation: SgprAllocation::Fixed(128),
    addressable_sgprs: 106,
    has_wgp_mode: true,
    rsrc3: Rsrc3Fields::SharedVgpr,
    compute_unit: GFX10_UNIT,
    scratch: Some(scratch::GFX10),
    ..GFX9
};
const GFX10_3: Generation = Generation { name: "gfx10.3", compute_unit: GFX10_3_UNIT, ..GFX10 };
const GFX11: Generation = Generation {
    name: "gfx11",
    has_packed_work_item_ids: true,
    has_architected_flat_scratch: true,
    rsrc3: Rsrc3Fields::SharedVgprPrefetch,
    scratch: Some(scratch::GFX11),
    ..GFX10_3
};
/// The chips of gfx11 with half as many vector registers again.
const GFX11_LARGE: Generation = Generation { compute_unit: LARGE_UNIT, ..GFX11 };
const GFX12: Generation = Generation {
    name: "gfx12",
    has_work_group_ids_in_ttmp: true,
    has_dx10_clamp_and_ieee: false,
    rsrc3: Rsrc3Fields::Prefetch,
    compute_unit: LARGE_UNIT,
    scratch: Some(scratch::GFX12),
    ..GFX11
};
const GFX125: Generation = Generation {
    name: "gfx12.5",
    wave64: false,
    vgpr_granule_wave64: 0,
    vgpr_granule_wave32: 16,
    max_vgprs: 1024,
    has_kernarg_preload: true,
    user_sgpr_count_bits: 6,
    rsrc3: Rsrc3Fields::PrefetchNamedBarriers,
    lds_granule: 1024,
    max_lds: 320 << 10,
    compute_unit: GFX125_UNIT,
    ..GFX12
};
const GFX13: Generation = Generation { name: "gfx13", vgpr_field_bits: 7, scratch: None, ..GFX125 };

/// The rows, for the table of processors.
pub(crate) mod rows {
    use super::Generation;

    pub(crate) static GFX6: Generation = super::GFX6;
    pub(crate) static GFX7: Generation = super::GFX7;
    pub(crate) static GFX8: Generation = super::GFX8;
    pub(crate) static GFX9: Generation = super::GFX9;
    pub(crate) static GFX908: Generation = super::GFX908;
    pub(crate) static GFX90A: Generation = super::GFX90A;
    pub(crate) static GFX940: Generation = super::GFX940;
    pub(crate) static GFX950: Generation = super::GFX950;
    pub(crate) static GFX10: Generation = super::GFX10;
    pub(crate) static GFX10_3: Generation = super::GFX10_3;
    pub(crate) static GFX11: Generation = super::GFX11;
    pub(crate) static GFX11_LARGE: Generation = super::GFX11_LARGE;
    pub(crate) static GFX12: Generation = super::GFX12;
    pub(crate) static GFX125: Generation = super::GFX125;
    pub(crate) static GFX13: Generation = super::GFX13;
}
