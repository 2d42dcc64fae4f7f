//! Kernel dispatch packets: checks, the kernel descriptor, scratch, and the launch that comes of them.

use std::mem::offset_of;

use amd_codeobj::{KernelDescriptor, UserSgpr};
use hsa_sys::{AmdQueue, KernelDispatchPacket, QueueCaps, QueueInactive, ScratchLastUsedIndex};

use super::Context;
use super::aql::body;
use super::queue::{Outcome, Packet, Queue};
use crate::exec::{Launch, Scratch};
use crate::vm::{Fault, PageTable};

/// Most work-items of a work-group.
pub(super) const MAX_WORKGROUP: u32 = 1024;
/// Lanes of a wave that scratch sizes in `amd_queue_t` count by.
const SCRATCH_LANES: u64 = 64;

/// Waves in `COMPUTE_TMPRING_SIZE`.
pub(super) const TMPRING_WAVES: u32 = 0xfff;
/// Bytes of the prologue that does by loads what preloading has done, and that is skipped then.
const PRELOAD_PROLOGUE: u64 = 256;

macro_rules! refuse {
    ($bit:ident, $($text:tt)*) => {
        return Ok(Outcome::Refused(QueueInactive::$bit, format!($($text)*)))
    };
}

pub(super) fn launch(
    queue: &Queue,
    context: &Context,
    table: &PageTable,
    packet: &Packet,
) -> Result<Outcome, Fault> {
    let aql: KernelDispatchPacket = body(packet)?;
    let dimensions = usize::from(aql.setup & 3);
    if dimensions == 0 {
        refuse!(INVALID_DIM, "a grid of no dimensions (setup {:#x})", aql.setup);
    }
    let mut workgroup = [aql.workgroup_size_x, aql.workgroup_size_y, aql.workgroup_size_z].map(u32::from);
    let mut grid = [aql.grid_size_x, aql.grid_size_y, aql.grid_size_z];
    workgroup[dimensions..].fill(1);
    grid[dimensions..].fill(1);
    if workgroup.contains(&0) || grid.contains(&0) {
        refuse!(INVALID_DIM, "a grid of {grid:?} work-items in work-groups of {workgroup:?}");
    }
    let size = workgroup.iter().try_fold(1u32, |product, side| product.checked_mul(*side));
    let Some(size) = size.filter(|size| *size <= MAX_WORKGROUP) else {
        refuse!(
            WORKGROUP_TOO_LARGE,
            "a work-group of {workgroup:?} work-items; {MAX_WORKGROUP} are the most"
        );
    };
    let groups: [u32; 3] = std::array::from_fn(|side| grid[side].div_ceil(workgroup[side]));
    let total = groups.iter().try_fold(1u64, |product, side| product.checked_mul(u64::from(*side)));
    let Some(total) = total else {
        refuse!(INVALID_DIM, "a grid of {groups:?} work-groups is too large");
    };
    if aql.group_segment_size > context.chip.lds_bytes() {
        let (wanted, most) = (aql.group_segment_size, context.chip.lds_bytes());
        refuse!(INVALID_GROUP_MEMORY, "a work-group wants {wanted} bytes of LDS; {most} are the most");
    }

    let mut bytes = [0; KernelDescriptor::SIZE];
    if let Err(fault) = table.read(aql.kernel_object, &mut bytes) {
        refuse!(INVALID_CODE, "kernel object {:#x}: {fault}", aql.kernel_object);
    }
    let generation = context.generation;
    let parsed = KernelDescriptor::parse(&bytes).and_then(|found| found.check(generation).map(|()| found));
    let descriptor = match parsed {
        Ok(descriptor) => descriptor,
        Err(error) => refuse!(INVALID_CODE, "kernel object {:#x}: {error}", aql.kernel_object),
    };
    let entry = match descriptor.entry(aql.kernel_object).filter(|entry| table.find(*entry).is_some()) {
        Some(entry) => entry,
        None => refuse!(INVALID_CODE, "kernel object {:#x}: its code is not mapped", aql.kernel_object),
    };

    let waves = size.div_ceil(descriptor.wave_size(generation));
    // The packet's size counts, as on hardware: HIP 5.7 caps it at 16 KiB. Beyond what a lane
    // got `scratch_*` is a fault; buffer accesses, up to gfx90a, go on into the next lanes', as there.
    let private = match aql.private_segment_size {
        0 => descriptor.private_segment_fixed_size,
        bytes => bytes,
    };
    let scratch = if private > 0 {
        match scratch(queue, context, table, private, packet.index, grid)? {
            Some(found) if found.0.slots >= waves => Some(found),
            Some((scratch, _)) => refuse!(
                OUT_OF_REGISTERS,
                "the queue's scratch memory has {} wave slots; a work-group has {waves} waves",
                scratch.slots
            ),
            None => return Ok(Outcome::NeedScratch),
        }
    } else {
        None
    };
    let resource = scratch.as_ref().map_or([0; 4], |(_, resource)| *resource);
    let scratch = scratch.map(|(scratch, _)| scratch);
    let hidden = Hidden {
        packet: packet.va,
        index: packet.index,
        queue: queue.amd_queue().unwrap_or(0),
        kernarg: aql.kernarg_address,
        private,
        scratch: scratch.as_ref().map_or(0, |scratch| scratch.base),
        resource,
    };
    let preloads = descriptor.user_sgprs(generation).any(|(what, ..)| what == UserSgpr::KernargPreload);
    let launch = Launch {
        index: packet.index,
        kernel_object: aql.kernel_object,
        completion_signal: aql.completion_signal.0,
        user_sgprs: user_sgprs(context, table, &descriptor, &hidden)?,
        descriptor,
        entry,
        start: if preloads { entry.wrapping_add(PRELOAD_PROLOGUE) } else { entry },
        lds_bytes: aql.group_segment_size,
        workgroup,
        grid,
        first: [0; 3],
        groups,
        total,
        scratch,
    };
    Ok(Outcome::Launch(Box::new(launch)))
}

/// What a kernel's user SGPRs may tell it.
struct Hidden {
    packet: u64,
    index: u64,
    queue: u64,
    kernarg: u64,
    /// Bytes of scratch of a lane.
    private: u32,
    /// Where scratch memory begins.
    scratch: u64,
    /// Buffer resource of scratch memory.
    resource: [u32; 4],
}

/// Words of a 64-bit value, low first.
fn words(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

fn user_sgprs(
    context: &Context,
    table: &PageTable,
    descriptor: &KernelDescriptor,
    hidden: &Hidden,
) -> Result<Vec<u32>, Fault> {
    let generation = context.generation;
    let mut sgprs = vec![0; descriptor.user_sgpr_count(generation) as usize];
    for (what, first, count) in descriptor.user_sgprs(generation) {
        let values = match what {
            UserSgpr::PrivateSegmentBuffer => hidden.resource.to_vec(),
            UserSgpr::PrivateSegmentSize => {
                vec![hidden.private.checked_next_multiple_of(4).unwrap_or(u32::MAX)]
            }
            UserSgpr::KernargPreload => {
                let offset = u64::from(descriptor.kernarg_preload.offset()) * 4;
                let base = hidden.kernarg.wrapping_add(offset);
                let load = |n: u32| table.load_u32(base.wrapping_add(4 * u64::from(n)));
                (0..count).map(load).collect::<Result<_, _>>()?
            }
            UserSgpr::DispatchPtr => words(hidden.packet).to_vec(),
            UserSgpr::QueuePtr => words(hidden.queue).to_vec(),
            UserSgpr::KernargSegmentPtr => words(hidden.kernarg).to_vec(),
            UserSgpr::DispatchId => words(hidden.index).to_vec(),
            UserSgpr::FlatScratchInit => words(hidden.scratch).to_vec(),
        };
        let place = sgprs.get_mut(first as usize..).unwrap_or_default();
        for (register, value) in place.iter_mut().zip(values) {
            *register = value;
        }
    }
    Ok(sgprs)
}

/// Where `amd_queue_t` has what is to know of one of a queue's two pieces of scratch memory.
struct Piece {
    lane_bytes: usize,
    location: usize,
    /// Bytes of all, if that is told.
    bytes: Option<usize>,
    tmpring: usize,
    resource: usize,
    /// Last packet that may use it.
    max_use: usize,
    /// Offset in an entry of `scratch_last_used_index`.
    last_use: usize,
}

const MAIN: Piece = Piece {
    lane_bytes: offset_of!(AmdQueue, scratch_wave64_lane_byte_size),
    location: offset_of!(AmdQueue, scratch_backing_memory_location),
    bytes: Some(offset_of!(AmdQueue, scratch_backing_memory_byte_size)),
    tmpring: offset_of!(AmdQueue, compute_tmpring_size),
    resource: offset_of!(AmdQueue, scratch_resource_descriptor),
    max_use: offset_of!(AmdQueue, scratch_max_use_index),
    last_use: offset_of!(ScratchLastUsedIndex, main),
};
/// For small grids, of runtimes that can take scratch memory back.
const ALTERNATE: Piece = Piece {
    lane_bytes: offset_of!(AmdQueue, alt_scratch_wave64_lane_byte_size),
    location: offset_of!(AmdQueue, alt_scratch_backing_memory_location),
    bytes: None,
    tmpring: offset_of!(AmdQueue, alt_compute_tmpring_size),
    resource: offset_of!(AmdQueue, alt_scratch_resource_descriptor),
    max_use: offset_of!(AmdQueue, alt_scratch_max_use_index),
    last_use: offset_of!(ScratchLastUsedIndex, alt),
};

/// The queue's scratch memory and its buffer resource, if it is enough for `private` bytes a lane of a grid.
fn scratch(
    queue: &Queue,
    context: &Context,
    table: &PageTable,
    private: u32,
    index: u64,
    grid: [u32; 3],
) -> Result<Option<(Scratch, [u32; 4])>, Fault> {
    let Some(base) = queue.amd_queue() else { return Ok(None) };
    // Fields behind the first 256 bytes, and some of those before, are there if the runtime says so.
    let reclaims = context.chip.reclaims_scratch
        && QueueCaps::from_bits_retain(table.load_u32(base + offset_of!(AmdQueue, caps) as u64)?)
            .contains(QueueCaps::SW_ASYNC_RECLAIM);
    if let Some(found) = piece(&MAIN, base, context, table, private)? {
        return if reclaims && !may_use(&MAIN, base, context, table, index)? {
            Ok(None)
        } else {
            Ok(Some(found))
        };
    }
    if !reclaims {
        return Ok(None);
    }
    let limits = [
        offset_of!(AmdQueue, alt_scratch_dispatch_limit_x),
        offset_of!(AmdQueue, alt_scratch_dispatch_limit_y),
        offset_of!(AmdQueue, alt_scratch_dispatch_limit_z),
    ];
    for (size, limit) in grid.into_iter().zip(limits) {
        if size > table.load_u32(base + limit as u64)? {
            return Ok(None);
        }
    }
    match piece(&ALTERNATE, base, context, table, private)? {
        Some(found) if may_use(&ALTERNATE, base, context, table, index)? => Ok(Some(found)),
        _ => Ok(None),
    }
}

/// May the packet use a piece that the runtime can take back? If so it is noted.
fn may_use(
    piece: &Piece,
    base: u64,
    context: &Context,
    table: &PageTable,
    index: u64,
) -> Result<bool, Fault> {
    if index > table.load_u64(base + piece.max_use as u64)? {
        return Ok(false);
    }
    let entries = base + offset_of!(AmdQueue, scratch_last_used_index) as u64;
    for complex in 0..u64::from(context.chip.num_xcc) {
        let entry = entries + complex * size_of::<ScratchLastUsedIndex>() as u64;
        table.store_u64(entry + piece.last_use as u64, index)?;
    }
    Ok(true)
}

fn piece(
    piece: &Piece,
    base: u64,
    context: &Context,
    table: &PageTable,
    private: u32,
) -> Result<Option<(Scratch, [u32; 4])>, Fault> {
    let at = |offset: usize| base + offset as u64;
    let lane_bytes = table.load_u32(at(piece.lane_bytes))?;
    if private > lane_bytes {
        return Ok(None);
    }
    let location = table.load_u64(at(piece.location))?;
    let tmpring = table.load_u32(at(piece.tmpring))?;
    let mut resource = [0; 4];
    for (word, offset) in resource.iter_mut().zip((0u64..).step_by(4)) {
        *word = table.load_u32(at(piece.resource) + offset)?;
    }
    // A generation whose layout is not known has none of our chips; without it, the lane size counts.
    let field = context.generation.scratch.map_or(0, |layout| layout.wave_bytes(tmpring));
    // What a wave gets is what the ring register says; a runtime that leaves it zero means the lane size.
    let wave_bytes = if field == 0 { u64::from(lane_bytes) * SCRATCH_LANES } else { field };
    if wave_bytes < u64::from(private) * SCRATCH_LANES {
        return Ok(None);
    }
    // Hardware goes by the ring register alone. A main size that is not given means as many waves as it says, for each
    // complex; of the alternate piece the first complex has enough.
    let waves = u64::from(tmpring & TMPRING_WAVES);
    let slots = match piece.bytes {
        None => waves,
        Some(offset) => match table.load_u64(at(offset))? {
            0 => waves * u64::from(context.chip.num_xcc),
            bytes => bytes / wave_bytes,
        },
    };
    let slots = u32::try_from(slots).unwrap_or(u32::MAX);
    Ok(Some((Scratch { base: location, wave_bytes, slots }, resource)))
}
