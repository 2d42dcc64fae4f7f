//! SDMA packets of versions 4 and later: operation → what it does (`vega10_sdma_pkt_open.h`, and what ROCr's
//! `amd_blit_sdma.cpp` submits).
//!
//! A packet that is not whole, or that asks for what is not here, is refused with its name, before it does anything.

use super::Context;
use crate::poll::holds;
use crate::ring::Source;
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
    /// Dwords from its header on that were written.
    available: u32,
}

impl Packet<'_> {
    /// A dword: of those that the packet was found to have.
    fn dword(&self, index: u32) -> Result<u32, Fault> {
        self.source.dword(self.table, index)
    }

    fn long(&self, index: u32) -> Result<u64, Fault> {
        Ok(u64::from(self.dword(index)?) | u64::from(self.dword(index + 1)?) << 32)
    }

    /// Why a packet of that many dwords is not whole, if it is not.
    fn cut_off(&self, dwords: u32) -> Option<String> {
        (dwords > self.available).then(|| {
            let (available, end) = (self.available, self.source.end_name());
            format!("it has {dwords} dwords, and {available} of them are before {end}: submit it whole")
        })
    }
}

type Handler = fn(&Packet<'_>) -> Result<Outcome, Fault>;

/// Any sub-operation.
const ANY: u32 = 0x100;

/// Operation (bits 7:0 of the header), sub-operation (15:8), name, dwords that it has at least, what it does.
#[rustfmt::skip]
const PACKETS: &[(u32, u32, &str, u32, Handler)] = &[
    (0,  ANY, "NOP",                   1, nop),
    (1,  0,   "COPY_LINEAR",           7, copy_linear),
    (1,  4,   "COPY_LINEAR_SUBWIN",   13, copy_linear_rect),
    (2,  0,   "WRITE_LINEAR",          5, write_linear),
    (4,  ANY, "INDIRECT",              6, indirect),
    (5,  0,   "FENCE",                 4, fence),
    (6,  0,   "TRAP",                  2, trap),
    (8,  0,   "POLL_REGMEM",           6, poll_register_or_memory),
    (10, ANY, "ATOMIC",                8, atomic),
    (11, 0,   "CONST_FILL",            5, constant_fill),
    (13, 1,   "TIMESTAMP_GET",         3, timestamp),
    (13, 2,   "TIMESTAMP_GET_GLOBAL",  3, timestamp),
    // Caches are always coherent here: nothing to write back or to drop.
    (17, ANY, "GCR_REQ",               5, |_| Ok(Outcome::Done(5))),
];

/// Names of operations that there are, with sub-operations that are not here among them.
#[rustfmt::skip]
const OPERATIONS: &[(u32, &str)] = &[
    (0, "NOP"), (1, "COPY"), (2, "WRITE"), (4, "INDIRECT"), (5, "FENCE"), (6, "TRAP"), (7, "SEM"), (8, "POLL_REGMEM"),
    (9, "COND_EXE"), (10, "ATOMIC"), (11, "CONST_FILL"), (12, "PTEPDE"), (13, "TIMESTAMP"), (14, "SRBM_WRITE"),
    (15, "PRE_EXE"), (16, "DUMMY_TRAP"), (17, "GCR_REQ"),
];

fn refused(why: impl Into<String>) -> Result<Outcome, Fault> {
    Ok(Outcome::Refused(why.into()))
}

/// Executes the packet at which `source` stands, of which `available` dwords were written.
pub(super) fn execute(
    context: &Context,
    table: &PageTable,
    source: Source,
    available: u32,
) -> Result<Outcome, Fault> {
    let header = source.dword(table, 0)?;
    let (op, sub) = (header & 0xff, header >> 8 & 0xff);
    let known = PACKETS.iter().find(|(of, wanted, ..)| *of == op && (*wanted == sub || *wanted == ANY));
    let packet = Packet { context, table, source, header, available };
    let name = known.map(|(_, _, name, ..)| *name);
    let name = name.or_else(|| OPERATIONS.iter().find(|(of, _)| *of == op).map(|(_, name)| *name));
    let outcome = match known {
        None => Outcome::Refused(format!("operation {op}, sub-operation {sub} is not implemented")),
        Some((_, _, _, least, handler)) => match packet.cut_off(*least) {
            Some(why) => Outcome::Refused(why),
            None => handler(&packet)?,
        },
    };
    Ok(match outcome {
        Outcome::Refused(why) => {
            let name = name.unwrap_or("of no known name");
            Outcome::Refused(format!("packet {name} ({header:#010x}): {why}"))
        }
        outcome => outcome,
    })
}

/// Dwords to skip stand in the header.
fn nop(packet: &Packet<'_>) -> Result<Outcome, Fault> {
    let dwords = 1 + (packet.header >> 16 & 0x3fff);
    packet.cut_off(dwords).map_or(Ok(Outcome::Done(dwords)), refused)
}

/// Memory that only the engine and a secured program can read.
const SECURE: u32 = 1 << 16 | 1 << 18;

fn refuse_secure(packet: &Packet<'_>) -> Option<String> {
    (packet.header & SECURE != 0).then(|| "encrypted memory is not implemented".to_owned())
}

/// Bytes less one, source, destination, and a second destination if the header says so. How many bits the count has
/// depends on the version; those above are zero.
fn copy_linear(packet: &Packet<'_>) -> Result<Outcome, Fault> {
    const BROADCAST: u32 = 1 << 27;
    let dwords = if packet.header & BROADCAST == 0 { 7 } else { 9 };
    if let Some(why) = packet.cut_off(dwords).or_else(|| refuse_secure(packet)) {
        return refused(why);
    }
    let bytes = (packet.dword(1)? & 0x3fff_ffff) as usize + 1;
    let src = packet.long(3)?;
    for at in (5..dwords).step_by(2) {
        packet.table.copy(packet.long(at)?, src, bytes)?;
    }
    Ok(Outcome::Done(dwords))
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
    if let Some(why) = refuse_secure(packet) {
        return refused(why);
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
    if let Some(why) = packet.cut_off(4 + count).or_else(|| refuse_secure(packet)) {
        return refused(why);
    }
    for index in 0..count {
        packet.table.store_u32(dst.wrapping_add(u64::from(index) * 4), packet.dword(4 + index)?)?;
    }
    Ok(Outcome::Done(4 + count))
}

fn indirect(packet: &Packet<'_>) -> Result<Outcome, Fault> {
    if let Source::Buffer(_) = packet.source {
        return refused("an indirect buffer has no others in it: submit both on the ring");
    }
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

/// Waits for a word in memory. Of registers there is only the one that flushes the host's writes, which are flushed
/// always: a packet that says so, or that compares nothing, as ROCr's does.
fn poll_register_or_memory(packet: &Packet<'_>) -> Result<Outcome, Fault> {
    const FLUSH: u32 = 1 << 26;
    let (in_memory, function) = (packet.header >> 31 == 1, packet.header >> 28 & 7);
    if !in_memory {
        return if function == 0 || packet.header & FLUSH != 0 {
            Ok(Outcome::Done(6))
        } else {
            let register = packet.dword(1)?;
            refused(format!("it waits for register {register:#x}, which is not there: wait for memory"))
        };
    }
    let (reference, mask) = (packet.dword(3)?, packet.dword(4)?);
    let value = packet.table.load_u32(packet.long(1)?)? & mask;
    match holds(function, value, reference) {
        Some(true) => Ok(Outcome::Done(6)),
        Some(false) => Ok(Outcome::Waiting),
        None => refused("comparison 7 is none"),
    }
}

/// An atomic operation without a result. Operations are those of the caches (`TC_OP_ATOMIC_*`): 32 bits and, 32 higher,
/// 64 bits.
fn atomic(packet: &Packet<'_>) -> Result<Outcome, Fault> {
    const WIDE: u32 = 32;
    const LOOP: u32 = 1 << 16;
    let operation = packet.header >> 25;
    let (va, data, compare) = (packet.long(1)?, packet.long(3)?, packet.long(5)?);
    let Some(change) = operation_64(operation % WIDE).filter(|_| operation / WIDE < 2) else {
        return refused(format!("atomic operation {operation} is not implemented"));
    };
    if packet.header & LOOP != 0 {
        return refused("it tries again until it succeeds, which is not implemented: poll before it");
    }
    if operation / WIDE == 1 {
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
    let [a, b, c, d] = packet.dword(3)?.to_le_bytes();
    let (element, pattern) = match packet.header >> 30 {
        0 => (1, [a; 4]),
        1 => (2, [a, b, a, b]),
        2 => (4, [a, b, c, d]),
        _ => return refused("fill size 3 is none"),
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
