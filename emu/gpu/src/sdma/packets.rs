//! SDMA packets of versions 4 and later: operation → what it does (`vega10_sdma_pkt_open.h`, and what ROCr's
//! `amd_blit_sdma.cpp` submits).

use super::Context;
use super::queue::Source;
use crate::vm::{Fault, PageTable};

/// What a packet came to.
pub(super) enum Outcome {
    /// Done; it had this many dwords.
    Done(u32),
    /// An indirect buffer of that many dwords comes first; the packet itself has `own`.
    Jump { va: u64, dwords: u32, own: u32 },
    /// Not yet.
    Waiting,
    /// The engine does not know it.
    Refused(String),
}

/// A packet under execution.
struct Packet<'a> {
    context: &'a Context,
    table: &'a PageTable,
    source: Source,
    header: u32,
}

impl Packet<'_> {
    fn dword(&self, index: u32) -> Result<u32, Fault> {
        self.source.dword(self.table, index)
    }

    fn long(&self, index: u32) -> Result<u64, Fault> {
        Ok(u64::from(self.dword(index)?) | u64::from(self.dword(index + 1)?) << 32)
    }
}

type Handler = fn(&Packet<'_>) -> Result<Outcome, Fault>;

/// Any sub-operation.
const ANY: u32 = 0x100;

/// Operation (bits 7:0 of the header), sub-operation (15:8), what it does.
#[rustfmt::skip]
const PACKETS: &[(u32, u32, Handler)] = &[
    (0, ANY, nop),
    (1, 0, copy_linear),
    (1, 4, copy_linear_rect),
    (2, 0, write_linear),
    (4, ANY, indirect),
    (5, 0, fence),
    (6, 0, trap),
    (8, 0, poll_register_or_memory),
    (10, ANY, atomic),
    (11, 0, constant_fill),
    (13, 0, |_| Ok(Outcome::Done(3))),
    (13, 1, timestamp),
    (13, 2, timestamp),
    // Caches are always coherent here: nothing to write back or to drop.
    (17, ANY, |_| Ok(Outcome::Done(5))),
];

/// Executes the packet at which `source` stands.
pub(super) fn execute(context: &Context, table: &PageTable, source: Source) -> Result<Outcome, Fault> {
    let header = source.dword(table, 0)?;
    let (op, sub) = (header & 0xff, header >> 8 & 0xff);
    match PACKETS.iter().find(|(of, wanted, _)| *of == op && (*wanted == sub || *wanted == ANY)) {
        Some((_, _, handler)) => handler(&Packet { context, table, source, header }),
        None => Ok(Outcome::Refused(format!(
            "packet {header:#010x} (operation {op}, sub-operation {sub}) is not implemented"
        ))),
    }
}

/// Dwords to skip stand in the header.
fn nop(packet: &Packet<'_>) -> Result<Outcome, Fault> {
    Ok(Outcome::Done(1 + (packet.header >> 16 & 0x3fff)))
}

/// Bytes less one, source, destination. How many bits the count has depends on the version; those above are zero.
fn copy_linear(packet: &Packet<'_>) -> Result<Outcome, Fault> {
    let bytes = (packet.dword(1)? & 0x3fff_ffff) as usize + 1;
    packet.table.copy(packet.long(5)?, packet.long(3)?, bytes)?;
    Ok(Outcome::Done(7))
}

/// A box of elements out of one array of rows and slices into another.
fn copy_linear_rect(packet: &Packet<'_>) -> Result<Outcome, Fault> {
    struct Side {
        base: u64,
        x: u64,
        y: u64,
        z: u64,
        pitch: u64,
        slice: u64,
    }
    let side = |at: u32| -> Result<Side, Fault> {
        let (xy, z_pitch) = (packet.dword(at + 2)?, packet.dword(at + 3)?);
        Ok(Side {
            base: packet.long(at)?,
            x: u64::from(xy & 0x3fff),
            y: u64::from(xy >> 16 & 0x3fff),
            z: u64::from(z_pitch & 0x7ff),
            pitch: u64::from(z_pitch >> 13) + 1,
            slice: u64::from(packet.dword(at + 4)? & 0x0fff_ffff) + 1,
        })
    };
    let element = packet.header >> 29;
    let (src, dst) = (side(1)?, side(6)?);
    let (size, depth) = (packet.dword(11)?, packet.dword(12)?);
    let (width, height) = (u64::from(size & 0x3fff) + 1, u64::from(size >> 16 & 0x3fff) + 1);
    let row = (width << element) as usize;
    for z in 0..u64::from(depth & 0x7ff) + 1 {
        for y in 0..height {
            let at = |side: &Side| {
                let elements = (side.z + z) * side.slice + (side.y + y) * side.pitch + side.x;
                side.base.wrapping_add(elements << element)
            };
            packet.table.copy(at(&dst), at(&src), row)?;
        }
    }
    Ok(Outcome::Done(13))
}

/// Destination, dwords less one, the dwords.
fn write_linear(packet: &Packet<'_>) -> Result<Outcome, Fault> {
    let (dst, count) = (packet.long(1)?, (packet.dword(3)? & 0xf_ffff) + 1);
    for index in 0..count {
        packet.table.store_u32(dst.wrapping_add(u64::from(index) * 4), packet.dword(4 + index)?)?;
    }
    Ok(Outcome::Done(4 + count))
}

fn indirect(packet: &Packet<'_>) -> Result<Outcome, Fault> {
    Ok(Outcome::Jump { va: packet.long(1)? & !0x1f, dwords: packet.dword(3)? & 0xf_ffff, own: 6 })
}

fn fence(packet: &Packet<'_>) -> Result<Outcome, Fault> {
    packet.table.store_u32(packet.long(1)?, packet.dword(3)?)?;
    Ok(Outcome::Done(4))
}

/// The interrupt's context: the low bits of an event ID.
fn trap(packet: &Packet<'_>) -> Result<Outcome, Fault> {
    const BITS: u32 = 28;
    packet.context.events.interrupt_partial(packet.dword(1)? & ((1 << BITS) - 1), BITS);
    Ok(Outcome::Done(2))
}

/// Waits for a word in memory. Of registers there is only the one that flushes the host's writes: nothing to do.
fn poll_register_or_memory(packet: &Packet<'_>) -> Result<Outcome, Fault> {
    let in_memory = packet.header >> 31 == 1;
    if in_memory {
        let (reference, mask) = (packet.dword(3)?, packet.dword(4)?);
        let value = packet.table.load_u32(packet.long(1)?)? & mask;
        let met = match packet.header >> 28 & 7 {
            1 => value < reference,
            2 => value <= reference,
            3 => value == reference,
            4 => value != reference,
            5 => value >= reference,
            6 => value > reference,
            _ => true,
        };
        if !met {
            return Ok(Outcome::Waiting);
        }
    }
    Ok(Outcome::Done(6))
}

/// An atomic operation without a result. Operations are those of the caches (`TC_OP_ATOMIC_*`): 32 bits and, 32 higher,
/// 64 bits.
fn atomic(packet: &Packet<'_>) -> Result<Outcome, Fault> {
    const WIDE: u32 = 32;
    let operation = packet.header >> 25;
    let (va, data, compare) = (packet.long(1)?, packet.long(3)?, packet.long(5)?);
    let Some(change) = operation_64(operation % WIDE) else {
        return Ok(Outcome::Refused(format!("atomic operation {operation} is not implemented")));
    };
    if operation / WIDE % 2 == 1 {
        packet.table.update_u64(va, |old| change(old, data, compare))?;
    } else {
        // Shifted to the top, so that signs and carries are where the operation looks for them.
        let high = |value: u64| value << 32;
        packet
            .table
            .update_u32(va, |old| (change(high(old.into()), high(data), high(compare)) >> 32) as u32)?;
    }
    Ok(Outcome::Done(8))
}

type Change = fn(u64, u64, u64) -> u64;

/// What an operation makes of the old value, the data and the value to compare with.
fn operation_64(operation: u32) -> Option<Change> {
    Some(match operation {
        7 => |_, data, _| data,
        8 => |old, data, compare| if old == compare { data } else { old },
        15 => |old, data, _| old.wrapping_add(data),
        16 => |old, data, _| old.wrapping_sub(data),
        17 => |old, data, _| old.cast_signed().min(data.cast_signed()).cast_unsigned(),
        18 => |old, data, _| old.min(data),
        19 => |old, data, _| old.cast_signed().max(data.cast_signed()).cast_unsigned(),
        20 => |old, data, _| old.max(data),
        21 => |old, data, _| old & data,
        22 => |old, data, _| old | data,
        23 => |old, data, _| old ^ data,
        _ => return None,
    })
}

/// Bytes less four come last; the header says how many bytes of the pattern count.
fn constant_fill(packet: &Packet<'_>) -> Result<Outcome, Fault> {
    let element = 1usize << (packet.header >> 30).min(2);
    let [a, b, c, d] = packet.dword(3)?.to_le_bytes();
    let pattern = match element {
        1 => [a; 4],
        2 => [a, b, a, b],
        _ => [a, b, c, d],
    };
    let bytes = (packet.dword(4)? & 0x3fff_ffff) as usize + element;
    packet.table.fill(packet.long(1)?, bytes, pattern)?;
    Ok(Outcome::Done(5))
}

/// The GPU's clock to memory.
fn timestamp(packet: &Packet<'_>) -> Result<Outcome, Fault> {
    packet.table.store_u64(packet.long(1)? & !7, crate::clock::gpu_ticks())?;
    Ok(Outcome::Done(3))
}
