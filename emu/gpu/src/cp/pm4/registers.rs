//! Shader registers of compute (`gc_9_*_offset.h`: `COMPUTE_*`), and the launch that comes of them.
//!
//! Offsets are those of `SET_SH_REG`: dwords from `PACKET3_SET_SH_REG_START`.

use amd_codeobj::{KernargPreload, KernelCodeProperties, KernelDescriptor, Rsrc1, Rsrc2, Rsrc3, Rsrc3Fields};

use crate::cp::Context;
use crate::cp::dispatch::{MAX_WORKGROUP, TMPRING_WAVES};
use crate::exec::{Launch, Scratch};

/// The first register of the block.
const FIRST: u32 = 0x200;
/// How many dwords it has.
const COUNT: usize = 0x50;

/// What setting a register means here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// Launches go by it.
    Kept,
    /// It says where waves run, or tells a debugger something: nothing that a program can see.
    Unseen,
    /// There is nothing here that another value than 0 would turn on.
    Zero,
}

/// Register, how many of them, their name, what setting one means.
#[rustfmt::skip]
const REGISTERS: &[(u32, u32, &str, Rule)] = &[
    (START,       3, "COMPUTE_START_X",               Rule::Kept),
    (NUM_THREAD,  3, "COMPUTE_NUM_THREAD_X",          Rule::Kept),
    (0x20a,       1, "COMPUTE_PIPELINESTAT_ENABLE",   Rule::Zero),
    (0x20b,       1, "COMPUTE_PERFCOUNT_ENABLE",      Rule::Zero),
    (PGM,         2, "COMPUTE_PGM_LO",                Rule::Kept),
    (0x20e,       2, "COMPUTE_DISPATCH_PKT_ADDR_LO",  Rule::Unseen),
    (SCRATCH,     2, "COMPUTE_DISPATCH_SCRATCH_BASE", Rule::Kept),
    (RSRC,        2, "COMPUTE_PGM_RSRC1",             Rule::Kept),
    (0x215,       1, "COMPUTE_RESOURCE_LIMITS",       Rule::Unseen),
    (0x216,       2, "COMPUTE_STATIC_THREAD_MGMT_SE", Rule::Unseen),
    (TMPRING,     1, "COMPUTE_TMPRING_SIZE",          Rule::Kept),
    (0x219,       2, "COMPUTE_STATIC_THREAD_MGMT_SE", Rule::Unseen),
    (0x21b,       3, "COMPUTE_RESTART_X",             Rule::Zero),
    (0x21e,       1, "COMPUTE_THREAD_TRACE_ENABLE",   Rule::Zero),
    (0x21f,       1, "COMPUTE_MISC_RESERVED",         Rule::Unseen),
    (0x220,       1, "COMPUTE_DISPATCH_ID",           Rule::Unseen),
    (0x223,       2, "COMPUTE_WAVE_RESTORE_ADDR",     Rule::Zero),
    // More shader engines on gfx908, the work-groups that a complex gets at a time on gfx942.
    (0x225,       4, "COMPUTE_STATIC_THREAD_MGMT_SE", Rule::Unseen),
    (RSRC3,       1, "COMPUTE_PGM_RSRC3",             Rule::Kept),
    (USER_DATA,  16, "COMPUTE_USER_DATA",             Rule::Kept),
];

const START: u32 = 0x204;
const NUM_THREAD: u32 = 0x207;
const PGM: u32 = 0x20c;
const SCRATCH: u32 = 0x210;
const RSRC: u32 = 0x212;
const TMPRING: u32 = 0x218;
const RSRC3: u32 = 0x22d;
const USER_DATA: u32 = 0x240;
const USER_DATA_COUNT: u32 = 16;

/// Bits of `COMPUTE_DISPATCH_INITIATOR`.
const SHADER_EN: u32 = 1 << 0;
const PARTIAL_TG_EN: u32 = 1 << 1;
const FORCE_START_AT_000: u32 = 1 << 2;
const USE_THREAD_DIMENSIONS: u32 = 1 << 5;
/// `ORDER_MODE`, the invalidation of caches, address translation by the host.
const UNSEEN_BITS: u32 = 1 << 6 | 1 << 10 | 1 << 11 | 1 << 12;

/// The registers of one queue. A queue starts with zeros.
pub(in crate::cp) struct Registers([u32; COUNT]);

impl Default for Registers {
    fn default() -> Registers {
        Registers([0; COUNT])
    }
}

impl Registers {
    /// Sets a register, or says why it cannot be.
    pub(super) fn set(&mut self, context: &Context, register: u32, value: u32) -> Result<(), String> {
        let row = REGISTERS.iter().find(|(first, count, ..)| (*first..first + count).contains(&register));
        let Some((first, count, name, rule)) = row else {
            return Err(format!(
                "register {register:#x} from PACKET3_SET_SH_REG_START on is not here: compute has COMPUTE_* only"
            ));
        };
        let name = || match count {
            1 => format!("{name} ({register:#x})"),
            _ => format!("{name} + {} ({register:#x})", register - first),
        };
        if *rule == Rule::Zero && value != 0 {
            return Err(format!("{} becomes {value:#x}; what that turns on is not here, only 0 is", name()));
        }
        if register == RSRC3 && context.generation.rsrc3 == Rsrc3Fields::None && value != 0 {
            return Err(format!("{} is not a register of {}", name(), context.chip.name));
        }
        if let Some(place) = self.0.get_mut((register - FIRST) as usize) {
            *place = value;
        }
        Ok(())
    }

    fn get(&self, register: u32) -> u32 {
        self.0.get(register.wrapping_sub(FIRST) as usize).copied().unwrap_or(0)
    }

    fn get64(&self, register: u32) -> u64 {
        u64::from(self.get(register)) | u64::from(self.get(register + 1)) << 32
    }

    fn three(&self, register: u32) -> [u32; 3] {
        [register, register + 1, register + 2].map(|register| self.get(register))
    }

    /// The launch of a grid, `None` if it has no work-groups, or why there is none.
    pub(super) fn launch(
        &self,
        context: &Context,
        size: [u32; 3],
        initiator: u32,
    ) -> Result<Option<Launch>, String> {
        let generation = context.generation;
        let known = SHADER_EN | PARTIAL_TG_EN | FORCE_START_AT_000 | USE_THREAD_DIMENSIONS | UNSEEN_BITS;
        if initiator & SHADER_EN == 0 || initiator & !known != 0 {
            return Err(format!(
                "initiator {initiator:#x}: COMPUTE_SHADER_EN must be set, and of the bits {:#x} none",
                !known
            ));
        }
        let Some(grid) = self.grid(size, initiator)? else { return Ok(None) };
        let descriptor = KernelDescriptor {
            group_segment_fixed_size: 0,
            private_segment_fixed_size: 0,
            kernarg_size: 0,
            entry_offset: 0,
            rsrc1: Rsrc1(self.get(RSRC)),
            rsrc2: Rsrc2(self.get(RSRC + 1)),
            rsrc3: Rsrc3(self.get(RSRC3)),
            properties: KernelCodeProperties(0),
            kernarg_preload: KernargPreload(0),
        };
        descriptor.check(generation).map_err(|error| error.to_string())?;
        let user = descriptor.user_sgpr_count(generation);
        if user > USER_DATA_COUNT {
            return Err(format!(
                "COMPUTE_PGM_RSRC2 asks for {user} user SGPRs; there are {USER_DATA_COUNT} COMPUTE_USER_DATA"
            ));
        }
        let lds_bytes = descriptor.rsrc2.lds_granules() * generation.lds_granule;
        if lds_bytes > context.chip.lds_bytes() {
            let most = context.chip.lds_bytes();
            return Err(format!("COMPUTE_PGM_RSRC2 asks for {lds_bytes} bytes of LDS; {most} are the most"));
        }
        let waves = grid.items.div_ceil(descriptor.wave_size(generation));
        let scratch = match descriptor.rsrc2.enable_private_segment() {
            true => self.scratch(context, waves)?,
            false => None,
        };
        let entry = (self.get64(PGM) & 0xff_ffff_ffff) << 8;
        Ok(Some(Launch {
            index: 0,
            kernel_object: 0,
            completion_signal: 0,
            descriptor,
            user_sgprs: (USER_DATA..USER_DATA + user).map(|register| self.get(register)).collect(),
            entry,
            start: entry,
            lds_bytes,
            workgroup: grid.block,
            grid: grid.end,
            first: grid.first,
            groups: grid.groups,
            total: grid.total,
            scratch,
        }))
    }

    fn grid(&self, size: [u32; 3], initiator: u32) -> Result<Option<Grid>, String> {
        let in_items = initiator & USE_THREAD_DIMENSIONS != 0;
        let threads = self.three(NUM_THREAD);
        let block = threads.map(|word| word & 0xffff);
        let items = block.iter().try_fold(1u32, |product, side| product.checked_mul(*side));
        let Some(items) = items.filter(|items| (1..=MAX_WORKGROUP).contains(items)) else {
            return Err(format!(
                "COMPUTE_NUM_THREAD: a work-group of {block:?} work-items; 1 to {MAX_WORKGROUP} can be"
            ));
        };
        let first = if initiator & FORCE_START_AT_000 != 0 { [0; 3] } else { self.three(START) };
        if in_items && first != [0; 3] {
            return Err(format!(
                "COMPUTE_START {first:?} with a grid in work-items is not implemented: give it in work-groups"
            ));
        }
        let (mut groups, mut end) = ([0; 3], [0; 3]);
        for side in 0..3 {
            let last = if in_items { size[side].div_ceil(block[side]) } else { size[side] };
            groups[side] = last.saturating_sub(first[side]);
            if groups[side] == 0 {
                return Ok(None);
            }
            let rest = size[side] % block[side];
            let partial = threads[side] >> 16;
            let cut = match (initiator & PARTIAL_TG_EN != 0 && partial != 0, in_items) {
                (false, _) => block[side],
                (true, true) if rest == 0 => block[side],
                (true, true) if rest != partial => {
                    return Err(format!(
                        "COMPUTE_NUM_THREAD: the last work-group has {partial} work-items, and {rest} are left for it"
                    ));
                }
                (true, _) if partial > block[side] => {
                    return Err(format!(
                        "COMPUTE_NUM_THREAD: the last work-group has {partial} work-items, the others {}",
                        block[side]
                    ));
                }
                (true, _) => partial,
            };
            let whole = (last - 1).checked_mul(block[side]).and_then(|whole| whole.checked_add(cut));
            end[side] = whole.ok_or_else(|| {
                format!("a grid of {last} work-groups of {} work-items is too large", block[side])
            })?;
        }
        let total = groups.iter().try_fold(1u64, |product, side| product.checked_mul(u64::from(*side)));
        let total = total.ok_or_else(|| format!("a grid of {groups:?} work-groups is too large"))?;
        Ok(Some(Grid { block, items, first, groups, end, total }))
    }

    /// Scratch memory as the registers have it; none if they have no size for a wave.
    fn scratch(&self, context: &Context, waves: u32) -> Result<Option<Scratch>, String> {
        let tmpring = self.get(TMPRING);
        let wave_bytes = context.generation.scratch.map_or(0, |layout| layout.wave_bytes(tmpring));
        if wave_bytes == 0 {
            return Ok(None);
        }
        let slots = tmpring & TMPRING_WAVES;
        if slots < waves {
            return Err(format!(
                "COMPUTE_TMPRING_SIZE has scratch memory for {slots} waves; a work-group has {waves}"
            ));
        }
        let base = (self.get64(SCRATCH) & 0xff_ffff_ffff) << 8;
        Ok(Some(Scratch { base, wave_bytes, slots }))
    }
}

/// What a dispatch covers.
struct Grid {
    /// Sides of a work-group, and its work-items.
    block: [u32; 3],
    items: u32,
    /// Position of the first work-group, and how many there are.
    first: [u32; 3],
    groups: [u32; 3],
    /// Where the grid ends, in work-items.
    end: [u32; 3],
    total: u64,
}
