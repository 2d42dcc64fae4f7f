//! Scratch memory of a queue: its size, and the registers that describe it to the packet processor.
//!
//! Answers to LLVM's AMDGPU guide ("Private Segment Buffer", "Flat Scratch") and to `COMPUTE_TMPRING_SIZE` and the
//! buffer resource words of the register references; what differs by generation is [`amd_codeobj::ScratchLayout`].

use amd_codeobj::Isa;

use crate::AgentProperties;

/// `COMPUTE_TMPRING_SIZE.WAVES` has 12 bits.
const MAX_WAVES: u64 = 0xfff;
/// Work-items of the largest work-group.
const MAX_WORKGROUP: u64 = 1024;
/// Lanes of the wave that `scratch_wave64_lane_byte_size` speaks of.
const LANES: u64 = 64;
/// Above this the number of waves that may use scratch at a time is cut rather than more memory taken.
const COMFORTABLE_BYTES: u64 = 1 << 30;

/// A size of scratch memory for a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ScratchPlan {
    /// Bytes in all.
    pub(crate) bytes: u64,
    /// Bytes of a lane of a 64-lane wave.
    pub(crate) lane_bytes: u32,
    /// `COMPUTE_TMPRING_SIZE`
    pub(crate) tmpring: u32,
    xccs: u64,
    swizzle: u32,
    word3: u32,
}

impl ScratchPlan {
    /// Scratch for kernels that need `private_bytes` bytes a work-item, in waves of `wave_size` lanes; `cut` halves
    /// the number of waves that many times. `None`: the architecture cannot address that much.
    pub(crate) fn new(agent: &AgentProperties, private_bytes: u32, wave_size: u32, cut: u32) -> Option<Self> {
        let layout = Isa::by_name(&agent.name)?.generation.scratch?;
        let wave_bytes =
            (u64::from(private_bytes.max(1)) * u64::from(wave_size)).next_multiple_of(layout.wave_unit);
        let wave_units = wave_bytes / layout.wave_unit;
        if wave_units >> layout.wave_bits != 0 {
            return None;
        }
        let xccs = u64::from(agent.xcc_count.max(1));
        let engines = u64::from(agent.shader_engines.max(1));
        let slots = u64::from(agent.compute_units).next_multiple_of(engines)
            * u64::from(agent.max_scratch_slots_per_cu.max(1));
        let slots_per_xcc = (slots / xccs).max(1);
        let engines_per_xcc = (engines / xccs).max(1);
        let comfortable = COMFORTABLE_BYTES / (wave_bytes * xccs);
        // A whole work-group must fit, and a wave of every engine, or work that spreads over them cannot run.
        let least = engines_per_xcc.max(MAX_WORKGROUP / u64::from(wave_size.max(1)));
        let waves = (slots_per_xcc.min(comfortable) >> cut).max(least);
        let (waves, field) = if layout.waves_per_engine {
            let each = (waves / engines_per_xcc).clamp(1, MAX_WAVES);
            (each * engines_per_xcc, each)
        } else {
            let waves = waves.min(MAX_WAVES);
            (waves, waves)
        };
        Some(Self {
            bytes: waves * wave_bytes * xccs,
            lane_bytes: u32::try_from(wave_bytes / LANES).ok()?,
            tmpring: field as u32 | (wave_units as u32) << 12,
            xccs,
            swizzle: layout.swizzle,
            word3: layout.word3,
        })
    }

    /// The buffer resource for scratch memory at `va`.
    pub(crate) fn resource(&self, va: u64) -> [u32; 4] {
        [
            va as u32,
            (va >> 32) as u32 & 0xffff | self.swizzle,
            u32::try_from(self.bytes / self.xccs).unwrap_or(u32::MAX),
            self.word3,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::tests::properties;

    #[test]
    fn a_small_frame_on_gfx90a_takes_every_slot() {
        let agent = properties("gfx90a", 110, 8, 1);
        let plan = ScratchPlan::new(&agent, 10, 64, 0).unwrap();
        assert_eq!(plan.lane_bytes, 16);
        assert_eq!(plan.bytes, 112 * 32 * 1024);
        assert_eq!(plan.tmpring, 3584 | 1 << 12);
        assert_eq!(plan.resource(0x7f12_3456_7000), [0x3456_7000, 0x8000_7f12, 3584 * 1024, 0x00ea_4fac]);
    }

    #[test]
    fn xccs_share_the_memory() {
        let agent = properties("gfx942", 304, 32, 8);
        let plan = ScratchPlan::new(&agent, 64, 64, 0).unwrap();
        let waves = u64::from(plan.tmpring & 0xfff);
        assert_eq!(plan.bytes, waves * 4096 * 8);
        assert_eq!(u64::from(plan.resource(0)[2]), plan.bytes / 8);
    }

    #[test]
    fn large_frames_cut_the_waves_and_huge_ones_are_refused() {
        let agent = properties("gfx90a", 110, 8, 1);
        let plan = ScratchPlan::new(&agent, 64 << 10, 64, 0).unwrap();
        assert!(plan.bytes <= COMFORTABLE_BYTES && plan.tmpring & 0xfff >= 16);
        assert_eq!(ScratchPlan::new(&agent, 64 << 10, 64, 20).unwrap().tmpring & 0xfff, 16);
        assert!(ScratchPlan::new(&agent, 1 << 20, 64, 0).is_none());
        assert!(ScratchPlan::new(&agent, u32::MAX, 64, 0).is_none());
    }
}
