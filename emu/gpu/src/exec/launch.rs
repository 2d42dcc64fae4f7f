//! The state a wave starts with: "Initial Kernel Execution State" of LLVM's AMDGPU guide.

use amd_codeobj::Generation;
use amdgpu_isa::simd::clear;
use amdgpu_isa::{Mode, Operand, Wave};

use super::Dispatch;
use crate::kfd::{LDS_APERTURE, SCRATCH_APERTURE};

/// FLAT_SCRATCH in the scalar file, where it is not architected.
const FLAT_SCRATCH_LO: usize = 102;
/// First wave of its work-group: bit of the work-group information SGPR.
const WORK_GROUP_INFO_FIRST_WAVE: u32 = 1 << 31;

/// Where a wave stands in its work-group.
pub(super) struct Place {
    /// Position of the work-group in the grid.
    pub(super) group: [u32; 3],
    /// Work-items of this work-group.
    pub(super) size: [u32; 3],
    /// Number of the wave in the work-group.
    pub(super) wave: u32,
    /// Waves of the work-group.
    pub(super) waves: u32,
    /// Scratch slot.
    pub(super) slot: Option<u32>,
}

/// Sets all registers of `wave` for its start.
pub(super) fn start(wave: &mut Wave, dispatch: &Dispatch, place: &Place) {
    let context = &dispatch.context;
    let generation = context.generation;
    let launch = &dispatch.launch;
    let descriptor = &launch.descriptor;
    wave.generation = context.isa;
    wave.scc = false;
    wave.trap = None;
    wave.gws = None;
    wave.instructions = 0;
    wave.pc = launch.start;
    wave.block_pc = launch.start;
    wave.id_in_group = place.wave;
    wave.mode = Mode(descriptor.mode(generation));
    wave.set_apertures((LDS_APERTURE >> 32) as u32, (SCRATCH_APERTURE >> 32) as u32);

    let wave_offset = match (&launch.scratch, place.slot) {
        (Some(scratch), Some(slot)) => u64::from(slot) * scratch.wave_bytes,
        _ => 0,
    };
    wave.scratch_lane_bytes = launch.scratch.as_ref().map_or(0, |scratch| (scratch.wave_bytes / 64) as u32);
    // The base is what the program left in its queue: one that is wrong gives a fault where the wave uses it.
    wave.flat_scratch = launch.scratch.as_ref().map_or(0, |scratch| scratch.base.wrapping_add(wave_offset));

    scalars(wave, dispatch, place, wave_offset as u32);
    vectors(wave, dispatch, place, generation);
}

fn scalars(wave: &mut Wave, dispatch: &Dispatch, place: &Place, wave_offset: u32) {
    let descriptor = &dispatch.launch.descriptor;
    let architected = dispatch.context.generation.has_architected_flat_scratch;
    let (user, rest) = wave.s[..128].split_at_mut(dispatch.launch.user_sgprs.len().min(FLAT_SCRATCH_LO));
    user.copy_from_slice(&dispatch.launch.user_sgprs[..user.len()]);
    rest.fill(0);
    let rsrc2 = descriptor.rsrc2;
    let info = place.waves | if place.wave == 0 { WORK_GROUP_INFO_FIRST_WAVE } else { 0 };
    let system = [
        (rsrc2.enable_work_group_id_x(), place.group[0]),
        (rsrc2.enable_work_group_id_y(), place.group[1]),
        (rsrc2.enable_work_group_id_z(), place.group[2]),
        (rsrc2.enable_work_group_info(), info),
        (rsrc2.enable_private_segment() && !architected, wave_offset),
    ];
    let enabled = system.into_iter().filter(|(on, _)| *on);
    for (register, (_, value)) in rest.iter_mut().zip(enabled) {
        *register = value;
    }
}

fn vectors(wave: &mut Wave, dispatch: &Dispatch, place: &Place, generation: &Generation) {
    let descriptor = &dispatch.launch.descriptor;
    let lanes = descriptor.wave_size(generation);
    let [sx, sy, sz] = place.size;
    let items = sx * sy * sz;
    let first = place.wave * lanes;
    let present = items.saturating_sub(first).min(lanes);
    let exec = if present >= 64 { u64::MAX } else { (1 << present) - 1 };
    wave.set_pair(Operand::EXEC_LO, exec);

    // Registers are undefined at the start; zero makes every run of a program the same.
    let vgprs = (descriptor.vgprs(generation) as usize).min(256);
    let agprs = (descriptor.agprs(generation) as usize).min(256);
    let (vector, accumulation) = wave.v.split_at_mut(256);
    clear(&mut vector[..vgprs]);
    clear(&mut accumulation[..agprs]);
    let dimensions = descriptor.rsrc2.work_item_id();
    if sy == 1 && sz == 1 {
        for (x, lane) in (first..first + present).zip(&mut wave.v[0].0) {
            *lane = x;
        }
        return;
    }
    let (mut x, mut y, mut z) = (first % sx, first / sx % sy, first / sx / sy);
    for lane in 0..present as usize {
        let (seen_y, seen_z) = (if dimensions >= 1 { y } else { 0 }, if dimensions >= 2 { z } else { 0 });
        if generation.has_packed_work_item_ids {
            wave.v[0].0[lane] = x | seen_y << 10 | seen_z << 20;
        } else {
            wave.v[0].0[lane] = x;
            wave.v[1].0[lane] = seen_y;
            wave.v[2].0[lane] = seen_z;
        }
        x += 1;
        if x == sx {
            x = 0;
            y += 1;
            if y == sy {
                y = 0;
                z += 1;
            }
        }
    }
}
