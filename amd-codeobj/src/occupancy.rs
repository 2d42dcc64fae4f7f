//! Occupancy: how many waves of a kernel fit on a SIMD at a time, and what keeps more away.
//! Answers to the occupancy that LLVM's `-Rpass-analysis=kernel-resource-usage` prints, and to the register file and LDS
//! sizes of the architecture manuals.

use crate::{Generation, Kernel, KernelDescriptor};

/// What one compute unit has to share among waves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComputeUnit {
    /// SIMDs. A work-group processor (`WGP_MODE`) is two compute units.
    pub simds: u32,
    /// Most waves of one SIMD.
    pub max_waves: u32,
    /// Vector registers of a SIMD, for waves of 64 lanes.
    pub vgprs_wave64: u32,
    /// Vector registers of a SIMD, for waves of 32 lanes.
    pub vgprs_wave32: u32,
    /// Unit in which a wave of 64 lanes gets them (the descriptor counts in [`Generation::vgpr_granule`]).
    pub vgpr_unit_wave64: u32,
    /// Unit in which a wave of 32 lanes gets them.
    pub vgpr_unit_wave32: u32,
    /// Scalar registers of a SIMD; `None` where every wave gets all that it can name.
    pub sgprs: Option<u32>,
    /// Unit in which a wave gets scalar registers.
    pub sgpr_unit: u32,
    /// Bytes of LDS.
    pub lds: u32,
    /// Work-groups of more than one wave, which each need a barrier.
    pub barriers: u32,
}

/// What a kernel needs of a compute unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resources {
    /// Lanes of a wave.
    pub wave_size: u32,
    /// Vector registers of a wave: AGPRs of a unified file included, the larger number where they are a file of their
    /// own.
    pub vgprs: u32,
    /// Scalar registers of a wave.
    pub sgprs: u32,
    /// Bytes of LDS of a work-group, dynamic LDS included.
    pub lds: u32,
    /// Work-items of a work-group.
    pub work_group_size: u32,
    /// A work-group may spread over both compute units of a work-group processor.
    pub wgp_mode: bool,
}

/// What keeps more waves away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Limit {
    /// Nothing but the number of waves that a SIMD can hold.
    Waves,
    /// Vector registers.
    Vgprs,
    /// Scalar registers.
    Sgprs,
    /// LDS, or the number of work-groups.
    WorkGroups,
}

impl Limit {
    /// In words.
    pub const fn as_str(self) -> &'static str {
        match self {
            Limit::Waves => "waves",
            Limit::Vgprs => "VGPRs",
            Limit::Sgprs => "SGPRs",
            Limit::WorkGroups => "LDS and work-groups",
        }
    }
}

/// Waves of a kernel on a SIMD at a time. Scratch, which can limit them further, depends on the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occupancy {
    /// As many as fit.
    pub waves: u32,
    /// As many as a SIMD can hold at all.
    pub max_waves: u32,
    /// As many as vector registers allow.
    pub by_vgprs: u32,
    /// As many as scalar registers allow.
    pub by_sgprs: u32,
    /// As many as LDS and the number of work-groups allow, when every work-group has its full size.
    pub by_work_groups: u32,
}

impl Occupancy {
    /// The first of the limits that is reached.
    pub fn limit(&self) -> Limit {
        match self.waves {
            waves if waves == self.max_waves => Limit::Waves,
            waves if waves == self.by_vgprs => Limit::Vgprs,
            waves if waves == self.by_sgprs => Limit::Sgprs,
            _ => Limit::WorkGroups,
        }
    }
}

impl Generation {
    /// How many waves of a kernel fit on a SIMD.
    ///
    /// LLVM's figure is the same but for scalar registers of gfx8 and gfx9, which it does not round up to the sixteens in
    /// which hardware gives them out: it says 9 waves for 81 to 88 registers and 8 waves for 97 to 100, where 8 and 7 fit.
    pub fn occupancy(&self, resources: &Resources) -> Occupancy {
        let unit = &self.compute_unit;
        let (file, granule) = match resources.wave_size {
            32 => (unit.vgprs_wave32, unit.vgpr_unit_wave32),
            _ => (unit.vgprs_wave64, unit.vgpr_unit_wave64),
        };
        let fit = |file: u32, used: u32, granule: u32| {
            let blocks = u64::from(used).div_ceil(u64::from(granule.max(1))).max(1);
            let waves = u64::from(file) / (blocks * u64::from(granule.max(1)));
            waves.clamp(1, unit.max_waves.into()) as u32
        };
        let by_vgprs = fit(file, resources.vgprs, granule);
        let by_sgprs = unit.sgprs.map_or(unit.max_waves, |file| fit(file, resources.sgprs, unit.sgpr_unit));

        let units = if self.has_wgp_mode && resources.wgp_mode { 2 } else { 1 };
        let simds = u64::from(unit.simds) * units;
        let waves_per_group =
            u64::from(resources.work_group_size.max(1).div_ceil(resources.wave_size.max(1)));
        let slots = u64::from(unit.max_waves) * simds / waves_per_group;
        let barriers = if waves_per_group == 1 { slots } else { u64::from(unit.barriers) * units };
        let lds = u64::from(resources.lds).next_multiple_of(self.lds_granule.max(1).into());
        let by_lds = (u64::from(unit.lds) * units).checked_div(lds).unwrap_or(u64::MAX);
        let groups = slots.min(barriers).min(by_lds);
        let by_work_groups = groups.saturating_mul(waves_per_group).div_ceil(simds.max(1));
        let by_work_groups = by_work_groups.clamp(1, unit.max_waves.into()) as u32;

        let waves = by_vgprs.min(by_sgprs).min(by_work_groups);
        Occupancy { waves, max_waves: unit.max_waves, by_vgprs, by_sgprs, by_work_groups }
    }
}

impl Kernel {
    /// What the kernel needs, as its metadata tells, in work-groups of the greatest size that it may be started with.
    pub fn resources(&self) -> Resources {
        Resources {
            wave_size: self.wavefront_size,
            vgprs: self.vgpr_count,
            sgprs: self.sgpr_count,
            lds: self.group_segment_fixed_size,
            work_group_size: self.max_flat_workgroup_size,
            wgp_mode: self.workgroup_processor_mode.unwrap_or(true),
        }
    }
}

impl KernelDescriptor {
    /// What the kernel needs, as the hardware reads it, in work-groups of `work_group_size` work-items.
    pub fn resources(&self, generation: &Generation, work_group_size: u32) -> Resources {
        Resources {
            wave_size: self.wave_size(generation),
            vgprs: self.allocated_vgprs(generation),
            sgprs: self.sgprs(generation),
            lds: self.group_segment_fixed_size,
            work_group_size,
            wgp_mode: self.rsrc1.wgp_mode(generation),
        }
    }
}
